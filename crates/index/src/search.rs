//! What all searches share: how much of the answer came from the index, and where a page ends.

/// How much of the vault the text index held when it was asked. The rest was searched file by file, so answers are complete
/// either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    pub ready: bool,
    /// Files that are not in the index yet.
    pub pending: usize,
}

/// One page of results.
#[derive(Clone, Debug)]
pub struct Found<T> {
    pub items: Vec<T>,
    /// How many there are on all pages, where that is known.
    pub total: Option<usize>,
    /// Whether there is a page after this one.
    pub more: bool,
    pub coverage: Coverage,
    pub explain: Explanation,
}

/// How an answer was found, for people who wonder.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// The query as it was understood.
    pub understood: String,
    /// Files that the index could not rule out.
    pub candidates: usize,
    /// Files that were opened.
    pub opened: usize,
}

impl<T> Found<T> {
    /// The answer to a question that nothing can match.
    pub(crate) fn nothing(coverage: Coverage) -> Found<T> {
        Found { items: Vec::new(), total: Some(0), more: false, coverage, explain: Explanation::default() }
    }
}
