//! Callers known by their address alone. Every limit by address counts households.

use std::net::{IpAddr, Ipv6Addr};

/// An address as limits count it: one of IPv4, or a /64 of IPv6, because one customer has all 2^64 addresses in it (RFC 6177).
///
/// An IPv4 address that is written as one of IPv6 is that IPv4 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Household(IpAddr);

impl Household {
    pub(crate) fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
            }
            address @ IpAddr::V4(_) => address,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_of_ipv6_is_one_and_an_address_of_ipv4_is_one_however_it_is_written() {
        let of = |text: &str| Household::of(text.parse().unwrap());
        for (one, other, is_same) in [
            ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", true),
            ("2001:db8::1", "2001:db8:0:1::1", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false),
            ("::1", "127.0.0.1", false),
        ] {
            assert_eq!(of(one) == of(other), is_same, "{one} {other}");
        }
    }
}
