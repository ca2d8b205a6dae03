//! Every expected value below is what a JavaScript engine says to the same expression and text.

use proptest::prelude::*;

use super::*;
use crate::budget::Budget;

/// Expression, flags, text; the groups of every match, the whole first, empty where one took no part.
const MATCHES: &[(&str, &str, &str, &[&[&str]])] = &[
    ("a", "g", "banana", &[&["a"], &["a"], &["a"]]),
    ("a", "", "banana", &[&["a"]]),
    ("A", "i", "banana", &[&["a"]]),
    ("A", "gi", "banana", &[&["a"], &["a"], &["a"]]),
    ("^b", "gm", "b\nb\r\nb", &[&["b"], &["b"], &["b"]]),
    ("a$", "gm", "a\na\r\na", &[&["a"], &["a"], &["a"]]),
    ("^b", "g", "b\nb", &[&["b"]]),
    (".", "g", "a\n\r\u{2028}b", &[&["a"], &["b"]]),
    (".", "gs", "a\nb", &[&["a"], &["\n"], &["b"]]),
    (r"\d+", "g", "12 ٣٤ 56", &[&["12"], &["56"]]),
    (r"\w+", "g", "héllo wörld_1", &[&["h"], &["llo"], &["w"], &["rld_1"]]),
    (r"\s", "g", "a b\u{a0}c\u{feff}d\u{2003}e", &[&[" "], &["\u{a0}"], &["\u{feff}"], &["\u{2003}"]]),
    (r"\S+", "g", "a b\u{a0}c", &[&["a"], &["b"], &["c"]]),
    (r"\W", "g", "a-é", &[&["-"], &["é"]]),
    (r"\D", "g", "a1é", &[&["a"], &["é"]]),
    (r"\bfoo\b", "g", "foo éfooé foo_ foo", &[&["foo"], &["foo"], &["foo"]]),
    (r"\Boo", "g", "foo oo", &[&["oo"]]),
    ("[^]", "g", "a\nb", &[&["a"], &["\n"], &["b"]]),
    ("[]", "g", "ab", &[]),
    ("[]|b", "g", "ab", &[&["b"]]),
    (r"\cJ", "g", "a\nb", &[&["\n"]]),
    (r"\u0041", "g", "AaA", &[&["A"], &["A"]]),
    (r"\u{41}", "gu", "AaA", &[&["A"], &["A"]]),
    (r"\u{41}", "g", "uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu", &[&["uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu"]]),
    (r"a\/b", "g", "a/b", &[&["a/b"]]),
    (r"\x41", "g", "A", &[&["A"]]),
    (r"(?<year>\d{4})-(?<month>\d\d)", "", "on 2024-05-06", &[&["2024-05", "2024", "05"]]),
    ("(a)|(b)", "g", "ab", &[&["a", "a", ""], &["b", "", "b"]]),
    ("foo(?=bar)", "g", "foobar foobaz", &[&["foo"]]),
    ("foo(?!bar)", "g", "foobar foobaz", &[&["foo"]]),
    (r"(?<=\$)\d+", "g", "$12 13", &[&["12"]]),
    (r"(?<!\$)\b\d+", "g", "$12 13", &[&["13"]]),
    (r"(\w)\1", "g", "aabbcd", &[&["aa", "a"], &["bb", "b"]]),
    (r"(?<c>\w)\k<c>", "g", "aabbcd", &[&["aa", "a"], &["bb", "b"]]),
    (r"(a)?\1b", "g", "b aab", &[&["b", ""], &["aab", "a"]]),
    (r"\1(a)", "g", "aa", &[&["a", "a"], &["a", "a"]]),
    (r"(a)\1", "gi", "aA", &[&["aA", "a"]]),
    ("a{2}", "g", "aaaa", &[&["aa"], &["aa"]]),
    ("a{2,}", "g", "aaaa", &[&["aaaa"]]),
    ("a{1,2}?", "g", "aaa", &[&["a"], &["a"], &["a"]]),
    ("a{", "g", "a{", &[&["a{"]]),
    ("a{x}", "g", "a{x}", &[&["a{x}"]]),
    ("a{,2}", "g", "a{,2}", &[&["a{,2}"]]),
    ("]", "g", "a]b", &[&["]"]]),
    ("}", "g", "}", &[&["}"]]),
    ("[a-c]", "g", "abcd", &[&["a"], &["b"], &["c"]]),
    (r"[a\-c]", "g", "a-bc", &[&["a"], &["-"], &["c"]]),
    ("[-a]", "g", "-a", &[&["-"], &["a"]]),
    ("[a-]", "g", "-a", &[&["-"], &["a"]]),
    (r"[\w-]", "g", "a-b c", &[&["a"], &["-"], &["b"], &["c"]]),
    (r"[\w-z]", "g", "a-z!", &[&["a"], &["-"], &["z"]]),
    (r"[^\S\n]", "g", " \n\t", &[&[" "], &["\t"]]),
    (r"[\b]", "g", "a\u{8}b", &[&["\u{8}"]]),
    ("[[]", "g", "[a]", &[&["["]]),
    ("[&&a]", "g", "&a", &[&["&"], &["a"]]),
    ("[a~~b]", "g", "a~b", &[&["a"], &["~"], &["b"]]),
    ("[--/]", "g", "-./", &[&["-"], &["."], &["/"]]),
    ("[.]", "g", "a.b", &[&["."]]),
    ("[(]", "g", "(", &[&["("]]),
    ("(?:ab)+", "g", "ababab", &[&["ababab"]]),
    ("a|ab", "g", "ab", &[&["a"]]),
    ("", "g", "ab", &[&[""], &[""], &[""]]),
    ("x*", "g", "axb", &[&[""], &["x"], &[""], &[""]]),
    ("a", "y", "ba", &[]),
    ("a", "gy", "aab", &[&["a"], &["a"]]),
    (r"\p{L}+", "gu", "añb1", &[&["añb"]]),
    (r"\P{L}", "gu", "a1", &[&["1"]]),
    (r"\p{Script=Greek}", "gu", "aβ", &[&["β"]]),
    (r"[\p{Lu}\d]", "gu", "aB1", &[&["B"], &["1"]]),
    (r"\p{L}", "g", "p{L}", &[&["p{L}"]]),
    (r"\k", "g", "k", &[&["k"]]),
    (r"\-", "g", "-", &[&["-"]]),
    (r"\ud83d\ude00", "g", "😀", &[&["😀"]]),
    ("😀", "gu", "😀", &[&["😀"]]),
    ("K", "gi", "kK", &[&["k"], &["K"]]),
    ("é", "gi", "É", &[&["É"]]),
    ("straße", "i", "STRASSE", &[]),
    (r"\.", "g", "a.b", &[&["."]]),
    ("a.c", "s", "a\nc", &[&["a\nc"]]),
    ("$^", "gm", "\n", &[&[""], &[""]]),
    (r"\0", "g", "a\u{0}", &[&["\u{0}"]]),
    ("#", "g", "#a b", &[&["#"]]),
    (" ", "g", "a b", &[&[" "]]),
    ("a b # c", "", "a b # c", &[&["a b # c"]]),
    ("(?=a)", "g", "aba", &[&[""], &[""]]),
    (r"\t\n\v\f\r", "", "\t\n\u{b}\u{c}\r", &[&["\t\n\u{b}\u{c}\r"]]),
    ("^", "gm", "a\nb", &[&[""], &[""]]),
    ("(?<=^|,)b", "gm", "b\nb,b", &[&["b"], &["b"], &["b"]]),
    (r"(?=x)\bx", "g", "x ax x", &[&["x"], &["x"]]),
    ("^a(?=b)", "gm", "ab\rab", &[&["a"], &["a"]]),
    ("a$(?!x)", "gm", "a\ra", &[&["a"], &["a"]]),
];

/// Expression, flags, text, replacement, result.
const REPLACEMENTS: &[(&str, &str, &str, &str, &str)] = &[
    ("a", "", "banana", "o", "bonana"),
    ("a", "g", "banana", "o", "bonono"),
    (r"(\w+) (\w+)", "", "John Smith", "$2, $1", "Smith, John"),
    ("b", "", "abc", "[$&]", "a[b]c"),
    ("b", "", "abc", "[$`|$']", "a[a|c]c"),
    ("b", "", "abc", "$$1", "a$1c"),
    ("(b)", "", "abc", "$1$2$10$01$0", "ab$2b0b$0c"),
    ("(?<n>b)", "", "abc", "<$<n>>$<m>$<n", "a<b>$<nc"),
    ("b", "", "abc", "$<n>", "a$<n>c"),
    ("x*", "g", "abc", "-", "-a-b-c-"),
    ("(?=b)", "g", "abcb", "|", "a|bc|b"),
    ("a|(b)", "g", "ab", "[$1]", "[][b]"),
    ("b", "", "abc", "$", "a$c"),
    ("b", "g", "abcb", "$x", "a$xc$x"),
    ("a", "y", "ba", "-", "ba"),
    ("", "g", "é😀", ".", ".é.😀."),
    (":", "", "a:b:c:d", "-", "a-b:c:d"),
    ("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", "", "abcdefghijk", "$11-$1-$12", "k-a-a2"),
];

/// Expression, flags, text, limit, pieces.
type Split = (&'static str, &'static str, &'static str, Option<usize>, &'static [&'static str]);

const SPLITS: &[Split] = &[
    (",", "", "a,b,c,d", Some(3), &["a", "b", "c"]),
    (",", "", "a,b", None, &["a", "b"]),
    ("", "", "abc", None, &["a", "b", "c"]),
    ("", "", "", None, &[]),
    (",", "", "", None, &[""]),
    ("(,)", "", "a,b,c", None, &["a", ",", "b", ",", "c"]),
    ("(,)|(;)", "", "a,b;c", None, &["a", ",", "", "b", "", ";", "c"]),
    (r"\s*", "", "a b  c", None, &["a", "b", "c"]),
    ("b", "y", "abc", None, &["a", "c"]),
    ("a", "", "a", None, &["", ""]),
    ("a", "", "aba", None, &["", "b", ""]),
    (",", "", "a,b", Some(0), &[]),
    ("(?=b)", "", "abab", None, &["a", "ba", "b"]),
    ("(,)", "", "a,b,c", Some(2), &["a", ","]),
    ("x", "", "abc", None, &["abc"]),
    ("(?:)", "", "abc", Some(2), &["a", "b"]),
];

fn pattern(source: &str, flags: &str) -> Pattern {
    Pattern::new(source, flags).unwrap_or_else(|error| panic!("/{source}/{flags}: {error}"))
}

#[test]
fn matches_are_those_of_javascript() {
    let budget = Budget::new(Budget::STEPS, None);
    let steps = budget.steps();
    for (source, flags, text, expected) in MATCHES {
        let pattern = pattern(source, flags);
        let found = pattern.find_all(text, &steps).unwrap();
        let groups: Vec<Vec<&str>> =
            found.iter().map(|found| (0..found.len()).map(|group| found.group(group).unwrap_or_default()).collect()).collect();
        assert_eq!(groups, *expected, "/{source}/{flags} in {text:?}");
        assert_eq!(pattern.is_match(text, &steps), Ok(!expected.is_empty()), "/{source}/{flags} in {text:?}");
    }
}

#[test]
fn replacements_are_those_of_javascript() {
    let budget = Budget::new(Budget::STEPS, None);
    for (source, flags, text, replacement, expected) in REPLACEMENTS {
        let result = pattern(source, flags).replace(text, replacement, &budget.steps()).unwrap();
        assert_eq!(result, *expected, "/{source}/{flags} in {text:?} by {replacement:?}");
    }
}

#[test]
fn splits_are_those_of_javascript() {
    let budget = Budget::new(Budget::STEPS, None);
    for (source, flags, text, limit, expected) in SPLITS {
        let pieces = pattern(source, flags).split(text, *limit, &budget.steps()).unwrap();
        assert_eq!(pieces, *expected, "{text:?} at /{source}/{flags}, {limit:?}");
    }
}

#[test]
fn what_is_no_expression_says_why() {
    for (source, flags, reason) in [
        ("(", "", "a parenthesis is not closed"),
        (")", "", "there is a closing parenthesis without an opening one"),
        ("[a", "", "a class of characters is not closed with ]"),
        ("*", "", "there is nothing to repeat before *"),
        ("a++", "", "there is nothing to repeat before +"),
        ("^*", "", "what stands before * cannot be repeated"),
        ("a\\", "", "it ends with a backslash; write \\\\ for one"),
        ("[b-a]", "", "the range b-a runs backwards"),
        ("(?<a>.)(?<a>.)", "", "two groups are called \"a\""),
        ("(?<1>.)", "", "\"1\" is no name for a group"),
        ("(?<a>.)\\k<b>", "", "there is no group called \"b\""),
        ("(a)\\2", "", "it refers to group 2 and has 1"),
        ("(?>a)", "", "there is no such group; write (?:…) for one that is not captured"),
        ("\\ud83d", "", "half of a surrogate pair matches no character; write both halves"),
        ("\\p{Nonsense}", "u", "Unicode property not found"),
        ("(?<=a+)b", "", "what (?<=…) looks back at must have one length; write alternatives of one length each"),
        ("(?:a{1000}){1000}", "", "it is too large; repeat fewer times"),
        ("a", "x", "there is no flag 'x'; there are g, i, m, s, u and y"),
        ("a", "gg", "the flag 'g' is given twice"),
    ] {
        let error = Pattern::new(source, flags).map(|_| ()).unwrap_err();
        assert_eq!(error, PatternError(reason.to_owned()), "/{source}/{flags}");
    }
    assert!(Pattern::new(&"(".repeat(5_000), "").is_err());
}

#[test]
fn work_without_end_is_ended() {
    let budget = Budget::new(Budget::STEPS, None);
    let text = format!("{}!", "a".repeat(5_000));
    assert_eq!(pattern("^(a+)+$", "").is_match(&text, &budget.steps()), Ok(false), "one pass is enough");
    let fault = pattern(r"^(a+)+\1b$", "").is_match(&text, &budget.steps()).unwrap_err();
    assert!(fault.to_string().starts_with("the regular expression takes too many steps"), "{fault}");
    let few = Budget::new(5_000, None);
    assert_eq!(pattern("(?=a)", "g").find_all(&text, &few.steps()).map(|_| ()), Err(crate::BudgetSpent::Steps.into()));
    let fault = pattern("a", "g").replace(&text, &"$`".repeat(2_000), &budget.steps()).unwrap_err();
    assert_eq!(fault, Fault::wrong("the replacement makes the text too long"));
}

proptest! {
    #[test]
    fn no_expression_and_no_text_panics(source in "[-a-c()\\[\\]{}|*+?.^$\\\\<>=!:,1dwsbBkuxp0é😀]{0,16}", flags in "[gimsuy]{0,3}", text in "[abc\n é😀]{0,12}") {
        let budget = Budget::new(1_000_000, None);
        let steps = budget.steps();
        if let Ok(pattern) = Pattern::new(&source, &flags) {
            let _ = pattern.is_match(&text, &steps);
            let _ = pattern.replace(&text, "$1$&$<a>$", &steps);
            let _ = pattern.split(&text, Some(5), &steps);
        }
    }

    #[test]
    fn a_text_escaped_matches_itself(text in "\\PC{1,12}") {
        let budget = Budget::new(1_000_000, None);
        let escaped: String = text.chars().flat_map(|character| {
            let is_syntax = "\\^$.*+?()[]{}|/".contains(character);
            is_syntax.then_some('\\').into_iter().chain([character])
        }).collect();
        let found = pattern(&escaped, "").find_all(&text, &budget.steps()).unwrap();
        prop_assert_eq!(found[0].range(), 0..text.len());
    }
}
