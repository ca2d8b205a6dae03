//! Lines that other tools give a meaning: tasks and inline fields in their surroundings.

use quillgate_markdown::Note;

#[test]
fn tasks_are_found_outside_code_and_comments() {
    let text = "- [ ] a\n  - [x] b\n> - [/] c\n\n```\n- [ ] no\n```\n\n%%\n- [ ] no\n%%\n";
    let note = Note::parse(text);
    let found: Vec<(char, &str, usize)> = note.tasks.iter().map(|task| (task.status, task.text.as_str(), task.line)).collect();
    assert_eq!(found, [(' ', "a", 1), ('x', "b", 2), ('/', "c", 3)]);
}

#[test]
fn fields_are_found_outside_code() {
    let text = "A:: 1\n\n- B:: 2\n- x [C:: 3]\n\n`D:: no`\n\nuse `std::fs` here\n\n> E:: 4\n";
    check_fields(text, &[("A", "1", 1), ("B", "2", 3), ("C", "3", 4), ("E", "4", 10)]);
}

#[test]
fn an_item_is_a_field_as_a_whole_unless_it_is_a_task_or_holds_one() {
    check_fields("- a:: 1\n  more\n  - b:: 2\n", &[("a", "1 more", 1), ("b", "2", 3)]);
    check_fields("- [ ] a:: no\n- c:: [d:: 1]\n- x `e:: no`\n- see\n  a:: no\n", &[("d", "1", 2), ("see a", "no", 4)]);
}

#[track_caller]
fn check_fields(text: &str, expected: &[(&str, &str, usize)]) {
    let note = Note::parse(text);
    let found: Vec<(&str, &str, usize)> =
        note.fields.iter().map(|field| (field.key.as_str(), field.value.as_str(), field.line)).collect();
    assert_eq!(found, expected);
}
