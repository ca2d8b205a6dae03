//! Expressions as they were written. Bases and Dataview have parsers and printers of their own for the same tree.

use std::ops::Range;

use crate::value::Value;

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Bytes of the query's text.
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Literal(Value),
    Name(Box<str>),
    /// `on.name`
    Field {
        on: Box<Expr>,
        name: Box<str>,
    },
    /// `on[key]`
    Index {
        on: Box<Expr>,
        key: Box<Expr>,
    },
    /// `name(…)`
    Call {
        name: Box<str>,
        arguments: Vec<Expr>,
    },
    /// `on.name(…)`
    Method {
        on: Box<Expr>,
        name: Box<str>,
        arguments: Vec<Expr>,
    },
    /// `expression(…)`, where the expression is no name
    Apply {
        on: Box<Expr>,
        arguments: Vec<Expr>,
    },
    Not(Box<Expr>),
    Negate(Box<Expr>),
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    List(Vec<Expr>),
    Object(Vec<(Box<str>, Expr)>),
    Lambda {
        parameters: Vec<Box<str>>,
        body: Box<Expr>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Expr {
    pub fn new(kind: ExprKind, span: Range<usize>) -> Expr {
        Expr { kind, span }
    }
}
