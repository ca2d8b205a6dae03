//! Notes as resources: `vault://<vault>/<path>`.

use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use quillgate_index::Entry;
use quillgate_tools::Workspace;
use quillgate_vault::NotePath;
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

pub(super) fn uri(vault: &str, path: &NotePath) -> String {
    format!("vault://{vault}/{}", utf8_percent_encode(path.as_str(), ENCODED))
}

/// The notes behind `cursor`, which is the URI of the last one on the page before; vault by vault.
pub(super) async fn list(workspaces: Vec<Arc<Workspace>>, cursor: Option<String>) -> Result<ListResourcesResult, ErrorData> {
    let not_ours = || ErrorData::invalid_params("the cursor is not one of ours", None);
    let after = cursor.map(|cursor| find(&workspaces, &cursor).ok_or_else(not_ours)).transpose()?;
    let after = after.map(|(workspace, path)| (workspace.id.clone(), path));
    let listed = blocking(move || {
        let started = after.as_ref().and_then(|(id, _)| workspaces.iter().position(|workspace| workspace.id == *id));
        let mut page = Vec::new();
        for (number, workspace) in workspaces.iter().enumerate().skip(started.unwrap_or(0)) {
            let after = after.as_ref().filter(|_| Some(number) == started).map(|(_, path)| path);
            let catalogue = workspace.index.catalogue();
            let notes = catalogue.notes().filter(|entry| after.is_none_or(|after| entry.path > *after));
            page.extend(notes.take(PAGE + 1 - page.len()).map(|entry| resource(&workspace.id, entry)));
        }
        let has_more = page.len() > PAGE;
        page.truncate(PAGE);
        let next = page.last().filter(|_| has_more).map(|last| last.uri.clone());
        (page, next)
    })
    .await?;
    #[cfg(feature = "conformance-fixtures")]
    let listed = ([super::fixtures::resources(), listed.0].concat(), listed.1);
    let mut result = ListResourcesResult::with_all_items(listed.0).with_ttl_ms(0).with_cache_scope(CacheScope::Private);
    result.next_cursor = listed.1;
    Ok(result)
}

fn resource(vault: &str, entry: &Entry) -> Resource {
    Resource::new(uri(vault, &entry.path), entry.path.as_str())
        .with_title(entry.path.basename())
        .with_mime_type(MARKDOWN)
        .with_size(entry.stat.size)
}

pub(super) fn templates(workspaces: &[Arc<Workspace>]) -> ListResourceTemplatesResult {
    let template = |workspace: &Arc<Workspace>| {
        ResourceTemplate::new(format!("vault://{}/{{+path}}", workspace.id), format!("note of {}", workspace.id))
            .with_title(format!("A note of {}", workspace.name))
            .with_description("A text file of the vault by its path, such as Projects/Plan.md")
            .with_mime_type(MARKDOWN)
    };
    let templates: Vec<ResourceTemplate> = workspaces.iter().map(template).collect();
    #[cfg(feature = "conformance-fixtures")]
    let templates = [super::fixtures::resource_templates(), templates].concat();
    ListResourceTemplatesResult::with_all_items(templates).with_ttl_ms(60_000).with_cache_scope(CacheScope::Private)
}

pub(super) async fn read(workspaces: &[Arc<Workspace>], uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    #[cfg(feature = "conformance-fixtures")]
    if let Some(result) = super::fixtures::read_resource(uri) {
        return Ok(result.into());
    }
    let not_found = |why: String| ErrorData::resource_not_found(why, Some(json!({"uri": uri})));
    let (workspace, path) = find(workspaces, uri).ok_or_else(|| not_found(format!("no resource {uri}")))?;
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

/// The vault and the file that a URI names.
pub(super) fn find<'w>(workspaces: &'w [Arc<Workspace>], uri: &str) -> Option<(&'w Arc<Workspace>, NotePath)> {
    let (vault, path) = parse(uri)?;
    let workspace = workspaces.iter().find(|workspace| workspace.id == vault)?;
    Some((workspace, path))
}

/// A URI as we write it, whatever of it the client has encoded.
pub(super) fn canonical(given: &str) -> Option<String> {
    let (vault, path) = parse(given)?;
    Some(uri(vault, &path))
}

fn parse(uri: &str) -> Option<(&str, NotePath)> {
    let (vault, encoded) = uri.strip_prefix("vault://")?.split_once('/')?;
    let path = NotePath::parse(&percent_decode_str(encoded).decode_utf8().ok()?).ok()?;
    Some((vault, path))
}

/// Paths that begin with, or else contain, what was typed so far.
pub(super) async fn complete(
    workspaces: &[Arc<Workspace>],
    request: &CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    #[cfg(feature = "conformance-fixtures")]
    if let Some(result) = super::fixtures::complete(request) {
        return Ok(result);
    }
    let wants_path = matches!(&request.r#ref, Reference::Resource(_)) || request.argument.name == "path";
    if !wants_path {
        return Ok(CompleteResult::default());
    }
    let typed = request.argument.value.to_lowercase();
    let Some(workspace) = completed_in(workspaces, &request.r#ref).cloned() else { return Ok(CompleteResult::default()) };
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

/// The vault whose template is being filled, or the default one.
fn completed_in<'w>(workspaces: &'w [Arc<Workspace>], reference: &Reference) -> Option<&'w Arc<Workspace>> {
    let vault = match reference {
        Reference::Resource(template) => template.uri.strip_prefix("vault://")?.split('/').next(),
        _ => None,
    };
    workspaces.iter().find(|workspace| vault.is_none_or(|vault| vault == workspace.id))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ErrorData> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| ErrorData::internal_error("the server failed; the log has the details", None))
}
