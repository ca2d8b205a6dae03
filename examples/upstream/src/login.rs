//! The login page, and where a browser may go from it.

use std::net::IpAddr;

use url::{Host, Url, form_urlencoded};

pub const USERNAME: &str = "reader";
pub const PASSWORD: &str = "strandvik";

pub(crate) struct LoginForm {
    pub(crate) username: String,
    pub(crate) password: String,
    pub(crate) redirect: String,
}

impl LoginForm {
    pub(crate) fn read(body: &str) -> LoginForm {
        LoginForm {
            username: parameter(body, "username").unwrap_or_default(),
            password: parameter(body, "password").unwrap_or_default(),
            redirect: parameter(body, "redirect").unwrap_or_default(),
        }
    }

    pub(crate) fn is_right(&self) -> bool {
        self.username == USERNAME && self.password == PASSWORD
    }
}

/// A value of a query or a form.
pub(crate) fn parameter(text: &str, name: &str) -> Option<String> {
    form_urlencoded::parse(text.as_bytes()).find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
}

pub(crate) fn page(redirect: &str, message: &str) -> String {
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Log in – Strandvik Courier</title>\
         <h1>Strandvik Courier</h1><p>{}</p><form method=post action=\"/login\">\
         <input type=hidden name=redirect value=\"{}\">\
         <p><label>User <input name=username autocomplete=username></label>\
         <p><label>Password <input name=password type=password autocomplete=current-password></label>\
         <p><button>Log in</button></form></html>",
        escaped(message),
        escaped(redirect)
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// A login page that sends people anywhere is a gift to phishers: only this machine and the origins that were allowed.
pub(crate) fn may_return_to(address: &str, allowed_origins: &[String]) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return false;
    }
    let is_here = match url.host() {
        Some(Host::Domain(domain)) => domain == "localhost",
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    };
    is_here || allowed_origins.iter().any(|origin| *origin == url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_returns_to_this_machine_and_to_allowed_origins_only() {
        let allowed = ["https://mcp.example.org".to_owned()];
        for good in
            ["http://127.0.0.1:8090/oauth/resume?rid=1", "http://localhost:1/", "http://[::1]/", "https://mcp.example.org/x"]
        {
            assert!(may_return_to(good, &allowed), "{good}");
        }
        for bad in [
            "https://evil.example/",
            "http://127.0.0.1@evil.example/",
            "https://mcp.example.org.evil.example/",
            "http://mcp.example.org/",
            "//evil.example/",
            "javascript:alert(1)",
            "http://user@localhost/",
            "",
        ] {
            assert!(!may_return_to(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn the_page_escapes_what_it_was_given() {
        assert!(!page("\"><script>", "<b>").contains("<script>"));
    }
}
