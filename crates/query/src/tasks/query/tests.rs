use jiff::civil::date;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

fn read(text: &str) -> Result<Query, SyntaxError> {
    let settings = Settings::default();
    Query::read(text, &QueryContext { settings: &settings, today: date(2024, 5, 15), file: None })
}

/// The query printed again, one line for each instruction.
fn printed(text: &str) -> String {
    read(text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

#[test]
fn instructions_are_read_and_printed() {
    for (text, expected) in [
        ("NOT DONE", "not done"),
        ("due before   tomorrow", "due before tomorrow"),
        ("due in two weeks", "due in two weeks"),
        ("due today", "due today"),
        ("due on in two weeks", "due on in two weeks"),
        ("due before in two weeks", "due before in two weeks"),
        ("due in before next week", "due in before next week"),
        ("starts on or after 2024-01-01", "starts on or after 2024-01-01"),
        ("start in this week", "starts this week"),
        ("happens 2024-W10", "happens 2024-W10"),
        ("no due date", "no due date"),
        ("has happens date", "has happens date"),
        ("due date is invalid", "due date is invalid"),
        ("priority is not none", "priority is not none"),
        ("priority high", "priority is high"),
        ("status.type is not in_progress", "status.type is not IN_PROGRESS"),
        ("status.name includes unknown", "status.name includes unknown"),
        ("tag includes #home", "tags include #home"),
        ("tags do not include #home", "tags do not include #home"),
        ("description regex matches /waiting|waits/i", "description regex matches /waiting|waits/i"),
        ("path regex does not match /^a\\/b/", "path regex does not match /^a\\/b/"),
        ("exclude sub-items", "exclude sub-items"),
        ("is not blocked", "is not blocked"),
        ("has depends on", "has depends on"),
        ("(done) AND (due today)", "(done) AND (due today)"),
        ("(done) OR (due today) AND (no id)", "(done) OR ((due today) AND (no id))"),
        ("NOT (done) XOR [due today]", "NOT ((done)) XOR [due today]"),
        ("[done] AND NOT [description includes (x)]", "(done) AND (NOT (description includes (x)))"),
        ("{done} OR {done}", "(done) OR (done)"),
        ("\"done\" AND \"is recurring\"", "(done) AND (is recurring)"),
        ("((done) OR (no tags)) AND (has id)", "((done) OR (no tags)) AND (has id)"),
        ("(description includes (x)) AND (done)", "(description includes (x)) AND (done)"),
        ("(done)", "done"),
        ("sort by due reverse", "sort by due reverse"),
        ("sort by tag 2", "sort by tag 2"),
        ("sort by tag reverse 3", "sort by tag reverse 3"),
        ("group by tags", "group by tags"),
        ("group by status.type reverse", "group by status.type reverse"),
        ("limit to 5 tasks", "limit 5"),
        ("limit groups to 2", "limit groups 2"),
        ("hide due date\nshow urgency\nhide backlinks", "hide due date\nshow urgency\nhide backlink"),
        ("short mode\nexplain\nignore global query", "short mode\nexplain\nignore global query"),
        ("# a comment\n\n  not done  ", "not done"),
        ("(done) \\\n   OR \\\n (due today)", "(done) OR (due today)"),
        ("description includes a\\\\", "description includes a\\\\"),
        ("not done {{! a comment }}", "not done"),
        ("preset hide_non_date_fields", "hide id\nhide depends on\nhide priority\nhide recurrence rule\nhide on completion"),
    ] {
        if text.contains("XOR [") {
            assert!(read(text).is_err(), "brackets are not mixed");
            continue;
        }
        assert_eq!(printed(text), expected, "{text}");
    }
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, place, says) in [
        ("not done\nfoo bar", "line 2, column 1", "is no instruction"),
        ("  due before someday", "line 1, column 3", "is no date"),
        ("(done) AND (foo)", "line 1, column 13", "is no filter"),
        ("(done", "line 1, column 6", "not closed"),
        ("(done) AND", "line 1, column", "in brackets"),
        ("sort by magic", "line 1, column 9", "cannot sort by"),
        ("group by description", "line 1, column 10", "cannot group by"),
        ("filter by function task.isDone", "line 1, column 1", "JavaScript"),
        ("sort by function task.due", "line 1, column 9", "JavaScript"),
        ("group by function task.due", "line 1, column 10", "JavaScript"),
        ("preset this_folder_only", "line 1, column 1", "in a preset"),
        ("hide everything", "line 1, column 6", "there are tree"),
        ("limit many", "line 1, column 7", "limit 10"),
        ("priority is urgent", "line 1, column 1", "priority is high"),
        ("status.type is OPEN", "line 1, column 1", "there are IN_PROGRESS"),
        ("path regex matches a", "line 1, column 1", "between slashes"),
        ("path regex matches /(/", "line 1, column 1", "cannot be read"),
        ("path has x", "line 1, column 1", "path includes"),
        ("path includes {{query.file.path}}", "line 1, column 15", "needs the note"),
        ("path includes {{query.path}}", "line 1, column 15", "no placeholder"),
        ("preset nothing", "line 1, column 8", "there is no preset"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.starts_with(place), "{text}: {error}");
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn a_query_knows_the_note_it_stands_in() {
    let mut settings = Settings { global_query: "not done".into(), ..Settings::default() };
    settings.presets.insert("loop".into(), "preset loop".into());
    settings.presets.insert("home".into(), "tags include #home".into());
    let properties: Map<String, Value> = match json!({"who": "Ann", "TQ_show_due_date": false, "TQ_short_mode": true, "TQ_extra_instructions": "limit 3"})
    {
        Value::Object(properties) => properties,
        _ => unreachable!(),
    };
    let file = QueryFile { path: "a/b/Note.md", properties: Some(&properties) };
    let context = QueryContext { settings: &settings, today: date(2024, 5, 15), file: Some(file) };
    let whole = |text: &str| Query::read_whole(text, &context).map(|query| query.to_string());
    assert_eq!(
        whole("path includes {{query.file.path}}").unwrap(),
        "not done\npath includes a/b/Note.md\nlimit 3\nhide due date\nshort mode"
    );
    assert_eq!(
        whole("ignore global query\nfolder includes {{query.file.folder}}\nroot includes {{query.file.root}}\ndescription includes {{query.file.property('who')}} {{query.file.filenameWithoutExtension}}\nfull mode").unwrap(),
        "folder includes a/b/\nroot includes a/\ndescription includes Ann Note\nlimit 3\nhide due date\nfull mode\nignore global query"
    );
    assert_eq!(whole("({{preset.home}}) OR (done)").unwrap().lines().nth(1), Some("(tags include #home) OR (done)"));
    let empty = json!({"TQ_explain": null, "TQ_short_mode": null, "TQ_show_due_date": null, "TQ_extra_instructions": null});
    let file = QueryFile { path: "a.md", properties: empty.as_object() };
    assert_eq!(Query::read_whole("done", &QueryContext { file: Some(file), ..context }).unwrap().to_string(), "not done\ndone");
    assert!(whole("preset loop").unwrap_err().to_string().contains("contain one another"));
    let broken = Settings { global_query: "foo".into(), ..Settings::default() };
    let context = QueryContext { settings: &broken, ..context };
    assert!(Query::read_whole("done", &context).unwrap_err().to_string().contains("global query"));
}

fn line() -> impl Strategy<Value = String> {
    let filter = prop_oneof![
        Just("done"),
        Just("not done"),
        Just("due before tomorrow"),
        Just("starts in or after 2024-Q1"),
        Just("no scheduled date"),
        Just("priority is below none"),
        Just("description includes x (y) z"),
        Just("tags do not include #a/b"),
        Just("heading regex matches /^a (b|c)$/i"),
        Just("status.type is DONE"),
        Just("is blocking"),
    ]
    .prop_map(str::to_owned);
    let combined = filter.clone().prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| format!("NOT ({one})")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("({one}) AND ({other})")),
            (inner.clone(), inner).prop_map(|(one, other)| format!("({one}) XOR NOT ({other})")),
        ]
    });
    let other = prop_oneof![
        Just("sort by urgency reverse"),
        Just("sort by tag 3"),
        Just("group by happens"),
        Just("limit 7"),
        Just("limit groups 2"),
        Just("hide tags"),
        Just("show tree"),
        Just("short mode"),
    ]
    .prop_map(str::to_owned);
    prop_oneof![filter, combined, other]
}

proptest! {
    #[test]
    fn what_is_printed_is_read_as_the_same_query(lines in proptest::collection::vec(line(), 0..6)) {
        if let Ok(query) = read(&lines.join("\n")) {
            let printed = query.to_string();
            let again = read(&printed).map_err(|error| TestCaseError::fail(format!("{printed}\n{error}")))?;
            prop_assert_eq!(again.to_string(), printed);
            prop_assert_eq!(again, query);
        }
    }

    #[test]
    fn no_query_panics(text in "[a-z(){}\\[\\]\"#/{} \\\\\nANDORXT0-9.-]{0,80}") {
        let _ = read(&text);
    }

    #[test]
    fn no_filter_panics(start in prop_oneof![Just("due "), Just("path regex matches /"), Just("sort by "), Just("hide "), Just("NOT ("), Just("limit ")], rest in "\\PC{0,30}") {
        let _ = read(&format!("{start}{rest}"));
    }
}
