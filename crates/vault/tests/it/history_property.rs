//! Random changes by several callers, some of them undone in any order: the vault is what a model says, which keeps all
//! texts whole and merges by looking at every line.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use quillgate_vault::{ChangeId, Expect, Folders, OnConflict, TrashOption, Undo};

use crate::history::{Past, author};
use crate::place::note;

type Lines = Vec<u32>;
type Files = BTreeMap<&'static str, Lines>;

const PATHS: [&str; 5] = ["a.md", "b.md", "f/c.md", "f/d.md", "g/h/e.md"];
const CALLERS: [&str; 3] = ["ann", "bob", "eve"];

/// Places are given as any number and taken to fit what is there.
#[derive(Clone, Debug)]
enum Deed {
    Create {
        path: usize,
        lines: usize,
    },
    Edit {
        path: usize,
        edit: Edit,
    },
    Move {
        from: usize,
        to: usize,
    },
    /// As a note is moved that links to itself.
    MoveEdited {
        from: usize,
        to: usize,
        edit: Edit,
    },
    Delete {
        path: usize,
    },
    /// Several of these at once.
    Several(Vec<Deed>),
    /// By another program, which tells nobody.
    Outside {
        path: usize,
        edit: Edit,
    },
    /// Of some of the changes so far.
    Undo(Vec<usize>),
}

#[derive(Clone, Debug)]
enum Edit {
    Insert(usize),
    Append,
    Replace(usize),
    Delete(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        any::<usize>().prop_map(Edit::Insert),
        Just(Edit::Append),
        any::<usize>().prop_map(Edit::Replace),
        any::<usize>().prop_map(Edit::Delete),
    ]
}

fn simple() -> impl Strategy<Value = Deed> {
    let path = || 0..PATHS.len();
    prop_oneof![
        2 => (path(), 0..12_usize).prop_map(|(path, lines)| Deed::Create { path, lines }),
        6 => (path(), edit()).prop_map(|(path, edit)| Deed::Edit { path, edit }),
        2 => (path(), path()).prop_map(|(from, to)| Deed::Move { from, to }),
        1 => (path(), path(), edit()).prop_map(|(from, to, edit)| Deed::MoveEdited { from, to, edit }),
        1 => path().prop_map(|path| Deed::Delete { path }),
    ]
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => simple(),
        2 => prop::collection::vec(simple(), 2..5).prop_map(Deed::Several),
        1 => (0..PATHS.len(), edit()).prop_map(|(path, edit)| Deed::Outside { path, edit }),
        4 => prop::collection::vec(any::<usize>(), 1..5).prop_map(Deed::Undo),
    ]
}

/// One file of a change, with its whole text on both sides.
#[derive(Clone, Debug)]
struct Part {
    from: &'static str,
    to: &'static str,
    before: Option<Lines>,
    after: Option<Lines>,
}

#[derive(Clone, Debug)]
struct Change {
    id: ChangeId,
    parts: Vec<Part>,
    undoes: Vec<ChangeId>,
}

#[derive(Default)]
struct Model {
    files: Files,
    changes: Vec<Change>,
    next_line: u32,
}

impl Model {
    /// Every line is like no other, so that there is one way to compare two texts.
    fn fresh(&mut self) -> u32 {
        self.next_line += 1;
        self.next_line
    }

    fn edited(&mut self, lines: &Lines, edit: &Edit) -> Lines {
        let mut lines = lines.clone();
        let place = |at: &usize, room: usize| (room > 0).then(|| at % room);
        match edit {
            Edit::Append => lines.push(self.fresh()),
            Edit::Insert(at) => lines.insert(at % (lines.len() + 1), self.fresh()),
            Edit::Replace(at) => {
                if let Some(at) = place(at, lines.len()) {
                    lines[at] = self.fresh();
                }
            }
            Edit::Delete(at) => {
                if let Some(at) = place(at, lines.len()) {
                    lines.remove(at);
                }
            }
        }
        lines
    }

    /// What a deed would do, if it can be done.
    fn part(&mut self, deed: &Deed) -> Option<Part> {
        let text = |files: &Files, path: usize| files.get(PATHS[path]).cloned();
        let in_place = |path: usize, before, after| Part { from: PATHS[path], to: PATHS[path], before, after };
        match deed {
            Deed::Create { path, lines } if text(&self.files, *path).is_none() => {
                let lines = (0..*lines).map(|_| self.fresh()).collect();
                Some(in_place(*path, None, Some(lines)))
            }
            Deed::Edit { path, edit } => {
                let before = text(&self.files, *path)?;
                let after = self.edited(&before, edit);
                (before != after).then(|| in_place(*path, Some(before), Some(after)))
            }
            Deed::Move { from, to } if text(&self.files, *to).is_none() => {
                let moved = text(&self.files, *from)?;
                Some(Part { from: PATHS[*from], to: PATHS[*to], before: Some(moved.clone()), after: Some(moved) })
            }
            Deed::MoveEdited { from, to, edit } if text(&self.files, *to).is_none() => {
                let before = text(&self.files, *from)?;
                let after = self.edited(&before, edit);
                (before != after).then(|| Part { from: PATHS[*from], to: PATHS[*to], before: Some(before), after: Some(after) })
            }
            Deed::Delete { path } => Some(in_place(*path, Some(text(&self.files, *path)?), None)),
            _ => None,
        }
    }

    fn make(&mut self, parts: &[Part]) {
        for part in parts {
            self.files.remove(part.from);
        }
        for part in parts {
            self.files.extend(part.after.clone().map(|after| (part.to, after)));
        }
    }

    /// The parts of the chosen changes that other changes took back, and that were not brought back.
    fn undone(&self, chosen: &BTreeSet<ChangeId>) -> BTreeSet<(ChangeId, &'static str)> {
        let mut undone = BTreeSet::new();
        for undo in self.changes.iter().rev().filter(|change| !chosen.contains(&change.id)) {
            let paths = undo.parts.iter().flat_map(|part| [part.from, part.to]);
            let paths: Vec<&str> = paths.filter(|path| !undone.contains(&(undo.id, *path))).collect();
            undone.extend(undo.undoes.iter().flat_map(|id| paths.iter().map(|path| (*id, *path))));
        }
        undone
    }

    /// The vault without the chosen changes, or nothing if that is in dispute.
    fn without(&self, chosen: &BTreeSet<ChangeId>) -> Option<Files> {
        let undone = self.undone(chosen);
        let mut files = self.files.clone();
        for change in self.changes.iter().rev().filter(|change| chosen.contains(&change.id)) {
            for part in change.parts.iter().rev() {
                if [part.from, part.to].iter().any(|path| undone.contains(&(change.id, *path))) {
                    continue;
                }
                self.take_back(&mut files, change.id, part, chosen)?;
            }
        }
        Some(files)
    }

    fn take_back(&self, files: &mut Files, id: ChangeId, part: &Part, chosen: &BTreeSet<ChangeId>) -> Option<()> {
        if part.from != part.to {
            match (files.remove(part.to), files.contains_key(part.from)) {
                (Some(moved), false) => drop(files.insert(part.from, moved)),
                (None, true) => {}
                _ => return None,
            }
        }
        match (&part.before, &part.after, files.get(part.from)) {
            (None, Some(_), None) => return (!self.moved_since(id, part.from, chosen)).then_some(()),
            (None, Some(after), Some(now)) if now == after => drop(files.remove(part.from)),
            (Some(before), None, None) => drop(files.insert(part.from, before.clone())),
            (Some(before), None, Some(now)) if now == before => {}
            (Some(before), Some(after), _) if before == after => {}
            (Some(before), Some(after), Some(now)) => {
                let merged = if now == before { now.clone() } else { merge(after, now, before)? };
                files.insert(part.from, merged);
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether the first thing that happened to the file after the change, and stays, was that it was moved away.
    fn moved_since(&self, id: ChangeId, path: &str, chosen: &BTreeSet<ChangeId>) -> bool {
        let later = self.changes.iter().filter(|change| change.id > id && !chosen.contains(&change.id));
        let mut left = later.flat_map(|change| &change.parts).filter(|part| part.from == path);
        left.find(|part| part.to != part.from || part.after.is_none()).is_some_and(|part| part.to != part.from)
    }
}

/// Where a text has other lines than the base: from, to, and the lines instead.
fn pieces(base: &Lines, side: &Lines) -> Vec<(usize, usize, Lines)> {
    let (mut pieces, mut i, mut j) = (Vec::new(), 0, 0);
    while i < base.len() || j < side.len() {
        if i < base.len() && j < side.len() && base[i] == side[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (from, start) = (i, j);
        while i < base.len() && !side[j..].contains(&base[i]) {
            i += 1;
        }
        while j < side.len() && !base[i..].contains(&side[j]) {
            j += 1;
        }
        pieces.push((from, i, side[start..j].to_vec()));
    }
    pieces
}

fn merge(base: &Lines, ours: &Lines, theirs: &Lines) -> Option<Lines> {
    let (ours, theirs) = (pieces(base, ours), pieces(base, theirs));
    let mut all = ours.clone();
    for piece in theirs {
        let (from, to, _) = piece;
        let collides = |other: &&(usize, usize, Lines)| {
            let is_before = to <= other.0 || other.1 <= from;
            !is_before || (from == to && other.0 == other.1 && from == other.0)
        };
        match ours.iter().find(collides) {
            Some(other) if *other == piece => {}
            Some(_) => return None,
            None => all.push(piece),
        }
    }
    all.sort();
    let (mut merged, mut at) = (Lines::new(), 0);
    for (from, to, lines) in all {
        merged.extend(&base[at..from]);
        merged.extend(lines);
        at = to;
    }
    merged.extend(&base[at..]);
    Some(merged)
}

fn text(lines: &Lines) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("line {line}\n").into_bytes()).collect()
}

fn lines(text: &[u8]) -> Lines {
    let text = std::str::from_utf8(text).unwrap();
    text.lines().map(|line| line.strip_prefix("line ").unwrap().parse().unwrap()).collect()
}

fn on_disk(past: &Past) -> Files {
    let found = PATHS.into_iter().filter(|path| past.place.on_disk(path).exists());
    found.map(|path| (path, lines(&past.place.bytes(path)))).collect()
}

/// Does it in the vault and in the model.
fn make(past: &Past, model: &mut Model, caller: &str, parts: Vec<Part>) {
    let vault = past.vault.by(author(caller, &format!("session of {caller}"), "test", "call"));
    let mut change = vault.transaction(Folders::Create);
    for part in &parts {
        change = match (&part.before, &part.after) {
            (before, Some(after)) if part.from != part.to => {
                let is_edited = before.as_ref() != Some(after);
                let change = if is_edited { change.write(note(part.from), text(after), Expect::Anything) } else { change };
                change.rename(note(part.from), note(part.to))
            }
            (_, Some(after)) => change.write(note(part.to), text(after), Expect::Anything),
            (_, None) => change.remove(note(part.from), Expect::Anything, TrashOption::None),
        };
    }
    let id = change.commit().unwrap().change.unwrap();
    model.make(&parts);
    model.changes.push(Change { id, parts, undoes: Vec::new() });
}

fn undo(past: &Past, model: &mut Model, chosen: BTreeSet<ChangeId>) -> Result<(), TestCaseError> {
    let expected = model.without(&chosen);
    let plan = past.vault.plan_undo(&Undo::Changes(chosen.iter().copied().collect()), OnConflict::Refuse).unwrap();
    let shown = format!("{chosen:?}: {:?} {:?}", plan.files, plan.conflicts);
    let undone = plan.commit().unwrap();
    prop_assert_eq!(undone.is_ok(), expected.is_some(), "{}", shown);
    let (Ok(committed), Some(expected)) = (undone, expected) else { return Ok(()) };
    prop_assert_eq!(committed.change.is_some(), expected != model.files, "{}", shown);
    if let Some(id) = committed.change {
        let recorded = past.history().find(id).unwrap();
        let parts = recorded.files.iter().map(|file| {
            let find = |path: &str| *PATHS.iter().find(|known| **known == path).unwrap();
            let (from, to) = (find(file.path().as_str()), find(file.moved_to().unwrap_or(file.path()).as_str()));
            Part { from, to, before: model.files.get(from).cloned(), after: expected.get(to).cloned() }
        });
        let parts = parts.collect();
        model.changes.push(Change { id, parts, undoes: chosen.into_iter().collect() });
    }
    model.files = expected;
    Ok(())
}

/// Parts that have no path in common can be one change.
fn disjoint(model: &mut Model, deeds: &[Deed]) -> Vec<Part> {
    let (mut used, mut parts) = (BTreeSet::new(), Vec::new());
    for part in deeds.iter().filter_map(|deed| model.part(deed)).collect::<Vec<_>>() {
        if !used.contains(part.from) && !used.contains(part.to) {
            used.extend([part.from, part.to]);
            parts.push(part);
        }
    }
    parts
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_undone_in_any_order_leaves_what_a_model_says(
        deeds in prop::collection::vec((0..CALLERS.len(), deed()), 1..40)
    ) {
        let (past, mut model) = (Past::new(), Model::default());
        let start = model.files.clone();
        let mut is_alone = true;
        for (caller, deed) in deeds {
            match &deed {
                Deed::Outside { path, edit } => {
                    if let Some(Part { to, after: Some(after), .. }) = model.part(&Deed::Edit { path: *path, edit: edit.clone() }) {
                        past.place.put(to, text(&after));
                        model.files.insert(to, after);
                        is_alone = false;
                    }
                }
                Deed::Undo(which) if !model.changes.is_empty() => {
                    let chosen = which.iter().map(|at| model.changes[at % model.changes.len()].id).collect();
                    undo(&past, &mut model, chosen)?;
                }
                Deed::Undo(_) => {}
                Deed::Several(deeds) => {
                    let parts = disjoint(&mut model, deeds);
                    if !parts.is_empty() {
                        make(&past, &mut model, CALLERS[caller], parts);
                    }
                }
                deed => {
                    if let Some(part) = model.part(deed) {
                        make(&past, &mut model, CALLERS[caller], vec![part]);
                    }
                }
            }
            prop_assert_eq!(&on_disk(&past), &model.files, "after {:?}", deed);
        }
        // The last change can always be taken back, and taking it back too.
        if let Some(last) = model.changes.last().map(|change| change.id).filter(|_| is_alone) {
            let now = model.files.clone();
            undo(&past, &mut model, BTreeSet::from([last]))?;
            let undoing = model.changes.last().unwrap().clone();
            prop_assert!(undoing.undoes == [last]);
            undo(&past, &mut model, BTreeSet::from([undoing.id]))?;
            prop_assert_eq!(&on_disk(&past), &now);
            // And so can everything.
            let all = model.changes.iter().map(|change| change.id).collect();
            undo(&past, &mut model, all)?;
            prop_assert_eq!(&on_disk(&past), &start);
        }
        prop_assert_eq!(past.history().damage().unwrap(), []);
    }
}
