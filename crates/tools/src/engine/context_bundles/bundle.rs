//! Many notes as one text.

use quillgate_markdown::Note;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::note_text::shown;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    #[default]
    Markdown,
    Xml,
}

const FIRST: &str = "<documents>\n";
const LAST: &str = "</documents>\n";

/// A text that grows file by file until it is full.
pub(super) struct Bundle {
    format: Format,
    include_frontmatter: bool,
    /// The most bytes that all files may take.
    room: usize,
    text: String,
    pub(super) files: usize,
    /// Whether something had to be left out.
    pub(super) is_truncated: bool,
}

impl Bundle {
    pub(super) fn new(format: Format, include_frontmatter: bool, most_bytes: usize) -> Bundle {
        let around = if format == Format::Xml { FIRST.len() + LAST.len() } else { 0 };
        let room = most_bytes.checked_sub(around);
        Bundle {
            format,
            include_frontmatter,
            room: room.unwrap_or(0),
            text: String::new(),
            files: 0,
            is_truncated: room.is_none(),
        }
    }

    /// The whole text; empty if nothing fits.
    pub(super) fn into_text(self) -> String {
        match self.format {
            Format::Xml if self.files > 0 => format!("{FIRST}{}{LAST}", self.text),
            _ => self.text,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_truncated
    }

    /// Adds a file, or as much of it as there is room for. Returns how many bytes of it there are.
    pub(super) fn add(&mut self, path: &str, text: &str) -> Option<usize> {
        let body = if self.include_frontmatter { text } else { &text[Note::parse(text).body..] };
        let body = shown(body);
        let (head, tail) = self.frame(path);
        let Some(room) = (self.room - self.text.len()).checked_sub(head.len() + tail.len()) else {
            self.is_truncated = true;
            return None;
        };
        let mut kept = body.trim_end();
        loop {
            let written = self.escaped(kept);
            if written.len() <= room {
                self.text.push_str(&head);
                self.text.push_str(&written);
                self.text.push_str(&tail);
                self.files += 1;
                return Some(kept.len());
            }
            self.is_truncated = true;
            kept = cut(kept, kept.len().saturating_sub((written.len() - room).max(1)));
            if kept.is_empty() {
                return None;
            }
        }
    }

    fn frame(&self, path: &str) -> (String, String) {
        match self.format {
            Format::Markdown => (format!("## {path}\n\n"), "\n\n".to_owned()),
            Format::Xml => (format!("<document path=\"{}\"><![CDATA[\n", attribute(path)), "\n]]></document>\n".to_owned()),
        }
    }

    fn escaped(&self, text: &str) -> String {
        match self.format {
            Format::Markdown => text.to_owned(),
            // The end of the section is the one thing that cannot stand in it.
            Format::Xml => text.replace("]]>", "]]]]><![CDATA[>"),
        }
    }
}

/// The beginning of a text, to the end of a line where there is one.
fn cut(text: &str, most: usize) -> &str {
    let end = text.floor_char_boundary(most);
    let whole_lines = text[..end].rfind('\n').unwrap_or(end);
    text[..whole_lines].trim_end()
}

fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_never_longer_than_allowed() {
        let text = "ü]]>\nline two\n".repeat(20);
        for format in [Format::Markdown, Format::Xml] {
            for most in 0..900 {
                let mut bundle = Bundle::new(format, true, most);
                while !bundle.is_full() {
                    bundle.add("a & b.md", &text);
                }
                let text = bundle.into_text();
                assert!(text.len() <= most, "{most}: {}", text.len());
            }
        }
    }

    #[test]
    fn what_is_cut_ends_with_a_line() {
        let mut bundle = Bundle::new(Format::Markdown, true, 30);
        assert_eq!(bundle.add("a.md", "one\ntwo\nthree and four\n"), Some(7));
        assert_eq!((bundle.text.as_str(), bundle.is_truncated), ("## a.md\n\none\ntwo\n\n", true));
        assert_eq!(cut("no line here", 4), "no l");
    }
}
