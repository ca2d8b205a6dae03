//! A small web client for the doctor: no redirects, cookies kept by hand, forms read from pages.

use std::time::Duration;

use anyhow::Context;
use reqwest::header::{CONTENT_TYPE, COOKIE, LOCATION, SET_COOKIE};
use reqwest::{Client, Method, StatusCode};
use serde_json::Value;

pub(super) struct Web {
    client: Client,
    cookies: Vec<(String, String)>,
}

pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: reqwest::header::HeaderMap,
    pub(super) body: String,
}

impl Web {
    pub(super) fn new() -> anyhow::Result<Web> {
        let client = Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(Duration::from_secs(20)).build()?;
        Ok(Web { client, cookies: Vec::new() })
    }

    pub(super) async fn get(&mut self, url: &str) -> anyhow::Result<Answer> {
        self.send(Method::GET, url, &[], String::new()).await
    }

    pub(super) async fn post_form(&mut self, url: &str, fields: &[(String, String)]) -> anyhow::Result<Answer> {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.send(Method::POST, url, &[(CONTENT_TYPE.as_str(), "application/x-www-form-urlencoded")], body).await
    }

    pub(super) async fn send(
        &mut self,
        method: Method,
        url: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> anyhow::Result<Answer> {
        let mut request = self.client.request(method, url).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if !self.cookies.is_empty() {
            let pairs: Vec<String> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            request = request.header(COOKIE, pairs.join("; "));
        }
        let response =
            request.send().await.with_context(|| format!("{url} cannot be reached; is the server running, and the proxy?"))?;
        let (status, headers) = (response.status(), response.headers().clone());
        for cookie in headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok()) {
            self.keep(cookie);
        }
        Ok(Answer { status, headers, body: response.text().await? })
    }

    fn keep(&mut self, cookie: &str) {
        let pair = cookie.split(';').next().unwrap_or_default();
        if let Some((name, value)) = pair.split_once('=') {
            self.cookies.retain(|(other, _)| other != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
    }
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(super) fn json(&self) -> anyhow::Result<Value> {
        let start: String = self.body.chars().take(80).collect();
        serde_json::from_str(&self.body).with_context(|| format!("the answer ({}) is not JSON: {start:?}", self.status))
    }

    pub(super) fn location(&self) -> Option<&str> {
        self.header(LOCATION.as_str())
    }

    /// The fields that the form of the page would send, ticked boxes included.
    pub(super) fn form_fields(&self) -> Vec<(String, String)> {
        let inputs = self.body.split("<input ").skip(1).filter_map(|rest| rest.split('>').next());
        let is_sent = |input: &&str| !input.contains("type=\"radio\"") || input.contains("checked");
        let field = |input: &str| Some((attribute(input, "name")?, attribute(input, "value").unwrap_or_default()));
        inputs.filter(is_sent).filter_map(field).collect()
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!("{name}=\""))? + name.len() + 2;
    Some(tag[start..].split('"').next()?.to_owned())
}
