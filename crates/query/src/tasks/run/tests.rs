use jiff::civil::date;
use quillgate_index::Card;

use super::*;
use crate::tasks::{QueryContext, TaskFormat, render_markdown};

const NOTES: [(&str, &str); 3] = [
    (
        "Home.md",
        "- [ ] paint #home/garden 📅 2024-05-20\n- [x] sweep ✅ 2024-05-01\n    - [ ] below ⏫ 🆔 abc\n> - [/] quoted ⛔ abc 🛫 2024-05-16\n",
    ),
    (
        "Work/2024-05-10.md",
        "# Plans\n- [ ] undated\n## Later\n- [-] never ❌ 2024-05-02\n- [ ] odd 📅 2024-02-30\n- [ ] again 🔁 every week on Friday 📅 2024-05-17 #b #a\n```\n- [ ] no task\n```\n",
    ),
    ("Work/Sub/Ten 10.md", "- [ ] ten 🔽 ⏳ 2024-05-15\n- [!] unknown\n- a list item\n"),
];

fn with_answer(settings: &Settings, text: &str, look: impl FnOnce(&Query, Result<TaskAnswer<'_>, Fault>)) {
    let today = date(2024, 5, 15);
    let query =
        Query::read(text, &QueryContext { settings, today, file: None }).unwrap_or_else(|error| panic!("{text}: {error}"));
    let tasks: Vec<NoteTasks> =
        NOTES.iter().map(|(path, text)| NoteTasks::of(path, &Card::of(text), TaskFormat::Emoji).unwrap()).collect();
    let notes: Vec<&NoteTasks> = tasks.iter().collect();
    let budget = Budget::new(Budget::STEPS, None);
    look(&query, run(&query, &notes, settings, today, &budget));
}

fn found_with(settings: &Settings, text: &str) -> String {
    let mut found = String::new();
    with_answer(settings, text, |_, answer| {
        let answer = answer.unwrap();
        let first = |row: &Row<'_>| row.item.task.description.split(' ').next().unwrap_or_default().to_owned();
        found = answer.rows.iter().map(first).collect::<Vec<_>>().join(" ");
    });
    found
}

fn found(text: &str) -> String {
    found_with(&Settings::default(), text)
}

#[test]
fn every_filter_finds_what_it_says() {
    let order = "\nsort by description";
    for (filter, expected) in [
        ("", "again below never odd paint quoted sweep ten undated unknown"),
        ("done", "never sweep"),
        ("not done", "again below odd paint quoted ten undated unknown"),
        ("status.type is in_progress", "quoted"),
        ("status.type is not todo", "never quoted sweep"),
        ("status.name includes unkn", "unknown"),
        ("due on 2024-05-20", "paint"),
        ("due before 2024-05-18", "again"),
        ("due on or before 2024-05-20", "again paint"),
        ("due after 2024-05-17", "paint"),
        ("due on or after 2024-05-17", "again paint"),
        ("due this week", "again"),
        ("has due date", "again odd paint"),
        ("no due date\nnot done", "below quoted ten undated unknown"),
        ("due date is invalid", "odd"),
        ("done after 2024-04-01", "sweep"),
        ("cancelled 2024-05-02", "never"),
        ("scheduled today", "ten"),
        ("starts after today\nhas start date", "quoted"),
        ("starts before today", "again below never odd paint sweep ten undated unknown"),
        ("happens in 2024-05-16 2024-05-17", "again quoted"),
        ("no happens date\nnot done", "below undated unknown"),
        ("priority is high", "below"),
        ("priority is below none", "ten"),
        ("priority is above none", "below"),
        ("priority is not none", "below ten"),
        ("is recurring", "again"),
        ("recurrence includes FRIDAY", "again"),
        ("is blocked", "quoted"),
        ("is blocking", "below"),
        ("is not blocked\nhas depends on", ""),
        ("has id", "below"),
        ("id includes ab", "below"),
        ("has tags", "again paint"),
        ("tags include home", "paint"),
        ("tags include #garden", ""),
        ("tags do not include #b\nhas tags", "paint"),
        ("tag regex matches /#a$/", "again"),
        ("path includes work/", "again never odd ten undated unknown"),
        ("path regex matches /^Work\\/2024/", "again never odd undated"),
        ("root includes work/", "again never odd ten undated unknown"),
        ("folder includes sub/", "ten unknown"),
        ("folder includes /\nroot does not include work", "below paint quoted sweep"),
        ("filename includes ten", "ten unknown"),
        ("heading includes later", "again never odd"),
        ("heading does not include la\nfolder includes work\nfilename includes 2024", ""),
        ("description includes UN", "undated unknown"),
        ("description regex matches /^u.*n$/", "unknown"),
        ("description regex does not match /^[a-t]/", "undated unknown"),
        ("exclude sub-items\nnot done", "again odd paint quoted ten undated unknown"),
        ("(done) OR (is recurring)", "again never sweep"),
        ("(done) AND NOT (has done date)", "never"),
        ("(has due date) XOR (has tags)", "odd"),
        ("{not done} AND {NOT {has due date}}", "below quoted ten undated unknown"),
    ] {
        assert_eq!(found(&format!("{filter}{order}")), expected, "{filter}");
    }
}

#[test]
fn tasks_are_sorted() {
    for (query, expected) in [
        ("not done\nlimit 3", "quoted again paint"),
        ("has due date\nsort by due", "odd again paint"),
        ("has due date\nsort by due reverse", "paint again odd"),
        ("sort by priority\nlimit 2", "below quoted"),
        ("not done\nsort by status.name\nsort by description reverse\nlimit 3", "quoted undated ten"),
        ("has tags\nsort by tag 2", "again paint"),
        ("has tags\nsort by tag reverse", "paint again"),
        ("not done\nsort by filename\nsort by description\nlimit 4", "again odd undated below"),
        ("not done\nsort by heading\nsort by description\nlimit 2", "below paint"),
        ("sort by recurring\nlimit 1", "again"),
        ("sort by status\nsort by happens\nlimit 3", "ten again paint"),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
    let random = found("sort by random");
    assert_eq!(random, found("sort by random"), "the same on the same day");
    assert_ne!(random, found("sort by description"));
}

fn groups(query: &str) -> Vec<(String, usize)> {
    let mut groups = Vec::new();
    with_answer(&Settings::default(), query, |_, answer| {
        groups = answer.unwrap().groups.iter().map(|group| (group.key(), group.rows.len())).collect();
    });
    groups
}

#[test]
fn tasks_are_grouped() {
    let names =
        |query: &str| groups(query).into_iter().map(|(name, count)| format!("{name}: {count}")).collect::<Vec<_>>().join("; ");
    assert_eq!(names("group by status"), "Done: 4; Todo: 6", "whatever stands in the box is done here");
    assert_eq!(names("group by status.type"), "IN_PROGRESS: 1; TODO: 7; DONE: 1; CANCELLED: 1");
    assert_eq!(names("group by priority"), "High priority: 1; Normal priority: 8; Low priority: 1");
    assert_eq!(names("has due date\ngroup by due"), "Invalid due date: 1; 2024-05-17 Friday: 1; 2024-05-20 Monday: 1");
    assert_eq!(names("has tags\ngroup by tags"), "#a: 1; #b: 1; #home/garden: 1");
    assert_eq!(
        names("group by root\ngroup by recurring reverse"),
        "/ / Not Recurring: 4; Work/ / Recurring: 1; Work/ / Not Recurring: 5"
    );
    assert_eq!(names("group by heading\nlimit groups 2"), "(No heading): 2; Later: 2; Plans: 1");
    assert_eq!(names("group by filename reverse"), "[[Ten 10]]: 2; [[Home]]: 4; [[2024-05-10]]: 4");
    assert_eq!(names("has due date\ngroup by urgency"), "9.84: 1; 8.46: 1; 1.95: 1");
    assert_eq!(names("not done"), ": 8");
    assert_eq!(names("not done\nlimit groups 2"), ": 8", "the limit of groups needs groups");
    assert_eq!(names("due 1999"), "");
}

#[test]
fn the_global_filter_says_what_a_task_is() {
    let settings = Settings { global_filter: "#home/garden".into(), ..Settings::default() };
    assert_eq!(found_with(&settings, "no tags"), "paint");
    assert_eq!(found_with(&settings, "description includes garden"), "");
    let settings = Settings { global_filter: "⛔".into(), ..Settings::default() };
    assert_eq!(found_with(&settings, ""), "quoted");
    assert_eq!(found_with(&settings, "is blocked"), "", "what it waits for is no task");
}

#[test]
fn a_name_schedules_tasks_without_dates() {
    let settings = Settings { filename_as_scheduled_date: true, ..Settings::default() };
    assert_eq!(found_with(&settings, "scheduled 2024-05-10\nnot done"), "undated");
}

#[test]
fn answers_are_shown_as_in_the_app() {
    with_answer(
        &Settings::default(),
        "not done\nhas due date\ngroup by folder\nhide recurrence rule\nshow urgency",
        |query, answer| {
            let text = render_markdown(query, &answer.unwrap(), &Settings::default(), Day::of(date(2024, 5, 15)));
            assert_eq!(
                text,
                "#### /\n\n- [ ] paint #home/garden 📅 2024-05-20 (8.46) ([[Home|Home]])\n\n\
             #### Work/\n\n- [ ] again #b #a 📅 2024-05-17 (9.84) ([[Work/2024-05-10#Later|2024-05-10 > Later]])\n\
             - [ ] odd 📅 2024-02-30 (1.95) ([[Work/2024-05-10#Later|2024-05-10 > Later]])\n\n3 tasks\n"
            );
        },
    );
    with_answer(&Settings::default(), "is recurring\nshort mode\nhide backlink\nhide tags\nlimit 1", |query, answer| {
        let text = render_markdown(query, &answer.unwrap(), &Settings::default(), Day::of(date(2024, 5, 15)));
        assert_eq!(text, "- [ ] again 🔁 📅\n\n1 task\n");
    });
    let short = "has due date\ngroup by root\nlimit groups 1\nshort mode\nhide backlink\nhide tags";
    with_answer(&Settings::default(), short, |query, answer| {
        let text = render_markdown(query, &answer.unwrap(), &Settings::default(), Day::of(date(2024, 5, 15)));
        assert_eq!(text, "#### /\n\n- [ ] paint 📅\n\n#### Work/\n\n- [ ] again 🔁 📅\n\n2 of 3 tasks\n");
    });
}

#[test]
fn a_query_ends_with_its_budget() {
    let settings = Settings::default();
    let today = date(2024, 5, 15);
    let query = Query::read("not done", &QueryContext { settings: &settings, today, file: None }).unwrap();
    let tasks = NoteTasks::of("a.md", &Card::of(NOTES[0].1), TaskFormat::Emoji).unwrap();
    assert!(run(&query, &[&tasks], &settings, today, &Budget::new(3, None)).is_err());
}
