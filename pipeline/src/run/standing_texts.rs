//! What the texts of pages that were read have to do with those of pages that stand. There may be millions of these, so they go by,
//! and only what is asked for is kept of them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::context::{Build, blocking};
use super::error::RunError;
use super::extract::{Corpus, StandingTexts};
use super::text_set::TextSet;
use crate::exchange::Catalogue;
use crate::model::SegmentKey;
use crate::page::TextClass;
use crate::store::StandingText;

/// What is wanted of the texts of pages that stand.
#[derive(Default)]
struct Wanted {
    texts: HashMap<SegmentKey, Want>,
    /// Which first two bytes the keys of these have: a look at them spares most looks at the map.
    begins: TextSet,
    /// Whether one text means different things.
    is_other: bool,
    /// Every key, in programs that are made for tests.
    all: BTreeSet<SegmentKey>,
}

/// What is wanted to know of a text, and what is known by now.
#[derive(Default)]
struct Want {
    /// The index of a text that was read, with what signs for it where that is the same in all places.
    read: Option<(usize, Option<u32>)>,
    /// Whether it was on a page that stands no longer.
    was: bool,
    /// Whether it is on a page that stands.
    stands: bool,
}

impl Wanted {
    fn want(&mut self, key: SegmentKey) -> &mut Want {
        self.begins.insert(beginning(key));
        self.texts.entry(key).or_default()
    }

    /// Takes note of a text of a page that stands.
    fn meet(&mut self, text: StandingText) {
        if cfg!(debug_assertions) {
            self.all.insert(text.key);
        }
        if !self.begins.contains(beginning(text.key)) {
            return;
        }
        let Some(want) = self.texts.get_mut(&text.key) else { return };
        want.stands = true;
        self.is_other |= want.read.is_some_and(|(_, print)| print != Some(text.print));
    }
}

/// The first two bytes of a key.
fn beginning(key: SegmentKey) -> usize {
    let [first, second, ..] = *key.as_bytes();
    usize::from(u16::from_be_bytes([first, second]))
}

impl Build<'_> {
    /// Finds out what the texts of standing pages have to do with those that were read; says whether that cannot be told without
    /// reading all pages: what depends on all texts at once has to have them. `known` is how many different ones standing pages
    /// and those that stand no longer have.
    pub(super) async fn needs_all_texts(&self, corpus: &mut Corpus, known: u64) -> Result<bool, RunError> {
        if corpus.standing.is_empty() {
            return Ok(false);
        }
        if !corpus.indexes.is_empty() || corpus.pagefind.is_some() {
            return Ok(true);
        }
        let mut wanted = Wanted::default();
        for (index, key) in corpus.texts.keys().enumerate() {
            wanted.want(key).read = Some((index, corpus.texts.print(index)));
        }
        let catalogues =
            self.site.locales.iter().map(|locale| self.catalogue(locale)).collect::<Result<Vec<_>, _>>()?;
        let approved = RefCell::new(Vec::new());
        self.has_vanished(&catalogues, corpus, &|key| {
            approved.borrow_mut().push(key);
            false
        });
        approved.into_inner().into_iter().for_each(|key| {
            wanted.want(key);
        });
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let gone = std::mem::take(&mut corpus.standing_texts.gone);
        let (gone, pages, wanted) = blocking(move || {
            let wanted = RefCell::new(wanted);
            let was = |text: StandingText| wanted.borrow_mut().want(text.key).was = true;
            let pages = state.standing_texts(&id, &gone.paths, was, |text| wanted.borrow_mut().meet(text))?;
            Ok::<_, RunError>((gone, pages, wanted.into_inner()))
        })
        .await??;
        // A page whose texts nobody knows does not stand.
        if pages != Some(corpus.standing.len()) || wanted.is_other {
            return Ok(true);
        }
        let stands = |key: SegmentKey| wanted.texts.get(&key).is_some_and(|want| want.stands);
        if self.has_vanished(&catalogues, corpus, &stands) {
            return Ok(true);
        }
        let lost = wanted.texts.values().filter(|want| want.was && !want.stands).count();
        let different = usize::try_from(known).unwrap_or(usize::MAX).saturating_sub(lost);
        debug_assert_eq!(different, wanted.all.len(), "texts of standing pages");
        let read = wanted.texts.values().filter(|want| want.stands).filter_map(|want| Some(want.read?.0)).collect();
        corpus.standing_texts = StandingTexts { different, read, gone };
        Ok(false)
    }

    /// Whether people wrote words for texts that are on no page; `stands` says which texts standing pages have.
    fn has_vanished(&self, catalogues: &[Catalogue], corpus: &Corpus, stands: &dyn Fn(SegmentKey) -> bool) -> bool {
        let stands =
            |class: TextClass, markup: &str| stands(SegmentKey::new(&self.site.source_locale, class.as_str(), markup));
        let vanished = |catalogue: &Catalogue| {
            !catalogue.vanished_beside(corpus.texts.iter().map(|text| text.segment), &stands).is_empty()
        };
        catalogues.iter().filter(|catalogue| vanished(catalogue)).count() > 0
    }
}

impl Corpus {
    /// How many different texts there are, on pages that stand too.
    pub(super) fn different_texts(&self) -> usize {
        self.standing_texts.different + self.texts.len() - self.standing_texts.read.len()
    }
}
