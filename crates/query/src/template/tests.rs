use std::collections::BTreeMap;

use jiff::Zoned;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use quillgate_markdown::Frontmatter;

use super::*;

fn zoned(text: &str) -> Zoned {
    text.parse::<jiff::civil::DateTime>().unwrap().to_zoned(TimeZone::UTC).unwrap()
}

fn fill_at(template: &str, path: &str, at: &str) -> Filled {
    let (now, created) = (zoned(at), zoned("2025-12-31T23:59:00"));
    let block = Frontmatter::find("---\nstatus: open\nn: 3\nlist: [a, b]\nwith space: x\nnone:\n---\n");
    let scope = Scope {
        now: &now,
        date: &now,
        locale: Locale::english(),
        date_format: "YYYY-MM-DD",
        time_format: "HH:mm",
        path,
        created: Some(&created),
        modified: None,
        tags: &["project".to_owned(), "#log/day".to_owned()],
        properties: block.as_ref().and_then(|block| block.properties.as_ref().ok()),
        values: &BTreeMap::from([("VALUE:who".to_owned(), "Ann {{title}}".to_owned())]),
    };
    fill(template, &scope)
}

fn filled(template: &str) -> Filled {
    fill_at(template, "Journal/2026/N.md", "2026-01-04T09:05:07")
}

fn check(template: &str, expected: &str) {
    let filled = filled(template);
    assert_eq!((filled.text.as_str(), filled.unexpanded), (expected, Vec::new()), "{template}");
}

#[test]
fn vectors_hold() {
    let vectors: serde_json::Value = serde_json::from_str(include_str!("../../../markdown/tests/vectors.json")).unwrap();
    let templates: Vec<_> =
        vectors["vectors"].as_array().unwrap().iter().filter(|vector| vector["category"] == "template").collect();
    assert!(!templates.is_empty());
    for vector in templates {
        let input = |name: &str| vector["input"][name].as_str().unwrap();
        let filled = fill_at(input("tpl"), &format!("{}.md", input("title")), input("at"));
        assert_eq!(filled.text, vector["expected"].as_str().unwrap(), "{}", vector["id"]);
    }
}

#[test]
fn variables_are_filled_in() {
    check("# {{title}} {{ Date }}", "# N 2026-01-04");
    check("{{date:dddd, MMMM Do}} {{time:h:mm a}}", "Sunday, January 4th 9:05 am");
    check("{{yesterday}} {{tomorrow:DD.MM.}}", "2026-01-03 05.01.");
    check(
        "{{date+1d}} {{date-2w:YYYYMMDD}} {{ date +1M }} {{time+30m}} {{date+1q}} {{date-1y}}",
        "2026-01-05 20251221 2026-02-04 09:35 2026-04-04 2025-01-04",
    );
    check("{{monday:YYYY-MM-DD}} {{saturday}}", "2026-01-05 2026-01-10");
    check("{{VALUE:who}}", "Ann {{title}}");
    check("{ {{}} {{ } }} {{a\nb}} <b>", "{ {{}} {{ } }} {{a\nb}} <b>");
}

#[test]
fn commands_without_a_script_are_filled_in() {
    check("<% tp.date.now() %>|<%tp.date.now('D')%>", "2026-01-04|4");
    check("<% tp.date.now(\"YYYY-MM-DD\", 7) %> <% tp.date.now(`DD`, -1) %>", "2026-01-11 03");
    check("<% tp.date.now('YYYY-MM-DD', 'P-1M') %> <% tp.date.now('HH:mm', 'PT1H') %>", "2025-12-04 10:05");
    check("<% tp.date.now('YYYY-MM-DD', 1, '31.12.2025', 'DD.MM.YYYY') %>", "2026-01-01");
    check(
        "<% tp.date.tomorrow() %> <% tp.date.yesterday('DD') %> <% tp.date.weekday('YYYY-MM-DD', 1) %>",
        "2026-01-05 03 2026-01-05",
    );
    check(
        "<% tp.file.title %> <% tp.file.path(true) %> <% tp.file.folder() %> <% tp.file.folder(true) %>",
        "N Journal/2026/N.md 2026 Journal/2026",
    );
    check(
        "<% tp.file.creation_date() %> <% tp.file.last_modified_date('YYYY') %> <% tp.file.tags %>",
        "2025-12-31 23:59 2026 #project,#log/day",
    );
    check(
        "<% tp.frontmatter.status %> <% tp.frontmatter['with space'] %> <% tp.frontmatter.list %> <% tp.frontmatter.n %>",
        "open x a,b 3",
    );
    check("a\n<%- tp.file.title -%>\nb \n <%_ tp.file.title _%> \n c", "aNbNc");
}

#[test]
fn what_needs_a_script_stays_and_is_reported() {
    for command in [
        "<%* await tp.file.move('x') %>",
        "<% tp.user.mine() %>",
        "<% tp.system.prompt('Name?') %>",
        "<% tp.file.cursor(1) %>",
        "<% tp.file.path() %>",
        "<% tp.date.now(format) %>",
        "<% tp.date.now(`${x}`) %>",
        "<% tp.date.now('YYYY', 1, 'not a date') %>",
        "<% tp.date.now('YYYY') + 1 %>",
        "<% tp.date.now %>",
        "<% tp.frontmatter.none %>",
        "<% tp.frontmatter.constructor %>",
        "<% this.app.vault %>",
        "<%+ tp.date.now() %>",
        "<% %>",
        "{{VALUE}}",
        "{{FIELD:status}}",
        "{{date+1x}}",
        "{{title:YYYY}}",
    ] {
        let Filled { text, unexpanded } = filled(&format!("one\n{command} {{{{title}}}}"));
        assert_eq!(text, format!("one\n{command} N"));
        assert_eq!((unexpanded.len(), unexpanded[0].line, unexpanded[0].command.as_str()), (1, 2, command));
        assert!(!unexpanded[0].reason.is_empty());
    }
}

#[test]
fn a_template_says_what_must_be_given() {
    assert_eq!(parameters("{{title}} {{VALUE:who}} {{date:YYYY}} {{mood}} {{mood}} {{ }} {{monday:DD}}"), ["VALUE:who", "mood"]);
}

#[test]
fn a_note_keeps_what_it_has_when_a_template_is_put_in() {
    let template = "---\nstatus: draft\ntags: [a, b]\nowner: me\nempty: x\n---\n\n# Plan\n";
    let merged = merge_into("---\nstatus: done # mine\ntags:\n  - b\n  - c\nempty:\n---\ntext\n", template).unwrap();
    assert_eq!(merged, "---\nstatus: done # mine\ntags:\n  - b\n  - c\n  - a\nempty: x\nowner: me\n---\ntext\n# Plan\n");
    assert_eq!(merge_into("", "# Plan\n").unwrap(), "# Plan\n");
    assert_eq!(merge_into("text", "---\na: 1\n---\n").unwrap(), "---\na: 1\n---\ntext");
    assert!(merge_into("---\n: [\n---\n", template).is_err(), "properties that cannot be read are left alone");
}

proptest! {
    #[test]
    fn no_template_panics_and_text_without_commands_stays(template in "[<%{}tpdatefilenow.()'`\"\\\\*_+-:, \n\u{e4}]{0,60}") {
        let filled = filled(&template);
        let _ = parameters(&template);
        if !template.contains("<%") && !template.contains("{{") {
            prop_assert_eq!(filled.text, template);
        }
    }
}
