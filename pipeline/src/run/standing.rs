//! Pages that stand: nothing changed that counts for them, so they are neither read nor looked up again.
//!
//! What a build finds out about a page is true as long as its source is the same and everything is that a build reads beside
//! the pages: settings and the files they name, the memory, switches, the newest commit, the program. That is the ground, one
//! key. A page about whose texts there is anything to say, or to ask engines, never stands, nor one that scripts draw, so what
//! is said of a build is said from pages that were read. What depends on all texts at once (a catalogue with words for texts
//! that are gone, search indexes, one text with codes that mean different things) has all pages read.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::carry::words_key;
use super::context::{Build, blocking, glossary};
use super::error::RunError;
use super::extract::Corpus;
use super::facts::Facts;
use super::files::Intact;
use super::key::Key;
use super::report::Words;
use super::sources::Sources;
use super::texts::Texts;
use crate::config::Live;
use crate::model::{Locale, PagePath, SegmentKey};
use crate::page::TextClass;
use crate::store::{
    SourceKind, SourceRecord, StandingChange, StandingFacts, StandingPage, StandingPages, StandingText, StandingWords,
};

/// What is known of pages on a ground.
pub(super) type Standing = BTreeMap<PagePath, StandingPage>;

impl Build<'_> {
    /// The pages that stand on a ground.
    pub(super) async fn standing(
        &self,
        ground: [u8; 32],
        sources: &Sources,
        intact: &Intact<'_>,
    ) -> Result<Standing, RunError> {
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let known = blocking(move || state.standing(&id, &spelled(&ground))).await??;
        let mut standing = known.unwrap_or_default();
        standing.retain(|path, page| {
            let record = sources.records.get(path).filter(|record| intact.contains(&record.name));
            record.is_some_and(|record| record.kind == SourceKind::Page && sign_for(record) == page.source)
        });
        Ok(standing)
    }

    /// Whether what depends on all texts at once has to have them all.
    pub(super) fn needs_all_texts(&self, corpus: &Corpus) -> Result<bool, RunError> {
        let Corpus { standing, indexes, pagefind, texts, .. } = corpus;
        if standing.is_empty() {
            return Ok(false);
        }
        if !indexes.is_empty() || pagefind.is_some() {
            return Ok(true);
        }
        // Few pages were read, so it is their texts that are looked up.
        let read: HashMap<SegmentKey, usize> = texts.keys().enumerate().map(|(index, key)| (key, index)).collect();
        let all = || standing.values().flat_map(|page| &page.texts);
        let is_other = |text: &StandingText| {
            let read = read.get(&text.key);
            read.is_some_and(|&index| texts.print(index) != Some(text.print))
        };
        if all().any(is_other) {
            return Ok(true);
        }
        let known: LazyCell<HashSet<SegmentKey>, _> = LazyCell::new(|| all().map(|text| text.key).collect());
        for locale in &self.site.locales {
            let (catalogue, own) = (self.catalogue(locale)?, texts.iter().map(|text| text.segment));
            let stands = |class: TextClass, markup: &str| {
                known.contains(&SegmentKey::new(&self.site.source_locale, class.as_str(), markup))
            };
            if !catalogue.vanished_beside(own, &stands).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What this build found out about the pages, for the next one; nothing where that has to read all.
    pub(super) fn stands(
        &self,
        sources: &Sources,
        corpus: &Corpus,
        all: &[Texts],
    ) -> Result<Option<StandingChange>, RunError> {
        let reads_all = !corpus.indexes.is_empty() || corpus.pagefind.is_some() || self.site.scripts.live == Live::All;
        if reads_all || !self.may_be_whole() || !glossary(self.site)?.is_empty() {
            return Ok(None);
        }
        let home = PagePath::of_file("index.html");
        let mut read = StandingPages::on(self.stores.state.shelf());
        for (path, facts) in corpus.facts.iter().filter(|(path, facts)| **path != home && facts.can_stand()) {
            let (Some(record), Some(indices)) = (sources.records.get(path), corpus.pages.get(path)) else { continue };
            let texts: Option<Box<[StandingText]>> =
                indices.iter().map(|&index| standing_text(corpus, index)).collect();
            let words: Option<Box<[(Locale, StandingWords)]>> =
                all.iter().map(|texts| Some((texts.locale.clone(), standing_words(corpus, texts, indices)?))).collect();
            let (Some(texts), Some(words)) = (texts, words) else { continue };
            let facts = standing_facts(facts);
            let page = StandingPage { texts, source: sign_for(record), words, facts };
            read.add(path.clone(), &page);
        }
        let stay: BTreeSet<PagePath> = corpus.standing.keys().cloned().collect();
        Ok(Some(StandingChange { ground: String::new(), read: Arc::new(read), stay }))
    }
}

impl Corpus {
    /// How many different texts there are, on pages that stand too.
    pub(super) fn different_texts(&self) -> usize {
        if self.standing.is_empty() {
            return self.texts.len();
        }
        // Counting half a million takes a while.
        *self.different_texts.get_or_init(|| {
            let keys = self.standing.values().flat_map(|page| &page.texts).map(|text| text.key);
            let mut keys: Vec<SegmentKey> = keys.chain(self.texts.keys()).collect();
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        })
    }

    /// How a page that stands is translated.
    pub(super) fn standing_words(&self, locale: &Locale, path: &PagePath) -> Option<&StandingWords> {
        self.standing.get(path)?.words(locale)
    }
}

impl From<&StandingWords> for Words {
    fn from(words: &StandingWords) -> Self {
        let count = |words: u32| usize::try_from(words).unwrap_or(usize::MAX);
        let StandingWords { person, memory, untouched, .. } = *words;
        let (person, memory, untouched) = (count(person), count(memory), count(untouched));
        Self { person, memory, untouched, ..Self::default() }
    }
}

/// How a ground is written down.
pub(super) fn spelled(ground: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*ground).to_hex().to_string()
}

/// Signs for everything that is known of a source.
fn sign_for(record: &SourceRecord) -> [u8; 32] {
    let mut key = Key::default();
    key.add_debug(&record.without_validators());
    key.bytes()
}

/// What there is to say of a page; nothing where that is nothing.
fn standing_facts(facts: &Facts) -> Option<Box<StandingFacts>> {
    let Facts { scripted, forwards, broken, left, refuses, hosts, language: _ } = facts.clone();
    let policies = scripted.map(|scripted| scripted.policies).unwrap_or_default();
    let facts = StandingFacts { policies, forwards, refuses, broken, left, host: hosts.own, hosts: hosts.links };
    (facts != StandingFacts::default()).then(|| Box::new(facts))
}

/// A text by its key; nothing where it is not the same in all its places.
fn standing_text(corpus: &Corpus, index: u32) -> Option<StandingText> {
    let index = usize::try_from(index).ok()?;
    Some(StandingText { key: corpus.texts.key(index)?, print: corpus.texts.print(index)? })
}

/// How a page is translated; nothing where there is anything to say or to ask about its texts.
fn standing_words(corpus: &Corpus, texts: &Texts, indices: &[u32]) -> Option<StandingWords> {
    let is_notable = |&index: &u32| usize::try_from(index).is_ok_and(|index| texts.notable.contains(&index));
    let Words { person, memory, engine, untouched, untranslated } = texts.words(corpus, indices);
    let stands = untranslated == 0 && !indices.iter().any(is_notable);
    // A page has no more words than that.
    let count = |words: usize| u32::try_from(words).unwrap_or(u32::MAX);
    let words = || StandingWords {
        person: count(person),
        memory: count(memory + engine),
        untouched: count(untouched),
        print: texts.print(indices),
        key: words_key(indices.iter().map(|&index| texts.text(index).map(Cow::Owned))),
    };
    stands.then(words)
}
