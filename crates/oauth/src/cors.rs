//! Which answers a page of another site may read: documents and token answers, never pages and never with cookies.

use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS,
    ACCESS_CONTROL_MAX_AGE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

const METHODS: HeaderValue = HeaderValue::from_static("GET, POST, DELETE, OPTIONS");
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID",
);
const EXPOSED: HeaderValue = HeaderValue::from_static("WWW-Authenticate, Mcp-Session-Id, Retry-After");

/// Lets any page read the answer, and answers the browser's question before it asks for real.
pub async fn open_to_pages(request: Request, next: Next) -> Response {
    let mut response = match *request.method() {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    allow_everybody(response.headers_mut());
    response
}

fn allow_everybody(headers: &mut HeaderMap) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}
