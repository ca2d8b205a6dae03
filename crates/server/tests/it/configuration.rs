//! The configuration as operators meet it: what counts, what is wrong with it, and what its keys mean.

use quillgate::config::Config;
use serde_json::{Map, Value, json};

use crate::place::{Place, finish};
use crate::stdio_client::{LEGACY, StdioClient};

/// What `config show` prints, with these arguments.
fn show(place: &Place, arguments: &[&str]) -> Value {
    let (status, output, complaint) = finish(place.program(&[&["config", "show"], arguments].concat()));
    assert_eq!(status, 0, "{complaint}");
    serde_json::from_str(&output).expect("JSON")
}

#[test]
fn show_tells_what_counts_and_where_it_comes_from() {
    let place = Place::new();
    let config = place.file("c.yaml", "logLevel: warn\nread:\n  thresholdLines: 7\nthrottle:\n  tiers: {read: {burst: 3}}\n");
    let shown = show(&place, &["--config", &config]);
    assert_eq!((&shown["read"]["thresholdLines"], &shown["throttle"]["read"]["perMinute"]), (&json!(7), &json!(600)));
    assert_eq!(shown["surfaces"], json!(["essentials"]));
    assert_eq!(shown["listenAddr"], "127.0.0.1:8090");
    assert_eq!(shown["auth"]["mode"], json!(["none"]));

    let mut command = place.program(&["config", "show", "--origins", "--vault-path", "vault", "--config", &config]);
    let (status, output, complaint) = finish({
        command.env("LOG_LEVEL", "debug");
        command
    });
    assert_eq!(status, 0, "{complaint}");
    let origins: Value = serde_json::from_str(&output).expect("JSON");
    let check =
        |key: &str, value: Value, origin: &str| assert_eq!(origins[key], json!({"value": value, "origin": origin}), "{key}");
    check("read.thresholdLines", json!(7), &format!("{config}:3"));
    check("throttle.read.burst", json!(3), &format!("{config}:5"));
    check("logLevel", json!("debug"), "environment LOG_LEVEL");
    check("vaultPath", json!("vault"), "flag --vault-path");
    check("dataDir", json!(place.path("data")), "environment QUILLGATE_DATA_DIR");
    check("limits.maxSessions", json!(500), "default");

    let (_, yaml, _) = finish(place.program(&["config", "show", "--format", "yaml", "--config", &config]));
    assert!(yaml.contains("thresholdLines: 7\n"), "{yaml}");
}

#[test]
fn every_problem_is_named_with_its_place_whatever_command_meets_it() {
    let place = Place::new();
    for (name, text, places) in [
        ("c.json", "{\"throttle\":\n  {\"read\": {\"perMinute\": \"many\"}},\n  \"acl\": {\"readPath\": []}}", ["2:26", "3:11"]),
        ("c.yaml", "throttle:\n  read:\n    perMinute: many\nacl: {readPath: []}\n", ["3:16", "4:7"]),
        ("c.toml", "throttle.read.perMinute = \"many\"\n[acl]\nreadPath = []\n", ["1:27", "3:1"]),
    ] {
        let file = place.file(name, text);
        let expected = [
            format!("{file}:{}: throttle.read.perMinute: expected a positive whole number, found \"many\"", places[0]),
            format!("{file}:{}: acl.readPath: is not a known key; did you mean readPaths?", places[1]),
        ];
        let (status, output, complaint) = finish(place.program(&["config", "validate", "--config", &file]));
        assert_eq!((status, output.lines().map(str::to_owned).collect::<Vec<_>>().as_slice()), (1, &expected[..]));
        assert_eq!(complaint, "quillgate: 2 problems\n");
        for command in
            [&["stdio", "vault"][..], &["serve"], &["users", "list"], &["config", "show"], &["index", "status", "vault"]]
        {
            let (status, output, complaint) = finish(place.program(&[command, &["--config", &file]].concat()));
            assert_eq!((status, output.as_str()), (1, ""), "{command:?}");
            assert!(expected.iter().all(|line| complaint.contains(line)), "{command:?}: {complaint}");
        }
    }
}

#[test]
fn a_valid_file_is_called_so() {
    let place = Place::new();
    let file = place.file("c.yaml", "vaultPath: vault\nacl: {writePaths: ['projects/**']}\n");
    let (status, output, _) = finish(place.program(&["config", "validate", "--config", &file]));
    assert_eq!((status, output), (0, format!("{file} is valid\n")));
    let (status, output, _) = finish(place.program(&["config", "validate"]));
    assert_eq!((status, output.contains("no configuration file")), (0, true), "{output}");
    let (status, _, complaint) = finish(place.program(&["config", "validate", "--config", "none.yaml"]));
    assert_eq!((status, complaint.contains("none.yaml")), (1, true), "{complaint}");
}

#[test]
fn a_file_of_another_engine_can_be_used_as_it_is() {
    let place = Place::new();
    let theirs = include_str!("../../src/config/file/other_engine.json");
    let file = place.file("theirs.json", &theirs.replace(".cache", "cache"));
    for vault in ["main", "archive"] {
        std::fs::create_dir(place.path(vault)).expect("a vault");
    }
    let mut command = place.program(&["config", "validate", "--config", &file]);
    command.env_remove("QUILLGATE_DATA_DIR");
    let (status, output, complaint) = finish(command);
    assert_eq!(status, 0, "{output}{complaint}");
    let key = format!("note: {file}:9:21: vaults[0].restApiKey: accepted, not used by this version");
    assert!(output.contains(&key) && output.contains("embeddings: accepted, not used"), "{output}");
    assert!(!output.contains("canary"), "{output}");
    let shown = show(&place, &["--config", &file]);
    assert_eq!((&shown["listenAddr"], &shown["allowedOrigins"]), (&json!("127.0.0.1:8765"), &json!(["https://app.example.com"])));
    assert_eq!(shown["defaultVault"], "main");
    assert!(!shown.to_string().contains("canary"), "{shown}");
}

#[test]
fn what_only_this_machine_can_tell_is_told_too() {
    let place = Place::new();
    let check = |text: &str, expected: &[&str]| {
        let file = place.file("c.yaml", text);
        let mut command = place.program(&["config", "validate", "--config", &file]);
        command.env_remove("QUILLGATE_DATA_DIR");
        let (status, output, complaint) = finish(command);
        assert_eq!(status, 1, "{output}{complaint}");
        assert_eq!(output.lines().count(), expected.len(), "{output}");
        for (line, expected) in output.lines().zip(expected) {
            assert!(line.starts_with(&format!("{file}:{expected}")), "{line}");
        }
    };
    check("vaults: [{id: a, path: nowhere}]\n", &["1:24: vaults[0].path: no vault at "]);
    check("vaultPath: vault\ncacheDir: vault/.cache\n", &["2:11: dataDir: "]);
    check(
        "vaultPath: vault\ndataDir: data\nobservability: {cloudEvents: {folder: vault/x}}\n",
        &["3:39: observability.cloudEvents.folder: "],
    );
    check("dataDir: data\ntransports: {http: {host: 0.0.0.0}}\n", &["2:27: transports.http.host: 0.0.0.0:8090 can be reached"]);
    check(
        "dataDir: data\nauth:\n  mode: [oauth, jwt]\n  users: [{name: a, password: plain}]\nstate: nowhere\n",
        &["3:3: auth: auth.mode jwt needs auth.issuer", "4:11: auth.users[0]: the password of user", "5:8: state: "],
    );
    check("dataDir: data\nserverUrl: https://x.example\n", &["2:12: serverUrl: the server URL"]);
}

#[test]
fn vaults_are_found_beside_the_file_and_chosen_by_the_environment() {
    let place = Place::new();
    for (vault, text) in [("vault", "here"), ("deep/one", "one"), ("deep/two", "two")] {
        std::fs::create_dir_all(place.path(vault)).expect("a folder");
        std::fs::write(place.path(vault).join("a.md"), text).expect("a note");
    }
    let file = place.file("deep/c.yaml", "vaults: [{id: first, path: one}, {id: second, path: two}]\n");
    let vault = place.vault();
    let vault = vault.to_str().expect("UTF-8");
    let read = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = place.program(&[&["stdio", "--config", &file], arguments].concat());
        command.envs(variables.iter().copied());
        let mut client = StdioClient::start(command);
        client.initialize(LEGACY);
        client.call("vault_read", json!({"path": "a.md"}))["structuredContent"]["content"].clone()
    };
    assert_eq!(read(&[], &[]), "one");
    assert_eq!(read(&[], &[("QUILLGATE_DEFAULT_VAULT", "second")]), "two");
    assert_eq!(read(&[], &[("OBSIDIAN_TC_DEFAULT_VAULT", "second")]), "two");
    assert_eq!(read(&[vault], &[("QUILLGATE_DEFAULT_VAULT", "second")]), "here");
    assert_eq!(read(&[], &[("VAULT_PATH", vault)]), "here");

    let mut command = place.program(&["stdio", "--config", &file]);
    command.env("QUILLGATE_DEFAULT_VAULT", "third");
    let (status, _, complaint) = finish(command);
    let expected = "no vault has the id \"third\"; there are first, second (environment QUILLGATE_DEFAULT_VAULT)";
    assert_eq!((status, complaint.contains(expected)), (1, true), "{complaint}");
    let shown = show(&place, &["--config", &file, "--vault-path", "deep/two"]);
    assert_eq!((&shown["vaults"][0]["id"], &shown["vaults"][1]), (&json!("second"), &Value::Null), "it keeps its id");
}

#[test]
fn a_key_is_explained_with_its_value_and_its_neighbours() {
    let place = Place::new();
    let file = place.file("c.yaml", "acl:\n  readPaths: ['a/**']\nvaults: [{id: a, path: vault}]\n");
    let explain = |key: &str| finish(place.program(&["config", "explain", key, "--config", &file]));
    let (status, output, _) = explain("acl.readPaths");
    assert_eq!(status, 0);
    assert!(output.contains("The only paths that may be read") && output.contains("type     list of text"), "{output}");
    assert!(output.contains(&format!("now      [\"a/**\"] ({file}:2)")), "{output}");
    let (_, output, _) = explain("throttle.read.perMinute");
    assert!(output.contains("type     positive whole number") && output.contains("default  600"), "{output}");
    let (_, output, _) = explain("throttle.read");
    assert!(output.contains("burst"), "{output}");
    let (_, output, _) = explain("vaults");
    assert!(output.contains(&format!("now      vaults[0].id = \"a\" ({file}:3)")), "{output}");
    let (_, output, _) = explain("cacheDir");
    assert!(output.starts_with("dataDir\n"), "{output}");
    let (status, _, complaint) = explain("acl.readPath");
    assert_eq!((status, complaint.contains("did you mean acl.readPaths?")), (1, true), "{complaint}");

    let broken = place.file("broken.yaml", "acl: 1\n");
    let (status, output, _) = finish(place.program(&["config", "explain", "acl.readPaths", "--config", &broken]));
    assert_eq!((status, output.contains("config validate")), (0, true), "{output}");
    let (status, output, _) = finish(place.program(&["config", "explain"]));
    assert_eq!(status, 0);
    for name in ["vaultPath", "vaults", "  path", "acl", "  readPaths", "throttle", "  read", "    perMinute"] {
        assert!(output.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}: {output}");
    }
}

/// A value that has a canary wherever the schema has a secret, or what is not used; and as little else as it needs.
fn with_canaries(root: &Value, schema: &Value, planted: &mut usize) -> Option<Value> {
    if schema.get("writeOnly").is_some() || schema.get("x-unused").is_some() {
        *planted += 1;
        return Some(json!(format!("canary-{planted}")));
    }
    if let Some(reference) = schema["$ref"].as_str() {
        return with_canaries(root, root.pointer(&reference[1..]).expect("a definition"), planted);
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        return choices.iter().find_map(|choice| with_canaries(root, choice, planted));
    }
    if schema.get("items").is_some() {
        return with_canaries(root, &schema["items"], planted).map(|item| json!([item]));
    }
    if schema["additionalProperties"].is_object() {
        return with_canaries(root, &schema["additionalProperties"], planted).map(|value| json!({"Authorization": value}));
    }
    let mut object = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        object.extend(with_canaries(root, property, planted).map(|value| (name.clone(), value)));
    }
    let has_canary = !object.is_empty();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let is_list = schema["properties"][name]["type"] == "array";
        object.entry(name).or_insert(if is_list { json!([]) } else { json!("x") });
    }
    has_canary.then_some(Value::Object(object))
}

#[test]
fn no_secret_of_any_key_is_ever_shown() {
    let place = Place::new();
    let schema: Value = schemars::schema_for!(Config).into();
    let mut planted = 0;
    let mut config = with_canaries(&schema, &schema, &mut planted).expect("there are secrets");
    assert!(planted > 20, "{planted}");
    assert!(config["auth"]["jwtSecret"].is_string() && config["observability"]["otel"]["headers"].is_object(), "{config}");
    assert!(config["vaults"][0]["restApiKey"].is_string() && config["sites"][0]["auth"]["users"].is_array(), "{config}");
    config["serverUrl"] = json!("https://me:canary-url@vault.example.com");
    config["observability"]["otel"]["endpoint"] = json!("https://me:canary-otel@collector.example.com");
    let file = place.config(&config);
    for arguments in [
        &["show"][..],
        &["show", "--origins"],
        &["show", "--format", "yaml"],
        &["validate"],
        &["explain", "auth.jwtSecret"],
        &["explain", "auth.users"],
        &["explain", "observability.otel.headers"],
        &["explain", "vaults"],
    ] {
        let (_, output, complaint) = finish(place.program(&[&["config"], arguments, &["--config", &file]].concat()));
        assert!(!format!("{output}{complaint}").contains("canary"), "{arguments:?}: {output}{complaint}");
        assert!(!output.is_empty(), "{arguments:?}: {complaint}");
    }
    let shown = show(&place, &["--config", &file]);
    assert_eq!((&shown["auth"]["jwtSecret"], &shown["state"]), (&json!("(hidden)"), &json!("(hidden)")));
    let mut command = place.program(&["config", "show", "--auth-users", "anna:canary-hash"]);
    command.env("QUILLGATE_STATE", "postgres://me:canary@db.example/notes");
    let (status, output, _) = finish(command);
    assert_eq!((status, output.contains("canary")), (0, false), "{output}");
    assert!(output.contains("PostgreSQL database notes on db.example"), "{output}");
}
