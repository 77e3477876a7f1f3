//! A file for translators: every text of the site, with what people have translated so far. What a build carries to a
//! changed text, or offers for it, is written down here.

use futures::future::LocalBoxFuture;
use std::collections::HashMap;
use std::path::Path;

use crate::config::SiteConfig;
use crate::exchange::{Catalogue, Detail, Use};
use crate::model::Locale;
use crate::page::{CodedText, check};
use crate::run::corpus::extract;
use crate::run::memory::recall;
use crate::run::source::crawl;
use crate::run::words::{shared_edits, word_files};
use crate::run::{
    Build, BuildError, BuildOptions, BuildProgress, Corpus, People, SiteText, Stores,
};
use crate::store::Published;

/// What an export writes for texts that nobody translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untranslated {
    /// Nothing.
    Empty,
    /// What the memory has of engines, as fuzzy.
    Prefilled,
}

/// Gives the text of a PO file for a locale: the texts that the last build saw, the translations of `file` kept.
///
/// # Errors
/// [`BuildError::NothingStored`] before the first build, [`BuildError::Po`] when `file` is there and is no PO.
pub fn export_po<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    (locale, file): (&'a Locale, Option<&'a Path>),
    untranslated: Untranslated,
    progress: &'a BuildProgress<'a>,
) -> LocalBoxFuture<'a, Result<String, BuildError>> {
    Box::pin(async move {
        let build = &Build {
            site,
            stores,
            options,
            progress,
        };
        let previous = Published::newest(&stores.objects, &site.id, None).await?;
        let sources = crawl::stored_sources(build, previous.as_ref()).await?;
        let corpus = extract::read_all(build, &sources).await?;
        let mut catalogue = file.map(Catalogue::open).transpose()?.unwrap_or_default();
        shared_edits::take_edits_of(build, locale).await?;
        word_files::lay_over(build, locale, &mut catalogue).await?;
        let people = People::of_site(site, locale, catalogue, &corpus).await?;
        let memory = match untranslated {
            Untranslated::Empty => HashMap::new(),
            Untranslated::Prefilled => {
                let keys = corpus.texts.keys().collect();
                recall::recall_with_files(build, locale, keys).await?
            }
        };
        let places = TextPlaces::of(&corpus);
        let read = |index: usize, detail: Detail| {
            let SiteText { key, segment, .. } = corpus.texts.get(index)?;
            let inherited = people.inherited(&segment);
            if detail == Detail::Position {
                return Some(Use {
                    pages: Vec::new(),
                    follows: places.follows(index),
                    segment,
                    inherited,
                    suggested: None,
                });
            }
            let has_words = inherited.is_some() || people.words(&segment).is_some();
            let suggested = memory
                .get(&key)
                .filter(|_| !has_words)
                .and_then(|remembered| {
                    let words = CodedText::from_markup(&remembered.text)
                        .ok()
                        .filter(|_| remembered.refused.is_none())?;
                    check(&segment, &words).is_ok().then(|| words.to_markup())
                });
            Some(Use {
                pages: places.pages(index),
                follows: places.follows(index),
                segment,
                inherited,
                suggested,
            })
        };
        let text = people
            .catalogue()
            .update(locale, site.id.as_str(), (corpus.texts.len(), &read));
        corpus.texts.check()?;
        Ok(text)
    })
}

/// Where each text stands.
struct TextPlaces<'c> {
    paths: Vec<&'c str>,
    /// The pages that have it, by their places among the paths.
    pages: Vec<Vec<u32>>,
    /// The text before it on the first of them.
    follows: Vec<Option<u32>>,
}

impl<'c> TextPlaces<'c> {
    fn of(corpus: &'c Corpus) -> Self {
        let count = corpus.texts.len();
        let mut places = Self {
            paths: Vec::new(),
            pages: vec![Vec::new(); count],
            follows: vec![None; count],
        };
        for (number, (path, indices)) in (0..).zip(corpus.places()) {
            places.paths.push(path.as_str());
            let mut before = None;
            for short in indices.iter() {
                let index = short as usize;
                let (Some(pages), Some(follows)) =
                    (places.pages.get_mut(index), places.follows.get_mut(index))
                else {
                    continue;
                };
                if pages.is_empty() {
                    *follows = before;
                }
                if pages.last() != Some(&number) {
                    pages.push(number);
                }
                before = Some(short);
            }
        }
        places
    }

    fn pages(&self, index: usize) -> Vec<&'c str> {
        let pages = self.pages.get(index).into_iter().flatten();
        pages
            .filter_map(|&page| self.paths.get(page as usize).copied())
            .collect()
    }

    fn follows(&self, index: usize) -> Option<usize> {
        self.follows
            .get(index)
            .copied()
            .flatten()
            .map(|before| before as usize)
    }
}
