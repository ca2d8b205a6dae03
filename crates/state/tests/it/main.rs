//! Stories about the state.

use quillgate_state::{Grant, Location, SecretHash, State, Token, TokenKind};

#[tokio::test]
async fn smoke() {
    let place = tempfile::tempdir().unwrap();
    let location = Location::Sqlite(place.path().join("a/b/state.db"));
    let state = State::open(&location).await.unwrap();
    let grant = Grant {
        id: "g".into(),
        issuer: "i".into(),
        user: "u".into(),
        client: "c".into(),
        client_name: "n".into(),
        scopes: "s".into(),
        resource: "r".into(),
        user_mark: "m".into(),
        created: 1,
        expires: 1000,
        ended: None,
    };
    state.add_grant(&grant).await.unwrap();
    let token = Token {
        hash: SecretHash::of("t"),
        kind: TokenKind::Refresh,
        grant: "g".into(),
        scopes: "s".into(),
        parent: None,
        sealed: None,
        issued: 1,
        expires: 100,
        last_used: None,
        replaced: None,
        reissued: 0,
        ended: None,
    };
    state.add_token(&token).await.unwrap();
    drop(state);
    let state = State::open(&location).await.unwrap();
    assert_eq!(state.find_token(&token.hash).await.unwrap(), Some((token.clone(), grant)));
    assert!(state.replace_token(&token.hash, 5).await.unwrap());
    assert!(!state.replace_token(&token.hash, 5).await.unwrap());
    println!("{:?}", state.sweep(2_000_000).await.unwrap());
    println!("{:?}", state.trim_clients(5, 1).await.unwrap());
}
