//! Many writers at once: every change counts.

use std::collections::BTreeSet;
use std::thread;

use quillgate_vault::{Expect, Folders, Vault, VaultError};

use crate::place::{Place, note};

const WRITERS: usize = 8;
const LINES: usize = 12;

fn append_lines(vault: &Vault, writer: usize) {
    for line in 0..LINES {
        let text = format!("{writer}-{line}\n");
        vault.update(&note("log.md"), |before| Ok::<_, VaultError>([&before.bytes[..], text.as_bytes()].concat())).unwrap();
    }
}

#[track_caller]
fn check_all_lines(place: &Place) {
    let text = String::from_utf8(place.bytes("log.md")).unwrap();
    let lines: BTreeSet<&str> = text.lines().collect();
    assert_eq!((text.lines().count(), lines.len()), (WRITERS * LINES, WRITERS * LINES));
}

#[test]
fn threads_lose_no_line() {
    let place = Place::new();
    place.put("log.md", "");
    let vault = &place.vault;
    thread::scope(|scope| {
        (0..WRITERS).for_each(|writer| drop(scope.spawn(move || append_lines(vault, writer))));
    });
    check_all_lines(&place);
}

#[test]
fn handles_of_several_processes_lose_no_line() {
    let place = Place::new();
    place.put("log.md", "");
    let handles: Vec<Vault> = (0..WRITERS).map(|_| place.second_handle()).collect();
    thread::scope(|scope| {
        for (writer, vault) in handles.iter().enumerate() {
            scope.spawn(move || append_lines(vault, writer));
        }
    });
    check_all_lines(&place);
}

#[test]
fn only_one_creates_a_file_that_must_be_absent() {
    let place = Place::new();
    let create =
        |writer: usize| place.vault.write(&note("a/new.md"), writer.to_string().into(), Expect::Absent, Folders::Create).is_ok();
    let created = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || create(writer))).collect();
        writers.into_iter().filter_map(|writer| writer.join().unwrap().then_some(())).count()
    });
    assert_eq!(created, 1);
}

#[test]
fn changes_of_two_files_in_either_order_do_not_deadlock_or_mix() {
    let place = Place::new();
    let write_both = |writer: usize| {
        let (first, second) = if writer.is_multiple_of(2) { ("a.md", "b.md") } else { ("b.md", "a.md") };
        let text = || writer.to_string().into_bytes();
        let transaction = place.vault.transaction(Folders::Create).write(note(first), text(), Expect::Anything);
        transaction.write(note(second), text(), Expect::Anything).commit().unwrap();
    };
    let write_both = &write_both;
    thread::scope(|scope| {
        (0..WRITERS).for_each(|writer| drop(scope.spawn(move || (0..LINES).for_each(|_| write_both(writer)))));
    });
    assert_eq!(place.bytes("a.md"), place.bytes("b.md"));
}
