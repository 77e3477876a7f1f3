//! The bounds of a site: what lies below its address.

use url::Url;

use crate::model::PagePath;

/// Whether an address lies below a source: at the same scheme, host and port, in the folder of the source's address.
pub(crate) fn is_below(source: &Url, url: &Url) -> bool {
    let path = PagePath::of_url(url);
    // Some servers take an encoded slash for a slash and would climb out of the folder.
    let climbs = path
        .path()
        .replace("%2F", "/")
        .replace("%5C", "/")
        .split('/')
        .any(|segment| segment == "..");
    url.origin() == source.origin()
        && path
            .path()
            .starts_with(PagePath::of_url(source).directory())
        && !climbs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_below_a_source_have_its_scheme_host_port_and_folder() {
        for (source, address, expected) in [
            ("https://h.example", "https://h.example/a", true),
            (
                "https://h.example/docs/",
                "https://H.example:443/docs/a?b",
                true,
            ),
            (
                "https://h.example/docs/start.html",
                "https://h.example/docs/",
                true,
            ),
            (
                "https://h.example/docs/",
                "https://h.example/d%6Fcs/a",
                true,
            ),
            ("https://h.example/docs/", "https://h.example/docs", false),
            (
                "https://h.example/docs/",
                "https://h.example/docs/../b",
                false,
            ),
            (
                "https://h.example/docs/",
                "https://h.example/docs/%2e%2e/b",
                false,
            ),
            (
                "https://h.example/docs/",
                "https://h.example/docs/..%2fb",
                false,
            ),
            (
                "https://h.example/docs/",
                "https://h.example/docs/x%5c..%5c..%5cb",
                false,
            ),
            (
                "https://h.example/docs/",
                "https://h.example/robots.txt",
                false,
            ),
            ("https://h.example/docs/", "http://h.example/docs/a", false),
            (
                "https://h.example/docs/",
                "https://h.example:8443/docs/a",
                false,
            ),
            (
                "https://h.example/docs/",
                "https://www.h.example/docs/a",
                false,
            ),
        ] {
            let [source, url] = [source, address].map(|text| Url::parse(text).unwrap());
            assert_eq!(is_below(&source, &url), expected, "{source} {address}");
        }
    }
}
