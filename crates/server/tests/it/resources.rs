//! Notes as resources: lists, templates, completion, and word of changes in both eras.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::http_client::{HttpServer, Session};
use crate::place::Place;
use crate::stdio_client::{LEGACY, StdioClient, modern_params};

fn uris(answer: &Value) -> Vec<String> {
    let resources = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("no resources: {answer}"));
    resources.iter().map(|resource| resource["uri"].as_str().expect("a URI").to_owned()).collect()
}

#[test]
fn all_notes_are_listed_page_by_page() {
    let place = Place::new();
    for number in 0..450 {
        place.write(&format!("folder {}/Note {number}.md", number % 7), "text");
    }
    let mut client = StdioClient::legacy(&place, &[]);
    let (mut all, mut pages, mut cursor) = (BTreeSet::new(), 0, None);
    loop {
        let answer =
            client.request("resources/list", cursor.take().map_or(json!({}), |cursor: String| json!({"cursor": cursor})));
        let page = uris(&answer);
        assert!(page.len() <= 200);
        pages += 1;
        for uri in page {
            assert!(all.insert(uri.clone()), "{uri} twice");
        }
        match answer["result"]["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!((all.len(), pages), (450, 3));
    assert!(all.contains("vault://vault/folder%200/Note%207.md"));
}

#[test]
fn a_cursor_that_is_not_ours_is_refused() {
    let place = Place::new();
    let answer = StdioClient::legacy(&place, &[]).request("resources/list", json!({"cursor": "../../etc"}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[test]
fn every_listed_note_can_be_read_by_its_uri() {
    let names = ["a.md", "with space.md", "per%cent.md", "Ümläut ✓.md", "a#b.md", "q?.md", "Sub/[x] {y}.md"];
    let place = Place::new();
    for name in names {
        place.write(name, name);
    }
    let mut client = StdioClient::legacy(&place, &[]);
    let listed = uris(&client.request("resources/list", json!({})));
    assert_eq!(listed.len(), names.len());
    for uri in listed {
        let answer = client.request("resources/read", json!({"uri": uri}));
        let contents = &answer["result"]["contents"][0];
        assert_eq!(
            (contents["uri"].as_str(), contents["mimeType"].as_str()),
            (Some(uri.as_str()), Some("text/markdown")),
            "{answer}"
        );
        assert!(names.contains(&contents["text"].as_str().expect("text")), "{answer}");
    }
}

#[test]
fn what_is_missing_hidden_or_outside_is_not_found_as_each_era_says_it() {
    let place = Place::with(&[("a.md", "A"), (".obsidian/app.json", "{}"), (".hidden.md", "x")]);
    place.file("outside.md", "secret");
    let mut client = StdioClient::legacy(&place, &[]);
    for uri in [
        "vault://vault/none.md",
        "vault://vault/../outside.md",
        "vault://vault/%2e%2e/outside.md",
        "vault://vault/.obsidian/app.json",
        "vault://vault/.hidden.md",
        "vault://other/a.md",
        "vault://vaultx/a.md",
        "file:///etc/passwd",
        "vault://vault/",
        "",
    ] {
        let answer = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        let answer = client.modern("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
    }
}

#[test]
fn the_template_leads_to_every_note() {
    let place = Place::with(&[("Sub/a.md", "A")]);
    let mut client = StdioClient::legacy(&place, &[]);
    let answer = client.request("resources/templates/list", json!({}));
    let template = answer["result"]["resourceTemplates"][0]["uriTemplate"].as_str().expect("a template").to_owned();
    assert_eq!(template, "vault://vault/{+path}");
    let read = client.request("resources/read", json!({"uri": template.replace("{+path}", "Sub/a.md")}));
    assert_eq!(read["result"]["contents"][0]["text"], "A");
}

#[test]
fn paths_are_completed_those_that_begin_so_first() {
    let place = Place::with(&[("Plan.md", ""), ("Sub/plan b.md", ""), ("Sub/Other.md", ""), ("planet.md", "")]);
    let mut client = StdioClient::legacy(&place, &[]);
    let complete = json!({
        "ref": {"type": "ref/resource", "uri": "vault://vault/{+path}"},
        "argument": {"name": "path", "value": "plan"},
    });
    let answer = client.request("completion/complete", complete);
    assert_eq!(answer["result"]["completion"]["values"], json!(["Plan.md", "planet.md", "Sub/plan b.md"]), "{answer}");
    assert_eq!(answer["result"]["completion"]["total"], 3);
}

#[test]
fn no_more_than_a_hundred_completions_are_sent() {
    let place = Place::new();
    for number in 0..130 {
        place.write(&format!("n{number}.md"), "");
    }
    let complete =
        json!({"ref": {"type": "ref/resource", "uri": "vault://vault/{+path}"}, "argument": {"name": "path", "value": "N"}});
    let answer = StdioClient::legacy(&place, &[]).request("completion/complete", complete);
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100), "{answer}");
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(130), &json!(true)));
}

#[test]
fn an_older_client_hears_of_the_notes_it_watches_and_of_no_others() {
    let place = Place::with(&[("watched.md", "1"), ("other.md", "1")]);
    let mut client = StdioClient::legacy(&place, &[]);
    client.call("vault_list_all", json!({}));
    let uri = "vault://vault/watched.md";
    assert!(client.request("resources/subscribe", json!({"uri": uri}))["result"].is_object());
    place.write("other.md", "changed outside");
    place.write("watched.md", "changed outside");
    assert_eq!(client.notification("notifications/resources/updated")["params"]["uri"], uri);
    // Our own writes are told, too.
    client.call("vault_write", json!({"path": "watched.md", "content": "by a tool"}));
    assert_eq!(client.notification("notifications/resources/updated")["params"]["uri"], uri);
    assert!(client.request("resources/unsubscribe", json!({"uri": uri}))["result"].is_object());
    let end = client.leave();
    assert!(end.messages.iter().all(|message| message["params"]["uri"] == uri), "{:?}", end.messages);
}

#[test]
fn an_older_client_that_stopped_watching_hears_nothing_more() {
    let place = Place::with(&[("a.md", "1"), ("b.md", "1")]);
    let mut client = StdioClient::legacy(&place, &[]);
    client.call("vault_list_all", json!({}));
    for uri in ["vault://vault/a.md", "vault://vault/b.md"] {
        client.request("resources/subscribe", json!({"uri": uri}));
    }
    client.request("resources/unsubscribe", json!({"uri": "vault://vault/a.md"}));
    client.call("vault_write", json!({"path": "a.md", "content": "2"}));
    client.call("vault_write", json!({"path": "b.md", "content": "2"}));
    assert_eq!(client.notification("notifications/resources/updated")["params"]["uri"], "vault://vault/b.md");
}

#[test]
fn a_newer_client_hears_of_the_notes_it_listens_to() {
    let place = Place::with(&[("watched.md", "1"), ("other.md", "1")]);
    let mut client = StdioClient::on(&place, &[]);
    client.modern("tools/call", json!({"name": "vault_list_all", "arguments": {}}));
    let uri = "vault://vault/watched.md";
    let id = client.ask("subscriptions/listen", modern_params(json!({"notifications": {"resourceSubscriptions": [uri]}})));
    let acknowledged = client.next();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged", "{acknowledged}");
    place.write("other.md", "changed outside");
    place.write("watched.md", "changed outside");
    let updated = client.notification("notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], uri);
    assert_eq!(updated["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{updated}");
}

#[test]
fn over_http_both_eras_hear_of_a_change_outside() {
    let place = Place::with(&[("watched.md", "1")]);
    let server = HttpServer::on(&place, &[]);
    let uri = "vault://vault/watched.md";
    let mut session = Session::open(&server, "/mcp");
    session.call("vault_list_all", json!({}));
    assert!(session.request("resources/subscribe", json!({"uri": uri}))["result"].is_object());
    let mut older = session.listen(&server);
    let mut newer = server.connect();
    newer.send_modern("/mcp", "subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [uri]}}));
    assert_eq!(newer.head().status, 200);
    assert_eq!(newer.event().expect("an event")["method"], "notifications/subscriptions/acknowledged");
    place.write("watched.md", "changed outside");
    for stream in [&mut older, &mut newer] {
        let event = stream.event().expect("an event");
        assert_eq!(
            (&event["method"], &event["params"]["uri"]),
            (&json!("notifications/resources/updated"), &json!(uri)),
            "{event}"
        );
    }
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let place = Place::new();
    let mut client = StdioClient::on(&place, &[]);
    client.initialize(LEGACY);
    let listed = client.request("prompts/list", json!({}));
    for prompt in listed["result"]["prompts"].as_array().expect("prompts") {
        let needed = prompt["arguments"].as_array().cloned().unwrap_or_default();
        let arguments: Value =
            needed.iter().map(|argument| (argument["name"].as_str().unwrap().to_owned(), json!("Gardening"))).collect();
        let filled = client.request("prompts/get", json!({"name": prompt["name"], "arguments": arguments}));
        let text = filled["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("{filled}"));
        assert!(needed.is_empty() || text.contains("Gardening") && !text.contains("\"Gardening\\\""), "{text}");
        if !needed.is_empty() {
            assert_eq!(client.request("prompts/get", json!({"name": prompt["name"]}))["error"]["code"], -32602);
        }
    }
    assert_eq!(client.request("prompts/get", json!({"name": "none"}))["error"]["code"], -32602);
}
