//! What a collector gets, and what becomes of it when the collector is busy, wrong, slow, or away.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use serde::Deserialize;
use url::Url;

use super::collector::{Collector, Received, Reply, hasty, sending};
use super::{PATIENCE, eventually, record, refused, total};
use crate::telemetry::{CallRecord, OtlpSettings, Telemetry, TraceParent};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TraceRequest {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResourceSpans {
    resource: Resource,
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resource {
    attributes: Vec<Attribute>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scope {
    name: String,
    version: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Span {
    trace_id: String,
    span_id: String,
    parent_span_id: Option<String>,
    flags: u32,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    status: Option<Status>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Status {
    code: u8,
    message: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Attribute {
    key: String,
    value: AnyValue,
}

#[derive(Debug, PartialEq, Deserialize)]
enum AnyValue {
    #[serde(rename = "stringValue")]
    Text(String),
    #[serde(rename = "intValue")]
    Number(String),
    #[serde(rename = "boolValue")]
    Truth(bool),
}

fn by_name(attributes: &[Attribute]) -> BTreeMap<&str, &AnyValue> {
    let named: BTreeMap<_, _> = attributes.iter().map(|attribute| (&*attribute.key, &attribute.value)).collect();
    assert_eq!(named.len(), attributes.len(), "no attribute stands twice");
    named
}

fn text(text: &str) -> AnyValue {
    AnyValue::Text(text.to_owned())
}

fn spans(received: &Received) -> Vec<Span> {
    assert_eq!(received.path, "/v1/traces");
    assert_eq!(received.headers["content-type"], "application/json");
    let mut request: TraceRequest = serde_json::from_slice(&received.body).expect("a request for traces");
    let mut of_resource = request.resource_spans.pop().expect("a resource");
    let resource = by_name(&of_resource.resource.attributes);
    assert_eq!(resource["service.name"], &text("quillgate"));
    assert_eq!(resource["service.version"], &text(env!("CARGO_PKG_VERSION")));
    assert!(resource.contains_key("service.instance.id"));
    let of_scope = of_resource.scope_spans.pop().expect("a scope");
    assert_eq!((&*of_scope.scope.name, &*of_scope.scope.version), ("quillgate", env!("CARGO_PKG_VERSION")));
    assert!(request.resource_spans.is_empty() && of_resource.scope_spans.is_empty());
    of_scope.spans
}

#[track_caller]
fn is_id(text: &str, digits: usize) {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    assert!(text.len() == digits && is_hex && text.bytes().any(|byte| byte != b'0'), "{text:?}");
}

fn dropped(telemetry: &Telemetry) -> f64 {
    total(telemetry, "quillgate_exporter_dropped_total", &[("exporter", "otlp")])
}

fn sent(telemetry: &Telemetry) -> f64 {
    total(telemetry, "quillgate_exporter_sent_total", &[("exporter", "otlp")])
}

fn failures(telemetry: &Telemetry) -> f64 {
    total(telemetry, "quillgate_exporter_failures_total", &[("exporter", "otlp")])
}

#[test]
fn a_call_is_a_span_below_that_of_its_client() {
    let collector = Collector::answering(&[]);
    let telemetry = sending(hasty(collector.url()));
    let parent = TraceParent::parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");
    telemetry.record(&CallRecord { parent, confirmed: Some("token"), replayed: true, ..refused("throttled") });
    let spans = spans(&collector.next());
    let [span] = &spans[..] else { panic!("{spans:?}") };
    assert_eq!(span.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(span.parent_span_id.as_deref(), Some("00f067aa0ba902b7"));
    is_id(&span.span_id, 16);
    assert_eq!(span.flags, 0x301, "recorded, under a parent that is known to be elsewhere");
    assert_eq!((&*span.name, span.kind), ("quillgate.read_note", 2));
    assert_eq!((&*span.start_time_unix_nano, &*span.end_time_unix_nano), ("1783684799250000000", "1783684799251500000"));
    let status = span.status.as_ref().expect("a status");
    assert_eq!((status.code, &*status.message), (2, "throttled"));
    let attributes = by_name(&span.attributes);
    for (key, value) in [
        ("quillgate.vault", text("main")),
        ("quillgate.tool", text("read_note")),
        ("quillgate.surface", text("engine")),
        ("quillgate.caller_hash", text("c0ffee")),
        ("quillgate.status", text("error")),
        ("error.type", text("throttled")),
        ("quillgate.confirmed", text("token")),
        ("quillgate.response_bytes", AnyValue::Number("2048".to_owned())),
        ("quillgate.args_hash", text("0123456789abcdef0123456789abcdef")),
        ("quillgate.replayed", AnyValue::Truth(true)),
    ] {
        assert_eq!(attributes[key], &value, "{key}");
    }
}

#[test]
fn calls_without_a_parent_are_traces_of_their_own() {
    let collector = Collector::answering(&[]);
    let telemetry = sending(OtlpSettings { batch: 50, ..hasty(collector.url()) });
    (0..100).for_each(|_| telemetry.record(&CallRecord { vault: None, ..record() }));
    let all: Vec<Span> = [collector.next(), collector.next()].iter().flat_map(spans).collect();
    assert_eq!(all.len(), 100, "two batches");
    for span in &all {
        is_id(&span.trace_id, 32);
        is_id(&span.span_id, 16);
        assert!(span.parent_span_id.is_none() && span.status.is_none());
        assert_eq!(span.flags, 0x101);
        let attributes = by_name(&span.attributes);
        assert!(!attributes.contains_key("quillgate.vault") && !attributes.contains_key("error.type"));
    }
    let traces: HashSet<_> = all.iter().map(|span| &span.trace_id).collect();
    let ids: HashSet<_> = all.iter().map(|span| &span.span_id).collect();
    assert_eq!((traces.len(), ids.len()), (100, 100));
    eventually("all are counted", || sent(&telemetry) == 100.0);
}

#[test]
fn a_part_of_the_traces_can_be_enough() {
    let collector = Collector::answering(&[]);
    let telemetry = sending(OtlpSettings { sample_rate: 0.5, ..hasty(collector.url()) });
    let below = TraceParent::parse("00-4bf92f3577b34da6a37fffffffffffff-00f067aa0ba902b7-01");
    let above = TraceParent::parse("00-4bf92f3577b34da6a380000000000000-00f067aa0ba902b7-01");
    (0..400).for_each(|_| telemetry.record(&record()));
    telemetry.record(&CallRecord { parent: below, ..record() });
    telemetry.record(&CallRecord { parent: above, ..record() });
    telemetry.finish(PATIENCE);
    let all: Vec<Span> = collector.rest().iter().flat_map(spans).collect();
    let with_parent: Vec<_> = all.iter().filter(|span| span.parent_span_id.is_some()).map(|span| &*span.trace_id).collect();
    assert_eq!(with_parent, ["4bf92f3577b34da6a37fffffffffffff"], "the trace decides");
    assert!((100..300).contains(&all.len()), "{}", all.len());
    assert_eq!((sent(&telemetry), dropped(&telemetry)), (all.len() as f64, 0.0), "what is left out is not lost");
}

#[test]
fn a_busy_collector_is_asked_again_when_it_said() {
    let busy = Reply { headers: vec![("Retry-After", "1".to_owned())], ..Reply::status(503) };
    let collector = Collector::answering(&[busy]);
    let telemetry = sending(hasty(collector.url()));
    telemetry.record(&record());
    let (first, second) = (collector.next(), collector.next());
    assert!(second.at - first.at >= Duration::from_millis(990), "{:?}", second.at - first.at);
    assert_eq!(first.body, second.body, "the very same request");
    eventually("it is counted", || sent(&telemetry) == 1.0);
    assert_eq!((failures(&telemetry), dropped(&telemetry)), (1.0, 0.0));
}

#[test]
fn what_may_go_away_is_tried_again_and_what_will_not_is_not() {
    let passing = [429, 502, 503, 504].map(Reply::status);
    let collector = Collector::answering(&[&passing[..], &[Reply::status(400)]].concat());
    let telemetry = sending(hasty(collector.url()));
    telemetry.record(&record());
    for _ in 0..5 {
        assert_eq!(spans(&collector.next())[0].name, "quillgate.read_note");
    }
    eventually("it is given up", || dropped(&telemetry) == 1.0);
    telemetry.record(&CallRecord { tool: "list_tags".into(), ..record() });
    assert_eq!(spans(&collector.next())[0].name, "quillgate.list_tags", "what came after it is sent");
    eventually("it is counted", || sent(&telemetry) == 1.0);
    assert_eq!((failures(&telemetry), collector.rest().len()), (5.0, 0));
}

#[test]
fn a_collector_that_was_away_gets_what_waited() {
    let address = Collector::nowhere();
    let telemetry = sending(hasty(Url::parse(&format!("http://{address}")).expect("a URL")));
    telemetry.record(&record());
    eventually("it fails", || failures(&telemetry) >= 1.0);
    telemetry.record(&CallRecord { tool: "list_tags".into(), ..record() });
    let collector = Collector::at(address, &[]);
    let names: Vec<String> = [collector.next(), collector.next()].iter().flat_map(spans).map(|span| span.name).collect();
    assert_eq!(names, ["quillgate.read_note", "quillgate.list_tags"]);
    eventually("they are counted", || sent(&telemetry) == 2.0);
    assert_eq!(dropped(&telemetry), 0.0);
}

#[test]
fn a_slow_collector_holds_up_nobody() {
    let slow = Reply { after: PATIENCE, ..Reply::status(200) };
    let collector = Collector::answering(&[slow]);
    let telemetry = sending(OtlpSettings { timeout: Duration::from_secs(1), ..hasty(collector.url()) });
    telemetry.record(&record());
    let first = collector.next();
    let started = Instant::now();
    (0..1000).for_each(|_| telemetry.record(&record()));
    assert!(started.elapsed() < Duration::from_millis(900), "{:?}", started.elapsed());
    assert_eq!(first.body, collector.next().body, "out of time, and sent again");
    eventually("all are counted", || sent(&telemetry) == 1001.0);
}

#[test]
fn what_a_collector_rejects_is_counted_as_lost() {
    let partial = r#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}"#;
    let collector = Collector::answering(&[Reply { body: partial, ..Reply::status(200) }]);
    let telemetry = sending(OtlpSettings { batch: 3, delay: PATIENCE, ..hasty(collector.url()) });
    (0..3).for_each(|_| telemetry.record(&record()));
    eventually("they are counted", || sent(&telemetry) == 1.0);
    assert_eq!((dropped(&telemetry), collector.next().path, collector.rest().len()), (2.0, "/v1/traces".to_owned(), 0));
}

#[test]
fn the_end_sends_what_waits_and_does_not_wait_for_the_dead() {
    let collector = Collector::answering(&[]);
    let telemetry = sending(OtlpSettings { delay: PATIENCE, ..hasty(collector.url()) });
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    assert_eq!(spans(&collector.rest().pop().expect("a request before the end")).len(), 1);
    telemetry.record(&record());
    assert_eq!((sent(&telemetry), dropped(&telemetry)), (1.0, 1.0), "nothing is taken after the end");

    let hangs = Collector::answering(&[Reply { after: PATIENCE, ..Reply::status(200) }]);
    let telemetry = sending(hasty(hangs.url()));
    telemetry.record(&record());
    hangs.next();
    let started = Instant::now();
    telemetry.finish(Duration::from_millis(100));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());

    let dead = Url::parse(&format!("http://{}", Collector::nowhere())).expect("a URL");
    let telemetry = sending(OtlpSettings { backoff: PATIENCE * 2, ..hasty(dead) });
    telemetry.record(&record());
    eventually("it fails", || failures(&telemetry) >= 1.0);
    telemetry.finish(PATIENCE);
    assert_eq!(dropped(&telemetry), 1.0, "the pause before a repetition ends with the server");
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct MetricsRequest {
    resource_metrics: Vec<ResourceMetrics>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ResourceMetrics {
    resource: Resource,
    scope_metrics: Vec<ScopeMetrics>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeMetrics {
    scope: Scope,
    metrics: Vec<Metric>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    name: String,
    description: String,
    unit: String,
    sum: Option<Sum>,
    gauge: Option<Gauge>,
    histogram: Option<Histogram>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sum {
    data_points: Vec<NumberPoint>,
    aggregation_temporality: u8,
    is_monotonic: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Gauge {
    data_points: Vec<NumberPoint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Histogram {
    data_points: Vec<HistogramPoint>,
    aggregation_temporality: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NumberPoint {
    attributes: Vec<Attribute>,
    start_time_unix_nano: String,
    time_unix_nano: String,
    as_double: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct HistogramPoint {
    attributes: Vec<Attribute>,
    start_time_unix_nano: String,
    time_unix_nano: String,
    count: String,
    sum: f64,
    bucket_counts: Vec<String>,
    explicit_bounds: Vec<f64>,
}

fn nanoseconds(text: &str) -> u64 {
    text.parse().expect("a whole number")
}

#[test]
fn metrics_are_sent_at_their_pace_without_any_call() {
    let collector = Collector::answering(&[]);
    let every = Some(Duration::from_millis(50));
    let telemetry = sending(OtlpSettings { metrics_every: every, ..hasty(collector.url()) });
    (0..2).for_each(|_| assert_eq!(collector.next().path, "/v1/metrics"));
    telemetry.record(&refused("throttled"));
    telemetry.record(&record());
    telemetry.finish(PATIENCE);
    let last = collector.rest().pop().expect("metrics at the end");
    let mut request: MetricsRequest = serde_json::from_slice(&last.body).expect("a request for metrics");
    let mut of_resource = request.resource_metrics.pop().expect("a resource");
    assert!(by_name(&of_resource.resource.attributes).contains_key("service.name"));
    let of_scope = of_resource.scope_metrics.pop().expect("a scope");
    assert_eq!(of_scope.scope.name, "quillgate");
    let find = |name: &str| of_scope.metrics.iter().find(|metric| metric.name == name).expect(name);

    let calls = find("quillgate_tool_calls_total");
    assert!(!calls.description.is_empty());
    let calls = calls.sum.as_ref().expect("a sum");
    assert!(calls.is_monotonic && calls.aggregation_temporality == 2);
    for point in &calls.data_points {
        assert_eq!(by_name(&point.attributes)["vault"], &text("main"));
        assert_eq!(point.as_double, 1.0, "one went well and one did not");
        assert!(nanoseconds(&point.start_time_unix_nano) < nanoseconds(&point.time_unix_nano));
    }
    let durations = find("quillgate_tool_duration_seconds");
    assert_eq!(durations.unit, "s");
    let durations = durations.histogram.as_ref().expect("a histogram");
    let point = &durations.data_points[0];
    assert_eq!(by_name(&point.attributes)["tool"], &text("read_note"));
    assert_eq!((&*point.count, point.sum, durations.aggregation_temporality), ("2", 0.003, 2));
    assert_eq!(point.bucket_counts.len(), point.explicit_bounds.len() + 1);
    let at = point.bucket_counts.iter().position(|count| count == "2").expect("both in one bucket");
    assert_eq!(point.explicit_bounds[at], 0.0025);
    assert!(nanoseconds(&point.start_time_unix_nano) < nanoseconds(&point.time_unix_nano));
    assert_eq!(find("quillgate_uptime_seconds").gauge.as_ref().expect("a gauge").data_points.len(), 1);
}
