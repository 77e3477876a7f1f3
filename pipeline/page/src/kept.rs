//! Texts of a page that are no segments, and what keeps each as it is: for people who ask why.
//!
//! It is the walk that finds segments, told to take note of what it passes over, so it says what holds and has no rules
//! of its own.

use std::ops::Range;

use super::page::Page;
use super::parse::cut;
use crate::Locale;
use crate::find::keeps::{KeepReason, Keeps, KeptPlace};
use crate::find::language_links::LanguageLinks;
use crate::find::part::{BlockPart, text_of};
use crate::find::unit::UnitPlace;
use crate::find::walk::{self, TokenizedPage};
use crate::html::rules::Rules;
use crate::html::space::is_space;
use crate::html::tokens::{PageToken, PageTokens, TextKind, TokenKind};

/// A text of a page that is no segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedText {
    /// The text as people read it; of a tag or a comment, what is written there.
    pub text: String,
    /// The element it stands in.
    pub element: String,
    /// What keeps it as it is, in a few words.
    pub rule: String,
    /// Whether browsers show it, so that it may be missed in another language.
    pub shown: bool,
}

impl Page {
    /// The texts that are no segments, in the order in which they stand; those of pages inside values follow. Of feeds
    /// and manifests only what is HTML in them is looked into.
    pub fn kept(&self, rules: &Rules) -> Vec<SkippedText> {
        let mut kept = Vec::new();
        if self.is_html() {
            let tokens = cut(self.format, &self.source, rules);
            let mut places = find(&self.source, &tokens, &self.locale);
            let is_other = |token: &PageToken<'_>| {
                matches!(token.kind, TokenKind::Start(_) | TokenKind::Comment)
            };
            places.extend(
                tokens
                    .iter()
                    .filter(is_other)
                    .map(|token| match &token.kind {
                        TokenKind::Start(tag) => KeptPlace {
                            element: tag.name.to_cow(),
                            ..KeptPlace::new(&token, TextKind::Escapable, Keeps::Tag)
                        },
                        _ => KeptPlace::new(&token, TextKind::Raw, Keeps::Comment),
                    }),
            );
            places.sort_by_key(|place| place.range.start);
            kept.extend(places.into_iter().map(|place| self.read_kept(place, rules)));
        }
        kept.extend(self.inner.iter().flat_map(|inner| inner.page.kept(rules)));
        kept.retain(|kept| !kept.text.is_empty());
        kept
    }

    fn read_kept(&self, place: KeptPlace, rules: &Rules) -> SkippedText {
        let part = BlockPart::text(place.range, place.kind, false);
        SkippedText {
            text: text_of(&self.source, &part)
                .trim_matches(is_space)
                .to_owned(),
            element: place.element.into_owned(),
            rule: KeepReason(place.keeps, rules).to_string(),
            shown: place.keeps.is_shown(),
        }
    }
}

/// Walks through a page for its texts that are no segments.
fn find(source: &[u8], tokens: &PageTokens, locale: &Locale) -> Vec<KeptPlace> {
    if walk::forbids_translation(source, tokens) {
        let place = |token: PageToken<'_>| match token.kind {
            TokenKind::Text(TextKind::Raw) => {
                Some(KeptPlace::new(&token, TextKind::Raw, Keeps::Program))
            }
            TokenKind::Text(kind) => Some(KeptPlace::new(&token, kind, Keeps::Page)),
            TokenKind::Start(_) | TokenKind::End(_) | TokenKind::Comment | TokenKind::Doctype => {
                None
            }
        };
        return tokens.iter().filter_map(place).collect();
    }
    let (found, kept) = walk::find_with_kept(
        &TokenizedPage {
            source,
            tokens,
            languages: &LanguageLinks::find(source, tokens, locale),
        },
        locale,
    );
    let mut taken: Vec<Range<usize>> = Vec::new();
    for unit in &found.units {
        match unit.place {
            UnitPlace::Line(_) => taken.extend(
                unit.parts(&found.parts)
                    .iter()
                    .map(|part| part.span.range()),
            ),
            UnitPlace::Value(span, _) | UnitPlace::Twin(span, _) => taken.push(span.range()),
        }
    }
    taken.extend(
        kept.iter()
            .filter(|place| place.keeps == Keeps::Template)
            .map(|place| place.range.clone()),
    );
    // What was taken for text and is in no segment has no letter.
    taken.sort_unstable_by_key(|taken| taken.start);
    let mut end = 0;
    for taken in &mut taken {
        end = end.max(taken.end);
        taken.end = end;
    }
    let is_taken = |place: &KeptPlace| {
        let before = taken.partition_point(|taken| taken.start < place.range.end);
        before
            .checked_sub(1)
            .is_some_and(|last| place.range.start < taken[last].end)
    };
    kept.into_iter()
        .filter(|place| place.keeps != Keeps::Letterless || !is_taken(place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(html: &str) -> (Page, Vec<SkippedText>) {
        let mut rules = Rules::default();
        rules.skip(".brand").unwrap();
        let page = Page::parse_with(html.as_bytes(), None, &Locale::parse("en").unwrap(), &rules);
        let kept = page.kept(&rules);
        (page, kept)
    }

    #[test]
    fn each_rule_that_keeps_a_text_is_named() {
        for (html, text, rule) in [
            (
                "<p translate=no>Acme <b>Co</b></p>",
                "Acme",
                "translate=\"no\"",
            ),
            (
                "<p class='x notranslate'>Acme</p>",
                "Acme",
                "class=\"notranslate\"",
            ),
            (
                "<p>By <b class=brand>Acme</b></p>",
                "Acme",
                "skip = \".brand\" in [site.html]",
            ),
            (
                "<p>Run <code>cargo</code></p>",
                "cargo",
                "<code> holds code or data",
            ),
            (
                "<pre><span>let x</span></pre>",
                "let x",
                "<pre> holds code or data",
            ),
            (
                "<textarea>Dear all</textarea>",
                "Dear all",
                "readers write there",
            ),
            (
                "<p lang=fr>Bonjour</p>",
                "Bonjour",
                "its lang attribute names another language",
            ),
            (
                "<p><a rel=alternate hreflang=de href=/de/>Deutsch</a></p>",
                "Deutsch",
                "it is the label of a link to another language",
            ),
            (
                "<p translate=no><img alt='A loaf' src=x></p>",
                "A loaf",
                "translate=\"no\"",
            ),
            (
                "<meta name=google content=notranslate><p>All",
                "All",
                "the page has <meta name=\"google\" content=\"notranslate\">",
            ),
        ] {
            let (page, kept) = kept(html);
            assert!(
                page.segments()
                    .all(|segment| !segment.text.text().contains(text)),
                "{html}"
            );
            let found = kept
                .iter()
                .find(|kept| kept.shown && kept.text.contains(text));
            assert_eq!(
                found.map(|kept| kept.rule.as_str()),
                Some(rule),
                "{html}: {kept:?}"
            );
        }
    }

    #[test]
    fn what_is_not_shown_is_there_for_whoever_asks() {
        let tag = "it is in no attribute that holds text; `also_translate` can name one";
        for (html, asked, expected) in [
            ("<p>Hi <b>there</b></p>", "Hi", None),
            ("<p>In <b>2024</b></p>", "2024", None),
            ("<p>2024</p>", "2024", Some("it has no letter")),
            ("<p data-label='Buy'>A</p>", "Buy", Some(tag)),
            (
                "<script>say('Buy')</script>",
                "Buy",
                Some("it is a script, a style sheet or data for them"),
            ),
            ("<p>A<!-- Buy --></p>", "Buy", Some("it is a comment")),
        ] {
            let (_, kept) = kept(html);
            assert!(kept.iter().all(|kept| !kept.shown), "{html}: {kept:?}");
            let found = kept.iter().find(|kept| kept.text.contains(asked));
            assert_eq!(found.map(|kept| kept.rule.as_str()), expected, "{html}");
        }
    }
}
