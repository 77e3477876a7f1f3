//! The server that takes mail, as an address.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// How a connection is kept from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte (RFC 8314).
    Tls,
    /// STARTTLS, or nothing is sent (RFC 3207).
    StartTls,
    /// It is on this machine: STARTTLS where the server has it and there is a password to hide.
    Local,
}

/// A server that takes mail: `smtps://user@host:465` or `smtp://user@host:587`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relay {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: Security,
    /// Who signs in, if anybody does.
    pub user: Option<String>,
}

/// What is wrong with the address of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    /// It is another kind of address.
    #[error(
        "must be an address such as \"smtps://user@mail.example.com:465\" or \"smtp://user@mail.example.com:587\""
    )]
    Form,
    /// It holds a secret.
    #[error("holds a password; put that into a file and name it in `password_file`")]
    Password,
}

impl FromStr for Relay {
    type Err = RelayError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| RelayError::Form)?;
        if url.password().is_some() {
            return Err(RelayError::Password);
        }
        let more =
            !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
        let host = url
            .host_str()
            .filter(|host| !host.is_empty() && !more)
            .ok_or(RelayError::Form)?;
        // Only web addresses have their hosts read; an address in brackets is one of IPv6 everywhere.
        let host = match Host::parse(host).map_err(|_| RelayError::Form)? {
            Host::Domain(name) => name,
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        let is_here = host == "localhost"
            || host
                .parse()
                .is_ok_and(|address: IpAddr| address.is_loopback());
        let (security, usual) = match url.scheme() {
            "smtps" => (Security::Tls, 465),
            "smtp" if is_here => (Security::Local, 25),
            "smtp" => (Security::StartTls, 587),
            _ => return Err(RelayError::Form),
        };
        let user = percent_decode_str(url.username())
            .decode_utf8()
            .map_err(|_| RelayError::Form)?;
        if user.contains(char::is_control) {
            return Err(RelayError::Form);
        }
        let user = Some(user.into_owned()).filter(|user| !user.is_empty());
        Ok(Self {
            host,
            port: url.port().unwrap_or(usual),
            security,
            user,
        })
    }
}

/// The server, without who signs in.
impl fmt::Display for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.security == Security::Tls {
            "smtps"
        } else {
            "smtp"
        };
        match self.host.contains(':') {
            true => write!(f, "{scheme}://[{}]:{}", self.host, self.port),
            false => write!(f, "{scheme}://{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_reached_without_tls() {
        for (text, shown, security, user) in [
            (
                "smtps://ana@mail.example.com",
                "smtps://mail.example.com:465",
                Security::Tls,
                Some("ana"),
            ),
            (
                "smtp://ana%40example.com@mail.example.com:25",
                "smtp://mail.example.com:25",
                Security::StartTls,
                Some("ana@example.com"),
            ),
            (
                "smtp://mail.example.com",
                "smtp://mail.example.com:587",
                Security::StartTls,
                None,
            ),
            (
                "smtp://localhost",
                "smtp://localhost:25",
                Security::Local,
                None,
            ),
            (
                "smtp://127.0.0.1:2525/",
                "smtp://127.0.0.1:2525",
                Security::Local,
                None,
            ),
            (
                "smtp://[::1]:2525",
                "smtp://[::1]:2525",
                Security::Local,
                None,
            ),
            (
                "smtp://localhost.example.com:25",
                "smtp://localhost.example.com:25",
                Security::StartTls,
                None,
            ),
        ] {
            let relay: Relay = text.parse().unwrap();
            assert_eq!(
                (
                    relay.to_string().as_str(),
                    relay.security,
                    relay.user.as_deref()
                ),
                (shown, security, user)
            );
        }
        for text in [
            "mail.example.com:25",
            "http://mail.example.com",
            "smtp://",
            "smtp://a b/",
            "smtp://mail.example.com/x",
            "smtp://%0a@mail.example.com",
        ] {
            assert_eq!(text.parse::<Relay>(), Err(RelayError::Form), "{text}");
        }
        assert_eq!(
            "smtps://ana:hush@mail.example.com".parse::<Relay>(),
            Err(RelayError::Password)
        );
    }
}
