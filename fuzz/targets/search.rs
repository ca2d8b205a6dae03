//! The app's search language: what was understood is understood again when it is printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quillgate_query::obsidian_search::Search;

fuzz_target!(|text: &str| {
    let Ok(search) = Search::parse(text) else { return };
    let printed = search.to_string();
    match Search::parse(&printed) {
        Ok(again) => assert_eq!(again.to_string(), printed),
        // Printing adds brackets, which may be one too many.
        Err(error) => assert!(error.message.contains("within each other"), "{printed:?}: {error}"),
    }
});
