//! The gates of the road: in order, each with its own code, each leaving a record.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use quillgate_oauth::{Principal, Scopes};
use quillgate_state::{Allowance, AuditFilter, Claim, KeyedCall};
use quillgate_tools::{Context, Domain, ErrorShape, Idempotency, Rate, Spec, Surface, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::commands::open_pipeline;
use crate::identity::LoginIsOver;
use crate::ledger::{now, now_ms};

#[derive(Deserialize, JsonSchema)]
struct Panics {}

impl Tool for Panics {
    const SPEC: Spec = Spec::reading("panics", "Panics");
    type Output = ();

    fn run(self, _: &Context<'_>) -> Result<(), Failure> {
        panic!("as it should");
    }
}

/// Runs until it is told to stop.
#[derive(Deserialize, JsonSchema)]
struct Waits {}

static WAITING: AtomicUsize = AtomicUsize::new(0);

impl Tool for Waits {
    const SPEC: Spec = Spec::reading("waits", "Waits");
    type Output = ();

    fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        WAITING.fetch_add(1, Ordering::SeqCst);
        while context.go_on() {
            thread::sleep(Duration::from_millis(1));
        }
        WAITING.fetch_sub(1, Ordering::SeqCst);
        Err(Failure::Cancelled)
    }
}

/// Tells how many of its kind run at once.
#[derive(Deserialize, JsonSchema)]
struct Counts {}

static COUNTING: AtomicUsize = AtomicUsize::new(0);

impl Tool for Counts {
    const SPEC: Spec = Spec::reading("counts", "Counts");
    type Output = usize;

    fn run(self, _: &Context<'_>) -> Result<usize, Failure> {
        let at_once = COUNTING.fetch_add(1, Ordering::SeqCst) + 1;
        thread::sleep(Duration::from_millis(5));
        COUNTING.fetch_sub(1, Ordering::SeqCst);
        Ok(at_once)
    }
}

/// Has every gate before it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Changes {
    #[serde(default)]
    fails: bool,
}

impl Tool for Changes {
    const SPEC: Spec =
        Spec::writing("changes", "Changes", Effect::Change, Idempotency::Keyed).rate(Rate::Write).confirm(Confirm::Always);
    type Output = &'static str;

    fn run(self, _: &Context<'_>) -> Result<&'static str, Failure> {
        if self.fails { Err(Failure::Edit("it was told to".to_owned())) } else { Ok("changed") }
    }
}

const DOMAINS: &[Domain] = &[Domain {
    name: "tests",
    about: "For tests.",
    tools: &[Registered::of::<Panics>(), Registered::of::<Waits>(), Registered::of::<Counts>(), Registered::of::<Changes>()],
}];

const fn surface(errors: ErrorShape) -> Surface {
    Surface { name: "test", about: "for tests", domains: DOMAINS, errors, names_vaults: true, instructions: "" }
}
static VAULT: Surface = surface(ErrorShape::Vault);
static ENGINE: Surface = surface(ErrorShape::Engine);
static CLI: Surface = surface(ErrorShape::Cli);

struct Place {
    _folder: TempDir,
    pipeline: Arc<Pipeline>,
}

impl Place {
    fn new(configure: impl FnOnce(&mut Config)) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let vault = cap_std::fs::Dir::open_ambient_dir(folder.path(), cap_std::ambient_authority()).expect("a folder");
        vault.create_dir("vault").expect("a vault");
        let mut config = Config {
            vault_path: Some(folder.path().join("vault")),
            data_dir: Some(folder.path().join("data")),
            ..Config::default()
        };
        configure(&mut config);
        Place { _folder: folder, pipeline: open_pipeline(config).expect("a pipeline") }
    }

    async fn call_as(&self, caller: &Caller, surface: &'static Surface, tool: &str, arguments: Value) -> Answer {
        let mount = Arc::new(Mount::new(surface, &self.pipeline.config));
        let request = Request {
            mount: &mount,
            caller,
            name: tool,
            arguments: arguments.as_object().expect("an object").clone(),
            call: Call::default(),
            human: Human::Absent,
            session: Some("a session".to_owned()),
            parent: None,
        };
        match self.pipeline.call(request).await {
            Reply::Answer(answer) => answer,
            Reply::Ask(_) => panic!("nobody can be asked by a result"),
        }
    }

    async fn call(&self, surface: &'static Surface, tool: &str) -> Answer {
        self.call_as(&Caller::Trusted, surface, tool, json!({})).await
    }
}

fn structured(answer: Answer) -> Value {
    let Answer::Result { structured: Some(value), .. } = answer else { panic!("{answer:?}") };
    value
}

fn somebody(scopes: &str, vault: Option<&str>) -> Caller {
    let principal = Principal {
        id: "somebody".to_owned(),
        user: "somebody".to_owned(),
        client: String::new(),
        scopes: Scopes::parse(scopes).expect("scopes"),
        vault: vault.map(str::to_owned),
        grant: None,
        expires: None,
        upstream: None,
    };
    Caller::Known(Arc::new(principal), LoginIsOver::default())
}

#[tokio::test]
async fn a_panic_in_a_tool_is_one_failed_call() {
    let place = Place::new(|config| config.limits.max_concurrent_calls = 1);
    for _ in 0..3 {
        let answer = structured(place.call(&VAULT, "panics").await);
        assert_eq!(answer["error"]["code"], "INTERNAL", "{answer}");
        let answer = structured(place.call(&ENGINE, "panics").await);
        assert_eq!(answer["code"], "internal_error", "{answer}");
        let Answer::Protocol(error) = place.call(&CLI, "panics").await else { panic!("a protocol error") };
        assert_eq!(error.code, -32603, "{error:?}");
    }
    assert_eq!(structured(place.call(&VAULT, "counts").await), json!(1), "the slot of a panic is free again");
}

#[tokio::test]
async fn a_call_over_its_time_is_stopped_and_answered_on_every_surface() {
    let place = Place::new(|config| {
        config.limits.tool_timeout_seconds.insert("waits".to_owned(), 0);
        config.limits.timeout_seconds = 600;
    });
    let answer = structured(place.call(&VAULT, "waits").await);
    assert_eq!(answer["error"]["code"], "TIMEOUT", "{answer}");
    let answer = structured(place.call(&ENGINE, "waits").await);
    assert_eq!(answer["code"], "operation_timeout", "{answer}");
    let Answer::Protocol(error) = place.call(&CLI, "waits").await else { panic!("a protocol error") };
    assert_eq!((error.code, error.data), (-32006, Some(json!({"errorCode": "TIMEOUT"}))));
    let stopped = async {
        while WAITING.load(Ordering::SeqCst) > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), stopped).await.expect("the tools were told to stop");
}

#[tokio::test]
async fn no_more_calls_run_at_once_than_configured() {
    let place = Place::new(|config| config.limits.max_concurrent_calls = 3);
    let calls = (0..12).map(|_| place.call(&VAULT, "counts"));
    let answers = futures::future::join_all(calls).await;
    let at_once: Vec<u64> = answers.into_iter().filter_map(|answer| structured(answer).as_u64()).collect();
    assert!(at_once.len() == 12 && at_once.iter().all(|count| (1..=3).contains(count)), "{at_once:?}");
}

/// What stands between a caller and the tool `changes`, in the order of the road.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Find,
    Validate,
    Authorise,
    Rules,
    Replay,
    Rate,
    Confirm,
    Run,
}

const GATES: [(Gate, &str); 8] = [
    (Gate::Find, "not_found"),
    (Gate::Validate, "invalid_input"),
    (Gate::Authorise, "forbidden"),
    (Gate::Rules, "read_only_mode"),
    (Gate::Replay, "idempotency_key_mismatch"),
    (Gate::Rate, "throttled"),
    (Gate::Confirm, "elicit_required"),
    (Gate::Run, "invalid_input"),
];

/// One call of `changes` with these gates closed: the answer, and the code in the record of it.
async fn pass(closed: &[Gate]) -> (Answer, Option<String>) {
    let is_closed = |gate: Gate| closed.contains(&gate);
    let place = Place::new(|config| {
        if is_closed(Gate::Find) {
            config.tool_visibility.disabled.push("changes".to_owned());
        }
        config.acl.read_only = is_closed(Gate::Rules);
        if is_closed(Gate::Rate) {
            let mut throttle = crate::config::ThrottleConfig::default();
            throttle.write.per_minute = 0;
            config.throttle = Some(throttle);
        }
    });
    let state = place.pipeline.ledger.state().await.expect("a state");
    if is_closed(Gate::Replay) {
        let call = KeyedCall { caller: "somebody", vault: "vault", key: "k", fingerprint: "of another call" };
        assert!(matches!(state.claim_reply(call, now_ms(), 60_000, 60_000).await, Ok(Claim::Run(_))));
    }
    if !is_closed(Gate::Confirm) {
        let allowance = Allowance {
            id: "a".to_owned(),
            vault: "vault".to_owned(),
            tool: "changes".to_owned(),
            folder: String::new(),
            caller: None,
            by: "a test".to_owned(),
            created: now(),
            expires: now() + 600,
        };
        state.allow(&allowance).await.expect("allowed");
    }
    let caller = somebody(if is_closed(Gate::Authorise) { "read:*" } else { "read:* write:*" }, None);
    let mut arguments = json!({"idempotency_key": "k", "fails": is_closed(Gate::Run)});
    if is_closed(Gate::Validate) {
        arguments["fail"] = json!(true);
    }
    let answer = place.call_as(&caller, &ENGINE, "changes", arguments).await;
    place.pipeline.ledger.finish(Duration::from_secs(20)).await;
    let rows = state.list_audit(&AuditFilter::default(), None, 10).await.expect("the audit");
    assert_eq!(rows.len(), 1, "one call, one record");
    let row = rows.into_iter().next().expect("a record").row;
    assert_eq!(row.caller, caller.hash());
    assert_eq!(row.tool, if is_closed(Gate::Find) { "unknown" } else { "changes" });
    (answer, row.code)
}

fn code_of(answer: &Answer) -> String {
    match answer {
        Answer::Result { structured: Some(body), .. } => body["code"].as_str().unwrap_or_default().to_owned(),
        Answer::Protocol(error) => error.data.as_ref().expect("data")["code"].as_str().expect("a code").to_owned(),
        Answer::Result { .. } => panic!("{answer:?}"),
    }
}

#[tokio::test]
async fn a_call_before_which_all_gates_are_open_runs() {
    let (answer, code) = pass(&[]).await;
    assert_eq!((structured(answer), code), (json!("changed"), None));
}

#[tokio::test]
async fn every_gate_has_its_code_and_leaves_a_record() {
    for (gate, expected) in GATES {
        let (answer, recorded) = pass(&[gate]).await;
        assert_eq!(code_of(&answer), expected, "{gate:?}");
        assert_eq!(recorded.as_deref(), Some(expected), "{gate:?}");
    }
}

#[tokio::test]
async fn of_two_closed_gates_the_earlier_one_answers() {
    for (number, (first, expected)) in GATES.iter().enumerate() {
        for (second, _) in &GATES[number + 1..] {
            let (answer, recorded) = pass(&[*first, *second]).await;
            assert_eq!(code_of(&answer), *expected, "{first:?} before {second:?}");
            assert_eq!(recorded.as_deref(), Some(*expected), "{first:?} before {second:?}");
        }
    }
}

#[tokio::test]
async fn refusals_say_what_to_know() {
    let details = async |gate| structured(pass(&[gate]).await.0)["details"].clone();
    assert_eq!(details(Gate::Validate).await["issues"][0]["field"], "fail");
    assert_eq!(details(Gate::Authorise).await, json!({"required": ["write:notes"]}));
    let throttled = structured(pass(&[Gate::Rate]).await.0);
    assert_eq!(throttled["details"], json!({"scope_class": "write", "retry_after_seconds": 60}));
    assert_eq!(throttled["retry_after_ms"], 60_000);
    let unconfirmed = details(Gate::Confirm).await;
    assert_eq!(unconfirmed["args_hash"], args_hash("changes", json!({"fails": false}).as_object().expect("an object")));
    assert_eq!(unconfirmed["proposed_change"]["tool"], "changes");
}

#[tokio::test]
async fn a_token_for_one_vault_is_for_no_other() {
    let place = Place::new(|_| {});
    let bound = somebody("read:*", Some("vault"));
    assert_eq!(structured(place.call_as(&bound, &ENGINE, "counts", json!({"vault": "vault"})).await), json!(1));
    let other = structured(place.call_as(&bound, &ENGINE, "counts", json!({"vault": "other"})).await);
    assert_eq!(other["code"], "forbidden", "{other}");
    let elsewhere = somebody("read:*", Some("other"));
    let answer = structured(place.call_as(&elsewhere, &ENGINE, "counts", json!({})).await);
    assert_eq!(answer["code"], "forbidden", "{answer}");
    let unknown = structured(place.call_as(&Caller::Trusted, &ENGINE, "counts", json!({"vault": "other"})).await);
    assert_eq!(unknown["code"], "vault_not_found", "{unknown}");
}

#[tokio::test]
async fn a_hidden_tool_is_as_unknown_as_one_that_does_not_exist() {
    let place = Place::new(|config| config.tool_visibility.hidden.push("counts".to_owned()));
    let told = async |tool| match place.call(&ENGINE, tool).await {
        Answer::Protocol(error) => (error.code, error.message.replace(tool, "it"), error.data),
        other => panic!("{other:?}"),
    };
    assert_eq!(told("counts").await, told("no_such_tool").await);
}

#[tokio::test]
async fn the_twin_of_a_keyed_call_gets_its_answer_and_nothing_runs() {
    let place = Place::new(|_| {});
    let state = place.pipeline.ledger.state().await.expect("a state").clone();
    let caller = somebody("write:*", None);
    let mount_call = json!({"idempotency_key": "one"});
    let refused = structured(place.call_as(&caller, &ENGINE, "changes", mount_call.clone()).await);
    assert_eq!(refused["code"], "elicit_required", "a refused call does not use its key up: {refused}");
    let [pending] = &state.list_pending(now()).await.expect("pending")[..] else { panic!("one request") };
    let token = quillgate_state::SecretHash::of("a token");
    assert!(state.approve(&pending.id, &pending.proposal_hash, &token, "a test", now(), now() + 60).await.expect("approved"));
    let first = structured(place.call_as(&caller, &ENGINE, "changes", mount_call.clone()).await);
    assert_eq!(first, json!("changed"));
    let twin = structured(place.call_as(&caller, &ENGINE, "changes", mount_call).await);
    assert_eq!(twin, json!("changed"), "the approval is used up, so this is the first answer again");
    let mismatch = json!({"idempotency_key": "one", "fails": true});
    assert_eq!(structured(place.call_as(&caller, &ENGINE, "changes", mismatch).await)["code"], "idempotency_key_mismatch");
}

#[tokio::test]
async fn an_approval_is_good_for_one_call_however_many_come_at_once() {
    let place = Place::new(|_| {});
    let state = place.pipeline.ledger.state().await.expect("a state").clone();
    let caller = somebody("write:*", None);
    for round in 0..5 {
        let refused = structured(place.call_as(&caller, &ENGINE, "changes", json!({})).await);
        assert_eq!(refused["code"], "elicit_required");
        let [pending] = &state.list_pending(now()).await.expect("pending")[..] else { panic!("one request in round {round}") };
        let token = quillgate_state::SecretHash::of(&format!("token {round}"));
        assert!(state.approve(&pending.id, &pending.proposal_hash, &token, "a test", now(), now() + 60).await.expect("approved"));
        let tokens = (0..16).map(|_| json!({"elicit_token": format!("token {round}")}));
        let calls = tokens.map(|arguments| place.call_as(&caller, &ENGINE, "changes", arguments));
        let answers = futures::future::join_all(calls).await;
        let changed = answers.into_iter().filter(|answer| matches!(answer, Answer::Result { is_error: false, .. })).count();
        assert_eq!(changed, 1);
        let left = state.list_pending(now()).await.expect("pending");
        for pending in left {
            state.deny(&pending.id, "a test", now()).await.expect("denied");
            let fresh = state.sweep(now() + 100_000).await;
            assert!(fresh.is_ok());
        }
    }
}

#[tokio::test]
async fn a_token_is_bound_to_its_call_and_caller() {
    let place = Place::new(|_| {});
    let state = place.pipeline.ledger.state().await.expect("a state").clone();
    let caller = somebody("write:*", None);
    place.call_as(&caller, &ENGINE, "changes", json!({})).await;
    let [pending] = &state.list_pending(now()).await.expect("pending")[..] else { panic!("one request") };
    let token = quillgate_state::SecretHash::of("t");
    assert!(state.approve(&pending.id, &pending.proposal_hash, &token, "a test", now(), now() + 60).await.expect("approved"));
    let code = async |caller: &Caller, arguments| code_of(&place.call_as(caller, &ENGINE, "changes", arguments).await);
    assert_eq!(code(&caller, json!({"elicit_token": "wrong"})).await, "elicit_required");
    assert_eq!(code(&caller, json!({"elicit_token": "t", "fails": true})).await, "elicit_required");
    assert_eq!(code(&Caller::Trusted, json!({"elicit_token": "t"})).await, "elicit_required");
    let answer = place.call_as(&caller, &ENGINE, "changes", json!({"elicit_token": "t"})).await;
    assert!(matches!(answer, Answer::Result { is_error: false, .. }), "{answer:?}");
}
