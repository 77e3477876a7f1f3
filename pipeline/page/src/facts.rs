//! What an audit wants to know about a page, read once, with the line of each fact.
//!
//! Beside what a crawler wants ([`super::find_links`]) these are the language that the page claims, what its head says
//! of other versions, and its texts. Nothing is judged here, and what is written wrongly is kept as it is written.

use std::ops::Range;
use std::sync::Arc;

use crate::document::PageFormat;
use crate::find::language_links::LanguageLinks;
use crate::find::link_place::LinkPlace;
use crate::find::links;
use crate::find::unit::TextUnit;
use crate::find::walk::{self, TokenizedPage};
use crate::form::MarkupForm;
use crate::head::places::is_page;
use crate::html::limits::LARGEST;
use crate::html::rules::Rules;
use crate::html::scan::ends_head;
use crate::html::space::{collapse, is_space};
use crate::html::tokens::{PageToken, PageTokens, StartTag, TextKind, TokenKind};
use crate::parse::{cut, decode};
use crate::robots::RobotsRules;
use crate::{Direction, Locale};

/// Something that a page says, and on which line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatedText {
    /// What it says, character references decoded, without white space around it.
    pub text: String,
    /// The line, from 1 on.
    pub line: usize,
}

/// A version of a page in another language, as its head names it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlternateLink {
    /// The value of `hreflang`.
    pub tag: String,
    /// The address, as written.
    pub address: String,
    /// The line, from 1 on.
    pub line: usize,
    /// Whether it stands behind the head, where search engines pass it over (R-C7).
    pub is_outside_head: bool,
}

/// A link and what it says of where it leads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkFact {
    /// The address as written, white space trimmed.
    pub address: String,
    /// The element's name in lower case.
    pub element: String,
    /// The attribute's name in lower case; `url`, `file` or `id` in JSON-LD, microdata and `<meta>` elements.
    pub attribute: String,
    /// The element's `rel` tokens in lower case.
    pub rel: Arc<[String]>,
    /// The value of `hreflang`.
    pub hreflang: Option<String>,
    /// The value of `lang`.
    pub lang: Option<String>,
    /// The language that it names as an entry of a language menu.
    pub language: Option<Locale>,
    /// The words of an `<a>`.
    pub text: String,
    /// The line, from 1 on.
    pub line: usize,
}

/// What an audit wants to know about a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageFacts {
    /// The language that `<html lang>` claims.
    pub lang: Option<StatedText>,
    /// Form of its source.
    pub form: MarkupForm,
    /// The direction that `<html dir>` says, or else `<body dir>`.
    pub dir: Option<StatedText>,
    /// The first `<base href>`, as written.
    pub base: Option<String>,
    /// The addresses of `<link rel=canonical>`.
    pub canonical: Vec<StatedText>,
    /// The versions that `<link rel=alternate hreflang>` names.
    pub alternates: Vec<AlternateLink>,
    /// Line of the `<meta name=robots>` or `<meta name=googlebot>` that says `noindex` (or `none`).
    pub noindex: Option<usize>,
    /// The first `og:locale`.
    pub og_locale: Option<StatedText>,
    /// Every link, in order.
    pub links: Vec<LinkFact>,
    /// The texts that are in the page's own language, if what it claims is true: nothing that is code, not to be
    /// translated or marked as another language. None without a valid claim.
    pub texts: Vec<StatedText>,
    /// Style sheets in the page and values of `style` attributes; empty unless the page's language is written from
    /// right to left.
    pub styles: Vec<StatedText>,
    /// In how many places the bytes make no sense in the page's encoding.
    pub broken_places: usize,
    /// The name of the encoding in which browsers read the page.
    pub encoding: &'static str,
}

/// Reads the facts of a page; `charset` is what the HTTP header declared. Of a page beyond [`LARGEST`] nothing is read.
pub fn read_facts(format: PageFormat, html: &[u8], charset: Option<&str>) -> PageFacts {
    let decoded = decode(format, html, charset);
    if decoded.html.len() > LARGEST {
        return PageFacts::default();
    }
    let source = &decoded.html[..];
    let tokens = cut(format, source, &Rules::default());
    let reader = FactReader {
        source,
        tokens: &tokens,
        lines: LineEnds::of(source),
    };
    let mut facts = PageFacts {
        broken_places: decoded.broken,
        encoding: decoded.encoding.name(),
        ..PageFacts::default()
    };
    facts.form = MarkupForm::of(format, source, &tokens);
    reader.elements(&mut facts);
    facts.base = links::base(source, &tokens);
    let claimed = facts
        .lang
        .as_ref()
        .and_then(|lang| Locale::parse(&lang.text).ok());
    let languages = claimed
        .as_ref()
        .map(|locale| LanguageLinks::find(source, &tokens, locale))
        .unwrap_or_default();
    facts.links = reader.links(links::find(source, &tokens, &languages, decoded.encoding));
    if claimed
        .as_ref()
        .is_some_and(|locale| locale.direction() == Direction::Rtl)
    {
        facts.styles = reader.styles();
    }
    facts.texts = claimed
        .map(|locale| reader.texts(&locale, &languages))
        .unwrap_or_default();
    facts
}

struct FactReader<'a> {
    source: &'a [u8],
    tokens: &'a PageTokens,
    lines: LineEnds,
}

impl FactReader<'_> {
    fn elements(&self, facts: &mut PageFacts) {
        let mut in_body = false;
        let mut apart = 0_usize;
        for token in self.tokens.iter() {
            match &token.kind {
                TokenKind::Start(tag) if matches!(&*tag.name, "template" | "noscript") => {
                    apart += 1
                }
                TokenKind::End(name) if matches!(&**name, "template" | "noscript") => {
                    apart = apart.saturating_sub(1)
                }
                TokenKind::Start(tag) if apart == 0 => {
                    in_body |= !tag.name.is_early() || matches!(&*tag.name, "body" | "frameset");
                    self.element(&token, tag, in_body, facts);
                }
                TokenKind::Text(TextKind::Data) if apart == 0 => {
                    in_body |= ends_head(self.source, &token.range);
                }
                TokenKind::Start(_)
                | TokenKind::End(_)
                | TokenKind::Text(_)
                | TokenKind::Comment
                | TokenKind::Doctype => {}
            }
        }
    }

    fn element(
        &self,
        token: &PageToken<'_>,
        tag: &StartTag<'_>,
        in_body: bool,
        facts: &mut PageFacts,
    ) {
        let line = self.lines.of_byte(token.range.start);
        let value = |name: &str| {
            tag.value(self.source, name)
                .map(|value| value.trim().to_owned())
        };
        let said = |text: String| StatedText { text, line };
        match &*tag.name {
            "html" => {
                facts.lang = facts.lang.take().or_else(|| value("lang").map(said));
                facts.dir = facts.dir.take().or_else(|| value("dir").map(said));
            }
            "body" => facts.dir = facts.dir.take().or_else(|| value("dir").map(said)),
            "link" => {
                let rel = links::rel(self.source, tag);
                let address = value("href").unwrap_or_default();
                if rel.iter().any(|word| word == "canonical") && !address.is_empty() {
                    facts.canonical.push(said(address));
                } else if rel.iter().any(|word| word == "alternate")
                    && let Some(tag) = value("hreflang").filter(|_| is_page(self.source, tag))
                {
                    facts.alternates.push(AlternateLink {
                        tag,
                        address,
                        line,
                        is_outside_head: in_body,
                    });
                }
            }
            "meta"
                if value("property").is_some_and(|name| name.eq_ignore_ascii_case("og:locale")) =>
            {
                facts.og_locale = facts
                    .og_locale
                    .take()
                    .or_else(|| value("content").map(said));
            }
            "meta" if value("name").is_some() => {
                let says = RobotsRules::of_crawler(
                    value("name").as_deref(),
                    &value("content").unwrap_or_default(),
                );
                facts.noindex = facts.noindex.or(says.noindex.then_some(line));
            }
            _ => {}
        }
    }

    fn links(&self, places: Vec<LinkPlace>) -> Vec<LinkFact> {
        let anchors: Vec<(usize, Range<usize>, StartTag<'_>)> = (0..)
            .zip(self.tokens.iter())
            .filter_map(|(index, token)| match token.kind {
                TokenKind::Start(tag) if matches!(&*tag.name, "a" | "area" | "link") => {
                    Some((index, token.range, tag))
                }
                _ => None,
            })
            .collect();
        let fact = |place: LinkPlace| {
            let mut fact = LinkFact {
                line: self.lines.of_byte(place.range.start),
                address: place.address(self.source).to_owned(),
                element: place.element.to_string(),
                attribute: place.attribute.to_owned(),
                rel: place.rel,
                language: place.language,
                ..LinkFact::default()
            };
            let before = anchors.partition_point(|(_, range, _)| range.start <= place.range.start);
            let anchor = before.checked_sub(1).and_then(|at| anchors.get(at));
            if let Some((index, _, tag)) =
                anchor.filter(|(_, range, _)| range.contains(&place.range.start))
            {
                let value = |name: &str| {
                    tag.value(self.source, name)
                        .map(|value| value.trim().to_owned())
                };
                fact.hreflang = value("hreflang");
                fact.lang = value("lang");
                fact.text = self.words_after(*index);
            }
            fact
        };
        places.into_iter().map(fact).collect()
    }

    /// The words of an `<a>`, as far as they tell what kind of link it is.
    fn words_after(&self, index: usize) -> String {
        const FAR: usize = 12;
        // Names of languages are short, and one link may be asked for many times.
        const LONG: usize = 400;
        let mut words = String::new();
        for token in self.tokens.from(index + 1).take(FAR) {
            match &token.kind {
                TokenKind::End(name) if &**name == "a" => break,
                TokenKind::Text(TextKind::Data) => {
                    let end = token.range.end.min(token.range.start + LONG);
                    let raw = String::from_utf8_lossy(&self.source[token.range.start..end]);
                    words.push_str(&htmlize::unescape(raw));
                }
                TokenKind::Start(_)
                | TokenKind::End(_)
                | TokenKind::Text(_)
                | TokenKind::Comment
                | TokenKind::Doctype => {}
            }
        }
        collapse(words.into()).trim_matches(is_space).to_owned()
    }

    fn styles(&self) -> Vec<StatedText> {
        let mut styles = Vec::new();
        let mut in_style = false;
        for token in self.tokens.iter() {
            let line = self.lines.of_byte(token.range.start);
            match &token.kind {
                TokenKind::Start(tag) => {
                    in_style = &*tag.name == "style";
                    styles.extend(tag.value(self.source, "style").map(|text| StatedText {
                        text: text.to_string(),
                        line,
                    }));
                }
                TokenKind::Text(_) if in_style => {
                    let text =
                        String::from_utf8_lossy(&self.source[token.range.clone()]).into_owned();
                    styles.push(StatedText { text, line });
                }
                TokenKind::End(_) => in_style = false,
                TokenKind::Text(_) | TokenKind::Comment | TokenKind::Doctype => {}
            }
        }
        styles
    }

    fn texts(&self, locale: &Locale, languages: &LanguageLinks) -> Vec<StatedText> {
        let found = walk::find(
            &TokenizedPage {
                source: self.source,
                tokens: self.tokens,
                languages,
            },
            locale,
            false,
        );
        let said = |unit: &TextUnit| StatedText {
            line: self.lines.of_byte(unit.start(&found.parts)),
            text: unit.segment(self.source, &found.parts).text.into_text(),
        };
        found.units.iter().map(said).collect()
    }
}

/// Where the lines of a page end.
struct LineEnds(Vec<usize>);

impl LineEnds {
    fn of(source: &[u8]) -> Self {
        let ends = source
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        Self(ends.map(|(at, _)| at).collect())
    }

    fn of_byte(&self, at: usize) -> usize {
        self.0.partition_point(|end| *end < at) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_have_lines() {
        let html = b"<!DOCTYPE html>\n<html lang=es dir=ltr>\n<link rel=canonical href=/a>\n\
            <link rel=alternate hreflang=en href='/b&amp;c'>\n<meta name=robots content='noindex, follow'>\n\
            <meta property=og:locale content=es_ES>\n<p>Hola\n<a hreflang=en lang=en href=/en>In <b>English</b></a>\n\
            <link rel=alternate hreflang=de href=/de><p lang=en>Not mine</p><p>T\xc3\xba";
        let facts = read_facts(PageFormat::Html, html, None);
        let said = |text: &str, line| {
            Some(StatedText {
                text: text.into(),
                line,
            })
        };
        assert_eq!(
            (facts.lang, facts.dir, facts.noindex),
            (said("es", 2), said("ltr", 2), Some(5))
        );
        assert_eq!(
            (facts.canonical.first().cloned(), facts.og_locale),
            (said("/a", 3), said("es_ES", 6))
        );
        let tags: Vec<_> = facts
            .alternates
            .iter()
            .map(|one| (&*one.tag, &*one.address, one.is_outside_head))
            .collect();
        assert_eq!(tags, [("en", "/b&c", false), ("de", "/de", true)]);
        let link = facts.links.iter().find(|link| link.element == "a").unwrap();
        assert_eq!(
            (link.hreflang.as_deref(), &*link.text, link.line),
            (Some("en"), "In English", 8)
        );
        let texts: Vec<_> = facts
            .texts
            .iter()
            .map(|text| (&*text.text, text.line))
            .collect();
        assert_eq!(
            texts
                .first()
                .map(|(text, line)| (text.starts_with("Hola"), *line)),
            Some((true, 7))
        );
        assert_eq!(texts.last(), Some(&("Tú", 9)));
    }

    #[test]
    fn what_scripts_replace_does_not_end_the_head() {
        let html = b"<html lang=en><head><noscript><img src=x></noscript><link rel=alternate hreflang=es href=/es>";
        let facts = read_facts(PageFormat::Html, html, None);
        assert_eq!(
            facts
                .alternates
                .iter()
                .map(|one| one.is_outside_head)
                .collect::<Vec<_>>(),
            [false]
        );
    }
}
