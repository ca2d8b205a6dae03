//! How the history lies on the disk: small, trimmed, shared by processes, and readable where it is damaged.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use quillgate_vault::{
    ChangeId, ContentHash, Expect, Filter, Folders, HistorySettings, PastChange, Side, Trimmed, Vault, VaultError,
};

use crate::history::{DAY, Past};
use crate::place::note;

impl Past {
    fn segments(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.place.path().join("history")).unwrap().map(|entry| entry.unwrap().path());
        let mut segments: Vec<PathBuf> = all.filter(|path| path.extension().is_some_and(|end| end == "segment")).collect();
        segments.sort();
        segments
    }
}

fn list(vault: &Vault) -> Vec<PastChange> {
    vault.history().unwrap().list(&Filter::default(), None, 100_000).unwrap()
}

fn long_text(lines: usize) -> String {
    (0..lines).map(|line| format!("line {line}: {}\n", ContentHash::of(&line.to_le_bytes()))).collect()
}

#[test]
fn a_thousand_small_edits_of_a_note_take_little() {
    let past = Past::new();
    let mut text = long_text(150);
    assert!(text.len() > 10_000);
    past.write("note.md", &text);
    let vault = past.vault.by(crate::history::author("ann", "0123456789abcdef", "edit_note", "0123456789abcdef0123456789abcdef"));
    let mut ids = Vec::new();
    for number in 0..1000 {
        let line = (number * 37) % 150;
        let at = text.find(&format!("line {line}: ")).unwrap() + 10;
        text.replace_range(at..at + 12, &format!("edited {number:05}"));
        let change = vault.transaction(Folders::Create).write(note("note.md"), text.clone().into(), Expect::Anything);
        ids.push((change.commit().unwrap().change.unwrap(), ContentHash::of(text.as_bytes())));
    }
    let (_, bytes) = past.history().size().unwrap();
    println!("{bytes} bytes for 1000 edits of a note of {} bytes", text.len());
    assert!(bytes < 300_000, "{bytes}");
    for (id, hash) in ids {
        let image = past.history().image(id, &note("note.md"), Side::After).unwrap().unwrap();
        assert_eq!(ContentHash::of(&image), hash);
    }
}

#[test]
fn the_same_bytes_are_kept_once() {
    let past = Past::new();
    let noise: Vec<u8> = (0..3000u32).flat_map(|at| ContentHash::of(&at.to_le_bytes()).0).collect();
    for name in ["a.bin", "b.bin", "c.bin"] {
        past.vault.write(&note(name), noise.clone(), Expect::Anything, Folders::Create).unwrap();
    }
    past.remove("a.bin");
    let (_, bytes) = past.history().size().unwrap();
    assert!((noise.len() as u64..noise.len() as u64 + 1000).contains(&bytes), "{bytes}");
}

/// A history of a few changes, the bytes of its only segment, and where in it each change is.
fn told() -> (Past, PathBuf, Vec<u8>, Vec<(ChangeId, u64)>) {
    let past = Past::new();
    let mut ends = Vec::new();
    for number in 0..6 {
        let id = past.write("a.md", &format!("{}number {number}\n", long_text(3)));
        ends.push((id, fs::metadata(&past.segments()[0]).unwrap().len()));
    }
    let segment = past.segments()[0].clone();
    let bytes = fs::read(&segment).unwrap();
    (past, segment, bytes, ends)
}

/// Everything that the history says can be read, or is missing; nothing is wrong.
fn read_all(vault: &Vault) -> BTreeSet<ChangeId> {
    let history = vault.history().unwrap();
    let mut whole = BTreeSet::new();
    for change in list(vault) {
        let images = change.files.iter().flat_map(|file| [(file, Side::Before), (file, Side::After)]);
        let read = images.map(|(file, side)| match history.image(change.id, file.path(), side) {
            Ok(bytes) => {
                assert_eq!(bytes.map(|bytes| ContentHash::of(&bytes)), file.image(side).and_then(|image| image.hash));
                true
            }
            Err(VaultError::NotKept(_)) => false,
            Err(error) => panic!("{error}"),
        });
        // All of them are read, also after one that is missing.
        if read.filter(|is_there| !is_there).count() == 0 {
            whole.insert(change.id);
        }
        history.diff(change.id, 1000).unwrap();
        history.read_at(&note("a.md"), change.at()).map_or_else(|error| assert!(matches!(error, VaultError::NotKept(_))), drop);
    }
    whole
}

#[test]
fn a_segment_that_was_cut_keeps_what_came_before() {
    let (mut past, segment, bytes, ends) = told();
    for length in (0..bytes.len()).step_by(7) {
        past.restart(|_| fs::write(&segment, &bytes[..length]).unwrap());
        let vault = &past.vault;
        let damage = vault.history().unwrap().damage().unwrap();
        let before: BTreeSet<ChangeId> =
            ends.iter().filter(|(_, end)| *end <= length as u64).map(|(change, _)| *change).collect();
        assert!(read_all(vault).is_superset(&before), "cut at {length}");
        assert!(damage.len() <= 1, "{damage:?}");
        // New changes do not run into the old ones.
        vault.write(&note("b.md"), b"new".to_vec(), Expect::Anything, Folders::Create).unwrap();
        vault.remove(&note("b.md"), quillgate_vault::TrashOption::None).unwrap();
        assert!(read_all(vault).is_superset(&before), "cut at {length}");
        assert_eq!(list(vault)[0].files[0].path(), &note("b.md"));
        past.segments().iter().filter(|path| **path != segment).for_each(|path| fs::remove_file(path).unwrap());
    }
    let cut = ends[3].1 - 3;
    past.restart(|_| fs::write(&segment, &bytes[..usize::try_from(cut).unwrap()]).unwrap());
    assert_eq!(past.history().damage().unwrap().len(), 1);
}

#[test]
fn a_byte_that_was_changed_costs_what_needs_it() {
    let (mut past, segment, bytes, ends) = told();
    let all: BTreeSet<ChangeId> = ends.iter().map(|(change, _)| *change).collect();
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x20;
        past.restart(|_| fs::write(&segment, &damaged).unwrap());
        assert_eq!(past.history().damage().unwrap().len(), 1, "changed at {at}");
        let before: BTreeSet<ChangeId> = ends.iter().filter(|(_, end)| *end <= at as u64).map(|(change, _)| *change).collect();
        let whole = read_all(&past.vault);
        assert!(whole.is_superset(&before), "changed at {at}");
        assert!(whole.is_subset(&all));
    }
}

#[test]
fn a_segment_of_another_version_is_left_out() {
    let (past, segment, bytes, ends) = told();
    let other = segment.with_file_name("00000000000000000001.segment");
    fs::write(&other, [b"quillgate history 2\n", &bytes[20..]].concat()).unwrap();
    let strange = segment.with_file_name("00000000000000000002.segment");
    fs::write(&strange, "not ours").unwrap();
    assert_eq!(past.all().len(), ends.len());
    let damage = past.history().damage().unwrap();
    let what: Vec<&str> = damage.iter().map(|damage| damage.what).collect();
    assert_eq!(what, ["it is of another version", "it does not begin as one of ours"]);
    past.write("b.md", "new");
    assert_eq!((fs::read(&strange).unwrap(), fs::metadata(&other).unwrap().len()), (b"not ours".to_vec(), bytes.len() as u64));
}

#[test]
fn what_is_too_old_goes() {
    let settings = HistorySettings { max_age: Duration::from_secs(10 * 24 * 3600), ..HistorySettings::default() };
    let past = Past::with(settings);
    let first = past.write("a.md", "1");
    past.pass(5 * DAY);
    let second = past.write("a.md", "2");
    assert_eq!(past.segments().len(), 2);
    past.pass(5 * DAY);
    assert_eq!(past.history().trim().unwrap(), Trimmed::default());
    past.pass(DAY + 1);
    let trimmed = past.history().trim().unwrap();
    assert_eq!(trimmed.segments, 1);
    assert!(trimmed.bytes > 0);
    assert_eq!(past.all().iter().map(|change| change.id).collect::<Vec<_>>(), [second]);
    assert!(matches!(past.history().find(first), Err(VaultError::NoChange(_))));
    // Also the segment that this process wrote last.
    past.pass(20 * DAY);
    assert_eq!(past.history().trim().unwrap().segments, 1);
    assert_eq!(past.all(), []);
    past.write("a.md", "3");
    assert_eq!(past.all().len(), 1);
}

#[test]
fn what_is_too_much_goes_oldest_first() {
    let settings = HistorySettings { max_bytes: 200_000, ..HistorySettings::default() };
    let past = Past::with(settings);
    let noise = |seed: u32| (0..100u32).flat_map(|at| ContentHash::of(&(seed * 1000 + at).to_le_bytes()).0).collect::<Vec<u8>>();
    let mut made = Vec::new();
    for seed in 0..200 {
        past.pass(1000);
        let change = past.vault.transaction(Folders::Create).write(note("a.bin"), noise(seed), Expect::Anything);
        made.push(change.commit().unwrap().change.unwrap());
        let (_, bytes) = past.history().size().unwrap();
        assert!(bytes <= 200_000 + 5_000, "{bytes} after {seed}");
    }
    let kept: Vec<ChangeId> = past.all().into_iter().map(|change| change.id).rev().collect();
    assert!((30..100).contains(&kept.len()), "{}", kept.len());
    assert_eq!(kept, made[made.len() - kept.len()..]);
    // Every segment has all that its changes need.
    assert_eq!(read_all(&past.vault).len(), kept.len());
}

#[test]
fn a_day_is_a_segment_and_short_runs_share_one() {
    let past = Past::new();
    for number in 0..5 {
        past.open().write(&note("b.md"), vec![number], Expect::Anything, Folders::Create).unwrap();
    }
    past.write("a.md", "1");
    past.pass(DAY - 1000);
    past.write("a.md", "2");
    assert_eq!(past.segments().len(), 1);
    past.pass(1000);
    past.write("a.md", "3");
    assert_eq!(past.segments().len(), 2);
    // One that is being written is nobody else's.
    past.open().write(&note("b.md"), b"x".to_vec(), Expect::Anything, Folders::Create).unwrap();
    assert_eq!(past.segments().len(), 3);
    assert_eq!(past.all().len(), 9);
    let folder = past.place.path().join("history");
    drop(past.vault);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 3, "no lock is left");
}

#[test]
fn processes_write_at_once_and_read_each_other() {
    let past = Past::new();
    let (vaults, is_over) = ((0..3).map(|_| past.open()).collect::<Vec<Vault>>(), AtomicBool::new(false));
    let made: Vec<BTreeSet<ChangeId>> = thread::scope(|scope| {
        scope.spawn(|| {
            let reader = past.open();
            while !is_over.load(Ordering::Relaxed) {
                read_all(&reader);
                assert_eq!(reader.history().unwrap().damage().unwrap(), []);
            }
        });
        let writers: Vec<_> = (0..6)
            .map(|number| {
                let vault = vaults[number % 3].clone();
                let text = move |edit: usize| format!("{}{number} {edit}\n", long_text(edit % 7)).into_bytes();
                scope.spawn(move || {
                    let write = |edit| {
                        let path = note(&format!("{}.md", if edit % 4 == 0 { 0 } else { number }));
                        vault.transaction(Folders::Create).write(path, text(edit), Expect::Anything).commit().unwrap().change
                    };
                    (0..60).filter_map(write).collect::<BTreeSet<ChangeId>>()
                })
            })
            .collect();
        let made = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        made
    });
    let made: BTreeSet<ChangeId> = made.into_iter().flatten().collect();
    assert_eq!(made.len(), 360);
    let reader = past.open();
    assert_eq!(read_all(&reader), made);
    assert_eq!(list(&vaults[0]), list(&reader));
    // What each change found in the shared file is what the one before it left.
    let filter = Filter { path: Some(note("0.md")), ..Filter::default() };
    let chain = reader.history().unwrap().list(&filter, None, 1000).unwrap();
    for pair in chain.windows(2) {
        let hash = |change: &PastChange, side| change.files[0].image(side).map(|image| image.hash);
        assert_eq!(hash(&pair[0], Side::Before), hash(&pair[1], Side::After));
    }
}

#[test]
fn only_the_segments_of_the_time_in_question_are_read() {
    let past = Past::new();
    let mut made = Vec::new();
    for number in 0..20 {
        made.push(past.write("a.md", &number.to_string()));
        past.pass(2 * DAY);
    }
    // All but the last are of no use to anybody now; whoever reads them notices.
    for segment in &past.segments()[..15] {
        fs::write(segment, "damaged").unwrap();
    }
    let vault = past.open();
    let page = vault.history().unwrap().list(&Filter::default(), None, 5).unwrap();
    assert_eq!(page.iter().map(|change| change.id).collect::<Vec<_>>(), made[15..].iter().rev().copied().collect::<Vec<_>>());
    assert_eq!(list(&vault).len(), 5);
    assert_eq!(vault.history().unwrap().damage().unwrap().len(), 15);
}
