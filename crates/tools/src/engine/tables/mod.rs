//! Tables in notes.

mod format_table;
mod insert_table_column;
mod insert_table_row;
mod sort_table_by_column;
mod table_choice;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "tables",
    about: "Markdown tables in notes: format, add rows and columns, sort.",
    tools: &[
        Registered::changing::<format_table::FormatTable>(),
        Registered::changing::<insert_table_row::InsertTableRow>(),
        Registered::changing::<insert_table_column::InsertTableColumn>(),
        Registered::changing::<sort_table_by_column::SortTableByColumn>(),
    ],
};
