//! No more goes through than was allowed.

use quillgate_state::{Location, Spend, State};

use crate::place::{NOW, Place, stories};

stories![
    a_burst_and_then_one_at_a_time,
    no_more_goes_through_however_many_ask,
    a_clock_that_went_back_locks_nobody_out,
    keys_may_be_anything,
];

const MS: i64 = NOW * 1000;

async fn a_burst_and_then_one_at_a_time(place: Place) {
    let state = place.open().await;
    for _ in 0..3 {
        assert_eq!(state.spend("login/anna", 6, 3, MS).await.unwrap(), Spend::Allowed);
    }
    assert_eq!(state.spend("login/anna", 6, 3, MS).await.unwrap(), Spend::Wait(10));
    assert_eq!(state.spend("login/berta", 6, 3, MS).await.unwrap(), Spend::Allowed, "somebody else");
    assert_eq!(state.spend("login/anna", 6, 3, MS + 9_500).await.unwrap(), Spend::Wait(1));
    assert_eq!(state.spend("login/anna", 6, 3, MS + 10_000).await.unwrap(), Spend::Allowed);
    assert_eq!(state.spend("login/anna", 6, 3, MS + 10_000).await.unwrap(), Spend::Wait(10));
    // What was swept away held nobody back.
    assert_eq!(state.sweep(NOW + 20).await.unwrap().limits, 1);
    assert_eq!(state.spend("login/anna", 6, 3, MS + 20_000).await.unwrap(), Spend::Allowed);
    assert_eq!(state.spend("login/anna", 6, 3, MS + 20_000).await.unwrap(), Spend::Wait(10));
    assert_eq!(state.sweep(NOW + 1000).await.unwrap().limits, 1);
    for _ in 0..3 {
        assert_eq!(state.spend("login/anna", 6, 3, MS + 1_000_000).await.unwrap(), Spend::Allowed);
    }
    assert_eq!(state.spend("never", 0, 3, MS).await.unwrap(), Spend::Wait(60));
}

async fn no_more_goes_through_however_many_ask(place: Place) {
    let first = place.open().await;
    // Replicas share PostgreSQL; the limits of a file are those of one process.
    let second = if matches!(place.location, Location::Postgres(_)) { place.open().await } else { first.clone() };
    let spend = |state: State| tokio::spawn(async move { state.spend("key", 10, 10, MS).await.unwrap() });
    let tasks: Vec<_> = (0..100).map(|number| spend([&first, &second][number % 2].clone())).collect();
    let mut allowed = 0;
    for task in tasks {
        allowed += usize::from(task.await.unwrap() == Spend::Allowed);
    }
    assert_eq!(allowed, 10);
}

async fn a_clock_that_went_back_locks_nobody_out(place: Place) {
    let state = place.open().await;
    assert_eq!(state.spend("key", 6, 1, MS + 86_400_000).await.unwrap(), Spend::Allowed);
    assert_eq!(state.spend("key", 6, 1, MS).await.unwrap(), Spend::Allowed);
    assert_eq!(state.spend("key", 6, 1, MS).await.unwrap(), Spend::Wait(10));
}

async fn keys_may_be_anything(place: Place) {
    let state = place.open().await;
    for key in ["", "\0", &"long".repeat(10_000), "'; DROP TABLE limits; --"] {
        assert_eq!(state.spend(key, 60, 1, MS).await.unwrap(), Spend::Allowed);
        assert_eq!(state.spend(key, 60, 1, MS).await.unwrap(), Spend::Wait(1));
    }
}
