//! One span per call, as an `ExportTraceServiceRequest`.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::{AnyValue, Attribute, Resource, SCOPE, Scope};
use crate::telemetry::{CallRecord, Status};

const SERVER_SPAN: u8 = 2;
const STATUS_ERROR: u8 = 2;
const SAMPLED: u32 = 1;
/// That it is known whether the parent is in another process.
const KNOWS_REMOTE: u32 = 0x100;
const IS_REMOTE: u32 = 0x200;
/// One more than the largest number of 56 bits.
const RANDOM_BITS: u64 = 1 << 56;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: &'a Resource,
    scope_spans: [ScopeSpans; 1],
}

#[derive(Serialize)]
struct ScopeSpans {
    scope: Scope,
    spans: Vec<Span>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    trace_id: String,
    span_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<String>,
    flags: u32,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<SpanStatus>,
}

/// Left out for what went well: the specification leaves it to the reader to call that good.
#[derive(Serialize)]
struct SpanStatus {
    code: u8,
    message: &'static str,
}

pub(super) fn request(resource: &Resource, spans: Vec<Span>) -> Vec<u8> {
    let request = Request { resource_spans: [ResourceSpans { resource, scope_spans: [ScopeSpans { scope: SCOPE, spans }] }] };
    serde_json::to_vec(&request).unwrap_or_default()
}

pub(super) struct Spans {
    ids: Ids,
    /// Traces whose last 56 bits, which are random, are below this are kept: the same ones on every server of one rate.
    below: u64,
}

impl Spans {
    pub(super) fn sampled(rate: f64) -> Spans {
        let below = (rate.clamp(0.0, 1.0) * RANDOM_BITS as f64) as u64;
        Spans { ids: Ids::default(), below }
    }

    pub(super) fn of(&mut self, records: &[Arc<CallRecord>]) -> Vec<Span> {
        records.iter().filter_map(|record| self.span(record)).collect()
    }

    /// Calls of a client that does not record its own span are recorded all the same: that is the operator's to decide.
    fn span(&mut self, record: &CallRecord) -> Option<Span> {
        let trace = record.parent.map_or_else(|| self.ids.trace(), |parent| parent.trace);
        if u64::try_from(trace % u128::from(RANDOM_BITS)).is_ok_and(|random| random >= self.below) {
            return None;
        }
        let flags = record.parent.map_or(0, |parent| u32::from(parent.flags) | IS_REMOTE);
        let status = SpanStatus { code: STATUS_ERROR, message: record.code.unwrap_or_default() };
        Some(Span {
            trace_id: format!("{trace:032x}"),
            span_id: format!("{:016x}", self.ids.span()),
            parent_span_id: record.parent.map(|parent| format!("{:016x}", parent.span)),
            flags: flags | SAMPLED | KNOWS_REMOTE,
            name: format!("quillgate.{}", record.tool),
            kind: SERVER_SPAN,
            start_time_unix_nano: nanoseconds(record.started),
            end_time_unix_nano: nanoseconds(record.started + record.duration),
            attributes: attributes(record),
            status: (record.status == Status::Error).then_some(status),
        })
    }
}

fn attributes(record: &CallRecord) -> Vec<Attribute> {
    let mut attributes = vec![
        Attribute::text("quillgate.tool", &*record.tool),
        Attribute::text("quillgate.surface", record.surface),
        Attribute::text("quillgate.caller_hash", &*record.caller),
        Attribute::text("quillgate.status", record.status.as_str()),
        Attribute::number("quillgate.response_bytes", record.bytes),
        Attribute::text("quillgate.args_hash", &*record.args_hash),
        Attribute { key: "quillgate.replayed", value: AnyValue::Truth(record.replayed) },
    ];
    let given =
        [("quillgate.vault", record.vault.as_deref()), ("error.type", record.code), ("quillgate.confirmed", record.confirmed)];
    attributes.extend(given.into_iter().filter_map(|(key, text)| Some(Attribute::text(key, text?))));
    attributes
}

/// Since 1970; in JSON a text.
pub(super) fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos().to_string()
}

/// Numbers that nobody else has: a counter under a keyed hash. They need not be secret.
#[derive(Default)]
pub(super) struct Ids {
    key: RandomState,
    next: u64,
}

impl Ids {
    /// Never zero, which means none.
    pub(super) fn span(&mut self) -> u64 {
        self.next += 1;
        self.key.hash_one(self.next).max(1)
    }

    fn trace(&mut self) -> u128 {
        u128::from(self.span()) << 64 | u128::from(self.span())
    }
}
