//! Bookmarks of the app.

mod add_bookmark;
mod bookmark;
mod list_bookmarks;
mod remove_bookmark;

pub(crate) use bookmark::bookmarked_files;

use crate::surface::Domain;
use crate::tool::Registered;

pub(super) const DOMAIN: Domain = Domain {
    name: "bookmarks",
    about: "Bookmarks of the app: list, add and remove them.",
    tools: &[
        Registered::of::<list_bookmarks::ListBookmarks>(),
        Registered::changing::<add_bookmark::AddBookmark>(),
        Registered::changing::<remove_bookmark::RemoveBookmark>(),
    ],
};
