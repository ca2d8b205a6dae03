//! Answers rules of JSONLogic, one JSON object a line, for comparing with the reference implementation.

use std::io::{BufRead, Write};

use quillgate_index::jsonlogic::Rule;
use serde_json::{Value, json};

fn main() {
    let (input, mut output) = (std::io::stdin().lock(), std::io::BufWriter::new(std::io::stdout().lock()));
    for line in input.lines() {
        let question: Value = serde_json::from_str(&line.expect("a line")).expect("JSON");
        let rules = question["rules"].as_array().expect("rules").iter();
        let answers: Value = rules.map(|rule| answer(rule, &question["data"])).collect();
        writeln!(output, "{answers}").expect("the answer is taken");
    }
}

/// Whether the rule's answer is true, or why there is none.
fn answer(rule: &Value, data: &Value) -> Value {
    match Rule::parse(rule).and_then(|rule| rule.is_true(data)) {
        Ok(truth) => json!(truth),
        Err(error) => json!(error.to_string()),
    }
}
