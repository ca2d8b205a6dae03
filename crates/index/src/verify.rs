//! Comparing every source of answers with the files themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use quillgate_markdown::fold;
use quillgate_vault::{FolderPath, NotePath};

use crate::candidates::paths_on_disk;
use crate::card::Card;
use crate::catalogue::{Catalogue, FileId};
use crate::entry::{Entry, is_parsed, path_key};
use crate::mentions::Mentions;
use crate::names::find_card_target;
use crate::scan::scan;
use crate::sync::Index;
use crate::text::{Needed, Part, Role, Snapshot};

/// Files between two reports.
const STEP: usize = 2_000;
/// The text index is given this long to take in what is fresh.
const PATIENCE: Duration = Duration::from_secs(600);
/// Of so many files a piece of text is looked up.
const SAMPLES: usize = 1_000;
const SAMPLE_BYTES: usize = 24;

/// Something that an answer would get wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which answers: catalogue, text, links, tags or properties.
    pub source: &'static str,
    pub path: String,
    pub what: String,
}

impl Difference {
    fn new(source: &'static str, path: &NotePath, what: impl Into<String>) -> Difference {
        Difference { source, path: path.to_string(), what: what.into() }
    }
}

impl Index {
    /// Reads the whole vault and says where the index would answer otherwise; `report` hears of files done and in all.
    pub fn verify(&self, mut report: impl FnMut(usize, usize)) -> Vec<Difference> {
        self.wait(|_| true);
        let started = Instant::now();
        self.wait_for_text(|_| started.elapsed() < PATIENCE);
        let paths = paths_on_disk(self, &FolderPath::ROOT);
        let snapshot = self.text().view().snapshot;
        let committed = snapshot.as_deref().map(committed_versions).unwrap_or_default();
        let mut differences = self.gone(&paths);
        for (at, chunk) in paths.chunks(STEP).enumerate() {
            report(at * STEP, paths.len());
            let found = scan(self.vault(), chunk, &|| true, |path, bytes| Some(self.differences(path, bytes, &committed)));
            differences.extend(found.into_iter().flat_map(|(_, found)| found));
        }
        if let Some(snapshot) = snapshot.as_deref() {
            differences.extend(self.sampled(&paths, snapshot));
        }
        differences.extend(verify_derived(&self.catalogue()));
        report(paths.len(), paths.len());
        differences
    }

    fn gone(&self, paths: &[NotePath]) -> Vec<Difference> {
        let there: HashSet<&NotePath> = paths.iter().collect();
        let catalogue = self.catalogue();
        let gone = catalogue.files().filter(|entry| !entry.stat.offline && !there.contains(&entry.path));
        gone.map(|entry| Difference::new("catalogue", &entry.path, "it is no longer in the vault")).collect()
    }

    fn differences(&self, path: &NotePath, bytes: &[u8], committed: &HashMap<u64, u64>) -> Vec<Difference> {
        let catalogue = self.catalogue_so_far();
        let Some(entry) = catalogue.find(path) else {
            return vec![Difference::new("catalogue", path, "it is not known")];
        };
        let mut differences = Vec::new();
        if is_parsed(path) {
            let fresh = Entry::parsed(path, bytes, quillgate_vault::ContentHash::of(bytes), entry.stat, entry.read_at);
            if fresh.hash != entry.hash {
                differences.push(Difference::new("catalogue", path, "its bytes have changed unnoticed"));
            } else if fresh.card() != entry.card() || fresh.tags != entry.tags {
                differences.push(Difference::new("catalogue", path, "what is stored of it is not what it says"));
            }
        }
        if self.text_status().role != Role::Off && committed.get(&path_key(path)) != Some(&entry.version()) {
            differences.push(Difference::new("text", path, "its text is not in the index"));
        }
        differences
    }

    /// Pieces of some files' text must lead back to those files.
    fn sampled(&self, paths: &[NotePath], snapshot: &Snapshot) -> Vec<Difference> {
        let step = (paths.len() / SAMPLES).max(1);
        let chosen: Vec<NotePath> = paths.iter().step_by(step).cloned().collect();
        let missed = scan(self.vault(), &chosen, &|| true, |path, bytes| {
            let text = std::str::from_utf8(bytes).ok()?;
            let start = text.floor_char_boundary(text.len() / 2);
            let piece = &text[start..text.floor_char_boundary((start + SAMPLE_BYTES).min(text.len()))];
            let found = snapshot.with(&Needed::for_literal(piece), Part::Text).ok()?;
            let is_found = found.is_none_or(|origins| origins.iter().any(|origin| origin.key == path_key(path)));
            (!is_found).then_some(())
        });
        missed.into_iter().map(|(at, ())| Difference::new("text", &chosen[at], "its text does not lead to it")).collect()
    }
}

fn committed_versions(snapshot: &Snapshot) -> HashMap<u64, u64> {
    snapshot.alive().map(|origin| (origin.key, origin.version)).collect()
}

/// What is kept up to date beside the cards, recomputed from them: tags, properties and links.
fn verify_derived(catalogue: &Catalogue) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut tagged: BTreeMap<String, usize> = BTreeMap::new();
    let mut sources: HashMap<FileId, BTreeSet<FileId>> = HashMap::new();
    for (id, entry) in catalogue.numbered() {
        let card = entry.card();
        if entry.path.is_note() {
            let tags = card.property_tags.iter().chain(card.inline_tags.iter().map(|(tag, _)| tag));
            tags.map(|tag| fold(tag)).collect::<BTreeSet<_>>().into_iter().for_each(|tag| *tagged.entry(tag).or_default() += 1);
            differences.extend(verify_properties(catalogue, id, entry, &card));
            differences.extend(verify_fields(catalogue, id, entry, &card));
        }
        for link in card.links.iter().filter(|link| !link.path.is_empty()) {
            let target = find_card_target(catalogue, &entry.path, link).and_then(|target| catalogue.find_id(&target));
            if let Some(target) = target.filter(|target| *target != id) {
                sources.entry(target).or_default().insert(id);
            }
        }
    }
    differences.extend(verify_tags(catalogue, &tagged));
    for (id, entry) in catalogue.numbered() {
        let known: BTreeSet<FileId> = catalogue.backlink_sources(&entry.path).sources.into_iter().collect();
        if known != sources.remove(&id).unwrap_or_default() {
            differences.push(Difference::new("links", &entry.path, "its backlinks are not those that the notes have"));
        }
    }
    differences
}

fn verify_properties(catalogue: &Catalogue, id: FileId, entry: &Entry, card: &Card) -> Option<Difference> {
    let properties = card.property_map();
    let mut met = BTreeSet::new();
    let differs = properties.iter().filter(|(key, _)| met.insert(fold(key))).find(|(key, value)| {
        let column = catalogue.columns().find(key);
        column.and_then(|column| Some(column.json(column.cells.find(id.0)?))).as_ref() != Some(value)
    })?;
    Some(Difference::new("properties", &entry.path, format!("the property {:?} is kept as something else", differs.0)))
}

/// Under its key as written, the texts of every field that is the note's own.
fn verify_fields(catalogue: &Catalogue, id: FileId, entry: &Entry, card: &Card) -> Option<Difference> {
    let mut texts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mentions = Mentions::of(card);
    mentions.fields.iter().for_each(|(key, text)| texts.entry(key).or_default().push(text));
    let differs = texts.into_iter().find(|(key, texts)| {
        let column = catalogue.columns().fields().find(key);
        let kept = column.and_then(|column| Some(column.json(column.cells.find(id.0)?)));
        kept != Some(texts.as_slice().into())
    })?;
    Some(Difference::new("properties", &entry.path, format!("the field {:?} is kept as something else", differs.0)))
}

fn verify_tags(catalogue: &Catalogue, tagged: &BTreeMap<String, usize>) -> Vec<Difference> {
    let known: BTreeMap<String, usize> = catalogue.tags().map(|tag| (fold(tag.name), tag.notes)).collect();
    let names: BTreeSet<&String> = known.keys().chain(tagged.keys()).collect();
    let differs = names.into_iter().filter(|name| known.get(*name) != tagged.get(*name));
    let told = |name: &String| Difference {
        source: "tags",
        path: format!("#{name}"),
        what: format!("counted {} times, found {} times", known.get(name).unwrap_or(&0), tagged.get(name).unwrap_or(&0)),
    };
    differs.map(told).collect()
}
