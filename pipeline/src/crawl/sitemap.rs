//! Sitemaps: XML, plain lists, indexes of them, and all of these in gzip; with the versions in other languages that
//! they name.
//!
//! Entities that a document declares are never expanded. A damaged sitemap gives what was read before the damage.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

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
    /// When it changed last, as written.
    pub(crate) lastmod: Option<String>,
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
    let listed = |(line, text): (usize, &str)| Listed { address: text.to_owned(), line, ..Listed::default() };
    Sitemap { pages: lines.map(listed).collect(), ..Sitemap::default() }
}

/// Collects each `loc` that stands directly in a `url` or `sitemap`, and each `lastmod` in a `url`; those of images and videos do not.
fn parse_xml(text: &str) -> Sitemap {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut found = Sitemap::default();
    let mut open: Vec<String> = Vec::new();
    let mut written = String::new();
    let mut page = Listed::default();
    let mut lines = Lines { text, at: 0, line: 1 };
    loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => event,
            Err(error) => {
                found.broken = Some(error.to_string());
                break;
            }
        };
        let is_in = |name: &str| open.last().is_some_and(|open| open == name);
        let (in_loc, in_lastmod) = (is_in("loc"), is_in("lastmod"));
        let is_read = in_loc || in_lastmod;
        match event {
            Event::Start(tag) => {
                written.clear();
                page.alternates.extend(alternate(&tag));
                open.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
            }
            Event::End(_) => {
                let text = written.trim();
                let parent = open.len().checked_sub(2).and_then(|at| open.get(at)).map(String::as_str);
                match parent.filter(|_| !text.is_empty()) {
                    Some("url") if in_loc => {
                        page.address = text.to_owned();
                        page.line = lines.at(reader.buffer_position());
                    }
                    Some("url") if in_lastmod => page.lastmod = Some(text.to_owned()),
                    Some("sitemap") if in_loc => found.sitemaps.push(text.to_owned()),
                    _ => {}
                }
                if open.pop().is_some_and(|name| name == "url") {
                    let page = std::mem::take(&mut page);
                    found.pages.extend(Some(page).filter(|page| !page.address.is_empty()));
                }
            }
            Event::Empty(tag) => page.alternates.extend(alternate(&tag)),
            Event::Text(part) if is_read => written.push_str(&part.decode().unwrap_or_default()),
            Event::CData(part) if is_read => written.push_str(&part.decode().unwrap_or_default()),
            Event::GeneralRef(name) if is_read => written.push_str(&reference(&name)),
            Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::Eof => {}
        }
    }
    found.pages.extend(Some(page).filter(|page| !page.address.is_empty()));
    found
}

/// What a reference to a character stands for; nothing for entities that a document declares.
fn reference(name: &BytesRef<'_>) -> String {
    let known = name.decode().ok().and_then(|name| quick_xml::escape::resolve_predefined_entity(&name));
    match (name.resolve_char_ref(), known) {
        (Ok(Some(letter)), _) => letter.to_string(),
        (_, Some(text)) => text.to_owned(),
        _ => String::new(),
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
            Listed {
                address: "http://h/a".into(),
                alternates: own("es", "http://h/es/a?x=1&y=2"),
                line: 3,
                lastmod: None,
            },
            Listed { address: "http://h/b".into(), alternates: own("de", "http://h/de/b"), line: 5, lastmod: None },
        ];
        assert_eq!(parse(xml).pages, expected);
    }

    #[test]
    fn what_a_sitemap_says_of_changes_is_of_the_page_that_it_stands_with() {
        let xml =
            b"<urlset><url><lastmod> 2026-11-25 </lastmod><loc>http://h/a</loc></url><url><loc>http://h/b</loc></url>\
            <url><loc>http://h/c</loc><lastmod><![CDATA[2026-11-25T10:00:00]]>&#43;01:00</lastmod>\
            <video:video><lastmod>2020-01-01</lastmod></video:video></url>\
            <url><loc>http://h/d</loc><lastmod/><lastmod> </lastmod></url></urlset>";
        let found = parse(xml);
        let said: Vec<_> = found.pages.iter().map(|page| page.lastmod.as_deref()).collect();
        assert_eq!(said, [Some("2026-11-25"), None, Some("2026-11-25T10:00:00+01:00"), None]);
        let index =
            b"<sitemapindex><sitemap><loc>http://h/s.xml</loc><lastmod>2026-11-25</lastmod></sitemap></sitemapindex>";
        assert_eq!((parse(index).pages, parse(index).sitemaps), (Vec::new(), owned(&["http://h/s.xml"])));
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
