//! Pages of a build: each is carried over or rendered in every locale, and put into the draft.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::own_object::own_script;
use super::references::SiteContext;
use super::republish::{self};
use super::search::{self, SaidPages, needs};
use super::version::{self, Original, PageVersion, VersionSpeech};
use crate::config::SiteConfig;
use crate::model::{Locale, PagePath, RenderCause};
use crate::page::{Page, read_content};
use crate::run::context::{self, Build};
use crate::run::corpus::extract;
use crate::run::error::BuildError;
use crate::run::memo::known_versions::{NO_PRINT, VersionReads};
use crate::run::memo::{carry, unchanged_versions};
use crate::run::report::build_report::{Noticed, RefusedText};
use crate::run::report::named::named;
use crate::run::report::work::BuildWork;
use crate::run::source::sources::Sources;
use crate::search::to_row;
use crate::state::{RenderedRow, SourceKind, SourceRecord, Stage};
use crate::store::{Draft, Put, Tree};

/// Pages that were put, and what is to be said of them.
pub(super) struct PutPages {
    pub(super) said: SaidPages,
    pub(super) updated: BTreeMap<Locale, usize>,
    pub(super) rewritten: BTreeMap<Locale, BTreeSet<PagePath>>,
    pub(super) work: BuildWork,
    pub(super) noticed: Vec<Noticed>,
}

/// A version of a page in the draft.
struct StoredVersion {
    locale: Locale,
    put: Put,
    refused: Vec<RefusedText>,
    /// The page, where it has words of the locale.
    spoken: Option<PagePath>,
    lacks_template: bool,
    /// Cause of its rendering; `None` if it was carried over.
    cause: Option<RenderCause>,
    /// Search row of a new version, if the site has a search index.
    row: Option<Vec<u8>>,
}

impl StoredVersion {
    /// A version that stays as it is.
    fn unchanged(site: &SiteContext<'_>, path: &PagePath, locale: Locale) -> Self {
        let spoken = site.is_translated(&locale, path).then(|| path.clone());
        Self {
            locale,
            put: Put::Unchanged,
            refused: Vec::new(),
            spoken,
            lacks_template: false,
            cause: None,
            row: None,
        }
    }
}

/// Renders the versions of all pages and puts those that changed.
pub(super) async fn put_pages(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    draft: &Draft,
) -> Result<PutPages, BuildError> {
    let mut pages = PutPages {
        said: SaidPages::on(build.stores.state.spill_file()),
        updated: BTreeMap::new(),
        rewritten: BTreeMap::new(),
        work: BuildWork::default(),
        noticed: Vec::new(),
    };
    let total = site.corpus.pages.len();
    let has_search = !site.corpus.indexes.is_empty() || site.corpus.pagefind.is_some();
    let rendered = stream::iter(sources.of_kind(SourceKind::Page))
        .map(|(path, record)| put_page(build, site, original(site, path, record), draft))
        .buffered(build.options.jobs.get());
    let mut rendered = std::pin::pin!(rendered);
    let mut done = 0;
    let mut lacking = BTreeSet::new();
    while let Some((path, stored)) = rendered.try_next().await? {
        for StoredVersion {
            locale,
            put,
            refused,
            spoken,
            lacks_template,
            cause,
            row,
        } in stored
        {
            pages.work.count(path, &locale, cause);
            lacking.extend(lacks_template.then(|| path.to_string()));
            if has_search && locale != build.site.source_locale {
                pages.said.note(&locale, path);
            }
            if let Some((row, print)) =
                row.zip(search::fingerprint_of_said(site, draft, (&locale, path)))
            {
                pages.said.add(&locale, path, &print, &row);
            }
            if let Some(path) = spoken.filter(|_| put != Put::Unchanged) {
                pages
                    .rewritten
                    .entry(locale.clone())
                    .or_default()
                    .insert(path);
            }
            *pages.updated.entry(locale.clone()).or_default() += usize::from(put != Put::Unchanged);
            pages.noticed.extend(
                refused
                    .into_iter()
                    .map(|refused| Noticed::Refused(locale.clone(), refused)),
            );
        }
        done += 1;
        context::step(build, Stage::Render, done, Some(total));
    }
    if !lacking.is_empty() {
        let named = named(&lacking.into_iter().collect::<Vec<_>>());
        pages.noticed.push(Noticed::Notice(format!(
            "a template of the site is left out of pages in XHTML, because it is no well-formed XML: {named}"
        )));
    }
    Ok(pages)
}

/// Carries the versions of a page over that would come out as they are, renders the others, and puts what changed.
#[expect(
    clippy::too_many_lines,
    reason = "the versions of one page: carried over, rendered, put"
)]
async fn put_page<'p>(
    build: &Build<'_>,
    site: &'p SiteContext<'_>,
    original: Original<'p>,
    draft: &Draft,
) -> Result<(&'p PagePath, Vec<StoredVersion>), BuildError> {
    let Original { path, record, .. } = original;
    let mut versions: Vec<(PageVersion, Option<VersionReads>, RenderCause)> = Vec::new();
    if !original.is_written() {
        let kept = republish::kept_versions(build, site, path, record, draft).await?;
        versions.extend(
            kept.into_iter()
                .map(|version| (version, None, RenderCause::Kept)),
        );
    }
    let mut stored = Vec::new();
    let mut open = Vec::new();
    let is_cached = site.corpus.cached.contains_key(path) && !original.is_written();
    for speech in speeches(build.site, site, original) {
        let locale = speech.locale();
        if is_cached && unchanged_versions::is_unchanged(site, path) {
            unchanged_versions::check_unchanged(build, site, (locale, path), draft, || {
                carry::version_reads(build, site, original, speech)
            })
            .await?;
            if draft
                .keep(&Tree::Locale(locale.clone()), &site.name(locale, path))
                .await?
            {
                stored.push(StoredVersion::unchanged(site, path, locale.clone()));
                continue;
            }
        }
        let reads = carry::version_reads(build, site, original, speech);
        match carry::carry_over(build.options, site, path, locale, &reads, draft).await? {
            Ok(()) => stored.push(StoredVersion::unchanged(site, path, locale.clone())),
            Err(cause) => open.push((speech, reads, cause)),
        }
    }
    if !open.is_empty()
        && let Some(page) = parse_original(build, site, original).await?
    {
        for (speech, reads, cause) in open {
            let is_again = is_cached && !speech.is_source();
            let again = match is_again {
                true => carry::translate_again(build, site, &page, speech.locale()).await?,
                false => Vec::new(),
            };
            let speech = if is_again {
                VersionSpeech::Before(speech.locale(), &again)
            } else {
                speech
            };
            versions.push((
                version::render(build, site, original, &page, speech)?,
                Some(reads),
                cause,
            ));
        }
    }
    for (
        PageVersion {
            tree,
            object,
            refused,
            locale,
            file,
            lacks_template,
            asked,
        },
        reads,
        cause,
    ) in versions
    {
        let is_plain = refused.is_empty() && !lacks_template;
        let row = match reads {
            Some(reads) => {
                let (key, parts) = site.carry.key_among(&reads, &asked);
                let print = if is_plain {
                    carry::fingerprint_of_object(build.options, &object)
                } else {
                    NO_PRINT
                };
                let file = file.as_ref().map(|file| file.name.clone());
                Some(RenderedRow {
                    key,
                    print,
                    parts,
                    cause,
                    file,
                    asked,
                })
            }
            // The former inputs tell the cause of the new rendering.
            None => site.carry.row(&locale, path).map(|row| RenderedRow {
                print: NO_PRINT,
                cause,
                ..row.clone()
            }),
        };
        if let Some(file) = file {
            draft.share(&Tree::Shared, own_script(&file)).await?;
        }
        let needs = needs(site.corpus).filter(|_| locale != build.site.source_locale);
        let said = needs.map(|needs| to_row(&read_content(&object.body), needs));
        let put = draft.put(&tree, object).await?;
        if let Some(row) = row {
            site.carry.note(&locale, path, &row);
        }
        let carried = StoredVersion::unchanged(site, path, locale);
        stored.push(StoredVersion {
            put,
            refused,
            lacks_template,
            row: said,
            cause: Some(cause),
            ..carried
        });
    }
    Ok((path, stored))
}

/// Parses a page of the source in the language that it says it is in: a theme may leave the `lang` of the source on a version that
/// the author wrote.
async fn parse_original(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    Original { source, record, .. }: Original<'_>,
) -> Result<Option<Arc<Page>>, BuildError> {
    let own = match site.corpus.written.version_at(source) {
        Some((locale, _)) => extract::parse_in(build, locale, source, record).await?,
        None => None,
    };
    if let Some(page) = own
        && let Some(claimed) = page
            .claimed_language()
            .and_then(|tag| Locale::parse(&tag).ok())
        && !claimed.same_language(&build.site.source_locale)
    {
        return Ok(Some(page));
    }
    extract::parse(build, source, record).await
}

/// The versions of a page that this build makes of a page of the source; none of one whose bytes are missing.
fn speeches<'t>(
    config: &'t SiteConfig,
    site: &'t SiteContext<'_>,
    original: Original<'_>,
) -> Vec<VersionSpeech<'t>> {
    let Original { path, source, .. } = original;
    let corpus = site.corpus;
    let mut speeches = Vec::new();
    if corpus.unreadable.contains(source) {
        return speeches;
    }
    if context::publishes_source(config) && !original.is_written() {
        speeches.push(VersionSpeech::Source(&config.source_locale));
    }
    for texts in &site.texts {
        let locale = &texts.locale;
        let of = corpus
            .written
            .get(locale, path)
            .map_or(path, |version| &version.path);
        if of == source && site.addresses.is_published(locale, path) && !site.kept.has(locale, path)
        {
            speeches.push(VersionSpeech::Now(texts));
        }
    }
    speeches
}

/// A page of the source, with the page whose version it is.
fn original<'p>(
    site: &'p SiteContext<'_>,
    path: &'p PagePath,
    record: &'p SourceRecord,
) -> Original<'p> {
    match site.corpus.written.version_at(path) {
        Some((_, page)) => Original {
            path: page,
            source: path,
            record,
        },
        None => Original::of(path, record),
    }
}
