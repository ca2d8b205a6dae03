//! Reads the expressions of filters, formulas and summaries.

use std::ops::Range;

use super::lexer::{Lexer, Token};
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::fault::SyntaxError;
use crate::value::Value;

/// Deeper expressions are nobody's, and the stack has an end.
const DEEPEST: usize = 100;
const LONGEST: usize = 64 * 1024;

/// Places of errors and spans count from the start of the text.
pub fn parse_expression(text: &str) -> Result<Expr, SyntaxError> {
    if text.len() > LONGEST {
        return Err(SyntaxError::at(text, 0, format!("an expression may have {LONGEST} bytes; this one is longer")));
    }
    let mut lexer = Lexer::new(text);
    let (token, span) = lexer.next(true)?;
    let mut parser = Parser { text, lexer, token, span, before: 0, depth: 0 };
    if matches!(parser.token, Token::End) {
        return Err(parser.error("an expression is expected, such as status == \"done\""));
    }
    let expr = parser.binary(0)?;
    match &parser.token {
        Token::End => Ok(expr),
        _ => Err(parser.error(format!("{} cannot follow here; an operator or the end is expected", parser.shown()))),
    }
}

struct Parser<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    token: Token,
    span: Range<usize>,
    /// Where the token before ended.
    before: usize,
    depth: usize,
}

/// Binding power and operator.
fn operator(sign: &str) -> Option<(u8, BinaryOp)> {
    Some(match sign {
        "||" => (1, BinaryOp::Or),
        "&&" => (2, BinaryOp::And),
        "==" => (3, BinaryOp::Equal),
        "!=" => (3, BinaryOp::NotEqual),
        "<" => (4, BinaryOp::Less),
        "<=" => (4, BinaryOp::LessOrEqual),
        ">" => (4, BinaryOp::Greater),
        ">=" => (4, BinaryOp::GreaterOrEqual),
        "+" => (5, BinaryOp::Add),
        "-" => (5, BinaryOp::Subtract),
        "*" => (6, BinaryOp::Multiply),
        "/" => (6, BinaryOp::Divide),
        "%" => (6, BinaryOp::Remainder),
        _ => return None,
    })
}

impl Parser<'_> {
    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError::at(self.text, self.span.start, message)
    }

    fn shown(&self) -> String {
        match &self.token {
            Token::End => "the end".to_owned(),
            _ => format!("{:?}", &self.text[self.span.clone()]),
        }
    }

    fn advance(&mut self, expects_value: bool) -> Result<(), SyntaxError> {
        self.before = self.span.end;
        (self.token, self.span) = self.lexer.next(expects_value)?;
        Ok(())
    }

    fn is_at(&self, sign: &str) -> bool {
        matches!(self.token, Token::Sign(other) if other == sign)
    }

    /// Behind `sign` an operator is expected.
    fn expect(&mut self, sign: &str, open: &str) -> Result<(), SyntaxError> {
        if !self.is_at(sign) {
            return Err(self.error(format!("{} is expected to close {open}, and there is {}", sign, self.shown())));
        }
        self.advance(false)
    }

    fn binary(&mut self, least: u8) -> Result<Expr, SyntaxError> {
        if self.depth >= DEEPEST {
            return Err(self.error("the expression is nested too deeply"));
        }
        self.depth += 1;
        let mut left = self.unary()?;
        while let Token::Sign(sign) = self.token
            && let Some((power, op)) = operator(sign)
            && power > least
        {
            self.advance(true)?;
            let right = self.binary(power)?;
            let span = left.span.start..right.span.end;
            left = Expr::new(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, SyntaxError> {
        let mut signs = Vec::new();
        while let Token::Sign(sign @ ("!" | "-")) = self.token {
            signs.push((sign, self.span.start));
            if signs.len() > DEEPEST {
                return Err(self.error("the expression is nested too deeply"));
            }
            self.advance(true)?;
        }
        let mut expr = self.postfix()?;
        for (sign, from) in signs.into_iter().rev() {
            let span = from..expr.span.end;
            let inner = Box::new(expr);
            expr = Expr::new(if sign == "!" { ExprKind::Not(inner) } else { ExprKind::Negate(inner) }, span);
        }
        Ok(expr)
    }

    fn postfix(&mut self) -> Result<Expr, SyntaxError> {
        let mut expr = self.primary()?;
        let mut length = 0;
        loop {
            let start = expr.span.start;
            length += 1;
            if length > DEEPEST {
                return Err(self.error("the expression is nested too deeply"));
            }
            if self.is_at(".") {
                self.advance(false)?;
                let Token::Name(name) = self.token.clone() else {
                    return Err(self.error(format!("a name is expected behind the dot, and there is {}", self.shown())));
                };
                self.advance(false)?;
                let (on, name) = (Box::new(expr), name.into_boxed_str());
                let kind = if self.is_at("(") {
                    ExprKind::Method { on, name, arguments: self.arguments()? }
                } else {
                    ExprKind::Field { on, name }
                };
                expr = Expr::new(kind, start..self.before);
            } else if self.is_at("[") {
                self.advance(true)?;
                let key = self.binary(0)?;
                self.expect("]", "[")?;
                expr = Expr::new(ExprKind::Index { on: Box::new(expr), key: Box::new(key) }, start..self.before);
            } else if self.is_at("(") {
                return Err(self.error("only a name can be called, such as if(…) or list.map(…)"));
            } else {
                return Ok(expr);
            }
        }
    }

    /// From the opening to the closing parenthesis.
    fn arguments(&mut self) -> Result<Vec<Expr>, SyntaxError> {
        self.advance(true)?;
        self.items(")", "(")
    }

    fn items(&mut self, close: &str, open: &str) -> Result<Vec<Expr>, SyntaxError> {
        let mut items = Vec::new();
        while !self.is_at(close) {
            items.push(self.binary(0)?);
            if !self.is_at(",") {
                break;
            }
            self.advance(true)?;
        }
        self.expect(close, open)?;
        Ok(items)
    }

    fn primary(&mut self) -> Result<Expr, SyntaxError> {
        let start = self.span.start;
        let kind = match self.token.clone() {
            Token::Number(number) => self.literal(Value::Number(number))?,
            Token::Text(text) => self.literal(Value::from(text))?,
            Token::Pattern(pattern) => self.literal(Value::Pattern(pattern))?,
            Token::Name(name) => match name.as_str() {
                "true" => self.literal(Value::Bool(true))?,
                "false" => self.literal(Value::Bool(false))?,
                "null" => self.literal(Value::Null)?,
                _ => {
                    self.advance(false)?;
                    let name = name.into_boxed_str();
                    if self.is_at("(") { ExprKind::Call { name, arguments: self.arguments()? } } else { ExprKind::Name(name) }
                }
            },
            Token::Sign("(") => {
                self.advance(true)?;
                let inner = self.binary(0)?;
                self.expect(")", "(")?;
                return Ok(Expr::new(inner.kind, start..self.before));
            }
            Token::Sign("[") => {
                self.advance(true)?;
                ExprKind::List(self.items("]", "[")?)
            }
            Token::Sign("{") => self.object()?,
            Token::Sign(_) | Token::End => {
                return Err(self.error(format!("a value is expected, and there is {}", self.shown())));
            }
        };
        Ok(Expr::new(kind, start..self.before))
    }

    fn literal(&mut self, value: Value) -> Result<ExprKind, SyntaxError> {
        self.advance(false)?;
        Ok(ExprKind::Literal(value))
    }

    fn object(&mut self) -> Result<ExprKind, SyntaxError> {
        self.advance(true)?;
        let mut entries: Vec<(Box<str>, Expr)> = Vec::new();
        while !self.is_at("}") {
            let (Token::Text(key) | Token::Name(key)) = self.token.clone() else {
                return Err(self.error(format!("a key in quotes is expected, and there is {}", self.shown())));
            };
            if entries.iter().any(|(other, _)| **other == *key) {
                return Err(self.error(format!("the key {key:?} is given twice")));
            }
            self.advance(false)?;
            if !self.is_at(":") {
                return Err(self.error(format!("a colon is expected behind the key, and there is {}", self.shown())));
            }
            self.advance(true)?;
            entries.push((key.into(), self.binary(0)?));
            if !self.is_at(",") {
                break;
            }
            self.advance(true)?;
        }
        self.expect("}", "{")?;
        Ok(ExprKind::Object(entries))
    }
}
