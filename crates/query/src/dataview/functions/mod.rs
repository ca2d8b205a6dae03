//! The functions of the language: which there are, and how they are called with lists for single values.

mod dates;
mod hash;
mod links;
mod lists;
mod numbers;
mod plain_text;
mod search;
mod texts;

use super::arithmetic::spend;
use super::dialect::{Dataview, Eval};
use super::kind::kind;
use crate::evaluate::closure;
use crate::fault::Fault;
use crate::value::Value;

/// Nothing where there is no such function for arguments of these kinds.
type Outcome = Result<Option<Value>, Fault>;

pub(crate) struct Function {
    pub(crate) name: &'static str,
    /// For how many arguments which of them may be lists: the function is then called for each item.
    vectors: &'static [(usize, &'static [usize])],
    run: fn(&mut Eval<'_, '_>, &[Value]) -> Outcome,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

type Vectors = &'static [(usize, &'static [usize])];

const NONE: Vectors = &[];
const FIRST: Vectors = &[(1, &[0])];
const FIRST_OF_TWO: Vectors = &[(2, &[0])];
const SECOND_OF_TWO: Vectors = &[(2, &[1])];
const BOTH: Vectors = &[(2, &[0, 1])];
const THREE: Vectors = &[(3, &[0, 1, 2])];
const TWO_OR_THREE: Vectors = &[(2, &[0, 1]), (3, &[0, 1, 2])];

const fn function(name: &'static str, vectors: Vectors, run: fn(&mut Eval<'_, '_>, &[Value]) -> Outcome) -> Function {
    Function { name, vectors, run }
}

/// In the order of the plugin's manual.
pub(crate) static FUNCTIONS: [Function; 66] = [
    function("object", NONE, lists::object),
    function("list", NONE, lists::list),
    function("array", NONE, lists::list),
    function("date", FIRST, dates::date),
    function("dur", FIRST, dates::duration),
    function("number", FIRST, numbers::number),
    function("string", NONE, texts::string),
    function("link", &[(1, &[0]), (2, &[0, 1])], links::link),
    function("embed", &[(1, &[0]), (2, &[0, 1])], links::embed),
    function("elink", &[(1, &[0]), (2, &[0])], links::external_link),
    function("typeof", NONE, lists::type_of),
    function("round", &[(1, &[0]), (2, &[0])], numbers::round),
    function("trunc", FIRST, numbers::truncated),
    function("floor", FIRST, numbers::floor),
    function("ceil", FIRST, numbers::ceil),
    function("min", NONE, numbers::min),
    function("max", NONE, numbers::max),
    function("sum", NONE, numbers::sum),
    function("product", NONE, numbers::product),
    function("average", NONE, numbers::average),
    function("minby", NONE, numbers::min_by),
    function("maxby", NONE, numbers::max_by),
    function("contains", SECOND_OF_TWO, search::contains),
    function("icontains", SECOND_OF_TWO, search::contains_in_any_case),
    function("econtains", SECOND_OF_TWO, search::contains_exactly),
    function("containsword", BOTH, search::contains_word),
    function("extract", NONE, lists::extract),
    function("sort", NONE, lists::sort),
    function("reverse", NONE, lists::reverse),
    function("length", NONE, lists::length),
    function("nonnull", NONE, lists::non_null),
    function("firstvalue", NONE, lists::first_value),
    function("all", NONE, search::all),
    function("any", NONE, search::any),
    function("none", NONE, search::none),
    function("join", SECOND_OF_TWO, texts::join),
    function("filter", NONE, lists::filter),
    function("map", NONE, lists::map),
    function("flat", NONE, lists::flat),
    function("slice", NONE, lists::slice),
    function("unique", NONE, lists::unique),
    function("reduce", SECOND_OF_TWO, numbers::reduce),
    function("regextest", BOTH, search::pattern_test),
    function("regexmatch", BOTH, search::pattern_match),
    function("regexreplace", THREE, texts::pattern_replace),
    function("replace", THREE, texts::replace),
    function("lower", FIRST, texts::lower),
    function("upper", FIRST, texts::upper),
    function("split", NONE, texts::split),
    function("startswith", BOTH, search::starts_with),
    function("endswith", BOTH, search::ends_with),
    function("padleft", TWO_OR_THREE, texts::pad_left),
    function("padright", TWO_OR_THREE, texts::pad_right),
    function("substring", TWO_OR_THREE, texts::substring),
    function("truncate", TWO_OR_THREE, texts::truncate),
    function("default", BOTH, lists::default),
    function("ldefault", NONE, lists::default),
    function("display", NONE, plain_text::display),
    function("choice", &[(3, &[0])], lists::choice),
    function("striptime", FIRST, dates::strip_time),
    function("dateformat", FIRST_OF_TWO, dates::date_format),
    function("durationformat", FIRST_OF_TWO, dates::duration_format),
    function("currencyformat", FIRST_OF_TWO, numbers::currency_format),
    function("localtime", FIRST, dates::local_time),
    function("hash", NONE, hash::hash),
    function("meta", NONE, links::meta),
];

pub(crate) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

pub(crate) fn unknown(name: &str) -> String {
    let lower = name.to_lowercase();
    let near = FUNCTIONS
        .iter()
        .find(|function| function.name == lower || function.name.starts_with(&lower) || lower.starts_with(function.name));
    match near {
        Some(function) => format!("there is no function {name}; is {} meant?", function.name),
        None => {
            let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
            format!("there is no function {name}; there are {}", names.join(", "))
        }
    }
}

pub(crate) fn call(evaluation: &mut Eval<'_, '_>, function: &'static Function, arguments: &[Value]) -> Result<Value, Fault> {
    call_within(evaluation, function, arguments, 0)
}

/// Lists of lists of lists.
const DEEPEST: usize = 32;

fn call_within(
    evaluation: &mut Eval<'_, '_>,
    function: &'static Function,
    arguments: &[Value],
    depth: usize,
) -> Result<Value, Fault> {
    let may_be_lists = function.vectors.iter().find(|(count, _)| *count == arguments.len()).map_or(&[][..], |(_, places)| places);
    let lists: Vec<usize> = may_be_lists.iter().copied().filter(|&place| matches!(arguments[place], Value::List(_))).collect();
    let length = lists.iter().filter_map(|&place| arguments[place].as_list()).map(<[Value]>::len).min();
    if let Some(length) = length {
        if depth == DEEPEST {
            return Err(Fault::wrong("the lists are nested too deeply"));
        }
        spend(evaluation, length)?;
        let mut values = Vec::with_capacity(length);
        for at in 0..length {
            let one = |(place, argument): (usize, &Value)| match argument {
                Value::List(items) if lists.contains(&place) => items[at].clone(),
                other => other.clone(),
            };
            let arguments: Vec<Value> = arguments.iter().enumerate().map(one).collect();
            values.push(call_within(evaluation, function, &arguments, depth + 1)?);
        }
        return Ok(Value::list(values));
    }
    (function.run)(evaluation, arguments)?.ok_or_else(|| {
        let kinds: Vec<&str> = arguments.iter().map(kind).collect();
        Fault::wrong(format!("{} cannot be called with ({})", function.name, kinds.join(", ")))
    })
}

fn some(value: impl Into<Value>) -> Outcome {
    Ok(Some(value.into()))
}

const NULL: Outcome = Ok(Some(Value::Null));

/// A lambda that was given as an argument.
fn apply(evaluation: &mut Eval<'_, '_>, function: &Value, arguments: &[Value]) -> Result<Value, Fault> {
    let Value::Function(lambda) = function else { return Err(Fault::wrong("a function is expected: (x) => …")) };
    match closure::<Dataview>(lambda) {
        Some(closure) => evaluation.apply(closure, arguments),
        None => Err(Fault::wrong("a function is expected: (x) => …")),
    }
}

/// Whether an argument is a lambda.
fn is_lambda(value: &Value) -> bool {
    kind(value) == "function"
}
