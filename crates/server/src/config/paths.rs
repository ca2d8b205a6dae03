//! Paths of a configuration file: relative to the file's folder, with `~` for the home directory.

use std::path::{Path, PathBuf};

use super::Config;

impl Config {
    /// Makes every path of the file mean the same wherever the program is started.
    pub(super) fn resolve_paths(&mut self, folder: &Path) {
        let vaults = self.vaults.iter_mut().map(|vault| &mut vault.path);
        let optional =
            [&mut self.vault_path, &mut self.data_dir, &mut self.observability.cloud_events.folder, &mut self.auth.jwks_file];
        let of_sites = self.sites.iter_mut().filter_map(|site| site.auth.jwks_file.as_mut());
        let of_sync = self.sync.iter_mut().filter_map(|sync| sync.folder.as_mut());
        let given = optional.into_iter().filter_map(Option::as_mut);
        for path in given.chain(vaults).chain(of_sites).chain(of_sync) {
            *path = resolved(folder, path);
        }
    }
}

fn resolved(folder: &Path, path: &Path) -> PathBuf {
    if let Ok(rest) = path.strip_prefix("~")
        && let Ok(home) = etcetera::home_dir()
    {
        return home.join(rest);
    }
    folder.join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_folder_of_the_file() {
        let check = |path: &str, expected: &Path| assert_eq!(resolved(Path::new("/etc/quillgate"), Path::new(path)), expected);
        check("notes", Path::new("/etc/quillgate/notes"));
        check("/srv/notes", Path::new("/srv/notes"));
        let home = etcetera::home_dir().expect("a home directory");
        check("~/notes", &home.join("notes"));
        check("~notes", Path::new("/etc/quillgate/~notes"));
    }
}
