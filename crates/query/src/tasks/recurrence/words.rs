//! The words of a recurrence rule. Of all words that begin at a place the longest counts, of equally long ones the first in the list.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Space,
    Number,
    NumberAsText,
    Every,
    Day,
    Weekday,
    Week,
    Hour,
    Minute,
    Month,
    Year,
    On,
    At,
    The,
    First,
    Second,
    Third,
    Nth,
    Last,
    For,
    Times,
    Until,
    /// From Monday, which is 0.
    NamedDay(u8),
    /// From January, which is 1.
    NamedMonth(u8),
    Comma,
}

/// What may be left off at the end of a name: `mo`, `mon`, `monday`.
const NAMED_DAYS: [&[&str]; 7] = [
    &["mo", "mon", "monday"],
    &["tu", "tue", "tues", "tuesday"],
    &["we", "wed", "wedn", "wednesday"],
    &["th", "thu", "thur", "thursday"],
    &["fr", "fri", "friday"],
    &["sa", "sat", "saturday"],
    &["su", "sun", "sunday"],
];

const NAMED_MONTHS: [&[&str]; 12] = [
    &["jan", "january"],
    &["feb", "february"],
    &["mar", "march"],
    &["apr", "april"],
    &["may"],
    &["jun", "june"],
    &["jul", "july"],
    &["aug", "august"],
    &["sep", "sept", "september"],
    &["oct", "october"],
    &["nov", "november"],
    &["dec", "december"],
];

const PLAIN: [(Word, &[&str]); 19] = [
    (Word::NumberAsText, &["one", "two", "three"]),
    (Word::Every, &["every"]),
    (Word::Day, &["day", "days"]),
    (Word::Weekday, &["weekday", "weekdays"]),
    (Word::Week, &["week", "weeks"]),
    (Word::Hour, &["hour", "hours"]),
    (Word::Minute, &["minute", "minutes"]),
    (Word::Month, &["month", "months"]),
    (Word::Year, &["year", "years"]),
    (Word::On, &["on", "in"]),
    (Word::At, &["at"]),
    (Word::The, &["the"]),
    (Word::First, &["first"]),
    (Word::Second, &["second"]),
    (Word::Third, &["third"]),
    (Word::Last, &["last"]),
    (Word::For, &["for"]),
    (Word::Times, &["time", "times"]),
    (Word::Until, &["til", "until"]),
];

/// The word at the beginning of a text and its length.
fn longest(text: &str) -> Option<(Word, usize)> {
    let mut best: Option<(Word, usize)> = None;
    let mut offer = |word: Word, length: usize| {
        if length > 0 && best.is_none_or(|(_, longest)| length > longest) {
            best = Some((word, length));
        }
    };
    let spaces = text.len() - text.trim_start_matches([' ', '\r', '\n', '\t']).len();
    offer(Word::Space, if text == "." { 1 } else { spaces });
    let digits = digits(text);
    offer(Word::Number, digits);
    for (word, forms) in PLAIN {
        offer(word, longest_form(text, forms));
    }
    if digits > 0 {
        offer(
            Word::Nth,
            match longest_form(&text[digits..], &[".", "th", "nd", "rd", "st"]) {
                0 => 0,
                ending => digits + ending,
            },
        );
    }
    for (day, forms) in (0..).zip(NAMED_DAYS) {
        offer(Word::NamedDay(day), longest_form(text, forms));
    }
    for (month, forms) in (1..).zip(NAMED_MONTHS) {
        offer(Word::NamedMonth(month), longest_form(text, forms));
    }
    offer(Word::Comma, comma(text));
    best
}

/// A number that does not begin with zero.
fn digits(text: &str) -> usize {
    if text.starts_with('0') {
        0
    } else {
        text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len()
    }
}

fn longest_form(text: &str, forms: &[&str]) -> usize {
    let begins = |form: &&&str| text.get(..form.len()).is_some_and(|start| start.eq_ignore_ascii_case(form));
    forms.iter().filter(begins).map(|form| form.len()).max().unwrap_or(0)
}

/// Commas, `and` and `or`, any number of them.
fn comma(text: &str) -> usize {
    let mut rest = text;
    loop {
        let length = longest_form(rest, &[",", "and", "or"]);
        if length == 0 {
            return text.len() - rest.len();
        }
        rest = rest[length..].trim_start();
    }
}

/// Reads a rule word by word. After something that is no word there is nothing more.
pub(super) struct Words<'a> {
    rest: &'a str,
    done: bool,
    /// The word to be looked at next and its text.
    pub(super) word: Option<(Word, &'a str)>,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str) -> Words<'a> {
        let mut words = Words { rest: text, done: false, word: None };
        words.next();
        words
    }

    /// Goes on. False at the end.
    pub(super) fn next(&mut self) -> bool {
        self.word = None;
        while !self.done {
            let Some((word, length)) = longest(self.rest) else {
                self.done = true;
                return false;
            };
            let (text, rest) = self.rest.split_at(length);
            self.rest = rest;
            self.done = rest.is_empty();
            if word != Word::Space {
                self.word = Some((word, text));
                return true;
            }
        }
        false
    }

    pub(super) fn is(&self, word: Word) -> bool {
        self.word.is_some_and(|(found, _)| found == word)
    }

    /// Goes on over this word, if it is the next one.
    pub(super) fn accept(&mut self, word: Word) -> Option<&'a str> {
        let text = self.word.filter(|(found, _)| *found == word)?.1;
        self.next();
        Some(text)
    }

    pub(super) fn at_end(&self) -> bool {
        self.done && self.word.is_none()
    }

    /// What has not been looked at.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }
}

pub(super) fn month_named(text: &str) -> Option<u8> {
    (1..).zip(NAMED_MONTHS).find(|(_, forms)| forms.iter().any(|form| form.eq_ignore_ascii_case(text))).map(|(month, _)| month)
}
