//! What a tool is: a struct of arguments with a specification and something to run.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::{Call, Context};
use crate::failure::{Failure, Issue};
use crate::schema;

/// The struct's doc comment is the description that a model reads, its fields are the schema.
pub trait Tool: DeserializeOwned + JsonSchema + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + 'static;

    fn run(self, context: &Context<'_>) -> Result<Self::Output, Failure>;
}

/// Everything about a tool that is not its arguments; annotations, catalogue, documentation and enforcement come from here.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    pub name: &'static str,
    /// A short name for people.
    pub title: &'static str,
    pub scopes: &'static [&'static str],
    pub rate: Rate,
    pub effect: Effect,
    pub confirm: Confirm,
    pub idempotency: Idempotency,
    pub cost: Cost,
}

/// How long a call takes, as far as that can be known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Looks at one file or folder and changes nothing: microseconds on any local disk.
    Quick,
    /// Everything else: runs on a thread of its own.
    Open,
}

/// The class a call is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    Read,
    Write,
    Delete,
    Bulk,
    Execute,
    Admin,
}

/// What a call does to the world, as annotations tell it to clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Read,
    /// Only adds; what was there stays.
    Add,
    /// May replace or remove what was there.
    Change,
    /// Reaches beyond the vault, such as a running app.
    Outside,
    /// Looks beyond the vault, such as at another site, and changes nothing there.
    ReadOutside,
}

impl Effect {
    pub const fn is_read_only(self) -> bool {
        matches!(self, Effect::Read | Effect::ReadOutside)
    }

    /// Whether it deals with more than the vault.
    pub const fn is_open_world(self) -> bool {
        matches!(self, Effect::Outside | Effect::ReadOutside)
    }
}

/// When a human must agree first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirm {
    Never,
    Always,
}

/// Whether a repeated call may be answered from the first one's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idempotency {
    /// Calling twice is the same as calling once, or replies are never kept.
    Natural,
    /// A repeated call acts again.
    Repeats,
}

impl Spec {
    /// A tool that only looks.
    pub const fn reading(name: &'static str, title: &'static str) -> Spec {
        Spec {
            name,
            title,
            scopes: &["read:notes"],
            rate: Rate::Read,
            effect: Effect::Read,
            confirm: Confirm::Never,
            idempotency: Idempotency::Natural,
            cost: Cost::Open,
        }
    }

    /// A tool that changes notes.
    pub const fn writing(name: &'static str, title: &'static str, effect: Effect, idempotency: Idempotency) -> Spec {
        Spec {
            name,
            title,
            scopes: &["write:notes"],
            rate: Rate::Write,
            effect,
            confirm: Confirm::Never,
            idempotency,
            cost: Cost::Open,
        }
    }

    pub const fn scopes(self, scopes: &'static [&'static str]) -> Spec {
        Spec { scopes, ..self }
    }

    pub const fn quick(self) -> Spec {
        Spec { cost: Cost::Quick, ..self }
    }

    pub const fn rate(self, rate: Rate) -> Spec {
        Spec { rate, ..self }
    }
}

/// A tool with its types forgotten, for slices of them.
#[derive(Clone, Copy)]
pub struct Registered {
    pub spec: Spec,
    pub input_schema: &'static (dyn Fn() -> Map<String, Value> + Send + Sync),
    pub output_schema: &'static (dyn Fn() -> Map<String, Value> + Send + Sync),
    pub description: &'static (dyn Fn() -> String + Send + Sync),
    pub(crate) runner: Runner,
}

#[derive(Clone, Copy)]
pub(crate) enum Runner {
    OnVault(fn(Value, &Context<'_>) -> Result<Value, Failure>),
    WithoutVault(&'static (dyn Fn(Value, &Call) -> Result<Value, Failure> + Send + Sync)),
}

impl Registered {
    pub const fn of<T: Tool>() -> Registered {
        Registered {
            spec: T::SPEC,
            input_schema: &schema::of::<T>,
            output_schema: &schema::of::<T::Output>,
            description: &schema::description_of::<T>,
            runner: Runner::OnVault(run::<T>),
        }
    }

    /// Runs the tool on arguments that fit its schema.
    pub fn run(&self, arguments: Value, context: &Context<'_>) -> Result<Value, Failure> {
        match self.runner {
            Runner::OnVault(run) => run(arguments, context),
            Runner::WithoutVault(run) => run(whole_numbers(arguments), context.call),
        }
    }

    /// The same for a server that has no vault.
    pub fn run_without_vault(&self, arguments: Value, call: &Call) -> Result<Value, Failure> {
        match self.runner {
            Runner::OnVault(_) => Err(Failure::NotConfigured("this server has no vault; its operator can name one".to_owned())),
            Runner::WithoutVault(run) => run(whole_numbers(arguments), call),
        }
    }

    pub fn needs_vault(&self) -> bool {
        matches!(self.runner, Runner::OnVault(_))
    }
}

fn run<T: Tool>(arguments: Value, context: &Context<'_>) -> Result<Value, Failure> {
    // Validation has passed; what is left are limits of the types, such as a number that is too large.
    let tool: T = serde_json::from_value(whole_numbers(arguments))
        .map_err(|error| Failure::InvalidInput(vec![Issue::other(error.to_string())]))?;
    let output = tool.run(context)?;
    serde_json::to_value(output).map_err(|error| Failure::Internal(error.to_string()))
}

/// Some clients send 1.0 for 1, and the types here know the difference.
fn whole_numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 9e15 => Value::from(float as i64),
            _ => Value::Number(number),
        },
        Value::Array(items) => items.into_iter().map(whole_numbers).collect(),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(name, value)| (name, whole_numbers(value))).collect()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_whole_number_may_come_as_a_float() {
        assert_eq!(whole_numbers(json!({"a": 1.0, "b": [2.5, 3.0], "c": "4.0"})), json!({"a": 1, "b": [2.5, 3], "c": "4.0"}));
    }
}
