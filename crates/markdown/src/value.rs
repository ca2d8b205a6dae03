//! The value of a property and the type its shape suggests.

use std::borrow::Cow;

/// A property value as YAML 1.2 core reads it.
///
/// Numbers follow the app: a float without a fraction is an `Integer`, see [`Value::number`].
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
}

/// 2^53: up to here a float holds every integer exactly.
const EXACT_INTEGERS: f64 = 9_007_199_254_740_992.0;

impl Value {
    /// The number as the app would hold it: `5.0` is the integer 5.
    pub fn number(number: f64) -> Value {
        if number.fract() == 0.0 && number.abs() <= EXACT_INTEGERS {
            return Value::Integer(number as i64);
        }
        Value::Float(number)
    }

    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Whether both are written the same: numbers by value, and not-a-number equals itself.
    pub fn is_same(&self, other: &Value) -> bool {
        match (&*self.normalised(), &*other.normalised()) {
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            // A large float is written with all its digits and read back as an integer.
            (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => *a as f64 == *b,
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b)),
            (Value::Map(a), Value::Map(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1.is_same(&b.1)),
            (a, b) => a == b,
        }
    }

    /// Borrowed except for floats that stand for integers; those must compare equal to integers.
    fn normalised(&self) -> Cow<'_, Value> {
        match self {
            Value::Float(number) => Cow::Owned(Value::number(*number)),
            other => Cow::Borrowed(other),
        }
    }
}

/// The type of a property, as the app names them in `types.json`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PropertyType {
    Text,
    List,
    Number,
    Checkbox,
    Date,
    DateTime,
    Tags,
    Aliases,
    /// Nothing can be said from the value: null and nested maps.
    Unknown,
}

impl PropertyType {
    /// The type an unassigned property gets from the shape of its value.
    pub fn inferred_type(value: &Value) -> PropertyType {
        match value {
            Value::Null | Value::Map(_) => PropertyType::Unknown,
            Value::Bool(_) => PropertyType::Checkbox,
            Value::Integer(_) | Value::Float(_) => PropertyType::Number,
            Value::List(_) => PropertyType::List,
            Value::Text(text) if is_date(text) => PropertyType::Date,
            Value::Text(text) if is_date_time(text) => PropertyType::DateTime,
            Value::Text(_) => PropertyType::Text,
        }
    }

    /// The name `types.json` uses.
    pub fn name(self) -> &'static str {
        match self {
            PropertyType::Text => "text",
            PropertyType::List => "multitext",
            PropertyType::Number => "number",
            PropertyType::Checkbox => "checkbox",
            PropertyType::Date => "date",
            PropertyType::DateTime => "datetime",
            PropertyType::Tags => "tags",
            PropertyType::Aliases => "aliases",
            PropertyType::Unknown => "unknown",
        }
    }

    /// The type `types.json` means by the name.
    pub fn find_named(name: &str) -> Option<PropertyType> {
        Some(match name {
            "text" => PropertyType::Text,
            "multitext" | "list" => PropertyType::List,
            "number" => PropertyType::Number,
            "checkbox" => PropertyType::Checkbox,
            "date" => PropertyType::Date,
            "datetime" => PropertyType::DateTime,
            "tags" => PropertyType::Tags,
            "aliases" => PropertyType::Aliases,
            "unknown" => PropertyType::Unknown,
            _ => return None,
        })
    }
}

fn is_date(text: &str) -> bool {
    has_shape(text, "dddd-dd-dd")
}

fn is_date_time(text: &str) -> bool {
    has_shape(text, "dddd-dd-ddTdd:dd") || has_shape(text, "dddd-dd-ddTdd:dd:dd")
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, expected)| match expected {
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_comes_from_the_shape() {
        let check = |text: &str, expected| {
            let value = Value::Text(text.to_owned());
            assert_eq!(PropertyType::inferred_type(&value), expected, "{text}");
        };
        check("2024-01-05", PropertyType::Date);
        check("2024-01-05T10:20", PropertyType::DateTime);
        check("2024-01-05T10:20:30", PropertyType::DateTime);
        check("2024-1-5", PropertyType::Text);
        check("2024-01-05 10:20", PropertyType::Text);
    }

    #[test]
    fn a_float_without_fraction_is_an_integer() {
        assert_eq!(Value::number(5.0), Value::Integer(5));
        assert_eq!(Value::number(5.5), Value::Float(5.5));
        assert!(Value::Float(5.0).is_same(&Value::Integer(5)));
        assert!(Value::Float(f64::NAN).is_same(&Value::Float(f64::NAN)));
    }

    #[test]
    fn every_type_is_found_by_its_own_name() {
        for kind in [PropertyType::Text, PropertyType::List, PropertyType::DateTime] {
            assert_eq!(PropertyType::find_named(kind.name()), Some(kind));
        }
        assert_eq!(PropertyType::find_named("colour"), None);
    }
}
