//! Stages four and five: every page in every locale, and the deployment that makes them the site.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, TryStreamExt, stream};

use super::pagefind::{self, PutPagefind};
use super::put_pages::{PutPages, put_pages};
use super::references::{SiteContext, SiteOutline};
use super::republish::{self, Stays};
use super::search::{self};
use super::survey::{self, LocaleFigures};
use super::{copies, documents, kept, own_files, put_locale_files, rtl, source_listing};
use crate::model::{DeploymentId, Locale, PagePath, assign_names};
use crate::run::context::{self, Build, blocking};
use crate::run::corpus::contents::Corpus;
use crate::run::error::BuildError;
use crate::run::memo::{carry, unchanged_versions};
use crate::run::report::build_report::{KeptPage, Noticed, Report, SearchLeft};
use crate::run::report::work::BuildWork;
use crate::run::source::crawl;
use crate::run::source::query_files::published_path;
use crate::run::source::sources::{self, Sources};
use crate::run::words::locales::BuildLocales;
use crate::run::words::texts::LocaleTexts;
use crate::run::words::word_counts::WordsBySource;
use crate::state::{SourceKind, SourceRecord, Stage};
use crate::store::{
    self, Draft, FinishedDraft, Object, Published, ServingSettings, SourceIndex, Tree,
};

/// What publishing came to.
pub(in crate::run) struct PublishNotes {
    /// What each locale has of the pages.
    figures: BTreeMap<Locale, LocaleFigures>,
    /// Versions that stay, by locale.
    kept: BTreeMap<Locale, Vec<KeptPage>>,
    /// New and changed versions of pages, by locale.
    updated: BTreeMap<Locale, usize>,
    /// Pages with words of a locale among them.
    rewritten: BTreeMap<Locale, BTreeSet<PagePath>>,
    work: BuildWork,
    noticed: Vec<Noticed>,
    /// True if only the source is published, because no language has an engine or a page yet.
    is_source_alone: bool,
    search_left: SearchLeft,
    ended: Option<PublishEnd>,
}

/// Which deployment is the site now.
enum PublishEnd {
    /// What was made, or the one before where nothing changed.
    Finished(FinishedDraft, DeploymentId),
    /// The one before, because nothing at all is translated.
    Stays(u64, DeploymentId),
}

impl PublishNotes {
    fn new(
        site: &SiteContext<'_>,
        figures: BTreeMap<Locale, LocaleFigures>,
        previous: Option<&Published>,
    ) -> Self {
        let pages = |locale: &Locale| {
            previous
                .map(|previous| site.kept.pages(locale, previous))
                .unwrap_or_default()
        };
        let kept = figures
            .keys()
            .map(|locale| (locale.clone(), pages(locale)))
            .collect();
        let updated = BTreeMap::new();
        let rewritten = BTreeMap::new();
        let work = BuildWork::default();
        let noticed = site.kept.lacking(site.corpus);
        let search_left = SearchLeft::Nothing;
        Self {
            figures,
            kept,
            updated,
            rewritten,
            work,
            noticed,
            is_source_alone: false,
            search_left,
            ended: None,
        }
    }

    /// That nothing is published, because nothing at all is translated.
    fn nothing(mut self, previous: Option<&Published>) -> Self {
        let stays = match previous {
            Some(previous) => format!("deployment {} stays", previous.deployment()),
            None => "there is no deployment yet".to_owned(),
        };
        let notice =
            format!("nothing was published, because no text at all could be translated; {stays}");
        self.noticed.push(Noticed::Notice(notice));
        self.ended =
            previous.map(|previous| PublishEnd::Stays(previous.deployment(), previous.id()));
        self
    }
}

impl Report {
    /// Takes up what publishing came to; the report has the locales that were translated.
    pub(in crate::run) fn take_published(&mut self, notes: PublishNotes) {
        let PublishNotes {
            mut figures,
            mut kept,
            updated,
            rewritten,
            work,
            noticed,
            is_source_alone,
            search_left,
            ended,
        } = notes;
        (self.is_source_alone, self.search_left) = (is_source_alone, search_left);
        for report in &mut self.locales {
            report.updated = updated.get(&report.locale).copied().unwrap_or_default();
            report.kept_pages = kept.remove(&report.locale).unwrap_or_default();
            let Some(figures) = figures.remove(&report.locale) else {
                continue;
            };
            report.words = figures.words;
            report.pages = figures.pages;
            report.with_words = figures.with_words;
            report.missing = figures.missing;
            self.page_words
                .insert(report.locale.clone(), figures.by_page);
        }
        (self.rewritten, self.work) = (rewritten, work);
        self.note(noticed);
        match ended {
            Some(PublishEnd::Finished(finished, id)) => {
                (self.deployment, self.deployment_id) = (finished.deployment, id);
                self.created = finished.created;
                self.written = finished.written;
                self.removed = finished.removed;
                self.unchanged = finished.unchanged;
            }
            Some(PublishEnd::Stays(deployment, id)) => {
                (self.deployment, self.deployment_id) = (deployment, id)
            }
            None => {}
        }
    }
}

/// True for a site of which no language has an engine or a published page: nothing translated is lost if it is published.
fn has_source_alone(site: &SiteContext<'_>, previous: Option<&Published>) -> bool {
    for texts in &site.texts {
        let mut pages = site.corpus.pages.keys();
        if texts.has_engine
            || pages.any(|page| {
                previous.is_some_and(|previous| previous.has_words(&texts.locale, page))
            })
        {
            return false;
        }
    }
    true
}

#[expect(
    clippy::too_many_lines,
    reason = "the trees of a deployment in their order"
)]
pub(in crate::run) async fn publish(
    build: &Build<'_>,
    draft: &Draft,
    outline: SiteOutline,
    (sources, corpus): (&Sources, &Corpus),
    texts: Vec<LocaleTexts>,
    targets: &BuildLocales,
) -> Result<PublishNotes, BuildError> {
    let kept = kept::find_kept(build, sources, corpus, &texts, draft.previous()).await?;
    let (mut site, figures) = survey::survey(
        build,
        outline,
        sources,
        corpus,
        (texts, kept, draft.previous()),
    );
    site.listing = source_listing::listing(build, &site, sources).await?;
    site.other_files = rtl::other_files(build, &site, sources).await?;
    unchanged_versions::know_versions(build, &mut site, sources, draft.previous()).await?;
    let mut notes = PublishNotes::new(&site, figures, draft.previous());
    notes
        .noticed
        .extend(site.listing.notice().map(Noticed::Notice));
    notes.noticed.extend(
        rtl::notice_of_direction(build, &site, sources)
            .await?
            .map(Noticed::Notice),
    );
    // Texts that the disk does not give back are not untranslated.
    corpus.texts.check()?;
    site.texts
        .iter()
        .try_for_each(|texts| texts.settled.check())?;
    let words = notes.figures.values().map(|figures| figures.words);
    if WordsBySource::are_untranslated(words) && !build.options.must_publish {
        if !has_source_alone(&site, draft.previous()) {
            return Ok(notes.nothing(draft.previous()));
        }
        notes.is_source_alone = true;
    }
    let PutPages {
        said,
        updated,
        rewritten,
        work,
        noticed,
    } = put_pages(build, &site, sources, draft).await?;
    (notes.updated, notes.rewritten) = (updated, rewritten);
    notes.work = BuildWork {
        read: corpus.pages.len() - corpus.cached.len(),
        ..work
    };
    notes.noticed.extend(noticed);
    let PutPagefind {
        replaced,
        why_not,
        waits,
    } = pagefind::put_pagefind(build, &site, &said, sources, draft).await?;
    let lacks_search = why_not.is_some();
    notes.noticed.extend(why_not);
    let search = search::put_indexes(build, &site, sources, said, draft).await?;
    let waits = waits
        || search
            .as_ref()
            .is_some_and(|search| search.made.len() < site.texts.len());
    notes.search_left = match (waits, lacks_search) {
        (true, _) => SearchLeft::Deferred,
        (false, true) => SearchLeft::Failed,
        (false, false) => SearchLeft::Nothing,
    };
    notes
        .noticed
        .extend(documents::put_documents(build, &site, sources, draft).await?);
    notes
        .noticed
        .extend(put_files(build, &site, sources, &replaced, draft).await?);
    notes
        .noticed
        .extend(own_files::put_own_files(build, &site, sources, draft).await?);
    let (own, noticed) = put_locale_files::put_locale_files(build.site, &site, draft).await?;
    notes.noticed.extend(noticed);
    copies::put_copies(build, &site, sources, &own, draft).await?;
    for texts in &site.texts {
        let tree = Tree::Locale(texts.locale.clone());
        for (path, _) in corpus.pages_of(&texts.locale) {
            if !site.is_translated(&texts.locale, path) {
                draft.miss(&tree, path.clone());
            }
        }
    }
    notes
        .noticed
        .extend(own_files::notice_of_references(build.site, &site).map(Noticed::Notice));
    if build.site.url.is_some() {
        notes
            .noticed
            .extend(site.notices_of_tags().map(Noticed::Notice));
    }
    context::step(build, Stage::Publish, 0, None);
    let mut index = SourceIndex::of(&sources.records);
    site.kept.note(&mut index);
    index.rules.clone_from(&sources.rules);
    index.sitemaps.clone_from(&sources.sitemaps);
    draft.made_of(index);
    corpus.texts.check()?;
    site.texts
        .iter()
        .try_for_each(|texts| texts.settled.check())?;
    let settings = deployment_settings(build, &site, sources, targets);
    // The lists that are written now take as much as what pages were rendered from.
    let carry = site.into_carry();
    let finished = draft.finish(settings).await?;
    let id =
        store::deployment_id(&build.stores.objects, &build.site.id, finished.deployment).await?;
    carry::keep_carried(build, &carry, id).await?;
    let state = build.stores.state.clone();
    let site = build.site.id.clone();
    // Ignore errors: the site is published, and the next build replaces missing or outdated rows.
    blocking(move || state.keep_search(&site, search.as_ref()))
        .await?
        .unwrap_or_default();
    notes.ended = Some(PublishEnd::Finished(finished, id));
    Ok(notes)
}

/// Puts the files of the source but those that something else has replaced; one whose bytes are missing stays as it is
/// published.
async fn put_files(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    replaced: &BTreeSet<PagePath>,
    draft: &Draft,
) -> Result<Vec<Noticed>, BuildError> {
    let is_ours =
        |path: &PagePath| own_files::replaces(build.site, path) || replaced.contains(path);
    let files: Vec<(&PagePath, &SourceRecord)> =
        sources.files().filter(|(path, _)| !is_ours(path)).collect();
    let is_page = |record: &SourceRecord| {
        matches!(&*record.content_type, "text/html" | "application/xhtml+xml")
    };
    let files: Vec<(&PagePath, PagePath, &SourceRecord)> = files
        .into_iter()
        .map(|(path, record)| {
            (
                path,
                published_path(path, record).unwrap_or_else(|| path.clone()),
                record,
            )
        })
        .collect();
    let names = assign_names(
        files
            .iter()
            .map(|(_, published, record)| (published, is_page(record))),
    );
    let names = &names;
    let missing: Vec<Option<(&PagePath, Stays)>> = stream::iter(files)
        .map(|(path, published, record)| async move {
            let Some(name) = names.get(&published) else {
                return Ok(None);
            };
            let link = site.link_header_of_file(path, record);
            let link = link.filter(|_| {
                context::publishes_source(build.site) || record.kind == SourceKind::File
            });
            let robots = record.robots.as_deref().map(str::to_owned);
            let Some(body) = sources::read_source(build, record).await? else {
                crawl::remove_damaged(build, record).await?;
                return Ok(Some((
                    path,
                    republish::keep_file(build.stores, draft, name, &published, (robots, link))
                        .await?,
                )));
            };
            let object = Object {
                robots,
                link,
                ..Object::new(name.clone(), published, &record.content_type, body)
            };
            draft.put(&Tree::Shared, object).await?;
            Ok::<_, BuildError>(None)
        })
        .buffered(build.options.jobs.get())
        .try_collect()
        .await?;
    let lacking = missing.into_iter().flatten().map(|(path, stays)| {
        let is_kept = matches!(stays, Stays::Kept) || site.kept.of(path).next().is_some();
        Noticed::Lacking(path.clone(), is_kept)
    });
    Ok(lacking.collect())
}

fn deployment_settings(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    targets: &BuildLocales,
) -> ServingSettings {
    ServingSettings {
        source_locale: build.site.source_locale.clone(),
        locales: targets
            .all
            .iter()
            .map(|target| (target.locale.clone(), target.switch))
            .collect(),
        switches: targets.record,
        aliases: build.site.aliases.clone(),
        missing: build.site.missing,
        redirects: sources.redirects.clone(),
        slugs: site.addresses.public().slugs().clone(),
        former: site.former.clone(),
        parameters: build.site.crawl.query.clone(),
        singles: site.corpus.singles.keys().cloned().collect(),
        left_out: site.corpus.left_out.clone(),
        written: site.corpus.written.by_path().clone(),
        url: build.site.url.as_ref().map(ToString::to_string),
        source_url: site.addresses.public().source_url(),
        accept_language: build.site.accept_language,
        variants: BTreeSet::clone(build.stores.objects.variants()),
    }
}
