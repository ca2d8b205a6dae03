//! More records than anybody takes.

use std::time::{Duration, Instant};

use tracing_subscriber::filter::LevelFilter;
use url::Url;

use super::collector::{Collector, hasty};
use super::{record, refused, total};
use crate::telemetry::{CallRecord, CloudEventSettings, OtlpSettings, Settings, Telemetry};

const FLOOD: u32 = 100_000;

#[test]
fn a_dead_collector_and_a_dead_disk_cost_no_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let in_the_way = folder.path().join("events");
    #[expect(clippy::disallowed_methods, reason = "the test's own folder")]
    std::fs::write(&in_the_way, "no folder").expect("a file");
    let dead = Url::parse(&format!("http://{}", Collector::nowhere())).expect("a URL");
    let otlp = OtlpSettings { backoff: Duration::from_secs(5), ..hasty(dead) };
    let cloud_events = CloudEventSettings::into_folder(in_the_way, "urn:test".to_owned());
    let telemetry = Telemetry::new(Settings { otlp: Some(otlp), cloud_events: Some(cloud_events) }).expect("telemetry");
    let memory = || total(&telemetry, "process_resident_memory_bytes", &[]);
    let about = |name: &str, exporter: &str| total(&telemetry, name, &[("exporter", exporter)]);

    // What is kept of a flood is kept after its first part.
    let flood = |count: u32| {
        let started = Instant::now();
        for number in 0..count {
            telemetry.record(&CallRecord { args_hash: format!("{number:032x}"), ..record() });
        }
        started.elapsed()
    };
    flood(10_000);
    let before = memory();
    let took = flood(FLOOD);
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(memory() - before < 8e6, "{before} grew to {}", memory());

    assert!(about("quillgate_exporter_queue_length", "otlp") <= 2048.0);
    assert!(about("quillgate_exporter_queue_length", "cloud_events") <= 8192.0);
    telemetry.finish(Duration::from_secs(10));
    let all = f64::from(FLOOD + 10_000);
    for exporter in ["otlp", "cloud_events"] {
        assert_eq!(about("quillgate_exporter_dropped_total", exporter), all, "every record of {exporter} is accounted for");
        assert!(about("quillgate_exporter_failures_total", exporter) >= 1.0);
    }
    assert_eq!(total(&telemetry, "quillgate_tool_calls_total", &[("status", "ok")]), all);
}

/// The time of one record, with everything on and somebody at the other end.
#[test]
fn recording_a_call_takes_microseconds_at_most() {
    let folder = tempfile::tempdir().expect("a folder");
    let collector = Collector::answering(&[]);
    // The middle of many turns: other programs have their share of this machine.
    let usual = |telemetry: &Telemetry, record: &CallRecord| {
        let turns = 200;
        let mut times: Vec<Duration> = Vec::new();
        for _ in 0..50 {
            let started = Instant::now();
            (0..turns).for_each(|_| telemetry.record(record));
            times.push(started.elapsed() / turns);
        }
        times.sort_unstable();
        times[times.len() / 2]
    };
    let with = |otlp, cloud_events| Telemetry::new(Settings { otlp, cloud_events }).expect("telemetry");
    let otlp = || Some(OtlpSettings { queue: 100_000, ..hasty(collector.url()) });
    let events = || {
        Some(CloudEventSettings {
            queue: 100_000,
            ..CloudEventSettings::into_folder(folder.path().to_owned(), "urn:test".to_owned())
        })
    };
    let refused = CallRecord { confirmed: Some("token"), ..refused("throttled") };
    let metrics_only = usual(&with(None, None), &record());
    let everything = usual(&with(otlp(), events()), &record());
    let of_refusal = usual(&with(otlp(), events()), &refused);
    let log = tracing_subscriber::fmt().with_max_level(LevelFilter::INFO).json().with_writer(std::io::sink).finish();
    let logged = tracing::subscriber::with_default(log, || usual(&with(otlp(), events()), &refused));
    println!(
        "a record takes {metrics_only:?} with metrics only, {everything:?} with all exporters, {of_refusal:?} if refused, \
         {logged:?} with its line in the log"
    );
    assert!(everything < Duration::from_micros(100), "{everything:?}");
}

#[test]
fn a_flood_of_vaults_and_tools_makes_no_flood_of_series() {
    let telemetry = Telemetry::new(Settings::default()).expect("telemetry");
    for number in 0..30_000 {
        let tool = format!("tool{}", number % 3000).into();
        telemetry.record(&CallRecord { vault: Some(format!("vault{number}").into()), tool, ..record() });
    }
    let calls = telemetry.metrics().list().into_iter().filter(|metric| metric.name == "quillgate_tool_calls_total").count();
    assert!(calls <= 2 * 11_001, "{calls}");
    assert_eq!(total(&telemetry, "quillgate_tool_calls_total", &[]), 30_000.0);
    assert!(total(&telemetry, "quillgate_tool_calls_total", &[("tool", "other")]) > 0.0);
    assert!(total(&telemetry, "quillgate_tool_calls_total", &[("vault", "other"), ("tool", "tool7")]) > 0.0);
    assert_eq!(total(&telemetry, "quillgate_tool_duration_seconds_count", &[]), 30_000.0);
}
