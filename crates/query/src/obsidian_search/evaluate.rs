//! Whether a file is one that a search asks for.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use quillgate_index::Narrowing;
use quillgate_markdown::{Note, fold};
use serde_json::Value;

use super::{Bound, Comparison, Fact, PropertyTest, Scope, Search, Term, is_date};
use crate::budget::Steps;
use crate::fault::Fault;

/// What the catalogue says about a file, asked for only where the search needs it.
pub trait Facts {
    /// Vault-relative, with its extension.
    fn path(&self) -> &str;
    /// Without `#`.
    fn tags(&self) -> Vec<Cow<'_, str>>;
    fn property(&self, name: &str) -> Option<Value>;
}

/// Of a longer line only the beginning is shown.
const LONGEST_PLACE: usize = 240;

/// Where a search was first met in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// What is true of a file whatever its text says: an answer for each fact of a search.
#[derive(Clone, Debug)]
pub struct Known(Vec<bool>);

impl Search {
    /// Decides what can be decided without the text.
    pub fn known(&self, facts: &dyn Facts, steps: &Steps<'_>) -> Result<Known, Fault> {
        let mut known = vec![false; self.facts];
        collect(&self.root, facts, steps, &mut known)?;
        Ok(Known(known))
    }

    /// Whether the file is asked for, if that can be said without its text.
    pub fn without_text(&self, known: &Known, path: &str) -> Option<bool> {
        decided(&self.root, known, path)
    }

    /// Whether the file is asked for.
    pub fn is_match(&self, known: &Known, path: &str, text: &str, steps: &Steps<'_>) -> Result<bool, Fault> {
        let file = File::new(known, path, text, steps);
        file.holds(&self.root, &Scoped::file(text), Case::Ignored)
    }

    /// The first line with something that was searched for, in a part of the file where all holds that is asked of that part.
    pub fn first_place(&self, known: &Known, path: &str, text: &str, steps: &Steps<'_>) -> Option<Place> {
        let file = File::new(known, path, text, steps);
        let start = file.first_line(&self.root, 0..text.len(), Case::Ignored)?;
        let line = text[start..].lines().next().unwrap_or_default().trim();
        let number = text[..start].bytes().filter(|byte| *byte == b'\n').count() + 1;
        Some(Place { line: number, text: line[..line.floor_char_boundary(LONGEST_PLACE)].to_owned() })
    }

    /// What the index can rule files out by.
    pub fn narrowing(&self) -> Narrowing {
        narrowing(&self.root, false)
    }
}

fn narrowing(term: &Term, only_text: bool) -> Narrowing {
    match term {
        Term::Text(text) if only_text => Narrowing::Text(fold(text)),
        Term::Text(text) => Narrowing::NameOrText(fold(text)),
        Term::All(terms) => Narrowing::All(terms.iter().map(|term| narrowing(term, only_text)).collect()),
        Term::AnyOf(terms) => Narrowing::AnyOf(terms.iter().map(|term| narrowing(term, only_text)).collect()),
        Term::Inside(_, term) => narrowing(term, true),
        Term::MatchCase(_, term) => narrowing(term, only_text),
        Term::Pattern(_) | Term::Not(_) | Term::Fact(..) => Narrowing::Anything,
    }
}

fn collect(term: &Term, facts: &dyn Facts, steps: &Steps<'_>, known: &mut [bool]) -> Result<(), Fault> {
    match term {
        Term::All(terms) | Term::AnyOf(terms) => terms.iter().try_for_each(|term| collect(term, facts, steps, known)),
        Term::Not(term) | Term::Inside(_, term) | Term::MatchCase(_, term) => collect(term, facts, steps, known),
        Term::Fact(number, fact) => {
            known[*number] = fact.holds(facts, steps)?;
            Ok(())
        }
        Term::Text(_) | Term::Pattern(_) => Ok(()),
    }
}

/// Three answers: yes, no, or that the text must be read.
fn decided(term: &Term, known: &Known, path: &str) -> Option<bool> {
    match term {
        Term::Fact(number, _) => Some(known.0[*number]),
        Term::Not(term) => decided(term, known, path).map(|holds| !holds),
        Term::All(terms) => combined(terms, known, path, false),
        Term::AnyOf(terms) => combined(terms, known, path, true),
        // The name may already have it.
        Term::Text(text) => fold(name_of(path)).contains(&*fold(text)).then_some(true),
        Term::MatchCase(..) | Term::Inside(..) | Term::Pattern(_) => None,
    }
}

/// One that is `deciding` decides; otherwise all must be known.
fn combined(terms: &[Term], known: &Known, path: &str, deciding: bool) -> Option<bool> {
    let mut is_open = false;
    for term in terms {
        match decided(term, known, path) {
            Some(holds) if holds == deciding => return Some(deciding),
            Some(_) => {}
            None => is_open = true,
        }
    }
    (!is_open).then_some(!deciding)
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

impl Fact {
    fn holds(&self, facts: &dyn Facts, steps: &Steps<'_>) -> Result<bool, Fault> {
        match self {
            Fact::File(term) => in_text(term, name_of(facts.path()), steps),
            Fact::Path(term) => in_text(term, facts.path(), steps),
            Fact::Tag(wanted) => {
                let wanted = fold(wanted);
                let is_wanted =
                    |tag: &str| fold(tag).strip_prefix(&*wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                Ok(facts.tags().iter().any(|tag| is_wanted(tag)))
            }
            Fact::Property { name, value } => match facts.property(name) {
                None => Ok(false),
                Some(found) => value.holds(&found, steps),
            },
        }
    }
}

impl PropertyTest {
    fn holds(&self, found: &Value, steps: &Steps<'_>) -> Result<bool, Fault> {
        match (self, found) {
            (PropertyTest::Present, _) => Ok(true),
            (PropertyTest::Empty, found) => {
                Ok(found.is_null() || found.as_str() == Some("") || found.as_array().is_some_and(Vec::is_empty))
            }
            (test, Value::Array(items)) => {
                for item in items {
                    if test.holds(item, steps)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (PropertyTest::Compared(comparison, Bound::Number(number)), found) => {
                let found = found.as_f64().or_else(|| found.as_str()?.trim().parse().ok());
                Ok(found.and_then(|found| found.partial_cmp(number)).is_some_and(|order| comparison.holds(order)))
            }
            // The same day at some time of it is that day.
            (PropertyTest::Compared(comparison, Bound::Date(date)), found) => {
                let found = found.as_str().map(str::trim).filter(|found| is_date(found));
                let order = found.map(|found| found.get(..date.len()).unwrap_or(found).cmp(date));
                Ok(order.is_some_and(|order| comparison.holds(order)))
            }
            (PropertyTest::Value(term), Value::String(text)) => in_text(term, text, steps),
            (PropertyTest::Value(_), Value::Null) => Ok(false),
            (PropertyTest::Value(term), other) => in_text(term, &other.to_string(), steps),
        }
    }
}

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Ignored,
    Matched,
}

/// A term about one piece of text, such as a name.
fn in_text(term: &Term, text: &str, steps: &Steps<'_>) -> Result<bool, Fault> {
    let known = Known(Vec::new());
    File::new(&known, "", text, steps).holds(term, &Scoped::part(text), Case::Ignored)
}

/// The text that a term is looked for in.
struct Scoped<'a> {
    text: &'a str,
    folded: String,
    /// Whether the file's name counts as well.
    names: bool,
}

impl<'a> Scoped<'a> {
    fn file(text: &'a str) -> Scoped<'a> {
        Scoped { text, folded: fold(text), names: true }
    }

    fn part(text: &'a str) -> Scoped<'a> {
        Scoped { text, folded: fold(text), names: false }
    }
}

struct File<'a> {
    known: &'a Known,
    name: &'a str,
    text: &'a str,
    steps: &'a Steps<'a>,
}

impl<'a> File<'a> {
    fn new(known: &'a Known, path: &'a str, text: &'a str, steps: &'a Steps<'a>) -> File<'a> {
        File { known, name: name_of(path), text, steps }
    }

    fn holds(&self, term: &Term, scoped: &Scoped<'_>, case: Case) -> Result<bool, Fault> {
        match term {
            Term::Text(text) => Ok(self.has_text(text, scoped, case)),
            Term::Pattern(pattern) => {
                Ok(pattern.is_match(scoped.text, self.steps)? || (scoped.names && pattern.is_match(self.name, self.steps)?))
            }
            Term::All(terms) => all(terms, |term| self.holds(term, scoped, case)),
            Term::AnyOf(terms) => all(terms, |term| self.holds(term, scoped, case).map(|holds| !holds)).map(|none| !none),
            Term::Not(term) => self.holds(term, scoped, case).map(|holds| !holds),
            Term::MatchCase(matches, term) => self.holds(term, scoped, if *matches { Case::Matched } else { Case::Ignored }),
            Term::Inside(Scope::Content, term) => self.holds(term, &Scoped::part(scoped.text), case),
            Term::Inside(scope, term) => {
                let none = all(&parts(self.text, *scope), |part| {
                    self.holds(term, &Scoped::part(&self.text[part.clone()]), case).map(|holds| !holds)
                });
                none.map(|none| !none)
            }
            Term::Fact(number, _) => Ok(self.known.0.get(*number).copied().unwrap_or(false)),
        }
    }

    /// Where the first line begins that has what a term wants, within a part of the file.
    fn first_line(&self, term: &Term, part: Range<usize>, case: Case) -> Option<usize> {
        let line_with = |holds: &dyn Fn(&str) -> bool| {
            let mut lines =
                lines(&self.text[part.clone()]).into_iter().map(|line| part.start + line.start..part.start + line.end);
            lines.find(|line| holds(self.text[line.clone()].trim_end())).map(|line| line.start)
        };
        match term {
            Term::Text(text) if text.is_empty() => None,
            Term::Text(text) if case == Case::Matched => line_with(&|line| line.contains(&**text)),
            Term::Text(text) => {
                let wanted = fold(text);
                line_with(&|line| fold(line).contains(&*wanted))
            }
            Term::Pattern(pattern) => line_with(&|line| pattern.is_match(line, self.steps).unwrap_or(false)),
            Term::All(terms) | Term::AnyOf(terms) => {
                terms.iter().filter_map(|term| self.first_line(term, part.clone(), case)).min()
            }
            Term::MatchCase(matches, term) => self.first_line(term, part, if *matches { Case::Matched } else { Case::Ignored }),
            Term::Inside(Scope::Content, term) => self.first_line(term, part, case),
            Term::Inside(scope, term) => {
                let holds =
                    |part: &Range<usize>| self.holds(term, &Scoped::part(&self.text[part.clone()]), case).unwrap_or(false);
                let found = parts(self.text, *scope).into_iter().find(holds)?;
                self.first_line(term, found.clone(), case).or(Some(found.start))
            }
            Term::Not(_) | Term::Fact(..) => None,
        }
    }

    fn has_text(&self, text: &str, scoped: &Scoped<'_>, case: Case) -> bool {
        match case {
            Case::Matched => scoped.text.contains(text) || (scoped.names && self.name.contains(text)),
            Case::Ignored => {
                let text = fold(text);
                scoped.folded.contains(&*text) || (scoped.names && fold(self.name).contains(&*text))
            }
        }
    }
}

fn all<T>(items: &[T], mut holds: impl FnMut(&T) -> Result<bool, Fault>) -> Result<bool, Fault> {
    for item in items {
        if !holds(item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The pieces of a note that a scope names, without the line breaks behind them.
fn parts(text: &str, scope: Scope) -> Vec<Range<usize>> {
    let ended = |part: Range<usize>| part.start..part.start + text[part].trim_end_matches(['\r', '\n']).len();
    pieces(text, scope).into_iter().map(ended).collect()
}

fn pieces(text: &str, scope: Scope) -> Vec<Range<usize>> {
    match scope {
        Scope::Content => std::iter::once(0..text.len()).collect(),
        Scope::Line => lines(text),
        Scope::Block => blocks(text),
        Scope::Section => sections(text),
        Scope::Task | Scope::TaskTodo | Scope::TaskDone => {
            let tasks = Note::parse(text).tasks;
            let is_wanted = |status: char| match scope {
                Scope::TaskTodo => status == ' ',
                Scope::TaskDone => status != ' ',
                _ => true,
            };
            tasks.into_iter().filter(|task| is_wanted(task.status)).map(|task| task.span).collect()
        }
    }
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    let ended = text.split_inclusive('\n').map(|line| {
        let from = start;
        start += line.len();
        from..start
    });
    ended.collect()
}

/// Paragraphs, and items of lists each on its own.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    for line in lines(text) {
        let written = text[line.clone()].trim_start();
        let begins_item = written.starts_with("- ") || written.starts_with("* ") || written.starts_with("+ ") || {
            let number = written.trim_start_matches(|next: char| next.is_ascii_digit());
            number.len() < written.len() && (number.starts_with(". ") || number.starts_with(") "))
        };
        match found.last_mut() {
            _ if written.is_empty() => is_open = false,
            Some(block) if is_open && !begins_item && !written.starts_with('#') => block.end = line.end,
            _ => {
                found.push(line);
                is_open = !written.starts_with('#');
            }
        }
    }
    found
}

/// From one heading to the next, and what stands before the first.
fn sections(text: &str) -> Vec<Range<usize>> {
    let starts: Vec<usize> = Note::parse(text).headings.iter().map(|heading| heading.span.start).collect();
    let begins = std::iter::once(0).chain(starts.iter().copied());
    let ends = starts.iter().copied().chain([text.len()]);
    begins.zip(ends).map(|(start, end)| start..end).filter(|section| !section.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    struct Noted {
        path: &'static str,
        tags: &'static [&'static str],
        properties: Value,
    }

    impl Facts for Noted {
        fn path(&self) -> &str {
            self.path
        }

        fn tags(&self) -> Vec<Cow<'_, str>> {
            self.tags.iter().map(|tag| Cow::Borrowed(*tag)).collect()
        }

        fn property(&self, name: &str) -> Option<Value> {
            let found = self.properties.as_object()?.iter().find(|(key, _)| fold(key) == fold(name));
            found.map(|(_, value)| value.clone())
        }
    }

    const TEXT: &str =
        "---\nstatus: open\n---\n# Baking\n\nMix flour\nand Sugar\n\n- [ ] buy flour\n- [x] wash up\n\n# Later\n\nEat sugar\n";

    #[track_caller]
    fn check(query: &str, expected: bool) {
        let note = Noted {
            path: "Kitchen/Cake 2024.md",
            tags: &["food/sweet", "Home"],
            properties: serde_json::json!({"Status": "open", "stars": 4, "who": ["Ann", "Bo"], "empty": null, "on": "2024-05-01T10:00"}),
        };
        let search = Search::parse(query).expect(query);
        let budget = Budget::new(1_000_000, None);
        let steps = budget.steps();
        let known = search.known(&note, &steps).expect(query);
        let holds = search.is_match(&known, note.path, TEXT, &steps).expect(query);
        assert_eq!(holds, expected, "{query}");
        if let Some(early) = search.without_text(&known, note.path) {
            assert_eq!(early, expected, "without the text: {query}");
        }
        let again = Search::parse(&search.to_string()).expect(query);
        assert_eq!(again.to_string(), search.to_string());
        assert_eq!(again.is_match(&known, note.path, TEXT, &steps).expect(query), expected, "printed: {search}");
    }

    #[test]
    fn words_must_all_occur_in_text_or_name() {
        check("flour sugar", true);
        check("FLOUR cake", true);
        check("flour salt", false);
        check("salt OR sugar", true);
        check("salt flour OR sugar cake", true);
        check("flour -sugar", false);
        check("flour -salt", true);
        check("(salt OR flour) -(pepper OR oil)", true);
        check("\"mix flour\"", true);
        check("\"flour sugar\"", false);
        check("content:cake", false);
        check("content:baking", true);
    }

    #[test]
    fn expressions_and_case() {
        check("/su.ar/", true);
        check("/^eat/", false);
        check("match-case:Sugar", true);
        check("match-case:SUGAR", false);
        check("match-case:(Sugar flour)", true);
        check("match-case:(ignore-case:SUGAR)", true);
    }

    #[test]
    fn names_paths_tags_and_properties() {
        check("file:cake", true);
        check("file:kitchen", false);
        check("path:kitchen", true);
        check("path:\"Kitchen/Cake\"", true);
        check("file:/\\d{4}/", true);
        check("tag:#food", true);
        check("tag:FOOD/sweet", true);
        check("tag:#sweet", false);
        check("tag:#foo", false);
        check("[status]", true);
        check("[status:open]", true);
        check("[status:(done OR open)]", true);
        check("[\"status\":done]", false);
        check("[none]", false);
        check("[empty:null]", true);
        check("[status:null]", false);
        check("[stars:>3]", true);
        check("[stars:<4]", false);
        check("[stars:<=4]", true);
        check("[who:bo]", true);
        check("[on:>2024-01-01]", true);
        check("[on:>2024-05-01]", false);
        check("[on:>=2024-05-01]", true);
        check("[on:<2024-06]", true);
        check("[status:>2024-01-01]", false);
        check("tag:(work OR #food)", true);
        check("tag:(food -home)", false);
    }

    #[test]
    fn parts_of_a_note() {
        check("line:(mix flour)", true);
        check("line:(flour sugar)", false);
        check("line:/^and sugar$/", true);
        check("block:/^Mix flour\\nand Sugar$/", true);
        check("block:(flour sugar)", true);
        check("block:(flour eat)", false);
        check("section:(flour wash)", true);
        check("section:(flour eat)", false);
        check("task:flour", true);
        check("task-done:flour", false);
        check("task-todo:flour", true);
        check("task-done:wash", true);
        check("task:\"\"", true);
    }

    #[test]
    fn the_first_place_is_the_first_line_with_a_word() {
        let budget = Budget::new(1_000_000, None);
        let place = |query: &str| {
            let search = Search::parse(query).expect("a search");
            let known = Known(vec![true; search.facts]);
            search.first_place(&known, "Cake.md", TEXT, &budget.steps()).map(|place| (place.line, place.text))
        };
        let check = |query: &str, line: usize, text: &str| assert_eq!(place(query), Some((line, text.to_owned())), "{query}");
        check("cake sugar", 7, "and Sugar");
        check("match-case:sugar", 14, "Eat sugar");
        check("line:(sugar eat)", 14, "Eat sugar");
        check("section:(later sugar)", 12, "# Later");
        check("task-done:\"\"", 10, "- [x] wash up");
        check("task:flour", 9, "- [ ] buy flour");
        check("path:x OR /^eat/", 14, "Eat sugar");
        assert_eq!(place("cake -salt"), None);
    }
}
