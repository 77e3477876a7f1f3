//! Host and the head of the path → site, locale and the rest of the path. Pure.

use pipeline::hosts::{LanguageAddresses, host_and_path};
use pipeline::model::Locale;
use pipeline::store::{Addressing, Published};

use super::snapshot::{ServedSite, only};
use crate::http::target::HttpTarget;

/// Where a request lands, before its file is looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestSpot<'a> {
    /// The language that is read.
    pub(super) place: LanguageAddresses<'a>,
    /// What stands before a page's own path in this locale's addresses.
    pub(super) prefix: &'a str,
    /// The page's own path; empty where only its slash is missing.
    pub(super) rest: &'a str,
}

/// A place, or the address at which it is.
#[derive(Clone, Debug)]
pub(super) enum PlacedRequest<'a> {
    At(RequestSpot<'a>),
    Elsewhere(String),
}

/// Latimer's own files, which are found at the root of every host.
const OWN_FILES: &str = "/_latimer/";

/// Finds the place of a request.
pub(super) fn of<'a>(sites: &'a [ServedSite], target: &'a HttpTarget) -> Option<PlacedRequest<'a>> {
    if let Some(name) = loopback(target.host_name()) {
        let site = match name {
            "" => only(sites)?,
            name => sites.iter().find(|site| site.id.as_str() == name)?,
        };
        return on_loopback(site.published.as_deref()?, target);
    }
    let mut published = sites
        .iter()
        .filter(|site| !site.is_withheld)
        .filter_map(|site| site.published.as_deref());
    published
        .find_map(|published| on_own_host(published, target))
        .or_else(|| {
            let only = only(sites)?.published.as_deref()?;
            let anywhere = only.settings().url.is_none();
            anywhere.then(|| in_path(only, "", target)).flatten()
        })
}

/// Whether the public addresses of a site name the host of a request, at whatever path.
pub(crate) fn names_host(sites: &[ServedSite], target: &HttpTarget) -> bool {
    let named = sites.iter().filter(|site| !site.is_withheld);
    named
        .filter_map(|site| Some((site, site.published.as_deref()?)))
        .any(|(site, published)| {
            // Callers may name any source, and their own is not served.
            let source = published
                .settings()
                .source_url
                .as_deref()
                .filter(|_| !site.is_added)
                .and_then(host_and_path);
            let in_pattern = match published.addressing() {
                Some(Addressing::Path { host, .. }) => same_host(host, target),
                Some(Addressing::Host { .. }) => on_own_host(published, target).is_some(),
                None => false,
            };
            in_pattern || source.is_some_and(|(host, _)| same_host(host, target))
        })
}

/// What stands before `localhost`; an address that only this machine can reach stands for `localhost` itself.
pub(super) fn loopback(name: &str) -> Option<&str> {
    if name == "localhost"
        || name == "[::1]"
        || name
            .parse::<std::net::Ipv4Addr>()
            .is_ok_and(|ip| ip.is_loopback())
    {
        return Some("");
    }
    name.strip_suffix(".localhost")
}

fn on_loopback<'a>(published: &'a Published, target: &'a HttpTarget) -> Option<PlacedRequest<'a>> {
    let base = match published.addressing() {
        Some(Addressing::Path { base, .. }) => below(&target.path, base).map(|(base, _)| base),
        Some(Addressing::Host { .. }) | None => None,
    };
    in_path(published, base.unwrap_or(""), target)
}

pub(super) fn on_own_host<'a>(
    published: &'a Published,
    target: &'a HttpTarget,
) -> Option<PlacedRequest<'a>> {
    let path = target.path.as_str();
    let at = |locale, prefix: &'a str, rest: &'a str, source_base| {
        let place = LanguageAddresses {
            published,
            locale,
            source_base,
            host: &target.host,
        };
        PlacedRequest::At(RequestSpot {
            place,
            prefix,
            rest,
        })
    };
    match published.addressing()? {
        Addressing::Host { before, after, .. } => {
            let host = if after.contains(':') {
                target.host.as_str()
            } else {
                target.host_name()
            };
            let label = host
                .strip_prefix(before.as_str())
                .and_then(|rest| rest.strip_suffix(after.as_str()));
            if let Some(locale) = label.and_then(|label| by_label(published, label)) {
                return Some(at(Some(locale), "", path, None));
            }
            let bare = format!("{before}{after}");
            if host == bare.trim_start_matches('.') && published.settings().source_url.is_none() {
                return Some(at(None, "", path, Some("")));
            }
        }
        Addressing::Path { host, base, .. } if same_host(host, target) => {
            let base = if path.starts_with(OWN_FILES) {
                ""
            } else {
                base.as_str()
            };
            if let Some((base, _)) = below(path, base) {
                return in_path(published, base, target);
            }
        }
        Addressing::Path { .. } => {}
    }
    let (host, base) = host_and_path(published.settings().source_url.as_deref()?)?;
    let (base, rest) = below(path, base).filter(|_| same_host(host, target))?;
    Some(at(None, base, rest, Some(base)))
}

/// The language is the first segment after `base`; without one of the site's labels there, it is the source's.
fn in_path<'a>(
    published: &'a Published,
    base: &'a str,
    target: &'a HttpTarget,
) -> Option<PlacedRequest<'a>> {
    let path = &target.path;
    let (_, after) = below(path, base)?;
    let first = after
        .strip_prefix('/')
        .unwrap_or(after)
        .split('/')
        .next()
        .unwrap_or_default();
    let place = |locale| LanguageAddresses {
        published,
        locale,
        source_base: Some(base),
        host: &target.host,
    };
    let Some(locale) = by_label(published, first) else {
        return Some(PlacedRequest::At(RequestSpot {
            place: place(None),
            prefix: base,
            rest: after,
        }));
    };
    let (_, rest) = below(after.strip_prefix('/')?, first)?;
    let prefix = path.strip_suffix(rest)?;
    let label = published.settings().label(locale);
    // A page of the source may have the address that the tag of a language has (R-S16).
    if label != first && !place(None).has(after) {
        return Some(PlacedRequest::Elsewhere(format!(
            "{base}/{label}{}",
            if rest.is_empty() { "/" } else { rest }
        )));
    }
    if label != first {
        return Some(PlacedRequest::At(RequestSpot {
            place: place(None),
            prefix: base,
            rest: after,
        }));
    }
    Some(PlacedRequest::At(RequestSpot {
        place: place(Some(locale)),
        prefix,
        rest,
    }))
}

/// The locale that a label or a tag names, in any case; labels go first.
fn by_label<'a>(published: &'a Published, label: &str) -> Option<&'a Locale> {
    let settings = published.settings();
    let locales = || settings.locales.keys();
    locales()
        .find(|locale| settings.label(locale).eq_ignore_ascii_case(label))
        .or_else(|| locales().find(|locale| locale.as_str().eq_ignore_ascii_case(label)))
}

/// Splits a path that is below `base`: the base as it stands there, and the rest, which is empty or starts with a slash.
fn below<'a>(path: &'a str, base: &str) -> Option<(&'a str, &'a str)> {
    let (head, rest) = path.split_at_checked(base.len())?;
    (head == base && (rest.is_empty() || rest.starts_with('/'))).then_some((head, rest))
}

/// Ports count only where the site's own address has one.
pub(super) fn same_host(host: &str, target: &HttpTarget) -> bool {
    if host.contains(':') {
        host == target.host
    } else {
        host == target.host_name()
    }
}

#[cfg(test)]
mod tests {
    use super::below;

    #[test]
    fn a_path_is_split_at_its_base_and_never_inside_of_a_character() {
        for (path, base, expected) in [
            ("/docs/a", "/docs", Some(("/docs", "/a"))),
            ("/docs", "/docs", Some(("/docs", ""))),
            ("/a", "", Some(("", "/a"))),
            ("/docsx", "/docs", None),
            ("/d", "/docs", None),
            ("/doc\u{e9}", "/docs", None),
            ("a", "", None),
        ] {
            assert_eq!(below(path, base), expected, "{path} {base}");
        }
    }
}
