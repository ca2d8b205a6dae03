//! A workspace on a vault of its own, and calls as a server makes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quillgate_index::{Index, IndexSettings};
use quillgate_tools::{Answer, Call, Context, Failure, ProtocolError, Settings, Workspace, check_arguments, find_surface};
use quillgate_vault::{Limits, Vault};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) workspace: Workspace,
}

/// A failure as a client sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Place {
        Place::with_settings(files, Settings::default())
    }

    pub(crate) fn with_settings(files: &[(&str, &str)], settings: Settings) -> Place {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("vault");
        put(&root.join(".obsidian/app.json"), r#"{"trashOption":"local"}"#);
        files.iter().for_each(|(path, text)| put(&root.join(path), text));
        let vault = Arc::new(Vault::open(&root, None, Limits { file_bytes: 1 << 20 }).unwrap());
        let index = Index::start(vault.clone(), None, &IndexSettings::default());
        index.wait(|_| true);
        index.wait_for_text(|_| true);
        // Never the app of the machine the tests run on.
        let app_program = if settings.app_program == "obsidian" { "no-such-app".to_owned() } else { settings.app_program };
        Place { folder, workspace: Workspace::new(vault, index, Settings { app_program, ..settings }) }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn on_disk(&self, path: &str) -> PathBuf {
        self.folder.path().join("vault").join(path)
    }

    pub(crate) fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        put(&self.on_disk(path), bytes);
        self.workspace.index.check_everything();
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.on_disk(path)).unwrap()
    }

    pub(crate) fn call(&self, surface: &str, tool: &str, arguments: Value) -> Answer {
        let surface = find_surface(surface).unwrap();
        let outcome = match surface.find(tool) {
            None => Err(Failure::UnknownTool(tool.to_owned())),
            Some(tool) => {
                let issues = check_arguments(&(tool.input_schema)(), arguments.as_object().unwrap());
                let context = Context { workspace: &self.workspace, call: &Call::default() };
                if issues.is_empty() { tool.run(arguments, &context) } else { Err(Failure::InvalidInput(issues)) }
            }
        };
        surface.answer(outcome)
    }

    /// The result of a call that succeeds; on the `cli` surface what is inside `data`.
    #[track_caller]
    pub(crate) fn done(&self, surface: &str, tool: &str, arguments: Value) -> Value {
        match self.call(surface, tool, arguments) {
            Answer::Result { text, structured, is_error: false } => {
                let told: Value = serde_json::from_str(&text).unwrap();
                match structured {
                    Some(structured) => {
                        assert_eq!(told, structured, "text and structure say the same");
                        structured
                    }
                    None => {
                        assert_eq!(told["success"], true);
                        told["data"].clone()
                    }
                }
            }
            other => panic!("{tool} failed: {other:?}"),
        }
    }

    /// The same on the `engine` surface, without what it says of an index that is still being made.
    #[track_caller]
    pub(crate) fn answer(&self, tool: &str, arguments: Value) -> Value {
        let mut answer = self.done("engine", tool, arguments);
        if tool != "server_health" {
            answer.as_object_mut().unwrap().remove("index");
        }
        answer
    }

    #[track_caller]
    pub(crate) fn refused(&self, surface: &str, tool: &str, arguments: Value) -> Refusal {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match self.call(surface, tool, arguments) {
            Answer::Result { structured: Some(body), is_error: true, .. } => {
                let body = body.get("error").unwrap_or(&body).clone();
                Refusal { code: text(&body["code"]), message: text(&body["message"]) }
            }
            Answer::Protocol(ProtocolError { code, message, data }) => {
                let name = data.map(|data| text(&data["errorCode"])).unwrap_or_default();
                Refusal { code: format!("{code} {name}").trim().to_owned(), message }
            }
            other => panic!("{tool} did not fail: {other:?}"),
        }
    }
}

fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
