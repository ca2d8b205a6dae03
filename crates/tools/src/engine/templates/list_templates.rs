//! Which templates there are.

use quillgate_query::template::parameters;
use quillgate_vault::{FolderPath, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Nobody has more templates.
const MOST_TEMPLATES: usize = 1000;

/// List the templates of the vault: the notes below the folders that the Templates plugin and Templater are set to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListTemplates {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Templates {
    items: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    path: String,
    name: String,
    /// It has scripts, which execute_template leaves as they are written
    has_user_functions: bool,
    /// Values that execute_template takes in args
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<String>,
}

impl Tool for ListTemplates {
    const SPEC: Spec = Spec::reading("list_templates", "List templates").scopes(&["read:templater"]);
    type Output = Templates;

    fn run(self, context: &Context<'_>) -> Result<Templates, Failure> {
        let mut paths: Vec<NotePath> = Vec::new();
        for folder in context.vault().template_settings()?.folders {
            let folder = FolderPath::parse(&folder)?;
            let catalogue = context.catalogue()?;
            paths.extend(catalogue.files_below(&folder).map(|entry| entry.path.clone()).filter(NotePath::is_note));
        }
        paths.sort_unstable();
        paths.dedup();
        let mut items = Vec::new();
        for path in paths.into_iter().take(MOST_TEMPLATES) {
            if !context.go_on() {
                return Err(Failure::Cancelled);
            }
            match context.vault().read(&path).and_then(quillgate_vault::Contents::into_text) {
                Ok(text) => items.push(Line::of(&path, &text)),
                // Gone since, or no text: no template.
                Err(VaultError::NotFound(_) | VaultError::NotText(..) | VaultError::Offline(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Templates { items })
    }
}

impl Line {
    fn of(path: &NotePath, text: &str) -> Line {
        let name = path.name();
        Line {
            path: path.to_string(),
            name: name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned(),
            has_user_functions: text.contains("tp.user.") || text.contains("<%*"),
            parameters: parameters(text),
        }
    }
}
