//! File names made from titles.

/// Letters and digits in lower case, everything else as single hyphens; empty when nothing is left.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(60).collect();
    cut.trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_slug_is_plain() {
        assert_eq!(slug("Use SQLite, not Postgres!"), "use-sqlite-not-postgres");
        assert_eq!(slug("Über   Größe"), "über-größe");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("…"), "");
    }
}
