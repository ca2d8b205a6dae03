//! A call with a key runs once, and whoever sends it again gets the first answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quillgate_state::{Claim, KeyedCall, ReplyClaim, State};

use crate::concurrency::winners;
use crate::place::{NOW, Place, stories};

stories![
    the_first_answer_is_given_again,
    keys_are_of_one_caller_and_vault,
    a_released_key_is_free_for_any_call,
    a_crashed_claim_is_taken_over_and_its_owner_is_too_late,
    expired_answers_are_forgotten_before_they_are_swept,
    one_of_fifty_runs,
    one_of_fifty_takes_a_crashed_claim_over,
    claims_and_sweeps_at_once_run_nothing_twice,
    answers_of_any_size_are_kept,
    answers_of_a_vault_are_forgotten,
];

const MS: i64 = NOW * 1000;
const MINUTE: i64 = 60_000;
const DAY: i64 = 86_400_000;

const CALL: KeyedCall<'static> = KeyedCall { caller: "anna", vault: "work", key: "k", fingerprint: "f" };

async fn claim(state: &State, call: KeyedCall<'_>, now_ms: i64) -> Claim {
    state.claim_reply(call, now_ms, MINUTE, DAY).await.unwrap()
}

async fn run(state: &State, call: KeyedCall<'_>, now_ms: i64) -> ReplyClaim {
    match claim(state, call, now_ms).await {
        Claim::Run(claim) => claim,
        other => panic!("{other:?}"),
    }
}

fn finished(result: &str) -> Claim {
    Claim::Finished { result: result.into() }
}

async fn the_first_answer_is_given_again(place: Place) {
    let state = place.open().await;
    let held = run(&state, CALL, MS).await;
    assert_eq!(claim(&state, CALL, MS + 1).await, Claim::InFlight);
    let other = KeyedCall { fingerprint: "g", ..CALL };
    assert_eq!(claim(&state, other, MS + 1).await, Claim::Mismatch);
    assert!(state.finish_reply(&held, r#"{"a":"é"}"#).await.unwrap());
    assert!(!state.finish_reply(&held, "again").await.unwrap() && !state.release_reply(&held).await.unwrap());
    drop(state);

    let state = place.open().await;
    assert_eq!(claim(&state, CALL, MS + 2 * MINUTE).await, finished(r#"{"a":"é"}"#));
    assert_eq!(claim(&state, other, MS + 2 * MINUTE).await, Claim::Mismatch);
    let shown = format!("{:?}", finished("canary"));
    assert!(!shown.contains("canary"), "{shown}");
}

async fn keys_are_of_one_caller_and_vault(place: Place) {
    let state = place.open().await;
    for (caller, vault, key) in [("anna", "work", "k"), ("berta", "work", "k"), ("anna", "home", "k"), ("annaw", "ork", "k")] {
        run(&state, KeyedCall { caller, vault, key, ..CALL }, MS).await;
    }
    run(&state, KeyedCall { key: "\0", ..CALL }, MS).await;
    run(&state, KeyedCall { key: &"long".repeat(10_000), ..CALL }, MS).await;
}

async fn a_released_key_is_free_for_any_call(place: Place) {
    let state = place.open().await;
    let first = run(&state, CALL, MS).await;
    assert!(state.release_reply(&first).await.unwrap() && !state.release_reply(&first).await.unwrap());
    assert!(!state.finish_reply(&first, "too late").await.unwrap());
    let other = KeyedCall { fingerprint: "g", ..CALL };
    // In the same millisecond.
    let second = run(&state, other, MS).await;
    assert_ne!(first, second);
    assert!(!state.finish_reply(&first, "not mine").await.unwrap() && !state.release_reply(&first).await.unwrap());
    assert!(state.finish_reply(&second, "mine").await.unwrap());
    assert_eq!(claim(&state, other, MS).await, finished("mine"));
}

async fn a_crashed_claim_is_taken_over_and_its_owner_is_too_late(place: Place) {
    let state = place.open().await;
    let first = run(&state, CALL, MS).await;
    assert_eq!(claim(&state, CALL, MS + MINUTE - 1).await, Claim::InFlight);
    let other = KeyedCall { fingerprint: "g", ..CALL };
    assert_eq!(claim(&state, other, MS + MINUTE).await, Claim::Mismatch, "nobody else's call may have the key");
    let second = run(&state, CALL, MS + MINUTE).await;
    assert_eq!(claim(&state, CALL, MS + MINUTE).await, Claim::InFlight);
    assert!(!state.finish_reply(&first, "first").await.unwrap());
    assert!(!state.release_reply(&first).await.unwrap());
    assert!(state.finish_reply(&second, "second").await.unwrap());
    assert_eq!(claim(&state, CALL, MS + 9 * MINUTE).await, finished("second"), "what is finished is not taken over");
}

async fn expired_answers_are_forgotten_before_they_are_swept(place: Place) {
    let state = place.open().await;
    let held = run(&state, CALL, MS).await;
    state.finish_reply(&held, "old").await.unwrap();
    let crashed = run(&state, KeyedCall { key: "crashed", ..CALL }, MS).await;
    assert_eq!(claim(&state, CALL, MS + DAY - 1).await, finished("old"));
    let other = KeyedCall { fingerprint: "g", ..CALL };
    let again = run(&state, other, MS + DAY).await;
    assert_ne!(held, again);
    assert_eq!(state.sweep(NOW + 86_400).await.unwrap().replies, 1, "the crashed one");
    assert!(!state.finish_reply(&crashed, "too late").await.unwrap());
    assert!(state.finish_reply(&again, "new").await.unwrap());
    assert_eq!(state.sweep(NOW + 2 * 86_400 - 1).await.unwrap().replies, 0);
    assert_eq!(state.sweep(NOW + 2 * 86_400).await.unwrap().replies, 1);
    run(&state, CALL, MS + 2 * DAY).await;
}

async fn one_of_fifty_runs(place: Place) {
    let attempt = |state: State, _| async move { matches!(claim(&state, CALL, MS).await, Claim::Run(_)) };
    assert_eq!(winners(&place, attempt).await, 1);
    assert_eq!(winners(&place, attempt).await, 0);
    // Each with its own call: one has the key, nobody else's call runs.
    let attempt = |state: State, number: usize| async move {
        let call = KeyedCall { key: "other", fingerprint: &number.to_string(), ..CALL };
        matches!(claim(&state, call, MS).await, Claim::Run(_))
    };
    assert_eq!(winners(&place, attempt).await, 1);
}

async fn one_of_fifty_takes_a_crashed_claim_over(place: Place) {
    run(&place.open().await, CALL, MS).await;
    let attempt = |state: State, _| async move { matches!(claim(&state, CALL, MS + MINUTE).await, Claim::Run(_)) };
    assert_eq!(winners(&place, attempt).await, 1);
}

/// Everybody comes back until the call is done; half of the claims are given back first.
async fn claims_and_sweeps_at_once_run_nothing_twice(place: Place) {
    let done = Arc::new(AtomicUsize::new(0));
    let tries = Arc::new(AtomicUsize::new(0));
    let attempt = |state: State, number: usize| {
        let (done, tries) = (done.clone(), tries.clone());
        async move {
            loop {
                if number.is_multiple_of(10) {
                    state.sweep(NOW).await.unwrap();
                }
                match claim(&state, CALL, MS).await {
                    Claim::Run(claim) if tries.fetch_add(1, Ordering::SeqCst) < 20 => {
                        assert!(state.release_reply(&claim).await.unwrap());
                    }
                    Claim::Run(claim) => {
                        done.fetch_add(1, Ordering::SeqCst);
                        return state.finish_reply(&claim, "done").await.unwrap();
                    }
                    Claim::InFlight => tokio::task::yield_now().await,
                    Claim::Finished { result } => return result != "done",
                    Claim::Mismatch => panic!("there is one call"),
                }
            }
        }
    };
    assert_eq!(winners(&place, attempt).await, 1);
    assert_eq!((done.load(Ordering::SeqCst), tries.load(Ordering::SeqCst)), (1, 21));
}

async fn answers_of_any_size_are_kept(place: Place) {
    let state = place.open().await;
    let held = run(&state, CALL, MS).await;
    let large = "ü".repeat(2_000_000);
    assert!(state.finish_reply(&held, &large).await.unwrap());
    assert_eq!(claim(&state, CALL, MS).await, finished(&large));
}

async fn answers_of_a_vault_are_forgotten(place: Place) {
    let state = place.open().await;
    let home = KeyedCall { vault: "home", ..CALL };
    for call in [CALL, home] {
        let held = run(&state, call, MS).await;
        state.finish_reply(&held, "done").await.unwrap();
    }
    let running = run(&state, KeyedCall { key: "running", ..CALL }, MS).await;
    assert_eq!(state.forget_replies("work").await.unwrap(), 1);
    run(&state, CALL, MS).await;
    assert_eq!(claim(&state, home, MS).await, finished("done"));
    assert!(state.finish_reply(&running, "done").await.unwrap());
}
