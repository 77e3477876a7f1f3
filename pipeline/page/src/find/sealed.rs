//! Inline style sheets and scripts that a policy of the page allows by their hash (R-S23).
//!
//! A browser refuses such an element as soon as one byte of it changes (Content Security Policy Level 3, section 6.7.3.3), so they
//! stay as they are, whatever they hold. Which directive has the hash does not matter: no other text has the same one.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::link_place::{AddressWriting, LinkPlace};
use crate::html::bytes::as_text;
use crate::html::span::ByteSpan;
use crate::html::tokens::{PageTokens, TextKind, TokenFilter, TokenKind};

/// The text of every `<style>` and `<script>`.
pub(crate) fn inline_texts(tokens: &PageTokens) -> Box<[ByteSpan]> {
    let mut texts = Vec::new();
    let wanted = TokenFilter {
        elements: &["script", "style"],
        ..TokenFilter::default()
    };
    let mut is_inside = false;
    tokens.each_wanted(wanted, |token| {
        match &token.kind {
            TokenKind::Start(tag) => is_inside = matches!(&*tag.name, "script" | "style"),
            TokenKind::Text(TextKind::Raw) if is_inside => texts.push(token.range.clone().into()),
            TokenKind::Text(_) | TokenKind::End(_) | TokenKind::Comment | TokenKind::Doctype => {
                is_inside = false
            }
        }
        is_inside
    });
    texts.into()
}

/// The hashes that policies name.
pub(crate) struct Hashes {
    /// `sha256-…`, in the alphabet of plain Base64.
    hashes: Vec<String>,
    /// Hashes count for attributes, too.
    for_attributes: bool,
}

impl Hashes {
    /// The hashes of some policies. `None` if they name none.
    pub(crate) fn of<'p>(policies: impl Iterator<Item = &'p str>) -> Option<Self> {
        let mut found = Self {
            hashes: Vec::new(),
            for_attributes: false,
        };
        for word in
            policies.flat_map(|policy| policy.split([' ', '\t', '\n', '\r', '\u{c}', ';', ',']))
        {
            let Some(word) = word
                .strip_prefix('\'')
                .and_then(|word| word.strip_suffix('\''))
            else {
                continue;
            };
            found.for_attributes |= word.eq_ignore_ascii_case("unsafe-hashes");
            if let Some((name, hash)) = word.split_once('-')
                && ["sha256", "sha384", "sha512"]
                    .iter()
                    .any(|known| name.eq_ignore_ascii_case(known))
            {
                let hash = hash.replace('-', "+").replace('_', "/");
                found.hashes.push(format!(
                    "{}-{}",
                    name.to_ascii_lowercase(),
                    hash.trim_end_matches('=')
                ));
            }
        }
        (!found.hashes.is_empty()).then_some(found)
    }

    /// True if one of the hashes is that of a text.
    fn cover(&self, text: &[u8]) -> bool {
        // Browsers know one kind of line end.
        let text = match text.contains(&b'\r') {
            true => Cow::Owned(
                as_text(text)
                    .replace("\r\n", "\n")
                    .replace('\r', "\n")
                    .into_bytes(),
            ),
            false => Cow::Borrowed(text),
        };
        self.name("sha256-", || Sha256::digest(&*text).to_vec())
            || self.name("sha384-", || Sha384::digest(&*text).to_vec())
            || self.name("sha512-", || Sha512::digest(&*text).to_vec())
    }

    /// True if the hashes of one kind have a digest, which is made only if there are any.
    fn name(&self, kind: &str, digest: impl FnOnce() -> Vec<u8>) -> bool {
        let of_kind: Vec<&str> = self
            .hashes
            .iter()
            .filter_map(|hash| hash.strip_prefix(kind))
            .collect();
        !of_kind.is_empty()
            && of_kind.contains(&BASE64_STANDARD.encode(digest()).trim_end_matches('='))
    }

    /// The texts of elements and the values of style attributes that these hashes cover.
    pub(crate) fn covered(
        &self,
        source: &[u8],
        texts: &[ByteSpan],
        links: &[LinkPlace],
    ) -> Vec<Range<usize>> {
        let mut covered: Vec<Range<usize>> = texts
            .iter()
            .map(|text| text.range())
            .filter(|text| self.cover(&source[text.clone()]))
            .collect();
        for place in links
            .iter()
            .filter(|place| self.for_attributes && place.attribute == "style")
        {
            let (AddressWriting::Part(quote) | AddressWriting::Style(quote)) = place.writing else {
                continue;
            };
            let value = value_around(source, &place.range, quote);
            if self.cover(htmlize::unescape_attribute(as_text(&source[value.clone()])).as_bytes()) {
                covered.push(value);
            }
        }
        covered
    }
}

/// The value of an attribute around a part of it.
fn value_around(source: &[u8], part: &Range<usize>, quote: Option<u8>) -> Range<usize> {
    let start = source[..part.start]
        .iter()
        .rposition(|byte| ends_value(*byte, quote))
        .map_or(0, |at| at + 1);
    let length = source[part.end..]
        .iter()
        .position(|byte| ends_value(*byte, quote));
    let end = length.map_or(source.len(), |length| part.end + length);
    start..end
}

fn ends_value(byte: u8, quote: Option<u8>) -> bool {
    match quote {
        Some(quote) => byte == quote,
        None => byte.is_ascii_whitespace() || byte == b'=' || byte == b'>',
    }
}

/// The value of `integrity` for these bytes, with the algorithms that the written value has. `None` if it has none that is known.
pub(crate) fn integrity_of(written: &str, bytes: &[u8]) -> Option<String> {
    let mut hashes: Vec<String> = Vec::new();
    for word in written.split_ascii_whitespace() {
        let name = word
            .split('-')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let digest = match name.as_str() {
            "sha256" => Sha256::digest(bytes).to_vec(),
            "sha384" => Sha384::digest(bytes).to_vec(),
            "sha512" => Sha512::digest(bytes).to_vec(),
            _ => continue,
        };
        let hash = format!("{name}-{}", BASE64_STANDARD.encode(digest));
        if !hashes.contains(&hash) {
            hashes.push(hash);
        }
    }
    if hashes.is_empty() {
        None
    } else {
        Some(hashes.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `sha256-…` of a text.
    fn hash(text: &str) -> String {
        format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
    }

    #[track_caller]
    fn check(policy: &str, text: &str, is_covered: bool) {
        let hashes = Hashes::of(std::iter::once(policy));
        assert_eq!(
            hashes.is_some_and(|hashes| hashes.cover(text.as_bytes())),
            is_covered,
            "{policy} {text}"
        );
    }

    #[test]
    fn hashes_cover_the_texts_that_have_them_r_s23() {
        let one = hash("a{}");
        check(&format!("style-src 'self' '{one}'"), "a{}", true);
        check(&format!("style-src 'self' '{one}'"), "a{} ", false);
        check(
            &format!("script-src 'none';default-src '{one}', img-src *"),
            "a{}",
            true,
        );
        check(
            &format!(
                "style-src '{}'",
                one.replace("sha256", "SHA256")
                    .replace('+', "-")
                    .replace('/', "_")
            ),
            "a{}",
            true,
        );
        check(
            &format!("style-src '{}'", one.trim_end_matches('=')),
            "a{}",
            true,
        );
        check(&format!("style-src {one}"), "a{}", false);
        check(&format!("style-src '{}'", hash("a{\n}")), "a{\r\n}", true);
        let long = format!("sha512-{}", BASE64_STANDARD.encode(Sha512::digest("x()")));
        check(
            &format!("script-src 'strict-dynamic' 'nonce-abc' '{long}'"),
            "x()",
            true,
        );
        check(
            "script-src 'nonce-abc' 'strict-dynamic' 'self'",
            "x()",
            false,
        );
        check("script-src 'sha256-abc'", "x()", false);
    }

    #[test]
    fn integrity_keeps_its_algorithms_r_s26() {
        let sha256 = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";
        for (written, expected) in [
            ("sha256-x", Some(sha256.to_owned())),
            ("SHA256-x?option", Some(sha256.to_owned())),
            (" sha256-x sha256-y ", Some(sha256.to_owned())),
            ("md5-x", None),
            ("", None),
        ] {
            assert_eq!(integrity_of(written, b"abc"), expected, "{written}");
        }
        let both = integrity_of("sha384-x sha512-y", b"abc").unwrap();
        assert!(
            both.starts_with("sha384-") && both.contains(" sha512-"),
            "{both}"
        );
    }
}
