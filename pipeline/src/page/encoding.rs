//! From a page's bytes to UTF-8, in the order in which browsers decide (R-D1), and what that changes (R-D3, R-D4).

use std::borrow::Cow;

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far browsers look for a declaration, in bytes (WHATWG HTML, "prescan a byte stream").
const PRESCAN: usize = 1024;

/// A page in UTF-8.
pub(super) struct Decoded {
    /// The page: the bytes as they came when they are UTF-8 or ASCII, otherwise converted.
    pub(super) html: Vec<u8>,
    /// The bytes as they came, when they were converted.
    pub(super) original: Option<Vec<u8>>,
    /// The encoding in which browsers read the page.
    pub(super) encoding: &'static Encoding,
    /// Whether some bytes made no sense in that encoding (R-D8).
    pub(super) broken: bool,
}

/// Decodes a page; `declared` is the charset of its HTTP header. UTF-8 pages keep every byte, broken ones too.
pub(super) fn decode(bytes: &[u8], declared: Option<&str>) -> Decoded {
    let encoding = choose(bytes, declared);
    if encoding == UTF_8 {
        let broken = std::str::from_utf8(bytes).is_err();
        return Decoded { html: bytes.to_vec(), original: None, encoding, broken };
    }
    let (text, broken) = encoding.decode_with_bom_removal(bytes);
    match text {
        Cow::Borrowed(_) if text.is_ascii() => Decoded { html: bytes.to_vec(), original: None, encoding, broken },
        text => Decoded { html: text.into_owned().into_bytes(), original: Some(bytes.to_vec()), encoding, broken },
    }
}

fn choose(bytes: &[u8], declared: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return encoding;
    }
    let label = |label: &str| Encoding::for_label(label.trim().as_bytes()).filter(|&found| found != REPLACEMENT);
    if let Some(encoding) = declared.and_then(label) {
        return encoding;
    }
    let head = &bytes[..bytes.len().min(PRESCAN)];
    match prescan(head).as_deref().and_then(label) {
        // A page whose declaration could be read byte by byte is not UTF-16, whatever it says.
        Some(encoding) if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        Some(encoding) if encoding == X_USER_DEFINED => WINDOWS_1252,
        Some(encoding) => encoding,
        None => guess(bytes),
    }
}

fn guess(bytes: &[u8]) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() && !bytes.contains(&0x1b) {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Allow)
}

/// Finds the charset that `<meta>` or an XML declaration gives in the first bytes.
fn prescan(head: &[u8]) -> Option<String> {
    let text: String = head.iter().map(|&byte| char::from(byte).to_ascii_lowercase()).collect();
    let mut rest = text.as_str();
    if let Some(declaration) = rest.strip_prefix("<?xml").and_then(|tail| tail.split_once("?>")) {
        if let Some(value) = attribute_value(declaration.0, "encoding") {
            return Some(value);
        }
        rest = declaration.1;
    }
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let tag = rest.split_once('>').map_or(rest, |(tag, _)| tag);
        if tag.starts_with("<meta") {
            if let Some(charset) = attribute_value(tag, "charset") {
                return Some(charset);
            }
            let refers = attribute_value(tag, "http-equiv").is_some_and(|value| value.trim() == "content-type");
            if let Some(content) = attribute_value(tag, "content").filter(|_| refers)
                && let Some((_, rest)) = content.split_once("charset")
                && let Some(charset) = rest.trim_start().strip_prefix('=').map(str::trim_start)
            {
                let end = charset.find([';', ' ', '"', '\'']).unwrap_or(charset.len());
                return Some(charset[..end].to_owned());
            }
        }
        rest = &rest[1..];
    }
    None
}

/// Reads an attribute of a tag that is already in lower case; values of other attributes are passed over.
fn attribute_value(tag: &str, wanted: &str) -> Option<String> {
    let mut rest = tag.trim_start_matches(|character: char| !character.is_ascii_whitespace() && character != '/');
    loop {
        rest = rest.trim_start_matches(|character: char| character.is_ascii_whitespace() || character == '/');
        let end = rest.find(|character: char| character.is_ascii_whitespace() || matches!(character, '=' | '/'))?;
        let (name, tail) = rest.split_at(end);
        rest = tail.trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else { continue };
        let value_end = |character: char| character.is_ascii_whitespace() || character == '>';
        let (value, after) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
            _ => value.split_at(value.find(value_end).unwrap_or(value.len())),
        };
        if name == wanted {
            return Some(value.trim_end_matches('/').to_owned());
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], header: Option<&str>, encoding: &str) {
        assert_eq!(decode(bytes, header).encoding.name(), encoding, "{:?}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn encodings_are_chosen_in_order_r_d1() {
        check(b"\xef\xbb\xbf<meta charset=euc-kr>x", Some("shift_jis"), "UTF-8");
        check(b"\xff\xfex\0", None, "UTF-16LE");
        check(b"<meta charset=euc-kr>x", Some("Shift_JIS"), "Shift_JIS");
        check(b"<META http-equiv=\"Content-Type\" content=\"text/html; charset=EUC-KR\">", None, "EUC-KR");
        check(b"<!-- <meta charset=big5> --><meta charset='gb2312'>", None, "GBK");
        check(b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><html>", None, "windows-1252");
        check(b"<meta charset=utf-16>x", None, "UTF-8");
        check(b"<meta name=description content='charset=big5'>x", None, "UTF-8");
        check("<p>déjà vu".as_bytes(), None, "UTF-8");
    }

    #[test]
    fn utf_8_pages_keep_broken_bytes_r_d8() {
        let page = decode(b"<p>\xa9</p>", Some("utf-8"));
        assert_eq!(page.html, b"<p>\xa9</p>");
        assert!(page.broken && page.original.is_none());
    }

    #[test]
    fn other_pages_become_utf_8_r_d2_r_d3() {
        for (label, text) in
            [("euc-kr", "안녕"), ("shift_jis", "こんにちは"), ("iso-2022-jp", "日本"), ("big5", "中文")]
        {
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let page = decode(&encoding.encode(text).0, Some(label));
            assert_eq!(page.html, text.as_bytes(), "{label}");
            assert!(!page.broken);
        }
    }
}
