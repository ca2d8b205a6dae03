//! What is asked of a source, and what of its answer leaves.

use std::time::Duration;

use quillgate_example_upstream::{Control, Misbehaviour, Upstream};
use quillgate_remote::{Connector, CredentialPlace, GetLimits, Source, SourceError};
use secrecy::SecretString;
use serde_json::{Map, Value, json};

struct Place {
    site: Upstream,
    connector: Connector,
    token: SecretString,
}

impl Place {
    async fn new() -> Place {
        Place::with(|_| {}).await
    }

    async fn with(change: impl FnOnce(&mut Source)) -> Place {
        let site = Upstream::start_anywhere().await.expect("a site");
        let mut source = Source::vk(site.articles_url());
        change(&mut source);
        let connector = Connector::new(source).expect("a source");
        let token = site.log_in().into();
        Place { site, connector, token }
    }

    async fn search(&self, arguments: Value) -> Result<Value, SourceError> {
        let arguments = arguments.as_object().expect("an object");
        let articles = self.connector.search(arguments, Some(&self.token)).await?;
        Ok(articles.into_iter().map(Value::Object).collect())
    }

    /// The answer to a body that the site did not mean to send.
    async fn answer_to(&self, body: Value) -> Result<Value, SourceError> {
        self.site.control(Control::once(Misbehaviour::Body { text: body.to_string() }));
        self.search(json!({"search": "a"})).await
    }

    async fn cause_of(&self, answer: Misbehaviour) -> String {
        self.site.control(Control::once(answer));
        match self.search(json!({"search": "secret words"})).await {
            Err(SourceError::Unavailable(cause)) => cause,
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn exactly_the_five_fields_leave() {
    let place = Place::new().await;
    let articles = place.search(json!({"search": "DERBY"})).await.expect("articles");
    assert_eq!(
        articles,
        json!([{
            "headline": "Strandvik IF win the derby in the last minute",
            "preamble": "A corner, a gust of wind and the goalkeeper's own glove: how the derby against Norrhamn was decided.",
            "section": "Sport",
            "authors": ["Mira Sandell", "Otto Qvist"],
            "publishDate": "2026-02-08T18:45:00+01:00",
        }])
    );
    let all = place.search(json!({"search": "", "limit": 50})).await.expect("articles");
    let all = all.as_array().expect("a list");
    assert_eq!(all.len(), 12);
    for article in all {
        let names: Vec<&String> = article.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["headline", "preamble", "section", "authors", "publishDate"]);
    }
}

#[tokio::test]
async fn the_site_is_asked_as_agreed_and_told_no_more() {
    let place = Place::new().await;
    place.search(json!({"search": "å & b=c#d", "limit": 3})).await.expect("articles");
    place.search(json!({"search": "quay", "limit": null, "page": 2})).await.expect("articles");
    let [first, second] = &place.site.requests()[..] else { panic!("two requests") };
    assert_eq!((first.method.as_str(), first.path.as_str()), ("GET", "/vk/rest/articles/search"));
    assert_eq!(first.query, "limit=3&page=0&search=%C3%A5+%26+b%3Dc%23d");
    assert_eq!(second.query, "limit=15&page=2&search=quay");
    let mut names: Vec<&str> = first.headers.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "cookie", "host", "user-agent"]);
    assert_eq!(first.header("accept-encoding"), Some("identity"));
}

#[tokio::test]
async fn pages_follow_each_other() {
    let place = Place::new().await;
    let mut headlines = Vec::new();
    for page in 0..4 {
        let articles = place.search(json!({"search": "the", "limit": 3, "page": page})).await.expect("articles");
        headlines.extend(articles.as_array().expect("a list").iter().map(|article| article["headline"].clone()));
    }
    let all = place.search(json!({"search": "the"})).await.expect("articles");
    let all: Vec<Value> = all.as_array().expect("a list").iter().map(|article| article["headline"].clone()).collect();
    assert_eq!(headlines, all[..12.min(all.len())]);
}

#[tokio::test]
async fn hostile_articles_are_reduced_to_text() {
    let place = Place::new().await;
    let empty = json!({"headline": "", "preamble": "", "section": "", "authors": [], "publishDate": ""});
    for odd in [
        json!({}),
        json!({"headline": {"html": "<b>"}, "preamble": ["a"], "section": "Sport", "authors": "Alva", "publishDate": 1}),
        json!({"headline": null, "authors": [null, 1, {"name": ["x"]}, ["Alva"]], "section": [{"name": "x"}]}),
        json!({"Headline": "other case", "auth_token": "x", "__proto__": {"headline": "x"}}),
    ] {
        assert_eq!(place.answer_to(json!({"articles": [odd]})).await, Ok(json!([empty])), "{odd}");
    }
    assert_eq!(place.answer_to(json!({"articles": [null, 1, "a", [], true]})).await, Ok(json!([])));
    let answer = place.answer_to(json!([{"headline": "a bare list"}])).await.expect("articles");
    assert_eq!(answer[0]["headline"], "a bare list");
}

#[tokio::test]
async fn no_more_articles_leave_than_agreed() {
    let place = Place::new().await;
    let many: Vec<Value> = (0..500).map(|number| json!({"headline": number.to_string()})).collect();
    let answer = place.answer_to(json!({"articles": many})).await.expect("articles");
    assert_eq!(answer.as_array().map(Vec::len), Some(50));
}

#[tokio::test]
async fn an_answer_without_a_list_is_a_failure() {
    let place = Place::new().await;
    for odd in [json!({}), json!(null), json!({"articles": {"0": {}}}), json!({"articles": "none"}), json!("articles")] {
        let answer = place.answer_to(odd.clone()).await;
        assert_eq!(answer, Err(SourceError::Unavailable("answered without a list at \"/articles\"".to_owned())), "{odd}");
    }
}

#[tokio::test]
async fn a_cause_says_what_happened_and_nothing_of_question_or_answer() {
    let place = Place::new().await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let elsewhere = Upstream::start_anywhere().await.expect("a site");
    for (answer, expected) in [
        (Misbehaviour::Status { code: 500 }, "status 500"),
        (Misbehaviour::Status { code: 404 }, "status 404"),
        (Misbehaviour::Status { code: 204 }, "status 204"),
        (Misbehaviour::Redirect { to: elsewhere.articles_url() }, "status 302"),
        (Misbehaviour::Garbage, "no JSON"),
        (Misbehaviour::Body { text: String::new() }, "no JSON"),
        (Misbehaviour::Body { text: deep }, "recursion limit"),
        (Misbehaviour::Body { text: "<html>secret".to_owned() }, "no JSON"),
        (Misbehaviour::Huge, "more than 2097152 bytes"),
        (Misbehaviour::Body { text: format!("\"{}\"", "x".repeat(2 << 20)) }, "more than 2097152 bytes"),
        (Misbehaviour::Encoded, "encoding"),
    ] {
        let cause = place.cause_of(answer.clone()).await;
        assert!(cause.contains(expected), "{answer:?}: {cause}");
        for private in ["secret", "127.0.0.1", "search-3", "x".repeat(10).as_str()] {
            assert!(!cause.contains(private), "{cause}");
        }
    }
    assert_eq!(elsewhere.requests(), [], "redirects are not followed");
}

#[tokio::test]
async fn a_site_that_takes_too_long_is_left() {
    let limits = GetLimits { time: Duration::from_millis(100), ..GetLimits::default() };
    let place = Place::with(|source| source.limits = limits).await;
    for answer in [Misbehaviour::Silent, Misbehaviour::Stalled] {
        let cause = place.cause_of(answer).await;
        assert!(cause.contains("timed out"), "{cause}");
    }
}

#[tokio::test]
async fn a_site_that_is_gone_is_a_failure() {
    let place = Place::new().await;
    let Place { site, connector, token } = place;
    let address = site.url();
    drop(site);
    let failed = connector.search(json!({"search": "a"}).as_object().expect("an object"), Some(&token)).await;
    let Err(SourceError::Unavailable(cause)) = failed else { panic!("{failed:?}") };
    assert!(!cause.contains(&address) && !cause.contains("search="), "{cause}");
}

#[tokio::test]
async fn the_sites_own_cookies_are_not_kept() {
    let place = Place::new().await;
    place.site.control(Control::once(Misbehaviour::SetCookie));
    place.search(json!({"search": "a"})).await.expect("articles");
    place.search(json!({"search": "a"})).await.expect("articles");
    let [first, second] = &place.site.requests()[..] else { panic!("two requests") };
    assert_eq!(first.header("cookie"), second.header("cookie"));
    assert!(second.header("cookie").is_some_and(|cookie| !cookie.contains("planted") && !cookie.contains("tracker")));
}

#[tokio::test]
async fn a_credential_that_the_site_refuses_is_told_from_a_failure() {
    let place = Place::new().await;
    for code in [401, 403] {
        place.site.control(Control::once(Misbehaviour::Status { code }));
        assert_eq!(place.search(json!({"search": "a"})).await, Err(SourceError::CredentialRejected));
    }
    place.site.control(Control { expire_sessions: true, ..Control::default() });
    assert_eq!(place.search(json!({"search": "a"})).await, Err(SourceError::CredentialRejected));
}

#[tokio::test]
async fn nothing_is_asked_without_a_fit_credential() {
    let place = Place::new().await;
    let arguments: Map<String, Value> = Map::from_iter([("search".to_owned(), json!("a"))]);
    assert_eq!(place.connector.search(&arguments, None).await, Err(SourceError::CredentialMissing));
    for bad in ["", "a; auth_token=b", "a\r\nX-Admin: 1"] {
        let refused = place.connector.search(&arguments, Some(&bad.into())).await;
        assert_eq!(refused, Err(SourceError::CredentialRejected), "{bad:?}");
    }
    assert_eq!(place.site.requests(), []);
}

#[tokio::test]
async fn a_source_without_credential_gets_none() {
    let place = Place::with(|source| source.credential = CredentialPlace::Nowhere).await;
    place.answer_to(json!([])).await.expect("articles");
    assert_eq!(place.site.requests()[0].header("cookie"), None);
    let refused = place.search(json!({"search": "a"})).await;
    assert!(matches!(refused, Err(SourceError::Unavailable(_))), "there is no credential to reject: {refused:?}");
}

#[tokio::test]
async fn a_header_can_carry_the_credential() {
    let place = Place::with(|source| {
        source.credential = CredentialPlace::Header { name: "X-Api-Key".to_owned(), prefix: "Key ".to_owned() };
        source.constants.push(("format".to_owned(), "json".to_owned()));
    });
    let place = place.await;
    place.answer_to(json!([])).await.expect("articles");
    let seen = &place.site.requests()[0];
    assert!(seen.header("x-api-key").is_some_and(|value| value.starts_with("Key ")) && seen.header("cookie").is_none());
    assert_eq!(seen.query, "format=json&limit=15&page=0&search=a");
}

#[tokio::test]
async fn arguments_that_cannot_be_sent_are_named() {
    let place = Place::new().await;
    for (arguments, named) in
        [(json!({}), "search"), (json!({"search": 1}), "search"), (json!({"search": "a", "page": 1e300}), "page")]
    {
        let failed = place.search(arguments.clone()).await;
        assert!(matches!(&failed, Err(SourceError::Argument { name, .. }) if name == named), "{arguments}: {failed:?}");
    }
    assert_eq!(place.site.requests(), []);
}

#[tokio::test]
async fn a_blocking_thread_can_ask_and_stop_asking() {
    let place = Place::new().await;
    let place = std::sync::Arc::new(place);
    let ask = |go_on: bool| {
        let place = place.clone();
        tokio::task::spawn_blocking(move || {
            let arguments = Map::from_iter([("search".to_owned(), json!("quay"))]);
            place.connector.search_blocking(&arguments, Some(&place.token), || go_on)
        })
    };
    assert_eq!(ask(true).await.expect("no panic").map(|articles| articles.len()), Ok(3));
    place.site.control(Control::answer(Misbehaviour::Silent));
    assert_eq!(ask(false).await.expect("no panic"), Err(SourceError::Cancelled));
}
