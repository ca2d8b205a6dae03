//! A vault and a data folder for one test, and the program on them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take on a busy machine before it counts as stuck.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A sync that leaves its process id beside the vault and never ends.
pub(crate) const ENDLESS: &str = "echo $$ > ../pid; echo started; exec sleep 300";

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("vault")).expect("a vault");
        Place(folder)
    }

    pub(crate) fn with(files: &[(&str, &str)]) -> Place {
        let place = Place::new();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn vault(&self) -> PathBuf {
        self.path("vault")
    }

    /// Changes the vault behind the program's back.
    pub(crate) fn write(&self, note: &str, text: &str) {
        let path = self.vault().join(note);
        fs::create_dir_all(path.parent().expect("inside the vault")).expect("a folder");
        fs::write(path, text).expect("a note");
    }

    pub(crate) fn read(&self, note: &str) -> String {
        fs::read_to_string(self.vault().join(note)).expect("a note")
    }

    /// The program without the environment's own settings; its data folder is this place's.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_quillgate"));
        for name in [
            "VAULT_PATH",
            "LISTEN_ADDR",
            "PORT",
            "SERVER_URL",
            "AUTH_USERS",
            "LOG_LEVEL",
            "QUILLGATE_CONFIG",
            "QUILLGATE_STATE",
            "QUILLGATE_DEFAULT_VAULT",
            "OBSIDIAN_TC_DEFAULT_VAULT",
        ] {
            command.env_remove(name);
        }
        command.env("QUILLGATE_DATA_DIR", self.path("data")).current_dir(self.0.path()).args(arguments);
        command
    }

    /// The process of `ENDLESS`.
    pub(crate) fn program_started(&self) -> Pid {
        let id = fs::read_to_string(self.path("pid")).expect("the program has started");
        Pid::from_raw(id.trim().parse().expect("a number")).expect("a process")
    }

    pub(crate) fn config(&self, config: &Value) -> String {
        self.file("config.json", &config.to_string())
    }

    /// A file beside the vault; returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).expect("a file");
        path.to_str().expect("a path in UTF-8").to_owned()
    }
}

/// Looks again and again until there is something to see.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn wait_for_exit(child: &mut Child) -> ExitStatus {
    eventually("the process ends", || child.try_wait().expect("a process of ours"))
}

/// Runs the program to its end; status, standard output and standard error.
pub(crate) fn finish(mut command: Command) -> (i32, String, String) {
    let output = command.output().expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// Files below `folder` whose name begins with `prefix`.
pub(crate) fn files_named(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            found.push(entry.path());
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(files_named(&entry.path(), prefix));
        }
    }
    found
}
