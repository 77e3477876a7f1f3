//! JSON as places: which strings it holds, where each stands and under which key.
//!
//! There is no tree and nothing is written anew: a string is a range of the source, and what contains it is an index
//! into a flat list. Reading is a loop without recursion and takes time in proportion to the source. What is no
//! JSON (RFC 8259) to the last byte has no places at all.

use std::ops::Range;

use super::span::{ByteSpan, short};

/// How many containers a path may go through; nothing that we know lies deeper.
const DEEPEST: usize = 8;

/// A JSON text: its strings and what they are in.
#[derive(Debug, Default)]
pub(crate) struct Json {
    /// Objects and arrays in the order in which they begin; the first is the whole.
    pub(crate) containers: Vec<Container>,
    /// String values, in order.
    pub(crate) strings: Vec<JsonString>,
}

/// An object or array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Container {
    /// The index of the container around it; `u32::MAX` for the whole.
    parent: u32,
    /// The key under which it stands, in an object.
    pub(crate) key: JsonKey,
    /// The byte of its opening bracket.
    start: u32,
}

/// A string value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonString {
    /// The bytes between its quotes.
    span: ByteSpan,
    /// The key under which it stands, in an object.
    pub(crate) key: JsonKey,
    container: u32,
}

const _: () = assert!(
    size_of::<Container>() == 16 && size_of::<JsonString>() == 20,
    "one may stand every two bytes"
);

/// The bytes between the quotes of a key; empty at 0, where no key can be, for what stands in an array.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JsonKey(ByteSpan);

impl JsonKey {
    /// The bytes between its quotes. `None` for what stands in an array.
    pub(crate) fn range(self) -> Option<Range<usize>> {
        (self.0 != ByteSpan::default()).then(|| self.0.range())
    }

    /// The key as it is spelled; one with escapes is nobody's.
    pub(crate) fn word(self, source: &[u8]) -> Option<&str> {
        if self.0 == ByteSpan::default() {
            return None;
        }
        std::str::from_utf8(source.get(self.0.range())?).ok()
    }
}

impl Container {
    /// The index of the container around it.
    pub(crate) fn parent(&self) -> Option<usize> {
        (self.parent != u32::MAX).then_some(self.parent as usize)
    }

    /// The byte of its opening bracket.
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }

    pub(crate) fn is_object(&self, source: &[u8]) -> bool {
        source.get(self.start()) == Some(&b'{')
    }
}

impl JsonString {
    /// The bytes between its quotes.
    pub(crate) fn range(&self) -> Range<usize> {
        self.span.range()
    }

    /// The index of the container that it stands in.
    pub(crate) fn container(&self) -> usize {
        self.container as usize
    }
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedJson {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

/// Finds the strings of a JSON text, an object or array, that fills a range of the source; nothing where it is none.
pub(crate) fn read(source: &[u8], range: Range<usize>) -> Option<Json> {
    let source = source.get(..range.end)?;
    let at = range.start;
    let mut reader = JsonReader {
        source,
        at,
        json: Json::default(),
        open: Vec::new(),
        key: JsonKey::default(),
    };
    let mut next = ExpectedJson::Value;
    while let Some(byte) = reader.peek() {
        next = reader.step(next, byte)?;
    }
    (reader.open.is_empty() && !reader.json.containers.is_empty()).then_some(reader.json)
}

struct JsonReader<'a> {
    source: &'a [u8],
    at: usize,
    json: Json,
    open: Vec<u32>,
    key: JsonKey,
}

impl JsonReader<'_> {
    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        while matches!(self.source.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.source.get(self.at).copied()
    }

    fn step(&mut self, next: ExpectedJson, byte: u8) -> Option<ExpectedJson> {
        match (next, byte) {
            (ExpectedJson::Value | ExpectedJson::ValueOrEnd, b'{' | b'[') => {
                Some(self.begin(byte == b'{'))
            }
            (ExpectedJson::ValueOrEnd | ExpectedJson::CommaOrEnd, b']') => self.end(false),
            (ExpectedJson::KeyOrEnd | ExpectedJson::CommaOrEnd, b'}') => self.end(true),
            (ExpectedJson::Value | ExpectedJson::ValueOrEnd, b'"') => {
                let span = self.string()?;
                let key = std::mem::take(&mut self.key);
                let container = *self.open.last()?;
                self.json.strings.push(JsonString {
                    span,
                    key,
                    container,
                });
                Some(ExpectedJson::CommaOrEnd)
            }
            (ExpectedJson::Value | ExpectedJson::ValueOrEnd, _) => {
                self.key = JsonKey::default();
                self.at +=
                    scalar_length(self.source.get(self.at..)?).filter(|_| !self.open.is_empty())?;
                Some(ExpectedJson::CommaOrEnd)
            }
            (ExpectedJson::Key | ExpectedJson::KeyOrEnd, b'"') => {
                self.key = JsonKey(self.string()?);
                (self.peek()? == b':').then(|| self.at += 1)?;
                Some(ExpectedJson::Value)
            }
            (ExpectedJson::CommaOrEnd, b',') => {
                let container = self.json.containers.get(*self.open.last()? as usize)?;
                self.at += 1;
                Some(if container.is_object(self.source) {
                    ExpectedJson::Key
                } else {
                    ExpectedJson::Value
                })
            }
            (ExpectedJson::Key | ExpectedJson::KeyOrEnd | ExpectedJson::CommaOrEnd, _) => None,
        }
    }

    fn begin(&mut self, is_object: bool) -> ExpectedJson {
        let parent = self.open.last().copied().unwrap_or(u32::MAX);
        let container = Container {
            parent,
            key: std::mem::take(&mut self.key),
            start: short(self.at),
        };
        self.open.push(short(self.json.containers.len()));
        self.json.containers.push(container);
        self.at += 1;
        if is_object {
            ExpectedJson::KeyOrEnd
        } else {
            ExpectedJson::ValueOrEnd
        }
    }

    fn end(&mut self, is_object: bool) -> Option<ExpectedJson> {
        let container = self.json.containers.get(self.open.pop()? as usize)?;
        self.at += 1;
        (container.is_object(self.source) == is_object).then_some(ExpectedJson::CommaOrEnd)
    }

    /// Reads a string and gives the bytes between its quotes.
    fn string(&mut self) -> Option<ByteSpan> {
        let start = self.at + 1;
        let mut at = start;
        loop {
            match *self.source.get(at)? {
                b'"' => break,
                b'\\' => at += escape_length(self.source.get(at..)?)?,
                0..0x20 => return None,
                _ => at += 1,
            }
        }
        self.at = at + 1;
        Some((start..at).into())
    }
}

/// The length of an escape in a string.
fn escape_length(text: &[u8]) -> Option<usize> {
    match text.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => text
            .get(2..6)?
            .iter()
            .all(u8::is_ascii_hexdigit)
            .then_some(6),
        _ => None,
    }
}

/// The length of a number or a word such as `true`.
fn scalar_length(text: &[u8]) -> Option<usize> {
    if let Some(word) = [&b"true"[..], b"false", b"null"]
        .into_iter()
        .find(|word| text.starts_with(word))
    {
        return Some(word.len());
    }
    let digits = |at: usize| {
        text[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut at = usize::from(text.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && text[at] == b'0') {
        return None;
    }
    at += whole;
    if text.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        at += (fraction > 0).then_some(fraction + 1)?;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at + 1 + sign);
        at += (exponent > 0).then_some(1 + sign + exponent)?;
    }
    Some(at)
}

impl Json {
    /// The way to a string, such as `items[].title`; nothing where it lies deeper than anybody looks.
    pub(crate) fn path(&self, source: &[u8], string: &JsonString) -> Option<String> {
        let mut steps = vec![string.key.word(source)];
        let mut at = Some(string.container());
        while let Some(container) = at.and_then(|at| self.containers.get(at)) {
            if steps.len() > DEEPEST {
                return None;
            }
            at = container.parent();
            if at.is_some() {
                steps.push(container.key.word(source));
            }
        }
        let mut path = String::new();
        for step in steps.iter().rev() {
            match step {
                Some(key) if path.is_empty() => path.push_str(key),
                Some(key) => path.extend([".", key]),
                None => path.push_str("[]"),
            }
        }
        Some(path)
    }

    /// The key that a string stands under, also through arrays.
    pub(crate) fn key<'s>(&self, source: &'s [u8], string: &JsonString) -> Option<&'s str> {
        string
            .key
            .word(source)
            .or_else(|| self.container_key(source, string.container()))
    }

    /// The key that a container stands under, also through arrays.
    pub(crate) fn container_key<'s>(&self, source: &'s [u8], container: usize) -> Option<&'s str> {
        let mut at = Some(container);
        for _ in 0..DEEPEST {
            let container = self.containers.get(at?)?;
            if let Some(key) = container.key.word(source) {
                return Some(key);
            }
            at = container.parent();
        }
        None
    }

    /// The nearest object around a string, through arrays.
    pub(crate) fn object(&self, source: &[u8], string: &JsonString) -> Option<usize> {
        let mut at = string.container();
        for _ in 0..DEEPEST {
            let container = self.containers.get(at)?;
            if container.is_object(source) {
                return Some(at);
            }
            at = container.parent()?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The strings as `path=value`, joined by spaces, or `none`.
    fn check(source: &str, expected: &str) {
        let drawn = read(source.as_bytes(), 0..source.len()).map(|json| {
            let string = |string: &JsonString| {
                let path = json
                    .path(source.as_bytes(), string)
                    .unwrap_or_else(|| "deep".into());
                format!("{path}={}", &source[string.range()])
            };
            json.strings
                .iter()
                .map(string)
                .collect::<Vec<_>>()
                .join(" ")
        });
        assert_eq!(drawn.as_deref().unwrap_or("none"), expected, "{source}");
        assert_eq!(
            drawn.is_some(),
            serde_json::from_str::<serde_json::Value>(source)
                .is_ok_and(|value| value.is_object() || value.is_array()),
            "{source}"
        );
    }

    #[test]
    fn strings_have_places_and_paths() {
        check(
            r#"{"a":"x","b":{"c":["y",{"d":"z"}]}}"#,
            "a=x b.c[]=y b.c[].d=z",
        );
        check(
            r#" [ "one" , -1.5e+3, true, null, "two" ] "#,
            "[]=one []=two",
        );
        check(r#"{"a":"\"\\\u00e9\n","b":[],"c":{}}"#, r#"a=\"\\\u00e9\n"#);
        check(r#"{"a":[[["x"]]]}"#, "a[][][]=x");
    }

    #[test]
    fn what_is_no_json_has_no_places() {
        for source in [
            "",
            " ",
            "\"x\"",
            "1",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "{a:1}",
            "[1]2",
            "[1}",
            "[01]",
            "[1.]",
            "[1e]",
            "[-]",
            "[tru]",
            "[\"\\x\"]",
            "[\"\\u12g4\"]",
            "[\"\t\"]",
            "[\"a]",
            "{\"a\":}",
            "{,}",
            "[,1]",
            "]",
            "{\"a\":1}}",
            "<!-- x --> {}",
            "[1 2]",
            "{\"a\":\"b\"\"c\":1}",
        ] {
            check(source, "none");
        }
    }

    #[test]
    fn depth_and_size_cost_no_more_than_they_are() {
        let deep = format!("{}\"x\"{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
        let json = read(deep.as_bytes(), 0..deep.len()).unwrap();
        assert_eq!(json.path(deep.as_bytes(), &json.strings[0]), None);
        assert_eq!(json.key(deep.as_bytes(), &json.strings[0]), None);
        let wide = format!("[{}\"x\"]", "\"x\",".repeat(1 << 20));
        assert_eq!(
            read(wide.as_bytes(), 0..wide.len()).unwrap().strings.len(),
            (1 << 20) + 1
        );
    }
}
