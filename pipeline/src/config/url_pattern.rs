//! The public address of a site's languages: one address with `{lang}` in its host or in its path.

use std::fmt;

use url::Url;

use super::keys::LANG;
use crate::model::{PagePath, has_user, without_user};

/// An address with exactly one `{lang}`: a whole label of the host, or the last segment of the path.
///
/// ```
/// use pipeline::config::UrlPattern;
/// use pipeline::model::PagePath;
///
/// let pattern = UrlPattern::parse("https://{lang}.example.com")?;
/// assert_eq!(pattern.page("pt", &PagePath::parse("/about/")?), "https://pt.example.com/about/");
/// assert_eq!(pattern.source(), "https://example.com");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UrlPattern {
    scheme: String,
    /// With its port, lower case.
    host: String,
    /// Empty, or `/` and segments without a slash at the end.
    path: String,
}

/// Says which part of an address holds `{lang}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguagePlace {
    /// `https://{lang}.example.com`: a host for each language.
    Host,
    /// `https://www.example.com/{lang}`: a folder for each language.
    Path,
}

/// Says why a text is no address pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlPatternError {
    /// There is no `{lang}`, or more than one.
    #[error(
        "{0:?} must hold {LANG} exactly once, as in https://www.example.com/{LANG} or https://{LANG}.example.com"
    )]
    Count(String),
    /// There is a brace beside `{lang}`.
    #[error("{0:?} has a brace too many; write {LANG} once and no other braces")]
    Brace(String),
    /// `{lang}` is a piece of a label or of a segment, or not the last segment.
    #[error("in {0:?}, {LANG} must be a whole label of the host or the last segment of the path")]
    Place(String),
    /// It is no http(s) address, or has a query, a fragment or a user.
    #[error("{0:?} must be an http:// or https:// address without user, query or fragment")]
    Address(String),
}

/// A host label and path segment that never stands in a real address.
const STAND_IN: &str = "latimer-lang-stands-here";

impl UrlPattern {
    /// Checks a pattern.
    ///
    /// # Errors
    /// A [`UrlPatternError`] that says what a pattern looks like.
    pub fn parse(text: &str) -> Result<Self, UrlPatternError> {
        // Messages show the pattern.
        if has_user(text) {
            return Err(UrlPatternError::Address(without_user(text).into_owned()));
        }
        if text.matches(LANG).count() != 1 {
            return Err(UrlPatternError::Count(text.to_owned()));
        }
        let stand_in = text.replace(LANG, STAND_IN);
        if stand_in.contains(['{', '}']) {
            return Err(UrlPatternError::Brace(text.to_owned()));
        }
        let url = Url::parse(&stand_in).map_err(|_| UrlPatternError::Address(text.to_owned()))?;
        let bare = url.query().is_none() && url.fragment().is_none();
        let host = match url.host_str() {
            Some(host) if bare && matches!(url.scheme(), "http" | "https") => host,
            _ => return Err(UrlPatternError::Address(text.to_owned())),
        };
        // A dot at the end says that the name is complete, which it is anyway.
        let host = host.strip_suffix('.').unwrap_or(host);
        let is_odd = |c: char| !c.is_ascii_alphanumeric() && !"-_.[]:".contains(c);
        if host.split('.').any(str::is_empty) || host.contains(is_odd) {
            return Err(UrlPatternError::Address(text.to_owned()));
        }
        let path = url.path().trim_end_matches('/');
        let in_host = host.split('.').any(|label| label == STAND_IN);
        if !in_host && path.rsplit('/').next() != Some(STAND_IN) {
            return Err(UrlPatternError::Place(text.to_owned()));
        }
        let port = url
            .port()
            .map(|port| format!(":{port}"))
            .unwrap_or_default();
        Ok(Self {
            scheme: url.scheme().to_owned(),
            host: format!("{host}{port}").replace(STAND_IN, LANG),
            path: path.replace(STAND_IN, LANG),
        })
    }

    /// Whether both give the same addresses, whatever their schemes.
    pub(super) fn is_at(&self, other: &Self) -> bool {
        let bare = |host: &'_ str| {
            host.trim_end_matches(":443")
                .trim_end_matches(":80")
                .to_owned()
        };
        bare(&self.host) == bare(&other.host) && self.path == other.path
    }

    /// Which part of the address holds the language.
    pub fn place(&self) -> LanguagePlace {
        if self.host.contains(LANG) {
            LanguagePlace::Host
        } else {
            LanguagePlace::Path
        }
    }

    /// Scheme and host of a language, such as `https://pt.example.com`; hosts are lower case.
    pub fn origin(&self, label: &str) -> String {
        format!("{}://{}", self.scheme, self.host(label))
    }

    /// The host of a language, with its port where the pattern has one.
    pub fn host(&self, label: &str) -> String {
        self.host.replace(LANG, &label.to_ascii_lowercase())
    }

    /// What stands before a page's path, such as `/pt`; empty where nothing does.
    pub fn path_prefix(&self, label: &str) -> String {
        self.path.replace(LANG, label)
    }

    /// The public address of a page in a language.
    pub fn page(&self, label: &str, path: &PagePath) -> String {
        format!(
            "{}{}{}",
            self.origin(label),
            self.path_prefix(label),
            path.as_str()
        )
    }

    /// The pattern without the language: the public address of a folder source, without a slash at its end.
    pub fn source(&self) -> String {
        let labels: Vec<_> = self
            .host
            .split('.')
            .filter(|label| !label.starts_with(LANG))
            .collect();
        let path = self
            .path
            .strip_suffix(LANG)
            .unwrap_or(&self.path)
            .trim_end_matches('/');
        format!("{}://{}{path}", self.scheme, labels.join("."))
    }
}

impl fmt::Display for UrlPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}{}", self.scheme, self.host, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_give_addresses() {
        for (pattern, place, page, source) in [
            (
                "https://www.example.com/{lang}",
                LanguagePlace::Path,
                "https://www.example.com/pt/a",
                "https://www.example.com",
            ),
            (
                "https://{lang}.Example.com/",
                LanguagePlace::Host,
                "https://pt.example.com/a",
                "https://example.com",
            ),
            (
                "https://{lang}.example.com.",
                LanguagePlace::Host,
                "https://pt.example.com/a",
                "https://example.com",
            ),
            (
                "http://h:8080/docs/{lang}/",
                LanguagePlace::Path,
                "http://h:8080/docs/pt/a",
                "http://h:8080/docs",
            ),
            (
                "https://{lang}.a.example/docs",
                LanguagePlace::Host,
                "https://pt.a.example/docs/a",
                "https://a.example/docs",
            ),
            (
                "http://{lang}.localhost:8080",
                LanguagePlace::Host,
                "http://pt.localhost:8080/a",
                "http://localhost:8080",
            ),
        ] {
            let parsed = UrlPattern::parse(pattern).unwrap();
            assert_eq!(parsed.place(), place, "{pattern}");
            assert_eq!(
                parsed.page("pt", &PagePath::parse("/a").unwrap()),
                page,
                "{pattern}"
            );
            assert_eq!(parsed.source(), source, "{pattern}");
            assert_eq!(
                UrlPattern::parse(&parsed.to_string()).as_ref(),
                Ok(&parsed),
                "{pattern}"
            );
        }
    }

    #[test]
    fn hosts_are_lower_case_and_paths_are_not() {
        let host = UrlPattern::parse("https://{lang}.example.com").unwrap();
        assert_eq!(host.origin("pt-BR"), "https://pt-br.example.com");
        let path = UrlPattern::parse("https://example.com/{lang}").unwrap();
        assert_eq!(path.path_prefix("pt-BR"), "/pt-BR");
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "https://www.example.com",
            "https://{lang}.example.com/{lang}",
            "https://www.example.com/x-{lang}",
            "https://www.example.com/{lang}/docs",
            "https://www-{lang}.example.com",
            "https://www.example.com/?l={lang}",
            "https://{lang}@example.com/",
            "https://{lang}.example.com..",
            "https://{lang}.example.com}",
            "https://{{lang}.example.com",
            "https://www.example.com/{docs}/{lang}",
            "https://{lang}.example.com;",
            "ftp://example.com/{lang}",
            "/{lang}",
        ] {
            assert!(UrlPattern::parse(text).is_err(), "{text}");
        }
    }
}
