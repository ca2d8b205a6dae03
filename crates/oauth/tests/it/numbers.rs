//! Counts the attacks.

const SOURCES: [&str; 3] = [include_str!("authorize.rs"), include_str!("login_and_consent.rs"), include_str!("token.rs")];

#[test]
fn every_attack_of_this_range_has_a_test() {
    let tests: Vec<&str> = SOURCES.iter().flat_map(|source| source.split("fn attack_").skip(1)).map(|name| &name[..3]).collect();
    for number in 1..=69 {
        let name = format!("{number:02}_");
        assert_eq!(tests.iter().filter(|test| **test == name).count(), 1, "attack {number}");
    }
    assert_eq!(tests.len(), 69);
    assert!(SOURCES.iter().all(|source| !source.contains("#[ignore")));
}
