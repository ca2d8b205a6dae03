//! Printing the configuration that counts.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::effective::{effective, leaves};
use crate::commands::say;
use crate::commands::serve::Serve;

#[derive(Args)]
pub(super) struct Show {
    /// How to print it
    #[arg(long, value_name = "FORMAT", default_value = "json")]
    format: Format,
    /// Print every key with its value and where that comes from: a line of the file, the environment, a flag, or the default
    #[arg(long)]
    origins: bool,
    #[command(flatten)]
    serve: Serve,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Yaml,
}

impl Show {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let loaded = self.serve.load()?;
        let mut shown = effective(&loaded);
        if self.origins {
            let with_origin = |(key, value): (String, &Value)| {
                let origin = loaded.origins.of(&key);
                (key, json!({"value": value, "origin": origin}))
            };
            shown = Value::Object(leaves(&shown).into_iter().map(with_origin).collect::<Map<_, _>>());
        }
        match self.format {
            Format::Json => say(&serde_json::to_string_pretty(&shown)?),
            Format::Yaml => say(serde_norway::to_string(&shown)?.trim_end()),
        }
    }
}
