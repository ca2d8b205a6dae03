//! One tag and its notes.

use quillgate_markdown::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_tags::notes_by_tag;
use crate::context::Context;
use crate::failure::Failure;
use crate::tool::{Spec, Tool};

/// Show the notes that have a tag or one nested below it: work also finds work/urgent.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetTagInfo {
    /// Tag, with or without #
    #[schemars(length(min = 1))]
    tag: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Info {
    tag: String,
    count: usize,
    files: Vec<String>,
}

impl Tool for GetTagInfo {
    const SPEC: Spec = Spec::reading("obsidian_get_tag_info", "Show a tag");
    type Output = Info;

    fn run(self, context: &Context<'_>) -> Result<Info, Failure> {
        let name = self.tag.trim_start_matches('#').trim_end_matches('/');
        let (wanted, below) = (fold(name), format!("{}/", fold(name)));
        let by_tag = notes_by_tag(&*context.catalogue()?);
        let tagged = by_tag.into_iter().filter(|(tag, _)| *tag == wanted || tag.starts_with(&below));
        let mut files: Vec<String> = tagged.flat_map(|(_, (_, notes))| notes).map(|path| path.to_string()).collect();
        files.sort();
        files.dedup();
        Ok(Info { tag: format!("#{name}"), count: files.len(), files })
    }
}
