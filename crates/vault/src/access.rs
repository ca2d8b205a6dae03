//! What may be done through a handle: one function decides, and everything that enforces asks it.

pub(crate) mod glob;
mod name;
pub(crate) mod rules;
mod spelling;

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::access::rules::{Rule, Rules};
use crate::access::spelling::{is_alias, spelled_path};
use crate::path::find_reserved;
use crate::{FolderPath, NotePath, PathError};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Read,
    Write,
    Delete,
    Execute,
}

impl Operation {
    pub const ALL: [Operation; 4] = [Operation::Read, Operation::Write, Operation::Delete, Operation::Execute];

    pub fn name(self) -> &'static str {
        match self {
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Delete => "delete",
            Operation::Execute => "execute",
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether something may be done, and what decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    /// The glob that counted: of the last rule that matches, or else of the operation's list.
    pub matched_rule: Option<String>,
    pub denied_by: Option<String>,
    /// Whether everything that changes something is refused.
    pub kill_switch: bool,
}

/// The rules, and which of them are satisfied by the scopes of a caller.
#[derive(Clone, Debug)]
pub struct Access {
    rules: Arc<Rules>,
    /// One for each rule.
    satisfied: Box<[bool]>,
    default_satisfied: bool,
    class: AccessClass,
    /// By operation: nothing that a path can spell is refused.
    allows_all: [bool; 4],
}

/// Handles of one class read the same files, so that they can share an index. What they may write is not part of it.
///
/// Shown as a name for a folder. It is `all` where everything may be read, and it changes with the rules about reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccessClass(Option<u128>);

impl AccessClass {
    /// Everything may be read.
    pub const ALL: AccessClass = AccessClass(None);
}

impl fmt::Display for AccessClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("all"),
            Some(class) => write!(f, "{class:032x}"),
        }
    }
}

/// Why something is refused.
#[derive(Clone, Debug)]
pub(crate) enum Denial<'r> {
    ReadOnly,
    /// No path of the vault, or one that is out of reach for everybody.
    Path(PathError, Option<&'static str>),
    Alias,
    Strict,
    List(Operation),
    Rule(&'r Rule),
    Default(&'r [String]),
}

impl Access {
    /// `held` says whether the caller has a scope.
    pub fn of(rules: Arc<Rules>, held: impl Fn(&str) -> bool) -> Access {
        let holds_all = |scopes: &[String]| scopes.iter().all(|scope| held(scope));
        let satisfied: Box<[bool]> = rules.rules.iter().map(|rule| holds_all(&rule.scopes)).collect();
        let default_satisfied = holds_all(&rules.default_scopes);
        let reads_all = rules.read.is_none() && default_satisfied && satisfied.iter().all(|satisfied| *satisfied);
        let allows_all = Operation::ALL.map(|operation| match operation {
            Operation::Read => reads_all,
            changing => reads_all && !rules.read_only && rules.list(changing).is_none(),
        });
        let class = if reads_all { AccessClass::ALL } else { class_of(&rules, &satisfied, default_satisfied) };
        Access { rules, satisfied, default_satisfied, class, allows_all }
    }

    /// Everything in the vault may be read, written and deleted.
    pub fn unrestricted() -> Access {
        Access::of(Arc::default(), |_| true)
    }

    /// Which rules are satisfied: with the same rules, handles of the same rights may do the same.
    pub fn rights(&self) -> Box<[bool]> {
        self.satisfied.iter().copied().chain([self.default_satisfied]).collect()
    }

    pub fn class(&self) -> AccessClass {
        self.class
    }

    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    pub fn is_read_only(&self) -> bool {
        self.rules.read_only
    }

    /// Whether `operation` is allowed on the file or folder that `path` spells, whether or not it exists.
    ///
    /// - Under `read_only` everything but reading is refused, wherever.
    /// - Hidden names, `.obsidian`, `.git` and `.trash` in any spelling among them, are out of reach for everybody.
    /// - What is done must be allowed by its own list, by the list for reading and by the last rule that matches: who may
    ///   not read a file may not replace or delete it either, or the outcome would tell what is there.
    pub fn decide(&self, path: &str, operation: Operation) -> Decision {
        let judged = self.judge_text(path, operation);
        let spelled = spelled_path(path.trim_end_matches('/'), self.rules.folds_case);
        let rule = self.find_rule(&spelled).map(|(rule, _)| &rule.glob);
        let listed = || self.rules.list(operation)?.iter().find(|glob| glob.matches(&spelled));
        Decision {
            allowed: judged.is_ok(),
            matched_rule: rule.or_else(listed).map(|glob| glob.text.clone()),
            kill_switch: matches!(judged, Err(Denial::ReadOnly)),
            denied_by: judged.err().map(|denial| denial.to_string()),
        }
    }

    fn judge_text(&self, path: &str, operation: Operation) -> Result<(), Denial<'_>> {
        if operation != Operation::Read && self.rules.read_only {
            return Err(Denial::ReadOnly);
        }
        // The vault itself: what is in it is shown as far as it may be, but it is no file.
        if matches!(path, "" | "/") {
            return if operation == Operation::Read { Ok(()) } else { Err(Denial::Path(PathError::Empty, None)) };
        }
        match NotePath::parse(path.strip_suffix('/').unwrap_or(path)) {
            Ok(path) => self.judge(path.as_str(), operation),
            Err(error) => Err(Denial::Path(error, path.split('/').find_map(find_reserved))),
        }
    }

    /// The same for a path that was parsed, so that it is known to be no hidden one.
    pub(crate) fn permits(&self, path: &NotePath, operation: Operation) -> Result<(), Denial<'_>> {
        if self.allows_all[operation as usize] { Ok(()) } else { self.judge(path.as_str(), operation) }
    }

    pub(crate) fn reads(&self, path: &NotePath) -> bool {
        self.permits(path, Operation::Read).is_ok()
    }

    pub(crate) fn reads_all(&self) -> bool {
        self.allows_all[Operation::Read as usize]
    }

    /// Whether something below the folder may be readable; `false` is certain.
    pub(crate) fn may_read_below(&self, folder: &FolderPath) -> bool {
        self.reads_all() || self.may_show_below(&spelled_path(folder.as_str(), self.rules.folds_case))
    }

    /// Whether a file with a second name elsewhere is refused, which may lie where the list does not reach.
    pub(crate) fn wants_single_names(&self, operation: Operation) -> bool {
        self.rules.list(operation).is_some()
    }

    fn judge(&self, path: &str, operation: Operation) -> Result<(), Denial<'_>> {
        let rules = &*self.rules;
        if operation != Operation::Read && rules.read_only {
            return Err(Denial::ReadOnly);
        }
        if rules.folds_case && !self.allows_all[operation as usize] && path.split('/').any(is_alias) {
            return Err(Denial::Alias);
        }
        let spelled = spelled_path(path, rules.folds_case);
        let is_listed = |globs: &[_]| globs.iter().any(|glob: &glob::Glob| glob.matches(&spelled));
        if rules.is_strict {
            return Err(Denial::Strict);
        }
        for listed in [Operation::Read, operation] {
            if !rules.list(listed).is_none_or(is_listed) {
                return Err(Denial::List(listed));
            }
        }
        match self.find_rule(&spelled) {
            Some((_, true)) => Ok(()),
            Some((rule, false)) => Err(Denial::Rule(rule)),
            None if self.default_satisfied => Ok(()),
            None => Err(Denial::Default(&rules.default_scopes)),
        }
    }

    /// The rule that counts for a path, and whether it is satisfied.
    fn find_rule(&self, spelled: &str) -> Option<(&Rule, bool)> {
        let mut rules = self.rules.rules.iter().zip(&self.satisfied).rev();
        rules.find(|(rule, _)| rule.glob.matches(spelled)).map(|(rule, satisfied)| (rule, *satisfied))
    }
}

impl fmt::Display for Denial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denial::ReadOnly => f.write_str("readOnly"),
            Denial::Path(_, Some(reserved)) => write!(f, "{reserved}/**"),
            Denial::Path(error, None) => write!(f, "{error}"),
            Denial::Alias => f.write_str("a short name such as PRIVAT~1, which may stand for another one"),
            Denial::Strict => f.write_str("strictReadDefault"),
            Denial::List(operation) => write!(f, "{operation}Paths"),
            Denial::Rule(rule) => write!(f, "rules: {} requires {}", rule.glob.text, rule.scopes.join(", ")),
            Denial::Default(scopes) => write!(f, "defaultScopes: {}", scopes.join(", ")),
        }
    }
}

fn class_of(rules: &Rules, satisfied: &[bool], default_satisfied: bool) -> AccessClass {
    let digest = Sha256::new_with_prefix(rules.fingerprint)
        .chain_update(satisfied.iter().map(|satisfied| u8::from(*satisfied)).collect::<Vec<u8>>())
        .chain_update([u8::from(default_satisfied)])
        .finalize();
    AccessClass(digest.first_chunk().map(|class| u128::from_be_bytes(*class)))
}
