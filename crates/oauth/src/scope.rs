//! What a token may be used for: words such as `read:notes`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) const MOST: usize = 100;
pub(crate) const LONGEST: usize = 4096;

const VAULT: &str = "vault:";

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScopeProblem {
    #[error("more than 100 scopes or 4096 characters; ask for fewer")]
    TooMany,
    #[error("a scope has a character that is not allowed; use printable ASCII without quotes and backslashes")]
    Character,
}

/// An ordered set of scopes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scopes(Vec<String>);

impl Scopes {
    /// From words separated by spaces.
    pub fn parse(text: &str) -> Result<Scopes, ScopeProblem> {
        if text.len() > LONGEST {
            return Err(ScopeProblem::TooMany);
        }
        let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
        if words.len() > MOST {
            return Err(ScopeProblem::TooMany);
        }
        let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
        if !words.iter().all(|word| is_word(word)) {
            return Err(ScopeProblem::Character);
        }
        Ok(words.into_iter().collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    pub fn contains(&self, word: &str) -> bool {
        self.0.iter().any(|held| held == word)
    }

    /// Is it held, itself or by its whole family (`read:*`)?
    pub fn covers(&self, word: &str) -> bool {
        self.contains(word) || self.iter().any(|held| in_family(held, word))
    }

    /// What is required and not held.
    pub fn missing(&self, required: &[&str]) -> Vec<String> {
        required.iter().filter(|word| !self.covers(word)).map(|word| (*word).to_owned()).collect()
    }

    /// What both have; a family that one has whole stands for the other's members of it.
    pub fn intersection(&self, offered: &Scopes) -> Scopes {
        let asked = self.iter().flat_map(|word| {
            let whole = offered.covers(word).then_some(word);
            let members = offered.iter().filter(move |offer| in_family(word, offer) && whole.is_none());
            whole.into_iter().chain(members)
        });
        asked.collect()
    }

    /// What is granted of what was asked: unknown scopes are dropped, and who asked for nothing that is known gets the
    /// default. Real clients ask for scopes of other servers, and fail when told so.
    pub fn granted(&self, offered: &Scopes, default: &Scopes) -> Scopes {
        let known = self.intersection(offered);
        if known.without_vault().is_empty() { default.iter().chain(known.iter()).collect() } else { known }
    }

    /// The one vault that this is bound to.
    pub fn vault(&self) -> Option<&str> {
        self.iter().filter_map(|word| word.strip_prefix(VAULT)).find(|id| !id.is_empty() && *id != "*")
    }

    pub fn without_vault(&self) -> Scopes {
        self.iter().filter(|word| !word.starts_with(VAULT)).collect()
    }

    /// Bound to this vault and no other.
    pub fn with_vault(&self, id: &str) -> Scopes {
        let mut scopes = self.without_vault();
        scopes.0.push(format!("{VAULT}{id}"));
        scopes
    }
}

fn in_family(family: &str, word: &str) -> bool {
    family.strip_suffix('*').is_some_and(|prefix| prefix.len() > 1 && prefix.ends_with(':') && word.starts_with(prefix))
}

impl<'a> FromIterator<&'a str> for Scopes {
    fn from_iter<I: IntoIterator<Item = &'a str>>(words: I) -> Scopes {
        let mut scopes = Scopes::default();
        for word in words {
            if !scopes.contains(word) {
                scopes.0.push(word.to_owned());
            }
        }
        scopes
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" "))
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Scopes, D::Error> {
        Scopes::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scopes(text: &str) -> Scopes {
        Scopes::parse(text).unwrap()
    }

    #[test]
    fn the_order_stays_and_repetitions_go() {
        assert_eq!(scopes(" write:notes  read:notes write:notes ").to_string(), "write:notes read:notes");
        assert!(scopes("").is_empty());
    }

    #[test]
    fn too_many_too_long_and_odd_ones_are_refused() {
        let words = |count: usize| (0..count).map(|number| format!("s{number}")).collect::<Vec<_>>().join(" ");
        assert_eq!(scopes(&words(100)).len(), 100);
        assert_eq!(Scopes::parse(&words(101)), Err(ScopeProblem::TooMany));
        assert_eq!(Scopes::parse(&"a".repeat(4097)), Err(ScopeProblem::TooMany));
        for odd in ["a\"b", "a\\b", "a\tb", "a\nb", "é", "a\0"] {
            assert_eq!(Scopes::parse(odd), Err(ScopeProblem::Character), "{odd:?}");
        }
    }

    #[test]
    fn a_family_covers_its_members_and_nothing_else() {
        let held = scopes("read:* write:notes");
        assert_eq!(held.missing(&["read:notes", "write:notes", "write:files"]), ["write:files"]);
        assert!(held.covers("read:*"));
        assert!(!held.covers("reader:notes") && !held.covers("write:*"));
        assert!(!scopes("*").covers("read:notes") && !scopes(":*").covers(":x") && !scopes("re*").covers("read:notes"));
    }

    #[test]
    fn unknown_scopes_are_dropped_and_nothing_known_means_the_default() {
        let offered = scopes("read:notes read:tags write:notes vault:*");
        let default = scopes("read:notes");
        for (asked, granted) in [
            ("claudeai", "read:notes"),
            ("", "read:notes"),
            ("openid write:notes email", "write:notes"),
            ("read:*", "read:notes read:tags"),
            ("claudeai vault:work", "read:notes vault:work"),
            ("write:notes vault:work", "write:notes vault:work"),
        ] {
            assert_eq!(scopes(asked).granted(&offered, &default).to_string(), granted, "{asked}");
        }
        assert_eq!(scopes("read:notes").granted(&scopes("read:*"), &default), scopes("read:notes"));
    }

    #[test]
    fn a_vault_is_a_binding() {
        assert_eq!(scopes("read:notes vault:work").vault(), Some("work"));
        assert_eq!(scopes("read:notes vault:* vault:").vault(), None);
        assert_eq!(scopes("vault:a read:notes vault:b").with_vault("c").to_string(), "read:notes vault:c");
    }

    #[test]
    fn json_has_them_as_one_string() {
        assert_eq!(serde_json::to_string(&scopes("a b")).unwrap(), "\"a b\"");
        assert_eq!(serde_json::from_str::<Scopes>("\"a b a\"").unwrap(), scopes("a b"));
        assert!(serde_json::from_str::<Scopes>("\"a\\nb\"").is_err());
    }

    proptest! {
        #[test]
        fn a_grant_is_never_wider_than_the_offer(asked in "([abc]:[xyz*] ?){0,6}", offered in "([abc]:[xyz*] ?){0,6}") {
            let (asked, offered) = (scopes(&asked), scopes(&offered));
            let both = asked.intersection(&offered);
            prop_assert!(both.iter().all(|word| offered.covers(word) && asked.covers(word)));
        }
    }
}
