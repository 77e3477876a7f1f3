//! What a page says about its encoding in its first bytes (WHATWG HTML, "prescan a byte stream to determine its
//! encoding"), read before anything is known about it.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far browsers look for a declaration, in bytes.
const PRESCAN: usize = 1024;

/// The encoding that a page declares: by `<meta>`, else by an XML declaration (R-D1).
pub(crate) fn declared(page: &[u8]) -> Option<&'static Encoding> {
    let head = beginning(page);
    of_width(head)
        .or_else(|| of_meta(head))
        .or_else(|| of_declaration(head))
}

/// The encoding that XML declares.
pub(crate) fn of_xml(page: &[u8]) -> Option<&'static Encoding> {
    let head = beginning(page);
    of_width(head).or_else(|| of_declaration(head))
}

fn beginning(page: &[u8]) -> &[u8] {
    &page[..page.len().min(PRESCAN)]
}

/// The encoding of an XML declaration whose characters are two bytes wide.
fn of_width(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        _ if head.starts_with(b"<\0?\0x\0") => Some(UTF_16LE),
        _ if head.starts_with(b"\0<\0?\0x") => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding of a label that was read byte by byte: a page that says so is not UTF-16, whatever it says.
fn meant(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label).filter(|&found| found != REPLACEMENT)?;
    Some(match encoding {
        _ if encoding == UTF_16BE || encoding == UTF_16LE => UTF_8,
        _ if encoding == X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

fn of_meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut reader = PrescanReader { bytes: head, at: 0 };
    while reader.find(b'<') {
        let rest = &head[reader.at..];
        let name_at = if rest.get(1) == Some(&b'/') { 2 } else { 1 };
        if rest.starts_with(b"<!--") {
            // The dashes of the beginning may be those of the end.
            reader.at += 2 + rest[2..].windows(3).position(|end| end == b"-->")? + 3;
        } else if rest.get(name_at).is_some_and(u8::is_ascii_alphabetic) {
            let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
            let length = rest[name_at..].iter().position(ends)?;
            let is_meta = name_at == 1 && rest[1..=length].eq_ignore_ascii_case(b"meta");
            reader.at += name_at + length;
            let attributes = reader.attributes()?;
            if let Some(encoding) = is_meta.then(|| of_attributes(&attributes)).flatten() {
                return Some(encoding);
            }
        } else if matches!(rest.get(1), Some(b'!' | b'/' | b'?')) {
            reader.find(b'>');
        } else {
            reader.at += 1;
        }
    }
    None
}

/// The encoding that the attributes of one `<meta>` give.
fn of_attributes(attributes: &[(Vec<u8>, Vec<u8>)]) -> Option<&'static Encoding> {
    let value = |wanted: &[u8]| {
        attributes
            .iter()
            .find(|(name, _)| name == wanted)
            .map(|(_, value)| value.as_slice())
    };
    if let Some(label) = value(b"charset") {
        return meant(label);
    }
    value(b"http-equiv").filter(|kind| *kind == b"content-type")?;
    meant(charset_in(value(b"content")?)?)
}

/// The label in `text/html; charset=…`.
fn charset_in(content: &[u8]) -> Option<&[u8]> {
    const NAME: &[u8] = b"charset";
    let mut rest = content;
    loop {
        rest = &rest[rest.windows(NAME.len()).position(|word| word == NAME)? + NAME.len()..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        return match value.first() {
            Some(quote @ (b'"' | b'\'')) => {
                let end = value[1..].iter().position(|byte| byte == quote)?;
                Some(&value[1..=end])
            }
            _ => value
                .split(|byte| byte.is_ascii_whitespace() || *byte == b';')
                .next(),
        };
    }
}

fn of_declaration(head: &[u8]) -> Option<&'static Encoding> {
    const NAME: &[u8] = b"encoding";
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&byte| byte == b'>')?];
    let name = declaration
        .windows(NAME.len())
        .position(|word| word == NAME)?;
    let value = declaration[name + NAME.len()..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let quote = value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let end = value[1..].iter().position(|byte| byte == quote)?;
    meant(&value[1..=end])
}

/// Reads tags before their encoding is known.
struct PrescanReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl PrescanReader<'_> {
    /// Goes to the next such byte; without one, to the end.
    fn find(&mut self, wanted: u8) -> bool {
        let skip = self.bytes[self.at..]
            .iter()
            .position(|&byte| byte == wanted);
        self.at = skip.map_or(self.bytes.len(), |skip| self.at + skip);
        skip.is_some()
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Takes bytes as long as they pass, in lower case.
    fn take(&mut self, passes: impl Fn(u8) -> bool) -> Vec<u8> {
        let taken: Vec<u8> = self.bytes[self.at..]
            .iter()
            .copied()
            .take_while(|&byte| passes(byte))
            .collect();
        self.at += taken.len();
        taken.to_ascii_lowercase()
    }

    /// The attributes of the tag whose name was just passed; nothing where the bytes end inside it.
    fn attributes(&mut self) -> Option<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut attributes = Vec::new();
        loop {
            self.take(|byte| byte.is_ascii_whitespace() || byte == b'/');
            let first = self.peek()?;
            if first == b'>' {
                return Some(attributes);
            }
            // A name may begin with `=`.
            self.at += 1;
            let rest = self
                .take(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'/' | b'>'));
            let name = std::iter::once(first.to_ascii_lowercase())
                .chain(rest)
                .collect();
            self.take(|byte| byte.is_ascii_whitespace());
            attributes.push((name, self.value()));
        }
    }

    fn value(&mut self) -> Vec<u8> {
        if self.peek() != Some(b'=') {
            return Vec::new();
        }
        self.at += 1;
        self.take(|byte| byte.is_ascii_whitespace());
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let value = self.take(|byte| byte != quote);
                self.at = (self.at + 1).min(self.bytes.len());
                value
            }
            _ => self.take(|byte| !byte.is_ascii_whitespace() && byte != b'>'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read_as_browsers_read_them_r_d1() {
        for (head, encoding) in [
            ("<meta charset=euc-kr>", Some("EUC-KR")),
            ("<META CHARSET = ' Shift_JIS '/>", Some("Shift_JIS")),
            ("<meta\ncharset=big5/>", None),
            ("<meta/charset=big5>", Some("Big5")),
            (
                "<meta http-equiv=Content-Type content='text/html; charset = \"KOI8-R\"'>",
                Some("KOI8-R"),
            ),
            (
                "<meta content='charset charset=gb18030;x' http-equiv='content-type'>",
                Some("gb18030"),
            ),
            ("<meta content='text/html; charset=big5'>", None),
            ("<meta http-equiv=refresh content='0; charset=big5'>", None),
            ("<meta name=x content='<meta charset=big5>'>", None),
            (
                "<a title='> <meta charset=big5>'><meta charset=koi8-r>",
                Some("KOI8-R"),
            ),
            (
                "<!-- <meta charset=big5> --><meta charset='gb2312'>",
                Some("GBK"),
            ),
            ("<!--><meta charset=koi8-r>-->", Some("KOI8-R")),
            (
                "<!doctype html><?x y?></ z><metadata charset=big5><meta charset=koi8-r>",
                Some("KOI8-R"),
            ),
            (
                "<meta charset=nonsense><meta charset=koi8-r>",
                Some("KOI8-R"),
            ),
            ("<meta charset=big5 charset=koi8-r>", Some("Big5")),
            ("<meta charset=utf-16>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=iso-8859-1>", Some("windows-1252")),
            ("<meta charset=us-ascii>", Some("windows-1252")),
            ("<meta charset=ks_c_5601-1987>", Some("EUC-KR")),
            (
                "<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?><html>",
                Some("ISO-8859-2"),
            ),
            ("<?xml version='1.0' encoding = 'utf-16'?>", Some("UTF-8")),
            ("<?xml encoding='koi8-r'?><meta charset=big5>", Some("Big5")),
            (" <?xml encoding='koi8-r'?>", None),
            ("<\0?\0x\0m\0", Some("UTF-16LE")),
            ("\0<\0?\0x\0m", Some("UTF-16BE")),
            ("<meta charset=", None),
            ("<meta charset='big5", None),
            ("<!-- ", None),
            ("", None),
        ] {
            assert_eq!(
                declared(head.as_bytes()).map(Encoding::name),
                encoding,
                "{head:?}"
            );
        }
        let late = format!("{}<meta charset=big5>", " ".repeat(PRESCAN - 10));
        assert_eq!(declared(late.as_bytes()), None, "browsers look no further");
    }
}
