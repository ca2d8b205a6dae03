//! The contents that a writer remembers to have kept: the recent ones, since a segment may get more than memory should hold.

use std::collections::HashMap;

use super::blob::BlobAt;
use crate::ContentHash;

/// Of one generation. A note that is edited finds its last state among that many later ones; what is forgotten is kept once more.
const MOST: usize = 8192;

/// Two generations: what is asked for moves to the newer one, and the older one is forgotten as a whole.
#[derive(Default)]
pub(crate) struct Recent {
    newer: HashMap<ContentHash, BlobAt>,
    older: HashMap<ContentHash, BlobAt>,
}

impl Recent {
    pub(crate) fn find(&mut self, hash: &ContentHash) -> Option<BlobAt> {
        if let Some(at) = self.newer.get(hash) {
            return Some(*at);
        }
        let at = self.older.remove(hash)?;
        self.insert(*hash, at);
        Some(at)
    }

    pub(crate) fn insert(&mut self, hash: ContentHash, at: BlobAt) {
        if self.newer.len() == MOST {
            // The room of the older generation is used again.
            std::mem::swap(&mut self.newer, &mut self.older);
            self.newer.clear();
        }
        self.newer.insert(hash, at);
    }
}

impl FromIterator<(ContentHash, BlobAt)> for Recent {
    fn from_iter<I: IntoIterator<Item = (ContentHash, BlobAt)>>(kept: I) -> Recent {
        let mut recent = Recent::default();
        kept.into_iter().for_each(|(hash, at)| recent.insert(hash, at));
        recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_are_remembered_and_memory_stays_bounded() {
        let hash = |number: usize| ContentHash::of(&number.to_le_bytes());
        let at = |number: usize| BlobAt { offset: number as u64, depth: 0 };
        let all = 5 * MOST;
        let mut recent: Recent = (0..all).map(|number| (hash(number), at(number))).collect();
        assert!(recent.newer.len() + recent.older.len() <= 2 * MOST);
        assert!((all - MOST..all).all(|number| recent.find(&hash(number)) == Some(at(number))));
        assert_eq!(recent.find(&hash(0)), None);
    }

    #[test]
    fn what_is_asked_for_again_and_again_is_not_forgotten() {
        let hash = |number: usize| ContentHash::of(&number.to_le_bytes());
        let mut recent = Recent::default();
        for number in 0..5 * MOST {
            recent.insert(hash(number), BlobAt { offset: number as u64, depth: 0 });
            assert!(recent.find(&hash(0)).is_some());
        }
    }
}
