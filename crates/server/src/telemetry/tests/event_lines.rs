//! Events as whoever reads the files finds them.
#![expect(clippy::disallowed_methods, reason = "the test's own folder")]

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Map, Value};
use tempfile::TempDir;

use super::{PATIENCE, eventually, in_vault, record, refused, total};
use crate::telemetry::{CallRecord, CloudEventSettings, Settings, Telemetry, TraceParent};

const SOURCE: &str = "https://vault.example.com";

fn writing_into(folder: &Path, keep_days: Option<u32>) -> Telemetry {
    let settings = CloudEventSettings::into_folder(folder.to_owned(), SOURCE.to_owned());
    let cloud_events = CloudEventSettings { keep_days, delay: Duration::from_millis(5), ..settings };
    Telemetry::new(Settings { otlp: None, cloud_events: Some(cloud_events) }).expect("telemetry")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("text")).collect();
    names.sort();
    names
}

fn events(path: &Path) -> Vec<Map<String, Value>> {
    let text = fs::read_to_string(path).expect("a file");
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn sent(telemetry: &Telemetry) -> f64 {
    total(telemetry, "quillgate_exporter_sent_total", &[("exporter", "cloud_events")])
}

/// What version 1.0 asks of every event, and of these attributes where they stand.
#[track_caller]
fn assert_valid(event: &Map<String, Value>) {
    let text = |name: &str| event.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).expect(name);
    assert_eq!(text("specversion"), "1.0");
    text("id");
    text("type");
    url::Url::parse(text("source")).expect("a URI");
    text("time").parse::<Timestamp>().expect("a time of RFC 3339");
    text("subject");
    assert_eq!(text("datacontenttype"), "application/json");
    assert!(event["data"].is_object());
    for name in event.keys() {
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{name}");
    }
}

#[test]
fn a_call_is_an_event_with_all_that_the_specification_asks_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let telemetry = writing_into(folder.path(), None);
    let parent = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    telemetry.record(&CallRecord { parent, confirmed: Some("approved"), ..refused("throttled") });
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    let events = events(&folder.path().join("2026-07-10.main.jsonl"));
    events.iter().for_each(assert_valid);
    let event = Value::Object(events[0].clone());
    assert_eq!(event["type"], "app.quillgate.tool.called");
    assert_eq!(event["source"], SOURCE);
    assert_eq!(event["time"], "2026-07-10T11:59:59.250000Z");
    assert_eq!(event["subject"], "read_note");
    assert_eq!(event["traceparent"], "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    let data = serde_json::json!({
        "vault": "main", "surface": "engine", "tool": "read_note", "caller": "c0ffee", "status": "error", "code": "throttled",
        "confirmed": "approved", "replayed": false, "bytes": 2048, "duration_ms": 1.5,
        "args_hash": "0123456789abcdef0123456789abcdef",
    });
    assert_eq!(event["data"], data);
    assert!(!events[1].contains_key("traceparent") && events[1]["data"]["code"].is_null());
}

#[test]
fn every_vault_has_a_file_a_day_and_none_has_one_elsewhere() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("deep/events");
    let telemetry = writing_into(&folder, None);
    let long = "ü".repeat(300);
    let vaults = ["main", "../../escape", "a/b", "con:x", ".hidden", "ä b", "", &long];
    for vault in vaults {
        telemetry.record(&in_vault(vault));
        let day_after = record().started + Duration::from_hours(13);
        telemetry.record(&CallRecord { started: day_after, ..in_vault(vault) });
    }
    telemetry.record(&CallRecord { vault: None, ..record() });
    telemetry.finish(PATIENCE);
    assert_eq!(names(place.path()), ["deep"]);
    let names = names(&folder);
    assert_eq!(names.len(), 2 * vaults.len() + 1, "{names:?}");
    for expected in
        ["2026-07-10.jsonl", "2026-07-10.main.jsonl", "2026-07-11.main.jsonl", "2026-07-10.%2E%2E%2F%2E%2E%2Fescape.jsonl"]
    {
        assert!(names.iter().any(|name| name == expected), "{expected}: {names:?}");
    }
    assert!(names.iter().all(|name| name.len() < 255));
    let mut ids = HashSet::new();
    for name in &names {
        let events = events(&folder.join(name));
        assert_eq!(events.len(), 1, "{name}");
        assert_valid(&events[0]);
        assert!(events[0]["time"].as_str().is_some_and(|time| name.starts_with(&time[..10])));
        ids.insert(events[0]["id"].clone());
    }
    assert_eq!(ids.len(), names.len(), "every id is there once");
}

#[cfg(unix)]
#[test]
fn events_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("events");
    let telemetry = writing_into(&folder, None);
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    let mode = |path: &Path| fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("2026-07-10.main.jsonl"))), (0o700, 0o600));
}

#[test]
fn old_files_of_ours_are_removed_and_no_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let today = Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let days_ago = |days: i64| today.checked_sub(jiff::Span::new().days(days)).expect("a date");
    let kept = [
        format!("{}.main.jsonl", days_ago(7)),
        format!("{}.jsonl", days_ago(0)),
        "notes.jsonl".to_owned(),
        "2001-01-01.main.jsonl.gz".to_owned(),
        "2001-01-01-list.jsonl".to_owned(),
        "20010101T0.jsonl".to_owned(),
        "2001-13-01.jsonl".to_owned(),
    ];
    let removed = [format!("{}.main.jsonl", days_ago(8)), format!("{}.jsonl", days_ago(9)), "2001-01-01.a%2Fb.jsonl".to_owned()];
    for name in kept.iter().chain(&removed) {
        fs::write(folder.path().join(name), "{}\n").expect("a file");
    }
    let telemetry = writing_into(folder.path(), Some(7));
    telemetry.record(&CallRecord { started: SystemTime::now(), ..record() });
    telemetry.finish(PATIENCE);
    let mut expected = kept.to_vec();
    expected.push(format!("{today}.main.jsonl"));
    expected.sort();
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn a_torn_line_does_not_take_the_next_one_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("2026-07-10.main.jsonl");
    fs::write(&path, "{\"specversion\":\"1.0\",\"id\":\"to").expect("a file");
    let telemetry = writing_into(folder.path(), None);
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    let text = fs::read_to_string(&path).expect("a file");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, "{\"specversion\":\"1.0\",\"id\":\"to"));
    assert_valid(&serde_json::from_str(lines[1]).expect("a line of JSON"));
}

#[test]
fn several_processes_share_a_file_line_by_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let several: Vec<Telemetry> = (0..4).map(|_| writing_into(folder.path(), None)).collect();
    for _ in 0..250 {
        several.iter().for_each(|telemetry| telemetry.record(&record()));
    }
    several.iter().for_each(|telemetry| telemetry.finish(PATIENCE));
    let events = events(&folder.path().join("2026-07-10.main.jsonl"));
    let ids: HashSet<_> = events.iter().map(|event| event["id"].as_str().expect("an id")).collect();
    assert_eq!((events.len(), ids.len()), (1000, 1000));
}

#[test]
fn a_folder_that_comes_back_is_used_again() {
    let place: TempDir = tempfile::tempdir().expect("a folder");
    let folder = place.path().join("events");
    fs::write(&folder, "in the way").expect("a file");
    let telemetry = writing_into(&folder, None);
    telemetry.record(&record());
    let failures = || total(&telemetry, "quillgate_exporter_failures_total", &[("exporter", "cloud_events")]);
    let dropped = || total(&telemetry, "quillgate_exporter_dropped_total", &[("exporter", "cloud_events")]);
    eventually("it fails", || failures() >= 1.0 && dropped() == 1.0);
    fs::remove_file(&folder).expect("a file");
    telemetry.record(&record());
    eventually("an event is written", || sent(&telemetry) == 1.0);
    fs::remove_dir_all(&folder).expect("a folder");
    telemetry.record(&record());
    eventually("it fails again", || dropped() == 2.0);
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    assert_eq!(events(&folder.join("2026-07-10.main.jsonl")).len(), 1);
}

#[test]
fn a_source_that_is_no_uri_is_refused_at_the_start() {
    for source in ["", "my server", "line\nbreak"] {
        let cloud_events = Some(CloudEventSettings::into_folder("unused".into(), source.to_owned()));
        assert!(Telemetry::new(Settings { otlp: None, cloud_events }).is_err(), "{source:?}");
    }
}
