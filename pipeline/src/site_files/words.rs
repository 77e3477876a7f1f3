//! Latimer's own words for readers, in their language, from the PO files that come with it. Pure.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::exchange::Catalogue;
use crate::model::Locale;
use crate::page::Page;

/// A file for each language that somebody has written with care; the others get English.
const FILES: [(&str, &str); 6] = [
    ("ar", include_str!("../../../templates/words/ar.po")),
    ("de", include_str!("../../../templates/words/de.po")),
    ("es", include_str!("../../../templates/words/es.po")),
    ("fr", include_str!("../../../templates/words/fr.po")),
    ("ja", include_str!("../../../templates/words/ja.po")),
    ("pt-BR", include_str!("../../../templates/words/pt-BR.po")),
];

/// Words of the page for addresses that are not found.
#[derive(Debug, Serialize)]
pub(super) struct NotFoundWords {
    lang: String,
    dir: &'static str,
    heading: String,
    text: String,
    home: String,
}

/// Whether there are words in a language.
pub fn has_words(locale: &Locale) -> bool {
    locale.same_language(&english()) || file(locale).is_some()
}

impl NotFoundWords {
    /// The words for readers of a language, else English.
    pub(super) fn of(locale: &Locale) -> Self {
        let (lang, catalogue) = match file(locale) {
            // A file that cannot be read would not have passed the tests; English is no disaster.
            Some((tag, po)) => (
                tag,
                Catalogue::parse(tag, po.as_bytes()).unwrap_or_default(),
            ),
            None => ("en", Catalogue::default()),
        };
        let lang = Locale::parse(lang).unwrap_or_else(|_| english());
        let text = "There is no page at this address. It may have moved, or the link may be wrong.";
        Self {
            heading: translated(&catalogue, "Page not found"),
            text: translated(&catalogue, text),
            home: translated(&catalogue, "Go to the home page"),
            dir: lang.direction().as_str(),
            lang: lang.to_string(),
        }
    }
}

/// The word "Language", read once, in the languages that have words.
#[derive(Debug)]
pub(super) struct LanguageLabels(BTreeMap<&'static str, String>);

impl LanguageLabels {
    /// Reads the word from each file.
    pub(super) fn read() -> Self {
        let mut labels = BTreeMap::new();
        for (tag, po) in FILES {
            let catalogue = Catalogue::parse(tag, po.as_bytes()).unwrap_or_default();
            labels.insert(tag, translated(&catalogue, "Language"));
        }
        Self(labels)
    }

    /// The word for readers of a language; `None` if Latimer has no words in it.
    pub(super) fn get(&self, locale: &Locale) -> Option<&str> {
        match file(locale) {
            Some((tag, _)) => self.0.get(tag).map(String::as_str),
            None if locale.same_language(&english()) => Some("Language"),
            None => None,
        }
    }
}

/// A text in the language of a catalogue, in English if it has none.
fn translated(catalogue: &Catalogue, text: &str) -> String {
    let page = Page::parse(format!("<p>{text}").as_bytes(), None, &english());
    let known = page
        .segment(0)
        .and_then(|segment| catalogue.get(&segment)?.ok());
    known.map_or_else(|| text.to_owned(), |words| words.text().to_owned())
}

/// The file of a language: of its own tag, else of the same language elsewhere.
fn file(locale: &Locale) -> Option<(&'static str, &'static str)> {
    let is_same = |tag: &str| Locale::parse(tag).is_ok_and(|known| known.same_language(locale));
    let own = FILES.into_iter().find(|(tag, _)| *tag == locale.as_str());
    own.or_else(|| {
        FILES
            .into_iter()
            .find(|(tag, _)| is_same(tag))
            .filter(|_| !locale.is_pseudo())
    })
}

#[expect(clippy::expect_used, reason = "`en` is a language tag")]
fn english() -> Locale {
    Locale::parse("en").expect("`en` is a language tag")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_has_every_word() {
        let english = NotFoundWords::of(&english());
        for (tag, _) in FILES {
            let words = NotFoundWords::of(&Locale::parse(tag).unwrap());
            assert_eq!(words.lang, tag);
            assert!(
                words.heading != english.heading
                    && words.text != english.text
                    && words.home != english.home,
                "{tag}"
            );
        }
        let labels = LanguageLabels::read();
        for (tag, label) in [
            ("es-MX", Some("Idioma")),
            ("de", Some("Sprache")),
            ("en-GB", Some("Language")),
            ("ru", None),
        ] {
            assert_eq!(labels.get(&Locale::parse(tag).unwrap()), label, "{tag}");
        }
        let english_labels = FILES
            .iter()
            .filter(|(tag, _)| labels.0[tag] == "Language")
            .count();
        assert_eq!(english_labels, 0);
        for (tag, lang) in [
            ("es-MX", "es"),
            ("pt-PT", "pt-BR"),
            ("ru", "en"),
            ("en-GB", "en"),
            ("en-XA", "en"),
            ("ar-XB", "en"),
        ] {
            assert_eq!(
                NotFoundWords::of(&Locale::parse(tag).unwrap()).lang,
                lang,
                "{tag}"
            );
        }
    }
}
