//! Which files may be read, written and deleted, and by whom.

use quillgate_vault::RulesSource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rules of a vault. Whatever they say, `.obsidian/`, `.git/` and `.trash/` cannot be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct AclConfig {
    /// Refuse everything that would change a file.
    pub read_only: bool,
    /// Scopes that a caller needs, beside those of the tool, for a path that no rule matches.
    pub default_scopes: Vec<String>,
    /// Scopes that a caller needs, beside those of the tool, for paths that match a glob. The last rule that matches counts.
    pub rules: Vec<AclRule>,
    /// The only paths that may be read, as globs such as `projects/**`; what may not be read does not appear anywhere. Left out,
    /// all may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_paths: Option<Vec<String>>,
    /// The only paths that may be written, as globs. Left out, all may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_paths: Option<Vec<String>>,
    /// The only paths that may be deleted, as globs. Left out, all may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_paths: Option<Vec<String>>,
    /// With `true`, `readPaths` that are left out mean that nothing may be read.
    pub strict_read_default: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AclRule {
    /// Paths that it is about, such as `private/**`.
    pub glob: String,
    /// Scopes that must all be held, such as `["read:private"]`; none lifts what an earlier rule asks for.
    #[serde(default)]
    pub scopes: Vec<String>,
}

impl AclConfig {
    /// As the vault takes them.
    pub fn rules(&self) -> RulesSource {
        RulesSource {
            read_only: self.read_only,
            strict_read_default: self.strict_read_default,
            read_paths: self.read_paths.clone(),
            write_paths: self.write_paths.clone(),
            delete_paths: self.delete_paths.clone(),
            rules: self.rules.iter().map(|rule| (rule.glob.clone(), rule.scopes.clone())).collect(),
            default_scopes: self.default_scopes.clone(),
        }
    }

    /// Every glob, with the key below `acl` that it stands at.
    pub fn globs(&self) -> impl Iterator<Item = (String, &str)> {
        let lists = [("readPaths", &self.read_paths), ("writePaths", &self.write_paths), ("deletePaths", &self.delete_paths)];
        let listed = lists.into_iter().flat_map(|(name, globs)| {
            let globs = globs.iter().flatten().enumerate();
            globs.map(move |(number, glob)| (format!("{name}[{number}]"), glob.as_str()))
        });
        let rules = self.rules.iter().enumerate();
        listed.chain(rules.map(|(number, rule)| (format!("rules[{number}].glob"), rule.glob.as_str())))
    }
}
