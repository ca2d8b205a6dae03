//! A JSON file of the app that is changed: as it was when the change was planned.

use quillgate_markdown::{JsonNode, parse_json};
use quillgate_vault::{ContentHash, ControlFile, Expect, Transaction};

use crate::context::Context;
use crate::failure::Failure;

/// The file as it is now; an empty object if there is none.
pub(crate) struct ControlText {
    file: ControlFile,
    pub(crate) text: String,
    pub(crate) root: JsonNode,
    hash: Option<ContentHash>,
    /// When it was changed last.
    pub(crate) modified: Option<i64>,
}

impl ControlText {
    /// What cannot be read is an error, so that nobody writes over it.
    pub(crate) fn read(context: &Context<'_>, file: ControlFile) -> Result<ControlText, Failure> {
        let contents = context.vault().read_control(file)?;
        let (hash, modified) = (contents.as_ref().map(|found| found.hash()), contents.as_ref().map(|found| found.stat.modified));
        let text = contents.map(|found| found.into_text()).transpose()?.filter(|text| !text.trim().is_empty());
        let text = text.unwrap_or_else(|| "{}".to_owned());
        let refused = |why: String| {
            Failure::Edit(format!("{} cannot be read: {why}; correct it by hand first, it is left as it is", file.as_str()))
        };
        let root = parse_json(&text).map_err(|error| refused(format!("it is not valid JSON: {error}")))?;
        if !root.is_object() {
            return Err(refused(format!("it holds {}", root.kind_name())));
        }
        Ok(ControlText { file, text, root, hash, modified })
    }

    pub(crate) fn is_there(&self) -> bool {
        self.hash.is_some()
    }

    /// Adds writing this text to a change; the same text changes nothing.
    pub(crate) fn write(&self, change: Transaction, after: String) -> Transaction {
        if after == self.text {
            return change;
        }
        change.write_control(self.file, after.into_bytes(), self.hash.map_or(Expect::Absent, Expect::Hash))
    }
}
