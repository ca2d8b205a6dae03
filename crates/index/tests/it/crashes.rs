//! A folder of five hundred notes is moved, with the links of others to it, and the process killed at every point of that.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use quillgate_index::{Index, IndexSettings, Move, relinked_moves};
use quillgate_vault::{ContentHash, Expect, Folders, Limits, NotePath, Vault};
use serde::{Deserialize, Serialize};

use crate::vault_tests::killing::{be_killed_in, expected, kill_at_every_point, ordered};
use crate::vault_tests::place::{Place, note, open};

const MOVED: usize = 500;
/// Notes and boards elsewhere with links to them that have to be written in another way.
const LINKING: usize = 100;
/// Notes whose links are good as they are.
const UNTOUCHED: usize = 50;
/// Of the moved ones those with a link that leads out of their folder.
const LOOKING_BACK: usize = 25;

/// What a child carries out: planned once, for it takes longer than doing it.
#[derive(Serialize, Deserialize)]
struct Plan {
    moves: Vec<Move>,
    edits: Vec<(NotePath, ContentHash, String)>,
}

#[derive(Clone, Copy, Debug)]
struct FolderWithItsLinks;

fn moved_from(number: usize) -> String {
    format!("Projects/Garden/{}/Bed {number}.md", number % 4)
}

fn prepare(place: &Place) {
    for number in 0..MOVED {
        let neighbour = (number + 1) % MOVED;
        let back = if number % (MOVED / LOOKING_BACK) == 0 { "as in the [plan](../../../Plan.md)" } else { "" };
        place.put(&moved_from(number), format!("# Bed {number}\n\nBeside [[Bed {neighbour}]]. {back}\n"));
    }
    place.put("Plan.md", "What is to be done in [[Bed 1]].\n");
    for number in 0..LINKING {
        let (one, other) = (moved_from(number * 3), moved_from(number));
        let text = match number % 3 {
            0 => format!("Sown in [[{}|a bed]] and ![[{other}#Bed {number}]].\n", one.trim_end_matches(".md")),
            1 => format!("Watered [here](../{}) and [there](<../{other}>).\n", one.replace(' ', "%20")),
            _ => format!("{{\"nodes\":[{{\"id\":\"1\",\"type\":\"file\",\"file\":\"{one}\"}}],\"edges\":[]}}"),
        };
        let extension = if number % 3 == 2 { "canvas" } else { "md" };
        place.put(&format!("Journal/{number}.{extension}"), text);
    }
    for number in 0..UNTOUCHED {
        place.put(&format!("Journal/rest {number}.md"), format!("A rest at [[Bed {number}]].\n"));
    }
}

fn index_of(vault: &Vault) -> Index {
    let index = Index::start(Arc::new(vault.clone()), None, &IndexSettings::default());
    index.wait(|_| true);
    index
}

fn plan(vault: &Vault) -> Plan {
    let move_of = |number| (note(&moved_from(number)), note(&moved_from(number).replace("Projects/", "Archive/2024/Done ")));
    let moves: Vec<Move> = (0..MOVED).map(move_of).collect();
    let relinked = relinked_moves(vault, &index_of(vault).catalogue(), &moves).unwrap();
    let edits = relinked.into_iter().map(|file| (file.path, file.before, String::from_utf8(file.bytes).unwrap()));
    Plan { edits: edits.collect(), moves }
}

impl Plan {
    fn carry_out(self, vault: &Vault) {
        let mut change = vault.transaction(Folders::Create);
        for (path, before, text) in self.edits {
            change = change.write(path, text.into_bytes(), Expect::Hash(before));
        }
        self.moves.into_iter().fold(change, |change, (from, to)| change.rename(from, to)).commit().unwrap();
    }
}

/// What every link means, file by file.
fn meanings(vault: &Vault) -> BTreeMap<NotePath, Vec<NotePath>> {
    let index = index_of(vault);
    let catalogue = index.catalogue();
    let targets = |path| catalogue.outgoing(path).into_iter().map(|link| link.target.expect("every link has a target")).collect();
    catalogue.files().map(|file| (file.path.clone(), targets(&file.path))).collect()
}

/// Not a test of its own: the process that the other one starts and kills.
#[test]
fn child() {
    let Some((folder, _)) = ordered() else { return };
    let plan: Plan = serde_json::from_slice(&fs::read(folder.join("outside/plan.json")).unwrap()).unwrap();
    let vault = open(&folder, Limits::default());
    be_killed_in(|| plan.carry_out(&{ vault }), |_| {});
}

#[test]
fn a_folder_of_five_hundred_notes_whose_move_is_killed_at_any_point_is_moved_or_not_and_so_are_its_links() {
    let place = Place::in_memory();
    prepare(&place);
    let plan = plan(&place.vault);
    assert_eq!((plan.moves.len(), plan.edits.len()), (MOVED, LINKING + LOOKING_BACK));
    let planned = serde_json::to_vec(&plan).unwrap();
    let before = meanings(&place.vault);
    let moved: BTreeMap<NotePath, NotePath> = plan.moves.iter().cloned().collect();
    plan.carry_out(&place.vault);
    let now = |path: NotePath| moved.get(&path).cloned().unwrap_or(path);
    let kept = before.into_iter().map(|(path, targets)| (now(path), targets.into_iter().map(now).collect())).collect();
    assert_eq!(meanings(&place.vault), kept, "every link means the note that it meant before");

    let prepare = |place: &Place| {
        prepare(place);
        place.put_outside("plan.json", &planned);
    };
    kill_at_every_point(FolderWithItsLinks, &expected(FolderWithItsLinks, prepare), prepare);
}
