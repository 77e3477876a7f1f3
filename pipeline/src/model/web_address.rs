//! Addresses as people write them: read only if they hold no secret, and printed without one.

use std::borrow::Cow;
use std::net::IpAddr;

use url::Url;

/// Says why a text is not taken as an address. The text is not repeated: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebAddressError {
    /// The text cannot be parsed, or has another scheme.
    #[error("is not an http:// or https:// address")]
    Form,
    /// The address begins with `user@` or `user:password@`.
    #[error(
        "holds a user or a password, which Latimer would print and store; write the address without them"
    )]
    User,
}

/// Reads an `http` or `https` address without a user part.
///
/// # Errors
/// A [`WebAddressError`] that does not repeat the text.
pub fn web_address(text: &str) -> Result<Url, WebAddressError> {
    if has_user(text) {
        return Err(WebAddressError::User);
    }
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(_) | Err(_) => Err(WebAddressError::Form),
    }
}

/// Reads such an address that others are built from: without query or fragment, too.
///
/// # Errors
/// A [`WebAddressError`] that does not repeat the text.
pub fn base_address(text: &str) -> Result<Url, WebAddressError> {
    let url = web_address(text)?;
    if url.query().is_none() && url.fragment().is_none() {
        Ok(url)
    } else {
        Err(WebAddressError::Form)
    }
}

/// Reports whether a text is an address of any scheme with a user part, even if the rest of it cannot be parsed.
pub fn has_user(text: &str) -> bool {
    match Url::parse(text) {
        Ok(url) => !url.username().is_empty() || url.password().is_some(),
        Err(_) => authority(text).is_some_and(|rest| rest.contains('@')),
    }
}

/// True for a text without a scheme that begins with a host, such as `www.example.com/docs` or `localhost:8000`.
pub fn begins_with_host(text: &str) -> bool {
    let first = text.split('/').next().unwrap_or_default();
    let (host, port) = first.split_once(':').unwrap_or((first, ""));
    let has_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let domain = host
        .rsplit_once('.')
        .filter(|(name, _)| !name.is_empty())
        .map(|(_, last)| last);
    let has_domain = domain.is_some_and(|last| {
        let is_file = ["htm", "html", "md", "php", "toml", "txt"].contains(&last);
        !is_file && last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    has_domain || has_port || host == "localhost"
}

/// The likely scheme of an address without one: servers on this machine rarely have TLS.
pub fn likely_scheme(text: &str) -> &'static str {
    let host = text.split(['/', ':']).next().unwrap_or_default();
    if is_this_machine(host) || host.parse::<IpAddr>().is_ok() {
        "http"
    } else {
        "https"
    }
}

/// An address for messages, the log and reports: without its user part.
pub fn without_user(text: &str) -> Cow<'_, str> {
    if !has_user(text) {
        return Cow::Borrowed(text);
    }
    if let Ok(mut url) = Url::parse(text)
        && url.set_username("").is_ok()
        && url.set_password(None).is_ok()
    {
        return Cow::Owned(url.into());
    }
    // A password may hold a slash that was not encoded, so everything up to the last `@` goes.
    let rest = text.rsplit_once('@').map_or("", |(_, rest)| rest);
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    Cow::Owned(format!("{scheme}://{rest}"))
}

/// Reports whether a host is this machine itself, by its name or address; no name is looked up.
pub fn is_this_machine(host: &str) -> bool {
    let host = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .trim_end_matches('.')
        .to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The rest of a text that begins with `SCHEME://`.
fn authority(text: &str) -> Option<&str> {
    let (scheme, rest) = text.trim_start().split_once("://")?;
    let is_scheme = scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if is_scheme && !scheme.is_empty() {
        Some(rest)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_with_a_host_are_known() {
        for text in [
            "www.example.com",
            "example.co.uk/docs",
            "localhost",
            "localhost:8000/x",
            "10.0.0.1:80",
        ] {
            assert!(begins_with_host(text), "{text}");
        }
        for text in [
            "public",
            "../site",
            "./dist.d1/x",
            ".hidden",
            "C:\\site",
            "site.7",
            "index.html",
        ] {
            assert!(!begins_with_host(text), "{text}");
        }
    }

    #[test]
    fn addresses_with_a_user_part_are_refused_and_printed_without_it() {
        for (text, shown) in [
            ("http://ana:hush@h.example/a?b#c", "http://h.example/a?b#c"),
            ("https://hush@h.example", "https://h.example/"),
            ("https://:hush@h.example/", "https://h.example/"),
            ("HTTP://ana:hush@h.example:8080/", "http://h.example:8080/"),
            ("http:ana:hush@h.example/", "http://h.example/"),
            (" http:\\\\ana:hush@h.example/", "http://h.example/"),
            ("http://ana:hu%2Fsh@[::1]/", "http://[::1]/"),
            ("s3://ana:hush@bucket/prefix", "s3://bucket/prefix"),
            // The rest is no address.
            (
                "http://ana:hush@h.example:99999/",
                "http://h.example:99999/",
            ),
            ("http://ana:hu/sh@h.example/", "http://h.example/"),
            ("http://ana:hush@", "http://"),
            (
                "https://ana:hush@{lang} .example/",
                "https://{lang} .example/",
            ),
        ] {
            assert!(has_user(text), "{text}");
            assert_eq!(web_address(text), Err(WebAddressError::User), "{text}");
            assert_eq!(without_user(text), shown);
        }
        for text in [
            "http://h.example/@ana",
            "https://h.example/?a=b@c",
            "https://@h.example/",
            "https://h.example",
        ] {
            assert!(
                web_address(text).is_ok() && without_user(text) == text,
                "{text}"
            );
        }
        for text in [
            "",
            "a/b@c",
            "git@h.example:a",
            "mailto:ana@h.example",
            "Ana <ana@h.example>",
            "ftp://h.example/",
        ] {
            assert!(
                web_address(text) == Err(WebAddressError::Form) && without_user(text) == text,
                "{text}"
            );
        }
    }

    #[test]
    fn this_machine_has_many_names() {
        for host in [
            "localhost",
            "LOCALHOST.",
            "es.localhost",
            "127.0.0.1",
            "127.8.9.10",
            "[::1]",
            "::1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "localhost.example.com",
            "mylocalhost",
            "10.0.0.1",
            "128.0.0.1",
            "[::2]",
            "169.254.169.254",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
