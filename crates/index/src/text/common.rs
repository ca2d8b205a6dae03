//! Sequences that most files of a vault have: they tell nothing, and leaving them out halves the work of indexing.
//!
//! Which they are is decided when an index is made, from a sample of the files, and holds for the life of that index: the name
//! of its field carries a mark of them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::grams::{Gram, grams_of};

/// Of so many files the sequences are counted.
pub(super) const SAMPLE: usize = 1_000;
/// One bit for each possible sequence.
const WORDS: usize = 1 << 18;

#[derive(Clone)]
pub(crate) struct CommonGrams(Arc<Listed>);

struct Listed {
    bits: Vec<u64>,
    list: Vec<Gram>,
}

impl CommonGrams {
    pub(crate) fn none() -> CommonGrams {
        CommonGrams::of(Vec::new())
    }

    /// Those that more than half of the texts have.
    pub(super) fn in_most(texts: &[String]) -> CommonGrams {
        let mut counts: HashMap<Gram, usize> = HashMap::new();
        for text in texts {
            let once: HashSet<Gram> = grams_of(text).into_iter().collect();
            once.into_iter().for_each(|gram| *counts.entry(gram).or_default() += 1);
        }
        CommonGrams::of(counts.into_iter().filter(|(_, count)| *count * 2 > texts.len()).map(|(gram, _)| gram).collect())
    }

    fn of(mut list: Vec<Gram>) -> CommonGrams {
        list.sort_unstable();
        let mut bits = vec![0; if list.is_empty() { 0 } else { WORDS }];
        for &gram in &list {
            bits[gram as usize >> 6] |= 1 << (gram & 63);
        }
        CommonGrams(Arc::new(Listed { bits, list }))
    }

    pub(super) fn contains(&self, gram: Gram) -> bool {
        self.0.bits.get(gram as usize >> 6).is_some_and(|word| word & (1 << (gram & 63)) != 0)
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        self.0.list.iter().flat_map(|gram| gram.to_le_bytes()).collect()
    }

    pub(super) fn decode(bytes: &[u8]) -> CommonGrams {
        let (grams, _) = bytes.as_chunks();
        CommonGrams::of(grams.iter().map(|gram| u32::from_le_bytes(*gram)).filter(|gram| *gram < 1 << 24).collect())
    }

    /// Other sequences have, as good as always, another mark.
    pub(super) fn mark(&self) -> String {
        format!("{:08x}", crc32fast::hash(&self.encode()))
    }
}

impl fmt::Debug for CommonGrams {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CommonGrams({})", self.0.list.len())
    }
}
