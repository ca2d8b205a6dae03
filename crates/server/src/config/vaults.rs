//! The vaults that are served, each under its id.

use std::path::{Path, PathBuf};

use quillgate_tools::folder_id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AclConfig, Config, Unused};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VaultConfig {
    /// What the vault is called in arguments and addresses: 1 to 64 of `a` to `z`, `0` to `9`, `_` and `-`.
    #[schemars(regex(pattern = "^[a-z0-9_-]{1,64}$"))]
    pub id: String,
    /// What people are shown; the id by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its folder.
    pub path: PathBuf,
    /// Rules of this vault. They replace `acl` as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acl: Option<AclConfig>,
    /// Address of the app's own server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_api_url: Option<Unused>,
    /// Key for the app's own server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_api_key: Option<Unused>,
    /// Whether the app is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Unused>,
    /// How long plugins of the app may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bridges: Option<Unused>,
    /// Which plugins of the app are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugins: Option<Unused>,
    /// Which commands of the app may be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Unused>,
    /// Where notes about entities go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<Unused>,
    /// Where traces of sessions go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Unused>,
}

/// A vault as it is served, with everything decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VaultEntry {
    pub id: String,
    pub name: String,
    pub path: PathBuf,
    pub acl: AclConfig,
}

impl Config {
    /// All vaults, in the order of the file.
    pub fn vaults(&self) -> Vec<VaultEntry> {
        match &self.vault_path {
            Some(path) => vec![self.only_vault(path)],
            None => self.vaults.iter().map(|vault| self.listed_vault(vault)).collect(),
        }
    }

    /// The vault of calls that name none.
    pub fn default_vault(&self) -> Option<VaultEntry> {
        let vaults = self.vaults();
        let named = self.default_vault.as_ref().and_then(|id| vaults.iter().find(|vault| vault.id == *id).cloned());
        named.or_else(|| vaults.into_iter().next())
    }

    /// Serves this vault and no other. One that is listed keeps its id, its name and its rules.
    pub fn serve_only(&mut self, path: PathBuf) {
        let listed = self.vaults.iter().find(|vault| resolved(&vault.path) == resolved(&path)).cloned();
        self.vault_path = if listed.is_some() { None } else { Some(path) };
        self.vaults = listed.into_iter().collect();
        self.default_vault = None;
    }

    fn only_vault(&self, path: &Path) -> VaultEntry {
        let folder = resolved(path);
        let name = folder.file_name().map_or_else(|| "the vault".to_owned(), |name| name.to_string_lossy().into_owned());
        VaultEntry { id: folder_id(&folder), name, path: path.to_owned(), acl: self.acl.clone() }
    }

    fn listed_vault(&self, vault: &VaultConfig) -> VaultEntry {
        VaultEntry {
            id: vault.id.clone(),
            name: vault.name.clone().unwrap_or_else(|| vault.id.clone()),
            path: vault.path.clone(),
            acl: vault.acl.clone().unwrap_or_else(|| self.acl.clone()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the operator's own path, to know the folder it means")]
fn resolved(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        serde_norway::from_str(text).expect("a configuration")
    }

    fn ids(config: &Config) -> Vec<String> {
        config.vaults().into_iter().map(|vault| vault.id).collect()
    }

    const TWO: &str = "
acl: {readOnly: true}
vaults:
  - {id: work, path: /vaults/w}
  - {id: home, name: At home, path: /vaults/h, acl: {writePaths: ['journal/**']}}
";

    #[test]
    fn rules_of_a_vault_replace_those_for_all() {
        let vaults = config(TWO).vaults();
        let [work, home] = &vaults[..] else { panic!("two vaults") };
        assert_eq!((work.name.as_str(), work.acl.read_only), ("work", true));
        assert_eq!((home.name.as_str(), home.acl.read_only), ("At home", false));
        assert_eq!(home.acl.write_paths.as_deref(), Some(&["journal/**".to_owned()][..]));
    }

    #[test]
    fn the_default_vault_is_the_first_unless_another_is_named() {
        let mut config = config(TWO);
        assert_eq!(config.default_vault().map(|vault| vault.id).as_deref(), Some("work"));
        config.default_vault = Some("home".to_owned());
        assert_eq!(config.default_vault().map(|vault| vault.id).as_deref(), Some("home"));
        assert_eq!(Config::default().default_vault(), None);
    }

    #[test]
    fn a_single_vault_has_its_id_from_its_folder() {
        let vaults = config("{vaultPath: /vaults/My Notes, acl: {readOnly: true}}").vaults();
        let [vault] = &vaults[..] else { panic!("one vault") };
        assert_eq!((vault.id.as_str(), vault.name.as_str(), vault.acl.read_only), ("my-notes", "My Notes", true));
    }

    #[test]
    fn a_vault_of_the_command_line_is_the_only_one() {
        let mut other = config(TWO);
        other.serve_only(PathBuf::from("/vaults/other"));
        assert_eq!(ids(&other), ["other"]);
        let mut listed = config(TWO);
        listed.default_vault = Some("work".to_owned());
        listed.serve_only(PathBuf::from("/vaults/h"));
        assert_eq!(ids(&listed), ["home"]);
        assert!(!listed.vaults()[0].acl.read_only, "its own rules hold");
        assert_eq!(listed.default_vault().map(|vault| vault.id).as_deref(), Some("home"));
    }
}
