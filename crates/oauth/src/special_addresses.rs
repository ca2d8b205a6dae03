//! Addresses that are not of the public internet (RFC 6890 and its registries), which no document may make us reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::{Ipv4Net, Ipv6Net};

static IPV4: LazyLock<Vec<Ipv4Net>> = LazyLock::new(|| {
    read(&[
        "0.0.0.0/8",       // this network
        "10.0.0.0/8",      // private
        "100.64.0.0/10",   // carriers' shared space
        "127.0.0.0/8",     // loopback
        "169.254.0.0/16",  // link local, and the metadata services of clouds
        "172.16.0.0/12",   // private
        "192.0.0.0/24",    // protocol assignments
        "192.0.2.0/24",    // documentation
        "192.88.99.0/24",  // 6to4 relays
        "192.168.0.0/16",  // private
        "198.18.0.0/15",   // benchmarks
        "198.51.100.0/24", // documentation
        "203.0.113.0/24",  // documentation
        "224.0.0.0/4",     // multicast
        "240.0.0.0/4",     // reserved, and broadcast
    ])
});

/// All that is public unicast lies in 2000::/3; these lie in it too.
static IPV6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| {
    read(&[
        "2001::/23",     // protocol assignments, Teredo among them
        "2001:db8::/32", // documentation
        "2002::/16",     // 6to4, which hides an IPv4 address
        "3fff::/20",     // documentation
    ])
});

static PUBLIC_IPV6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| read(&["2000::/3"]));

fn read<T: std::str::FromStr<Err: std::fmt::Debug>>(networks: &[&str]) -> Vec<T> {
    networks.iter().map(|network| network.parse().expect("the table holds networks")).collect()
}

/// Is this anything but a public unicast address?
pub(crate) fn is_special(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_special_ipv4(address),
        IpAddr::V6(address) => is_special_ipv6(address),
    }
}

fn is_special_ipv4(address: Ipv4Addr) -> bool {
    IPV4.iter().any(|network| network.contains(&address))
}

fn is_special_ipv6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_special_ipv4(inner);
    }
    !PUBLIC_IPV6.iter().any(|network| network.contains(&address)) || IPV6.iter().any(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn special_addresses_are_known_to_their_edges() {
        for special in [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:a00:1::",
            "2002:808:808::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(is_special(special.parse().unwrap()), "{special}");
        }
    }

    #[test]
    fn public_addresses_are_not_special() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "::ffff:8.8.8.8",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(!is_special(public.parse().unwrap()), "{public}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_standard_library_calls_private_is_special(bits: u32, high: u128) {
            let address = Ipv4Addr::from(bits);
            if address.is_private() || address.is_loopback() || address.is_link_local() || address.is_multicast() {
                prop_assert!(is_special(address.into()) && is_special(address.to_ipv6_mapped().into()));
            }
            let address = Ipv6Addr::from(high);
            if address.is_unique_local() || address.is_unicast_link_local() || address.is_multicast() {
                prop_assert!(is_special(address.into()));
            }
        }
    }
}
