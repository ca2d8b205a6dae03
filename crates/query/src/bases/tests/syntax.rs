//! Reading and printing expressions.

use proptest::prelude::*;

use super::place::Place;
use crate::bases::{QueryError, parse_expression, print_expression};

#[test]
fn what_is_printed_is_what_was_read() {
    for (text, printed) in [
        ("1+2*3", "1 + 2 * 3"),
        ("(1+2)*3", "(1 + 2) * 3"),
        ("1-(2-3)-4", "1 - (2 - 3) - 4"),
        ("!(a&&b)||!c", "!(a && b) || !c"),
        ("-(-1)", "--1"),
        ("1.isTruthy()", "(1).isTruthy()"),
        ("note['x y'].b[0]", "note[\"x y\"].b[0]"),
        ("f( 'a' , {k:[ ]} )", "f(\"a\", {\"k\": []})"),
        ("a/b/c", "a / b / c"),
        ("/a\\/[/]b/gi.matches('x')", "/a\\/[/]b/gi.matches(\"x\")"),
        ("(a == b) == c", "a == b == c"),
        ("a == (b == c)", "a == (b == c)"),
        ("'\"\\\\'", "\"\\\"\\\\\""),
    ] {
        let expr = parse_expression(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(print_expression(&expr), printed, "{text}");
        assert_eq!(print_expression(&parse_expression(printed).unwrap()), printed);
    }
}

#[test]
fn what_is_no_expression_says_where_and_why() {
    for (text, message) in [
        ("", "line 1, column 1: an expression is expected, such as status == \"done\""),
        ("1 +", "line 1, column 4: a value is expected, and there is the end"),
        ("a = 1", "line 1, column 3: '=' means nothing here; write == to compare"),
        ("a & b", "line 1, column 3: '&' means nothing here; write && for and"),
        ("`a`", "line 1, column 1: '`' means nothing here; texts stand in \" or ', names without quotes"),
        ("a b", "line 1, column 3: \"b\" cannot follow here; an operator or the end is expected"),
        ("f(1", "line 1, column 4: ) is expected to close (, and there is the end"),
        ("[1,\n2", "line 2, column 2: ] is expected to close [, and there is the end"),
        ("\"abc", "line 1, column 1: this text is not closed with \""),
        ("a.", "line 1, column 3: a name is expected behind the dot, and there is the end"),
        ("a.b()()", "line 1, column 6: only a name can be called, such as if(…) or list.map(…)"),
        ("1a", "line 1, column 1: a name does not begin with a digit; write note[\"…\"] for a property of such a name"),
        ("/(/", "line 1, column 1: the regular expression cannot be read: a parenthesis is not closed"),
        ("{1: 2}", "line 1, column 2: a key in quotes is expected, and there is \"1\""),
        ("{a 2}", "line 1, column 4: a colon is expected behind the key, and there is \"2\""),
    ] {
        assert_eq!(parse_expression(text).unwrap_err().to_string(), message, "{text}");
    }
    for open in ["(", "[", "!", "-", "a[", "f("] {
        assert!(parse_expression(&open.repeat(20_000)).is_err());
    }
    assert!(parse_expression(&format!("a{}", ".b".repeat(20_000))).is_err());
    assert!(parse_expression(&format!("1{}", "+1".repeat(20_000))).is_ok(), "long is not deep");
}

#[test]
fn names_that_are_none_say_which_there_are() {
    let place = Place::new(&[("a.md", "")]);
    let message = |expression: &str| match place.try_value(expression, "a.md", None) {
        Err(QueryError::Syntax(error)) => error.message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message("file.has_tag('x')"), "there is no method has_tag; write hasTag");
    assert_eq!(message("escape_html('x')"), "there is no function escape_html; write escapeHTML");
    assert!(message("nope()").starts_with("there is no function nope; there are escapeHTML, date, duration"));
    assert_eq!(message("if(1)"), "if() takes 2 to 3 arguments, and there are 1");
    assert_eq!(message("now(1)"), "now() takes 0 arguments, and there are 1");
    assert_eq!(message("max()"), "max() takes 1 or more arguments, and there are 0");
    assert_eq!(message("formula.y"), "there is no formula \"y\"; there are x");
    assert_eq!(message("formula"), "formula is followed by the name of one, such as formula.total");
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-z]{1,3}".prop_map(|name| format!("x{name}")),
        (0_u32..100).prop_map(|number| number.to_string()),
        (0_u32..100).prop_map(|number| format!("{number}.5")),
        "[a-z\"\\\\\n é]{0,4}".prop_map(|text| format!("{text:?}").replace("\\u{", "u{")),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("/a[/]\\d/g".to_owned()),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let operator = prop::sample::select(vec!["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(left, sign, right)| format!("{left} {sign} {right}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            inner.clone().prop_map(|inner| format!("!({inner})")),
            inner.clone().prop_map(|inner| format!("-({inner})")),
            (inner.clone(), inner.clone()).prop_map(|(on, key)| format!("({on})[{key}].f")),
            (inner.clone(), inner.clone()).prop_map(|(on, argument)| format!("({on}).m({argument})")),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("f({})", items.join(", "))),
            inner.prop_map(|inner| format!("{{\"k\": {inner}}}")),
        ]
    })
}

proptest! {
    #[test]
    fn reading_what_is_printed_gives_the_same(text in expression()) {
        let expr = parse_expression(&text).unwrap();
        let printed = print_expression(&expr);
        let again = parse_expression(&printed).unwrap();
        prop_assert_eq!(print_expression(&again), printed.clone());
        // The shape is the same, not only the text.
        let shape = |expr: &crate::Expr| regex::Regex::new(r"span: \d+\.\.\d+").unwrap().replace_all(&format!("{expr:?}"), "").into_owned();
        prop_assert_eq!(shape(&again), shape(&expr));
    }

    #[test]
    fn no_text_panics(text in "[-a-c0-9.\"'/\\\\()\\[\\]{}<>=!&|+*%,: \né😀]{0,24}") {
        if let Ok(expr) = parse_expression(&text) {
            prop_assert!(parse_expression(&print_expression(&expr)).is_ok());
        }
    }
}
