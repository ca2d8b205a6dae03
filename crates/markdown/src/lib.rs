//! Finds things in a note and says which bytes to replace: pure text, no files, nothing printed back.
//!
//! Every span counts bytes of the original text, byte order mark included. Parsing never fails: a
//! note whose frontmatter cannot be read keeps its body, and says why in [`Frontmatter::properties`].

mod block;
mod destination;
mod edit;
mod field;
mod fold;
mod frontmatter;
mod heading;
mod link;
mod list;
mod nested;
mod newline;
mod note;
mod properties;
mod property_link;
mod relink;
mod replace;
mod scalar;
mod scan;
mod section;
mod span;
mod structure;
mod tag;
mod task;
mod value;
mod write_scalar;
mod write_yaml;
mod yaml;

pub use block::BlockId;
pub use edit::{Edit, EditError, Edits};
pub use field::{InlineField, field_key};
pub use fold::fold;
pub use frontmatter::{Format, Frontmatter, Properties, Property};
pub use heading::{Heading, find_heading, find_headings, heading_key};
pub use link::{Link, LinkKind, Quote, is_external, parse_links};
pub use list::{add_to_list, remove_from_list};
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
pub use tag::{Tag, is_valid_tag};
pub use task::Task;
pub use value::{PropertyType, Value};
pub use write_yaml::to_yaml;
pub use yaml::{YamlEntry, YamlError, parse as parse_yaml};
