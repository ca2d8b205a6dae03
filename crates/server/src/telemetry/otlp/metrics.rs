//! All metrics, as an `ExportMetricsServiceRequest`: sums since the start.

use std::time::SystemTime;

use serde::Serialize;

use super::spans::nanoseconds;
use super::{AnyValue, Attribute, Resource, SCOPE, Scope};
use crate::telemetry::metrics::{BOUNDS, Family, Kind, Metrics, Point, Value};

const SINCE_START: u8 = 2;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    resource_metrics: [ResourceMetrics<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceMetrics<'a> {
    resource: &'a Resource,
    scope_metrics: [ScopeMetrics; 1],
}

#[derive(Serialize)]
struct ScopeMetrics {
    scope: Scope,
    metrics: Vec<Metric>,
}

#[derive(Serialize)]
struct Metric {
    name: &'static str,
    description: &'static str,
    unit: &'static str,
    #[serde(flatten)]
    data: Data,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Data {
    #[serde(rename_all = "camelCase")]
    Sum { data_points: Vec<DataPoint>, aggregation_temporality: u8, is_monotonic: bool },
    #[serde(rename_all = "camelCase")]
    Gauge { data_points: Vec<DataPoint> },
    #[serde(rename_all = "camelCase")]
    Histogram { data_points: Vec<DataPoint>, aggregation_temporality: u8 },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DataPoint {
    attributes: Vec<Attribute>,
    start_time_unix_nano: String,
    time_unix_nano: String,
    #[serde(flatten)]
    value: PointValue,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PointValue {
    #[serde(rename_all = "camelCase")]
    Number { as_double: f64 },
    #[serde(rename_all = "camelCase")]
    Histogram { count: String, sum: f64, bucket_counts: Vec<String>, explicit_bounds: Vec<f64> },
}

pub(super) fn request(resource: &Resource, metrics: &Metrics) -> Vec<u8> {
    let times = (nanoseconds(metrics.started_at()), nanoseconds(SystemTime::now()));
    let metrics = metrics.families().into_iter().map(|family| metric(family, &times)).collect();
    let request =
        Request { resource_metrics: [ResourceMetrics { resource, scope_metrics: [ScopeMetrics { scope: SCOPE, metrics }] }] };
    serde_json::to_vec(&request).unwrap_or_default()
}

fn metric(family: Family, times: &(String, String)) -> Metric {
    let data_points = family.points.into_iter().map(|point| data_point(point, times)).collect();
    let data = match family.kind {
        Kind::Counter => Data::Sum { data_points, aggregation_temporality: SINCE_START, is_monotonic: true },
        Kind::Gauge => Data::Gauge { data_points },
        Kind::Histogram => Data::Histogram { data_points, aggregation_temporality: SINCE_START },
    };
    Metric { name: family.name, description: family.help, unit: unit(family.name), data }
}

/// As the unified code for units of measure writes it.
fn unit(name: &str) -> &'static str {
    let name = name.trim_end_matches("_total");
    match name.rsplit('_').next() {
        Some("seconds") => "s",
        Some("bytes") => "By",
        _ => "1",
    }
}

fn data_point(point: Point, (start, now): &(String, String)) -> DataPoint {
    let value = match point.value {
        Value::Number(number) => PointValue::Number { as_double: number },
        Value::Durations { counts, seconds } => PointValue::Histogram {
            count: counts.iter().sum::<u64>().to_string(),
            sum: seconds,
            bucket_counts: counts.iter().map(ToString::to_string).collect(),
            explicit_bounds: BOUNDS.to_vec(),
        },
    };
    let attribute = |(key, value)| Attribute { key, value: AnyValue::Text(value) };
    DataPoint {
        attributes: point.labels.into_iter().map(attribute).collect(),
        start_time_unix_nano: start.clone(),
        time_unix_nano: now.clone(),
        value,
    }
}
