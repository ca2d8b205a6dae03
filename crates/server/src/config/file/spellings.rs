//! Other names that files written for other servers use for keys of ours.

use serde_json::{Map, Value};

use super::places::Places;
use super::problem::Problem;
use crate::config::schema::join;

/// A name, and ours for it. A name whose key is a group stands for all keys in it. Later lines see what earlier ones did.
pub(crate) const SPELLINGS: [(&str, &str); 10] = [
    ("cacheDir", "dataDir"),
    ("throttle.tiers", "throttle"),
    ("observability.tracesSampleRate", "observability.otel.sampleRate"),
    ("observability.prometheus.bind", "observability.prometheus.host"),
    ("observability.morgiana", "observability.cloudEvents"),
    ("observability.cloudEvents.spool", "observability.cloudEvents.enabled"),
    ("observability.cloudEvents.httpEndpoint", "observability.cloudEvents.endpoint"),
    ("observability.cloudEvents.httpHeaders", "observability.cloudEvents.headers"),
    ("observability.retention.eventLogDays", "observability.retention.auditDays"),
    ("observability.retention.morgianaEventsDays", "observability.retention.eventsDays"),
];

/// Renames what has another name. A value that ours has already is a problem.
pub(super) fn settle(file: &mut Value, places: &mut Places) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (theirs, ours) in SPELLINGS {
        let Some(value) = take(file, theirs) else { continue };
        let before = problems.len();
        put(file, ours, value, theirs, &mut problems);
        for problem in &mut problems[before..] {
            problem.place = places.around(&problem.key);
        }
        places.rename(theirs, ours);
    }
    problems
}

fn take(file: &mut Value, path: &str) -> Option<Value> {
    let (group, name) = path.rsplit_once('.').unwrap_or(("", path));
    let group = if group.is_empty() { file } else { file.pointer_mut(&format!("/{}", group.replace('.', "/")))? };
    group.as_object_mut()?.shift_remove(name)
}

fn put(file: &mut Value, path: &str, value: Value, theirs: &str, problems: &mut Vec<Problem>) {
    let mut group = file;
    for name in path.split('.') {
        if group.is_null() {
            *group = Value::Object(Map::new());
        }
        let Some(object) = group.as_object_mut() else { return };
        group = object.entry(name).or_insert(Value::Null);
    }
    merge(group, value, path, theirs, problems);
}

fn merge(into: &mut Value, value: Value, ours: &str, theirs: &str, problems: &mut Vec<Problem>) {
    match (into, value) {
        (into @ Value::Null, value) => *into = value,
        (Value::Object(into), Value::Object(entries)) => {
            for (name, value) in entries {
                let (ours, theirs) = (join(ours, &name), join(theirs, &name));
                merge(into.entry(name).or_insert(Value::Null), value, &ours, &theirs, problems);
            }
        }
        _ => problems.push(Problem::new(theirs, format!("means the same as {ours}, which is given too; keep one"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settled(mut file: Value) -> (Value, Vec<String>) {
        let problems = settle(&mut file, &mut Places::default());
        (file, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_other_spelling_becomes_ours() {
        let theirs = json!({
            "cacheDir": ".cache",
            "throttle": {"tiers": {"read": {"perMinute": 1}}, "enabled": true},
            "observability": {
                "tracesSampleRate": 0.5,
                "prometheus": {"bind": "127.0.0.1"},
                "morgiana": {"spool": true, "httpEndpoint": "x", "httpHeaders": {}},
                "retention": {"eventLogDays": 3, "morgianaEventsDays": 4},
            },
        });
        let ours = json!({
            "dataDir": ".cache",
            "throttle": {"read": {"perMinute": 1}, "enabled": true},
            "observability": {
                "otel": {"sampleRate": 0.5},
                "prometheus": {"host": "127.0.0.1"},
                "cloudEvents": {"enabled": true, "endpoint": "x", "headers": {}},
                "retention": {"auditDays": 3, "eventsDays": 4},
            },
        });
        assert_eq!(settled(theirs), (ours, Vec::new()));
    }

    #[test]
    fn two_spellings_at_once_are_refused() {
        let (_, problems) = settled(json!({"cacheDir": "a", "dataDir": "b"}));
        assert_eq!(problems, ["cacheDir: means the same as dataDir, which is given too; keep one"]);
        let (_, problems) = settled(json!({"throttle": {"tiers": {"read": {"burst": 1}}, "read": {"burst": 2}}}));
        assert_eq!(problems, ["throttle.tiers.read.burst: means the same as throttle.read.burst, which is given too; keep one"]);
    }
}
