//! What is put in comes out again, also after a restart, and ends when it should.

use quillgate_state::{PendingRequest, StateError, TokenKind};

use crate::place::{NOW, Place, client, code, consent, grant, hash, key, request, stories, token, user};

stories![
    everything_survives_a_restart,
    removing_a_client_ends_what_it_was_given,
    a_form_is_good_for_one_answer,
    consents_are_per_user_client_and_redirect_uri,
    refresh_tokens_are_exchanged_once_and_reissued_a_few_times,
    grants_end_by_user_and_by_client,
    a_name_that_is_taken_is_refused,
    marks_only_go_forward,
    zero_bytes_are_neither_stored_nor_found,
    nothing_secret_is_printed,
];

async fn everything_survives_a_restart(place: Place) {
    let state = place.open().await;
    state.add_client(&client("c", NOW)).await.unwrap();
    state.add_request(&request("r", NOW + 600)).await.unwrap();
    state.remember_consent(&consent("anna", "c", "https://app.example/callback")).await.unwrap();
    state.add_grant(&grant("g", "anna", "c")).await.unwrap();
    state.add_code(&code("code", "g")).await.unwrap();
    let mut child = token("child", "g", TokenKind::Access);
    child.parent = Some(hash("refresh"));
    child.sealed = Some("sealed".into());
    state.add_token(&token("refresh", "g", TokenKind::Refresh)).await.unwrap();
    state.add_token(&child).await.unwrap();
    state.put_user(&user("anna")).await.unwrap();
    let mut bound = key("key", "robot");
    bound.vault = Some("work".into());
    bound.expires = Some(NOW + 5);
    state.add_key(&bound).await.unwrap();
    drop(state);

    let state = place.open().await;
    assert_eq!(state.find_client("c").await.unwrap(), Some(client("c", NOW)));
    assert_eq!(state.clients().await.unwrap(), [client("c", NOW)]);
    assert_eq!(state.count_clients().await.unwrap(), 1);
    assert_eq!(state.find_request(&hash("r"), NOW).await.unwrap(), Some(request("r", NOW + 600)));
    let found = state.find_consent("anna", "c", "https://app.example/callback").await.unwrap();
    assert_eq!(found, Some(consent("anna", "c", "https://app.example/callback")));
    assert_eq!(state.find_grant("g").await.unwrap(), Some(grant("g", "anna", "c")));
    assert_eq!(state.grants().await.unwrap(), [grant("g", "anna", "c")]);
    assert_eq!(state.find_code(&hash("code")).await.unwrap(), Some(code("code", "g")));
    assert_eq!(state.find_token(&hash("child")).await.unwrap(), Some((child.clone(), grant("g", "anna", "c"))));
    assert_eq!(state.tokens_of("g").await.unwrap().len(), 2);
    assert_eq!(state.find_user("anna").await.unwrap(), Some(user("anna")));
    assert_eq!(state.users().await.unwrap(), [user("anna")]);
    assert_eq!(state.find_key(&hash("key")).await.unwrap(), Some(bound.clone()));
    assert_eq!(state.keys().await.unwrap(), [bound]);

    assert!(state.find_client("C").await.unwrap().is_none());
    assert!(state.find_token(&hash("g")).await.unwrap().is_none());
    assert!(state.remove_user("anna").await.unwrap() && !state.remove_user("anna").await.unwrap());
    assert!(state.remove_key("robot").await.unwrap() && !state.remove_key("robot").await.unwrap());
}

async fn removing_a_client_ends_what_it_was_given(place: Place) {
    let state = place.open().await;
    for id in ["gone", "stays"] {
        state.add_client(&client(id, NOW)).await.unwrap();
        state.add_grant(&grant(id, "anna", id)).await.unwrap();
        state.add_token(&token(id, id, TokenKind::Access)).await.unwrap();
        state.add_code(&code(id, id)).await.unwrap();
        state.remember_consent(&consent("anna", id, "https://app.example/")).await.unwrap();
    }
    assert!(state.remove_client("gone").await.unwrap());
    assert!(!state.remove_client("gone").await.unwrap());
    for (id, is_there) in [("gone", false), ("stays", true)] {
        assert_eq!(state.find_client(id).await.unwrap().is_some(), is_there);
        assert_eq!(state.find_grant(id).await.unwrap().is_some(), is_there);
        assert_eq!(state.find_token(&hash(id)).await.unwrap().is_some(), is_there);
        assert_eq!(state.use_code(&hash(id), NOW).await.unwrap().is_some(), is_there);
        assert_eq!(state.has_consent(id, "https://app.example/").await.unwrap(), is_there);
    }
    let late = state.add_token(&token("late", "gone", TokenKind::Access)).await;
    assert_eq!(late, Err(StateError::NoGrant));
}

async fn a_form_is_good_for_one_answer(place: Place) {
    let state = place.open().await;
    state.add_request(&request("r", NOW + 600)).await.unwrap();
    let next = PendingRequest { browser: hash("new cookie"), csrf: hash("form 2"), ..request("r", NOW + 900) };
    let [id, first, second] = ["r", "form 1", "form 2"].map(hash);
    assert!(!state.advance_request(&id, &second, &next, NOW).await.unwrap(), "a form that was not given yet");
    assert!(!state.advance_request(&id, &first, &next, NOW + 600).await.unwrap(), "too late");
    assert!(state.advance_request(&id, &first, &next, NOW).await.unwrap());
    assert!(!state.advance_request(&id, &first, &next, NOW).await.unwrap(), "a second time");
    assert_eq!(state.find_request(&id, NOW).await.unwrap(), Some(next.clone()));
    assert_eq!(state.take_request(&id, &first, NOW).await.unwrap(), None);
    assert_eq!(state.take_request(&id, &second, NOW + 900).await.unwrap(), None, "too late");
    assert_eq!(state.take_request(&id, &second, NOW).await.unwrap(), Some(next));
    assert_eq!(state.take_request(&id, &second, NOW).await.unwrap(), None);
    assert_eq!(state.find_request(&id, NOW).await.unwrap(), None);
}

async fn consents_are_per_user_client_and_redirect_uri(place: Place) {
    let state = place.open().await;
    // As long as they may be, and hardly to be compressed.
    let long: String = (0..60).map(|number| hash(&number.to_string()).as_str().to_owned()).collect();
    let (client, address) = (format!("https://app.example/{}", &long[..2000]), format!("https://app.example/{long}"));
    state.remember_consent(&consent("anna", &client, &address)).await.unwrap();
    let mut more = consent("anna", &client, &address);
    more.scopes = "read:notes write:notes".into();
    more.given = NOW + 5;
    state.remember_consent(&more).await.unwrap();
    assert_eq!(state.find_consent("anna", &client, &address).await.unwrap(), Some(more));
    assert_eq!(state.find_consent("berta", &client, &address).await.unwrap(), None);
    assert_eq!(state.find_consent("anna", &client, "https://app.example/").await.unwrap(), None);
    assert!(state.has_consent(&client, &address).await.unwrap());
    assert!(!state.has_consent(&client, "https://evil.example/").await.unwrap());

    state.remember_consent(&consent("berta", &client, &address)).await.unwrap();
    state.remember_consent(&consent("berta", "other", &address)).await.unwrap();
    assert_eq!(state.forget_consents(Some("anna"), Some("other")).await.unwrap(), 0);
    assert_eq!(state.forget_consents(Some("anna"), None).await.unwrap(), 1);
    assert_eq!(state.forget_consents(None, Some("other")).await.unwrap(), 1);
    assert_eq!(state.forget_consents(None, None).await.unwrap(), 1);
}

async fn refresh_tokens_are_exchanged_once_and_reissued_a_few_times(place: Place) {
    let state = place.open().await;
    state.add_grant(&grant("g", "anna", "c")).await.unwrap();
    for (name, kind) in [("access", TokenKind::Access), ("refresh", TokenKind::Refresh), ("ended", TokenKind::Refresh)] {
        state.add_token(&token(name, "g", kind)).await.unwrap();
    }
    assert!(!state.replace_token(&hash("access"), NOW).await.unwrap());
    assert!(!state.replace_token(&hash("refresh"), NOW + 600).await.unwrap(), "expired");
    assert!(state.end_token(&hash("ended"), NOW).await.unwrap() && !state.end_token(&hash("ended"), NOW).await.unwrap());
    assert!(!state.replace_token(&hash("ended"), NOW).await.unwrap());
    assert!(!state.reissue_token(&hash("refresh"), 2).await.unwrap(), "not exchanged yet");
    assert!(state.replace_token(&hash("refresh"), NOW).await.unwrap());
    assert!(!state.replace_token(&hash("refresh"), NOW).await.unwrap());
    for expected in [true, true, false] {
        assert_eq!(state.reissue_token(&hash("refresh"), 2).await.unwrap(), expected);
    }
    let mut child = token("child", "g", TokenKind::Refresh);
    child.parent = Some(hash("refresh"));
    state.add_token(&child).await.unwrap();
    assert!(!state.has_replaced_child(&hash("refresh")).await.unwrap());
    state.replace_token(&hash("child"), NOW + 1).await.unwrap();
    assert!(state.has_replaced_child(&hash("refresh")).await.unwrap());
    assert!(state.end_token(&hash("child"), NOW + 2).await.unwrap());
    let (child, _) = state.find_token(&hash("child")).await.unwrap().unwrap();
    assert_eq!((child.replaced, child.ended), (Some(NOW + 1), Some(NOW + 2)));

    state.add_code(&code("code", "g")).await.unwrap();
    assert_eq!(state.miss_code(&hash("code")).await.unwrap(), 1);
    assert_eq!(state.miss_code(&hash("code")).await.unwrap(), 2);
    assert_eq!(state.miss_code(&hash("none")).await.unwrap(), 0);
}

async fn grants_end_by_user_and_by_client(place: Place) {
    let state = place.open().await;
    for (id, user, client) in [("1", "anna", "x"), ("2", "anna", "y"), ("3", "berta", "x"), ("4", "berta", "y")] {
        state.add_grant(&grant(id, user, client)).await.unwrap();
    }
    assert!(state.end_grant("1", NOW).await.unwrap() && !state.end_grant("1", NOW + 9).await.unwrap());
    assert_eq!(state.end_grants_of_user("anna", NOW + 1).await.unwrap(), 1);
    assert_eq!(state.end_grants_of_client("x", NOW + 2).await.unwrap(), 1);
    let ended: Vec<_> = state.grants().await.unwrap().into_iter().map(|grant| grant.ended).collect();
    assert_eq!(ended, [Some(NOW), Some(NOW + 1), Some(NOW + 2), None]);
}

async fn a_name_that_is_taken_is_refused(place: Place) {
    let state = place.open().await;
    state.add_key(&key("one", "robot")).await.unwrap();
    assert!(matches!(state.add_key(&key("two", "robot")).await, Err(StateError::Taken(_))));
    state.add_client(&client("c", NOW)).await.unwrap();
    assert!(matches!(state.add_client(&client("c", NOW)).await, Err(StateError::Taken(_))));
    let mut again = user("anna");
    state.put_user(&again).await.unwrap();
    again.password = "$2b$other".into();
    state.put_user(&again).await.unwrap();
    assert_eq!(state.users().await.unwrap(), [again]);
}

async fn marks_only_go_forward(place: Place) {
    let state = place.open().await;
    state.add_client(&client("c", NOW)).await.unwrap();
    state.add_grant(&grant("g", "anna", "c")).await.unwrap();
    state.add_token(&token("t", "g", TokenKind::Access)).await.unwrap();
    state.add_key(&key("k", "robot")).await.unwrap();
    for now in [NOW + 100, NOW + 50, NOW + 159] {
        state.mark_client_seen("c", now).await.unwrap();
        state.mark_client_used("c", now).await.unwrap();
        state.mark_token_used(&hash("t"), now).await.unwrap();
        state.mark_key_used(&hash("k"), now).await.unwrap();
    }
    let client = state.find_client("c").await.unwrap().unwrap();
    assert_eq!((client.seen, client.used), (Some(NOW + 159), Some(NOW + 159)));
    assert_eq!(state.find_token(&hash("t")).await.unwrap().unwrap().0.last_used, Some(NOW + 100), "to the minute");
    state.mark_key_used(&hash("k"), NOW + 160).await.unwrap();
    assert_eq!(state.find_key(&hash("k")).await.unwrap().unwrap().last_used, Some(NOW + 160));
}

async fn zero_bytes_are_neither_stored_nor_found(place: Place) {
    let state = place.open().await;
    state.put_user(&user("anna")).await.unwrap();
    assert_eq!(state.find_user("anna\0").await.unwrap(), None);
    assert!(!state.remove_user("anna\0").await.unwrap());
    assert!(matches!(state.put_user(&user("anna\0")).await, Err(StateError::Failed(_))));
    assert_eq!(state.users().await.unwrap().len(), 1);
}

async fn nothing_secret_is_printed(place: Place) {
    let state = place.open().await;
    let hash_text = hash("canary").as_str().to_owned();
    let mut sealed = token("canary", "g", TokenKind::Access);
    sealed.sealed = Some("canary".into());
    let mut login = request("canary", NOW);
    login.data = "canary".into();
    let mut with_code = code("canary", "g");
    with_code.sealed = Some("canary".into());
    let shown = format!("{state:?} {:?} {:?} {sealed:?} {login:?} {with_code:?}", user("anna"), client("canary id", NOW));
    assert!(!shown.replace("canary id", "").contains("canary"), "{shown}");
    assert!(!shown.contains(&hash_text), "{shown}");

    state.add_key(&key("canary", "canary")).await.unwrap();
    let error = state.add_key(&key("canary", "canary")).await.unwrap_err();
    let orphan = state.add_token(&sealed).await.unwrap_err();
    let shown = format!("{error} {error:?} {orphan} {orphan:?}");
    assert!(!shown.contains("canary") && !shown.contains(&hash_text), "{shown}");
}
