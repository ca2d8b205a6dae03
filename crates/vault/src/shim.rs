//! Stands in for what other branches bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    Delete,
    Execute,
}
