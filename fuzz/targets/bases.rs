//! Bases: expressions are printed and read again, and whole bases answered within their budget.
#![no_main]

mod place;

use libfuzzer_sys::fuzz_target;
use place::{PLACE, budget, now, read_again};
use quillgate_query::bases::{Base, PropertyTypes, Request, Settings, parse_expression, print_expression, render_markdown, run};
use quillgate_query::moment::Locale;

fuzz_target!(|text: &str| {
    if let Ok(expression) = parse_expression(text) {
        let printed = print_expression(&expression);
        if let Some(again) = read_again(&printed, parse_expression(&printed)) {
            assert_eq!(print_expression(&again), printed);
        }
    }
    // As a formula, and as a whole base.
    let quoted = serde_json::Value::from(text).to_string();
    let formula = format!("formulas:\n  f: {quoted}\nviews:\n  - type: table\n    name: v\n    order: [formula.f]\n    sort: [{{property: formula.f, direction: ASC}}]\n");
    for base in [formula.as_str(), text] {
        let Ok(base) = Base::parse(base) else { continue };
        let settings = Settings { now: now(), types: PropertyTypes::default(), excluded: PLACE.index.excluded(), locale: Locale::english() };
        let (catalogue, budget) = (PLACE.index.catalogue(), budget());
        if let Ok(answer) = run(&base, &Request { view: None, filters: None, this: None }, &catalogue, &settings, &budget) {
            let _ = render_markdown(&answer, 10, &budget);
        }
    }
});
