//! What a reader sees of a value: links by their names, and no marks of formatting.

use super::super::dialect::Eval;
use super::super::file_field::title;
use super::super::show::{path_of, show};
use super::super::world::World;
use super::{Outcome, some};
use crate::value::{LinkKind, Value};

pub(super) fn display(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [value] => some(displayed(evaluation.row.world, value, 0)),
        _ => Ok(None),
    }
}

fn displayed(world: &World<'_>, value: &Value, depth: usize) -> String {
    match value {
        Value::Null => String::new(),
        Value::Text(text) => without_marks(text),
        Value::List(items) if depth < 8 => {
            let items: Vec<String> = items.iter().map(|item| displayed(world, item, depth + 1)).collect();
            items.join(", ")
        }
        Value::Link(link) if link.kind != LinkKind::External => match link.display.as_deref() {
            Some(display) if !display.is_empty() => without_marks(display),
            _ => {
                let behind = link.subpath.as_deref().map(|subpath| format!(" > {}", subpath.trim_start_matches('^')));
                format!("{}{}", title(&path_of(world, link)), behind.unwrap_or_default())
            }
        },
        other => show(world, other),
    }
}

/// Links become what they show; signs of emphasis and code go away.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if let Some((shown, behind)) = wikilink(rest).or_else(|| markdown_link(rest)) {
            plain.push_str(&without_emphasis(shown));
            rest = behind;
            continue;
        }
        plain.push(next);
        rest = &rest[next.len_utf8()..];
    }
    without_emphasis(&plain)
}

fn wikilink(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("![[").or_else(|| text.strip_prefix("[["))?;
    let (inner, behind) = inner.split_once("]]")?;
    let shown = inner.split_once('|').map_or(inner, |(_, shown)| shown);
    (!inner.contains('[')).then_some((shown, behind))
}

fn markdown_link(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("![").or_else(|| text.strip_prefix('['))?;
    let (shown, behind) = inner.split_once("](")?;
    let (_, behind) = behind.split_once(')')?;
    (!shown.contains(['[', ']'])).then_some((shown, behind))
}

fn without_emphasis(text: &str) -> String {
    let mut text = text.to_owned();
    for mark in ["**", "__", "~~", "==", "`", "*"] {
        while let Some(start) = text.find(mark)
            && let Some(length) = text[start + mark.len()..].find(mark).filter(|length| *length > 0)
        {
            let inner = text[start + mark.len()..start + mark.len() + length].to_owned();
            text.replace_range(start..start + 2 * mark.len() + length, &inner);
        }
    }
    text
}
