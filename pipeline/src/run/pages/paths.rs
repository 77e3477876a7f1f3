//! Paths that pages have of their own in a language, now and before.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::slug_checks::{check_free, notice_of_unknown};
use crate::config::SiteConfig;
use crate::exchange::{Slug, SlugFile, SlugsError};
use crate::model::{Locale, PagePath, Slugs};
use crate::run::corpus::contents::Corpus;
use crate::store::Published;

/// Paths that pages had before, by locale, with their paths in the source.
pub(in crate::run) type FormerPaths = BTreeMap<Locale, BTreeMap<PagePath, PagePath>>;

/// Paths that pages have in locales.
pub(in crate::run) struct PagePaths {
    pub(super) slugs: Slugs,
    pub(super) former: FormerPaths,
}

/// What the file of a locale's paths says, and its name.
pub(in crate::run) fn slug_file(
    site: &SiteConfig,
    locale: &Locale,
) -> Result<Option<(String, SlugFile)>, SlugsError> {
    let file = site.slugs.as_ref().map(|file| file.path(locale));
    file.map(|file| Ok((file.display().to_string(), SlugFile::open(&file)?)))
        .transpose()
}

/// Reads the files of paths, so that a wrong one is said before anything is fetched or paid for.
pub(in crate::run) fn check_slug_files(site: &SiteConfig) -> Result<(), SlugsError> {
    site.locales
        .iter()
        .try_for_each(|locale| slug_file(site, locale).map(drop))
}

/// The paths that pages have of their own, and those that they had before: by the site's files, and by the
/// deployment that is the site now. Beside them stands what is wrong with the files.
pub(in crate::run) fn published_paths(
    site: &SiteConfig,
    corpus: &Corpus,
    previous: Option<&Published>,
) -> Result<(PagePaths, Vec<String>), SlugsError> {
    let pages: BTreeSet<PagePath> = corpus.pages.keys().cloned().collect();
    let before = previous.map(Published::settings);
    let mut former = before
        .map(|settings| settings.former.clone())
        .unwrap_or_default();
    let mut slugs = corpus.slugs(site);
    let mut notices = Vec::new();
    for locale in &site.locales {
        if let Some(settings) = before {
            let paths = settings
                .slugs
                .of(locale)
                .map(|(source, local)| (local.clone(), source.clone()));
            former.entry(locale.clone()).or_default().extend(paths);
        }
        let Some((
            name,
            SlugFile {
                current,
                former: older,
            },
        )) = slug_file(site, locale)?
        else {
            continue;
        };
        let (known, unknown): (Vec<Slug>, Vec<Slug>) = current
            .into_iter()
            .partition(|slug| pages.contains(&slug.source));
        notices.extend(notice_of_unknown(&name, &unknown));
        check_free(&name, &known, &pages)?;
        known
            .into_iter()
            .for_each(|slug| slugs.insert(locale, slug.source, slug.local));
        former
            .entry(locale.clone())
            .or_default()
            .extend(older.into_iter().map(|slug| (slug.local, slug.source)));
    }
    for locale in &site.locales {
        for (page, version) in corpus.written.of(locale) {
            // Keeps the spelling of the source, where some pages keep their file ending.
            let is_spelled = *slugs.local(&site.source_locale, &version.path) != version.path;
            let local = if is_spelled {
                slugs.spelling().public(&version.local)
            } else {
                Cow::Borrowed(&version.local)
            };
            slugs.insert(locale, page.clone(), local.into_owned());
        }
    }
    for (locale, paths) in &mut former {
        let is_taken = |local: &PagePath| {
            slugs.source(locale, local).is_some()
                || (pages.contains(local) && *slugs.local(locale, local) == *local)
        };
        paths.retain(|local, _| !is_taken(local));
    }
    former.retain(|locale, paths| !paths.is_empty() && site.locales.contains(locale));
    Ok((PagePaths { slugs, former }, notices))
}
