//! Asking another site whose session a cookie is.

use secrecy::SecretString;
use serde_json::Value;
use url::Url;

use crate::credential::{A_PLACE, CredentialHeader};
use crate::field_path::{A_FIELD_PATH, FieldPath, text_at};
use crate::guarded_get::{GetError, GetLimits, GuardedGet};
use crate::setting::{AN_ADDRESS, SettingFault, parse_address};

/// Longer names are cut.
const LONGEST_NAME: usize = 200;

#[derive(Clone, Debug)]
pub struct AccountSettings {
    /// Answers with JSON about the account that the cookie belongs to, and with 401 for a cookie that belongs to none.
    pub url: String,
    /// The cookie's name.
    pub cookie: String,
    /// JSON pointer to the account's name.
    pub name: String,
    /// JSON pointer to the time at which the session ends, in seconds since 1970.
    pub expires: Option<String>,
    pub limits: GetLimits,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub name: String,
    /// Seconds since 1970.
    pub expires: Option<i64>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    #[error("the site does not know this session; log in there again")]
    Rejected,
    /// For the log only.
    #[error("the account cannot be asked for: {0}")]
    Unavailable(String),
}

pub struct UpstreamAccount {
    settings: AccountSettings,
    url: Url,
    cookie: CredentialHeader,
    get: GuardedGet,
}

impl UpstreamAccount {
    pub fn new(settings: AccountSettings) -> Result<UpstreamAccount, SettingFault> {
        let fault = |setting, value: &str, wanted| SettingFault::new("upstream", setting, value, wanted);
        let url = parse_address(&settings.url).ok_or_else(|| fault("accountUrl", &settings.url, AN_ADDRESS))?;
        let cookie = CredentialHeader::cookie(&settings.cookie).ok_or_else(|| fault("cookie", &settings.cookie, A_PLACE))?;
        for pointer in [Some(&settings.name), settings.expires.as_ref()].into_iter().flatten() {
            if FieldPath::parse(pointer).is_none_or(|path| path.is_list()) {
                return Err(fault("a field of the account", pointer, A_FIELD_PATH));
            }
        }
        let get = GuardedGet::new(&url, settings.limits);
        Ok(UpstreamAccount { settings, url, cookie, get })
    }

    pub async fn check(&self, credential: &SecretString) -> Result<Account, UpstreamError> {
        let header = self.cookie.with(credential).ok_or(UpstreamError::Rejected)?;
        let answer = self.get.get(self.url.clone(), Some(header)).await.map_err(|error| match error {
            GetError::Refused => UpstreamError::Rejected,
            GetError::Failed(cause) => UpstreamError::Unavailable(cause),
        })?;
        let name = text_at(&answer, &self.settings.name).map(plain).filter(|name| !name.is_empty());
        let name =
            name.ok_or_else(|| UpstreamError::Unavailable(format!("answered without a name at {}", self.settings.name)))?;
        let expires = self.settings.expires.as_ref().and_then(|pointer| answer.pointer(pointer)).and_then(Value::as_i64);
        Ok(Account { name, expires })
    }
}

/// A name for one line of a page.
fn plain(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(LONGEST_NAME).collect::<String>().trim().to_owned()
}
