//! The text of a link after the file it leads to got another name or place.

use std::borrow::Cow;

use crate::destination::encode;
use crate::edit::Edit;
use crate::link::{Link, LinkKind};
use crate::property_link::quoted;

/// Where a link should lead from now on.
#[derive(Clone, Copy, Debug)]
pub struct NewTarget<'a> {
    /// As it should be written, without `.md` for notes: `New`, `a/New`, `img/b.png`, `../x`.
    pub linkpath: &'a str,
    /// Without folder and `.md`: a display equal to it follows.
    pub old_basename: &'a str,
    pub new_basename: &'a str,
    pub is_note: bool,
}

/// The edit that re-points one link; `None` when nothing changes.
///
/// Subpath, embed mark, size, angle brackets, escaped pipes and the kind of link stay.
pub fn relink(text: &str, link: &Link, target: &NewTarget<'_>) -> Option<Edit> {
    if link.path.is_empty() {
        return None;
    }
    let written = &text[link.target.clone()];
    let path_end = link.target.start + written.find('#').unwrap_or(written.len());
    let path_end = link.target.start + text[link.target.start..path_end].trim_end().len();
    let path = link.target.start..path_end;
    let mut parts = vec![(path, new_path(link, target))];
    if let Some(span) = link.display_span.clone().filter(|_| follows(link, target)) {
        parts.push((span, quoted(target.new_basename, link.quote).into_owned()));
    }
    parts.sort_by_key(|(span, _)| span.start);
    parts.retain(|(span, new)| text[span.clone()] != **new);
    let (first, last) = (parts.first()?.0.start, parts.last()?.0.end);
    let mut new = String::new();
    let mut copied = first;
    for (span, part) in parts {
        new.push_str(&text[copied..span.start]);
        new.push_str(&part);
        copied = span.end;
    }
    Some(Edit::replace(first..last, new))
}

fn follows(link: &Link, target: &NewTarget<'_>) -> bool {
    link.display.as_deref() == Some(target.old_basename)
}

fn new_path(link: &Link, target: &NewTarget<'_>) -> String {
    let had_extension = link.path.to_ascii_lowercase().ends_with(".md");
    let path: Cow<'_, str> = if target.is_note && had_extension {
        Cow::Owned(format!("{}.md", target.linkpath))
    } else {
        Cow::Borrowed(target.linkpath)
    };
    let path = match link.kind {
        LinkKind::Markdown | LinkKind::Reference if !link.angle => Cow::Owned(encode(&path)),
        _ => path,
    };
    quoted(&path, link.quote).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_links;

    fn check(before: &str, linkpath: &str, after: &str) {
        let target = NewTarget {
            linkpath,
            old_basename: "Old",
            new_basename: linkpath.rsplit('/').next().unwrap_or(linkpath),
            is_note: true,
        };
        let link = &parse_links(before)[0];
        let edit = relink(before, link, &target);
        let result = edit.map_or_else(|| before.to_owned(), |edit| edit.apply(before));
        assert_eq!(result, after);
    }

    #[test]
    fn wikilinks_keep_all_but_the_path() {
        check("a [[Old]] b", "New", "a [[New]] b");
        check("![[f/Old#H1#H2|Show]]", "g/New", "![[g/New#H1#H2|Show]]");
        check("[[ Old # H |x]]", "New", "[[ New # H |x]]");
        check("[[Old.md]]", "New", "[[New.md]]");
        check("| [[Old\\|Old]] |", "New", "| [[New\\|New]] |");
        check("![[Old|200x30]]", "New", "![[New|200x30]]");
        check("[[Old]]", "US$1", "[[US$1]]");
        check("[[#h]]", "New", "[[#h]]");
    }

    #[test]
    fn a_display_equal_to_the_old_name_follows() {
        check("[[f/Old|Old]]", "f/New", "[[f/New|New]]");
        check("[[Old|old]]", "New", "[[New|old]]");
        check("[Old](Old.md)", "New Name", "[New Name](New%20Name.md)");
    }

    #[test]
    fn markdown_links_keep_their_extension_and_brackets() {
        check("[x](Old.md#h \"t\")", "日本 語", "[x](日本%20語.md#h \"t\")");
        check("[x](Old)", "New", "[x](New)");
        check("[x](<Old.md>)", "c d", "[x](<c d.md>)");
        check("[x]\n\n[x]: Old.md\n", "a b", "[x]\n\n[x]: a%20b.md\n");
        check("[x](Old.md)", "a(b", "[x](a%28b.md)");
        check("[x](Old.md)", "a(b)", "[x](a(b).md)");
        check("[x](Old.md)", "C#", "[x](C%23.md)");
        check("[x](Old.md)", "a%20b", "[x](a%2520b.md)");
    }

    #[test]
    fn property_links_stay_valid_yaml() {
        check("---\nup: \"[[Old]]\"\n---\n", "New", "---\nup: \"[[New]]\"\n---\n");
        check("---\nup: '[[Old|Old]]'\n---\n", "it's", "---\nup: '[[it''s|it''s]]'\n---\n");
        check("---\nup: \"[[Old]]\"\n---\n", "a\"b", "---\nup: \"[[a\\\"b]]\"\n---\n");
    }

    #[test]
    fn nothing_changes_when_the_link_is_right_already() {
        let text = "[[New|x]]";
        let target = NewTarget { linkpath: "New", old_basename: "Old", new_basename: "New", is_note: true };
        assert_eq!(relink(text, &parse_links(text)[0], &target), None);
    }
}
