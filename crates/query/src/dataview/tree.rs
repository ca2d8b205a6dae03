//! The tree of a query as JSON, in the shapes that the plugin's own parser gives.

use serde_json::{Map, Value as Json, json};

use super::print::date_text;
use super::syntax::{Clause, Header, Named, Query, Source};
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::value::{LinkKind, Value};

pub fn query_tree(query: &Query) -> Json {
    json!({
        "header": header(&query.header),
        "source": source(&query.source),
        "operations": query.clauses.iter().map(clause).collect::<Json>(),
    })
}

fn header(header: &Header) -> Json {
    match header {
        Header::Table { columns, with_id } => {
            json!({"type": "table", "fields": columns.iter().map(named).collect::<Json>(), "showId": with_id})
        }
        Header::List { value, with_id } => {
            json!({"type": "list", "format": value.as_ref().map(expression_tree), "showId": with_id})
        }
        Header::Task => json!({"type": "task"}),
        Header::Calendar(field) => json!({"type": "calendar", "field": named(field), "showId": true}),
    }
}

fn clause(clause: &Clause) -> Json {
    match clause {
        Clause::Where(expr) => json!({"type": "where", "clause": expression_tree(expr)}),
        Clause::Limit(expr) => json!({"type": "limit", "amount": expression_tree(expr)}),
        Clause::GroupBy(field) => json!({"type": "group", "field": named(field)}),
        Clause::Flatten(field) => json!({"type": "flatten", "field": named(field)}),
        Clause::Sort(keys) => {
            let direction = |descending| if descending { "descending" } else { "ascending" };
            let key = |expr, descending| json!({"field": expression_tree(expr), "direction": direction(descending)});
            json!({"type": "sort", "fields": keys.iter().map(|sort| key(&sort.expr, sort.descending)).collect::<Json>()})
        }
    }
}

fn named(named: &Named) -> Json {
    json!({"name": named.name, "field": expression_tree(&named.expr)})
}

fn source(of: &Source) -> Json {
    match of {
        Source::Tag(tag) => json!({"type": "tag", "tag": tag}),
        Source::Folder(folder) => json!({"type": "folder", "folder": folder}),
        Source::LinksTo(file) => json!({"type": "link", "file": file, "direction": "incoming"}),
        Source::LinksFrom(file) => json!({"type": "link", "file": file, "direction": "outgoing"}),
        Source::Csv(path) => json!({"type": "csv", "path": path}),
        Source::Not(inner) => json!({"type": "negate", "child": source(inner)}),
        Source::And(left, right) => json!({"type": "binaryop", "left": source(left), "op": "&", "right": source(right)}),
        Source::Or(left, right) => json!({"type": "binaryop", "left": source(left), "op": "|", "right": source(right)}),
    }
}

pub fn expression_tree(expr: &Expr) -> Json {
    let all = |exprs: &[Expr]| exprs.iter().map(expression_tree).collect::<Json>();
    match &expr.kind {
        ExprKind::Literal(value) => json!({"type": "literal", "value": literal(value)}),
        ExprKind::Name(name) => json!({"type": "variable", "name": name}),
        ExprKind::Field { on, name } => {
            json!({"type": "index", "object": expression_tree(on), "index": {"type": "literal", "value": name}})
        }
        ExprKind::Index { on, key } => {
            json!({"type": "index", "object": expression_tree(on), "index": expression_tree(key)})
        }
        ExprKind::Call { name, arguments } => {
            json!({"type": "function", "func": {"type": "variable", "name": name}, "arguments": all(arguments)})
        }
        ExprKind::Apply { on, arguments } => {
            json!({"type": "function", "func": expression_tree(on), "arguments": all(arguments)})
        }
        ExprKind::Method { on, name, arguments } => json!({
            "type": "function",
            "func": {"type": "index", "object": expression_tree(on), "index": {"type": "literal", "value": name}},
            "arguments": all(arguments),
        }),
        ExprKind::Not(inner) => json!({"type": "negated", "child": expression_tree(inner)}),
        ExprKind::Negate(inner) => json!({"type": "negative", "child": expression_tree(inner)}),
        ExprKind::Binary { op, left, right } => {
            json!({"type": "binaryop", "left": expression_tree(left), "op": sign(*op), "right": expression_tree(right)})
        }
        ExprKind::List(items) => json!({"type": "list", "values": all(items)}),
        ExprKind::Object(entries) => {
            let values: Map<String, Json> =
                entries.iter().map(|(key, value)| (key.to_string(), expression_tree(value))).collect();
            json!({"type": "object", "values": values})
        }
        ExprKind::Lambda { parameters, body } => {
            json!({"type": "lambda", "arguments": parameters, "value": expression_tree(body)})
        }
    }
}

pub(crate) fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or => "|",
        BinaryOp::And => "&",
        BinaryOp::Equal => "=",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
    }
}

/// Values that JSON does not have are objects with one key, which says what they are.
pub fn literal(value: &Value) -> Json {
    match value {
        Value::Bool(truth) => (*truth).into(),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => json!(*number as i64),
        Value::Number(number) => json!(number),
        Value::Text(text) | Value::Tag(text) => json!(text),
        Value::Date(date) => json!({"date": date_text(date)}),
        Value::Duration(duration) => {
            let names = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"];
            let units = names.into_iter().zip(duration.units()).filter(|(_, amount)| *amount != 0.0);
            let units: Map<String, Json> = units.map(|(name, amount)| (name.to_owned(), literal(&amount.into()))).collect();
            json!({"duration": units})
        }
        Value::Link(link) => json!({"link": {
            "path": link.path,
            "type": link_type(link.kind),
            "subpath": link.subpath.as_deref().map(|subpath| subpath.trim_start_matches('^')),
            "display": link.display,
            "embed": link.embed,
        }}),
        Value::List(items) => items.iter().map(literal).collect(),
        _ => Json::Null,
    }
}

pub(crate) fn link_type(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::File | LinkKind::External => "file",
        LinkKind::Heading => "header",
        LinkKind::Block => "block",
    }
}
