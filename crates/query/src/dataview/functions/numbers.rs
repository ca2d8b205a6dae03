//! Numbers, and what is worked out over lists of them.

use super::super::arithmetic::spend;
use super::super::dialect::{Eval, binary};
use super::super::duration::grouped;
use super::super::kind::compare;
use super::super::nesting::check_size;
use super::super::scan::Scan;
use super::{NULL, Outcome, apply, is_lambda, some};
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::Value;

pub(super) fn number(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Number(number)] => some(*number),
        [Value::Text(text)] => match first_number(text) {
            Some(number) => some(number),
            None => NULL,
        },
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

/// The first number anywhere in a text.
pub(super) fn first_number(text: &str) -> Option<f64> {
    let starts = text.char_indices().filter(|(_, character)| character.is_ascii_digit() || *character == '-');
    starts.map(|(at, _)| at).find_map(|at| Scan { text, at }.number())
}

/// Halves are rounded up, as JavaScript does.
fn rounded(number: f64) -> f64 {
    let floor = number.floor();
    if number - floor >= 0.5 { floor + 1.0 } else { floor }
}

pub(super) fn round(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Number(number)] | [Value::Number(number), Value::Null] => some(rounded(*number)),
        [Value::Number(number), Value::Number(digits)] if *digits <= 0.0 => some(rounded(*number)),
        [Value::Number(number), Value::Number(digits)] => {
            if *digits > 100.0 {
                return Err(Fault::wrong("round(number, digits) takes at most 100 digits"));
            }
            some(fixed(*number, *digits as usize).parse::<f64>().unwrap_or(*number))
        }
        [Value::Null] | [Value::Null, _] => NULL,
        _ => Ok(None),
    }
}

/// With so many digits, exact halves away from zero as JavaScript writes them.
pub(super) fn fixed(number: f64, digits: usize) -> String {
    let text = format!("{number:.digits$}");
    if !number.is_finite() {
        return text;
    }
    // Rust rounds exact halves to even digits.
    let exact = format!("{number:.*}", digits + 30);
    let cut = exact.len() - 30;
    if exact[cut..] == *"500000000000000000000000000000" {
        let step = 10f64.powi(-i32::try_from(digits).unwrap_or(i32::MAX)) / 4.0;
        return format!("{:.digits$}", number + step.copysign(number));
    }
    text
}

fn one(arguments: &[Value], change: fn(f64) -> f64) -> Outcome {
    match arguments {
        [Value::Number(number)] => some(change(*number)),
        [Value::Null] => NULL,
        _ => Ok(None),
    }
}

pub(super) fn truncated(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    one(arguments, f64::trunc)
}

pub(super) fn floor(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    one(arguments, f64::floor)
}

pub(super) fn ceil(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    one(arguments, f64::ceil)
}

pub(super) fn min(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    best(evaluation, arguments, |order| order.is_le())
}

pub(super) fn max(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    best(evaluation, arguments, |order| order.is_gt())
}

/// Nothing counts for nothing; the first one stays where `keeps` says so.
fn best(evaluation: &mut Eval<'_, '_>, arguments: &[Value], keeps: fn(std::cmp::Ordering) -> bool) -> Outcome {
    let values = match arguments {
        [Value::List(items)] => items,
        several => several,
    };
    spend(evaluation, values.len())?;
    let world = evaluation.row.world;
    let known = values.iter().filter(|value| !value.is_null());
    let best = known.reduce(|best, next| if keeps(compare(world, best, next)) { best } else { next });
    Ok(Some(best.cloned().unwrap_or(Value::Null)))
}

pub(super) fn min_by(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    best_by(evaluation, arguments, |order| order.is_le())
}

pub(super) fn max_by(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    best_by(evaluation, arguments, |order| order.is_gt())
}

fn best_by(evaluation: &mut Eval<'_, '_>, arguments: &[Value], keeps: fn(std::cmp::Ordering) -> bool) -> Outcome {
    let (items, by) = match arguments {
        [Value::List(items), by] if is_lambda(by) => (items, by),
        [Value::Null, by] if is_lambda(by) => return NULL,
        _ => return Ok(None),
    };
    let mut best: Option<(Value, Value)> = None;
    for item in items.iter() {
        let by = apply(evaluation, by, std::slice::from_ref(item))?;
        let is_better = best.as_ref().is_none_or(|(_, known)| !keeps(compare(evaluation.row.world, known, &by)));
        if !by.is_null() && is_better {
            best = Some((item.clone(), by));
        }
    }
    Ok(Some(best.map(|(item, _)| item).or_else(|| items.first().cloned()).unwrap_or(Value::Null)))
}

pub(super) fn reduce(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Null, _] | [_, Value::Null] => NULL,
        [Value::List(items), Value::Text(sign)] => {
            let op = match &**sign {
                "+" => BinaryOp::Add,
                "-" => BinaryOp::Subtract,
                "*" => BinaryOp::Multiply,
                "/" => BinaryOp::Divide,
                "&" => BinaryOp::And,
                "|" => BinaryOp::Or,
                _ => return Err(Fault::wrong("reduce(list, sign) takes +, -, *, /, & or |")),
            };
            fold(evaluation, items, op).map(Some)
        }
        [Value::List(items), by] if is_lambda(by) => {
            let Some((first, rest)) = items.split_first() else { return NULL };
            let mut value = first.clone();
            for item in rest.iter().filter(|item| !item.is_null()) {
                value = apply(evaluation, by, &[value, item.clone()])?;
                check_size(&value)?;
            }
            Ok(Some(value))
        }
        _ => Ok(None),
    }
}

fn fold(evaluation: &mut Eval<'_, '_>, items: &[Value], op: BinaryOp) -> Result<Value, Fault> {
    spend(evaluation, items.len())?;
    let Some((first, rest)) = items.split_first() else { return Ok(Value::Null) };
    rest.iter().try_fold(first.clone(), |value, item| binary(evaluation, op, &value, item))
}

pub(super) fn sum(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    over(evaluation, arguments, BinaryOp::Add)
}

pub(super) fn product(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    over(evaluation, arguments, BinaryOp::Multiply)
}

fn over(evaluation: &mut Eval<'_, '_>, arguments: &[Value], op: BinaryOp) -> Outcome {
    match arguments {
        [Value::List(items)] => fold(evaluation, items, op).map(Some),
        [other] => some(other.clone()),
        _ => Ok(None),
    }
}

pub(super) fn average(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let [Value::List(items)] = arguments else { return over(evaluation, arguments, BinaryOp::Add) };
    match fold(evaluation, items, BinaryOp::Add)? {
        Value::Null => NULL,
        sum => binary(evaluation, BinaryOp::Divide, &sum, &Value::Number(items.len() as f64)).map(Some),
    }
}

/// Signs of currencies that have one in English, and how many digits stand behind the point.
const CURRENCIES: [(&str, &str, usize); 14] = [
    ("USD", "$", 2),
    ("EUR", "€", 2),
    ("GBP", "£", 2),
    ("JPY", "¥", 0),
    ("CNY", "CN¥", 2),
    ("INR", "₹", 2),
    ("KRW", "₩", 0),
    ("BRL", "R$", 2),
    ("CAD", "CA$", 2),
    ("AUD", "A$", 2),
    ("NZD", "NZ$", 2),
    ("MXN", "MX$", 2),
    ("ILS", "₪", 2),
    ("VND", "₫", 0),
];

pub(super) fn currency_format(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (number, code) = match arguments {
        [Value::Number(number)] => (*number, "USD".to_owned()),
        [Value::Number(number), Value::Text(code)] => (*number, code.to_uppercase()),
        [Value::Null] | [Value::Null, Value::Text(_)] => return NULL,
        _ => return Ok(None),
    };
    if code.len() != 3 || !code.bytes().all(|letter| letter.is_ascii_alphabetic()) {
        return Err(Fault::wrong(format!("{code} is no currency; it has three letters, such as EUR")));
    }
    let known = CURRENCIES.iter().find(|(known, ..)| *known == code);
    let (sign, digits) = known.map_or((format!("{code}\u{a0}"), 2), |(_, sign, digits)| ((*sign).to_owned(), *digits));
    if !number.is_finite() {
        let (minus, amount) = (if number < 0.0 { "-" } else { "" }, if number.is_nan() { "NaN" } else { "∞" });
        return some(format!("{minus}{sign}{amount}"));
    }
    let text = fixed(number.abs(), digits);
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), ""), |(whole, fraction)| (whole, fraction));
    let whole = grouped(whole.parse().unwrap_or(0.0));
    let point = if fraction.is_empty() { "" } else { "." };
    let minus = if number < 0.0 { "-" } else { "" };
    some(format!("{minus}{sign}{whole}{point}{fraction}"))
}
