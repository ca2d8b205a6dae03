//! Which addresses a browser may be sent back to: judged on the raw string, because parsers repair what attackers write.

use std::borrow::Cow;

use url::{Url, form_urlencoded};

pub(crate) const LONGEST: usize = 2048;

/// Hosts of the user's own machine, as they must be written.
const LOOPBACK_HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// Schemes that run or read something in the browser; no allow-list opens these.
const NEVER: [&str; 15] = [
    "about",
    "blob",
    "chrome",
    "content",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "javascript",
    "mailto",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

/// What our own answer adds to the query.
const ANSWER_PARAMETERS: [&str; 6] = ["code", "error", "error_description", "error_uri", "iss", "state"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectProblem {
    #[error("is empty or longer than 2048 characters")]
    Length,
    #[error("has a character that an address may not hold unescaped: whitespace, control, backslash, quote or non-ASCII")]
    Character,
    #[error("has a fragment; remove the # and what follows")]
    Fragment,
    #[error("has a wildcard; register each address")]
    Wildcard,
    #[error(
        "has a scheme that is not allowed; use https, http on 127.0.0.1, [::1] or localhost, or a scheme the operator allows"
    )]
    Scheme,
    #[error("is http on a host that is not 127.0.0.1, [::1] or localhost; use https")]
    NotLoopback,
    #[error("has a user or password before the host")]
    UserInfo,
    #[error("has no host, or one that is not written in its canonical form")]
    Host,
    #[error("has a port that is none")]
    Port,
    #[error("has . or .. segments in its path")]
    DotSegments,
    #[error("already has code, error, iss or state in its query")]
    AnswerParameter,
}

/// Which schemes beside https and loopback http may be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectPolicy {
    pub schemes: Vec<String>,
}

impl Default for RedirectPolicy {
    fn default() -> Self {
        RedirectPolicy { schemes: ["cursor", "vscode", "vscode-insiders"].map(String::from).to_vec() }
    }
}

impl RedirectPolicy {
    /// May this be registered?
    pub fn check(&self, raw: &str) -> Result<(), RedirectProblem> {
        let address = Address::read(raw)?;
        match address.scheme {
            "https" => address.check_web_host(raw)?,
            "http" if !LOOPBACK_HOSTS.contains(&address.host) => return Err(RedirectProblem::NotLoopback),
            "http" => address.check_web_host(raw)?,
            scheme if NEVER.contains(&scheme) => return Err(RedirectProblem::Scheme),
            scheme if self.schemes.iter().any(|allowed| allowed == scheme) => {
                if address.host.is_empty() && address.path.trim_matches('/').is_empty() {
                    return Err(RedirectProblem::Host);
                }
                Url::parse(raw).map_err(|_| RedirectProblem::Host)?;
            }
            _ => return Err(RedirectProblem::Scheme),
        }
        let answers = form_urlencoded::parse(address.query.unwrap_or_default().as_bytes())
            .any(|(name, _)| ANSWER_PARAMETERS.contains(&name.as_ref()));
        if answers { Err(RedirectProblem::AnswerParameter) } else { Ok(()) }
    }
}

/// Is this the address that was registered? Loopback addresses match on any port (RFC 8252 section 7.3), also when one was
/// registered; everything else is compared byte for byte.
pub(crate) fn matches(registered: &str, asked: &str) -> bool {
    if registered == asked {
        return true;
    }
    match (split_loopback(registered), split_loopback(asked)) {
        (Some(registered), Some(asked)) => registered == asked,
        _ => false,
    }
}

/// Does this lead to the user's own machine?
pub(crate) fn is_loopback(raw: &str) -> bool {
    split_loopback(raw).is_some()
}

/// The host for people to judge, in punycode; for a private scheme the scheme.
pub(crate) fn shown_host(raw: &str) -> String {
    match Url::parse(raw) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url.host_str().unwrap_or_default().to_owned(),
        Ok(url) => url.scheme().to_owned(),
        Err(_) => String::new(),
    }
}

/// An https address by the same rules as a redirect, for client ids and key sets.
pub(crate) fn check_https(raw: &str) -> Result<(), RedirectProblem> {
    let address = Address::read(raw)?;
    if address.scheme != "https" {
        return Err(RedirectProblem::Scheme);
    }
    address.check_web_host(raw)
}

/// An http or https address that is shown to people or kept for them.
pub(crate) fn check_web(raw: &str) -> Result<(), RedirectProblem> {
    let address = Address::read(raw)?;
    if !matches!(address.scheme, "http" | "https") {
        return Err(RedirectProblem::Scheme);
    }
    address.check_web_host(raw)
}

/// Host and what follows the port, of a well-formed loopback address.
fn split_loopback(raw: &str) -> Option<(&str, &str)> {
    let rest = raw.strip_prefix("http://")?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let host = LOOPBACK_HOSTS.into_iter().find(|host| authority.starts_with(host))?;
    let port = &authority[host.len()..];
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    is_port.then_some((host, rest))
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0') && text.parse::<u16>().is_ok()
}

/// The raw pieces of an address without fragment.
struct Address<'a> {
    scheme: &'a str,
    /// Empty when nothing follows the scheme but a path.
    host: &'a str,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Address<'a> {
    fn read(raw: &'a str) -> Result<Address<'a>, RedirectProblem> {
        check_characters(raw)?;
        let (scheme, rest) = raw.split_once(':').ok_or(RedirectProblem::Scheme)?;
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_lowercase())
            && scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte));
        if !is_scheme {
            return Err(RedirectProblem::Scheme);
        }
        let (authority, rest) = match rest.strip_prefix("//") {
            Some(rest) => rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len())),
            // The parser would repair `https:/a` and `https:a`.
            None if matches!(scheme, "http" | "https") => return Err(RedirectProblem::Host),
            None => ("", rest),
        };
        if authority.contains('@') {
            return Err(RedirectProblem::UserInfo);
        }
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        if has_dot_segments(path) {
            return Err(RedirectProblem::DotSegments);
        }
        Ok(Address { scheme, host: split_port(authority)?, path, query })
    }

    /// The host must be what a browser would make of it, so that `0x7f.1` is not 127.0.0.1 for one and a name for the other.
    fn check_web_host(&self, raw: &str) -> Result<(), RedirectProblem> {
        let url = Url::parse(raw).map_err(|_| RedirectProblem::Host)?;
        let is_canonical = !self.host.is_empty() && url.host_str() == Some(self.host);
        if is_canonical { Ok(()) } else { Err(RedirectProblem::Host) }
    }
}

fn check_characters(raw: &str) -> Result<(), RedirectProblem> {
    if raw.is_empty() || raw.len() > LONGEST {
        return Err(RedirectProblem::Length);
    }
    if raw.contains('#') {
        return Err(RedirectProblem::Fragment);
    }
    if raw.contains('*') {
        return Err(RedirectProblem::Wildcard);
    }
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()+,;=%".contains(&byte);
    if !raw.bytes().all(is_allowed) {
        return Err(RedirectProblem::Character);
    }
    let escapes_are_whole = raw.split('%').skip(1).all(|after| {
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let is_hex = after.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
        is_hex && byte.is_some_and(|byte| !byte.is_ascii_control())
    });
    if escapes_are_whole { Ok(()) } else { Err(RedirectProblem::Character) }
}

fn split_port(authority: &str) -> Result<&str, RedirectProblem> {
    let after_host = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    match authority[after_host..].find(':') {
        None => Ok(authority),
        Some(colon) => {
            let (host, port) = authority.split_at(after_host + colon);
            if is_port(&port[1..]) { Ok(host) } else { Err(RedirectProblem::Port) }
        }
    }
}

fn has_dot_segments(path: &str) -> bool {
    let mut path = Cow::Borrowed(path);
    if path.contains('%') {
        path = Cow::Owned(path.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/"));
    }
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_real_clients_register_is_accepted() {
        for good in [
            "https://claude.ai/api/mcp/auth_callback",
            "https://chatgpt.com/connector/oauth/a1B2",
            "https://www.cursor.com/agents/mcp/oauth/callback",
            "https://vscode.dev/redirect",
            "https://xn--bcher-kva.example/cb",
            "https://example.com:8443/cb?tenant=1",
            "https://example.com",
            "http://localhost:8787/callback",
            "http://localhost/callback",
            "http://127.0.0.1:33418/",
            "http://127.0.0.1/",
            "http://127.0.0.1",
            "http://[::1]:1455/auth/callback",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "vscode://vscode.github-authentication/did-authenticate",
            "https://example.com/a%20b/..c/.d/e..",
        ] {
            assert_eq!(RedirectPolicy::default().check(good), Ok(()), "{good}");
        }
    }

    #[test]
    fn what_an_attacker_registers_is_refused() {
        use RedirectProblem::*;
        let long = format!("https://example.com/{}", "a".repeat(LONGEST));
        for (bad, problem) in [
            ("", Length),
            (long.as_str(), Length),
            ("http://127.0.0.1.evil.com/cb", NotLoopback),
            ("http://127.0.0.1@evil.com/", UserInfo),
            ("https://user:password@evil.com/", UserInfo),
            ("https://@evil.com/", UserInfo),
            ("http://127.0.0.1\\@evil.com", Character),
            ("http://0x7f.1/", NotLoopback),
            ("http://2130706433/", NotLoopback),
            ("http://127.1/", NotLoopback),
            ("http://127.0.0.2/", NotLoopback),
            ("http://１27.0.0.1/", Character),
            ("https://0x7f.1/", Host),
            ("https://127.1/", Host),
            ("https://EXAMPLE.com/", Host),
            ("https://ex%61mple.com/", Host),
            ("http://[::ffff:127.0.0.1]/", NotLoopback),
            ("http://[0:0:0:0:0:0:0:1]/", NotLoopback),
            ("http://[::1/", Port),
            ("http://localhost./", NotLoopback),
            ("http://LOCALHOST/", NotLoopback),
            ("http://localhost.evil.com", NotLoopback),
            ("http://example.com/cb", NotLoopback),
            ("http://localhost:0/", Port),
            ("http://localhost:/", Port),
            ("http://localhost:65536/", Port),
            ("http://localhost:+80/", Port),
            ("http://localhost:80:80/", Port),
            ("https://a/x/../cb", DotSegments),
            ("https://a/x/./cb", DotSegments),
            ("https://a/x/%2e%2e/cb", DotSegments),
            ("https://a/x/.%2E/cb", DotSegments),
            ("https://a/x/%2e%2e%2fcb", DotSegments),
            ("https://a/x/..%5ccb", DotSegments),
            ("https://a/..", DotSegments),
            ("cursor://a/../b", DotSegments),
            ("https://a/cb?code=1", AnswerParameter),
            ("https://a/cb?x=1&error=1", AnswerParameter),
            ("https://a/cb?iss=1", AnswerParameter),
            ("https://a/cb?state", AnswerParameter),
            ("https://a/cb?st%61te=1", AnswerParameter),
            ("cursor://a/cb?code=1", AnswerParameter),
            ("javascript:alert(1)", Scheme),
            ("JaVaScRiPt:alert(1)", Scheme),
            (" javascript:alert(1)", Character),
            ("java\tscript:alert(1)", Character),
            ("data:text/html,x", Scheme),
            ("vbscript:x", Scheme),
            ("file:///etc/passwd", Scheme),
            ("blob:https://a/b", Scheme),
            ("about:blank", Scheme),
            ("intent://a/b", Scheme),
            ("mailto:a@b", Scheme),
            ("HTTPS://a/cb", Scheme),
            ("Cursor://a/cb", Scheme),
            ("cursorx://a/cb", Scheme),
            ("cursor:", Host),
            ("cursor://", Host),
            ("cursor://evil@a/cb", UserInfo),
            ("https://a/cb#", Fragment),
            ("https://a/cb#x", Fragment),
            ("https://*.example.com/cb", Wildcard),
            ("https://a/*", Wildcard),
            ("https://bücher.example/cb", Character),
            ("/cb", Scheme),
            ("//a/cb", Scheme),
            ("example.com/cb", Scheme),
            ("https:a/cb", Host),
            ("https:/a/cb", Host),
            ("https:///a/cb", Host),
            ("https://a/cb\n", Character),
            ("https://a/c b", Character),
            ("https://a/cb\u{7f}", Character),
            ("https://a/\"cb", Character),
            ("https://a/%0d%0aSet-Cookie:x", Character),
            ("https://a/%zz", Character),
            ("https://a/%4", Character),
        ] {
            assert_eq!(RedirectPolicy::default().check(bad), Err(problem), "{bad}");
        }
    }

    #[test]
    fn no_allow_list_opens_a_scheme_that_runs_things() {
        let policy = RedirectPolicy { schemes: vec!["javascript".into(), "data".into(), "com.example.app".into()] };
        assert_eq!(policy.check("javascript:alert(1)"), Err(RedirectProblem::Scheme));
        assert_eq!(policy.check("data:text/html,x"), Err(RedirectProblem::Scheme));
        assert_eq!(policy.check("com.example.app:/cb"), Ok(()));
    }

    #[test]
    fn only_the_port_of_loopback_may_differ() {
        for (registered, asked, expected) in [
            ("https://a/cb", "https://a/cb", true),
            ("https://a/cb", "https://a/cb/", false),
            ("https://a/cb", "https://a/CB", false),
            ("https://a/cb", "https://A/cb", false),
            ("https://a/cb", "https://a:443/cb", false),
            ("https://a/cb", "https://a/cb?x=1", false),
            ("https://a/cb", "https://a/x/../cb", false),
            ("cursor://a/cb", "cursor://a/cb", true),
            ("cursor://a/cb", "cursor://a:1/cb", false),
            ("http://localhost:1111/cb", "http://localhost:2222/cb", true),
            ("http://localhost/cb", "http://localhost:52163/cb", true),
            ("http://localhost:1111/cb", "http://localhost/cb", true),
            ("http://[::1]/cb", "http://[::1]:9/cb", true),
            ("http://127.0.0.1/", "http://127.0.0.1:33418/", true),
            ("http://127.0.0.1:1/cb?a=b", "http://127.0.0.1:2/cb?a=b", true),
            ("http://127.0.0.1:1/cb?a=b", "http://127.0.0.1:2/cb?a=c", false),
            ("http://localhost:1111/cb", "http://localhost:2222/other", false),
            ("http://localhost:1111/cb", "http://localhost:2222/cb#x", false),
            ("http://localhost:1111/cb", "http://127.0.0.1:1111/cb", false),
            ("http://localhost/cb", "https://localhost/cb", false),
            ("http://localhost/cb", "http://localhost.evil.com/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1.evil.com/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:80@evil.com/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1\\@evil.com/cb", false),
            ("http://127.0.0.1", "http://127.0.0.1:1/", false),
        ] {
            assert_eq!(matches(registered, asked), expected, "{registered} {asked}");
        }
    }

    #[test]
    fn people_see_the_host_in_punycode_or_the_scheme() {
        assert_eq!(shown_host("https://claude.ai/api/mcp/auth_callback"), "claude.ai");
        assert_eq!(shown_host("https://сlaude.ai/cb"), "xn--laude-0ye.ai");
        assert_eq!(shown_host("http://localhost:1/cb"), "localhost");
        assert_eq!(shown_host("cursor://claude.ai/cb"), "cursor");
    }

    proptest! {
        #[test]
        fn whatever_is_accepted_reads_the_same_to_a_browser(raw in "(https?|cursor)://[a-z0-9.@:\\[\\]%\\\\]{0,20}[/?#a-z.%=&]{0,12}") {
            if RedirectPolicy::default().check(&raw).is_ok() {
                let url = Url::parse(&raw).unwrap();
                prop_assert!(url.fragment().is_none() && url.username().is_empty() && url.password().is_none());
                let start = format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default());
                prop_assert!(raw.starts_with(&start));
                prop_assert!(url.scheme() != "http" || is_loopback(&raw));
                prop_assert!(matches(&raw, &raw));
            }
        }

        #[test]
        fn nothing_written_after_loopback_reaches_another_host(tail in ".{0,20}") {
            let asked = format!("http://127.0.0.1{tail}");
            if matches("http://127.0.0.1:1/cb", &asked) {
                let url = Url::parse(&asked).unwrap();
                prop_assert_eq!(url.host_str(), Some("127.0.0.1"));
            }
        }
    }
}
