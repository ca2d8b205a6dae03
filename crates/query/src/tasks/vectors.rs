//! What others have seen the plugin do.

use serde_json::Value;

use super::*;

fn vectors(category: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../../../markdown/tests/vectors.json")).unwrap();
    let found: Vec<Value> =
        all["vectors"].as_array().unwrap().iter().filter(|vector| vector["category"] == category).cloned().collect();
    assert!(!found.is_empty());
    found
}

#[test]
fn lines_are_read_as_the_plugin_reads_them() {
    for vector in vectors("task") {
        let name = vector["name"].to_string();
        let line = TaskLine::read(vector["input"]["line"].as_str().unwrap(), TaskFormat::Emoji);
        let Some(expected) = vector["expected"].as_object() else {
            assert_eq!(line, None, "{name}");
            continue;
        };
        let line = line.unwrap_or_else(|| panic!("{name}"));
        for (key, value) in expected {
            let shown = |day: Option<Day>| match day {
                None => Value::Null,
                Some(day) if !day.is_valid() => "invalid".into(),
                Some(day) => day.to_string().into(),
            };
            let found = match key.as_str() {
                "description" => (&*line.task.description).into(),
                "status" => line.status.to_string().into(),
                "priority" => line.task.priority.name().into(),
                "id" => line.task.id.as_deref().map_or(Value::Null, Value::from),
                "dependsOn" => line.task.depends_on.iter().map(|id| Value::from(&**id)).collect(),
                "blockLink" | "block" => line.task.block_id.as_deref().map_or(Value::Null, Value::from),
                "recurrence" => line.task.rule().map_or(Value::Null, |rule| rule.to_text().into()),
                "onCompletion" => line.task.on_completion.as_deref().map_or(Value::Null, Value::from),
                date => {
                    let field = DateField::ALL.into_iter().find(|field| field.name() == date);
                    shown(line.task.date(field.unwrap_or_else(|| panic!("{name}: {date}"))))
                }
            };
            assert_eq!(found, *value, "{name}: {key}");
        }
    }
}

#[test]
fn rules_go_on_as_the_plugin_goes_on() {
    for vector in vectors("recurrence") {
        let input = &vector["input"];
        let rule = input["rule"].as_str().unwrap();
        let reference = Day::read(input["reference"].as_str().unwrap()).unwrap();
        let recurrence = Recurrence::read(rule).unwrap_or_else(|| panic!("{rule}"));
        let next = recurrence.next_reference(reference.number().unwrap()).and_then(Day::from_number);
        assert_eq!(next.map(|day| day.to_string()).as_deref(), vector["expected"].as_str(), "{rule}");
    }
}
