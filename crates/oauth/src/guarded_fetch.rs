//! Fetches JSON that a stranger pointed us to, without being led into the operator's own network.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use url::{Host, Url};

use crate::redirect_uri;
use crate::special_addresses::is_special;

/// What a client's document may be long.
pub(crate) const DOCUMENT: usize = 5 * 1024;
/// What a key set may be long.
pub(crate) const KEY_SET: usize = 64 * 1024;

/// One answer for every failure, so that nobody learns from us what is reachable from here; the cause is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it could not be fetched; publish it as JSON at a public https address that answers 200 without redirects")]
pub(crate) struct FetchProblem;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub bytes: Vec<u8>,
    /// What the server says about how long it stays good.
    pub max_age: Option<Duration>,
}

/// The addresses of a name.
pub(crate) type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync>;

#[derive(Clone)]
pub struct FetchSettings {
    pub lookup: Lookup,
    /// Special addresses that may be reached all the same.
    pub allowed: Vec<IpNet>,
    /// Trusted beside the system's.
    pub roots: Vec<reqwest::Certificate>,
    /// For everything, from the lookup to the last byte.
    pub timeout: Duration,
}

impl Default for FetchSettings {
    fn default() -> Self {
        FetchSettings {
            lookup: Arc::new(|name| look_up(name).boxed()),
            allowed: Vec::new(),
            roots: Vec::new(),
            timeout: Duration::from_secs(5),
        }
    }
}

async fn look_up(name: String) -> io::Result<Vec<IpAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
}

#[derive(Clone)]
pub(crate) struct GuardedFetch {
    client: reqwest::Client,
    allowed: Arc<[IpNet]>,
    timeout: Duration,
}

impl GuardedFetch {
    pub(crate) fn new(settings: FetchSettings) -> Result<GuardedFetch, reqwest::Error> {
        let allowed: Arc<[IpNet]> = settings.allowed.into();
        let mut client = reqwest::Client::builder()
            .dns_resolver(VettedLookup { lookup: settings.lookup, allowed: Arc::clone(&allowed) })
            .https_only(true)
            .http1_only()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .referer(false)
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            // A connection that is kept would not be judged again.
            .pool_max_idle_per_host(0)
            .timeout(settings.timeout)
            .user_agent(concat!("quillgate/", env!("CARGO_PKG_VERSION")));
        if !settings.roots.is_empty() {
            client = client.tls_certs_merge(settings.roots);
        }
        Ok(GuardedFetch { client: client.build()?, allowed, timeout: settings.timeout })
    }

    /// The JSON at an address, of at most so many bytes.
    pub(crate) async fn get_json(&self, address: &str, most: usize) -> Result<Fetched, FetchProblem> {
        let fetched = tokio::time::timeout(self.timeout, self.fetch(address, most)).await;
        fetched.unwrap_or(Err(Cause::Slow)).map_err(|cause| {
            tracing::debug!(address, %cause, "a document was not fetched");
            FetchProblem
        })
    }

    async fn fetch(&self, address: &str, most: usize) -> Result<Fetched, Cause> {
        let url = self.vet(address)?;
        let request = self.client.get(url).header(ACCEPT, "application/json").header(ACCEPT_ENCODING, "identity");
        let mut response = request.send().await?;
        if response.status() != reqwest::StatusCode::OK {
            return Err(Cause::Status(response.status().as_u16()));
        }
        if !is_plain_json(response.headers()) {
            return Err(Cause::Type);
        }
        let is_long = |length: u64| length > most as u64;
        if response.content_length().is_some_and(is_long) {
            return Err(Cause::Long);
        }
        let max_age = max_age(response.headers());
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if bytes.len() + chunk.len() > most {
                return Err(Cause::Long);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Fetched { bytes, max_age })
    }

    /// Literal addresses are judged here, because the connector never asks the resolver for them.
    fn vet(&self, address: &str) -> Result<Url, Cause> {
        redirect_uri::check_https(address).map_err(|_| Cause::Address)?;
        let url = Url::parse(address).map_err(|_| Cause::Address)?;
        let literal = match url.host().ok_or(Cause::Address)? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        match literal {
            Some(address) if !may_reach(address, &self.allowed) => Err(Cause::Address),
            _ => Ok(url),
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error("the address is not a public https address")]
    Address,
    #[error("it took too long")]
    Slow,
    #[error("status {0}")]
    Status(u16),
    #[error("it is not plain JSON")]
    Type,
    #[error("it is too long")]
    Long,
    #[error("{0:?}")]
    Connection(#[from] reqwest::Error),
}

fn may_reach(address: IpAddr, allowed: &[IpNet]) -> bool {
    !is_special(address) || allowed.iter().any(|network| network.contains(&address))
}

/// Gives the connector only addresses that may be reached, and those are the ones it connects to: no second lookup can
/// give it others.
struct VettedLookup {
    lookup: Lookup,
    allowed: Arc<[IpNet]>,
}

impl Resolve for VettedLookup {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.lookup)(name.as_str().to_owned());
        let allowed = Arc::clone(&self.allowed);
        Box::pin(async move {
            let good: Vec<IpAddr> = found.await?.into_iter().filter(|address| may_reach(*address, &allowed)).collect();
            if good.is_empty() {
                return Err(Box::from("no public address"));
            }
            Ok(Box::new(good.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

fn is_plain_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let is_json = essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"));
    is_json && headers.get_all(CONTENT_ENCODING).iter().all(|coding| coding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    let directives: Vec<String> = values.flat_map(|value| value.split(',')).map(|one| one.trim().to_ascii_lowercase()).collect();
    if directives.iter().any(|one| one == "no-store" || one == "no-cache" || one.starts_with("no-cache=")) {
        return Some(Duration::ZERO);
    }
    let seconds = directives.iter().find_map(|one| one.strip_prefix("max-age="))?.trim_matches('"');
    seconds.parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::tls_fixture::{Fixture, answer, json};

    impl Fixture {
        pub(crate) fn fetch(&self) -> GuardedFetch {
            GuardedFetch::new(self.settings()).unwrap()
        }
    }

    async fn get(fixture: &Fixture, path: &str) -> Result<Fetched, FetchProblem> {
        fixture.fetch().get_json(&fixture.address(path), DOCUMENT).await
    }

    #[tokio::test]
    async fn a_document_is_fetched_with_its_age() {
        let fixture = Fixture::start(|_| {
            answer("200 OK", "content-type: Application/JSON; charset=utf-8\r\ncache-control: public, max-age=600", "{}")
        })
        .await;
        let fetched = get(&fixture, "/client.json").await.unwrap();
        assert_eq!(fetched, Fetched { bytes: b"{}".to_vec(), max_age: Some(Duration::from_secs(600)) });
        assert_eq!(fixture.connections(), 1);
        let request = fixture.requests().remove(0).to_ascii_lowercase();
        assert!(
            request.starts_with("get /client.json http/1.1\r\n") && request.contains("accept-encoding: identity"),
            "{request}"
        );
        assert!(!request.contains("cookie") && !request.contains("authorization") && !request.contains("referer"), "{request}");
    }

    #[tokio::test]
    async fn special_addresses_are_refused_without_connecting() {
        let fixture = Fixture::start(|_| json("{}")).await;
        let port = fixture.port();
        for special in [
            "127.0.0.1",
            "10.0.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
        ] {
            let special: IpAddr = special.parse().unwrap();
            let settings =
                FetchSettings { lookup: Arc::new(move |_| async move { Ok(vec![special]) }.boxed()), ..fixture.settings() };
            let fetch = GuardedFetch::new(FetchSettings { allowed: Vec::new(), ..settings }).unwrap();
            assert_eq!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await, Err(FetchProblem), "{special}");
            let literal = if special.is_ipv6() { format!("[{special}]") } else { special.to_string() };
            assert_eq!(fetch.get_json(&format!("https://{literal}:{port}/c"), DOCUMENT).await, Err(FetchProblem), "{special}");
        }
        for odd in [
            "https://localhost./c",
            "https://0x7f.1/c",
            "https://2130706433/c",
            "http://app.test/c",
            "ftp://app.test/c",
            "https://u@app.test/c",
            "x",
        ] {
            let fetch = GuardedFetch::new(FetchSettings { allowed: Vec::new(), ..fixture.settings() }).unwrap();
            assert_eq!(fetch.get_json(odd, DOCUMENT).await, Err(FetchProblem), "{odd}");
        }
        assert_eq!(fixture.connections(), 0);
    }

    #[tokio::test]
    async fn a_name_that_changes_its_address_after_the_check_gains_nothing() {
        let fixture = Fixture::start(|_| json("{}")).await;
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let lookup: Lookup = Arc::new(move |_| {
            let first = counter.fetch_add(1, Ordering::SeqCst) == 0;
            // The first is the fixture's own, which this test allows; the second would be another machine of this network.
            async move { Ok(vec![if first { "127.0.0.1" } else { "127.0.0.2" }.parse().unwrap()]) }.boxed()
        });
        let settings = FetchSettings { lookup, allowed: vec!["127.0.0.1/32".parse().unwrap()], ..fixture.settings() };
        let fetch = GuardedFetch::new(settings).unwrap();
        assert!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await.is_ok());
        assert_eq!(asked.load(Ordering::SeqCst), 1, "one lookup for check and connection");
        assert_eq!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await, Err(FetchProblem));
        assert_eq!((asked.load(Ordering::SeqCst), fixture.connections()), (2, 1), "the next fetch asks and judges anew");
    }

    #[tokio::test]
    async fn of_several_addresses_only_public_ones_are_used() {
        let fixture = Fixture::start(|_| json("{}")).await;
        let mixed = ["10.0.0.1", "::1", "127.0.0.1"].map(|address| address.parse::<IpAddr>().unwrap()).to_vec();
        let lookup: Lookup = Arc::new(move |_| futures::future::ready(Ok(mixed.clone())).boxed());
        let fetch = GuardedFetch::new(FetchSettings { lookup, ..fixture.settings() }).unwrap();
        assert!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await.is_ok());
    }

    #[tokio::test]
    async fn everything_but_plain_json_with_200_is_one_and_the_same_failure() {
        let fixture = Fixture::start(|path| match path {
            "/redirect" => {
                answer("302 Found", "location: https://169.254.169.254/latest\r\ncontent-type: application/json", "{}")
            }
            "/missing" => answer("404 Not Found", "content-type: application/json", "{}"),
            "/broken" => answer("500 Internal Server Error", "content-type: application/json", "{}"),
            "/created" => answer("201 Created", "content-type: application/json", "{}"),
            "/html" => answer("200 OK", "content-type: text/html", "{}"),
            "/untyped" => answer("200 OK", "x-nothing: 1", "{}"),
            "/gzip" => answer("200 OK", "content-type: application/json\r\ncontent-encoding: gzip", "{}"),
            "/long" => json(&"a".repeat(DOCUMENT + 1)),
            "/endless" => {
                let chunk = format!("400\r\n{}\r\n", "a".repeat(0x400));
                format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{}",
                    chunk.repeat(2000)
                )
                .into_bytes()
            }
            "/lies" => b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n{".to_vec(),
            "/garbage" => b"\0\0\0".to_vec(),
            "/cut" => b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{".to_vec(),
            _ => json(&"a".repeat(DOCUMENT)),
        })
        .await;
        for path in [
            "/redirect",
            "/missing",
            "/broken",
            "/created",
            "/html",
            "/untyped",
            "/gzip",
            "/long",
            "/endless",
            "/lies",
            "/garbage",
            "/cut",
        ] {
            assert_eq!(get(&fixture, path).await, Err(FetchProblem), "{path}");
        }
        assert_eq!(fixture.connections(), 12, "the redirect was not followed");
        assert_eq!(get(&fixture, "/whole").await.unwrap().bytes.len(), DOCUMENT);
    }

    #[tokio::test]
    async fn a_server_that_drips_or_hangs_is_left() {
        // A promise of ten bytes of which one comes, on a connection that stays open.
        let fixture = Fixture::start_hanging(|path| match path {
            "/drip" => b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{".to_vec(),
            _ => Vec::new(),
        })
        .await;
        let fetch = GuardedFetch::new(FetchSettings { timeout: Duration::from_millis(300), ..fixture.settings() }).unwrap();
        for path in ["/drip", "/hang"] {
            assert_eq!(fetch.get_json(&fixture.address(path), DOCUMENT).await, Err(FetchProblem), "{path}");
        }
        let never: Lookup = Arc::new(|_| futures::future::pending().boxed());
        let fetch =
            GuardedFetch::new(FetchSettings { timeout: Duration::from_millis(50), lookup: never, ..fixture.settings() }).unwrap();
        assert_eq!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await, Err(FetchProblem));
    }

    #[tokio::test]
    async fn a_certificate_of_nobody_we_trust_is_refused() {
        let (fixture, other) = (Fixture::start(|_| json("{}")).await, Fixture::start(|_| json("{}")).await);
        let fetch = GuardedFetch::new(FetchSettings { roots: other.settings().roots, ..fixture.settings() }).unwrap();
        assert_eq!(fetch.get_json(&fixture.address("/c"), DOCUMENT).await, Err(FetchProblem));
        assert!(fixture.requests().is_empty());
    }

    #[test]
    fn the_usual_settings_allow_nothing_special() {
        let fetch = GuardedFetch::new(FetchSettings::default()).unwrap();
        assert!(fetch.vet("https://127.0.0.1/c").is_err() && fetch.vet("https://8.8.8.8/c").is_ok());
    }

    #[test]
    fn the_age_is_read_from_cache_control() {
        for (header, expected) in [
            ("max-age=60", Some(60)),
            ("public, Max-Age=\"60\"", Some(60)),
            ("no-store, max-age=60", Some(0)),
            ("no-cache", Some(0)),
            ("max-age=-1", None),
            ("max-age=99999999999999999999999", None),
            ("private", None),
        ] {
            let headers = HeaderMap::from_iter([(CACHE_CONTROL, header.parse().unwrap())]);
            assert_eq!(max_age(&headers), expected.map(Duration::from_secs), "{header}");
        }
    }
}
