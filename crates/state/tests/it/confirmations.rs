//! A human's word counts for what was shown, and once.

use quillgate_state::{Allowance, ConfirmedCall, Consumed, Pending, State, StateError};

use crate::concurrency::winners;
use crate::place::{NOW, Place, hash, stories};

stories![
    asking_again_is_the_same_request,
    an_approval_is_good_once_with_its_token_or_without,
    an_approval_is_for_this_call_only,
    what_changed_since_it_was_shown_is_not_approved,
    an_approval_of_another_proposal_is_over,
    a_denial_holds_until_it_expires,
    a_decision_is_made_once,
    expired_requests_are_useless_before_they_are_swept,
    the_text_of_notes_goes_with_the_decision,
    a_flood_of_requests_pushes_out_its_own,
    one_of_fifty_uses_an_approval,
    fifty_who_ask_at_once_share_a_request,
    an_allowance_is_for_a_tool_a_folder_and_a_time,
];

const CALL: ConfirmedCall<'static> =
    ConfirmedCall { vault: "work", tool: "delete_note", caller: "3f9a", args_hash: "abc", proposal_hash: "p1" };

fn pending(id: &str) -> Pending {
    Pending {
        id: id.into(),
        vault: CALL.vault.into(),
        tool: CALL.tool.into(),
        caller: CALL.caller.into(),
        args_hash: CALL.args_hash.into(),
        proposal_hash: CALL.proposal_hash.into(),
        proposal: r#"{"diff":"- canary ✓"}"#.into(),
        paths: vec!["a,b.md".into(), "c \"d\"\n.md".into()],
        created: NOW,
        expires: NOW + 600,
    }
}

async fn approve(state: &State, id: &str, now: i64) -> bool {
    state.approve(id, "p1", &hash("token"), "anna", now, now + 300).await.unwrap()
}

async fn consume(state: &State, call: ConfirmedCall<'_>, token: Option<&str>, now: i64) -> Consumed {
    state.consume_confirmation(call, token.map(hash).as_ref(), now).await.unwrap()
}

fn yes() -> Consumed {
    Consumed::Yes { by: "anna".into() }
}

async fn asking_again_is_the_same_request(place: Place) {
    let state = place.open().await;
    assert_eq!(state.request_confirmation(&pending("first")).await.unwrap(), "first");
    let again = Pending {
        created: NOW + 60,
        expires: NOW + 660,
        proposal_hash: "p2".into(),
        proposal: "newer".into(),
        paths: vec![],
        ..pending("second")
    };
    assert_eq!(state.request_confirmation(&again).await.unwrap(), "first");
    drop(state);

    let state = place.open().await;
    let shown = Pending { id: "first".into(), created: NOW, ..again.clone() };
    assert_eq!(state.list_pending(NOW + 60).await.unwrap(), std::slice::from_ref(&shown));
    assert_eq!(state.find_pending("first", NOW + 60).await.unwrap(), Some(shown));
    assert_eq!(state.find_pending("second", NOW + 60).await.unwrap(), None);
    let other = Pending { caller: "else".into(), created: NOW + 1, ..pending("third") };
    assert_eq!(state.request_confirmation(&other).await.unwrap(), "third");
    assert_eq!(state.find_pending("third", NOW + 1).await.unwrap(), Some(other.clone()));
    let ids: Vec<_> = state.list_pending(NOW + 60).await.unwrap().into_iter().map(|pending| pending.id).collect();
    assert_eq!(ids, ["third", "first"]);
    let taken = Pending { tool: "other".into(), ..pending("third") };
    assert!(matches!(state.request_confirmation(&taken).await, Err(StateError::Taken(_))));
    let large = Pending { proposal: "x".repeat(1_000_001), ..pending("large") };
    assert!(matches!(state.request_confirmation(&large).await, Err(StateError::TooLarge { .. })));
}

async fn an_approval_is_good_once_with_its_token_or_without(place: Place) {
    let state = place.open().await;
    for token in [Some("token"), None] {
        state.request_confirmation(&pending("r")).await.unwrap();
        assert_eq!(consume(&state, CALL, None, NOW).await, Consumed::No, "nobody agreed");
        assert_eq!(consume(&state, CALL, Some("token"), NOW).await, Consumed::No);
        assert!(approve(&state, "r", NOW).await);
        assert_eq!(consume(&state, CALL, Some("another"), NOW).await, Consumed::No, "a wrong token uses nothing up");
        assert_eq!(consume(&state, CALL, token, NOW + 299).await, yes());
        assert_eq!(consume(&state, CALL, token, NOW + 299).await, Consumed::No);
    }
}

async fn an_approval_is_for_this_call_only(place: Place) {
    let state = place.open().await;
    state.request_confirmation(&pending("r")).await.unwrap();
    assert!(approve(&state, "r", NOW).await);
    let others = [
        ConfirmedCall { vault: "home", ..CALL },
        ConfirmedCall { tool: "purge_note", ..CALL },
        ConfirmedCall { caller: "77aa", ..CALL },
        ConfirmedCall { args_hash: "abd", ..CALL },
        ConfirmedCall { proposal_hash: "p2", ..CALL },
    ];
    for other in others {
        for token in [Some("token"), None] {
            assert_eq!(consume(&state, other, token, NOW).await, Consumed::No, "{other:?}");
        }
    }
    assert_eq!(consume(&state, CALL, Some("token"), NOW + 300).await, Consumed::No, "too late");
    assert_eq!(consume(&state, CALL, Some("token"), NOW + 299).await, yes());
}

async fn what_changed_since_it_was_shown_is_not_approved(place: Place) {
    let state = place.open().await;
    state.request_confirmation(&pending("r")).await.unwrap();
    let changed = Pending { proposal_hash: "p2".into(), ..pending("other") };
    assert_eq!(state.request_confirmation(&changed).await.unwrap(), "r");
    assert!(!approve(&state, "r", NOW).await, "p1 is what was shown, p2 what it is");
    assert!(state.approve("r", "p2", &hash("token"), "anna", NOW, NOW + 300).await.unwrap());
    assert_eq!(consume(&state, CALL, None, NOW).await, Consumed::No);
    assert_eq!(consume(&state, ConfirmedCall { proposal_hash: "p2", ..CALL }, None, NOW).await, yes());
}

async fn an_approval_of_another_proposal_is_over(place: Place) {
    let state = place.open().await;
    state.request_confirmation(&pending("r")).await.unwrap();
    assert!(approve(&state, "r", NOW).await);
    assert_eq!(state.request_confirmation(&pending("same")).await.unwrap(), "r", "it still stands");
    assert_eq!(state.list_pending(NOW).await.unwrap(), []);
    let changed = Pending { proposal_hash: "p2".into(), ..pending("new") };
    assert_eq!(state.request_confirmation(&changed).await.unwrap(), "new");
    assert_eq!(state.list_pending(NOW).await.unwrap(), [changed]);
    for proposal_hash in ["p1", "p2"] {
        assert_eq!(consume(&state, ConfirmedCall { proposal_hash, ..CALL }, Some("token"), NOW).await, Consumed::No);
    }
}

async fn a_denial_holds_until_it_expires(place: Place) {
    let state = place.open().await;
    state.request_confirmation(&pending("r")).await.unwrap();
    assert!(state.deny("r", "berta", NOW).await.unwrap());
    let denied = Consumed::Denied { by: "berta".into() };
    assert_eq!(consume(&state, CALL, None, NOW).await, denied);
    assert_eq!(consume(&state, ConfirmedCall { proposal_hash: "p2", ..CALL }, Some("token"), NOW).await, denied);
    let again = Pending { proposal_hash: "p2".into(), created: NOW + 1, expires: NOW + 9000, ..pending("again") };
    assert_eq!(state.request_confirmation(&again).await.unwrap(), "r");
    assert_eq!(state.list_pending(NOW + 1).await.unwrap(), []);
    assert_eq!(consume(&state, CALL, None, NOW + 599).await, denied, "asking again neither lifts nor prolongs it");
    assert_eq!(consume(&state, CALL, None, NOW + 600).await, Consumed::No);
    let later = Pending { created: NOW + 600, expires: NOW + 1200, ..pending("later") };
    assert_eq!(state.request_confirmation(&later).await.unwrap(), "later");
    assert_eq!(state.list_pending(NOW + 600).await.unwrap(), [later]);
}

async fn a_decision_is_made_once(place: Place) {
    let state = place.open().await;
    for id in ["approved", "denied"] {
        state.request_confirmation(&Pending { args_hash: id.into(), ..pending(id) }).await.unwrap();
    }
    assert!(approve(&state, "approved", NOW).await && state.deny("denied", "anna", NOW).await.unwrap());
    for id in ["approved", "denied", "none"] {
        assert!(!approve(&state, id, NOW).await && !state.deny(id, "anna", NOW).await.unwrap(), "{id}");
        assert_eq!(state.find_pending(id, NOW).await.unwrap(), None);
    }
}

async fn expired_requests_are_useless_before_they_are_swept(place: Place) {
    let state = place.open().await;
    state.request_confirmation(&pending("r")).await.unwrap();
    assert_eq!(state.find_pending("r", NOW + 600).await.unwrap(), None);
    assert_eq!(state.list_pending(NOW + 600).await.unwrap(), []);
    assert!(!approve(&state, "r", NOW + 600).await && !state.deny("r", "anna", NOW + 600).await.unwrap());
    assert_eq!(state.sweep(NOW + 599).await.unwrap().confirmations, 0);
    assert_eq!(state.sweep(NOW + 600).await.unwrap().confirmations, 1);
    assert!(!approve(&state, "r", NOW).await);
}

async fn the_text_of_notes_goes_with_the_decision(place: Place) {
    let state = place.open().await;
    for id in ["approved", "denied"] {
        state.request_confirmation(&Pending { args_hash: id.into(), ..pending(id) }).await.unwrap();
    }
    let shown = format!("{:?}", pending("r"));
    assert!(!shown.contains("canary") && !shown.contains("a,b.md"), "{shown}");
    assert!(approve(&state, "approved", NOW).await && state.deny("denied", "anna", NOW).await.unwrap());
    assert_eq!(place.number("SELECT COUNT(*) FROM confirmations").await, 2);
    assert_eq!(place.number("SELECT COUNT(*) FROM confirmations WHERE proposal <> ''").await, 0);
}

async fn a_flood_of_requests_pushes_out_its_own(place: Place) {
    let state = place.open().await;
    let ask = async |caller: &str, number: i64| {
        let (id, args_hash) = (format!("{caller}{number}"), number.to_string());
        let (created, expires) = (NOW + number, NOW + number + 600);
        let asked = Pending { caller: caller.into(), args_hash, created, expires, ..pending(&id) };
        state.request_confirmation(&asked).await.unwrap();
    };
    ask("other", 0).await;
    ask("flood", 0).await;
    assert!(approve(&state, "flood0", NOW).await);
    for number in 1..=130 {
        ask("flood", number).await;
    }
    let left: Vec<_> = state.list_pending(NOW + 130).await.unwrap().into_iter().map(|pending| pending.id).collect();
    assert_eq!((left.len(), left[0].as_str(), left[99].as_str(), left[100].as_str()), (101, "flood130", "flood31", "other0"));
    assert_eq!(consume(&state, ConfirmedCall { caller: "flood", args_hash: "0", ..CALL }, None, NOW + 130).await, yes());
}

async fn one_of_fifty_uses_an_approval(place: Place) {
    for token in [Some("token"), None] {
        let state = place.open().await;
        state.request_confirmation(&pending("r")).await.unwrap();
        let agree = |state: State, _| async move { approve(&state, "r", NOW).await };
        assert_eq!(winners(&place, agree).await, 1);
        let attempt = |state: State, _| async move { consume(&state, CALL, token, NOW).await == yes() };
        assert_eq!(winners(&place, attempt).await, 1);
        assert_eq!(winners(&place, attempt).await, 0);
    }
}

async fn fifty_who_ask_at_once_share_a_request(place: Place) {
    let ask = |state: State, number: usize| async move {
        let id = number.to_string();
        state.request_confirmation(&pending(&id)).await.unwrap() == id
    };
    assert_eq!(winners(&place, ask).await, 1);
    assert_eq!(place.open().await.list_pending(NOW).await.unwrap().len(), 1);
}

async fn an_allowance_is_for_a_tool_a_folder_and_a_time(place: Place) {
    let state = place.open().await;
    let allowance = |id: &str, folder: &str, caller: Option<&str>| Allowance {
        id: id.into(),
        vault: "work".into(),
        tool: "delete_note".into(),
        folder: folder.into(),
        caller: caller.map(Into::into),
        by: "anna".into(),
        created: NOW,
        expires: NOW + 3600,
    };
    let (inbox, mine) = (allowance("a", "Inbox", None), allowance("b", "Mine", Some("3f9a")));
    state.allow(&inbox).await.unwrap();
    state.allow(&mine).await.unwrap();
    let find = async |vault: &str, tool: &str, caller: &str, paths: &[&str], now: i64| {
        state.find_allowance(vault, tool, caller, paths, now).await.unwrap().map(|allowance| allowance.id)
    };
    let found = |id: &str| Some(id.to_owned());
    assert_eq!(find("work", "delete_note", "x", &["Inbox/a.md", "Inbox/b.md"], NOW).await, found("a"));
    assert_eq!(find("work", "delete_note", "3f9a", &["Mine/a.md"], NOW).await, found("b"));
    assert_eq!(find("work", "delete_note", "x", &["Mine/a.md"], NOW).await, None);
    assert_eq!(find("work", "delete_note", "3f9a", &["Mine/a.md", "Inbox/a.md"], NOW).await, None, "no one folder has both");
    assert_eq!(find("home", "delete_note", "x", &["Inbox/a.md"], NOW).await, None);
    assert_eq!(find("work", "purge_note", "x", &["Inbox/a.md"], NOW).await, None);
    assert_eq!(find("work", "delete_note", "x", &["Inbox/a.md"], NOW + 3600).await, None);
    assert_eq!(state.allowances(NOW + 3599).await.unwrap(), [inbox, mine.clone()]);
    assert_eq!(state.allowances(NOW + 3600).await.unwrap(), []);
    assert!(state.revoke_allowance("a").await.unwrap() && !state.revoke_allowance("a").await.unwrap());
    assert_eq!(find("work", "delete_note", "x", &["Inbox/a.md"], NOW).await, None);
    assert_eq!(state.allowances(NOW).await.unwrap(), [mine]);
    assert_eq!(state.sweep(NOW + 3599).await.unwrap().allowances, 0);
    assert_eq!(state.sweep(NOW + 3600).await.unwrap().allowances, 1);
}
