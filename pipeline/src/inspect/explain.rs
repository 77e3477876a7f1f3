//! Where the texts of one page come from in a locale, and why the others are in the source language.
//!
//! Everything is worked out from what the last build left and from the files of today, by the functions that a build
//! uses: what is said here is what a build without engines would do now. Nothing is fetched, asked or published.

mod answer;
mod notes;
mod versions;

use futures::future::LocalBoxFuture;
use std::collections::HashMap;

pub use self::answer::{
    Explained, Explanation, KeptText, NoExplanation, OutdatedText, PageInLocale, PageStanding,
    TextOrigin, TextSource,
};
use self::notes::{note_of_lasting, notes};
use self::versions::{note_of_single, notes_of_versions};
use crate::addresses::{Addresses, CrawledSite};
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl::page_of;
use crate::model::{Locale, PagePath, RenderCause, SegmentKey};
use crate::page::{CodedText, Page, PageChanges, Segment};
use crate::run::corpus::extract;
use crate::run::memo::cached_texts;
use crate::run::memory::recall;
use crate::run::pages::{kept, live};
use crate::run::source::crawl;
use crate::run::words::{locales, word_files};
use crate::run::{
    Build, BuildError, BuildLocale, BuildOptions, Corpus, LocaleTexts, People, RunEngines, Sources,
    Stores, TranslationTable, glossary, resolve_without_engine,
};
use crate::state::SourceKind;
use crate::store::{Published, SourceIndex, Tree};
use crate::translate::{BY_RULES, Chain, ResolvedText, Terms, TranslationOrigin};

/// Says where the texts of a page come from in these locales.
///
/// # Errors
/// [`BuildError::NothingStored`] before the first build; another [`BuildError`] where files, state or store cannot be read.
pub fn explain<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    path: &'a PagePath,
    locales: &'a [Locale],
) -> LocalBoxFuture<'a, Result<Explained, BuildError>> {
    Box::pin(async move {
        let build = &Build {
            site,
            stores,
            options,
            progress: &|_| (),
        };
        let previous = Published::newest(&stores.objects, &site.id, None).await?;
        let sources = crawl::stored_sources(build, previous.as_ref()).await?;
        let path = meant(site, &sources, path);
        let record = match sources.records.get(&path) {
            Some(record) if record.kind != SourceKind::File => record.clone(),
            Some(_) => return Ok(Explained::File(path)),
            None => return Ok(absent(site, path)),
        };
        let corpus =
            cached_texts::read_corpus_around(build, &path, locales, &sources, previous.as_ref())
                .await?;
        let Some(page) = extract::parse(build, &path, &record).await? else {
            return Ok(Explained::Missing(path));
        };
        let indices = corpus.shown(&path);
        let made_of = match &previous {
            Some(published) => crate::run::made_of(&stores.objects, published)
                .await?
                .unwrap_or_default(),
            None => SourceIndex::default(),
        };
        let held = PageTexts {
            path: &path,
            page: &page,
            corpus: &corpus,
            indices: &indices,
            made_of: &made_of,
        };
        let targets = locales::build_locales(build, previous.as_ref()).await?;
        let mut explained = Vec::new();
        let wanted = targets
            .all
            .iter()
            .filter(|target| locales.contains(&target.locale));
        for target in wanted.filter(|target| !corpus.needs_no_words(&target.locale, &path)) {
            explained.push(explain_locale(build, &held, target, previous.as_ref()).await?);
        }
        let kept = page.kept(&site.rules).into_iter().map(|kept| KeptText {
            text: kept.text,
            element: kept.element,
            rule: kept.rule,
            shown: kept.shown,
        });
        let mut notes = notes(&page);
        notes.extend(note_of_lasting(build, &corpus, &path));
        notes.extend(note_of_single(site, &corpus, &path));
        notes.extend(notes_of_versions(site, &corpus, &path));
        let site = site.id.clone();
        let kept = kept.collect();
        Ok(Explained::Page(Box::new(Explanation {
            site,
            page: path,
            notes,
            locales: explained,
            kept,
        })))
    })
}

/// The page that a path of the source leads to.
fn meant(site: &SiteConfig, sources: &Sources, path: &PagePath) -> PagePath {
    let known = CrawledSite {
        pages: sources
            .of_kind(SourceKind::Page)
            .map(|(path, _)| path.clone())
            .collect(),
        files: sources.files().map(|(path, _)| path.clone()).collect(),
        redirects: sources
            .redirects
            .iter()
            .map(|(from, redirect)| (from.clone(), redirect.to.clone()))
            .collect(),
        ..CrawledSite::default()
    };
    let query = path.query().and_then(|query| site.crawl.query.kept(query));
    let own = query
        .map(|query| path.with_query(&query))
        .filter(|page| sources.records.contains_key(page));
    let plain = || PagePath::parse(path.path()).unwrap_or_else(|_| path.clone());
    Addresses::new(site, known).meant(own.unwrap_or_else(plain))
}

/// Why a path is none of the site's.
fn absent(site: &SiteConfig, path: PagePath) -> Explained {
    let is_there = match &site.source {
        SourceLocation::Web(_) => true,
        SourceLocation::Folder(folder) => {
            let own = site.own_files.resolve(&site.locales);
            page_of(folder, &own, &path, site.crawl.max_page_bytes).is_some()
        }
    };
    if is_there && !site.paths.allows_page(&path) {
        let pattern = site.paths.pattern(&path).map(str::to_owned);
        return Explained::Excluded(path, pattern);
    }
    Explained::Unknown(path)
}

/// A page with its texts.
struct PageTexts<'a> {
    path: &'a PagePath,
    page: &'a Page,
    corpus: &'a Corpus,
    /// Its texts among those of the site.
    indices: &'a [u32],
    /// What the newest deployment was made of.
    made_of: &'a SourceIndex,
}

impl PageTexts<'_> {
    /// Its segments as the site has them, with their keys.
    fn texts(&self) -> impl Iterator<Item = (usize, SegmentKey, Segment)> {
        self.indices.iter().filter_map(|&index| {
            let index = usize::try_from(index).ok()?;
            self.corpus
                .texts
                .get(index)
                .map(|text| (index, text.key, text.segment))
        })
    }
}

async fn explain_locale(
    build: &Build<'_>,
    held: &PageTexts<'_>,
    target: &BuildLocale,
    previous: Option<&Published>,
) -> Result<PageInLocale, BuildError> {
    let locale = &target.locale;
    let pair = build.site.pair_to(locale);
    let chain = RunEngines::of(build.site, &build.options.meter).chain(locale);
    let catalogue = word_files::catalogue(build, locale).await?;
    let keys = held.texts().map(|(_, key, _)| key).collect();
    let memory = recall::recall_with_files(build, locale, keys).await?;
    let people = People::of_site(build.site, locale, catalogue, held.corpus).await?;
    let route = chain.fingerprints(pair);
    let terms = held.corpus.terms(
        build.site,
        locale,
        &glossary(build.site)?,
        people.catalogue(),
    );
    let settle = |(_, key, segment): (usize, SegmentKey, Segment)| {
        resolve_without_engine(
            &segment,
            locale,
            &people,
            memory.get(&key),
            (&route, &terms),
        )
    };
    let mut own: Vec<ResolvedText> = held.texts().map(settle).collect();
    let segments: Vec<Segment> = held.texts().map(|(_, _, segment)| segment).collect();
    kept::touch(build.site, &chain, locale, &segments, &mut own);
    let mut settled = TranslationTable::untranslated(
        held.corpus.texts.len(),
        &build.stores.state,
        build.options.limits,
    );
    held.texts()
        .zip(own)
        .for_each(|((index, _, _), own)| settled.set(index, own));
    let texts = LocaleTexts::known(locale.clone(), settled);
    let words = live::lasting_words(build.site, held.corpus, &texts, held.path, held.indices);
    let is_enough = words.share() >= build.site.min_translated;
    let standing = match (target.is_built(), is_enough) {
        (false, _) => PageStanding::Off,
        (true, true) => PageStanding::Translated,
        (true, false) => PageStanding::TooLittle,
    };
    let explained = text_sources(build.site, held, &texts, &people, &terms);
    held.corpus.texts.check()?;
    texts.settled.check()?;
    let lacks = explained.iter().any(|text| text.origin == TextOrigin::None);
    let tree = Tree::Locale(locale.clone());
    Ok(PageInLocale {
        locale: locale.clone(),
        standing,
        published: previous.is_some_and(|site| {
            site.settings().is_on(locale) && site.page(&tree, held.path).is_some()
        }),
        rendered_because: rendered_because(build, locale, held.path).await?,
        kept_since: held
            .made_of
            .up_to_date
            .get(locale)
            .and_then(|pages| pages.get(held.path))
            .copied(),
        share: words.share(),
        min_translated: build.site.min_translated,
        words,
        texts: explained,
        hints: if lacks {
            hints(build.site, &chain, locale)
        } else {
            Vec::new()
        },
        is_offered: chain.offers(pair),
    })
}

/// Why the version of a page was rendered that is published, or was the last time.
async fn rendered_because(
    build: &Build<'_>,
    locale: &Locale,
    path: &PagePath,
) -> Result<Option<RenderCause>, BuildError> {
    let id = build.site.id.clone();
    let locale = locale.clone();
    let path = path.clone();
    let row = build
        .stores
        .with_state(move |state| state.rendered_version(&id, &locale, &path))
        .await?;
    Ok(row.map(|row| row.cause))
}

fn text_sources(
    site: &SiteConfig,
    held: &PageTexts<'_>,
    texts: &LocaleTexts,
    people: &People,
    terms: &Terms,
) -> Vec<TextSource> {
    let changes = PageChanges {
        speak: Some(&texts.locale),
        ..PageChanges::default()
    };
    let words: Vec<Option<CodedText>> = held
        .indices
        .iter()
        .map(|&index| texts.text(index))
        .collect();
    let rendered = held
        .page
        .render(|index| words.get(index)?.as_ref(), &changes);
    let refused: HashMap<usize, String> = rendered
        .refused
        .iter()
        .map(|(index, error)| (*index, error.to_string()))
        .collect();
    // Places of one text differ; where each stands, the page knows. What scripts put in comes behind.
    let places = held
        .page
        .segments()
        .map(|segment| segment.origin.to_string());
    let places = places.chain(std::iter::repeat_with(|| "script".to_owned()));
    let of_page = held.texts().zip(places).enumerate();
    of_page
        .filter_map(|(position, ((index, _, segment), place))| {
            let segment = &segment;
            let settled = &texts.settled.get(index)?;
            let mut text = text_source(segment, settled, &texts.locale);
            text.place = place;
            if text.origin != TextOrigin::Person {
                text.names = terms.names_in(segment);
            }
            if text.origin == TextOrigin::Person {
                text.line = people.line(segment);
                // Words of the screen and the API stand in no file.
                let file = site.translations.as_ref().filter(|_| text.line.is_some());
                text.file = file.map(|file| file.path(&texts.locale));
                text.carried_from = people.carried(segment).map(|moved| moved.source.clone());
            }
            if text.origin != TextOrigin::LeftOut {
                text.outdated = people.waiting(segment).map(|waiting| OutdatedText {
                    source: waiting.former.unwrap_or_else(|| text.source.clone()),
                    target: waiting.words.to_owned(),
                });
                text.to_review = text.outdated.is_some() || settled.has_refused_words();
            }
            if let Some(reason) = refused.get(&position) {
                (text.origin, text.target) = (TextOrigin::Refused, None);
                text.refused.push(reason.clone());
            }
            Some(text)
        })
        .collect()
}

fn text_source(segment: &Segment, settled: &ResolvedText, locale: &Locale) -> TextSource {
    let is_left_out = segment
        .filter
        .as_ref()
        .is_some_and(|filter| !filter.admits(locale));
    let (origin, engine) = match &settled.origin {
        TranslationOrigin::Person => (TextOrigin::Person, None),
        TranslationOrigin::Memory(engine) | TranslationOrigin::Engine(engine) => {
            (TextOrigin::Memory, Some(engine.clone()))
        }
        TranslationOrigin::Untouched if is_left_out => (TextOrigin::LeftOut, None),
        TranslationOrigin::Untouched if settled.text.is_some() => {
            (TextOrigin::Memory, Some(BY_RULES.to_owned()))
        }
        TranslationOrigin::Untouched => (TextOrigin::Untouched, None),
        TranslationOrigin::Refused => (TextOrigin::Refused, None),
        TranslationOrigin::None if settled.notices.is_empty() => (TextOrigin::None, None),
        TranslationOrigin::None => (TextOrigin::Refused, None),
    };
    let target = settled
        .text
        .as_ref()
        .map(|text| text.text())
        .unwrap_or_default();
    TextSource {
        source: segment.text.to_markup(),
        target: settled.text.as_ref().map(|text| text.to_markup()),
        place: String::new(),
        origin,
        file: None,
        line: None,
        carried_from: None,
        outdated: None,
        to_review: false,
        engine,
        refused: settled.notices.iter().map(ToString::to_string).collect(),
        names: Vec::new(),
        read: format!("{}\n{target}", segment.text.text()).to_lowercase(),
    }
}

/// Hints at engines that would translate the texts without words.
fn hints(site: &SiteConfig, chain: &Chain, locale: &Locale) -> Vec<String> {
    if chain.offers(site.pair_to(locale)) {
        return vec!["the next `latimer build` asks an engine for it".to_owned()];
    }
    let hints = chain.hints(site.pair_to(locale));
    if hints.is_empty() {
        vec!["no engine is configured; set `engine`".to_owned()]
    } else {
        hints
    }
}
