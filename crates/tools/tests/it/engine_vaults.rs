//! The `engine` surface: the vaults that are served.

use quillgate_tools::{Confirm, Effect, Rate, find_surface};
use serde_json::{Value, json};

use crate::place::Place;

#[track_caller]
fn is_time(value: &Value) {
    assert!(value.as_str().is_some_and(|time| time.starts_with("20") && time.ends_with('Z')), "{value}");
}

#[test]
fn vaults_are_listed_with_how_much_is_known_of_them() {
    let place = Place::new(&[("a.md", "a"), ("b.md", "b"), ("c.png", "c")]);
    let mut listed = place.answer("list_vaults", json!({}));
    if let Some(time) = listed["vaults"][0].as_object_mut().unwrap().remove("last_indexed_at") {
        is_time(&time);
    }
    let chunks = listed["vaults"][0]["chunk_count"].take();
    assert!(chunks.as_u64().is_some_and(|chunks| chunks <= 3), "{chunks}");
    let vault = json!({
        "id": "vault", "name": "vault", "path": place.on_disk("").to_str().unwrap().trim_end_matches('/'), "read_only": false,
        "embeddings_provider": "none", "note_count": 2, "chunk_count": null,
    });
    assert_eq!(listed, json!({"vaults": [vault]}));
    assert_eq!(place.code("list_vaults", json!({"vault": "vault"})), "invalid_input", "it is about all vaults");
}

#[test]
fn a_vault_is_described_with_its_rules() {
    let place = Place::new(&[("a.md", "a")]);
    let vault = place.answer("get_vault", json!({"vault": "vault"}));
    assert_eq!((&vault["id"], &vault["name"], &vault["read_only"]), (&json!("vault"), &json!("vault"), &json!(false)));
    assert_eq!(vault["acl"], json!({"write_paths": ["work/**"]}), "a list that is not set allows everything");
    assert_eq!(vault["embeddings"], json!({"provider": "none"}));
    assert_eq!(vault["cache"]["note_count"], 1);
    assert!(vault["cache"]["chunk_count"].is_u64() && vault["cache"]["db_size_bytes"].is_u64(), "{vault}");
    assert_eq!(place.code("get_vault", json!({"vault": "Not An Id"})), "invalid_input");
}

#[test]
fn the_configuration_is_read_again() {
    let place = Place::new(&[("a.md", "a")]);
    let mut reloaded = place.answer("reload_vault", json!({}));
    is_time(&reloaded["reloaded_at"].take());
    assert_eq!(reloaded, json!({"vault": "vault", "reloaded_at": null, "changed": ["vaults.vault.acl"]}));
}

#[test]
fn what_can_be_made_again_is_dropped_by_parts() {
    let place = Place::new(&[("a.md", "a")]);
    let reset = |arguments: Value| {
        let mut reset = place.answer("reset_vault_cache", arguments);
        is_time(&reset["reset_at"].take());
        assert_eq!(reset["vault"], "vault");
        reset["rows_dropped"].clone()
    };
    assert_eq!(reset(json!({})), json!({"chunks": 1, "embeddings": 1, "idempotency_keys": 1}));
    let other = json!({"include": {"chunks": false, "embeddings": false, "event_log": true}});
    assert_eq!(reset(other), json!({"idempotency_keys": 1, "event_log": 1}));
    assert_eq!(place.code("reset_vault_cache", json!({"include": {"notes": true}})), "invalid_input");
    assert_eq!(place.text("a.md"), "a");
}

#[test]
fn what_an_administrator_does_is_told_as_what_it_is() {
    let spec = |name: &str| find_surface("engine").unwrap().find(name).unwrap().spec;
    let reset = spec("reset_vault_cache");
    assert_eq!((reset.confirm, reset.effect, reset.rate), (Confirm::Always, Effect::Change, Rate::Admin));
    let reload = spec("reload_vault");
    assert_eq!((reload.confirm, reload.rate, reload.scopes), (Confirm::Never, Rate::Admin, &["admin:vault"][..]));
}
