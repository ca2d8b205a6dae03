//! Which notes record decisions, and what one of them says about some words.

use std::collections::{BTreeSet, HashMap, HashSet};

use quillgate_index::{Catalogue, Literal, PropertyFilter, PropertyOperator, Ranked, TagDepth, search_literal, search_ranked};
use quillgate_markdown::{Note, fold, heading_key};
use quillgate_vault::{FolderPath, NotePath};
use serde_json::json;

use crate::capabilities::stem;
use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::shown;

/// Of more than these only the best are read.
const MOST_READ: usize = 400;
/// Notes that are looked for in each way.
const MOST_FOUND: usize = 2000;
/// A longer proposal repeats itself.
const MOST_WORDS: usize = 64;
const LONGEST_QUOTE: usize = 300;
const MOST_QUOTES: usize = 3;
/// What stands below such a heading is the decision itself.
const DECISION_WEIGHT: f64 = 1.5;

const FOLDERS: &[&str] = &["adr", "adrs", "decision", "decisions", "decision-log", "decision-records"];
const TYPES: &[&str] = &["adr", "decision", "decision-record", "ADR", "Decision", "Decision record"];
const STATUSES: &[&str] = &["accepted", "proposed", "rejected", "superseded", "deprecated", "decided", "approved", "declined"];
/// Words that say nothing about what a text is about.
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "because", "been", "but", "can", "could", "does", "each", "for",
    "from", "has", "have", "how", "into", "its", "let", "more", "must", "not", "now", "our", "shall", "should", "than", "that",
    "the", "their", "them", "then", "there", "they", "this", "use", "was", "were", "what", "when", "which", "will", "with",
    "would", "you", "your",
];

/// One decision that bears on the words, and the lines that show it.
pub(super) struct Decision {
    pub(super) path: NotePath,
    pub(super) status: Status,
    pub(super) score: f64,
    /// Line and text, in the order of the note.
    pub(super) quotes: Vec<(usize, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    InForce,
    Proposed,
    Rejected,
    Superseded,
}

/// The words that a text is about, each once, without their endings.
pub(super) fn words_of(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let words = words(text).into_iter().filter(|word| seen.insert(word.clone()));
    words.take(MOST_WORDS).collect()
}

fn words(text: &str) -> Vec<String> {
    let written = text.split(|character: char| !character.is_alphanumeric()).map(fold);
    let telling = written.filter(|word| word.chars().count() > 2 && !COMMON.contains(&word.as_str()));
    telling.map(|word| stem(&word)).collect()
}

/// The decisions that bear on the words, best first.
pub(super) fn find_decisions(context: &Context<'_>, folder: &FolderPath, proposal: &str) -> Result<Vec<Decision>, Failure> {
    let wanted = words_of(proposal);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut paths = decision_paths(context, folder)?;
    if paths.len() > MOST_READ {
        paths = best_of(context, folder, proposal, &paths)?;
    }
    let mut read = Vec::with_capacity(paths.len());
    for path in paths {
        if !context.go_on() {
            return Err(Failure::Cancelled);
        }
        // One that has just gone, or is no text, decides nothing.
        let Ok(contents) = context.vault().read_text(&path) else { continue };
        if let Ok(text) = contents.text() {
            read.push((path, Record::of(&shown(text), &wanted)));
        }
    }
    let rarity = rarity(&wanted, read.iter().map(|(_, record)| record));
    let mut decisions: Vec<Decision> = read.into_iter().filter_map(|(path, record)| record.decision(path, &rarity)).collect();
    decisions.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)));
    Ok(decisions)
}

/// Notes that lie among decisions, say that they are one, or have a heading that does.
fn decision_paths(context: &Context<'_>, folder: &FolderPath) -> Result<BTreeSet<NotePath>, Failure> {
    let mut paths: BTreeSet<NotePath> = {
        let catalogue = context.catalogue()?;
        let by_place = catalogue.files_below(folder).filter(|entry| entry.path.is_note() && is_place(&entry.path));
        let mut paths: BTreeSet<NotePath> = by_place.map(|entry| entry.path.clone()).collect();
        paths.extend(by_properties(&catalogue, folder)?);
        let tagged = ["adr", "decision"].iter().flat_map(|tag| catalogue.with_tag(tag, TagDepth::Below));
        let tagged = tagged.filter_map(|id| catalogue.entry(id)).map(|entry| entry.path.clone());
        paths.extend(tagged.filter(|path| folder.contains(path)));
        paths
    };
    let wanted = Literal {
        query: "# decision",
        case_sensitive: false,
        whole_word: false,
        folder: folder.clone(),
        limit: MOST_FOUND,
        after: None,
    };
    let with_heading = search_literal(context.index()?, &wanted, &|| context.go_on());
    paths.extend(with_heading.items.into_iter().map(|line| line.path).filter(NotePath::is_note));
    Ok(paths)
}

fn is_place(path: &NotePath) -> bool {
    let folded = fold(path.as_str());
    let mut segments: Vec<&str> = folded.split('/').collect();
    let name = segments.pop().unwrap_or_default();
    segments.iter().any(|segment| FOLDERS.contains(segment)) || name.starts_with("adr-") || name.starts_with("adr ")
}

fn by_properties(catalogue: &Catalogue, folder: &FolderPath) -> Result<Vec<NotePath>, Failure> {
    let any_of = |key: &str, values: &[&str]| PropertyFilter::new(key, PropertyOperator::In, Some(json!(values)));
    let capitals: Vec<String> = STATUSES.iter().map(|status| format!("{}{}", status[..1].to_uppercase(), &status[1..])).collect();
    let statuses: Vec<&str> = STATUSES.iter().copied().chain(capitals.iter().map(String::as_str)).collect();
    let filters = [
        PropertyFilter::new("decision", PropertyOperator::Exists, None),
        PropertyFilter::new("adr", PropertyOperator::Exists, None),
        any_of("type", TYPES),
        any_of("kind", TYPES),
        any_of("category", TYPES),
        any_of("status", &statuses),
    ];
    let mut paths = Vec::new();
    for filter in filters {
        let filter = filter.map_err(|error| Failure::Internal(error.to_string()))?;
        let found = catalogue.find_by_properties(&[filter], folder, None, MOST_FOUND);
        paths.extend(found.notes.into_iter().map(|(entry, _)| entry.path.clone()));
    }
    Ok(paths)
}

/// Those that the index ranks highest for the words.
fn best_of(
    context: &Context<'_>,
    folder: &FolderPath,
    proposal: &str,
    among: &BTreeSet<NotePath>,
) -> Result<BTreeSet<NotePath>, Failure> {
    let letters =
        |character: char| if character.is_alphanumeric() { character.to_lowercase().next().unwrap_or(' ') } else { ' ' };
    let plain: String = proposal.chars().map(letters).collect();
    let words: Vec<&str> =
        plain.split_whitespace().filter(|word| word.len() > 2 && !COMMON.contains(word)).take(MOST_WORDS).collect();
    let query = words.join(" OR ");
    let wanted = Ranked { query: &query, folder: folder.clone(), limit: MOST_FOUND, after: None };
    let found = search_ranked(context.index()?, &wanted, &|| context.go_on())?;
    Ok(found.items.into_iter().map(|note| note.path).filter(|path| among.contains(path)).take(MOST_READ).collect())
}

/// What a note says with the words that are asked about.
struct Record {
    status: Status,
    /// How often each word stands in the note, by its place among those asked about.
    times: HashMap<usize, f64>,
    words: f64,
    lines: Vec<Line>,
    /// The first line that says anything, for a note whose properties alone have the words.
    first: Option<(usize, String)>,
}

struct Line {
    number: usize,
    text: String,
    weight: f64,
    /// The words that stand on it.
    words: BTreeSet<usize>,
}

impl Record {
    fn of(text: &str, wanted: &[String]) -> Record {
        let note = Note::parse(text);
        let decided: Vec<_> = note.headings.iter().filter(|heading| heading_key(&heading.text).starts_with("decision")).collect();
        let status = note.find_property("status").and_then(|property| property.value.as_text());
        let mut record = Record { status: Status::of(status), times: HashMap::new(), words: 0.0, lines: Vec::new(), first: None };
        let mut offset = 0;
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let all = words(line);
            record.words += all.len() as f64;
            let found: Vec<usize> = all.iter().filter_map(|word| wanted.iter().position(|wanted| wanted == word)).collect();
            found.iter().for_each(|word| *record.times.entry(*word).or_default() += 1.0);
            if record.first.is_none() && offset >= note.body && !line.trim().is_empty() {
                record.first = Some((number, quoted(line)));
            }
            if !found.is_empty() && offset >= note.body {
                let is_decided = decided.iter().any(|heading| heading.content.contains(&offset));
                let weight = if is_decided { DECISION_WEIGHT } else { 1.0 };
                record.lines.push(Line { number, text: quoted(line), weight, words: found.into_iter().collect() });
            }
            offset += line.len();
        }
        record
    }

    /// None when the note has nothing to do with the words.
    fn decision(mut self, path: NotePath, rarity: &[f64]) -> Option<Decision> {
        const SATURATION: f64 = 1.2;
        let length = 1.0 + (self.words / 2000.0).min(1.0);
        let score =
            self.times.iter().map(|(&word, times)| rarity[word] * times * (SATURATION + 1.0) / (times + SATURATION * length));
        let score: f64 = score.sum();
        let worth = |line: &Line| line.weight * line.words.iter().map(|&word| rarity[word]).sum::<f64>();
        self.lines.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then_with(|| a.number.cmp(&b.number)));
        self.lines.truncate(MOST_QUOTES);
        self.lines.sort_by_key(|line| line.number);
        let mut quotes: Vec<(usize, String)> = self.lines.into_iter().map(|line| (line.number, line.text)).collect();
        if quotes.is_empty() {
            quotes.extend(self.first);
        }
        (score > 0.0).then_some(Decision { path, status: self.status, score, quotes })
    }
}

/// How much each word tells: little, if most decisions have it.
fn rarity<'r>(wanted: &[String], records: impl Iterator<Item = &'r Record>) -> Vec<f64> {
    let (mut having, mut all) = (vec![0.0; wanted.len()], 0.0);
    for record in records {
        all += 1.0;
        record.times.keys().for_each(|&word| having[word] += 1.0);
    }
    having.into_iter().map(|having: f64| (1.0 + (all - having + 0.5) / (having + 0.5)).ln()).collect()
}

fn quoted(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

impl Status {
    fn of(written: Option<&str>) -> Status {
        match written.map(fold).as_deref() {
            Some("proposed" | "draft" | "open" | "pending") => Status::Proposed,
            Some("rejected" | "declined") => Status::Rejected,
            Some("superseded" | "deprecated" | "obsolete") => Status::Superseded,
            _ => Status::InForce,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Status::InForce => "decision",
            Status::Proposed => "proposed_decision",
            Status::Rejected => "rejected_decision",
            Status::Superseded => "superseded_decision",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_known_by_their_place() {
        let is_one = |path: &str| is_place(&NotePath::parse(path).expect("a path"));
        for path in ["adr/ADR-001-x.md", "docs/ADR/x.md", "work/Decisions/deep/x.md", "ADR-12 storage.md"] {
            assert!(is_one(path), "{path}");
        }
        for path in ["adrian.md", "notes/x.md", "decisions.md"] {
            assert!(!is_one(path), "{path}");
        }
    }

    #[test]
    fn only_telling_words_count_each_once() {
        assert_eq!(words_of("We should use the Databases, and a database is fast!"), ["databas", "fast"]);
    }

    #[test]
    fn a_status_says_whether_a_decision_holds() {
        assert_eq!(Status::of(Some("Superseded")), Status::Superseded);
        assert_eq!(Status::of(Some("accepted")), Status::InForce);
        assert_eq!(Status::of(None), Status::InForce);
    }
}
