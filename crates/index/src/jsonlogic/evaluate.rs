//! Runs a rule on a document, operator by operator as the reference implementation does.

use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

use serde_json::Value;

use super::rule::{Node, Operator};
use super::value::{Js, Text, join};

/// Operations that one run of a rule may take.
pub(super) const MOST_OPERATIONS: u32 = 10_000;
/// So many bytes of text, or so many items of a list, that a rule makes count as one more operation.
const BYTES_PER_OPERATION: usize = 4096;
const ITEMS_PER_OPERATION: usize = 64;

/// The rule took more operations than it may.
#[derive(Debug)]
pub(super) struct Exceeded;

/// What `var` looks things up in.
pub(super) trait Document {
    /// The value of a variable by its full name; `None` where JavaScript has undefined.
    fn find(&self, name: &str) -> Option<Js<'_>>;
    fn whole(&self) -> Js<'_>;
}

/// Any JSON, as the reference implementation sees its data.
impl Document for Value {
    fn find(&self, name: &str) -> Option<Js<'_>> {
        descend(self.whole(), name.split('.'))
    }

    fn whole(&self) -> Js<'_> {
        Js::from(self)
    }
}

#[derive(Clone)]
enum Scope<'a> {
    Document(&'a dyn Document),
    Item(Js<'a>),
}

pub(super) struct Run {
    left: Cell<u32>,
}

/// Whether the rule's answer is true, and the operations that took.
pub(super) fn is_true(rule: &Node, document: &dyn Document) -> Result<(bool, u32), Exceeded> {
    let run = Run { left: Cell::new(MOST_OPERATIONS) };
    let truth = run.value(rule, &Scope::Document(document))?.is_true();
    Ok((truth, MOST_OPERATIONS - run.left.get()))
}

pub(super) fn descend<'a, 's>(start: Js<'a>, steps: impl Iterator<Item = &'s str>) -> Option<Js<'a>> {
    let mut value = start;
    for step in steps {
        // What an item may be without being there: `current` of a list that a rule has made.
        value = value.member(step).filter(|member| !matches!(member, Js::Undefined))?;
    }
    Some(value)
}

impl Run {
    fn spend(&self, operations: usize) -> Result<(), Exceeded> {
        let operations = u32::try_from(operations).map_err(|_| Exceeded)?;
        self.left.set(self.left.get().checked_sub(operations).ok_or(Exceeded)?);
        Ok(())
    }

    fn value<'a>(&self, node: &'a Node, scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        match node {
            Node::Literal(value) => Ok(Js::from(value)),
            Node::List(items) => Ok(Js::List(self.values(items, scope)?.into())),
            Node::Operation(operator, arguments) => {
                self.spend(1)?;
                self.operation(*operator, arguments, scope)
            }
        }
    }

    fn values<'a>(&self, nodes: &'a [Node], scope: &Scope<'a>) -> Result<Vec<Js<'a>>, Exceeded> {
        self.spend(nodes.len() / ITEMS_PER_OPERATION)?;
        nodes.iter().map(|node| self.value(node, scope)).collect()
    }

    /// Operators that run their arguments as they need them come first.
    fn operation<'a>(&self, operator: Operator, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        match operator {
            Operator::If => self.choose(arguments, scope),
            Operator::And => self.until(false, arguments, scope),
            Operator::Or => self.until(true, arguments, scope),
            Operator::Filter => self.filter(arguments, scope),
            Operator::Map => self.map(arguments, scope),
            Operator::Reduce => self.reduce(arguments, scope),
            Operator::All => {
                let items = self.items(arguments, scope)?.unwrap_or_default();
                Ok(Js::Bool(!items.is_empty() && !self.any(&items, arguments, false)?))
            }
            Operator::Some => Ok(Js::Bool(self.any(&self.items(arguments, scope)?.unwrap_or_default(), arguments, true)?)),
            Operator::None => Ok(Js::Bool(!self.any(&self.items(arguments, scope)?.unwrap_or_default(), arguments, true)?)),
            _ => self.function(operator, &self.values(arguments, scope)?, scope),
        }
    }

    fn choose<'a>(&self, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let mut pairs = arguments.chunks_exact(2);
        for pair in &mut pairs {
            if self.value(&pair[0], scope)?.is_true() {
                return self.value(&pair[1], scope);
            }
        }
        pairs.remainder().first().map_or(Ok(Js::Null), |otherwise| self.value(otherwise, scope))
    }

    /// The first value that is so, or the last.
    fn until<'a>(&self, wanted: bool, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let mut last = Js::Undefined;
        for argument in arguments {
            last = self.value(argument, scope)?;
            if last.is_true() == wanted {
                break;
            }
        }
        Ok(last)
    }

    fn argument<'a>(&self, arguments: &'a [Node], at: usize, scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        arguments.get(at).map_or(Ok(Js::Undefined), |argument| self.value(argument, scope))
    }

    fn body<'a>(&self, arguments: &'a [Node], item: Js<'a>) -> Result<Js<'a>, Exceeded> {
        self.spend(1)?;
        self.argument(arguments, 1, &Scope::Item(item))
    }

    fn items<'a>(&self, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Option<Rc<[Js<'a>]>>, Exceeded> {
        let items = self.argument(arguments, 0, scope)?.items();
        self.spend(items.as_ref().map_or(0, |items| items.len()) / ITEMS_PER_OPERATION)?;
        Ok(items)
    }

    /// Whether the body is so for any item.
    fn any<'a>(&self, items: &[Js<'a>], arguments: &'a [Node], wanted: bool) -> Result<bool, Exceeded> {
        for item in items {
            if self.body(arguments, item.clone())?.is_true() == wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn filter<'a>(&self, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let mut kept = Vec::new();
        for item in self.items(arguments, scope)?.unwrap_or_default().iter() {
            if self.body(arguments, item.clone())?.is_true() {
                kept.push(item.clone());
            }
        }
        Ok(Js::List(kept.into()))
    }

    fn map<'a>(&self, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let items = self.items(arguments, scope)?.unwrap_or_default();
        let mapped: Result<Vec<Js>, Exceeded> = items.iter().map(|item| self.body(arguments, item.clone())).collect();
        Ok(Js::List(mapped?.into()))
    }

    fn reduce<'a>(&self, arguments: &'a [Node], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let items = self.items(arguments, scope)?.unwrap_or_default();
        let mut accumulator = if arguments.len() > 2 { self.argument(arguments, 2, scope)? } else { Js::Null };
        for item in items.iter() {
            accumulator = self.body(arguments, Js::Step(Rc::new((item.clone(), accumulator))))?;
        }
        Ok(accumulator)
    }

    fn function<'a>(&self, operator: Operator, values: &[Js<'a>], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let value = |at: usize| values.get(at).unwrap_or(&Js::Undefined);
        let (a, b) = (value(0), value(1));
        let holds = |test: fn(Ordering) -> bool| between(values, test);
        Ok(match operator {
            Operator::Var => variable(scope, a).unwrap_or_else(|| if values.len() > 1 { b.clone() } else { Js::Null }),
            Operator::Missing => self.missing(values, scope)?,
            Operator::MissingSome => self.missing_some(a, b, scope)?,
            Operator::Not => Js::Bool(!a.is_true()),
            Operator::Truth => Js::Bool(a.is_true()),
            Operator::Equal => Js::Bool(a.is_equal(b)),
            Operator::NotEqual => Js::Bool(!a.is_equal(b)),
            Operator::Same => Js::Bool(a.is_same(b)),
            Operator::NotSame => Js::Bool(!a.is_same(b)),
            Operator::Less => Js::Bool(holds(Ordering::is_lt)),
            Operator::LessOrEqual => Js::Bool(holds(Ordering::is_le)),
            Operator::Greater => Js::Bool(a.order(b).is_some_and(Ordering::is_gt)),
            Operator::GreaterOrEqual => Js::Bool(a.order(b).is_some_and(Ordering::is_ge)),
            Operator::Add => Js::Number(values.iter().fold(0.0, |sum, value| sum + value.parse_number())),
            Operator::Multiply if values.len() == 1 => a.clone(),
            Operator::Multiply => Js::Number(values.iter().fold(1.0, |product, value| product * value.parse_number())),
            Operator::Subtract if matches!(b, Js::Undefined) => Js::Number(-a.to_number()),
            Operator::Subtract => Js::Number(a.to_number() - b.to_number()),
            Operator::Divide => Js::Number(a.to_number() / b.to_number()),
            Operator::Remainder => Js::Number(a.to_number() % b.to_number()),
            Operator::Min => Js::Number(extreme(values, f64::INFINITY, f64::min)),
            Operator::Max => Js::Number(extreme(values, f64::NEG_INFINITY, f64::max)),
            Operator::In => Js::Bool(is_in(a, b)),
            Operator::Cat => self.made(join(values, ""))?,
            Operator::Substr => self.made(substr(a, b, value(2)))?,
            Operator::Merge => self.merge(values)?,
            _ => a.clone(),
        })
    }

    /// A text that the rule has made; long ones cost more, or a rule could double one for ever.
    fn made<'a>(&self, text: String) -> Result<Js<'a>, Exceeded> {
        self.spend(text.len() / BYTES_PER_OPERATION)?;
        Ok(Js::text(text))
    }

    fn merge<'a>(&self, values: &[Js<'a>]) -> Result<Js<'a>, Exceeded> {
        let mut merged: Vec<Js> = Vec::new();
        for value in values {
            match value.items() {
                Some(items) => merged.extend(items.iter().cloned()),
                None => merged.push(value.clone()),
            }
            self.spend(merged.len() / ITEMS_PER_OPERATION)?;
        }
        Ok(Js::List(merged.into()))
    }

    fn missing<'a>(&self, values: &[Js<'a>], scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let names: Rc<[Js]> = values.first().and_then(Js::items).unwrap_or_else(|| values.into());
        self.spend(names.len())?;
        let is_missing = |name: &&Js<'a>| match variable(scope, first_of(name)) {
            None | Some(Js::Null) => true,
            Some(Js::Text(text)) => text.is_empty(),
            Some(_) => false,
        };
        Ok(Js::List(names.iter().filter(is_missing).cloned().collect()))
    }

    fn missing_some<'a>(&self, need: &Js<'a>, names: &Js<'a>, scope: &Scope<'a>) -> Result<Js<'a>, Exceeded> {
        let missing = self.missing(std::slice::from_ref(names), scope)?;
        let (Some(Js::Number(asked)), Some(Js::Number(lacking))) = (names.member("length"), missing.member("length")) else {
            return Ok(missing);
        };
        let is_enough = Js::Number(asked - lacking).order(need).is_some_and(Ordering::is_ge);
        Ok(if is_enough { Js::List(Rc::default()) } else { missing })
    }
}

/// `missing` runs `{"var": name}`, in which a list is the list of arguments.
fn first_of<'v, 'a>(name: &'v Js<'a>) -> &'v Js<'a> {
    match name {
        Js::List(items) => items.first().unwrap_or(&Js::Undefined),
        name => name,
    }
}

fn variable<'a>(scope: &Scope<'a>, name: &Js<'a>) -> Option<Js<'a>> {
    let is_all = matches!(name, Js::Undefined | Js::Null) || matches!(name, Js::Text(text) if text.is_empty());
    match scope {
        Scope::Document(document) if is_all => Some(document.whole()),
        Scope::Document(document) => document.find(&name.to_text()),
        Scope::Item(item) if is_all => Some(item.clone()),
        Scope::Item(item) => descend(item.clone(), name.to_text().split('.')),
    }
}

fn between(values: &[Js], test: fn(Ordering) -> bool) -> bool {
    let value = |at: usize| values.get(at).unwrap_or(&Js::Undefined);
    let holds = |a: &Js, b: &Js| a.order(b).is_some_and(test);
    holds(value(0), value(1)) && (matches!(value(2), Js::Undefined) || holds(value(1), value(2)))
}

fn extreme(values: &[Js], start: f64, choose: fn(f64, f64) -> f64) -> f64 {
    values.iter().map(Js::to_number).fold(start, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { choose(a, b) })
}

fn is_in(wanted: &Js, place: &Js) -> bool {
    match place {
        Js::Text(Text::Given(text)) => !text.is_empty() && text.contains(&*wanted.to_text()),
        Js::Text(Text::Made(text)) => !text.is_empty() && text.contains(&*wanted.to_text()),
        Js::Given(items) => items.iter().any(|item| wanted.is_same(&Js::from(item))),
        Js::List(items) => items.iter().any(|item| wanted.is_same(item)),
        _ => false,
    }
}

/// Counts in UTF-16 units. A negative length leaves that many off the end.
fn substr(source: &Js, start: &Js, length: &Js) -> String {
    let units: Vec<u16> = source.to_text().encode_utf16().collect();
    let size = i64::try_from(units.len()).unwrap_or(i64::MAX);
    let start = match integer(start) {
        start if start < 0 => (size + start).max(0),
        start => start.min(size),
    };
    let rest = size - start;
    let length = match length {
        Js::Undefined => rest,
        length if length.order(&Js::Number(0.0)).is_some_and(Ordering::is_lt) => rest + integer(length),
        length => integer(length),
    };
    let end = start + length.clamp(0, rest);
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    String::from_utf16_lossy(&units[range])
}

fn integer(value: &Js) -> i64 {
    /// Longer than any text, and far from the ends of the type.
    const FAR: f64 = 1e15;
    let number = value.to_number();
    #[expect(clippy::cast_possible_truncation, reason = "clamped; NaN becomes 0")]
    let integer = number.clamp(-FAR, FAR) as i64;
    integer
}
