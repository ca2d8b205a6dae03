//! The tables, and how an older database gets them.

use crate::StateError;

/// One entry per version; what was released is never edited, only followed by another entry. Both databases read these.
const VERSIONS: &[&[&str]] = &[LOGINS, GOVERNANCE];

const LOGINS: &[&str] = &[
    "CREATE TABLE clients (
        id TEXT PRIMARY KEY, metadata TEXT NOT NULL, secret TEXT, registration TEXT,
        created BIGINT NOT NULL, seen BIGINT, used BIGINT)",
    // Both orders in which `trim_clients` looks at clients that were never used.
    "CREATE INDEX clients_by_seen ON clients ((COALESCE(seen, 0)), created, id) WHERE used IS NULL",
    "CREATE INDEX clients_by_created ON clients (created, id) WHERE used IS NULL",
    "CREATE TABLE requests (
        id TEXT PRIMARY KEY, browser TEXT NOT NULL, csrf TEXT NOT NULL, data TEXT NOT NULL, expires BIGINT NOT NULL)",
    "CREATE INDEX requests_by_expires ON requests (expires)",
    // Found by hashes, because PostgreSQL indexes no text as long as a client's and a redirect URI may be together.
    "CREATE TABLE consents (
        id TEXT PRIMARY KEY, target TEXT NOT NULL, user_name TEXT NOT NULL, client_id TEXT NOT NULL,
        redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL, given BIGINT NOT NULL)",
    "CREATE INDEX consents_by_target ON consents (target)",
    "CREATE INDEX consents_by_user ON consents (user_name)",
    "CREATE INDEX consents_by_client ON consents (client_id)",
    "CREATE TABLE grants (
        id TEXT PRIMARY KEY, issuer TEXT NOT NULL, user_name TEXT NOT NULL, client_id TEXT NOT NULL,
        client_name TEXT NOT NULL, scopes TEXT NOT NULL, resource TEXT NOT NULL, user_mark TEXT NOT NULL,
        created BIGINT NOT NULL, expires BIGINT NOT NULL, ended BIGINT)",
    "CREATE INDEX grants_by_user ON grants (user_name)",
    "CREATE INDEX grants_by_client ON grants (client_id)",
    "CREATE INDEX grants_by_expires ON grants (expires)",
    "CREATE INDEX grants_by_ended ON grants (ended) WHERE ended IS NOT NULL",
    "CREATE TABLE codes (
        hash TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
        redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL, sealed TEXT, expires BIGINT NOT NULL, used BIGINT,
        misses BIGINT NOT NULL)",
    "CREATE INDEX codes_by_grant ON codes (grant_id)",
    "CREATE INDEX codes_by_expires ON codes (expires)",
    "CREATE TABLE tokens (
        hash TEXT PRIMARY KEY, kind TEXT NOT NULL, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
        scopes TEXT NOT NULL, parent TEXT, sealed TEXT, issued BIGINT NOT NULL, expires BIGINT NOT NULL,
        last_used BIGINT, replaced BIGINT, reissued BIGINT NOT NULL, ended BIGINT)",
    "CREATE INDEX tokens_by_grant ON tokens (grant_id)",
    "CREATE INDEX tokens_by_parent ON tokens (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX tokens_by_expires ON tokens (expires)",
    "CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT NOT NULL, created BIGINT NOT NULL)",
    "CREATE TABLE keys (
        hash TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, vault TEXT, created BIGINT NOT NULL,
        expires BIGINT, last_used BIGINT)",
    "CREATE TABLE limits (name TEXT PRIMARY KEY, due BIGINT NOT NULL)",
];

const GOVERNANCE: &[&str] = &[
    "CREATE TABLE audit (
        chain TEXT NOT NULL, seq BIGINT NOT NULL, at BIGINT NOT NULL, vault TEXT, surface TEXT NOT NULL, tool TEXT NOT NULL,
        caller TEXT NOT NULL, client TEXT, session TEXT, args_hash TEXT NOT NULL, status TEXT NOT NULL, code TEXT,
        confirmed TEXT, bytes_out BIGINT NOT NULL, duration BIGINT NOT NULL, dropped BIGINT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (chain, seq))",
    "CREATE INDEX audit_by_at ON audit (at, chain, seq)",
    // No foreign key from the rows: a head that somebody removed is to be noticed, not prevented.
    "CREATE TABLE audit_heads (
        chain TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE, started BIGINT NOT NULL, latest BIGINT NOT NULL,
        seq BIGINT NOT NULL, hash TEXT NOT NULL, anchor_seq BIGINT NOT NULL, anchor_hash TEXT NOT NULL)",
    // One row: how many chains there ever were, and how many of the first were trimmed away as a whole.
    "CREATE TABLE audit_chains (started BIGINT NOT NULL, retired BIGINT NOT NULL)",
    "INSERT INTO audit_chains (started, retired) VALUES (0, 0)",
    "CREATE TABLE replies (
        id TEXT PRIMARY KEY, vault TEXT NOT NULL, fingerprint TEXT NOT NULL, claim BIGINT NOT NULL, claimed BIGINT,
        result TEXT, expires BIGINT NOT NULL)",
    "CREATE INDEX replies_by_expires ON replies (expires)",
    "CREATE TABLE confirmations (
        id TEXT PRIMARY KEY, call TEXT NOT NULL UNIQUE, vault TEXT NOT NULL, tool TEXT NOT NULL, caller TEXT NOT NULL,
        args_hash TEXT NOT NULL, proposal_hash TEXT NOT NULL, proposal TEXT NOT NULL, paths TEXT NOT NULL,
        created BIGINT NOT NULL, expires BIGINT NOT NULL, decision TEXT, decided_by TEXT, token TEXT)",
    "CREATE INDEX confirmations_by_expires ON confirmations (expires)",
    "CREATE INDEX confirmations_by_caller ON confirmations (caller, expires) WHERE decision IS NULL",
    "CREATE TABLE allowances (
        id TEXT PRIMARY KEY, vault TEXT NOT NULL, tool TEXT NOT NULL, folder TEXT NOT NULL, caller TEXT, given_by TEXT NOT NULL,
        created BIGINT NOT NULL, expires BIGINT NOT NULL)",
    "CREATE INDEX allowances_by_tool ON allowances (vault, tool)",
    "CREATE INDEX allowances_by_expires ON allowances (expires)",
    "CREATE TABLE captures (
        id TEXT PRIMARY KEY, vault TEXT NOT NULL, title TEXT, content TEXT NOT NULL, tags TEXT NOT NULL, source TEXT,
        target_path_hint TEXT, captured BIGINT NOT NULL, committed BIGINT, claim BIGINT NOT NULL, claimed BIGINT)",
    "CREATE INDEX captures_waiting ON captures (vault, captured, id) WHERE committed IS NULL",
    "CREATE INDEX captures_committed ON captures (vault, captured, id) WHERE committed IS NOT NULL",
    "CREATE INDEX captures_by_committed ON captures (committed) WHERE committed IS NOT NULL",
    "CREATE TABLE shared_secrets (name TEXT PRIMARY KEY, secret TEXT NOT NULL)",
];

pub(crate) const CREATE_VERSION: &str = "CREATE TABLE IF NOT EXISTS quillgate_version (version BIGINT NOT NULL)";
pub(crate) const READ_VERSION: &str = "SELECT version FROM quillgate_version";

/// The statements that bring a database of this version (0: empty) to the present one, the last of them noting it.
pub(crate) fn steps(version: i64, location: &str) -> Result<Vec<String>, StateError> {
    let known = VERSIONS.len();
    let newer = StateError::Newer { location: location.to_owned(), found: version, known: known as i64 };
    let missing = usize::try_from(version).ok().and_then(|version| VERSIONS.get(version..)).ok_or(newer)?;
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let mut steps: Vec<String> = missing.iter().flat_map(|version| version.iter().map(ToString::to_string)).collect();
    steps.push("DELETE FROM quillgate_version".into());
    steps.push(format!("INSERT INTO quillgate_version (version) VALUES ({known})"));
    Ok(steps)
}
