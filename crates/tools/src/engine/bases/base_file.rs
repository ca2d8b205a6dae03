//! What the tools for bases share: which files are bases, and how their errors are told.

use quillgate_query::bases::{BaseEditError, QueryError};
use quillgate_vault::NotePath;

use crate::failure::{Failure, Issue};

/// A path that names a base.
pub(super) fn base_path(path: &str) -> Result<NotePath, Failure> {
    let path = NotePath::parse(path)?;
    if path.extension().eq_ignore_ascii_case("base") {
        return Ok(path);
    }
    let issue = Issue::new("path", format!("must name a base (.base), and {path} is none"));
    Err(Failure::InvalidInput(vec![issue]))
}

pub(in crate::engine) fn query_failure(error: QueryError) -> Failure {
    match error {
        QueryError::Syntax(error) => Failure::Bases(error),
        QueryError::NoView { .. } => Failure::InvalidInput(vec![Issue::new("view", format!("names no view; {error}"))]),
        QueryError::Spent(spent) => Failure::Budget(spent.to_string()),
    }
}

pub(super) fn edit_failure(error: BaseEditError) -> Failure {
    match error {
        BaseEditError::Syntax(error) => Failure::Bases(error),
        BaseEditError::WouldBreak(_) | BaseEditError::NoView { .. } | BaseEditError::ViewExists(_) => {
            Failure::InvalidInput(vec![Issue::new("patch", format!("cannot be applied: {error}"))])
        }
        BaseEditError::Edit(error) => error.into(),
        BaseEditError::Documents => Failure::Edit(error.to_string()),
    }
}
