//! Tasks: queries are printed, read again and answered; lines are written as they are read.
#![no_main]

mod place;

use libfuzzer_sys::fuzz_target;
use place::{PLACE, budget, now, read_again};
use quillgate_query::tasks::{Day, EmojiTasks, Query, QueryContext, Recurrence, Settings, TaskFormat, TaskLine, render_markdown, run};

/// What fields begin with.
const SIGNS: [char; 18] =
    ['🔺', '⏫', '🔼', '🔽', '⏬', '➕', '🛫', '⏳', '⌛', '📅', '📆', '🗓', '❌', '✅', '🔁', '🏁', '🆔', '⛔'];

fuzz_target!(|text: &str| {
    let (settings, today) = (Settings::default(), now().date());
    for format in [TaskFormat::Emoji, TaskFormat::Dataview] {
        for line in text.lines() {
            let Some(task) = TaskLine::read(line, format) else { continue };
            // A sign that is part of a tag is one of a field as soon as the fields behind it are written elsewhere; the plugin has it so, too.
            if task.task.description.contains(SIGNS) {
                continue;
            }
            let written = task.write(format);
            let again = TaskLine::read(&written, format).unwrap_or_else(|| panic!("{written:?} is no task any more"));
            assert_eq!(again.write(format), written);
        }
    }
    if let Some(rule) = Recurrence::read(text) {
        let _ = rule.to_text();
    }
    let context = QueryContext { settings: &settings, today, file: None };
    let Ok(query) = Query::read(text, &context) else { return };
    let printed = query.to_string();
    if let Some(again) = read_again(&printed, Query::read(&printed, &context)) {
        assert_eq!(again.to_string(), printed);
    }
    let tasks = PLACE.index.per_note::<EmojiTasks>(&PLACE.index.catalogue());
    let notes: Vec<_> = tasks.iter().map(|(_, tasks)| &tasks.0).collect();
    if let Ok(answer) = run(&query, &notes, &settings, today, &budget()) {
        let _ = render_markdown(&query, &answer, &settings, Day::of(today));
    }
});
