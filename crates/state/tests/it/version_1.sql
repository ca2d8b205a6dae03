-- A state as version 1 made it, with somebody in it.
CREATE TABLE clients (
    id TEXT PRIMARY KEY, metadata TEXT NOT NULL, secret TEXT, registration TEXT,
    created BIGINT NOT NULL, seen BIGINT, used BIGINT);
CREATE INDEX clients_by_seen ON clients ((COALESCE(seen, 0)), created, id) WHERE used IS NULL;
CREATE INDEX clients_by_created ON clients (created, id) WHERE used IS NULL;
CREATE TABLE requests (
    id TEXT PRIMARY KEY, browser TEXT NOT NULL, csrf TEXT NOT NULL, data TEXT NOT NULL, expires BIGINT NOT NULL);
CREATE INDEX requests_by_expires ON requests (expires);
CREATE TABLE consents (
    id TEXT PRIMARY KEY, target TEXT NOT NULL, user_name TEXT NOT NULL, client_id TEXT NOT NULL,
    redirect_uri TEXT NOT NULL, scopes TEXT NOT NULL, given BIGINT NOT NULL);
CREATE INDEX consents_by_target ON consents (target);
CREATE INDEX consents_by_user ON consents (user_name);
CREATE INDEX consents_by_client ON consents (client_id);
CREATE TABLE grants (
    id TEXT PRIMARY KEY, issuer TEXT NOT NULL, user_name TEXT NOT NULL, client_id TEXT NOT NULL,
    client_name TEXT NOT NULL, scopes TEXT NOT NULL, resource TEXT NOT NULL, user_mark TEXT NOT NULL,
    created BIGINT NOT NULL, expires BIGINT NOT NULL, ended BIGINT);
CREATE INDEX grants_by_user ON grants (user_name);
CREATE INDEX grants_by_client ON grants (client_id);
CREATE INDEX grants_by_expires ON grants (expires);
CREATE INDEX grants_by_ended ON grants (ended) WHERE ended IS NOT NULL;
CREATE TABLE codes (
    hash TEXT PRIMARY KEY, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL, challenge TEXT NOT NULL, sealed TEXT, expires BIGINT NOT NULL, used BIGINT,
    misses BIGINT NOT NULL);
CREATE INDEX codes_by_grant ON codes (grant_id);
CREATE INDEX codes_by_expires ON codes (expires);
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY, kind TEXT NOT NULL, grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL, parent TEXT, sealed TEXT, issued BIGINT NOT NULL, expires BIGINT NOT NULL,
    last_used BIGINT, replaced BIGINT, reissued BIGINT NOT NULL, ended BIGINT);
CREATE INDEX tokens_by_grant ON tokens (grant_id);
CREATE INDEX tokens_by_parent ON tokens (parent) WHERE parent IS NOT NULL;
CREATE INDEX tokens_by_expires ON tokens (expires);
CREATE TABLE users (name TEXT PRIMARY KEY, password TEXT NOT NULL, created BIGINT NOT NULL);
CREATE TABLE keys (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL, vault TEXT, created BIGINT NOT NULL,
    expires BIGINT, last_used BIGINT);
CREATE TABLE limits (name TEXT PRIMARY KEY, due BIGINT NOT NULL);
CREATE TABLE quillgate_version (version BIGINT NOT NULL);
INSERT INTO quillgate_version (version) VALUES (1);
INSERT INTO users (name, password, created) VALUES ('anna', '$argon2id$canary', 1800000000);
