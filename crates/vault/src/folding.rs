//! Whether the vault's file system takes two spellings for one name.

use std::collections::HashSet;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::Vault;
use crate::core::Core;
use crate::stat::inode;

impl Vault {
    /// Whether `A.md` and `a.md` are one file here, found out by a look at what is in the vault's own folder. Rules are
    /// compiled with it.
    pub fn folds_case(&self) -> bool {
        *self.core.folds_case.get_or_init(|| folds_case(&self.core))
    }
}

fn folds_case(core: &Core) -> bool {
    let by_platform = cfg!(any(windows, target_vendor = "apple"));
    if cfg!(windows) {
        return by_platform;
    }
    find_by_entries(&core.root).or_else(|| find_by_name(core)).unwrap_or(by_platform)
}

/// An entry that is found under a name that nothing has.
fn find_by_entries(root: &Dir) -> Option<bool> {
    let entries = root.entries().ok()?.filter_map(Result::ok);
    let names: HashSet<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let name = names.iter().find(|name| respelled(name).is_some_and(|other| !names.contains(&other)))?;
    let known = root.symlink_metadata(name).ok()?;
    let found = root.symlink_metadata(respelled(name)?);
    Some(found.is_ok_and(|found| inode(&found) == inode(&known)))
}

/// The same for the vault itself, in the folder that holds it.
fn find_by_name(core: &Core) -> Option<bool> {
    let name = respelled(core.root_path.file_name()?.to_str()?)?;
    let known = core.root.dir_metadata().ok()?;
    let found = Dir::open_ambient_dir(Path::new(&core.root_path).with_file_name(name), ambient_authority());
    Some(found.and_then(|found| found.dir_metadata()).is_ok_and(|found| inode(&found) == inode(&known)))
}

/// The name in the other case, if that is another name.
fn respelled(name: &str) -> Option<String> {
    let turn = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    name.contains(|c: char| c.is_ascii_alphabetic()).then(|| name.chars().map(turn).collect())
}
