//! What is wrong with a setting, in words for the operator.

use std::net::IpAddr;

use url::{Host, Url};

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{of}: {setting} is {value:?}, but must be {wanted}")]
pub struct SettingFault {
    /// Whose setting it is.
    pub of: String,
    pub setting: &'static str,
    pub value: String,
    pub wanted: &'static str,
}

impl SettingFault {
    pub(crate) fn new(of: &str, setting: &'static str, value: &str, wanted: &'static str) -> SettingFault {
        SettingFault { of: of.to_owned(), setting, value: value.to_owned(), wanted }
    }
}

/// An address that a credential may be sent to: encrypted, or on this machine.
pub(crate) fn parse_address(text: &str) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none() && url.fragment().is_none();
    let is_safe = match url.scheme() {
        "https" => true,
        "http" => is_this_machine(&url),
        _ => false,
    };
    (is_bare && is_safe).then_some(url)
}

pub(crate) const AN_ADDRESS: &str = "https://…, or http:// on this machine, without user, query and fragment";

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_go_only_where_nobody_can_listen() {
        for good in
            ["https://news.example", "https://news.example/rest", "http://127.0.0.1:8099", "http://localhost", "http://[::1]:1"]
        {
            assert!(parse_address(good).is_some(), "{good}");
        }
        for bad in [
            "http://news.example",
            "http://127.0.0.1.news.example",
            "http://localhost.news.example",
            "https://user@news.example",
            "https://news.example?a=b",
            "https://news.example#a",
            "file:///etc/passwd",
            "news.example",
            "",
        ] {
            assert!(parse_address(bad).is_none(), "{bad}");
        }
    }
}
