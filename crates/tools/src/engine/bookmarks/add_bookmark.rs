//! Adding a bookmark.

use jiff::Timestamp;
use quillgate_markdown::{Edits, JsonLayout, JsonNode, change_items, change_members, fold};
use quillgate_vault::{ControlFile, EntryKind, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::bookmark::{all_bookmarks, bookmark_id, text_of, top_list};
use crate::context::Context;
use crate::control_text::ControlText;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::tool::{ChangeTool, Effect, Idempotency, Spec};

/// Add a bookmark to the app's. A group that does not exist is made. What is bookmarked in that group already is not added again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddBookmark {
    /// What is bookmarked
    r#type: Kind,
    /// A path with extension for file and folder, with #Heading or #^block behind it for heading and block; a query for search; an address for url; a name for graph
    #[schemars(length(min = 1, max = 4096))]
    target: String,
    /// What the app shows instead of the target
    #[serde(default)]
    #[schemars(length(max = 1000))]
    title: Option<String>,
    /// Group to put it in; groups in groups are written Outer/Inner
    #[serde(default)]
    #[schemars(length(max = 1000))]
    group: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    File,
    Folder,
    Search,
    Graph,
    Url,
    Heading,
    Block,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::File => "file",
            Kind::Folder => "folder",
            Kind::Search => "search",
            Kind::Graph => "graph",
            Kind::Url => "url",
            Kind::Heading => "heading",
            Kind::Block => "block",
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    id: String,
    r#type: Kind,
    target: String,
    created_at: String,
}

impl ChangeTool for AddBookmark {
    const SPEC: Spec =
        Spec::writing("add_bookmark", "Add a bookmark", Effect::Add, Idempotency::Keyed).scopes(&["write:bookmarks"]);
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let ctime = context.now().timestamp().as_millisecond();
        let item = self.item(context, ctime)?;
        let file = ControlText::read(context, ControlFile::Bookmarks)?;
        let group = self.group.as_deref().map(str::trim).filter(|group| !group.is_empty());
        let (kind, target) = (self.r#type, self.target.clone());
        let same_group = |found: Option<&str>| fold(found.unwrap_or_default()) == fold(group.unwrap_or_default());
        let known = all_bookmarks(&file)?.into_iter().map(|found| found.bookmark).find(|bookmark| {
            bookmark.r#type == kind.name() && bookmark.target == target && same_group(bookmark.group.as_deref())
        });
        let change = context.vault().control_transaction();
        if let Some(known) = known {
            let outcome = Outcome { id: known.id, r#type: kind, target, created_at: known.created_at.unwrap_or_default() };
            return Ok(Plan::new(change, move |_| Ok(outcome)));
        }
        let after = added(&file, group, item, ctime)?;
        let outcome = Outcome {
            id: bookmark_id(&ctime.to_string(), kind.name(), &target),
            r#type: kind,
            target,
            created_at: Timestamp::from_millisecond(ctime).map(|time| time.to_string()).unwrap_or_default(),
        };
        Ok(Plan::new(file.write(change, after), move |_| Ok(outcome)))
    }
}

impl AddBookmark {
    /// The bookmark as the app writes it.
    fn item(&self, context: &Context<'_>, ctime: i64) -> Result<Value, Failure> {
        let refused = |expected: &str| Failure::InvalidInput(vec![Issue::new("target", expected.to_owned())]);
        let existing = |path: &str| -> Result<String, Failure> {
            let path = NotePath::parse(path)?;
            let (kind, _) = context.vault().stat(&path)?;
            match (self.r#type, kind) {
                (Kind::Folder, EntryKind::File) => Err(refused("is a file; give type file")),
                (Kind::Folder, _) | (_, EntryKind::File) => Ok(path.to_string()),
                _ => Err(refused("is a folder; give type folder")),
            }
        };
        let target = self.target.as_str();
        let mut item = Map::new();
        item.insert(
            "type".to_owned(),
            json!(if matches!(self.r#type, Kind::Heading | Kind::Block) { "file" } else { self.r#type.name() }),
        );
        item.insert("ctime".to_owned(), json!(ctime));
        match self.r#type {
            Kind::File | Kind::Folder => drop(item.insert("path".to_owned(), json!(existing(target)?))),
            Kind::Heading | Kind::Block => {
                let (path, subpath) =
                    target.split_once('#').ok_or_else(|| refused("needs #Heading or #^block behind the path"))?;
                if subpath.is_empty() || subpath.starts_with('^') != (self.r#type == Kind::Block) {
                    return Err(refused("needs #Heading behind the path for a heading, #^block for a block"));
                }
                item.insert("path".to_owned(), json!(existing(path)?));
                item.insert("subpath".to_owned(), json!(format!("#{subpath}")));
            }
            Kind::Search => drop(item.insert("query".to_owned(), json!(target))),
            Kind::Url if !target.contains("://") => return Err(refused("needs to be an address such as https://…")),
            Kind::Url => drop(item.insert("url".to_owned(), json!(target))),
            Kind::Graph => drop(item.insert("title".to_owned(), json!(target))),
        }
        if let Some(title) = self.title.as_ref().filter(|title| !title.is_empty() && self.r#type != Kind::Graph) {
            item.insert("title".to_owned(), json!(title));
        }
        Ok(Value::Object(item))
    }
}

/// The file with the bookmark at the end of its group; groups that are missing are made.
fn added(file: &ControlText, group: Option<&str>, item: Value, ctime: i64) -> Result<String, Failure> {
    let names: Vec<&str> = group.map(|group| group.split('/').collect()).unwrap_or_default();
    let Some(top) = top_list(file)? else {
        let list = json!([in_groups(&names, item, ctime)]).to_string();
        let edits = change_members(&file.text, &file.root, &[("items", list)], &[], JsonLayout::Spread);
        return Ok(Edits::new(edits)?.apply(&file.text));
    };
    let mut list = top;
    let mut left = names.as_slice();
    while let [name, rest @ ..] = left {
        let is_it = |item: &&JsonNode| {
            text_of(item, "type") == Some("group") && text_of(item, "title").is_some_and(|title| fold(title) == fold(name))
        };
        let Some(inner) = list.items().iter().find(is_it).and_then(|group| group.get("items")).filter(|items| items.is_array())
        else {
            break;
        };
        (list, left) = (inner, rest);
    }
    let new = in_groups(left, item, ctime).to_string();
    let edits = change_items(&file.text, list, &std::collections::BTreeSet::new(), &[new], JsonLayout::Spread);
    Ok(Edits::new(edits)?.apply(&file.text))
}

fn in_groups(names: &[&str], item: Value, ctime: i64) -> Value {
    names.iter().rev().fold(item, |inner, name| json!({"type": "group", "ctime": ctime, "items": [inner], "title": name}))
}
