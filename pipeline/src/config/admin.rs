//! `[admin]`: where the admin screen is found.

use std::net::{Ipv4Addr, SocketAddr};

use url::Url;

use super::api::{ApiConfig, LISTEN, each, host};
use super::error::ConfigError;
use super::keys;
use super::reader::{ConfigField, ConfigTable};
use crate::model::base_address;

const URL: &str =
    "the address of the screen, such as \"https://admin.example.com\", without a path";

/// `[admin]`: the admin screen, which has an origin of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdminConfig {
    /// The address that it listens on, if that is its own.
    pub listen: Option<SocketAddr>,
    /// The hosts at which the server's own address shows it, in lower case.
    pub hosts: Vec<String>,
    /// Where people find it.
    pub url: Url,
}

impl AdminConfig {
    /// The screen at the loopback interface, where nothing is said.
    pub fn usual() -> Self {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 8081));
        Self {
            listen: Some(listen),
            hosts: Vec::new(),
            url: at(listen),
        }
    }

    /// Whether a host of a request, with its port and without, is the screen's.
    pub fn is_at(&self, host: &str, name: &str) -> bool {
        let own = self
            .url
            .host_str()
            .into_iter()
            .chain(self.hosts.iter().map(String::as_str));
        // Who is on the machine may write its name in several ways.
        let is_here = self.listen.is_some_and(|listen| listen.ip().is_loopback());
        let here = ["localhost", "127.0.0.1", "[::1]"]
            .into_iter()
            .filter(|_| is_here);
        own.chain(here).any(|own| own == host || own == name)
    }
}

fn at(listen: SocketAddr) -> Url {
    let text = format!("http://{listen}/");
    #[expect(clippy::expect_used, reason = "a socket address is a host and a port")]
    Url::parse(&text).expect("an address of a socket makes a URL")
}

/// An address of HTTP with nothing behind its host.
pub(super) fn web_origin(field: &ConfigField<'_>) -> Option<Url> {
    base_address(field.text().ok()?)
        .ok()
        .filter(|url| url.path() == "/")
}

pub(super) fn read(
    root: &ConfigTable<'_>,
    api: &ApiConfig,
) -> Result<Option<AdminConfig>, ConfigError> {
    let Some(table) = root.table("admin", &keys::ADMIN)? else {
        return Ok(None);
    };
    let hosts = each(table.get("hosts"), host)?;
    let listen = table
        .get("listen")
        .map(|field| Ok((field.parse::<SocketAddr>(LISTEN)?, field)));
    let listen = listen.transpose()?;
    if let Some((listen, field)) = &listen
        && *listen == api.listen
    {
        return Err(field.error(format!(
            "the admin screen needs an origin of its own, and {listen} has pages: choose another port, or use `hosts`"
        )));
    }
    let listen = listen.map(|(listen, _)| listen);
    let url = match (table.get("url"), listen) {
        (Some(field), _) => web_origin(&field).ok_or_else(|| field.must_be(URL))?,
        (None, Some(listen)) => at(listen),
        (None, None) if hosts.is_empty() => AdminConfig::usual().url,
        (None, None) => {
            return Err(table
                .error("`hosts` needs `url`, which says where people find the screen".to_owned()));
        }
    };
    let listen = listen.or_else(|| AdminConfig::usual().listen.filter(|_| hosts.is_empty()));
    Ok(Some(AdminConfig { listen, hosts, url }))
}
