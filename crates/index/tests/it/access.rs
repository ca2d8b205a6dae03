//! An index over a restricted handle answers as one over a vault in which the rest does not exist.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index as Pick, select};
use quillgate_index::{
    Anywhere, Expression, Grep, Index, IndexSettings, Literal, Ranked, TagDepth, grep, search_anywhere, search_expression,
    search_literal, search_ranked,
};
use quillgate_vault::{Access, Expect, FolderPath, Folders, Limits, Operation, Rules, RulesSource, TrashOption, Vault};

use crate::place::{Place, note, within_a_second};
use crate::random_vault;

const GLOBS: &[&str] = &["a", "a/b", "a/*", "b/**", "**/A.md", "**/*.png", "*", "**/v1*", "Ü", "**/Note.md", "a/c d"];

fn access() -> impl Strategy<Value = Arc<Access>> {
    let globs = || prop::collection::vec(select(GLOBS).prop_map(str::to_owned), 1..4);
    let scopes = select(vec![vec![], vec!["held".to_owned()], vec!["missing".to_owned()]]);
    let rules = prop::collection::vec((select(GLOBS).prop_map(str::to_owned), scopes), 0..4);
    (prop::option::of(globs()), rules).prop_map(|(read_paths, rules)| {
        let source = RulesSource { read_paths, rules, ..RulesSource::default() };
        Arc::new(Access::of(Arc::new(Rules::compile(&source, false).unwrap()), |scope| scope == "held"))
    })
}

/// A vault, an index that sees it through a restricted handle, and the same of a vault without what that may not read.
struct Twins {
    place: Place,
    vault: Vault,
    access: Arc<Access>,
    restricted: Index,
    copy: Place,
    plain: Index,
}

impl Twins {
    fn new(files: &BTreeMap<String, String>, format: &str, access: Arc<Access>) -> Twins {
        let settings = (".obsidian/app.json".to_owned(), format!("{{\"newLinkFormat\": \"{format}\"}}"));
        let place = Place::new(&files.clone().into_iter().chain([settings.clone()]).collect::<Vec<_>>());
        let copy = Place::new(&[settings]);
        let vault = open(&place);
        mirror(&place, &copy, &access);
        let start = |vault: Vault| {
            let index = Index::start(Arc::new(vault), None, &IndexSettings::default());
            index.wait(|_| true);
            index
        };
        let restricted = start(vault.with_access(access.clone()));
        let plain = start(open(&copy));
        Twins { restricted, plain, place, vault, access, copy }
    }

    /// The answers of both, after the copy has followed.
    fn answers(&self) -> (String, String) {
        mirror(&self.place, &self.copy, &self.access);
        self.plain.check_everything();
        (answers(&self.restricted), answers(&self.plain))
    }
}

fn open(place: &Place) -> Vault {
    Vault::open(&place.on_disk(""), None, Limits::default()).unwrap()
}

fn files(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let found = parking_lot::Mutex::new(BTreeMap::new());
    let vault = open(place);
    let take = |path: &quillgate_vault::NotePath| found.lock().insert(path.to_string(), vault.read(path).unwrap().bytes);
    vault.walk(&FolderPath::ROOT, |file| take(&file.path).is_none()).unwrap();
    found.into_inner()
}

fn mirror(place: &Place, copy: &Place, access: &Access) {
    let mut wanted = files(place);
    wanted.retain(|path, _| access.decide(path, Operation::Read).allowed);
    let known = files(copy);
    known.keys().filter(|path| !wanted.contains_key(*path)).for_each(|path| fs::remove_file(copy.on_disk(path)).unwrap());
    for (path, bytes) in wanted {
        if known.get(&path) != Some(&bytes) {
            copy.put(&path, bytes);
        }
    }
}

/// Whatever an index can be asked, as text.
fn answers(index: &Index) -> String {
    let mut told = String::new();
    let mut tell = |what: &str, answer: &dyn std::fmt::Debug| writeln!(told, "{what}: {answer:?}").unwrap();
    {
        let catalogue = index.catalogue();
        let paths = |ids: Vec<quillgate_index::FileId>| -> Vec<String> {
            ids.into_iter().filter_map(|id| catalogue.entry(id)).map(|entry| entry.path.to_string()).collect()
        };
        tell("files", &catalogue.files().map(|entry| (entry.path.to_string(), entry.hash)).collect::<Vec<_>>());
        tell("notes", &catalogue.notes().map(|entry| entry.path.to_string()).collect::<Vec<_>>());
        tell("tags", &catalogue.tags().map(|tag| (tag.name.to_owned(), tag.notes)).collect::<Vec<_>>());
        tell("tagged", &paths(catalogue.with_tag("needle", TagDepth::Below)));
        let properties = catalogue.properties(&FolderPath::ROOT, 5);
        tell("properties", &properties.iter().map(|property| format!("{property:?}")).collect::<Vec<_>>());
        let unresolved = catalogue.unresolved();
        tell("unresolved", &unresolved.iter().map(|link| (&link.target, &link.sources)).collect::<Vec<_>>());
        tell("orphans", &catalogue.orphans());
        tell("dead ends", &catalogue.dead_ends());
        for name in ["A", "B", "Note", "v1.2", "long name", "pic.png", "new"] {
            tell("named", &catalogue.named(name));
            tell("resolved", &catalogue.resolve(&note("a/b/A.md"), name));
        }
        for entry in catalogue.files() {
            let targets = catalogue.outgoing(&entry.path).into_iter().map(|link| link.target);
            tell("outgoing", &targets.collect::<Vec<_>>());
            let sources = catalogue.backlinks(&entry.path).into_iter().map(|link| (link.source, link.links.len()));
            tell("backlinks", &sources.collect::<Vec<_>>());
            tell("neighbours", &catalogue.neighbours(&entry.path, 2, 100).nodes);
        }
    }
    searches(index, &mut tell);
    tell("known", &(index.note_count(), index.status().files, index.status().problems));
    told
}

fn searches(index: &Index, tell: &mut impl FnMut(&str, &dyn std::fmt::Debug)) {
    let folder = FolderPath::ROOT;
    for query in ["needle", "text", "a", "note", "missing"] {
        let found = search_anywhere(index, &Anywhere { query, folder: folder.clone(), limit: 50, after: None }, &|| true);
        tell("anywhere", &found.items.iter().map(|item| (item.path.to_string(), item.line, &item.snippet)).collect::<Vec<_>>());
        tell("in all", &found.total);
        let wanted = Literal { query, case_sensitive: false, whole_word: false, folder: folder.clone(), limit: 50, after: None };
        let found = search_literal(index, &wanted, &|| true);
        tell("literal", &found.items.iter().map(|item| (item.path.to_string(), item.line, item.score)).collect::<Vec<_>>());
        let found = search_ranked(index, &Ranked { query, folder: folder.clone(), limit: 50, after: None }, &|| true);
        let mut ranked: Vec<String> = found.unwrap().items.iter().map(|item| item.path.to_string()).collect();
        // What was removed counts for the scores until it is tidied away.
        ranked.sort();
        tell("ranked", &ranked);
        let found = grep(index, &Grep { pattern: query, glob: None, folder: folder.clone(), most: 50 }, &|| true);
        tell("grep", &found.unwrap().lines.iter().map(|line| (line.path.to_string(), line.line)).collect::<Vec<_>>());
        let wanted = Expression {
            pattern: query,
            ignore_case: true,
            multi_line: false,
            dot_all: false,
            glob: None,
            folder: folder.clone(),
            per_file: 5,
            limit: 50,
            after: None,
        };
        let found = search_expression(index, &wanted, &|| true).unwrap();
        tell("expression", &found.items.iter().map(|item| (item.path.to_string(), item.line)).collect::<Vec<_>>());
    }
}

#[derive(Clone, Debug)]
enum Act {
    Write(String),
    Move(Pick, String),
    Remove(Pick),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        random_vault::path().prop_map(Act::Write),
        (any::<Pick>(), random_vault::path()).prop_map(|(from, to)| Act::Move(from, to)),
        any::<Pick>().prop_map(Act::Remove),
    ]
}

impl Act {
    /// Through a handle that may do everything.
    fn run(&self, twins: &Twins) {
        let there: Vec<String> = files(&twins.place).into_keys().collect();
        let picked = |pick: &Pick| (!there.is_empty()).then(|| note(&there[pick.index(there.len())]));
        match self {
            Act::Write(path) => {
                let text = format!("[[A]] and [[new]], a new text for {path}\n#needle\n");
                twins.vault.write(&note(path), text.into(), Expect::Anything, Folders::Create).unwrap();
            }
            Act::Move(from, to) => {
                if let Some(from) = picked(from).filter(|_| !there.contains(to)) {
                    twins.vault.transaction(Folders::Create).rename(from, note(to)).commit().unwrap();
                }
            }
            Act::Remove(pick) => drop(picked(pick).map(|path| twins.vault.remove(&path, TrashOption::None).unwrap())),
        }
    }

    /// As another program does it.
    fn run_outside(&self, twins: &Twins) {
        let there: Vec<String> = files(&twins.place).into_keys().collect();
        let picked = |pick: &Pick| (!there.is_empty()).then(|| twins.place.on_disk(&there[pick.index(there.len())]));
        match self {
            Act::Write(path) => drop(twins.place.put(path, format!("[[Note]] from outside for {path}\n#needle\n"))),
            Act::Move(from, to) => {
                let to = twins.place.on_disk(to);
                if let Some(from) = picked(from).filter(|_| !to.exists()) {
                    fs::create_dir_all(to.parent().unwrap()).unwrap();
                    fs::rename(from, to).unwrap();
                }
            }
            Act::Remove(pick) => drop(picked(pick).map(|path| fs::remove_file(path).unwrap())),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_a_vault_without_what_may_not_be_read(
        vault in random_vault::vault(),
        access in access(),
        ours in prop::collection::vec(act(), 3),
        others in prop::collection::vec(act(), 3),
    ) {
        let mut files = vault.files.clone();
        for (at, (path, text)) in files.iter_mut().enumerate().filter(|(_, (path, _))| path.ends_with(".md")) {
            write!(text, "\n#needle #needle/{at} text of {path}\n").unwrap();
        }
        let twins = Twins::new(&files, vault.format, access);
        let (restricted, plain) = twins.answers();
        prop_assert_eq!(restricted, plain, "at the start");
        for act in &ours {
            act.run(&twins);
            let (restricted, plain) = twins.answers();
            prop_assert_eq!(restricted, plain, "after {:?}", act);
        }
        for act in &others {
            act.run_outside(&twins);
            twins.restricted.check_everything();
            let (restricted, plain) = twins.answers();
            prop_assert_eq!(restricted, plain, "after {:?} from outside", act);
        }
    }
}

/// Folders that cross the border are told by one event of their own.
#[test]
fn what_crosses_the_border_from_outside_comes_and_goes_within_a_second() {
    let text = |path: &str| (path.to_owned(), format!("[[x]] text of {path}\n#needle\n"));
    let files = BTreeMap::from(["Public/in/x.md", "Public/y.md", "Private/deep/x.md", "Private/z.md"].map(text));
    let source = RulesSource { read_paths: Some(vec!["Public/**/*.md".into()]), ..RulesSource::default() };
    let access = Arc::new(Access::of(Arc::new(Rules::compile(&source, false).unwrap()), |_| false));
    let twins = Twins::new(&files, "shortest", access);
    let check = |what: &str| {
        within_a_second(what, || {
            let (restricted, plain) = twins.answers();
            restricted == plain
        });
    };
    let rename = |from: &str, to: &str| fs::rename(twins.place.on_disk(from), twins.place.on_disk(to)).unwrap();
    check("the start");
    assert_eq!(twins.restricted.note_count(), 2);
    rename("Public/in", "Private/in");
    check("a folder that leaves");
    rename("Private/deep", "Public/deep");
    check("a folder that comes");
    rename("Private/z.md", "Public/z.md");
    check("a file that comes");
    rename("Public/y.md", "Private/y.md");
    check("a file that leaves");
    assert_eq!(twins.restricted.note_count(), 2);
    rename("Public", "Gone");
    check("everything leaves");
    assert_eq!(twins.restricted.note_count(), 0);
}
