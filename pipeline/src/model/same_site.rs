//! Spellings of one host: with `http` or `https`, with `www.` or without.

use url::Url;

/// True if two addresses belong to one site: their hosts differ in `www.` alone, and their ports are the usual ones of their schemes or
/// the same.
pub(crate) fn same_site(one: &Url, other: &Url) -> bool {
    let has_usual_ports = one.port().is_none() && other.port().is_none();
    let has_same_port = one.port() == other.port() && one.scheme() == other.scheme();
    is_web(one)
        && is_web(other)
        && (has_usual_ports || has_same_port)
        && bare_host(one) == bare_host(other)
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn bare_host(url: &Url) -> Option<&str> {
    url.host_str()
        .map(|host| host.strip_prefix("www.").unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_site_has_several_spellings_r_s8() {
        let is_same = |one: &str, other: &str| {
            same_site(&Url::parse(one).unwrap(), &Url::parse(other).unwrap())
        };
        for (one, other, expected) in [
            ("https://www.example.com/a", "http://example.com/b", true),
            (
                "https://example.com:443/",
                "http://www.example.com:80/",
                true,
            ),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/a", true),
            ("http://127.0.0.1:8080/", "https://127.0.0.1:8080/", false),
            ("https://example.com/", "https://example.com:8443/", false),
            ("https://example.com/", "https://blog.example.com/", false),
            ("https://example.com/", "ftp://example.com/", false),
            ("mailto:a@example.com", "mailto:a@example.com", false),
        ] {
            assert_eq!(is_same(one, other), expected, "{one} {other}");
        }
    }
}
