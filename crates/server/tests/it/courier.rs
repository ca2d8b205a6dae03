//! The example newspaper as the other site, and a server whose people log in there.

use std::time::{SystemTime, UNIX_EPOCH};

use quillgate_example_upstream::{COOKIE, Control, Misbehaviour, PASSWORD, USERNAME, Upstream};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::http_client::{Connection, Response};
use crate::login::{Browser, Door, FORM, ISSUER, Tokens, code_of, encode, parameter, unlimited};

pub(crate) struct Courier {
    pub(crate) site: Upstream,
    _runtime: Runtime,
}

impl Courier {
    pub(crate) fn start() -> Courier {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let site = runtime.block_on(Upstream::start_anywhere()).expect("a free port");
        Courier { site, _runtime: runtime }
    }

    /// How a server is told of this site.
    pub(crate) fn login(&self) -> Value {
        let (login, account) = (self.site.login_url(), self.site.account_url());
        json!({"mode": "upstream", "upstream": {"loginUrl": login, "accountUrl": account, "accountExpires": "/expires"}})
    }

    pub(crate) fn config(&self) -> Value {
        let sources = json!([{"name": "vk", "baseUrl": self.site.articles_url()}]);
        json!({"surfaces": ["articles"], "sources": sources, "auth": self.login(), "rateLimits": unlimited()})
    }

    pub(crate) fn door(&self) -> Door {
        Door::with(self.config(), ISSUER, &[])
    }

    /// The next question about an account or articles is answered with this.
    pub(crate) fn answer_once(&self, answer: Misbehaviour) {
        self.site.control(Control::once(answer));
    }

    /// The next account asked about is this one.
    pub(crate) fn account_once(&self, name: &str, expires: i64) {
        self.answer_once(Misbehaviour::Body { text: json!({"name": name, "expires": expires}).to_string() });
    }

    /// Fills in the login page that `location` leads to; the session's token, and the way back.
    pub(crate) fn enter(&self, location: &str) -> (String, String) {
        assert!(location.starts_with(&self.site.login_url()), "{location}");
        let back = parameter(location, "redirect").expect("a way back");
        let address = self.site.url().trim_start_matches("http://").parse().expect("an address");
        let body = encode(&[("username", USERNAME), ("password", PASSWORD), ("redirect", &back)]);
        let answer = Connection::to(address).request("POST", "/login", &[("content-type", FORM)], body.as_bytes());
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next()).expect("a cookie");
        let token = cookie.strip_prefix(&format!("{COOKIE}=")).expect("the session's cookie");
        (token.to_owned(), answer.header("location").expect("a way back").to_owned())
    }

    /// The cookies that the site was sent, by the path that was asked.
    pub(crate) fn cookies_at(&self, path: &str) -> Vec<String> {
        let asked = self.site.requests().into_iter().filter(|request| request.path.ends_with(path));
        asked.map(|request| request.header("cookie").unwrap_or_default().to_owned()).collect()
    }

    pub(crate) fn forget(&self) {
        self.site.control(Control { forget_requests: true, ..Control::default() });
    }
}

/// A browser that is logged in at the other site by this token.
pub(crate) fn browser_with<'a>(door: &'a Door, token: &str) -> Browser<'a> {
    let mut browser = Browser::of(door);
    browser.cookies.insert(COOKIE.to_owned(), token.to_owned());
    browser
}

/// From the client's question to its tokens.
pub(crate) fn connect(door: &Door, client: &str, token: &str) -> Tokens {
    let mut browser = browser_with(door, token);
    let begun = browser.authorize(client, &[]);
    let page = browser.follow(&begun);
    Tokens::of(&door.exchange(client, &code_of(&browser.decide(&page, "allow"))))
}

pub(crate) fn search(door: &Door, token: &str) -> Response {
    door.call(token, "vk_search", json!({"search": "harbour"}))
}

pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_secs()).expect("small")
}
