//! Where text is in a JSON value: a JSON pointer, in which one step may be `*` for every item of a list.

use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldPath {
    Text(String),
    /// Where the list is, and where the text is in each of its items.
    Texts(String, String),
}

pub(crate) const A_FIELD_PATH: &str = "a JSON pointer such as /section/name, or with one * for a list such as /authors/*/name";

impl FieldPath {
    pub(crate) fn parse(text: &str) -> Option<FieldPath> {
        let is_step = |step: &str| step.split('~').skip(1).all(|escaped| escaped.starts_with(['0', '1']));
        let steps: Vec<&str> = text.strip_prefix('/')?.split('/').collect();
        if !steps.iter().all(|step| is_step(step)) {
            return None;
        }
        let stars: Vec<usize> = (0..steps.len()).filter(|at| steps[*at] == "*").collect();
        match stars[..] {
            [] => Some(FieldPath::Text(text.to_owned())),
            [star] => Some(FieldPath::Texts(pointer(&steps[..star]), pointer(&steps[star + 1..]))),
            _ => None,
        }
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self, FieldPath::Texts(..))
    }

    /// What is missing or of another type becomes empty text, or is left out of the list.
    pub(crate) fn read(&self, item: &Value) -> Value {
        match self {
            FieldPath::Text(at) => Value::from(text_at(item, at).unwrap_or_default()),
            FieldPath::Texts(list, at) => {
                let items = item.pointer(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                items.iter().filter_map(|item| text_at(item, at)).collect()
            }
        }
    }
}

pub(crate) fn text_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

fn pointer(steps: &[&str]) -> String {
    steps.iter().map(|step| format!("/{step}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(path: &str, expected: Value) {
        let item = json!({
            "headline": "Ice", "section": {"id": 1, "name": "News"}, "a/b": "slash", "tags": ["x", 1, null, "y"],
            "authors": [{"name": "Alva"}, {"name": 7}, {}, "Otto", null, {"name": "Mira", "email": "m@x"}],
        });
        assert_eq!(FieldPath::parse(path).expect("a path").read(&item), expected, "{path}");
    }

    #[test]
    fn a_path_reads_text_and_nothing_else() {
        check("/headline", json!("Ice"));
        check("/section/name", json!("News"));
        check("/a~1b", json!("slash"));
        check("/tags/*", json!(["x", "y"]));
        check("/authors/*/name", json!(["Alva", "Mira"]));
        for missing in ["/section", "/section/id", "/authors", "/nothing", "/headline/name", "/authors/9/name"] {
            check(missing, json!(""));
        }
        for missing in ["/headline/*", "/nothing/*", "/section/*/name"] {
            check(missing, json!([]));
        }
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for bad in ["", "headline", "/a/*/b/*", "/a~2", "/a~"] {
            assert_eq!(FieldPath::parse(bad), None, "{bad}");
        }
    }
}
