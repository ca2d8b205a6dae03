//! The catalogue of tools, searched by what they are about.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use crate::surface::{Surface, find_surface};
use crate::tool::Registered;

/// How much a word's frequency counts, and how much the length of a description.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// A word in the tool's name says more than one in its description.
const NAME_WEIGHT: usize = 4;

/// A tool of the catalogue.
#[derive(Clone, Copy)]
pub struct Capability {
    pub tool: &'static Registered,
    pub domain: &'static str,
}

impl Capability {
    /// As a model reads them best: `path`, `limit?`.
    pub(crate) fn argument_names(&self) -> Vec<String> {
        let schema = catalogue().input_schema(self.tool);
        let required = |name: &str| {
            schema.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|required| required == name))
        };
        let fields = schema.get("properties").and_then(Value::as_object);
        let names = fields.into_iter().flat_map(|fields| fields.keys());
        names.map(|name| if required(name) { name.clone() } else { format!("{name}?") }).collect()
    }
}

/// The surface that the facade is about, with all its tools.
pub fn catalogue() -> &'static Surface {
    static ENGINE: LazyLock<&'static Surface> = LazyLock::new(|| find_surface("engine").expect("the engine is a surface"));
    &ENGINE
}

/// The tools that fit best, best first, with their scores (BM25 over names, descriptions and parameter names).
pub(crate) fn search<'c>(capabilities: &'c [Capability], query: &str, most: usize) -> Vec<(&'c Capability, f64)> {
    let documents: Vec<HashMap<String, usize>> = capabilities.iter().map(words_of).collect();
    let lengths: Vec<f64> = documents.iter().map(|words| words.values().sum::<usize>() as f64).collect();
    let mean = lengths.iter().sum::<f64>() / (lengths.len().max(1) as f64);
    let mut scores = vec![0.0; documents.len()];
    for word in words(query) {
        let times: Vec<f64> = documents.iter().map(|document| occurrences(document, &word)).collect();
        let having = times.iter().filter(|times| **times > 0.0).count() as f64;
        let rarity = (1.0 + (documents.len() as f64 - having + 0.5) / (having + 0.5)).ln();
        for ((times, length), score) in times.into_iter().zip(&lengths).zip(&mut scores) {
            *score += rarity * times * (SATURATION + 1.0) / (times + SATURATION * (1.0 - LENGTH + LENGTH * length / mean));
        }
    }
    let mut found: Vec<(&Capability, f64)> = capabilities.iter().zip(scores).filter(|(_, score)| *score > 0.0).collect();
    found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.tool.spec.name.cmp(b.tool.spec.name)));
    found.truncate(most);
    found
}

/// How often a word stands in a description. Within a longer word, as `link` in `backlinks`, it counts half.
fn occurrences(document: &HashMap<String, usize>, word: &str) -> f64 {
    let whole = document.get(word).copied().unwrap_or_default() as f64;
    let is_part = |longer: &&String| word.len() >= 4 && longer.len() > word.len() && longer.contains(word);
    let parts: usize = document.iter().filter(|(longer, _)| is_part(longer)).map(|(_, times)| times).sum();
    whole + parts as f64 / 2.0
}

fn words_of(capability: &Capability) -> HashMap<String, usize> {
    let tool = capability.tool;
    let mut counted = HashMap::new();
    let mut count = |text: &str, weight: usize| {
        for word in words(text) {
            *counted.entry(word).or_default() += weight;
        }
    };
    count(tool.spec.name, NAME_WEIGHT);
    count(tool.spec.title, 2);
    count(capability.domain, 2);
    count(&(tool.description)(), 1);
    for field in (tool.input_schema)().get("properties").and_then(Value::as_object).into_iter().flatten() {
        count(field.0, 1);
    }
    counted
}

/// Lower case, without the endings that a question has and a description has not.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| !COMMON.contains(&word.as_str())).map(|word| stem(&word)).collect()
}

const COMMON: &[&str] = &[
    "a", "all", "an", "and", "are", "by", "do", "for", "how", "i", "in", "is", "it", "me", "my", "of", "on", "one", "or", "that",
    "the", "this", "to", "what", "which", "with",
];

pub(crate) fn stem(word: &str) -> String {
    let without = |word: &str, endings: &[(&str, &str)]| {
        let shortened = endings.iter().find_map(|(ending, instead)| {
            let stem = word.strip_suffix(ending).filter(|stem| stem.chars().count() >= 3)?;
            Some(format!("{stem}{instead}"))
        });
        shortened.unwrap_or_else(|| word.to_owned())
    };
    let singular = without(word, &[("ies", "y"), ("es", ""), ("s", "")]);
    let mut stem = without(&singular, &[("ing", ""), ("ed", "")]).trim_end_matches('e').to_owned();
    // Tagged, planning: the letter is doubled only before the ending.
    let mut last = stem.chars().rev();
    if stem.chars().count() > 3 && last.next() == last.next() {
        stem.pop();
    }
    stem
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn finds(query: &str, expected: &str) {
        let domains = catalogue().domains.iter();
        let all: Vec<Capability> =
            domains.flat_map(|domain| domain.tools.iter().map(|tool| Capability { tool, domain: domain.name })).collect();
        let found: Vec<&str> = search(&all, query, 3).iter().map(|(capability, _)| capability.tool.spec.name).collect();
        assert!(found.contains(&expected), "{query:?} finds {found:?}");
    }

    #[test]
    fn questions_in_plain_words_find_their_tools() {
        finds("which notes link to this one?", "get_backlinks");
        finds("broken links", "find_unresolved_links");
        finds("notes tagged with project", "find_notes_by_tag");
        finds("regex search", "search_regex");
    }

    #[test]
    fn what_nothing_is_about_finds_nothing() {
        assert!(search(&[], "anything", 3).is_empty());
        assert_eq!(stem("properties"), stem("property"));
        assert_eq!(stem("notes"), stem("note"));
        assert_eq!(stem("tagged"), stem("tags"));
        assert_eq!(stem("called"), stem("call"));
        assert_eq!(stem("meetings"), stem("meet"));
    }
}
