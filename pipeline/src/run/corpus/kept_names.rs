//! Names of a site in a build, kept as terms in every language (R-N2).
//!
//! The builder decides once all pages are known. Stored clues of unchanged pages count, too, so an incremental build
//! decides like a full one. If the names differ from those of the last build, all pages are read, and pages whose words
//! change are rendered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::contents::Corpus;
use crate::config::SiteConfig;
use crate::exchange::{Catalogue, Glossary};
use crate::model::Locale;
use crate::page::CodedText;
use crate::run::context::glossary;
use crate::run::error::BuildError;
use crate::run::report::named::named;
use crate::run::words::texts::LocaleTexts;
use crate::text::{KeptName, PlainWords, decide_names};
use crate::translate::{Matching, Term, Terms, TranslationOrigin};

impl Corpus {
    /// Decides on the names, and on the plain words of headings, when all pages are known.
    pub(super) fn decide_names(&mut self, site: &SiteConfig) {
        let read = self.names.clues.values().map(|clues| &**clues);
        self.names.plain = Arc::new(PlainWords::of(
            read.chain(self.cached.values().map(|page| &*page.names)),
        ));
        if !site
            .locales
            .iter()
            .any(|locale| site.keeps_names_in(locale))
        {
            return;
        }
        let read = self.names.clues.values().map(|clues| &**clues);
        let cached = self.cached.values().map(|page| &*page.names);
        self.names.decided = decide_names(&site.source_locale, read.chain(cached));
    }

    /// Notice that lists the kept names and the setting for them; `None` if people translated everything.
    pub(in crate::run) fn notice_of_names(
        &self,
        site: &SiteConfig,
        all: &[LocaleTexts],
    ) -> Result<Option<String>, BuildError> {
        if !all
            .iter()
            .any(|texts| site.keeps_names_in(&texts.locale) && self.has_words_of_engines(texts))
        {
            return Ok(None);
        }
        Ok(notice(&self.names.decided, site, &glossary(site)?))
    }

    /// True if engines translated a text, also on unchanged pages.
    fn has_words_of_engines(&self, texts: &LocaleTexts) -> bool {
        texts.settled.origins().any(|origin| {
            matches!(
                origin,
                TranslationOrigin::Memory(_) | TranslationOrigin::Engine(_)
            )
        }) || self.cached.values().any(|page| {
            page.words(&texts.locale)
                .is_some_and(|words| words.memory > 0)
        })
    }

    /// True if a name is kept everywhere.
    pub(crate) fn has_name(&self, text: &str) -> bool {
        self.names
            .decided
            .iter()
            .any(|name| name.text == text && !name.is_alone)
    }

    /// Terms of a locale: those of the glossary, then names that the glossary does not mention. A human translation of
    /// the bare name becomes its term.
    pub(crate) fn terms(
        &self,
        site: &SiteConfig,
        locale: &Locale,
        glossary: &Glossary,
        catalogue: &Catalogue,
    ) -> Terms {
        if self.names.decided.is_empty() || !site.keeps_names_in(locale) {
            return glossary.terms(site.pair_to(locale));
        }
        let written = written_by_people(&self.names.decided, catalogue);
        let names = self.names.decided.iter().map(|name| Term {
            source: vec![name.text.clone()],
            target: written
                .get(name.text.as_str())
                .cloned()
                .into_iter()
                .collect(),
            keeps_case: true,
            matching: if name.is_alone {
                Matching::Alone
            } else {
                Matching::Word
            },
            is_name: true,
        });
        glossary.terms_and_names(site.pair_to(locale), names)
    }
}

/// Names that a person translated where the name is a whole text.
fn written_by_people<'n>(
    names: &'n [KeptName],
    catalogue: &Catalogue,
) -> BTreeMap<&'n str, String> {
    let spelled = names
        .iter()
        .map(|name| (CodedText::plain(&name.text).to_markup(), name.text.as_str()));
    let spelled: BTreeMap<String, &str> = spelled.collect();
    let mut written = BTreeMap::new();
    for (text, _, words) in catalogue.reviewed() {
        let Some(name) = spelled.get(text) else {
            continue;
        };
        let Ok(words) = CodedText::from_markup(words) else {
            continue;
        };
        if words.text() != *name && !words.text().is_empty() {
            written
                .entry(*name)
                .or_insert_with(|| words.text().to_owned());
        }
    }
    written
}

fn notice(names: &[KeptName], site: &SiteConfig, glossary: &Glossary) -> Option<String> {
    let mut seen = BTreeSet::new();
    let kept = names
        .iter()
        .filter(|name| !glossary.mentions(&name.text, &site.source_locale));
    let kept = kept.filter(|name| seen.insert(name.text.to_lowercase()));
    let kept: Vec<String> = kept.map(|name| format!("{:?}", name.text)).collect();
    if kept.is_empty() {
        return None;
    }
    Some(format!(
        "names of the site stay as they are in every language: {}; a line in the glossary gives a name a translation, or, \
         with empty cells, has it translated like other words; `names = \"translate\"` in [site.text] does that for all",
        named(&kept)
    ))
}
