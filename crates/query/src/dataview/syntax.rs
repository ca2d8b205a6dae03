//! Queries as they were written.

use crate::expression::Expr;

/// `TABLE … FROM … WHERE …`
#[derive(Clone, Debug)]
pub struct Query {
    pub header: Header,
    pub source: Source,
    /// In written order, which is the order in which they run.
    pub clauses: Vec<Clause>,
}

#[derive(Clone, Debug)]
pub enum Header {
    Table { columns: Vec<Named>, with_id: bool },
    List { value: Option<Expr>, with_id: bool },
    Task,
    Calendar(Named),
}

#[derive(Clone, Debug)]
pub enum Clause {
    Where(Expr),
    Sort(Vec<SortKey>),
    GroupBy(Named),
    Flatten(Named),
    Limit(Expr),
}

/// An expression and what its value is called: the name behind `AS`, else the expression as it was written.
#[derive(Clone, Debug)]
pub struct Named {
    pub name: Box<str>,
    pub expr: Expr,
}

#[derive(Clone, Debug)]
pub struct SortKey {
    pub expr: Expr,
    pub descending: bool,
}

/// Which pages a query looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// With its `#`.
    Tag(Box<str>),
    /// A folder or a file; the empty text is the whole vault.
    Folder(Box<str>),
    /// Pages that link to this one; the empty text is the current page.
    LinksTo(Box<str>),
    LinksFrom(Box<str>),
    Csv(Box<str>),
    Not(Box<Source>),
    And(Box<Source>, Box<Source>),
    Or(Box<Source>, Box<Source>),
}

impl Header {
    pub fn kind(&self) -> &'static str {
        match self {
            Header::Table { .. } => "table",
            Header::List { .. } => "list",
            Header::Task => "task",
            Header::Calendar(_) => "calendar",
        }
    }
}

/// Words that cannot be the name of a field; `row["from"]` gets at such a one.
pub(crate) const RESERVED: [&str; 5] = ["FROM", "WHERE", "LIMIT", "GROUP", "FLATTEN"];
