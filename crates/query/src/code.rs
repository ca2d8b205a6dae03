//! An expression made ready to be evaluated many times: names are places, functions are found, and nothing is looked up by text.

use std::fmt;
use std::sync::Arc;

use crate::evaluate::Dialect;
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::fault::SyntaxError;
use crate::value::Value;

/// Made by [`lower`] from an [`Expr`].
#[derive(Debug)]
pub enum Code<D: Dialect> {
    Constant(Value),
    /// What the row has under a name.
    Place(D::Place),
    /// A parameter of an enclosing lambda, counted from the outermost.
    Local(usize),
    Field {
        on: Box<Code<D>>,
        field: D::Field,
    },
    Index {
        on: Box<Code<D>>,
        key: Box<Code<D>>,
    },
    Call {
        function: D::Function,
        arguments: Box<[Code<D>]>,
    },
    Method {
        on: Box<Code<D>>,
        method: D::Method,
        arguments: Box<[Code<D>]>,
    },
    Apply {
        on: Box<Code<D>>,
        arguments: Box<[Code<D>]>,
    },
    Not(Box<Code<D>>),
    Negate(Box<Code<D>>),
    Binary {
        op: BinaryOp,
        left: Box<Code<D>>,
        right: Box<Code<D>>,
    },
    List(Box<[Code<D>]>),
    Object(Box<[(Arc<str>, Code<D>)]>),
    Lambda {
        parameters: usize,
        body: Arc<Code<D>>,
    },
}

/// A lambda as a value, with the parameters of the lambdas around it.
pub struct Closure<D: Dialect> {
    pub parameters: usize,
    pub body: Arc<Code<D>>,
    pub around: Vec<Value>,
}

impl<D: Dialect> fmt::Debug for Closure<D> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a function of {}", self.parameters)
    }
}

/// What the names of an expression stand for, decided once per query. An error has the message only; [`lower`] knows the place.
pub trait Resolve<D: Dialect> {
    fn place(&mut self, name: &str) -> Result<D::Place, String>;
    fn field(&mut self, name: &str) -> Result<D::Field, String>;
    fn function(&mut self, name: &str, arguments: usize) -> Result<D::Function, String>;
    fn method(&mut self, name: &str, arguments: usize) -> Result<D::Method, String>;

    /// Names that an argument of a function or method may use besides those around it, such as `value` in `list.map(value + 1)`.
    fn implied(&self, _name: &str, _argument: usize) -> &'static [&'static str] {
        &[]
    }
}

/// `text` is what the expression was parsed from, for the places of errors.
pub fn lower<D: Dialect>(expr: &Expr, text: &str, resolve: &mut dyn Resolve<D>) -> Result<Code<D>, SyntaxError> {
    Lowering { text, resolve, locals: Vec::new() }.expr(expr)
}

struct Lowering<'a, D: Dialect> {
    text: &'a str,
    resolve: &'a mut dyn Resolve<D>,
    locals: Vec<Box<str>>,
}

impl<D: Dialect> Lowering<'_, D> {
    fn expr(&mut self, expr: &Expr) -> Result<Code<D>, SyntaxError> {
        let place_of = |message: String| SyntaxError::at(self.text, expr.span.start, message);
        Ok(match &expr.kind {
            ExprKind::Literal(value) => Code::Constant(value.clone()),
            ExprKind::Name(name) => match self.locals.iter().rposition(|local| local == name) {
                Some(local) => Code::Local(local),
                None => Code::Place(self.resolve.place(name).map_err(place_of)?),
            },
            ExprKind::Field { on, name } => {
                let field = self.resolve.field(name).map_err(place_of)?;
                Code::Field { on: self.boxed(on)?, field }
            }
            ExprKind::Index { on, key } => Code::Index { on: self.boxed(on)?, key: self.boxed(key)? },
            ExprKind::Call { name, arguments } => {
                let function = self.resolve.function(name, arguments.len()).map_err(place_of)?;
                Code::Call { function, arguments: self.arguments(name, arguments)? }
            }
            ExprKind::Method { on, name, arguments } => {
                let method = self.resolve.method(name, arguments.len()).map_err(place_of)?;
                Code::Method { on: self.boxed(on)?, method, arguments: self.arguments(name, arguments)? }
            }
            ExprKind::Apply { on, arguments } => Code::Apply { on: self.boxed(on)?, arguments: self.arguments("", arguments)? },
            ExprKind::Not(inner) => Code::Not(self.boxed(inner)?),
            ExprKind::Negate(inner) => Code::Negate(self.boxed(inner)?),
            ExprKind::Binary { op, left, right } => Code::Binary { op: *op, left: self.boxed(left)?, right: self.boxed(right)? },
            ExprKind::List(items) => Code::List(items.iter().map(|item| self.expr(item)).collect::<Result<_, _>>()?),
            ExprKind::Object(entries) => {
                let entry = |(key, value): &(Box<str>, Expr)| Ok((Arc::from(&**key), self.expr(value)?));
                Code::Object(entries.iter().map(entry).collect::<Result<_, SyntaxError>>()?)
            }
            ExprKind::Lambda { parameters, body } => {
                let names: Vec<&str> = parameters.iter().map(|name| &**name).collect();
                Code::Lambda { parameters: names.len(), body: Arc::new(self.inside(&names, body)?) }
            }
        })
    }

    fn boxed(&mut self, expr: &Expr) -> Result<Box<Code<D>>, SyntaxError> {
        self.expr(expr).map(Box::new)
    }

    fn arguments(&mut self, name: &str, arguments: &[Expr]) -> Result<Box<[Code<D>]>, SyntaxError> {
        let argument = |(at, argument): (usize, &Expr)| match self.resolve.implied(name, at) {
            [] => self.expr(argument),
            // Evaluated once per item, so it is a lambda that was not written as one.
            implied => Ok(Code::Lambda { parameters: implied.len(), body: Arc::new(self.inside(implied, argument)?) }),
        };
        arguments.iter().enumerate().map(argument).collect()
    }

    fn inside(&mut self, names: &[&str], body: &Expr) -> Result<Code<D>, SyntaxError> {
        let outside = self.locals.len();
        self.locals.extend(names.iter().map(|name| Box::from(*name)));
        let code = self.expr(body);
        self.locals.truncate(outside);
        code
    }
}
