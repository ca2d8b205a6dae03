//! People who may log in: those of the configuration, and those that the operator added to the state.

use quillgate_state::StateError;
use secrecy::SecretString;
use unicode_normalization::UnicodeNormalization;

use crate::password::PasswordHash;
use crate::scope::Scopes;
use crate::settings::{ConfiguredUser, Login};
use crate::site::Site;

/// Names are compared after composing accents, so that two ways of typing one name are one account. Case matters.
pub fn normal_name(name: &str) -> String {
    name.trim().nfc().collect()
}

impl Site {
    /// The mark of the password, if it is right. Takes as long for a name that nobody has.
    pub(crate) async fn check_password(&self, name: &str, password: SecretString) -> Result<Option<String>, StateError> {
        let hash = self.password_of(name).await?;
        let is_right = self.hashing.verify(hash.as_ref(), &password).await;
        Ok(hash.filter(|_| is_right).map(|hash| hash.mark()))
    }

    /// Whether a grant of this user still counts: it ends when the user goes or changes the password.
    pub(crate) async fn is_still(&self, user: &str, mark: &str) -> Result<bool, StateError> {
        if mark.is_empty() {
            return Ok(true);
        }
        Ok(self.password_of(user).await?.is_some_and(|hash| hash.mark() == mark))
    }

    async fn password_of(&self, name: &str) -> Result<Option<PasswordHash>, StateError> {
        if let Some(user) = self.configured_user(name) {
            return Ok(Some(user.password.clone()));
        }
        let user = self.state.find_user(name).await?;
        Ok(user.and_then(|user| PasswordHash::parse(&user.password).ok()))
    }

    fn configured_user(&self, name: &str) -> Option<&ConfiguredUser> {
        let Some(Login::Password { users }) = &self.settings.login else { return None };
        users.iter().find(|user| user.name == name)
    }

    /// The most that this user can give away.
    pub(crate) fn limit_of(&self, name: &str) -> (Option<&Scopes>, Option<&str>) {
        let user = self.configured_user(name);
        (user.and_then(|user| user.scopes.as_ref()), user.and_then(|user| user.vault.as_deref()))
    }
}
