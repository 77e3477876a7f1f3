//! Makes indexes: from the texts of the last build, and from the words that people and the memory have now.

use std::collections::HashMap;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::index::{
    LoadedLocale, LocaleSegments, SegmentOrigin, SegmentRow, SegmentState, SourceSegments,
    WaitingTranslation, folded,
};
use crate::model::{Locale, SegmentKey};
use crate::page::Segment;
use crate::run::corpus::stored_texts::StoredTexts;
use crate::run::memory::{recall, store_files};
use crate::run::pages::kept;
use crate::run::words::{shared_edits, word_files};
use crate::run::{Build, BuildError, People, RunEngines, glossary, resolve_without_engine};
use crate::translate::{ResolvedText, TranslationOrigin};

/// The texts of a site, and where they stand.
pub(super) fn load_source(stored: &StoredTexts) -> Result<SourceSegments, BuildError> {
    let corpus = &stored.corpus;
    let mut source = SourceSegments::default();
    for text in corpus.texts.iter() {
        let words = &text.segment.text;
        source.keys.push(text.key);
        source.markup.push(&words.to_markup());
        source.read.push(&folded(words.text()));
    }
    corpus.texts.check()?;
    source.by_key = (0..).take(source.keys.len()).collect();
    let keys = &source.keys;
    source
        .by_key
        .sort_unstable_by_key(|&index| keys.get(index as usize).map(SegmentKey::as_bytes));
    add_pages(&mut source, stored);
    source.markup.shrink();
    source.read.shrink();
    Ok(source)
}

/// Adds the pages of each text: first how many each has, then which.
fn add_pages(source: &mut SourceSegments, stored: &StoredTexts) {
    let mut numbers = HashMap::new();
    for (path, _) in stored.corpus.places() {
        if !numbers.contains_key(path) {
            numbers.insert(path, source.pages.len());
            source.pages.push(path.clone());
        }
    }
    let mut places: Vec<(u32, u32)> = Vec::new();
    for (path, indices) in stored.corpus.places() {
        let number = numbers.get(path).copied().unwrap_or_default();
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        places.extend(indices.iter().map(|index| (index, number)));
    }
    places.sort_unstable();
    places.dedup();
    let mut places = places.into_iter().peekable();
    source.page_starts.push(0);
    for index in (0..).take(source.keys.len()) {
        while let Some((_, page)) = places.next_if(|(text, _)| *text == index) {
            source.pages_of.push(page);
        }
        let end = u32::try_from(source.pages_of.len()).unwrap_or(u32::MAX);
        source.page_starts.push(end);
    }
    source.pages_of.shrink_to_fit();
}

/// The segments of a locale, and the revision of people's words that they have.
pub(super) async fn load_locale(
    build: &Build<'_>,
    stored: &StoredTexts,
    source: &Arc<SourceSegments>,
    locale: &Locale,
) -> Result<(LocaleSegments, u64), BuildError> {
    let site = build.site;
    let corpus = &stored.corpus;
    let chain = RunEngines::of(site, &build.options.meter).chain(locale);
    let route = chain.fingerprints(site.pair_to(locale));
    let lines = word_files::memory_lines(build, locale)?;
    store_files::take_memory(build, locale).await?;
    shared_edits::take_edits_of(build, locale).await?;
    let remembered_lines: HashMap<_, _> = lines.entries().into_iter().collect();
    let mut catalogue = word_files::file_catalogue(build, locale).await?;
    let mut bases = Vec::new();
    for (text, class, base) in catalogue.entry_prints() {
        let key = SegmentKey::new(&site.source_locale, class.as_str(), text);
        let index = source.find(key).and_then(|index| u32::try_from(index).ok());
        bases.extend(index.map(|index| (index, base)));
    }
    bases.sort_unstable();
    // Read before the rows, so that an edit in between counts as a later one.
    let id = site.id.clone();
    let tag = locale.clone();
    let revision = build
        .stores
        .with_state(move |state| state.people_revision(&id, &tag))
        .await?;
    word_files::lay_over(build, locale, &mut catalogue).await?;
    let people = People::of_site(site, locale, catalogue, corpus).await?;
    let terms = corpus.terms(site, locale, &glossary(site)?, people.catalogue());
    let unneeded = corpus.unneeded_texts(locale);
    let mut rows = LocaleRows::default();
    rows.made.bases = bases;
    let starts = (0..corpus.texts.len()).step_by(recall::LOOKED_UP_TOGETHER);
    let parts = stream::iter(starts).map(|start| async move {
        let indices = start..corpus.texts.len().min(start + recall::LOOKED_UP_TOGETHER);
        let keys = indices.clone();
        let keys = keys.filter_map(|index| corpus.texts.key(index)).collect();
        let memory = recall::recall(build, locale, keys).await?;
        Ok::<_, BuildError>((indices, memory))
    });
    // The rows of the next part are read while the words of this one are settled.
    let mut parts = std::pin::pin!(parts.buffered(2));
    while let Some((indices, memory)) = parts.try_next().await? {
        let mut segments = Vec::new();
        let mut resolved = Vec::new();
        for text in indices.clone().filter_map(|index| corpus.texts.get(index)) {
            let remembered = remembered_lines
                .get(&text.key)
                .or_else(|| memory.get(&text.key));
            resolved.push(resolve_without_engine(
                &text.segment,
                locale,
                &people,
                remembered,
                (&route, &terms),
            ));
            segments.push(text.segment);
        }
        kept::touch(site, &chain, locale, &segments, &mut resolved);
        for ((index, segment), resolved) in indices.zip(&segments).zip(&resolved) {
            let is_needed = !unneeded.contains(index)
                && segment
                    .filter
                    .as_ref()
                    .is_none_or(|filter| filter.admits(locale));
            rows.push(segment, is_needed.then_some(resolved), &people);
        }
    }
    corpus.texts.check()?;
    let segments = LocaleSegments::new(locale, source, rows.finish());
    Ok((segments, revision))
}

/// Rows of a locale in the making.
#[derive(Default)]
struct LocaleRows {
    made: LoadedLocale,
    engines: HashMap<String, u16>,
}

impl LocaleRows {
    /// Adds the next text; `resolved` is `None` where the locale needs no words for it.
    fn push(&mut self, segment: &Segment, resolved: Option<&ResolvedText>, people: &People) {
        let mut row = SegmentRow {
            state: None,
            origin: SegmentOrigin::None,
            engine: 0,
            line: 0,
        };
        let mut words = None;
        if let Some(resolved) = resolved {
            words = resolved.text.as_ref();
            row = self.row(segment, resolved, people);
        }
        if let Some(words) = words.filter(|_| row.origin != SegmentOrigin::None) {
            self.made.markup.push(&words.to_markup());
            self.made.read.push(&folded(words.text()));
        } else {
            self.made.markup.push("");
            self.made.read.push("");
        }
        self.made.rows.push(row);
    }

    fn row(&mut self, segment: &Segment, resolved: &ResolvedText, people: &People) -> SegmentRow {
        let short = u32::try_from(self.made.rows.len()).unwrap_or(u32::MAX);
        let mut engine = 0;
        let mut line = 0;
        let carried = people.carried(segment);
        let (mut state, origin) = match &resolved.origin {
            TranslationOrigin::Person => {
                line = people.line(segment).unwrap_or_default();
                if let Some(former) = carried {
                    let former = former.source.clone();
                    self.made.carried_from.insert(short, former);
                    (SegmentState::Approved, SegmentOrigin::Carried)
                } else {
                    (SegmentState::Approved, SegmentOrigin::Person)
                }
            }
            TranslationOrigin::Memory(name) | TranslationOrigin::Engine(name) => {
                engine = self.engine(name);
                (SegmentState::Machine, SegmentOrigin::Machine)
            }
            TranslationOrigin::Untouched if resolved.text.is_some() => {
                (SegmentState::Untouched, SegmentOrigin::Rules)
            }
            TranslationOrigin::Untouched => (SegmentState::Untouched, SegmentOrigin::None),
            // Some sentences may have words.
            TranslationOrigin::Refused | TranslationOrigin::None if resolved.text.is_some() => {
                (SegmentState::Untranslated, SegmentOrigin::Machine)
            }
            TranslationOrigin::Refused | TranslationOrigin::None => {
                (SegmentState::Untranslated, SegmentOrigin::None)
            }
        };
        if let Some(waiting) = people.waiting(segment) {
            state = match waiting.former {
                Some(_) => SegmentState::Outdated,
                None => SegmentState::Draft,
            };
            let waiting = WaitingTranslation {
                words: waiting.words.to_owned(),
                former: waiting.former,
            };
            self.made.waiting.insert(short, waiting);
        }
        if resolved.has_refused_words() {
            state = SegmentState::Refused;
            line = people.line(segment).unwrap_or_default();
        }
        let catalogue = people.catalogue();
        if catalogue.is_locked(segment) && state != SegmentState::Refused {
            state = SegmentState::Locked;
        } else if catalogue.is_rejected(segment) && state == SegmentState::Untranslated {
            state = SegmentState::Rejected;
        }
        if !resolved.notices.is_empty() {
            let reasons = resolved.notices.iter().map(|notice| notice.for_callers());
            self.made.refused.insert(short, reasons.collect());
        }
        SegmentRow {
            state: Some(state),
            origin,
            engine,
            line: u32::try_from(line).unwrap_or(u32::MAX),
        }
    }

    /// The number of an engine.
    fn engine(&mut self, name: &str) -> u16 {
        if let Some(number) = self.engines.get(name) {
            return *number;
        }
        let number = u16::try_from(self.made.engines.len()).unwrap_or(u16::MAX);
        self.made.engines.push(name.to_owned());
        self.engines.insert(name.to_owned(), number);
        number
    }

    fn finish(mut self) -> LoadedLocale {
        self.made.markup.shrink();
        self.made.read.shrink();
        self.made
    }
}
