//! Random vaults under random rules: what is shown and told is what a vault would show in which the rest does not exist.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use proptest::sample::select;
use quillgate_vault::{EntryKind, Expect, FolderPath, Folders, Operation, RulesSource, TrashOption, Vault, VaultError};

use crate::access_naive::Caller;
use crate::place::{Place, folder, note};

const FOLDERS: &[&str] = &["a", "b", "Private", "a b", "Ü"];
const FILES: &[&str] = &["x.md", "y.md", "n.png", "Note", "é.md"];
const GLOBS: &[&str] = &[
    "**",
    "*",
    "a",
    "a/**",
    "a/b/**",
    "a/*",
    "*/b",
    "**/Private",
    "Private/*",
    "**/*.md",
    "*.md",
    "*/x.md",
    "**/b/**/y.md",
    "?/**",
    "a?b",
    "Ü/é.md",
    "b/Private/x.md",
    "**/Note",
    "*/*/*.png",
    "a/**/Private/*",
];
const SCOPES: &[&str] = &["one", "two"];

fn path() -> impl Strategy<Value = String> {
    let parents = prop::collection::vec(select(FOLDERS), 0..4);
    (parents, select(FILES)).prop_map(|(mut names, file)| {
        names.push(file);
        names.join("/")
    })
}

fn folder_path() -> impl Strategy<Value = String> {
    prop::collection::vec(select(FOLDERS), 1..4).prop_map(|names| names.join("/"))
}

fn list() -> impl Strategy<Value = Option<Vec<String>>> {
    prop::option::weighted(0.5, prop::collection::vec(select(GLOBS).prop_map(str::to_owned), 0..4))
}

fn scopes() -> impl Strategy<Value = Vec<String>> {
    prop::sample::subsequence(SCOPES, 0..=SCOPES.len()).prop_map(|scopes| scopes.into_iter().map(str::to_owned).collect())
}

fn caller() -> impl Strategy<Value = Caller> {
    let rules = prop::collection::vec((select(GLOBS).prop_map(str::to_owned), scopes()), 0..5);
    let no_default = prop_oneof![4 => Just(Vec::new()), 1 => scopes()];
    (list(), list(), list(), rules, no_default, scopes(), prop::bool::weighted(0.1)).prop_map(
        |(read_paths, write_paths, delete_paths, rules, default_scopes, held, strict_read_default)| {
            let lists = RulesSource { read_paths, write_paths, delete_paths, ..RulesSource::default() };
            Caller { source: RulesSource { rules, default_scopes, strict_read_default, ..lists }, held }
        },
    )
}

#[derive(Clone, Debug)]
struct Tree {
    files: BTreeSet<String>,
    empty: BTreeSet<String>,
}

fn tree() -> impl Strategy<Value = Tree> {
    let files = prop::collection::btree_set(path(), 0..14);
    (files, prop::collection::btree_set(folder_path(), 0..4)).prop_map(|(files, empty)| Tree { files, empty })
}

impl Tree {
    fn put(&self, place: &Place) {
        self.files.iter().for_each(|path| drop(place.put(path, path)));
        self.empty.iter().for_each(|path| fs::create_dir_all(place.on_disk(path)).unwrap());
    }

    fn folders(&self) -> BTreeSet<String> {
        let parents = self.files.iter().flat_map(|path| above(path));
        parents.chain(self.empty.iter().cloned()).chain(self.empty.iter().flat_map(|path| above(path))).collect()
    }

    /// The vault in which nothing exists that the caller may not read.
    fn without_denied(&self, caller: &Caller) -> Tree {
        let files = self.files.iter().filter(|path| caller.reads(path)).cloned().collect();
        Tree { files, empty: self.folders().into_iter().filter(|path| caller.reads(path)).collect() }
    }
}

fn above(path: &str) -> Vec<String> {
    path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect()
}

/// Everything that can be asked about a vault, as text.
fn answers(vault: &Vault, asked: &BTreeSet<String>) -> Vec<String> {
    let mut answers = Vec::new();
    let files = parking_lot::Mutex::new(BTreeSet::new());
    let report = vault.walk(&FolderPath::ROOT, |found| files.lock().insert(found.path.to_string())).unwrap();
    answers.push(format!("walk {:?} {:?} {:?}", files.into_inner(), report.folders, report.skipped));
    answers.push(format!("list / {:?}", listed(vault, &FolderPath::ROOT)));
    for path in asked {
        let path = note(path);
        let as_folder = FolderPath::from(path.clone());
        answers.push(format!("stat {path} {:?}", vault.stat(&path).map(|(kind, _)| kind)));
        answers.push(format!("read {path} {:?}", vault.read(&path).map(|contents| contents.bytes)));
        answers.push(format!("read_text {path} {:?}", vault.read_text(&path).map(|contents| contents.bytes)));
        answers.push(format!("list {path} {:?}", listed(vault, &as_folder)));
        let files = parking_lot::Mutex::new(BTreeSet::new());
        let report = vault.walk(&as_folder, |found| files.lock().insert(found.path.to_string()));
        answers.push(format!("walk {path} {:?} {:?}", report.map(|report| report.folders), files.into_inner()));
    }
    answers
}

fn listed(vault: &Vault, folder: &FolderPath) -> Result<Vec<(String, EntryKind)>, VaultError> {
    Ok(vault.list(folder)?.into_iter().map(|entry| (entry.name, entry.kind)).collect())
}

/// Changes with all that makes a difference to the rules.
#[derive(Clone, Debug)]
enum Act {
    Write(String, bool, bool),
    Update(String),
    Remove(String),
    Rename(String, String),
    Several(String, String, String, String),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (path(), any::<bool>(), any::<bool>()).prop_map(|(path, new, make)| Act::Write(path, new, make)),
        path().prop_map(Act::Update),
        path().prop_map(Act::Remove),
        (path(), path()).prop_map(|(from, to)| Act::Rename(from, to)),
        (path(), path(), path(), path()).prop_map(|(a, b, c, d)| Act::Several(a, b, c, d)),
    ]
}

impl Act {
    fn run(&self, vault: &Vault) -> String {
        let told = match self {
            Act::Write(path, new, make) => {
                let expect = if *new { Expect::Absent } else { Expect::Anything };
                let folders = if *make { Folders::Create } else { Folders::MustExist };
                vault.write(&note(path), b"new".to_vec(), expect, folders).map(|written| written.created.to_string())
            }
            Act::Update(path) => vault
                .update(&note(path), |contents| Ok::<_, VaultError>([&contents.bytes, &b" more"[..]].concat()))
                .map(|written| written.hash.to_string()),
            Act::Remove(path) => vault.remove(&note(path), TrashOption::None).map(|trashed| format!("{trashed:?}")),
            Act::Rename(from, to) => {
                let renamed = vault.transaction(Folders::Create).rename(note(from), note(to)).commit();
                renamed.map(|_| String::new())
            }
            Act::Several(written, removed, from, to) => {
                let change =
                    vault.transaction(Folders::Create).write(note(written), b"one of several".to_vec(), Expect::Anything);
                let change = change.remove(note(removed), Expect::Anything, TrashOption::None).rename(note(from), note(to));
                change.commit().map(|written| written.written.len().to_string())
            }
        };
        format!("{told:?}")
    }

    fn parts(&self) -> Vec<(&str, Operation)> {
        match self {
            Act::Write(path, ..) | Act::Update(path) => vec![(path, Operation::Write)],
            Act::Remove(path) => vec![(path, Operation::Delete)],
            Act::Rename(from, to) => vec![(from, Operation::Delete), (to, Operation::Write)],
            Act::Several(written, removed, from, to) => {
                vec![(written, Operation::Write), (removed, Operation::Delete), (from, Operation::Delete), (to, Operation::Write)]
            }
        }
    }
}

/// All files with their bytes, as the system sees them.
fn on_disk(place: &Place) -> Vec<(String, Vec<u8>)> {
    let unrestricted = place.walked();
    unrestricted.into_iter().map(|path| (path.clone(), place.bytes(&path))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn a_handle_shows_exactly_what_may_be_read(tree in tree(), caller in caller(), others in prop::collection::vec(path(), 5)) {
        let (place, copy) = (Place::in_memory(), Place::in_memory());
        let visible = tree.without_denied(&caller);
        tree.put(&place);
        visible.put(&copy);
        let vault = place.vault.with_access(caller.access());

        let found = parking_lot::Mutex::new(BTreeSet::new());
        let report = vault.walk(&FolderPath::ROOT, |file| found.lock().insert(file.path.to_string())).unwrap();
        prop_assert_eq!(found.into_inner(), visible.files.clone());
        let shown: Vec<FolderPath> = visible.folders().iter().map(|path| folder(path)).collect();
        let mut expected = shown;
        expected.sort();
        prop_assert_eq!(report.folders, expected);
        for path in &tree.files {
            prop_assert_eq!(vault.read(&note(path)).is_ok(), caller.reads(path), "{}", path);
            prop_assert_eq!(vault.stat(&note(path)).is_ok(), caller.reads(path), "{}", path);
        }

        // And every answer is that of a vault in which the rest does not exist, asked by somebody with the same rules.
        let asked: BTreeSet<String> = tree.files.iter().cloned().chain(tree.folders()).chain(others).collect();
        let copied = copy.vault.with_access(caller.access());
        prop_assert_eq!(answers(&vault, &asked), answers(&copied, &asked));
    }

    #[test]
    fn the_short_way_and_the_deciding_function_agree(caller in caller(), paths in prop::collection::vec(path(), 20)) {
        let place = Place::in_memory();
        let vault = place.vault.with_access(caller.access());
        for path in &paths {
            let expected = [caller.reads(path), caller.writes(path), caller.deletes(path), caller.reads(path)];
            for (operation, expected) in Operation::ALL.into_iter().zip(expected) {
                prop_assert_eq!(vault.permit(&note(path), operation).is_ok(), expected, "{} {}", operation, path);
                prop_assert_eq!(vault.access().decide(path, operation).allowed, expected, "{} {}", operation, path);
            }
        }
    }

    #[test]
    fn changes_go_as_in_a_vault_without_the_rest(tree in tree(), caller in caller(), acts in prop::collection::vec(act(), 8)) {
        let (place, copy) = (Place::in_memory(), Place::in_memory());
        tree.put(&place);
        tree.without_denied(&caller).put(&copy);
        let denied = |place: &Place| -> Vec<(String, Vec<u8>)> {
            on_disk(place).into_iter().filter(|(path, _)| !caller.reads(path)).collect()
        };
        let before = denied(&place);
        let (vault, copied) = (place.vault.with_access(caller.access()), copy.vault.with_access(caller.access()));
        for act in &acts {
            let told = act.run(&vault);
            prop_assert_eq!(&told, &act.run(&copied), "{:?}", act);
            let allowed = |(path, operation): (&str, Operation)| match operation {
                Operation::Delete => caller.deletes(path),
                _ => caller.writes(path),
            };
            prop_assert!(act.parts().into_iter().all(allowed) || told.contains("Forbidden"), "{:?}: {}", act, told);
            let visible: Vec<_> = on_disk(&place).into_iter().filter(|(path, _)| caller.reads(path)).collect();
            prop_assert_eq!(visible, on_disk(&copy), "{:?}", act);
        }
        prop_assert_eq!(denied(&place), before);
    }
}
