//! What a key means, what it may be, and what it is now.

use anyhow::bail;
use clap::Args;
use serde_json::Value;

use super::effective::{effective, leaves};
use crate::commands::say;
use crate::commands::serve::Serve;
use crate::config::{Key, SPELLINGS, find_key, general, keys, nearest_keys};

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
        let ours = SPELLINGS.iter().find(|(theirs, _)| theirs == asked).map_or(asked.as_str(), |(_, ours)| ours);
        let Some(key) = find_key(ours) else {
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
        let below = format!("{}.", key.path);
        let in_list = format!("{}[].", key.path);
        let inner: Vec<&Key> =
            keys().iter().filter(|other| other.path.starts_with(&below) || other.path.starts_with(&in_list)).collect();
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
        let is_meant = |path: &str| general(path) == key.path || general(path).starts_with(&format!("{}[].", key.path));
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

fn depth(path: &str) -> usize {
    path.split('.').count()
}

/// A line for each key, indented below its group.
fn listed<'a>(keys: impl Iterator<Item = &'a Key>, outer: usize) -> String {
    let line = |key: &Key| {
        let name = key.path.rsplit('.').next().unwrap_or_default();
        let indent = "  ".repeat(depth(&key.path) - 1 - outer + usize::from(outer > 0));
        let about = if key.is_unused { "accepted, not used by this version" } else { first_sentence(&key.about) };
        let about: String = about.chars().take(100).collect();
        format!("{:<44}  {about}", format!("{indent}{name}"))
    };
    keys.map(line).collect::<Vec<_>>().join("\n")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}
