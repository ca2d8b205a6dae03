//! A rule, checked and made ready to run.

use serde_json::Value;

use super::JsonLogicError;
use quillgate_markdown::fold;

/// Deeper rules are refused: running one takes stack for every level.
const DEEPEST: usize = 100;

#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Neither an operation nor a list; a map with several keys stands for itself.
    Literal(Value),
    List(Vec<Node>),
    Operation(Operator, Vec<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Var,
    Missing,
    MissingSome,
    If,
    And,
    Or,
    Not,
    Truth,
    Equal,
    Same,
    NotEqual,
    NotSame,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Min,
    Max,
    In,
    Cat,
    Substr,
    Merge,
    Filter,
    Map,
    Reduce,
    All,
    Some,
    None,
    Log,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("var", Operator::Var),
    ("missing", Operator::Missing),
    ("missing_some", Operator::MissingSome),
    ("if", Operator::If),
    ("?:", Operator::If),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("!", Operator::Not),
    ("!!", Operator::Truth),
    ("==", Operator::Equal),
    ("===", Operator::Same),
    ("!=", Operator::NotEqual),
    ("!==", Operator::NotSame),
    ("<", Operator::Less),
    ("<=", Operator::LessOrEqual),
    (">", Operator::Greater),
    (">=", Operator::GreaterOrEqual),
    ("+", Operator::Add),
    ("-", Operator::Subtract),
    ("*", Operator::Multiply),
    ("/", Operator::Divide),
    ("%", Operator::Remainder),
    ("min", Operator::Min),
    ("max", Operator::Max),
    ("in", Operator::In),
    ("cat", Operator::Cat),
    ("substr", Operator::Substr),
    ("merge", Operator::Merge),
    ("filter", Operator::Filter),
    ("map", Operator::Map),
    ("reduce", Operator::Reduce),
    ("all", Operator::All),
    ("some", Operator::Some),
    ("none", Operator::None),
    ("log", Operator::Log),
];

impl Operator {
    /// Whether the second argument runs on the items of a list and not on the document.
    pub(super) fn has_body(self) -> bool {
        matches!(self, Operator::Filter | Operator::Map | Operator::Reduce | Operator::All | Operator::Some | Operator::None)
    }
}

impl Node {
    pub(super) fn parse(rule: &Value) -> Result<Node, JsonLogicError> {
        parse(rule, &mut String::new(), 0)
    }

    /// The literal text or number that a `var` names, as JavaScript writes it.
    pub(super) fn literal_name(&self) -> Option<String> {
        match self {
            Node::Literal(Value::String(name)) => Some(name.clone()),
            Node::Literal(Value::Number(number)) => {
                Some(super::value::Js::from(&Value::Number(number.clone())).to_text().into_owned())
            }
            _ => None,
        }
    }
}

fn parse(rule: &Value, place: &mut String, depth: usize) -> Result<Node, JsonLogicError> {
    if depth > DEEPEST {
        return Err(JsonLogicError::TooDeep { place: place.clone(), deepest: DEEPEST });
    }
    let (name, arguments) = match rule {
        Value::Array(items) => return Ok(Node::List(parse_all(items, place, depth)?)),
        Value::Object(map) if map.len() == 1 => map.iter().next().expect("it has one entry"),
        literal => return Ok(Node::Literal(literal.clone())),
    };
    let known = OPERATORS.iter().find(|(known, _)| known == name);
    let Some(&(_, operator)) = known else {
        return Err(JsonLogicError::UnknownOperator { operator: name.clone(), place: place.clone() });
    };
    let before = place.len();
    place.push('/');
    place.push_str(name);
    let arguments = match arguments {
        Value::Array(items) => parse_all(items, place, depth)?,
        single => vec![parse(single, place, depth + 1)?],
    };
    if operator == Operator::Multiply && arguments.is_empty() {
        let problem = "it needs at least one argument";
        return Err(JsonLogicError::BadArguments { operator: name.clone(), place: place.clone(), problem });
    }
    place.truncate(before);
    Ok(Node::Operation(operator, arguments))
}

fn parse_all(items: &[Value], place: &mut String, depth: usize) -> Result<Vec<Node>, JsonLogicError> {
    let before = place.len();
    let mut nodes = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        place.push_str(&format!("/{at}"));
        nodes.push(parse(item, place, depth + 1)?);
        place.truncate(before);
    }
    Ok(nodes)
}

/// What a rule can ask of a note without naming it in a computed way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A property, by folded name.
    Property(String),
    Tags,
    Path,
    Frontmatter,
    Links,
    Content,
}

/// A variable whose name is written out in the rule.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    /// Where in the list of sources; `None` for what no note has.
    pub(super) source: Option<usize>,
    /// The steps that follow, such as the `0` of `tags.0`.
    pub(super) rest: Vec<String>,
}

/// What a piece of a rule reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    pub(super) sources: Vec<Source>,
    pub(super) variables: Vec<Variable>,
    /// Whether it may read anything: it takes the whole document, or computes a name.
    pub(super) anything: bool,
}

impl Reads {
    pub(super) fn of(node: &Node) -> Reads {
        let mut reads = Reads::default();
        reads.add(node);
        if reads.anything {
            let all = [Source::Path, Source::Content, Source::Frontmatter, Source::Tags, Source::Links];
            for source in all {
                reads.source(source);
            }
        }
        reads
    }

    /// Where a source is in the list; it is put there if it is not.
    fn source(&mut self, source: Source) -> usize {
        let known = self.sources.iter().position(|known| *known == source);
        known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        })
    }

    fn add(&mut self, node: &Node) {
        match node {
            Node::Literal(_) => {}
            Node::List(items) => items.iter().for_each(|item| self.add(item)),
            Node::Operation(operator, arguments) => {
                match operator {
                    Operator::Var => self.add_name(arguments.first()),
                    Operator::Missing => self.add_names(arguments),
                    Operator::MissingSome => self.add_names(arguments.get(1..).unwrap_or_default()),
                    _ => {}
                }
                let outside = |at: usize| !(operator.has_body() && at == 1);
                arguments.iter().enumerate().filter(|(at, _)| outside(*at)).for_each(|(_, argument)| self.add(argument));
            }
        }
    }

    fn add_names(&mut self, names: &[Node]) {
        for name in names {
            match name {
                Node::List(names) => names.iter().for_each(|name| self.add_name(Some(name))),
                name => self.add_name(Some(name)),
            }
        }
    }

    fn add_name(&mut self, name: Option<&Node>) {
        match name.and_then(Node::literal_name) {
            Some(name) if !name.is_empty() => self.add_variable(name),
            _ => self.anything = true,
        }
    }

    fn add_variable(&mut self, name: String) {
        let mut steps = name.split('.').map(str::to_owned);
        let source = match steps.next().as_deref() {
            Some("path") => Some(Source::Path),
            Some("content") => Some(Source::Content),
            Some("tags") => Some(Source::Tags),
            Some("links") => Some(Source::Links),
            Some("frontmatter") => Some(steps.next().map_or(Source::Frontmatter, |key| Source::Property(fold(&key)))),
            _ => None,
        };
        let source = source.map(|source| self.source(source));
        self.variables.push(Variable { rest: steps.collect(), name, source });
    }
}
