//! What numbers can do.

use super::methods::number_argument;
use super::names::Method;
use super::text::number_text;
use crate::fault::Fault;
use crate::value::Value;

pub(super) fn call(number: f64, method: Method, arguments: &[Value]) -> Result<Option<Value>, Fault> {
    Ok(Some(match method {
        Method::Abs => Value::Number(number.abs()),
        Method::Ceil => Value::Number(number.ceil()),
        Method::Floor => Value::Number(number.floor()),
        Method::Round => Value::Number(round(number, number_argument(arguments, 0, 0.0)?)),
        Method::ToFixed => Value::from(to_fixed(number, number_argument(arguments, 0, 0.0)?)?),
        _ => return Ok(None),
    }))
}

/// Halves go up, as in JavaScript.
pub(super) fn round(number: f64, digits: f64) -> f64 {
    let digits = digits.trunc().clamp(-300.0, 300.0) as i32;
    if digits == 0 {
        return (number + 0.5).floor();
    }
    // Through decimal digits, so that 1.005 and its kin do not suffer from a multiplication.
    let shifted: f64 = format!("{number}e{digits}").parse().unwrap_or(number);
    let rounded = (shifted + 0.5).floor();
    format!("{rounded}e{}", -digits).parse().ok().filter(|result: &f64| result.is_finite()).unwrap_or(number)
}

fn to_fixed(number: f64, digits: f64) -> Result<String, Fault> {
    if !(0.0..=100.0).contains(&digits) {
        return Err(Fault::wrong("toFixed() takes 0 to 100 digits"));
    }
    if !number.is_finite() || number.abs() >= 1e21 {
        return Ok(number_text(number));
    }
    let digits = digits as usize;
    // Exactly between two results JavaScript takes the larger one, away from zero.
    let doubled = number.abs() * 2_f64.powi(digits as i32 + 1);
    let is_tie = doubled.fract() == 0.0 && doubled % 2.0 == 1.0;
    let nudged = if is_tie { number.abs().next_up() } else { number.abs() };
    let text = format!("{nudged:.digits$}");
    let is_negative = number < 0.0;
    Ok(if is_negative { format!("-{text}") } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_javascript() {
        for (number, digits, expected) in [
            (1.005, 2.0, "1.00"),
            (1.45, 1.0, "1.4"),
            (0.5, 0.0, "1"),
            (2.5, 0.0, "3"),
            (-2.5, 0.0, "-3"),
            (0.25, 1.0, "0.3"),
            (3.149_99, 2.0, "3.15"),
            (10.0, 2.0, "10.00"),
            (-0.0001, 2.0, "-0.00"),
            (1e21, 2.0, "1e+21"),
        ] {
            assert_eq!(to_fixed(number, digits).unwrap(), expected, "{number}");
        }
        for (number, digits, expected) in
            [(2.5, 0.0, 3.0), (-2.5, 0.0, -2.0), (2.3333, 2.0, 2.33), (1.005, 2.0, 1.01), (1234.0, -2.0, 1200.0)]
        {
            assert_eq!(round(number, digits), expected, "{number}");
        }
    }
}
