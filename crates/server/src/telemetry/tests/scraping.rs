//! Metrics as a scraper gets them over HTTP, read by a parser that takes nothing but the text format.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{in_vault, record, refused, total};
use crate::telemetry::{CallRecord, CloudEventSettings, Readings, Settings, Telemetry, VaultReadings, prometheus};

type Labels = BTreeMap<String, String>;

#[derive(Debug, Default)]
struct Scraped {
    kinds: BTreeMap<String, String>,
    samples: Vec<(String, Labels, f64)>,
}

impl Scraped {
    #[track_caller]
    fn one(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let labels: Labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let found: Vec<_> = self.samples.iter().filter(|sample| sample.0 == name && sample.1 == labels).collect();
        let [(_, _, value)] = found[..] else { panic!("{name} {labels:?}: {found:?}") };
        *value
    }
}

/// Every line must be one that the format knows, every sample must follow the type of its name, and no series may come twice.
fn parse(text: &str) -> Scraped {
    let mut scraped = Scraped::default();
    let mut current = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a name and help");
            assert!(!help.is_empty() && !scraped.kinds.contains_key(name), "{line}");
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, kind) = rest.split_once(' ').expect("a name and a type");
            assert!(["counter", "gauge", "histogram"].contains(&kind), "{line}");
            assert!(scraped.kinds.insert(name.to_owned(), kind.to_owned()).is_none(), "{line}");
            name.clone_into(&mut current);
        } else {
            let (name, labels, value) = sample(line);
            let suffix = name.strip_prefix(&*current).expect("a sample of the family above it");
            let is_histogram = scraped.kinds[&current] == "histogram";
            assert_eq!(is_histogram, ["_bucket", "_sum", "_count"].contains(&suffix), "{line}");
            assert!(is_histogram || suffix.is_empty(), "{line}");
            assert!(!scraped.samples.iter().any(|known| known.0 == name && known.1 == labels), "twice: {line}");
            scraped.samples.push((name, labels, value));
        }
    }
    scraped
}

fn sample(line: &str) -> (String, Labels, f64) {
    let end = line.find(['{', ' ']).expect("a name");
    let (name, mut rest) = line.split_at(end);
    assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
    let mut labels = Labels::new();
    if let Some(inside) = rest.strip_prefix('{') {
        rest = inside;
        while !rest.starts_with('}') {
            let (label, value) = rest.split_once("=\"").expect("a label");
            let (value, after) = unescape(value);
            assert!(labels.insert(label.to_owned(), value).is_none(), "{line}");
            rest = after.strip_prefix(',').unwrap_or(after);
        }
        rest = &rest[1..];
    }
    let value = rest.strip_prefix(' ').expect("a value").parse().expect("a number");
    (name.to_owned(), labels, value)
}

/// The value up to its closing quote, and what follows.
fn unescape(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &text[at + 1..]),
            '\\' => match characters.next().map(|(_, escaped)| escaped) {
                Some('n') => value.push('\n'),
                Some(escaped @ ('\\' | '"')) => value.push(escaped),
                other => panic!("no escape: {other:?}"),
            },
            _ => value.push(character),
        }
    }
    panic!("no closing quote: {text}")
}

fn telemetry() -> Telemetry {
    Telemetry::new(Settings::default()).expect("telemetry")
}

#[test]
fn everything_that_is_counted_can_be_read() {
    let telemetry = telemetry();
    telemetry.metrics().read_from(|| Readings {
        vaults: vec![VaultReadings { vault: "main".into(), notes: 12, pending: 3, is_ready: true, history_bytes: Some(4096) }],
        audit_queue: 5,
        audit_dropped: 6,
    });
    telemetry.record(&record());
    telemetry.record(&CallRecord {
        confirmed: Some("elicitation"),
        replayed: true,
        duration: Duration::from_millis(10),
        ..record()
    });
    telemetry.record(&refused("throttled"));
    telemetry.record(&refused("elicit_required"));
    telemetry.record(&CallRecord {
        vault: None,
        tool: "unknown".into(),
        duration: Duration::from_secs(90),
        ..refused("not_found")
    });
    let running = [telemetry.begin(), telemetry.begin()];
    drop(telemetry.begin());
    let scraped = parse(&prometheus::text(&telemetry.metrics().families()));
    drop(running);

    let calls =
        |vault, tool, status| scraped.one("quillgate_tool_calls_total", &[("vault", vault), ("tool", tool), ("status", status)]);
    assert_eq!((calls("main", "read_note", "ok"), calls("main", "read_note", "error")), (2.0, 2.0));
    assert_eq!((calls("", "unknown", "ok"), calls("", "unknown", "error")), (0.0, 1.0));
    let bucket = |tool, bound| scraped.one("quillgate_tool_duration_seconds_bucket", &[("tool", tool), ("le", bound)]);
    assert_eq!((bucket("read_note", "0.001"), bucket("read_note", "0.0025")), (0.0, 3.0));
    assert_eq!((bucket("read_note", "0.005"), bucket("read_note", "0.01"), bucket("read_note", "+Inf")), (3.0, 4.0, 4.0));
    assert_eq!((bucket("unknown", "60"), bucket("unknown", "+Inf")), (0.0, 1.0));
    assert_eq!(scraped.one("quillgate_tool_duration_seconds_sum", &[("tool", "read_note")]), 0.0145);
    assert_eq!(scraped.one("quillgate_tool_duration_seconds_count", &[("tool", "read_note")]), 4.0);
    assert_eq!(scraped.one("quillgate_tool_response_bytes_total", &[("tool", "read_note")]), 8192.0);
    assert_eq!(scraped.one("quillgate_tool_errors_total", &[("code", "not_found")]), 1.0);
    assert_eq!(scraped.one("quillgate_confirmations_total", &[("way", "elicitation")]), 1.0);
    for (name, expected) in [
        ("quillgate_calls_in_flight", 2.0),
        ("quillgate_calls_throttled_total", 1.0),
        ("quillgate_confirmations_required_total", 1.0),
        ("quillgate_idempotent_replays_total", 1.0),
        ("quillgate_audit_queue_length", 5.0),
        ("quillgate_audit_dropped_total", 6.0),
    ] {
        assert_eq!(scraped.one(name, &[]), expected, "{name}");
    }
    for (name, expected) in [
        ("quillgate_index_notes", 12.0),
        ("quillgate_index_pending_files", 3.0),
        ("quillgate_index_ready", 1.0),
        ("quillgate_history_bytes", 4096.0),
    ] {
        assert_eq!(scraped.one(name, &[("vault", "main")]), expected, "{name}");
    }
    assert_eq!(scraped.one("quillgate_build_info", &[("version", env!("CARGO_PKG_VERSION"))]), 1.0);
    assert!(scraped.one("quillgate_uptime_seconds", &[]) >= 0.0 && scraped.one("process_start_time_seconds", &[]) > 1e9);
    assert_eq!(total(&telemetry, "quillgate_calls_in_flight", &[]), 0.0);
    let is_total = |name: &str| name.ends_with("_total");
    assert!(scraped.kinds.iter().all(|(name, kind)| is_total(name) == (kind == "counter")), "{:?}", scraped.kinds);
}

#[test]
fn the_snapshot_says_what_the_scraper_gets() {
    let telemetry = telemetry();
    telemetry.record(&record());
    telemetry.record(&refused("throttled"));
    let scraped = parse(&prometheus::text(&telemetry.metrics().families()));
    let changing = ["quillgate_uptime_seconds", "process_resident_memory_bytes", "process_open_fds"];
    let list = telemetry.metrics().list();
    let buckets = scraped.samples.iter().filter(|(name, ..)| name.ends_with("_bucket")).count();
    assert_eq!(list.len() + buckets, scraped.samples.len());
    for metric in list.iter().filter(|metric| !changing.contains(&&*metric.name)) {
        let labels: Vec<(&str, &str)> = metric.labels.iter().map(|(name, value)| (*name, &**value)).collect();
        assert_eq!(scraped.one(&metric.name, &labels), metric.value);
        let family = metric.name.trim_end_matches("_count").trim_end_matches("_sum");
        assert_eq!(scraped.kinds[family], metric.kind.as_str(), "{metric:?}");
    }
}

#[test]
fn the_snapshot_of_a_vault_does_not_name_others() {
    let telemetry = telemetry();
    ["mine", "theirs"].iter().for_each(|vault| telemetry.record(&in_vault(vault)));
    let list = telemetry.list(Some("mine"));
    assert!(list.iter().any(|metric| metric.label("vault") == Some("mine")));
    assert!(list.iter().all(|metric| metric.label("vault").is_none_or(|vault| vault == "mine")));
    assert!(list.iter().any(|metric| metric.name == "quillgate_uptime_seconds"));
    assert_eq!(telemetry.list(None).len(), list.len() + 2, "ok and error of the other");
}

#[test]
fn the_documentation_names_every_metric_and_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let events = CloudEventSettings::into_folder(folder.path().to_owned(), "urn:test".to_owned());
    let telemetry = Telemetry::new(Settings { otlp: None, cloud_events: Some(events) }).expect("telemetry");
    let vault = VaultReadings { vault: "main".into(), notes: 1, pending: 0, is_ready: true, history_bytes: Some(1) };
    telemetry.metrics().read_from(move || Readings { vaults: vec![vault.clone()], ..Readings::default() });
    telemetry.record(&CallRecord { confirmed: Some("token"), ..refused("throttled") });
    let families = telemetry.metrics().families();
    let served: BTreeSet<&str> = families.iter().map(|family| family.name).collect();
    let text = include_str!("../../../../../docs/observability.md");
    let is_metric = |word: &&str| word.starts_with("quillgate_") || word.starts_with("process_");
    let documented: BTreeSet<&str> = text.split('`').filter(is_metric).collect();
    assert_eq!(documented, served);
}

proptest! {
    #[test]
    fn any_name_of_a_vault_comes_back_as_it_was(vault in "(\\PC|[\\\\\"\n\r\t,={}# ]){0,20}") {
        let telemetry = telemetry();
        telemetry.record(&in_vault(&vault));
        let scraped = parse(&prometheus::text(&telemetry.metrics().families()));
        let labels = [("vault", &*vault), ("tool", "read_note"), ("status", "ok")];
        prop_assert_eq!(scraped.one("quillgate_tool_calls_total", &labels), 1.0);
    }
}

async fn serve(address: &str, telemetry: &Telemetry) -> (SocketAddr, CancellationToken) {
    let listener = TcpListener::bind(address).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let stopping = CancellationToken::new();
    tokio::spawn(prometheus::serve_metrics(listener, telemetry.metrics().clone(), stopping.clone()));
    (address, stopping)
}

async fn get(address: SocketAddr, path: &str, host: &str) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let port = address.port();
    client.get(format!("http://127.0.0.1:{port}{path}")).header("Host", host).send().await.expect("an answer")
}

#[tokio::test]
async fn metrics_have_a_listener_of_their_own() {
    let telemetry = telemetry();
    telemetry.record(&record());
    let (address, stopping) = serve("127.0.0.1:0", &telemetry).await;
    let answer = get(address, "/metrics", "localhost").await;
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    let scraped = parse(&answer.text().await.expect("text"));
    assert_eq!(scraped.one("quillgate_tool_response_bytes_total", &[("tool", "read_note")]), 2048.0);
    assert!(scraped.one("process_resident_memory_bytes", &[]) > 1e6);
    assert_eq!(get(address, "/", "localhost").await.status(), 404);
    assert_eq!(get(address, "/metrics", "127.0.0.1:9090").await.status(), 200);
    assert_eq!(get(address, "/metrics", "evil.example").await.status(), 403, "a page that has rebound its name");
    stopping.cancel();
}

#[tokio::test]
async fn an_address_that_others_reach_goes_by_any_name() {
    let telemetry = telemetry();
    let (address, stopping) = serve("0.0.0.0:0", &telemetry).await;
    assert_eq!(get(address, "/metrics", "quillgate.internal:9090").await.status(), 200);
    stopping.cancel();
}

#[tokio::test]
async fn what_panics_while_it_is_read_fails_one_scrape() {
    let telemetry = Arc::new(telemetry());
    telemetry.metrics().read_from(|| panic!("as it should"));
    let (address, stopping) = serve("127.0.0.1:0", &telemetry).await;
    assert_eq!(get(address, "/metrics", "localhost").await.status(), 500);
    assert_eq!(get(address, "/", "localhost").await.status(), 404);
    stopping.cancel();
}
