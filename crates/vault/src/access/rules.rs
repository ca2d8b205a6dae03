//! The operator's rules about paths, compiled.

use sha2::{Digest, Sha256};

use crate::access::glob::{Glob, GlobProblem};
use crate::{Access, Operation};

/// The rules as they are written down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RulesSource {
    /// Nothing may be changed.
    pub read_only: bool,
    /// Without `read_paths` nothing may be read.
    pub strict_read_default: bool,
    /// Globs; without a list the operation is not restricted by one.
    pub read_paths: Option<Vec<String>>,
    pub write_paths: Option<Vec<String>>,
    pub delete_paths: Option<Vec<String>>,
    /// Globs and the scopes that it takes, all of them, for whatever is done there. The last one that matches a path counts.
    pub rules: Vec<(String, Vec<String>)>,
    /// The scopes that it takes where no rule matches.
    pub default_scopes: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct Rules {
    pub(crate) read_only: bool,
    pub(crate) is_strict: bool,
    pub(crate) read: Option<Vec<Glob>>,
    pub(crate) write: Option<Vec<Glob>>,
    pub(crate) delete: Option<Vec<Glob>>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) default_scopes: Vec<String>,
    pub(crate) folds_case: bool,
    /// Of everything that decides what may be read.
    pub(crate) fingerprint: [u8; 32],
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) glob: Glob,
    pub(crate) scopes: Vec<String>,
}

impl Default for Rules {
    /// No rules at all.
    fn default() -> Rules {
        Rules::compile(&RulesSource::default(), false).expect("there is no glob in it")
    }
}

impl Rules {
    /// `folds_case` as the vault says of itself.
    pub fn compile(source: &RulesSource, folds_case: bool) -> Result<Rules, GlobProblem> {
        let list = |globs: &Option<Vec<String>>| -> Result<Option<Vec<Glob>>, GlobProblem> {
            let compile = |globs: &Vec<String>| globs.iter().map(|glob| Glob::compile(glob, folds_case)).collect();
            globs.as_ref().map(compile).transpose()
        };
        let rule = |(glob, scopes): &(String, Vec<String>)| -> Result<Rule, GlobProblem> {
            Ok(Rule { glob: Glob::compile(glob, folds_case)?, scopes: scopes.clone() })
        };
        let is_strict = source.strict_read_default && source.read_paths.is_none();
        Ok(Rules {
            read_only: source.read_only,
            is_strict,
            read: if is_strict { Some(Vec::new()) } else { list(&source.read_paths)? },
            write: list(&source.write_paths)?,
            delete: list(&source.delete_paths)?,
            rules: source.rules.iter().map(rule).collect::<Result<_, _>>()?,
            default_scopes: source.default_scopes.clone(),
            folds_case,
            fingerprint: fingerprint(source, folds_case),
        })
    }

    /// The list for an operation, as it is written; `None` if there is none.
    pub fn globs(&self, operation: Operation) -> Option<Vec<String>> {
        self.list(operation).map(|globs| globs.iter().map(|glob| glob.text.clone()).collect())
    }

    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    pub(crate) fn list(&self, operation: Operation) -> Option<&[Glob]> {
        match operation {
            Operation::Read => self.read.as_deref(),
            Operation::Write => self.write.as_deref(),
            Operation::Delete => self.delete.as_deref(),
            Operation::Execute => None,
        }
    }
}

impl Access {
    /// Whether something below the folder may be readable as far as paths can tell; `false` is certain. The empty path is
    /// the vault itself.
    pub(crate) fn may_show_below(&self, folder: &str) -> bool {
        let listed = self.rules.read.as_ref().is_none_or(|globs| globs.iter().any(|glob| glob.reaches_below(folder)));
        listed && self.rules_may_allow_below(folder)
    }

    fn rules_may_allow_below(&self, folder: &str) -> bool {
        for (rule, is_satisfied) in self.rules.rules.iter().zip(&self.satisfied).rev() {
            if *is_satisfied && rule.glob.reaches_below(folder) {
                return true;
            }
            if rule.glob.covers_below(folder) {
                return false;
            }
        }
        self.default_satisfied
    }
}

fn fingerprint(source: &RulesSource, folds_case: bool) -> [u8; 32] {
    let RulesSource { read_only: _, strict_read_default, read_paths, write_paths: _, delete_paths: _, rules, default_scopes } =
        source;
    // Its text form keeps apart whatever differs.
    let text = format!("{folds_case:?} {strict_read_default:?} {read_paths:?} {rules:?} {default_scopes:?}");
    Sha256::digest(text).into()
}
