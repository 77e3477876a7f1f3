//! How long an origin asks us to wait.

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// Reads Retry-After: seconds, or a date, which is held against the answer's own Date so that clocks need not agree.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    // Services with token limits send milliseconds.
    if let Some(milliseconds) =
        text(HeaderName::from_static("retry-after-ms")).and_then(|value| value.parse().ok())
    {
        return Some(Duration::from_millis(milliseconds));
    }
    let value = text(RETRY_AFTER)?;
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let until = httpdate::parse_http_date(value).ok()?;
    let now = httpdate::parse_http_date(text(DATE)?).ok()?;
    Some(until.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_may_say_milliseconds_r_l11() {
        let headers = HeaderMap::from_iter([
            (RETRY_AFTER, "2".parse().unwrap()),
            (
                HeaderName::from_static("retry-after-ms"),
                "200".parse().unwrap(),
            ),
        ]);
        assert_eq!(retry_after(&headers), Some(Duration::from_millis(200)));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let date = "Sat, 21 Nov 2026 05:00:00 GMT";
        for (value, now, wait) in [
            ("2", None, Some(2)),
            (" 120 ", None, Some(120)),
            ("Sat, 21 Nov 2026 05:00:07 GMT", Some(date), Some(7)),
            ("Sat, 21 Nov 2026 04:00:00 GMT", Some(date), Some(0)),
            ("Sat, 21 Nov 2026 05:00:07 GMT", None, None),
            ("-1", None, None),
            ("soon", Some(date), None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, value.parse().unwrap());
            now.map(|now| headers.insert(DATE, now.parse().unwrap()));
            assert_eq!(
                retry_after(&headers),
                wait.map(Duration::from_secs),
                "{value}"
            );
        }
    }
}
