//! What a token is for (RFC 8707): the endpoint, under any of the names that clients have for it.

/// `invalid_target`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this server does not issue tokens for the resource that was asked; ask for {canonical}")]
pub(crate) struct InvalidTarget {
    pub canonical: String,
}

/// The resources of one issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    /// The issuer, without trailing slash.
    pub origin: String,
    /// Further endpoints, as paths: `/mcp/<surface>`.
    pub endpoints: Vec<String>,
}

impl Resources {
    pub(crate) fn new<'a>(issuer: &str, surfaces: impl IntoIterator<Item = &'a str>) -> Resources {
        let endpoints = surfaces.into_iter().map(|surface| format!("/mcp/{surface}")).collect();
        Resources { origin: issuer.trim_end_matches('/').to_owned(), endpoints }
    }

    /// The endpoint that people type in.
    pub(crate) fn canonical(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    /// The one resource that is meant; without any, the endpoint.
    pub(crate) fn resolve<S: AsRef<str>>(&self, asked: &[S]) -> Result<String, InvalidTarget> {
        let refused = || InvalidTarget { canonical: self.canonical() };
        let mut found: Option<String> = None;
        for asked in asked {
            let one = self.find(asked.as_ref()).ok_or_else(refused)?;
            match &found {
                Some(other) if *other != one => return Err(refused()),
                _ => found = Some(one),
            }
        }
        Ok(found.unwrap_or_else(|| self.canonical()))
    }

    /// The resource that one name stands for.
    pub(crate) fn find(&self, asked: &str) -> Option<String> {
        let (root, path) = split_root(asked)?;
        let (own_root, base) = split_root(&self.origin)?;
        if root != own_root {
            return None;
        }
        let path = path.strip_prefix(base)?;
        let path = path.strip_suffix('/').unwrap_or(path);
        match path {
            "" | "/mcp" => Some(self.canonical()),
            _ => self.endpoints.iter().find(|endpoint| *endpoint == path).map(|path| format!("{}{path}", self.origin)),
        }
    }
}

/// Scheme and authority in lower case without the default port, and the rest as it stands.
pub(crate) fn split_root(address: &str) -> Option<(String, &str)> {
    let (scheme, rest) = address.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let default_port = match scheme.as_str() {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let (authority, rest) = rest.split_at(rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()));
    let authority = authority.to_ascii_lowercase();
    let authority = authority.strip_suffix(default_port).unwrap_or(&authority);
    Some((format!("{scheme}://{authority}"), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources() -> Resources {
        Resources::new("https://notes.example.com", ["articles", "vault"])
    }

    #[test]
    fn the_names_of_the_endpoint_are_one_resource() {
        for alias in [
            "https://notes.example.com",
            "https://notes.example.com/",
            "https://notes.example.com/mcp",
            "https://notes.example.com/mcp/",
            "HTTPS://Notes.Example.COM/mcp",
            "https://notes.example.com:443/mcp",
            "https://notes.example.com:443",
        ] {
            assert_eq!(resources().resolve(&[alias]), Ok("https://notes.example.com/mcp".into()), "{alias}");
        }
        assert_eq!(resources().resolve::<&str>(&[]), Ok("https://notes.example.com/mcp".into()));
    }

    #[test]
    fn further_endpoints_are_resources_of_their_own() {
        for alias in ["https://notes.example.com/mcp/articles", "https://NOTES.example.com:443/mcp/articles/"] {
            assert_eq!(resources().resolve(&[alias]), Ok("https://notes.example.com/mcp/articles".into()), "{alias}");
        }
    }

    #[test]
    fn anything_else_is_an_invalid_target() {
        for bad in [
            "",
            "/mcp",
            "mcp",
            "notes.example.com/mcp",
            "https:/notes.example.com/mcp",
            "http://notes.example.com/mcp",
            "https://notes.example.com:8443/mcp",
            "https://notes.example.com:80/mcp",
            "https://notes.example.com.evil.com/mcp",
            "https://user@notes.example.com/mcp",
            "https://notes.example.com/mcp#x",
            "https://notes.example.com/mcp#",
            "https://notes.example.com#",
            "https://notes.example.com/mcp?x=1",
            "https://notes.example.com/MCP",
            "https://notes.example.com/mcp//",
            "https://notes.example.com//",
            "https://notes.example.com/mcp/unknown",
            "https://notes.example.com/mcp/../mcp",
            "https://notes.example.com\\mcp",
            "https://evil.com/mcp",
        ] {
            assert!(resources().resolve(&[bad]).is_err(), "{bad}");
        }
    }

    #[test]
    fn several_values_must_mean_the_same() {
        let same = ["https://notes.example.com", "https://notes.example.com/mcp/"];
        assert_eq!(resources().resolve(&same), Ok("https://notes.example.com/mcp".into()));
        assert!(resources().resolve(&["https://notes.example.com", "https://evil.com"]).is_err());
        assert!(resources().resolve(&["https://notes.example.com/mcp", "https://notes.example.com/mcp/vault"]).is_err());
    }

    #[test]
    fn a_port_and_a_path_of_the_issuer_belong_to_its_resources() {
        let resources = Resources::new("http://127.0.0.1:8090", []);
        assert_eq!(resources.resolve(&["http://127.0.0.1:8090/"]), Ok("http://127.0.0.1:8090/mcp".into()));
        assert!(resources.resolve(&["http://127.0.0.1/mcp"]).is_err());
        let resources = Resources::new("https://a.example/notes/", []);
        assert_eq!(resources.resolve(&["https://a.example:443/notes/mcp/"]), Ok("https://a.example/notes/mcp".into()));
        assert!(resources.resolve(&["https://a.example/mcp"]).is_err());
    }
}
