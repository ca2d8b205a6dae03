//! What may happen once happens once, however many try.

use std::future::Future;

use quillgate_state::{PendingRequest, State, TokenKind};

use crate::place::{NOW, Place, client, code, grant, hash, request, stories, token};

stories![
    one_of_fifty_uses_a_code,
    one_of_fifty_exchanges_a_refresh_token,
    one_of_fifty_takes_a_request,
    one_of_fifty_answers_a_form,
    a_token_is_reissued_no_more_often_than_allowed,
    every_miss_is_counted,
    many_may_open_a_new_database_at_once,
    a_failure_among_many_changes_is_its_own,
];

/// How many of fifty tasks, on two handles that know nothing of each other, say yes.
pub(crate) async fn winners<F>(place: &Place, attempt: impl Fn(State, usize) -> F) -> usize
where
    F: Future<Output = bool> + Send + 'static,
{
    let handles = [place.open().await, place.open().await];
    let tasks: Vec<_> = (0..50).map(|number| tokio::spawn(attempt(handles[number % 2].clone(), number))).collect();
    let mut winners = 0;
    for task in tasks {
        winners += usize::from(task.await.unwrap());
    }
    winners
}

async fn with_grant(place: &Place) -> State {
    let state = place.open().await;
    state.add_grant(&grant("g", "anna", "c")).await.unwrap();
    state
}

async fn one_of_fifty_uses_a_code(place: Place) {
    with_grant(&place).await.add_code(&code("code", "g")).await.unwrap();
    let use_code = |state: State, _| async move { state.use_code(&hash("code"), NOW).await.unwrap().is_some() };
    assert_eq!(winners(&place, use_code).await, 1);
    assert_eq!(winners(&place, use_code).await, 0);
}

async fn one_of_fifty_exchanges_a_refresh_token(place: Place) {
    with_grant(&place).await.add_token(&token("refresh", "g", TokenKind::Refresh)).await.unwrap();
    let replace = |state: State, _| async move { state.replace_token(&hash("refresh"), NOW).await.unwrap() };
    assert_eq!(winners(&place, replace).await, 1);
    assert_eq!(winners(&place, replace).await, 0);
}

async fn one_of_fifty_takes_a_request(place: Place) {
    place.open().await.add_request(&request("r", NOW + 600)).await.unwrap();
    let take = |state: State, _| async move { state.take_request(&hash("r"), &hash("form 1"), NOW).await.unwrap().is_some() };
    assert_eq!(winners(&place, take).await, 1);
}

async fn one_of_fifty_answers_a_form(place: Place) {
    place.open().await.add_request(&request("r", NOW + 600)).await.unwrap();
    let advance = |state: State, number: usize| async move {
        let next = PendingRequest { csrf: hash(&number.to_string()), ..request("r", NOW + 600) };
        state.advance_request(&hash("r"), &hash("form 1"), &next, NOW).await.unwrap()
    };
    assert_eq!(winners(&place, advance).await, 1);
}

async fn a_token_is_reissued_no_more_often_than_allowed(place: Place) {
    let state = with_grant(&place).await;
    state.add_token(&token("refresh", "g", TokenKind::Refresh)).await.unwrap();
    state.replace_token(&hash("refresh"), NOW).await.unwrap();
    let reissue = |state: State, _| async move { state.reissue_token(&hash("refresh"), 7).await.unwrap() };
    assert_eq!(winners(&place, reissue).await, 7);
}

async fn every_miss_is_counted(place: Place) {
    let state = with_grant(&place).await;
    state.add_code(&code("code", "g")).await.unwrap();
    let miss = |state: State, _| async move { state.miss_code(&hash("code")).await.unwrap() <= 50 };
    assert_eq!(winners(&place, miss).await, 50);
    assert_eq!(state.miss_code(&hash("code")).await.unwrap(), 51);
}

async fn many_may_open_a_new_database_at_once(place: Place) {
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let location = place.location.clone();
            tokio::spawn(async move { State::open(&location).await })
        })
        .collect();
    for (number, state) in opening.into_iter().enumerate() {
        state.await.unwrap().unwrap().add_client(&client(&number.to_string(), NOW)).await.unwrap();
    }
    assert_eq!(place.open().await.count_clients().await.unwrap(), 8);
}

/// On SQLite they share a transaction.
async fn a_failure_among_many_changes_is_its_own(place: Place) {
    let state = place.open().await;
    state.add_client(&client("taken", NOW)).await.unwrap();
    let add = |state: State, number: usize| async move {
        let id = if number.is_multiple_of(5) { "taken".to_owned() } else { number.to_string() };
        state.add_client(&client(&id, NOW)).await.is_ok()
    };
    assert_eq!(winners(&place, add).await, 40);
    assert_eq!(state.count_clients().await.unwrap(), 41);
}
