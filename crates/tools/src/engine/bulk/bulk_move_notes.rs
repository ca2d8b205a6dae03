//! Moving many notes at once.

use std::collections::{HashMap, HashSet};

use quillgate_index::Move;
use quillgate_vault::{NotePath, VaultError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::context::Context;
use crate::draft::Draft;
use crate::failure::{Failure, Issue};
use crate::plan::Plan;
use crate::surface::engine_error;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Rate, Spec};

/// Move or rename up to 100 notes at once and rewrite every link that would break, all or nothing. Notes may take each other's places. By default a dry run that says what would happen; with dry_run false a human is asked first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkMoveNotes {
    /// The moves
    #[schemars(length(min = 1, max = 100))]
    moves: Vec<WantedMove>,
    /// Rewrite links so that they go on meaning the same notes
    #[serde(default = "yes")]
    update_backlinks: bool,
    /// Only say what would happen
    #[serde(default = "yes")]
    dry_run: bool,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WantedMove {
    /// Note, with its extension
    #[schemars(length(min = 1, max = 1024))]
    from: String,
    /// Its new path, with name and extension; missing folders are made
    #[schemars(length(min = 1, max = 1024))]
    to: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    processed: usize,
    results: Vec<Line>,
    total_backlinks_updated: usize,
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    from: String,
    to: String,
    ok: bool,
    /// Links to the note that were rewritten
    #[serde(skip_serializing_if = "Option::is_none")]
    backlinks_updated: Option<usize>,
    /// Code and message, where the move cannot be made
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Map<String, Value>>,
}

impl ChangeTool for BulkMoveNotes {
    const SPEC: Spec = Spec::writing("bulk_move_notes", "Move notes", Effect::Change, Idempotency::Keyed)
        .scopes(&["write:notes", "delete:notes", "bulk:notes"])
        .rate(Rate::Bulk)
        .confirm(Confirm::When("unless dry_run"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let mut draft = Draft::new(context.vault());
        let checked = check_all(&mut draft, &self.moves);
        let moves: Vec<Move> = checked.iter().filter_map(|checked| checked.as_ref().ok()).cloned().collect();
        let is_possible = moves.len() == checked.len();
        let (mut backlinks, mut links) = (HashMap::new(), 0);
        if self.update_backlinks {
            let catalogue = context.index()?.settled_catalogue();
            (backlinks, links) = draft.relink(&catalogue, &moves)?;
        }
        let mut results = Vec::with_capacity(checked.len());
        for (wanted, checked) in self.moves.into_iter().zip(checked) {
            let (ok, backlinks_updated, error) = match checked {
                Ok((from, _)) => (true, self.update_backlinks.then(|| backlinks.get(&from).copied().unwrap_or_default()), None),
                Err(failure) => (false, None, engine_error(&failure).as_object().cloned()),
            };
            results.push(Line { from: wanted.from, to: wanted.to, ok, backlinks_updated, error });
        }
        if !is_possible && !self.dry_run {
            return Err(nothing_moved(&results));
        }
        draft.rename_all(&moves)?;
        let total_backlinks_updated = results.iter().filter_map(|line| line.backlinks_updated).sum();
        let reason = format!("moves {} notes and rewrites {links} links", moves.len());
        let outcome = Outcome { processed: results.len(), results, total_backlinks_updated, dry_run: self.dry_run };
        Ok(Plan::new(draft.into_change()?, move |_| Ok(outcome)).ask_if(true, reason).dry_run(self.dry_run))
    }
}

/// What is wrong with each move, seen together with the others.
fn check_all(draft: &mut Draft<'_>, moves: &[WantedMove]) -> Vec<Result<Move, Failure>> {
    let mut checked: Vec<Result<Move, Failure>> = Vec::with_capacity(moves.len());
    let (mut froms, mut tos) = (HashSet::new(), HashSet::new());
    for wanted in moves {
        checked.push(check(draft, wanted).and_then(|(from, to)| {
            if !froms.insert(from.clone()) {
                return Err(twice("from", &from));
            }
            if !tos.insert(to.clone()) {
                return Err(twice("to", &to));
            }
            Ok((from, to))
        }));
    }
    // A place is free if its note moves too; a note that cannot move makes others stay, which may make more of them stay.
    loop {
        let leaving: HashSet<NotePath> = checked.iter().flatten().map(|(from, _)| from.clone()).collect();
        let mut is_settled = true;
        for one in &mut checked {
            let Ok((from, to)) = one else { continue };
            if let Err(failure) = check_free(draft, from, to, &leaving) {
                (*one, is_settled) = (Err(failure), false);
            }
        }
        if is_settled {
            return checked;
        }
    }
}

fn check(draft: &mut Draft<'_>, wanted: &WantedMove) -> Result<Move, Failure> {
    let (from, to) = (NotePath::parse(&wanted.from)?, NotePath::parse(&wanted.to)?);
    if from.is_note() && to.extension().is_empty() {
        return Err(Failure::InvalidInput(vec![Issue::new("to", format!("has no extension; did you mean {to}.md?"))]));
    }
    match draft.is_there(&from)? {
        true => Ok((from, to)),
        false => Err(VaultError::NotFound(from).into()),
    }
}

fn check_free(draft: &mut Draft<'_>, from: &NotePath, to: &NotePath, leaving: &HashSet<NotePath>) -> Result<(), Failure> {
    let is_free = leaving.contains(to) || !draft.is_there(to)? || draft.is_same_file(from, to)?;
    if is_free { Ok(()) } else { Err(VaultError::Exists(to.clone()).into()) }
}

fn twice(field: &str, path: &NotePath) -> Failure {
    Failure::InvalidInput(vec![Issue::new(field, format!("{path} is in another of these moves already; name it once"))])
}

fn nothing_moved(results: &[Line]) -> Failure {
    let failed = results.iter().filter(|line| !line.ok).count();
    let message =
        format!("nothing was moved, because {failed} of the {} moves cannot be made; correct or leave out those", results.len());
    Failure::Partial { message, results: serde_json::to_value(results).unwrap_or_default() }
}
