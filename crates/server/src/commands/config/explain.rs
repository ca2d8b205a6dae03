//! What a key means, what it may be, and what it is now.

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::effective::{effective, leaves};
use crate::commands::say;
use crate::commands::serve::Serve;
use crate::config::{Key, SPELLINGS, find_key, general, keys, nearest_keys};

/// Characters about a key in a list of keys.
const LONGEST_LINE: usize = 100;

#[derive(Args)]
pub(super) struct Explain {
    /// Such as acl.readPaths; without one, all keys are listed
    key: Option<String>,
    #[command(flatten)]
    serve: Serve,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let Some(asked) = &self.key else {
            return say(&listed(keys().iter(), 0));
        };
        let Some(key) = find_key(&our_spelling(asked)) else {
            match &nearest_keys(asked)[..] {
                [] => bail!("no key {asked:?}; `quillgate config explain` lists all"),
                near => bail!("no key {asked:?}; did you mean {}?", near.join(" or ")),
            }
        };
        say(&self.explained(key))
    }

    fn explained(&self, key: &Key) -> String {
        let mut text = format!("{}\n  {}\n\n", key.path, key.about);
        if key.is_unused {
            text.push_str("  accepted, not used by this version\n");
            return text.trim_end().to_owned();
        }
        let secrecy = if key.is_secret { ", never shown" } else { "" };
        text.push_str(&format!("  type     {}{secrecy}\n", key.kind));
        if let Some(default) = &key.default {
            text.push_str(&format!("  default  {default}\n"));
        }
        let other: Vec<&str> = SPELLINGS.iter().filter(|(_, ours)| *ours == key.path).map(|(theirs, _)| *theirs).collect();
        if !other.is_empty() {
            text.push_str(&format!("  also     {}\n", other.join(", ")));
        }
        if !key.is_group {
            text.push_str(&self.present(key));
        }
        let inner: Vec<&Key> = keys().iter().filter(|other| is_below(&other.path, &key.path)).collect();
        if !inner.is_empty() {
            text.push_str(&format!("\n{}", listed(inner.into_iter(), depth(&key.path))));
        }
        text.trim_end().to_owned()
    }

    /// A configuration that is not valid must not keep anybody from reading what would be.
    fn present(&self, key: &Key) -> String {
        let Ok(loaded) = self.serve.load() else {
            return "  now      not known: `quillgate config validate` says what is wrong\n".to_owned();
        };
        let shown = effective(&loaded);
        let is_meant = |path: &str| general(path) == key.path || is_below(&general(path), &key.path);
        let found: Vec<(String, &Value)> = leaves(&shown).into_iter().filter(|(path, _)| is_meant(path)).collect();
        match &found[..] {
            [] => "  now      not set\n".to_owned(),
            [(path, value)] if *path == key.path => format!("  now      {value} ({})\n", loaded.origins.of(path)),
            several => {
                let line =
                    |(path, value): &(String, &Value)| format!("  now      {path} = {value} ({})\n", loaded.origins.of(path));
                several.iter().map(line).collect()
            }
        }
    }
}

/// The key as we call it, whatever group of it goes by another name.
fn our_spelling(asked: &str) -> String {
    let rest = |theirs: &str| asked.strip_prefix(theirs).filter(|rest| rest.is_empty() || rest.starts_with('.'));
    let renamed = SPELLINGS.iter().find_map(|(theirs, ours)| Some(format!("{ours}{}", rest(theirs)?)));
    renamed.unwrap_or_else(|| asked.to_owned())
}

fn is_below(path: &str, group: &str) -> bool {
    path.strip_prefix(group).is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]."))
}

fn depth(path: &str) -> usize {
    path.split('.').count()
}

/// A line for each key, indented below its group.
fn listed<'a>(keys: impl Iterator<Item = &'a Key>, outer: usize) -> String {
    let line = |key: &Key| {
        let name = key.path.rsplit('.').next().unwrap_or_default();
        let indent = "  ".repeat(depth(&key.path) - 1 - outer + usize::from(outer > 0));
        let about = if key.is_unused { "accepted, not used by this version" } else { first_sentence(&key.about) };
        let about = match about.char_indices().nth(LONGEST_LINE) {
            Some((end, _)) => format!("{}…", about[..end].trim_end()),
            None => about.to_owned(),
        };
        format!("{:<44}  {about}", format!("{indent}{name}"))
    };
    keys.map(line).collect::<Vec<_>>().join("\n")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
