//! Reading a configuration file: one road for JSON, YAML and TOML, on which every value keeps its place in the text.
//!
//! text → value and places → our spelling → schema → structs → meaning. Problems of one step are all reported before the next.

mod check;
mod json_places;
mod meaning;
mod origins;
mod places;
mod problem;
mod spellings;

use std::path::Path;

use anyhow::Context as _;
use serde_json::{Map, Value};

pub(crate) use origins::Origins;
pub(crate) use problem::{Broken, Problem};
pub(crate) use spellings::SPELLINGS;

use super::Config;
use places::{Lines, Places};
use problem::Place;

/// A configuration, and where everything in it comes from.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) config: Config,
    pub(crate) origins: Origins,
    /// What is no problem, but worth knowing.
    pub(crate) notes: Vec<Problem>,
}

#[derive(Clone, Copy)]
enum Format {
    Json,
    Toml,
    Yaml,
}

impl Loaded {
    pub(crate) fn read(path: &Path) -> anyhow::Result<Loaded> {
        #[expect(clippy::disallowed_methods, reason = "the operator's own file, named on the command line")]
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the configuration {}", path.display()))?;
        let name = path.display().to_string();
        let (mut config, places, notes) = parse(&text, Format::of(path)).map_err(|problems| Broken::new(&name, problems))?;
        config.resolve_paths(&meaning::folder_of(path));
        config.file = Some(path.to_owned());
        Ok(Loaded { config, origins: Origins::of_file(name, places), notes })
    }

    /// Why the default vault cannot be the one that is named, now that flags and environment are known.
    pub(crate) fn check_default_vault(&self) -> anyhow::Result<()> {
        match meaning::unknown_default(&self.config) {
            Some(message) => anyhow::bail!("{} ({})", message, self.origins.of("defaultVault")),
            None => Ok(()),
        }
    }
}

impl Format {
    fn of(path: &Path) -> Format {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("toml") => Format::Toml,
            Some("json") => Format::Json,
            _ => Format::Yaml,
        }
    }
}

type Parsed = (Config, Places, Vec<Problem>);

fn parse(text: &str, format: Format) -> Result<Parsed, Vec<Problem>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut value, mut places) = read(text, format).map_err(|problem| vec![problem])?;
    if value.is_null() {
        value = Value::Object(Map::new());
    }
    let mut problems = std::mem::take(&mut places.twice);
    problems.extend(spellings::settle(&mut value, &mut places));
    let mut findings = check::check(&mut value, &places);
    problems.append(&mut findings.problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let config: Config = serde_path_to_error::deserialize(value).map_err(|error| {
        let key = error.path().to_string().trim_matches('.').to_owned();
        vec![Problem { place: places.around(&key), ..Problem::new(key, error.into_inner().to_string()) }]
    })?;
    let mut meant = meaning::check(&config);
    let place = |problem: &mut Problem| problem.place = places.around(&problem.key);
    meant.problems.iter_mut().chain(&mut meant.notes).for_each(place);
    if !meant.problems.is_empty() {
        return Err(meant.problems);
    }
    let mut notes = findings.notes;
    notes.append(&mut meant.notes);
    notes.sort_by_key(|note| note.place);
    Ok((config, places, notes))
}

/// Messages of the parsers quote nothing but what is no value: a text that is broken may be a secret.
fn read(text: &str, format: Format) -> Result<(Value, Places), Problem> {
    match format {
        Format::Json => match serde_json::from_str(text) {
            Ok(value) => Ok((value, Places::of_json(text))),
            Err(error) => Err(unreadable("JSON", &error.to_string(), Some((error.line(), error.column())))),
        },
        Format::Yaml => match serde_norway::from_str(text) {
            Ok(value) => Ok((value, Places::of_yaml(text))),
            Err(error) => {
                let place = error.location().map(|location| (location.line(), location.column()));
                Err(unreadable("YAML", &error.to_string(), place))
            }
        },
        Format::Toml => match toml::from_str(text) {
            Ok(value) => Ok((value, Places::of_toml(text))),
            Err(error) => {
                let place = error.span().map(|span| Lines::of(text).place(span.start));
                Err(unreadable("TOML", error.message(), place.map(|place| (place.line, place.column))))
            }
        },
    }
}

fn unreadable(language: &str, message: &str, place: Option<(usize, usize)>) -> Problem {
    let message = message.split_once(" at line ").map_or(message, |(message, _)| message);
    let place = place.map(|(line, column)| Place { line: line.max(1), column: column.max(1) });
    Problem { place, ..Problem::new("", format!("this is not {language}: {}", message.trim_end())) }
}
