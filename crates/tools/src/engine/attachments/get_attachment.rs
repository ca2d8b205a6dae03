//! One file that is no note.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::attachment::{attachment_path, existing};
use super::mime::mime_of;
use crate::context::Context;
use crate::failure::Failure;
use crate::time;
use crate::tool::{Spec, Tool};

/// Tell size, type and time of an image, PDF or other file that is no note, and return its bytes in base64 if asked for.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetAttachment {
    /// File, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Also return the bytes
    #[serde(default)]
    include_data: bool,
    /// Return no more bytes than this, from the beginning
    #[serde(default = "five_million")]
    #[schemars(range(min = 1))]
    max_bytes: usize,
}

fn five_million() -> usize {
    5_000_000
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Found {
    path: String,
    size_bytes: u64,
    mime: &'static str,
    mtime: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data_base64: Option<String>,
    /// Present and true when only the beginning was returned
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

impl Tool for GetAttachment {
    const SPEC: Spec = Spec::reading("get_attachment", "Get an attachment").scopes(&["read:attachments"]);
    type Output = Found;

    fn run(self, context: &Context<'_>) -> Result<Found, Failure> {
        let path = attachment_path("path", &self.path)?;
        let mut stat = existing(context, &path)?;
        let (mut data_base64, mut truncated) = (None, None);
        if self.include_data {
            let contents = context.vault().read(&path)?;
            stat = contents.stat;
            let shown = contents.bytes.len().min(self.max_bytes);
            data_base64 = Some(BASE64_STANDARD.encode(&contents.bytes[..shown]));
            truncated = (shown < contents.bytes.len()).then_some(true);
        }
        Ok(Found {
            path: path.to_string(),
            size_bytes: stat.size,
            mime: mime_of(path.extension()),
            mtime: time::shown(stat.modified),
            data_base64,
            truncated,
        })
    }
}
