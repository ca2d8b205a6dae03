//! Calls of a template's commands: a name, and arguments that are literals.

use super::Scope;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    Text(String),
    Number(f64),
    Bool(bool),
}

/// A dotted name and what stands in parentheses behind it, if there are any.
#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    pub name: &'a str,
    pub arguments: Option<Vec<Argument>>,
}

const NOT_LITERAL: &str = "only commands with literal arguments are filled in; no script is run";

/// Reads `tp.a.b`, `tp.a.b(…)` or `tp.a["b"]`, the latter as `tp.a.b`.
pub(super) fn call<'a>(expression: &'a str, scope: &Scope<'_>) -> Result<Call<'a>, String> {
    let not_literal = || NOT_LITERAL.to_owned();
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | '$' | '-');
    let end = expression.find(|character| !is_name(character)).unwrap_or(expression.len());
    let (name, rest) = expression.split_at(end);
    let rest = rest.trim_start();
    if rest.is_empty() {
        return Ok(Call { name, arguments: None });
    }
    if let Some(key) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let key = key.trim();
        let quoted = key.len() > 2 && (key.starts_with('"') || key.starts_with('\'')) && key.ends_with(&key[..1]);
        // The key goes on where the name ends: the caller looks at what follows `tp.frontmatter`.
        return match name == "tp.frontmatter" && quoted && !key[1..key.len() - 1].contains(['"', '\'', '\\']) {
            true => Ok(Call { name: &key[1..key.len() - 1], arguments: Some(vec![Argument::Text("frontmatter".to_owned())]) }),
            false => Err(not_literal()),
        };
    }
    let inside = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).ok_or_else(not_literal)?;
    Ok(Call { name, arguments: Some(list(inside, scope)?) })
}

fn list(text: &str, scope: &Scope<'_>) -> Result<Vec<Argument>, String> {
    let mut arguments = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (argument, after) = one(rest, scope)?;
        arguments.push(argument);
        rest = after.trim_start();
        rest = match rest.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if rest.is_empty() => rest,
            None => return Err(NOT_LITERAL.to_owned()),
        };
    }
    Ok(arguments)
}

fn one<'a>(text: &'a str, scope: &Scope<'_>) -> Result<(Argument, &'a str), String> {
    if let Some(quote) = text.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`')) {
        return quoted(&text[1..], quote);
    }
    let end = text.find(',').unwrap_or(text.len());
    let (word, after) = text.split_at(end);
    let argument = match word.trim() {
        "true" => Argument::Bool(true),
        "false" => Argument::Bool(false),
        // The one value that is nearly always given as the reference of a date.
        "tp.file.title" => Argument::Text(scope.title().to_owned()),
        number => Argument::Number(number.parse().ok().filter(|number: &f64| number.is_finite()).ok_or(NOT_LITERAL)?),
    };
    Ok((argument, after))
}

fn quoted(text: &str, quote: char) -> Result<(Argument, &str), String> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some((_, 'n')) => value.push('\n'),
                Some((_, 't')) => value.push('\t'),
                Some((_, escaped)) if !escaped.is_alphanumeric() => value.push(escaped),
                _ => return Err("an escape in a text is not understood".to_owned()),
            },
            '$' if quote == '`' && text[at..].starts_with("${") => return Err(NOT_LITERAL.to_owned()),
            character if character == quote => return Ok((Argument::Text(value), &text[at + 1..])),
            character => value.push(character),
        }
    }
    Err("a text is not closed".to_owned())
}
