//! Links: making them, and looking at them.

use std::sync::Arc;

use super::super::dialect::Eval;
use super::super::show::path_of;
use super::super::tree::link_type;
use super::super::world::World;
use super::{NULL, Outcome, some};
use crate::value::{Link, LinkKind, Object, Value};

/// A link to a file by its path or name.
fn link_to(world: &World<'_>, path: &str, display: Option<&Arc<str>>, embed: bool) -> Value {
    let link = Link { path: path.into(), subpath: None, display: display.cloned(), embed, kind: LinkKind::File, source: None };
    let path = world.full_path(&link).into();
    Value::Link(Arc::new(Link { path, ..link }))
}

fn changed(link: &Link, change: impl FnOnce(&mut Link)) -> Outcome {
    let mut link = link.clone();
    change(&mut link);
    some(Value::Link(Arc::new(link)))
}

pub(super) fn link(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let world = evaluation.row.world;
    match arguments {
        [Value::Null] | [Value::Null, _] => NULL,
        [Value::Text(path)] | [Value::Text(path), Value::Null] => some(link_to(world, path, None, false)),
        [link @ Value::Link(_)] | [link @ Value::Link(_), Value::Null] => some(link.clone()),
        [Value::Text(path), Value::Text(display)] => some(link_to(world, path, Some(display), false)),
        [Value::Text(path), Value::Text(display), Value::Bool(embed)] => some(link_to(world, path, Some(display), *embed)),
        [Value::Link(link), Value::Text(display)] => changed(link, |link| link.display = Some(display.clone())),
        _ => Ok(None),
    }
}

pub(super) fn embed(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    match arguments {
        [Value::Null] | [Value::Null, _] | [_, Value::Null] => NULL,
        [Value::Link(link)] => changed(link, |link| link.embed = true),
        [Value::Link(link), Value::Bool(embed)] => changed(link, |link| link.embed = *embed),
        _ => Ok(None),
    }
}

pub(super) fn external_link(_: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let (address, display) = match arguments {
        [Value::Null] | [Value::Null, _] => return NULL,
        [Value::Text(address)] | [Value::Text(address), Value::Null] => (address, address),
        [Value::Text(address), Value::Text(display)] => (address, display),
        _ => return Ok(None),
    };
    some(Value::Link(Arc::new(Link {
        path: address.clone(),
        subpath: None,
        display: Some(display.clone()),
        embed: false,
        kind: LinkKind::External,
        source: None,
    })))
}

/// What a link itself is, not the page that it means.
pub(super) fn meta(evaluation: &mut Eval<'_, '_>, arguments: &[Value]) -> Outcome {
    let [Value::Link(link)] = arguments else { return Ok(None) };
    let text = |text: &Option<Arc<str>>| text.clone().map_or(Value::Null, Value::Text);
    let subpath = link.subpath.as_deref().map(|subpath| Arc::from(subpath.trim_start_matches('^')));
    let entries = [
        ("display", text(&link.display)),
        ("embed", Value::Bool(link.embed)),
        ("path", Value::from(path_of(evaluation.row.world, link))),
        ("subpath", text(&subpath)),
        ("type", Value::from(link_type(link.kind))),
    ];
    some(Value::Object(Arc::new(Object(entries.into_iter().map(|(key, value)| (Arc::from(key), value)).collect()))))
}
