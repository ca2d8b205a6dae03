//! Adding a wikilink to a note.

use quillgate_markdown::{Edits, Link, Note, append, find_heading};
use quillgate_vault::{EntryKind, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::note_text::{count_lines, must_take_text};
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Add a wikilink at the end of a note, as a list item. A link that is already there is not added again.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkAdd {
    /// Note that gets the link, relative to the vault, with its extension
    from: String,
    /// Note that is linked to: its path, or its name as in a wikilink; it may not exist yet
    to: String,
    /// Text to show instead of the target's name
    #[serde(default)]
    alias: Option<String>,
    /// Heading of the target to link to
    #[serde(default)]
    heading: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    link: String,
    /// False when the link was there already
    added: bool,
    line: usize,
    /// Whether the target exists
    resolved: bool,
}

impl Tool for LinkAdd {
    const SPEC: Spec = Spec::writing("link_add", "Add a link", Effect::Add, Idempotency::Natural);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let from = NotePath::parse(&self.from)?;
        must_take_text(&from)?;
        // A heading may also stand in the target, as it does in a wikilink.
        let (name, in_target) = self.to.split_once('#').map_or((self.to.as_str(), None), |(name, heading)| (name, Some(heading)));
        let to = target(context, &from, name)?;
        let resolved = matches!(context.vault().stat(&to), Ok((EntryKind::File, _)));
        let heading = self.heading.as_deref().or(in_target).map(|heading| heading.trim_start_matches('#'));
        if let (true, Some(heading)) = (resolved, heading) {
            must_have_heading(context, &to, heading)?;
        }
        let link_path = context.catalogue()?.link_path(&from, &to, context.vault().app_settings().link_format);
        let subpath = heading.map(|heading| format!("#{heading}")).unwrap_or_default();
        let display = self.alias.as_deref().map(|alias| format!("|{alias}")).unwrap_or_default();
        let link = format!("[[{link_path}{subpath}{display}]]");
        must_be_one_link(&link, &link_path, &subpath, self.alias.as_deref())?;
        let (mut added, mut line) = (true, 0);
        context.vault().update(&from, |contents| {
            let text = contents.text()?;
            if let Some(found) = Note::parse(text).links.iter().find(|found| text[found.span.clone()] == link) {
                (added, line) = (false, found.line);
                return Ok(contents.bytes.clone());
            }
            let edited = Edits::from(append(text, &format!("- {link}\n"))).apply(text);
            line = count_lines(&edited);
            Ok::<_, Failure>(edited.into_bytes())
        })?;
        Ok(Outcome { path: from.to_string(), link, added, line, resolved })
    }
}

/// An exact path, else what a wikilink of that name would mean, else a note that does not exist yet.
fn target(context: &Context<'_>, from: &NotePath, to: &str) -> Result<NotePath, Failure> {
    let exact = NotePath::parse(to)?;
    if matches!(context.vault().stat(&exact), Ok((EntryKind::File, _))) {
        return Ok(exact);
    }
    if let Some(named) = context.catalogue()?.resolve(from, to) {
        return Ok(named);
    }
    Ok(if exact.extension().is_empty() { NotePath::parse(&format!("{exact}.md"))? } else { exact })
}

fn must_have_heading(context: &Context<'_>, path: &NotePath, heading: &str) -> Result<(), Failure> {
    let contents = match context.vault().read(path) {
        Err(VaultError::NotFound(_)) => return Ok(()),
        other => other?,
    };
    let note = Note::parse(contents.text()?);
    if find_heading(&note, &format!("#{heading}")).is_some() {
        return Ok(());
    }
    let headings: Vec<&str> = note.headings.iter().map(|heading| heading.text.as_str()).collect();
    let known = if headings.is_empty() { "it has none".to_owned() } else { format!("its headings are {}", headings.join(", ")) };
    Err(Failure::Edit(format!("no heading {heading:?} in {path}; {known}")))
}

/// Names, headings and aliases can hold characters that end a link early or give it another target.
fn must_be_one_link(link: &str, link_path: &str, subpath: &str, alias: Option<&str>) -> Result<(), Failure> {
    let links = Note::parse(link).links;
    let is_as_meant = |found: &Link| {
        found.span == (0..link.len()) && found.path == link_path && found.subpath == subpath && found.display.as_deref() == alias
    };
    if let [only] = &links[..]
        && is_as_meant(only)
    {
        return Ok(());
    }
    Err(Failure::Edit(format!("{link:?} would not be one link; leave out # | ^ [ ], line breaks and empty texts")))
}
