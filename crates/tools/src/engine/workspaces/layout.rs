//! Layouts as the app keeps them: the one of the moment, and those under a name.

use jiff::Zoned;
use quillgate_markdown::{Edits, JsonLayout, JsonNode, change_members, quoted};

use crate::control_text::ControlText;
use crate::failure::{Failure, Issue};

/// Part of the layout of the moment alone.
const OF_THE_MOMENT: &[&str] = &["lastOpenFiles"];
/// Part of a saved layout alone.
const OF_SAVED: &[&str] = &["mtime"];

/// The saved layouts; nothing if there are none yet.
pub(super) fn saved(file: &ControlText) -> Result<Option<&JsonNode>, Failure> {
    match file.root.get("workspaces") {
        Some(saved) if !saved.is_object() => {
            let why = format!(
                "the workspaces of the app cannot be read: workspaces is {}; correct the file by hand first",
                saved.kind_name()
            );
            Err(Failure::Edit(why))
        }
        saved => Ok(saved),
    }
}

pub(super) fn active(file: &ControlText) -> Option<&str> {
    file.root.get("active").and_then(JsonNode::as_str)
}

pub(super) fn no_workspace(name: &str, saved: Option<&JsonNode>) -> Failure {
    let names: Vec<&str> = saved.map_or(&[][..], JsonNode::members).iter().map(|member| member.key.as_str()).collect();
    let known = if names.is_empty() { "none was saved yet".to_owned() } else { format!("there are {}", names.join(", ")) };
    Failure::InvalidInput(vec![Issue::new("name", format!("is {name:?}, and there is no such workspace; {known}"))])
}

/// The layout of the moment as the JSON of a saved one.
pub(super) fn as_saved(current: &ControlText, now: &Zoned) -> String {
    let parts = current.root.members().iter().filter(|member| !OF_THE_MOMENT.contains(&member.key.as_str()));
    let mut parts: Vec<String> =
        parts.map(|member| format!("{}:{}", quoted(&member.key), &current.text[member.value.span.clone()])).collect();
    parts.push(format!("\"mtime\":{}", quoted(&now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())));
    format!("{{{}}}", parts.join(","))
}

/// The text of the saved workspaces with some set, and another one active.
pub(super) fn with_saved(file: &ControlText, set: &[(&str, String)], active: &str) -> Result<String, Failure> {
    let text = &file.text;
    let mut members = vec![("active", quoted(active))];
    let mut edits = Vec::new();
    match saved(file)? {
        Some(saved) => edits.extend(change_members(text, saved, set, &[], JsonLayout::Spread)),
        None => {
            let parts: Vec<String> = set.iter().map(|(name, json)| format!("{}:{json}", quoted(name))).collect();
            members.insert(0, ("workspaces", format!("{{{}}}", parts.join(","))));
        }
    }
    edits.extend(change_members(text, &file.root, &members, &[], JsonLayout::Spread));
    Ok(Edits::new(edits)?.apply(text))
}

/// The text of the moment's layout with the parts of a saved one; what the saved one does not have stays.
pub(super) fn as_current(current: &ControlText, saved_text: &str, layout: &JsonNode) -> Result<String, Failure> {
    let parts = layout.members().iter().filter(|member| !OF_SAVED.contains(&member.key.as_str()));
    let set: Vec<(&str, String)> =
        parts.map(|member| (member.key.as_str(), saved_text[member.value.span.clone()].to_owned())).collect();
    let edits = change_members(&current.text, &current.root, &set, &[], JsonLayout::Spread);
    Ok(Edits::new(edits)?.apply(&current.text))
}
