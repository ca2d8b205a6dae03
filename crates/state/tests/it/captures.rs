//! What was caught becomes a note once.

use quillgate_state::{AfterCommit, Capture, CaptureClaim, CaptureStage, State, StateError, TakenCapture};

use crate::concurrency::winners;
use crate::place::{NOW, Place, stories};

stories![
    captures_come_back_as_they_were_caught,
    pages_neither_repeat_nor_skip,
    a_capture_is_committed_once,
    a_capture_that_was_left_is_taken_over,
    one_of_fifty_commits_a_capture,
    too_large_and_too_many_are_refused,
    committed_captures_are_swept_after_a_month,
];

const MS: i64 = NOW * 1000;
const MINUTE: i64 = 60_000;

fn capture(id: &str, captured_ms: i64) -> Capture {
    Capture {
        id: id.into(),
        vault: "work".into(),
        title: None,
        content: "canary ✓".into(),
        tags: vec![],
        source: None,
        target_path_hint: None,
        captured_ms,
        committed_ms: None,
    }
}

async fn take(state: &State, id: &str, now_ms: i64) -> CaptureClaim {
    match state.take_capture("work", id, now_ms, MINUTE).await.unwrap() {
        TakenCapture::Yes { claim, .. } => claim,
        other => panic!("{other:?}"),
    }
}

async fn captures_come_back_as_they_were_caught(place: Place) {
    let state = place.open().await;
    let full = Capture {
        title: Some("Title".into()),
        tags: vec!["a".into(), "b, \"c\"".into()],
        source: Some("phone".into()),
        target_path_hint: Some("Inbox/x.md".into()),
        ..capture("full", MS + 1)
    };
    let plain = capture("plain", MS);
    for capture in [&full, &plain] {
        state.enqueue_capture(capture).await.unwrap();
    }
    assert!(matches!(state.enqueue_capture(&plain).await, Err(StateError::Taken(_))));
    drop(state);

    let state = place.open().await;
    let list = async |vault: &str, stage, source| state.list_captures(vault, stage, source, None, 10).await.unwrap();
    assert_eq!(list("work", CaptureStage::Waiting, None).await, [plain.clone(), full.clone()]);
    assert_eq!(list("work", CaptureStage::Waiting, Some("phone")).await, std::slice::from_ref(&full));
    assert_eq!(list("work", CaptureStage::Committed, None).await, []);
    assert_eq!(list("home", CaptureStage::Waiting, None).await, []);
    assert_eq!(state.find_capture("work", "full").await.unwrap(), Some(full));
    assert_eq!(state.find_capture("home", "full").await.unwrap(), None);
    assert_eq!(state.take_capture("home", "plain", MS, MINUTE).await.unwrap(), TakenCapture::Missing);
    let shown = format!("{plain:?}");
    assert!(!shown.contains("canary"), "{shown}");
}

async fn pages_neither_repeat_nor_skip(place: Place) {
    let state = place.open().await;
    for number in 0..30 {
        state.enqueue_capture(&capture(&format!("{number:02}"), MS + number / 10)).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = state.list_captures("work", CaptureStage::Waiting, None, cursor.as_ref(), 7).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = Some(last.cursor());
        seen.extend(page.iter().map(|capture| capture.id.clone()));
        // The cursor need not be there any more.
        let claim = take(&state, &last.id, MS).await;
        assert!(state.finish_capture(&claim, AfterCommit::Delete, MS).await.unwrap());
    }
    assert_eq!(seen, (0..30).map(|number| format!("{number:02}")).collect::<Vec<_>>());
}

async fn a_capture_is_committed_once(place: Place) {
    let state = place.open().await;
    for id in ["kept", "deleted"] {
        state.enqueue_capture(&capture(id, MS)).await.unwrap();
    }
    let claim = take(&state, "kept", MS).await;
    assert_eq!(state.take_capture("work", "kept", MS, MINUTE).await.unwrap(), TakenCapture::InFlight);
    assert!(state.release_capture(&claim).await.unwrap() && !state.release_capture(&claim).await.unwrap());
    assert!(!state.finish_capture(&claim, AfterCommit::Delete, MS).await.unwrap(), "it was given back");
    // In the same millisecond.
    let second = take(&state, "kept", MS).await;
    assert!(!state.finish_capture(&claim, AfterCommit::Delete, MS).await.unwrap(), "it is somebody else's");
    assert!(state.finish_capture(&second, AfterCommit::Keep, MS + 5).await.unwrap());
    assert!(!state.finish_capture(&second, AfterCommit::Delete, MS + 5).await.unwrap());
    let committed = TakenCapture::Committed { at_ms: MS + 5 };
    assert_eq!(state.take_capture("work", "kept", MS + 9 * MINUTE, MINUTE).await.unwrap(), committed);
    let kept = Capture { committed_ms: Some(MS + 5), ..capture("kept", MS) };
    assert_eq!(state.list_captures("work", CaptureStage::Committed, None, None, 10).await.unwrap(), [kept]);

    let claim = take(&state, "deleted", MS).await;
    assert!(state.finish_capture(&claim, AfterCommit::Delete, MS).await.unwrap());
    assert_eq!(state.take_capture("work", "deleted", MS, MINUTE).await.unwrap(), TakenCapture::Missing);
    assert_eq!(state.find_capture("work", "deleted").await.unwrap(), None);
}

async fn a_capture_that_was_left_is_taken_over(place: Place) {
    let state = place.open().await;
    state.enqueue_capture(&capture("c", MS)).await.unwrap();
    let first = take(&state, "c", MS).await;
    assert_eq!(state.take_capture("work", "c", MS + MINUTE - 1, MINUTE).await.unwrap(), TakenCapture::InFlight);
    let second = take(&state, "c", MS + MINUTE).await;
    assert!(!state.finish_capture(&first, AfterCommit::Keep, MS).await.unwrap());
    assert!(!state.release_capture(&first).await.unwrap());
    assert!(state.finish_capture(&second, AfterCommit::Keep, MS).await.unwrap());
}

async fn one_of_fifty_commits_a_capture(place: Place) {
    place.open().await.enqueue_capture(&capture("c", MS)).await.unwrap();
    let attempt = |state: State, _| async move {
        let TakenCapture::Yes { claim, .. } = state.take_capture("work", "c", MS, MINUTE).await.unwrap() else { return false };
        state.finish_capture(&claim, AfterCommit::Keep, MS).await.unwrap()
    };
    assert_eq!(winners(&place, attempt).await, 1);
}

async fn too_large_and_too_many_are_refused(place: Place) {
    let state = place.open().await;
    let large = Capture { content: "x".repeat(1_000_001), ..capture("large", MS) };
    let error = state.enqueue_capture(&large).await.unwrap_err();
    assert_eq!(error.to_string(), "the capture is too large: at most 1000000 bytes; make it shorter");
    let tagged = Capture { tags: vec!["x".repeat(500_000); 2], ..capture("tagged", MS) };
    assert!(matches!(state.enqueue_capture(&tagged).await, Err(StateError::TooLarge { .. })));
    let fits = Capture { content: "x".repeat(1_000_000), ..capture("fits", MS) };
    state.enqueue_capture(&fits).await.unwrap();

    let adding: Vec<_> = (1..2000)
        .map(|number| {
            let state = state.clone();
            tokio::spawn(async move { state.enqueue_capture(&capture(&number.to_string(), MS)).await })
        })
        .collect();
    for added in adding {
        added.await.unwrap().unwrap();
    }
    let error = state.enqueue_capture(&capture("more", MS)).await.unwrap_err();
    assert_eq!(error.to_string(), "the queue of captures is full: 2000 are waiting; commit some of them first");
    state.enqueue_capture(&Capture { vault: "home".into(), ..capture("elsewhere", MS) }).await.unwrap();
    let claim = take(&state, "fits", MS).await;
    state.finish_capture(&claim, AfterCommit::Keep, MS).await.unwrap();
    state.enqueue_capture(&capture("more", MS)).await.unwrap();
}

async fn committed_captures_are_swept_after_a_month(place: Place) {
    let state = place.open().await;
    for id in ["waiting", "committed"] {
        state.enqueue_capture(&capture(id, MS)).await.unwrap();
    }
    let claim = take(&state, "committed", MS).await;
    state.finish_capture(&claim, AfterCommit::Keep, MS).await.unwrap();
    assert_eq!(state.sweep(NOW + 30 * 86_400 - 1).await.unwrap().captures, 0);
    assert_eq!(state.sweep(NOW + 9000 * 86_400).await.unwrap().captures, 1);
    assert!(state.find_capture("work", "waiting").await.unwrap().is_some());
}
