//! All tasks of a vault, from its index.

use jiff::civil::Date;
use quillgate_index::{FromCard, PerNote};
use quillgate_query::tasks::{
    DataviewTasks, EmojiTasks, NoteTasks, PLUGIN, Query, QueryContext, Settings, TaskAnswer, TaskFormat, run,
};
use quillgate_query::{Budget, Fault};
use quillgate_vault::VaultError;

use crate::context::Context;
use crate::failure::{Failure, Issue};

/// The settings of the plugin, or its defaults where it has none.
pub(in crate::engine) fn settings(context: &Context<'_>) -> Result<Settings, Failure> {
    match context.vault().plugin_data(PLUGIN)? {
        None => Ok(Settings::default()),
        Some(data) => Settings::from_json(&data).map_err(|error| {
            let file = format!(".obsidian/plugins/{PLUGIN}/data.json");
            Failure::Vault(VaultError::Settings { file, reason: error.to_string() })
        }),
    }
}

/// Reads a query; `field` is the argument it came in.
pub(super) fn read_query(text: &str, settings: &Settings, today: Date, field: &str) -> Result<Query, Failure> {
    let context = QueryContext { settings, today, file: None };
    Query::read_whole(text, &context).map_err(|error| Failure::InvalidInput(vec![Issue::new(field, error.to_string())]))
}

/// Answers a query over all tasks that the caller may read.
pub(in crate::engine) fn answer<R>(
    context: &Context<'_>,
    settings: &Settings,
    query: &Query,
    today: Date,
    look: impl FnOnce(TaskAnswer<'_>) -> R,
) -> Result<R, Failure> {
    match settings.format {
        TaskFormat::Emoji => answer_of::<EmojiTasks, R>(context, settings, query, today, |kept| &kept.0, look),
        TaskFormat::Dataview => answer_of::<DataviewTasks, R>(context, settings, query, today, |kept| &kept.0, look),
    }
}

fn answer_of<T: FromCard, R>(
    context: &Context<'_>,
    settings: &Settings,
    query: &Query,
    today: Date,
    tasks: fn(&T) -> &NoteTasks,
    look: impl FnOnce(TaskAnswer<'_>) -> R,
) -> Result<R, Failure> {
    let index = context.index()?;
    index.prepare_per_note::<T>();
    let kept: std::sync::Arc<PerNote<T>> = {
        let catalogue = index.catalogue();
        index.per_note::<T>(&catalogue)
    };
    let notes: Vec<&NoteTasks> = kept.iter().map(|(_, kept)| tasks(kept)).collect();
    let budget = Budget::new(Budget::STEPS, None);
    let answer = run(query, &notes, settings, today, &budget).map_err(|fault| match fault {
        Fault::Spent(spent) => Failure::Budget(spent.to_string()),
        Fault::Wrong(message) => Failure::InvalidInput(vec![Issue::new("filter", message.into())]),
    })?;
    Ok(look(answer))
}
