use serde_json::json;

use super::*;

#[track_caller]
fn expression(text: &str, printed: &str) {
    let expr = parse_expression(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(print_expression(&expr), printed, "{text}");
}

#[track_caller]
fn wrong(text: &str, message: &str) {
    let error = parse_query(text).map(|_| ()).expect_err(text).to_string();
    assert_eq!(error, message, "{text}");
}

#[test]
fn operators_bind_as_in_the_plugin() {
    expression(&format!("{}a", "!".repeat(42)), &format!("{}a", "!".repeat(42)));
    expression("1 + 2 * 3", "1 + 2 * 3");
    expression("(1 + 2) * 3", "(1 + 2) * 3");
    expression("a and b or c", "a and b or c");
    expression("a and (b or c)", "a and (b or c)");
    expression("a OR b & c | d", "a or b and c or d");
    expression("1-2", "1 - 2");
    expression("a-b", "a-b");
    expression("a -1", "a - 1");
    expression("a - -1", "a - -1");
    expression("!a.b = c", "!a.b = c");
    expression("!(a = b)", "!(a = b)");
    expression("1 = 1.0", "1 = 1");
    expression("8 - (4 - 2)", "8 - (4 - 2)");
}

#[test]
fn atoms_are_what_they_look_like() {
    expression("[[a|b]].x", "[[a|b]].x");
    expression("![[a]]", "![[a]]");
    expression("[1, [2], {a: 1, \"b c\": 2}]", "[1, [2], { a: 1, \"b c\": 2 }]");
    expression("[ [1], 2]", "[ [1], 2]");
    expression("date(2021-05-04)", "date(2021-05-04)");
    expression("date( 2021-05-04T10:00 )", "date(2021-05-04T10:00:00.000)");
    expression("date(today)", "date(\"today\")");
    expression("date(x)", "date(x)");
    expression("dur(1 d, 3 h)", "dur(1 days, 3 hours)");
    expression("dur(x)", "dur(x)");
    expression("row[\"a b\"][0]", "row[\"a b\"][0]");
    expression("map(l, (x) => x + 1)", "map(l, (x) => x + 1)");
    expression("((a, b) => a + b)(1, 2)", "((a, b) => a + b)(1, 2)");
    expression("() => 1", "() => 1");
    expression("\"a\\\"b\\\\c\\d\"", "\"a\\\"b\\\\c\\\\d\"");
    expression("True and null", "true and null");
    expression("nullable", "nullable");
    expression("📅due = über_1", "📅due = über_1");
}

#[test]
fn queries_keep_the_order_of_their_clauses() {
    let query = parse_query("LIST FROM #a and !\"f\" LIMIT 5 SORT file.name").expect("a query");
    let kinds: Vec<&str> = query
        .clauses
        .iter()
        .map(|clause| match clause {
            Clause::Limit(_) => "limit",
            Clause::Sort(_) => "sort",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["limit", "sort"]);
    let text = "// about\nTABLE WITHOUT ID file.link AS \"A file\", (a + b), x\n// here\nFROM -#t or (outgoing([[x]]) & [[]])\nWHERE a // all\nSORT b DESC, c\nGROUP BY c AS d\nFLATTEN e\nLIMIT 2";
    let printed = "TABLE WITHOUT ID file.link AS \"A file\", a + b AS \"(a + b)\", x\nFROM !#t or (outgoing([[x]]) and [[]])\nWHERE a\nSORT b DESC, c ASC\nGROUP BY c AS d\nFLATTEN e\nLIMIT 2";
    assert_eq!(print_query(&parse_query(text).expect("a query")), printed);
    for text in [
        "TABLE",
        "LIST",
        "TASK",
        "task from \"a\"",
        "CALENDAR file.day",
        "LIST WITHOUT ID file.name",
        "TABLE without id",
        "LIST // nothing",
    ] {
        assert!(parse_query(text).is_ok(), "{text}");
    }
}

#[test]
fn errors_say_where_and_what_to_write() {
    wrong("LIST WHERE a == 1", "line 1, column 14: `==` is no operator here; use `=` to compare");
    wrong("LIST\nWHERE a && b", "line 2, column 9: `&&` is no operator here; use `and` or a single `&`");
    wrong("LIST WHERE 'a' = b", "line 1, column 12: texts stand in double quotes: \"…\"");
    wrong("LIST WHERE -a", "line 1, column 12: only numbers can have a minus before them; write 0 - x");
    wrong("LIST WHERE contains (a, b)", "line 1, column 21: a call has no space between the name and its bracket");
    wrong("LIST WHERE ! a", "line 1, column 13: an expression is expected here, without a space before it");
    wrong("LIST WHERE", "line 1, column 11: WHERE needs something behind it");
    wrong(
        "LIST WHERE a.",
        "line 1, column 13: behind a dot stands a field's name; use x[\"…\"] for a name with other characters",
    );
    wrong("LIST FROM #a FROM #b", "line 1, column 14: FROM may stand only once, right behind the header");
    wrong("LIST FROM \"a\" ORDER BY b", "line 1, column 15: use SORT instead of ORDER BY");
    wrong("LIST SORT file.name", "line 1, column 11: SORT right behind the header is read as a field; write FROM \"\" before it");
    wrong("SELECT a", "line 1, column 1: a query starts with TABLE, LIST, TASK or CALENDAR: `SELECT` was not expected");
    wrong(
        "LIST FROM tag",
        "line 1, column 11: a source is expected here: #tag, \"folder\", [[page]] or outgoing([[page]]): `tag` was not expected",
    );
    wrong("LIST WHERE from = 1", "line 1, column 12: `from` is a keyword; use row[\"from\"] for a field of that name");
    wrong("LIST WHERE (a", "line 1, column 14: `)` is missing here");
    wrong("LIST WHERE \"a", "line 1, column 12: this text has no closing quote");
    wrong("", "line 1, column 1: the query ends too early");
    wrong(&format!("LIST {}1", "(".repeat(100)), "line 1, column 70: the expression is nested too deeply");
    wrong(
        &format!("LIST {}", "1+".repeat(5000) + "1"),
        "line 1, column 6: the expression is too long; use fewer operators in one expression",
    );
}

#[test]
fn unknown_functions_are_found_before_a_query_runs() {
    let text = "LIST\nWHERE a = 1 and contain(b, c)";
    let error = check(&parse_query(text).expect("a query"), text).expect_err("an error").to_string();
    assert_eq!(error, "line 2, column 17: there is no function contain; is contains meant?");
}

#[test]
fn the_tree_has_the_shapes_of_the_plugin() {
    let query = parse_query("TABLE a.b AS x FROM #t WHERE !f(1)").expect("a query");
    let expected = json!({
        "header": {"type": "table", "showId": true, "fields": [{
            "name": "x",
            "field": {"type": "index", "object": {"type": "variable", "name": "a"}, "index": {"type": "literal", "value": "b"}},
        }]},
        "source": {"type": "tag", "tag": "#t"},
        "operations": [{"type": "where", "clause": {"type": "negated", "child": {
            "type": "function",
            "func": {"type": "variable", "name": "f"},
            "arguments": [{"type": "literal", "value": 1}],
        }}}],
    });
    assert_eq!(query_tree(&query), expected);
}
