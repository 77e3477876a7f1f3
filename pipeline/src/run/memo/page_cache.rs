//! Cached pages: pages that a build need not read, because their source and environment are unchanged.
//!
//! Facts about a page hold while its source and its environment are the same. The environment is the fingerprint of everything
//! else that a build reads: settings and the files they name, the memory, switches, the newest commit, the program.
//!
//! A page is never cached if one of its texts was refused, waits for an engine, may inherit a person's words, or comes from
//! scripts, because reports name such texts. Warnings and terms are counted (`warned.rs`), and the text for search indexes is
//! cached (`search.rs`). A change that depends on all texts, such as a translation whose text disappeared, makes the build read
//! every page. If the first place of a text with different codes changes, all pages with such texts are read.

use std::collections::HashMap;
use std::sync::Arc;

use super::carry::words_key;
use super::edited_words;
use super::key::KeyInputs;
use super::shared_words::SharedTexts;
use crate::config::{Live, SiteConfig};
use crate::model::{Locale, PagePath};
use crate::page::Rendering;
use crate::run::context::{self, Build};
use crate::run::corpus::contents::{CachedTexts, Corpus};
use crate::run::corpus::facts::CorpusFacts;
use crate::run::corpus::parts::PageParts;
use crate::run::corpus::scripted::Scripted;
use crate::run::corpus::text_set::TextSet;
use crate::run::error::BuildError;
use crate::run::pages::live;
use crate::run::source::claimed::ClaimReader;
use crate::run::source::files::Intact;
use crate::run::source::sources::Sources;
use crate::run::words::texts::LocaleTexts;
use crate::run::words::warned::NextWarnings;
use crate::run::words::word_counts::WordsBySource;
use crate::state::{
    CacheChange, CachedDrawing, CachedFacts, CachedPage, CachedPages, CachedRows, CachedText,
    CachedWords, SourceKind, SourceRecord,
};

/// The cached pages of an environment.
pub(in crate::run) async fn cached_rows(
    build: &Build<'_>,
    environment: [u8; 32],
    sources: &Sources,
    intact: &Intact<'_>,
) -> Result<CachedRows, BuildError> {
    let pages = sources
        .of_kind(SourceKind::Page)
        .filter(|(_, record)| intact.contains(&record.name));
    let parts = sign_for_lookups(build, sources);
    let signs: HashMap<PagePath, [u8; 32]> = pages
        .map(|(path, record)| {
            Ok((
                path.clone(),
                sign_for(record, &parts, &build.options.inputs)?,
            ))
        })
        .collect::<Result<_, BuildError>>()?;
    let id = build.site.id.clone();
    let is_current =
        move |path: &PagePath, page: &CachedPage| signs.get(path) == Some(&page.source);
    let known = build
        .stores
        .with_state(move |state| state.cached_pages(&id, &spelled(&environment), is_current))
        .await?;
    let mut known = known.unwrap_or_default();
    edited_words::forget_edited_pages(build, &mut known).await?;
    Ok(known)
}

/// Facts about pages for the next build; `None` if it must read every page.
#[expect(
    clippy::too_many_lines,
    reason = "one pass over the pages that were read"
)]
pub(in crate::run) fn cache_change(
    build: &Build<'_>,
    sources: &Sources,
    corpus: &Corpus,
    all: &[LocaleTexts],
    people: &str,
) -> Result<Option<CacheChange>, BuildError> {
    if build.site.scripts.live == Live::All || corpus.is_unsorted || !context::may_be_kept(build) {
        return Ok(None);
    }
    let Some(mut warnings) =
        NextWarnings::beside(corpus, &build.site.source_locale, all, build.options.limits)
    else {
        return Ok(None);
    };
    let home = PagePath::of_file("index.html");
    let parts = sign_for_lookups(build, sources);
    let mut read = CachedPages::on(build.stores.state.spill_file());
    let mut named = TextSet::default();
    let is_counted = !corpus.has_cached_drawn_pages();
    let limit = build.options.limits.shared_words;
    let mut shared: Vec<SharedTexts<'_>> = all
        .iter()
        .map(|texts| SharedTexts::new(texts, limit))
        .collect();
    let was_read =
        |path: &PagePath| !corpus.cached.contains_key(path) && !corpus.unreadable.contains(path);
    for (path, indices) in corpus
        .pages
        .iter()
        .filter(|(path, _)| **path != home && was_read(path))
    {
        let facts = corpus.facts.get(path).map(|facts| &**facts);
        // Words that nobody looked for are wanted as soon as the page has that version again.
        let has_all = !all
            .iter()
            .any(|texts| corpus.needs_no_words(&texts.locale, path));
        let can_be_cached = has_all
            && facts.is_none_or(CorpusFacts::can_be_cached)
            && has_lasting_words(build.site, corpus, path);
        let Some(record) = sources.records.get(path).filter(|_| can_be_cached) else {
            continue;
        };
        let indices = indices.to_vec();
        let texts: Option<Vec<CachedText>> = indices
            .iter()
            .map(|&index| cached_text(corpus, index))
            .collect();
        let is_mixed = texts
            .iter()
            .flatten()
            .any(|text| text.print == CachedText::MIXED);
        let words: Option<Box<[(Locale, CachedWords)]>> = all
            .iter()
            .map(|texts| {
                Some((
                    texts.locale.clone(),
                    cached_words(corpus, texts, &indices, &build.options.inputs)?,
                ))
            })
            .collect();
        let (Some(texts), Some(words)) = (texts, words) else {
            continue;
        };
        let source = sign_for(record, &parts, &build.options.inputs)?;
        let names = corpus.names.clues(path);
        let shared_bytes = if corpus.is_drawn(path) {
            corpus.shared_bytes_of(&indices)
        } else {
            0
        };
        let page = CachedPage {
            source,
            words,
            names,
            facts: cached_facts(facts, is_mixed, shared_bytes),
        };
        let noticed = warnings.on_page(&indices);
        if !read.add(path.clone(), &page, &texts, &noticed) {
            continue;
        }
        if is_counted && corpus.is_drawn(path) {
            shared
                .iter_mut()
                .for_each(|shared| shared.add(corpus, &indices));
        }
        for own in noticed.chunk_by(|one, other| one.text == other.text) {
            let index = own
                .first()
                .and_then(|first| indices.get(usize::try_from(first.text).ok()?));
            let Some(index) = index.and_then(|index| usize::try_from(*index).ok()) else {
                continue;
            };
            // A page may have a text twice.
            if !named.contains(index) {
                named.insert(index);
                warnings.take(path, index, own);
            }
        }
        named.extend(
            indices
                .iter()
                .filter_map(|&index| usize::try_from(index).ok()),
        );
    }
    let mut locales = warnings.with_known();
    for (known, shared) in locales.iter_mut().zip(&shared) {
        // Pages that were read only add to a known bound.
        known.shared_bytes = if is_counted {
            shared.bytes()
        } else {
            corpus.known_shared_bytes(&known.locale)
        };
    }
    let CachedTexts {
        different,
        read: known,
        gone,
        ..
    } = &corpus.cached_texts;
    let new = named.iter().filter(|&index| !known.contains(index)).count();
    let gone = (!corpus.cached.is_empty()).then(|| gone.clone());
    // Check the spill files first: unreadable rows must not become facts.
    corpus.texts.check()?;
    all.iter().try_for_each(|texts| texts.settled.check())?;
    all.iter()
        .filter_map(|texts| texts.remarks.as_ref())
        .try_for_each(|remarks| remarks.check())?;
    let environment = String::new();
    let read = Arc::new(read);
    let texts = (different + new) as u64;
    let names = corpus.names.print();
    let mixed = corpus.first_places();
    Ok(Some(CacheChange {
        environment,
        read,
        gone,
        texts,
        names,
        locales,
        mixed,
        people: people.to_owned(),
    }))
}

/// Fingerprint of what was looked up about pages beside their own sources: the parts that their links may open, and the
/// policies that a host sends with them.
fn sign_for_lookups(build: &Build<'_>, sources: &Sources) -> [u8; 32] {
    let mut key = build.options.inputs.key();
    let reader = ClaimReader::of(build.site);
    key.add_debug(&PageParts::candidates(sources, |page, written| {
        reader.page(page, written)
    }));
    let headers = PagePath::parse("/_headers")
        .ok()
        .and_then(|path| sources.records.get(&path));
    key.add_debug(&headers.map(|headers| &headers.hash));
    key.bytes()
}

/// False if scripts draw a page and its words do not last, or not all of them are in its HTML.
fn has_lasting_words(site: &SiteConfig, corpus: &Corpus, path: &PagePath) -> bool {
    let mut locales = site.locales.iter();
    !corpus.found.contains_key(path)
        && locales.all(|locale| live::unlasting(site, corpus, locale, path).is_none())
}

impl Corpus {
    /// Translation facts of a cached page.
    pub(in crate::run) fn cached_words(
        &self,
        locale: &Locale,
        path: &PagePath,
    ) -> Option<&CachedWords> {
        self.cached.get(path)?.words(locale)
    }
}

impl From<&CachedWords> for WordsBySource {
    fn from(words: &CachedWords) -> Self {
        let count = |words: u32| usize::try_from(words).unwrap_or(usize::MAX);
        let CachedWords {
            person,
            memory,
            untouched,
            ..
        } = *words;
        let person = count(person);
        let memory = count(memory);
        let untouched = count(untouched);
        Self {
            person,
            memory,
            untouched,
            ..Self::default()
        }
    }
}

/// Hexadecimal form of an environment.
pub(in crate::run) fn spelled(environment: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*environment).to_hex().to_string()
}

/// Fingerprint of everything that is known of a source.
fn sign_for(
    record: &SourceRecord,
    parts: &[u8; 32],
    inputs: &KeyInputs,
) -> Result<[u8; 32], BuildError> {
    let mut key = inputs.key();
    key.add_json(&*record.without_validators())?;
    key.add(parts);
    Ok(key.bytes())
}

/// Facts about a page; `None` if all have default values.
fn cached_facts(
    facts: Option<&CorpusFacts>,
    mixed: bool,
    shared_bytes: u64,
) -> Option<Box<CachedFacts>> {
    let CorpusFacts {
        scripted,
        forwards,
        claims,
        claimed,
        opens,
        leads_out,
        broken,
        left,
        refuses,
        letters,
        lacks_switcher,
        hosts,
        language: _,
        undecided: _,
        fixed: _,
    } = facts.cloned().unwrap_or_default();
    let Scripted {
        rendering,
        framework,
        policies,
    } = scripted.unwrap_or_default();
    let drawn = match rendering {
        Rendering::Static => None,
        Rendering::Hydrated | Rendering::ByScripts => Some(CachedDrawing {
            rendering,
            framework,
            shared_bytes,
        }),
    };
    let facts = CachedFacts {
        policies,
        drawn,
        forwards,
        claims,
        claimed,
        opens,
        leads_out,
        mixed,
        refuses,
        letters,
        lacks_switcher,
        broken,
        left,
        host: hosts.own,
        hosts: hosts.links,
    };
    (facts != CachedFacts::default()).then(|| Box::new(facts))
}

/// Key and fingerprint of a text; `None` if every build must read its page.
fn cached_text(corpus: &Corpus, index: u32) -> Option<CachedText> {
    let index = usize::try_from(index)
        .ok()
        .filter(|index| !corpus.texts.is_split(*index))?;
    Some(CachedText {
        key: corpus.texts.key(index)?,
        print: corpus.texts.print(index).unwrap_or(CachedText::MIXED),
    })
}

/// Word counts and fingerprints of a page; `None` if the next build must read it.
fn cached_words(
    corpus: &Corpus,
    texts: &LocaleTexts,
    indices: &[u32],
    inputs: &KeyInputs,
) -> Option<CachedWords> {
    let is_notable =
        |&index: &u32| usize::try_from(index).is_ok_and(|index| texts.notable.contains(index));
    let WordsBySource {
        person,
        memory,
        engine,
        untouched,
        untranslated,
    } = texts.words(corpus, indices);
    let is_lasting = untranslated == 0 && !indices.iter().any(is_notable);
    // A page has no more words than that.
    let count = |words: usize| u32::try_from(words).unwrap_or(u32::MAX);
    let words = || CachedWords {
        person: count(person),
        memory: count(memory + engine),
        untouched: count(untouched),
        to_review: u32::try_from(texts.to_review_on(indices)).unwrap_or(u32::MAX),
        print: texts.print(indices),
        key: words_key(inputs, indices.iter().map(|&index| texts.spoken(index))),
    };
    is_lasting.then(words)
}
