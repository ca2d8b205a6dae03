//! What files and links can do.

use std::sync::Arc;

use quillgate_index::FileId;
use quillgate_markdown::fold;

use super::compare::is_tag_within;
use super::dialect::{Evaluator, link_to_file};
use super::functions::file;
use super::names::Method;
use super::property::{link_to, parse_link};
use super::text::{path_of, text_of};
use crate::fault::Fault;
use crate::value::{Link, Value};

pub(super) fn call(
    evaluation: &Evaluator<'_, '_>,
    on: FileId,
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    let world = evaluation.row.world;
    let text = |at: usize| arguments.get(at).map(|value| text_of(value, world.catalogue)).unwrap_or_default();
    Ok(Some(match method {
        Method::AsLink => {
            let display = arguments.first().filter(|display| !display.is_null());
            let display: Option<Arc<str>> = display.map(|display| text_of(display, world.catalogue).into());
            Value::Link(Arc::new(link_to_file(on, display, world.catalogue)))
        }
        Method::AsFile => Value::File(on),
        Method::HasLink | Method::LinksTo => Value::Bool(has_link(evaluation, on, &arguments[0])?),
        Method::HasProperty => Value::Bool(world.has_property(on, &text(0))),
        Method::HasTag => Value::Bool(has_tag(evaluation, on, arguments)?),
        Method::InFolder => Value::Bool(in_folder(path_of(on, world.catalogue), &text(0))),
        _ => return Ok(None),
    }))
}

/// A link is asked for its file; only what links themselves have does without one.
pub(super) fn on_link(
    evaluation: &Evaluator<'_, '_>,
    link: &Arc<Link>,
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    let target = evaluation.row.world.target(link);
    match (method, target) {
        (Method::AsFile, target) => Ok(Some(target.map_or(Value::Null, Value::File))),
        (Method::AsLink, _) => Ok(Some(Value::Link(link.clone()))),
        (Method::LinksTo | Method::HasLink | Method::HasProperty | Method::HasTag | Method::InFolder, None) => {
            Ok(Some(Value::Bool(false)))
        }
        (_, Some(target)) => match call(evaluation, target, method, arguments)? {
            None => on_link_text(evaluation, link, method, arguments),
            found => Ok(found),
        },
        _ => on_link_text(evaluation, link, method, arguments),
    }
}

/// Texts became links when they were put in brackets; what was asked of the text is asked of the name.
fn on_link_text(
    evaluation: &Evaluator<'_, '_>,
    link: &Link,
    method: Method,
    arguments: &[Value],
) -> Result<Option<Value>, Fault> {
    super::text_methods::call(evaluation, link.display.as_deref().unwrap_or(&link.path), method, arguments)
}

fn has_link(evaluation: &Evaluator<'_, '_>, on: FileId, wanted: &Value) -> Result<bool, Fault> {
    let world = evaluation.row.world;
    let mut links = world.catalogue.links_of(on);
    let mut count = 0;
    let found = match (file(evaluation, wanted), wanted) {
        (Value::File(target), _) => links.any(|link| {
            count += 1;
            link.target == Some(target)
        }),
        // A file that is not there yet is known by the text of the link.
        (_, Value::Text(text)) => {
            let path = fold(&parse_link(text).unwrap_or_else(|| link_to(text)).path);
            links.any(|link| link.target.is_none() && fold(link.path) == path)
        }
        (_, Value::Link(wanted)) => links.any(|link| link.target.is_none() && fold(link.path) == fold(&wanted.path)),
        _ => false,
    };
    evaluation.steps.spend(count)?;
    Ok(found)
}

fn has_tag(evaluation: &Evaluator<'_, '_>, on: FileId, wanted: &[Value]) -> Result<bool, Fault> {
    let tags = evaluation.row.world.tags(on);
    let tags = tags.as_list().unwrap_or_default();
    evaluation.steps.spend(tags.len() as u64)?;
    let is_wanted = |tag: &str, wanted: &Value| match wanted {
        Value::List(items) => items.iter().filter_map(Value::as_text).any(|wanted| is_tag_within(tag, wanted)),
        other => other.as_text().is_some_and(|wanted| is_tag_within(tag, wanted)),
    };
    Ok(tags.iter().filter_map(Value::as_text).any(|tag| wanted.iter().any(|wanted| is_wanted(tag, wanted))))
}

/// The folder itself and all below; the root is `/` or nothing.
fn in_folder(path: &str, folder: &str) -> bool {
    let folder = folder.trim_matches('/');
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
