//! The `engine` surface: tasks are listed, found and changed.

use quillgate_vault::ContentHash;
use serde_json::{Value, json};

use crate::place::Place;

const DATA: &str = ".obsidian/plugins/obsidian-tasks-plugin/data.json";

const HOME: &str = "# House\n- [ ] paint #home/garden 🔼 📅 2024-05-20\n- [x] sweep ✅ 2024-05-01\n    - [/] below ⏳ 2024-05-03\n\n```\n- [ ] no task\n```\n";
const WORK: &str = "- [ ] again 🔁 every month 📅 2024-01-31 ^id\r\n- [-] never ❌ 2024-05-02\r\n- plain\r\n";

fn place() -> Place {
    Place::new(&[("Home.md", HOME), ("Work/Plan.md", WORK), ("Work/none.md", "text\n")])
}

fn descriptions(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["description"].as_str().unwrap()).collect()
}

fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

#[test]
fn tasks_are_listed_with_what_their_lines_say() {
    let place = place();
    let answer = place.answer("list_tasks", json!({}));
    assert_eq!(descriptions(&answer), ["paint #home/garden", "sweep", "below", "again", "never"]);
    assert_eq!(answer["total_count"], 5);
    assert_eq!(
        answer["items"][0],
        json!({"path": "Home.md", "line": 2, "status": "todo", "symbol": " ", "description": "paint #home/garden",
               "due": "2024-05-20", "priority": "medium", "tags": ["home/garden"], "heading": "House"})
    );
    assert_eq!(answer["items"][3]["recur"], "every month");
    let list = |arguments: Value| descriptions(&place.answer("list_tasks", arguments)).join(" ");
    assert_eq!(list(json!({"status": ["done", "cancelled"]})), "sweep never");
    assert_eq!(list(json!({"status": ["in_progress"]})), "below");
    assert_eq!(list(json!({"status": ["scheduled"]})), "below");
    assert_eq!(list(json!({"priority": ["medium"]})), "paint #home/garden");
    assert_eq!(list(json!({"tags": ["#HOME"]})), "paint #home/garden");
    assert_eq!(list(json!({"tags": ["garden"]})), "");
    assert_eq!(list(json!({"root": "Work"})), "again never");
    assert_eq!(list(json!({"paths": ["Home.md"]})), "paint #home/garden sweep below");
    assert_eq!(list(json!({"due": {"before": "2024-05-01"}})), "again");
    assert_eq!(list(json!({"due": {"after": "2024-05-01", "before": "today"}})), "paint #home/garden");
    assert_eq!(list(json!({"due": {"on": "2024-05"}})), "paint #home/garden");
    assert_eq!(place.code("list_tasks", json!({"due": {"on": "someday"}})), "invalid_input");
}

#[test]
fn pages_of_tasks_go_on_where_they_ended() {
    let place = place();
    let mut seen = Vec::new();
    let mut arguments = json!({"filter": "sort by description", "limit": 2});
    loop {
        let answer = place.answer("tasks_filter", arguments.clone());
        seen.extend(descriptions(&answer).into_iter().map(str::to_owned));
        // What comes before changes nothing for the pages behind.
        place.put("New.md", format!("- [ ] aaa {}\n", seen.len()));
        match answer.get("cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen, ["again", "below", "never", "paint #home/garden", "sweep"]);
    arguments["cursor"] = json!("AAAA");
    assert_eq!(place.code("tasks_filter", arguments), "invalid_input");
}

#[test]
fn queries_of_the_plugin_are_answered() {
    let place = place();
    let answer = place.answer("tasks_filter", json!({"filter": "not done\nsort by due", "group_by": "folder"}));
    assert_eq!(answer["source"], "native");
    assert_eq!(answer["groups"], json!([{"key": "/", "count": 2}, {"key": "Work/", "count": 1}]));
    assert_eq!(descriptions(&answer), ["paint #home/garden", "below", "again"]);
    assert_eq!(answer["items"][2]["group"], "Work/");
    let answer = place.answer("tasks_filter", json!({"filter": "", "sort_by": "description reverse"}));
    assert_eq!(descriptions(&answer)[0], "sweep");
    assert!(answer.get("groups").is_none());
    let refusal = place.refused("engine", "tasks_filter", json!({"filter": "not done\n  due before someday"}));
    assert_eq!(refusal.code, "invalid_input");
    assert!(refusal.message.contains("line 2, column 3"), "{}", refusal.message);
    let refusal = place.refused("engine", "tasks_filter", json!({"filter": "filter by function true"}));
    assert!(refusal.message.contains("JavaScript"), "{}", refusal.message);
    assert_eq!(place.code("tasks_filter", json!({"filter": "", "group_by": "magic"})), "invalid_input");
}

#[test]
fn the_plugins_settings_count() {
    let settings = r##"{"globalFilter": "#home", "globalQuery": "not done", "taskFormat": "tasksPluginEmoji"}"##;
    let place = Place::new(&[("Home.md", HOME), (DATA, settings)]);
    assert_eq!(descriptions(&place.answer("tasks_filter", json!({"filter": ""}))), ["paint #home/garden"]);
    let dataview = Place::new(&[("a.md", "- [ ] a [due:: 2024-01-05]\n"), (DATA, r#"{"taskFormat": "dataview"}"#)]);
    assert_eq!(dataview.answer("list_tasks", json!({}))["items"][0]["due"], "2024-01-05");
    for text in ["{", "[]", r#"{"setDoneDate": 1}"#] {
        let broken = Place::new(&[("Home.md", HOME), (DATA, text)]);
        let refusal = broken.refused("engine", "update_task", json!({"path": "Home.md", "line": 2, "set": {"status": "done"}}));
        assert!(refusal.message.contains("data.json"), "{}", refusal.message);
        assert_eq!((broken.text(DATA), broken.text("Home.md")), (text.to_owned(), HOME.to_owned()));
    }
}

#[test]
fn completing_a_task_is_seen_by_queries_at_once() {
    let place = place();
    let answer = place.answer("update_task", json!({"path": "Home.md", "line": 2, "set": {"status": "done"}}));
    let done = HOME.replace(
        "- [ ] paint #home/garden 🔼 📅 2024-05-20",
        &format!("- [x] paint #home/garden 🔼 📅 2024-05-20 ✅ {}", today()),
    );
    assert_eq!(place.text("Home.md"), done);
    assert_eq!(answer["content_hash"], ContentHash::of(done.as_bytes()).to_string());
    assert_eq!((&answer["prev_state"]["status"], &answer["new_state"]["status"]), (&json!("todo"), &json!("done")));
    assert_eq!((answer["line"].clone(), answer["new_state"]["done"].clone()), (json!(2), json!(today())));
    let found = place.answer("tasks_filter", json!({"filter": "done today"}));
    assert_eq!(descriptions(&found), ["paint #home/garden"]);
}

#[test]
fn a_recurring_task_gets_its_next_one() {
    let place = place();
    let answer = place.answer("update_task", json!({"path": "Work/Plan.md", "line": 1, "set": {"status": "done"}}));
    let expected = format!(
        "- [ ] again 🔁 every month 📅 2024-02-29\r\n- [x] again 🔁 every month 📅 2024-01-31 ✅ {} ^id\r\n- [-] never ❌ 2024-05-02\r\n- plain\r\n",
        today()
    );
    assert_eq!(place.text("Work/Plan.md"), expected);
    assert_eq!((&answer["line"], &answer["next"]["line"], &answer["next"]["due"]), (&json!(2), &json!(1), &json!("2024-02-29")));
}

#[test]
fn fields_are_changed_and_the_rest_of_the_note_stays() {
    let update = |set: Value| {
        let place = place();
        place.answer("update_task", json!({"path": "Home.md", "line": 2, "set": set}));
        let text = place.text("Home.md");
        assert_eq!(text.lines().count(), HOME.lines().count());
        text.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(update(json!({"due": "", "priority": "none"})), "- [ ] paint #home/garden");
    assert_eq!(
        update(json!({"start": "2024-01-02", "scheduled": "2024-01-03", "recur": "every Sunday"})),
        "- [ ] paint #home/garden 🔼 🔁 every week on Sunday 🛫 2024-01-02 ⏳ 2024-01-03 📅 2024-05-20"
    );
    assert_eq!(update(json!({"description": "draw", "add_tags": ["a", "#b/c"]})), "- [ ] draw #a #b/c 🔼 📅 2024-05-20");
    assert_eq!(update(json!({"remove_tags": ["home/garden"], "due": "2024-06-01"})), "- [ ] paint 🔼 📅 2024-06-01");
    assert_eq!(update(json!({"status": "!"})), "- [!] paint #home/garden 🔼 📅 2024-05-20");
    assert_eq!(
        update(json!({"status": "done", "done": "2024-05-19"})),
        "- [x] paint #home/garden 🔼 📅 2024-05-20 ✅ 2024-05-19"
    );
    assert_eq!(update(json!({})), "- [ ] paint #home/garden 🔼 📅 2024-05-20");
}

#[test]
fn mistakes_say_what_to_do() {
    let place = place();
    let refuse =
        |line: u32, set: Value| place.refused("engine", "update_task", json!({"path": "Home.md", "line": line, "set": set}));
    let refusal = refuse(1, json!({"status": "done"}));
    assert_eq!(refusal.code, "invalid_input");
    assert!(refusal.message.contains("line 2 (paint"), "{}", refusal.message);
    assert_eq!(refuse(7, json!({"status": "done"})).code, "invalid_input", "a line in a code block is no task");
    assert_eq!(refuse(99, json!({"status": "done"})).code, "invalid_input");
    for set in [
        json!({"status": "finished"}),
        json!({"due": "someday"}),
        json!({"due": "this week"}),
        json!({"recur": "sometimes"}),
        json!({"description": "a\nb"}),
        json!({"description": "a 📅 2024-01-01"}),
        json!({"description": "  "}),
        json!({"status": "]"}),
        json!({"status": "non_task"}),
        json!({"add_tags": ["a b"]}),
    ] {
        assert_eq!(refuse(2, set.clone()).code, "invalid_input", "{set}");
    }
    assert_eq!(place.code("update_task", json!({"path": "none.md", "line": 1, "set": {}})), "note_not_found");
    let stale = json!({"path": "Home.md", "line": 2, "set": {"status": "done"}, "expected_hash": "0".repeat(64)});
    assert_eq!(place.code("update_task", stale), "concurrent_modification");
    assert_eq!(place.text("Home.md"), HOME);
}

#[test]
fn a_human_is_asked_before_an_old_task_is_reopened() {
    let place = place();
    let reopen = |line: u32| json!({"path": "Home.md", "line": line, "set": {"status": "todo"}});
    assert!(place.asked("update_task", reopen(3)).is_some());
    assert_eq!(place.text("Home.md"), HOME);
    let recent = format!("- [x] a ✅ {}\n- [x] b\n", today());
    place.put("Recent.md", &recent);
    for line in [1, 2] {
        let arguments = json!({"path": "Recent.md", "line": line, "set": {"status": "todo"}});
        assert!(place.asked("update_task", arguments).is_none());
    }
    assert_eq!(place.text("Recent.md"), "- [ ] a\n- [ ] b\n");
}

#[test]
fn a_task_that_goes_away_when_done_leaves_nothing() {
    let place = Place::new(&[("a.md", "one\n- [ ] gone 🏁 delete\ntwo\n")]);
    let answer = place.answer("update_task", json!({"path": "a.md", "line": 2, "set": {"status": "done"}}));
    assert_eq!(place.text("a.md"), "one\ntwo\n");
    assert!(answer.get("new_state").is_none());
}

#[test]
fn what_changes_nothing_keeps_the_line_as_it_is_written() {
    let text = "-  [ ]   odd 📅 2024-01-05  🔼 \n- [ ]\n";
    let place = Place::new(&[("a.md", text)]);
    for set in [json!({}), json!({"status": "todo"}), json!({"priority": "medium", "remove_tags": ["x"]})] {
        place.answer("update_task", json!({"path": "a.md", "line": 1, "set": set}));
        assert_eq!(place.text("a.md"), text);
    }
    place.answer("update_task", json!({"path": "a.md", "line": 2, "set": {"add_tags": ["x"]}}));
    assert!(place.text("a.md").ends_with("- [ ] #x\n"), "{}", place.text("a.md"));
}

#[test]
fn a_box_of_a_plain_list_is_checked_and_nothing_else() {
    let settings = r##"{"globalFilter": "#task", "statusSettings": {"customStatuses": []}}"##;
    let place = Place::new(&[("a.md", "- [ ] milk 🔁 every day 📅 2024-01-05\n- [ ] #task bread\n"), (DATA, settings)]);
    let update = |line: u32, set: Value| json!({"path": "a.md", "line": line, "set": set});
    let answer = place.answer("update_task", update(1, json!({"status": "done"})));
    assert_eq!(place.text("a.md"), "- [x] milk 🔁 every day 📅 2024-01-05\n- [ ] #task bread\n");
    assert!(answer.get("next").is_none() && answer["new_state"].get("done").is_none());
    place.answer("update_task", update(2, json!({"status": "done"})));
    assert!(place.text("a.md").ends_with(&format!("- [x] #task bread ✅ {}\n", today())));
    let refusal = place.refused("engine", "update_task", update(2, json!({"status": "in_progress"})));
    assert!(refusal.message.contains("' ' (Todo), 'x' (Done)"), "{}", refusal.message);
}
