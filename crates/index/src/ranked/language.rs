//! How the words of a vault are told apart: the part of the configuration that decides what is in the index.

use serde::{Deserialize, Serialize};

/// Changes whenever the same text would be cut into other words, so that older indexes are rebuilt.
const ANALYSIS_VERSION: u32 = 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Language {
    /// Whether `running` is found by `run`.
    pub stemming: Stemming,
    /// Whether `cafe` finds `café`.
    pub diacritics: Diacritics,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stemming {
    #[default]
    English,
    None,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diacritics {
    #[default]
    Ignore,
    Keep,
}

impl Language {
    /// Names the analysis in the schema of an index: another name is another index.
    pub(crate) fn fingerprint(self) -> String {
        let stemming = match self.stemming {
            Stemming::English => "english",
            Stemming::None => "plain",
        };
        let diacritics = match self.diacritics {
            Diacritics::Ignore => "folded",
            Diacritics::Keep => "accented",
        };
        format!("words-{ANALYSIS_VERSION}-{stemming}-{diacritics}")
    }
}
