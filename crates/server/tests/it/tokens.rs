//! What the list of tools costs a model before it has asked anything.

use serde_json::{Value, json};

use crate::place::Place;
use crate::stdio_client::StdioClient;

/// What clients pass on to the model.
const SHOWN: [&str; 5] = ["name", "description", "inputSchema", "outputSchema", "annotations"];
const BYTES_PER_TOKEN: usize = 4;

#[test]
fn the_essentials_are_few_and_cost_little() {
    let place = Place::new();
    let listed = StdioClient::legacy(&place, &["--surface", "essentials"]).request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(tools.len() <= 12, "{} tools", tools.len());
    let shown: Vec<Value> = tools
        .iter()
        .map(|tool| SHOWN.iter().filter_map(|key| Some((key.to_string(), tool.get(key)?.clone()))).collect())
        .collect();
    let tokens = json!(shown).to_string().len() / BYTES_PER_TOKEN;
    assert!(tokens <= 2_500, "the list costs {tokens} tokens");
    println!("{} tools, {tokens} tokens", tools.len());
}

/// What `tools/list` of the engine costs in each of its modes.
#[test]
fn the_facade_makes_the_engine_small() {
    let place = Place::new();
    let cost = |mode: &str| {
        let config = place.config(&json!({"vaultPath": place.vault(), "toolFacade": {"mode": mode}}));
        let mut client = StdioClient::on(&place, &["--surface", "engine", "--config", &config]);
        client.initialize("2025-11-25");
        let listed = client.request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let shown: Vec<Value> = tools
            .iter()
            .map(|tool| SHOWN.iter().filter_map(|key| Some((key.to_string(), tool.get(key)?.clone()))).collect())
            .collect();
        // Every tool can be called by its name, whatever is listed.
        let health = client.call("server_health", json!({}));
        assert_eq!(health["structuredContent"]["name"], "quillgate", "{mode}: {health}");
        let tokens = json!(shown).to_string().len() / BYTES_PER_TOKEN;
        println!("{mode}: {} tools, {tokens} tokens", tools.len());
        (tools.len(), tokens)
    };
    let (triad, domain, flat) = (cost("triad"), cost("domain"), cost("flat"));
    assert_eq!(triad.0, 3);
    assert!(triad.1 < domain.1 && domain.1 < flat.1, "{triad:?} {domain:?} {flat:?}");
    assert!(triad.1 <= 1_000 && domain.1 <= 4_500, "{triad:?} {domain:?}");
}

/// Some clients take no unions, references or boolean schemas.
#[test]
fn schemas_are_plain_enough_for_every_client() {
    let place = Place::new();
    for surface in ["essentials", "vault", "notes", "cli", "engine"] {
        let listed = StdioClient::legacy(&place, &["--surface", surface]).request("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().expect("tools") {
            check_plain(&tool["inputSchema"], &tool["name"]);
            check_plain(&tool["outputSchema"], &tool["name"]);
        }
    }
}

fn check_plain(schema: &Value, tool: &Value) {
    let Some(object) = schema.as_object() else { return };
    for keyword in ["$ref", "$defs", "definitions", "anyOf", "oneOf", "allOf", "const", "not"] {
        assert!(!object.contains_key(keyword), "{tool}: {keyword} in {schema}");
    }
    assert!(object.get("type").is_none_or(Value::is_string), "{tool}: {schema}");
    for property in object.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.values()) {
        assert!(property.is_object(), "{tool}: {schema}");
        check_plain(property, tool);
    }
    check_plain(object.get("items").unwrap_or(&Value::Null), tool);
}
