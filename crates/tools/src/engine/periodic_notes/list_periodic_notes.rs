//! Which notes of a period there are.

use quillgate_query::PeriodicNames;
use quillgate_query::moment::Locale;
use quillgate_vault::{FolderPath, Stat};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::periodic_note::{Kind, parse_date};
use crate::context::Context;
use crate::failure::Failure;
use crate::page::{Cursor, Limit, MaxTokens, Page, Pager};
use crate::time;
use crate::tool::{Spec, Tool};

/// List the daily, weekly, monthly, quarterly or yearly notes that there are, by date. A note is one by its name, which must fit the format that the vault is set to.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListPeriodicNotes {
    period: Kind,
    /// First day of interest, such as 2026-01-01; the period that it is in counts
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    from: Option<String>,
    /// Last day of interest
    #[serde(default)]
    #[schemars(length(min = 1, max = 40))]
    to: Option<String>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    cursor: Cursor,
    #[serde(default)]
    max_tokens: MaxTokens,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Line {
    period: Kind,
    /// The first day of the period
    date: String,
    path: String,
    mtime: String,
}

impl Tool for ListPeriodicNotes {
    const SPEC: Spec = Spec::reading("list_periodic_notes", "List periodic notes").scopes(&["read:periodic"]);
    type Output = Page<Line>;

    fn run(self, context: &Context<'_>) -> Result<Page<Line>, Failure> {
        let (now, period) = (context.now(), self.period.period());
        let settings = context.vault().periodic_notes(period)?;
        let names = PeriodicNames::new(period, &settings, Locale::english());
        let day = |field: &str, text: &Option<String>| text.as_deref().map(|text| parse_date(field, text, &now)).transpose();
        let from = day("from", &self.from)?.map(|from| names.start(from).unwrap_or(from));
        let to = day("to", &self.to)?;
        let question = json!([self.period, self.from, self.to]);
        let pager = Pager::new(Self::SPEC.name, &question, self.limit, self.max_tokens);
        let after = pager.after::<(String, String)>(&self.cursor)?;
        let folder = FolderPath::parse(&settings.folder)?;
        let mut found: Vec<(String, String, Stat)> = Vec::new();
        for entry in context.catalogue()?.files_below(&folder).filter(|entry| entry.path.is_note()) {
            let Some(date) = names.date_of(entry.path.as_str(), &now) else { continue };
            if from.is_none_or(|from| from <= date) && to.is_none_or(|to| date <= to) {
                found.push((date.to_string(), entry.path.to_string(), entry.stat));
            }
        }
        found.sort_unstable_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let shown = |(date, path, stat): (String, String, Stat)| Line {
            period: self.period,
            date,
            path,
            mtime: time::shown(stat.modified),
        };
        Ok(pager.page_of_all(found, after, |(date, path, _)| (date.clone(), path.clone()), shown))
    }
}
