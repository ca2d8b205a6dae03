//! Changes parts of a base and leaves every other byte of the file as it is: comments, order, keys of plugins.

use quillgate_markdown::{
    EditError, Eol, Value as Yaml, add_to_list, parse_yaml, remove_places_from_list, remove_property, remove_property_at,
    set_property, set_property_at,
};
use thiserror::Error;

use super::schema::{Base, view_name};
use crate::fault::SyntaxError;

/// What to change. A value of null takes away what stands under its name.
#[derive(Clone, Debug, Default)]
pub struct BasePatch {
    /// In the place of the filters of the whole base.
    pub filters: Option<Yaml>,
    pub formulas: Vec<(String, Yaml)>,
    pub properties: Vec<(String, Yaml)>,
    pub add_views: Vec<Yaml>,
    /// By name.
    pub remove_views: Vec<String>,
    /// By name, the keys to set.
    pub update_views: Vec<(String, Vec<(String, Yaml)>)>,
}

#[derive(Clone, Debug, PartialEq, Error)]
pub enum BaseEditError {
    #[error("{0}")]
    Syntax(#[from] SyntaxError),
    /// What the base would be cannot be read: the patch is wrong, not the file.
    #[error("the changed base would not be one: {0}")]
    WouldBreak(SyntaxError),
    #[error("the base has no view {name:?}; its views are {}", views.join(", "))]
    NoView { name: String, views: Vec<String> },
    #[error("the base has a view {0:?} already; change it under update_views, or choose another name")]
    ViewExists(String),
    #[error("{0}")]
    Edit(#[from] EditError),
    #[error("the file has a line --- or ..., which divides YAML into several documents; take it out first")]
    Documents,
}

/// The text with the patch applied, which is a base again. Problems that were there before may stay: they can be mended one by one.
pub fn update(text: &str, patch: &BasePatch) -> Result<String, BaseEditError> {
    let base = Base::parse(text)?;
    check_names(&base, patch)?;
    let is_gone = |name: &str| patch.remove_views.iter().any(|gone| gone == name);
    let gone: Vec<usize> = (0..base.views().len()).filter(|place| is_gone(&base.views()[*place].name)).collect();
    let mut framed = Framed::of(text)?;
    if let Some(filters) = &patch.filters {
        framed.set(&["filters"], filters)?;
    }
    for (name, formula) in &patch.formulas {
        framed.set(&["formulas", name], formula)?;
    }
    for (id, settings) in &patch.properties {
        match settings {
            Yaml::Map(entries) if !entries.is_empty() => {
                for (key, value) in entries {
                    framed.set(&["properties", id, key], value)?;
                }
            }
            other => framed.set(&["properties", id], other)?,
        }
    }
    for (name, keys) in &patch.update_views {
        framed.update_view(name, keys)?;
    }
    if !gone.is_empty() {
        framed.apply(|text| remove_places_from_list(text, "views", &gone))?;
    }
    for view in &patch.add_views {
        framed.apply(|text| add_to_list(text, "views", view))?;
    }
    let after = framed.text(text);
    let mut known = base.problems();
    for problem in Base::parse(&after).map_err(BaseEditError::WouldBreak)?.problems() {
        match known.iter().position(|known| known.message == problem.message) {
            Some(place) => drop(known.swap_remove(place)),
            None => return Err(BaseEditError::WouldBreak(problem)),
        }
    }
    Ok(after)
}

fn check_names(base: &Base, patch: &BasePatch) -> Result<(), BaseEditError> {
    let views: Vec<String> = base.views().iter().map(|view| view.name.to_string()).collect();
    let named = patch.remove_views.iter().chain(patch.update_views.iter().map(|(name, _)| name));
    if let Some(name) = named.into_iter().find(|name| !views.contains(name)) {
        return Err(BaseEditError::NoView { name: name.clone(), views });
    }
    let renamed = |name: &str| {
        let keys = patch.update_views.iter().find(|(other, _)| other == name).map(|(_, keys)| keys);
        keys.and_then(|keys| keys.iter().find(|(key, _)| key == "name")).and_then(|(_, name)| name.as_text())
    };
    let stays = views.iter().filter(|name| !patch.remove_views.contains(name));
    let (changed, kept): (Vec<&String>, Vec<&String>) = stays.partition(|name| renamed(name).is_some());
    let mut taken: Vec<String> = kept.into_iter().cloned().collect();
    let new = changed.into_iter().filter_map(|name| renamed(name)).map(str::to_owned);
    let added = patch.add_views.iter().enumerate().map(|(place, view)| view_name(view, views.len() + place));
    for name in new.chain(added) {
        if taken.contains(&name) {
            return Err(BaseEditError::ViewExists(name));
        }
        taken.push(name);
    }
    Ok(())
}

/// A base in the fences of frontmatter, since what changes properties works on notes.
struct Framed {
    text: String,
    fence: &'static str,
}

impl Framed {
    fn of(text: &str) -> Result<Framed, BaseEditError> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        if body.lines().any(|line| matches!(line.trim_end(), "---" | "...")) {
            return Err(BaseEditError::Documents);
        }
        let fence = if Eol::dominant(text) == Eol::CrLf { "---\r\n" } else { "---\n" };
        let gap = if body.is_empty() || body.ends_with('\n') { "" } else { &fence[3..] };
        Ok(Framed { text: format!("{fence}{body}{gap}{fence}"), fence })
    }

    fn inner(&self) -> &str {
        let inside = self.text.strip_prefix(self.fence).and_then(|rest| rest.strip_suffix(self.fence));
        inside.unwrap_or_default()
    }

    /// The file, as it was where nothing changed.
    fn text(&self, before: &str) -> String {
        let mark = if before.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let after = format!("{mark}{}", self.inner());
        if after.strip_suffix(&self.fence[3..]) == Some(before) { before.to_owned() } else { after }
    }

    fn apply(&mut self, change: impl FnOnce(&str) -> Result<quillgate_markdown::Edits, EditError>) -> Result<(), EditError> {
        let edits = change(&self.text)?;
        self.text = edits.apply(&self.text);
        // The block goes with its last property.
        if self.text.is_empty() {
            self.text = self.fence.repeat(2);
        }
        Ok(())
    }

    fn set(&mut self, path: &[&str], value: &Yaml) -> Result<(), EditError> {
        self.apply(|text| match value {
            Yaml::Null => match remove_property_at(text, path) {
                Err(EditError::NoProperty { .. }) => Ok(quillgate_markdown::Edits::none()),
                other => other,
            },
            value => set_property_at(text, path, value),
        })
    }

    /// Changes keys of one view where it stands; a list in brackets is written anew.
    fn update_view(&mut self, name: &str, keys: &[(String, Yaml)]) -> Result<(), BaseEditError> {
        let entries = parse_yaml(self.inner()).map_err(EditError::InvalidFrontmatter)?;
        let Some(entry) = entries.iter().find(|entry| entry.key == "views") else { return Ok(()) };
        let Yaml::List(views) = &entry.value else { return Ok(()) };
        let mut expected = views.clone();
        let names: Vec<String> = views.iter().enumerate().map(|(at, view)| view_name(view, at)).collect();
        let Some(at) = names.iter().position(|other| other == name) else { return Ok(()) };
        if let Yaml::Map(entries) = &mut expected[at] {
            set_keys(entries, keys);
        }
        let expected = Yaml::List(expected);
        let span = self.fence.len() + entry.span.start..self.fence.len() + entry.span.end;
        if let Some(text) = with_view(&self.text, span, views.len(), at, keys, self.fence) {
            let is_right =
                parse_yaml(text.strip_prefix(self.fence).and_then(|rest| rest.strip_suffix(self.fence)).unwrap_or_default())
                    .is_ok_and(|after| {
                        after.len() == entries.len()
                            && after.iter().zip(&entries).all(|(after, before)| {
                                let wanted = if before.key == "views" { &expected } else { &before.value };
                                after.key == before.key && after.value.is_same(wanted)
                            })
                    });
            if is_right {
                self.text = text;
                return Ok(());
            }
        }
        Ok(self.apply(|text| set_property(text, "views", &expected))?)
    }
}

fn set_keys(entries: &mut Vec<(String, Yaml)>, keys: &[(String, Yaml)]) {
    for (key, value) in keys {
        match (entries.iter().position(|(other, _)| other == key), value) {
            (Some(at), Yaml::Null) => drop(entries.remove(at)),
            (Some(at), value) => entries[at].1 = value.clone(),
            (None, Yaml::Null) => {}
            (None, value) => entries.push((key.clone(), value.clone())),
        }
    }
}

/// The text with keys of one item of a list in lines changed. Without its dash an item is a map of its own, byte for byte.
fn with_view(
    text: &str,
    list: std::ops::Range<usize>,
    count: usize,
    at: usize,
    keys: &[(String, Yaml)],
    fence: &str,
) -> Option<String> {
    let starts = item_starts(text, &list)?;
    if starts.len() != count {
        return None;
    }
    let start = *starts.get(at)?;
    let end = starts.get(at + 1).copied().unwrap_or(list.end);
    let item = &text[start..end];
    let dash = item.find('-')?;
    let mut shadow = format!("{fence}{}", item);
    shadow.replace_range(fence.len() + dash..=fence.len() + dash, " ");
    shadow.push_str(if shadow.ends_with('\n') { "" } else { &fence[3..] });
    shadow.push_str(fence);
    for (key, value) in keys {
        let edits = match value {
            Yaml::Null => match remove_property(&shadow, key) {
                Err(EditError::NoProperty { .. }) => continue,
                other => other.ok()?,
            },
            value => set_property(&shadow, key, value).ok()?,
        };
        shadow = edits.apply(&shadow);
    }
    let mut changed = shadow.strip_prefix(fence)?.strip_suffix(fence)?.to_owned();
    // Every line of the item is indented deeper than its dash.
    if changed.get(dash..=dash) != Some(" ") {
        return None;
    }
    changed.replace_range(dash..=dash, "-");
    Some(format!("{}{changed}{}", &text[..start], &text[end..]))
}

/// Where the items of a list in lines begin, each with the start of its line.
fn item_starts(text: &str, list: &std::ops::Range<usize>) -> Option<Vec<usize>> {
    let mut indent: Option<&str> = None;
    let mut starts = Vec::new();
    let mut line_start = list.start;
    for (number, line) in text[list.clone()].split_inclusive('\n').enumerate() {
        let bare = line.trim_start_matches(' ');
        let blanks = &line[..line.len() - bare.len()];
        let is_item = bare.starts_with("- ") || matches!(bare.trim_end(), "-");
        if number > 0 && is_item && indent.is_none_or(|indent| indent == blanks) {
            indent = Some(blanks);
            starts.push(line_start);
        }
        line_start += line.len();
    }
    indent.map(|_| starts)
}
