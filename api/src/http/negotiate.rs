//! Content negotiation, conditions and ranges of HTTP (RFC 9110 sections 12 to 14), over header texts. Pure.

use pipeline::store::Encoding;

/// The encoding to send, of those that are there: the reader's weights decide, then brotli, gzip, plain.
pub(crate) fn encoding(accept: Option<&str>, there: impl Fn(Encoding) -> bool) -> Option<Encoding> {
    let accept = accept?;
    let mut any = None;
    let mut identity = None;
    let mut gzip = None;
    let mut brotli = None;
    for (weight, name) in weighted(accept) {
        let is = |coding: &str| name.eq_ignore_ascii_case(coding);
        let named = match name {
            "*" => &mut any,
            _ if is(Encoding::Gzip.token()) || is("x-gzip") => &mut gzip,
            _ if is(Encoding::Brotli.token()) => &mut brotli,
            _ if is("identity") => &mut identity,
            _ => continue,
        };
        // The first mention counts.
        named.get_or_insert(weight);
    }
    let identity = identity.or(any.filter(|any| *any == 0)).unwrap_or(1);
    let mut best = (identity, None);
    for (choice, weight) in [(Encoding::Gzip, gzip), (Encoding::Brotli, brotli)] {
        let weight = weight.or(any).unwrap_or(0);
        if weight > 0 && weight >= best.0 && there(choice) {
            best = (weight, Some(choice));
        }
    }
    best.1
}

/// The items of a list with their weights in thousandths (section 12.4.2).
pub(crate) fn weighted(list: &str) -> impl Iterator<Item = (u32, &str)> {
    list.split(',').map(|item| {
        let mut parts = item.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let quality =
            parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        (quality.map_or(1000, thousandths), name)
    })
}

/// Reads `0.25` as 250; what is no number counts as 0, more than 1 as 1.
fn thousandths(quality: &str) -> u32 {
    let (whole, fraction) = quality
        .trim()
        .split_once('.')
        .unwrap_or((quality.trim(), ""));
    let digit = |at: usize| {
        fraction
            .as_bytes()
            .get(at)
            .map_or(Some(0), |byte| char::from(*byte).to_digit(10))
    };
    match (whole.parse::<u32>(), digit(0), digit(1), digit(2)) {
        (Ok(0), Some(tenths), Some(hundredths), Some(rest)) => {
            tenths * 100 + hundredths * 10 + rest
        }
        (Ok(1..), Some(_), Some(_), Some(_)) => 1000,
        _ => 0,
    }
}

/// Whether a list of entity tags names this one. Weak tags count where `weakly` compares (section 8.8.3.2).
pub(crate) fn names(list: &str, tag: &str, comparison: Comparison) -> bool {
    list.split(',').map(str::trim).any(|item| {
        let item = match (comparison, item.strip_prefix("W/")) {
            (Comparison::Weak, Some(strong)) => strong,
            (Comparison::Weak | Comparison::Strong, _) => item,
        };
        item == "*" || item == tag
    })
}

/// How entity tags are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Strong,
    Weak,
}

/// What a `Range` header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestedRange {
    /// Everything: no range, several, or one that is not understood.
    Whole,
    /// The bytes from the first to the last, both included.
    Bytes(u64, u64),
    /// Bytes that are not there.
    Outside,
}

/// Reads a `Range` header for a file of `size` bytes.
pub(crate) fn part(range: Option<&str>, size: u64) -> RequestedRange {
    let spec = range
        .and_then(|range| range.trim().strip_prefix("bytes="))
        .filter(|spec| !spec.contains(','));
    let Some((first, last)) = spec.and_then(|spec| spec.split_once('-')) else {
        return RequestedRange::Whole;
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(first) || !digits(last) {
        return RequestedRange::Whole;
    }
    match (first.parse::<u64>().ok(), last.parse::<u64>().ok()) {
        (Some(first), Some(last)) if first > last => RequestedRange::Whole,
        (Some(first), _) if first >= size => RequestedRange::Outside,
        (Some(first), Some(last)) => RequestedRange::Bytes(first, last.min(size - 1)),
        (Some(first), None) if last.is_empty() => RequestedRange::Bytes(first, size - 1),
        (None, Some(0)) if first.is_empty() => RequestedRange::Outside,
        (None, Some(_)) if first.is_empty() && size == 0 => RequestedRange::Outside,
        (None, Some(suffix)) if first.is_empty() => {
            RequestedRange::Bytes(size - suffix.min(size), size - 1)
        }
        (Some(_) | None, Some(_) | None) => RequestedRange::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_weights_choose_the_encoding() {
        let br = Some(Encoding::Brotli);
        let gzip = Some(Encoding::Gzip);
        for (accept, expected) in [
            (None, None),
            (Some(""), None),
            (Some("gzip, deflate, br, zstd"), br),
            (Some("gzip"), gzip),
            (Some("x-gzip"), gzip),
            (Some("br;q=0.5, gzip"), gzip),
            (Some("br;q=0, gzip;q=0"), None),
            (Some("*"), br),
            (Some("*;q=0"), None),
            (Some("br;q=0, *"), gzip),
            (Some("identity, br;q=0.9"), None),
            (Some("identity;q=0.5, gzip;q=0.8"), gzip),
            (Some("GZIP;Q=1"), gzip),
            (Some("gzip;q=nonsense"), None),
            (Some("brotli"), None),
        ] {
            assert_eq!(encoding(accept, |_| true), expected, "{accept:?}");
        }
        assert_eq!(
            encoding(Some("gzip, br"), |encoding| encoding == Encoding::Gzip),
            gzip
        );
        assert_eq!(encoding(Some("gzip, br"), |_| false), None);
    }

    #[test]
    fn tags_are_found_in_lists() {
        for (list, comparison, expected) in [
            ("\"a\"", Comparison::Weak, true),
            ("W/\"a\"", Comparison::Weak, true),
            ("W/\"a\"", Comparison::Strong, false),
            ("\"x\", \"a\"", Comparison::Weak, true),
            ("*", Comparison::Strong, true),
            ("\"b\"", Comparison::Weak, false),
            ("a", Comparison::Weak, false),
        ] {
            assert_eq!(names(list, "\"a\"", comparison), expected, "{list}");
        }
    }

    #[test]
    fn single_ranges_are_understood() {
        for (range, size, expected) in [
            (None, 10, RequestedRange::Whole),
            (Some("bytes=0-3"), 10, RequestedRange::Bytes(0, 3)),
            (Some("bytes=5-"), 10, RequestedRange::Bytes(5, 9)),
            (Some("bytes=-4"), 10, RequestedRange::Bytes(6, 9)),
            (Some("bytes=-40"), 10, RequestedRange::Bytes(0, 9)),
            (Some("bytes=5-99"), 10, RequestedRange::Bytes(5, 9)),
            (Some("bytes=10-"), 10, RequestedRange::Outside),
            (Some("bytes=-0"), 10, RequestedRange::Outside),
            (Some("bytes=0-"), 0, RequestedRange::Outside),
            (Some("bytes=-1"), 0, RequestedRange::Outside),
            (Some("bytes=4-2"), 10, RequestedRange::Whole),
            (Some("bytes=0-1,3-4"), 10, RequestedRange::Whole),
            (Some("bytes=a-b"), 10, RequestedRange::Whole),
            (Some("bytes=-"), 10, RequestedRange::Whole),
            (Some("pages=1-2"), 10, RequestedRange::Whole),
            (
                Some("bytes=99999999999999999999-"),
                10,
                RequestedRange::Whole,
            ),
        ] {
            assert_eq!(part(range, size), expected, "{range:?}");
        }
    }
}
