//! The newspaper's articles, with much that is nobody's business.

use std::sync::LazyLock;

use serde_json::{Value, json};

static ARTICLES: LazyLock<Vec<Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../articles.json")).expect("articles.json is a list"));

/// A page of the articles that have the words in headline or preamble, whatever the case, as the site answers it.
pub(crate) fn search(words: &str, limit: usize, page: usize) -> Value {
    let words = words.to_lowercase();
    let has_words = |article: &&Value| {
        ["headline", "preamble"]
            .iter()
            .any(|field| article[*field].as_str().is_some_and(|text| text.to_lowercase().contains(&words)))
    };
    let found: Vec<&Value> = ARTICLES.iter().filter(has_words).collect();
    let shown: Vec<&Value> = found.iter().skip(page.saturating_mul(limit)).take(limit).copied().collect();
    json!({"total": found.len(), "page": page, "node": "search-3.internal", "tookMs": 4, "articles": shown})
}
