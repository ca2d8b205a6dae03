//! Calls that a human must agree to, and what they leave of the vault.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quillgate_tools::{Answer, Consent};
use serde_json::Value;

use crate::place::Place;

/// The body of a failed call on the `engine` surface.
#[track_caller]
pub(crate) fn failed(place: &Place, consent: Consent, tool: &str, arguments: Value) -> Value {
    match place.call_with(consent, "engine", tool, arguments) {
        Answer::Result { structured: Some(body), is_error: true, .. } => body,
        other => panic!("{tool} did not fail: {other:?}"),
    }
}

/// The change that a call puts before a human, who has not answered; the vault stays as it is.
#[track_caller]
pub(crate) fn asked(place: &Place, tool: &str, arguments: Value) -> Value {
    let before = files(place);
    let body = failed(place, Consent::AskIfNeeded, tool, arguments);
    assert_eq!(body["code"], "elicit_required", "{body}");
    assert_eq!(files(place), before, "asking changes nothing");
    body["details"]["proposed_change"].clone()
}

/// The answer of a call that nobody has to agree to.
#[track_caller]
pub(crate) fn unasked(place: &Place, tool: &str, arguments: Value) -> Value {
    match place.call_with(Consent::AskIfNeeded, "engine", tool, arguments) {
        Answer::Result { structured: Some(answer), is_error: false, .. } => answer,
        other => panic!("{tool} failed: {other:?}"),
    }
}

/// The answer of a call that changes nothing.
#[track_caller]
pub(crate) fn without_effect(place: &Place, tool: &str, arguments: Value) -> Value {
    let before = files(place);
    let answer = unasked(place, tool, arguments);
    assert_eq!(files(place), before, "{tool} has changed something");
    answer
}

/// The code of a call that is refused, and changes nothing.
#[track_caller]
pub(crate) fn refused(place: &Place, tool: &str, arguments: Value) -> String {
    let before = files(place);
    let code = place.refused("engine", tool, arguments).code;
    assert_eq!(files(place), before, "{tool} has changed something");
    code
}

/// Every file of the vault with its bytes as text, hidden ones too.
pub(crate) fn files(place: &Place) -> BTreeMap<String, String> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&place.on_disk(""), &place.on_disk(""), &mut found);
    found
}

/// The paths of all files but those that are hidden.
pub(crate) fn paths(place: &Place) -> Vec<String> {
    files(place).into_keys().filter(|path| !path.starts_with('.')).collect()
}
