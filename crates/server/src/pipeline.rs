//! What every call goes through, on every surface and transport: find, validate, run, record.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quillgate_tools::{Answer, Call, Context, Failure, Registered, Surface, Workspace, check_arguments};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::config::Config;

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
}

pub(crate) struct Pipeline {
    workspace: Arc<Workspace>,
    config: Arc<Config>,
    /// Calls run on threads; this many at once.
    slots: Arc<Semaphore>,
}

impl Pipeline {
    pub(crate) fn new(workspace: Arc<Workspace>, config: Arc<Config>) -> Pipeline {
        let slots = Arc::new(Semaphore::new(config.limits.max_concurrent_calls.max(1)));
        Pipeline { workspace, config, slots }
    }

    pub(crate) fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    pub(crate) async fn call(&self, mount: &Mount, name: &str, arguments: Map<String, Value>, call: Call) -> Answer {
        let started = Instant::now();
        let outcome = self.run(mount, name, arguments, call).await;
        record(mount, name, &outcome, started.elapsed());
        mount.surface.answer(outcome)
    }

    async fn run(&self, mount: &Mount, name: &str, arguments: Map<String, Value>, call: Call) -> Result<Value, Failure> {
        let Some((tool, schema)) = mount.find(name) else {
            return Err(Failure::UnknownTool(name.to_owned()));
        };
        let issues = check_arguments(schema, &arguments);
        if !issues.is_empty() {
            return Err(Failure::InvalidInput(issues));
        }
        let limit = self.config.time_limit(name);
        let stop = call.clone();
        let running = self.run_on_thread(tool, without_nulls(arguments), call);
        match tokio::time::timeout(limit, running).await {
            Ok(outcome) => outcome,
            Err(_) => {
                stop.cancel();
                Err(Failure::Timeout(limit.as_secs()))
            }
        }
    }

    async fn run_on_thread(
        &self,
        tool: &'static Registered,
        arguments: Map<String, Value>,
        call: Call,
    ) -> Result<Value, Failure> {
        let slot = self.slots.clone().acquire_owned().await.map_err(|_| Failure::Cancelled)?;
        let workspace = self.workspace.clone();
        let work = move || {
            let _slot = slot;
            let context = Context { workspace: &workspace, call: &call };
            catch_unwind(AssertUnwindSafe(|| tool.run(Value::Object(arguments), &context)))
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(Ok(outcome)) => outcome,
            // The panic itself is in the log, where the panic hook has put it.
            Ok(Err(_)) | Err(_) => Err(Failure::Internal("the tool panicked".to_owned())),
        }
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
        Ok(_) => tracing::info!(surface, tool, ms, "ok"),
        Err(Failure::Internal(what)) => tracing::error!(surface, tool, ms, what, "failed"),
        Err(failure) => tracing::info!(surface, tool, ms, kind = kind(failure), "refused"),
    }
}

/// The name of the failure, without the values in it.
fn kind(failure: &Failure) -> String {
    let shown = format!("{failure:?}");
    shown.split(['(', ' ', '{']).next().unwrap_or_default().to_owned()
}
