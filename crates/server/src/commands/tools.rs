//! Listing the tools.

use anyhow::Context;
use clap::Args;
use quillgate_tools::{SURFACES, Surface, find_surface};
use serde_json::{Value, json};

use super::say;

#[derive(Args)]
pub(super) struct Tools {
    /// Only this surface: essentials, vault, notes, cli or engine
    #[arg(long, value_name = "NAME")]
    surface: Option<String>,
    /// Names, descriptions and schemas as JSON
    #[arg(long)]
    json: bool,
}

impl Tools {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let surfaces: Vec<&Surface> = match &self.surface {
            Some(name) => vec![find_surface(name).with_context(|| format!("no surface named {name:?}"))?],
            None => SURFACES.iter().collect(),
        };
        if self.json {
            let listed: Vec<Value> = surfaces.into_iter().map(as_json).collect();
            return say(&serde_json::to_string_pretty(&listed)?);
        }
        let listed: Vec<String> = surfaces.into_iter().map(as_text).collect();
        say(listed.join("\n").trim_end())
    }
}

fn as_text(surface: &Surface) -> String {
    let mut text = format!("{}: {}\n", surface.name, surface.about);
    for tool in surface.tools() {
        let description = (tool.description)();
        let first = description.split_inclusive(". ").next().unwrap_or(&description).trim_end();
        text.push_str(&format!("  {:32} {first}\n", tool.spec.name));
    }
    text
}

fn as_json(surface: &Surface) -> Value {
    let tools = surface.tools().map(|tool| {
        json!({
            "name": tool.spec.name,
            "title": tool.spec.title,
            "description": (tool.description)(),
            "scopes": tool.spec.scopes,
            "inputSchema": surface.input_schema(tool),
            "outputSchema": surface.output_schema(tool),
        })
    });
    json!({"surface": surface.name, "tools": tools.collect::<Vec<_>>()})
}
