//! The commands as people run them.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use quillgate_oauth::{Hashing, PasswordHash};
use serde_json::{Value, json};

use crate::http_client::{Connection, HttpServer};
use crate::place::{Place, finish};
use crate::stdio_client::{LEGACY, StdioClient};

#[test]
fn every_command_explains_itself() {
    let place = Place::new();
    for (command, must_say) in [
        ([].as_slice(), "quillgate <vault>"),
        (&["stdio"], "standard input and output"),
        (&["serve"], "--trusted-network"),
        (&["demo"], "--listen-addr"),
        (&["tools"], "--json"),
        (&["hash-password"], "AUTH_USERS"),
        (&["config"], "validate"),
        (&["config", "show"], "--origins"),
        (&["index"], "verify"),
        (&["index", "status"], "--json"),
        (&["version"], "version"),
    ] {
        let mut arguments = command.to_vec();
        arguments.push("--help");
        let (status, output, _) = finish(place.program(&arguments));
        assert_eq!(status, 0, "{command:?}");
        assert!(output.contains("Usage: quillgate") && output.contains(must_say), "{command:?}: {output}");
    }
}

#[test]
fn without_arguments_the_help_is_shown() {
    let place = Place::new();
    let mut command = place.program(&[]);
    command.env_remove("QUILLGATE_DATA_DIR");
    let (status, output, complaint) = finish(command);
    assert_eq!((status, output.as_str()), (2, ""));
    assert!(complaint.contains("Usage: quillgate"), "{complaint}");
}

#[test]
fn the_version_is_printed() {
    let place = Place::new();
    for argument in ["version", "--version", "-V"] {
        let (status, output, _) = finish(place.program(&[argument]));
        assert_eq!((status, output), (0, format!("quillgate {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn the_tools_of_each_surface_are_listed_as_text_and_as_json() {
    let place = Place::new();
    for surface in ["essentials", "vault", "notes", "cli", "engine"] {
        let (status, output, _) = finish(place.program(&["tools", "--surface", surface, "--json"]));
        assert_eq!(status, 0);
        let listed: Value = serde_json::from_str(&output).expect("JSON");
        assert_eq!(listed[0]["surface"], surface);
        let (_, text, _) = finish(place.program(&["tools", "--surface", surface]));
        for tool in listed[0]["tools"].as_array().expect("tools") {
            assert!(tool["description"].is_string() && tool["inputSchema"]["type"] == "object", "{tool}");
            assert!(text.contains(tool["name"].as_str().expect("a name")), "{text}");
        }
    }
    let (_, output, _) = finish(place.program(&["tools", "--json"]));
    let all: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(5));
    let (status, _, complaint) = finish(place.program(&["tools", "--surface", "none"]));
    assert_eq!(status, 1);
    assert!(complaint.contains("no surface named \"none\""), "{complaint}");
}

fn hash(place: &Place, password: &str) -> (i32, String, String) {
    let mut command = place.program(&["hash-password"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("piped").write_all(password.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

fn verifies(hash: &str, password: &str) -> bool {
    let hash = PasswordHash::parse(hash).expect("a hash");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(Hashing::default().verify(Some(&hash), &password.to_owned().into()))
}

#[test]
fn a_password_from_standard_input_becomes_a_hash_that_verifies() {
    let place = Place::new();
    for password in ["correct horse\n", "Ünïcode\r\n", "no newline"] {
        let (status, output, _) = hash(&place, password);
        assert_eq!(status, 0);
        let hash = output.strip_suffix('\n').expect("one line");
        assert!(hash.starts_with("$argon2id$"), "{hash}");
        assert!(verifies(hash, password.trim_end()) && !verifies(hash, "another"), "{hash}");
    }
}

#[test]
fn a_password_that_is_empty_or_too_long_is_refused() {
    let place = Place::new();
    for (password, reason) in [("", "empty"), ("\n", "empty"), (&"x".repeat(1025), "longer than 1024")] {
        let (status, output, complaint) = hash(&place, password);
        assert_eq!((status, output.as_str()), (1, ""));
        assert!(complaint.contains(reason), "{complaint}");
    }
}

#[test]
fn a_vault_alone_is_enough() {
    let place = Place::with(&[("a.md", "A")]);
    let vault = place.vault();
    let mut client = StdioClient::start(place.program(&[vault.to_str().expect("UTF-8")]));
    client.initialize(LEGACY);
    assert_eq!(client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
}

#[test]
fn options_may_stand_with_the_vault_or_come_from_the_environment() {
    let place = Place::with(&[("a.md", "A")]);
    let vault = place.vault();
    let mut client = StdioClient::start(place.program(&[vault.to_str().expect("UTF-8"), "--surface", "notes"]));
    client.initialize(LEGACY);
    assert_eq!(client.call("note_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
    let mut command = place.program(&["stdio"]);
    command.env("VAULT_PATH", vault);
    let mut client = StdioClient::start(command);
    client.initialize(LEGACY);
    assert_eq!(client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"], "A");
}

#[test]
fn nothing_is_written_into_the_vault_by_serving_it() {
    let place = Place::with(&[("a.md", "A")]);
    let mut client = StdioClient::legacy(&place, &[]);
    client.call("vault_list_all", json!({}));
    client.leave();
    let names: Vec<_> = std::fs::read_dir(place.vault()).expect("a vault").map(|entry| entry.expect("one").file_name()).collect();
    assert_eq!(names, ["a.md"]);
}

fn fails(command: Command) -> String {
    let (status, output, complaint) = finish(command);
    assert_eq!((status, output.as_str()), (1, ""), "{complaint}");
    assert!(complaint.starts_with("quillgate: "), "{complaint}");
    complaint
}

#[test]
fn a_vault_that_is_missing_is_said_clearly() {
    let place = Place::new();
    let missing = place.path("no such vault");
    let complaint = fails(place.program(&[missing.to_str().expect("UTF-8")]));
    assert!(complaint.contains(&format!("no vault at {}", missing.display())), "{complaint}");
    let file = place.file("file.md", "");
    assert!(fails(place.program(&[&file])).contains("file.md"));
    assert!(fails(place.program(&["stdio"])).contains("no vault is given"));
    assert!(fails(place.program(&["serve", "--listen-addr", "127.0.0.1:0"])).contains("no vault is given"));
}

#[test]
fn a_data_folder_inside_the_vault_is_refused() {
    let place = Place::new();
    let vault = place.vault();
    let vault = vault.to_str().expect("UTF-8");
    for inside in [
        format!("{vault}/data"),
        format!("{vault}/../vault/.data"),
        vault.to_owned(),
        "vault/data".into(),
        "none/../vault/x".into(),
    ] {
        let complaint = fails(place.program(&["stdio", vault, "--data-dir", &inside]));
        assert!(complaint.contains("lies inside the vault") && complaint.contains("--data-dir"), "{complaint}");
    }
    assert_eq!(std::fs::read_dir(place.vault()).expect("a vault").count(), 0, "nothing was made there");
}

#[test]
#[cfg(unix)]
fn a_data_folder_that_leads_into_the_vault_is_refused() {
    let place = Place::new();
    std::fs::create_dir(place.vault().join("inside")).expect("a folder");
    std::os::unix::fs::symlink(place.vault().join("inside"), place.path("link")).expect("a link");
    let (vault, link) = (place.vault(), place.path("link"));
    for data in [link.clone(), link.join("deeper")] {
        let (vault, data) = (vault.to_str().expect("UTF-8"), data.to_str().expect("UTF-8"));
        let complaint = fails(place.program(&["stdio", vault, "--data-dir", data]));
        assert!(complaint.contains("lies inside the vault"), "{complaint}");
    }
}

#[test]
fn the_configuration_may_be_json_yaml_or_toml() {
    let place = Place::new();
    place.write("a.md", "1\n2\n3\n");
    let vault = place.vault();
    let vault = vault.to_str().expect("UTF-8");
    for (name, text) in [
        ("c.json", format!("{{\"vaultPath\": {vault:?}, \"read\": {{\"thresholdLines\": 2}}}}")),
        ("c.yaml", format!("vaultPath: {vault:?}\nread:\n  thresholdLines: 2\n")),
        ("c.yml", format!("vaultPath: {vault:?}\nread: {{thresholdLines: 2}}\n")),
        ("c.toml", format!("vaultPath = {vault:?}\n[read]\nthresholdLines = 2\n")),
    ] {
        let config = place.file(name, &text);
        let mut client = StdioClient::start(place.program(&["stdio", "--config", &config]));
        client.initialize(LEGACY);
        let read = client.call("vault_read", json!({"path": "a.md"}));
        assert_eq!(read["structuredContent"]["truncated"], true, "{name}: {read}");
    }
}

#[test]
fn a_key_that_the_configuration_does_not_have_is_named() {
    let place = Place::new();
    for (name, text) in [
        ("c.json", "{\"limits\": {\"maxSesions\": 2}}"),
        ("c.yaml", "limits:\n  maxSesions: 2\n"),
        ("c.toml", "[limits]\nmaxSesions = 2\n"),
    ] {
        let config = place.file(name, text);
        let complaint = fails(place.program(&["stdio", "vault", "--config", &config]));
        assert!(complaint.contains("maxSesions") && complaint.contains(name), "{complaint}");
        assert!(complaint.contains("maxSessions"), "the known ones are listed: {complaint}");
    }
    assert!(fails(place.program(&["stdio", "vault", "--config", "none.json"])).contains("none.json"));
    let config = place.file("bad.json", "{\"limits\": {\"maxSessions\": \"two\"}}");
    assert!(fails(place.program(&["stdio", "vault", "--config", &config])).contains("bad.json"));
}

#[test]
fn an_unknown_surface_is_named_with_those_there_are() {
    let place = Place::new();
    let complaint = fails(place.program(&["stdio", "vault", "--surface", "noets"]));
    assert!(complaint.contains("noets") && complaint.contains("notes"), "{complaint}");
    let complaint = fails(place.program(&["stdio", "vault", "--surface", "notes", "--surface", "cli"]));
    assert!(complaint.contains("one surface"), "{complaint}");
}

/// What a demo says until it waits, and where it is.
fn start_demo(mut command: Command) -> (Child, String, SocketAddr) {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a demo");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let mut said = String::new();
    for line in output.lines().map_while(Result::ok) {
        said.push_str(&line);
        said.push('\n');
        if line.contains("Ctrl-C") {
            break;
        }
    }
    let endpoint = said.lines().find_map(|line| line.trim().strip_prefix("http://")).expect("an endpoint");
    let address = endpoint.strip_suffix("/mcp").expect("an endpoint").parse().expect("an address");
    (child, said, address)
}

#[test]
fn the_demo_can_serve_a_newspaper_with_login_there() {
    let place = Place::new();
    let (mut child, said, address) = start_demo(place.program(&["demo", "--articles", "--listen-addr", "127.0.0.1:0"]));
    assert!(said.contains("reader") && said.contains("strandvik") && said.contains("claude mcp add"), "{said}");
    let refused = Connection::to(address).modern("/mcp", "tools/list", json!({}));
    assert_eq!(refused.status, 401, "{}", refused.body);
    let url = format!("http://{address}");
    let (_, steps, complaint) = finish(place.program(&["doctor", "--oauth", "--server-url", &url]));
    assert!(steps.contains("ok  registration") && complaint.contains("log in at another site"), "{steps}{complaint}");
    let card: Value =
        serde_json::from_str(&Connection::to(address).request("GET", "/", &[("accept", "*/*")], b"").body).expect("a card");
    assert_eq!(card["endpoints"][0]["url"], format!("{url}/mcp/articles"), "{card}");
    child.kill().expect("a process of ours");
    child.wait().expect("it ends");
}

#[test]
fn the_root_is_a_page_for_people_and_a_card_for_programs() {
    let place = Place::new();
    let server = HttpServer::on(&place, &[]);
    let url = format!("http://{}/mcp", server.address);
    let page = server.connect().request("GET", "/", &[("accept", "text/html,*/*")], b"");
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.body.contains(&format!("claude mcp add --transport http quillgate {url}")), "{}", page.body);
    for path in ["/", "/.well-known/mcp/server-card.json"] {
        let card: Value =
            serde_json::from_str(&server.connect().request("GET", path, &[("accept", "*/*")], b"").body).expect("JSON");
        assert_eq!((&card["name"], &card["transport"]["endpoint"]), (&json!("quillgate"), &json!(url)), "{card}");
        assert_eq!(card["authentication"]["required"], false, "{card}");
    }
}

#[test]
fn the_demo_serves_a_vault_of_its_own_and_shows_how_to_connect() {
    let place = Place::new();
    let (mut child, said, address) = start_demo(place.program(&["demo", "--listen-addr", "127.0.0.1:0"]));
    for client in
        ["claude mcp add --transport http quillgate", "claude_desktop_config.json", ".cursor/mcp.json", ".vscode/mcp.json"]
    {
        assert!(said.contains(client), "{said}");
    }
    assert!(said.matches(&format!("{address}/mcp")).count() >= 4, "{said}");
    let mut connection = Connection::to(address);
    let listed = connection.modern("/mcp", "tools/call", json!({"name": "vault_list_all", "arguments": {}})).message();
    let total = listed["result"]["structuredContent"]["total_files"].as_u64().expect("a number");
    assert!(total > 10, "{listed}");
    let vault = place.path("data").join("demo").join("vault");
    assert!(said.contains(vault.to_str().expect("UTF-8")), "its vault is a copy in the data folder: {said}");
    let write = json!({"name": "vault_write", "arguments": {"path": "mine.md", "content": "x"}});
    assert_eq!(connection.modern("/mcp", "tools/call", write).message()["result"]["structuredContent"]["created"], true);
    assert!(vault.join("mine.md").exists());
    let sources = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/vault/mine.md");
    assert!(!sources.exists());
    child.kill().expect("ours");
    child.wait().expect("ours");
}

#[test]
fn the_snippet_for_desktop_clients_starts_the_program() {
    let place = Place::new();
    let mut command = place.program(&["demo", "--listen-addr", "127.0.0.1:0"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("a demo");
    let output = BufReader::new(child.stdout.take().expect("piped"));
    let lines: Vec<String> = output.lines().map_while(Result::ok).take_while(|line| !line.starts_with("Then ask")).collect();
    let start = lines.iter().position(|line| line.contains("claude_desktop_config.json")).expect("the snippet");
    let end = lines.iter().position(|line| line.starts_with("Cursor")).expect("the next one");
    let snippet: Value = serde_json::from_str(&lines[start + 1..end].join("\n")).expect("JSON");
    let server = &snippet["mcpServers"]["quillgate"];
    let mut command = Command::new(server["command"].as_str().expect("a program"));
    command.args(server["args"].as_array().expect("arguments").iter().filter_map(Value::as_str));
    command.env("QUILLGATE_DATA_DIR", place.path("data"));
    let mut client = StdioClient::start(command);
    client.initialize(LEGACY);
    assert!(
        client.call("vault_list_all", json!({}))["structuredContent"]["total_files"].as_u64().is_some_and(|total| total > 10)
    );
    child.kill().expect("ours");
    child.wait().expect("ours");
}

#[test]
fn the_index_can_be_looked_at_made_anew_and_compared_with_the_files() {
    let place = Place::with(&[("a.md", "A [[b]]"), ("sub/b.md", "---\nbroken: [\n---\n"), ("c.png", "c")]);
    let vault = place.vault();
    let run = |arguments: &[&str]| {
        let mut command = vec!["index"];
        command.extend(arguments);
        command.extend(["--vault-path", vault.to_str().expect("UTF-8")]);
        finish(place.program(&command))
    };
    let json = |arguments: &[&str]| -> Value {
        let (status, output, complaint) = run(arguments);
        assert_eq!(status, 0, "{complaint}");
        serde_json::from_str(&output).expect("JSON")
    };
    assert!(json(&["rebuild", "--json"])["documents"].as_u64().is_some_and(|documents| documents >= 2));
    let status = json(&["status", "--json"]);
    assert_eq!((&status["files"], &status["notes"], &status["write_failures"]), (&json!(3), &json!(2), &json!(0)));
    assert_eq!((&status["role"], &status["problems"][0]["path"]), (&json!("writer"), &json!("sub/b.md")));
    let (_, text, _) = run(&["status"]);
    assert!(text.contains("files        3, of them 2 notes") && text.contains("not read     sub/b.md"), "{text}");
    assert_eq!(json(&["verify", "--json"])["differences"], json!([]));
    let (code, text, _) = run(&["verify"]);
    assert!(code == 0 && text.contains("3 files compared"), "{text}");
    let (code, _, complaint) = finish(place.program(&["index", "status", "no-such-folder"]));
    assert!(code == 1 && complaint.contains("no vault at"), "{complaint}");
}
