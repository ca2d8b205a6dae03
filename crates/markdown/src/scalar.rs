//! What a plain YAML scalar means, by the rules of the YAML 1.2 core schema.

use crate::value::Value;

/// Resolves an unquoted, untagged scalar.
pub(crate) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let could_be_number = matches!(text.as_bytes()[0], b'0'..=b'9' | b'.' | b'+' | b'-');
    if could_be_number && let Some(number) = number(text) {
        return number;
    }
    Value::Text(text.to_owned())
}

/// Whether the text, written without quotes, would be read back as something else than text.
pub(crate) fn is_not_text(text: &str) -> bool {
    !matches!(resolve(text), Value::Text(_))
}

pub(crate) fn number(text: &str) -> Option<Value> {
    if let Some(digits) = text.strip_prefix("0o") {
        return with_radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return with_radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => {
            return Some(Value::Float(f64::NEG_INFINITY));
        }
        ".inf" | ".Inf" | ".INF" => return Some(Value::Float(f64::INFINITY)),
        ".nan" | ".NaN" | ".NAN" if unsigned.len() == text.len() => {
            return Some(Value::Float(f64::NAN));
        }
        _ => {}
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let integer = text.parse().map(Value::Integer).ok();
        return integer.or_else(|| text.parse().map(Value::number).ok());
    }
    is_decimal(unsigned).then(|| text.parse().map(Value::number).ok()).flatten()
}

fn with_radix(digits: &str, radix: u32) -> Option<Value> {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    if let Ok(integer) = i64::from_str_radix(digits, radix) {
        return Some(Value::Integer(integer));
    }
    let digit = |character: char| f64::from(character.to_digit(radix).unwrap_or(0));
    Some(Value::number(digits.chars().fold(0.0, |sum, next| sum * f64::from(radix) + digit(next))))
}

/// `1.5`, `.5`, `1.`, each with or without an exponent; `1e3` too.
fn is_decimal(unsigned: &str) -> bool {
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
        None => (unsigned, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mantissa_is_good = all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let exponent_is_good = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_is_good && exponent_is_good
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn numbers_are_decimal_octal_hexadecimal_or_float() {
        let check = |written: &str, expected: Value| assert_eq!(resolve(written), expected, "{written}");
        check("0123", Value::Integer(123));
        check("0o17", Value::Integer(15));
        check("0x1F", Value::Integer(31));
        check("-5", Value::Integer(-5));
        check("+5", Value::Integer(5));
        check("1e3", Value::Integer(1000));
        check("1.50", Value::Float(1.5));
        check(".5", Value::Float(0.5));
        check("5.", Value::Integer(5));
        check("-.inf", Value::Float(f64::NEG_INFINITY));
        check("99999999999999999999", Value::Float(1e20));
        assert!(resolve(".nan").is_same(&Value::Float(f64::NAN)));
    }

    #[test]
    fn what_yaml_1_1_would_convert_stays_text() {
        for written in [
            "1_000",
            "12:30",
            "2024-01-01",
            "yes",
            "on",
            "tRUE",
            "nULL",
            "0o8",
            "0xG",
            "1e",
            ".",
            "-",
            "+.nan",
            "-0x1F",
            "..5",
            "1.2.3",
            "e3",
            ".e3",
        ] {
            assert_eq!(resolve(written), text(written), "{written}");
        }
    }

    #[test]
    fn null_and_booleans_have_three_spellings() {
        for written in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(resolve(written), Value::Null, "{written}");
        }
        assert_eq!(resolve("True"), Value::Bool(true));
        assert_eq!(resolve("FALSE"), Value::Bool(false));
    }
}
