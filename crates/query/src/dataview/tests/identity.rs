use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::date::Duration;
use crate::expression::{BinaryOp, Expr, ExprKind};
use crate::value::Value;

fn name() -> impl Strategy<Value = Box<str>> {
    "[a-zäλ][a-z0-9_-]{0,5}"
        .prop_filter("keywords", |name| {
            !crate::dataview::syntax::RESERVED.iter().any(|word| word.eq_ignore_ascii_case(name))
                && !matches!(&**name, "true" | "false" | "null")
                && !["date", "dur"].contains(&&**name)
        })
        .prop_map(Into::into)
}

fn literal() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-1_000_000i64..1_000_000).prop_map(|number| Value::Number(number as f64 / 8.0)),
        "[ -~äß\n]{0,8}".prop_map(Value::text),
        ("[a-z /]{0,6}", proptest::option::of("[a-z ]{1,5}"), any::<bool>()).prop_map(|(path, display, embed)| {
            let link = crate::dataview::scan::link_of(&path);
            Value::Link(Arc::new(crate::value::Link { display: display.map(Arc::from), embed, ..link }))
        }),
        (1970i16..2100, 1i8..13, 1i8..29, proptest::option::of((0i8..24, 0i8..60))).prop_map(|(year, month, day, time)| {
            let (hour, minute) = time.unwrap_or((0, 0));
            let at = jiff::civil::date(year, month, day).at(hour, minute, 0, 0);
            Value::Date(crate::date::Date { at, zone: crate::date::Zone::Local, has_time: time.is_some() })
        }),
        proptest::array::uniform7(0u8..20).prop_map(|units| {
            let [years, months, weeks, days, hours, minutes, seconds] = units.map(f64::from);
            let duration = Duration { years, months, weeks, days, hours, minutes, seconds, milliseconds: 0.0 };
            Value::Duration(Arc::new(duration))
        }),
    ]
}

fn expression() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![literal().prop_map(ExprKind::Literal), name().prop_map(ExprKind::Name)];
    let leaf = leaf.prop_map(|kind| Expr::new(kind, 0..0));
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let op = proptest::sample::select(vec![
            BinaryOp::Or,
            BinaryOp::And,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
            BinaryOp::Less,
            BinaryOp::LessOrEqual,
            BinaryOp::Greater,
            BinaryOp::GreaterOrEqual,
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::Remainder,
        ]);
        let kind = prop_oneof![
            (boxed.clone(), name()).prop_map(|(on, name)| ExprKind::Field { on, name }),
            (boxed.clone(), boxed.clone()).prop_map(|(on, key)| ExprKind::Index { on, key }),
            (name(), list.clone()).prop_map(|(name, arguments)| ExprKind::Call { name, arguments }),
            (boxed.clone(), list.clone()).prop_map(|(on, arguments)| ExprKind::Apply { on, arguments }),
            boxed.clone().prop_map(ExprKind::Not),
            (op, boxed.clone(), boxed.clone()).prop_map(|(op, left, right)| ExprKind::Binary { op, left, right }),
            list.clone().prop_map(ExprKind::List),
            proptest::collection::btree_map("[a-z ]{1,3}", inner.clone(), 0..3)
                .prop_map(|entries| ExprKind::Object(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())),
            (proptest::collection::vec(name(), 0..3), boxed).prop_map(|(parameters, body)| ExprKind::Lambda { parameters, body }),
        ];
        kind.prop_map(|kind| Expr::new(kind, 0..0))
    })
}

fn named() -> impl Strategy<Value = Named> {
    ("[ -~]{1,6}", expression()).prop_map(|(name, expr)| Named { name: name.into(), expr })
}

fn source() -> impl Strategy<Value = Source> {
    let leaf = prop_oneof![
        "[a-z/]{1,5}".prop_map(|tag| Source::Tag(format!("#{tag}").into())),
        "[ -~]{0,5}".prop_map(|folder| Source::Folder(folder.into())),
        "[a-z |]{0,4}".prop_map(|path| Source::LinksTo(path.into())),
        "[a-z]{0,4}".prop_map(|path| Source::LinksFrom(path.into())),
        "[a-z.]{0,4}".prop_map(|path| Source::Csv(path.into())),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            boxed.clone().prop_map(Source::Not),
            (boxed.clone(), boxed.clone()).prop_map(|(left, right)| Source::And(left, right)),
            (boxed.clone(), boxed).prop_map(|(left, right)| Source::Or(left, right)),
        ]
    })
}

fn query() -> impl Strategy<Value = Query> {
    let header = prop_oneof![
        (proptest::collection::vec(named(), 0..3), any::<bool>())
            .prop_map(|(columns, with_id)| Header::Table { columns, with_id }),
        (proptest::option::of(expression()), any::<bool>()).prop_map(|(value, with_id)| Header::List { value, with_id }),
        Just(Header::Task),
        named().prop_map(Header::Calendar),
    ];
    let sort = (expression(), any::<bool>()).prop_map(|(expr, descending)| SortKey { expr, descending });
    let clause = prop_oneof![
        expression().prop_map(Clause::Where),
        expression().prop_map(Clause::Limit),
        named().prop_map(Clause::GroupBy),
        named().prop_map(Clause::Flatten),
        proptest::collection::vec(sort, 1..3).prop_map(Clause::Sort),
    ];
    (header, source(), proptest::collection::vec(clause, 0..3)).prop_map(|(header, source, clauses)| Query {
        header,
        source,
        clauses,
    })
}

proptest! {
    #[test]
    fn expressions_that_are_printed_read_the_same(expr in expression()) {
        let printed = print_expression(&expr);
        let read = parse_expression(&printed).map_err(|error| TestCaseError::fail(format!("{printed}\n{error}")))?;
        prop_assert_eq!(expression_tree(&read), expression_tree(&expr), "{}", printed);
    }

    #[test]
    fn queries_that_are_printed_read_the_same(query in query()) {
        let printed = print_query(&query);
        let read = parse_query(&printed).map_err(|error| TestCaseError::fail(format!("{printed}\n{error}")))?;
        prop_assert_eq!(query_tree(&read), query_tree(&query), "{}", printed);
    }

    #[test]
    fn no_text_breaks_the_parsers(text in "(?s).{0,80}") {
        let _ = parse_query(&text);
        let _ = parse_expression(&text);
        let _ = inline_value(&text);
        let _ = canonical_name(&text);
    }

    #[test]
    fn no_text_of_known_words_breaks_anything(words in proptest::collection::vec(proptest::sample::select(vec![
        "TABLE", "LIST", "FROM", "WHERE", "SORT", "GROUP BY", "FLATTEN", "LIMIT", "AS", "a", "file", ".", "name", "(", ")", "[", "]", "{", "}",
        "\"x\"", "1", "-", "+", "*", "/", "%", "=", "!", "<", ">", "and", "or", "=>", ",", ":", "[[", "]]", "|", "#t", "date(", "dur(", "today",
        "2020-01-01", "1d", "//", "\n", "list(", "map(", "sort(", "reduce(", "null", "true", "string(", "regexreplace(", "dateformat(", "round(",
        "padleft(", "flat(", "1000000000", "\\", "this", "row", "rows", "key", "contains(", "choice(", "hash(", "meta(", "date(today)", "dur(9 d)",
    ]), 0..14)) {
        let text = words.join(" ");
        let _ = parse_query(&text);
        let _ = value_of(&text);
        let _ = value_of(&words.concat());
    }

    #[test]
    fn every_function_takes_any_values(function in 0usize..64, arguments in proptest::collection::vec(expression(), 0..4)) {
        let function = &functions::FUNCTIONS[function];
        let arguments: Vec<String> = arguments.iter().map(print_expression).collect();
        let _ = value_of(&format!("{}({})", function.name, arguments.join(", ")));
    }
}
