//! From a page's bytes to UTF-8, in the order in which browsers decide (R-D1), and what that changes (R-D3, R-D4).

use std::borrow::Cow;
use std::fmt::Write as _;

use encoding_rs::{EncoderResult, Encoding, REPLACEMENT, UTF_8};

use super::prescan;

/// What a UTF-8 page may begin with.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// A page in UTF-8.
pub(crate) struct Decoded {
    /// The page: the bytes as they came when they are UTF-8 or ASCII, otherwise converted.
    pub(crate) html: Vec<u8>,
    /// The bytes as they came, when they were converted.
    pub(crate) original: Option<Vec<u8>>,
    /// The encoding in which browsers read the page.
    pub(crate) encoding: &'static Encoding,
    /// In how many places the bytes made no sense in that encoding (R-D8).
    pub(crate) broken: usize,
}

/// Decodes a page; `declared` is the charset of its HTTP header. UTF-8 pages keep every byte, broken ones too.
pub(crate) fn decode(bytes: &[u8], declared: Option<&str>) -> Decoded {
    let guessed = || prescan::declared(bytes).unwrap_or_else(|| guess(bytes));
    decode_as(bytes, choose(bytes, declared).unwrap_or_else(guessed))
}

/// Decodes XML, which is UTF-8 unless it says something else itself; what HTML says of its encoding counts for nothing.
pub(crate) fn decode_xml(bytes: &[u8], declared: Option<&str>) -> Decoded {
    decode_as(
        bytes,
        choose(bytes, declared)
            .or_else(|| prescan::of_xml(bytes))
            .unwrap_or(UTF_8),
    )
}

fn decode_as(bytes: &[u8], encoding: &'static Encoding) -> Decoded {
    if encoding == UTF_8 {
        let is_whole = std::str::from_utf8(bytes).is_ok();
        let count = || {
            bytes
                .utf8_chunks()
                .filter(|chunk| !chunk.invalid().is_empty())
                .count()
        };
        let broken = if is_whole { 0 } else { count() };
        return Decoded {
            html: bytes.to_vec(),
            original: None,
            encoding,
            broken,
        };
    }
    let (text, is_broken) = encoding.decode_with_bom_removal(bytes);
    match text {
        Cow::Borrowed(text) if text.is_ascii() && text.len() == bytes.len() => Decoded {
            html: bytes.to_vec(),
            original: None,
            encoding,
            broken: 0,
        },
        text => {
            let broken = if is_broken {
                text.matches('\u{fffd}').count()
            } else {
                0
            };
            Decoded {
                html: text.into_owned().into_bytes(),
                original: Some(bytes.to_vec()),
                encoding,
                broken,
            }
        }
    }
}

/// What comes before all that a page says in words: its first bytes, and its HTTP header.
fn choose(bytes: &[u8], declared: Option<&str>) -> Option<&'static Encoding> {
    let label = |label: &str| {
        Encoding::for_label(label.trim().as_bytes()).filter(|&found| found != REPLACEMENT)
    };
    Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| declared.and_then(label))
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0x1b) {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// Spells the query of an address as browsers send it from a page in this encoding (R-D6); nothing where UTF-8 says
/// the same. Path and fragment are always UTF-8, and so are the queries of schemes that are not the web's.
pub(crate) fn in_query(address: &str, encoding: &'static Encoding) -> Option<String> {
    let encoding = encoding.output_encoding();
    if encoding == UTF_8 {
        return None;
    }
    let end = address.find('#').unwrap_or(address.len());
    let (before, query) = address[..end].split_once('?')?;
    if query.is_ascii() || !is_web(before) {
        return None;
    }
    Some(format!(
        "{before}?{}{}",
        encode_query(query, encoding),
        &address[end..]
    ))
}

/// Whether an address is one of the web's, as far as it says.
fn is_web(address: &str) -> bool {
    let scheme = address
        .split(['/', '?'])
        .next()
        .and_then(|start| start.split_once(':'))
        .map(|(scheme, _)| scheme);
    scheme.is_none_or(|scheme| {
        ["http", "https", "ftp", "file"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web))
    })
}

/// Percent-encodes after encoding (WHATWG URL), in the set for queries of the web's schemes.
fn encode_query(query: &str, encoding: &'static Encoding) -> String {
    let mut encoder = encoding.new_encoder();
    let mut written = String::with_capacity(query.len() * 3);
    let mut bytes = [0; 256];
    let mut rest = query;
    loop {
        let (result, read, length) =
            encoder.encode_from_utf8_without_replacement(rest, &mut bytes, true);
        for &byte in &bytes[..length] {
            match byte {
                // Parsers of addresses pass over these.
                b'\t' | b'\n' | b'\r' => written.push(char::from(byte)),
                0..=b' ' | b'"' | b'#' | b'<' | b'>' | b'\'' | 0x7f.. => {
                    let _ = write!(written, "%{byte:02X}");
                }
                _ => written.push(char::from(byte)),
            }
        }
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return written,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                let _ = write!(written, "%26%23{}%3B", u32::from(character));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], header: Option<&str>, encoding: &str) {
        assert_eq!(
            decode(bytes, header).encoding.name(),
            encoding,
            "{:?}",
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn encodings_are_chosen_in_order_r_d1() {
        check(
            b"\xef\xbb\xbf<meta charset=euc-kr>x",
            Some("shift_jis"),
            "UTF-8",
        );
        check(b"\xff\xfex\0", None, "UTF-16LE");
        check(b"<meta charset=euc-kr>x", Some("Shift_JIS"), "Shift_JIS");
        check(
            b"<META http-equiv=\"Content-Type\" content=\"text/html; charset=EUC-KR\">",
            None,
            "EUC-KR",
        );
        check(
            b"<!-- <meta charset=big5> --><meta charset='gb2312'>",
            None,
            "GBK",
        );
        check(
            b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><html>",
            None,
            "windows-1252",
        );
        check(b"<meta charset=utf-16>x", None, "UTF-8");
        check(
            b"<meta name=description content='charset=big5'>x",
            None,
            "UTF-8",
        );
        check("<p>déjà vu".as_bytes(), None, "UTF-8");
    }

    #[test]
    fn utf_8_pages_keep_broken_bytes_r_d8() {
        let page = decode(b"<p>\xa9</p>", Some("utf-8"));
        assert_eq!(page.html, b"<p>\xa9</p>");
        assert!(page.broken == 1 && page.original.is_none());
    }

    #[test]
    fn other_pages_become_utf_8_r_d2_r_d3() {
        for (label, text) in [
            ("euc-kr", "안녕"),
            ("shift_jis", "こんにちは"),
            ("iso-2022-jp", "日本"),
            ("big5", "中文"),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let page = decode(&encoding.encode(text).0, Some(label));
            assert_eq!(page.html, text.as_bytes(), "{label}");
            assert_eq!(page.broken, 0);
        }
    }

    #[test]
    fn queries_are_spelled_in_the_pages_encoding_r_d6() {
        for (label, address, spelled) in [
            (
                "euc-kr",
                "/찾기?q=가&r=a b#가",
                Some("/찾기?q=%B0%A1&r=a%20b#가"),
            ),
            ("shift_jis", "?q=表[ソ]", Some("?q=%95\\[%83\\]")),
            ("iso-2022-jp", "?q=日x", Some("?q=%1B$BF|%1B(Bx")),
            (
                "windows-1252",
                "x?a=é%C3%A9&b=한",
                Some("x?a=%E9%C3%A9&b=%26%2354620%3B"),
            ),
            ("gb18030", "HTTPS://h/?q=€", Some("HTTPS://h/?q=%A2%E3")),
            ("euc-kr", "a:b/../가?c=가", None),
            ("euc-kr", "mailto:x@y?subject=가", None),
            ("euc-kr", "/가#?가", None),
            ("euc-kr", "/?q=%B0%A1", None),
            ("utf-8", "/?q=가", None),
            ("utf-16le", "/?q=가", None),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            assert_eq!(
                in_query(address, encoding).as_deref(),
                spelled,
                "{label} {address}"
            );
        }
    }
}
