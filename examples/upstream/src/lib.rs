//! A small newspaper site with login and article search: what Quillgate meets as an upstream, on loopback and without secrets.
//!
//! It can be told to misbehave, and it remembers what it was asked, so that tests see what reaches another site.

mod articles;
mod control;
mod login;
mod sessions;
mod site;

pub use control::{Control, Misbehaviour, Seen};
pub use login::{PASSWORD, USERNAME};
pub use sessions::COOKIE;
pub use site::Upstream;
