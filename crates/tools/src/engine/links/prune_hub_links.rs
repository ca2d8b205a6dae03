//! Thinning out the links of a note that has too many.

use quillgate_index::jsonlogic::Rule;
use quillgate_index::{Catalogue, JsonLogicError};
use quillgate_markdown::{Edits, fold};
use quillgate_vault::{ContentHash, Expect, Folders, NotePath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::hub_links::{Hub, HubLink};
use crate::context::Context;
use crate::failure::{Failure, Issue};
use crate::note_text::must_be_note;
use crate::plan::Plan;
use crate::tool::{ChangeTool, Confirm, Effect, Idempotency, Spec};

const BACKLINKS: &str = "target_backlink_count";
const OUTGOING: &str = "target_outgoing_count";

/// Take links out of a note that has too many, by a policy. A list item goes with its last link, unless items stand below it; elsewhere the link's text stays as plain text. Links in the frontmatter stay. By default a dry run that lists them; with dry_run false a human is asked first.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneHubLinks {
    /// Note, with its extension
    #[schemars(length(min = 1, max = 1024))]
    path: String,
    /// Which links go
    policy: Policy,
    /// Take out no more than this; those with the lowest scores go first, else those that stand first
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    max_removals: usize,
    /// Only say what would go
    #[serde(default = "yes")]
    dry_run: bool,
}

fn fifty() -> usize {
    50
}

fn yes() -> bool {
    true
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Policy {
    /// drop_below_score takes threshold; keep_top_n takes n; both take score_field. drop_unannotated_list_items takes min_annotation_chars, drop_no_prose_context min_prose_chars, jsonlogic logic
    kind: Kind,
    /// target_backlink_count (default), target_outgoing_count, or a numeric property of the target notes; a target without it is never below the threshold and ranks last
    #[serde(default)]
    #[schemars(length(min = 1, max = 256))]
    score_field: Option<String>,
    /// Links to notes with a lower score go
    #[serde(default)]
    threshold: Option<f64>,
    /// How many links stay
    #[serde(default)]
    n: Option<usize>,
    /// List items with less text beside their links go; 1 by default
    #[serde(default)]
    min_annotation_chars: Option<usize>,
    /// Links in paragraphs or list items with less text beside links go; 1 by default
    #[serde(default)]
    min_prose_chars: Option<usize>,
    /// JSONLogic expression; links for which it is true go. Variables: target, line, col, in_codeblock, in_list_item, list_item_text, prose_context, target_path, target_backlink_count, target_outgoing_count
    #[serde(default)]
    logic: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    DropBelowScore,
    KeepTopN,
    DropUnannotatedListItems,
    DropNoProseContext,
    Jsonlogic,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Outcome {
    path: String,
    policy_used: Kind,
    links_before: usize,
    links_after: usize,
    removed: Vec<Removed>,
    /// Of the note without them; absent in a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct Removed {
    target: String,
    reason: String,
    /// From 1, in the note as it was
    line: usize,
}

impl ChangeTool for PruneHubLinks {
    const SPEC: Spec = Spec::writing("prune_hub_links", "Prune links", Effect::Change, Idempotency::KeyRequired)
        .confirm(Confirm::When("unless dry_run"));
    type Output = Outcome;

    fn plan<'c>(self, context: &'c Context<'_>) -> Result<Plan<'c, Outcome>, Failure> {
        let path = NotePath::parse(&self.path)?;
        must_be_note(&path)?;
        let chooser = self.policy.chooser()?;
        let contents = context.vault().read(&path)?;
        let text = contents.text()?;
        let (hub, mut chosen) = {
            let catalogue = context.catalogue()?;
            let hub = Hub::read(&catalogue, &path, text);
            let chosen = chooser.choose(&catalogue, &hub)?;
            (hub, chosen)
        };
        chosen.truncate(self.max_removals);
        chosen.sort_by_key(|(at, _)| *at);
        let places: Vec<usize> = chosen.iter().map(|(at, _)| *at).collect();
        let edits = Edits::new(hub.without_links(&places)).map_err(Failure::from)?;
        let after = edits.apply(text).into_bytes();
        let removed: Vec<Removed> = chosen
            .into_iter()
            .map(|(at, reason)| Removed { target: hub.links[at].target.clone(), reason, line: hub.links[at].line })
            .collect();
        let mut change = context.vault().transaction(Folders::MustExist);
        let hash = ContentHash::of(&after);
        if after != contents.bytes {
            change = change.write(path.clone(), after, Expect::Hash(contents.hash()));
        }
        let reason = format!("takes {} of {} links out of {path}", removed.len(), hub.links.len());
        let outcome = Outcome {
            path: path.to_string(),
            policy_used: self.policy.kind,
            links_before: hub.links.len(),
            links_after: hub.links.len() - removed.len(),
            removed,
            content_hash: (!self.dry_run).then(|| hash.to_string()),
            dry_run: self.dry_run,
        };
        Ok(Plan::new(change, move |_| Ok(outcome)).ask_if(true, reason).dry_run(self.dry_run))
    }
}

/// A policy with all that it needs.
enum Chooser {
    BelowScore { field: String, threshold: f64 },
    BeyondTop { field: String, n: usize },
    Unannotated { least: usize },
    WithoutProse { least: usize },
    Logic(Box<Rule>),
}

impl Policy {
    fn chooser(&self) -> Result<Chooser, Failure> {
        self.check_fields()?;
        let missing = |field: &str| Failure::InvalidInput(vec![Issue::missing(&format!("policy.{field}"))]);
        let field = self.score_field.clone().unwrap_or_else(|| BACKLINKS.to_owned());
        Ok(match self.kind {
            Kind::DropBelowScore => Chooser::BelowScore { field, threshold: self.threshold.ok_or_else(|| missing("threshold"))? },
            Kind::KeepTopN => Chooser::BeyondTop { field, n: self.n.ok_or_else(|| missing("n"))? },
            Kind::DropUnannotatedListItems => Chooser::Unannotated { least: self.min_annotation_chars.unwrap_or(1) },
            Kind::DropNoProseContext => Chooser::WithoutProse { least: self.min_prose_chars.unwrap_or(1) },
            Kind::Jsonlogic => {
                let logic = self.logic.clone().ok_or_else(|| missing("logic"))?;
                Chooser::Logic(Box::new(Rule::parse(&Value::Object(logic)).map_err(wrong_logic)?))
            }
        })
    }

    /// A field of another kind would be ignored in silence.
    fn check_fields(&self) -> Result<(), Failure> {
        let given = [
            ("score_field", self.score_field.is_some(), &[Kind::DropBelowScore, Kind::KeepTopN][..]),
            ("threshold", self.threshold.is_some(), &[Kind::DropBelowScore]),
            ("n", self.n.is_some(), &[Kind::KeepTopN]),
            ("min_annotation_chars", self.min_annotation_chars.is_some(), &[Kind::DropUnannotatedListItems]),
            ("min_prose_chars", self.min_prose_chars.is_some(), &[Kind::DropNoProseContext]),
            ("logic", self.logic.is_some(), &[Kind::Jsonlogic]),
        ];
        let stray = given.iter().filter(|(_, is_given, kinds)| *is_given && !kinds.contains(&self.kind));
        let issues: Vec<Issue> = stray
            .map(|(field, ..)| {
                Issue::new(&format!("policy.{field}"), "means nothing to this kind of policy; leave it out".to_owned())
            })
            .collect();
        if issues.is_empty() { Ok(()) } else { Err(Failure::InvalidInput(issues)) }
    }
}

impl Chooser {
    /// The links that go, by their numbers, the first to go first, and why.
    fn choose(&self, catalogue: &Catalogue, hub: &Hub<'_>) -> Result<Vec<(usize, String)>, Failure> {
        let links = hub.links.iter().enumerate();
        Ok(match self {
            Chooser::BelowScore { field, threshold } => {
                let scored = links.filter_map(|(at, link)| Some((at, score(catalogue, link, field)?)));
                let mut below: Vec<(usize, f64)> = scored.filter(|(_, score)| score < threshold).collect();
                below.sort_by(|a, b| a.1.total_cmp(&b.1));
                below.into_iter().map(|(at, score)| (at, format!("{field} {score} is below {threshold}"))).collect()
            }
            Chooser::BeyondTop { field, n } => {
                let mut ranked: Vec<(usize, Option<f64>)> = links.map(|(at, link)| (at, score(catalogue, link, field))).collect();
                // The lowest first; of equals the one that stands later.
                let rank = |score: &Option<f64>| score.unwrap_or(f64::NEG_INFINITY);
                ranked.sort_by(|a, b| rank(&a.1).total_cmp(&rank(&b.1)).then(b.0.cmp(&a.0)));
                ranked.truncate(hub.links.len().saturating_sub(*n));
                let reason = |score: Option<f64>| match score {
                    Some(score) => format!("{field} {score} is not among the top {n}"),
                    None => format!("it has no {field} and is not among the top {n}"),
                };
                ranked.into_iter().map(|(at, score)| (at, reason(score))).collect()
            }
            Chooser::Unannotated { least } => {
                let bare = links.filter(|(_, link)| hub.is_in_list(link) && link.prose.chars().count() < *least);
                let reason =
                    |link: &HubLink| format!("its list item has {} characters of annotation", link.prose.chars().count());
                bare.map(|(at, link)| (at, reason(link))).collect()
            }
            Chooser::WithoutProse { least } => {
                let bare = links.filter(|(_, link)| link.prose.chars().count() < *least);
                bare.map(|(at, link)| (at, format!("it has {} characters of prose around it", link.prose.chars().count())))
                    .collect()
            }
            Chooser::Logic(rule) => {
                let mut found = Vec::new();
                for (at, link) in links {
                    if rule.is_true(&hub.facts(link)).map_err(wrong_logic)? {
                        found.push((at, "the expression is true for it".to_owned()));
                    }
                }
                found
            }
        })
    }
}

fn score(catalogue: &Catalogue, link: &HubLink, field: &str) -> Option<f64> {
    match field {
        BACKLINKS => Some(link.backlinks as f64),
        OUTGOING => Some(link.outgoing as f64),
        property => {
            let key = fold(property.strip_prefix("frontmatter.").unwrap_or(property));
            let properties = catalogue.find(link.target_path.as_ref()?)?.card().property_map();
            let (_, value) = properties.iter().find(|(name, _)| fold(name) == key)?;
            value.as_f64()
        }
    }
}

fn wrong_logic(error: JsonLogicError) -> Failure {
    if error.is_budget() { Failure::Budget(error.to_string()) } else { Failure::Logic(error.to_string()) }
}
