//! Answers "where is …" from a catalogue of the vault's files and their links.
//!
//! Architecture invariant: everything here is derived. The stored catalogue may be deleted at any time, and no answer is
//! ever worse than a look at the files.

mod anywhere;
mod candidates;
mod canvas;
mod card;
mod catalogue;
mod columns;
mod counts;
mod entry;
mod expression;
mod fold_search;
mod graph;
mod grep;
mod ids;
pub mod jsonlogic;
mod kept;
mod kept_answers;
mod lines;
mod links;
mod literal;
mod logic_search;
mod mentions;
mod moves;
mod names;
mod note_page;
mod property_filter;
mod ranked;
mod ranked_search;
mod read_at;
mod record;
mod relink;
mod retarget;
mod scan;
mod search;
mod store;
mod sync;
mod tags;
mod text;
mod verify;

pub use anywhere::{Anywhere, AnywhereKey, MatchKind, TextMatch, search_anywhere};
pub use card::{Card, CardHeading, CardLink, CardTask, LinkPlace};
pub use catalogue::{Catalogue, FileId, Fingerprints};
pub use columns::PropertySummary;
pub use entry::Entry;
pub use expression::{Expression, ExpressionMatch, search_expression};
pub use graph::{Backlink, BacklinkSources, Neighbours, OutgoingLink, Unresolved};
pub use grep::{Grep, GrepError, GrepLine, GrepResult, grep};
pub use jsonlogic::JsonLogicError;
pub use literal::{Literal, LiteralKey, LiteralLine, search_literal};
pub use logic_search::{Logic, search_logic};
pub use moves::{Copied, Move, Overlay, Relinked, relinked_copy, relinked_move, relinked_moves};
pub use names::{Names, find_link_target, link_name};
pub use note_page::NotePage;
pub use property_filter::{PropertyFilter, PropertyFilterError, PropertyMatches, PropertyOperator};
pub use ranked::{Diacritics, Language, QueryError, Stemming};
pub use ranked_search::{Ranked, RankedNote, search_ranked};
pub use relink::RelinkError;
pub use retarget::{LinkTarget, retargeted};
pub use search::{Coverage, Explanation, Found};
pub use sync::{Index, IndexSettings, IndexStatus, Progress, Taken};
pub use tags::{TagCount, TagDepth};
pub use text::{Role, TextStatus};
pub use verify::Difference;
