//! Which addresses a fetch may connect to: the guard against being sent into a private network.
//!
//! The decision is a pure function over an address. A name is resolved once, refused addresses are dropped, and
//! the connection goes to exactly what was checked, so a second answer of the name server cannot move it. Hosts
//! that are written as addresses never reach the resolver and are checked where the URL is. Every redirect is a
//! fetch of its own and so is checked again.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use reqwest::Client;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// IPv4 ranges that are not the public internet: first address and length of the prefix.
const REFUSED_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The part of IPv6 from which public addresses are given out; every other range is closed, those of later standards too.
const PUBLIC_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Ranges in it that are not the public internet, or that carry an IPv4 address past the table above (IANA's registry of
/// special-purpose addresses).
const REFUSED_V6: [(Ipv6Addr, u32); 4] = [
    // Protocols: Teredo, benchmarking, ORCHID, AMT, identifiers of drones.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    // 6to4.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

/// Says whether an address belongs to the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let bits = u32::from(address);
            !REFUSED_V4
                .iter()
                .any(|&(start, length)| (bits ^ u32::from(start)) >> (32 - length) == 0)
        }
        IpAddr::V6(address) => {
            let is_in = |(start, length): (Ipv6Addr, u32)| {
                (u128::from(address) ^ u128::from(start)) >> (128 - length) == 0
            };
            is_in(PUBLIC_V6) && !REFUSED_V6.into_iter().any(is_in)
        }
    }
}

/// How names become addresses.
#[derive(Clone, Default)]
pub enum Lookup {
    /// As the system does it.
    #[default]
    System,
    /// As this function says; the guards hold for what it gives too.
    By(Arc<LookupFunction>),
}

/// Gives the addresses of a name.
pub type LookupFunction =
    dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> + Send + Sync;

impl Lookup {
    async fn find(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        match self {
            Self::System => Ok(tokio::net::lookup_host((host, 0)).await?.collect()),
            Self::By(find) => {
                let found = find(host.to_owned()).await?;
                Ok(found
                    .into_iter()
                    .map(|address| SocketAddr::new(address, 0))
                    .collect())
            }
        }
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::System => "System",
            Self::By(_) => "By",
        })
    }
}

/// Decides where connections may go.
#[derive(Clone, Debug)]
pub(crate) enum AddressGuard {
    /// The public internet only.
    Public,
    /// Anywhere: a self-hosted owner said that the site is private.
    Anywhere,
    /// Tests: one loopback socket stands for a public site.
    #[cfg(test)]
    Only(SocketAddr),
    /// Tests: one loopback address stands for the public internet.
    #[cfg(test)]
    Beside(IpAddr),
}

impl AddressGuard {
    fn allows(&self, address: IpAddr) -> bool {
        match self {
            Self::Public => is_public(address),
            Self::Anywhere => true,
            #[cfg(test)]
            Self::Only(_) => is_public(address),
            #[cfg(test)]
            Self::Beside(public) => is_public(address) || address == *public,
        }
    }

    /// Checks a URL before anything is sent: its scheme, and its host where that is written as an address.
    pub(crate) fn check(&self, url: &Url) -> Result<(), RefusedAddress> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(RefusedAddress::Scheme(url.scheme().to_owned()));
        }
        // The URL parser has turned decimal, octal, hexadecimal and short spellings into addresses already.
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(RefusedAddress::NoHost),
        };
        #[cfg(test)]
        if let Self::Only(socket) = self
            && SocketAddr::new(address, url.port_or_known_default().unwrap_or_default()) == *socket
        {
            return Ok(());
        }
        if self.allows(address) {
            Ok(())
        } else {
            Err(RefusedAddress::Private(address.to_string()))
        }
    }

    /// Keeps the addresses that may be connected to.
    fn keep(
        &self,
        host: &str,
        found: impl Iterator<Item = SocketAddr>,
    ) -> Result<Vec<SocketAddr>, RefusedAddress> {
        let found: Vec<SocketAddr> = found.collect();
        let kept: Vec<SocketAddr> = found
            .iter()
            .copied()
            .filter(|socket| self.allows(socket.ip()))
            .collect();
        match found.first() {
            None => Err(RefusedAddress::NotFound(
                host.to_owned(),
                String::from("the name has no address"),
            )),
            Some(first) if kept.is_empty() => {
                Err(RefusedAddress::Private(format!("{host} ({})", first.ip())))
            }
            Some(_) => Ok(kept),
        }
    }
}

/// Says why an address is not connected to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefusedAddress {
    /// The URL is neither http nor https.
    #[error("{0}: is not fetched, only http: and https: are")]
    Scheme(String),
    /// The URL names no host.
    #[error("the address names no host")]
    NoHost,
    /// Every address of the host lies in a private range.
    #[error("{0} is not a public address; set allow_private to fetch from a private network")]
    Private(String),
    /// The name server did not know the host.
    #[error("host {0} was not found: {1}")]
    NotFound(String, String),
    /// The name server did not answer.
    #[error("looking up host {0} took longer than {1:?}")]
    Slow(String, Duration),
}

/// Resolves names for the HTTP client and hands out only what the guard allows.
pub(crate) struct GuardedResolver {
    pub(crate) guard: Arc<AddressGuard>,
    pub(crate) timeout: Duration,
    pub(crate) lookup: Lookup,
}

impl GuardedResolver {
    /// The client for everything outside: it resolves names here, follows nothing, decompresses nothing, knows no proxy
    /// and no cookie, tells nobody where a link stood, and never asks twice by itself.
    pub(crate) fn client(self, user_agent: &str) -> Result<Client, reqwest::Error> {
        self.client_by(user_agent, false)
    }

    /// The same, by way of the proxy that the environment names if `uses_proxy`.
    pub(super) fn client_by(
        self,
        user_agent: &str,
        uses_proxy: bool,
    ) -> Result<Client, reqwest::Error> {
        let builder = Client::builder();
        let builder = if uses_proxy {
            builder
        } else {
            builder.no_proxy()
        };
        builder
            .user_agent(user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .no_gzip()
            .no_brotli()
            .no_deflate()
            // Other crates switch on features of reqwest for the whole program: this one is spider's.
            .no_zstd()
            .connect_timeout(self.timeout)
            .dns_resolver(self)
            .build()
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = Arc::clone(&self.guard);
        let timeout = self.timeout;
        let lookup = self.lookup.clone();
        Box::pin(async move {
            let host = name.as_str().to_owned();
            let answer = tokio::time::timeout(timeout, lookup.find(&host)).await;
            let found = match answer {
                Ok(Ok(found)) => found,
                Ok(Err(error)) => {
                    return Err(RefusedAddress::NotFound(host, error.to_string()).into());
                }
                Err(_) => return Err(RefusedAddress::Slow(host, timeout).into()),
            };
            let kept = guard.keep(&host, found.into_iter())?;
            Ok(Box::new(kept.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_ranges_are_refused_d4() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2001:1::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "100:0:0:1::1",
            "200::1",
            "4000::1",
            "5f00::1",
            "8000::1",
            "e000::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.1",
            "169.253.255.255",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::1",
            "2003::1",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "3ffe::1",
            "3fff:1000::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn hosts_written_as_addresses_are_checked_d4() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://[fd00:ec2::254]/",
            "https://10.0.0.1:8443/",
            "file:///etc/passwd",
            "ftp://example.com/",
            "gopher://example.com/",
            "data:text/html,x",
        ] {
            assert!(
                AddressGuard::Public
                    .check(&Url::parse(url).unwrap())
                    .is_err(),
                "{url}"
            );
        }
        for url in [
            "http://example.com/",
            "https://8.8.8.8/",
            "http://[2606:4700::1111]/",
        ] {
            assert_eq!(
                AddressGuard::Public.check(&Url::parse(url).unwrap()),
                Ok(()),
                "{url}"
            );
        }
    }

    #[test]
    fn a_name_keeps_only_its_public_addresses_d4() {
        let sockets = |texts: &[&str]| -> Vec<SocketAddr> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        let mixed = sockets(&["8.8.8.8:0", "127.0.0.1:0", "[::1]:0"]);
        assert_eq!(
            AddressGuard::Public.keep("h", mixed.clone().into_iter()),
            Ok(sockets(&["8.8.8.8:0"]))
        );
        assert_eq!(
            AddressGuard::Anywhere.keep("h", mixed.clone().into_iter()),
            Ok(mixed)
        );
        assert!(matches!(
            AddressGuard::Public.keep("h", sockets(&["10.0.0.1:0"]).into_iter()),
            Err(RefusedAddress::Private(_))
        ));
        assert!(matches!(
            AddressGuard::Public.keep("h", sockets(&[]).into_iter()),
            Err(RefusedAddress::NotFound(..))
        ));
    }
}
