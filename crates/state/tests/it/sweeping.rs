//! What expired cannot be used before it is swept, and is gone afterwards.

use quillgate_state::{Swept, TokenKind};

use crate::place::{NOW, Place, code, grant, hash, request, stories, token};

const DAY: i64 = 86_400;

stories![expired_things_are_useless_before_and_gone_after, nothing_in_use_is_swept, a_large_backlog_is_swept];

async fn expired_things_are_useless_before_and_gone_after(place: Place) {
    let state = place.open().await;
    state.add_request(&request("r", NOW)).await.unwrap();
    state.add_grant(&grant("g", "anna", "c")).await.unwrap();
    state.add_code(&code("unused", "g")).await.unwrap();
    state.add_code(&code("used", "g")).await.unwrap();
    state.use_code(&hash("used"), NOW).await.unwrap().unwrap();
    state.add_token(&token("refresh", "g", TokenKind::Refresh)).await.unwrap();

    assert_eq!(state.find_request(&hash("r"), NOW).await.unwrap(), None);
    assert_eq!(state.take_request(&hash("r"), &hash("form 1"), NOW).await.unwrap(), None);
    assert_eq!(state.use_code(&hash("unused"), NOW + 300).await.unwrap(), None);
    assert!(!state.replace_token(&hash("refresh"), NOW + 600).await.unwrap());

    let swept = state.sweep(NOW + 600).await.unwrap();
    assert_eq!(swept, Swept { requests: 1, codes: 1, tokens: 1, ..Swept::default() });
    assert!(state.find_code(&hash("unused")).await.unwrap().is_none());
    assert!(state.find_token(&hash("refresh")).await.unwrap().is_none());
    // Whoever brings it again is noticed.
    assert!(state.find_code(&hash("used")).await.unwrap().unwrap().used.is_some());
    assert_eq!(state.sweep(NOW + 300 + DAY).await.unwrap().codes, 1);

    // A clock that goes back brings nothing back.
    assert_eq!(state.use_code(&hash("used"), NOW - DAY).await.unwrap(), None);
    assert_eq!(state.use_code(&hash("unused"), NOW - DAY).await.unwrap(), None);
}

async fn nothing_in_use_is_swept(place: Place) {
    let state = place.open().await;
    for id in ["running", "ended", "expired"] {
        let mut given = grant(id, "anna", "c");
        given.expires = if id == "expired" { NOW } else { NOW + 90 * DAY };
        state.add_grant(&given).await.unwrap();
        let mut kept = token(id, id, TokenKind::Refresh);
        kept.expires = NOW + 90 * DAY;
        state.add_token(&kept).await.unwrap();
    }
    state.end_grant("ended", NOW).await.unwrap();
    assert_eq!(state.sweep(NOW + 7 * DAY - 1).await.unwrap(), Swept::default());
    assert_eq!(state.sweep(NOW + 7 * DAY).await.unwrap(), Swept { grants: 2, ..Swept::default() });
    for (id, is_there) in [("running", true), ("ended", false), ("expired", false)] {
        assert_eq!(state.find_token(&hash(id)).await.unwrap().is_some(), is_there, "{id}");
    }
}

async fn a_large_backlog_is_swept(place: Place) {
    let state = place.open().await;
    let adding: Vec<_> = (0..11_000)
        .map(|number| {
            let state = state.clone();
            tokio::spawn(async move { state.add_request(&request(&number.to_string(), NOW + number / 10_500)).await })
        })
        .collect();
    for added in adding {
        added.await.unwrap().unwrap();
    }
    assert_eq!(state.sweep(NOW).await.unwrap().requests, 10_500);
    assert_eq!(state.sweep(NOW + 1).await.unwrap().requests, 500);
}
