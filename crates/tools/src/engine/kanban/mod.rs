//! Kanban boards in notes.

mod add_kanban_card;
mod board_note;
mod list_kanban_boards;
mod move_kanban_card;
mod read_kanban_board;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "kanban",
    about: "Kanban boards: list and read them, add and move cards.",
    tools: &[
        Registered::of::<list_kanban_boards::ListKanbanBoards>(),
        Registered::of::<read_kanban_board::ReadKanbanBoard>(),
        Registered::changing::<add_kanban_card::AddKanbanCard>(),
        Registered::changing::<move_kanban_card::MoveKanbanCard>(),
    ],
};
