//! The documents that client ids lead to and the keys that clients publish, fetched once and kept for a while.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use url::Url;

use crate::client_metadata::{ClientMetadata, MetadataProblem, check_document_id};
use crate::guarded_fetch::{DOCUMENT, FetchProblem, GuardedFetch, KEY_SET};
use crate::key_set::{KeySet, KeySetProblem};
use crate::redirect_uri::RedirectPolicy;
use crate::resource::split_root;

const MOST: usize = 1_000;
const AT_ONCE: usize = 16;
const SHORTEST: i64 = 60;
const LONGEST: i64 = 24 * 60 * 60;
/// Without word from the server.
const USUAL: i64 = 60 * 60;
/// After a failure nobody is asked again for so long, however often we are.
const BACK_OFF: i64 = 30;
/// How often keys are fetched anew for an id that they lack.
const KEY_CHECK: i64 = 60;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DocumentProblem {
    #[error("client id documents of {0} are not accepted here; ask the operator to allow its host")]
    Host(String),
    #[error("the client id is an address of this server")]
    Own,
    #[error("{0}")]
    Metadata(#[from] MetadataProblem),
    #[error("the key set {0}")]
    Keys(#[from] KeySetProblem),
    #[error(transparent)]
    Fetch(#[from] FetchProblem),
}

/// Times are seconds since 1970, passed in.
pub(crate) struct ClientDocuments {
    fetch: GuardedFetch,
    issuer: String,
    /// Hosts, `*.` before one meaning all below it; empty means all.
    hosts: Vec<String>,
    policy: RedirectPolicy,
    turns: Semaphore,
    documents: Kept<ClientMetadata>,
    keys: Kept<KeySet>,
}

impl ClientDocuments {
    pub(crate) fn new(fetch: GuardedFetch, issuer: &str, hosts: Vec<String>, policy: RedirectPolicy) -> ClientDocuments {
        let (documents, keys) = (Kept::new(MOST), Kept::new(MOST));
        ClientDocuments { fetch, issuer: issuer.to_owned(), hosts, policy, turns: Semaphore::new(AT_ONCE), documents, keys }
    }

    /// What the document behind a client id says.
    pub(crate) async fn find(&self, id: &str, now: i64) -> Result<Arc<ClientMetadata>, DocumentProblem> {
        self.vet(id)?;
        let fetch = async || {
            let _turn = self.turns.acquire().await.map_err(|_| FetchProblem)?;
            let fetched = self.fetch.get_json(id, DOCUMENT).await?;
            Ok((ClientMetadata::from_document(id, &fetched.bytes, &self.policy)?, fetched.max_age))
        };
        self.documents.get(id, now, |_| true, fetch).await
    }

    /// The keys at an address; when they lack the wanted one, fetched anew, but not more often than once a minute.
    pub(crate) async fn find_keys(&self, address: &str, wanted: Option<&str>, now: i64) -> Result<Arc<KeySet>, DocumentProblem> {
        if is_under(address, &self.issuer) {
            return Err(DocumentProblem::Own);
        }
        let fetch = async || {
            let _turn = self.turns.acquire().await.map_err(|_| FetchProblem)?;
            let fetched = self.fetch.get_json(address, KEY_SET).await?;
            Ok((KeySet::parse(&fetched.bytes)?, fetched.max_age))
        };
        self.keys.get(address, now, |keys| wanted.is_none_or(|id| keys.contains(id)), fetch).await
    }

    fn vet(&self, id: &str) -> Result<(), DocumentProblem> {
        check_document_id(id)?;
        if is_under(id, &self.issuer) {
            return Err(DocumentProblem::Own);
        }
        let host = Url::parse(id).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let is_allowed = |allowed: &String| match allowed.strip_prefix("*.") {
            Some(parent) => host.strip_suffix(parent).is_some_and(|start| start.len() > 1 && start.ends_with('.')),
            None => *allowed == host,
        };
        if self.hosts.is_empty() || self.hosts.iter().any(is_allowed) { Ok(()) } else { Err(DocumentProblem::Host(host)) }
    }
}

/// Fetching from ourselves could go round for ever.
fn is_under(address: &str, issuer: &str) -> bool {
    match (split_root(address), split_root(issuer)) {
        (Some((root, path)), Some((own, base))) => root == own && path.starts_with(base),
        _ => false,
    }
}

/// At most so many things by address, each fetched by one at a time.
struct Kept<T> {
    most: usize,
    entries: Mutex<Entries<T>>,
}

struct Entries<T> {
    /// With when they were last asked for, counted in questions.
    by_address: HashMap<String, (u64, SharedEntry<T>)>,
    questions: u64,
}

type SharedEntry<T> = Arc<tokio::sync::Mutex<Entry<T>>>;

struct Entry<T> {
    value: Option<Value<T>>,
    /// When it was last fetched or tried to be.
    tried: i64,
    failure: Option<DocumentProblem>,
}

struct Value<T> {
    value: Arc<T>,
    fetched: i64,
    fresh_until: i64,
}

impl<T> Kept<T> {
    fn new(most: usize) -> Kept<T> {
        Kept { most, entries: Mutex::new(Entries { by_address: HashMap::new(), questions: 0 }) }
    }

    async fn get<F>(
        &self,
        address: &str,
        now: i64,
        has_wanted: impl Fn(&T) -> bool,
        fetch: impl FnOnce() -> F,
    ) -> Result<Arc<T>, DocumentProblem>
    where
        F: Future<Output = Result<(T, Option<Duration>), DocumentProblem>>,
    {
        let entry = self.entry(address);
        // Whoever comes while it is fetched waits here, and then finds it.
        let mut entry = entry.lock().await;
        if let Some(kept) = entry.find(now, has_wanted) {
            return kept;
        }
        entry.tried = now;
        match fetch().await {
            Ok((value, age)) => {
                let age = age.map_or(USUAL, |age| i64::try_from(age.as_secs()).unwrap_or(LONGEST)).clamp(SHORTEST, LONGEST);
                let value = Arc::new(value);
                entry.value = Some(Value { value: Arc::clone(&value), fetched: now, fresh_until: now + age });
                entry.failure = None;
                Ok(value)
            }
            Err(problem) => {
                // A server that cannot be reached says nothing about what it said before; one that now says something
                // wrong has taken it back.
                if !matches!(problem, DocumentProblem::Fetch(_)) {
                    entry.value = None;
                }
                entry.failure = Some(problem.clone());
                entry.stale(now).ok_or(problem)
            }
        }
    }

    fn entry(&self, address: &str) -> SharedEntry<T> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.questions += 1;
        let question = entries.questions;
        if !entries.by_address.contains_key(address) && entries.by_address.len() >= self.most {
            let oldest = entries.by_address.iter().min_by_key(|(_, (asked, _))| *asked).map(|(address, _)| address.clone());
            oldest.map(|oldest| entries.by_address.remove(&oldest));
        }
        let new = || Arc::new(tokio::sync::Mutex::new(Entry { value: None, tried: 0, failure: None }));
        let (asked, entry) = entries.by_address.entry(address.to_owned()).or_insert_with(|| (question, new()));
        *asked = question;
        Arc::clone(entry)
    }
}

impl<T> Entry<T> {
    /// What can be answered without fetching.
    fn find(&self, now: i64, has_wanted: impl Fn(&T) -> bool) -> Option<Result<Arc<T>, DocumentProblem>> {
        if let Some(problem) = self.failure.as_ref().filter(|_| now < self.tried + BACK_OFF) {
            return Some(self.stale(now).ok_or_else(|| problem.clone()));
        }
        let kept = self.value.as_ref().filter(|kept| now < kept.fresh_until)?;
        let is_enough = has_wanted(&kept.value) || now < self.tried + KEY_CHECK;
        is_enough.then(|| Ok(Arc::clone(&kept.value)))
    }

    fn stale(&self, now: i64) -> Option<Arc<T>> {
        self.value.as_ref().filter(|kept| now < kept.fetched + LONGEST).map(|kept| Arc::clone(&kept.value))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use serde_json::json;

    use super::*;
    use crate::key_set::tests::Signer;
    use crate::tls_fixture::{self, Fixture, answer};

    const NOW: i64 = 1_800_000_000;

    fn documents(fixture: &Fixture) -> ClientDocuments {
        ClientDocuments::new(fixture.fetch(), "https://notes.example", Vec::new(), RedirectPolicy::default())
    }

    /// A server with a document at every path, which names itself, and a switch to break it.
    async fn server(cache_control: &'static str) -> (Fixture, Arc<AtomicBool>) {
        let (broken, port) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (is_broken, own_port) = (Arc::clone(&broken), Arc::clone(&port));
        let fixture = Fixture::start(move |path| {
            if is_broken.load(Ordering::SeqCst) {
                return answer("404 Not Found", "content-type: application/json", "{}");
            }
            let id = format!("https://app.test:{}{path}", own_port.load(Ordering::SeqCst));
            let document = json!({ "client_id": id, "client_name": "App", "redirect_uris": ["http://localhost/callback"] });
            answer("200 OK", &format!("content-type: application/json\r\ncache-control: {cache_control}"), &document.to_string())
        })
        .await;
        port.store(fixture.port().into(), Ordering::SeqCst);
        (fixture, broken)
    }

    #[tokio::test]
    async fn a_document_is_kept_as_long_as_it_says_within_bounds() {
        for (cache_control, lifetime) in
            [("max-age=600", 600), ("no-store", 60), ("max-age=1", 60), ("max-age=9999999", LONGEST), ("x", USUAL)]
        {
            let (fixture, _) = server(cache_control).await;
            let documents = documents(&fixture);
            let id = fixture.address("/client.json");
            for (now, connections) in [(NOW, 1), (NOW + lifetime - 1, 1), (NOW + lifetime, 2)] {
                assert_eq!(documents.find(&id, now).await.unwrap().client_name.as_deref(), Some("App"));
                assert_eq!(fixture.connections(), connections, "{cache_control} at {}", now - NOW);
            }
        }
    }

    #[tokio::test]
    async fn a_failure_is_not_a_document_and_is_not_repeated_at_once() {
        let (fixture, broken) = server("max-age=600").await;
        let documents = documents(&fixture);
        let id = fixture.address("/client.json");
        broken.store(true, Ordering::SeqCst);
        for _ in 0..20 {
            assert_eq!(documents.find(&id, NOW).await, Err(DocumentProblem::Fetch(FetchProblem)));
        }
        assert_eq!(fixture.connections(), 1, "asking us twenty times asks it once");
        broken.store(false, Ordering::SeqCst);
        assert!(documents.find(&id, NOW + BACK_OFF - 1).await.is_err());
        assert!(documents.find(&id, NOW + BACK_OFF).await.is_ok());
    }

    #[tokio::test]
    async fn a_good_document_outlives_failures_for_a_day() {
        let (fixture, broken) = server("max-age=60").await;
        let documents = documents(&fixture);
        let id = fixture.address("/client.json");
        documents.find(&id, NOW).await.unwrap();
        broken.store(true, Ordering::SeqCst);
        for (now, connections) in [(NOW + 60, 2), (NOW + 61, 2), (NOW + 3600, 3), (NOW + LONGEST - 1, 4)] {
            assert!(documents.find(&id, now).await.is_ok(), "{}", now - NOW);
            assert_eq!(fixture.connections(), connections, "{}", now - NOW);
        }
        assert!(documents.find(&id, NOW + LONGEST).await.is_err());
    }

    #[tokio::test]
    async fn a_document_that_was_taken_back_is_gone() {
        let good = Arc::new(AtomicBool::new(true));
        let is_good = Arc::clone(&good);
        let signer = Signer::ed25519("a");
        let keys = json!({ "keys": [signer.public] }).to_string();
        let fixture =
            Fixture::start(move |_| tls_fixture::json(if is_good.load(Ordering::SeqCst) { &keys } else { "{\"keys\":[]}" }))
                .await;
        let documents = documents(&fixture);
        let address = fixture.address("/jwks.json");
        assert!(documents.find_keys(&address, None, NOW).await.is_ok());
        good.store(false, Ordering::SeqCst);
        let gone = documents.find_keys(&address, None, NOW + USUAL).await;
        assert_eq!(gone.unwrap_err(), DocumentProblem::Keys(KeySetProblem::NotPublic));
    }

    #[tokio::test]
    async fn many_at_once_are_one_fetch() {
        let (fixture, _) = server("max-age=600").await;
        let documents = documents(&fixture);
        let id = fixture.address("/client.json");
        let found = futures::future::join_all((0..50).map(|_| documents.find(&id, NOW))).await;
        assert!(found.iter().all(Result::is_ok));
        assert_eq!(fixture.connections(), 1);
    }

    #[tokio::test]
    async fn ids_that_may_not_be_fetched_are_not() {
        let (fixture, _) = server("max-age=600").await;
        let issuer = fixture.address("");
        let own = ClientDocuments::new(fixture.fetch(), &issuer, Vec::new(), RedirectPolicy::default());
        for id in [fixture.address("/client.json"), fixture.address("/oauth/authorize")] {
            assert_eq!(own.find(&id, NOW).await, Err(DocumentProblem::Own));
            assert_eq!(own.find_keys(&id, None, NOW).await.unwrap_err(), DocumentProblem::Own);
        }
        let hosts = vec!["claude.ai".to_owned(), "*.test.example".to_owned()];
        let chosen = ClientDocuments::new(fixture.fetch(), "https://notes.example", hosts, RedirectPolicy::default());
        assert_eq!(chosen.find(&fixture.address("/c"), NOW).await, Err(DocumentProblem::Host("app.test".into())));
        for id in ["https://evilclaude.ai/c", "https://a.claude.ai/c", "https://test.example/c", "https://eviltest.example/c"] {
            assert!(matches!(chosen.find(id, NOW).await, Err(DocumentProblem::Host(_))), "{id}");
        }
        assert_eq!(chosen.vet("https://a.test.example/c"), Ok(()));
        assert_eq!(chosen.vet("https://claude.ai/c"), Ok(()));
        assert_eq!(own.vet("https://notes.example:443/c"), Ok(()));
        assert_eq!(chosen.vet("https://notes.example:443/c"), Err(DocumentProblem::Own));
        for id in ["http://app.test/c", "https://app.test", "https://app.test/#x", "qgc_x"] {
            assert!(matches!(own.find(id, NOW).await, Err(DocumentProblem::Metadata(_))), "{id}");
        }
        assert_eq!(fixture.connections(), 0);
    }

    #[tokio::test]
    async fn a_document_that_names_another_id_is_refused() {
        let (fixture, _) = server("max-age=600").await;
        let id = fixture.address("/c").replace("app.test", "other.test");
        assert!(matches!(documents(&fixture).find(&id, NOW).await, Err(DocumentProblem::Metadata(_))));
    }

    #[tokio::test]
    async fn keys_are_fetched_anew_for_an_unknown_id_once_a_minute() {
        let rotated = Arc::new(AtomicBool::new(false));
        let is_rotated = Arc::clone(&rotated);
        let (old, new) = (Signer::ed25519("old").public, Signer::ed25519("new").public);
        let fixture = Fixture::start(move |_| {
            let keys = if is_rotated.load(Ordering::SeqCst) { vec![&old, &new] } else { vec![&old] };
            tls_fixture::json(&json!({ "keys": keys }).to_string())
        })
        .await;
        let documents = documents(&fixture);
        let address = fixture.address("/jwks.json");
        assert!(documents.find_keys(&address, Some("old"), NOW).await.unwrap().contains("old"));
        rotated.store(true, Ordering::SeqCst);
        for number in 0..100 {
            let flood = documents.find_keys(&address, Some(&number.to_string()), NOW + 59).await.unwrap();
            assert!(!flood.contains("new"));
        }
        assert_eq!(fixture.connections(), 1);
        assert!(documents.find_keys(&address, Some("new"), NOW + 60).await.unwrap().contains("new"));
        assert_eq!(fixture.connections(), 2);
    }

    #[tokio::test]
    async fn what_is_kept_is_bounded_and_the_longest_unasked_goes() {
        let kept: Kept<&str> = Kept::new(3);
        let fetches = AtomicUsize::new(0);
        let get = async |address: &str| {
            let fetch = async || {
                fetches.fetch_add(1, Ordering::SeqCst);
                Ok(("x", None))
            };
            kept.get(address, NOW, |_| true, fetch).await.unwrap();
            fetches.load(Ordering::SeqCst)
        };
        for (address, expected) in [("a", 1), ("b", 2), ("c", 3), ("a", 3), ("d", 4), ("a", 4), ("c", 4), ("b", 5)] {
            assert_eq!(get(address).await, expected, "{address}");
        }
        assert_eq!(kept.entries.lock().unwrap().by_address.len(), 3);
    }
}
