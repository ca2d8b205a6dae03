//! What was changed, by whom, and the way back.

mod change;
mod history_diff;
mod history_list;
mod history_read;
mod undo;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "history",
    about: "See what was changed and by whom, read notes as they were, undo.",
    tools: &[
        Registered::of::<history_list::HistoryList>(),
        Registered::of::<history_diff::HistoryDiff>(),
        Registered::of::<history_read::HistoryRead>(),
        Registered::changing::<undo::Undo>(),
    ],
};
