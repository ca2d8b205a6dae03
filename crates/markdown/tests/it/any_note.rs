//! Whatever the text, parsing does not panic and every span holds what it says.

use proptest::prelude::*;
use quillgate_markdown::{Edits, LinkKind, Note, Quote, Span, append, prepend};

/// Pieces that meet in ways random characters rarely do.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "[[", "]]", "[", "]", "(", ")", "<", ">", "|", "\\", "#", "##", "# ", "%%", "`", "```", "$", "$$",
            "\n", "\n\n", "\r\n", "---", "---\n", "- ", "- [ ] ", "> ", "^", " ^id", "\n^id\n", "::", "[k:: ", ": ",
            "<!--", "-->", "<div>", "|---|", "    ", "\t", "!", "![", "\"", "'", "#tag", "a.md", "https://x.y",
            "é", "日本", "\u{feff}", "{", "}", "&a ", "*a", "===", "1. ", "~~~", "[a]: ", "a: ", "%20",
        ]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => "[a-z ]{1,6}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn with_frontmatter() -> impl Strategy<Value = String> {
    (markdown(), markdown()).prop_map(|(inner, body)| format!("---\n{inner}\n---\n{body}"))
}

fn check_note(text: &str) {
    let note = Note::parse(text);
    let slice = |span: &Span| text.get(span.clone()).expect("a span on character boundaries");
    let line = |offset: usize| text[..offset].matches('\n').count() + 1;
    assert!(text.is_char_boundary(note.body));
    for heading in &note.headings {
        let _ = (slice(&heading.span), slice(&heading.content));
        assert_eq!(heading.line, line(heading.span.start));
        assert!(heading.span.end <= heading.content.start);
    }
    for tag in &note.tags {
        assert_eq!(slice(&tag.span), format!("#{}", tag.name));
        assert_eq!(tag.line, line(tag.span.start));
    }
    for block in &note.blocks {
        assert_eq!(slice(&block.span).trim(), format!("^{}", block.id));
        assert!(!slice(&block.block).is_empty());
    }
    for task in &note.tasks {
        assert!(slice(&task.span).contains(&format!("[{}]", task.status)));
        assert!(slice(&task.span).contains(&task.text));
    }
    check_items(text, &note);
    for field in &note.fields {
        assert!(slice(&field.span).contains("::"));
        // That of a list item goes over all its lines.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words(slice(&field.span)).contains(&words(&field.value)));
    }
    check_links(text, &note);
    check_properties(text, &note);
}

fn check_items(text: &str, note: &Note) {
    let mut end = note.body;
    for (at, item) in note.items.iter().enumerate() {
        assert!(item.span.start >= end && item.parent.is_none_or(|parent| parent < at));
        end = item.span.end;
        let own = &text[item.span.clone()];
        assert!(own.starts_with(&format!("{}{}", item.prefix, item.marker)));
        assert_eq!((item.lines, item.text.split('\n').count()), (own.split('\n').count(), item.lines));
    }
    // A task is an item.
    let tasks: Vec<_> = note.items.iter().filter_map(|item| Some((item.line, item.status?))).collect();
    assert_eq!(tasks, note.tasks.iter().map(|task| (task.line, task.status)).collect::<Vec<_>>());
}

fn check_links(text: &str, note: &Note) {
    for link in &note.links {
        let span = &text[link.span.clone()];
        let written = &text[link.target.clone()];
        assert!(link.span.start <= link.target.start && link.target.end <= link.span.end);
        assert!(!written.is_empty());
        match link.kind {
            LinkKind::Wikilink => assert!(span.trim_start_matches('!').starts_with("[[") && span.ends_with("]]")),
            LinkKind::Markdown => assert!(span.ends_with(')') && span.contains("](")),
            LinkKind::Reference => assert!(span.starts_with('[')),
        }
        assert_eq!(link.embed, span.starts_with('!'));
        if link.kind == LinkKind::Wikilink && link.quote == Quote::None {
            assert!(written.starts_with(&link.path) && written.ends_with(&link.subpath));
            assert_eq!(link.display_span.clone().map(|span| &text[span]), link.display.as_deref());
        }
    }
}

fn check_properties(text: &str, note: &Note) {
    let Some(block) = &note.frontmatter else { return };
    assert!(text[block.block.clone()].starts_with("---"));
    assert_eq!(block.block.end, note.body);
    let Ok(properties) = &block.properties else { return };
    for property in &properties.0 {
        assert!(block.inner.start <= property.span.start && property.span.end <= block.inner.end);
        assert!(property.span.start <= property.value_span.start);
        assert!(property.value_span.end <= property.span.end);
        let _ = &text[property.value_span.clone()];
    }
    let ends = properties.0.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    assert!(ends, "entries overlap in {text:?}");
}

proptest! {
    #[test]
    fn spans_of_markdown_are_right(text in markdown()) {
        check_note(&text);
    }

    #[test]
    fn spans_with_frontmatter_are_right(text in with_frontmatter()) {
        check_note(&text);
    }

    #[test]
    fn spans_of_arbitrary_text_are_right(text in any::<String>()) {
        check_note(&text);
    }

    #[test]
    fn adding_keeps_every_byte(text in with_frontmatter(), content in "[a\n]{0,6}") {
        let appended = append(&text, &content).apply(&text);
        prop_assert!(appended.starts_with(&text));
        let prepended = prepend(&text, &content).apply(&text);
        let body = Note::parse(&text).body;
        prop_assert!(prepended.starts_with(&text[..body]));
        prop_assert!(prepended.ends_with(&text[body..]));
    }
}

#[test]
fn no_edits_change_nothing() {
    assert_eq!(Edits::none().apply("a"), "a");
}

#[test]
fn hostile_texts_take_linear_time() {
    let pieces =
        ["[](", "[[", "[[a|", "[a::", "%%", "[x](a (", "[x](a \"", ">#", "![", "<!--", "`a", "$a", "a:\t", "^a ", "# a\n", "- "];
    for piece in pieces {
        for text in [piece.repeat(20_000), format!("---\n{}\n---\n", piece.repeat(2_000))] {
            let started = std::time::Instant::now();
            check_bounds(&text);
            assert!(started.elapsed().as_secs() < 20, "{piece:?} takes {:?}", started.elapsed());
        }
    }
}

fn check_bounds(text: &str) {
    let note = Note::parse(text);
    assert!(note.links.iter().all(|link| text.get(link.span.clone()).is_some()));
}

/// Parsing is linear also where a whole note is one line: each of these took minutes when every mark looked back to its start.
#[test]
fn a_line_of_megabytes_is_parsed_at_once() {
    for piece in ["a>#b", "a%%x%%", "[[a]]#", "> #t "] {
        let text = piece.repeat(1_000_000);
        let started = std::time::Instant::now();
        Note::parse(&text);
        assert!(started.elapsed().as_secs() < 20, "{piece}: {:?}", started.elapsed());
    }
}
