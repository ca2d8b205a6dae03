//! Dataview: queries and expressions are printed and read again, and answered within their budget.
#![no_main]

mod place;

use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use place::{PLACE, budget, now, read_again};
use quillgate_query::dataview::{Asking, evaluate, parse_expression, parse_query, print_expression, print_query, render_markdown, run};

fuzz_target!(|text: &str| {
    let catalogue = PLACE.index.catalogue();
    let asking = Asking::new(&catalogue, catalogue.numbered().next().map(|(id, _)| id), now().timestamp(), TimeZone::UTC);
    if let Ok(expression) = parse_expression(text) {
        let printed = print_expression(&expression);
        if let Some(again) = read_again(&printed, parse_expression(&printed)) {
            assert_eq!(print_expression(&again), printed);
        }
        let _ = evaluate(text, &asking, &budget());
    }
    if let Ok(query) = parse_query(text) {
        let printed = print_query(&query);
        if let Some(again) = read_again(&printed, parse_query(&printed)) {
            assert_eq!(print_query(&again), printed);
        }
        let _ = run(text, &asking, &budget()).map(|answer| render_markdown(&answer));
    }
});
