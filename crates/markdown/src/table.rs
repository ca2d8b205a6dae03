//! Markdown tables: found with their cells, and written with columns of one width.

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::fold::fold;
use crate::span::{Lines, Span, line_end, line_start, next_line};
use crate::{Edit, Eol, Note};

/// Which side the text of a column keeps to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alignment {
    #[default]
    None,
    Left,
    Center,
    Right,
}

/// A table with its cells as they are written, without the white space around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// From the start of its first line to the end of its last one, without the ending of that.
    pub span: Span,
    pub line: usize,
    /// The heading that it stands under.
    pub heading: Option<String>,
    pub header: Vec<String>,
    pub alignments: Vec<Alignment>,
    /// A cell for each column; behind them those that no column is for, which are shown nowhere and kept.
    pub rows: Vec<Vec<String>>,
    /// What stands before every line, such as the mark of a quotation.
    prefix: String,
    /// The lines of the rows.
    row_spans: Vec<Span>,
}

/// How a column is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortAs {
    /// As numbers or dates if all of it is, else as text.
    #[default]
    Auto,
    Number,
    Date,
    Text,
}

/// All tables of a note, in their order; not those in code and comments.
pub fn find_tables(text: &str) -> Vec<Table> {
    let note = Note::parse(text);
    let lines = Lines::of(text);
    let mut options = Options::empty();
    options.insert(Options::ENABLE_TABLES);
    let parser = Parser::new_ext(&text[note.body..], options).into_offset_iter();
    let starts = parser.filter_map(|(event, range)| matches!(event, Event::Start(Tag::Table(_))).then_some(range));
    let heading =
        |at: usize| note.headings.iter().rev().find(|heading| heading.span.start < at).map(|heading| heading.text.clone());
    let tables = starts.filter_map(|range| {
        let span = note.body + range.start..note.body + range.end;
        let mut table = read_table(text, &span)?;
        (table.line, table.heading) = (lines.line_at(table.span.start), heading(table.span.start));
        Some(table)
    });
    tables.collect()
}

/// The table whose first line this holds.
fn read_table(text: &str, found: &Span) -> Option<Table> {
    let start = line_start(text, found.start);
    let prefix = &text[start..found.start];
    if !prefix.chars().all(|c| c == '>' || c.is_whitespace()) {
        return None;
    }
    // What is written anew begins as the first line does, so all of them must. A lone carriage return ends a line for Markdown, and
    // not for people who look at the note.
    let content = |at: usize| text[at..line_end(text, at)].strip_prefix(prefix).filter(|line| !line.contains('\r'));
    let header = cells(content(start)?);
    let marks = next_line(text, start);
    let alignments: Vec<Alignment> = cells(content(marks)?).iter().map(|cell| alignment(cell)).collect::<Option<_>>()?;
    if header.len() != alignments.len() {
        return None;
    }
    let (mut rows, mut row_spans, mut end) = (Vec::new(), Vec::new(), line_end(text, marks));
    let mut at = next_line(text, marks);
    while at < found.end.min(text.len()) {
        let line = content(at)?;
        if line.trim().is_empty() {
            break;
        }
        let mut row = cells(line);
        row.resize(row.len().max(header.len()), String::new());
        rows.push(row);
        end = line_end(text, at);
        row_spans.push(at..end);
        at = next_line(text, at);
    }
    Some(Table { span: start..end, line: 0, heading: None, header, alignments, rows, prefix: prefix.to_owned(), row_spans })
}

/// The cells of a row: split at every pipe that no backslash stands before.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        match c {
            '|' if !is_escaped => cells.push(String::new()),
            c => cells.last_mut().expect("there is always a cell").push(c),
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

fn alignment(cell: &str) -> Option<Alignment> {
    let (left, right) = (cell.starts_with(':'), cell.len() > 1 && cell.ends_with(':'));
    let dashes = cell.trim_matches(':');
    (!dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')).then_some(match (left, right) {
        (false, false) => Alignment::None,
        (true, false) => Alignment::Left,
        (true, true) => Alignment::Center,
        (false, true) => Alignment::Right,
    })
}

/// Text for a cell: on one line, with every pipe that would end the cell behind a backslash.
pub fn table_cell(text: &str) -> String {
    let mut cell = String::with_capacity(text.len());
    let mut is_escaped = false;
    for c in text.trim().replace("\r\n", "\n").replace('\n', "<br>").chars() {
        if c == '|' && !is_escaped {
            cell.push('\\');
        }
        cell.push(c);
        is_escaped = c == '\\' && !is_escaped;
    }
    // A backslash at the end would escape the pipe behind the cell.
    if is_escaped {
        cell.push('\\');
    }
    cell
}

impl Table {
    /// The whole table with columns of one width.
    pub fn format(&self, text: &str) -> Edit {
        let eol = Eol::dominant(text).as_str();
        let widths = self.widths();
        let mut lines = vec![self.row(&self.header, &widths), self.marks(&widths)];
        lines.extend(self.rows.iter().map(|row| self.row(row, &widths)));
        let lines: Vec<String> = lines.iter().map(|line| format!("{}{line}", self.prefix)).collect();
        Edit::replace(self.span.clone(), lines.join(eol))
    }

    fn widths(&self) -> Vec<usize> {
        let column = |place: usize| self.rows.iter().map(move |row| width(&row[place]));
        self.header.iter().enumerate().map(|(place, name)| column(place).chain([width(name), 3]).max().unwrap_or(3)).collect()
    }

    fn row(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().zip(widths).zip(&self.alignments).map(|((cell, target), alignment)| {
            let room = target.saturating_sub(width(cell));
            let left = match alignment {
                Alignment::None | Alignment::Left => 0,
                Alignment::Center => room / 2,
                Alignment::Right => room,
            };
            format!(" {}{cell}{} |", " ".repeat(left), " ".repeat(room - left))
        });
        let beyond = row.iter().skip(widths.len()).map(|cell| format!(" {cell} |"));
        format!("|{}", cells.chain(beyond).collect::<String>())
    }

    fn marks(&self, widths: &[usize]) -> String {
        let cells = self.alignments.iter().zip(widths).map(|(alignment, width)| {
            let [left, right] = match alignment {
                Alignment::None => ["-", "-"],
                Alignment::Left => [":", "-"],
                Alignment::Center => [":", ":"],
                Alignment::Right => ["-", ":"],
            };
            format!(" {left}{}{right} |", "-".repeat(width.saturating_sub(2)))
        });
        format!("|{}", cells.collect::<String>())
    }

    /// A new row before the one that is there now; at the end if there is none. Other rows keep their bytes.
    pub fn insert_row(&self, text: &str, at: usize, row: &[String]) -> Edit {
        let eol = Eol::dominant(text).as_str();
        let mut row: Vec<String> = row.iter().map(|cell| table_cell(cell)).collect();
        row.resize(self.header.len(), String::new());
        let line = format!("{}{}", self.prefix, self.row(&row, &self.widths()));
        match self.row_spans.get(at) {
            Some(span) => Edit::insert(span.start, format!("{line}{eol}")),
            None => Edit::insert(self.span.end, format!("{eol}{line}")),
        }
    }

    /// A new column before the one that is there now. The table is written anew.
    pub fn insert_column(&self, text: &str, at: usize, name: &str, alignment: Alignment, column: &[String]) -> Edit {
        let mut table = self.clone();
        let at = at.min(table.header.len());
        table.header.insert(at, table_cell(name));
        table.alignments.insert(at, alignment);
        for (place, row) in table.rows.iter_mut().enumerate() {
            row.insert(at, column.get(place).map(|cell| table_cell(cell)).unwrap_or_default());
        }
        table.format(text)
    }

    /// The rows in another order, each as it is written; rows without a value come last. Nothing if a cell is not what it is
    /// to be sorted as: then its row is told.
    pub fn sort(&self, text: &str, column: usize, sort_as: SortAs, is_descending: bool) -> Result<Vec<Edit>, usize> {
        let plain: Vec<String> = self.rows.iter().map(|row| plain_text(&row[column])).collect();
        let is = |read: fn(&str) -> Option<f64>| plain.iter().filter(|cell| !cell.is_empty()).all(|cell| read(cell).is_some());
        let sort_as = match sort_as {
            SortAs::Auto if is(number) => SortAs::Number,
            SortAs::Auto if is(date) => SortAs::Date,
            SortAs::Auto => SortAs::Text,
            given => given,
        };
        let mut keys = Vec::with_capacity(plain.len());
        for (place, cell) in plain.iter().enumerate() {
            let key = match sort_as {
                SortAs::Number => number(cell),
                SortAs::Date => date(cell),
                SortAs::Auto | SortAs::Text => Some(0.0),
            };
            match key {
                Some(key) => keys.push((cell.is_empty(), key, fold(cell))),
                None if cell.is_empty() => keys.push((true, 0.0, String::new())),
                None => return Err(place),
            }
        }
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|a, b| {
            let (a, b) = (&keys[*a], &keys[*b]);
            let by_value = a.1.total_cmp(&b.1).then_with(|| match sort_as {
                SortAs::Number | SortAs::Date => std::cmp::Ordering::Equal,
                SortAs::Auto | SortAs::Text => a.2.cmp(&b.2),
            });
            a.0.cmp(&b.0).then(if is_descending && !a.0 && !b.0 { by_value.reverse() } else { by_value })
        });
        let moved = order.iter().enumerate().filter(|(to, from)| to != *from);
        let edit = |(to, from): (usize, &usize)| {
            Edit::replace(self.row_spans[to].clone(), text[self.row_spans[*from].clone()].to_owned())
        };
        Ok(moved.map(edit).collect())
    }
}

/// The columns of a terminal that a text takes: two for East Asian characters and pictures.
fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// A cell as it reads: of a link its name.
fn plain_text(cell: &str) -> String {
    let cell = cell.trim_matches(['*', '_', '`', '~']).trim();
    match cell.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
        Some(link) => link.rsplit_once('|').map_or(link, |(_, name)| name).to_owned(),
        None => cell.to_owned(),
    }
}

/// A number, also with a sign for money or percent and with commas between thousands.
fn number(cell: &str) -> Option<f64> {
    let plain = cell.trim_matches(|c: char| c.is_whitespace() || matches!(c, '$' | '€' | '£' | '¥' | '%'));
    let groups: Vec<&str> = plain.split('.').next()?.trim_start_matches(['-', '+']).split(',').collect();
    let is_grouped = groups.len() > 1 && !groups[0].is_empty() && groups[1..].iter().all(|group| group.len() == 3);
    let plain = if is_grouped { plain.replace(',', "") } else { plain.to_owned() };
    let looks_like_one = plain.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) && !plain.is_empty();
    plain.parse::<f64>().ok().filter(|number| looks_like_one && number.is_finite())
}

/// A date such as 2024-01-05, 2024/1/5 or 5.1.2024, also with a time, as a number that grows with it.
fn date(cell: &str) -> Option<f64> {
    let (day, time) = cell.split_once(['T', ' ']).unwrap_or((cell, ""));
    let separator = ['-', '/', '.'].into_iter().find(|separator| day.contains(*separator))?;
    let numbers: Vec<u32> = day.split(separator).map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (year, month, day) = match (separator, numbers.as_slice()) {
        ('.', [day, month, year]) if *year >= 100 => (*year, *month, *day),
        (_, [year, month, day]) if *year >= 100 => (*year, *month, *day),
        _ => return None,
    };
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 9999 {
        return None;
    }
    let clock: Vec<f64> = if time.trim().is_empty() {
        Vec::new()
    } else {
        time.trim().trim_end_matches('Z').split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?
    };
    let seconds = clock.iter().chain([&0.0, &0.0, &0.0]).take(3).fold(0.0, |sum, part| sum * 60.0 + part);
    Some(f64::from(year * 372 + (month - 1) * 31 + day - 1) * 86_400.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edits;

    const NOTE: &str = "---\na: 1\n---\n# One\n\n| Name | Size |\n|:-|--:|\n| [[Lamp\\|the lamp]] | 10 |\n|灯台|9|\n| `a\\|b` 👩‍👩‍👧 | |\n\ntext\n\n## Two\n\na | b\n--|--\n1 | 2\n\n```\n| x |\n|---|\n```\n";

    fn apply(text: &str, edits: Vec<Edit>) -> String {
        Edits::new(edits).expect("apart").apply(text)
    }

    #[test]
    fn tables_are_found_with_their_cells() {
        let tables = find_tables(NOTE);
        assert_eq!(tables.len(), 2);
        assert_eq!((tables[0].line, tables[0].heading.as_deref()), (6, Some("One")));
        assert_eq!(tables[0].alignments, [Alignment::Left, Alignment::Right]);
        assert_eq!(tables[0].rows[0], ["[[Lamp\\|the lamp]]", "10"]);
        assert_eq!(tables[0].rows[2], ["`a\\|b` 👩‍👩‍👧", ""]);
        assert_eq!(
            (tables[1].line, tables[1].header.join(","), &NOTE[tables[1].span.clone()]),
            (16, "a,b".to_owned(), "a | b\n--|--\n1 | 2")
        );
    }

    #[test]
    fn lines_that_only_markdown_sees_make_no_table() {
        assert_eq!(find_tables("|a|b|\n|-|-|\n|1\r---|2|\n"), []);
        assert_eq!(find_tables("|a|b|\r\n|-|-|\r\n|1|2|\r\n").len(), 1);
    }

    #[test]
    fn columns_get_one_width() {
        let table = &find_tables(NOTE)[0];
        let expected = "| Name               | Size |\n| :----------------- | ---: |\n| [[Lamp\\|the lamp]] |   10 |\n| 灯台               |    9 |\n| `a\\|b` 👩‍👩‍👧          |      |";
        let formatted = apply(NOTE, vec![table.format(NOTE)]);
        assert_eq!(formatted, NOTE.replace(&NOTE[table.span.clone()], expected));
        let again = &find_tables(&formatted)[0];
        assert_eq!(apply(&formatted, vec![again.format(&formatted)]), formatted);
        // A pipe in code ends a cell all the same, and makes one too many.
        let wide = "|a|b|\n|-|-|\n|c|`d|e`|\n";
        let table = &find_tables(wide)[0];
        assert_eq!(apply(wide, vec![table.format(wide)]), "| a   | b   |\n| --- | --- |\n| c   | `d  | e` |\n");
        let column = table.insert_column(wide, 2, "n", Alignment::None, &["x".to_owned()]);
        assert_eq!(apply(wide, vec![column]), "| a   | b   | n   |\n| --- | --- | --- |\n| c   | `d  | x   | e` |\n");
        let quoted = "> [!note]\n> | a |\n> |---|\n> | longer |\n";
        let table = &find_tables(quoted)[0];
        assert_eq!(apply(quoted, vec![table.format(quoted)]), "> [!note]\n> | a      |\n> | ------ |\n> | longer |\n");
    }

    #[test]
    fn rows_and_columns_are_inserted() {
        let text = "|a|b|\n|-|-|\n|1|2|\n";
        let table = &find_tables(text)[0];
        let row = ["x|y".to_owned()];
        assert_eq!(apply(text, vec![table.insert_row(text, 0, &row)]), "|a|b|\n|-|-|\n| x\\|y |     |\n|1|2|\n");
        assert_eq!(apply(text, vec![table.insert_row(text, 9, &row)]), "|a|b|\n|-|-|\n|1|2|\n| x\\|y |     |\n");
        let column = table.insert_column(text, 1, "new", Alignment::Center, &["z".to_owned()]);
        assert_eq!(apply(text, vec![column]), "| a   | new | b   |\n| --- | :-: | --- |\n| 1   |  z  | 2   |\n");
    }

    #[test]
    fn rows_are_sorted_and_keep_their_bytes() {
        let sorted = |cells: &[&str], sort_as, is_descending| {
            let rows: String = cells.iter().enumerate().map(|(place, cell)| format!("|{cell} |{place}|\n")).collect();
            let text = format!("|k|n|\n|-|-|\n{rows}");
            let edits = find_tables(&text)[0].sort(&text, 0, sort_as, is_descending)?;
            let after = apply(&text, edits);
            assert_eq!(after.len(), text.len());
            Ok::<_, usize>(find_tables(&after)[0].rows.iter().map(|row| row[0].clone()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(sorted(&["10", "", "9", "-1.5", "1,000"], SortAs::Auto, false).as_deref(), Ok("-1.5 9 10 1,000 "));
        assert_eq!(sorted(&["10", "", "9"], SortAs::Auto, true).as_deref(), Ok("10 9 "));
        assert_eq!(sorted(&["10", "9", "x"], SortAs::Auto, false).as_deref(), Ok("10 9 x"));
        assert_eq!(sorted(&["b", "A", "[[z\\|a]]"], SortAs::Text, false).as_deref(), Ok("A [[z\\|a]] b"));
        assert_eq!(sorted(&["2.1.2024", "1.12.2023"], SortAs::Auto, false).as_deref(), Ok("1.12.2023 2.1.2024"));
        assert_eq!(
            sorted(&["2024-01-05 10:00", "2024-01-05", "[[2023-02-01]]"], SortAs::Date, false).as_deref(),
            Ok("[[2023-02-01]] 2024-01-05 2024-01-05 10:00")
        );
        assert_eq!(sorted(&["1", "x"], SortAs::Number, false), Err(1));
    }

    #[test]
    fn text_for_a_cell_cannot_end_it() {
        for (text, cell) in
            [("a|b", "a\\|b"), ("[[a\\|b]]", "[[a\\|b]]"), ("a\nb", "a<br>b"), ("end\\", "end\\\\"), ("\\\\|", "\\\\\\|")]
        {
            assert_eq!(table_cell(text), cell);
            assert_eq!(cells(&format!("| {cell} | x |")).len(), 2, "{cell}");
        }
    }
}
