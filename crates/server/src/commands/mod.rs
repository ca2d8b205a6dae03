//! The command line.

mod approve;
mod audit;
mod clients;
mod config;
mod demo;
mod doctor;
mod hash_password;
mod history;
mod index;
mod keys;
mod remembered;
mod serve;
mod stdio;
mod tokens;
mod tools;
mod undo;
mod users;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Parser, Subcommand};
use quillgate_remote::Source;
use quillgate_tools::{SURFACES, Surface, Workspace, articles_surface, find_surface};

use crate::config::{Config, Loaded, Secret};
use crate::environment::flag_or_variable;
use crate::ledger::Ledger;
use crate::mount::ARTICLES;
use crate::pipeline::Pipeline;
use crate::telemetry::{self, Telemetry};
use crate::vaults::{Served, Vaults};
use crate::{data_folder, environment, logging};

/// How long the records of the last calls have to be written when the program ends.
const LAST_RECORDS: Duration = Duration::from_millis(500);

const USUAL_LOG_LEVEL: &str = "info";

/// Give AI agents fast, safe access to a Markdown vault over the Model Context Protocol.
///
/// `quillgate <vault>` speaks MCP on standard input and output, as desktop clients expect. `quillgate serve` does the same over
/// HTTP. Nothing is ever written into the vault but your notes.
#[derive(Parser)]
#[command(name = "quillgate", version, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    /// Folder of the vault to serve on standard input and output
    vault: Option<PathBuf>,
    #[command(flatten)]
    shared: Shared,
}

#[derive(Subcommand)]
enum Command {
    /// Speak MCP on standard input and output
    Stdio(stdio::Stdio),
    /// Serve MCP over HTTP
    Serve(serve::Serve),
    /// Serve a small example vault and show how to connect to it
    Demo(demo::Demo),
    /// Look at the index, make it anew, or compare it with the files
    Index(index::Index),
    /// Show, check and explain the configuration
    Config(config::Configuration),
    /// Turn a password into a hash for AUTH_USERS
    HashPassword,
    /// Show, add and remove people who may log in
    Users(users::Users),
    /// Show and remove clients that registered themselves
    Clients(clients::Clients),
    /// Show and end what users have allowed
    Tokens(tokens::Tokens),
    /// Show, make and end static keys for agents without a browser
    Keys(keys::Keys),
    /// Show what agents ask to be allowed, agree or refuse
    Approve(approve::Approve),
    /// List what was changed, show changes, read notes as they were
    History(history::History),
    /// Take changes back
    Undo(undo::Undo),
    /// List the record of all calls, and check it
    Audit(audit::Audit),
    /// List the tools that clients see
    Tools(tools::Tools),
    /// Find out what is wrong with a running server
    Doctor(doctor::Doctor),
    /// Print the version
    Version,
}

/// What every way of serving takes.
#[derive(Args, Clone, Default)]
struct Shared {
    /// Folder of the vault [environment: VAULT_PATH]
    #[arg(long, value_name = "FOLDER")]
    vault_path: Option<PathBuf>,
    /// Tools to offer: essentials, vault, notes, cli, engine or articles; the first one given is the default
    #[arg(long = "surface", value_name = "NAME")]
    surfaces: Vec<String>,
    /// Folder for catalogue and locks, never inside the vault [environment: QUILLGATE_DATA_DIR] [default: the platform's data
    /// directory]
    #[arg(long, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// Configuration file: JSON, YAML or TOML [environment: QUILLGATE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How much to log on standard error: error, warn, info, debug or trace [environment: LOG_LEVEL] [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
}

/// Runs the program named by the process's arguments.
pub fn run() -> ExitCode {
    let command_line = CommandLine::parse();
    let outcome = match command_line.command {
        None => stdio::Stdio::on_vault(command_line.vault, command_line.shared).run(),
        Some(Command::Stdio(stdio)) => stdio.run(),
        Some(Command::Serve(serve)) => serve.run(),
        Some(Command::Demo(demo)) => demo.run(),
        Some(Command::Index(index)) => index.run(),
        Some(Command::Config(configuration)) => configuration.run(),
        Some(Command::HashPassword) => hash_password::run(),
        Some(Command::Users(users)) => users.run(),
        Some(Command::Clients(clients)) => clients.run(),
        Some(Command::Tokens(tokens)) => tokens.run(),
        Some(Command::Keys(keys)) => keys.run(),
        Some(Command::Approve(approve)) => approve.run(),
        Some(Command::History(history)) => history.run(),
        Some(Command::Undo(undo)) => undo.run(),
        Some(Command::Audit(audit)) => audit.run(),
        Some(Command::Doctor(doctor)) => doctor.run(),
        Some(Command::Tools(tools)) => tools.run(),
        Some(Command::Version) => say(concat!("quillgate ", env!("CARGO_PKG_VERSION"))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("quillgate: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

impl Shared {
    /// The configuration file with the flags and variables on top, ready to be served.
    fn configure(&self) -> anyhow::Result<Config> {
        start(self.load()?)
    }

    fn load(&self) -> anyhow::Result<Loaded> {
        let file = self.config.clone().or_else(|| environment::path(environment::CONFIG));
        let mut loaded = file.as_deref().map(Loaded::read).transpose()?.unwrap_or_default();
        let Loaded { config, origins, .. } = &mut loaded;
        let ids = [environment::DEFAULT_VAULT, environment::OBSIDIAN_TC_DEFAULT_VAULT];
        if let Some((id, by)) = flag_or_variable((&None, ""), &ids, environment::text) {
            config.default_vault = Some(id);
            origins.set("defaultVault", by);
        }
        if let Some((path, by)) =
            flag_or_variable((&self.vault_path, "--vault-path"), &[environment::VAULT_PATH], environment::path)
        {
            config.serve_only(path);
            ["vaultPath", "vaults", "defaultVault"].iter().for_each(|key| origins.set(key, &by));
        }
        if let Some((path, by)) = flag_or_variable((&self.data_dir, "--data-dir"), &[environment::DATA_DIR], environment::path) {
            config.data_dir = Some(path);
            origins.set("dataDir", by);
        }
        if let Some((state, by)) = flag_or_variable((&None, ""), &[environment::STATE], environment::text) {
            config.state = Some(Secret::new(state));
            origins.set("state", by);
        }
        if let Some((level, by)) =
            flag_or_variable((&self.log_level, "--log-level"), &[environment::LOG_LEVEL], environment::text)
        {
            config.log_level = Some(level);
            origins.set("logLevel", by);
        }
        if !self.surfaces.is_empty() {
            config.surfaces.clone_from(&self.surfaces);
            origins.set("surfaces", "flag --surface");
        }
        loaded.check_default_vault()?;
        Ok(loaded)
    }
}

/// Begins to log, first of all what is worth knowing about the configuration.
fn start(loaded: Loaded) -> anyhow::Result<Config> {
    let level = loaded.config.log_level.as_deref().unwrap_or(USUAL_LOG_LEVEL);
    logging::start(level, loaded.config.observability.logs.format)?;
    for note in &loaded.notes {
        tracing::info!(key = note.key, "{}", note.message);
    }
    Ok(loaded.config)
}

/// The surfaces to mount, the default one first.
fn surfaces(config: &Config) -> anyhow::Result<Vec<&'static Surface>> {
    surfaces_named(config, &config.surfaces, &[])
}

fn surfaces_of_sites(config: &Config) -> anyhow::Result<Vec<Vec<&'static Surface>>> {
    config.sites.iter().map(|site| surfaces_named(config, &site.surfaces, &site.sources)).collect()
}

fn surfaces_named(config: &Config, names: &[String], sources: &[String]) -> anyhow::Result<Vec<&'static Surface>> {
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Ok(vec![&SURFACES[0]]);
    }
    if let Some(twice) = names.iter().enumerate().find_map(|(at, name)| names[..at].contains(name).then_some(name)) {
        bail!("the surface {twice:?} is given twice; name each once");
    }
    let known = || SURFACES.iter().map(|surface| surface.name).chain([ARTICLES]).collect::<Vec<_>>().join(", ");
    let find = |name: &&str| match *name {
        ARTICLES => articles(config, sources),
        name => find_surface(name).with_context(|| format!("no surface named {name:?}; there are {}", known())),
    };
    names.iter().map(find).collect()
}

/// The surface of the sources of these names, or of all.
fn articles(config: &Config, names: &[String]) -> anyhow::Result<&'static Surface> {
    if let Some(unknown) = names.iter().find(|name| !config.sources.iter().any(|source| source.name == **name)) {
        bail!("no source named {unknown:?}; describe it in sources");
    }
    let chosen = config.sources.iter().filter(|source| names.is_empty() || names.contains(&source.name));
    let sources: Vec<Source> = chosen.map(|source| source.source()).collect::<anyhow::Result<_>>()?;
    if sources.is_empty() {
        bail!("the surface articles has no sources; describe one in sources, such as {{\"name\": \"vk\"}}");
    }
    Ok(articles_surface(sources)?)
}

/// Opens the vaults, starts reading them in the background, and puts everything before them that a call goes through.
pub(crate) fn open_pipeline(config: Config) -> anyhow::Result<Arc<Pipeline>> {
    allow_many_open_files();
    let vaults = Vaults::open(&config)?;
    let telemetry = Arc::new(Telemetry::new(telemetry::Settings::of(&config)?)?);
    let config = Arc::new(config);
    let ledger = Ledger::new(config.clone());
    Ok(Arc::new(Pipeline::new(vaults, config, ledger, telemetry)))
}

/// The default vault as its owner sees it, for commands that look at one.
fn open_workspace(config: &Config) -> anyhow::Result<Arc<Workspace>> {
    allow_many_open_files();
    let served = open_default_vault(config)?;
    Ok(served.view(|_| true).workspace)
}

fn open_default_vault(config: &Config) -> anyhow::Result<Arc<Served>> {
    match config.default_vault() {
        Some(entry) => Ok(Arc::new(Served::open(config, &data_folder::path(config.data_dir.as_deref())?, entry)?)),
        None => bail!("no vault is given; name its folder, as in: quillgate ~/Notes"),
    }
}

/// Moving a note that many others link to keeps a file open for each of them.
#[cfg(unix)]
fn allow_many_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays as it is");
    }
}

#[cfg(not(unix))]
fn allow_many_open_files() {}

/// Calls that were told to stop may still have a program of theirs to end; one that does not listen is left behind.
async fn wait_for_calls(pipeline: &Pipeline) {
    let _ = tokio::time::timeout(Duration::from_millis(250), pipeline.idle()).await;
}

/// The command line's own output. A reader that has seen enough, such as `head`, is no error.
fn say(text: &str) -> anyhow::Result<()> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

#[expect(clippy::print_stderr, reason = "the last words of a command that failed")]
fn complain(text: &str) {
    eprintln!("{text}");
}
