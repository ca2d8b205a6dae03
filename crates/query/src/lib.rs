//! Evaluates the query languages of a vault over its catalogue: Bases, Dataview and Tasks, with the app closed.
//!
//! One value type ([`Value`]), one syntax tree of expressions ([`Expr`]), one evaluator ([`Evaluation`]) under a [`Budget`]. What differs
//! between the languages (what a name means, how values compare, which functions there are) is a [`Dialect`].
//!
//! Architecture invariant: nothing here opens a file or knows who is asking; the catalogue it is given has only what may be seen.

pub mod bases;
mod budget;
mod code;
mod collate;
mod cores;
pub mod dataview;
mod date;
#[cfg(test)]
mod documented;
mod evaluate;
mod expression;
mod fault;
pub mod luxon;
pub mod moment;
pub mod obsidian_search;
mod pattern;
mod periodic;
pub mod tasks;
pub mod template;
mod value;

pub use budget::{Budget, BudgetSpent, Steps};
pub use code::{Closure, Code, Resolve, lower};
pub use date::{Date, Duration, Zone};
pub use evaluate::{AnyFunction, Dialect, Evaluation, closure};
pub use expression::{BinaryOp, Expr, ExprKind};
pub use fault::{Fault, SyntaxError};
pub use pattern::{Captures, Pattern, PatternError};
pub use periodic::PeriodicNames;
pub use value::{Link, LinkKind, Object, Rich, RichKind, Value};
