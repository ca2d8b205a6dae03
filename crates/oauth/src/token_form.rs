//! A form that a program sends to the token, revocation or introspection endpoint.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use crate::address::ClientAddress;
use crate::failure::Failure;
use crate::parameters::{Parameters, form};
use crate::site::Site;

/// Counted and read; who sent it is not known yet.
pub(crate) struct TokenForm {
    pub(crate) headers: HeaderMap,
    pub(crate) parameters: Parameters,
}

impl FromRequest<Arc<Site>> for TokenForm {
    type Rejection = Response;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<TokenForm, Response> {
        TokenForm::read(request, site).await.map_err(IntoResponse::into_response)
    }
}

impl TokenForm {
    async fn read(request: Request, site: &Arc<Site>) -> Result<TokenForm, Failure> {
        site.count("token", ClientAddress::of(request.extensions()), site.settings.limits.token).await?;
        let headers = request.headers().clone();
        let body = Bytes::from_request(request, site).await.map_err(|rejection| Failure::Body(rejection.status()))?;
        let parameters = form(&headers, &body).map_err(|_| Failure::NotAForm)?;
        Ok(TokenForm { headers, parameters })
    }
}
