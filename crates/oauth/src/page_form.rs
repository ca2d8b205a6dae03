//! A form that a person sends from one of our pages.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;

use crate::page::PageFailure;
use crate::parameters::{Parameters, Repeated, form};
use crate::site::Site;

pub(crate) struct PageForm {
    pub(crate) headers: HeaderMap,
    pub(crate) parameters: Parameters,
}

impl PageForm {
    /// A field that stands once; one that is left out is empty.
    pub(crate) fn field(&self, name: &'static str) -> Result<&str, Repeated> {
        self.parameters.one(name).map(Option::unwrap_or_default)
    }
}

impl FromRequest<Arc<Site>> for PageForm {
    type Rejection = PageFailure;

    async fn from_request(request: Request, site: &Arc<Site>) -> Result<PageForm, PageFailure> {
        let headers = request.headers().clone();
        let body = Bytes::from_request(request, site).await.map_err(|rejection| PageFailure::NotAForm(rejection.status()))?;
        let parameters = form(&headers, &body).map_err(PageFailure::NotAForm)?;
        Ok(PageForm { headers, parameters })
    }
}
