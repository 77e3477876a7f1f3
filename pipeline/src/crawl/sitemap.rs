//! Sitemaps: XML, plain lists, indexes of them, and all of these in gzip; with the versions in other languages that
//! they name.
//!
//! Sitemaps are read as streams: each entry is handed on and forgotten, and the receiver says when it is enough. The content of an
//! entry and the depth of elements are bounded. Entities that a document declares are never expanded. A damaged sitemap gives the
//! entries before the damage.

use std::io::{self, BufRead, Read};
use std::ops::ControlFlow;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::room::{AddressBudget, LONGEST_ADDRESS};
use super::sitemap_details::{DetailReader, SitemapDetails, reference};
use crate::model::SitemapEntry;
use crate::net::unpack;

/// The largest sitemap that is read, decompressed: what sitemaps.org allows.
pub(super) const LIMIT: usize = 50 << 20;

/// Sitemaps read per site.
pub(crate) const MOST_SITEMAPS: usize = 500;

/// More versions than any page has.
const MOST_ALTERNATES: usize = 1_000;

/// The longest tag of a language that is kept; RFC 5646 has none that is longer than 35 characters.
const LONGEST_TAG: usize = 100;

/// More elements inside each other than any sitemap has.
const DEEPEST: usize = 64;

/// What a sitemap lists, as written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sitemap {
    pub(crate) pages: Vec<ListedPage>,
    pub(crate) sitemaps: Vec<String>,
    /// Why reading stopped before the end.
    pub(crate) broken: Option<String>,
    /// True if entries were left out for lack of room.
    pub(crate) cut: bool,
}

/// A page that a sitemap lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListedPage {
    pub(crate) address: String,
    /// Its versions: language tag and address.
    pub(crate) alternates: Vec<(String, String)>,
    /// The line on which its address ends.
    pub(crate) line: usize,
    /// When it changed last, as written.
    pub(crate) lastmod: Option<String>,
    /// What else is said of it, if that was asked for.
    pub(crate) details: Option<Box<SitemapDetails>>,
}

impl ListedPage {
    /// Bytes that its details take.
    pub(super) fn size_of_details(&self) -> usize {
        self.details.as_ref().map_or(0, |details| details.size())
    }

    /// What is said of the page.
    pub(crate) fn into_entry(self) -> SitemapEntry {
        let details = self.details.map(|details| *details).unwrap_or_default();
        details.into_entry(self.lastmod.as_deref())
    }
}

/// An entry of a sitemap.
#[derive(Debug)]
pub(crate) enum SitemapItem {
    Page(ListedPage),
    /// The address of another sitemap.
    Sitemap(String),
}

/// The receiver's answer: continue or stop.
pub(crate) type Flow = ControlFlow<()>;

/// Reads a sitemap as far as there is room for what it lists.
pub(crate) fn collect(body: &[u8], room: &mut AddressBudget) -> Sitemap {
    let mut found = Sitemap::default();
    found.broken = read(body, SitemapDepth::Addresses, |item| {
        let fits = match &item {
            SitemapItem::Page(page) => {
                let mut versions = page.alternates.iter();
                room.take(page.address.len())
                    && versions.all(|(tag, address)| room.take(tag.len() + address.len()))
            }
            SitemapItem::Sitemap(address) => {
                found.sitemaps.len() < MOST_SITEMAPS && room.take(address.len())
            }
        };
        if !fits {
            found.cut = true;
            return Flow::Break(());
        }
        match item {
            SitemapItem::Page(page) => found.pages.push(page),
            SitemapItem::Sitemap(address) => found.sitemaps.push(address),
        }
        Flow::Continue(())
    });
    found
}

/// What is read of each entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SitemapDepth {
    Addresses,
    Details,
}

/// Hands on the entries of a sitemap in order, with everything that is said of the pages. Says why it stopped before the end.
pub(crate) fn read_entries(body: &[u8], each: impl FnMut(SitemapItem) -> Flow) -> Option<String> {
    read(body, SitemapDepth::Details, each)
}

/// Hands on the entries of a sitemap in order. Says why it stopped, where that was neither the end nor the receiver's wish.
pub(super) fn read(
    body: &[u8],
    wanted: SitemapDepth,
    each: impl FnMut(SitemapItem) -> Flow,
) -> Option<String> {
    if body.starts_with(b"\x1f\x8b") {
        return read_plain(unpack(body, LIMIT), wanted, each);
    }
    read_plain(body, wanted, each)
}

fn read_plain(
    body: impl BufRead,
    wanted: SitemapDepth,
    each: impl FnMut(SitemapItem) -> Flow,
) -> Option<String> {
    let mut body = LineCounter { body, line: 1 };
    let is_xml = match body.is_xml() {
        Ok(is_xml) => is_xml,
        Err(error) => return Some(error.to_string()),
    };
    if is_xml {
        read_xml(body, wanted, each)
    } else {
        read_list(body, each)
    }
}

fn read_list(
    mut body: LineCounter<impl BufRead>,
    mut each: impl FnMut(SitemapItem) -> Flow,
) -> Option<String> {
    let mut text = Vec::new();
    loop {
        let line = body.line;
        match body.next_line(&mut text) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(error) => return Some(error.to_string()),
        }
        let text = String::from_utf8_lossy(&text);
        let address = text.trim();
        if (address.starts_with("http://") || address.starts_with("https://"))
            && address.len() <= LONGEST_ADDRESS
        {
            let page = ListedPage {
                address: address.to_owned(),
                line,
                ..ListedPage::default()
            };
            if each(SitemapItem::Page(page)).is_break() {
                return None;
            }
        }
    }
}

/// Hands on each `loc` that stands directly in a `url` or `sitemap`, with the `lastmod` of a `url`; those of images and videos do not
/// count.
fn read_xml(
    body: LineCounter<impl BufRead>,
    wanted: SitemapDepth,
    mut each: impl FnMut(SitemapItem) -> Flow,
) -> Option<String> {
    let mut reader = Reader::from_reader(body);
    reader.config_mut().check_end_names = false;
    let mut buffer = Vec::new();
    let mut entry = EntryReader {
        wants_details: wanted == SitemapDepth::Details,
        ..EntryReader::default()
    };
    loop {
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(Event::Eof) => break,
            Ok(event) => event,
            Err(error) => {
                entry.finish().map(&mut each);
                return Some(error.to_string());
            }
        };
        if matches!(event, Event::Start(_)) && entry.open.len() >= DEEPEST {
            return Some(format!(
                "more than {DEEPEST} elements lie inside each other"
            ));
        }
        let line = reader.get_ref().line;
        if entry
            .take(event, line)
            .map(&mut each)
            .is_some_and(|flow| flow.is_break())
        {
            return None;
        }
    }
    entry.finish().map(&mut each);
    None
}

/// Elements whose text is read.
const FIELDS: [&str; 4] = ["loc", "lastmod", "changefreq", "priority"];

/// State of the entry that is being read.
#[derive(Default)]
struct EntryReader {
    open: Vec<String>,
    written: String,
    page: ListedPage,
    wants_details: bool,
    details: DetailReader,
}

impl EntryReader {
    /// Takes the next event, which ends on a line; gives the entry that it completes.
    fn take(&mut self, event: Event<'_>, line: usize) -> Option<SitemapItem> {
        if self.wants_details {
            let parent = self.open.last().map(String::as_str);
            self.details
                .take(&event, parent, self.page.details.get_or_insert_default());
        }
        let is_read = self
            .open
            .last()
            .is_some_and(|open| FIELDS.contains(&open.as_str()));
        match event {
            Event::Start(tag) => {
                self.written.clear();
                self.add_alternate(&tag);
                self.open
                    .push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
            }
            Event::End(_) => return self.end(line),
            Event::Empty(tag) => self.add_alternate(&tag),
            Event::Text(part) if is_read => self.write(&String::from_utf8_lossy(&part)),
            Event::CData(part) if is_read => self.write(&String::from_utf8_lossy(&part)),
            Event::GeneralRef(name) if is_read => self.write(&reference(&name)),
            Event::Text(_)
            | Event::CData(_)
            | Event::GeneralRef(_)
            | Event::Comment(_)
            | Event::Decl(_)
            | Event::PI(_)
            | Event::DocType(_)
            | Event::Eof => {}
        }
        None
    }

    fn end(&mut self, line: usize) -> Option<SitemapItem> {
        let text = self.written.trim();
        let is_kept = !text.is_empty() && text.len() <= LONGEST_ADDRESS;
        let parent = self
            .open
            .len()
            .checked_sub(2)
            .and_then(|at| self.open.get(at))
            .map(String::as_str);
        let mut item = None;
        let name = self.open.last().map(String::as_str).unwrap_or_default();
        match (parent.filter(|_| is_kept), name) {
            (Some("url"), "loc") => {
                self.page.address = text.to_owned();
                self.page.line = line;
            }
            (Some("url"), "lastmod") => self.page.lastmod = Some(text.to_owned()),
            (Some("url"), name) => self
                .page
                .details
                .iter_mut()
                .for_each(|details| details.set(name, text)),
            (Some("sitemap"), "loc") => item = Some(SitemapItem::Sitemap(text.to_owned())),
            _ => {}
        }
        if self.open.pop().is_some_and(|name| name == "url") {
            item = self.finish();
        }
        item
    }

    /// Gives the page that was read last, where it has an address.
    fn finish(&mut self) -> Option<SitemapItem> {
        let page = std::mem::take(&mut self.page);
        Some(page)
            .filter(|page| !page.address.is_empty())
            .map(SitemapItem::Page)
    }

    /// Adds to a text as far as it can be an address; what is longer is kept one byte too long, so that it shows.
    fn write(&mut self, part: &str) {
        // White space around an address does not count.
        let part = if self.written.is_empty() {
            part.trim_start()
        } else {
            part
        };
        for letter in part
            .chars()
            .take((LONGEST_ADDRESS + 1).saturating_sub(self.written.len()))
        {
            self.written.push(letter);
        }
    }

    fn add_alternate(&mut self, tag: &BytesStart<'_>) {
        let alternate = alternate(tag)
            .filter(|(tag, address)| tag.len() <= LONGEST_TAG && address.len() <= LONGEST_ADDRESS);
        if self.page.alternates.len() < MOST_ALTERNATES {
            self.page.alternates.extend(alternate);
        }
    }
}

/// The version in another language that an `xhtml:link` names.
fn alternate(tag: &BytesStart<'_>) -> Option<(String, String)> {
    if tag.local_name().as_ref() != b"link" {
        return None;
    }
    let value = |name: &[u8]| {
        let attribute = tag
            .attributes()
            .flatten()
            .find(|attribute| attribute.key.local_name().as_ref() == name)?;
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        Some(
            quick_xml::escape::unescape(&value)
                .map_or_else(|_| value.clone(), |plain| plain.into_owned()),
        )
    };
    Some((
        value(b"hreflang")?.trim().to_owned(),
        value(b"href")?.trim().to_owned(),
    ))
}

/// A stream that counts its lines as they are read.
struct LineCounter<B> {
    body: B,
    /// The line on which the next byte stands, from 1 on.
    line: usize,
}

impl<B: BufRead> LineCounter<B> {
    /// Skips a byte order mark and white space. Returns true if XML follows.
    fn is_xml(&mut self) -> io::Result<bool> {
        for mark in b"\xEF\xBB\xBF" {
            if self.fill_buf()?.first() != Some(mark) {
                break;
            }
            self.consume(1);
        }
        while self
            .fill_buf()?
            .first()
            .is_some_and(u8::is_ascii_whitespace)
        {
            self.consume(1);
        }
        Ok(self.fill_buf()?.first() == Some(&b'<'))
    }

    /// Reads a line without its end, and of a long one only the beginning; `false` at the end.
    fn next_line(&mut self, text: &mut Vec<u8>) -> io::Result<bool> {
        text.clear();
        let begun = self.line;
        loop {
            let bytes = self.fill_buf()?;
            if bytes.is_empty() {
                return Ok(!text.is_empty());
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
            let room = (LONGEST_ADDRESS + 2).saturating_sub(text.len());
            text.extend_from_slice(part.get(..room).unwrap_or(part));
            let length = part.len() + usize::from(end.is_some());
            self.consume(length);
            if self.line > begun {
                return Ok(true);
            }
        }
    }
}

impl<B: BufRead> Read for LineCounter<B> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl<B: BufRead> BufRead for LineCounter<B> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.body.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        if let Ok(bytes) = self.body.fill_buf() {
            self.line += bytes
                .iter()
                .take(count)
                .filter(|byte| **byte == b'\n')
                .count();
        }
        self.body.consume(count);
    }
}

#[cfg(test)]
mod tests;
