use std::collections::BTreeMap;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use tempfile::TempDir;

use super::new_notes::{NewNotes, Period, periodic_notes, templates};
use super::plugins::{community_plugins, property_types};

fn vault(files: &[(&str, &str)]) -> (TempDir, Dir) {
    let folder = TempDir::new().unwrap();
    let root = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
    for (path, text) in files {
        let path = format!(".obsidian/{path}");
        root.create_dir_all(path.rsplit_once('/').unwrap().0).unwrap();
        root.write(&path, text).unwrap();
    }
    (folder, root)
}

fn notes(folder: &str, format: &str, template: Option<&str>) -> NewNotes {
    NewNotes { folder: folder.to_owned(), format: format.to_owned(), template: template.map(str::to_owned) }
}

#[test]
fn without_files_everything_is_as_the_app_has_it() {
    let (_folder, root) = vault(&[]);
    assert_eq!(periodic_notes(&root, Period::Daily).unwrap(), notes("", "YYYY-MM-DD", None));
    assert_eq!(periodic_notes(&root, Period::Weekly).unwrap(), notes("", "gggg-[W]ww", None));
    assert_eq!(periodic_notes(&root, Period::Quarterly).unwrap(), notes("", "YYYY-[Q]Q", None));
    let templates = templates(&root).unwrap();
    assert_eq!(
        (templates.folders.len(), templates.date_format.as_str(), templates.time_format.as_str()),
        (0, "YYYY-MM-DD", "HH:mm")
    );
    assert_eq!(community_plugins(&root).unwrap(), None);
    assert_eq!(property_types(&root).unwrap(), BTreeMap::new());
}

#[test]
fn the_core_plugins_say_how_notes_are_made() {
    let (_folder, root) = vault(&[
        (
            "daily-notes.json",
            r#"{"folder": "/Journal//Days/", "format": "YYYY/MM/YYYY-MM-DD", "template": "Templates/Day", "autorun": true}"#,
        ),
        ("templates.json", "\u{feff}{\"folder\": \"Templates\", \"dateFormat\": \"DD.MM.YYYY\", \"timeFormat\": \"\"}"),
        ("plugins/templater-obsidian/data.json", r#"{"templates_folder": "Templates", "trigger_on_file_creation": true}"#),
        ("types.json", r#"{"types": {"due": "date", "odd": 1}}"#),
    ]);
    assert_eq!(periodic_notes(&root, Period::Daily).unwrap(), notes("Journal/Days", "YYYY/MM/YYYY-MM-DD", Some("Templates/Day")));
    let templates = templates(&root).unwrap();
    assert_eq!((templates.folders, templates.date_format.as_str()), (vec!["Templates".to_owned()], "DD.MM.YYYY"));
    assert_eq!(property_types(&root).unwrap(), BTreeMap::from([("due".to_owned(), "date".to_owned())]));
}

#[test]
fn both_forms_of_periodic_notes_are_read() {
    let released = r#"{"daily": {"format": "", "enabled": false, "folder": "P"}, "weekly": {"enabled": true, "format": "GGGG-[W]WW", "folder": "Weeks", "template": "T/Week"}}"#;
    let (_folder, root) = vault(&[("plugins/periodic-notes/data.json", released), ("daily-notes.json", r#"{"folder": "Core"}"#)]);
    assert_eq!(periodic_notes(&root, Period::Weekly).unwrap(), notes("Weeks", "GGGG-[W]WW", Some("T/Week")));
    assert_eq!(periodic_notes(&root, Period::Daily).unwrap(), notes("Core", "YYYY-MM-DD", None), "days are switched off there");
    let successor = r#"{"activeCalendarSet": "b", "calendarSets": [{"id": "a", "day": {"enabled": true, "folder": "A"}},
        {"id": "b", "ctime": "x", "day": {"enabled": true, "openAtStartup": false, "format": "YYYYMMDD", "folder": "B", "templatePath": "T/Day.md"}}]}"#;
    let (_folder, root) = vault(&[("plugins/periodic-notes/data.json", successor)]);
    assert_eq!(periodic_notes(&root, Period::Daily).unwrap(), notes("B", "YYYYMMDD", Some("T/Day.md")));
    assert_eq!(periodic_notes(&root, Period::Yearly).unwrap(), notes("", "YYYY", None));
    let (_folder, root) = vault(&[("plugins/periodic-notes/data.json", successor), ("community-plugins.json", "[\"dataview\"]")]);
    assert_eq!(periodic_notes(&root, Period::Daily).unwrap(), notes("", "YYYY-MM-DD", None), "the plugin is off");
}

#[test]
fn a_malformed_file_is_named() {
    for (file, text) in [
        ("daily-notes.json", "{folder: x}"),
        ("daily-notes.json", "[]"),
        ("daily-notes.json", "{\"folder\": 5}"),
        ("plugins/periodic-notes/data.json", "{\"daily\": {\"enabled\": true, \"format\": []}}"),
        ("plugins/periodic-notes/data.json", "{\"daily\": 1}"),
        ("plugins/periodic-notes/data.json", "{\"calendarSets\": {}}"),
        ("community-plugins.json", "{}"),
    ] {
        let (_folder, root) = vault(&[(file, text)]);
        let error = periodic_notes(&root, Period::Daily).unwrap_err().to_string();
        assert!(error.contains(&format!(".obsidian/{file}")), "{error}");
        assert_eq!(root.read_to_string(format!(".obsidian/{file}")).unwrap(), text);
    }
    let (_folder, root) = vault(&[("types.json", "{\"types\": []}"), ("daily-notes.json", "")]);
    assert!(property_types(&root).is_err());
    assert!(periodic_notes(&root, Period::Daily).is_ok(), "an empty file is none");
}
