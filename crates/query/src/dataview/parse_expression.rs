//! Reads expressions. What the plugin accepts is accepted, and what it does not is an error that says what to write.

use std::sync::Arc;

use super::scan::Scan;
use super::syntax::RESERVED;
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::fault::SyntaxError;
use crate::value::Value;

/// A whole text as one expression.
pub fn parse_expression(text: &str) -> Result<Expr, SyntaxError> {
    let mut parser = Parser::new(text);
    parser.scan.space();
    let expr = parser.expression()?;
    parser.scan.space();
    if parser.scan.is_done() { Ok(expr) } else { Err(parser.unexpected("the expression ends before this")) }
}

/// Brackets in brackets; the parser's own stack.
const MOST_NESTED: usize = 64;
/// Nodes from the root to the furthest leaf, so that whoever walks the tree has stack enough.
const TALLEST: usize = 160;

pub(crate) struct Parser<'t> {
    pub(crate) scan: Scan<'t>,
    nesting: usize,
}

/// An expression and how tall its tree is.
struct Node {
    expr: Expr,
    height: usize,
}

/// Operators from those that bind least to those that bind most.
#[derive(Clone, Copy)]
enum Level {
    Boolean,
    Comparison,
    Sum,
    Product,
}

impl<'t> Parser<'t> {
    pub(crate) fn new(text: &'t str) -> Parser<'t> {
        Parser { scan: Scan::new(text), nesting: 0 }
    }

    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.scan.text, at, message)
    }

    pub(crate) fn error(&self, message: impl Into<String>) -> SyntaxError {
        self.error_at(self.scan.at, message)
    }

    /// What stands here does not belong here.
    pub(crate) fn unexpected(&self, otherwise: &str) -> SyntaxError {
        let rest = self.scan.rest();
        let message = match self.scan.peek() {
            None => "the query ends too early".to_owned(),
            Some('(') => "a call has no space between the name and its bracket".to_owned(),
            Some('\'') => "texts stand in double quotes: \"…\"".to_owned(),
            Some('.') => "behind a dot stands a field's name; use x[\"…\"] for a name with other characters".to_owned(),
            Some(space) if space.is_whitespace() => format!("{otherwise}, without a space before it"),
            Some(_) => {
                let word: String = rest.chars().take_while(|character| !character.is_whitespace()).take(24).collect();
                format!("{otherwise}: `{word}` was not expected")
            }
        };
        self.error(message)
    }

    pub(crate) fn expression(&mut self) -> Result<Expr, SyntaxError> {
        self.node().map(|node| node.expr)
    }

    fn node(&mut self) -> Result<Node, SyntaxError> {
        if self.nesting == MOST_NESTED {
            return Err(self.error("the expression is nested too deeply"));
        }
        self.nesting += 1;
        let node = self.binary(Level::Boolean);
        self.nesting -= 1;
        node
    }

    fn grown(&self, kind: ExprKind, start: usize, children: usize) -> Result<Node, SyntaxError> {
        if children >= TALLEST {
            return Err(self.error_at(start, "the expression is too long; use fewer operators in one expression"));
        }
        Ok(Node { expr: Expr::new(kind, start..self.scan.at), height: children + 1 })
    }

    fn binary(&mut self, level: Level) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        let mut left = self.operand(level)?;
        loop {
            let before = self.scan;
            self.scan.space();
            let Some(op) = self.operator(level) else {
                self.scan = before;
                return Ok(left);
            };
            self.check_doubled(op)?;
            self.scan.space();
            let right = self.operand(level)?;
            let height = left.height.max(right.height);
            let kind = ExprKind::Binary { op, left: Box::new(left.expr), right: Box::new(right.expr) };
            left = self.grown(kind, start, height)?;
        }
    }

    fn operand(&mut self, level: Level) -> Result<Node, SyntaxError> {
        match level {
            Level::Boolean => self.binary(Level::Comparison),
            Level::Comparison => self.binary(Level::Sum),
            Level::Sum => self.binary(Level::Product),
            Level::Product => self.with_postfixes(),
        }
    }

    fn operator(&mut self, level: Level) -> Option<BinaryOp> {
        // A comment, not a division; and what other languages sort by.
        if self.scan.rest().starts_with("//") || self.is_at_order() {
            return None;
        }
        let signs: &[(&str, BinaryOp)] = match level {
            Level::Boolean => {
                if self.scan.take_word("and") {
                    return Some(BinaryOp::And);
                }
                if self.scan.take_word("or") {
                    return Some(BinaryOp::Or);
                }
                &[("&", BinaryOp::And), ("|", BinaryOp::Or)]
            }
            Level::Comparison => &[
                (">=", BinaryOp::GreaterOrEqual),
                ("<=", BinaryOp::LessOrEqual),
                ("!=", BinaryOp::NotEqual),
                (">", BinaryOp::Greater),
                ("<", BinaryOp::Less),
                ("=", BinaryOp::Equal),
            ],
            Level::Sum => &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
            Level::Product => &[("*", BinaryOp::Multiply), ("/", BinaryOp::Divide), ("%", BinaryOp::Remainder)],
        };
        signs.iter().find(|(sign, _)| self.scan.take(sign)).map(|(_, op)| *op)
    }

    pub(crate) fn is_at_order(&self) -> bool {
        let mut ahead = self.scan;
        ahead.name().is_some_and(|word| word.eq_ignore_ascii_case("ORDER"))
    }

    /// What other languages write where this one has one sign.
    fn check_doubled(&self, op: BinaryOp) -> Result<(), SyntaxError> {
        let advice = match (op, self.scan.peek()) {
            (BinaryOp::Equal, Some('=')) => "`==` is no operator here; use `=` to compare",
            (BinaryOp::NotEqual, Some('=')) => "`!==` is no operator here; use `!=` to compare",
            (BinaryOp::Less, Some('>')) => "`<>` is no operator here; use `!=` to compare",
            (BinaryOp::And, Some('&')) => "`&&` is no operator here; use `and` or a single `&`",
            (BinaryOp::Or, Some('|')) => "`||` is no operator here; use `or` or a single `|`",
            _ => return Ok(()),
        };
        Err(self.error_at(self.scan.at - 1, advice))
    }

    fn with_postfixes(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        let mut node = self.atom()?;
        loop {
            node = match self.scan.peek() {
                Some('.') => {
                    let ahead = self.scan.at;
                    self.scan.take(".");
                    let Some(name) = self.scan.name() else {
                        self.scan.at = ahead;
                        return Err(self.unexpected(""));
                    };
                    self.grown(ExprKind::Field { on: Box::new(node.expr), name: name.into() }, start, node.height)?
                }
                Some('[') => {
                    self.scan.take("[");
                    self.scan.space();
                    let key = self.node()?;
                    self.scan.space();
                    self.close("]")?;
                    let height = node.height.max(key.height);
                    self.grown(ExprKind::Index { on: Box::new(node.expr), key: Box::new(key.expr) }, start, height)?
                }
                Some('(') => {
                    self.scan.take("(");
                    let (arguments, height) = self.items(")")?;
                    let kind = match node.expr.kind {
                        ExprKind::Name(name) => ExprKind::Call { name, arguments },
                        kind => ExprKind::Apply { on: Box::new(Expr::new(kind, node.expr.span)), arguments },
                    };
                    self.grown(kind, start, node.height.max(height))?
                }
                _ => return Ok(node),
            };
        }
    }

    fn close(&mut self, bracket: &str) -> Result<(), SyntaxError> {
        if self.scan.take(bracket) {
            return Ok(());
        }
        Err(if self.scan.is_done() {
            self.error(format!("`{bracket}` is missing here"))
        } else {
            self.unexpected(&format!("`{bracket}` is expected here"))
        })
    }

    /// Expressions with commas between them, up to the closing bracket, which is taken.
    fn items(&mut self, closing: &str) -> Result<(Vec<Expr>, usize), SyntaxError> {
        let (mut items, mut height) = (Vec::new(), 0);
        self.scan.space();
        if self.scan.take(closing) {
            return Ok((items, height));
        }
        loop {
            let item = self.node()?;
            height = height.max(item.height);
            items.push(item.expr);
            self.scan.space();
            if !self.scan.take(",") {
                self.close(closing)?;
                return Ok((items, height));
            }
            self.scan.space();
        }
    }

    fn atom(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        if let Some(link) = self.scan.embed_or_link() {
            return self.literal(Value::Link(Arc::new(link)), start);
        }
        match self.scan.peek() {
            Some('!') => self.negated(),
            Some('[') => {
                self.scan.take("[");
                let (items, height) = self.items("]")?;
                self.grown(ExprKind::List(items), start, height)
            }
            Some('{') => self.object(),
            Some('(') => self.lambda_or_brackets(),
            Some('"') => match self.scan.string() {
                Some(string) => self.literal(Value::text(string), start),
                None => Err(self.error("this text has no closing quote")),
            },
            _ => self.word_or_number(),
        }
    }

    fn literal(&self, value: Value, start: usize) -> Result<Node, SyntaxError> {
        self.grown(ExprKind::Literal(value), start, 0)
    }

    fn negated(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        if self.nesting == MOST_NESTED {
            return Err(self.error("the expression is nested too deeply"));
        }
        self.scan.take("!");
        self.nesting += 1;
        let inner = self.with_postfixes();
        self.nesting -= 1;
        let inner = inner?;
        self.grown(ExprKind::Not(Box::new(inner.expr)), start, inner.height)
    }

    fn object(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        self.scan.take("{");
        self.scan.space();
        let (mut entries, mut height): (Vec<(Box<str>, Expr)>, usize) = (Vec::new(), 0);
        if self.scan.take("}") {
            return self.grown(ExprKind::Object(entries), start, 0);
        }
        loop {
            let key: Box<str> = match (self.scan.name(), self.scan.peek()) {
                (Some(name), _) => name.into(),
                (None, Some('"')) => self.scan.string().ok_or_else(|| self.error("this text has no closing quote"))?.into(),
                _ => return Err(self.unexpected("a key of the object is expected here")),
            };
            self.scan.space();
            self.close(":")?;
            self.scan.space();
            let value = self.node()?;
            height = height.max(value.height);
            // A key that comes again keeps its place.
            match entries.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) => *known = value.expr,
                None => entries.push((key, value.expr)),
            }
            self.scan.space();
            if !self.scan.take(",") {
                self.close("}")?;
                return self.grown(ExprKind::Object(entries), start, height);
            }
            self.scan.space();
        }
    }

    fn lambda_or_brackets(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        if let Some(parameters) = self.scan.all(parameters) {
            let body = self.node()?;
            return self.grown(ExprKind::Lambda { parameters, body: Box::new(body.expr) }, start, body.height);
        }
        self.scan.take("(");
        self.scan.space();
        let inner = self.node()?;
        self.scan.space();
        self.close(")")?;
        Ok(Node { expr: Expr::new(inner.expr.kind, start..self.scan.at), height: inner.height })
    }

    fn word_or_number(&mut self) -> Result<Node, SyntaxError> {
        let start = self.scan.at;
        if let Some(number) = self.scan.number() {
            return self.literal(Value::Number(number), start);
        }
        if let Some(kind) = self.scan.all(time_literal) {
            return self.grown(kind, start, 1);
        }
        let Some(name) = self.scan.name() else { return Err(self.no_expression()) };
        match name {
            "true" | "True" => self.literal(Value::Bool(true), start),
            "false" | "False" => self.literal(Value::Bool(false), start),
            "null" => self.literal(Value::Null, start),
            name if RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name)) => {
                let message = format!("`{name}` is a keyword; use row[\"{name}\"] for a field of that name");
                Err(self.error_at(start, message))
            }
            name => self.grown(ExprKind::Name(name.into()), start, 0),
        }
    }

    fn no_expression(&self) -> SyntaxError {
        match self.scan.peek() {
            None => self.error("an expression is missing here"),
            Some('-') => self.error("only numbers can have a minus before them; write 0 - x"),
            Some('#') => self.error("a tag stands only behind FROM; compare it as a text: \"#tag\""),
            Some(_) => self.unexpected("an expression is expected here"),
        }
    }
}

/// `(a, b) =>`
fn parameters(scan: &mut Scan<'_>) -> Option<Vec<Box<str>>> {
    let mut names = Vec::new();
    scan.take("(");
    scan.space();
    if let Some(name) = scan.name() {
        names.push(Box::from(name));
        while scan
            .all(|scan| {
                scan.space();
                let more = scan.take(",");
                scan.space();
                more.then(|| scan.name()).flatten().map(|name| names.push(Box::from(name)))
            })
            .is_some()
        {}
    }
    scan.space();
    let is_closed = scan.take(")");
    scan.space();
    let is_lambda = is_closed && scan.take("=>");
    scan.space();
    is_lambda.then_some(names)
}

/// `date(…)` and `dur(…)` with what they mean between the brackets; with an expression there they are functions.
fn time_literal(scan: &mut Scan<'_>) -> Option<ExprKind> {
    let kind = if scan.take("date(") {
        scan.space();
        let start = scan.at;
        match scan.date_word() {
            // Which day that is depends on when it is asked.
            Some(word) => {
                let word = Expr::new(ExprKind::Literal(Value::from(word)), start..scan.at);
                ExprKind::Call { name: "date".into(), arguments: vec![word] }
            }
            None => ExprKind::Literal(Value::Date(scan.date()?)),
        }
    } else if scan.take("dur(") {
        scan.space();
        ExprKind::Literal(Value::Duration(Arc::new(scan.duration()?)))
    } else {
        return None;
    };
    scan.space();
    scan.take(")").then_some(kind)
}
