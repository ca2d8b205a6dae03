//! Byte ranges of the original text and the lines they stand on.

use memchr::memchr_iter;

/// A range of bytes in the original text, byte order mark included.
pub type Span = std::ops::Range<usize>;

/// Answers which line (counted from 1) a byte stands on.
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        let mut starts = Vec::with_capacity(text.len() / 32 + 1);
        starts.push(0);
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1));
        Lines { starts }
    }

    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// Every line from the one that holds `from`, without its line ending.
    pub(crate) fn spans_from<'a>(&'a self, text: &'a str, from: usize) -> impl Iterator<Item = Span> + 'a {
        let first = self.line_at(from) - 1;
        (first..self.starts.len()).map(move |index| {
            let start = self.starts[index].max(from);
            let next = self.starts.get(index + 1).copied().unwrap_or(text.len());
            start..trim_line_ending(text, start, next)
        })
    }
}

/// Where the line that holds `offset` starts.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    memchr::memrchr(b'\n', &text.as_bytes()[..offset]).map_or(0, |newline| newline + 1)
}

/// Where the line that holds `offset` ends, before its line ending.
pub(crate) fn line_end(text: &str, offset: usize) -> usize {
    let next = next_line(text, offset);
    trim_line_ending(text, offset, next)
}

/// Where the line after the one that holds `offset` starts, or the end of the text.
pub(crate) fn next_line(text: &str, offset: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[offset..]).map_or(text.len(), |newline| offset + newline + 1)
}

fn trim_line_ending(text: &str, start: usize, end: usize) -> usize {
    let line = &text[start..end];
    let line = line.strip_suffix('\n').unwrap_or(line);
    start + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The span without the white space at both of its ends.
pub(crate) fn trim(text: &str, span: Span) -> Span {
    let slice = &text[span.clone()];
    let start = span.start + (slice.len() - slice.trim_start().len());
    start..(start + slice.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_lose_their_ending() {
        let text = "a\r\nbb\n\nc";
        let lines = Lines::of(text);
        let all: Vec<&str> = lines.spans_from(text, 0).map(|span| &text[span]).collect();
        assert_eq!(all, ["a", "bb", "", "c"]);
        assert_eq!(lines.line_at(0), 1);
        assert_eq!(lines.line_at(3), 2);
        assert_eq!(lines.line_at(text.len()), 4);
    }

    #[test]
    fn the_line_around_a_byte_is_found() {
        let text = "a\r\nbb\n";
        assert_eq!((line_start(text, 4), line_end(text, 4), next_line(text, 4)), (3, 5, 6));
        assert_eq!(line_end(text, 0), 1);
    }
}
