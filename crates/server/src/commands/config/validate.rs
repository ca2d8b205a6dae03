//! Finding everything that is wrong with a configuration before a server does.

use std::path::Path;

use anyhow::bail;
use clap::Args;
use quillgate_tools::Surface;

use crate::commands::serve::{Serve, check_reach};
use crate::commands::{say, surfaces};
use crate::config::{Broken, Config, Loaded, Problem};
use crate::{data_folder, sites};

#[derive(Args)]
pub(super) struct Validate {
    #[command(flatten)]
    serve: Serve,
}

impl Validate {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let loaded = match self.serve.load() {
            Ok(loaded) => loaded,
            Err(error) => return explain_failure(error),
        };
        let file = loaded.origins.file();
        let line = |problem: &Problem| match file {
            Some(file) => problem.in_file(file),
            None => problem.to_string(),
        };
        for note in &loaded.notes {
            say(&format!("note: {}", line(note)))?;
        }
        let problems = surrounding_problems(&loaded);
        problems.iter().try_for_each(|problem| say(&line(problem)))?;
        if !problems.is_empty() {
            bail!("{}", count(problems.len()));
        }
        match file {
            Some(file) => say(&format!("{file} is valid")),
            None => say("there is no configuration file, and nothing is wrong with flags and environment"),
        }
    }
}

fn explain_failure(error: anyhow::Error) -> anyhow::Result<()> {
    let Some(broken) = error.downcast_ref::<Broken>() else { return Err(error) };
    broken.lines().try_for_each(|line| say(&line))?;
    bail!("{}", count(broken.problems.len()))
}

fn count(problems: usize) -> String {
    if problems == 1 { "1 problem".to_owned() } else { format!("{problems} problems") }
}

/// What only this machine, with these flags, can tell.
fn surrounding_problems(loaded: &Loaded) -> Vec<Problem> {
    let config = &loaded.config;
    let mut problems = Vec::new();
    folders(config, &mut problems);
    let sites = config.sites.iter().enumerate().map(|(number, site)| (format!("sites[{number}].auth"), &site.auth));
    for (at, auth) in sites.chain([("auth".to_owned(), &config.auth)]) {
        problems.extend(sites::problems(auth, &at).into_iter().map(|(key, message)| Problem::new(key, message)));
    }
    if let Some(state) = &config.state
        && let Err(wrong) = quillgate_state::Location::parse(state.expose())
    {
        problems.push(Problem::new("state", wrong.to_string()));
    }
    match surfaces(config) {
        Ok(surfaces) => {
            let wrong = check_reach(config, surfaces[0]).err();
            problems.extend(wrong.map(|wrong| Problem::new(reach_key(loaded, surfaces[0]), format!("{wrong:#}"))));
        }
        Err(wrong) => problems.push(Problem::new("surfaces", format!("{wrong:#}"))),
    }
    for problem in &mut problems {
        problem.place = loaded.origins.place(&problem.key);
    }
    problems.sort_by_key(|problem| problem.place);
    problems
}

/// Which key makes the server reachable for those who should not reach it.
fn reach_key(loaded: &Loaded, first: &Surface) -> &'static str {
    let without_url = Config { server_url: None, ..loaded.config.clone() };
    if check_reach(&without_url, first).is_ok() {
        return "serverUrl";
    }
    let keys = ["listenAddr", "transports.http.host", "transports.http.port"];
    keys.into_iter().find(|key| loaded.origins.place(key).is_some()).unwrap_or("listenAddr")
}

fn folders(config: &Config, problems: &mut Vec<Problem>) {
    let data = match data_folder::path(config.data_dir.as_deref()) {
        Ok(data) => data,
        Err(wrong) => return problems.push(Problem::new("dataDir", wrong.to_string())),
    };
    for (number, vault) in config.vaults().iter().enumerate() {
        let key = if config.vault_path.is_some() { "vaultPath".to_owned() } else { format!("vaults[{number}].path") };
        match data_folder::check_vault(&vault.path) {
            Err(wrong) => problems.push(Problem::new(key, wrong.to_string())),
            Ok(root) => {
                let mut ours: Vec<(&str, &Path)> = vec![("dataDir", &data)];
                let events = config.observability.cloud_events.folder.as_deref();
                ours.extend(events.map(|events| ("observability.cloudEvents.folder", events)));
                for (key, folder) in ours.into_iter().filter(|(_, folder)| data_folder::lies_in(folder, &root)) {
                    let message = format!("{} lies inside the vault {}; give another folder", folder.display(), vault.id);
                    problems.push(Problem::new(key, message));
                }
            }
        }
    }
}
