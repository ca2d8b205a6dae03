//! Several texts in one column, as a JSON list.

use crate::StateError;

pub(crate) fn write_texts(texts: &[String]) -> String {
    serde_json::to_string(texts).expect("texts are always JSON")
}

pub(crate) fn read_texts(json: &str) -> Result<Vec<String>, StateError> {
    serde_json::from_str(json).map_err(|_| StateError::Damaged("list of texts"))
}
