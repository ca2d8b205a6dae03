//! The vault's own settings, however odd the file.

use quillgate_vault::{AppSettings, LinkFormat, TrashOption};

use crate::place::Place;

#[track_caller]
fn check(json: &[u8], expected: AppSettings) {
    let place = Place::new();
    place.put(".obsidian/app.json", json);
    assert_eq!(place.vault.app_settings(), expected, "{}", String::from_utf8_lossy(json));
}

#[test]
fn settings_are_those_of_the_app() {
    let expected = AppSettings {
        trash: TrashOption::Local,
        link_format: LinkFormat::Relative,
        use_markdown_links: true,
        ..AppSettings::default()
    };
    check(br#"{"trashOption":"local","newLinkFormat":"relative","useMarkdownLinks":true,"other":[1]}"#, expected.clone());
    check(b"\xef\xbb\xbf{\"trashOption\":\"local\",\"newLinkFormat\":\"relative\",\"useMarkdownLinks\":true}", expected);
    let absolute = AppSettings {
        trash: TrashOption::None,
        link_format: LinkFormat::Absolute,
        excluded: vec!["Old/".into(), "/x/".into()],
        ..AppSettings::default()
    };
    check(br#"{"trashOption":"none","newLinkFormat":"absolute","userIgnoreFilters":["Old/",1,"/x/"]}"#, absolute);
}

#[test]
fn a_file_that_cannot_be_understood_means_the_defaults() {
    for odd in
        [&b""[..], b"{", b"[]", b"null", b"\xff\xfe", br#"{"trashOption":7,"newLinkFormat":null,"useMarkdownLinks":"yes"}"#]
    {
        check(odd, AppSettings::default());
    }
    assert_eq!(Place::new().vault.app_settings(), AppSettings::default());
}

#[test]
fn a_settings_file_that_is_no_file_does_not_hang() {
    let place = Place::new();
    std::fs::create_dir(place.on_disk(".obsidian")).unwrap();
    crate::links::make_pipe(&place.on_disk(".obsidian/app.json"));
    assert_eq!(place.vault.app_settings(), AppSettings::default());
}

#[test]
fn settings_are_read_anew_each_time() {
    let place = Place::new();
    assert_eq!(place.vault.app_settings().trash, TrashOption::System);
    place.put(".obsidian/app.json", r#"{"trashOption":"none"}"#);
    assert_eq!(place.vault.app_settings().trash, TrashOption::None);
}
