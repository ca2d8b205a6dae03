//! The answer of a call as its surface says it, and not longer than is allowed.

use quillgate_tools::{Answer, Failure, Surface};
use serde_json::{Value, json};

/// Bytes in groups of four characters; whole groups can be read without the rest.
const BASE64: &str = "data_base64";
/// What stands around a text that is cut.
const MARKS: usize = 200;

/// The answer, and why there is none.
pub(crate) fn shaped(surface: &Surface, outcome: Result<Value, Failure>, limit: usize) -> (Answer, Option<Failure>) {
    match outcome.and_then(|value| fit(value, limit)) {
        Ok((value, text)) => (surface.success(value, text), None),
        Err(failure) => (surface.failed(&failure), Some(failure)),
    }
}

/// The answer with its text, which is made once. The text of a single read is cut; a list that is too long is refused with the
/// number of items that would fit.
fn fit(mut answer: Value, limit: usize) -> Result<(Value, String), Failure> {
    let text = answer.to_string();
    if text.len() <= limit {
        return Ok((answer, text));
    }
    let bytes = text.len();
    while cut_text(&mut answer, limit) {
        let text = answer.to_string();
        if text.len() <= limit {
            return Ok((answer, text));
        }
    }
    Err(Failure::TooLong { bytes, limit, advice: advice(&answer, bytes, limit) })
}

fn advice(answer: &Value, bytes: usize, limit: usize) -> String {
    let items = answer.get("items").or_else(|| answer.get("results")).and_then(Value::as_array).map_or(0, Vec::len);
    match items.saturating_mul(limit) / bytes.max(1) {
        0 => "narrow the question down".to_owned(),
        fits => format!("ask with limit {fits} or less"),
    }
}

/// Cuts the one long text of an answer to about what fits. False if there is none, or nothing of it would be left.
fn cut_text(answer: &mut Value, limit: usize) -> bool {
    let field = ["content", "bundle", BASE64].into_iter().find(|field| answer.get(field).is_some_and(Value::is_string));
    let Some(field) = field else { return false };
    let (whole, text) = (answer.to_string().len(), answer[field].as_str().unwrap_or_default());
    // What is written with a backslash takes more room as JSON than as text.
    let as_json = Value::from(text).to_string().len();
    let room = limit.saturating_sub(whole - as_json + MARKS);
    let mut end = text.len().min(text.len().saturating_mul(room) / as_json.max(1));
    while !text.is_char_boundary(end) || (field == BASE64 && end % 4 != 0) {
        end -= 1;
    }
    if end == 0 {
        return false;
    }
    let cut_before = answer.get("overflow_bytes").and_then(Value::as_u64).unwrap_or_default();
    let cut = cut_before + (text.len() - end) as u64;
    answer[field] = json!(text[..end]);
    answer["truncated"] = json!(true);
    answer["overflow_bytes"] = json!(cut);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let answer = json!({"path": "a.md", "content": "é\n".repeat(1000)});
        let (cut, text) = fit(answer.clone(), 1000).expect("cut");
        assert_eq!(cut["truncated"], true);
        assert!(text.len() <= 1000 && text.len() > 300, "{}", text.len());
        let kept = cut["content"].as_str().expect("text").len();
        assert_eq!(kept as u64 + cut["overflow_bytes"].as_u64().expect("a number"), 3000);
        assert_eq!(fit(answer.clone(), 10_000).expect("whole").0, answer);
    }

    #[test]
    fn bytes_are_cut_where_they_can_still_be_read() {
        for limit in 500..510 {
            let (cut, text) = fit(json!({"mime": "image/png", "data_base64": "QUJD".repeat(1000)}), limit).expect("cut");
            let kept = cut["data_base64"].as_str().expect("text").len();
            assert!(kept > 200 && kept % 4 == 0 && text.len() <= limit, "{kept}");
            assert_eq!(cut["truncated"], true);
        }
    }

    #[test]
    fn a_long_list_says_what_would_fit() {
        let answer = json!({"items": vec!["x".repeat(96); 100]});
        let Err(Failure::TooLong { limit: 1000, advice, .. }) = fit(answer, 1000) else { panic!("too long") };
        assert_eq!(advice, "ask with limit 10 or less");
    }
}
