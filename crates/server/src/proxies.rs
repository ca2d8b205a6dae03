//! Where a request comes from: the peer, or what a proxy that the operator trusts says about it.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use quillgate_oauth::ClientAddress;

use crate::network::Networks;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Notes the address that requests are counted under.
pub(crate) async fn note_address(
    State(proxies): State<Networks>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let address = client_address(peer.ip(), request.headers(), &proxies);
    request.extensions_mut().insert(ClientAddress(address));
    next.run(request).await
}

/// From the right, the first hop that is no proxy of ours: everything left of it was sent by the client and may be invented.
fn client_address(peer: IpAddr, headers: &HeaderMap, proxies: &Networks) -> IpAddr {
    let peer = peer.to_canonical();
    if !proxies.contain(peer) {
        return peer;
    }
    let lines: Vec<&str> = headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok()).collect();
    let mut address = peer;
    for hop in lines.iter().flat_map(|line| line.split(',')).map(str::trim).rev() {
        let Some(hop) = parse_hop(hop) else { return address };
        address = hop;
        if !proxies.contain(address) {
            return address;
        }
    }
    address
}

/// Some proxies add a port.
fn parse_hop(hop: &str) -> Option<IpAddr> {
    let plain = hop.trim_start_matches('[').trim_end_matches(']').parse().ok();
    plain.or_else(|| hop.parse::<SocketAddr>().ok().map(|address| address.ip())).map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn seen(peer: &str, forwarded: &[&str]) -> String {
        let proxies = Networks::parse(&["127.0.0.1".to_owned(), "10.0.0.0/8".to_owned()]).expect("networks");
        let mut headers = HeaderMap::new();
        for line in forwarded {
            headers.append(FORWARDED_FOR, HeaderValue::from_str(line).expect("a header"));
        }
        client_address(peer.parse().expect("an address"), &headers, &proxies).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(seen("203.0.113.9", &["198.51.100.1"]), "203.0.113.9");
        assert_eq!(seen("127.0.0.1", &["198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("127.0.0.1", &[]), "127.0.0.1");
    }

    #[test]
    fn what_the_client_put_in_front_does_not_count() {
        assert_eq!(seen("127.0.0.1", &["1.1.1.1, 198.51.100.1"]), "198.51.100.1");
        assert_eq!(seen("127.0.0.1", &["1.1.1.1", "198.51.100.1, 10.0.0.3"]), "198.51.100.1");
        assert_eq!(seen("127.0.0.1", &["1.1.1.1, garbage, 10.0.0.3"]), "10.0.0.3");
    }

    #[test]
    fn ports_brackets_and_mapped_addresses_are_understood() {
        assert_eq!(seen("::ffff:127.0.0.1", &["198.51.100.1:4711"]), "198.51.100.1");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::7]:80"]), "2001:db8::7");
        assert_eq!(seen("127.0.0.1", &["[2001:db8::7]"]), "2001:db8::7");
    }
}
