//! Pages of texts, for engines that read the texts of a request together.

use std::collections::HashMap;

use crate::model::{LanguagePair, Locale};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::translate::{Chain, PageSet};

/// Number that stands for all pages that were not read.
const UNREAD: usize = usize::MAX - 1;

/// The pages on which each of some texts stands.
#[derive(Default)]
pub(in crate::run) struct PageSets(HashMap<usize, PageSet>);

impl PageSets {
    /// Pages of the texts to translate, if an engine keeps pages apart.
    pub(in crate::run) fn for_engines(
        corpus: &Corpus,
        open: &TextSet,
        chain: &Chain,
        pair: LanguagePair<&Locale>,
    ) -> Self {
        if chain.keeps_pages_apart(pair) {
            Self::of(corpus, open)
        } else {
            Self::default()
        }
    }

    /// Reads which pages and documents have these texts.
    fn of(corpus: &Corpus, texts: &TextSet) -> Self {
        let mut sets: HashMap<usize, PageSet> = HashMap::new();
        for (page, (_, indices)) in corpus.places().enumerate() {
            let mut own: Vec<usize> = indices
                .iter()
                .filter_map(|index| usize::try_from(index).ok())
                .collect();
            own.sort_unstable();
            own.dedup();
            for index in own.into_iter().filter(|index| texts.contains(*index)) {
                let set = sets.entry(index).or_default();
                *set = set.with(page);
            }
        }
        for (index, set) in &mut sets {
            if corpus.cached_texts.read.contains(*index) {
                *set = set.with(UNREAD);
            }
        }
        Self(sets)
    }

    /// The pages of a text.
    pub(in crate::run) fn get(&self, index: usize) -> PageSet {
        self.0.get(&index).copied().unwrap_or_default()
    }
}
