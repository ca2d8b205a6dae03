//! Sources and accounts against the example site, on loopback.

mod accounts;
mod sources;
