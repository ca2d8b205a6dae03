//! Expressions made ready: what can be known before there is a row is worked out, and names get their places.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::dialect::{Dataview, Resolver};
use super::duration::named_day;
use crate::code::{Code, lower};
use crate::expression::{Expr, ExprKind};
use crate::fault::SyntaxError;
use crate::value::Value;

pub(crate) fn prepare(
    expr: &Expr,
    text: &str,
    now: Timestamp,
    local: &TimeZone,
    resolver: &mut Resolver,
) -> Result<Code<Dataview>, SyntaxError> {
    let mut expr = expr.clone();
    simplify(&mut expr, now, local);
    lower(&expr, text, resolver)
}

/// Days such as `date(today)` become dates, and `x["name"]` becomes a field.
fn simplify(expr: &mut Expr, now: Timestamp, local: &TimeZone) {
    let each = |exprs: &mut [Expr]| exprs.iter_mut().for_each(|expr| simplify(expr, now, local));
    match &mut expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) => {}
        ExprKind::Field { on, .. } | ExprKind::Not(on) | ExprKind::Negate(on) | ExprKind::Lambda { body: on, .. } => {
            simplify(on, now, local);
        }
        ExprKind::Index { on, key } => {
            simplify(on, now, local);
            simplify(key, now, local);
        }
        ExprKind::Call { arguments, .. } => each(arguments),
        ExprKind::Method { on, arguments, .. } | ExprKind::Apply { on, arguments } => {
            each(arguments);
            simplify(on, now, local);
        }
        ExprKind::Binary { left, right, .. } => {
            simplify(left, now, local);
            simplify(right, now, local);
        }
        ExprKind::List(items) => each(items),
        ExprKind::Object(entries) => entries.iter_mut().for_each(|(_, value)| simplify(value, now, local)),
    }
    if let Some(kind) = simpler(&expr.kind, now, local) {
        expr.kind = kind;
    }
}

fn simpler(kind: &ExprKind, now: Timestamp, local: &TimeZone) -> Option<ExprKind> {
    match kind {
        ExprKind::Call { name, arguments } if &**name == "date" => {
            let [Expr { kind: ExprKind::Literal(Value::Text(word)), .. }] = &arguments[..] else { return None };
            named_day(word, now, local).map(|day| ExprKind::Literal(Value::Date(day)))
        }
        ExprKind::Index { on, key } => {
            let ExprKind::Literal(Value::Text(name)) = &key.kind else { return None };
            Some(ExprKind::Field { on: on.clone(), name: Box::from(&**name) })
        }
        _ => None,
    }
}
