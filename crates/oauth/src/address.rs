//! The address that a request is counted under.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv6Addr};

use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;

/// Where a request comes from, as the server found out: the peer, or what a trusted proxy says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl ClientAddress {
    pub(crate) fn of(extensions: &Extensions) -> ClientAddress {
        let unknown = ClientAddress(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        extensions.get::<ClientAddress>().copied().unwrap_or(unknown)
    }

    /// One household has a whole IPv6 network, so its addresses count as one.
    pub fn bucket(self) -> String {
        match self.0.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<ClientAddress, Infallible> {
        Ok(ClientAddress::of(&parts.extensions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_ipv6_network_count_as_one() {
        let bucket = |address: &str| ClientAddress(address.parse().expect("an address")).bucket();
        assert_eq!(bucket("2001:db8:1:2::1"), bucket("2001:db8:1:2:ffff::9"));
        assert_ne!(bucket("2001:db8:1:2::1"), bucket("2001:db8:1:3::1"));
        assert_eq!(bucket("::ffff:192.0.2.7"), "192.0.2.7");
        assert_ne!(bucket("192.0.2.7"), bucket("192.0.2.8"));
    }
}
