//! Where each value of the configuration comes from: the file, the environment, a flag, or nowhere.

use std::collections::BTreeMap;

use super::places::Places;

#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    file: Option<(String, Places)>,
    /// What the command line and the environment set.
    set: BTreeMap<String, String>,
}

impl Origins {
    pub(super) fn of_file(name: String, places: Places) -> Origins {
        Origins { file: Some((name, places)), set: BTreeMap::new() }
    }

    /// The file's name, if there is one.
    pub(crate) fn file(&self) -> Option<&str> {
        self.file.as_ref().map(|(name, _)| name.as_str())
    }

    /// From now on this key, and all below it, come from here.
    pub(crate) fn set(&mut self, key: &str, by: impl Into<String>) {
        self.set.insert(key.to_owned(), by.into());
    }

    /// `quillgate.yaml:12`, `environment VAULT_PATH`, `flag --vault-path` or `default`.
    pub(crate) fn of(&self, key: &str) -> String {
        if let Some(by) = around(key).find_map(|key| self.set.get(key)) {
            return by.clone();
        }
        let placed = self.file.as_ref().and_then(|(name, places)| Some((name, places.find(key)?)));
        match placed {
            Some((name, spot)) => format!("{name}:{}", spot.key.line),
            None => "default".to_owned(),
        }
    }

    /// Where in the file a key stands, or the group around it.
    pub(crate) fn place(&self, key: &str) -> Option<super::Place> {
        self.file.as_ref().and_then(|(_, places)| places.around(key))
    }
}

/// The key, and the groups that it is in, from within.
fn around(key: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(key), |key| key.rfind(['.', '[']).map(|end| &key[..end]))
}
