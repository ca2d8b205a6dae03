//! The evaluator that the languages share: it walks the code, counts its steps, and leaves to the dialect what differs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::budget::Steps;
use crate::code::{Closure, Code};
use crate::expression::BinaryOp;
use crate::fault::Fault;
use crate::value::{Object, Value};

/// What differs between the languages. The value of a dialect knows all that a query asks besides its row: the catalogue, the clock,
/// the settings.
pub trait Dialect: Sized + 'static {
    /// What a name stands for, such as a column of the catalogue.
    type Place: fmt::Debug + Send + Sync;
    /// What stands behind a dot.
    type Field: fmt::Debug + Send + Sync;
    type Function: fmt::Debug + Send + Sync;
    type Method: fmt::Debug + Send + Sync;
    /// What a query is evaluated against, with everything that is asked of it; borrowed by an [`Evaluation`].
    type Row<'r>;

    fn place(evaluation: &mut Evaluation<'_, '_, Self>, place: &Self::Place) -> Result<Value, Fault>;
    fn field(evaluation: &mut Evaluation<'_, '_, Self>, on: &Value, field: &Self::Field) -> Result<Value, Fault>;
    fn index(evaluation: &mut Evaluation<'_, '_, Self>, on: &Value, key: &Value) -> Result<Value, Fault>;
    /// The arguments are not evaluated yet: some functions need not all of them.
    fn call(
        evaluation: &mut Evaluation<'_, '_, Self>,
        function: &Self::Function,
        arguments: &[Code<Self>],
    ) -> Result<Value, Fault>;
    fn method(
        evaluation: &mut Evaluation<'_, '_, Self>,
        on: Value,
        method: &Self::Method,
        arguments: &[Code<Self>],
    ) -> Result<Value, Fault>;
    /// Everything but `and` and `or`, both sides known.
    fn binary(evaluation: &mut Evaluation<'_, '_, Self>, op: BinaryOp, left: Value, right: Value) -> Result<Value, Fault>;
    fn negate(evaluation: &mut Evaluation<'_, '_, Self>, value: Value) -> Result<Value, Fault>;
    fn is_true(value: &Value) -> bool;
    /// What `and` and `or` give: the side that decided, or whether it is true.
    fn decided(value: Value) -> Value;
}

/// One row being looked at by one thread.
pub struct Evaluation<'r, 'b, D: Dialect> {
    pub row: D::Row<'r>,
    pub steps: &'r Steps<'b>,
    locals: Vec<Value>,
    depth: usize,
}

/// Deeper expressions are nobody's, and the stack has an end.
const DEEPEST: usize = 256;

impl<'r, 'b, D: Dialect> Evaluation<'r, 'b, D> {
    pub fn new(row: D::Row<'r>, steps: &'r Steps<'b>) -> Self {
        Evaluation { row, steps, locals: Vec::new(), depth: 0 }
    }

    pub fn value(&mut self, code: &Code<D>) -> Result<Value, Fault> {
        self.steps.spend(1)?;
        if self.depth == DEEPEST {
            return Err(Fault::wrong("the expression is nested too deeply"));
        }
        self.depth += 1;
        let value = self.evaluate(code);
        self.depth -= 1;
        value
    }

    pub fn is_true(&mut self, code: &Code<D>) -> Result<bool, Fault> {
        self.value(code).map(|value| D::is_true(&value))
    }

    pub fn values(&mut self, codes: &[Code<D>]) -> Result<Vec<Value>, Fault> {
        codes.iter().map(|code| self.value(code)).collect()
    }

    /// The body of a lambda with its parameters; those that are not given are null.
    pub fn apply(&mut self, closure: &Closure<D>, arguments: &[Value]) -> Result<Value, Fault> {
        let around = std::mem::replace(&mut self.locals, closure.around.clone());
        self.locals.extend((0..closure.parameters).map(|at| arguments.get(at).cloned().unwrap_or(Value::Null)));
        let value = self.value(&closure.body);
        self.locals = around;
        value
    }

    /// Code that stands elsewhere, such as a formula: it sees no parameters of the lambdas around what asks for it.
    pub fn value_alone(&mut self, code: &Code<D>) -> Result<Value, Fault> {
        let around = std::mem::take(&mut self.locals);
        let value = self.value(code);
        self.locals = around;
        value
    }

    /// A lambda that stands here, called with these. Cheaper than making it a value first.
    pub fn call_here(&mut self, lambda: &Code<D>, arguments: &[Value]) -> Result<Value, Fault> {
        let Code::Lambda { parameters, body } = lambda else { return self.value(lambda) };
        let outside = self.locals.len();
        self.locals.extend((0..*parameters).map(|at| arguments.get(at).cloned().unwrap_or(Value::Null)));
        let value = self.value(body);
        self.locals.truncate(outside);
        value
    }

    fn evaluate(&mut self, code: &Code<D>) -> Result<Value, Fault> {
        match code {
            Code::Constant(value) => Ok(value.clone()),
            Code::Place(place) => D::place(self, place),
            Code::Local(local) => Ok(self.locals.get(*local).cloned().unwrap_or(Value::Null)),
            Code::Field { on, field } => {
                let on = self.value(on)?;
                D::field(self, &on, field)
            }
            Code::Index { on, key } => {
                let (on, key) = (self.value(on)?, self.value(key)?);
                D::index(self, &on, &key)
            }
            Code::Call { function, arguments } => D::call(self, function, arguments),
            Code::Method { on, method, arguments } => {
                let on = self.value(on)?;
                D::method(self, on, method, arguments)
            }
            Code::Apply { on, arguments } => {
                let on = self.value(on)?;
                let arguments = self.values(arguments)?;
                match &on {
                    Value::Function(function) => match closure::<D>(function) {
                        Some(closure) => self.apply(closure, &arguments),
                        None => Err(Fault::wrong("a function of another language cannot be called here")),
                    },
                    _ => Err(Fault::wrong("only a function can be called")),
                }
            }
            Code::Not(inner) => Ok(Value::Bool(!self.is_true(inner)?)),
            Code::Negate(inner) => {
                let value = self.value(inner)?;
                D::negate(self, value)
            }
            Code::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
                let left = self.value(left)?;
                let decides = D::is_true(&left) == (*op == BinaryOp::Or);
                Ok(D::decided(if decides { left } else { self.value(right)? }))
            }
            Code::Binary { op, left, right } => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                D::binary(self, *op, left, right)
            }
            Code::List(items) => self.values(items).map(Value::list),
            Code::Object(entries) => {
                let entry = |(key, value): &(Arc<str>, Code<D>)| Ok((key.clone(), self.value(value)?));
                let entries = entries.iter().map(entry).collect::<Result<_, Fault>>()?;
                Ok(Value::Object(Arc::new(Object(entries))))
            }
            Code::Lambda { parameters, body } => {
                let closure = Closure { parameters: *parameters, body: body.clone(), around: self.locals.clone() };
                Ok(Value::Function(Arc::new(closure)))
            }
        }
    }
}

/// A function as a value. Only the dialect that made it can call it.
pub trait AnyFunction: Any + fmt::Debug + Send + Sync {}

impl<T: Any + fmt::Debug + Send + Sync> AnyFunction for T {}

/// The lambda behind a value, if it is one of this dialect.
pub fn closure<D: Dialect>(function: &Arc<dyn AnyFunction>) -> Option<&Closure<D>> {
    let any: &dyn Any = &**function;
    any.downcast_ref()
}
