//! Making all links to one note lead to another.

use quillgate_index::{Catalogue, LinkTarget, retargeted};
use quillgate_markdown::fold;
use quillgate_vault::{Expect, FolderPath, Folders, NotePath, PathError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::root::Root;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Rate, Spec};

/// Make all links to one note lead to another, in all files or none; also mends links that lead nowhere. Headings, block ids and display texts stay. The notes themselves are not moved (move_note does that). By default a dry run that counts; with dry_run false a human is asked first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RewriteLink {
    /// Where links lead now: a path, a name as in a wikilink, or a target that find_unresolved_links names
    #[schemars(length(min = 1, max = 1024))]
    from_target: String,
    /// Where they shall lead: a path or name; it may not exist yet
    #[schemars(length(min = 1, max = 1024))]
    to_target: String,
    /// Whether to rewrite links in the whole vault or in one folder
    #[serde(default)]
    scope: Scope,
    /// The folder, for scope folder
    #[serde(default)]
    #[schemars(length(max = 1024))]
    folder_path: Option<String>,
    /// Only say what would change
    #[serde(default = "yes")]
    dry_run: bool,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Scope {
    #[default]
    Vault,
    Folder,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    from_target: String,
    to_target: String,
    files_modified: Vec<Modified>,
    total_replacements: usize,
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Modified {
    path: String,
    occurrences: usize,
}

impl ChangeTool for RewriteLink {
    const SPEC: Spec = Spec::writing("rewrite_link", "Rewrite links", Effect::Change, Idempotency::Keyed)
        .rate(Rate::Bulk)
        .confirm(Confirm::When("unless dry_run"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let folder = self.folder(context)?;
        let relinked = {
            let catalogue = context.index()?.settled_catalogue();
            let from = find_target(&catalogue, "from_target", &self.from_target)?.unwrap_or_else(|_| {
                // Links may be written in ways that no path is, such as ../gone.
                LinkTarget::Missing(without_md(&self.from_target).to_owned())
            });
            let to = find_target(&catalogue, "to_target", &self.to_target)??;
            if from == to { Vec::new() } else { retargeted(context.vault(), &catalogue, &from, &to, &folder)? }
        };
        let mut change = context.vault().transaction(Folders::MustExist);
        let (mut files_modified, mut total_replacements) = (Vec::with_capacity(relinked.len()), 0);
        for file in relinked {
            total_replacements += file.links;
            files_modified.push(Modified { path: file.path.to_string(), occurrences: file.links });
            change = change.write(file.path, file.bytes, Expect::Hash(file.before));
        }
        let reason = format!("rewrites {total_replacements} links in {} files", files_modified.len());
        let (from_target, to_target, dry_run) = (self.from_target, self.to_target, self.dry_run);
        let outcome = Outcome { from_target, to_target, files_modified, total_replacements, dry_run };
        Ok(Plan::new(change, move |_| Ok(outcome)).ask_if(true, reason).dry_run(dry_run))
    }
}

impl RewriteLink {
    fn folder(&self, context: &Context<'_>) -> Result<FolderPath, Failure> {
        let wrong = |expected: &str| Err(Failure::InvalidInput(vec![Issue::new("folder_path", expected.to_owned())]));
        match (self.scope, &self.folder_path) {
            (Scope::Vault, None) => Ok(FolderPath::ROOT),
            (Scope::Vault, Some(_)) => wrong("goes with scope folder; set that, or leave folder_path out"),
            (Scope::Folder, None) => wrong("is required for scope folder"),
            (Scope::Folder, Some(folder)) => Root::of(folder).folder(context),
        }
    }
}

/// What a name or path means: a file, or links that lead nowhere. The inner error says that it is no path.
fn find_target(catalogue: &Catalogue, field: &str, text: &str) -> Result<Result<LinkTarget, PathError>, Failure> {
    if text.contains(['#', '|', '[', ']', '^']) {
        let expected = "is a path or a name; leave out brackets, and everything from # or | on".to_owned();
        return Err(Failure::InvalidInput(vec![Issue::new(field, expected)]));
    }
    let wanted = match NotePath::parse(text) {
        Ok(wanted) => wanted,
        Err(error) => return Ok(Err(error)),
    };
    if catalogue.find(&wanted).is_some() {
        return Ok(Ok(LinkTarget::File(wanted)));
    }
    let folded = fold(wanted.as_str());
    let mut found = catalogue.named(wanted.name());
    found.retain(|path| {
        let spellings = [fold(path.as_str()), fold(path.without_md())];
        spellings.iter().any(|path| path.strip_suffix(&*folded).is_some_and(|before| before.is_empty() || before.ends_with('/')))
    });
    match found.len() {
        0 => Ok(Ok(LinkTarget::Missing(without_md(wanted.as_str()).to_owned()))),
        1 => Ok(Ok(LinkTarget::File(found.remove(0)))),
        _ => Err(Failure::Ambiguous { name: text.to_owned(), candidates: found.iter().map(NotePath::to_string).collect() }),
    }
}

fn without_md(text: &str) -> &str {
    text.strip_suffix(".md").unwrap_or(text)
}
