//! Values as text, the way the plugin shows them.

use super::duration::human;
use super::file_field::title;
use super::format::format_date;
use super::row::materialized;
use super::world::World;
use crate::date::Date;
use crate::value::{Link, LinkKind, Value};

/// Deeper than anybody nests values.
const DEEPEST: usize = 24;
/// A value that holds another many times over may be short and have no end as text.
const LONGEST: usize = 1 << 20;

pub(crate) fn show(world: &World<'_>, value: &Value) -> String {
    if let Value::Text(text) | Value::Tag(text) = value {
        return text.to_string();
    }
    let mut text = String::new();
    add(world, value, 0, &mut text);
    text
}

fn add(world: &World<'_>, value: &Value, depth: usize, text: &mut String) {
    if depth > DEEPEST || text.len() > LONGEST {
        text.push('…');
        return;
    }
    match value {
        Value::Null => text.push_str(&world.settings.null),
        Value::Bool(truth) => text.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => text.push_str(&number_text(*number)),
        Value::Text(own) | Value::Tag(own) => text.push_str(own),
        Value::Date(date) => text.push_str(&date_shown(world, date)),
        Value::Duration(duration) => text.push_str(&human(duration)),
        Value::Link(link) => text.push_str(&link_markdown(world, link)),
        Value::List(items) => {
            text.push_str(if depth > 0 { "[" } else { "" });
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at > 0 { ", " } else { "" });
                add(world, item, depth + 1, text);
                if text.len() > LONGEST {
                    return;
                }
            }
            text.push_str(if depth > 0 { "]" } else { "" });
        }
        Value::Rich(rich) => text.push_str(&rich.text),
        Value::Object(_) | Value::File(_) | Value::Function(_) | Value::Pattern(_) => match materialized(world, value) {
            Some(object) => {
                text.push_str("{ ");
                for (at, (key, value)) in object.0.iter().enumerate() {
                    text.push_str(if at > 0 { ", " } else { "" });
                    text.push_str(key);
                    text.push_str(": ");
                    add(world, value, depth + 1, text);
                }
                text.push_str(" }");
            }
            None => text.push_str("<function>"),
        },
    }
}

fn date_shown(world: &World<'_>, date: &Date) -> String {
    let time = date.at.time();
    let is_midnight = time.hour() == 0 && time.minute() == 0 && time.second() == 0;
    let format = if is_midnight { &world.settings.date_format } else { &world.settings.date_time_format };
    format_date(date, format, &world.local)
}

/// As JavaScript writes numbers.
pub(crate) fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if number == 0.0 {
        return "0".to_owned();
    }
    if (1e-6..1e21).contains(&number.abs()) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    if text.contains("e-") { text } else { text.replace('e', "e+") }
}

/// `[[folder/name.md#heading|text]]`
pub(crate) fn link_markdown(world: &World<'_>, link: &Link) -> String {
    if link.kind == LinkKind::External {
        return format!("[{}]({})", link.display.as_deref().unwrap_or(&link.path), link.path);
    }
    let path = path_of(world, link);
    let embed = if link.embed { "!" } else { "" };
    let subpath = link.subpath.as_ref().map(|subpath| format!("#{subpath}")).unwrap_or_default();
    let display = link.display.as_deref().filter(|display| !display.is_empty());
    let display = display.map_or_else(|| shown_name(&path, link), str::to_owned);
    format!("{embed}[[{}{}|{display}]]", path.replace('|', "\\|"), subpath.replace('|', "\\|"))
}

fn shown_name(path: &str, link: &Link) -> String {
    let behind = link.subpath.as_deref().map(|subpath| format!(" > {}", subpath.trim_start_matches('^')));
    format!("{}{}", title(path), behind.unwrap_or_default())
}

/// A link of a page has the whole path of its file, one of the query what was written.
pub(crate) fn path_of(world: &World<'_>, link: &Link) -> String {
    if link.source.is_some() { world.full_path(link).to_owned() } else { link.path.to_string() }
}

#[cfg(test)]
mod tests {
    use super::number_text;

    #[test]
    fn numbers_are_written_as_javascript_does() {
        let check = |number: f64, expected: &str| assert_eq!(number_text(number), expected);
        check(1.0, "1");
        check(-0.0, "0");
        check(0.1 + 0.2, "0.30000000000000004");
        check(1e21, "1e+21");
        check(1.5e-7, "1.5e-7");
        check(123_456_789_012_345_680.0, "123456789012345680");
        check(f64::NAN, "NaN");
    }
}
