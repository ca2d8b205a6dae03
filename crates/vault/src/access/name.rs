//! One name of a glob, matched character by character. (globset matches bytes, for which `?` is not `Ü`.)

/// A name with wildcards: `*` for any run of characters, `?` for one, `[a-z]` and `[!a-z]` for one of some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WildName {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Plain(char),
    One,
    Run,
    Class { is_negated: bool, ranges: Vec<(char, char)> },
}

impl WildName {
    pub(crate) fn compile(text: &str) -> Result<WildName, String> {
        let mut parts = Vec::new();
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            let part = match character {
                '*' => Part::Run,
                '?' => Part::One,
                '[' => compile_class(&mut rest)?,
                '\\' => Part::Plain(rest.next().ok_or("it ends in a backslash")?),
                plain => Part::Plain(plain),
            };
            parts.push(part);
        }
        Ok(WildName { parts })
    }

    /// The name itself, if nothing in it is a wildcard.
    pub(crate) fn find_literal(&self) -> Option<String> {
        let plain = |part: &Part| if let Part::Plain(character) = part { Some(*character) } else { None };
        self.parts.iter().map(plain).collect()
    }

    /// Where it does not go on, the last `*` takes one character more.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (mut part, mut rest) = (0, name.chars());
        let mut last_run = None;
        loop {
            let here = rest.clone();
            let next = rest.next();
            match (self.parts.get(part), next) {
                (Some(Part::Run), _) if !self.parts[part + 1..].contains(&Part::Run) => {
                    return ends_in(here, &self.parts[part + 1..]);
                }
                (Some(Part::Run), _) => {
                    rest = here;
                    part += 1;
                    last_run = Some((part, rest.clone()));
                    continue;
                }
                (Some(expected), Some(character)) if expected.takes(character) => {
                    part += 1;
                    continue;
                }
                (None, None) => return true,
                _ => {}
            }
            let Some((after, taken)) = &mut last_run else { return false };
            if taken.next().is_none() {
                return false;
            }
            (part, rest) = (*after, taken.clone());
        }
    }
}

/// Whether the last characters are these, whatever comes before.
fn ends_in(text: std::str::Chars<'_>, parts: &[Part]) -> bool {
    let mut backwards = text.rev();
    parts.iter().rev().all(|part| backwards.next().is_some_and(|character| part.takes(character)))
}

impl Part {
    fn takes(&self, character: char) -> bool {
        match self {
            Part::Plain(plain) => *plain == character,
            Part::One => true,
            Part::Run => false,
            Part::Class { is_negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&character)) != *is_negated
            }
        }
    }
}

/// What follows a `[`. A `]` right at the beginning is one of the characters.
fn compile_class(rest: &mut std::str::Chars<'_>) -> Result<Part, String> {
    let unclosed = || "it has a [ without its ]".to_owned();
    let mut ranges = Vec::new();
    let mut first = rest.next().ok_or_else(unclosed)?;
    let is_negated = matches!(first, '!' | '^');
    if is_negated {
        first = rest.next().ok_or_else(unclosed)?;
    }
    loop {
        if first == '\\' {
            first = rest.next().ok_or_else(unclosed)?;
        }
        let mut next = rest.next().ok_or_else(unclosed)?;
        let mut last = first;
        // A hyphen at the end is a hyphen.
        if next == '-' && !rest.as_str().starts_with(']') {
            last = rest.next().ok_or_else(unclosed)?;
            next = rest.next().ok_or_else(unclosed)?;
        }
        if first > last {
            return Err(format!("the range {first}-{last} is the wrong way round"));
        }
        ranges.push((first, last));
        match next {
            ']' => return Ok(Part::Class { is_negated, ranges }),
            other => first = other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, matching: &[&str], others: &[&str]) {
        let name = WildName::compile(glob).expect("a glob");
        matching.iter().for_each(|text| assert!(name.matches(text), "{glob} should match {text}"));
        others.iter().for_each(|text| assert!(!name.matches(text), "{glob} should not match {text}"));
    }

    #[test]
    fn wildcards_stand_for_characters_of_any_script() {
        check("?", &["a", "Ü", "日", "🙂"], &["", "ab"]);
        check("*", &["", "a", "Übung.md"], &[]);
        check("a*b*c", &["abc", "aXbYc", "abbcc", "abcbc"], &["ab", "acb", "abcd"]);
        check("*.md", &["a.md", ".md", "a.md.md"], &["a.mdx", "md"]);
        check("[ä-ü]x", &["öx"], &["ox", "x", "ööx"]);
        check("[!a-c]", &["d", "ß"], &["a", "b", "cd"]);
        check("[]a-]", &["]", "a", "-"], &["b"]);
        check(r"[\]]", &["]"], &["\\"]);
        check(r"\*\?", &["*?"], &["ab"]);
    }

    #[test]
    fn a_name_without_wildcard_is_itself() {
        let literal = |text: &str| WildName::compile(text).expect("a glob").find_literal();
        assert_eq!(literal("Übung 1.md").as_deref(), Some("Übung 1.md"));
        assert_eq!(literal(r"a\*b").as_deref(), Some("a*b"));
        assert_eq!(literal("a*b"), None);
    }

    #[test]
    fn many_stars_do_not_take_long() {
        let name = WildName::compile(&format!("{}c", "a*".repeat(60))).expect("a glob");
        assert!(!name.matches(&format!("{}b", "a".repeat(30)).repeat(7)));
    }
}
