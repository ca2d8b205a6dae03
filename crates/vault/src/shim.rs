//! Stands in for what other branches bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read,
    Write,
    Delete,
    Execute,
}
pub fn unified_diff(_before: &[u8], _after: &[u8], path: &str) -> String {
    path.to_owned()
}
