//! Getting a request to the collector: again and again if that can help, and never for long.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use axum::body::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, redirect, retry};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use tokio::runtime::Runtime;
use url::Url;

use super::{LONGEST_BACKOFF, MOST_ATTEMPTS, OtlpSettings};
use crate::telemetry::complaints::Complaints;
use crate::telemetry::queue::Queue;

/// A collector that asks for more patience than this gets this much.
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// An answer says little, and no more of it is read.
const MOST_ANSWER: usize = 64 << 10;

pub(super) struct Sender {
    client: Client,
    runtime: Runtime,
    queue: Arc<Queue>,
    backoff: Duration,
    complaints: Complaints,
    jitter: RandomState,
}

/// Why a request was not taken.
struct Trouble {
    cause: String,
    again: Again,
}

enum Again {
    Never,
    /// At the sender's own pace.
    Later,
    After(Duration),
}

impl Sender {
    pub(super) fn new(settings: &OtlpSettings, headers: HeaderMap, queue: Arc<Queue>) -> anyhow::Result<Sender> {
        let is_encrypted = settings.endpoint.scheme() == "https";
        let client = Client::builder()
            .user_agent(concat!("quillgate/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            // Headers of ours would go along to wherever a redirect leads.
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .https_only(is_encrypted)
            .timeout(settings.timeout);
        // Spoken to in the clear, and without certificates there is nothing to fail for want of them.
        let client = if is_encrypted { client } else { client.tls_certs_only([]) };
        Ok(Sender {
            client: client.build().map_err(reqwest::Error::without_url)?,
            runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?,
            queue,
            backoff: settings.backoff,
            complaints: Complaints::about("otlp"),
            jitter: RandomState::new(),
        })
    }

    /// How many of the records in the request were taken.
    pub(super) fn send(&mut self, url: &Url, request: Vec<u8>, records: u64) -> u64 {
        let request = Bytes::from(request);
        for attempt in 0..MOST_ATTEMPTS {
            let trouble = match self.runtime.block_on(post(&self.client, url.clone(), request.clone())) {
                Ok(rejected) => {
                    let rejected = rejected.min(records);
                    if rejected > 0 {
                        self.complain(&format!("the collector rejected {rejected} records"));
                    }
                    return records - rejected;
                }
                Err(trouble) => trouble,
            };
            self.complain(&trouble.cause);
            let wait = match trouble.again {
                Again::Never => return 0,
                Again::Later => self.backoff(attempt),
                Again::After(wait) => wait.min(LONGEST_WAIT),
            };
            if attempt + 1 == MOST_ATTEMPTS || !self.queue.pause(wait) {
                return 0;
            }
        }
        0
    }

    /// Twice as long every time, and spread, so that many servers do not come back at once.
    fn backoff(&self, attempt: u32) -> Duration {
        let longest = self.backoff.saturating_mul(1 << attempt.min(16)).min(LONGEST_BACKOFF);
        let spread = self.jitter.hash_one((attempt, Instant::now())) % 512;
        longest.mul_f64(0.5 + f64::from(u32::try_from(spread).unwrap_or_default()) / 1024.0)
    }

    fn complain(&mut self, cause: &str) {
        let counts = self.queue.counts();
        counts.failures.fetch_add(1, Ordering::Relaxed);
        self.complaints.warn(Instant::now(), cause, counts.dropped.load(Ordering::Relaxed));
    }
}

/// Marked as secret, so that no library shows them.
pub(super) fn headers(given: &[(String, SecretString)]) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in given {
        let wrong = || format!("the OTLP header {name:?} cannot be sent; a header is a name and a value of one line");
        let name = HeaderName::try_from(name).with_context(wrong)?;
        let mut value = HeaderValue::try_from(value.expose_secret()).ok().with_context(wrong)?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(headers)
}

/// How many records the collector rejected, while taking the others.
async fn post(client: &Client, url: Url, request: Bytes) -> Result<u64, Trouble> {
    let response = client.post(url).body(request).send().await.map_err(Trouble::of)?;
    let status = response.status();
    if status.is_success() {
        return Ok(rejected(&read(response).await));
    }
    let cause = format!("the collector answered with status {}", status.as_u16());
    // The specification names these four; whatever else is wrong would be wrong again.
    let again = match status {
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => retry_after(response.headers(), SystemTime::now()).map_or(Again::Later, Again::After),
        _ => Again::Never,
    };
    Err(Trouble { cause, again })
}

impl Trouble {
    fn of(error: reqwest::Error) -> Trouble {
        let error = error.without_url();
        let causes = iter::successors(Some(&error as &dyn Error), |error| (*error).source());
        Trouble { cause: causes.map(ToString::to_string).collect::<Vec<_>>().join(": "), again: Again::Later }
    }
}

/// Seconds, or a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date: SystemTime = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().into();
    Some(date.duration_since(now).unwrap_or_default())
}

async fn read(mut response: Response) -> Vec<u8> {
    let mut answer = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        answer.extend_from_slice(&piece);
        if answer.len() > MOST_ANSWER {
            break;
        }
    }
    answer
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    partial_success: PartialSuccess,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PartialSuccess {
    rejected_spans: Count,
    rejected_data_points: Count,
}

/// Whole numbers of 64 bits are texts in this JSON, but not every collector knows.
#[derive(Deserialize)]
#[serde(untagged)]
enum Count {
    Number(u64),
    Text(String),
}

impl Default for Count {
    fn default() -> Count {
        Count::Number(0)
    }
}

impl Count {
    fn value(&self) -> u64 {
        match self {
            Count::Number(number) => *number,
            Count::Text(text) => text.parse().unwrap_or_default(),
        }
    }
}

/// An answer that cannot be read is still a success.
fn rejected(answer: &[u8]) -> u64 {
    let answer: Answer = serde_json::from_slice(answer).unwrap_or_default();
    answer.partial_success.rejected_spans.value() + answer.partial_success.rejected_data_points.value()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn a_collector_says_in_seconds_or_by_date_when_to_come_back() {
        let now = SystemTime::from(Timestamp::from_second(784_111_777).expect("a time"));
        let check = |text: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(text).expect("a header"))]);
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{text:?}");
        };
        check("7", Some(7));
        check("0", Some(0));
        check("Sun, 06 Nov 1994 08:49:47 GMT", Some(10));
        check("Sun, 06 Nov 1994 08:49:27 GMT", Some(0));
        check("soon", None);
        check("-1", None);
    }

    #[test]
    fn rejected_records_are_counted_however_they_are_written() {
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#), 3);
        assert_eq!(rejected(br#"{"partialSuccess":{"rejectedDataPoints":4}}"#), 4);
        assert_eq!(rejected(b"{}") + rejected(b"") + rejected(b"ok"), 0);
    }
}
