//! What a text must contain for a regular expression to match it.

use caseless::Caseless;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::grams::Needed;

/// A class of more characters than this is taken for anything.
const LARGEST_CLASS: usize = 16;
/// A repeated text is written out at most this often.
const MOST_REPEATS: u32 = 16;

/// An expression that cannot be read asks for nothing: whoever runs it will say what is wrong.
pub(crate) fn needed_by(pattern: &str, ignore_case: bool) -> Needed {
    let parsed = ParserBuilder::new().case_insensitive(ignore_case).multi_line(true).utf8(false).build().parse(pattern);
    parsed.map_or(Needed::Anything, |expression| needed(&expression))
}

fn needed(expression: &Hir) -> Needed {
    if let Some(text) = exact_text(expression) {
        return Needed::for_folded(&text);
    }
    match expression.kind() {
        HirKind::Capture(capture) => needed(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => needed(&repetition.sub),
        HirKind::Alternation(choices) => Needed::any_of(choices.iter().map(needed).collect()),
        HirKind::Concat(parts) => needed_in_sequence(parts),
        _ => Needed::Anything,
    }
}

/// Neighbours that are plain text make up longer ones.
fn needed_in_sequence(parts: &[Hir]) -> Needed {
    let mut all = Vec::new();
    let mut run = String::new();
    for part in parts {
        match exact_text(part) {
            Some(text) => run.push_str(&text),
            None => {
                all.push(Needed::for_folded(&run));
                all.push(needed(part));
                run.clear();
            }
        }
    }
    all.push(Needed::for_folded(&run));
    Needed::all(all)
}

/// The one text, folded, that the expression stands for, if it does.
fn exact_text(expression: &Hir) -> Option<String> {
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(String::new()),
        HirKind::Literal(literal) => Some(std::str::from_utf8(&literal.0).ok()?.chars().default_case_fold().collect()),
        HirKind::Class(class) => exact_class(class),
        HirKind::Capture(capture) => exact_text(&capture.sub),
        HirKind::Repetition(repetition) => {
            let times = repetition.max.filter(|max| *max == repetition.min && *max <= MOST_REPEATS)?;
            Some(exact_text(&repetition.sub)?.repeat(times as usize))
        }
        HirKind::Concat(parts) => parts.iter().map(exact_text).collect(),
        HirKind::Alternation(_) => None,
    }
}

/// A class whose characters differ in case only, as the parser makes them of letters when case is ignored.
fn exact_class(class: &Class) -> Option<String> {
    let characters: Vec<char> = match class {
        Class::Unicode(class) => class.iter().flat_map(|range| range.start()..=range.end()).take(LARGEST_CLASS + 1).collect(),
        Class::Bytes(class) => {
            let bytes = class.iter().flat_map(|range| range.start()..=range.end()).take(LARGEST_CLASS + 1);
            bytes.map(|byte| byte.is_ascii().then_some(char::from(byte))).collect::<Option<_>>()?
        }
    };
    if characters.len() > LARGEST_CLASS {
        return None;
    }
    let mut folded = characters.iter().map(|character| std::iter::once(*character).default_case_fold().collect::<String>());
    let first = folded.next()?;
    folded.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: Needed) {
        assert_eq!(needed_by(pattern, false), expected, "{pattern}");
    }

    fn literal(text: &str) -> Needed {
        Needed::for_folded(text)
    }

    #[test]
    fn plain_text_is_needed_as_a_whole() {
        check("needle", literal("needle"));
        check(r"\bneed(le)\b", literal("needle"));
        check("(?i)Needle", literal("needle"));
        check("n(?:e){2}dle", literal("needle"));
        check("(?i)straße", literal("strasse"));
    }

    #[test]
    fn text_around_the_unknown_is_needed_too() {
        check(r"QZX-20\d{5}-end", Needed::all(vec![literal("qzx-20"), literal("-end")]));
        check("(abc)+x*", literal("abc"));
    }

    #[test]
    fn one_of_several_texts_is_needed() {
        check(
            "alpha|(?:gamma|omega)x",
            Needed::any_of(vec![literal("alpha"), Needed::any_of(vec![literal("gamma"), literal("omega")])]),
        );
    }

    #[test]
    fn little_or_nothing_is_needed_by_little_or_nothing() {
        for pattern in ["", "ab", r"\d+", "abc|.", "(abc)?", "(abc)*x", "[a-z]{3}", "a.b.c", "("] {
            check(pattern, Needed::Anything);
        }
    }

    /// What the expression's own folding takes for equal, ours must too, or a match would be missed.
    #[test]
    fn characters_that_expressions_take_for_equal_fold_alike() {
        let fold = |character: char| std::iter::once(character).default_case_fold().collect::<String>();
        for character in ('\0'..=char::MAX).filter(|character| fold(*character) != character.to_string()) {
            let pattern = format!("(?i){}", regex_syntax::escape(&character.to_string()));
            let parsed = regex_syntax::parse(&pattern).expect("an escaped character is an expression");
            assert_eq!(exact_text(&parsed), Some(fold(character)), "{character:?}");
        }
    }
}
