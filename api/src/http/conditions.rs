//! Conditional requests (RFC 9110 section 13): whether the reader, or the reader's cache, has these bytes. Pure.
//!
//! An entity tag goes before a date: where `If-None-Match` stands, `If-Modified-Since` is not looked at, and the same
//! holds of `If-Match` and `If-Unmodified-Since`. Dates that are none are ignored, and so are two dates.

use std::time::{Duration, SystemTime};

use hyper::header::{
    HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE,
    IF_UNMODIFIED_SINCE,
};

use super::negotiate::{self, Comparison};

/// By what a reader can tell these bytes from others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Validators<'a> {
    /// The entity tag, with its quotes.
    pub(crate) tag: &'a str,
    /// The time of the last change.
    pub(crate) modified: Option<SystemTime>,
}

/// What the conditions of a request come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConditionVerdict {
    /// The request is answered.
    Proceed,
    /// The reader has these bytes (304).
    NotModified,
    /// The reader wanted other bytes (412).
    Failed,
}

impl Validators<'_> {
    /// Judges the conditions of a request, in the order of section 13.2.2.
    pub(crate) fn judge(self, asked: &HeaderMap) -> ConditionVerdict {
        let wanted = match all(asked, &IF_MATCH) {
            Some(list) => negotiate::names(&list, self.tag, Comparison::Strong),
            None => !date(asked, &IF_UNMODIFIED_SINCE).is_some_and(|date| self.is_later_than(date)),
        };
        let known = match all(asked, &IF_NONE_MATCH) {
            Some(list) => negotiate::names(&list, self.tag, Comparison::Weak),
            None => date(asked, &IF_MODIFIED_SINCE).is_some_and(|date| self.is_as_of(date)),
        };
        match (wanted, known) {
            (false, _) => ConditionVerdict::Failed,
            (true, true) => ConditionVerdict::NotModified,
            (true, false) => ConditionVerdict::Proceed,
        }
    }

    /// Whether a part may be sent: the reader has other parts of these very bytes, or says nothing about it.
    pub(crate) fn allow_part(self, asked: &HeaderMap) -> bool {
        let Some(condition) = asked.get(IF_RANGE) else {
            return true;
        };
        condition.as_bytes() == self.tag.as_bytes()
            || date(asked, &IF_RANGE)
                .is_some_and(|date| self.modified.map(whole_seconds) == Some(date))
    }

    fn is_later_than(self, date: SystemTime) -> bool {
        self.modified
            .is_some_and(|modified| whole_seconds(modified) > date)
    }

    fn is_as_of(self, date: SystemTime) -> bool {
        self.modified
            .is_some_and(|modified| whole_seconds(modified) <= date)
    }
}

/// A time as headers write it.
pub(crate) fn http_date(time: SystemTime) -> String {
    httpdate::fmt_http_date(time)
}

/// All values of a header as one list.
pub(crate) fn all<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Option<std::borrow::Cow<'a, str>> {
    let mut values = headers.get_all(name).iter();
    let text = |value: &'a HeaderValue| value.to_str().unwrap_or_default();
    let first = text(values.next()?);
    let rest: Vec<&str> = values.map(text).collect();
    if rest.is_empty() {
        Some(first.into())
    } else {
        Some(format!("{first},{}", rest.join(",")).into())
    }
}

fn date(headers: &HeaderMap, name: &HeaderName) -> Option<SystemTime> {
    let mut values = headers.get_all(name).iter();
    let (Some(date), None) = (values.next(), values.next()) else {
        return None;
    };
    httpdate::parse_http_date(date.to_str().ok()?).ok()
}

/// Headers know no parts of a second.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    SystemTime::UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const AFTER: &str = "Sunday, 06-Nov-94 08:49:38 GMT";

    fn asked(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = headers.iter();
        pairs
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect::<Vec<_>>()
            .into_iter()
            .fold(HeaderMap::new(), |mut map, (name, value)| {
                map.append(name, value);
                map
            })
    }

    /// Bytes with the tag `"a"`, changed half a second after `NOW`.
    fn validators() -> Validators<'static> {
        let modified = httpdate::parse_http_date(NOW).unwrap() + Duration::from_millis(500);
        Validators {
            tag: "\"a\"",
            modified: Some(modified),
        }
    }

    #[test]
    fn tags_go_before_dates() {
        use ConditionVerdict::{Failed, NotModified, Proceed};
        let inm = "if-none-match";
        let ims = "if-modified-since";
        let im = "if-match";
        let ius = "if-unmodified-since";
        for (headers, expected) in [
            (&[][..], Proceed),
            (&[(inm, "\"a\"")], NotModified),
            (&[(inm, "W/\"a\"")], NotModified),
            (&[(inm, "\"x\", W/\"y\" , \"a\"")], NotModified),
            (&[(inm, "\"x\""), (inm, "\"a\"")], NotModified),
            (&[(inm, "*")], NotModified),
            (&[(inm, "\"b\"")], Proceed),
            (&[(inm, "")], Proceed),
            (&[(ims, NOW)], NotModified),
            (&[(ims, AFTER)], NotModified),
            (&[(ims, BEFORE)], Proceed),
            (&[(ims, "yesterday")], Proceed),
            (&[(ims, "1994-11-06T08:49:37Z")], Proceed),
            (&[(ims, NOW), (ims, AFTER)], Proceed),
            (&[(inm, "\"b\""), (ims, AFTER)], Proceed),
            (&[(inm, "\"a\""), (ims, BEFORE)], NotModified),
            (&[(im, "\"a\"")], Proceed),
            (&[(im, "*")], Proceed),
            (&[(im, "W/\"a\"")], Failed),
            (&[(im, "\"b\"")], Failed),
            (&[(im, "\"b\""), (inm, "\"a\"")], Failed),
            (&[(im, "\"a\""), (inm, "\"a\"")], NotModified),
            (&[(ius, NOW)], Proceed),
            (&[(ius, BEFORE)], Failed),
            (&[(ius, "never")], Proceed),
            (&[(im, "\"a\""), (ius, BEFORE)], Proceed),
        ] {
            assert_eq!(validators().judge(&asked(headers)), expected, "{headers:?}");
        }
    }

    #[test]
    fn what_was_never_dated_is_only_known_by_its_tag() {
        let validators = Validators {
            modified: None,
            ..validators()
        };
        for header in ["if-modified-since", "if-unmodified-since"] {
            assert_eq!(
                validators.judge(&asked(&[(header, AFTER)])),
                ConditionVerdict::Proceed,
                "{header}"
            );
        }
        assert!(!validators.allow_part(&asked(&[("if-range", NOW)])));
    }

    #[test]
    fn parts_are_of_the_same_bytes() {
        for (condition, expected) in [
            ("\"a\"", true),
            ("W/\"a\"", false),
            ("\"b\"", false),
            ("\"b\", \"a\"", false),
            (NOW, true),
            (BEFORE, false),
            (AFTER, false),
            ("", false),
        ] {
            assert_eq!(
                validators().allow_part(&asked(&[("if-range", condition)])),
                expected,
                "{condition}"
            );
        }
        assert!(validators().allow_part(&HeaderMap::new()));
    }
}
