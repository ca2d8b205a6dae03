//! Functions, methods, fields and operators, one line each.

use serde_json::{Value, json};

use super::place::Place;

fn place() -> Place {
    Place::new(&[
        (
            "notes/Row.md",
            "---\nstatus: open\nPrice: 12.5\ncount: 3\ndone: true\nempty:\nblank: \"\"\ndue: 2026-03-20\nat: 2026-03-20T10:30\n\
             author: \"[[People/Me|myself]]\"\nauthors: [\"[[Me]]\", \"[[Nobody]]\"]\nwith space: yes it has\nnested: {a: {b: 5}, l: [1]}\n\
             tags: [work/urgent, Book]\nlist: [b, a, b]\nnumbers: [3, 1, 2]\nцена: 7\n---\n#inline [[People/Me]] ![[pic.png]] [[Nobody]]\n",
        ),
        ("People/Me.md", "---\nage: 41\nstatus: here\n---\n[[Row]]"),
        ("pic.png", "abc"),
        ("root.md", ""),
    ])
}

/// Expression and value, for `notes/Row.md`, with `People/Me.md` as `this`.
const VALUES: &[(&str, &str)] = &[
    // Literals and operators.
    ("1 + 2 * 3 - 4 / 2", "5"),
    ("(1 + 2) * 3 % 4", "1"),
    ("-count + 1", "-2"),
    ("!done", "false"),
    ("!!status", "true"),
    ("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3", "true"),
    ("1 == 1 != false", "true"),
    ("null || 'x'", r#""x""#),
    ("'' || 0 || null", "null"),
    ("1 && 'last'", r#""last""#),
    ("'a' + 1 + true", r#""a1true""#),
    ("'a' + missing", r#""a""#),
    ("missing + 1", "null"),
    ("missing * 2 - 1", "null"),
    ("\"it's\" + '\\n' + \"\\u0041\"", r#""it's\nA""#),
    ("[1, [2, 'x'], {\"k\": null}]", r#"[1,[2,"x"],{"k":null}]"#),
    ("{\"a\": 1, b: 2}.b", "2"),
    ("1e3 + .5 + 1.5", "1002"),
    ("1 / 0", r#""Infinity""#),
    ("0.1 + 0.2", "0.30000000000000004"),
    ("1.isTruthy()", "true"),
    ("[1] + [2]", "[1,2]"),
    // Names.
    ("status", r#""open""#),
    ("STATUS + note.Status + note['status']", r#""openopenopen""#),
    ("note[\"with space\"]", r#""yes it has""#),
    ("price", "12.5"),
    ("цена * 2", "14"),
    ("nested.a.b + nested['a']['b']", "10"),
    ("nested.nope.deeper", "null"),
    ("list[0] + list[9]", r#""b""#),
    ("note.keys().contains('status')", "true"),
    ("this.age", "41"),
    ("this.status", r#""here""#),
    ("this.file.name", r#""Me.md""#),
    ("this.file.path == 'People/Me.md'", "true"),
    ("empty", "null"),
    // Truth, types, text.
    ("''.isTruthy() || [].isTruthy() || {}.isTruthy() || 0.isTruthy()", "false"),
    ("status.isType('string') && count.isType('number') && done.isType('boolean') && empty.isType('null')", "true"),
    ("due.isType('date') && author.isType('link') && file.isType('file') && list.isType('list')", "true"),
    (
        "nested.isType('object') && /a/.isType('regexp') && duration('1d').isType('duration') && file.tags[0].isType('tag')",
        "true",
    ),
    (
        "html('<b>').isType('html') && icon('x').isType('icon') && image('x').isType('image') && link('https://a.b').isType('url')",
        "true",
    ),
    ("123.toString() + due.toString() + at.toString()", r#""1232026-03-202026-03-20 10:30:00""#),
    ("missing.isEmpty() && blank.isEmpty() && [].isEmpty() && {}.isEmpty()", "true"),
    ("5.isEmpty() || now().isEmpty() || status.isEmpty()", "false"),
    // Equality.
    ("1 == '1' && 1 == true && 'true' == true", "true"),
    ("null == null && missing == null", "true"),
    ("null == 0 || null == '' || null == false", "false"),
    ("due == '2026-03-20' && due == date('20260320')", "true"),
    ("due == at && at != '2026-03-20 10:31' && at == '2026-03-20T10:30:00'", "true"),
    ("author == this && this == author && author == link('Me') && author == file('Me')", "true"),
    ("authors[1] == link('nobody') && authors[1] != link('somebody')", "true"),
    ("author == 'People/Me'", "true"),
    ("[1, 'a'] == [1, 'a'] && [1] != [2] && {\"a\": 1} == {\"a\": 1}", "true"),
    ("duration('1d') == '24h' && duration('1h') == 3600000", "true"),
    // Order.
    ("missing < 1 || missing > 1 || null >= null", "false"),
    ("'a' < 'b' && 'B' < 'a' && '10' < 9.5 == false", "true"),
    ("due > '2026-03-19' && due < at && date('2026-01-01') < now()", "true"),
    ("now() - due < '1d' && at - due > 1000", "true"),
    ("[1] < [2]", "false"),
    // Dates and lengths of time.
    ("date('2024-12-01') + '1M' + '4h' + '3m'", r#""2025-01-01T04:03:00""#),
    ("date('2024-01-31') + '1M'", r#""2024-02-29""#),
    ("date('2024-02-29') + '1 year' - '2 weeks'", r#""2025-02-14""#),
    ("due - '1d 2h'", r#""2026-03-18T22:00:00""#),
    ("'Due: ' + due", r#""Due: 2026-03-20""#),
    ("(at - due).hours", "10.5"),
    ("(now() - date('2026-03-14')).days.floor()", "1"),
    ("((now() + '1d') - now()).milliseconds", "86400000"),
    ("(duration('5h') * 2).hours", "10"),
    ("(duration('1d') / duration('1h'))", "24"),
    ("duration('1d 2h')", r#""1 day 2 hours""#),
    ("at - due", r#""10 hours 30 minutes""#),
    ("now().hour * 100 + now().minute", "1230"),
    ("due.year * 10000 + due.month * 100 + due.day", "20260320"),
    ("at.hour + at.minute + at.second + at.millisecond", "40"),
    ("today()", r#""2026-03-15""#),
    ("at.date()", r#""2026-03-20""#),
    ("at.time()", r#""10:30:00""#),
    ("at.format('dddd, MMMM Do YYYY [at] HH:mm')", r#""Friday, March 20th 2026 at 10:30""#),
    ("due.relative()", r#""in 4 days""#),
    ("date('2026-01-01T00:30:00Z')", r#""2026-01-01T01:30:00""#),
    ("date('202601021530')", r#""2026-01-02T15:30:00""#),
    ("date(missing)", "null"),
    ("number(date('1970-01-01')) / 3600000", "-1"),
    // Functions.
    ("if(missing, 1)", "null"),
    ("if(status, 'yes', number('x'))", r#""yes""#),
    ("max(1, 5, 3) - min(4, 2) + max(numbers)", "6"),
    ("number('3.4') + number(true) + number(' 2 ')", "6.4"),
    ("escapeHTML('<a href=\"x\">&')", r#""&lt;a href=&quot;x&quot;&gt;&amp;""#),
    ("list('value') + list(list) + list(missing)", r#"["value","b","a","b"]"#),
    ("random() < 1 && random() >= 0", "true"),
    ("link('Me')", r#""[[Me]]""#),
    ("link('Me', 'shown')", r#""[[Me|shown]]""#),
    ("link('https://a.b', 'shown')", r#""[shown](https://a.b)""#),
    ("link(file)", r#""[[notes/Row]]""#),
    ("html('<b>')", r#""<b>""#),
    ("image(file('pic.png'))", r#""![[pic.png]]""#),
    ("icon('arrow-right')", r#""arrow-right""#),
    ("file('pic.png').size", "3"),
    ("file(link('[[Me]]')).path", r#""People/Me.md""#),
    ("file('not there')", "null"),
    // Texts.
    ("'hello'.length + '😀'.length", "7"),
    (
        "'hello'.contains('ell') && !'Hello'.contains('hello') && 'hello'.containsAll('h', 'e') && 'hello'.containsAny('x', 'e')",
        "true",
    ),
    ("'hello'.startsWith('he') && 'hello'.endsWith('lo')", "true"),
    ("'HeLLo'.lower() + ' a '.trim() + 'hello wORLD'.title()", r#""helloaHello WORLD""#),
    ("'a:b:c:d'.replace(/:/, '-') + 'a:b:c'.replace(/:/g, '-') + 'a:b:c'.replace(':', '$&')", r#""a-b:c:da-b-ca$&b$&c""#),
    ("'John Smith'.replace(/(?<a>\\w+) (\\w+)/, '$2, $<a>')", r#""Smith, John""#),
    ("'123'.repeat(2) + 'abc'.reverse() + 'hello'.slice(1, 4) + 'hello'.slice(-2)", r#""123123cbaelllo""#),
    ("'a,b,c,d'.split(',', 3) + 'a1b'.split(/\\d/) + 'ab'.split('')", r#"["a","b","c","a","b","a","b"]"#),
    ("/^o.en$/i.matches('OPEN') && !/x/.matches(status)", "true"),
    // Numbers.
    ("(-5).abs() + (2.1).ceil() + (2.9).floor() + (2.5).round() + (2.3333).round(2)", "15.33"),
    ("(3.14159).toFixed(2) + 1.toFixed(1)", r#""3.141.0""#),
    // Lists.
    ("list.length + numbers.sum() + numbers.mean() + numbers.median() + numbers.min() + numbers.max()", "17"),
    ("[2, 4, 4, 4, 5, 5, 7, 9].stddev()", "2"),
    ("[].mean()", "null"),
    ("list.contains('a') && list.containsAll('a', 'b') && list.containsAny('x', 'a') && !list.contains('x')", "true"),
    ("[1, 2, 3, 4].filter(value > 2)", "[3,4]"),
    ("[1, 2, 3, 4].map(value * index)", "[0,2,6,12]"),
    ("[1, 2, 3].reduce(acc + value, 0)", "6"),
    ("[1, 2, 3].reduce(acc + value * index)", "9"),
    ("[].reduce(acc + value)", "null"),
    ("[[1, 2], [3]].map(value.map(value * 10 + index))", "[[10,21],[30]]"),
    ("[3, 1].reduce(if(acc == null || value > acc, value, acc), null)", "3"),
    ("[1, [2, [3]]].flat()", "[1,2,3]"),
    ("numbers.sort().join('-') + numbers.reverse().join() + numbers.slice(1).join('')", r#""1-2-32,1,312""#),
    ("['b', 'A', 10, 9, 'x10', 'x9'].sort()", r#"[9,10,"A","b","x9","x10"]"#),
    ("list.unique()", r#"["b","a"]"#),
    ("authors.contains(this) && authors.contains(link('Me')) && !authors.contains(file)", "true"),
    // Links and files.
    ("author", r#""[[People/Me|myself]]""#),
    ("author.asFile().path", r#""People/Me.md""#),
    ("authors[1].asFile()", "null"),
    ("author.linksTo(file)", "true"),
    ("authors[1].linksTo(file)", "false"),
    ("author.age", "41"),
    ("file.name + file.basename + file.ext + file.folder + file.path", r#""Row.mdRowmdnotesnotes/Row.md""#),
    ("file.tags", r##"["#work/urgent","#Book","#inline"]"##),
    ("tags", r##"["#work/urgent","#Book"]"##),
    ("tags.contains('work') && tags.contains('#BOOK') && !tags.contains('wor') && file.tags.contains('inline')", "true"),
    ("file.hasTag('work') && file.hasTag('nope', '#INLINE') && !file.hasTag('urgent')", "true"),
    ("file.links.length", "6"),
    ("file.embeds", r#"["![[pic.png]]"]"#),
    ("file.backlinks", r#"["[[People/Me]]"]"#),
    (
        "file.hasLink('Me') && file.hasLink(this) && file.hasLink('pic.png') && file.hasLink('Nobody') && !file.hasLink('root')",
        "true",
    ),
    ("file.hasProperty('PRICE') && file.hasProperty('empty') && !file.hasProperty('nope')", "true"),
    ("file.inFolder('notes') && file.inFolder('/notes/') && !file.inFolder('note') && file.inFolder('/')", "true"),
    ("file.asLink('x')", r#""[[notes/Row|x]]""#),
    ("file.properties.count + file.properties.length", "19"),
    ("file.mtime > date('2020-01-01') && file.ctime <= now() + '30y'", "true"),
    ("file.file.file.name", r#""Row.md""#),
    // What is missing holds nothing.
    ("missing.contains('a') || missing.startsWith('a') || missing.containsAny('a')", "false"),
    ("missing.lower()", "null"),
    ("missing.map(value)", "null"),
    ("missing[0]", "null"),
];

#[test]
fn every_expression_has_its_value() {
    let place = place();
    let wrong = VALUES.iter().filter_map(|(expression, expected)| {
        let expected: Value = serde_json::from_str(expected).unwrap();
        let value = place.value(expression, "notes/Row.md", Some("People/Me.md"));
        (value != expected).then(|| format!("{expression} is {value}, not {expected}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_goes_wrong_stays_in_its_cell_and_says_why() {
    let place = place();
    for (expression, message) in [
        ("number('x')", "\"x\" is no number"),
        ("date('soon')", "\"soon\" is no date; write it as YYYY-MM-DD or YYYY-MM-DD HH:mm:ss"),
        ("duration('long')", "\"long\" is no length of time; write it like 1d or 2 weeks"),
        ("due - 'long'", "\"long\" is no length of time; write one like \"1d\" or \"2 weeks\""),
        ("2 * duration('1d')", "a length of time is multiplied from the right; write duration * number"),
        ("status * 2", "a string cannot be multiplied"),
        ("status.round()", "a string has no round()"),
        ("status.year", "a string has no field \"year\""),
        ("file.nope", "a file has no field \"nope\""),
        ("-status", "a string has no negative"),
        ("'a'.repeat(10000000)", "the text becomes too long"),
        ("'a'.repeat(-1)", "a text is repeated zero or more times"),
        ("1.toFixed(200)", "toFixed() takes 0 to 100 digits"),
        ("due + '999999y'", "the date is too far away"),
        ("list['x']", "an item of a list is named by a number, not by a string"),
        ("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.split('').reduce([acc, acc], 1)", "the result of reduce() becomes too large"),
        ("'a'.repeat(5000).split('').reduce([acc], 1)", "the result of reduce() becomes too large"),
        (
            "/^(?=(a+)+$)\\1b/.matches('a'.repeat(5000) + '!')",
            "the regular expression takes too many steps on this text; write it without nested repetition",
        ),
    ] {
        assert_eq!(place.value(expression, "notes/Row.md", None), json!({"error": message}), "{expression}");
    }
}

#[test]
fn types_of_the_vault_decide_what_a_text_is() {
    let files = [("a.md", "---\nday: 2026-01-02\nname: 2026-01-02\nmany: one\nTAGS: x\n---\n")];
    let place = Place::new(&files).with_types(&[("Name", "text"), ("many", "multitext"), ("day", "date"), ("odd", "none")]);
    let types = "[day.isType('date'), name.isType('string'), many.isType('list'), tags[0].isType('tag')]";
    assert_eq!(place.value(types, "a.md", None), json!([true, true, true, true]));
}

#[test]
fn without_a_file_for_this_there_is_nothing() {
    assert_eq!(
        place().value("[this, this.file, this.status, author == this]", "notes/Row.md", None),
        json!([null, null, null, false])
    );
}
