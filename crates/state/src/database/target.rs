//! What a PostgreSQL URL asks for.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::StateError;

pub(crate) struct Target {
    pub(crate) config: Config,
    /// Certificates of authorities to trust instead of those of the system.
    pub(crate) authorities: Option<PathBuf>,
}

impl Target {
    /// Errors of the library are not passed on, as they may quote a password that was not written as it should be.
    pub(crate) fn parse(url: &str) -> Result<Target, StateError> {
        let unreadable =
            "the URL of the state cannot be read; write postgres://user:password@host/database, with special characters as %XX";
        let unreadable = || StateError::Location(unreadable.into());
        let (address, query) = url.split_once('?').unwrap_or((url, ""));
        let mut mode = None;
        let mut authorities = None;
        let mut rest = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", value)) => mode = Some(value),
                Some(("sslrootcert", "system")) => authorities = None,
                Some(("sslrootcert", path)) => {
                    let path = percent_decode_str(path).decode_utf8().map_err(|_| unreadable())?;
                    authorities = Some(PathBuf::from(path.into_owned()));
                }
                _ => rest.push(parameter),
            }
        }
        let mut config = Config::from_str(&format!("{address}?{}", rest.join("&"))).map_err(|_| unreadable())?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host("/var/run/postgresql");
        }
        let mode = match mode {
            Some("disable") => SslMode::Disable,
            Some("require" | "verify-ca" | "verify-full") => SslMode::Require,
            Some("allow" | "prefer") | None if is_local(&config) => SslMode::Disable,
            Some("allow" | "prefer") | None => SslMode::Prefer,
            Some(_) => {
                let modes = "write sslmode=disable, prefer, require or verify-full in the URL of the state";
                return Err(StateError::Location(modes.into()));
            }
        };
        config.ssl_mode(mode);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(Duration::from_secs(5));
        }
        if config.get_application_name().is_none() {
            config.application_name("quillgate");
        }
        Ok(Target { config, authorities })
    }

    pub(crate) fn wants_tls(&self) -> bool {
        self.config.get_ssl_mode() != SslMode::Disable
    }
}

fn is_local(config: &Config) -> bool {
    let is_loopback = |name: &str| name == "localhost" || name.parse().is_ok_and(|address: IpAddr| address.is_loopback());
    let hosts = config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => is_loopback(name),
        #[cfg(unix)]
        Host::Unix(_) => true,
    });
    hosts && config.get_hostaddrs().iter().all(IpAddr::is_loopback)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(url: &str) -> SslMode {
        Target::parse(url).unwrap().config.get_ssl_mode()
    }

    #[test]
    fn certificates_are_checked_wherever_tls_is_asked_for() {
        assert_eq!(mode("postgres://me@db.example/notes"), SslMode::Prefer);
        assert_eq!(mode("postgres://me@db.example/notes?sslmode=disable"), SslMode::Disable);
        assert_eq!(mode("postgres://me@127.0.0.1/notes?sslmode=verify-full"), SslMode::Require);
        assert_eq!(mode("postgres://me@127.0.0.1/notes"), SslMode::Disable);
        assert_eq!(mode("postgres:///notes?host=/run/postgresql"), SslMode::Disable);
        assert!(Target::parse("postgres://me@localhost/notes?sslmode=maybe").is_err());
        let target = Target::parse("postgres://me@h/notes?sslmode=require&sslrootcert=/etc/a%20b.pem&connect_timeout=3").unwrap();
        assert_eq!(target.authorities, Some("/etc/a b.pem".into()));
        assert_eq!(target.config.get_connect_timeout(), Some(&Duration::from_secs(3)));
    }
}
