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
fn fields_are_found_outside_code_and_lists() {
    let text = "A:: 1\n\n- B:: no\n- x [C:: 2]\n\n`D:: no`\n\nuse `std::fs` here\n\n> E:: 3\n";
    let note = Note::parse(text);
    let found: Vec<(&str, &str, usize)> =
        note.fields.iter().map(|field| (field.key.as_str(), field.value.as_str(), field.line)).collect();
    assert_eq!(found, [("A", "1", 1), ("C", "2", 4), ("E", "3", 10)]);
}
