//! What an entry of a sitemap says of its page beside the address: how often it changes, its weight, images, videos and news.
//!
//! Images, videos and news are written anew as XML with the usual prefixes, whatever the sitemap calls their namespaces. An element
//! that is too large, damaged or oddly named is left out as a whole.

use quick_xml::events::{BytesRef, BytesStart, Event};

use crate::model::SitemapEntry;

/// Bytes of images, videos and news that an entry may have. Google takes 1,000 images of a page.
const MOST_BYTES: usize = 64 << 10;

/// The longest name of an element or attribute in the namespaces of images, videos and news.
const LONGEST_NAME: usize = 64;

/// The longest date, frequency or weight that is kept.
const LONGEST_FIELD: usize = 40;

/// Elements of an entry that are kept as a whole; also the prefixes that they are written with.
const KINDS: [&str; 3] = ["image", "video", "news"];

/// Values of `changefreq` (sitemaps.org).
const FREQUENCIES: [&str; 7] = [
    "always", "hourly", "daily", "weekly", "monthly", "yearly", "never",
];

/// What an entry says of its page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SitemapDetails {
    changefreq: Option<Box<str>>,
    priority: Option<Box<str>>,
    images: Vec<Box<str>>,
    extensions: String,
}

impl SitemapDetails {
    /// Takes the text of `changefreq` or `priority`, if it means something.
    pub(super) fn set(&mut self, name: &str, text: &str) {
        match name {
            "changefreq" => {
                let known = FREQUENCIES
                    .into_iter()
                    .find(|known| known.eq_ignore_ascii_case(text));
                self.changefreq = known.map(Box::from);
            }
            "priority" if text.len() <= LONGEST_FIELD => {
                let is_weight = text
                    .parse::<f32>()
                    .is_ok_and(|weight| (0.0..=1.0).contains(&weight));
                self.priority = is_weight.then(|| text.into());
            }
            _ => {}
        }
    }

    /// Bytes that are kept of it.
    pub(super) fn size(&self) -> usize {
        self.extensions.len() + self.images.iter().map(|image| image.len()).sum::<usize>()
    }

    /// What it says, with the date of the last change.
    pub(super) fn into_entry(self, lastmod: Option<&str>) -> SitemapEntry {
        let is_date = |text: &&str| {
            text.len() <= LONGEST_FIELD
                && text
                    .get(..4)
                    .is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()))
        };
        SitemapEntry {
            lastmod: lastmod.filter(is_date).map(Box::from),
            changefreq: self.changefreq,
            priority: self.priority,
            images: self.images,
            is_only_news: self.extensions.contains("<news:news"),
            extensions: self.extensions.into(),
        }
    }
}

/// Reads the images, videos and news of entries.
#[derive(Debug, Default)]
pub(super) struct DetailReader {
    /// The names of the open elements, that of the image, video or news first.
    open: Vec<String>,
    kind: &'static str,
    xml: String,
    /// Text since the last tag.
    text: String,
    images: Vec<Box<str>>,
    /// True if the element is to be left out.
    is_spoilt: bool,
}

impl DetailReader {
    /// Takes the next event in an element with the name `parent`; adds to the details of the entry what it completes.
    pub(super) fn take(
        &mut self,
        event: &Event<'_>,
        parent: Option<&str>,
        details: &mut SitemapDetails,
    ) {
        match event {
            Event::Start(tag) if self.open.is_empty() => {
                let name = tag.local_name();
                let kind = KINDS
                    .into_iter()
                    .find(|kind| kind.as_bytes() == name.as_ref());
                if let Some(kind) = kind.filter(|_| parent == Some("url")) {
                    *self = Self {
                        kind,
                        ..Self::default()
                    };
                    self.begin(tag);
                }
            }
            _ if self.open.is_empty() => {}
            Event::Start(tag) => self.begin(tag),
            Event::Empty(tag) => {
                self.put_text();
                let name = self.put_tag(tag);
                self.xml.push_str("/>");
                self.is_spoilt |= !is_name(name.as_bytes());
            }
            Event::End(tag) => self.end(tag.local_name().as_ref(), details),
            Event::Text(part) => self.write(&String::from_utf8_lossy(part)),
            Event::CData(part) => self.write(&String::from_utf8_lossy(part)),
            Event::GeneralRef(name) => self.write(&reference(name)),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Eof => {}
        }
    }

    fn begin(&mut self, tag: &BytesStart<'_>) {
        self.put_text();
        let name = self.put_tag(tag);
        self.xml.push('>');
        self.is_spoilt |= !is_name(name.as_bytes());
        self.open.push(name);
    }

    /// Writes a tag up to its end; returns the name.
    fn put_tag(&mut self, tag: &BytesStart<'_>) -> String {
        let name = String::from_utf8_lossy(tag.local_name().as_ref()).into_owned();
        if self.is_full() {
            return name;
        }
        self.xml.push_str(&format!("<{}:{name}", self.kind));
        for attribute in tag.attributes().flatten() {
            let key = attribute.key.as_ref();
            // Prefixes and their declarations are ours.
            if key.contains(&b':') || key == b"xmlns" {
                continue;
            }
            let written = String::from_utf8_lossy(&attribute.value);
            let value = quick_xml::escape::unescape(&written)
                .map_or_else(|_| written.to_string(), |value| value.into());
            self.is_spoilt |= !is_name(key);
            self.xml.push_str(&format!(
                " {}=\"{}\"",
                String::from_utf8_lossy(key),
                escape(&value)
            ));
        }
        name
    }

    fn end(&mut self, name: &[u8], details: &mut SitemapDetails) {
        if self.open.len() == 2 && self.kind == "image" && name == b"loc" {
            self.images.extend(
                Some(self.text.trim())
                    .filter(|text| !text.is_empty())
                    .map(Box::from),
            );
        }
        self.put_text();
        let Some(open) = self.open.pop() else { return };
        self.is_spoilt |= open.as_bytes() != name;
        if !self.is_full() {
            self.xml.push_str(&format!("</{}:{open}>", self.kind));
        }
        if !self.open.is_empty() {
            return;
        }
        if !self.is_spoilt && details.extensions.len() + self.xml.len() <= MOST_BYTES {
            details.extensions.push_str(&self.xml);
            details.images.append(&mut self.images);
        }
        *self = Self::default();
    }

    fn write(&mut self, part: &str) {
        if !self.is_full() {
            self.text.push_str(part);
        }
    }

    fn put_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !self.is_full() {
            self.xml.push_str(&escape(text.trim()));
        }
    }

    /// True if the element is larger than what is kept, so that nothing is added to it.
    fn is_full(&mut self) -> bool {
        self.is_spoilt |= self.xml.len() + self.text.len() > MOST_BYTES;
        self.is_spoilt
    }
}

/// What a reference to a character stands for; nothing for entities that a document declares.
pub(super) fn reference(name: &BytesRef<'_>) -> String {
    let known = name
        .decode()
        .ok()
        .and_then(|name| quick_xml::escape::resolve_predefined_entity(&name));
    match (name.resolve_char_ref(), known) {
        (Ok(Some(letter)), _) => letter.to_string(),
        (_, Some(text)) => text.to_owned(),
        _ => String::new(),
    }
}

fn is_name(name: &[u8]) -> bool {
    name.len() <= LONGEST_NAME
        && name.first().is_some_and(u8::is_ascii_alphabetic)
        && name
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Escapes a text for XML, without characters that XML cannot hold.
fn escape(text: &str) -> String {
    let fits = |letter: &char| {
        matches!(letter, '\t' | '\n' | '\r' | ' '..) && !matches!(letter, '\u{fffe}' | '\u{ffff}')
    };
    let text: String = text.chars().filter(fits).collect();
    quick_xml::escape::escape(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::*;

    /// What is said in an entry of a sitemap.
    fn entry_of(xml: &str) -> SitemapEntry {
        let mut reader = Reader::from_str(xml);
        reader.config_mut().check_end_names = false;
        let mut open = Vec::new();
        let mut details = SitemapDetails::default();
        let mut elements = DetailReader::default();
        let mut lastmod = None;
        while let Ok(event) = reader.read_event() {
            elements.take(&event, open.last().map(String::as_str), &mut details);
            match event {
                Event::Eof => break,
                Event::Start(tag) => {
                    open.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned())
                }
                Event::End(_) => drop(open.pop()),
                Event::Text(text) if open.len() == 2 => {
                    let text = String::from_utf8_lossy(&text).trim().to_owned();
                    details.set(&open[1], &text);
                    lastmod = if open[1] == "lastmod" {
                        Some(text)
                    } else {
                        lastmod
                    };
                }
                _ => {}
            }
        }
        details.into_entry(lastmod.as_deref())
    }

    #[track_caller]
    fn check(inner: &str, expected: SitemapEntry) {
        assert_eq!(
            entry_of(&format!("<url>{inner}</url>")),
            expected,
            "{inner}"
        );
    }

    fn extensions(xml: &str, images: &[&str]) -> SitemapEntry {
        let images = images.iter().map(|image| (*image).into()).collect();
        SitemapEntry {
            extensions: xml.into(),
            images,
            ..SitemapEntry::default()
        }
    }

    #[test]
    fn fields_are_kept_if_they_mean_something_r_s4() {
        let said = SitemapEntry {
            lastmod: Some("2024-05".into()),
            changefreq: Some("daily".into()),
            priority: Some("0.80".into()),
            ..SitemapEntry::default()
        };
        check(
            "<lastmod> 2024-05 </lastmod><changefreq>Daily</changefreq><priority>0.80</priority>",
            said,
        );
        let nonsense =
            "<lastmod>soon</lastmod><changefreq>often</changefreq><priority>7</priority>";
        check(nonsense, SitemapEntry::default());
    }

    #[test]
    fn images_videos_and_news_are_written_with_the_usual_prefixes_r_s4() {
        check(
            "<i:image xmlns:i='x'>\n <i:loc> http://h/a.png?x=1&amp;y=2 </i:loc><i:title><![CDATA[A < B]]></i:title></i:image>\
             <i:image><i:loc>/b.png</i:loc></i:image>",
            extensions(
                "<image:image><image:loc>http://h/a.png?x=1&amp;y=2</image:loc><image:title>A &lt; B</image:title></image:image>\
                 <image:image><image:loc>/b.png</image:loc></image:image>",
                &["http://h/a.png?x=1&y=2", "/b.png"],
            ),
        );
        check(
            "<video:video><video:price currency='EUR'>1</video:price><video:x a=\"&quot;&lt;\"/></video:video>",
            extensions(
                "<video:video><video:price currency=\"EUR\">1</video:price><video:x a=\"&quot;&lt;\"/></video:video>",
                &[],
            ),
        );
        let news = extensions("<news:news><news:title>Bread</news:title></news:news>", &[]);
        check(
            "<n:news><n:title>Bre&#1;ad</n:title></n:news>",
            SitemapEntry {
                is_only_news: true,
                ..news
            },
        );
    }

    #[test]
    fn what_is_damaged_or_too_large_is_left_out_as_a_whole_r_s4() {
        let good = "<image:image><image:loc>/b.png</image:loc></image:image>";
        let large = format!(
            "<image:image><image:loc>{}</image:loc></image:image>",
            "x".repeat(MOST_BYTES)
        );
        let many = "<video:video><video:tag a='1'/></video:video>".repeat(10_000);
        for bad in [
            large.as_str(),
            "<image:image><image:l\u{f6}c>/a</image:l\u{f6}c></image:image>",
            "<image:image><image:loc>/a</image:title></image:image>",
            "<image:image/>",
            "<pagemap><image><loc>/a</loc></image></pagemap>",
        ] {
            check(&format!("{bad}{good}"), extensions(good, &["/b.png"]));
        }
        assert!(entry_of(&format!("<url>{many}</url>")).extensions.len() <= MOST_BYTES);
    }
}
