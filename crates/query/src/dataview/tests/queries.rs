use serde_json::json;

use super::*;

fn books() -> TestVault {
    TestVault::new(&[
        (
            "books/Dune.md",
            "---\nrating: 9\nauthor: \"[[Frank Herbert]]\"\ntags: [book/scifi]\npublished: 1965-08-01\n---\nGenre:: scifi\n\n- [ ] reread [due:: 2024-03-20]\n    - [x] find the copy ✅ 2024-03-01\n    - note [page:: 4]\n- [x] lend\n",
        ),
        (
            "books/Emma.md",
            "---\nrating: 7\nauthor: \"[[Jane Austen]]\"\ntags: [book]\npublished: 1815-12-23\nGenre: romance\n---\nSee [[Dune]].\n\nGenre:: classic\n\nmood:: \"calm\", \"slow\"\n",
        ),
        ("books/Unrated.md", "---\ntags: book\nauthor: \"[[Nobody]]\"\n---\n"),
        ("people/Frank Herbert.md", "born:: 1920-10-08\nalive:: false\n"),
        ("people/Jane Austen.md", "born:: 1775-12-16\n**Home Town**:: Steventon\n"),
        ("daily/2024-03-12.md", "#daily\n\n## Log\n- [ ] call 📅 2024-03-14 ^call\n- wrote [[Emma#Plot|the plot]]\n"),
        ("daily/2024-03-13.md", "#daily\nmins:: 90 minutes\n"),
        ("image.png", ""),
    ])
}

#[track_caller]
fn check(query: &str, expected: serde_json::Value) {
    assert_eq!(books().rows(query), expected, "{query}");
}

#[test]
fn tables_have_columns_of_fields() {
    check(
        "TABLE WITHOUT ID file.name, rating, genre, published FROM \"books\" SORT rating DESC",
        json!([
            ["Dune", 9, "scifi", "1965-08-01"],
            ["Emma", 7, ["romance", "classic"], "1815-12-23"],
            ["Unrated", null, null, null],
        ]),
    );
    let vault = books();
    let headers = vault.ask(None, "TABLE rating AS \"How good\", (rating  + 1)\nFROM #book", |answer| answer.headers());
    assert_eq!(headers, Ok(Some(vec!["File".to_owned(), "How good".to_owned(), "(rating  + 1)".to_owned()])));
}

#[test]
fn sources_choose_the_pages() {
    let names = |query: &str| {
        let vault = books();
        let rows = vault.rows(&format!("LIST WITHOUT ID file.name FROM {query}"));
        rows.as_array()
            .map(|rows| rows.iter().map(|row| row[0].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>().join(" "))
            .unwrap_or_else(|| rows.to_string())
    };
    assert_eq!(names("#book"), "Dune Emma Unrated");
    assert_eq!(names("#book/scifi"), "Dune");
    assert_eq!(names("#BOOK and -#book/scifi"), "Emma Unrated");
    assert_eq!(names("\"daily\""), "2024-03-12 2024-03-13");
    assert_eq!(names("\"books/Dune\""), "Dune");
    assert_eq!(names("\"books/Dune.md\" or #daily"), "Dune 2024-03-12 2024-03-13".split(' ').collect::<Vec<_>>().join(" "));
    assert_eq!(names("[[Dune]]"), "Emma");
    assert_eq!(names("[[Emma]]"), "2024-03-12");
    assert_eq!(names("outgoing([[Emma]])"), "Dune Jane Austen");
    assert_eq!(names("[[Nobody]]"), "Unrated");
    assert_eq!(names("\"nowhere\""), "");
    assert_eq!(names("!\"books\" and !(\"people\" or #daily)"), "");
    assert!(names("[[]]").contains("this query stands in none"));
    assert!(names("csv(\"a.csv\")").contains("cannot be read here"));
    let vault = books();
    assert_eq!(
        vault.ask(Some("books/Dune.md"), "LIST FROM [[]]", |answer| answer.note_paths()),
        Ok(vec!["books/Emma.md".to_owned()])
    );
    assert_eq!(
        vault.ask(Some("books/Dune.md"), "LIST FROM [[#]]", |answer| answer.note_paths()),
        Ok(vec!["books/Emma.md".to_owned()])
    );
}

#[test]
fn links_lead_to_the_fields_of_their_pages() {
    check(
        "TABLE WITHOUT ID file.name, author.born.year, author.file.name FROM #book",
        json!([["Dune", 1920, "Frank Herbert"], ["Emma", 1775, "Jane Austen"], ["Unrated", null, null],]),
    );
    check("LIST WITHOUT ID file.name WHERE author = [[people/Frank Herbert]]", json!([["Dune"]]));
    check("LIST WITHOUT ID author FROM #book/scifi", json!([["[[people/Frank Herbert.md|Frank Herbert]]"]]));
    check(
        "TABLE WITHOUT ID file.inlinks, file.outlinks FROM \"books/Emma\"",
        json!([[["[[daily/2024-03-12.md|2024-03-12]]"], ["[[people/Jane Austen.md|Jane Austen]]", "[[books/Dune.md|Dune]]"],]]),
    );
}

#[test]
fn keys_are_found_plainly_and_as_written() {
    check("LIST WITHOUT ID home-town WHERE home-town", json!([["Steventon"]]));
    check("LIST WITHOUT ID row[\"Home Town\"] WHERE row[\"Home Town\"]", json!([["Steventon"]]));
    check("LIST WITHOUT ID mood FROM \"books/Emma\"", json!([[["calm", "slow"]]]));
    check("LIST WITHOUT ID mins WHERE mins", json!([["1 hour, 30 minutes"]]));
    check("LIST WITHOUT ID alive WHERE alive = false", json!([[false]]));
}

#[test]
fn files_know_themselves() {
    check(
        "TABLE WITHOUT ID file.path, file.folder, file.name, file.ext, file.link, file.size, file.etags, file.aliases, file.starred FROM #book/scifi",
        json!([["books/Dune.md", "books", "Dune", "md", "[[books/Dune.md|Dune]]", 206, ["#book/scifi"], [], false,]]),
    );
    check("LIST WITHOUT ID file.day FROM #daily", json!([["2024-03-12"], ["2024-03-13"]]));
    check("LIST WITHOUT ID file.frontmatter.rating FROM #book/scifi", json!([[9]]));
    check("LIST WITHOUT ID typeof(file.mtime) + typeof(file.cday) FROM #book/scifi", json!([["datedate"]]));
    check("LIST WITHOUT ID file.cday = striptime(file.ctime) FROM #book/scifi", json!([[true]]));
    check("LIST WITHOUT ID length(file.lists) + length(file.tasks) * 10 FROM #book/scifi", json!([[34]]));
    check("LIST WITHOUT ID file.tasks.text FROM \"daily/2024-03-12\"", json!([[["call 📅 2024-03-14 ^call"]]]));
}

#[test]
fn this_is_the_page_of_the_query() {
    let vault = books();
    let rows = vault.ask(Some("books/Emma.md"), "LIST WITHOUT ID file.name WHERE rating > this.rating", |answer| answer.rows());
    assert_eq!(rows, Ok(vec![vec![json!("Dune")]]));
    let rows = vault.ask(None, "LIST WITHOUT ID this.rating FROM #book/scifi", |answer| answer.rows());
    assert_eq!(rows, Ok(vec![vec![json!(null)]]));
}

#[test]
fn rows_that_fail_are_dropped_unless_all_do() {
    check("LIST WITHOUT ID file.name FROM #book WHERE rating + 1 > 0", json!([["Dune"], ["Emma"]]));
    check("LIST WITHOUT ID rating + 1 FROM #book", json!([[10], [8]]));
    check("LIST FROM #book SORT rating + 1", json!([["[[books/Emma.md|Emma]]"], ["[[books/Dune.md|Dune]]"]]));
    check("LIST FROM #daily WHERE rating + 1", json!("every row failed in WHERE: null + number cannot be worked out"));
    check("LIST FROM #nothing WHERE rating + 1", json!([]));
    check("LIST LIMIT \"a\"", json!("LIMIT takes a number, got string"));
}

#[test]
fn groups_hold_their_rows() {
    check(
        "TABLE length(rows), rows.file.name FROM \"books\" OR \"daily\" GROUP BY file.folder",
        json!([["books", 3, ["Dune", "Emma", "Unrated"]], ["daily", 2, ["2024-03-12", "2024-03-13"]],]),
    );
    check("LIST rows.rating FROM #book GROUP BY rating > 8 AS good", json!([[false, [7, null]], [true, [9]]]));
    check("LIST WITHOUT ID good FROM #book GROUP BY rating > 8 AS good", json!([[false], [true]]));
    check("LIST WITHOUT ID key + length(rows.rows) FROM #book GROUP BY rating GROUP BY \"x\"", json!([["x3"]]));
    let vault = books();
    let answer =
        vault.ask(None, "TABLE rows FROM #book GROUP BY rating > 8 AS good", |answer| (answer.headers(), answer.note_paths()));
    let paths = ["books/Emma.md", "books/Unrated.md", "books/Dune.md"].map(str::to_owned).to_vec();
    assert_eq!(answer, Ok((Some(vec!["good".to_owned(), "rows".to_owned()]), paths)));
}

#[test]
fn flatten_makes_a_row_of_every_value() {
    check(
        "TABLE WITHOUT ID file.name, g FROM #book FLATTEN genre AS g",
        json!([["Dune", "scifi"], ["Emma", "romance"], ["Emma", "classic"], ["Unrated", null],]),
    );
    check("LIST WITHOUT ID genre FROM \"books/Emma\" FLATTEN genre", json!([["romance"], ["classic"]]));
    check(
        "TABLE rows.file.name FROM #book FLATTEN genre GROUP BY genre",
        json!([[null, ["Unrated"]], ["classic", ["Emma"]], ["romance", ["Emma"]], ["scifi", ["Dune"]],]),
    );
    check(
        "LIST WITHOUT ID t.text FROM \"books/Dune\" FLATTEN file.tasks AS t WHERE !t.completed",
        json!([["reread [due:: 2024-03-20]"]]),
    );
    check("LIST LIMIT 2", json!([["[[books/Dune.md|Dune]]"], ["[[books/Emma.md|Emma]]"]]));
    check("LIST WITHOUT ID file.name FROM #book LIMIT 0-1", json!([["Dune"], ["Emma"]]));
}

#[test]
fn tasks_know_their_fields_and_those_of_their_page() {
    let vault = books();
    let text = |query: &str| {
        let rows = vault.rows(query);
        rows.as_array()
            .map(|rows| {
                rows.iter()
                    .map(|row| row[row.as_array().expect("cells").len() - 1]["text"].as_str().unwrap_or("?").to_owned())
                    .collect::<Vec<_>>()
            })
            .ok_or(rows)
    };
    assert_eq!(text("TASK FROM \"books\" WHERE !completed"), Ok(vec!["reread [due:: 2024-03-20]".to_owned()]));
    assert_eq!(text("TASK WHERE due AND due < date(2024-03-15)"), Ok(vec!["call 📅 2024-03-14 ^call".to_owned()]));
    assert_eq!(text("TASK WHERE completion"), Ok(vec!["find the copy ✅ 2024-03-01".to_owned()]));
    assert_eq!(text("TASK WHERE rating = 9 AND status = \"x\" AND !parent"), Ok(vec!["lend".to_owned()]));
    assert_eq!(text("TASK WHERE fullyCompleted AND contains(file.tags, \"#book\")").map(|tasks| tasks.len()), Ok(2));
    assert_eq!(
        text("TASK WHERE blockId = \"call\" AND meta(section).subpath = \"Log\" AND meta(link).type = \"block\"")
            .map(|tasks| tasks.len()),
        Ok(1)
    );
    assert_eq!(text("TASK WHERE line = 7 AND length(children) = 2 AND annotated").map(|tasks| tasks.len()), Ok(0));
    let rows = vault.rows("TASK FROM \"books\" WHERE contains(text, \"reread\")");
    assert_eq!(
        rows,
        json!([[{
            "task": true, "text": "reread [due:: 2024-03-20]", "path": "books/Dune.md", "line": 9, "status": " ", "completed": false,
            "fully_completed": false, "fields": {"due": "2024-03-20"},
            "children": [
                {"task": true, "text": "find the copy ✅ 2024-03-01", "path": "books/Dune.md", "line": 10, "status": "x", "completed": true,
                 "fully_completed": true, "fields": {"completion": "2024-03-01"}},
                {"task": false, "text": "note [page:: 4]", "path": "books/Dune.md", "line": 11, "fields": {"page": 4}},
            ],
        }]])
    );
    assert_eq!(vault.rows("TASK GROUP BY file.link").as_array().map(Vec::len), Some(4));
}

#[test]
fn calendars_have_dates() {
    check(
        "CALENDAR file.day FROM #daily",
        json!([["2024-03-12", "[[daily/2024-03-12.md|2024-03-12]]"], ["2024-03-13", "[[daily/2024-03-13.md|2024-03-13]]"],]),
    );
}

#[test]
fn calendars_leave_out_pages_without_a_date() {
    check("CALENDAR published FROM \"books\" WHERE rating = 9 OR !rating", json!([["1965-08-01", "[[books/Dune.md|Dune]]"]]));
    check("CALENDAR rating FROM #book", json!("every row failed in the columns: CALENDAR takes a date, got number"));
}

#[test]
fn links_keep_their_headings_and_what_is_embedded_comes_last() {
    let vault = TestVault::new(&[("a.md", "![[b#^x1]] [[b#Some head|c]] [[b]]\n\n- [[b#h]]"), ("b.md", "")]);
    let links = ["[[b.md#Some head|c]]", "[[b.md|b]]", "[[b.md#h|b > h]]", "![[b.md#^x1|b > x1]]"];
    assert_eq!(vault.rows("TABLE WITHOUT ID file.outlinks FROM \"a\""), json!([[links]]));
    assert_eq!(vault.rows("TABLE WITHOUT ID file.lists.outlinks FROM \"a\""), json!([[[["[[b.md#h|b > h]]"]]]]));
    assert_eq!(vault.rows("LIST WITHOUT ID meta(file.outlinks[0]).subpath FROM \"a\""), json!([["Some head"]]));
}

#[test]
fn a_link_can_say_the_day() {
    let vault = TestVault::new(&[("a.md", "date:: [[2024-05-06]]"), ("b.md", "---\nday: \"[[x|20240507]]\"\n---\n")]);
    assert_eq!(vault.rows("LIST WITHOUT ID file.day"), json!([["2024-05-06"], ["2024-05-07"]]));
}

#[test]
fn a_single_expression_knows_the_fields_of_its_page() {
    let vault = books();
    let catalogue = vault.index.settled_catalogue();
    let mut asking = asking(&catalogue);
    asking.origin = catalogue.find_id(&NotePath::parse("books/Dune.md").expect("a path"));
    let value = |text: &str| evaluate_field(text, &asking, &budget()).map(|value| value.json());
    assert_eq!(value("rating + this.rating"), Ok(json!(18)));
    assert_eq!(value("file.name"), Ok(json!("Dune")));
    assert_eq!(evaluate("rating", &asking, &budget()).map(|value| value.json()), Ok(json!(null)));
}

#[test]
fn bookmarks_are_asked_for_once_and_only_if_needed() {
    let vault = books();
    let catalogue = vault.index.settled_catalogue();
    let asked = std::sync::atomic::AtomicUsize::new(0);
    let starred = || {
        asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        catalogue.find_id(&NotePath::parse("books/Emma.md").expect("a path")).into_iter().collect()
    };
    let mut asking = asking(&catalogue);
    asking.starred = Some(&starred);
    let rows = |query: &str| run(query, &asking, &budget()).map(|answer| answer.rows());
    assert!(rows("LIST WHERE file.name").is_ok());
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 0);
    assert_eq!(rows("LIST WITHOUT ID file.name WHERE file.starred"), Ok(vec![vec![json!("Emma")]]));
    assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[test]
fn settings_of_the_plugin_say_how_values_look() {
    let vault = books();
    let catalogue = vault.index.settled_catalogue();
    let mut asking = asking(&catalogue);
    let data = json!({"renderNullAs": "none", "defaultDateFormat": "dd.MM.yyyy", "tableIdColumnName": "Note", "inlineQueryPrefix": "dv:"});
    asking.settings = Settings::from_json(&data);
    let table =
        run("TABLE published FROM #book SORT file.name LIMIT 1", &asking, &budget()).map(|answer| render_markdown(&answer));
    assert!(table.is_ok_and(|table| table.contains("| Note ") && table.contains("01.08.1965")));
    let inline = |code: &str| render_inline(code, &asking, &budget());
    assert_eq!(inline("dv: null"), Some(Ok("none".to_owned())));
    assert_eq!(inline("= 1"), None);
}

#[test]
fn answers_are_shown_as_markdown() {
    let vault = books();
    let markdown = |query: &str| vault.ask(None, query, render_markdown).unwrap_or_else(|error| error.to_string());
    let table = "| File | rating | genre |\n| - | - | - |\n| [[books/Dune.md\\|Dune]] | 9 | scifi |\n\
        | [[books/Emma.md\\|Emma]] | 7 | <ul><li>romance</li><li>classic</li></ul> |\n| [[books/Unrated.md\\|Unrated]] | \\- | \\- |\n";
    let squeezed = |text: String| {
        let line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ").replace("--", "-").replace("--", "-");
        text.lines().map(|text| format!("{}\n", (0..6).fold(line(text), |text, _| text.replace("--", "-")))).collect::<String>()
    };
    assert_eq!(squeezed(markdown("TABLE rating, genre FROM #book")), table);
    assert_eq!(
        markdown("LIST genre FROM #book"),
        "- [[books/Dune.md|Dune]]: scifi\n- [[books/Emma.md|Emma]]: \n    - romance\n    - classic\n- [[books/Unrated.md|Unrated]]: \\-\n"
    );
    assert_eq!(markdown("LIST FROM #daily"), "- [[daily/2024-03-12.md|2024-03-12]]\n- [[daily/2024-03-13.md|2024-03-13]]\n");
    assert_eq!(
        markdown("TASK FROM \"books\""),
        "- [ ] reread [due:: 2024-03-20]\n    - [x] find the copy ✅ 2024-03-01\n    - note [page:: 4]\n- [x] lend\n"
    );
    assert_eq!(markdown("TASK FROM #daily GROUP BY file.name"), "# 2024-03-12\n\n- [ ] call 📅 2024-03-14 ^call\n\n");
    assert_eq!(markdown("CALENDAR file.day FROM #daily LIMIT 1"), "- March 12, 2024: [[daily/2024-03-12.md|2024-03-12]]\n");
}

#[test]
fn blocks_and_inline_queries_are_answered_and_scripts_are_not() {
    let vault = books();
    let catalogue = vault.index.settled_catalogue();
    let mut asking = asking(&catalogue);
    asking.origin = catalogue.find_id(&NotePath::parse("books/Dune.md").expect("a path"));
    let inline = |code: &str| render_inline(code, &asking, &budget()).map(|answer| answer.map_err(|error| error.to_string()));
    assert_eq!(inline("= this.rating + 1"), Some(Ok("10".to_owned())));
    assert_eq!(inline("=this.file.name"), Some(Ok("Dune".to_owned())));
    assert_eq!(inline("= this.author"), Some(Ok("[[people/Frank Herbert.md|Frank Herbert]]".to_owned())));
    assert_eq!(inline("= 1 +"), Some(Err("line 1, column 5: an expression is missing here".to_owned())));
    assert_eq!(inline("code"), None);
    assert_eq!(inline("== x"), None);
    assert!(inline("$= dv.pages()").is_some_and(|answer| answer.is_err_and(|error| error.contains("never run"))));
    let block = |language: &str, text: &str| render_block(language, text, &asking, &budget());
    assert_eq!(block("dataview", "LIST FROM #book/scifi"), Some(Ok("- [[books/Dune.md|Dune]]\n".to_owned())));
    assert!(block("dataviewjs", "dv.list([])").is_some_and(|answer| answer.is_err()));
    assert_eq!(block("rust", "fn"), None);
}

#[test]
fn items_know_what_stands_on_their_lines() {
    let text = "# A: b\n- [ ] one [[x]]\n  more [[y]] ^i1\n- two\n## C\n- [ ] three [[z]]\n\n[[w]]\n";
    let vault = TestVault::new(&[("a.md", text)]);
    let found = "TABLE WITHOUT ID file.lists.blockId, file.lists.outlinks, map(file.lists, (l) => meta(l.section).subpath)";
    let links = json!([["[[x|x]]", "[[y|y]]"], [], ["[[z|z]]"]]);
    assert_eq!(vault.rows(found), json!([[["i1", null, null], links, ["A b", "A b", "C"]]]));
}

#[test]
fn many_rows_are_worked_out_on_all_cores() {
    let files: Vec<(String, String)> =
        (0..3000).map(|at| (format!("n{at:04}.md"), format!("---\nn: {}\n---\n", (at * 7) % 3000))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let vault = TestVault::new(&files);
    let rows = vault.rows("TABLE WITHOUT ID n WHERE n >= 10 SORT n DESC LIMIT 3");
    assert_eq!(rows, json!([[2999], [2998], [2997]]));
    let spent = {
        let catalogue = vault.index.settled_catalogue();
        let asking = asking(&catalogue);
        run("LIST WHERE n > 1", &asking, &Budget::new(1000, None)).map(|_| ())
    };
    assert_eq!(spent, Err(DqlError::Spent(crate::budget::BudgetSpent::Steps)));
}
