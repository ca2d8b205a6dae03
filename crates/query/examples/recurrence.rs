//! Answers questions about recurrence rules, one JSON object per line: `{"rule": …, "from": …}` gives `{"text": …, "next": …}`, or null
//! for what is no rule. For comparison with the library that the Tasks plugin uses.

use std::io::{BufRead, Write, stdin, stdout};

use quillgate_query::tasks::{Day, Recurrence};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = stdout().lock();
    for line in stdin().lock().lines() {
        let question: Value = serde_json::from_str(&line?)?;
        let text = |key: &str| question[key].as_str().ok_or_else(|| format!("{key} is missing"));
        let from = Day::read(text("from")?).and_then(Day::number).ok_or("from is no date")?;
        let answer = Recurrence::read(text("rule")?).map(|recurrence| {
            let next = recurrence.next_reference(from).and_then(Day::from_number);
            json!({"text": recurrence.to_text(), "next": next.map(|day| day.to_string())})
        });
        writeln!(output, "{}", answer.unwrap_or(Value::Null))?;
    }
    Ok(())
}
