//! Secrets that would be recognised anywhere are used in every way, and then looked for where they must not be.
#![expect(clippy::disallowed_methods, reason = "the test's own folder")]

use std::fs;

use url::Url;

use super::collector::{Collector, Reply, hasty};
use super::{Log, PATIENCE, eventually, record, refused, total};
use crate::telemetry::{CloudEventSettings, OtlpSettings, Settings, Telemetry, prometheus};

const KEY: &str = "canary-key-1f6ab2";
const PASSWORD: &str = "canary-password-77d0e3";
const IN_ADDRESS: &str = "canary-query-09c5d4";

fn secretive(endpoint: &str) -> OtlpSettings {
    let mut endpoint = Url::parse(endpoint).expect("a URL");
    endpoint.set_password(Some(PASSWORD)).and_then(|()| endpoint.set_username("user")).expect("a URL with a host");
    endpoint.set_query(Some(&format!("key={IN_ADDRESS}")));
    OtlpSettings { headers: vec![("X-Api-Key".to_owned(), KEY.into())], ..hasty(endpoint) }
}

#[test]
fn secrets_of_the_exporter_reach_the_collector_and_nobody_else() {
    let log = Log::start();
    let folder = tempfile::tempdir().expect("a folder");
    let elsewhere = Collector::answering(&[]);
    let redirect = Reply { headers: vec![("Location", elsewhere.url().to_string())], ..Reply::status(307) };
    let collector = Collector::answering(&[Reply::status(503), redirect]);
    let events = || CloudEventSettings::into_folder(folder.path().to_owned(), "urn:test".to_owned());

    let settings = Settings { otlp: Some(secretive(collector.url().as_str())), cloud_events: Some(events()) };
    let mut shown = format!("{settings:?} {:#?}", settings.otlp);
    let telemetry = Telemetry::new(settings).expect("telemetry");
    telemetry.record(&record());
    let received = collector.next();
    assert_eq!(received.headers["x-api-key"], KEY);
    assert!(received.headers["authorization"].to_str().is_ok_and(|value| value.starts_with("Basic ")));
    assert_eq!(received.path, format!("/v1/traces?key={IN_ADDRESS}"));
    collector.next();
    eventually("the redirect is not followed", || {
        total(&telemetry, "quillgate_exporter_dropped_total", &[("exporter", "otlp")]) == 1.0
    });
    assert!(elsewhere.rest().is_empty());
    shown += &prometheus::text(&telemetry.metrics().families());
    telemetry.finish(PATIENCE);

    // A collector that is not there, and settings that cannot work.
    let dead = secretive(&format!("http://{}", Collector::nowhere()));
    let telemetry = Telemetry::new(Settings { otlp: Some(dead), cloud_events: Some(events()) }).expect("telemetry");
    telemetry.record(&refused("throttled"));
    eventually("it fails", || total(&telemetry, "quillgate_exporter_failures_total", &[("exporter", "otlp")]) >= 1.0);
    telemetry.finish(PATIENCE);
    let broken =
        OtlpSettings { headers: vec![("X-Api-Key".to_owned(), format!("{KEY}\n").into())], ..secretive("http://localhost") };
    let error = Telemetry::new(Settings { otlp: Some(broken), cloud_events: None }).err().expect("a header of two lines");
    let no_http =
        Telemetry::new(Settings { otlp: Some(secretive("ftp://localhost")), cloud_events: None }).err().expect("no http");
    shown += &format!("{error:?} {error:#} {no_http:?}");

    let files: String = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|file| fs::read_to_string(file.expect("a file").path()).expect("text"))
        .collect();
    let logged = log.text();
    assert!(
        logged.contains("refused") && logged.contains("cannot be exported") && logged.contains("Connection refused"),
        "{logged}"
    );
    assert!(shown.contains("X-Api-Key") && files.contains("throttled"));
    let basic = received.headers["authorization"].to_str().expect("text")["Basic ".len()..].to_owned();
    for secret in [KEY, PASSWORD, IN_ADDRESS, &basic] {
        for (place, text) in [("log", &logged), ("debug output", &shown), ("events", &files)] {
            assert!(!text.contains(secret), "{secret} stands in the {place}: {text}");
        }
    }
}

#[test]
fn a_collector_that_is_away_is_mentioned_once_a_minute() {
    let log = Log::start();
    let dead = Url::parse(&format!("http://{}", Collector::nowhere())).expect("a URL");
    let telemetry = Telemetry::new(Settings { otlp: Some(hasty(dead)), cloud_events: None }).expect("telemetry");
    let before = log.text().matches("cannot be exported").count();
    telemetry.record(&record());
    eventually("it fails often", || total(&telemetry, "quillgate_exporter_failures_total", &[("exporter", "otlp")]) >= 4.0);
    let said = log.text().matches("cannot be exported").count() - before;
    // Tests of the same process may have their say, too.
    assert!((1..=2).contains(&said), "{said}");
}
