use serde_json::{Value as Json, json};

use super::*;

#[track_caller]
fn check(text: &str, expected: Json) {
    assert_eq!(value_of(text), Ok(expected), "{text}");
}

#[track_caller]
fn wrong(text: &str, message: &str) {
    assert_eq!(value_of(text), Err(message.to_owned()), "{text}");
}

#[test]
fn operators_work_on_all_kinds() {
    check("12 + 8 - 4 / 2", json!(18));
    check("16 / 8 / 2", json!(1));
    check("39 / 3 <= 14", json!(true));
    check("7 % 4", json!(3));
    check("\"a\" + 12", json!("a12"));
    check("12 + \"a\"", json!("12a"));
    check("\"a\" + null", json!("a\\-"));
    check("\"a\" * 3", json!("aaa"));
    check("\"a\" * (0-1)", json!(""));
    check("[1] + [2]", json!([1, 2]));
    check("{a: 1} + {a: 2, b: 3}", json!({"a": 2, "b": 3}));
    check("null + null", json!(null));
    check("date(2020-01-01) - null", json!(null));
    check("dur(1 d) * 36", json!("1 month, 1 week, 1 day"));
    check("dur(1 d) / 2", json!("12 hours"));
    check("dur(1 d) + dur(30 h)", json!("2 days, 6 hours"));
    check("date(2021-01-31) + dur(1 month)", json!("2021-02-28"));
    check("date(2021-01-31T10:00) - dur(1 year, 2 h)", json!("2020-01-31T08:00:00"));
    check("(date(2021-05-04) - date(1997-05-17)).years", json!(23.963_347_383_210_4));
    check("date(2021-05-04) - date(1997-05-17)", json!("23 years, 11 months, 2 weeks, 3 days"));
    check("date(2021-05-04) - date(2021-05-06)", json!("-2 days"));
    wrong("1 + null", "number + null cannot be worked out");
    wrong("{a: 1} - 1", "object - number cannot be worked out");
    wrong("\"abc\" * 999999999", "the value would be too large; a text or list has at most 1048576 characters or items");
}

#[test]
fn values_compare_by_kind_and_worth() {
    check("null = null", json!(true));
    check("null < 0", json!(true));
    check("null < \"\"", json!(true));
    check("1 < \"a\"", json!(true));
    check("[1] < 1", json!(true));
    check("true < 1", json!(true));
    check("\"a\" < \"B\"", json!(true));
    check("\"a\" < \"A\"", json!(true));
    check("\"é\" < \"f\"", json!(true));
    check("[1, 2] < [1, 3]", json!(true));
    check("[1] < [1, 0]", json!(true));
    check("{a: 1} = {a: 1}", json!(true));
    check("{a: 1, b: 2} = {b: 2, a: 1}", json!(true));
    // Names by the order of texts, all of them before what they stand for.
    check("{b: 1} < {\"B\": 0}", json!(true));
    check("{b: 1} > {\"ä\": 2}", json!(true));
    check("{a: 2, b: 1} < {a: 1, c: 1}", json!(true));
    check("sort([{\"B\": 0}, {b: 1}, {\"ä\": 2}])", json!([{"ä": 2}, {"b": 1}, {"B": 0}]));
    check("string({a: 1, b: 2, a: 3})", json!("{ a: 3, b: 2 }"));
    check("string(object(\"a\", 1, \"b\", 2, \"a\", 3))", json!("{ a: 3, b: 2 }"));
    check("[[a]] = [[a|b]]", json!(true));
    check("[[a]] = [[a#b]]", json!(false));
    check("date(2020-01-01) < date(2020-01-01T00:01)", json!(true));
    check("date(2020-01-01T00:00:00Z) = date(2020-01-01)", json!(false));
    check("dur(24 h) = dur(1 d)", json!(false));
    check("dur(24 h) < dur(2 d)", json!(true));
    check("!\"\" and !0 and ![] and !{} and !null and !dur(0 s)", json!(true));
    check("\"0\" and 1 and [0]", json!(true));
}

#[test]
fn fields_are_taken_from_what_there_is() {
    check("{a: {b: 1}}.a.b", json!(1));
    check("{a: 1}[\"c\"]", json!(null));
    check("[{a: 1}, {a: 2}, {}].a", json!([1, 2, null]));
    check("[1, 2][1]", json!(2));
    check("[1, 2][7]", json!(null));
    check("[1, 2][0-1]", json!(null));
    check("\"abc\"[1]", json!("b"));
    check("null.a.b", json!(null));
    check("x.y", json!(null));
    check("date(2021-08-04T10:20:30.400).weekday", json!(3));
    check("[date(2021-08-04)][0].year", json!(2021));
    check("date(2021-08-04).week", json!(1));
    check("date(2021-08-04).weekyear", json!(31));
    check("dur(90 minutes).hours", json!(1.5));
    check("((o, k) => o[k])({a: 5}, \"a\")", json!(5));
    wrong("\"abc\".x", "a text has no fields; text[0] gives its first character");
    wrong("{a: 1}[0]", "a field of object has a name, not a number");
}

#[test]
fn functions_are_values() {
    check("((a, b) => a + b)(1, 2)", json!(3));
    check("((a) => (b) => a + b)(1)(2)", json!(3));
    check("((a) => 1 + a)(((a) => 2)(3))", json!(3));
    check("map([1, 2], (x) => map([10, 20], (y) => x + y))", json!([[11, 21], [12, 22]]));
    wrong("(1)(2)", "only a function can be called");
    wrong("((f) => [f][0](f))((f) => [f][0](f))", "the expression is nested too deeply");
}

#[test]
fn days_have_names() {
    check("date(today)", json!("2024-03-13"));
    check("date(\"tomorrow\")", json!("2024-03-14"));
    check("date(yesterday)", json!("2024-03-12"));
    check("date(now)", json!("2024-03-13T10:30:00"));
    check("date(sow)", json!("2024-03-11"));
    check("date(eow)", json!("2024-03-17T23:59:59.999"));
    check("date(som)", json!("2024-03-01"));
    check("date(eom)", json!("2024-03-31T23:59:59.999"));
    check("date(start-of-year)", json!("2024-01-01"));
    check("date(end-of-year)", json!("2024-12-31T23:59:59.999"));
}

#[test]
fn constructors_make_values() {
    check("list(1, 2)", json!([1, 2]));
    check("array()", json!([]));
    check("object(\"a\", 1, \"b\", 2)", json!({"a": 1, "b": 2}));
    wrong("object(\"a\")", "object(key, value, …) takes a value for every key");
    check("date(\"2020-04-18\")", json!("2020-04-18"));
    check("date(\"x\")", json!(null));
    check("date([[2020-04-18]])", json!("2020-04-18"));
    check("date([[Place|2021-04]])", json!("2021-04-01"));
    check("date([\"2020-04-18\", null])", json!(["2020-04-18", null]));
    check("date(\"12/31/2022\", \"MM/dd/yyyy\")", json!("2022-12-31"));
    check("date(\"210313\", \"yyMMdd\")", json!("2021-03-13"));
    check("date(\"946778645012\", \"x\")", json!("2000-01-02T02:04:05.012"));
    check("date(\"946778645\", \"X\")", json!("2000-01-02T02:04:05"));
    check("date(null, \"MM/dd/yyyy\")", json!(null));
    wrong("date(2021)", "date cannot be called with (number)");
    check("dur(\"8 minutes, 4 seconds\")", json!("8 minutes, 4 seconds"));
    check("dur(\"x\")", json!(null));
    check("number(\"18 years\")", json!(18));
    check("number(\"hmm\")", json!(null));
    check("number(\"-1.5x\")", json!(-1.5));
    check("string([1, [2, null], {a: dur(8 h)}])", json!("1, [2, \\-], { a: 8 hours }"));
    check("string(date(2020-01-02))", json!("January 02, 2020"));
    check("string(date(2020-01-02T15:04))", json!("3:04 PM - January 02, 2020"));
    check("link(\"Hello\")", json!("[[Hello|Hello]]"));
    check("link(\"a/Hello.md\", \"Goodbye\")", json!("[[a/Hello.md|Goodbye]]"));
    check("link(\"x\", \"y\", true)", json!("![[x|y]]"));
    check("link([\"a\", null])", json!(["[[a|a]]", null]));
    check("embed([[a]])", json!("![[a|a]]"));
    check("embed(![[a]], false)", json!("[[a|a]]"));
    check("elink(\"https://example.org\", \"E\")", json!("[E](https://example.org)"));
    check("elink(\"https://example.org\")", json!("[https://example.org](https://example.org)"));
    check(
        "map([1, \"a\", [], {}, null, true, date(today), dur(1 s), [[a]], (x) => x, elink(\"a\")], (x) => typeof(x))",
        json!(["number", "string", "array", "object", "null", "boolean", "date", "duration", "link", "function", "widget"]),
    );
}

#[test]
fn numbers_are_worked_out() {
    check("round(16.555555)", json!(17));
    check("round(16.555555, 2)", json!(16.56));
    check("round(0-0.5)", json!(0));
    check("round(2.5)", json!(3));
    check("round([1.2, null])", json!([1, null]));
    check("trunc(0-12.937)", json!(-12));
    check("floor(0-12.937)", json!(-13));
    check("ceil(12.1)", json!(13));
    check("min(1, 2, null, 0.5)", json!(0.5));
    check("min([])", json!(null));
    check("max([3, 4, null])", json!(4));
    check("max(\"a\", \"c\", \"b\")", json!("c"));
    check("sum([1, 2, 3])", json!(6));
    check("sum([])", json!(null));
    check("sum([\"a\", \"b\"])", json!("ab"));
    wrong("sum([1, null])", "number + null cannot be worked out");
    check("sum(nonnull([1, null]))", json!(1));
    check("product([2, 3, 4])", json!(24));
    check("average([1, 2, 3, 4])", json!(2.5));
    check("average([])", json!(null));
    check("average([dur(1 d), dur(3 d)])", json!("2 days"));
    check("minby([{a: 2}, {a: 1}], (x) => x.a)", json!({"a": 1}));
    check("maxby([1, 2, 3], (x) => 0 - x)", json!(1));
    check("maxby([], (x) => x)", json!(null));
    check("reduce([100, 20, 3], \"-\")", json!(77));
    check("reduce([true, false], \"|\")", json!(true));
    check("reduce([1, null, 3], (a, b) => a + b)", json!(4));
    check("reduce([1, 2], [\"+\", \"*\"])", json!([3, 2]));
    wrong("reduce([1], \"^\")", "reduce(list, sign) takes +, -, *, /, & or |");
    check("currencyformat(123456.789, \"EUR\")", json!("€123,456.79"));
    check("currencyformat(0-5)", json!("-$5.00"));
    check("currencyformat(1234.5, \"JPY\")", json!("¥1,235"));
    check("currencyformat(0/0)", json!("$NaN"));
    check("currencyformat(0-1/0, \"EUR\")", json!("-€∞"));
    check("string(round(0/0, 2))", json!("NaN"));
}

#[test]
fn things_are_found_in_things() {
    check("contains(object(\"hello\", 1), \"hello\")", json!(true));
    check("contains(list(\"hello\", 1), 6)", json!(false));
    check("contains(list(\"hello\"), \"he\")", json!(true));
    check("contains(\"meep\", \"me\")", json!(true));
    check("contains([ [\"deep\"] ], \"ee\")", json!(true));
    check("contains([1, 2], [1, 3])", json!([true, false]));
    check("contains(null, 1)", json!(false));
    check("icontains([\"Hello\"], \"HE\")", json!(true));
    check("econtains(list(\"hello\"), \"he\")", json!(false));
    check("econtains(list(\"hello\", 19), 19)", json!(true));
    check("econtains([\"a\", \"b\"], [\"a\", \"z\"])", json!([true, false]));
    check("containsword(\"Hello there!\", \"hello\")", json!(true));
    check("containsword(\"HelloThere!\", \"hello\")", json!(false));
    check("containsword([\"a b\", \"ab\"], \"b\")", json!([true, false]));
    check("all([1, true, \"\"])", json!(false));
    check("all([1, 2], (x) => x > 0)", json!(true));
    check("any(0, null, 3)", json!(true));
    check("none([])", json!(true));
    check("none([1, 2], (x) => x > 2)", json!(true));
    check("startswith(\"yes\", \"ye\")", json!(true));
    check("endswith([\"yes\", null], \"es\")", json!([true, null]));
    check("regextest(\"\\w+\", \"hello\")", json!(true));
    check("regextest(\"what\", \"what's up dog?\")", json!(true));
    check("regexmatch(\"what\", \"what's up dog?\")", json!(false));
    check("regexmatch(\"what.*\", \"what's up dog?\")", json!(true));
    check("regexmatch(\"^wh\", \"what\")", json!(true));
    check("regextest(null, \"a\")", json!(false));
    assert!(value_of("regextest(\"(\", \"a\")").is_err_and(|error| error.contains("regular expression")));
}

#[test]
fn lists_are_taken_apart() {
    check("extract(object(\"mtime\", 1, \"yes\", \"hello\"), \"yes\", \"mtime\")", json!({"yes": "hello", "mtime": 1}));
    check("extract([{a: 1}], \"a\")", json!([{"a": 1}]));
    check("sort([3, 2, 1, null, \"a\"])", json!([null, 1, 2, 3, "a"]));
    check("sort([2, 3, 1], (k) => 0-k)", json!([3, 2, 1]));
    check("sort([\"b\", \"A\", \"a\"])", json!(["a", "A", "b"]));
    check("reverse([1, 2, 3])", json!([3, 2, 1]));
    check("reverse(\"abc\")", json!("cba"));
    check("length([1, 2])", json!(2));
    check("length(\"añ😀\")", json!(4));
    check("length({a: 1})", json!(1));
    check("length(null)", json!(0));
    check("nonnull(null, null, 1)", json!([1]));
    check("nonnull([null, false])", json!([false]));
    check("firstvalue([null, 2, 3])", json!(2));
    check("filter([1, 2, 3], (x) => x >= 2)", json!([2, 3]));
    check("map([1, 2], (x) => x + 2)", json!([3, 4]));
    check("map(null, (x) => x)", json!(null));
    check("flat(list(1, list(21, list(221, 222)), 3))", json!([1, 21, [221, 222], 3]));
    check("flat(list(1, list(2, list(3, list(4, list(5))))), 3)", json!([1, 2, 3, 4, [5]]));
    check("flat(list(1, list(2, list(3, list(4, list(5))))), 10)", json!([1, 2, 3, 4, 5]));
    check("slice([1, 2, 3, 4, 5], 3)", json!([4, 5]));
    check("slice([1, 2, 3, 4, 5], 0, 2)", json!([1, 2]));
    check("slice([1, 2, 3, 4, 5], 0-2)", json!([4, 5]));
    check("slice([1, 2, 3, 4, 5], -1, 1)", json!([]));
    check("unique([1, 3, 1, \"a\", \"a\", null])", json!([1, 3, "a", null]));
    check("default(list(1, null, null), 2)", json!([1, 2, 2]));
    check("ldefault(list(1, null), 2)", json!([1, null]));
    check("default(null, 1)", json!(1));
    check("choice(true, \"yes\", \"no\")", json!("yes"));
    check("choice([true, false], 1, 2)", json!([1, 2]));
}

#[test]
fn texts_are_made_from_texts() {
    check("join([1, \"a\", null])", json!("1, a, \\-"));
    check("join([1, 2], \"+\")", json!("1+2"));
    check("join(5)", json!("5"));
    check("regexreplace(\"yes\", \"[ys]\", \"a\")", json!("aea"));
    check("regexreplace(\"Suite 1000\", \"(\\w+) (\\d+)\", \"$2 $1\")", json!("1000 Suite"));
    check("replace(\"The big dog\", \"big\", \"small\")", json!("The small dog"));
    check("replace(\"abc\", \"\", \"-\")", json!("a-b-c"));
    check("replace([\"yes\", \"re\"], [\"e\"], [\"a\", \"b\"])", json!(["yas"]));
    check("lower(list(\"A\", \"B\"))", json!(["a", "b"]));
    check("upper(\"ß\")", json!("SS"));
    check("split(\"hello world\", \" \")", json!(["hello", "world"]));
    check("split(\"hello  world\", \"\\s\")", json!(["hello", "", "world"]));
    check("split(\"a b c\", \" \", 2)", json!(["a", "b"]));
    check("split(\"hello there world\", \"(t?here)\")", json!(["hello ", "there", " world"]));
    check("padleft(\"hello\", 7)", json!("  hello"));
    check("padright(\"hello\", 8, \"!?\")", json!("hello!?!"));
    check("padleft(\"hello\", 3, \"x\")", json!("hello"));
    check("substring(\"hello\", 2)", json!("llo"));
    check("substring(\"hello\", 0, 2)", json!("he"));
    check("substring(\"hello\", 3, 1)", json!("el"));
    check("truncate(\"Hello there!\", 8)", json!("Hello..."));
    check("truncate(\"Hello there!\", 8, \"/\")", json!("Hello t/"));
    check("truncate(\"Hello\", 10)", json!("Hello"));
    check("truncate(\"Hello\", 1)", json!("..."));
    check("lower(null)", json!(null));
}

#[test]
fn values_are_shown_plainly() {
    check("display(\"[displayname](http://example.com)\")", json!("displayname"));
    check("display(\"[[test]]\")", json!("test"));
    check(
        "display(\"long [[test]] **with** [[test2|multiple]] [links](http://example.com)\")",
        json!("long test with multiple links"),
    );
    check("display(null)", json!(""));
    check("display(date(\"2024-11-18\"))", json!("November 18, 2024"));
    check("display(dur(\"7 hours\"))", json!("7 hours"));
    check("display(link(\"path/to/file.md\"))", json!("file"));
    check("display(list(\"test\", 2, link(\"file.md\")))", json!("test, 2, file"));
}

#[test]
fn dates_are_formatted() {
    check("striptime(date(2020-01-02T10:00))", json!("2020-01-02"));
    check("dateformat(date(2020-01-02T15:00), \"yyyy-MM-dd HH:mm\")", json!("2020-01-02 15:00"));
    check("dateformat([date(2020-01-02), null], \"dd\")", json!(["02", null]));
    check("durationformat(dur(\"3 days 7 hours 43 seconds\"), \"ddd'd' hh'h' ss's'\")", json!("003d 07h 43s"));
    check("localtime(date(2020-01-02T10:00:00+05:00))", json!("2020-01-02T05:00:00"));
    check("hash(\"2024-03-17\", \"Home\")", json!(3_041_844_187_830_523i64));
    check("meta([[a#b|c]])", json!({"display": "c", "embed": false, "path": "a", "subpath": "b", "type": "header"}));
    check("meta([[a#^b]]).subpath", json!("b"));
}

#[test]
fn every_function_is_called_by_its_name() {
    for function in &functions::FUNCTIONS {
        assert!(functions::find(function.name).is_some());
    }
    let listed = "object list array date dur number string link embed elink typeof round trunc floor ceil min max sum product \
        average minby maxby reduce contains icontains econtains containsword extract sort reverse length nonnull firstvalue all any none \
        join filter map flat slice unique regextest regexmatch regexreplace replace lower upper split startswith endswith padleft padright \
        substring truncate default ldefault display choice striptime dateformat durationformat currencyformat localtime hash meta";
    for name in listed.split_whitespace() {
        assert!(functions::find(name).is_some(), "{name}");
    }
}

#[test]
fn values_that_grow_without_end_are_stopped() {
    wrong(
        "reduce(split(\"a\" * 2000, \"\"), (a, b) => a + a)",
        "the value would be too large; a text or list has at most 1048576 characters or items",
    );
    wrong("reduce(split(\"a\" * 2000, \"\"), (a, b) => list(a))", "the value grows too large or is nested too deeply");
    wrong("reduce(split(\"a\" * 2000, \"\"), (a, b) => list(a, a))", "the value grows too large or is nested too deeply");
    wrong("reduce(split(\"a\" * 2000, \"\"), (a, b) => (c) => a)", "the value grows too large or is nested too deeply");
    let doubled = (0..40).fold("1".to_owned(), |text, _| format!("((x) => [x, x])({text})"));
    assert!(value_of(&format!("length(string({doubled}))")).is_ok());
    assert!(value_of(&format!("{doubled} = {doubled}")).is_ok());
    assert!(value_of(&doubled).is_ok());
    let catalogue = Catalogue::default();
    let asking = asking(&catalogue);
    let error =
        evaluate("map(split(\"a\" * 10000, \"\"), (x) => split(\"a\" * 10000, \"\"))", &asking, &Budget::new(1_000_000, None))
            .map(|_| ());
    assert_eq!(error, Err(DqlError::Spent(crate::budget::BudgetSpent::Steps)));
}
