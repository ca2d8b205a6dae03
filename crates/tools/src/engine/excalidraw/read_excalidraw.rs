//! Reading a drawing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::drawing_file::{Scene, drawing_path, is_shown, raw_text};
use crate::context::Context;
use crate::failure::Failure;
use crate::json_text::json_value;
use crate::tool::{Spec, Tool};

/// Read an Excalidraw drawing, also a compressed one: its elements, its texts as they were written, the files it shows and its settings. format=text is enough to know what it says.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadExcalidraw {
    /// Drawing, relative to the vault: a note (.excalidraw.md, .md) or a plain file (.excalidraw)
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// What to return
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Both,
    Elements,
    Text,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    /// Without those that were deleted
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<Vec<Value>>,
    /// The texts of the drawing, a blank line between them
    #[serde(skip_serializing_if = "Option::is_none")]
    text_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded_files: Option<Vec<EmbeddedFile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_state: Option<Map<String, Value>>,
    source: &'static str,
    content_hash: String,
}

#[derive(Serialize, JsonSchema)]
struct EmbeddedFile {
    /// What elements of type image name as fileId
    file_id: String,
    /// A link, an address or a formula; absent if the drawing holds the picture itself
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

impl Tool for ReadExcalidraw {
    const SPEC: Spec = Spec::reading("read_excalidraw", "Read a drawing").scopes(&["read:excalidraw"]);
    type Output = Outcome;

    fn run(self, context: &Context<'_>) -> Result<Outcome, Failure> {
        let path = drawing_path(&self.path)?;
        let contents = context.vault().read(&path)?;
        let content_hash = contents.hash().to_string();
        let scene = Scene::read(&path, contents.text()?)?;
        let elements = scene.elements().iter().map(|element| json_value(&scene.json, element));
        let elements: Vec<Value> = elements.filter(|element| element.as_object().is_some_and(is_shown)).collect();
        let text_content = (self.format != Format::Elements).then(|| text_content(&scene, &elements));
        let is_whole = self.format != Format::Text;
        let app_state = scene.root.get("appState").map(|state| json_value(&scene.json, state));
        Ok(Outcome {
            path: path.to_string(),
            text_content,
            embedded_files: is_whole.then(|| embedded_files(&scene)),
            app_state: app_state.filter(|_| is_whole).and_then(|state| state.as_object().cloned()),
            elements: is_whole.then_some(elements),
            source: "native",
            content_hash,
        })
    }
}

/// What the note says of a text counts before what the scene says: links in it follow renamed files.
fn text_content(scene: &Scene, elements: &[Value]) -> String {
    let written = |id: &str| scene.note.as_ref()?.texts.iter().find(|entry| entry.id == id).map(|entry| entry.text.as_str());
    let texts = elements.iter().filter_map(Value::as_object).filter_map(|element| {
        let raw = raw_text(element);
        let is_text = element.get("type").and_then(Value::as_str) == Some("text");
        element.get("id").and_then(Value::as_str).filter(|_| is_text).and_then(written).or(raw)
    });
    texts.collect::<Vec<_>>().join("\n\n")
}

fn embedded_files(scene: &Scene) -> Vec<EmbeddedFile> {
    let named = scene.note.iter().flat_map(|note| &note.files);
    let mut files: Vec<EmbeddedFile> =
        named.map(|file| EmbeddedFile { file_id: file.id.clone(), target: Some(file.text.clone()) }).collect();
    for id in scene.file_ids() {
        if !files.iter().any(|file| file.file_id == id) {
            files.push(EmbeddedFile { file_id: id.to_owned(), target: None });
        }
    }
    files
}
