//! What need not be asked for a while: a tool in a folder.

use crate::database::{Row, values};
use crate::{State, StateError};

/// Somebody said: this tool may do its work below this folder, without asking, until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub id: String,
    pub vault: String,
    pub tool: String,
    /// Empty: the whole vault.
    pub folder: String,
    /// Absent: whoever calls.
    pub caller: Option<String>,
    /// Who said so.
    pub by: String,
    pub created: i64,
    pub expires: i64,
}

impl State {
    pub async fn allow(&self, allowance: &Allowance) -> Result<(), StateError> {
        let sql = "INSERT INTO allowances (id, vault, tool, folder, caller, given_by, created, expires)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let Allowance { id, vault, tool, folder, caller, by, created, expires } = allowance;
        self.database().change(sql, values![id, vault, tool, folder, caller, by, *created, *expires]).await?;
        Ok(())
    }

    /// One whose folder has all these paths below it. A call without paths is allowed by none but those for the whole vault.
    ///
    /// Paths are compared as they are written: the caller has resolved and normalised them.
    pub async fn find_allowance(
        &self,
        vault: &str,
        tool: &str,
        caller: &str,
        paths: &[impl AsRef<str>],
        now: i64,
    ) -> Result<Option<Allowance>, StateError> {
        let sql = "SELECT id, vault, tool, folder, caller, given_by, created, expires FROM allowances
            WHERE vault = $1 AND tool = $2 AND (caller IS NULL OR caller = $3) AND expires > $4 ORDER BY expires DESC, id";
        let allowances = self.database().list(sql, values![vault, tool, caller, now], read).await?;
        Ok(allowances.into_iter().find(|allowance| allowance.covers(paths)))
    }

    /// The latest first.
    pub async fn allowances(&self, now: i64) -> Result<Vec<Allowance>, StateError> {
        let sql = "SELECT id, vault, tool, folder, caller, given_by, created, expires FROM allowances
            WHERE expires > $1 ORDER BY created DESC, id";
        self.database().list(sql, values![now], read).await
    }

    pub async fn revoke_allowance(&self, id: &str) -> Result<bool, StateError> {
        Ok(self.database().change("DELETE FROM allowances WHERE id = $1", values![id]).await? > 0)
    }
}

impl Allowance {
    fn covers(&self, paths: &[impl AsRef<str>]) -> bool {
        let folder = self.folder.trim_end_matches('/');
        if paths.is_empty() {
            return folder.is_empty();
        }
        paths.iter().all(|path| is_below(path.as_ref(), folder))
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    if path.starts_with('/') || path.split('/').any(|part| part == "..") {
        return false;
    }
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
}

fn read(row: &mut Row) -> Result<Allowance, StateError> {
    Ok(Allowance {
        id: row.text()?,
        vault: row.text()?,
        tool: row.text()?,
        folder: row.text()?,
        caller: row.optional_text()?,
        by: row.text()?,
        created: row.integer()?,
        expires: row.integer()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(folder: &str, paths: &[&str], expected: bool) {
        let allowance = Allowance {
            id: "a".into(),
            vault: "v".into(),
            tool: "t".into(),
            folder: folder.into(),
            caller: None,
            by: "anna".into(),
            created: 0,
            expires: 1,
        };
        assert_eq!(allowance.covers(paths), expected, "{folder:?} {paths:?}");
    }

    #[test]
    fn every_path_must_be_below_the_folder() {
        check("Inbox", &["Inbox/a.md", "Inbox/b/c.md"], true);
        check("Inbox/", &["Inbox/a.md"], true);
        check("Inbox", &["Inbox/a.md", "Other/a.md"], false);
        check("Inbox", &["Inboxes/a.md"], false);
        check("Inbox", &["Inbox"], false);
        check("Inbox", &["Inbox/"], false);
        check("Inbox", &["inbox/a.md"], false);
        check("Inbox", &["Inbox/../secret.md"], false);
        check("", &["a.md", "b/c.md"], true);
        check("", &["../a.md"], false);
        check("", &["/a.md"], false);
    }

    #[test]
    fn what_touches_no_path_needs_the_whole_vault() {
        check("", &[], true);
        check("Inbox", &[], false);
    }
}
