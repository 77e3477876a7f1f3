//! The address that a request comes from: the connection's, unless that is a trusted proxy's own.
//!
//! A proxy writes the address of whoever asked it at the end of `X-Forwarded-For`; all that stands before it is hearsay.
//! So the list is read from its end, past the addresses of trusted proxies, to the first one that is none. If all
//! are trusted, that is the first of the list; if something on the way is no address, it is the connection's.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use ipnet::IpNet;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Whose request this is.
pub(crate) fn address(proxies: &[IpNet], peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: &IpAddr| proxies.iter().any(|network| network.contains(address));
    if !is_trusted(&peer) {
        return peer;
    }
    let mut client = peer;
    for line in headers.get_all(FORWARDED_FOR).iter().rev() {
        for entry in line.as_bytes().rsplit(|byte| *byte == b',') {
            match read(entry) {
                Some(address) if is_trusted(&address) => client = address,
                Some(address) => return address,
                None => return peer,
            }
        }
    }
    client
}

/// An address; some proxies add the port.
fn read(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim();
    let address = entry
        .parse()
        .ok()
        .or_else(|| Some(entry.parse::<SocketAddr>().ok()?.ip()));
    address.as_ref().map(IpAddr::to_canonical)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies: Vec<IpNet> = ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"]
            .map(|net| net.parse().unwrap())
            .into();
        for (peer, lines, expected) in [
            ("203.0.113.9", vec![], "203.0.113.9"),
            ("203.0.113.9", vec!["198.51.100.1"], "203.0.113.9"),
            ("127.0.0.1", vec![], "127.0.0.1"),
            ("127.0.0.1", vec!["198.51.100.1"], "198.51.100.1"),
            ("::ffff:127.0.0.1", vec!["198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", vec!["::ffff:198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", vec!["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", vec!["6.6.6.6", "198.51.100.1"], "198.51.100.1"),
            ("127.0.0.1", vec!["198.51.100.1, 10.1.2.3"], "198.51.100.1"),
            (
                "127.0.0.1",
                vec!["198.51.100.1", "10.1.2.3,fd00::1"],
                "198.51.100.1",
            ),
            ("10.9.9.9", vec!["\t2001:db8::7 "], "2001:db8::7"),
            ("10.9.9.9", vec!["198.51.100.1:4711"], "198.51.100.1"),
            ("10.9.9.9", vec!["[2001:db8::7]:4711"], "2001:db8::7"),
            ("10.9.9.9", vec!["10.3.3.3, 10.4.4.4"], "10.3.3.3"),
            ("10.9.9.9", vec!["junk, 198.51.100.1"], "198.51.100.1"),
            ("10.9.9.9", vec!["198.51.100.1, junk"], "10.9.9.9"),
            (
                "10.9.9.9",
                vec!["198.51.100.1, unknown, 10.4.4.4"],
                "10.9.9.9",
            ),
            ("10.9.9.9", vec!["198.51.100.1,"], "10.9.9.9"),
            ("10.9.9.9", vec![""], "10.9.9.9"),
            ("10.9.9.9", vec!["198.51.100.1/24"], "10.9.9.9"),
        ] {
            let mut headers = HeaderMap::new();
            for line in &lines {
                headers.append(FORWARDED_FOR, line.parse().unwrap());
            }
            let address = address(&proxies, peer.parse().unwrap(), &headers);
            assert_eq!(address.to_string(), expected, "{peer} {lines:?}");
        }
    }
}
