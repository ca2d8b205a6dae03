//! What a source of articles is, told as data: where to ask, with what, and which words of the answer may leave.

use std::collections::HashSet;

use crate::credential::CredentialPlace;
use crate::field_path::FieldPath;
use crate::guarded_get::GetLimits;
use crate::setting::SettingFault;

/// A search at another site, and the tool that it becomes.
#[derive(Clone, Debug)]
pub struct Source {
    /// What the operator calls it.
    pub name: String,
    pub tool: String,
    /// A short name of the tool for people.
    pub title: String,
    /// What a model reads about the tool.
    pub description: String,
    pub scope: String,
    /// The one thing that a model reads when the source fails; the cause is for the log.
    pub error: String,
    pub base_url: String,
    /// Below the base.
    pub path: String,
    pub arguments: Vec<Argument>,
    /// Query parameters that are always the same.
    pub constants: Vec<(String, String)>,
    pub credential: CredentialPlace,
    /// JSON pointer to the list of articles. An answer that is a list itself is that list.
    pub articles: String,
    /// Everything that may leave.
    pub fields: Vec<Field>,
    pub limits: GetLimits,
    /// The most articles that are passed on.
    pub most_articles: usize,
}

/// An argument of the tool.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: String,
    /// The query parameter that it is sent as.
    pub parameter: String,
    pub description: String,
    pub is_required: bool,
    pub kind: ArgumentKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Bounds are numbers of characters.
    Text {
        default: Option<String>,
        minimum: Option<u64>,
        maximum: Option<u64>,
    },
    Integer {
        default: Option<i64>,
        minimum: Option<i64>,
        maximum: Option<i64>,
    },
}

/// One field of an article as it leaves.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    /// JSON pointer inside the site's article; one step may be `*`, for every item of a list.
    pub path: String,
    pub description: String,
}

impl Source {
    /// A source that needs no more than an address.
    pub fn built_in(name: &str, base_url: Option<String>) -> Option<Source> {
        (name == "vk").then(|| Source::vk(base_url.unwrap_or_else(|| "https://news.content.vk.se/vk/rest".to_owned())))
    }

    /// `vk_search`, at this address or a stand-in's.
    pub fn vk(base_url: String) -> Source {
        Source {
            name: "vk".to_owned(),
            tool: "vk_search".to_owned(),
            title: "Search VK".to_owned(),
            description: "Search the articles of VK (Västerbottens-Kuriren), in Swedish, with the reader's own subscription. \
                          Returns headlines and preambles, not whole articles; page on while a page is full."
                .to_owned(),
            scope: "vk:search".to_owned(),
            error: "Unable to access VK at this time".to_owned(),
            base_url,
            path: "/articles/search".to_owned(),
            arguments: vec![
                Argument {
                    kind: ArgumentKind::Text { default: None, minimum: Some(1), maximum: Some(1000) },
                    is_required: true,
                    ..argument("search", "Words to look for")
                },
                Argument {
                    kind: ArgumentKind::Integer { default: Some(15), minimum: Some(1), maximum: Some(50) },
                    ..argument("limit", "The most articles to return")
                },
                Argument {
                    kind: ArgumentKind::Integer { default: Some(0), minimum: Some(0), maximum: None },
                    ..argument("page", "Page of results, from 0")
                },
            ],
            constants: Vec::new(),
            credential: CredentialPlace::Cookie { name: "auth_token".to_owned() },
            articles: "/articles".to_owned(),
            fields: vec![
                field("headline", "/headline", ""),
                field("preamble", "/preamble", "The first paragraph"),
                field("section", "/section/name", "Part of the newspaper"),
                field("authors", "/authors/*/name", ""),
                field("publishDate", "/publishDate", ""),
            ],
            limits: GetLimits::default(),
            most_articles: 50,
        }
    }

    pub(crate) fn fault(&self, setting: &'static str, value: &str, wanted: &'static str) -> SettingFault {
        SettingFault::new(&format!("source {:?}", self.name), setting, value, wanted)
    }

    /// What can be said about the words alone.
    pub(crate) fn check(&self) -> Result<(), SettingFault> {
        let arguments = || self.arguments.iter().map(|argument| argument.name.as_str());
        let fields = || self.fields.iter().map(|field| field.name.as_str());
        let parameters = self.arguments.iter().map(|argument| argument.parameter.as_str());
        let parameters = parameters.chain(self.constants.iter().map(|(parameter, _)| parameter.as_str()));
        if let Some(name) = arguments().chain(fields()).chain([self.tool.as_str()]).find(|name| !is_word(name)) {
            return Err(self.fault("a name", name, "made of at most 64 letters, digits and _"));
        }
        for (setting, twice) in
            [("an argument", twice(arguments())), ("a parameter", twice(parameters)), ("a field", twice(fields()))]
        {
            twice.map_or(Ok(()), |name| Err(self.fault(setting, name, "there only once")))?;
        }
        if self.fields.is_empty() {
            return Err(self.fault("fields", "", "a list of at least one"));
        }
        if !self.path.starts_with('/') || self.path.contains(['?', '#', '\\']) || self.path.contains("..") {
            return Err(self.fault("path", &self.path, "a path below the base such as /articles/search, without query"));
        }
        if !self.articles.is_empty() && FieldPath::parse(&self.articles).is_none_or(|path| path.is_list()) {
            return Err(self.fault("articles", &self.articles, "a JSON pointer such as /articles, or empty"));
        }
        if !(20..=500).contains(&self.description.len()) {
            return Err(self.fault(
                "description",
                &self.description,
                "of 20 to 500 bytes, so that a model knows when to use the tool",
            ));
        }
        if let Some(argument) = self.arguments.iter().find(|argument| argument.description.trim().is_empty()) {
            return Err(self.fault("the description of an argument", &argument.description, "a sentence for the model"));
        }
        for (setting, text) in [("title", &self.title), ("error", &self.error), ("scope", &self.scope)] {
            if text.trim().is_empty() {
                return Err(self.fault(setting, text, "some text"));
            }
        }
        Ok(())
    }
}

fn is_word(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn twice<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name))
}

fn argument(name: &str, description: &str) -> Argument {
    Argument {
        name: name.to_owned(),
        parameter: name.to_owned(),
        description: description.to_owned(),
        is_required: false,
        kind: ArgumentKind::Text { default: None, minimum: None, maximum: None },
    }
}

fn field(name: &str, path: &str, description: &str) -> Field {
    Field { name: name.to_owned(), path: path.to_owned(), description: description.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Connector;

    #[track_caller]
    fn check(change: impl FnOnce(&mut Source), expected: &str) {
        let mut source = Source::vk("https://news.example".to_owned());
        change(&mut source);
        let fault = Connector::new(source).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.starts_with(&format!("source \"vk\": {expected}")), "{fault:?}");
    }

    #[test]
    fn a_source_that_makes_no_sense_is_named_before_it_is_asked() {
        check(|source| source.base_url = "http://news.example".to_owned(), "baseUrl is \"http://news.example\"");
        check(|source| source.path = "articles".to_owned(), "path is");
        check(|source| source.path = "/../admin".to_owned(), "path is");
        check(|source| source.path = "/articles?all=1".to_owned(), "path is");
        check(|source| source.tool = "vk search".to_owned(), "a name is \"vk search\"");
        check(|source| source.articles = "articles".to_owned(), "articles is");
        check(|source| source.fields.clear(), "fields is");
        check(|source| source.fields[0].path = "headline".to_owned(), "the path of a field is \"headline\"");
        check(|source| source.fields[1].name = "headline".to_owned(), "a field is \"headline\"");
        check(|source| source.constants.push(("limit".to_owned(), "1".to_owned())), "a parameter is \"limit\"");
        check(|source| source.credential = CredentialPlace::Cookie { name: "a;b".to_owned() }, "credential is");
        check(|source| source.description = "Search".to_owned(), "description is");
        check(|source| source.error = " ".to_owned(), "error is");
    }

    #[test]
    fn only_vk_is_built_in() {
        assert!(Source::built_in("vk", None).is_some_and(|source| Connector::new(source).is_ok()));
        assert!(Source::built_in("other", None).is_none());
    }
}
