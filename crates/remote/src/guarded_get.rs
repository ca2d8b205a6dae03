//! Asking another site for JSON: one configured origin, no redirects, no kept cookies, no proxy, and limits on time and size.

use std::error::Error;
use std::iter;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, redirect, retry};
use serde_json::Value;
use url::{Origin, Url};

/// How much of another site's time and words is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetLimits {
    /// From connecting to the last byte.
    pub time: Duration,
    pub bytes: usize,
}

impl Default for GetLimits {
    fn default() -> GetLimits {
        GetLimits { time: Duration::from_secs(10), bytes: 2 << 20 }
    }
}

pub(crate) enum GetError {
    /// 401 or 403.
    Refused,
    /// The cause, with no word of the answer and no part of the question in it.
    Failed(String),
}

impl GetError {
    fn failed(cause: impl ToString) -> GetError {
        GetError::Failed(cause.to_string())
    }

    /// Addresses have the caller's words in them.
    fn of(error: reqwest::Error) -> GetError {
        let error = error.without_url();
        let causes = iter::successors(Some(&error as &dyn Error), |error| (*error).source());
        GetError::Failed(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
    }
}

/// Asks one origin, and no other.
pub(crate) struct GuardedGet {
    origin: Origin,
    is_encrypted: bool,
    limits: GetLimits,
    /// Made when first needed: reading the system's certificates takes time, and listing tools needs none.
    client: OnceLock<Client>,
}

impl GuardedGet {
    pub(crate) fn new(address: &Url, limits: GetLimits) -> GuardedGet {
        GuardedGet { origin: address.origin(), is_encrypted: address.scheme() == "https", limits, client: OnceLock::new() }
    }

    pub(crate) async fn get(&self, url: Url, credential: Option<(HeaderName, HeaderValue)>) -> Result<Value, GetError> {
        if url.origin() != self.origin {
            return Err(GetError::failed("the address is not on the configured origin"));
        }
        let request = self.client()?.get(url).header(ACCEPT, "application/json").header(ACCEPT_ENCODING, "identity");
        let request = match credential {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        let response = request.send().await.map_err(GetError::of)?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(GetError::Refused),
            status => return Err(GetError::failed(format!("answered with status {}", status.as_u16()))),
        }
        let body = self.read(response).await?;
        serde_json::from_slice(&body).map_err(|error| GetError::failed(format!("answered with what is no JSON: {error}")))
    }

    async fn read(&self, mut response: Response) -> Result<Vec<u8>, GetError> {
        if response.headers().get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(GetError::failed("answered in an encoding that was not asked for"));
        }
        let too_long = || GetError::failed(format!("answered with more than {} bytes", self.limits.bytes));
        if response.content_length().is_some_and(|length| length > self.limits.bytes as u64) {
            return Err(too_long());
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(GetError::of)? {
            if body.len() + piece.len() > self.limits.bytes {
                return Err(too_long());
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    fn client(&self) -> Result<&Client, GetError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = Client::builder()
            .user_agent(concat!("quillgate/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy()
            .https_only(self.is_encrypted)
            .timeout(self.limits.time);
        // This machine is asked in the clear, and without certificates there is nothing to fail for want of them.
        let client = if self.is_encrypted { client } else { client.tls_certs_only([]) };
        let client = client.build().map_err(GetError::of)?;
        Ok(self.client.get_or_init(|| client))
    }
}
