//! Writes expressions and queries back as text that reads as the same tree.

use super::names::is_name;
use super::syntax::{Clause, Header, Named, Query, Source};
use crate::date::{Date, Duration, Zone};
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::value::{Link, Value};

pub fn print_expression(expr: &Expr) -> String {
    let mut text = String::new();
    write(expr, Binding::Boolean, &mut text);
    text
}

pub fn print_query(query: &Query) -> String {
    let mut text = match &query.header {
        Header::Table { columns, with_id } => {
            let columns: Vec<String> = columns.iter().map(named).collect();
            format!("TABLE {}{}", without_id(*with_id), columns.join(", "))
        }
        Header::List { value, with_id } => {
            format!("LIST {}{}", without_id(*with_id), value.as_ref().map(print_expression).unwrap_or_default())
        }
        Header::Task => "TASK".to_owned(),
        Header::Calendar(field) => format!("CALENDAR {}", named(field)),
    };
    text.truncate(text.trim_end().len());
    if query.source != Source::Folder("".into()) || !query.clauses.is_empty() {
        text.push_str("\nFROM ");
        source(&query.source, false, &mut text);
    }
    for clause in &query.clauses {
        text.push('\n');
        text.push_str(&match clause {
            Clause::Where(expr) => format!("WHERE {}", print_expression(expr)),
            Clause::Limit(expr) => format!("LIMIT {}", print_expression(expr)),
            Clause::GroupBy(field) => format!("GROUP BY {}", named(field)),
            Clause::Flatten(field) => format!("FLATTEN {}", named(field)),
            Clause::Sort(keys) => {
                let key = |(expr, descending): (&Expr, bool)| {
                    format!("{} {}", print_expression(expr), if descending { "DESC" } else { "ASC" })
                };
                let keys: Vec<String> = keys.iter().map(|sort| key((&sort.expr, sort.descending))).collect();
                format!("SORT {}", keys.join(", "))
            }
        });
    }
    text
}

fn without_id(with_id: bool) -> &'static str {
    if with_id { "" } else { "WITHOUT ID " }
}

fn named(named: &Named) -> String {
    let expr = print_expression(&named.expr);
    if expr == *named.name {
        return expr;
    }
    let name = if is_name(&named.name) { named.name.to_string() } else { string(&named.name) };
    format!("{expr} AS {name}")
}

fn source(of: &Source, is_operand: bool, text: &mut String) {
    match of {
        Source::Tag(tag) => text.push_str(tag),
        Source::Folder(path) => text.push_str(&string(path)),
        Source::LinksTo(path) => text.push_str(&format!("[[{}]]", path.replace('|', "\\|"))),
        Source::LinksFrom(path) => text.push_str(&format!("outgoing([[{}]])", path.replace('|', "\\|"))),
        Source::Csv(path) => text.push_str(&format!("csv({})", string(path))),
        Source::Not(inner) => {
            text.push('!');
            source(inner, true, text);
        }
        Source::And(left, right) | Source::Or(left, right) => {
            let word = if matches!(of, Source::And(..)) { " and " } else { " or " };
            text.push_str(if is_operand { "(" } else { "" });
            source(left, matches!(**left, Source::Not(_)), text);
            text.push_str(word);
            source(right, true, text);
            text.push_str(if is_operand { ")" } else { "" });
        }
    }
}

fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// How tightly an expression is bound by what stands around it; looser ones need brackets there.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Binding {
    Boolean,
    Comparison,
    Sum,
    Product,
    Postfix,
}

impl Binding {
    fn of(op: BinaryOp) -> (Binding, Binding, &'static str) {
        use Binding::{Boolean, Comparison, Postfix, Product, Sum};
        match op {
            BinaryOp::Or => (Boolean, Comparison, "or"),
            BinaryOp::And => (Boolean, Comparison, "and"),
            BinaryOp::Equal => (Comparison, Sum, "="),
            BinaryOp::NotEqual => (Comparison, Sum, "!="),
            BinaryOp::Less => (Comparison, Sum, "<"),
            BinaryOp::LessOrEqual => (Comparison, Sum, "<="),
            BinaryOp::Greater => (Comparison, Sum, ">"),
            BinaryOp::GreaterOrEqual => (Comparison, Sum, ">="),
            BinaryOp::Add => (Sum, Product, "+"),
            BinaryOp::Subtract => (Sum, Product, "-"),
            BinaryOp::Multiply => (Product, Postfix, "*"),
            BinaryOp::Divide => (Product, Postfix, "/"),
            BinaryOp::Remainder => (Product, Postfix, "%"),
        }
    }
}

fn write(expr: &Expr, bound: Binding, text: &mut String) {
    match &expr.kind {
        ExprKind::Literal(value) => text.push_str(&literal(value)),
        ExprKind::Name(name) => text.push_str(name),
        ExprKind::Field { on, name } => {
            on_what(on, text);
            text.push('.');
            text.push_str(name);
        }
        ExprKind::Index { on, key } => {
            on_what(on, text);
            text.push('[');
            write(key, Binding::Boolean, text);
            text.push(']');
        }
        ExprKind::Call { name, arguments } => {
            text.push_str(name);
            list("(", arguments, ")", text);
        }
        ExprKind::Method { on, name, arguments } => {
            on_what(on, text);
            text.push('.');
            text.push_str(name);
            list("(", arguments, ")", text);
        }
        ExprKind::Apply { on, arguments } => {
            match on.kind {
                ExprKind::Name(_) => bracketed(on, text),
                _ => on_what(on, text),
            }
            list("(", arguments, ")", text);
        }
        ExprKind::Not(inner) => {
            text.push('!');
            // `![[link]]` would be an embed.
            let mut written = String::new();
            match inner.kind {
                ExprKind::Not(_) => write(inner, Binding::Boolean, &mut written),
                _ => on_what(inner, &mut written),
            }
            match written.starts_with("[[") {
                true => bracketed(inner, text),
                false => text.push_str(&written),
            }
        }
        ExprKind::Negate(inner) => {
            text.push_str("(0 - ");
            write(inner, Binding::Product, text);
            text.push(')');
        }
        ExprKind::Binary { op, left, right } => {
            let (own, tighter, sign) = Binding::of(*op);
            let needs_brackets = own < bound;
            text.push_str(if needs_brackets { "(" } else { "" });
            match left.kind {
                // Its body would take in everything behind it.
                ExprKind::Lambda { .. } => bracketed(left, text),
                _ => write(left, own, text),
            }
            text.push(' ');
            text.push_str(sign);
            text.push(' ');
            write(right, tighter, text);
            text.push_str(if needs_brackets { ")" } else { "" });
        }
        ExprKind::List(items) => list("[", items, "]", text),
        ExprKind::Object(entries) => object(entries, text),
        ExprKind::Lambda { parameters, body } => {
            let needs_brackets = bound != Binding::Boolean;
            text.push_str(if needs_brackets { "((" } else { "(" });
            text.push_str(&parameters.join(", "));
            text.push_str(") => ");
            write(body, Binding::Boolean, text);
            text.push_str(if needs_brackets { ")" } else { "" });
        }
    }
}

/// What a dot or a bracket stands behind.
fn on_what(expr: &Expr, text: &mut String) {
    match expr.kind {
        ExprKind::Not(_) | ExprKind::Binary { .. } | ExprKind::Lambda { .. } => bracketed(expr, text),
        _ => write(expr, Binding::Postfix, text),
    }
}

fn bracketed(expr: &Expr, text: &mut String) {
    text.push('(');
    write(expr, Binding::Boolean, text);
    text.push(')');
}

fn list(open: &str, items: &[Expr], close: &str, text: &mut String) {
    text.push_str(open);
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { "" });
        // `[[a], b]` starts with what would be a link.
        text.push_str(if at == 0 && open == "[" && matches!(item.kind, ExprKind::List(_)) { " " } else { "" });
        write(item, Binding::Boolean, text);
    }
    text.push_str(close);
}

fn object(entries: &[(Box<str>, Expr)], text: &mut String) {
    text.push('{');
    for (at, (key, value)) in entries.iter().enumerate() {
        text.push_str(if at > 0 { ", " } else { " " });
        text.push_str(&if is_name(key) { key.to_string() } else { string(key) });
        text.push_str(": ");
        write(value, Binding::Boolean, text);
    }
    text.push_str(if entries.is_empty() { "}" } else { " }" });
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Date(date) => format!("date({})", date_text(date)),
        Value::Duration(duration) => format!("dur({})", duration_text(duration)),
        Value::Link(link) => link_text(link),
        other => string(other.as_text().unwrap_or_default()),
    }
}

/// As a literal has it: no time where none was given.
pub(crate) fn date_text(date: &Date) -> String {
    if !date.has_time {
        return date.at.strftime("%Y-%m-%d").to_string();
    }
    let millisecond = date.at.subsec_nanosecond() / 1_000_000;
    let mut text = format!("{}.{millisecond:03}", date.at.strftime("%Y-%m-%dT%H:%M:%S"));
    if let Zone::Fixed(offset) = date.zone {
        let (sign, minutes) = (if offset.seconds() < 0 { '-' } else { '+' }, offset.seconds().abs() / 60);
        text.push_str(&format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60));
    }
    text
}

fn duration_text(duration: &Duration) -> String {
    let names = ["years", "months", "weeks", "days", "hours", "minutes", "seconds"];
    let units = names.into_iter().zip(duration.units()).filter(|(_, amount)| *amount != 0.0);
    let units: Vec<String> = units.map(|(name, amount)| format!("{amount} {name}")).collect();
    if units.is_empty() { "0 seconds".to_owned() } else { units.join(", ") }
}

fn link_text(link: &Link) -> String {
    let embed = if link.embed { "!" } else { "" };
    let subpath = link.subpath.as_ref().map(|subpath| format!("#{subpath}")).unwrap_or_default();
    let display = link.display.as_ref().map(|display| format!("|{display}")).unwrap_or_default();
    format!("{embed}[[{}{}{display}]]", link.path.replace('|', "\\|"), subpath.replace('|', "\\|"))
}
