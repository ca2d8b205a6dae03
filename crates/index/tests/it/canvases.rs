//! Canvas files: file nodes and the links of text cards.

use crate::place::{Place, note};

const BOARD: &str = "{\n\t\"nodes\":[\n\t\t{\"id\":\"1\",\"type\":\"file\",\"file\":\"a/Note.md\",\"subpath\":\"#H\",\"x\":1.50},\n\t\t{\"id\":\"2\",\"type\":\"text\",\"text\":\"see [[Note#H|it]]\\nand \\\"[x](a/Note.md)\\\"\"},\n\t\t{\"id\":\"3\",\"type\":\"link\",\"url\":\"https://x.y\"}\n\t],\n\t\"edges\":[],\n\t\"own\": {\"b\":1,\"a\":2}\n}";

#[test]
fn file_nodes_and_text_cards_are_links() {
    let place = Place::new(&[("a/Note.md", "# H"), ("board.canvas", BOARD)]);
    let run = place.start_without_store();
    let backlinks = run.index.catalogue().backlinks(&note("a/Note.md"));
    assert_eq!((backlinks.len(), backlinks[0].source.as_str(), backlinks[0].links.len()), (1, "board.canvas", 3));
    assert!(run.index.catalogue().orphans().is_empty());
}

#[test]
fn a_move_changes_the_links_of_a_canvas_and_not_a_byte_more() {
    let place = Place::new(&[("a/Note.md", "# H"), ("board.canvas", BOARD)]);
    let run = place.start_without_store();
    assert_eq!(run.move_file("a/Note.md", "b/New \"name\".md"), 3);
    let expected = BOARD
        .replace("\"a/Note.md\"", "\"b/New \\\"name\\\".md\"")
        .replace("[[Note#H|it]]", "[[New \\\"name\\\"#H|it]]")
        .replace("(a/Note.md)", "(b/New%20\\\"name\\\".md)");
    assert_eq!(place.text("board.canvas"), expected);
    assert_eq!(run.index.catalogue().backlinks(&note("b/New \"name\".md"))[0].links.len(), 3);
}

#[test]
fn a_file_node_means_one_path_only() {
    let place = Place::new(&[("a/Note.md", ""), ("board.canvas", r#"{"nodes":[{"type":"file","file":"Note.md"}]}"#)]);
    let run = place.start_without_store();
    assert!(run.index.catalogue().backlinks(&note("a/Note.md")).is_empty());
    assert_eq!(run.index.catalogue().unresolved()[0].target, "Note.md");
    assert_eq!(run.move_file("a/Note.md", "b.md"), 0);
}

#[test]
fn an_empty_canvas_is_a_canvas() {
    let place = Place::new(&[("empty.canvas", ""), ("blank.canvas", " \n"), ("bare.canvas", "{}")]);
    let run = place.start_without_store();
    assert!(run.index.status().problems.is_empty(), "{:?}", run.index.status().problems);
}
