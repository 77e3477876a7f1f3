//! Sitemaps: XML, plain lists, indexes of them, and all of these in gzip; with the versions in other languages that
//! they name.
//!
//! Entities that a document declares are never expanded. A damaged sitemap gives what was read before the damage.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::net::Decoder;

/// The largest sitemap that is read, decompressed: what sitemaps.org allows.
pub(super) const LIMIT: usize = 50 << 20;

/// What a sitemap lists, as written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sitemap {
    pub(crate) pages: Vec<Listed>,
    pub(crate) sitemaps: Vec<String>,
    /// Why reading stopped before the end.
    pub(crate) broken: Option<String>,
}

/// A page that a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) address: String,
    /// Its versions: language tag and address.
    pub(crate) alternates: Vec<(String, String)>,
    /// The line on which its address ends.
    pub(crate) line: usize,
}

/// Reads a sitemap.
pub(crate) fn parse(body: &[u8]) -> Sitemap {
    if !body.starts_with(b"\x1f\x8b") {
        return parse_plain(body);
    }
    let unpacked = Decoder::new("gzip", LIMIT).and_then(|mut decoder| {
        decoder.push(body)?;
        decoder.finish()
    });
    match unpacked {
        Ok(plain) => parse_plain(&plain),
        Err(error) => Sitemap { broken: Some(error.to_string()), ..Sitemap::default() },
    }
}

fn parse_plain(body: &[u8]) -> Sitemap {
    let text = String::from_utf8_lossy(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
    if text.trim_start().starts_with('<') { parse_xml(&text) } else { parse_list(&text) }
}

fn parse_list(text: &str) -> Sitemap {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, text)| text.starts_with("http://") || text.starts_with("https://"));
    let listed = |(line, text): (usize, &str)| Listed { address: text.to_owned(), alternates: Vec::new(), line };
    Sitemap { pages: lines.map(listed).collect(), ..Sitemap::default() }
}

/// Collects each `loc` that stands directly in a `url` or `sitemap`; those of images and videos do not.
fn parse_xml(text: &str) -> Sitemap {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut found = Sitemap::default();
    let mut open: Vec<String> = Vec::new();
    let mut loc = String::new();
    let mut page = Listed::default();
    let mut lines = Lines { text, at: 0, line: 1 };
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                found.broken = Some(error.to_string());
                found.pages.extend(Some(page).filter(|page| !page.address.is_empty()));
                return found;
            }
        };
        let in_loc = open.last().is_some_and(|name| name == "loc");
        match event {
            Event::Eof => {
                found.pages.extend(Some(page).filter(|page| !page.address.is_empty()));
                return found;
            }
            Event::Start(tag) => {
                loc.clear();
                page.alternates.extend(alternate(&tag));
                open.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
            }
            Event::End(_) => {
                let address = loc.trim();
                let parent = open.len().checked_sub(2).and_then(|at| open.get(at)).map(String::as_str);
                match parent {
                    Some("url") if in_loc && !address.is_empty() => {
                        page.address = address.to_owned();
                        page.line = lines.at(reader.buffer_position());
                    }
                    Some("sitemap") if in_loc && !address.is_empty() => found.sitemaps.push(address.to_owned()),
                    _ => {}
                }
                if open.pop().is_some_and(|name| name == "url") {
                    let page = std::mem::take(&mut page);
                    found.pages.extend(Some(page).filter(|page| !page.address.is_empty()));
                }
            }
            Event::Empty(tag) => page.alternates.extend(alternate(&tag)),
            Event::Text(part) if in_loc => loc.push_str(&part.decode().unwrap_or_default()),
            Event::CData(part) if in_loc => loc.push_str(&part.decode().unwrap_or_default()),
            Event::GeneralRef(name) if in_loc => {
                let known = name.decode().ok().and_then(|name| quick_xml::escape::resolve_predefined_entity(&name));
                match (name.resolve_char_ref(), known) {
                    (Ok(Some(letter)), _) => loc.push(letter),
                    (_, Some(letter)) => loc.push_str(letter),
                    _ => {}
                }
            }
            Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_) => {}
        }
    }
}

/// The version in another language that an `xhtml:link` names.
fn alternate(tag: &BytesStart<'_>) -> Option<(String, String)> {
    if tag.local_name().as_ref() != b"link" {
        return None;
    }
    let value = |name: &[u8]| {
        let attribute = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        Some(quick_xml::escape::unescape(&value).map_or_else(|_| value.clone(), |plain| plain.into_owned()))
    };
    Some((value(b"hreflang")?.trim().to_owned(), value(b"href")?.trim().to_owned()))
}

/// Counts lines from one place to the next.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, position: u64) -> usize {
        let position = usize::try_from(position).unwrap_or(usize::MAX).clamp(self.at, self.text.len());
        self.line += self.text.as_bytes()[self.at..position].iter().filter(|byte| **byte == b'\n').count();
        self.at = position;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn check(body: &[u8], pages: &[&str], sitemaps: &[&str], broken: bool) {
        let found = parse(body);
        let name = String::from_utf8_lossy(body);
        let listed: Vec<String> = found.pages.iter().map(|page| page.address.clone()).collect();
        assert_eq!((&listed[..], &found.sitemaps[..]), (&owned(pages)[..], &owned(sitemaps)[..]), "{name}");
        assert_eq!(found.broken.is_some(), broken, "{name}: {:?}", found.broken);
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn sitemaps_are_read() {
        let xml = b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
            <url><loc> http://h/a?x=1&amp;y=2 </loc><image:image><image:loc>http://h/i.png</image:loc></image:image></url>\
            <url><loc><![CDATA[http://h/b]]></loc></url><url><loc>http://h/&#252;</loc></url></urlset>";
        check(xml, &["http://h/a?x=1&y=2", "http://h/b", "http://h/\u{fc}"], &[], false);
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(xml).unwrap();
        check(&encoder.finish().unwrap(), &["http://h/a?x=1&y=2", "http://h/b", "http://h/\u{fc}"], &[], false);
        check(
            b"<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>",
            &[],
            &["http://h/s.xml"],
            false,
        );
        check(b"\xEF\xBB\xBFhttp://h/a\r\nhttps://h/b\nnonsense\n", &["http://h/a", "https://h/b"], &[], false);
    }

    #[test]
    fn versions_in_other_languages_are_read_r_c8() {
        let xml = b"<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url>\n<loc>http://h/a</loc>\n\
            <xhtml:link rel='alternate' hreflang='es' href='http://h/es/a?x=1&amp;y=2'/></url>\n\
            <url><xhtml:link rel='alternate' hreflang='de' href='http://h/de/b'></xhtml:link><loc>http://h/b</loc></url></urlset>";
        let own = |tag: &str, address: &str| vec![(tag.to_owned(), address.to_owned())];
        let expected = [
            Listed { address: "http://h/a".into(), alternates: own("es", "http://h/es/a?x=1&y=2"), line: 3 },
            Listed { address: "http://h/b".into(), alternates: own("de", "http://h/de/b"), line: 5 },
        ];
        assert_eq!(parse(xml).pages, expected);
    }

    #[test]
    fn damaged_and_hostile_sitemaps_give_what_was_readable() {
        let cut = b"<urlset><url><loc>http://h/a</loc></url><url><loc>http://h/b</loc><loc <";
        check(cut, &["http://h/a", "http://h/b"], &[], true);
        check(b"\x1f\x8bnot gzip", &[], &[], true);
        check(
            b"<!DOCTYPE u [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>http://h/&x;a</loc></url></urlset>",
            &["http://h/a"],
            &[],
            false,
        );
        check(b"<html><body>not found</body></html>", &[], &[], false);
        check(b"", &[], &[], false);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_a_sitemap(start in "(<urlset>|<sitemapindex>|\x1f|)", rest in "(?s)(<url>|<loc>|</loc>|&amp;|&#x?[0-9]{1,9};|<!\\[CDATA\\[|.){0,40}") {
            let found = parse(format!("{start}{rest}").as_bytes());
            assert!(found.pages.iter().all(|page| !page.address.trim().is_empty()));
        }
    }
}
