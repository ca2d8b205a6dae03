//! What every call goes through, on every surface and transport: find, validate, authorise, run, record.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quillgate_oauth::Principal;
use quillgate_tools::{Answer, Call, Context, Cost, Effect, Failure, Registered, Surface, Workspace, check_arguments, vault_id};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::identity::LoginIsOver;

/// The surface of sources that are not vaults.
pub(crate) const ARTICLES: &str = "articles";

/// A surface made ready: schemas are built once.
pub(crate) struct Mount {
    pub(crate) surface: &'static Surface,
    schemas: HashMap<&'static str, Map<String, Value>>,
}

impl Mount {
    pub(crate) fn new(surface: &'static Surface) -> Mount {
        let schemas = surface.tools.iter().map(|tool| (tool.spec.name, (tool.input_schema)())).collect();
        Mount { surface, schemas }
    }

    /// Checks a call against the schema of its tool.
    fn find(&self, name: &str) -> Option<(&'static Registered, &Map<String, Value>)> {
        Some((self.surface.find(name)?, self.schemas.get(name)?))
    }

    /// Whether the surface is about notes, which clients can then also read as resources.
    pub(crate) fn has_notes(&self) -> bool {
        self.surface.name != ARTICLES
    }

    /// What a tool needs its caller to be allowed.
    pub(crate) fn scopes_of(&self, name: &str) -> Option<&'static [&'static str]> {
        Some(self.surface.find(name)?.spec.scopes)
    }
}

/// Who makes a call.
#[derive(Clone, Debug)]
pub(crate) enum Caller {
    /// The process that started us, or anybody where there is no login: everything is allowed.
    Trusted,
    /// Somebody with a token.
    Known(Arc<Principal>, LoginIsOver),
}

/// The permission to run one tool. Only `authorise` makes one.
struct Grant {
    tool: &'static Registered,
}

pub(crate) struct Pipeline {
    /// None where only sources are served.
    workspace: Option<Arc<Workspace>>,
    config: Arc<Config>,
    /// Calls run on threads; this many at once.
    slots: Arc<Semaphore>,
    started: Instant,
    /// Until then, in milliseconds since the start, even quick calls run on threads.
    threads_until: AtomicU64,
}

/// A quick call that takes longer shows a slow disk or network mount.
const SLOW: Duration = Duration::from_millis(10);
/// How long a slow disk is remembered.
const SLOW_DISK_MS: u64 = 60_000;

impl Pipeline {
    pub(crate) fn new(workspace: Option<Arc<Workspace>>, config: Arc<Config>) -> Pipeline {
        let slots = Arc::new(Semaphore::new(config.limits.max_concurrent_calls.max(1)));
        // A mount that can stall must never hold up the thread that answers everybody.
        let can_stall = workspace.as_ref().is_some_and(|workspace| workspace.vault.is_remote());
        let threads_until = AtomicU64::new(if can_stall { u64::MAX } else { 0 });
        Pipeline { workspace, config, slots, started: Instant::now(), threads_until }
    }

    pub(crate) fn workspace(&self) -> Option<&Arc<Workspace>> {
        self.workspace.as_ref()
    }

    pub(crate) async fn call(
        &self,
        mount: &Mount,
        caller: &Caller,
        name: &str,
        arguments: Map<String, Value>,
        call: Call,
    ) -> Answer {
        let started = Instant::now();
        let outcome = self.run(mount, caller, name, arguments, call).await;
        if let (Err(Failure::CredentialRejected(_)), Caller::Known(_, over)) = (&outcome, caller) {
            over.set();
        }
        record(mount, name, &outcome, started.elapsed());
        mount.surface.answer(outcome)
    }

    async fn run(
        &self,
        mount: &Mount,
        caller: &Caller,
        name: &str,
        arguments: Map<String, Value>,
        call: Call,
    ) -> Result<Value, Failure> {
        let Some((tool, schema)) = mount.find(name) else {
            return Err(Failure::UnknownTool(name.to_owned()));
        };
        let issues = check_arguments(schema, &arguments);
        if !issues.is_empty() {
            return Err(Failure::InvalidInput(issues));
        }
        let grant = self.authorise(tool, caller)?;
        if tool.spec.cost == Cost::Quick && self.may_run_here() {
            return self.run_here(&grant, without_nulls(arguments), &call);
        }
        let limit = self.config.time_limit(name);
        let _stop = StopWhenDropped(call.clone());
        let running = self.run_on_thread(grant, without_nulls(arguments), call);
        tokio::time::timeout(limit, running).await.unwrap_or_else(|_| Err(self.too_late(tool, limit)))
    }

    /// What the caller's token allows against what the tool needs; a token may also be bound to one vault.
    fn authorise(&self, tool: &'static Registered, caller: &Caller) -> Result<Grant, Failure> {
        let Caller::Known(principal, _) = caller else { return Ok(Grant { tool }) };
        let missing = principal.scopes.missing(tool.spec.scopes);
        if !missing.is_empty() {
            return Err(Failure::Forbidden { required: tool.spec.scopes.iter().map(|scope| (*scope).to_owned()).collect() });
        }
        if tool.needs_vault() {
            self.check_vault(principal)?;
        }
        Ok(Grant { tool })
    }

    pub(crate) fn check_vault(&self, principal: &Principal) -> Result<(), Failure> {
        match (&principal.vault, &self.workspace) {
            (Some(bound), Some(workspace)) if *bound != vault_id(&workspace.vault) => Err(Failure::OtherVault(bound.clone())),
            _ => Ok(()),
        }
    }

    /// Most often it is the first reading of a large vault that takes long, and waiting helps more than asking for less.
    fn too_late(&self, tool: &Registered, limit: Duration) -> Failure {
        let index = self.workspace.as_ref().map(|workspace| &workspace.index);
        match (tool.spec.effect, index) {
            (Effect::ReadOutside, _) => Failure::Timeout(limit.as_secs()),
            (_, Some(index)) if !index.is_ready() => Failure::StillReading(index.status().files),
            (Effect::Read, _) => Failure::Timeout(limit.as_secs()),
            (Effect::Add | Effect::Change | Effect::Outside, _) => Failure::TimeoutWhileChanging(limit.as_secs()),
        }
    }

    /// Waits until no call runs on a thread any more, not even one that nobody waits for.
    pub(crate) async fn idle(&self) {
        let all = u32::try_from(self.config.limits.max_concurrent_calls.max(1)).unwrap_or(u32::MAX);
        drop(self.slots.acquire_many(all).await);
    }

    /// A hop to another thread and back costs more than reading a note. It is saved as long as the disk keeps up and no call
    /// has to wait for the catalogue.
    fn may_run_here(&self) -> bool {
        let is_ready = self.workspace.as_ref().is_some_and(|workspace| workspace.index.is_ready());
        is_ready && self.since_start() >= self.threads_until.load(Ordering::Relaxed)
    }

    fn run_here(&self, grant: &Grant, arguments: Map<String, Value>, call: &Call) -> Result<Value, Failure> {
        let started = Instant::now();
        let outcome = run_contained(grant, arguments, self.workspace.as_deref(), call);
        if started.elapsed() > SLOW {
            self.threads_until.store(self.since_start() + SLOW_DISK_MS, Ordering::Relaxed);
        }
        outcome
    }

    fn since_start(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn run_on_thread(&self, grant: Grant, arguments: Map<String, Value>, call: Call) -> Result<Value, Failure> {
        let slot = self.slots.clone().acquire_owned().await.map_err(|_| Failure::Cancelled)?;
        let workspace = self.workspace.clone();
        let work = move || {
            let _slot = slot;
            run_contained(&grant, arguments, workspace.as_deref(), &call)
        };
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(Failure::Cancelled))
    }
}

/// A panic is one failed call. What it said is in the log, where the panic hook has put it.
fn run_contained(
    grant: &Grant,
    arguments: Map<String, Value>,
    workspace: Option<&Workspace>,
    call: &Call,
) -> Result<Value, Failure> {
    let arguments = Value::Object(arguments);
    let run = || match workspace {
        Some(workspace) if grant.tool.needs_vault() => grant.tool.run(arguments, &Context { workspace, call }),
        _ => grant.tool.run_without_vault(arguments, call),
    };
    let outcome = catch_unwind(AssertUnwindSafe(run));
    outcome.unwrap_or_else(|_| Err(Failure::Internal("the tool panicked".to_owned())))
}

/// Tells the tool to stop once nobody waits for its answer: out of time, cancelled, or the connection is gone.
struct StopWhenDropped(Call);

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// An optional argument given as null is one that was left out.
fn without_nulls(mut arguments: Map<String, Value>) -> Map<String, Value> {
    arguments.retain(|_, value| !value.is_null());
    arguments
}

/// Never the arguments and never the answer: those are the user's notes.
fn record(mount: &Mount, tool: &str, outcome: &Result<Value, Failure>, took: Duration) {
    let surface = mount.surface.name;
    let tool = if mount.surface.find(tool).is_some() { tool } else { "unknown" };
    let ms = took.as_secs_f64() * 1e3;
    match outcome {
        Ok(_) => tracing::debug!(surface, tool, ms, "ok"),
        Err(Failure::Internal(what)) => tracing::error!(surface, tool, ms, what, "failed"),
        Err(failure) => tracing::info!(surface, tool, ms, kind = kind(failure), "refused"),
    }
}

/// The name of the failure, without the values in it.
fn kind(failure: &Failure) -> String {
    let shown = format!("{failure:?}");
    shown.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use quillgate_index::{Index, IndexSettings};
    use quillgate_tools::{ErrorShape, Settings, Spec, Tool};
    use quillgate_vault::{Limits, Vault};
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;
    use tempfile::TempDir;

    use super::*;

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

    const TOOLS: &[Registered] = &[Registered::of::<Panics>(), Registered::of::<Waits>(), Registered::of::<Counts>()];
    const fn surface(errors: ErrorShape) -> Surface {
        Surface { name: "test", about: "for tests", tools: TOOLS, errors, instructions: "" }
    }
    static VAULT: Surface = surface(ErrorShape::Vault);
    static ENGINE: Surface = surface(ErrorShape::Engine);
    static CLI: Surface = surface(ErrorShape::Cli);

    fn pipeline(configure: impl FnOnce(&mut Config)) -> (TempDir, Pipeline) {
        let folder = tempfile::tempdir().expect("a folder");
        let vault = Arc::new(Vault::open(folder.path(), None, Limits::default()).expect("a vault"));
        let index = Index::start(vault.clone(), None, &IndexSettings::default());
        let mut config = Config::default();
        configure(&mut config);
        let workspace = Workspace::new(vault, index, Settings::default());
        (folder, Pipeline::new(Some(Arc::new(workspace)), Arc::new(config)))
    }

    async fn call(pipeline: &Pipeline, surface: &'static Surface, tool: &str) -> Answer {
        pipeline.call(&Mount::new(surface), &Caller::Trusted, tool, Map::new(), Call::default()).await
    }

    fn structured(answer: Answer) -> Value {
        let Answer::Result { structured: Some(value), .. } = answer else { panic!("{answer:?}") };
        value
    }

    #[tokio::test]
    async fn a_panic_in_a_tool_is_one_failed_call() {
        let (_folder, pipeline) = pipeline(|config| config.limits.max_concurrent_calls = 1);
        for _ in 0..3 {
            let answer = structured(call(&pipeline, &VAULT, "panics").await);
            assert_eq!(answer["error"]["code"], "INTERNAL", "{answer}");
            let answer = structured(call(&pipeline, &ENGINE, "panics").await);
            assert_eq!(answer["code"], "internal_error", "{answer}");
            let Answer::Protocol(error) = call(&pipeline, &CLI, "panics").await else { panic!("a protocol error") };
            assert_eq!(error.code, -32603, "{error:?}");
        }
        assert_eq!(structured(call(&pipeline, &VAULT, "counts").await), json!(1), "the slot of a panic is free again");
    }

    #[tokio::test]
    async fn a_call_over_its_time_is_stopped_and_answered_on_every_surface() {
        let (_folder, pipeline) = pipeline(|config| {
            config.limits.tool_timeout_seconds.insert("waits".to_owned(), 0);
            config.limits.timeout_seconds = 600;
        });
        let answer = structured(call(&pipeline, &VAULT, "waits").await);
        assert_eq!(answer["error"]["code"], "TIMEOUT", "{answer}");
        let answer = structured(call(&pipeline, &ENGINE, "waits").await);
        assert_eq!(answer["code"], "operation_timeout", "{answer}");
        let Answer::Protocol(error) = call(&pipeline, &CLI, "waits").await else { panic!("a protocol error") };
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
        let (_folder, pipeline) = pipeline(|config| config.limits.max_concurrent_calls = 3);
        let calls = (0..12).map(|_| call(&pipeline, &VAULT, "counts"));
        let answers = futures::future::join_all(calls).await;
        let at_once: Vec<u64> = answers.into_iter().filter_map(|answer| structured(answer).as_u64()).collect();
        assert!(at_once.len() == 12 && at_once.iter().all(|count| (1..=3).contains(count)), "{at_once:?}");
    }

    #[test]
    fn an_optional_argument_that_is_null_was_left_out() {
        let arguments = json!({"path": "a.md", "limit": null});
        let kept = without_nulls(arguments.as_object().expect("an object").clone());
        assert_eq!(Value::Object(kept), json!({"path": "a.md"}));
    }
}
