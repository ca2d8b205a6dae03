//! A workspace on a vault of its own, and calls as a server makes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use quillgate_index::{Index, IndexSettings};
use quillgate_tools::{
    Answer, Call, Consent, ELICIT_TOKEN, Failure, Grant, IDEMPOTENCY_KEY, ProtocolError, Registered, Settings, Surface, VAULT,
    Workspace, check_arguments, find_surface, whole_numbers,
};
use quillgate_vault::{Access, HistorySettings, Limits, Vault};
use serde_json::Value;
use tempfile::TempDir;

use crate::around::Around;

pub(crate) struct Place {
    folder: TempDir,
    pub(crate) workspace: Arc<Workspace>,
}

/// A failure as a client sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) details: Value,
}

impl Place {
    pub(crate) fn new(files: &[(&str, &str)]) -> Place {
        Place::with_settings(files, Settings::default())
    }

    pub(crate) fn with_settings(files: &[(&str, &str)], settings: Settings) -> Place {
        let files: Vec<(String, String)> = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Place::with_access(&files, settings, &Access::unrestricted())
    }

    /// Through a handle that may do no more than this.
    pub(crate) fn with_access(files: &[(String, String)], settings: Settings, access: &Access) -> Place {
        let folder = TempDir::new().unwrap();
        let root = folder.path().join("vault");
        put(&root.join(".obsidian/app.json"), r#"{"trashOption":"local"}"#);
        files.iter().for_each(|(path, text)| put(&root.join(path), text));
        let history = folder.path().join("history");
        fs::create_dir_all(&history).unwrap();
        let history = Dir::open_ambient_dir(&history, ambient_authority()).unwrap();
        let vault = Vault::open(&root, None, Limits { file_bytes: 1 << 20 }).unwrap();
        let vault = vault.with_history(history, HistorySettings::default()).with_access(Arc::new(access.clone()));
        let vault = Arc::new(vault);
        let index = Index::start(vault.clone(), None, &IndexSettings::default());
        index.wait(|_| true);
        index.wait_for_text(|_| true);
        // Never the app of the machine the tests run on.
        let app_program = if settings.app_program == "obsidian" { "no-such-app".to_owned() } else { settings.app_program };
        let workspace = Workspace::new(vault, index, Settings { app_program, ..settings });
        Place { folder, workspace: Arc::new(workspace) }
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

    /// A call to whose change a human has agreed beforehand.
    pub(crate) fn call(&self, surface: &str, tool: &str, arguments: Value) -> Answer {
        self.call_with(Consent::Standing, surface, tool, arguments)
    }

    pub(crate) fn call_with(&self, consent: Consent, surface: &str, tool: &str, arguments: Value) -> Answer {
        let surface = find_surface(surface).unwrap();
        let outcome = match surface.find(tool) {
            None => Err(Failure::UnknownTool(tool.to_owned())),
            Some(tool) => self.run(surface, tool, arguments, &Call::default().with_consent(consent)),
        };
        match outcome {
            Ok(value) => surface.success(value.clone(), value.to_string()),
            Err(failure) => surface.failed(&failure),
        }
    }

    /// Runs a tool as the pipeline does, without its rules.
    pub(crate) fn run(
        &self,
        surface: &Surface,
        tool: &'static Registered,
        arguments: Value,
        call: &Call,
    ) -> Result<Value, Failure> {
        let issues = check_arguments(&surface.input_schema(tool), arguments.as_object().unwrap());
        if !issues.is_empty() {
            return Err(Failure::InvalidInput(issues));
        }
        let mut arguments = whole_numbers(arguments);
        let fields = arguments.as_object_mut().unwrap();
        fields.retain(|name, value| !value.is_null() && ![IDEMPOTENCY_KEY, ELICIT_TOKEN].contains(&name.as_str()));
        if tool.needs_vault() {
            fields.remove(VAULT);
        }
        let grant = Grant::authorise(tool, |_| true, || Ok(Some(self.workspace.clone())))?;
        grant.run(&arguments, call, &Around::new(&self.workspace, self.folder.path()))
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

    /// What a human would be asked about a call of the engine to which nobody has agreed yet; nothing if it is done without.
    #[track_caller]
    pub(crate) fn asked(&self, tool: &str, arguments: Value) -> Option<Value> {
        match self.call_with(Consent::AskIfNeeded, "engine", tool, arguments) {
            Answer::Result { is_error: false, .. } => None,
            Answer::Result { structured: Some(body), .. } if body["code"] == "elicit_required" => {
                Some(body["details"]["proposed_change"].clone())
            }
            other => panic!("{tool} failed: {other:?}"),
        }
    }

    /// Refusals of the engine by their codes alone.
    #[track_caller]
    pub(crate) fn code(&self, tool: &str, arguments: Value) -> String {
        self.refused("engine", tool, arguments).code
    }

    #[track_caller]
    pub(crate) fn refused(&self, surface: &str, tool: &str, arguments: Value) -> Refusal {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match self.call(surface, tool, arguments) {
            Answer::Result { structured: Some(body), is_error: true, .. } => {
                let body = body.get("error").unwrap_or(&body).clone();
                Refusal { code: text(&body["code"]), message: text(&body["message"]), details: body["details"].clone() }
            }
            Answer::Protocol(ProtocolError { code, message, data }) => {
                let name = data.map(|data| text(&data["errorCode"])).unwrap_or_default();
                Refusal { code: format!("{code} {name}").trim().to_owned(), message, details: Value::Null }
            }
            other => panic!("{tool} did not fail: {other:?}"),
        }
    }
}

fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}
