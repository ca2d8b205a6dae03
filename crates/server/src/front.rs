//! The root of the site: a page for people who open it in a browser, and a card for programs.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CACHE_CONTROL};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::http::Site;

/// What is shown of a site to whoever asks.
pub(crate) struct Front {
    url: String,
    endpoints: Vec<(String, String)>,
    needs_login: bool,
    has_pages: bool,
    is_public: bool,
}

#[derive(Template)]
#[template(path = "front.html")]
struct FrontPage<'a> {
    endpoint: &'a str,
    endpoints: &'a [(String, String)],
    version: &'a str,
    needs_login: bool,
    has_pages: bool,
    is_public: bool,
    cursor: String,
    vs_code: String,
}

impl Front {
    pub(crate) fn of(site: &Site) -> Front {
        let named = site.mounts.iter().map(|mount| {
            let name = mount.surface.name;
            (name.to_owned(), format!("{}/mcp/{name}", site.url))
        });
        let is_public = site.url.starts_with("https://");
        let has_pages = site.login.as_ref().is_some_and(|login| login.settings.login.is_some());
        Front { url: site.url.clone(), endpoints: named.collect(), needs_login: site.login.is_some(), has_pages, is_public }
    }

    fn endpoint(&self) -> String {
        format!("{}/mcp", self.url)
    }

    fn page(&self) -> Response {
        let endpoint = self.endpoint();
        let pretty = |value: Value| serde_json::to_string_pretty(&value).unwrap_or_default();
        let page = FrontPage {
            endpoint: &endpoint,
            endpoints: &self.endpoints,
            version: env!("CARGO_PKG_VERSION"),
            needs_login: self.needs_login,
            has_pages: self.has_pages,
            is_public: self.is_public,
            cursor: pretty(json!({"mcpServers": {"quillgate": {"url": endpoint}}})),
            vs_code: pretty(json!({"servers": {"quillgate": {"type": "http", "url": endpoint}}})),
        };
        quillgate_oauth::render(StatusCode::OK, &page)
    }

    /// Who this is and where the endpoints are, for programs that look before they connect.
    pub(crate) fn card(&self) -> Response {
        let endpoints = self.endpoints.iter().map(|(surface, url)| json!({"surface": surface, "url": url}));
        let card = json!({
            "name": "quillgate",
            "title": "Quillgate",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Governed access to a Markdown vault over the Model Context Protocol.",
            "transport": {"type": "streamable-http", "endpoint": self.endpoint()},
            "endpoints": endpoints.collect::<Vec<_>>(),
            "protocolVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"],
            "authentication": {"required": self.needs_login, "schemes": if self.needs_login { json!(["bearer"]) } else { json!([]) }},
        });
        let mut response = Json(card).into_response();
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
        response
    }
}

/// A browser gets the page, a program that looks around gets the card; everything else at the root is MCP.
pub(crate) async fn page_for_people(State(front): State<Arc<Front>>, request: Request, next: Next) -> Response {
    let is_look = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_look || accepts(request.headers(), "text/event-stream") {
        return next.run(request).await;
    }
    if accepts(request.headers(), "text/html") { front.page() } else { front.card() }
}

fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut lines = headers.get_all(ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| line.to_ascii_lowercase().contains(kind))
}
