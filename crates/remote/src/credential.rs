//! How a caller's credential travels to the one site it belongs to.

use reqwest::header::{COOKIE, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

/// Longer ones are no session of anybody.
const LONGEST: usize = 4096;

/// Where a site looks for the credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialPlace {
    /// It needs none, and gets none.
    Nowhere,
    Cookie {
        name: String,
    },
    Header {
        name: String,
        /// Stands before the credential, such as `Bearer ` with its space.
        prefix: String,
    },
}

/// A place that was checked: a header, and what stands in it before the credential.
#[derive(Clone, Debug)]
pub(crate) struct CredentialHeader {
    name: HeaderName,
    prefix: String,
}

pub(crate) const A_PLACE: &str = "the name of a cookie or header, made of letters, digits, - and _, with a prefix in plain ASCII";

impl CredentialPlace {
    /// `None` when the names cannot be sent; `Some(None)` when nothing is sent.
    pub(crate) fn header(&self) -> Option<Option<CredentialHeader>> {
        match self {
            CredentialPlace::Nowhere => Some(None),
            CredentialPlace::Cookie { name } if is_name(name) => {
                Some(Some(CredentialHeader { name: COOKIE, prefix: format!("{name}=") }))
            }
            CredentialPlace::Header { name, prefix }
                if is_name(name) && prefix.bytes().all(|byte| matches!(byte, b' '..=b'~')) =>
            {
                let name = HeaderName::try_from(name.as_str()).ok()?;
                Some(Some(CredentialHeader { name, prefix: prefix.clone() }))
            }
            _ => None,
        }
    }
}

impl CredentialHeader {
    pub(crate) fn cookie(name: &str) -> Option<CredentialHeader> {
        CredentialPlace::Cookie { name: name.to_owned() }.header().flatten()
    }

    /// `None` for a credential that could say more than itself: end the cookie, the header or the request, and begin another.
    pub(crate) fn with(&self, credential: &SecretString) -> Option<(HeaderName, HeaderValue)> {
        let credential = credential.expose_secret();
        let is_one_value = credential.bytes().all(|byte| byte.is_ascii_graphic() && byte != b';' && byte != b',');
        if credential.is_empty() || credential.len() > LONGEST || !is_one_value {
            return None;
        }
        let mut value = HeaderValue::try_from(format!("{}{credential}", self.prefix)).ok()?;
        // Keeps it out of debug output, and out of tables that compress headers.
        value.set_sensitive(true);
        Some((self.name.clone(), value))
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookie(credential: &str) -> Option<HeaderValue> {
        let header = CredentialHeader::cookie("auth_token").expect("a name");
        header.with(&SecretString::from(credential)).map(|(_, value)| value)
    }

    #[test]
    fn a_credential_is_sent_as_one_sensitive_value() {
        let value = cookie("eyJ.a-b_c%20=").expect("a credential");
        assert_eq!(value.to_str().ok(), Some("auth_token=eyJ.a-b_c%20="));
        assert!(value.is_sensitive() && !format!("{value:?}").contains("eyJ"));
        let place = CredentialPlace::Header { name: "Authorization".into(), prefix: "Bearer ".into() };
        let (name, value) = place.header().flatten().and_then(|header| header.with(&"abc".into())).expect("a header");
        assert_eq!((name.as_str(), value.to_str().ok()), ("authorization", Some("Bearer abc")));
    }

    #[test]
    fn a_credential_that_says_more_than_itself_is_not_sent() {
        assert!(cookie(&"a".repeat(LONGEST)).is_some());
        let long = "a".repeat(LONGEST + 1);
        for bad in ["", "a;admin=1", "a,b", "a\r\nX-Evil: 1", "a\nb", "a\0b", "a\tb", "a b", "a\u{7f}", "å", long.as_str()] {
            assert!(cookie(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn a_place_that_cannot_be_named_is_refused() {
        for name in ["", "a b", "a=b", "a;b", "a\r\n", "å"] {
            assert!(CredentialPlace::Cookie { name: name.into() }.header().is_none(), "{name:?}");
            assert!(CredentialPlace::Header { name: name.into(), prefix: String::new() }.header().is_none(), "{name:?}");
        }
        assert!(CredentialPlace::Header { name: "X-Key".into(), prefix: "a\r\n".into() }.header().is_none());
    }
}
