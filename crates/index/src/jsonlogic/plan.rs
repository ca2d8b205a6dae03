//! A rule in pieces that can each be decided for many notes at once.

use super::rule::{Node, Operator, Reads, Source};
use serde_json::Value;

#[derive(Debug)]
pub(super) enum Plan {
    /// Cheapest first. No piece at all is false, as in the reference implementation.
    Every(Vec<Plan>),
    Any(Vec<Plan>),
    Not(Box<Plan>),
    Leaf(Leaf),
}

#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) node: Node,
    pub(super) reads: Reads,
    /// What every text must contain for which the piece is true.
    pub(super) literal: Option<String>,
}

impl Plan {
    pub(super) fn of(node: &Node) -> Plan {
        match node {
            Node::Operation(Operator::And, pieces) => Plan::Every(plans(pieces)),
            Node::Operation(Operator::Or, pieces) => Plan::Any(plans(pieces)),
            Node::Operation(Operator::Not, pieces) if !pieces.is_empty() => Plan::Not(Box::new(Plan::of(&pieces[0]))),
            Node::Operation(Operator::Truth, pieces) if !pieces.is_empty() => Plan::of(&pieces[0]),
            node => Plan::Leaf(Leaf { node: node.clone(), reads: Reads::of(node), literal: content_literal(node) }),
        }
    }

    /// Whether deciding it can mean opening files.
    pub(super) fn reads_text(&self) -> bool {
        self.cost() >= cost(&Source::Content)
    }

    fn cost(&self) -> u8 {
        match self {
            Plan::Every(pieces) | Plan::Any(pieces) => pieces.iter().map(Plan::cost).max().unwrap_or(0),
            Plan::Not(piece) => piece.cost(),
            Plan::Leaf(leaf) => leaf.reads.sources.iter().map(cost).max().unwrap_or(0),
        }
    }
}

impl Leaf {
    pub(super) fn is_constant(&self) -> bool {
        self.reads.sources.is_empty()
    }

    /// Whether the columns alone can decide it.
    pub(super) fn is_columnar(&self) -> bool {
        self.reads.sources.iter().all(|source| cost(source) == 1)
    }
}

fn plans(nodes: &[Node]) -> Vec<Plan> {
    let mut plans: Vec<Plan> = nodes.iter().map(Plan::of).collect();
    plans.sort_by_key(Plan::cost);
    plans
}

fn cost(source: &Source) -> u8 {
    match source {
        Source::Property(_) | Source::Tags => 1,
        Source::Path => 2,
        Source::Frontmatter => 3,
        Source::Links => 4,
        Source::Content => 5,
    }
}

/// The text of `{"in": ["text", {"var": "content"}]}`.
fn content_literal(node: &Node) -> Option<String> {
    let Node::Operation(Operator::In, arguments) = node else { return None };
    let [Node::Literal(Value::String(text)), Node::Operation(Operator::Var, name), ..] = arguments.as_slice() else {
        return None;
    };
    let is_content = name.len() == 1 && name[0].literal_name().is_some_and(|name| name == "content");
    (is_content && !text.is_empty()).then(|| text.clone())
}
