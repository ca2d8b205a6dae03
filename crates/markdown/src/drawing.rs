//! Excalidraw drawings in notes: their texts, links and files as Markdown, and the scene as JSON in a fence.

use crate::lz_string::{LzStringError, compress_to_base64, decompress_from_base64};
use crate::span::{Lines, Span};
use crate::{Edit, Eol};

/// Letters on one line of a compressed scene.
const LETTERS_PER_LINE: usize = 256;
/// Characters of the id of a text element, which is also its block id.
const ID_LENGTH: usize = 8;

const DATA: &[&str] = &["# Excalidraw Data"];
const TEXTS: &[&str] = &["## Text Elements", "# Text Elements"];
const LINKS: &[&str] = &["## Element Links", "# Element Links"];
const FILES: &[&str] = &["## Embedded Files", "# Embedded files"];
const SCENE: &[&str] = &["## Drawing", "# Drawing"];

/// One line of a section: something that is said of an element or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawingEntry {
    pub id: String,
    pub text: String,
    /// With the blank line behind it.
    pub span: Span,
}

/// Where the parts of a drawing stand in its note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The texts as they are written, by the id of their element.
    pub texts: Vec<DrawingEntry>,
    pub links: Vec<DrawingEntry>,
    /// Paths as links, formulas and addresses, by the id of the file.
    pub files: Vec<DrawingEntry>,
    pub is_compressed: bool,
    scene: Span,
    has_data: bool,
    has_texts: bool,
    has_links: bool,
    texts_end: usize,
    links_end: usize,
}

/// What is to be changed in the note of a drawing. Nothing instead of a text removes the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawingChange {
    pub texts: Vec<(String, Option<String>)>,
    pub links: Vec<(String, Option<String>)>,
    pub removed_files: Vec<String>,
    /// The new JSON of the scene.
    pub scene: Option<String>,
}

/// Finds the drawing of a note; nothing if the note has no scene.
pub fn find_drawing(text: &str) -> Option<Drawing> {
    let lines = Lines::of(text);
    let spans: Vec<Span> = lines.spans_from(text, 0).collect();
    let line = |place: usize| text[spans[place].clone()].trim_end();
    let is = |place: usize, names: &[&str]| names.contains(&line(place));
    let (heading, scene, is_compressed) = (0..spans.len()).rev().filter(|place| is(*place, SCENE)).find_map(|heading| {
        let (scene, is_compressed) = find_scene(text, &spans, heading + 1)?;
        Some((heading, scene, is_compressed))
    })?;
    // The comment that hides the scene begins right before its heading, or before all of the data.
    let before = (0..heading).rev().find(|place| !line(*place).is_empty());
    let end = before.filter(|place| line(*place) == "%%").unwrap_or(heading);
    let start_of = |place: usize| spans[place].start;
    let data = (0..end).rev().find(|place| is(*place, DATA));
    let find = |names: &[&str]| (data.unwrap_or(0)..end).find(|place| is(*place, names));
    let texts = find(TEXTS);
    let after_texts = |names: &[&str]| (texts.or(data)?..end).find(|place| is(*place, names));
    let (links, files) = (after_texts(LINKS), after_texts(FILES));
    let end_of = |section: Option<usize>| {
        let next = [links, files].into_iter().flatten().filter(|place| section.is_none_or(|section| *place > section)).min();
        next.unwrap_or(end)
    };
    let (texts_to, links_to) = (end_of(texts), links.map_or(files.unwrap_or(end), |links| end_of(Some(links))));
    let entries = |section: Option<usize>, to: usize, read: fn(&str, &[Span]) -> Vec<DrawingEntry>| {
        section.map(|section| read(text, &spans[section + 1..to.max(section + 1)])).unwrap_or_default()
    };
    Some(Drawing {
        texts: entries(texts, texts_to, text_entries),
        links: entries(links, links_to, line_entries),
        files: entries(files, end_of(files), line_entries),
        is_compressed,
        scene,
        has_data: data.is_some() || texts.is_some(),
        has_texts: texts.is_some(),
        has_links: links.is_some(),
        texts_end: start_of(texts_to),
        links_end: start_of(links_to),
    })
}

/// The scene behind a heading: in a fence, or in the oldest notes just so.
fn find_scene(text: &str, spans: &[Span], from: usize) -> Option<(Span, bool)> {
    let first = (from..spans.len()).find(|place| !text[spans[*place].clone()].trim().is_empty())?;
    let opening = text[spans[first].clone()].trim_end();
    let is_compressed = match opening {
        "```json" => false,
        "```compressed-json" => true,
        plain if plain.starts_with('{') => {
            let end = text[spans[first].start..].rfind('}')?;
            return Some((spans[first].start..spans[first].start + end + 1, false));
        }
        _ => return None,
    };
    let start = spans.get(first + 1)?.start;
    let close = (first + 1..spans.len()).find(|place| text[spans[*place].clone()].starts_with("```"));
    let inside = &text[start..close.map_or(text.len(), |close| spans[close].start)];
    if is_compressed {
        let lead = inside.len() - inside.trim_start().len();
        return Some((start + lead..start + lead + inside.trim().len(), true));
    }
    // Whatever a merge has left behind the end is none of it.
    let (open, end) = (inside.find('{')?, inside.rfind('}')?);
    (open < end).then_some((start + open..start + end + 1, false))
}

/// A text ends with the id of its element at the end of a line.
fn text_entries(text: &str, lines: &[Span]) -> Vec<DrawingEntry> {
    let mut entries = Vec::new();
    let mut start: Option<usize> = None;
    for (place, line) in lines.iter().enumerate() {
        let begin = *start.get_or_insert(line.start);
        let Some(id) = block_id(&text[line.clone()]) else { continue };
        let end = line.end - id.len() - 1;
        let said = text[begin..end].strip_suffix([' ', '\t', '\n']).unwrap_or(&text[begin..end]);
        let span = begin..end_of_entry(text, lines, place);
        start = lines.iter().map(|line| line.start).find(|start| *start >= span.end);
        entries.push(DrawingEntry { id: id.to_owned(), text: said.replace("\r\n", "\n"), span });
    }
    entries
}

fn block_id(line: &str) -> Option<&str> {
    let caret = line.rfind('^')?;
    let (before, id) = (&line[..caret], &line[caret + 1..]);
    let stands_alone = before.is_empty() || before.ends_with([' ', '\t']);
    (stands_alone && id.chars().count() == ID_LENGTH && !id.contains(char::is_whitespace)).then_some(id)
}

fn line_entries(text: &str, lines: &[Span]) -> Vec<DrawingEntry> {
    let mut entries = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some((id, said)) = text[line.clone()].split_once(':') else { continue };
        let said = said.trim();
        if !id.is_empty() && !id.contains(char::is_whitespace) && !said.is_empty() {
            let span = line.start..end_of_entry(text, lines, place);
            entries.push(DrawingEntry { id: id.to_owned(), text: said.to_owned(), span });
        }
    }
    entries
}

/// The line and the blank one behind it.
fn end_of_entry(text: &str, lines: &[Span], place: usize) -> usize {
    let next = |place: usize| {
        let end = lines[place].end;
        let rest = &text[end..];
        end + rest.len() - rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')).unwrap_or(rest).len()
    };
    match lines.get(place + 1) {
        Some(line) if text[line.clone()].trim().is_empty() => next(place + 1),
        _ => next(place),
    }
}

impl Drawing {
    /// The JSON of the scene, of at most `most` characters.
    pub fn scene(&self, text: &str, most: usize) -> Result<String, LzStringError> {
        let scene = &text[self.scene.clone()];
        if !self.is_compressed {
            return Ok(scene.to_owned());
        }
        let mut json = decompress_from_base64(scene, most)?;
        json.truncate(json.rfind('}').map_or(json.len(), |end| end + 1));
        Ok(json)
    }

    /// The edits of the note that make the change; what it does not name stays.
    pub fn edits(&self, text: &str, change: &DrawingChange) -> Vec<Edit> {
        let eol = Eol::dominant(text).as_str();
        let mut edits = Vec::new();
        let texts = changed(&self.texts, &change.texts, |id, said| format!("{said} ^{id}\n\n"), eol, &mut edits);
        let links = changed(&self.links, &change.links, |id, link| format!("{id}: {link}\n\n"), eol, &mut edits);
        let gone = self.files.iter().filter(|file| change.removed_files.contains(&file.id));
        edits.extend(gone.map(|file| Edit::replace(file.span.clone(), String::new())));
        let in_lines = |new: String| if eol == "\n" { new } else { new.replace('\n', eol) };
        if !texts.is_empty() || (!links.is_empty() && !self.has_data) {
            let data = if self.has_data { "" } else { "# Excalidraw Data\n\n" };
            let heading = if self.has_texts { "" } else { "## Text Elements\n" };
            let new = format!("{}{data}{heading}{texts}", apart(text, self.texts_end));
            edits.push(Edit::insert(self.texts_end, in_lines(new)));
        }
        if !links.is_empty() {
            let heading = if self.has_links { "" } else { "## Element Links\n" };
            let space = if texts.is_empty() && self.has_data { apart(text, self.links_end) } else { "" };
            edits.push(Edit::insert(self.links_end, in_lines(format!("{space}{heading}{links}"))));
        }
        if let Some(scene) = &change.scene {
            let written = if self.is_compressed { in_lines(compressed_scene(scene)) } else { scene.clone() };
            edits.push(Edit::replace(self.scene.clone(), written));
        }
        edits
    }
}

/// A new entry begins behind a blank line, or right behind its heading.
fn apart(text: &str, at: usize) -> &'static str {
    let before = text[..at].replace("\r\n", "\n");
    let last = before.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    match (before.ends_with("\n\n") || last.starts_with('#'), before.is_empty() || before.ends_with('\n')) {
        (true, _) => "",
        (_, true) => "\n",
        _ => "\n\n",
    }
}

/// The edits of entries that are there, and the text of those that are new.
fn changed(
    entries: &[DrawingEntry],
    changes: &[(String, Option<String>)],
    write: impl Fn(&str, &str) -> String,
    eol: &str,
    edits: &mut Vec<Edit>,
) -> String {
    let mut new = String::new();
    for (id, said) in changes {
        let written = said.as_ref().map(|said| write(id, said)).unwrap_or_default();
        match entries.iter().find(|entry| entry.id == *id) {
            Some(entry) if said.as_deref() == Some(&entry.text) => {}
            Some(entry) => edits.push(Edit::replace(entry.span.clone(), written.replace('\n', eol))),
            None => new.push_str(&written),
        }
    }
    new
}

/// The JSON of a scene as notes hold it when it is compressed: lines of 256 letters, a blank line between them.
pub fn compressed_scene(json: &str) -> String {
    let letters = compress_to_base64(json);
    let mut written = String::with_capacity(letters.len() + letters.len() / LETTERS_PER_LINE * 2);
    for (place, letter) in letters.chars().enumerate() {
        if place > 0 && place.is_multiple_of(LETTERS_PER_LINE) {
            written.push_str("\n\n");
        }
        written.push(letter);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Edits;

    const NOTE: &str = "---\nexcalidraw-plugin: parsed\n---\nfree text\n\n# Excalidraw Data\n\n## Text Elements\nfirst line\nsecond ^aaaaaaaa\n\n[[Lamp]] ^bbbbbbbb\n\n## Element Links\ncccccccc: [[Storm]]\n\n## Embedded Files\n0f3a: [[a.png]]\n\n1b: $$x: y$$\n\n%%\n## Drawing\n```json\n{\"a\":1}\n```\n%%\n";

    fn said(entries: &[DrawingEntry]) -> Vec<(&str, &str)> {
        entries.iter().map(|entry| (entry.id.as_str(), entry.text.as_str())).collect()
    }

    #[track_caller]
    fn check(text: &str, change: &DrawingChange, expected: &str) {
        let drawing = find_drawing(text).expect("a drawing");
        let edits = Edits::new(drawing.edits(text, change)).expect("apart");
        assert_eq!(edits.apply(text), expected);
    }

    fn set(id: &str, text: &str) -> (String, Option<String>) {
        (id.to_owned(), Some(text.to_owned()))
    }

    #[test]
    fn the_parts_of_a_drawing_are_found() {
        for text in [NOTE.to_owned(), NOTE.replace('\n', "\r\n")] {
            let drawing = find_drawing(&text).expect("a drawing");
            assert_eq!(said(&drawing.texts), [("aaaaaaaa", "first line\nsecond"), ("bbbbbbbb", "[[Lamp]]")]);
            assert_eq!(said(&drawing.links), [("cccccccc", "[[Storm]]")]);
            assert_eq!(said(&drawing.files), [("0f3a", "[[a.png]]"), ("1b", "$$x: y$$")]);
            assert_eq!(drawing.scene(&text, 100).as_deref(), Ok("{\"a\":1}"));
        }
        assert_eq!(find_drawing("# Drawing\n\ntext\n"), None);
        assert!(find_drawing("# Drawing\n{\"a\": {}}\n%%").is_some_and(|drawing| drawing.texts.is_empty()));
    }

    #[test]
    fn a_change_touches_the_entries_that_it_names() {
        let change = DrawingChange {
            texts: vec![set("bbbbbbbb", "[[Lantern]]"), set("dddddddd", "new"), ("aaaaaaaa".to_owned(), None)],
            links: vec![("cccccccc".to_owned(), None), set("eeeeeeee", "https://x.example")],
            removed_files: vec!["0f3a".to_owned()],
            scene: Some("{}".to_owned()),
        };
        let expected = "---\nexcalidraw-plugin: parsed\n---\nfree text\n\n# Excalidraw Data\n\n## Text Elements\n[[Lantern]] ^bbbbbbbb\n\nnew ^dddddddd\n\n## Element Links\neeeeeeee: https://x.example\n\n## Embedded Files\n1b: $$x: y$$\n\n%%\n## Drawing\n```json\n{}\n```\n%%\n";
        check(NOTE, &change, expected);
        check(&NOTE.replace('\n', "\r\n"), &change, &expected.replace('\n', "\r\n"));
        check(NOTE, &DrawingChange::default(), NOTE);
    }

    #[test]
    fn sections_that_are_missing_are_made() {
        let change =
            DrawingChange { texts: vec![set("aaaaaaaa", "x")], links: vec![set("aaaaaaaa", "[[y]]")], ..Default::default() };
        check(
            "text\n%%\n## Drawing\n```json\n{}\n```\n%%",
            &change,
            "text\n\n# Excalidraw Data\n\n## Text Elements\nx ^aaaaaaaa\n\n## Element Links\naaaaaaaa: [[y]]\n\n%%\n## Drawing\n```json\n{}\n```\n%%",
        );
        check(
            "# Excalidraw Data\n\n## Text Elements\n%%\n## Drawing\n```json\n{}\n```\n%%",
            &change,
            "# Excalidraw Data\n\n## Text Elements\nx ^aaaaaaaa\n\n## Element Links\naaaaaaaa: [[y]]\n\n%%\n## Drawing\n```json\n{}\n```\n%%",
        );
    }

    #[test]
    fn a_compressed_scene_comes_back_whatever_follows_it() {
        let json = format!("{{\"text\":\"{}\"}}", (0..300).map(|number| number.to_string()).collect::<String>());
        let note = format!("## Drawing\n```compressed-json\n{}\n```\n%%", compressed_scene(&json));
        let drawing = find_drawing(&note).expect("a drawing");
        assert!(drawing.is_compressed && note.lines().all(|line| line.len() <= 256));
        assert_eq!(drawing.scene(&note, 10_000).as_deref(), Ok(json.as_str()));
        assert_eq!(drawing.scene(&note, 10), Err(LzStringError::TooLarge(10)));
        let merged = format!("## Drawing\n```json\n{json}\nrubbish\n```\n%%");
        assert_eq!(find_drawing(&merged).map(|drawing| drawing.scene(&merged, 1)), Some(Ok(json)));
    }
}
