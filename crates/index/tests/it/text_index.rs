//! The text index: whatever state it is in, searches answer what a plain scan of the files answers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use caseless::Caseless;
use proptest::prelude::*;
use proptest::sample::select;
use quillgate_index::{
    Diacritics, Expression, IndexSettings, Language, Literal, Ranked, Role, Stemming, search_expression, search_literal,
    search_ranked,
};
use quillgate_vault::FolderPath;
use unicode_normalization::UnicodeNormalization;

use crate::place::{Place, Run, note};

const WORDS: &[&str] = &[
    "Straße",
    "STRASSE",
    "strasse",
    "café",
    "cafe\u{301}",
    "Ärger",
    "数据库设计",
    "设计",
    "日本語",
    "note",
    "Notebook",
    "note_book",
    "ΛΟΓΟΣ",
    "λόγος",
    "a",
    "to",
    "\u{212a}elvin",
    "kelvin",
    "ﬃ",
    "office",
    "end.",
    "(x)",
    "#tag",
    "[[Link]]",
    "x-y-z",
    "\t",
    "🙂",
];
const NAMES: &[&str] = &["a.md", "b/c.md", "b/Straße.md", "data.csv", "long name.txt", "d.md"];
const QUERIES: &[&str] = &[
    "strasse",
    "Straße",
    "CAFÉ",
    "cafe\u{301}",
    "设计",
    "据库",
    "本",
    "note",
    "NOTE",
    "book",
    "λόγος",
    "Kelvin",
    "ffi",
    "office",
    "d. ",
    "(x)",
    "[[link",
    "e n",
    "a",
    "to",
    "o ",
    "x-y",
    "🙂",
    "absent",
];
const PATTERNS: &[&str] = &[
    "note",
    "(?i)note",
    "stra(ss|ß)e",
    "(?i)STRASSE|设计",
    r"\bnote\b",
    r"^\S+$",
    "n.te",
    "[Nn]otebook",
    r"caf\w",
    "(?i)kelvin",
    "x-.-z",
    "据库|book",
    r"\p{Han}{2,}",
    "",
    "end\\.$",
    "e\u{301}",
];

#[derive(Clone, Debug)]
enum Step {
    Write(&'static str, String),
    /// As another program does it.
    Put(&'static str, String),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Settle,
    Restart,
    Ask,
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::collection::vec(select(WORDS), 0..6).prop_map(|words| words.join(" "));
    let newline = select(vec!["\n", "\r\n"]);
    (prop::collection::vec(line, 0..8), newline).prop_map(|(lines, newline)| lines.join(newline))
}

fn step() -> impl Strategy<Value = Step> {
    let name = || select(NAMES);
    prop_oneof![
        3 => (name(), text()).prop_map(|(name, text)| Step::Write(name, text)),
        2 => (name(), text()).prop_map(|(name, text)| Step::Put(name, text)),
        1 => name().prop_map(Step::Remove),
        1 => (name(), name()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => Just(Step::Settle),
        1 => Just(Step::Restart),
        3 => Just(Step::Ask),
    ]
}

type Files = BTreeMap<String, String>;
type Lines = BTreeSet<(String, usize)>;

fn files(place: &Place) -> Files {
    let exists = |name: &&&str| place.on_disk(name).exists();
    NAMES.iter().filter(exists).map(|name| ((*name).to_owned(), place.text(name))).collect()
}

fn lines_where(files: &Files, is_match: impl Fn(&str) -> bool) -> Lines {
    let lines = files.iter().flat_map(|(name, text)| text.split('\n').enumerate().map(move |(at, line)| (name, at + 1, line)));
    lines.filter(|(_, _, line)| is_match(line)).map(|(name, line, _)| (name.clone(), line)).collect()
}

fn plain(text: &str) -> String {
    text.nfc().default_case_fold().collect()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Whether the query stands in the line with no letter or digit going on around it. Written for queries that fold one letter
/// into one.
fn has_word(line: &str, query: &str) -> bool {
    let line: Vec<char> = line.nfc().collect();
    let query: Vec<char> = query.nfc().collect();
    line.windows(query.len()).enumerate().any(|(at, window)| {
        let before = at.checked_sub(1).map(|at| line[at]);
        let after = line.get(at + query.len()).copied();
        window == query && !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn literal_lines(run: &Run, query: &str, case_sensitive: bool, whole_word: bool) -> Lines {
    let mut lines = Lines::new();
    let mut after = None;
    loop {
        let wanted = Literal { query, case_sensitive, whole_word, folder: FolderPath::ROOT, limit: 3, after };
        let page = search_literal(&run.index, &wanted, &|| true);
        for item in &page.items {
            assert!(lines.insert((item.path.to_string(), item.line)), "{query:?} twice on {}:{}", item.path, item.line);
        }
        if !page.more {
            assert_eq!(page.total, Some(lines.len()), "{query:?}");
            return lines;
        }
        let last = page.items.last().unwrap();
        after = Some(quillgate_index::LiteralKey { rank: last.rank, path: last.path.clone(), line: last.line });
    }
}

fn expression_lines(run: &Run, pattern: &str) -> Lines {
    let wanted = Expression {
        pattern,
        ignore_case: false,
        multi_line: false,
        dot_all: false,
        glob: None,
        folder: FolderPath::ROOT,
        per_file: usize::MAX,
        limit: 10_000,
        after: None,
    };
    let found = search_expression(&run.index, &wanted, &|| true).unwrap();
    found.items.iter().map(|item| (item.path.to_string(), item.line as usize)).collect()
}

#[track_caller]
fn check_answers(place: &Place, run: &Run) {
    let files = files(place);
    for query in QUERIES {
        let folded = plain(query);
        assert_eq!(
            literal_lines(run, query, false, false),
            lines_where(&files, |line| plain(line).contains(&folded)),
            "{query:?}"
        );
        let composed: String = query.nfc().collect();
        let exact = |line: &str| line.nfc().collect::<String>().contains(&composed);
        assert_eq!(literal_lines(run, query, true, false), lines_where(&files, exact), "{query:?}, case-sensitive");
        assert_eq!(literal_lines(run, query, true, true), lines_where(&files, |line| has_word(line, query)), "{query:?}, word");
    }
    for pattern in PATTERNS {
        let regex = regex::Regex::new(pattern).unwrap();
        let is_match = |line: &str| regex.is_match(line.strip_suffix('\r').unwrap_or(line));
        let mut expected = lines_where(&files, is_match);
        // What follows the last line break is no line.
        expected.retain(|(name, line)| {
            let text = &files[name];
            !(text.is_empty() || text.ends_with('\n') && *line == text.split('\n').count())
        });
        assert_eq!(expression_lines(run, pattern), expected, "{pattern:?}");
    }
}

/// Waits until every file is in the index.
#[track_caller]
pub(crate) fn settle(run: &Run) {
    let started = Instant::now();
    while run.index.coverage().pending > 0 || !run.index.coverage().ready {
        assert!(started.elapsed() < Duration::from_secs(20), "the text index is not complete: {:?}", run.index.text_status());
        std::thread::yield_now();
    }
}

fn restart(place: &Place, run: Run) -> Run {
    place.stop(run);
    place.start()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn searches_equal_a_plain_scan_at_every_moment(steps in prop::collection::vec(step(), 1..14)) {
        let place = Place::new(&[("a.md", "note Straße 设计\nlast")]);
        let mut run = place.start();
        for step in steps {
            match step {
                Step::Write(name, text) => run.write(name, &text),
                Step::Put(name, text) => {
                    place.put(name, text);
                    run.index.check_everything();
                }
                Step::Remove(name) => {
                    let _ = fs::remove_file(place.on_disk(name));
                    run.index.check_everything();
                }
                Step::Rename(from, to) if place.on_disk(from).exists() && !place.on_disk(to).exists() => {
                    run.move_file(from, to);
                }
                Step::Rename(..) => {}
                Step::Settle => settle(&run),
                Step::Restart => run = restart(&place, run),
                Step::Ask => check_answers(&place, &run),
            }
        }
        check_answers(&place, &run);
        settle(&run);
        check_answers(&place, &run);
        let run = restart(&place, run);
        check_answers(&place, &run);
        settle(&run);
        check_answers(&place, &run);
    }

    #[test]
    fn a_second_program_answers_the_same(texts in prop::collection::vec((select(NAMES), text(), any::<bool>()), 1..8)) {
        let place = Place::new(&[("a.md", "note Straße 设计\nlast")]);
        let first = place.start();
        let second = place.start();
        settle(&first);
        for (name, text, by_first) in texts {
            let (writer, other) = if by_first { (&first, &second) } else { (&second, &first) };
            writer.write(name, &text);
            other.index.check_everything();
            check_answers(&place, writer);
            check_answers(&place, other);
        }
        settle(&first);
        settle(&second);
        check_answers(&place, &first);
        check_answers(&place, &second);
    }
}

fn nothing(_: &[u8]) -> Vec<u8> {
    Vec::new()
}

fn half(bytes: &[u8]) -> Vec<u8> {
    bytes[..bytes.len() / 2].to_vec()
}

fn garbled(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|byte| byte ^ 0x55).collect()
}

fn place_of_many() -> Place {
    let files: Vec<(String, String)> =
        (0..300).map(|number| (format!("{number:03}.md"), format!("word{number} common\n"))).collect();
    Place::new(&files)
}

#[test]
fn another_program_takes_over_when_the_one_that_writes_ends() {
    let place = place_of_many();
    let first = place.start();
    settle(&first);
    let second = place.start();
    settle(&second);
    assert_eq!((first.index.text_status().role, second.index.text_status().role), (Role::Writer, Role::Follower));
    drop(first);
    second.write("new.md", "fresh");
    let started = Instant::now();
    while second.index.text_status().role != Role::Writer || second.index.coverage().pending > 0 {
        assert!(started.elapsed() < Duration::from_secs(5), "nobody took over");
        std::thread::yield_now();
    }
    assert_eq!(literal_lines(&second, "fresh", false, false).len(), 1);
}

#[test]
fn a_restart_finds_the_index_as_it_was_left() {
    let place = place_of_many();
    let run = place.start();
    settle(&run);
    let committed = run.index.text_status().last_commit;
    assert!(committed.is_some());
    let run = restart(&place, run);
    settle(&run);
    assert!(run.index.text_status().last_commit <= committed, "nothing was to be committed");
    assert_eq!(run.index.text_status().documents, 300);
}

#[test]
fn a_damaged_index_is_built_again_and_answers_stay_right() {
    let place = place_of_many();
    let run = place.start();
    settle(&run);
    place.stop(run);
    let files = || fs::read_dir(place.folder.path().join("data/text")).unwrap().map(|entry| entry.unwrap().path());
    let kind = |path: &Path| path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
    let kinds: BTreeSet<String> = files().map(|path| kind(&path)).collect();
    assert!(kinds.contains("idx") && kinds.contains("term") && kinds.contains("json"), "{kinds:?}");
    for wanted in &kinds {
        for damage in [nothing as fn(&[u8]) -> Vec<u8>, half, garbled] {
            let Some(path) = files().find(|path| kind(path) == *wanted) else { continue };
            fs::write(&path, damage(&fs::read(&path).unwrap())).unwrap();
            let run = place.start();
            assert_eq!(literal_lines(&run, "word17 ", false, false).len(), 1, "{}", path.display());
            settle(&run);
            assert_eq!(literal_lines(&run, "word17 ", false, false).len(), 1, "{}", path.display());
            assert_eq!(literal_lines(&run, "common", false, false).len(), 300, "{}", path.display());
            place.stop(run);
        }
    }
}

#[test]
fn a_rebuild_changes_no_answer() {
    let place = place_of_many();
    let run = place.start();
    settle(&run);
    run.index.rebuild();
    for _ in 0..20 {
        assert_eq!(literal_lines(&run, "common", false, false).len(), 300);
        run.write("x.md", "common again");
        fs::remove_file(place.on_disk("x.md")).unwrap();
        run.index.check_everything();
    }
    settle(&run);
    assert_eq!(run.index.text_status().documents, 300);
}

#[test]
fn counts_that_were_kept_follow_every_change() {
    let place = place_of_many();
    let run = place.start();
    settle(&run);
    for number in 0..50 {
        assert_eq!(literal_lines(&run, "common", false, false).len(), 300 + number);
        run.write(&format!("sub/{number}.md"), "common");
    }
    run.vault.trash(&note("sub/7.md")).unwrap();
    assert_eq!(literal_lines(&run, "common", false, false).len(), 349);
}

/// All notes that a ranked query finds, page by page.
fn ranked_paths(run: &Run, query: &str, limit: usize) -> Vec<String> {
    let mut paths = Vec::new();
    let mut after = None;
    loop {
        let page = search_ranked(&run.index, &Ranked { query, folder: FolderPath::ROOT, limit, after }, &|| true).unwrap();
        paths.extend(page.items.iter().map(|item| item.path.to_string()));
        if !page.more {
            return paths;
        }
        after = page.items.last().map(|last| (last.score, last.path.clone()));
    }
}

#[test]
fn pages_of_equally_good_notes_add_up_to_all_of_them() {
    let place = place_of_many();
    let run = place.start();
    for is_settled in [false, true] {
        if is_settled {
            settle(&run);
        }
        for (query, expected) in [("common", 300), ("-word17", 299), ("common -word3", 299), ("path:01", 13), ("absent", 0)] {
            let mut paths = ranked_paths(&run, query, 7);
            paths.sort();
            paths.dedup();
            assert_eq!(paths.len(), expected, "{query}, settled: {is_settled}");
        }
    }
}

#[test]
fn a_note_asked_for_by_its_name_comes_first_indexed_or_not() {
    let place = Place::new(&[("Kestrel.md", "a bird"), ("log.md", "kestrel kestrel kestrel"), ("x/kestrel.png", "\0")]);
    let run = place.start();
    assert_eq!(ranked_paths(&run, "kestrel", 10), ["Kestrel.md", "log.md"]);
    settle(&run);
    assert_eq!(ranked_paths(&run, "kestrel", 10), ["Kestrel.md", "log.md"]);
    run.write("fresh.md", "fresh kestrel");
    assert!(ranked_paths(&run, "fresh", 10).contains(&"fresh.md".to_owned()));
}

#[test]
fn without_a_text_index_searches_read_the_files() {
    let place = place_of_many();
    let settings = IndexSettings { without_text: true, ..IndexSettings::default() };
    let run = place.start_with(&settings);
    assert_eq!((run.index.text_status().role, run.index.coverage().ready), (Role::Off, true));
    assert_eq!(literal_lines(&run, "word17 ", false, false).len(), 1);
    assert_eq!(ranked_paths(&run, "word17", 10), ["017.md"]);
    assert!(!place.folder.path().join("data/text").exists());
}

#[test]
fn other_words_mean_another_index() {
    let place = Place::new(&[("a.md", "she was running"), ("b.md", "un café")]);
    let run = place.start();
    settle(&run);
    assert_eq!((ranked_paths(&run, "run", 9).len(), ranked_paths(&run, "cafe", 9).len()), (1, 1));
    place.stop(run);
    let language = Language { stemming: Stemming::None, diacritics: Diacritics::Keep };
    let run = place.start_with(&IndexSettings { language, ..IndexSettings::default() });
    settle(&run);
    assert_eq!((ranked_paths(&run, "run", 9).len(), ranked_paths(&run, "cafe", 9).len()), (0, 0));
    assert_eq!((ranked_paths(&run, "running", 9).len(), ranked_paths(&run, "CAFÉ", 9).len()), (1, 1));
}
