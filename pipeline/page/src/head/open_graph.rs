//! Open Graph: the address and the languages that a page tells those who share it.

use std::ops::Range;

use super::value::{quoted, with_indent};
use crate::Locale;
use crate::edits::SourceEdits;
use crate::html::tokens::{PageToken, StartTag};
use crate::html::writing::write_attribute;

/// The places of a page's Open Graph properties.
#[derive(Debug, Default)]
pub(crate) struct OpenGraph {
    urls: Vec<(Range<usize>, Option<u8>)>,
    locale: Option<OgLocale>,
    alternates: Vec<Range<usize>>,
}

/// The language of a page (`og:locale`).
#[derive(Debug)]
struct OgLocale {
    range: Range<usize>,
    quote: Option<u8>,
    value: String,
    /// Byte after its tag.
    end: usize,
}

impl OpenGraph {
    pub(super) fn note(
        &mut self,
        source: &[u8],
        token: &PageToken<'_>,
        tag: &StartTag<'_>,
        property: &str,
    ) {
        let content = tag
            .attribute("content")
            .and_then(|content| quoted(source, content));
        match (property, content) {
            ("og:url", content) => self.urls.extend(content),
            ("og:locale", Some((range, quote))) if self.locale.is_none() => {
                let value = tag
                    .value(source, "content")
                    .unwrap_or_default()
                    .into_owned();
                self.locale = Some(OgLocale {
                    range,
                    quote,
                    value,
                    end: token.range.end,
                });
            }
            ("og:locale:alternate", _) => self.alternates.push(with_indent(source, &token.range)),
            _ => {}
        }
    }

    /// Writes the canonical address in the place of the page's own.
    pub(super) fn set_url(&self, canonical: &str, edits: &mut SourceEdits) {
        for (range, quote) in &self.urls {
            edits.replace(range.clone(), &write_attribute(canonical, *quote));
        }
    }

    /// Tells those who share the page its language and the others there are, if the source does (R-B8).
    pub(crate) fn share(
        &self,
        source: &Locale,
        target: Option<&Locale>,
        alternates: &[(String, String)],
        edits: &mut SourceEdits,
    ) {
        let Some(og) = self
            .locale
            .as_ref()
            .filter(|_| target.is_some() || !alternates.is_empty())
        else {
            return;
        };
        let spelled = |locale: &Locale| match locale.open_graph() {
            own if own == source.open_graph() => og.value.clone(),
            other => other,
        };
        let own = spelled(target.unwrap_or(source));
        edits.replace(og.range.clone(), &write_attribute(&own, og.quote));
        self.alternates
            .iter()
            .for_each(|tag| edits.replace(tag.clone(), ""));
        let others = alternates
            .iter()
            .filter_map(|(tag, _)| Locale::parse(tag).ok())
            .map(|locale| spelled(&locale));
        // Without alternates, the source page is the only other one that is known.
        let mut others: Vec<String> = if alternates.is_empty() {
            vec![og.value.clone()]
        } else {
            others.collect()
        };
        others.retain(|other| *other != own);
        others.dedup();
        for other in others {
            let content = write_attribute(&other, Some(b'"'));
            edits.insert(
                og.end,
                &format!("<meta property=\"og:locale:alternate\" content=\"{content}\" />"),
            );
        }
    }
}
