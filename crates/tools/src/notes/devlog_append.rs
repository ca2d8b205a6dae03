//! Keeping a development log.

use quillgate_markdown::{Edits, Value, append, set_property};
use quillgate_vault::{Expect, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slug::slug;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_text::new_note;
use crate::tool::{Effect, Idempotency, Spec, Tool};

/// Append an entry to the log of a topic, devlog/{topic}.md, under a heading with the time. The log is created when it is new.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DevlogAppend {
    /// Topic; becomes the file name
    #[schemars(length(min = 1, max = 200))]
    topic: String,
    /// Markdown of the entry
    #[schemars(length(min = 1))]
    entry: String,
    /// Project, kept as a property of a new log
    #[serde(default)]
    project: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    created: bool,
}

impl Tool for DevlogAppend {
    const SPEC: Spec = Spec::writing("devlog_append", "Append to a log", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let topic = slug(&self.topic);
        if topic.is_empty() {
            return Err(Failure::InvalidInput(vec![Issue::new("topic", "needs at least one letter or digit".to_owned())]));
        }
        let path = NotePath::parse(&format!("devlog/{topic}.md"))?;
        let now = context.now();
        let today = now.strftime("%Y-%m-%d").to_string();
        let section = format!("## {}\n\n{}\n", now.strftime("%Y-%m-%d %H:%M"), self.entry.trim_end());
        let mut properties = vec![
            ("tags".to_owned(), Value::List(vec![Value::Text("devlog".to_owned())])),
            ("topic".to_owned(), Value::Text(topic)),
        ];
        properties.extend(self.project.map(|project| ("project".to_owned(), Value::Text(project))));
        properties.push(("created".to_owned(), Value::Text(today.clone())));
        properties.push(("updated".to_owned(), Value::Text(today.clone())));
        let created = new_note(&properties, &format!("\n{section}"));
        match context.vault().write(&path, created.into_bytes(), Expect::Absent, Folders::Create) {
            Ok(_) => Ok(Outcome { path: path.to_string(), created: true }),
            Err(VaultError::Exists(_)) => append_section(context, &path, &section, &today),
            Err(error) => Err(error.into()),
        }
    }
}

fn append_section(context: &Context<'_>, path: &NotePath, section: &str, today: &str) -> Result<Outcome, Failure> {
    context.vault().update(path, |contents| {
        let text = contents.text()?;
        let appended = Edits::from(append(text, &format!("\n{section}"))).apply(text);
        let dated = set_property(&appended, "updated", &Value::Text(today.to_owned()))
            .map_err(|error| Failure::Edit(error.to_string()))?;
        Ok::<_, Failure>(dated.apply(&appended).into_bytes())
    })?;
    Ok(Outcome { path: path.to_string(), created: false })
}
