//! A JavaScript regular expression in the words of the engines we have.
//!
//! Texts are sequences of characters here and of UTF-16 units in JavaScript; only expressions that take half a character apart can tell.

use super::PatternError;

/// An expression made ready for an engine.
pub(super) struct Translated {
    pub(super) text: String,
    /// Looks around or back, which only an engine that tries and takes back can do.
    pub(super) is_hard: bool,
    /// Names of groups with their numbers.
    pub(super) names: Vec<(Box<str>, usize)>,
}

/// Groups within groups; the engines walk them on the stack.
const DEEPEST: usize = 100;
const DIGIT: &str = "0-9";
const WORD: &str = "0-9A-Za-z_";
const SPACE: &str = r"\t\n\x{b}\f\r\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

#[derive(Clone, Copy, PartialEq, Eq)]
struct Flags {
    ignore_case: bool,
    multi_line: bool,
    dot_all: bool,
}

pub(super) fn translate(source: &str, flags: &str) -> Result<Translated, PatternError> {
    let characters: Vec<char> = source.chars().collect();
    let (groups, names) = groups(&characters);
    let is_hard = is_hard(&characters, groups, !names.is_empty());
    let has = |flag: char| flags.contains(flag);
    let flags = Flags { ignore_case: has('i'), multi_line: has('m'), dot_all: has('s') };
    let mut translation =
        Translation { source: &characters, at: 0, out: String::new(), is_hard, is_unicode: has('u'), groups, names: &names };
    if flags.ignore_case {
        translation.out.push_str("(?i)");
    }
    translation.alternatives(flags, 0)?;
    if translation.at < characters.len() {
        return Err(PatternError("there is a closing parenthesis without an opening one".into()));
    }
    let text = translation.out;
    Ok(Translated { text, is_hard, names })
}

/// How many groups there are, and which have names: references may come before what they refer to.
fn groups(source: &[char]) -> (usize, Vec<(Box<str>, usize)>) {
    let (mut count, mut names, mut in_class, mut at) = (0, Vec::new(), false, 0);
    while at < source.len() {
        match source[at] {
            '\\' => at += 1,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => match (source.get(at + 1), source.get(at + 2), source.get(at + 3)) {
                (Some('?'), Some('<'), Some(next)) if !matches!(next, '=' | '!') => {
                    count += 1;
                    let name: String = source[at + 3..].iter().take_while(|&&character| character != '>').collect();
                    names.push((name.into(), count));
                }
                (Some('?'), _, _) => {}
                _ => count += 1,
            },
            _ => {}
        }
        at += 1;
    }
    (count, names)
}

fn is_hard(source: &[char], groups: usize, has_names: bool) -> bool {
    let (mut in_class, mut at) = (false, 0);
    while at < source.len() {
        let next = |by: usize| source.get(at + by).copied();
        match source[at] {
            '\\' => {
                let refers = next(1).is_some_and(|next| next.is_ascii_digit() && next != '0' && groups > 0);
                if !in_class && (refers || (next(1) == Some('k') && has_names)) {
                    return true;
                }
                at += 1;
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && next(1) == Some('?') => match (next(2), next(3)) {
                (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => return true,
                _ => {}
            },
            _ => {}
        }
        at += 1;
    }
    false
}

struct Translation<'a> {
    source: &'a [char],
    at: usize,
    out: String,
    is_hard: bool,
    is_unicode: bool,
    groups: usize,
    names: &'a [(Box<str>, usize)],
}

/// What a quantifier may stand behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Nothing,
    Assertion,
    Repeatable,
}

/// A member of a class.
enum Member {
    One(char),
    /// Already written for the engine.
    Set(String),
}

impl Translation<'_> {
    fn peek(&self) -> Option<char> {
        self.source.get(self.at).copied()
    }

    fn peek_by(&self, by: usize) -> Option<char> {
        self.source.get(self.at + by).copied()
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_next = text.chars().enumerate().all(|(by, character)| self.peek_by(by) == Some(character));
        if is_next {
            self.at += text.chars().count();
        }
        is_next
    }

    fn alternatives(&mut self, flags: Flags, depth: usize) -> Result<(), PatternError> {
        if depth > DEEPEST {
            return Err(PatternError("its groups are nested too deeply".into()));
        }
        let mut before = Piece::Nothing;
        while let Some(character) = self.peek() {
            match character {
                ')' => break,
                '|' => {
                    self.at += 1;
                    self.out.push('|');
                    before = Piece::Nothing;
                }
                '*' | '+' | '?' => {
                    self.quantifier(before, &character.to_string())?;
                    before = Piece::Nothing;
                }
                '{' => match self.braces() {
                    Some(quantifier) => {
                        self.quantifier(before, &quantifier)?;
                        before = Piece::Nothing;
                    }
                    None if self.is_unicode => return Err(PatternError("a brace stands alone; write \\{".into())),
                    None => before = self.literal('{'),
                },
                _ => before = self.piece(character, flags, depth)?,
            }
        }
        Ok(())
    }

    /// The text of `{2}`, `{2,}` or `{2,4}` if it stands here, without moving.
    fn braces(&self) -> Option<String> {
        let end = self.source[self.at..].iter().position(|&character| character == '}')?;
        let inside: String = self.source[self.at + 1..self.at + end].iter().collect();
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_quantifier = match inside.split_once(',') {
            None => is_number(&inside),
            Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        };
        is_quantifier.then(|| format!("{{{inside}}}"))
    }

    fn quantifier(&mut self, behind: Piece, quantifier: &str) -> Result<(), PatternError> {
        match behind {
            Piece::Repeatable => {}
            Piece::Nothing => return Err(PatternError(format!("there is nothing to repeat before {quantifier}"))),
            Piece::Assertion => return Err(PatternError(format!("what stands before {quantifier} cannot be repeated"))),
        }
        self.at += quantifier.chars().count();
        self.out.push_str(quantifier);
        if self.takes("?") {
            self.out.push('?');
        }
        Ok(())
    }

    fn piece(&mut self, character: char, flags: Flags, depth: usize) -> Result<Piece, PatternError> {
        match character {
            '(' => self.group(flags, depth),
            '[' => self.class(),
            '\\' => self.escape(),
            '.' => {
                self.at += 1;
                self.out.push_str(&if flags.dot_all { "(?s:.)".to_owned() } else { format!("[^{LINE_ENDS}]") });
                Ok(Piece::Repeatable)
            }
            '^' | '$' => {
                self.at += 1;
                let start = character == '^';
                let text = match (flags.multi_line, self.is_hard) {
                    (false, _) => if start { "^" } else { "$" }.to_owned(),
                    (true, false) => if start { "(?mR:^)" } else { "(?mR:$)" }.to_owned(),
                    (true, true) if start => format!("(?:^|(?<=[{LINE_ENDS}]))"),
                    (true, true) => format!("(?:$|(?=[{LINE_ENDS}]))"),
                };
                self.out.push_str(&text);
                Ok(Piece::Assertion)
            }
            other => {
                if self.is_unicode && matches!(other, ']' | '}') {
                    return Err(PatternError(format!("{other} stands alone; write \\{other}")));
                }
                Ok(self.literal(other))
            }
        }
    }

    fn literal(&mut self, character: char) -> Piece {
        self.at += 1;
        push_literal(&mut self.out, character);
        Piece::Repeatable
    }

    fn group(&mut self, flags: Flags, depth: usize) -> Result<Piece, PatternError> {
        let mut inside = flags;
        let mut piece = Piece::Repeatable;
        if self.takes("(?:") {
            self.out.push_str("(?:");
        } else if self.takes("(?=") || self.takes("(?!") || self.takes("(?<=") || self.takes("(?<!") {
            let start = self.source[..self.at].iter().rposition(|&character| character == '(').unwrap_or(0);
            self.out.extend(&self.source[start..self.at]);
            piece = Piece::Assertion;
        } else if self.takes("(?<") {
            self.name()?;
            self.out.push('(');
        } else if self.takes("(?") {
            inside = self.modifiers(flags)?;
        } else {
            self.at += 1;
            self.out.push('(');
        }
        self.alternatives(inside, depth + 1)?;
        if !self.takes(")") {
            return Err(PatternError("a parenthesis is not closed".into()));
        }
        self.out.push(')');
        Ok(piece)
    }

    /// What stands between `<` and `>`; the names themselves have been found before.
    fn name(&mut self) -> Result<String, PatternError> {
        let Some(end) = self.source[self.at..].iter().position(|&character| character == '>') else {
            return Err(PatternError("the name of a group is not closed with >".into()));
        };
        let name: String = self.source[self.at..self.at + end].iter().collect();
        let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
        if name.is_empty() || !name.chars().all(is_name) || name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(PatternError(format!("{name:?} is no name for a group")));
        }
        if self.names.iter().filter(|(other, _)| **other == *name).count() > 1 {
            return Err(PatternError(format!("two groups are called {name:?}")));
        }
        self.at += end + 1;
        Ok(name)
    }

    /// `(?i:…)` and `(?-i:…)`.
    fn modifiers(&mut self, mut flags: Flags) -> Result<Flags, PatternError> {
        let mut on = true;
        let mut letters = String::new();
        loop {
            match self.peek() {
                Some('i') => flags.ignore_case = on,
                Some('m') => flags.multi_line = on,
                Some('s') => flags.dot_all = on,
                Some('-') if on => on = false,
                Some(':') if !letters.is_empty() => break,
                _ => return Err(PatternError("there is no such group; write (?:…) for one that is not captured".into())),
            }
            letters.extend(self.peek());
            self.at += 1;
        }
        self.at += 1;
        self.out.push_str(if flags.ignore_case { "(?i:" } else { "(?-i:" });
        Ok(flags)
    }

    fn escape(&mut self) -> Result<Piece, PatternError> {
        let Some(next) = self.peek_by(1) else {
            return Err(PatternError("it ends with a backslash; write \\\\ for one".into()));
        };
        let word = format!("(?-i:[{WORD}])");
        let text = match next {
            'b' if self.is_hard => format!("(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"),
            'B' if self.is_hard => format!("(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"),
            'b' => r"(?-u:\b)".to_owned(),
            'B' => r"(?-u:\B)".to_owned(),
            '1'..='9' => return self.numbered_reference(),
            'k' if !self.names.is_empty() => return self.named_reference(),
            _ => {
                match self.member()? {
                    Member::One(character) => push_literal(&mut self.out, character),
                    Member::Set(set) => self.out.push_str(&format!("(?-i:[{set}])")),
                }
                return Ok(Piece::Repeatable);
            }
        };
        self.at += 2;
        self.out.push_str(&text);
        Ok(Piece::Assertion)
    }

    fn numbered_reference(&mut self) -> Result<Piece, PatternError> {
        let digits: String = self.source[self.at + 1..].iter().take_while(|character| character.is_ascii_digit()).collect();
        match digits.parse::<usize>() {
            Ok(number) if number <= self.groups => {
                self.at += 1 + digits.len();
                self.reference(number);
                Ok(Piece::Repeatable)
            }
            _ => Err(PatternError(format!("it refers to group {digits} and has {}", self.groups))),
        }
    }

    fn named_reference(&mut self) -> Result<Piece, PatternError> {
        self.at += 2;
        if !self.takes("<") {
            return Err(PatternError("\\k is followed by a name, such as \\k<year>".into()));
        }
        let name = self.name()?;
        let Some(&(_, number)) = self.names.iter().find(|(other, _)| **other == *name) else {
            return Err(PatternError(format!("there is no group called {name:?}")));
        };
        self.reference(number);
        Ok(Piece::Repeatable)
    }

    /// A group that took no part matches nothing at all, where the engine would fail.
    fn reference(&mut self, number: usize) {
        self.out.push_str(&format!("(?:(?({number})\\{number}|))"));
    }

    fn class(&mut self) -> Result<Piece, PatternError> {
        self.at += 1;
        let is_negated = self.takes("^");
        let mut members = String::new();
        loop {
            let Some(character) = self.peek() else {
                return Err(PatternError("a class of characters is not closed with ]".into()));
            };
            if character == ']' {
                self.at += 1;
                break;
            }
            let first = self.member()?;
            let is_range = self.peek() == Some('-') && self.peek_by(1).is_some_and(|next| next != ']');
            if !is_range {
                push_member(&mut members, &first);
                continue;
            }
            self.at += 1;
            let last = self.member()?;
            match (&first, &last) {
                (Member::One(from), Member::One(to)) if from <= to => {
                    push_literal(&mut members, *from);
                    members.push('-');
                    push_literal(&mut members, *to);
                }
                (Member::One(from), Member::One(to)) => {
                    return Err(PatternError(format!("the range {from}-{to} runs backwards")));
                }
                // A hyphen beside \w and the like is a hyphen.
                _ => {
                    push_member(&mut members, &first);
                    push_literal(&mut members, '-');
                    push_member(&mut members, &last);
                }
            }
        }
        let text = match (members.is_empty(), is_negated) {
            (true, true) => "(?s:.)".to_owned(),
            (true, false) => r"[^\x{0}-\x{10ffff}]".to_owned(),
            (false, true) => format!("[^{members}]"),
            (false, false) => format!("[{members}]"),
        };
        self.out.push_str(&text);
        Ok(Piece::Repeatable)
    }

    /// One character or set of characters, inside a class or outside.
    fn member(&mut self) -> Result<Member, PatternError> {
        let Some(character) = self.peek() else {
            return Err(PatternError("it ends too early".into()));
        };
        self.at += 1;
        if character != '\\' {
            return Ok(Member::One(character));
        }
        let Some(escaped) = self.peek() else {
            return Err(PatternError("it ends with a backslash; write \\\\ for one".into()));
        };
        self.at += 1;
        Ok(match escaped {
            'd' => Member::Set(DIGIT.into()),
            'w' => Member::Set(WORD.into()),
            's' => Member::Set(SPACE.into()),
            'D' => Member::Set(format!("[^{DIGIT}]")),
            'W' => Member::Set(format!("[^{WORD}]")),
            'S' => Member::Set(format!("[^{SPACE}]")),
            't' => Member::One('\t'),
            'n' => Member::One('\n'),
            'r' => Member::One('\r'),
            'v' => Member::One('\u{b}'),
            'f' => Member::One('\u{c}'),
            // Only a class brings this here; outside it is a boundary.
            'b' => Member::One('\u{8}'),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => Member::One('\0'),
            '0'..='9' => return Err(PatternError("a number behind a backslash is not read as a character; write \\x41".into())),
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    self.at += 1;
                    Member::One(char::from(letter as u8 % 32))
                }
                _ => return Err(PatternError("\\c is followed by a letter".into())),
            },
            'x' => match self.hex(2) {
                Some(code) => Member::One(char::from_u32(code).unwrap_or('x')),
                None if self.is_unicode => return Err(PatternError("\\x is followed by two hexadecimal digits".into())),
                None => Member::One('x'),
            },
            'u' => self.unicode()?,
            'p' | 'P' if self.is_unicode => self.property(escaped)?,
            other => Member::One(other),
        })
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.source.get(self.at..self.at + digits)?.iter().collect();
        let code = u32::from_str_radix(&text, 16).ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += digits;
        Some(code)
    }

    fn unicode(&mut self) -> Result<Member, PatternError> {
        if self.is_unicode && self.peek() == Some('{') {
            let end = self.source[self.at..].iter().position(|&character| character == '}').unwrap_or(0);
            let text: String = self.source.get(self.at + 1..self.at + end).unwrap_or(&[]).iter().collect();
            let code = u32::from_str_radix(&text, 16).ok().filter(|_| !text.starts_with('+')).and_then(char::from_u32);
            self.at += end + 1;
            return code.map(Member::One).ok_or_else(|| PatternError(format!("\\u{{{text}}} is no character")));
        }
        let Some(code) = self.hex(4) else {
            if self.is_unicode {
                return Err(PatternError("\\u is followed by four hexadecimal digits".into()));
            }
            return Ok(Member::One('u'));
        };
        if (0xD800..0xDC00).contains(&code) && self.takes("\\u") {
            match self.hex(4) {
                Some(low @ 0xDC00..=0xDFFF) => {
                    let code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    return char::from_u32(code).map(Member::One).ok_or_else(half_a_character);
                }
                _ => return Err(half_a_character()),
            }
        }
        char::from_u32(code).map(Member::One).ok_or_else(half_a_character)
    }

    /// `\p{Letter}`, `\P{Script=Greek}`.
    fn property(&mut self, letter: char) -> Result<Member, PatternError> {
        let end = self.source[self.at..].iter().position(|&character| character == '}').unwrap_or(0);
        let text: String = self.source[self.at..self.at + end].iter().collect();
        let name = text.strip_prefix('{').unwrap_or_default();
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'=')) {
            return Err(PatternError(format!("\\{letter} is followed by a property, such as \\{letter}{{Letter}}")));
        }
        self.at += end + 1;
        Ok(Member::Set(format!("\\{letter}{{{name}}}")))
    }
}

fn half_a_character() -> PatternError {
    PatternError("half of a surrogate pair matches no character; write both halves".into())
}

fn push_member(out: &mut String, member: &Member) {
    match member {
        Member::One(character) => push_literal(out, *character),
        Member::Set(set) => out.push_str(set),
    }
}

/// Nothing of it can mean anything to an engine.
fn push_literal(out: &mut String, character: char) {
    if character.is_ascii() && !character.is_ascii_alphanumeric() {
        out.push_str(&format!("\\x{{{:x}}}", character as u32));
    } else {
        out.push(character);
    }
}
