//! Answers "where is …" from a catalogue of the vault's files and their links.
//!
//! Architecture invariant: everything here is derived. The stored catalogue may be deleted at any time, and no answer is
//! ever worse than a look at the files.

mod canvas;
mod card;
mod catalogue;
mod entry;
mod fold_search;
mod graph;
mod grep;
mod names;
mod relink;
mod scan;
mod search;
mod store;
mod stubs;
mod sync;
mod text_search;

pub use card::{Card, CardHeading, CardLink, CardTask, LinkPlace};
pub use catalogue::{Catalogue, FileId, Fingerprints};
pub use entry::Entry;
pub use graph::{Backlink, Neighbours, OutgoingLink, Unresolved};
pub use grep::{Grep, GrepError, GrepLine, GrepResult, grep};
pub use names::{Names, find_link_target, link_name};
pub use relink::{RelinkError, Relinked, relinked_copy, relinked_move};
pub use search::{Coverage, Explanation, Found};
pub use stubs::*;
pub use sync::{Index, IndexStatus, Progress};
pub use text_search::{MatchKind, TextMatch, TextMatches, search_text};
