//! Notes as resources: `vault://<vault>/<path>`.

use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use quillgate_tools::{Workspace, vault_id};
use quillgate_vault::{NotePath, Vault};
use rmcp::model::{
    CacheScope, CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, ListResourceTemplatesResult,
    ListResourcesResult, ReadResourceResponse, ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::json;

/// Resources on one page of the list.
const PAGE: usize = 200;
const MARKDOWN: &str = "text/markdown";
/// What must be written otherwise in the path of a URI.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'|')
    .add(b'^');

pub(super) fn uri(vault: &Vault, path: &NotePath) -> String {
    format!("vault://{}/{}", vault_id(vault), utf8_percent_encode(path.as_str(), ENCODED))
}

/// The notes behind `cursor`, which is the path of the last one on the page before.
pub(super) async fn list(workspace: &Arc<Workspace>, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let after = cursor
        .map(|cursor| NotePath::parse(&cursor))
        .transpose()
        .map_err(|_| ErrorData::invalid_params("the cursor is not one of ours", None))?;
    let workspace = workspace.clone();
    let listed = blocking(move || {
        let catalogue = workspace.index.catalogue();
        let mut notes = catalogue.notes().filter(|entry| after.as_ref().is_none_or(|after| entry.path > *after));
        let page: Vec<(NotePath, u64)> = notes.by_ref().take(PAGE).map(|entry| (entry.path.clone(), entry.stat.size)).collect();
        let next = notes.next().and_then(|_| page.last()).map(|(path, _)| path.to_string());
        let resources = page.iter().map(|(path, size)| {
            Resource::new(uri(&workspace.vault, path), path.as_str())
                .with_title(path.basename())
                .with_mime_type(MARKDOWN)
                .with_size(*size)
        });
        (resources.collect::<Vec<_>>(), next)
    })
    .await?;
    #[cfg(feature = "conformance-fixtures")]
    let listed = ([super::fixtures::resources(), listed.0].concat(), listed.1);
    let mut result = ListResourcesResult::with_all_items(listed.0).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
    result.next_cursor = listed.1;
    Ok(result)
}

pub(super) fn templates(workspace: &Workspace) -> ListResourceTemplatesResult {
    let template = ResourceTemplate::new(format!("vault://{}/{{+path}}", vault_id(&workspace.vault)), "note")
        .with_title("A note")
        .with_description("A text file of the vault by its path, such as Projects/Plan.md")
        .with_mime_type(MARKDOWN);
    let templates = vec![template];
    #[cfg(feature = "conformance-fixtures")]
    let templates = [super::fixtures::resource_templates(), templates].concat();
    ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(60_000).with_cache_scope(CacheScope::Private)
}

pub(super) async fn read(workspace: &Arc<Workspace>, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    #[cfg(feature = "conformance-fixtures")]
    if let Some(result) = super::fixtures::read_resource(uri) {
        return Ok(result.into());
    }
    let not_found = |why: String| ErrorData::resource_not_found(why, Some(json!({"uri": uri})));
    let path = path_of(&workspace.vault, uri).ok_or_else(|| not_found(format!("no resource {uri}")))?;
    let workspace = workspace.clone();
    let is_note = path.is_note();
    let text = blocking(move || workspace.vault.read(&path).and_then(quillgate_vault::Contents::into_text)).await?;
    let text = text.map_err(|error| not_found(error.to_string()))?;
    let mut contents = ResourceContents::text(text, uri);
    if let ResourceContents::TextResourceContents { mime_type, .. } = &mut contents
        && is_note
    {
        *mime_type = Some(MARKDOWN.to_owned());
    }
    Ok(ReadResourceResult::new(vec![contents]).with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
}

fn path_of(vault: &Vault, uri: &str) -> Option<NotePath> {
    let encoded = uri.strip_prefix("vault://")?.strip_prefix(&vault_id(vault))?.strip_prefix('/')?;
    NotePath::parse(&percent_decode_str(encoded).decode_utf8().ok()?).ok()
}

/// Paths that begin with, or else contain, what was typed so far.
pub(super) async fn complete(workspace: &Arc<Workspace>, request: &CompleteRequestParams) -> Result<CompleteResult, ErrorData> {
    #[cfg(feature = "conformance-fixtures")]
    if let Some(result) = super::fixtures::complete(request) {
        return Ok(result);
    }
    let wants_path = matches!(&request.r#ref, Reference::Resource(_)) || request.argument.name == "path";
    if !wants_path {
        return Ok(CompleteResult::default());
    }
    let typed = request.argument.value.to_lowercase();
    let workspace = workspace.clone();
    let paths = blocking(move || {
        let catalogue = workspace.index.catalogue();
        let lower = |path: &NotePath| path.as_str().to_lowercase();
        let mut found: Vec<NotePath> =
            catalogue.notes().map(|entry| entry.path.clone()).filter(|path| lower(path).contains(&typed)).collect();
        found.sort_by_key(|path| (!lower(path).starts_with(&typed), path.clone()));
        found
    })
    .await?;
    let shown: Vec<String> = paths.iter().take(CompletionInfo::MAX_VALUES).map(NotePath::to_string).collect();
    let (total, has_more) = (u32::try_from(paths.len()).ok(), paths.len() > shown.len());
    let info = CompletionInfo::with_pagination(shown, total, has_more).map_err(|error| ErrorData::internal_error(error, None))?;
    Ok(CompleteResult::new(info))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ErrorData::internal_error("the server failed; the log has the details", None))
}
