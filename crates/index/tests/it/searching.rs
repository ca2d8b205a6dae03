//! Searching, compared with a plain scan.

use caseless::Caseless;
use proptest::prelude::*;
use proptest::sample::select;
use quillgate_index::{Anywhere, Found, Grep, GrepError, MatchKind, TextMatch, grep, search_anywhere};
use quillgate_vault::FolderPath;
use unicode_normalization::UnicodeNormalization;

use crate::place::{Place, Run, tagged};

/// Letters that fold into others, into several, or compose with a mark.
const LETTERS: &[char] = &[
    'a', 'A', 'b', 's', 'S', 'ß', 'ẞ', 'ſ', 'k', '\u{212a}', 'é', 'É', 'e', '\u{301}', 'ï', '\u{308}', 'Σ', 'σ', 'ς', 'İ', 'ı',
    'i', 'ﬀ', 'ﬃ', 'f', 'Å', '\u{212b}', 'å', 'ǅ', 'Ω', '\u{2126}', '日', '🙂', ' ',
];

fn line() -> impl Strategy<Value = String> {
    prop::collection::vec(select(LETTERS), 0..14).prop_map(|letters| letters.into_iter().collect())
}

fn plain(text: &str) -> String {
    text.nfc().default_case_fold().collect()
}

fn search(run: &Run, query: &str, limit: usize) -> Found<TextMatch> {
    search_anywhere(&run.index, &Anywhere { query, folder: FolderPath::ROOT, limit, after: None }, &|| true)
}

fn found_lines(run: &Run, query: &str) -> Vec<usize> {
    let found = search(run, query, 1000);
    assert_eq!(found.total, Some(found.items.len()));
    found.items.into_iter().map(|found| found.line).collect()
}

fn grep_lines(run: &Run, pattern: &str) -> Result<Vec<(u64, String)>, GrepError> {
    let wanted = Grep { pattern, glob: None, folder: FolderPath::ROOT, most: 1000 };
    Ok(grep(&run.index, &wanted, &|| true)?.lines.into_iter().map(|line| (line.line, line.text)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_literal_search_equals_a_plain_scan(
        lines in prop::collection::vec(line(), 0..30),
        queries in prop::collection::vec(prop::collection::vec(select(LETTERS), 1..4), 12),
        crlf in any::<bool>(),
    ) {
        // A name that no query can match.
        let place = Place::new(&[("0.0", lines.join(if crlf { "\r\n" } else { "\n" }))]);
        let run = place.start_without_store();
        for query in queries {
            let query: String = query.into_iter().collect();
            let matching = lines.iter().enumerate().filter(|(_, line)| plain(line).contains(&plain(&query)));
            let expected: Vec<usize> = matching.map(|(at, _)| at + 1).collect();
            prop_assert_eq!(found_lines(&run, &query), expected, "{:?} in {:?}", query, lines);
        }
    }

    #[test]
    fn an_expression_matches_the_lines_that_the_regex_crate_matches(
        lines in prop::collection::vec("[ab xyzß\t.]{0,8}", 0..25),
        patterns in prop::collection::vec(
            prop::collection::vec(
                select(vec!["a", "b", ".", "x*", "[ab]", "[^ab]", "\\b", "^", "$", "\\s", "(y|z)", "ß", "z+", "\\.", "a{2}", "b?", "(?i)A", "\\w"]),
                1..4,
            ),
            12,
        ),
        ends in any::<bool>(),
    ) {
        let text = format!("{}{}", lines.join("\n"), if ends { "\n" } else { "" });
        let place = Place::new(&[("0.0", &text)]);
        let run = place.start_without_store();
        for pattern in patterns {
            let pattern = pattern.concat();
            let Ok(regex) = regex::Regex::new(&pattern) else { continue };
            let matching = text.lines().enumerate().filter(|(_, line)| regex.is_match(line));
            let expected: Vec<(u64, String)> = matching.map(|(at, line)| (at as u64 + 1, line.to_owned())).collect();
            prop_assert_eq!(grep_lines(&run, &pattern).unwrap(), expected, "{:?} in {:?}", pattern, text);
        }
    }
}

#[test]
fn names_come_before_tags_and_tags_before_text() {
    let place =
        Place::new(&[("z.md", tagged("plan")), ("Plan.md", "nothing".to_owned()), ("a.md", "x\nthe PLAN is\n".to_owned())]);
    let run = place.start_without_store();
    let found = search(&run, "plan", 10);
    let shown: Vec<_> =
        found.items.iter().map(|found| (found.kind, found.path.as_str(), found.line, found.snippet.as_str())).collect();
    assert_eq!(
        shown,
        [
            (MatchKind::Name, "Plan.md", 1, "**Plan**.md"),
            (MatchKind::Tag, "z.md", 2, "tags: [**plan**]"),
            (MatchKind::Text, "a.md", 2, "the **PLAN** is"),
        ]
    );
    let first = search(&run, "plan", 1);
    assert_eq!((first.total, first.items.len()), (Some(3), 1));
}

#[test]
fn a_search_that_is_no_longer_wanted_ends() {
    let files: Vec<(String, &str)> = (0..500).map(|number| (format!("{number}.md"), "needle")).collect();
    let place = Place::new(&files);
    let run = place.start_without_store();
    let wanted = Anywhere { query: "needle", folder: FolderPath::ROOT, limit: 10, after: None };
    assert!(search_anywhere(&run.index, &wanted, &|| false).total < Some(100));
    assert_eq!(search(&run, "needle", 10).total, Some(500));
}

#[test]
fn binary_and_hidden_files_are_not_searched() {
    let place = Place::new(&[
        ("a.bin", &b"\0needle"[..]),
        (".hidden/b.md", b"needle"),
        ("latin.md", b"needle \xe9"),
        ("c.txt", b"needle"),
    ]);
    let run = place.start_without_store();
    let found = search(&run, "needle", 10);
    assert_eq!(found.items.iter().map(|found| found.path.as_str()).collect::<Vec<_>>(), ["c.txt"]);
    // An expression matches bytes, as ripgrep does.
    assert_eq!(grep_lines(&run, "needle").unwrap().len(), 2);
}

#[test]
fn an_expression_is_limited_by_folder_glob_and_number() {
    let place = Place::new(&["a/x.md", "a/y.txt", "a/b/z.md", "c.md"].map(|path| (path, "hit\nhit\n")));
    let run = place.start_without_store();
    let lines = |glob: Option<&str>, folder: &str, most: usize| {
        let wanted = Grep { pattern: "hit", glob, folder: FolderPath::parse(folder).unwrap(), most };
        let found = grep(&run.index, &wanted, &|| true).unwrap();
        (found.lines.len(), found.truncated)
    };
    assert_eq!(lines(None, "/", 100), (8, false));
    assert_eq!(lines(Some("*.md"), "a", 100), (4, false));
    assert_eq!(lines(Some("a/*.md"), "/", 100), (2, false));
    assert_eq!(lines(Some("!*.md"), "/", 100), (2, false));
    assert_eq!(lines(None, "/", 3), (3, true));
    assert_eq!(lines(None, "/", usize::MAX), (8, false));
}

#[test]
fn an_expression_that_is_wrong_says_where() {
    let place = Place::new(&[("a.md", "x")]);
    let run = place.start_without_store();
    let failed = grep_lines(&run, "a(b").unwrap_err().to_string();
    assert!(failed.contains("a(b") && failed.contains('^'), "{failed}");
    let wanted = Grep { pattern: "x", glob: Some("a{"), folder: FolderPath::ROOT, most: 1 };
    assert!(matches!(grep(&run.index, &wanted, &|| true), Err(GrepError::Glob { .. })));
}

#[test]
fn a_byte_order_mark_does_not_hide_the_first_line() {
    let place = Place::new(&[("a.md", "\u{feff}# Title\r\ntext\r\n")]);
    let run = place.start_without_store();
    assert_eq!(grep_lines(&run, "^# Title$").unwrap().len(), 1);
    assert_eq!(grep_lines(&run, "text$").unwrap(), [(2, "text".to_owned())]);
}
