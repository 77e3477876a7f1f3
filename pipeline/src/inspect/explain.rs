//! Where the texts of one page come from in a locale, and why the others are in the source language.
//!
//! Everything is worked out from what the last build left and from the files of today, by the functions that a build
//! uses: what is said here is what a build without engines would do now. Nothing is fetched, asked or published.
//!
//! One file: one answer and its parts.

mod notes;
mod versions;

use futures::future::LocalBoxFuture;
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use self::notes::{note_of_lasting, notes};
use self::versions::{note_of_single, notes_of_versions};
use crate::addresses::{Addresses, CrawledSite};
use crate::config::{SiteConfig, SourceLocation};
use crate::crawl::page_of;
use crate::model::{Locale, PagePath, RenderCause, SegmentKey, SiteId};
use crate::page::{CodedText, Page, PageChanges, Segment};
use crate::run::corpus::extract;
use crate::run::memo::cached_texts;
use crate::run::memory::store_files;
use crate::run::pages::{kept, live};
use crate::run::source::crawl;
use crate::run::words::{locales, word_files};
use crate::run::{
    Build, BuildError, BuildLocale, BuildOptions, Corpus, LocaleTexts, People, RunEngines, Sources,
    Stores, TranslationTable, WordsBySource, glossary, resolve_without_engine,
};
use crate::state::SourceKind;
use crate::store::{Published, SourceIndex, Tree};
use crate::translate::{BY_RULES, Chain, Remembered, ResolvedText, Terms, TranslationOrigin};

/// What there is to say about a path.
#[derive(Clone, Debug)]
pub enum Explained {
    /// It is a page, a feed or a manifest.
    Page(Box<Explanation>),
    /// The site leaves it out; the pattern that says so, or none where no pattern of `include` names it.
    Excluded(PagePath, Option<String>),
    /// It is published as it is.
    File(PagePath),
    /// The bytes of its source are missing from the store.
    Missing(PagePath),
    /// The last build saw nothing there.
    Unknown(PagePath),
}

/// Where the texts of a page come from. It is also read as the API writes it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// The site.
    #[serde(alias = "siteId")]
    pub site: SiteId,
    /// The page's path in the source.
    #[serde(alias = "path")]
    pub page: PagePath,
    /// What else holds for the page in every locale, as sentences.
    pub notes: Vec<String>,
    /// The locales that were asked for.
    #[serde(alias = "languages")]
    pub locales: Vec<PageInLocale>,
    /// The texts that no locale translates.
    pub kept: Vec<KeptText>,
}

/// A page in a locale.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageInLocale {
    /// The locale.
    #[serde(alias = "targetLang")]
    pub locale: Locale,
    /// Whether the page exists in it, after what people and the memory have now.
    pub standing: PageStanding,
    /// Whether the newest deployment has it in this locale.
    pub published: bool,
    /// Where that is an older version, because the new one could not be made: the deployment in which it was up to date
    /// for the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_since: Option<u64>,
    /// Why the published version was rendered, where this state knows it. A build carries it over as long as nothing changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered_because: Option<RenderCause>,
    /// The share of its words that are translated, 0 to 1.
    #[serde(alias = "translated")]
    pub share: f64,
    /// The share that the site wants.
    pub min_translated: f64,
    /// Its words by where their translation comes from.
    pub words: WordsBySource,
    /// Its texts, in the order in which they stand.
    pub texts: Vec<TextSource>,
    /// What would translate the texts that nobody has words for.
    pub hints: Vec<String>,
    /// Whether an engine of the site takes the locale.
    #[serde(skip)]
    pub is_offered: bool,
}

impl PageInLocale {
    /// How many different texts of the page wait for a person.
    pub fn to_review(&self) -> usize {
        let texts = self.texts.iter().filter(|text| text.to_review);
        texts
            .map(|text| text.source.as_str())
            .collect::<BTreeSet<_>>()
            .len()
    }
}

/// Whether a page exists in a locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PageStanding {
    /// Enough of it is translated.
    Translated,
    /// Less of it is translated than the site wants.
    #[serde(alias = "too_little")]
    TooLittle,
    /// The locale is switched off.
    Off,
}

/// Where a text comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextSource {
    /// The source text, with inline codes.
    pub source: String,
    /// What stands there instead; nothing where the source text does.
    pub target: Option<String>,
    /// The element or attribute it stands in.
    pub place: String,
    /// Who made it.
    pub origin: TextOrigin,
    /// The file with a person's words, and the line.
    pub file: Option<PathBuf>,
    /// The line in that file.
    pub line: Option<usize>,
    /// The text that a person translated, where the words are carried from one of the same wording.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_from: Option<String>,
    /// What a person wrote for a similar text, or marked as fuzzy; it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outdated: Option<OutdatedText>,
    /// Whether a person's words for it wait: they are refused, outdated or marked as fuzzy.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub to_review: bool,
    /// The engine that made it, with its version and model.
    pub engine: Option<String>,
    /// What was refused on the way.
    pub refused: Vec<String>,
    /// Names of the site in this text that are not translated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Source and target as people read them, in lower case.
    #[serde(skip)]
    read: String,
}

/// A translation whose text changed, so that a translator has to look at it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutdatedText {
    /// The text that a person translated.
    pub source: String,
    /// The words.
    pub target: String,
}

/// Who made a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextOrigin {
    /// A person, in the file of reviewed translations.
    Person,
    /// An engine, in an earlier build.
    Memory,
    /// Nobody: there is no word in it.
    Untouched,
    /// Nobody: its element is not there in this locale (`its-locale-filter-list`).
    #[serde(alias = "left_out")]
    LeftOut,
    /// Nobody: what a person or an engine gave was refused.
    Refused,
    /// Nobody has words for it.
    None,
}

/// A text of the page that no locale translates.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptText {
    /// The text; of a tag or a comment, what is written there.
    pub text: String,
    /// The element it stands in.
    pub element: String,
    /// What keeps it as it is.
    pub rule: String,
    /// Whether browsers show it; the API gives nothing else.
    #[serde(default = "yes")]
    pub shown: bool,
}

/// Why there are no texts to tell of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoExplanation {
    /// For programs: `excluded`, `file` or `source_missing`.
    pub code: &'static str,
    /// For people.
    pub text: String,
}

impl Explained {
    /// The page's path in the source.
    pub fn path(&self) -> &PagePath {
        match self {
            Self::Page(explanation) => &explanation.page,
            Self::Excluded(path, _)
            | Self::File(path)
            | Self::Missing(path)
            | Self::Unknown(path) => path,
        }
    }

    /// Why there are no texts to tell of, although the site has something there.
    pub fn why(&self) -> Option<NoExplanation> {
        let (code, text) = match self {
            Self::Page(_) | Self::Unknown(_) => return None,
            Self::Excluded(_, Some(pattern)) => ("excluded", format!("the pattern {pattern:?} leaves it out")),
            Self::Excluded(_, None) => ("excluded", "no pattern of `include` names it".to_owned()),
            Self::File(_) => (
                "file",
                "to this site it is a file, not a page: it is published as it is, in its own language".to_owned(),
            ),
            Self::Missing(_) => (
                "source_missing",
                "the bytes of its source are missing from the store, so its texts are not known; readers keep the version \
                 that is published, and the next `latimer build` fetches the source again"
                    .to_owned(),
            ),
        };
        Some(NoExplanation { code, text })
    }
}

impl Explanation {
    /// Leaves the texts that mention this one, or all that readers see. Kept texts that no reader sees stay where nothing
    /// else is left. Says whether anything is left.
    pub fn select(&mut self, text: Option<&str>) -> bool {
        let Some(text) = text else {
            self.kept.retain(|kept| kept.shown);
            return true;
        };
        self.locales
            .iter_mut()
            .for_each(|locale| locale.texts.retain(|source| source.mentions(text)));
        self.kept.retain(|kept| kept.mentions(text));
        let is_seen = self.locales.iter().any(|locale| !locale.texts.is_empty())
            || self.kept.iter().any(|kept| kept.shown);
        if is_seen {
            self.kept.retain(|kept| kept.shown);
        }
        is_seen || !self.kept.is_empty()
    }
}

fn yes() -> bool {
    true
}

impl TextSource {
    /// Whether a text is part of it, in the source or in the target, whatever the case of letters.
    fn mentions(&self, text: &str) -> bool {
        self.read.contains(&text.to_lowercase())
    }
}

impl KeptText {
    /// Whether a text is part of it, whatever the case of letters.
    fn mentions(&self, text: &str) -> bool {
        self.text.to_lowercase().contains(&text.to_lowercase())
    }
}

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

/// What the memory has for the texts of a page.
async fn recall_page(
    build: &Build<'_>,
    held: &PageTexts<'_>,
    locale: &Locale,
) -> Result<HashMap<SegmentKey, Remembered>, BuildError> {
    store_files::take_memory(build, locale).await?;
    let id = build.site.id.clone();
    let tag = locale.clone();
    let keys: Vec<SegmentKey> = held.texts().map(|(_, key, _)| key).collect();
    let mut memory: HashMap<SegmentKey, Remembered> = build
        .stores
        .with_state(move |state| state.recall(&id, &tag, &keys))
        .await?;
    // Files beside the site enter the memory with the next build.
    memory.extend(word_files::memory_lines(build, locale)?.entries());
    Ok(memory)
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
    let memory = recall_page(build, held, locale).await?;
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
                text.file = site
                    .translations
                    .as_ref()
                    .map(|file| file.path(&texts.locale));
                text.line = people.line(segment);
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
