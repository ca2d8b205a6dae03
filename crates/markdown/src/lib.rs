//! Finds things in a note and says which bytes to replace: pure text, no files, nothing printed back.
//!
//! Every span counts bytes of the original text, byte order mark included. Parsing never fails: a
//! note whose frontmatter cannot be read keeps its body, and says why in [`Frontmatter::properties`].

mod block;
mod code;
mod destination;
mod drawing;
mod edit;
mod field;
mod fold;
mod frontmatter;
mod heading;
mod json;
mod json_edit;
mod kanban;
mod link;
mod list;
mod list_item;
mod lz_string;
mod nested;
mod newline;
mod note;
mod properties;
mod property_link;
mod relink;
mod repaired_yaml;
mod replace;
mod scalar;
mod scan;
mod section;
mod span;
mod structure;
mod table;
mod tag;
mod task;
mod value;
mod write_scalar;
mod write_yaml;
mod yaml;

pub use block::BlockId;
pub use code::{CodeBlock, CodeSpan, code};
pub use drawing::{Drawing, DrawingChange, DrawingEntry, compressed_scene, find_drawing};
pub use edit::{Edit, EditError, Edits};
pub use field::{InlineField, field_key};
pub use fold::fold;
pub use frontmatter::{Format, Frontmatter, Properties, Property};
pub use heading::{Heading, find_heading, find_headings, heading_key};
pub use json::{JsonError, JsonKind, JsonMember, JsonNode, parse_json};
pub use json_edit::{JsonLayout, change_items, change_members, quoted, replace_json, spread_json};
pub use kanban::{Board, Card, CardPlace, Lane, add_card, move_card, parse_board};
pub use link::{Link, LinkKind, Quote, is_external, parse_links};
pub use list::{add_to_list, remove_from_list, remove_places_from_list};
pub use list_item::ListItem;
pub use lz_string::{LzStringError, compress_to_base64, decompress_from_base64};
pub use nested::{find_value, remove_property_at, set_property_at};
pub use newline::Eol;
pub use note::Note;
pub use properties::{remove_property, set_property};
pub use relink::{NewTarget, relink};
pub use replace::{ReplaceError, replace_counted, str_replace};
pub use section::{
    Position, append, extend_block, find_block, one_heading, prepend, replace_block, replace_heading_content, under_heading,
};
pub use span::Span;
pub use table::{Alignment, SortAs, Table, find_tables, table_cell};
pub use tag::{Tag, is_valid_tag};
pub use task::Task;
pub use value::{PropertyType, Value};
pub use write_yaml::to_yaml;
pub use yaml::{YamlEntry, YamlError, parse as parse_yaml};
