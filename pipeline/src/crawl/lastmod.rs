//! When sitemaps say that pages changed last (`lastmod`), as far as that can tell whether one changes again.
//!
//! A date stands for everything that happens in it, so it can tell only once it is over: a second change on the same day has the
//! same date. Dates without a time zone are over when they are over everywhere on earth. Pure; the time of looking is given.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::time::{Duration, SystemTime};

use crate::model::PagePath;

/// How far behind UTC the last time zone is.
const LAST_ZONE: Duration = Duration::from_secs(12 * 60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Clocks and stores of pages are coarse, as they are for dates in headers.
const MARGIN: Duration = Duration::from_secs(2);

/// What sitemaps say of each page; nothing where one says nothing or two say different things.
#[derive(Debug, Default)]
pub(super) struct Dates(BTreeMap<PagePath, Option<String>>);

impl Dates {
    /// Notes what a sitemap says of a page that was seen at a time.
    pub(super) fn note(&mut self, path: &PagePath, lastmod: Option<&str>, seen: SystemTime) {
        let lastmod = lastmod
            .filter(|lastmod| is_over(lastmod, seen))
            .map(str::to_owned);
        match self.0.entry(path.clone()) {
            Entry::Vacant(place) => drop(place.insert(lastmod)),
            Entry::Occupied(place) if *place.get() == lastmod => {}
            Entry::Occupied(mut place) => drop(place.insert(None)),
        }
    }

    /// Those that can tell.
    pub(super) fn settled(self) -> BTreeMap<PagePath, String> {
        self.0
            .into_iter()
            .filter_map(|(path, lastmod)| Some((path, lastmod?)))
            .collect()
    }
}

/// When what a sitemap says was true at the latest: a cache may have kept it for a while, and clocks need not agree.
pub(super) fn seen(begun: SystemTime, date: Option<&str>) -> SystemTime {
    let said = date.and_then(|date| httpdate::parse_http_date(date).ok());
    said.map_or(begun, |said| said.min(begun))
}

/// Whether a date or time is over, so that what changes from now on gets another one.
fn is_over(lastmod: &str, seen: SystemTime) -> bool {
    end(lastmod)
        .and_then(|end| end.checked_add(MARGIN))
        .is_some_and(|end| end <= seen)
}

/// When a date or time of the W3C's profile of ISO 8601 is over; nothing for other texts, and for months and years.
fn end(lastmod: &str) -> Option<SystemTime> {
    let (date, time) = lastmod.split_at_checked("2026-11-25".len())?;
    let Some(time) = time.strip_prefix(['T', 't', ' ']) else {
        let begin = time.is_empty().then(|| moment(date, "00:00:00"))??;
        return begin.checked_add(DAY + LAST_ZONE);
    };
    let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, ""),
    };
    let (clock, precision) = match clock.len() {
        5 => (format!("{clock}:00"), Duration::from_secs(60)),
        _ => (clock.to_owned(), Duration::from_secs(1)),
    };
    let begin = moment(date, &clock)?;
    // Generators write dates as midnights.
    let is_date = clock.starts_with("00:00:00");
    let end = begin.checked_add(if is_date { DAY + LAST_ZONE } else { precision })?;
    match (zone, zone.strip_prefix('-')) {
        ("", _) => end.checked_add(LAST_ZONE),
        ("Z" | "z", _) => Some(end),
        (_, Some(behind)) => end.checked_add(offset(behind)?),
        (ahead, None) => end.checked_sub(offset(ahead.strip_prefix('+')?)?),
    }
}

/// A moment in UTC.
fn moment(date: &str, clock: &str) -> Option<SystemTime> {
    humantime::parse_rfc3339(&format!("{date}T{clock}Z")).ok()
}

/// How far a time zone is from UTC: `05:30`, `0530` or `05`.
fn offset(text: &str) -> Option<Duration> {
    let digits = text.replace(':', "");
    let is_number =
        matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let (hours, minutes) = is_number.then(|| digits.split_at(2))?;
    let minutes = if minutes.is_empty() {
        0
    } else {
        minutes.parse::<u64>().ok()?
    };
    Some(Duration::from_secs(
        60 * (60 * hours.parse::<u64>().ok()? + minutes),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> SystemTime {
        humantime::parse_rfc3339(time).unwrap()
    }

    /// The first moment at which a date can tell.
    fn check(lastmod: &str, expected: Option<&str>) {
        let expected = expected.map(at);
        assert_eq!(end(lastmod).map(|end| end + MARGIN), expected, "{lastmod}");
        let second = Duration::from_secs(1);
        assert!(
            !is_over(
                lastmod,
                expected.map_or_else(|| at("9999-01-01T00:00:00Z"), |time| time - second)
            ),
            "{lastmod}"
        );
        assert!(
            expected.is_none_or(|time| is_over(lastmod, time)),
            "{lastmod}"
        );
    }

    #[test]
    fn dates_and_times_can_tell_when_they_are_over() {
        for (lastmod, expected) in [
            // A day is over when it is over everywhere.
            ("2026-11-25", Some("2026-11-26T12:00:02Z")),
            ("2026-11-25T00:00:00Z", Some("2026-11-26T12:00:02Z")),
            ("2026-11-25T00:00:00+02:00", Some("2026-11-26T10:00:02Z")),
            ("2026-11-25T00:00Z", Some("2026-11-26T12:00:02Z")),
            ("2026-11-25T10:00:07Z", Some("2026-11-25T10:00:10Z")),
            ("2026-11-25T10:00:07.25z", Some("2026-11-25T10:00:10.25Z")),
            ("2026-11-25 10:00:07+01:00", Some("2026-11-25T09:00:10Z")),
            ("2026-11-25T10:00:07-0530", Some("2026-11-25T15:30:10Z")),
            ("2026-11-25T10:00:07+09", Some("2026-11-25T01:00:10Z")),
            ("2026-11-25T10:00+00:00", Some("2026-11-25T10:01:02Z")),
            ("2026-11-25T10:00:07", Some("2026-11-25T22:00:10Z")),
            ("2026-11", None),
            ("2026", None),
            ("", None),
            ("2026-13-25", None),
            ("2026-11-25T", None),
            ("2026-11-25x", None),
            ("2026-11-25T25:00:00Z", None),
            ("2026-11-25T10:00:00+1", None),
            ("2026-11-25T10:00:00+aa:bb", None),
            ("Wed, 25 Nov 2026 10:00:00 GMT", None),
            ("25 November 2026 ä", None),
        ] {
            check(lastmod, expected);
        }
    }

    #[test]
    fn what_sitemaps_do_not_agree_on_tells_nothing() {
        let seen = at("2026-11-26T10:00:00Z");
        let path = |text: &str| PagePath::parse(text).unwrap();
        let mut dates = Dates::default();
        let early = Some("2026-11-01");
        let late = Some("2026-11-02");
        let said = [
            ("/once", early),
            ("/twice", early),
            ("/twice", early),
            ("/other", early),
            ("/other", late),
            ("/other", late),
            ("/without", early),
            ("/without", None),
            ("/today", Some("2026-11-26")),
            ("/next-year", Some("2027-11-26T10:00:00Z")),
        ];
        said.into_iter()
            .for_each(|(page, lastmod)| dates.note(&path(page), lastmod, seen));
        let settled: Vec<_> = dates.settled().into_keys().collect();
        assert_eq!(settled, [path("/once"), path("/twice")]);
    }

    #[test]
    fn a_sitemap_is_as_old_as_its_server_says() {
        let begun = at("2026-11-25T10:00:00Z");
        for (date, expected) in [
            (None, "2026-11-25T10:00:00Z"),
            (
                Some("Wed, 25 Nov 2026 09:00:00 GMT"),
                "2026-11-25T09:00:00Z",
            ),
            (
                Some("Wed, 25 Nov 2026 11:00:00 GMT"),
                "2026-11-25T10:00:00Z",
            ),
            (Some("today"), "2026-11-25T10:00:00Z"),
        ] {
            assert_eq!(seen(begun, date), at(expected), "{date:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_over_or_not(text in "[0-9]{0,4}(-[0-9]{2}){0,2}[T ]?([0-9:.]{0,9})(.){0,6}") {
            is_over(&text, SystemTime::UNIX_EPOCH);
        }
    }
}
