//! Writes an expression so that reading it gives the same one.

use super::lexer::is_name;
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::value::Value;

pub fn print_expression(expr: &Expr) -> String {
    let mut out = String::new();
    print(&mut out, expr, 0);
    out
}

/// Binding power and sign; a higher power binds tighter.
fn operator(op: BinaryOp) -> (u8, &'static str) {
    match op {
        BinaryOp::Or => (1, "||"),
        BinaryOp::And => (2, "&&"),
        BinaryOp::Equal => (3, "=="),
        BinaryOp::NotEqual => (3, "!="),
        BinaryOp::Less => (4, "<"),
        BinaryOp::LessOrEqual => (4, "<="),
        BinaryOp::Greater => (4, ">"),
        BinaryOp::GreaterOrEqual => (4, ">="),
        BinaryOp::Add => (5, "+"),
        BinaryOp::Subtract => (5, "-"),
        BinaryOp::Multiply => (6, "*"),
        BinaryOp::Divide => (6, "/"),
        BinaryOp::Remainder => (6, "%"),
    }
}

const UNARY: u8 = 7;
const POSTFIX: u8 = 8;

fn print(out: &mut String, expr: &Expr, least: u8) {
    match &expr.kind {
        ExprKind::Literal(value) => literal(out, value, least),
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Field { on, name } if is_name(name) => {
            print(out, on, POSTFIX);
            out.push('.');
            out.push_str(name);
        }
        ExprKind::Field { on, name } => {
            print(out, on, POSTFIX);
            out.push('[');
            quoted(out, name);
            out.push(']');
        }
        ExprKind::Index { on, key } => {
            print(out, on, POSTFIX);
            out.push('[');
            print(out, key, 0);
            out.push(']');
        }
        ExprKind::Call { name, arguments } => {
            out.push_str(name);
            items(out, "(", arguments, ")");
        }
        ExprKind::Method { on, name, arguments } => {
            print(out, on, POSTFIX);
            out.push('.');
            out.push_str(name);
            items(out, "(", arguments, ")");
        }
        ExprKind::Apply { on, arguments } => {
            print(out, on, POSTFIX);
            items(out, "(", arguments, ")");
        }
        ExprKind::Not(inner) => bracketed(out, least > UNARY, |out| {
            out.push('!');
            print(out, inner, UNARY);
        }),
        ExprKind::Negate(inner) => bracketed(out, least > UNARY, |out| {
            out.push('-');
            print(out, inner, UNARY);
        }),
        ExprKind::Binary { op, left, right } => {
            let (power, sign) = operator(*op);
            bracketed(out, least > power, |out| {
                print(out, left, power);
                out.push(' ');
                out.push_str(sign);
                out.push(' ');
                print(out, right, power + 1);
            });
        }
        ExprKind::List(members) => items(out, "[", members, "]"),
        ExprKind::Object(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                quoted(out, key);
                out.push_str(": ");
                print(out, value, 0);
            }
            out.push('}');
        }
        // Not written in this language: its functions imply their parameters.
        ExprKind::Lambda { body, .. } => print(out, body, least),
    }
}

fn bracketed(out: &mut String, is_needed: bool, inner: impl FnOnce(&mut String)) {
    out.push_str(if is_needed { "(" } else { "" });
    inner(out);
    out.push_str(if is_needed { ")" } else { "" });
}

fn items(out: &mut String, open: &str, members: &[Expr], close: &str) {
    out.push_str(open);
    for (at, member) in members.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        print(out, member, 0);
    }
    out.push_str(close);
}

fn literal(out: &mut String, value: &Value, least: u8) {
    match value {
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => {
            let text = if number.abs() < 1e21 { number.to_string() } else { format!("{number:e}") };
            bracketed(out, least >= POSTFIX, |out| out.push_str(&text));
        }
        Value::Text(text) | Value::Tag(text) => quoted(out, text),
        Value::Pattern(pattern) => out.push_str(&format!("{pattern:?}")),
        _ => out.push_str("null"),
    }
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            other => out.push(other),
        }
    }
    out.push('"');
}
