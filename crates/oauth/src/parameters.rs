//! Parameters of a query or a form: each at most once, as OAuth wants it.

use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};

/// The largest form; a password or a state is far smaller.
pub(crate) const LARGEST_FORM: usize = 64 << 10;

#[derive(Clone, Debug, Default)]
pub(crate) struct Parameters(Vec<(String, String)>);

/// A parameter that must not be repeated was.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the parameter {0} is given more than once")]
pub(crate) struct Repeated(pub(crate) &'static str);

impl Parameters {
    pub(crate) fn parse(text: &[u8]) -> Parameters {
        Parameters(url::form_urlencoded::parse(text).into_owned().collect())
    }

    /// The value of a parameter that may stand once. An empty one counts as left out.
    pub(crate) fn one(&self, name: &'static str) -> Result<Option<&str>, Repeated> {
        let mut values = self.all(name);
        let first = values.next();
        if values.next().is_some() {
            return Err(Repeated(name));
        }
        Ok(first.filter(|value| !value.is_empty()))
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The first parameter of these that stands more than once.
    pub(crate) fn repeated(&self, names: &[&'static str]) -> Option<Repeated> {
        names.iter().find(|name| self.all(name).count() > 1).map(|name| Repeated(name))
    }
}

/// The body of a form, unless it claims to be something else.
pub(crate) fn form(headers: &HeaderMap, body: &[u8]) -> Result<Parameters, StatusCode> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (types.next().and_then(|kind| kind.to_str().ok()), types.next()) else {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    };
    let mut parts = kind.split(';').map(str::trim);
    let is_form = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/x-www-form-urlencoded"));
    let is_plain = headers.get(CONTENT_ENCODING).is_none_or(|encoding| encoding == "identity");
    let is_utf8 = parts.all(|parameter| parameter.is_empty() || parameter.eq_ignore_ascii_case("charset=utf-8"));
    if !(is_form && is_plain && is_utf8) {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    Ok(Parameters::parse(body))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_parameter_stands_once() {
        let parameters = Parameters::parse(b"a=1&b=&c=x&c=y&d=%E2%82%AC+2");
        assert_eq!(parameters.one("a"), Ok(Some("1")));
        assert_eq!(parameters.one("b"), Ok(None));
        assert_eq!(parameters.one("c"), Err(Repeated("c")));
        assert_eq!(parameters.one("d"), Ok(Some("€ 2")));
        assert_eq!(parameters.one("e"), Ok(None));
        assert_eq!(parameters.repeated(&["a", "c"]), Some(Repeated("c")));
    }

    #[test]
    fn only_a_form_is_a_form() {
        let check = |kinds: &[&'static str], encoding: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            for kind in kinds {
                headers.append(CONTENT_TYPE, HeaderValue::from_static(kind));
            }
            encoding.map(|encoding| headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding)));
            form(&headers, b"a=1").is_ok()
        };
        let plain = "application/x-www-form-urlencoded";
        assert!(check(&[plain], None) && check(&["Application/X-WWW-Form-Urlencoded; charset=UTF-8"], Some("identity")));
        assert!(!check(&[], None) && !check(&["application/json"], None) && !check(&[plain], Some("gzip")));
        assert!(!check(&["application/json, application/x-www-form-urlencoded"], None));
        assert!(!check(&[plain, "application/json"], None) && !check(&["multipart/form-data; boundary=x"], None));
    }
}
