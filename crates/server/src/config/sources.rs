//! Other sites whose articles can be searched, as the operator describes them.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::bail;
use quillgate_remote::{Argument, ArgumentKind, CredentialPlace, Field, GetLimits, Source};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceConfig {
    /// What the source is called here. `vk` is built in: only its `baseUrl` may be given.
    pub name: String,
    /// Address that the path of the search is appended to: `https://…`, or `http://` on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// What to ask and what may leave; for every source that is not built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SourceSearch>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceSearch {
    /// Path below `baseUrl`, such as `/articles/search`. Only GET is ever sent.
    pub path: String,
    /// Name of the tool; `<name>_search` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Short name of the tool for people.
    pub title: String,
    /// What a model reads about the tool, 20 to 500 bytes.
    pub description: String,
    /// The one sentence that a model reads when the source fails; the cause is in the log.
    pub error: String,
    /// Scope that a caller needs; `<name>:search` by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Arguments of the tool, each sent as a parameter of the query.
    pub arguments: Vec<SourceArgument>,
    /// Query parameters that are always the same.
    #[serde(default)]
    pub constants: BTreeMap<String, String>,
    /// How the caller's own credential is sent; left out, none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<SourceCredential>,
    /// JSON pointer to the list of articles in the answer, such as `/articles`; empty when the answer is the list.
    #[serde(default)]
    pub articles: String,
    /// The only fields of an article that leave, in this order.
    pub fields: Vec<SourceField>,
    /// Seconds that an answer may take.
    #[serde(default = "ten_seconds")]
    pub timeout_seconds: u64,
    /// Bytes that an answer may have; a longer one is a failure.
    #[serde(default = "two_megabytes")]
    pub max_response_bytes: usize,
    /// Articles of one answer that are passed on.
    #[serde(default = "fifty")]
    pub max_articles: usize,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceArgument {
    /// Name of the argument: letters, digits and `_`.
    pub name: String,
    /// Query parameter that it is sent as; its own name by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// What a model reads about it.
    pub description: String,
    /// `text` or `integer`.
    #[serde(default, rename = "type")]
    pub kind: SourceArgumentType,
    /// Whether a call must give it.
    #[serde(default)]
    pub required: bool,
    /// Sent when a call leaves it out: text, or a whole number for an integer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<serde_json::Value>,
    /// Least value of an integer, or number of characters of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<i64>,
    /// Greatest value of an integer, or number of characters of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceArgumentType {
    #[default]
    Text,
    Integer,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceCredential {
    /// Name of the cookie that carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cookie: Option<String>,
    /// Name of the header that carries it, instead of a cookie.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What stands before it in the header, such as `Bearer ` with its space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourceField {
    /// Name under which it leaves.
    pub name: String,
    /// JSON pointer inside an article, such as `/section/name`; `/authors/*/name` is a list. Only text leaves.
    pub path: String,
    /// What a model reads about it.
    #[serde(default)]
    pub description: String,
}

impl SourceConfig {
    pub fn source(&self) -> anyhow::Result<Source> {
        let name = &self.name;
        match (Source::built_in(name, self.base_url.clone()), &self.search, &self.base_url) {
            (Some(source), None, _) => Ok(source),
            (Some(_), Some(_), _) => bail!("source {name:?} is built in and takes only baseUrl; give your own another name"),
            (None, Some(search), Some(base_url)) => search.source(name, base_url),
            (None, None, _) => bail!("source {name:?} is not built in; say with search what to ask it, or use \"vk\""),
            (None, _, None) => bail!("source {name:?} needs a baseUrl"),
        }
    }
}

impl SourceSearch {
    fn source(&self, name: &str, base_url: &str) -> anyhow::Result<Source> {
        let arguments = self.arguments.iter().map(|argument| argument.argument(name)).collect::<anyhow::Result<_>>()?;
        let fields = self.fields.iter().map(|field| Field {
            name: field.name.clone(),
            path: field.path.clone(),
            description: field.description.clone(),
        });
        Ok(Source {
            name: name.to_owned(),
            tool: self.tool.clone().unwrap_or_else(|| format!("{name}_search")),
            title: self.title.clone(),
            description: self.description.clone(),
            scope: self.scope.clone().unwrap_or_else(|| format!("{name}:search")),
            error: self.error.clone(),
            base_url: base_url.to_owned(),
            path: self.path.clone(),
            arguments,
            constants: self.constants.clone().into_iter().collect(),
            credential: self.credential.as_ref().map_or(Ok(CredentialPlace::Nowhere), |credential| credential.place(name))?,
            articles: self.articles.clone(),
            fields: fields.collect(),
            limits: GetLimits { time: Duration::from_secs(self.timeout_seconds.max(1)), bytes: self.max_response_bytes },
            most_articles: self.max_articles,
        })
    }
}

impl SourceArgument {
    fn argument(&self, source: &str) -> anyhow::Result<Argument> {
        Ok(Argument {
            name: self.name.clone(),
            parameter: self.parameter.clone().unwrap_or_else(|| self.name.clone()),
            description: self.description.clone(),
            is_required: self.required,
            kind: self.kind(source)?,
        })
    }

    fn kind(&self, source: &str) -> anyhow::Result<ArgumentKind> {
        use SourceArgumentType::{Integer, Text};
        let wrong =
            |what: &str| anyhow::anyhow!("source {source:?}: {what} of the argument {:?} does not fit its type", self.name);
        let characters = |bound: Option<i64>, what: &str| bound.map(u64::try_from).transpose().map_err(|_| wrong(what));
        Ok(match self.kind {
            Text => ArgumentKind::Text {
                default: self
                    .default
                    .as_ref()
                    .map(|default| default.as_str().ok_or_else(|| wrong("the default")))
                    .transpose()?
                    .map(str::to_owned),
                minimum: characters(self.minimum, "the minimum")?,
                maximum: characters(self.maximum, "the maximum")?,
            },
            Integer => ArgumentKind::Integer {
                default: self.default.as_ref().map(|default| default.as_i64().ok_or_else(|| wrong("the default"))).transpose()?,
                minimum: self.minimum,
                maximum: self.maximum,
            },
        })
    }
}

impl SourceCredential {
    fn place(&self, source: &str) -> anyhow::Result<CredentialPlace> {
        match (&self.cookie, &self.header, &self.prefix) {
            (Some(name), None, None) => Ok(CredentialPlace::Cookie { name: name.clone() }),
            (None, Some(name), prefix) => {
                Ok(CredentialPlace::Header { name: name.clone(), prefix: prefix.clone().unwrap_or_default() })
            }
            _ => bail!("source {source:?}: its credential travels in a cookie, or in a header with or without prefix; name one"),
        }
    }
}

fn ten_seconds() -> u64 {
    GetLimits::default().time.as_secs()
}

fn two_megabytes() -> usize {
    GetLimits::default().bytes
}

fn fifty() -> usize {
    50
}

#[cfg(test)]
mod tests {
    use quillgate_tools::articles_surface;

    use super::*;
    use crate::config::Config;

    const GAZETTE: &str = "
sources:
  - name: vk
    baseUrl: http://127.0.0.1:8099/vk/rest
  - name: gazette
    baseUrl: https://api.gazette.example/v1
    search:
      path: /find
      title: Search the Gazette
      description: Search the articles of the Gazette, newest first.
      error: the Gazette cannot be searched now
      arguments:
        - {name: words, parameter: q, description: Words to look for, required: true, minimum: 2}
        - {name: count, description: The most articles, type: integer, default: 10, maximum: 20}
      constants: {format: json}
      credential: {header: Authorization, prefix: 'Bearer '}
      articles: /hits
      fields:
        - {name: title, path: /title}
        - {name: tags, path: /tags/*}
";

    fn sources(text: &str) -> anyhow::Result<Vec<Source>> {
        let config: Config = serde_norway::from_str(text)?;
        config.sources.iter().map(SourceConfig::source).collect()
    }

    #[test]
    fn a_source_is_read_as_it_is_described() {
        let surface = articles_surface(sources(GAZETTE).expect("sources")).expect("a surface");
        let tools: Vec<_> = surface.tools().collect();
        let [vk, gazette] = tools[..] else { panic!("two tools") };
        assert_eq!((vk.spec.name, gazette.spec.name), ("vk_search", "gazette_search"));
        assert_eq!(gazette.spec.scopes, ["gazette:search"]);
        let schema = serde_json::Value::Object((gazette.input_schema)());
        assert_eq!(schema["required"], serde_json::json!(["words"]));
        assert_eq!(schema["properties"]["words"]["minLength"], 2);
        assert_eq!(schema["properties"]["count"]["default"], 10);
    }

    #[test]
    fn a_source_that_is_not_fully_described_is_named() {
        let check = |text: &str, expected: &str| {
            let fault = sources(text).err().map(|fault| format!("{fault:#}")).unwrap_or_default();
            assert!(fault.contains(expected), "{fault:?}");
        };
        check("sources: [{name: gazette}]", "source \"gazette\" is not built in");
        check(&GAZETTE.replace("    baseUrl: https://api.gazette.example/v1\n", ""), "source \"gazette\" needs a baseUrl");
        check(&GAZETTE.replace("name: gazette", "name: vk"), "source \"vk\" is built in and takes only baseUrl");
        check(&GAZETTE.replace("default: 10", "default: ten"), "the default of the argument \"count\" does not fit its type");
        check(&GAZETTE.replace("minimum: 2", "minimum: -2"), "the minimum of the argument \"words\" does not fit its type");
        check(&GAZETTE.replace("{header: Authorization, ", "{cookie: a, header: b, "), "its credential travels in a cookie");
        check(&GAZETTE.replace("format: json}", "format: json}\n      method: POST"), "unknown field `method`");
    }
}
