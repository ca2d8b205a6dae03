//! TLS to a PostgreSQL server.
