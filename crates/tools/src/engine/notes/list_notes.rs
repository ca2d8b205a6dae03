//! The notes of a folder.

use parking_lot::Mutex;
use quillgate_index::Entry;
use quillgate_vault::{EntryKind, FolderPath, NotePath, Stat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::root::Root;
use crate::time;
use crate::tool::{Spec, Tool};

/// List the notes of the vault or of a folder, by path, with size and time of change. Other kinds of files are listed by their extensions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListNotes {
    #[serde(default)]
    root: Root,
    /// Also list what lies in folders below it
    #[serde(default = "yes")]
    recursive: bool,
    /// Also list the folders themselves
    #[serde(default)]
    include_folders: bool,
    /// Extensions of the files to list; an empty list means every file
    #[serde(default = "notes")]
    #[schemars(length(max = 50))]
    extensions: Vec<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

fn yes() -> bool {
    true
}

fn notes() -> Vec<String> {
    vec![".md".to_owned()]
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Line {
    path: String,
    r#type: Kind,
    /// Of a folder always 0
    size: u64,
    mtime: String,
}

#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    File,
    Folder,
}

/// One thing to list; a folder's time is looked up once it is shown.
struct Item {
    path: NotePath,
    stat: Option<Stat>,
}

impl Tool for ListNotes {
    const SPEC: Spec = Spec::reading("list_notes", "List notes");
    type Output = Page<Line>;

    fn run(self, context: &Context<'_>) -> Result<Page<Line>, Failure> {
        let folder = self.root.folder(context)?;
        let question = json!([folder.as_str(), self.recursive, self.include_folders, self.extensions]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<String>(&self.cursor)?;
        let mut items = match (self.recursive, self.include_folders) {
            (false, _) => self.one_level(context, &folder)?,
            (true, false) => self.files(context, &folder)?,
            (true, true) => self.everything(context, &folder)?,
        };
        items.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(pager.page_of_all(items, after, |item| item.path.to_string(), |item| item.shown(context)))
    }
}

impl ListNotes {
    fn is_wanted(&self, path: &NotePath) -> bool {
        let fits = |wanted: &String| wanted.trim_start_matches('.').eq_ignore_ascii_case(path.extension());
        self.extensions.is_empty() || self.extensions.iter().any(fits)
    }

    fn one_level(&self, context: &Context<'_>, folder: &FolderPath) -> Result<Vec<Item>, Failure> {
        let mut items = Vec::new();
        for entry in context.vault().list(folder)? {
            let path = folder.join(&entry.name)?;
            match entry.kind {
                EntryKind::File if self.is_wanted(&path) => items.push(Item { path, stat: Some(entry.stat) }),
                EntryKind::Folder if self.include_folders => items.push(Item { path, stat: None }),
                EntryKind::File | EntryKind::Folder | EntryKind::Other => {}
            }
        }
        Ok(items)
    }

    fn files(&self, context: &Context<'_>, folder: &FolderPath) -> Result<Vec<Item>, Failure> {
        let catalogue = context.catalogue()?;
        let wanted = catalogue.files_below(folder).filter(|entry| self.is_wanted(&entry.path));
        Ok(wanted.map(|Entry { path, stat, .. }| Item { path: path.clone(), stat: Some(*stat) }).collect())
    }

    /// Only the disk knows of folders without a file.
    fn everything(&self, context: &Context<'_>, folder: &FolderPath) -> Result<Vec<Item>, Failure> {
        let files = Mutex::new(Vec::new());
        let report = context.vault().walk(folder, |found| {
            if self.is_wanted(&found.path) {
                files.lock().push(Item { path: found.path, stat: Some(found.stat) });
            }
            context.go_on()
        })?;
        if !context.go_on() {
            return Err(Failure::Cancelled);
        }
        let mut items = files.into_inner();
        for folder in report.folders {
            items.push(Item { path: NotePath::parse(folder.as_str())?, stat: None });
        }
        Ok(items)
    }
}

impl Item {
    fn shown(self, context: &Context<'_>) -> Line {
        let path = self.path.to_string();
        match self.stat {
            Some(stat) => Line { path, r#type: Kind::File, size: stat.size, mtime: time::shown(stat.modified) },
            None => {
                // One that has just gone has no time any more.
                let modified = context.vault().stat(&self.path).map_or(0, |(_, stat)| stat.modified);
                Line { path, r#type: Kind::Folder, size: 0, mtime: time::shown(modified) }
            }
        }
    }
}
