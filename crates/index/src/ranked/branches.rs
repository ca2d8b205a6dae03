//! Sorts a query into alternatives that are each words for the index and a filter for the catalogue.

use super::QueryError;
use super::filter::Filter;
use super::syntax::Node;

/// More ways to match than anybody means.
const MOST_BRANCHES: usize = 16;

/// A note matches when its words match the text and its facts pass the filter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Branch {
    /// `None` when there is nothing about words.
    pub(crate) text: Option<Text>,
    pub(crate) filter: Filter,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Text {
    Word(String),
    Phrase(String),
    Group(Group),
    Any(Vec<Text>),
}

/// All required ones match, none of the excluded, and without required ones at least one of the optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Group {
    pub(crate) required: Vec<Text>,
    pub(crate) optional: Vec<Text>,
    pub(crate) excluded: Vec<Text>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Filter,
    Mixed,
}

pub(crate) fn branches_of(node: Node) -> Result<Vec<Branch>, QueryError> {
    Ok(match kind_of(&node) {
        Kind::Text => vec![Branch { text: text_of(node), filter: Filter::Everything }],
        Kind::Filter => vec![Branch { text: None, filter: filter_of(node) }],
        Kind::Mixed => match node {
            Node::All(nodes) => branches_of_all(nodes)?,
            Node::Any(nodes) => {
                let alternatives = nodes.into_iter().map(branches_of).collect::<Result<Vec<_>, _>>()?.concat();
                if alternatives.len() > MOST_BRANCHES {
                    return Err(QueryError::TooManyAlternatives(MOST_BRANCHES));
                }
                alternatives
            }
            Node::Must(node) => branches_of(*node)?,
            Node::Not(node) => branches_of(negated(*node))?,
            Node::Word(_) | Node::Phrase(_) | Node::Filter(_) => Vec::new(),
        },
    })
}

fn kind_of(node: &Node) -> Kind {
    match node {
        Node::Word(_) | Node::Phrase(_) => Kind::Text,
        Node::Filter(_) => Kind::Filter,
        Node::Not(node) | Node::Must(node) => kind_of(node),
        Node::All(nodes) | Node::Any(nodes) => {
            let mut kinds = nodes.iter().map(kind_of);
            let first = kinds.next().unwrap_or(Kind::Text);
            if kinds.all(|kind| kind == first) { first } else { Kind::Mixed }
        }
    }
}

/// Only the mixed ones: what is all words or all filters is turned around as a whole.
fn negated(node: Node) -> Node {
    let not = |node| Node::Not(Box::new(node));
    match node {
        Node::Not(node) => *node,
        Node::Must(node) => not(*node),
        Node::Any(nodes) => Node::All(nodes.into_iter().map(not).collect()),
        Node::All(nodes) => {
            let (texts, others): (Vec<Node>, Vec<Node>) = nodes.into_iter().partition(|node| kind_of(node) == Kind::Text);
            Node::Any(std::iter::once(Node::All(texts)).chain(others).map(not).collect())
        }
        plain => not(plain),
    }
}

/// What stands side by side: the words of all become one text, the filters one filter; each mixed node multiplies.
fn branches_of_all(nodes: Vec<Node>) -> Result<Vec<Branch>, QueryError> {
    let mut texts = Vec::new();
    let mut filters = Vec::new();
    let mut choices = Vec::new();
    for node in nodes {
        match kind_of(&node) {
            Kind::Text => texts.push(node),
            Kind::Filter => filters.push(filter_of(node)),
            Kind::Mixed => choices.push(branches_of(node)?),
        }
    }
    let text = if texts.is_empty() { None } else { text_of(Node::All(texts)) };
    let mut branches = vec![Branch { text, filter: all_of(filters) }];
    for choice in choices {
        if branches.len() * choice.len() > MOST_BRANCHES {
            return Err(QueryError::TooManyAlternatives(MOST_BRANCHES));
        }
        branches = branches.iter().flat_map(|one| choice.iter().map(|other| both(one, other))).collect();
    }
    Ok(branches)
}

fn both(one: &Branch, other: &Branch) -> Branch {
    let filter = all_of(vec![one.filter.clone(), other.filter.clone()]);
    let mut group = Group::default();
    for text in [&one.text, &other.text].into_iter().flatten() {
        match text {
            Text::Group(inner) if group == Group::default() => group = inner.clone(),
            text if text.is_only_words() => group.optional.push(text.clone()),
            text => group.required.push(text.clone()),
        }
    }
    let text = if group == Group::default() { None } else { Some(Text::Group(group)) };
    Branch { text, filter }
}

impl Text {
    pub(crate) fn is_only_words(&self) -> bool {
        match self {
            Text::Word(_) => true,
            Text::Phrase(_) => false,
            Text::Any(texts) => texts.iter().all(Text::is_only_words),
            Text::Group(Group { required, optional, excluded }) => {
                required.is_empty() && excluded.is_empty() && optional.iter().all(Text::is_only_words)
            }
        }
    }
}

fn all_of(mut filters: Vec<Filter>) -> Filter {
    filters.retain(|filter| *filter != Filter::Everything);
    match filters.len() {
        0 => Filter::Everything,
        1 => filters.remove(0),
        _ => Filter::All(filters),
    }
}

fn filter_of(node: Node) -> Filter {
    match node {
        Node::Filter(filter) => filter,
        Node::Not(node) => Filter::Not(Box::new(filter_of(*node))),
        Node::Must(node) => filter_of(*node),
        Node::All(nodes) => all_of(nodes.into_iter().map(filter_of).collect()),
        Node::Any(nodes) => Filter::Any(nodes.into_iter().map(filter_of).collect()),
        Node::Word(_) | Node::Phrase(_) => Filter::Everything,
    }
}

fn text_of(node: Node) -> Option<Text> {
    Some(match node {
        Node::Word(word) => Text::Word(word),
        Node::Phrase(phrase) => Text::Phrase(phrase),
        Node::Must(node) => return text_of(*node),
        Node::Not(node) => Text::Group(Group { excluded: text_of(*node).into_iter().collect(), ..Group::default() }),
        Node::Any(nodes) => Text::Any(nodes.into_iter().filter_map(text_of).collect()),
        Node::All(nodes) if nodes.is_empty() => return None,
        Node::All(nodes) => Text::Group(group_of(nodes)),
        Node::Filter(_) => return None,
    })
}

/// Words may match, everything else must.
fn group_of(nodes: Vec<Node>) -> Group {
    let mut group = Group::default();
    for node in nodes {
        match node {
            Node::Must(node) => group.required.extend(text_of(*node)),
            Node::Not(node) => group.excluded.extend(text_of(*node)),
            node => match text_of(node) {
                Some(text) if text.is_only_words() => group.optional.push(text),
                text => group.required.extend(text),
            },
        }
    }
    group
}
