//! Pages of a list: how many items, where a page continues, and how much of a model's attention it may take.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64URL;
use quillgate_index::Coverage;
use quillgate_vault::ContentHash;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::failure::{Failure, Issue};

const MOST_ITEMS: u64 = 1000;
/// Larger answers help nobody, whatever limit was asked for.
const MOST_BYTES: usize = 1_000_000;
const BYTES_PER_TOKEN: usize = 4;
/// What stands around the items: names of fields, counts, the state of the index.
const FRAME_BYTES: usize = 120;
/// The first byte of every cursor; another layout gets another one.
const CURSOR_VERSION: u8 = 1;
const CHECK_BYTES: usize = 8;

/// Most items to return, up to 1000
#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Limit(#[schemars(range(min = 1))] u64);

impl Default for Limit {
    fn default() -> Limit {
        Limit(100)
    }
}

/// Where to continue: the cursor of the page before, with all other arguments unchanged
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct Cursor(#[schemars(length(max = 8192))] Option<String>);

/// Return fewer items so that the answer takes about this many tokens; the cursor leads to the rest
#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct MaxTokens(#[schemars(range(min = 1))] Option<u64>);

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    /// Give it back to get the next page; absent on the last one
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<String>,
    /// True when limit was larger than 1000 and has been cut to it
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overflow: Option<bool>,
    /// Items on all pages
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) total_count: Option<usize>,
    /// Present while the vault is being indexed; what waits was searched file by file, so the answer is complete
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<IndexState>,
}

/// How far the index has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct IndexState {
    pub(crate) ready: bool,
    /// Files that wait to be indexed
    pub(crate) pending: usize,
}

impl IndexState {
    pub(crate) fn of(coverage: Coverage) -> IndexState {
        IndexState { ready: coverage.ready, pending: coverage.pending }
    }

    /// Only worth telling while the vault is being indexed.
    pub(crate) fn unless_ready(coverage: Coverage) -> Option<IndexState> {
        (!coverage.ready).then(|| IndexState::of(coverage))
    }
}

impl<T> Page<T> {
    pub(crate) fn covering(self, coverage: Coverage) -> Page<T> {
        Page { index: IndexState::unless_ready(coverage), ..self }
    }
}

/// The bytes that an answer of so many tokens has.
pub(crate) fn room_of(max_tokens: Option<u64>) -> usize {
    let tokens = max_tokens.map_or(usize::MAX, |tokens| usize::try_from(tokens).unwrap_or(usize::MAX));
    tokens.saturating_mul(BYTES_PER_TOKEN).min(MOST_BYTES)
}

/// One call's place in a list.
pub(crate) struct Pager {
    tool: &'static str,
    /// The arguments that decide what is in the list: a cursor holds for no others.
    question: String,
    limit: usize,
    is_clamped: bool,
    bytes: usize,
}

impl Pager {
    pub(crate) fn new(tool: &'static str, question: &impl Serialize, limit: Limit, max_tokens: MaxTokens) -> Pager {
        let items = usize::try_from(limit.0.clamp(1, MOST_ITEMS)).unwrap_or(1);
        Pager { is_clamped: limit.0 > MOST_ITEMS, ..Pager::of(tool, question, items, max_tokens) }
    }

    /// For tools with a limit of their own.
    pub(crate) fn of(tool: &'static str, question: &impl Serialize, limit: usize, max_tokens: MaxTokens) -> Pager {
        Pager {
            tool,
            question: serde_json::to_string(question).unwrap_or_default(),
            limit,
            is_clamped: false,
            bytes: room_of(max_tokens.0),
        }
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// The key of the last item on the page before; nothing for the first page.
    pub(crate) fn after<K: DeserializeOwned>(&self, cursor: &Cursor) -> Result<Option<K>, Failure> {
        let Some(text) = &cursor.0 else { return Ok(None) };
        let refused = || {
            let expected = "does not belong to this call; start again without a cursor, or repeat the call it came from";
            Failure::InvalidInput(vec![Issue::new("cursor", expected.to_owned())])
        };
        let bytes = BASE64URL.decode(text).map_err(|_| refused())?;
        let (&version, rest) = bytes.split_first().ok_or_else(refused)?;
        let (check, key) = rest.split_at_checked(CHECK_BYTES).ok_or_else(refused)?;
        if version != CURSOR_VERSION || check != self.check(key) {
            return Err(refused());
        }
        serde_json::from_slice(key).map(Some).map_err(|_| refused())
    }

    /// As many of the items as there is room for, at least one; each comes with its key.
    pub(crate) fn page<K: Serialize, T: Serialize>(&self, items: Vec<(K, T)>, more: bool, total: Option<usize>) -> Page<T> {
        let mut kept = Vec::with_capacity(items.len().min(self.limit));
        let mut last = None;
        let mut bytes = FRAME_BYTES;
        let mut is_cut = more;
        for (key, item) in items {
            bytes += 1 + serde_json::to_vec(&item).map_or(0, |json| json.len());
            if kept.len() == self.limit || (!kept.is_empty() && bytes + self.cursor_bytes(&key) > self.bytes) {
                is_cut = true;
                break;
            }
            kept.push(item);
            last = Some(key);
        }
        let cursor = last.filter(|_| is_cut).map(|key| self.cursor(&key));
        Page { items: kept, cursor, overflow: self.is_clamped.then_some(true), total_count: total, index: None }
    }

    /// A page of a list that is there as a whole, in the order of its keys.
    pub(crate) fn page_of_all<S, K: Serialize + Ord, T: Serialize>(
        &self,
        all: Vec<S>,
        after: Option<K>,
        key: impl Fn(&S) -> K,
        show: impl Fn(S) -> T,
    ) -> Page<T> {
        let total = all.len();
        let start = after.map_or(0, |after| all.partition_point(|item| key(item) <= after));
        let rest = all.into_iter().skip(start).take(self.limit + 1);
        self.page(rest.map(|item| (key(&item), show(item))).collect(), false, Some(total))
    }

    fn cursor(&self, key: &impl Serialize) -> String {
        let key = serde_json::to_vec(key).unwrap_or_default();
        BASE64URL.encode([&[CURSOR_VERSION], &self.check(&key)[..], &key].concat())
    }

    fn cursor_bytes(&self, key: &impl Serialize) -> usize {
        let key = serde_json::to_vec(key).map_or(0, |key| key.len());
        (1 + CHECK_BYTES + key) * 4 / 3
    }

    /// No secret is in it: a cursor is only a place in a list that its caller may read anyway.
    fn check(&self, key: &[u8]) -> [u8; CHECK_BYTES] {
        let hash = ContentHash::of(&[self.tool.as_bytes(), b"\0", self.question.as_bytes(), b"\0", key].concat());
        *hash.0.first_chunk().expect("a hash has 32 bytes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pager(question: &str, limit: u64, tokens: Option<u64>) -> Pager {
        Pager::new("a_tool", &question, Limit(limit), MaxTokens(tokens))
    }

    fn shown(number: usize) -> String {
        format!("item {number:04}")
    }

    fn page(pager: &Pager, count: usize, after: Option<usize>) -> Page<String> {
        pager.page_of_all((0..count).collect(), after, |number| *number, shown)
    }

    /// All items, page by page.
    fn walk(count: usize, limit: u64, tokens: Option<u64>) -> (Vec<String>, usize) {
        let pager = pager("q", limit, tokens);
        let (mut cursor, mut seen, mut pages) = (Cursor::default(), Vec::new(), 0);
        loop {
            let after: Option<usize> = pager.after(&cursor).unwrap_or_else(|failure| panic!("{failure}"));
            let page = page(&pager, count, after);
            assert_eq!(page.total_count, Some(count));
            seen.extend(page.items);
            pages += 1;
            match page.cursor {
                Some(next) => cursor = Cursor(Some(next)),
                None => return (seen, pages),
            }
        }
    }

    #[test]
    fn pages_add_up_to_the_whole() {
        let whole: Vec<String> = (0..57).map(shown).collect();
        for (limit, tokens, pages) in
            [(100, None, 1), (57, None, 1), (56, None, 2), (10, None, 6), (1, None, 57), (100, Some(1), 57)]
        {
            assert_eq!(walk(57, limit, tokens), (whole.clone(), pages), "limit {limit}, tokens {tokens:?}");
        }
        assert_eq!(walk(0, 10, None), (Vec::new(), 1));
    }

    #[test]
    fn an_answer_keeps_to_its_tokens() {
        for tokens in [60, 100, 250, 1000] {
            let page = page(&pager("q", 1000, Some(tokens)), 900, None);
            let size = serde_json::to_string(&page).map_or(0, |json| json.len());
            assert!(size <= tokens as usize * 4 && size * 10 > tokens as usize * 20, "{size} bytes for {tokens} tokens");
            assert!(page.cursor.is_some());
        }
    }

    #[test]
    fn a_limit_that_is_too_large_is_cut_and_told() {
        let cut = page(&pager("q", 5000, None), 1200, None);
        assert_eq!((cut.items.len(), cut.overflow, cut.total_count), (1000, Some(true), Some(1200)));
        assert_eq!(page(&pager("q", 1000, None), 1, None).overflow, None);
    }

    #[test]
    fn a_cursor_of_another_call_or_one_that_was_changed_is_refused() {
        let first = page(&pager("q", 10, None), 30, None);
        let cursor = first.cursor.unwrap_or_default();
        let read = |question: &str, text: &str| pager(question, 3, None).after::<usize>(&Cursor(Some(text.to_owned()))).ok();
        assert_eq!(read("q", &cursor), Some(Some(9)), "the limit may change from page to page");
        assert_eq!(read("another", &cursor), None);
        let other = Pager::new("another_tool", &"q", Limit(10), MaxTokens(None));
        assert!(other.after::<usize>(&Cursor(Some(cursor.clone()))).is_err());
        for text in ["", "A", "AQ", "AQEBAQEBAQEB", "!!!", "ü", &cursor[1..], &cursor[..cursor.len() - 1], &format!("{cursor}A")]
        {
            assert_eq!(read("q", text), None, "{text:?}");
        }
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(read("q", &String::from_utf8_lossy(&changed)), None, "{at}");
        }
    }
}
