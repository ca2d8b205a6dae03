//! Syncing with the operator's own command.

use std::path::PathBuf;
use std::time::Duration;

use quillgate_tools::{Settings, SyncCommand};
use serde_json::json;

use crate::place::Place;

fn syncing(script: &str, limit: Duration) -> Place {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let sync = Some(SyncCommand { command, limit, folder: None });
    Place::with_settings(&[("old.md", "old"), ("same.md", "same")], Settings { sync, ..Settings::default() })
}

#[test]
fn what_a_sync_brought_is_there_when_it_returns() {
    let place =
        syncing("echo pulled; echo '---\ntags: [new]\n---' > new.md; rm old.md; echo warning >&2", Duration::from_secs(10));
    let synced = place.done("notes", "vault_sync", json!({}));
    assert_eq!(synced["changed"], 2);
    assert!(synced["output_tail"].as_str().unwrap().contains("pulled"), "{synced}");
    assert!(synced["duration_ms"].is_u64());
    let files = place.done("vault", "vault_list_all", json!({}))["files"].clone();
    assert_eq!((&files[0]["path"], &files[0]["tags"]), (&json!("new.md"), &json!(["new"])));
    assert_eq!(place.done("notes", "vault_sync", json!({}))["changed"], 1, "it writes new.md anew");
}

#[test]
fn a_sync_that_fails_shows_the_end_of_its_output() {
    let place = syncing("echo the remote is gone >&2; exit 3", Duration::from_secs(10));
    let refused = place.refused("notes", "vault_sync", json!({}));
    assert_eq!(refused.code, "internal_error");
    assert!(refused.message.contains("the remote is gone"), "{}", refused.message);
}

#[test]
fn a_sync_that_hangs_is_stopped() {
    let place = syncing("sleep 60", Duration::from_millis(200));
    assert_eq!(place.refused("notes", "vault_sync", json!({})).code, "operation_timeout");
}

#[test]
fn a_sync_that_is_not_set_up_says_how() {
    let refused = Place::new(&[]).refused("notes", "vault_sync", json!({}));
    assert_eq!(refused.code, "invalid_input");
    assert!(refused.message.contains("sync.command"), "{}", refused.message);
    let missing =
        SyncCommand { command: vec!["no-such-program".into()], limit: Duration::from_secs(1), folder: Some(PathBuf::from("/")) };
    let place = Place::with_settings(&[], Settings { sync: Some(missing), ..Settings::default() });
    assert!(place.refused("notes", "vault_sync", json!({})).message.contains("no-such-program"));
}
