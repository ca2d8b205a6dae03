//! Notes and what is found in them: an edit leaves what it does not name, and what was found before is found again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use quillgate_markdown::{
    CardPlace, DrawingChange, Edits, Note, SortAs, add_card, code, decompress_from_base64, find_drawing, find_tables, parse_board, parse_json,
    spread_json,
};

fuzz_target!(|text: &str| {
    let _ = (Note::parse(text), code(text), decompress_from_base64(text, 10_000));
    if parse_json(text).is_ok() {
        assert!(parse_json(&spread_json(text, "\t")).is_ok(), "{text:?}");
    }
    for table in find_tables(text) {
        let formatted = Edits::from(table.format(text)).apply(text);
        let again = find_tables(&formatted).into_iter().find(|found| found.line == table.line).expect("still a table");
        assert_eq!((&again.header, &again.rows), (&table.header, &table.rows), "{text:?} -> {formatted:?}");
        let sorted = Edits::new(table.sort(text, 0, SortAs::Auto, true).expect("sorted as text if need be")).expect("apart").apply(text);
        assert!(find_tables(&sorted).into_iter().any(|found| found.rows.len() == table.rows.len()), "{text:?} -> {sorted:?}");
    }
    let board = parse_board(text);
    if !board.lanes.is_empty() {
        let after = Edits::from(add_card(text, &board, 0, CardPlace::Top, "new card").expect("a lane")).apply(text);
        assert_eq!(parse_board(&after).lanes[0].cards.len(), board.lanes[0].cards.len() + 1, "{text:?} -> {after:?}");
    }
    if let Some(drawing) = find_drawing(text) {
        let _ = drawing.scene(text, 10_000);
        let same = Edits::new(drawing.edits(text, &DrawingChange::default())).expect("apart").apply(text);
        assert_eq!(same, text);
    }
});
