//! Asking a source, and passing on exactly what may leave.

use std::pin::pin;
use std::time::Duration;

use secrecy::SecretString;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use url::Url;

use crate::credential::{A_PLACE, CredentialHeader};
use crate::field_path::{A_FIELD_PATH, FieldPath};
use crate::guarded_get::{GetError, GuardedGet};
use crate::setting::{AN_ADDRESS, SettingFault, parse_address};
use crate::source::{Argument, ArgumentKind, Source};

/// How often a quiet site's caller is asked whether it still waits.
const GLANCE: Duration = Duration::from_millis(100);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error("{name} {wanted}")]
    Argument { name: String, wanted: &'static str },
    #[error("the caller has no credential for this source")]
    CredentialMissing,
    #[error("the site does not accept the caller's credential")]
    CredentialRejected,
    /// For the log only.
    #[error("{0}")]
    Unavailable(String),
    #[error("stopped, because the call was cancelled")]
    Cancelled,
}

/// A source whose settings make sense, ready to be asked.
pub struct Connector {
    source: Source,
    address: Url,
    credential: Option<CredentialHeader>,
    fields: Vec<(String, FieldPath)>,
    get: GuardedGet,
}

impl Connector {
    pub fn new(source: Source) -> Result<Connector, SettingFault> {
        source.check()?;
        let address = address(&source).ok_or_else(|| source.fault("baseUrl", &source.base_url, AN_ADDRESS))?;
        let credential = source.credential.header();
        let credential = credential.ok_or_else(|| source.fault("credential", &format!("{:?}", source.credential), A_PLACE))?;
        let mut fields = Vec::new();
        for field in &source.fields {
            let path =
                FieldPath::parse(&field.path).ok_or_else(|| source.fault("the path of a field", &field.path, A_FIELD_PATH))?;
            fields.push((field.name.clone(), path));
        }
        let get = GuardedGet::new(&address, source.limits);
        Ok(Connector { source, address, credential, fields, get })
    }

    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The fields that leave, and whether each is a list of texts.
    pub fn fields(&self) -> impl Iterator<Item = (&str, bool)> {
        self.fields.iter().map(|(name, path)| (name.as_str(), path.is_list()))
    }

    /// The articles, each with all fields and only those.
    pub async fn search(
        &self,
        arguments: &Map<String, Value>,
        credential: Option<&SecretString>,
    ) -> Result<Vec<Map<String, Value>>, SourceError> {
        let address = self.question(arguments)?;
        let header = match &self.credential {
            None => None,
            Some(place) => {
                let credential = credential.ok_or(SourceError::CredentialMissing)?;
                Some(place.with(credential).ok_or(SourceError::CredentialRejected)?)
            }
        };
        let answer = self.get.get(address, header).await.map_err(|error| match error {
            GetError::Refused if self.credential.is_some() => SourceError::CredentialRejected,
            GetError::Refused => SourceError::Unavailable("answered that a credential is needed".to_owned()),
            GetError::Failed(cause) => SourceError::Unavailable(cause),
        })?;
        self.articles(&answer)
    }

    /// The same for a thread that may block, on the runtime that the thread belongs to. `go_on` returns false once nobody waits.
    pub fn search_blocking(
        &self,
        arguments: &Map<String, Value>,
        credential: Option<&SecretString>,
        go_on: impl Fn() -> bool,
    ) -> Result<Vec<Map<String, Value>>, SourceError> {
        let runtime = Handle::try_current().map_err(|error| SourceError::Unavailable(error.to_string()))?;
        runtime.block_on(async {
            let mut searching = pin!(self.search(arguments, credential));
            loop {
                match tokio::time::timeout(GLANCE, &mut searching).await {
                    Ok(outcome) => return outcome,
                    Err(_) if go_on() => {}
                    Err(_) => return Err(SourceError::Cancelled),
                }
            }
        })
    }

    fn question(&self, arguments: &Map<String, Value>) -> Result<Url, SourceError> {
        let mut parameters = self.source.constants.clone();
        for argument in &self.source.arguments {
            if let Some(value) = value_of(argument, arguments.get(&argument.name))? {
                parameters.push((argument.parameter.clone(), value));
            }
        }
        parameters.sort();
        let mut address = self.address.clone();
        address.query_pairs_mut().extend_pairs(parameters);
        Ok(address)
    }

    fn articles(&self, answer: &Value) -> Result<Vec<Map<String, Value>>, SourceError> {
        let list = answer.as_array().or_else(|| answer.pointer(&self.source.articles)?.as_array());
        let list =
            list.ok_or_else(|| SourceError::Unavailable(format!("answered without a list at {:?}", self.source.articles)))?;
        let articles = list.iter().filter(|item| item.is_object()).take(self.source.most_articles);
        Ok(articles.map(|item| self.fields.iter().map(|(name, path)| (name.clone(), path.read(item))).collect()).collect())
    }
}

fn address(source: &Source) -> Option<Url> {
    let mut address = parse_address(&source.base_url)?;
    let path = format!("{}{}", address.path().trim_end_matches('/'), source.path);
    address.set_path(&path);
    Some(address)
}

/// What is sent for an argument, if anything is. Bounds were checked against the tool's schema.
fn value_of(argument: &Argument, given: Option<&Value>) -> Result<Option<String>, SourceError> {
    let wanted = |wanted| SourceError::Argument { name: argument.name.clone(), wanted };
    let given = given.filter(|value| !value.is_null());
    let value = match (&argument.kind, given) {
        (ArgumentKind::Text { default, .. }, None) => default.clone(),
        (ArgumentKind::Integer { default, .. }, None) => default.map(|number| number.to_string()),
        (ArgumentKind::Text { .. }, Some(value)) => Some(value.as_str().ok_or_else(|| wanted("must be text"))?.to_owned()),
        (ArgumentKind::Integer { .. }, Some(value)) => {
            Some(value.as_i64().ok_or_else(|| wanted("must be a whole number that is not too large"))?.to_string())
        }
    };
    if value.is_none() && argument.is_required {
        return Err(wanted("is required"));
    }
    Ok(value)
}
