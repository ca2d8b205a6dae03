//! Answers to recent questions, kept for the next page and the next call.
//!
//! A common word is in every note: counting it means reading them all, once. After that only what changed is looked at again.

use parking_lot::Mutex;
use quillgate_vault::{FolderPath, NotePath};

use crate::sync::Index;

/// Answers that are kept of each kind.
const MOST: usize = 8;

/// Latest last.
pub(crate) struct KeptAnswers<T> {
    kept: Mutex<Vec<Kept<T>>>,
}

struct Kept<T> {
    question: Question,
    /// What had changed when the answer was begun.
    stamp: u64,
    answer: T,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) query: String,
    pub(crate) folder: FolderPath,
}

/// An answer that can be kept.
pub(crate) trait Answer: Clone {
    /// Whether finding it anew would take long.
    fn is_costly(&self) -> bool;
}

impl<T> Default for KeptAnswers<T> {
    fn default() -> KeptAnswers<T> {
        KeptAnswers { kept: Mutex::default() }
    }
}

impl<T: Answer> KeptAnswers<T> {
    /// The answer to the question: the kept one with `update` for what changed since, or what `find` finds.
    pub(crate) fn answer(
        &self,
        index: &Index,
        question: Question,
        update: impl FnOnce(T, &[NotePath]) -> T,
        find: impl FnOnce() -> T,
        go_on: &impl Fn() -> bool,
    ) -> T {
        let stamp = index.text().stamp();
        let kept = self.take(&question).and_then(|kept| Some((kept.answer, index.text().changes_since(kept.stamp)?)));
        let answer = match kept {
            Some((answer, changed)) if changed.is_empty() => answer,
            Some((answer, changed)) => update(answer, &changed),
            None => find(),
        };
        // An answer that was given up on is not one to keep.
        if answer.is_costly() && index.is_ready() && go_on() {
            self.keep(Kept { question, stamp, answer: answer.clone() });
        }
        answer
    }

    fn take(&self, question: &Question) -> Option<Kept<T>> {
        let mut kept = self.kept.lock();
        let at = kept.iter().position(|kept| kept.question == *question)?;
        Some(kept.remove(at))
    }

    fn keep(&self, answer: Kept<T>) {
        let mut kept = self.kept.lock();
        if kept.len() >= MOST {
            kept.remove(0);
        }
        kept.push(answer);
    }
}
