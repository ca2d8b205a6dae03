//! The `engine` surface: addresses that the app opens.

use serde_json::{Value, json};

use crate::asking::{refused, without_effect};
use crate::place::Place;

#[test]
fn addresses_are_written_as_the_app_reads_them() {
    let place = Place::new(&[]);
    let uri = |action: &str, params: Value| {
        let call = json!({"action": action, "params": params, "vault_name": "my vault"});
        without_effect(&place, "generate_uri", call)["uri"].as_str().unwrap().to_owned()
    };
    assert_eq!(uri("open", json!({})), "obsidian://open?vault=my%20vault");
    assert_eq!(uri("open", json!({"file": "path/to/my note"})), "obsidian://open?vault=my%20vault&file=path%2Fto%2Fmy%20note");
    assert_eq!(uri("open", json!({"file": "Note#^Block"})), "obsidian://open?vault=my%20vault&file=Note%23%5EBlock");
    assert_eq!(
        uri("open", json!({"file": "ä&b", "paneType": "tab"})),
        "obsidian://open?vault=my%20vault&file=%C3%A4%26b&paneType=tab"
    );
    assert_eq!(uri("open", json!({"path": "/home/user/my vault/a"})), "obsidian://open?path=%2Fhome%2Fuser%2Fmy%20vault%2Fa");
    assert_eq!(
        uri("search", json!({"query": "tag:#x \"a b\""})),
        "obsidian://search?vault=my%20vault&query=tag%3A%23x%20%22a%20b%22"
    );
    let new = json!({"name": "my note", "content": "a\nb", "silent": true, "append": false});
    assert_eq!(uri("new", new), "obsidian://new?vault=my%20vault&name=my%20note&content=a%0Ab&silent=true");
    assert_eq!(
        uri("daily", json!({"append": true, "content": "+1%"})),
        "obsidian://daily?vault=my%20vault&append=true&content=%2B1%25"
    );
    assert_eq!(
        uri("command", json!({"commandid": "workspace:export-pdf", "filepath": "a.md"})),
        "obsidian://adv-uri?vault=my%20vault&commandid=workspace%3Aexport-pdf&filepath=a.md"
    );
    assert_eq!(
        uri("hookmark", json!({"x-success": "app://x?y"})),
        "obsidian://hook-get-address?vault=my%20vault&x-success=app%3A%2F%2Fx%3Fy"
    );
    assert_eq!(
        uri("advanced", json!({"daily": true, "line": 3, "mode": "append"})),
        "obsidian://adv-uri?vault=my%20vault&daily=true&line=3&mode=append"
    );
    let named = without_effect(&place, "generate_uri", json!({"action": "open", "params": {}}));
    assert_eq!(named, json!({"uri": "obsidian://open?vault=vault"}), "by default the vault that is served");
}

#[test]
fn what_the_app_would_not_understand_is_refused() {
    let place = Place::new(&[]);
    let check = |action: &str, params: Value, named: &str| {
        let refusal = place.refused("engine", "generate_uri", json!({"action": action, "params": params}));
        assert_eq!(refusal.code, "invalid_input");
        assert!(refusal.message.contains(named), "{}", refusal.message);
    };
    check("open", json!({"file": "a", "query": "x"}), "params.query means nothing to open");
    check("open", json!({"paneType": "popup"}), "params.paneType expected one of");
    check("open", json!({"file": ["a"]}), "params.file expected a string");
    check("new", json!({"content": "x"}), "params needs one of name, file, path");
    check("command", json!({"filepath": "x"}), "commandid, commandname");
    check("advanced", json!({"vault": "x"}), "params.vault is given by vault_name");
    check("launch", json!({}), "action");
    assert_eq!(refused(&place, "generate_uri", json!({"action": "open"})), "invalid_input");
}
