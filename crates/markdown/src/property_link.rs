//! Links inside the frontmatter: quoted `[[…]]` and `[…](…)` as a whole value or part of one.

use std::borrow::Cow;

use crate::frontmatter::Properties;
use crate::link::{Link, Quote};
use crate::scan::scan;
use crate::structure::Structure;
use crate::yaml::TextScalar;

pub(crate) fn property_links(text: &str, properties: &Properties) -> Vec<Link> {
    let scalars = properties.0.iter().flat_map(|property| &property.texts);
    scalars.flat_map(|scalar| links_of(text, scalar)).collect()
}

fn links_of(text: &str, scalar: &TextScalar) -> Vec<Link> {
    let mut links = scan(text, scalar.span.clone(), &Structure::default()).links;
    for link in &mut links {
        link.property = Some(scalar.path.clone());
        link.quote = scalar.quote;
        link.path = unquote(&link.path, scalar.quote);
        link.subpath = unquote(&link.subpath, scalar.quote);
        link.display = link.display.as_deref().map(|display| unquote(display, scalar.quote));
    }
    links
}

/// The text that the bytes between the quotes stand for.
fn unquote(written: &str, quote: Quote) -> String {
    match quote {
        Quote::None => written.to_owned(),
        Quote::Single => written.replace("''", "'"),
        Quote::Double if !written.contains('\\') => written.to_owned(),
        Quote::Double => {
            let document = format!("a: \"{written}\"");
            let entries = crate::yaml::parse(&document).unwrap_or_default();
            let value = entries.first().and_then(|entry| entry.value.as_text());
            value.unwrap_or(written).to_owned()
        }
    }
}

/// The bytes that stand for the text between the quotes.
pub(crate) fn quoted(text: &str, quote: Quote) -> Cow<'_, str> {
    match quote {
        Quote::Single if text.contains('\'') => Cow::Owned(text.replace('\'', "''")),
        Quote::Double if text.contains(['"', '\\']) => Cow::Owned(text.replace('\\', "\\\\").replace('"', "\\\"")),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_links;

    #[test]
    fn links_carry_their_key_path_and_original_bytes() {
        let text = "---\nup: \"[[A|b]]\"\nrel:\n  - 'see [[Ö]] and [x](c.md)'\n  - x\nm:\n  k: \"[[K]]\"\n---\n";
        let links = parse_links(text);
        let found: Vec<(&str, &str, &str)> = links
            .iter()
            .map(|link| {
                let property = link.property.as_deref().unwrap_or_default();
                (property, link.path.as_str(), &text[link.target.clone()])
            })
            .collect();
        assert_eq!(found, [("up", "A", "A"), ("rel.0", "Ö", "Ö"), ("rel.0", "c.md", "c.md"), ("m.k", "K", "K")]);
        assert_eq!(links[1].line, 4);
    }

    #[test]
    fn quotes_inside_names_are_read_as_yaml_means_them() {
        let links = parse_links("---\na: '[[it''s]]'\nb: \"[[say \\\"x\\\"]]\"\n---\n");
        assert_eq!(links[0].path, "it's");
        assert_eq!(links[1].path, "say \"x\"");
    }

    #[test]
    fn an_unquoted_double_bracket_is_a_nested_list() {
        assert_eq!(parse_links("---\na: [[A]]\n---\n"), []);
    }
}
