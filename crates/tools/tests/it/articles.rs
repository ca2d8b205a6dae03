//! Searching sources that are not vaults, against the example site.

use std::sync::Arc;

use quillgate_example_upstream::{Control, Misbehaviour, Upstream};
use quillgate_remote::{CredentialPlace, Source};
use quillgate_tools::{Answer, Call, Effect, Failure, Grant, Surface, articles_surface, check_arguments, find_surface};
use serde_json::{Value, json};

use crate::around::Around;
use crate::place::Place;

struct Reader {
    site: Upstream,
    surface: &'static Surface,
    call: Call,
}

impl Reader {
    async fn new() -> Reader {
        let site = Upstream::start_anywhere().await.unwrap();
        let surface = articles_surface(vec![Source::vk(site.articles_url())]).unwrap();
        let call = Call::default().with_credential(site.log_in().into());
        Reader { site, surface, call }
    }

    async fn outcome(&self, arguments: Value) -> Result<Value, Failure> {
        let (surface, call) = (self.surface, self.call.clone());
        let tool = surface.find("vk_search").unwrap();
        tokio::task::spawn_blocking(move || Place::new(&[]).run(surface, tool, arguments, &call)).await.unwrap()
    }

    /// What the client sees: whether it failed, and the body.
    async fn search(&self, arguments: Value) -> (bool, Value) {
        let answer = match self.outcome(arguments).await {
            Ok(value) => self.surface.success(value.clone(), value.to_string()),
            Err(failure) => self.surface.failed(&failure),
        };
        match answer {
            Answer::Result { text, structured: Some(body), is_error } => {
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), body);
                (is_error, body)
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_search_needs_no_vault_and_returns_what_its_schema_says() {
    let reader = Reader::new().await;
    let (is_error, body) = reader.search(json!({"search": "crane"})).await;
    assert!(!is_error);
    let headlines: Vec<&Value> = body["articles"].as_array().unwrap().iter().map(|article| &article["headline"]).collect();
    assert_eq!(headlines, ["School choir sings itself to Reykjavík", "Harbour cranes become listed buildings"]);
    let tool = reader.surface.find("vk_search").unwrap();
    let schema = (tool.output_schema)();
    assert_eq!(check_arguments(&schema, body.as_object().unwrap()), []);
    assert!(!tool.needs_vault());
}

#[tokio::test]
async fn a_search_runs_beside_vault_tools_too() {
    let reader = Reader::new().await;
    let tool = reader.surface.find("vk_search").unwrap();
    let (surface, call) = (reader.surface, reader.call.clone());
    let search = move || {
        let place = Place::new(&[("a.md", "a")]);
        place.run(surface, tool, json!({"search": "bridge", "limit": 5.0}), &call)
    };
    let found = tokio::task::spawn_blocking(search).await.unwrap().unwrap();
    assert_eq!(found["articles"].as_array().map(Vec::len), Some(1));
    assert_eq!(reader.site.requests()[0].query, "limit=5&page=0&search=bridge");
}

#[test]
fn a_vault_tool_says_that_it_needs_a_vault() {
    let tool = find_surface("vault").unwrap().find("vault_list_all").unwrap();
    assert!(tool.needs_vault());
    let place = Place::new(&[]);
    let grant = Grant::authorise(tool, |_| true, || Ok(None)).unwrap();
    let failed = grant.run(&json!({}), &Call::default(), &Around::new(&place.workspace, place.folder()));
    assert!(matches!(failed, Err(Failure::NotConfigured(_))), "{failed:?}");
}

#[test]
fn vk_search_is_what_was_agreed() {
    let surface = articles_surface(vec![Source::built_in("vk", None).unwrap()]).unwrap();
    let tool = surface.find("vk_search").unwrap();
    assert_eq!((surface.name, tool.spec.scopes), ("articles", &["vk:search"][..]));
    assert_eq!(tool.spec.effect, Effect::ReadOutside);
    assert!(tool.spec.effect.is_read_only() && tool.spec.effect.is_open_world());
    insta::assert_json_snapshot!((tool.input_schema)());
    insta::assert_json_snapshot!((tool.output_schema)());
}

#[tokio::test]
async fn arguments_are_checked_before_the_site_is_asked() {
    let reader = Reader::new().await;
    for (arguments, field) in [
        (json!({}), "search"),
        (json!({"search": ""}), "search"),
        (json!({"search": 1}), "search"),
        (json!({"search": "a".repeat(1001)}), "search"),
        (json!({"search": "a", "limit": 0}), "limit"),
        (json!({"search": "a", "limit": 51}), "limit"),
        (json!({"search": "a", "limit": 1.5}), "limit"),
        (json!({"search": "a", "page": -1}), "page"),
        (json!({"search": "a", "page": 1e300}), "page"),
        (json!({"search": "a", "url": "http://evil.example"}), "url"),
    ] {
        let (is_error, body) = reader.search(arguments.clone()).await;
        assert!(is_error && body["code"] == "invalid_input", "{arguments}: {body}");
        assert_eq!(body["details"]["issues"][0]["field"], field, "{arguments}: {body}");
    }
    assert_eq!(reader.site.requests(), []);
}

#[tokio::test]
async fn whatever_fails_at_the_site_a_model_reads_one_sentence() {
    let reader = Reader::new().await;
    for answer in [
        Misbehaviour::Status { code: 500 },
        Misbehaviour::Status { code: 404 },
        Misbehaviour::Garbage,
        Misbehaviour::Huge,
        Misbehaviour::Redirect { to: "http://127.0.0.1:1/".to_owned() },
        Misbehaviour::Body { text: r#"{"articles": "auth_token"}"#.to_owned() },
    ] {
        reader.site.control(Control::once(answer.clone()));
        let (is_error, body) = reader.search(json!({"search": "a"})).await;
        assert!(is_error);
        assert_eq!(body, json!({"code": "internal_error", "message": "Unable to access VK at this time"}), "{answer:?}");
    }
}

#[tokio::test]
async fn a_caller_whom_the_site_no_longer_knows_is_told_from_a_failure() {
    let reader = Reader::new().await;
    reader.site.control(Control { expire_sessions: true, ..Control::default() });
    assert!(matches!(reader.outcome(json!({"search": "a"})).await, Err(Failure::CredentialRejected(_))));
    let (_, body) = reader.search(json!({"search": "a"})).await;
    assert_eq!(body, json!({"code": "unauthorized", "message": "Unable to access VK at this time"}));
}

#[tokio::test]
async fn a_caller_without_credential_gets_the_same_sentence_and_the_site_no_question() {
    let reader = Reader { call: Call::default(), ..Reader::new().await };
    let (is_error, body) = reader.search(json!({"search": "a"})).await;
    assert!(is_error);
    assert_eq!(body, json!({"code": "internal_error", "message": "Unable to access VK at this time"}));
    assert_eq!(reader.site.requests(), []);
}

#[tokio::test]
async fn a_cancelled_search_stops_waiting() {
    let reader = Arc::new(Reader::new().await);
    reader.site.control(Control::answer(Misbehaviour::Silent));
    reader.call.cancel();
    assert!(matches!(reader.outcome(json!({"search": "a"})).await, Err(Failure::Cancelled)));
}

#[test]
fn a_source_of_ones_own_becomes_a_tool() {
    let gazette = Source {
        name: "gazette".to_owned(),
        tool: "gazette_search".to_owned(),
        scope: "gazette:search".to_owned(),
        credential: CredentialPlace::Nowhere,
        ..Source::vk("https://gazette.example".to_owned())
    };
    let vk = Source::vk("https://news.example".to_owned());
    let surface = articles_surface(vec![vk.clone(), gazette]).unwrap();
    let names: Vec<&str> = surface.tools().map(|tool| tool.spec.name).collect();
    assert_eq!(names, ["vk_search", "gazette_search"]);
    let fault = articles_surface(vec![vk.clone(), vk]).err().unwrap();
    assert_eq!(fault.to_string(), "source \"vk\": tool is \"vk_search\", but must be a name that no other source's tool has");
}
