//! What is wrong with a file, and where.

use std::fmt;

/// Line and column, from 1; columns are counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) place: Option<Place>,
    /// Such as `vaults[0].path`; empty for the file as a whole.
    pub(crate) key: String,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { place: None, key: key.into(), message: message.into() }
    }

    /// As compilers write it, so that editors can jump there.
    pub(crate) fn in_file(&self, file: &str) -> String {
        match self.place {
            Some(Place { line, column }) => format!("{file}:{line}:{column}: {self}"),
            None => format!("{file}: {self}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.as_str() {
            "" => formatter.write_str(&self.message),
            key => write!(formatter, "{key}: {}", self.message),
        }
    }
}

/// A file that cannot be used.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) file: String,
    pub(crate) problems: Vec<Problem>,
}

impl Broken {
    pub(super) fn new(file: &str, mut problems: Vec<Problem>) -> Broken {
        problems.sort_by_key(|problem| problem.place);
        Broken { file: file.to_owned(), problems }
    }

    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        self.problems.iter().map(|problem| problem.in_file(&self.file))
    }
}

impl std::error::Error for Broken {}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the configuration {} is not valid", self.file)?;
        self.lines().try_for_each(|line| write!(formatter, "\n{line}"))
    }
}
