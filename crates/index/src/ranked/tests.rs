//! What a query finds among a few notes, and in which order.

use jiff::Zoned;
use proptest::prelude::*;
use quillgate_vault::NotePath;
use tantivy::schema::{STORED, Schema, Value};
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument};

use super::{CardFacts, Diacritics, Language, QueryError, RankedFields, RankedQuery, Source, Stemming};
use crate::card::Card;

struct TestNote {
    path: NotePath,
    text: String,
    card: Card,
}

impl TestNote {
    fn new(path: &str, text: &str) -> TestNote {
        TestNote { path: NotePath::parse(path).unwrap(), text: text.to_owned(), card: Card::of(text) }
    }

    fn source(&self) -> Source<'_> {
        Source { path: &self.path, card: &self.card, text: &self.text }
    }

    /// Made on the first of May 2024, changed ten days later.
    fn facts(&self) -> CardFacts<'_> {
        let moment = |text: &str| i64::try_from(text.parse::<Zoned>().unwrap().timestamp().as_nanosecond()).unwrap();
        CardFacts {
            path: &self.path,
            card: &self.card,
            created: Some(moment("2024-05-01T12:00:00[UTC]")),
            modified: moment("2024-05-11T12:00:00[UTC]"),
        }
    }
}

struct TestIndex {
    notes: Vec<TestNote>,
    fields: RankedFields,
    searcher: Searcher,
    number: tantivy::schema::Field,
}

fn now() -> Zoned {
    "2024-05-14T08:00:00[UTC]".parse().unwrap()
}

fn index_of(notes: &[(&str, &str)], language: Language) -> TestIndex {
    let mut schema = Schema::builder();
    let fields = RankedFields::add_to(&mut schema, language);
    let number = schema.add_u64_field("number", STORED);
    let index = Index::create_in_ram(schema.build());
    fields.register(&index);
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 20_000_000).unwrap();
    let notes: Vec<TestNote> = notes.iter().map(|(path, text)| TestNote::new(path, text)).collect();
    for (at, note) in (0..).zip(&notes) {
        let mut document = TantivyDocument::default();
        document.add_u64(number, at);
        fields.each_beside_body(&note.source(), |field, text| document.add_text(field, text));
        document.add_text(fields.body(), note.source().text);
        writer.add_document(document).unwrap();
    }
    writer.commit().unwrap();
    TestIndex { notes, fields, searcher: index.reader().unwrap().searcher(), number }
}

impl TestIndex {
    fn note(&self, address: DocAddress) -> &TestNote {
        let document: TantivyDocument = self.searcher.doc(address).unwrap();
        let number = document.get_first(self.number).and_then(|value| value.as_u64()).unwrap();
        &self.notes[usize::try_from(number).unwrap()]
    }

    /// The notes from the index, each checked to score the same outside of it.
    fn found(&self, query: &str) -> Vec<&str> {
        let query = RankedQuery::parse(query, &now()).unwrap();
        let plan = query.plan(&self.searcher, &self.fields).unwrap();
        let facts = |segment, document| Some(self.note(DocAddress::new(segment, document)).facts());
        let hits = plan.top(100, facts).unwrap();
        let mut outside = plan.outside().unwrap();
        for hit in &hits {
            let note = self.note(hit.address);
            let score = outside.score(&note.source(), &note.facts()).unwrap_or(f32::NAN);
            assert!((score - hit.score).abs() < 1e-3, "{query:?}: {} has {} inside, {score} outside", note.path, hit.score);
        }
        let outside_count = self.notes.iter().filter(|note| outside.score(&note.source(), &note.facts()).is_some()).count();
        assert_eq!(outside_count, hits.len(), "{query:?} finds the same notes outside");
        hits.iter().map(|hit| self.note(hit.address).path.as_str()).collect()
    }
}

#[track_caller]
fn check(query: &str, notes: &[(&str, &str)], expected: &[&str]) {
    assert_eq!(index_of(notes, Language::default()).found(query), expected, "{query:?}");
}

#[test]
fn words_match_any_and_the_note_with_more_of_them_comes_first() {
    let notes = [("a.md", "apples and pears"), ("b.md", "apples"), ("c.md", "a long text about plums and cherries")];
    check("apples pears", &notes, &["a.md", "b.md"]);
    check("APPLE", &notes, &["b.md", "a.md"]);
    check("quinces", &notes, &[]);
    check("", &notes, &[]);
    check("&& !!", &notes, &[]);
}

#[test]
fn a_note_named_like_the_query_comes_before_notes_that_mention_it() {
    let notes = [
        ("log.md", "Kestrel Kestrel Kestrel Kestrel Kestrel Kestrel"),
        ("mail.md", "# Mail\n\nabout Kestrel, Kestrel and Kestrel"),
        ("Projects/Kestrel.md", "A long plan of everything that is to be done by somebody at some time in the next months."),
        ("other.md", "nothing here"),
    ];
    check("kestrel", &notes, &["Projects/Kestrel.md", "log.md", "mail.md"]);
}

#[test]
fn title_beats_alias_beats_heading_beats_tag_beats_folder() {
    let body = "some text that is about as long in each of the notes here";
    let notes = [
        ("Kestrel things/e.md", body),
        ("d.md", &format!("---\ntags: [kestrel]\n---\n{body}")),
        ("c.md", &format!("{body}\n\n## Kestrel\n")),
        ("b.md", &format!("---\naliases: [Kestrel]\n---\n{body}")),
        ("Kestrel.md", body),
        ("x.md", body),
        ("y.md", body),
    ];
    check("kestrel", &notes, &["Kestrel.md", "b.md", "c.md", "d.md", "Kestrel things/e.md"]);
}

#[test]
fn words_are_found_in_other_forms_and_spellings() {
    let notes = [
        ("1.md", "Straße und Überlauf"),
        ("2.md", "İstanbul ve ısı"),
        ("3.md", "He was running; John's café don't"),
        ("4.md", "ＦＵＬＬ　ｗｉｄｔｈ ﬁne"),
        ("5.md", "l'avion d’été"),
    ];
    check("STRASSE", &notes, &["1.md"]);
    check("uberlauf", &notes, &["1.md"]);
    check("istanbul", &notes, &["2.md"]);
    check("ISI", &notes, &["2.md"]);
    check("runs", &notes, &["3.md"]);
    check("john", &notes, &["3.md"]);
    check("don’t", &notes, &["3.md"]);
    check("cafe\u{301}", &notes, &["3.md"]);
    check("full fine", &notes, &["4.md"]);
    check("avion", &notes, &["5.md"]);
    check("ete", &notes, &["5.md"]);
}

#[test]
fn the_language_can_keep_endings_and_accents() {
    let exact = Language { stemming: Stemming::None, diacritics: Diacritics::Keep };
    let index = index_of(&[("a.md", "running to the café"), ("b.md", "run to the cafe")], exact);
    assert_eq!(index.found("run"), ["b.md"]);
    assert_eq!(index.found("café"), ["a.md"]);
    assert_eq!(index.found("CAFÉ"), ["a.md"]);
    assert_ne!(exact.fingerprint(), Language::default().fingerprint());
}

#[test]
fn scripts_without_spaces_are_found_by_any_part() {
    let notes =
        [("zh.md", "数据库设计很重要"), ("other.md", "设备和计划"), ("ja.md", "東京タワーへ行く"), ("ko.md", "학교에서 만나요")];
    check("设计", &notes, &["zh.md"]);
    check("库", &notes, &["zh.md"]);
    check("数据库设计", &notes, &["zh.md"]);
    check("\"库设\"", &notes, &["zh.md"]);
    check("タワー", &notes, &["ja.md"]);
    check("학교", &notes, &["ko.md"]);
    check("计划 -数据", &notes, &["other.md"]);
}

#[test]
fn made_up_names_are_found_whole_before_their_parts() {
    let notes = [
        ("parts.md", "QZX is 2000 or 10000 or y"),
        ("whole.md", "see QZX-2000-10000-Y there"),
        ("code.md", "call foo_bar(baz) now"),
        ("tavern.md", "the bar"),
    ];
    check("QZX-2000-10000-Y", &notes, &["whole.md", "parts.md"]);
    check("foo_bar", &notes, &["code.md", "tavern.md"]);
    check("the bar -foo_bar", &notes, &["tavern.md"]);
    check("baz", &notes, &["code.md"]);
}

#[test]
fn phrases_are_required() {
    let notes = [
        ("a.md", "the quick brown fox"),
        ("b.md", "brown and quick, a fox"),
        ("d.md", "# Quick brown\n\nquick brown, quick brown"),
    ];
    check("\"quick brown\"", &notes, &["d.md", "a.md"]);
    check("\"quick brown\" fox", &notes, &["d.md", "a.md"]);
    check("\"quick brown", &notes, &["d.md", "a.md"]);
    check("fox -\"quick brown\"", &notes, &["b.md"]);
    check("\"fox\"", &notes, &["a.md", "b.md"]);
}

#[test]
fn words_can_be_required_or_excluded() {
    let notes = [("a.md", "red green"), ("b.md", "red blue"), ("c.md", "green blue"), ("d.md", "white")];
    check("red AND green", &notes, &["a.md"]);
    check("+red blue", &notes, &["b.md", "a.md"]);
    check("green -red", &notes, &["c.md"]);
    check("green NOT red", &notes, &["c.md"]);
    check("-red -green", &notes, &["d.md"]);
    check("-(red green)", &notes, &["d.md"]);
    check("\"red\" OR white", &notes, &["d.md", "a.md", "b.md"]);
    check("(red AND green) OR white", &notes, &["d.md", "a.md"]);
}

#[test]
fn filters_narrow_and_mix_with_words() {
    let notes = [
        ("Work/plan.md", "---\ntags: [Project/Alpha]\nstatus: in progress\npriority: 3\nowner: \"[[Ada]]\"\n---\nplan"),
        ("Work/log.md", "plan of the day #project"),
        ("Home/plan.md", "---\nstatus: [done, late]\npriority: 10\ncreated: 2023-02-03\n---\nplan #projects"),
    ];
    check("plan tag:project", &notes, &["Work/plan.md", "Work/log.md"]);
    check("plan tag:#project/alpha", &notes, &["Work/plan.md"]);
    check("plan -tag:project", &notes, &["Home/plan.md"]);
    check("path:work/ plan", &notes, &["Work/plan.md", "Work/log.md"]);
    check("path:ork/ plan", &notes, &[]);
    check("path:ORK/l", &notes, &["Work/log.md"]);
    check("file:log", &notes, &["Work/log.md"]);
    check("prop:status=\"In Progress\"", &notes, &["Work/plan.md"]);
    check("[status:done]", &notes, &["Home/plan.md"]);
    check("prop:owner=ada", &notes, &["Work/plan.md"]);
    check("prop:priority>=4", &notes, &["Home/plan.md"]);
    check("prop:priority<4", &notes, &["Work/plan.md"]);
    check("prop:priority", &notes, &["Home/plan.md", "Work/plan.md"]);
    check("prop:status!=done", &notes, &["Work/log.md", "Work/plan.md"]);
    check("(tag:project/alpha OR [status:late]) plan", &notes, &["Work/plan.md", "Home/plan.md"]);
    check("day OR tag:project/alpha", &notes, &["Work/log.md", "Work/plan.md"]);
    check("-(plan tag:project)", &notes, &["Home/plan.md"]);
}

#[test]
fn dates_are_days_months_years_and_ranges() {
    let notes = [("old.md", "---\ncreated: 2023-02-03\n---\nnote"), ("new.md", "note")];
    check("created:2023", &notes, &["old.md"]);
    check("created:2024-05", &notes, &["new.md"]);
    check("created:2024-05-01", &notes, &["new.md"]);
    check("created:>2023-02-03", &notes, &["new.md"]);
    check("created:>=2023-02-03", &notes, &["new.md", "old.md"]);
    check("created:<2023-03", &notes, &["old.md"]);
    check("created:2023..2024-04", &notes, &["old.md"]);
    check("modified:today", &notes, &[]);
    check("modified:7d", &notes, &["new.md", "old.md"]);
    check("last:2d", &notes, &[]);
    check("last:3d note", &notes, &["new.md", "old.md"]);
}

#[test]
fn a_bad_date_says_what_to_write() {
    let error = RankedQuery::parse("created:soon plan", &now()).unwrap_err();
    assert_eq!(error, QueryError::Date("soon".to_owned()));
    assert!(error.to_string().contains("write 2024, 2024-05"));
}

#[test]
fn the_reading_of_a_query_can_be_shown() {
    let understood = |query| RankedQuery::parse(query, &now()).unwrap().understood();
    assert_eq!(understood("rust search"), "any of (rust, search)");
    assert_eq!(
        understood("rust \"full text\" -java tag:#Dev created:>=2024"),
        "all of (\"full text\") and any of (rust) and none of (java), where tag #dev or below and created from 2024-01-01 on"
    );
    assert_eq!(understood("tag:a OR path:b"), "notes where (tag #a or below or path contains \"b\")");
    assert_eq!(understood("foo:bar"), "foo:bar");
}

#[test]
fn the_snippet_shows_the_line_with_most_words() {
    let query = RankedQuery::parse("blue kestrels fly", &now()).unwrap();
    let mut highlight = query.highlight(Language::default());
    let text = "---\ntags: [blue]\n---\nA kestrel.\n\nIn the evening a blue kestrel is flying over the fields.\n";
    let snippet = highlight.snippet(text);
    assert_eq!(
        (snippet.line, snippet.text.as_str()),
        (6, "In the evening a **blue** **kestrel** is **flying** over the fields.")
    );
    let long = format!("{} a blue bird {}", "word ".repeat(100), "word ".repeat(100));
    let snippet = highlight.snippet(&long).text;
    assert!(snippet.starts_with("…word") && snippet.contains("a **blue** bird") && snippet.ends_with("word…"), "{snippet}");
    assert!(snippet.chars().count() <= 200);
    assert_eq!(highlight.snippet("---\na: b\n---\n\nNothing of that.\n").text, "Nothing of that.");
    let mut chinese = RankedQuery::parse("数据库设计", &now()).unwrap().highlight(Language::default());
    assert_eq!(chinese.snippet("关于数据库设计的笔记").text, "关于**数据库设计**的笔记");
}

#[test]
fn hostile_queries_are_answered() {
    let index = index_of(&[("a.md", "alpha beta"), ("b.md", "gamma")], Language::default());
    let words: String = (0..2000).map(|number| format!("w{number} ")).collect();
    index.found(&words);
    index.found(&"(".repeat(10_000));
    index.found(&")".repeat(10_000));
    index.found(&"-".repeat(10_000));
    index.found(&"\"".repeat(9_999));
    index.found(&"x".repeat(10_000));
    index.found(&"OR ".repeat(3_000));
    index.found(&"AND NOT ".repeat(1_000));
    index.found("tag: path: prop: created:");
    assert_eq!(index.found(&format!("{}alpha{}", "(".repeat(100), ")".repeat(50))), ["a.md"]);
    assert_eq!(index.found("OR alpha OR"), ["a.md"]);
    let alternatives: String = (0..40).map(|number| format!("(alpha{number} tag:a OR tag:b) ")).collect();
    assert!(RankedQuery::parse(&alternatives, &now()).is_err());
}

proptest! {
    #[test]
    fn any_query_is_read_and_scored_alike_inside_and_outside(
        query in r#"(alpha|beta|-|\+|"|\(|\)|OR|AND|NOT|tag:x|path:a|[a-z]{1,3}|设计|foo_1| |:|\[a:b\]|é){0,14}"#,
    ) {
        let notes = [
            ("alpha.md", "alpha beta foo_1 #x"),
            ("b/a.md", "# beta\n\n设计 café alpha beta"),
            ("c.md", "---\na: b\ntags: [x/y]\n---\nfoo bar"),
        ];
        if RankedQuery::parse(&query, &now()).is_ok() {
            index_of(&notes, Language::default()).found(&query);
        }
    }
}
