//! Reading a search.

use super::{Bound, Comparison, Fact, PropertyTest, SCOPES, Search, Term, is_date};
use crate::fault::SyntaxError;
use crate::pattern::Pattern;

/// Deeper nesting is nobody's.
const DEEPEST: usize = 64;
/// Operators besides those that say in what part of a text.
const NAMES: [&str; 5] = ["file", "path", "tag", "match-case", "ignore-case"];

pub(super) fn parse(text: &str) -> Result<Search, SyntaxError> {
    let mut parser = Parser { text, at: 0, facts: 0, depth: 0 };
    let root = parser.any_of()?;
    match parser.peek() {
        None if matches!(&root, Term::All(terms) if terms.is_empty()) => Err(parser.error("the search is empty")),
        None => Ok(Search { root, facts: parser.facts }),
        Some(_) => Err(parser.error("there is no bracket that this one closes")),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    facts: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Terms that must all hold, as alternatives with `OR` between them.
    fn any_of(&mut self) -> Result<Term, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("too many brackets within each other"));
        }
        let mut alternatives = vec![self.all()?];
        while self.take_or() {
            alternatives.push(self.all()?);
        }
        self.depth -= 1;
        // An `OR` with nothing beside it is still being written.
        alternatives.retain(|alternative| !matches!(alternative, Term::All(terms) if terms.is_empty()));
        Ok(if alternatives.is_empty() { Term::All(Vec::new()) } else { one_or(alternatives, Term::AnyOf) })
    }

    fn all(&mut self) -> Result<Term, SyntaxError> {
        let mut terms = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, ')' | ']') || self.is_or() {
                break;
            }
            terms.push(self.term()?);
        }
        Ok(one_or(terms, Term::All))
    }

    fn term(&mut self) -> Result<Term, SyntaxError> {
        let rest = self.rest();
        match rest.chars().next() {
            Some('-') if rest[1..].starts_with(|next: char| !next.is_whitespace()) => {
                self.at += 1;
                self.nested(|parser| Ok(Term::Not(Box::new(parser.term()?))))
            }
            Some('(') => {
                self.at += 1;
                let inside = self.any_of()?;
                self.close(')')?;
                Ok(inside)
            }
            Some('[') => self.property(),
            _ => match self.operator() {
                Some(name) => self.operand(name),
                None => self.atom(),
            },
        }
    }

    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Result<T, SyntaxError>) -> Result<T, SyntaxError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("too many terms within each other"));
        }
        let found = inside(self);
        self.depth -= 1;
        found
    }

    /// The name of an operator that stands here, without its colon.
    fn operator(&mut self) -> Option<&'static str> {
        let names = NAMES.into_iter().chain(SCOPES.into_iter().map(|(name, _)| name));
        let rest = self.rest();
        let written = |name: &&str| {
            rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) && rest[name.len()..].starts_with(':')
        };
        let name = names.into_iter().find(written)?;
        self.at += name.len() + 1;
        Some(name)
    }

    fn operand(&mut self, name: &'static str) -> Result<Term, SyntaxError> {
        let from = self.at;
        let inner = match self.rest().chars().next() {
            None => Term::Text(String::new()),
            Some(next) if next.is_whitespace() || next == ')' => Term::Text(String::new()),
            Some(_) => self.nested(Self::term)?,
        };
        let scope = SCOPES.iter().find(|(scope, _)| *scope == name).map(|(_, scope)| *scope);
        if let Some(scope) = scope {
            return Ok(Term::Inside(scope, Box::new(inner)));
        }
        let fact = match name {
            "file" => Fact::File(Box::new(inner)),
            "path" => Fact::Path(Box::new(inner)),
            "tag" => return self.tags(inner, from),
            _ => return Ok(Term::MatchCase(name == "match-case", Box::new(inner))),
        };
        Ok(self.fact(fact))
    }

    /// A tag, or several with `OR`, `-` and brackets.
    fn tags(&mut self, term: Term, from: usize) -> Result<Term, SyntaxError> {
        let mut several = |terms: Vec<Term>| terms.into_iter().map(|term| self.tags(term, from)).collect::<Result<_, _>>();
        Ok(match term {
            Term::All(terms) => Term::All(several(terms)?),
            Term::AnyOf(terms) => Term::AnyOf(several(terms)?),
            Term::Not(term) => Term::Not(Box::new(self.tags(*term, from)?)),
            Term::Text(tag) => self.fact(Fact::Tag(tag.trim_start_matches('#').to_owned())),
            _ => return Err(SyntaxError::at(self.text, from, "tag: takes tags, such as tag:#work or tag:(#work OR #home)")),
        })
    }

    fn fact(&mut self, fact: Fact) -> Term {
        self.facts += 1;
        Term::Fact(self.facts - 1, fact)
    }

    fn atom(&mut self) -> Result<Term, SyntaxError> {
        let rest = self.rest();
        if rest.starts_with('"') {
            return self.phrase().map(Term::Text);
        }
        if let Some(pattern) = self.pattern()? {
            return Ok(pattern);
        }
        let end =
            rest.find(|next: char| next.is_whitespace() || matches!(next, '(' | ')' | '"' | '[' | ']')).unwrap_or(rest.len());
        // A bracket or the like that begins nothing is a character as any other.
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        self.at += end;
        Ok(Term::Text(rest[..end].to_owned()))
    }

    /// `"…"`, in which `\"` is a quote.
    fn phrase(&mut self) -> Result<String, SyntaxError> {
        let start = self.at;
        let mut phrase = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + at + 1;
                    return Ok(phrase);
                }
                '\\' => match characters.next() {
                    Some((_, next @ ('"' | '\\'))) => phrase.push(next),
                    Some((_, next)) => phrase.extend(['\\', next]),
                    None => phrase.push('\\'),
                },
                _ => phrase.push(character),
            }
        }
        Err(SyntaxError::at(self.text, start, "the quote is not closed"))
    }

    /// `/…/`, if there is a slash that ends it before the word ends or anywhere behind.
    fn pattern(&mut self) -> Result<Option<Term>, SyntaxError> {
        let rest = self.rest();
        if !rest.starts_with('/') {
            return Ok(None);
        }
        let (mut is_escaped, mut in_class) = (false, false);
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class && at > 1 => {
                    let pattern = Pattern::new(&rest[1..at], "i");
                    let pattern = pattern.map_err(|error| SyntaxError::at(self.text, self.at, error.to_string()))?;
                    self.at += at + 1;
                    return Ok(Some(Term::Pattern(Box::new(pattern))));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// `[name]`, `[name:value]`
    fn property(&mut self) -> Result<Term, SyntaxError> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let name = match self.rest().starts_with('"') {
            true => self.phrase()?,
            false => {
                let end = self.rest().find([':', ']', '\n']).unwrap_or(self.rest().len());
                let name = self.rest()[..end].trim().to_owned();
                self.at += end;
                name
            }
        };
        if name.is_empty() {
            return Err(SyntaxError::at(self.text, start, "a property needs a name, as in [status] or [status:done]"));
        }
        self.skip_space();
        let value = match self.rest().strip_prefix(':') {
            None => PropertyTest::Present,
            Some(_) => {
                self.at += 1;
                self.property_test()?
            }
        };
        self.close(']')?;
        Ok(self.fact(Fact::Property { name, value }))
    }

    fn property_test(&mut self) -> Result<PropertyTest, SyntaxError> {
        self.skip_space();
        let end = self.rest().find(']').unwrap_or(self.rest().len());
        let written = self.rest()[..end].trim();
        if written == "null" || written.is_empty() {
            self.at += end;
            return Ok(if written.is_empty() { PropertyTest::Present } else { PropertyTest::Empty });
        }
        const SIGNS: [(&str, Comparison); 4] = [
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let compared = SIGNS.iter().find_map(|(sign, comparison)| Some((comparison, written.strip_prefix(sign)?)));
        if let Some((comparison, bound)) = compared {
            let bound = match bound.trim().parse() {
                Ok(number) => Bound::Number(number),
                Err(_) if is_date(bound.trim()) => Bound::Date(bound.trim().to_owned()),
                Err(_) => return Err(self.error("a number or a date is expected behind < and >")),
            };
            self.at += end;
            return Ok(PropertyTest::Compared(*comparison, bound));
        }
        self.any_of().map(|value| PropertyTest::Value(Box::new(value)))
    }

    fn take_or(&mut self) -> bool {
        let is_or = self.is_or();
        if is_or {
            self.at += 2;
        }
        is_or
    }

    fn is_or(&mut self) -> bool {
        self.skip_space();
        let behind = self.rest().strip_prefix("OR");
        behind.is_some_and(|rest| rest.is_empty() || rest.starts_with(|next: char| next.is_whitespace() || next == '('))
    }

    fn close(&mut self, bracket: char) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(next) if next == bracket => {
                self.at += 1;
                Ok(())
            }
            _ => Err(self.error(format!("a {bracket} is missing"))),
        }
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest().chars().next()
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, self.at, message)
    }
}

fn one_or(mut terms: Vec<Term>, several: impl FnOnce(Vec<Term>) -> Term) -> Term {
    if terms.len() == 1 { terms.remove(0) } else { several(terms) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &str) {
        let printed = match parse(query) {
            Ok(search) => search.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(printed, expected, "{query}");
    }

    #[test]
    fn what_is_written_is_understood() {
        check("a b OR c", r#"(("a" "b") OR "c")"#);
        check("a OR", r#""a""#);
        check("ORchid or", r#"("ORchid" "or")"#);
        check("- a", r#"("-" "a")"#);
        check("-a-b", r#"-"a-b""#);
        check(r#""say \"hi\"""#, r#""say \"hi\"""#);
        check("/a b/ c", r#"(/a b/ "c")"#);
        check("and/or", r#""and/or""#);
        check("https://a.b", r#""https://a.b""#);
        check("TAG:work", r##"tag:"#work""##);
        check("tag:(a OR -#b)", r##"(tag:"#a" OR -tag:"#b")"##);
        check("[on:<2024-05]", r#"["on":<2024-05]"#);
        check("[a b : c d]", r#"["a b":(("c" "d"))]"#);
        check("[n:>=5]", r#"["n":>=5]"#);
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        check("", "line 1, column 1: the search is empty");
        check("(a", "line 1, column 3: a ) is missing");
        check("a)", "line 1, column 2: there is no bracket that this one closes");
        check("a \"b", "line 1, column 3: the quote is not closed");
        check("[a:>x]", "line 1, column 4: a number or a date is expected behind < and >");
        check("[]", "line 1, column 1: a property needs a name, as in [status] or [status:done]");
        check("tag:/a/", "line 1, column 5: tag: takes tags, such as tag:#work or tag:(#work OR #home)");
        check("/(/", "line 1, column 1: the regular expression cannot be read: a parenthesis is not closed");
    }

    proptest! {
        #[test]
        fn printing_and_reading_is_the_identity(query in r#"([a-c]|"| |OR |-|\(|\)|\[|\]|:|/|\\|tag:|line:|file:|\[a:b\]|\[n:>1\]|é){0,24}"#) {
            if let Ok(search) = parse(&query) {
                let printed = search.to_string();
                let again = parse(&printed).map(|search| search.to_string());
                prop_assert_eq!(again, Ok(printed));
            }
        }

        #[test]
        fn nothing_makes_it_fail(query in any::<String>()) {
            let _ = parse(&query);
        }
    }

    #[test]
    fn nesting_has_an_end() {
        for deep in ["(", "-", "line:", "[a:"] {
            assert!(parse(&deep.repeat(100_000)).is_err(), "{deep}");
        }
    }

    #[test]
    fn the_page_of_queries_lists_every_operator() {
        let written = crate::documented::names(crate::documented::section("The app's search"));
        let operators: BTreeSet<&str> = written.iter().filter_map(|name| name.trim_end_matches("()").strip_suffix(':')).collect();
        crate::documented::assert_same(&operators, &NAMES.into_iter().chain(SCOPES.map(|(name, _)| name)).collect());
    }
}
