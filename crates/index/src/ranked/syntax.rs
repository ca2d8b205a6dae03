//! Reads a query as people type it. Little is an error: open quotes are closed, unknown prefixes are words.

use jiff::Zoned;

use super::QueryError;
use super::dates::DateRange;
use super::filter::{COMPARISONS, Comparison, Filter, fold};

/// Deeper parentheses are read as if they were not there.
const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Word(String),
    Phrase(String),
    Filter(Filter),
    Not(Box<Node>),
    /// `+word`, or a neighbour of `AND`.
    Must(Box<Node>),
    /// Side by side: words may match, all else must.
    All(Vec<Node>),
    Any(Vec<Node>),
}

pub(crate) fn parse(text: &str, now: &Zoned) -> Result<Node, QueryError> {
    let mut reader = Reader { rest: text, now, depth: 0 };
    let mut groups = Vec::new();
    while !reader.rest.is_empty() {
        groups.push(reader.alternatives()?);
        // Only a parenthesis that was never opened stops before the end.
        reader.rest = reader.rest.strip_prefix(')').unwrap_or(reader.rest);
    }
    Ok(single(groups, Node::All))
}

struct Reader<'a> {
    rest: &'a str,
    now: &'a Zoned,
    depth: usize,
}

fn single(mut nodes: Vec<Node>, combine: fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            combine(nodes)
        }
        None => combine(nodes),
    }
}

impl<'a> Reader<'a> {
    /// `OR` binds loosest: `a b OR c d` is `(a b) OR (c d)`, as in Obsidian.
    fn alternatives(&mut self) -> Result<Node, QueryError> {
        let mut alternatives = Vec::new();
        loop {
            let sequence = self.sequence()?;
            if sequence != Node::All(Vec::new()) {
                alternatives.push(sequence);
            }
            if !self.eat_keyword("OR") {
                return Ok(if alternatives.is_empty() { Node::All(alternatives) } else { single(alternatives, Node::Any) });
            }
        }
    }

    fn sequence(&mut self) -> Result<Node, QueryError> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut is_required = false;
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with(')') || self.is_keyword("OR") {
                return Ok(single(nodes, Node::All));
            }
            if self.eat_keyword("AND") {
                if let Some(before) = nodes.pop() {
                    nodes.push(required(before));
                }
                is_required = true;
                continue;
            }
            let Some(node) = self.operand()? else { continue };
            nodes.push(if std::mem::take(&mut is_required) { required(node) } else { node });
        }
    }

    fn operand(&mut self) -> Result<Option<Node>, QueryError> {
        let negated = self.eat_keyword("NOT") || self.eat_sign('-');
        let must = !negated && self.eat_sign('+');
        self.rest = if negated || must { self.rest.trim_start_matches(['-', '+', ' ']) } else { self.rest };
        Ok(self.unsigned_operand()?.map(|node| match (negated, must) {
            (true, _) => Node::Not(Box::new(node)),
            (false, true) => required(node),
            (false, false) => node,
        }))
    }

    fn unsigned_operand(&mut self) -> Result<Option<Node>, QueryError> {
        Ok(match self.rest.chars().next() {
            None | Some(')') => None,
            Some('(') => self.group()?,
            Some('"') => Some(Node::Phrase(self.quoted().to_owned())).filter(|node| *node != Node::Phrase(String::new())),
            Some('[') if self.has_bracketed_property() => Some(self.bracketed_property()),
            Some(_) => self.word_or_filter()?,
        })
    }

    fn group(&mut self) -> Result<Option<Node>, QueryError> {
        self.rest = &self.rest[1..];
        if self.depth == DEEPEST {
            return Ok(None);
        }
        self.depth += 1;
        let node = self.alternatives()?;
        self.depth -= 1;
        self.rest = self.rest.strip_prefix(')').unwrap_or(self.rest);
        Ok(Some(node).filter(|node| *node != Node::All(Vec::new())))
    }

    fn word_or_filter(&mut self) -> Result<Option<Node>, QueryError> {
        let name_end = self.rest.find(|next: char| !next.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let name = self.rest[..name_end].to_ascii_lowercase();
        if let Some(value) = self.rest[name_end..].strip_prefix(':')
            && is_operator(&name)
            && !value.is_empty()
            && !value.starts_with([' ', '\t', '\n', ')'])
        {
            self.rest = value;
            // Where in the note it stands makes no difference here.
            if is_scope(&name) {
                return self.unsigned_operand();
            }
            let value = self.value();
            return make_filter(&name, &value, self.now).map(|filter| Some(Node::Filter(filter)));
        }
        let is_end = |next: char| next.is_whitespace() || matches!(next, '(' | ')' | '"');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end.max(self.rest.chars().next().map_or(0, char::len_utf8)));
        self.rest = rest;
        Ok(Some(Node::Word(word.to_owned())))
    }

    /// What follows an operator: up to a space outside of quotes, or the parenthesis that closes the group.
    fn value(&mut self) -> String {
        let mut value = String::new();
        let mut open = 0;
        while let Some(next) = self.rest.chars().next() {
            match next {
                '"' => {
                    value.push_str(self.quoted());
                    continue;
                }
                '(' => open += 1,
                ')' if open == 0 => break,
                ')' => open -= 1,
                _ if next.is_whitespace() => break,
                _ => {}
            }
            value.push(next);
            self.rest = &self.rest[next.len_utf8()..];
        }
        value
    }

    fn quoted(&mut self) -> &'a str {
        let inside = &self.rest[1..];
        let (text, rest) = inside.split_once('"').unwrap_or((inside, ""));
        self.rest = rest;
        text.trim()
    }

    /// Obsidian's `[key]` and `[key:value]`; `[[link]]` and `[ ]` are words.
    fn has_bracketed_property(&self) -> bool {
        let inside = &self.rest[1..];
        inside.find(']').is_some_and(|end| {
            let key = inside[..end].split(':').next().unwrap_or_default().trim();
            !key.is_empty() && !inside[..end].contains(['[', '(', '\n']) && key.starts_with(char::is_alphabetic)
        })
    }

    fn bracketed_property(&mut self) -> Node {
        let (inside, rest) = self.rest[1..].split_once(']').unwrap_or_default();
        self.rest = rest;
        let Some((key, value)) = inside.split_once(':') else {
            return Node::Filter(Filter::Property { key: fold(inside.trim()), test: None });
        };
        let value = value.trim().trim_matches('"');
        let found = COMPARISONS.iter().find_map(|(sign, comparison)| Some((*comparison, value.strip_prefix(sign)?)));
        let (comparison, value) = found.unwrap_or((Comparison::Equal, value));
        Node::Filter(Filter::Property { key: fold(key.trim()), test: Some((comparison, fold(value.trim()))) })
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        let rest = self.rest.strip_prefix(keyword);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|next: char| next.is_whitespace() || "()\"".contains(next)))
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.rest = self.rest[keyword.len()..].trim_start();
        }
        found
    }

    fn eat_sign(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(char::is_whitespace))
    }
}

fn required(node: Node) -> Node {
    match node {
        Node::Word(_) | Node::All(_) | Node::Any(_) => Node::Must(Box::new(node)),
        already => already,
    }
}

fn is_operator(name: &str) -> bool {
    let known = ["tag", "path", "file", "prop", "property", "created", "modified", "last"];
    known.contains(&name) || is_scope(name)
}

/// Obsidian's prefixes that narrow where in a note words stand; the ranking does that better.
fn is_scope(name: &str) -> bool {
    matches!(name, "content" | "line" | "section" | "block")
}

fn make_filter(name: &str, value: &str, now: &Zoned) -> Result<Filter, QueryError> {
    Ok(match name {
        "tag" => Filter::Tag(fold(value.trim_start_matches('#').trim_end_matches('/'))),
        "path" => Filter::Path(fold(value)),
        "file" => Filter::File(fold(value)),
        "created" => Filter::Created(DateRange::parse(value, now)?),
        "modified" => Filter::Modified(DateRange::parse(value, now)?),
        "last" => Filter::Modified(DateRange::parse(&format!("last{value}"), now)?),
        _ => property_filter(value),
    })
}

fn property_filter(value: &str) -> Filter {
    let sign_at = value.find(['=', '<', '>', '!']).unwrap_or(value.len());
    let (key, test) = value.split_at(sign_at);
    let found = COMPARISONS.iter().find_map(|(sign, comparison)| Some((*comparison, test.strip_prefix(sign)?)));
    match found {
        Some((comparison, wanted)) => Filter::Property { key: fold(key.trim()), test: Some((comparison, fold(wanted.trim()))) },
        None => Filter::Property { key: fold(value.trim()), test: None },
    }
}
