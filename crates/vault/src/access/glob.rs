//! Globs over paths of the vault: what they match, and what they could match below a folder.
//!
//! - `*`, `?` and `[a-z]` stay within one name, `**` stands for any number of folders, `{a,b}` for either.
//! - A glob whose last name has no wildcard covers that file or folder and everything below it: `Private`, `Private/` and
//!   `Private/**` mean the same, and so do `**/Private` and `**/Private/**`.
//! - A glob whose last name has a wildcard covers what it matches and nothing below: `Journal/*` is what lies directly in
//!   `Journal`.

use crate::access::name::WildName;
use crate::access::spelling::{spelled, spelled_name};

/// As many folders as fit into the bits of a state.
const MOST_NAMES: usize = 100;
const MOST_ALTERNATIVES: usize = 256;

/// A glob that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the glob \"{glob}\" cannot be used: {problem}; write for example Projects/** or **/*.md")]
pub struct GlobProblem {
    pub glob: String,
    pub problem: String,
}

/// A glob and the ways it can match, one for each choice among its alternatives.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    /// As the operator wrote it.
    pub(crate) text: String,
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug)]
struct Pattern {
    names: Vec<Name>,
    /// Where `**` stands; never twice in a row.
    any: States,
}

#[derive(Clone, Debug)]
enum Name {
    /// `**`: any number of names, also none.
    Any,
    Literal(String),
    Wild(WildName),
}

/// Which names of a pattern may come next; the bit behind the last one says that all were met.
type States = u128;

impl Glob {
    pub(crate) fn compile(text: &str, folds_case: bool) -> Result<Glob, GlobProblem> {
        let patterns = compile_alternatives(text, folds_case);
        let problem = |problem| GlobProblem { glob: text.to_owned(), problem };
        Ok(Glob { text: text.to_owned(), patterns: patterns.map_err(problem)? })
    }

    /// Paths here and below are spelled as `spelled` does.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.states(path) & pattern.end() != 0)
    }

    /// Whether something below the folder can match. The empty path is the vault itself.
    pub(crate) fn reaches_below(&self, folder: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.states(folder) & (pattern.end() - 1) != 0)
    }

    /// Whether everything below the folder matches.
    pub(crate) fn covers_below(&self, folder: &str) -> bool {
        self.patterns.iter().any(|pattern| {
            let ends_open = matches!(pattern.names.last(), Some(Name::Any));
            ends_open && pattern.states(folder) & (pattern.end() >> 1) != 0
        })
    }
}

impl Pattern {
    fn end(&self) -> States {
        1 << self.names.len()
    }

    fn states(&self, path: &str) -> States {
        let mut states = self.passing_over(1);
        for name in path.split('/').filter(|name| !name.is_empty()) {
            if states == 0 {
                break;
            }
            let mut next = states & self.any;
            let mut left = states & !self.any & (self.end() - 1);
            while left != 0 {
                let at = left.trailing_zeros();
                left &= left - 1;
                next |= States::from(self.names[at as usize].takes(name)) << (at + 1);
            }
            states = self.passing_over(next);
        }
        states
    }

    /// `**` may stand for nothing at all.
    fn passing_over(&self, states: States) -> States {
        states | (states & self.any) << 1
    }
}

impl Name {
    fn takes(&self, name: &str) -> bool {
        match self {
            Name::Any => true,
            Name::Literal(literal) => literal == name,
            Name::Wild(wild) => wild.matches(name),
        }
    }
}

fn compile_alternatives(text: &str, folds_case: bool) -> Result<Vec<Pattern>, String> {
    let plain = text.strip_prefix('/').unwrap_or(text);
    let mut alternatives = Vec::new();
    expand(&spelled(plain, folds_case), &mut alternatives)?;
    alternatives.iter().map(|alternative| compile_pattern(alternative, folds_case)).collect()
}

fn compile_pattern(text: &str, folds_case: bool) -> Result<Pattern, String> {
    let mut names: Vec<Name> = Vec::new();
    for name in text.strip_suffix('/').unwrap_or(text).split('/') {
        let name = match name {
            "" => return Err("it is empty or has an empty name".into()),
            "." | ".." => return Err(format!("it contains {name}, which no path has")),
            "**" if matches!(names.last(), Some(Name::Any)) => continue,
            "**" => Name::Any,
            name => compile_name(name, folds_case)?,
        };
        names.push(name);
    }
    // A folder without wildcard means what is in it.
    if matches!(names.last(), Some(Name::Literal(_))) {
        names.push(Name::Any);
    }
    if names.len() > MOST_NAMES {
        return Err(format!("it has more than {MOST_NAMES} names"));
    }
    let any = names.iter().enumerate().map(|(at, name)| States::from(matches!(name, Name::Any)) << at).sum();
    Ok(Pattern { names, any })
}

fn compile_name(name: &str, folds_case: bool) -> Result<Name, String> {
    let wild = WildName::compile(name)?;
    Ok(match wild.find_literal() {
        Some(literal) => Name::Literal(spelled_name(&literal, folds_case).into_owned()),
        None => Name::Wild(wild),
    })
}

/// All ways to choose among `{a,b}`, so that each can be looked at on its own.
fn expand(text: &str, expanded: &mut Vec<String>) -> Result<(), String> {
    let Some(braces) = find_braces(text)? else {
        if expanded.len() == MOST_ALTERNATIVES {
            return Err(format!("its braces stand for more than {MOST_ALTERNATIVES} globs"));
        }
        expanded.push(text.to_owned());
        return Ok(());
    };
    let (before, after) = (&text[..braces.start], &text[braces.end + 1..]);
    let mut start = braces.start + 1;
    for end in braces.commas.into_iter().chain([braces.end]) {
        expand(&format!("{before}{}{after}", &text[start..end]), expanded)?;
        start = end + 1;
    }
    Ok(())
}

/// Where the first braces are, and the commas that part what is in them.
struct Braces {
    start: usize,
    commas: Vec<usize>,
    end: usize,
}

fn find_braces(text: &str) -> Result<Option<Braces>, String> {
    let (mut depth, mut start, mut commas) = (0usize, 0, Vec::new());
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '[' => skip_class(&mut characters),
            '{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            ',' if depth == 1 => commas.push(at),
            '}' if depth == 1 => return Ok(Some(Braces { start, commas, end: at })),
            '}' if depth == 0 => return Err("it has a } without its {".into()),
            '}' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 { Err("it has a { without its }".into()) } else { Ok(None) }
}

/// Behind the `]` of `[a-z]`, `[!a]` or `[]a]`.
fn skip_class(characters: &mut std::str::CharIndices<'_>) {
    let mut rest = characters.clone();
    let mut is_first = true;
    while let Some((_, character)) = rest.next() {
        match character {
            '!' | '^' if is_first => continue,
            ']' if !is_first => {
                *characters = rest;
                return;
            }
            _ => is_first = false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Glob {
        Glob::compile(text, false).expect("a glob")
    }

    #[track_caller]
    fn check(text: &str, matching: &[&str], others: &[&str]) {
        let glob = glob(text);
        matching.iter().for_each(|path| assert!(glob.matches(path), "{text} should match {path}"));
        others.iter().for_each(|path| assert!(!glob.matches(path), "{text} should not match {path}"));
    }

    #[test]
    fn a_star_stays_in_its_folder_and_two_do_not() {
        check("*", &["a", "a.md"], &["a/b.md"]);
        check("*.md", &["a.md"], &["a/b.md", "a.txt"]);
        check("**", &["a", "a/b/c.md"], &[]);
        check("**/*.md", &["a.md", "a/b/c.md"], &["a", "a.png"]);
        check("Projects/*", &["Projects/a.md"], &["Projects", "Projects/a/b.md"]);
        check("a/**/z.md", &["a/z.md", "a/b/c/z.md"], &["z.md", "b/a/z.md", "a/z.txt"]);
        check("a?c/[x-z].md", &["abc/y.md"], &["ac/y.md", "abc/a.md", "a/c/y.md"]);
        check("**/**/a", &["a", "b/a", "b/c/a/d"], &["b"]);
    }

    #[test]
    fn a_folder_without_wildcard_means_what_is_in_it() {
        for text in ["Private", "Private/", "/Private", "Private/**", "/Private/**"] {
            check(text, &["Private", "Private/a.md", "Private/b/c.md"], &["Privates", "a/Private", "private", "Private.md"]);
        }
        check("**/Private", &["Private/a.md", "a/Private", "a/b/Private/c/d.md"], &["a/Privates/b.md"]);
        check("*/Private", &["a/Private/b/c.md"], &["Private/a.md", "a/b/Private/c.md"]);
    }

    #[test]
    fn braces_choose_and_each_choice_stands_alone() {
        check("**/*.{md,canvas}", &["a.md", "b/c.canvas"], &["a.png"]);
        check("{Private/*,Secret}", &["Private/a", "Secret", "Secret/b/c.md"], &["Private", "Private/a/b"]);
        check("{a,{b,c}/d}", &["a/x", "b/d", "c/d/y"], &["b", "d"]);
        check("x{,y}", &["x", "xy/z"], &["xz"]);
        check("[{]a", &["{a"], &["a"]);
    }

    #[test]
    fn a_backslash_makes_the_next_character_plain() {
        check(r"Notes \[2024\]", &["Notes [2024]", "Notes [2024]/a.md"], &["Notes 2"]);
        check(r"\{a\}", &["{a}"], &["a"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_by_name() {
        for text in ["", "/", "a//b", "../a", "a/./b", "[a", "{a", "a}", "[b-a]", &"a/".repeat(200), &"{a,b}".repeat(20)] {
            let problem = Glob::compile(text, false).expect_err(text);
            assert_eq!(problem.glob, text);
        }
    }

    #[test]
    fn it_is_known_what_a_folder_can_hold() {
        let below = |text: &str, folder: &str| (glob(text).reaches_below(folder), glob(text).covers_below(folder));
        assert_eq!(below("Projects/A/**", ""), (true, false));
        assert_eq!(below("Projects/A/**", "Projects"), (true, false));
        assert_eq!(below("Projects/A/**", "Projects/A"), (true, true));
        assert_eq!(below("Projects/A/**", "Projects/A/b"), (true, true));
        assert_eq!(below("Projects/A/**", "Projects/B"), (false, false));
        assert_eq!(below("**/*.md", "anything/at/all"), (true, false));
        assert_eq!(below("**", ""), (true, true));
        assert_eq!(below("a/*", "a"), (true, false));
        assert_eq!(below("a/*", "a/b"), (false, false));
    }
}
