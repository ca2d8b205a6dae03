//! Methods: what any value has, and to which file the others belong.

use super::dates::milliseconds;
use super::dialect::{Bases, Evaluator, type_name, with_article};
use super::names::Method;
use super::text::text_of;
use super::{date_methods, file_methods, list_methods, number_methods, text_methods};
use crate::code::Code;
use crate::evaluate::Dialect;
use crate::fault::Fault;
use crate::value::{Object, Value};

pub(super) fn call(
    evaluation: &mut Evaluator<'_, '_>,
    on: Value,
    method: Method,
    arguments: &[Code<Bases>],
) -> Result<Value, Fault> {
    // These evaluate their argument once per item.
    if let (Method::Filter | Method::Map | Method::Reduce, Value::List(items)) = (method, &on) {
        return list_methods::each(evaluation, items, method, arguments);
    }
    let arguments = match method {
        Method::Filter | Method::Map | Method::Reduce => Vec::new(),
        _ => evaluation.values(arguments)?,
    };
    let world = evaluation.row.world;
    match method {
        Method::IsTruthy => return Ok(Value::Bool(Bases::is_true(&on))),
        Method::IsType => return Ok(Value::Bool(text_of(&arguments[0], world.catalogue) == type_name(&on))),
        Method::ToString => return Ok(Value::from(text_of(&on, world.catalogue))),
        Method::IsEmpty => return Ok(Value::Bool(is_empty(&on))),
        _ => {}
    }
    let found = match &on {
        Value::Null => Some(on_nothing(method)),
        Value::Text(text) | Value::Tag(text) => text_methods::call(evaluation, text, method, &arguments)?,
        Value::Number(number) => number_methods::call(*number, method, &arguments)?,
        // Differences of dates were numbers of milliseconds once, and are rounded as such.
        Value::Duration(duration) => number_methods::call(milliseconds(duration), method, &arguments)?,
        Value::Date(date) => date_methods::call(evaluation, date, method, &arguments)?,
        Value::List(items) => list_methods::call(evaluation, items, method, &arguments)?,
        Value::File(file) => file_methods::call(evaluation, *file, method, &arguments)?,
        Value::Link(link) => file_methods::on_link(evaluation, link, method, &arguments)?,
        Value::Object(object) => on_object(object, method),
        Value::Pattern(pattern) if method == Method::Matches => {
            let text = text_of(&arguments[0], world.catalogue);
            Some(Value::Bool(pattern.is_match(&text, evaluation.steps)?))
        }
        Value::Rich(rich) => text_methods::call(evaluation, &rich.text, method, &arguments)?,
        _ => None,
    };
    found.ok_or_else(|| Fault::wrong(format!("{} has no {}()", with_article(&on), method.name())))
}

pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Object(object) => object.0.is_empty(),
        _ => false,
    }
}

/// A property that is missing holds nothing and is changed into nothing; the expression goes on. The reference does not say what the app
/// does here; a filter on it leaves the note out either way.
fn on_nothing(method: Method) -> Value {
    match method {
        Method::Contains
        | Method::ContainsAll
        | Method::ContainsAny
        | Method::StartsWith
        | Method::EndsWith
        | Method::Matches
        | Method::LinksTo
        | Method::HasLink
        | Method::HasProperty
        | Method::HasTag
        | Method::InFolder => Value::Bool(false),
        _ => Value::Null,
    }
}

fn on_object(object: &Object, method: Method) -> Option<Value> {
    match method {
        Method::Keys => Some(Value::list(object.0.iter().map(|(key, _)| Value::Text(key.clone())).collect())),
        Method::Values => Some(Value::list(object.0.iter().map(|(_, value)| value.clone()).collect())),
        _ => None,
    }
}

/// A number among the arguments, or what stands for it when it is left out.
pub(super) fn number_argument(arguments: &[Value], at: usize, otherwise: f64) -> Result<f64, Fault> {
    match arguments.get(at) {
        None | Some(Value::Null) => Ok(otherwise),
        Some(value) => super::compare::as_number(value)
            .ok_or_else(|| Fault::wrong(format!("a number is expected, and {} is given", with_article(value)))),
    }
}

/// The part from `start` to `end` as JavaScript counts: from the end where negative.
pub(super) fn slice_range(arguments: &[Value], length: usize) -> Result<std::ops::Range<usize>, Fault> {
    let place = |number: f64| {
        let at = if number < 0.0 { length as f64 + number.trunc() } else { number.trunc() };
        at.clamp(0.0, length as f64) as usize
    };
    let start = place(number_argument(arguments, 0, 0.0)?);
    let end = place(number_argument(arguments, 1, length as f64)?);
    Ok(start..end.max(start))
}
