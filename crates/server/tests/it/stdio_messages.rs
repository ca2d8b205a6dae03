//! Messages on standard input: both eras, what is refused, and how.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::{Place, wait_for_exit};
use crate::stdio_client::{LEGACY, MODERN, StdioClient, modern_params};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

fn tool_names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("no tools: {answer}"));
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn every_older_revision_is_agreed_to() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let place = Place::with(&[("a.md", "A")]);
        let mut client = StdioClient::on(&place, &[]);
        let answer = client.initialize(revision);
        assert_eq!(answer["result"]["protocolVersion"], revision);
        assert_eq!(answer["result"]["serverInfo"]["name"], "quillgate");
        assert!(answer["result"]["instructions"].as_str().is_some_and(|text| text.contains("vault")));
        assert_eq!(client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
    }
}

#[test]
fn a_handshake_for_a_revision_that_has_none_or_is_unknown_gets_the_newest_that_has_one() {
    for revision in [MODERN, "2099-01-01", "1.0"] {
        let place = Place::new();
        let answer = StdioClient::on(&place, &[]).initialize(revision);
        assert_eq!(answer["result"]["protocolVersion"], LEGACY, "{answer}");
    }
}

#[test]
fn newer_clients_are_served_without_a_handshake() {
    let place = Place::with(&[("a.md", "Hello")]);
    let mut client = StdioClient::on(&place, &[]);
    let read = client.modern("tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    assert_eq!(read["result"]["structuredContent"]["content"], "Hello");
    assert_eq!(read["result"]["resultType"], "complete");
    let listed = client.modern("tools/list", json!({}));
    assert!(tool_names(&listed).contains(&"vault_read".to_owned()));
    assert!(listed["result"]["ttlMs"].as_u64().is_some() && listed["result"]["cacheScope"].is_string(), "{listed}");
}

#[test]
fn the_server_can_be_discovered() {
    let place = Place::new();
    let found = StdioClient::on(&place, &[]).modern("server/discover", json!({}));
    let result = &found["result"];
    assert!(result["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!(MODERN))), "{found}");
    assert!(result["capabilities"]["tools"].is_object() && result["capabilities"]["resources"].is_object(), "{found}");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string() && result["instructions"].is_string(), "{found}");
}

#[test]
fn both_eras_may_share_one_connection() {
    let place = Place::with(&[("a.md", "A")]);
    let mut client = StdioClient::legacy(&place, &[]);
    let read = client.modern("tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    assert_eq!(read["result"]["structuredContent"]["content"], "A");
    assert_eq!(client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
}

#[test]
fn a_request_before_the_handshake_is_told_what_it_lacks() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    assert_eq!(code(&client.request("tools/list", json!({}))), -32602);
    assert!(client.initialize(LEGACY)["result"].is_object(), "the connection lives on");
}

#[test]
fn each_surface_lists_its_own_tools_in_the_same_order_every_time() {
    let place = Place::new();
    for (surface, first, count) in [
        ("essentials", "vault_list", 9),
        ("vault", "vault_list", 9),
        ("notes", "note_read", 9),
        ("cli", "obsidian_list_tags", 21),
        ("engine", "list_vaults", 99),
    ] {
        let mut client = StdioClient::legacy(&place, &["--surface", surface]);
        let names = tool_names(&client.request("tools/list", json!({})));
        assert_eq!((names[0].as_str(), names.len()), (first, count), "{names:?}");
        assert_eq!(names, tool_names(&client.request("tools/list", json!({}))));
    }
}

#[test]
fn a_line_that_is_not_json_is_answered_with_a_parse_error_and_a_null_id() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    for line in ["nonsense", "{", "{\"jsonrpc\":\"2.0\",\"id\":7,", "{\"id\":1}}", "\u{1}"] {
        client.send_text(&format!("{line}\n"));
        let answer = client.next();
        assert_eq!(code(&answer), -32700, "{line}: {answer}");
        assert!(answer.as_object().is_some_and(|answer| answer.contains_key("id")) && answer["id"].is_null(), "{answer}");
    }
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn json_of_the_wrong_shape_and_batches_are_invalid_requests() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    let ping = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"});
    for (message, id) in [
        (json!([ping, ping]), Value::Null),
        (json!([]), Value::Null),
        (json!("ping"), Value::Null),
        (json!(7), Value::Null),
        (json!({}), Value::Null),
        (json!({"jsonrpc": "1.0", "id": 3, "method": "ping"}), json!(3)),
        (json!({"id": "x", "method": "ping"}), json!("x")),
        (json!({"jsonrpc": "2.0", "id": 5}), json!(5)),
        (json!({"jsonrpc": "2.0", "id": 6, "method": 6}), json!(6)),
        (json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": []}), json!(7)),
        (json!({"jsonrpc": "2.0", "id": null, "method": "ping"}), Value::Null),
        (json!({"jsonrpc": "2.0", "id": true, "method": "ping"}), Value::Null),
    ] {
        client.send(&message);
        let answer = client.next();
        assert_eq!((code(&answer), &answer["id"]), (-32600, &id), "{message}: {answer}");
    }
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn nonsense_before_the_handshake_is_answered_too() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    client.send_text("hello?\n\n[]\n");
    assert_eq!(code(&client.next()), -32700);
    assert_eq!(code(&client.next()), -32600);
    assert!(client.initialize(LEGACY)["result"].is_object());
}

#[test]
fn every_nonsense_is_answered_although_the_client_does_not_read_yet() {
    const COUNT: usize = 40;
    let place = Place::with(&[("long.md", &"word ".repeat(60_000))]);
    let vault = place.vault();
    let mut command = place.program(&["stdio", vault.to_str().expect("UTF-8")]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let read = modern_params(json!({"name": "vault_read", "arguments": {"path": "long.md"}}));
    for id in 0..COUNT {
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": read})).expect("a pipe");
    }
    // The first answer has begun and does not fit into the pipe: others wait for their turn to write.
    let mut output = child.stdout.take().expect("piped");
    let mut text = vec![0];
    output.read_exact(&mut text).expect("an answer");
    input.write_all("nonsense\n".repeat(COUNT).as_bytes()).expect("a pipe");
    drop(input);
    output.read_to_end(&mut text).expect("answers");
    assert!(wait_for_exit(&mut child).success());
    let text = String::from_utf8(text).expect("text");
    let messages: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(messages.iter().filter(|message| message["result"].is_object()).count(), COUNT);
    assert_eq!(messages.iter().filter(|message| message["error"]["code"] == -32700).count(), COUNT);
}

#[test]
fn malformed_parameters_of_a_call_are_invalid_parameters() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    for params in [
        json!({}),
        json!({"arguments": {}}),
        json!({"name": 7}),
        json!({"name": "vault_list", "arguments": []}),
        json!({"name": "vault_list", "arguments": "path"}),
    ] {
        let answer = client.request("tools/call", params.clone());
        assert_eq!(code(&answer), -32602, "{params}: {answer}");
        if params.get("arguments").is_some() {
            assert_eq!(code(&client.modern("tools/call", params)), -32602);
        }
    }
    for method in
        ["initialize", "resources/read", "resources/subscribe", "resources/unsubscribe", "prompts/get", "completion/complete"]
    {
        assert_eq!(code(&client.request(method, json!({}))), -32602, "{method}");
    }
    assert_eq!(code(&client.modern("subscriptions/listen", json!({}))), -32602);
}

#[test]
fn a_malformed_handshake_is_told_so_and_may_be_tried_again() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    assert_eq!(code(&client.request("initialize", json!({}))), -32602);
    assert!(client.initialize(LEGACY)["result"].is_object());
}

#[test]
fn an_unknown_tool_is_an_invalid_parameter_except_on_the_cli_surface() {
    let place = Place::new();
    let call = json!({"name": "no_such_tool", "arguments": {}});
    for (surface, expected) in [("essentials", -32602), ("vault", -32602), ("notes", -32602), ("cli", -32601), ("engine", -32602)]
    {
        let mut client = StdioClient::legacy(&place, &["--surface", surface]);
        let answer = client.request("tools/call", call.clone());
        assert_eq!(code(&answer), expected, "{surface}: {answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("no_such_tool")), "{answer}");
    }
}

#[test]
fn an_unknown_method_is_not_found() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    for method in ["no/such/method", "tools/destroy", "toString", ""] {
        assert_eq!(code(&client.request(method, json!({}))), -32601, "{method}");
    }
    assert_eq!(code(&client.modern("no/such/method", json!({}))), -32601);
}

#[test]
fn wrong_arguments_are_a_result_that_the_model_can_act_on() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    for (arguments, hint) in [
        (json!({}), "path is required"),
        (json!({"path": 7}), "path"),
        (json!({"path": "a.md", "ofset": 2}), "did you mean offset"),
    ] {
        let result = client.call("vault_read", arguments);
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["error"]["code"], "INVALID_INPUT");
        let message = result["structuredContent"]["error"]["message"].as_str().expect("a message");
        assert!(message.contains(hint), "{message}");
    }
}

#[test]
fn an_over_long_line_is_answered_and_the_next_one_works() {
    let place = Place::new();
    let config = place.config(&json!({"limits": {"maxLineBytes": 2000}}));
    let mut client = StdioClient::legacy(&place, &["--config", &config]);
    for length in [2_000, 100_000, 3_000_000] {
        client.send_text(&format!("{}\n", "x".repeat(length)));
        let answer = client.next();
        assert_eq!(code(&answer), -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|message| message.contains("2000 bytes")), "{answer}");
    }
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn a_message_of_a_megabyte_arrives_whole() {
    let place = Place::new();
    let mut client = StdioClient::legacy(&place, &[]);
    let content = "0123456789abcde\n".repeat(1 << 16);
    let written = client.call("vault_write", json!({"path": "big.md", "content": content}));
    assert_eq!(written["structuredContent"]["size"], content.len());
    assert_eq!(place.read("big.md"), content);
}
