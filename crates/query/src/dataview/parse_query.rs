//! Reads whole queries.

use super::parse_expression::Parser;
use super::syntax::{Clause, Header, Named, Query, SortKey, Source};
use crate::expression::ExprKind;
use crate::fault::SyntaxError;

pub fn parse_query(text: &str) -> Result<Query, SyntaxError> {
    let mut parser = Parser::new(text);
    parser.space_or_comment();
    let header = parser.header()?;
    parser.space_or_comment();
    let source = parser.from()?.unwrap_or(Source::Folder("".into()));
    parser.space_or_comment();
    let mut clauses = Vec::new();
    while !parser.scan.is_done() {
        clauses.push(parser.clause(&header)?);
        parser.space_or_comment();
    }
    Ok(Query { header, source, clauses })
}

/// Brackets and negations of sources.
const MOST_NESTED: usize = 64;

impl Parser<'_> {
    fn space_or_comment(&mut self) {
        loop {
            let moved = self.scan.space();
            if self.scan.rest().starts_with("//") {
                let rest = self.scan.rest();
                self.scan.at += rest.find('\n').unwrap_or(rest.len());
            } else if !moved {
                return;
            }
        }
    }

    fn header(&mut self) -> Result<Header, SyntaxError> {
        if self.scan.take_word("TABLE") {
            let with_id = self.column_space("TABLE")?;
            return Ok(Header::Table { columns: self.columns()?, with_id });
        }
        if self.scan.take_word("LIST") {
            let with_id = self.column_space("LIST")?;
            let value = if self.is_at_clause() { None } else { Some(self.expression()?) };
            return Ok(Header::List { value, with_id });
        }
        if self.scan.take_word("TASK") {
            return if self.scan.peek().is_some_and(|next| next.is_alphanumeric()) {
                Err(self.unexpected("behind TASK stands FROM or another clause"))
            } else {
                Ok(Header::Task)
            };
        }
        if self.scan.take_word("CALENDAR") {
            return match self.scan.space() {
                true => self.named().map(Header::Calendar),
                false => Err(self.error("behind CALENDAR stands the date by which pages are shown, such as file.day")),
            };
        }
        Err(self.unexpected("a query starts with TABLE, LIST, TASK or CALENDAR"))
    }

    /// Behind `TABLE` and `LIST`: whether the files are shown.
    fn column_space(&mut self, word: &str) -> Result<bool, SyntaxError> {
        if !self.scan.space() && !self.scan.is_done() {
            return Err(self.unexpected(&format!("a space is expected behind {word}")));
        }
        let without = self.scan.all(|scan| {
            let found = scan.take_word("WITHOUT") && scan.space() && scan.take_word("ID");
            scan.space();
            found.then_some(())
        });
        Ok(without.is_none())
    }

    /// Whether the header ends here.
    fn is_at_clause(&self) -> bool {
        let mut ahead = self.scan;
        let word = ahead.name();
        let starts_clause = |word: &str| super::syntax::RESERVED.iter().any(|known| known.eq_ignore_ascii_case(word));
        self.scan.is_done() || self.scan.rest().starts_with("//") || word.is_some_and(starts_clause)
    }

    fn columns(&mut self) -> Result<Vec<Named>, SyntaxError> {
        let mut columns = Vec::new();
        if self.is_at_clause() {
            return Ok(columns);
        }
        loop {
            columns.push(self.named()?);
            let more = self.scan.all(|scan| {
                scan.space();
                scan.take(",").then(|| scan.space())
            });
            if more.is_none() {
                return Ok(columns);
            }
        }
    }

    fn named(&mut self) -> Result<Named, SyntaxError> {
        let start = self.scan.at;
        let expr = self.expression()?;
        let written = &self.scan.text[start..self.scan.at];
        let has_name = self.scan.all(|scan| (scan.space() && scan.take_word("AS") && scan.space()).then_some(()));
        let name = match has_name {
            None => written.lines().map(str::trim).collect(),
            Some(()) => {
                let name = self.scan.name().map(str::to_owned).or_else(|| self.scan.string());
                name.ok_or_else(|| self.unexpected("behind AS stands a name, in double quotes if it has spaces"))?
            }
        };
        Ok(Named { name: name.into(), expr })
    }

    fn from(&mut self) -> Result<Option<Source>, SyntaxError> {
        if !self.scan.take_word("FROM") {
            return Ok(None);
        }
        self.space_behind("FROM")?;
        self.source(0).map(Some)
    }

    fn space_behind(&mut self, word: &str) -> Result<(), SyntaxError> {
        match self.scan.space() {
            true => Ok(()),
            false if self.scan.is_done() => Err(self.error(format!("{word} needs something behind it"))),
            false => Err(self.unexpected(&format!("a space is expected behind {word}"))),
        }
    }

    fn source(&mut self, nesting: usize) -> Result<Source, SyntaxError> {
        let mut left = self.source_atom(nesting)?;
        let mut joined = 0;
        loop {
            let before = self.scan;
            self.scan.space();
            let is_and = self.scan.take_word("and") || self.scan.take("&");
            if self.is_at_order() || (!is_and && !self.scan.take_word("or") && !self.scan.take("|")) {
                self.scan = before;
                return Ok(left);
            }
            joined += 1;
            if joined > MOST_NESTED {
                return Err(self.error("too many sources are joined here"));
            }
            self.scan.space();
            let right = Box::new(self.source_atom(nesting)?);
            left = if is_and { Source::And(Box::new(left), right) } else { Source::Or(Box::new(left), right) };
        }
    }

    fn source_atom(&mut self, nesting: usize) -> Result<Source, SyntaxError> {
        if nesting == MOST_NESTED {
            return Err(self.error("the source is nested too deeply"));
        }
        if self.scan.take("(") {
            self.scan.space();
            let inner = self.source(nesting + 1)?;
            self.scan.space();
            return if self.scan.take(")") { Ok(inner) } else { Err(self.unexpected("`)` is expected here")) };
        }
        if self.scan.take("-") || self.scan.take("!") {
            return Ok(Source::Not(Box::new(self.source_atom(nesting + 1)?)));
        }
        if self.scan.take("outgoing(") {
            self.scan.space();
            let link = self.scan.link().ok_or_else(|| self.unexpected("outgoing(…) takes a link: outgoing([[page]])"))?;
            return self.closed_source(Source::LinksFrom(Box::from(&*link.path)));
        }
        if self.scan.take("csv(") {
            self.scan.space();
            let path = self.scan.string().ok_or_else(|| self.unexpected("csv(…) takes a path in double quotes"))?;
            return self.closed_source(Source::Csv(path.into()));
        }
        if let Some(link) = self.scan.link() {
            return Ok(Source::LinksTo(Box::from(&*link.path)));
        }
        if let Some(folder) = self.scan.string() {
            return Ok(Source::Folder(folder.into()));
        }
        if let Some(tag) = self.scan.tag() {
            return Ok(Source::Tag(tag.into()));
        }
        Err(self.unexpected("a source is expected here: #tag, \"folder\", [[page]] or outgoing([[page]])"))
    }

    fn closed_source(&mut self, source: Source) -> Result<Source, SyntaxError> {
        if self.scan.take(")") { Ok(source) } else { Err(self.unexpected("`)` is expected here")) }
    }

    fn clause(&mut self, header: &Header) -> Result<Clause, SyntaxError> {
        if self.scan.take_word("WHERE") {
            self.space_behind("WHERE")?;
            return self.expression().map(Clause::Where);
        }
        if self.scan.take_word("SORT") {
            self.space_behind("SORT")?;
            return self.sort_keys().map(Clause::Sort);
        }
        if self.scan.take_word("LIMIT") {
            self.space_behind("LIMIT")?;
            return self.expression().map(Clause::Limit);
        }
        if self.scan.take_word("GROUP BY") {
            self.space_behind("GROUP BY")?;
            return self.named().map(Clause::GroupBy);
        }
        if self.scan.take_word("FLATTEN") {
            self.space_behind("FLATTEN")?;
            return self.named().map(Clause::Flatten);
        }
        Err(self.no_clause(header))
    }

    fn no_clause(&self, header: &Header) -> SyntaxError {
        let mut ahead = self.scan;
        let sort_as_field = match header {
            Header::List { value, .. } => value.as_ref(),
            Header::Table { columns, .. } => columns.last().map(|column| &column.expr),
            _ => None,
        };
        if let Some(ExprKind::Name(name)) = sort_as_field.map(|expr| &expr.kind)
            && name.eq_ignore_ascii_case("SORT")
        {
            return self.error("SORT right behind the header is read as a field; write FROM \"\" before it");
        }
        match ahead.name().map(str::to_uppercase).as_deref() {
            Some("FROM") => self.error("FROM may stand only once, right behind the header"),
            Some("ORDER") => self.error("use SORT instead of ORDER BY"),
            Some("GROUP") => self.error("write GROUP BY with one space and a value behind it"),
            Some("SELECT") => self.error("a query starts with TABLE, LIST, TASK or CALENDAR"),
            _ => self.unexpected("FROM, WHERE, SORT, GROUP BY, FLATTEN or LIMIT is expected here"),
        }
    }

    fn sort_keys(&mut self) -> Result<Vec<SortKey>, SyntaxError> {
        let mut keys = Vec::new();
        loop {
            let expr = self.expression()?;
            self.scan.space();
            let descending = self.scan.take_word("DESCENDING") || self.scan.take_word("DESC");
            if !descending {
                let _ascending = self.scan.take_word("ASCENDING") || self.scan.take_word("ASC");
            }
            keys.push(SortKey { expr, descending });
            let more = self.scan.all(|scan| {
                scan.space();
                scan.take(",").then(|| scan.space())
            });
            if more.is_none() {
                return Ok(keys);
            }
        }
    }
}
