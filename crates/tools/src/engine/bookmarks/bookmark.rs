//! A bookmark as the app keeps it, and as tools show it.

use jiff::Timestamp;
use quillgate_markdown::{JsonNode, fold};
use quillgate_vault::{ContentHash, ControlFile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::{Failure, Issue};

/// Groups in groups deeper than this are left alone.
const DEEPEST: usize = 32;

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Bookmark {
    pub(super) id: String,
    /// file, folder, search, graph, url, heading or block
    pub(super) r#type: String,
    pub(super) title: String,
    /// A path, with #heading or #^block behind it, a query or an address
    pub(super) target: String,
    /// Names of the groups it is in, with / between them
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) created_at: Option<String>,
}

/// A bookmark with the list that holds it.
pub(super) struct Found<'n> {
    pub(super) bookmark: Bookmark,
    pub(super) list: &'n JsonNode,
    pub(super) place: usize,
}

/// The list of the whole file; nothing if there is none yet.
pub(super) fn top_list(file: &ControlText) -> Result<Option<&JsonNode>, Failure> {
    match file.root.get("items") {
        Some(list) if !list.is_array() => {
            let why =
                format!("the bookmarks of the app cannot be read: items is {}; correct the file by hand first", list.kind_name());
            Err(Failure::Edit(why))
        }
        list => Ok(list),
    }
}

/// All bookmarks in their order, those in groups too.
pub(super) fn all_bookmarks(file: &ControlText) -> Result<Vec<Found<'_>>, Failure> {
    let mut found = Vec::new();
    if let Some(list) = top_list(file)? {
        collect(&file.text, list, None, 0, &mut found);
    }
    // The same thing bookmarked twice in one moment: the later one is numbered.
    for place in 1..found.len() {
        let id = found[place].bookmark.id.clone();
        let same = found[..place].iter().filter(|other: &&Found<'_>| other.bookmark.id == id).count();
        if same > 0 {
            found[place].bookmark.id = format!("{id}-{}", same + 1);
        }
    }
    Ok(found)
}

/// The paths of files that are bookmarked, also those of which a heading or a block is.
pub(crate) fn bookmarked_files(context: &Context<'_>) -> Result<Vec<String>, Failure> {
    let file = ControlText::read(context, ControlFile::Bookmarks)?;
    let found = all_bookmarks(&file)?.into_iter().map(|found| found.bookmark);
    let files = found.filter(|bookmark| matches!(bookmark.r#type.as_str(), "file" | "heading" | "block"));
    Ok(files.map(|bookmark| bookmark.target.split('#').next().unwrap_or_default().to_owned()).collect())
}

fn collect<'n>(text: &str, list: &'n JsonNode, group: Option<&str>, depth: usize, found: &mut Vec<Found<'n>>) {
    for (place, item) in list.items().iter().enumerate() {
        if text_of(item, "type") != Some("group") {
            found.extend(bookmark(text, item, group).map(|bookmark| Found { bookmark, list, place }));
        } else if let Some(items) = item.get("items").filter(|_| depth < DEEPEST) {
            collect(text, items, Some(&joined(group, text_of(item, "title").unwrap_or_default())), depth + 1, found);
        }
    }
}

pub(super) fn joined(group: Option<&str>, title: &str) -> String {
    group.map_or_else(|| title.to_owned(), |group| format!("{group}/{title}"))
}

pub(super) fn text_of<'n>(node: &'n JsonNode, key: &str) -> Option<&'n str> {
    node.get(key).and_then(JsonNode::as_str)
}

fn bookmark(text: &str, item: &JsonNode, group: Option<&str>) -> Option<Bookmark> {
    let kind = text_of(item, "type")?;
    let subpath = text_of(item, "subpath").unwrap_or_default();
    let path = text_of(item, "path").unwrap_or_default();
    let (kind, target) = match kind {
        "file" if subpath.starts_with("#^") => ("block", format!("{path}{subpath}")),
        "file" if !subpath.is_empty() => ("heading", format!("{path}{subpath}")),
        "search" => ("search", text_of(item, "query").unwrap_or_default().to_owned()),
        "url" => ("url", text_of(item, "url").unwrap_or_default().to_owned()),
        "graph" => ("graph", text_of(item, "title").unwrap_or_default().to_owned()),
        other => (other, path.to_owned()),
    };
    let ctime = item.get("ctime").map(|node| text[node.span.clone()].to_owned()).unwrap_or_default();
    let created_at = ctime.parse::<f64>().ok().and_then(|time| Timestamp::from_millisecond(time as i64).ok());
    let title = text_of(item, "title").filter(|title| !title.is_empty()).unwrap_or(&target).to_owned();
    Some(Bookmark {
        id: bookmark_id(&ctime, kind, &target),
        r#type: kind.to_owned(),
        title,
        target,
        group: group.map(str::to_owned),
        created_at: created_at.map(|time| time.to_string()),
    })
}

/// The app gives bookmarks no ids. This one stays when a bookmark gets another title or goes to another group.
pub(super) fn bookmark_id(ctime: &str, kind: &str, target: &str) -> String {
    let hash = ContentHash::of(format!("{ctime}\0{kind}\0{target}").as_bytes()).to_string();
    hash[..16].to_owned()
}

/// Whether the bookmark is in this group or one below it.
pub(super) fn is_in(bookmark: &Bookmark, group: &str) -> bool {
    let (found, wanted) = (fold(bookmark.group.as_deref().unwrap_or_default()), fold(group));
    found.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The names of all groups, also empty ones.
pub(super) fn groups(list: Option<&JsonNode>) -> Vec<String> {
    fn walk(list: &JsonNode, group: Option<&str>, depth: usize, found: &mut Vec<String>) {
        let groups = list.items().iter().filter(|item| text_of(item, "type") == Some("group"));
        for item in groups.filter(|_| depth < DEEPEST) {
            let name = joined(group, text_of(item, "title").unwrap_or_default());
            found.push(name.clone());
            if let Some(items) = item.get("items") {
                walk(items, Some(&name), depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    if let Some(list) = list {
        walk(list, None, 0, &mut found);
    }
    found
}

pub(super) fn no_group(group: &str, known: &[String]) -> Failure {
    let known = if known.is_empty() { "there are no groups".to_owned() } else { format!("there are {}", known.join(", ")) };
    Failure::InvalidInput(vec![Issue::new("group", format!("is {group:?}, and there is no such group; {known}"))])
}
