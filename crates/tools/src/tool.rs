//! What a tool is: a struct of arguments with a specification and something to run.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::context::{Call, Context, ServerContext};
use crate::failure::{Failure, Issue};
use crate::plan::{Plan, carry_out};
use crate::schema;

/// The struct's doc comment is the description that a model reads, its fields are the schema.
pub trait Tool: DeserializeOwned + JsonSchema + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + 'static;

    fn run(self, context: &Context<'_>) -> Result<Self::Output, Failure>;
}

/// A tool that changes files. It says what it would do, so that the same words can be shown to a human, tried without effect, or
/// carried out.
pub(crate) trait ChangeTool: DeserializeOwned + JsonSchema + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + 'static;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Self::Output>, Failure>;
}

/// A tool about the server rather than one vault.
pub(crate) trait ServerTool: DeserializeOwned + JsonSchema + 'static {
    const SPEC: Spec;
    type Output: Serialize + JsonSchema + 'static;

    fn run(self, context: &ServerContext<'_>) -> Result<Self::Output, Failure>;
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
    /// The same, unless this argument is true.
    QuickUnless(&'static str),
    /// Everything else: runs on a thread of its own.
    Open,
}

impl Cost {
    pub fn is_quick(self, arguments: &Value) -> bool {
        match self {
            Cost::Quick => true,
            Cost::QuickUnless(argument) => !arguments.get(argument).and_then(Value::as_bool).unwrap_or(false),
            Cost::Open => false,
        }
    }
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

impl Rate {
    pub const fn name(self) -> &'static str {
        match self {
            Rate::Read => "read",
            Rate::Write => "write",
            Rate::Delete => "delete",
            Rate::Bulk => "bulk",
            Rate::Execute => "execute",
            Rate::Admin => "admin",
        }
    }
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
    /// In the case that these words name; the tool itself finds out.
    When(&'static str),
}

/// Whether a repeated call may be answered from the first one's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idempotency {
    /// Calling twice is the same as calling once.
    Natural,
    /// A repeated call acts again.
    Repeats,
    /// A repeated call acts again, unless both carry the same key.
    Keyed,
    /// The same, and there must be a key.
    KeyRequired,
}

impl Idempotency {
    pub const fn takes_key(self) -> bool {
        matches!(self, Idempotency::Keyed | Idempotency::KeyRequired)
    }
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

    pub const fn quick_unless(self, argument: &'static str) -> Spec {
        Spec { cost: Cost::QuickUnless(argument), ..self }
    }

    pub const fn rate(self, rate: Rate) -> Spec {
        Spec { rate, ..self }
    }

    pub const fn confirm(self, confirm: Confirm) -> Spec {
        Spec { confirm, ..self }
    }
}

/// A tool with its types forgotten, for slices of them.
#[derive(Clone, Copy)]
pub struct Registered {
    pub spec: Spec,
    pub input_schema: &'static (dyn Fn() -> Map<String, Value> + Send + Sync),
    pub output_schema: &'static (dyn Fn() -> Map<String, Value> + Send + Sync),
    pub description: &'static (dyn Fn() -> String + Send + Sync),
    /// Whether it says what it would change before it does, and asks for itself.
    plans: bool,
    pub(crate) runner: Runner,
}

#[derive(Clone, Copy)]
pub(crate) enum Runner {
    OnVault(fn(&Value, &Context<'_>) -> Result<Value, Failure>),
    OnServer(fn(&Value, &ServerContext<'_>) -> Result<Value, Failure>),
    Outside(&'static (dyn Fn(&Value, &Call) -> Result<Value, Failure> + Send + Sync)),
}

impl Registered {
    /// What is known of every tool by the types of its arguments and its answer.
    const fn typed<T: JsonSchema + 'static, O: JsonSchema + 'static>(spec: Spec, plans: bool, runner: Runner) -> Registered {
        Registered {
            spec,
            input_schema: &schema::of::<T>,
            output_schema: &schema::of_result::<O>,
            description: &schema::description_of::<T>,
            plans,
            runner,
        }
    }

    pub const fn of<T: Tool>() -> Registered {
        let runner = Runner::OnVault(|arguments, context| answer(read::<T>(arguments)?.run(context)?));
        Registered::typed::<T, T::Output>(T::SPEC, false, runner)
    }

    /// A tool that changes more than one transaction can, and calls [`agree`](crate::plan::agree) before it does.
    pub(crate) const fn asking<T: Tool>() -> Registered {
        Registered { plans: true, ..Registered::of::<T>() }
    }

    pub(crate) const fn changing<T: ChangeTool>() -> Registered {
        let runner =
            Runner::OnVault(|arguments, context| answer(carry_out(&T::SPEC, context, || read::<T>(arguments)?.plan(context))?));
        Registered::typed::<T, T::Output>(T::SPEC, true, runner)
    }

    pub(crate) const fn on_server<T: ServerTool>() -> Registered {
        let runner = Runner::OnServer(|arguments, context| answer(read::<T>(arguments)?.run(context)?));
        Registered::typed::<T, T::Output>(T::SPEC, false, runner)
    }

    /// A tool outside every vault, made while the program runs.
    pub(crate) fn outside(
        spec: Spec,
        [input_schema, output_schema]: [&'static (dyn Fn() -> Map<String, Value> + Send + Sync); 2],
        description: &'static (dyn Fn() -> String + Send + Sync),
        run: &'static (dyn Fn(&Value, &Call) -> Result<Value, Failure> + Send + Sync),
    ) -> Registered {
        Registered { spec, input_schema, output_schema, description, plans: false, runner: Runner::Outside(run) }
    }

    pub fn plans(&self) -> bool {
        self.plans
    }

    /// Whether a call is about one vault.
    pub fn needs_vault(&self) -> bool {
        matches!(self.runner, Runner::OnVault(_))
    }
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, Failure> {
    // Validation has passed; what is left are limits of the types, such as a number that is too large.
    T::deserialize(arguments).map_err(|error| Failure::InvalidInput(vec![Issue::other(error.to_string())]))
}

fn answer(output: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(output).map_err(|error| Failure::Internal(error.to_string()))
}

/// Some clients send 1.0 for 1, and the types here know the difference.
pub fn whole_numbers(value: Value) -> Value {
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
