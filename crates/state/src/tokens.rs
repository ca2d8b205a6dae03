//! Access and refresh tokens.

use crate::database::{Row, values};
use crate::grants::read_grant;
use crate::{Grant, SecretHash, State, StateError, Token, TokenKind};

impl State {
    pub async fn add_token(&self, token: &Token) -> Result<(), StateError> {
        let sql = "INSERT INTO tokens
                (hash, kind, grant_id, scopes, parent, sealed, issued, expires, last_used, replaced, reissued, ended)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let Token { hash, kind, grant, scopes, parent, sealed, issued, expires, last_used, replaced, reissued, ended } = token;
        let kind = kind_name(*kind);
        let values =
            values![hash, kind, grant, scopes, parent, sealed, *issued, *expires, *last_used, *replaced, *reissued, *ended];
        self.database().change(sql, values).await?;
        Ok(())
    }

    /// With the grant that it was issued under. Whether either has ended or expired is for the caller to see.
    pub async fn find_token(&self, hash: &SecretHash) -> Result<Option<(Token, Grant)>, StateError> {
        let sql = "SELECT tokens.hash, tokens.kind, tokens.grant_id, tokens.scopes, tokens.parent, tokens.sealed, tokens.issued,
                tokens.expires, tokens.last_used, tokens.replaced, tokens.reissued, tokens.ended,
                grants.id, grants.issuer, grants.user_name, grants.client_id, grants.client_name, grants.scopes,
                grants.resource, grants.user_mark, grants.created, grants.expires, grants.ended
            FROM tokens JOIN grants ON grants.id = tokens.grant_id WHERE tokens.hash = $1";
        self.database().find(sql, values![hash], |row| Ok((read(row)?, read_grant(row)?))).await
    }

    /// To the minute: a token that is used all the time is not written all the time.
    pub async fn mark_token_used(&self, hash: &SecretHash, now: i64) -> Result<(), StateError> {
        let sql = "UPDATE tokens SET last_used = $2 WHERE hash = $1 AND (last_used IS NULL OR last_used + 60 <= $2)";
        self.database().change(sql, values![hash, now]).await?;
        Ok(())
    }

    /// Says whether it had not ended before.
    pub async fn end_token(&self, hash: &SecretHash, now: i64) -> Result<bool, StateError> {
        let sql = "UPDATE tokens SET ended = $2 WHERE hash = $1 AND ended IS NULL";
        Ok(self.database().change(sql, values![hash, now]).await? > 0)
    }

    /// Lets one caller exchange a refresh token that is still good for its successor.
    pub async fn replace_token(&self, hash: &SecretHash, now: i64) -> Result<bool, StateError> {
        let sql = "UPDATE tokens SET replaced = $2
            WHERE hash = $1 AND kind = 'refresh' AND replaced IS NULL AND ended IS NULL AND expires > $2";
        Ok(self.database().change(sql, values![hash, now]).await? > 0)
    }

    /// Counts one more exchange within the grace, unless there were `most` of them.
    pub async fn reissue_token(&self, hash: &SecretHash, most: i64) -> Result<bool, StateError> {
        let sql = "UPDATE tokens SET reissued = reissued + 1
            WHERE hash = $1 AND replaced IS NOT NULL AND ended IS NULL AND reissued < $2";
        Ok(self.database().change(sql, values![hash, most]).await? > 0)
    }

    /// Whether a refresh token that was issued for this one has itself been exchanged.
    pub async fn has_replaced_child(&self, hash: &SecretHash) -> Result<bool, StateError> {
        let sql = "SELECT replaced FROM tokens WHERE parent = $1 AND replaced IS NOT NULL LIMIT 1";
        Ok(self.database().find(sql, values![hash], Row::integer).await?.is_some())
    }

    /// The latest first.
    pub async fn tokens_of(&self, grant: &str) -> Result<Vec<Token>, StateError> {
        let sql = "SELECT hash, kind, grant_id, scopes, parent, sealed, issued, expires, last_used, replaced, reissued, ended
            FROM tokens WHERE grant_id = $1 ORDER BY issued DESC, hash";
        self.database().list(sql, values![grant], read).await
    }
}

fn kind_name(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Access => "access",
        TokenKind::Refresh => "refresh",
    }
}

fn read(row: &mut Row) -> Result<Token, StateError> {
    Ok(Token {
        hash: row.hash()?,
        kind: match row.text()?.as_str() {
            "access" => TokenKind::Access,
            "refresh" => TokenKind::Refresh,
            _ => return Err(StateError::Damaged("kind of token")),
        },
        grant: row.text()?,
        scopes: row.text()?,
        parent: row.optional_hash()?,
        sealed: row.optional_text()?,
        issued: row.integer()?,
        expires: row.integer()?,
        last_used: row.optional_integer()?,
        replaced: row.optional_integer()?,
        reissued: row.integer()?,
        ended: row.optional_integer()?,
    })
}
