//! Recording a decision.

use quillgate_markdown::{Eol, Value};
use quillgate_vault::{Expect, FolderPath, Folders, NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::slug::slug;
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_text::new_note;
use crate::tool::{Effect, Idempotency, Spec, Tool};

const INDEX: &str = "_index.md";
const INDEX_HEAD: &str = "# Decisions\n\n| ADR | Title | Status | Date |\n| --- | --- | --- | --- |\n";
/// Somebody else may take the number that was free a moment ago.
const MOST_TRIES: usize = 20;

/// Record a decision as adr/ADR-{number}-{title}.md with the next free number, and add its row to the table in _index.md.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdrWrite {
    /// The decision in a few words
    #[schemars(length(min = 1, max = 200))]
    title: String,
    /// Markdown: context, decision, consequences
    body: String,
    #[serde(default)]
    /// Whether it is settled
    status: Status,
    /// Project, kept as a property
    #[serde(default)]
    project: Option<String>,
    /// Related notes or decisions
    #[serde(default)]
    related: Vec<String>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[default]
    Accepted,
    Proposed,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Accepted => "accepted",
            Status::Proposed => "proposed",
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    number: u32,
}

impl Tool for AdrWrite {
    const SPEC: Spec = Spec::writing("adr_write", "Record a decision", Effect::Add, Idempotency::Repeats);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let slug = slug(&self.title);
        if slug.is_empty() {
            return Err(Failure::InvalidInput(vec![Issue::new("title", "needs at least one letter or digit".to_owned())]));
        }
        // A heading and a cell of a table have one line.
        let title = self.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let today = context.now().strftime("%Y-%m-%d").to_string();
        for _ in 0..MOST_TRIES {
            let number = next_number(context)?;
            let name = format!("ADR-{number:03}-{slug}");
            let path = NotePath::parse(&format!("adr/{name}.md"))?;
            let note = new_note(&self.properties(number, &today), &format!("\n# {}\n\n{}\n", title, self.body.trim_end()));
            let cells = [format!("[[{name}]]"), title.replace('|', "\\|"), self.status.name().to_owned(), today.clone()];
            match write_both(context, &path, note, &cells) {
                Err(Failure::Vault(VaultError::Exists(_) | VaultError::Conflict(_))) => {}
                other => return other.map(|()| Outcome { path: path.to_string(), number }),
            }
        }
        Err(VaultError::Conflict(NotePath::parse(INDEX)?).into())
    }
}

impl AdrWrite {
    fn properties(&self, number: u32, today: &str) -> Vec<(String, Value)> {
        let text = |text: &str| Value::Text(text.to_owned());
        let mut properties = vec![
            ("tags".to_owned(), Value::List(vec![text("adr"), text(self.status.name())])),
            ("adr".to_owned(), Value::Integer(i64::from(number))),
            ("date".to_owned(), text(today)),
            ("status".to_owned(), text(self.status.name())),
        ];
        properties.extend(self.project.as_deref().map(|project| ("project".to_owned(), text(project))));
        properties.push(("related".to_owned(), Value::List(self.related.iter().map(|related| text(related)).collect())));
        properties
    }
}

fn next_number(context: &Context<'_>) -> Result<u32, Failure> {
    let entries = match context.vault().list(&FolderPath::parse("adr")?) {
        Err(VaultError::FolderNotFound(_)) => return Ok(1),
        other => other?,
    };
    let numbers = entries.iter().filter_map(|entry| {
        let digits: String = entry.name.strip_prefix("ADR-")?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    Ok(numbers.filter(|number| *number < u32::MAX).max().unwrap_or(0) + 1)
}

/// The decision and its row in the table, both or neither.
fn write_both(context: &Context<'_>, path: &NotePath, note: String, cells: &[String; 4]) -> Result<(), Failure> {
    let index = NotePath::parse(INDEX)?;
    let (table, expect) = match context.vault().read(&index) {
        Ok(contents) => (with_row(contents.text()?, cells), Expect::Hash(contents.hash())),
        Err(VaultError::NotFound(_)) => (with_row(INDEX_HEAD, cells), Expect::Absent),
        Err(error) => return Err(error.into()),
    };
    let transaction = context.vault().transaction(Folders::Create);
    transaction.write(path.clone(), note.into_bytes(), Expect::Absent).write(index, table.into_bytes(), expect).commit()?;
    Ok(())
}

/// The text with a row behind the last one of the table of decisions, cells under the headings they belong to. Without such
/// a table the text gets one.
fn with_row(text: &str, cells: &[String; 4]) -> String {
    let Some((head, end)) = find_table(text) else {
        let gap = if text.is_empty() || text.ends_with("\n\n") {
            ""
        } else if text.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        return format!("{text}{gap}{}", with_row(INDEX_HEAD, cells));
    };
    let row = format!("| {} |", arranged(head, cells).join(" | "));
    let eol = Eol::dominant(text).as_str();
    let gap = if text[..end].ends_with('\n') { "" } else { eol };
    format!("{}{gap}{row}{eol}{}", &text[..end], &text[end..])
}

/// The head of the first table that has a column for decisions, and where its last row ends. Code does not count.
fn find_table(text: &str) -> Option<(&str, usize)> {
    let mut table: Option<(&str, usize)> = None;
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        is_code ^= trimmed.starts_with("```") || trimmed.starts_with("~~~");
        let is_row = !is_code && trimmed.starts_with('|');
        at += line.len();
        table = match table {
            Some((head, _)) if is_row => Some((head, at)),
            Some((head, end)) if is_decision_table(head) => return Some((head, end)),
            None if is_row => Some((line, at)),
            _ => None,
        };
    }
    table.filter(|(head, _)| is_decision_table(head))
}

fn is_decision_table(head: &str) -> bool {
    columns(head).any(|name| is_link_column(&name)) && columns(head).count() > 1
}

fn columns(head: &str) -> impl Iterator<Item = String> {
    head.trim().trim_matches('|').split('|').map(|name| name.trim().to_lowercase())
}

fn is_link_column(name: &str) -> bool {
    matches!(name, "adr" | "#" | "number" | "id" | "nr" | "link" | "decision")
}

/// The link stands in the first column that can take it; a "Decision" beside an "ADR" is the title.
fn arranged(head: &str, cells: &[String; 4]) -> Vec<String> {
    let mut is_linked = false;
    let by_name = columns(head).map(|name| match name.as_str() {
        name if is_link_column(name) && !is_linked => {
            is_linked = true;
            cells[0].clone()
        }
        "title" | "name" | "decision" => cells[1].clone(),
        "status" => cells[2].clone(),
        "date" => cells[3].clone(),
        _ => String::new(),
    });
    by_name.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> [String; 4] {
        ["[[ADR-002-b]]", "B", "accepted", "2026-01-02"].map(str::to_owned)
    }

    #[test]
    fn a_row_goes_behind_the_last_one() {
        let before = "# Decisions\n\n| ADR | Title | Status | Date |\n| --- | --- | --- | --- |\n| [[ADR-001-a]] | A | accepted | 2026-01-01 |\n\nSee also.\n";
        let after = before.replace("2026-01-01 |\n", "2026-01-01 |\n| [[ADR-002-b]] | B | accepted | 2026-01-02 |\n");
        assert_eq!(with_row(before, &cells()), after);
    }

    #[test]
    fn cells_follow_the_headings_of_the_table() {
        let before = "| Date | Title | Owner | ADR |\r\n|---|---|---|---|\r\n";
        assert_eq!(with_row(before, &cells()), format!("{before}| 2026-01-02 | B |  | [[ADR-002-b]] |\r\n"));
    }

    #[test]
    fn a_file_without_a_table_gets_one() {
        assert_eq!(with_row("Hello", &cells()), format!("Hello\n\n{INDEX_HEAD}| [[ADR-002-b]] | B | accepted | 2026-01-02 |\n"));
    }

    #[test]
    fn other_tables_and_code_are_left_alone() {
        let before =
            "| Name | Age |\n|---|---|\n| Ann | 5 |\n\n```\n| ADR | x |\n```\n\n| # | Decision | Status |\n|---|---|---|\n";
        assert_eq!(with_row(before, &cells()), format!("{before}| [[ADR-002-b]] | B | accepted |\n"));
    }
}
