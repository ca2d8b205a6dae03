//! Compresses and decompresses as drawings do, one JSON object a line, for comparing with the library whose form this is.

use std::io::{BufRead, Write};

use quillgate_markdown::{compress_to_base64, decompress_from_base64};
use serde_json::{Value, json};

fn main() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        writeln!(output, "{}", answer(&question)).expect("the answer is taken");
    }
}

fn answer(question: &Value) -> Value {
    let text = |name: &str| question[name].as_str().unwrap_or_default();
    match text("ask") {
        "compress" => json!(compress_to_base64(text("text"))),
        "decompress" => json!(decompress_from_base64(text("letters"), 1 << 20).ok()),
        other => panic!("nobody asks {other}"),
    }
}
