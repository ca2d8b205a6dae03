use proptest::prelude::*;

use super::*;
use crate::tasks::{DateField, Day, Priority};

fn read(line: &str) -> TaskLine {
    TaskLine::read(line, TaskFormat::Emoji).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn tags_between_fields_are_put_back() {
    let line = read("- [ ] Do stuff ⏫ #tag1 ✅ 2022-08-12 #tag2/sub-tag");
    assert_eq!(&*line.task.description, "Do stuff #tag1 #tag2/sub-tag");
    assert_eq!(line.task.priority, Priority::High);
    assert_eq!(line.task.date(DateField::Done), Day::read("2022-08-12"));
    assert_eq!(line.task.tags().collect::<Vec<_>>(), ["#tag1", "#tag2/sub-tag"]);
}

#[test]
fn a_field_with_text_behind_it_is_no_field() {
    let line = read("- [ ] Pay 📅 2024-01-05 rent");
    assert_eq!(&*line.task.description, "Pay 📅 2024-01-05 rent");
    assert_eq!(line.task.date(DateField::Due), None);
}

#[test]
fn everything_that_can_stand_in_a_line_is_read() {
    let line = read(
        "> 1) [/] A 🆔 abc ⛔️ x1 , y2 🔺️ 🔁 every Sunday 🏁 delete ➕2024-01-01 🛫 2024-01-02 ⌛ 2024-01-03 📆 2024-02-30 ❌ 2024-01-05 ^b-1",
    );
    assert_eq!((&*line.indentation, &*line.marker, line.status), ("> ", "1) ", '/'));
    let task = &line.task;
    assert_eq!(&*task.description, "A");
    assert_eq!(task.id.as_deref(), Some("abc"));
    assert_eq!(task.depends_on.iter().map(|id| &**id).collect::<Vec<_>>(), ["x1", "y2"]);
    assert_eq!(task.priority, Priority::Highest);
    assert_eq!(task.rule().unwrap().to_text(), "every week on Sunday");
    assert!(task.is_deleted_when_done());
    assert_eq!(task.date(DateField::Due).map(Day::is_valid), Some(false), "an impossible date is kept");
    assert_eq!(task.block_id.as_deref(), Some("b-1"));
    assert_eq!(
        line.write(TaskFormat::Emoji),
        "> 1) [/] A 🆔 abc ⛔ x1,y2 🔺 🔁 every week on Sunday 🏁 delete ➕ 2024-01-01 🛫 2024-01-02 ⏳ 2024-01-03 📅 2024-02-30 ❌ 2024-01-05 ^b-1"
    );
}

#[test]
fn fields_in_brackets_are_read_and_written() {
    let text = "- [ ] A #x  [id:: a]  [dependsOn:: b,c]  [priority:: low]  [repeat:: every day]  [onCompletion:: keep]  [created:: 2024-01-01]  [due:: 2024-01-05]  [completion:: 2024-01-06]";
    let line = TaskLine::read(text, TaskFormat::Dataview).unwrap();
    assert_eq!(line.write(TaskFormat::Dataview), text);
    assert_eq!(&*line.task.description, "A #x");
    let other = TaskLine::read("- [ ] A (due:: 2024-01-05), #y [ start::2024-01-02 ]", TaskFormat::Dataview).unwrap();
    assert_eq!(&*other.task.description, "A #y");
    assert_eq!(other.task.date(DateField::Due), Day::read("2024-01-05"));
    assert_eq!(other.task.date(DateField::Start), Day::read("2024-01-02"));
    let mismatched = TaskLine::read("- [ ] A [due:: 2024-01-05)", TaskFormat::Dataview).unwrap();
    assert_eq!(mismatched.task.date(DateField::Due), None);
}

#[test]
fn what_is_no_task_is_none() {
    for line in ["- [] A", "- A", "[ ] A", "-[ ] A", "text", "", "- [xx] A", "1 [ ] A"] {
        assert_eq!(TaskLine::read(line, TaskFormat::Emoji), None, "{line}");
    }
    assert_eq!(read("* [x] A 📆 2024-01-05").status, 'x');
    assert_eq!(read("+ [ ]").task.description.len(), 0);
    assert_eq!(read("- [ ] #a #b 📅 2024-01-05").write(TaskFormat::Emoji), "- [ ] #a #b 📅 2024-01-05");
}

#[test]
fn a_rule_that_nobody_understands_is_kept() {
    let text = "- [ ] A 🔁 when the moon is full 📅 2024-01-05";
    assert_eq!(read(text).write(TaskFormat::Emoji), text);
}

#[test]
fn the_outermost_level_may_be_quoted() {
    for (indentation, outermost) in [("", true), ("  ", false), ("> ", true), (">", true), (">   ", false), ("> > ", true)] {
        assert_eq!(is_outermost(indentation), outermost, "{indentation:?}");
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("📅 2024-01-05".to_owned()),
        Just("⏳ 2024-02-30".to_owned()),
        Just("✅2024-01-05".to_owned()),
        Just("🔁 every 2 weeks on Friday when done".to_owned()),
        Just("🔁 every month in January".to_owned()),
        Just("🔁 nonsense".to_owned()),
        Just("🔼\u{FE0F}".to_owned()),
        Just("🆔 a-1".to_owned()),
        Just("⛔ a, b".to_owned()),
        Just("🏁 delete".to_owned()),
        Just("#tag/x".to_owned()),
        Just("[due:: 2024-01-05]".to_owned()),
        Just("(repeat:: every day)".to_owned()),
        Just("[priority:: high]".to_owned()),
        Just("^block".to_owned()),
        "[a-z#:\\[\\]() 📅🔁✅0-9-]{0,12}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same_task(text in pieces(), format in prop_oneof![Just(TaskFormat::Emoji), Just(TaskFormat::Dataview)]) {
        let line = format!("  - [ ] {text}");
        let first = TaskLine::read(&line, format).unwrap();
        let written = first.write(format);
        let second = TaskLine::read(&written, format).unwrap();
        prop_assert_eq!(second.write(format), written);
    }

    #[test]
    fn no_line_panics(line in "\\PC{0,60}") {
        for format in [TaskFormat::Emoji, TaskFormat::Dataview] {
            if let Some(task) = TaskLine::read(&line, format) {
                let written = task.write(format);
                prop_assert!(written.starts_with(&*task.indentation));
            }
        }
    }
}
