//! Addresses: where the server listens, and who may connect without a login.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

use anyhow::{Context, bail};
use ipnet::IpNet;

pub(crate) const DEFAULT_PORT: u16 = 8090;
/// The port that clients of the `notes` surface expect.
pub(crate) const NOTES_PORT: u16 = 1065;

/// Networks that the operator named.
#[derive(Clone, Debug, Default)]
pub(crate) struct Networks(Vec<IpNet>);

impl Networks {
    pub(crate) fn parse(networks: &[String]) -> anyhow::Result<Networks> {
        let parse = |network: &String| {
            let single = network.parse::<IpAddr>().map(IpNet::from);
            single
                .or_else(|_| network.parse::<IpNet>())
                .with_context(|| format!("{network:?} is not a network; write it like 192.168.1.0/24"))
        };
        networks.iter().map(parse).collect::<anyhow::Result<_>>().map(Networks)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contain(&self, address: IpAddr) -> bool {
        // An IPv4 client of a socket for both families comes as ::ffff:a.b.c.d.
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// Who may connect without a login: this machine, and the networks the operator trusts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TrustedPeers(Networks);

impl TrustedPeers {
    pub(crate) fn parse(networks: &[String]) -> anyhow::Result<TrustedPeers> {
        Networks::parse(networks).map(TrustedPeers)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contain(&self, peer: IpAddr) -> bool {
        peer.to_canonical().is_loopback() || self.0.contain(peer)
    }
}

/// Reads `127.0.0.1:8090`, `localhost:8090`, `[::1]:8090` or `:8090` for all interfaces.
pub(crate) fn parse_address(text: &str) -> anyhow::Result<SocketAddr> {
    if let Some(port) = text.strip_prefix(':') {
        let port = port.parse().with_context(|| format!("{text:?} has no valid port"))?;
        return Ok(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)));
    }
    let mut found =
        text.to_socket_addrs().with_context(|| format!("{text:?} is not an address; write it like 127.0.0.1:8090"))?;
    found.next().with_context(|| format!("{text:?} names no address"))
}

/// Without a login only this machine may reach the server, unless the operator names the networks that are trusted.
pub(crate) fn check_exposure(address: SocketAddr, server_url: Option<&str>, trusted: &TrustedPeers) -> anyhow::Result<()> {
    if !trusted.is_empty() {
        return Ok(());
    }
    if !address.ip().is_loopback() {
        bail!(
            "{address} can be reached from other machines, and there is no login: anybody there could read and change the vault. \
             Set up a login (AUTH_USERS or auth.mode), listen on 127.0.0.1, or name the networks you trust with --trusted-network, \
             such as 192.168.1.0/24"
        );
    }
    if let Some(url) = server_url
        && !is_loopback_host(&host_of(url))
    {
        bail!(
            "the server URL {url} is public, and there is no login: anybody who knows it could read and change the vault. \
             Set up a login (AUTH_USERS or auth.mode), leave out --server-url, or name the networks you trust with --trusted-network"
        );
    }
    Ok(())
}

/// With a login the server may be reached from anywhere, but only under an address that cannot be listened in on.
pub(crate) fn public_origin(server_url: &str) -> anyhow::Result<String> {
    let url = url::Url::parse(server_url)
        .with_context(|| format!("{server_url:?} is not a URL; write it like https://vault.example.com"))?;
    let is_local = is_loopback_host(&host_of(server_url));
    if !(url.scheme() == "https" || url.scheme() == "http" && is_local) {
        bail!(
            "{server_url} is not https; logins over it could be listened in on. Put a reverse proxy with TLS in front and give its https URL"
        );
    }
    let is_bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    if !is_bare || !url.username().is_empty() || url.password().is_some() {
        bail!("{server_url} has more than a host: give the bare origin, like https://vault.example.com");
    }
    Ok(url.origin().ascii_serialization())
}

/// The host of a URL, without port and brackets.
pub(crate) fn host_of(url: &str) -> String {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some(bracketed) = host.strip_prefix('[') {
        return bracketed.split(']').next().unwrap_or_default().to_owned();
    }
    host.split(':').next().unwrap_or_default().to_ascii_lowercase()
}

pub(crate) fn is_loopback_host(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_served_without_login() {
        let none = TrustedPeers::default();
        let check = |address: &str, url, trusted: &TrustedPeers| {
            check_exposure(parse_address(address).expect("an address"), url, trusted)
        };
        assert!(check("127.0.0.1:1", None, &none).is_ok());
        assert!(check("[::1]:1", None, &none).is_ok());
        assert!(check(":8090", None, &none).is_err());
        assert!(check("0.0.0.0:8090", None, &none).is_err());
        assert!(check("127.0.0.1:1", Some("https://vault.example.com"), &none).is_err());
        assert!(check("127.0.0.1:1", Some("http://localhost:8090"), &none).is_ok());
        let lan = TrustedPeers::parse(&["192.168.1.0/24".to_owned()]).expect("a network");
        assert!(check(":8090", None, &lan).is_ok());
    }

    #[test]
    fn trusted_peers_are_the_machine_itself_and_named_networks() {
        let trusted = TrustedPeers::parse(&["192.168.1.0/24".to_owned(), "100.64.0.7".to_owned()]).expect("networks");
        let contains = |peer: &str| trusted.contain(peer.parse().expect("an address"));
        assert!(
            contains("127.0.0.1")
                && contains("::1")
                && contains("192.168.1.9")
                && contains("::ffff:192.168.1.9")
                && contains("100.64.0.7")
        );
        assert!(!contains("192.168.2.9") && !contains("100.64.0.8") && !contains("2001:db8::1"));
        assert!(TrustedPeers::parse(&["home".to_owned()]).is_err());
    }

    #[test]
    fn the_host_of_a_url_is_found() {
        assert_eq!(host_of("https://Vault.Example.com:8443/mcp"), "vault.example.com");
        assert_eq!(host_of("http://[::1]:8090"), "::1");
        assert_eq!(host_of("http://user@localhost"), "localhost");
    }
}
