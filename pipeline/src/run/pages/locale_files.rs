//! Files that a language has of its own in a folder (`[site.locale.es] files`): they take the place of the source's with the same path
//! (R-S25).
//!
//! They are published in the tree of the language. The folder follows the rules of a source folder: no hidden and no secret files, no
//! links out of it. A page in it is no file for a language: versions that people wrote are part of the source.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::addresses::FileCopy;
use crate::config::{LocaleFolder, SiteConfig};
use crate::crawl::{CrawlFailure, FolderFile, FolderFiles, files_of};
use crate::model::{Locale, PagePath, Slugs};
use crate::run::error::BuildError;
use crate::run::memo::key::KeyBuilder;
use crate::run::report::named::named;

/// Files in the trees of languages, and the addresses that they name from where they lie.
pub(super) type LocaleFilesPut = BTreeMap<Locale, Vec<(FileCopy, Vec<String>)>>;

/// The files of the languages that have a folder of their own.
#[derive(Debug, Default)]
pub(in crate::run) struct LocaleFiles(BTreeMap<Locale, FolderFiles>);

impl LocaleFiles {
    /// Reads the folders.
    ///
    /// # Errors
    /// [`BuildError::NoFolder`] if a folder cannot be read.
    pub(in crate::run) fn of(site: &SiteConfig) -> Result<Self, BuildError> {
        let mut all = BTreeMap::new();
        for (locale, folder) in &site.files_in {
            let found = files_of(folder.path(), site.own_files.resolve(&site.locales));
            all.insert(
                locale.clone(),
                found.map_err(|error| no_folder(locale, folder, &error))?,
            );
        }
        Ok(Self(all))
    }

    /// The hashes of a language's files by their paths.
    fn hashes(&self, locale: &Locale) -> BTreeMap<PagePath, String> {
        let files = self.0.get(locale).map(|found| &found.files);
        files
            .into_iter()
            .flatten()
            .map(|(path, file)| (path.clone(), file.hash.clone()))
            .collect()
    }

    /// Style sheets and scripts, with their places on the disk: pages may load them with `integrity`.
    pub(super) fn programs_and_sheets(&self) -> impl Iterator<Item = (&Locale, &PagePath, &Path)> {
        let all = self.0.iter().flat_map(|(locale, found)| {
            found
                .files
                .iter()
                .map(move |(path, file)| (locale, path, file))
        });
        let wanted = all.filter(|(_, _, file)| {
            file.content_type == "text/css" || file.content_type.ends_with("javascript")
        });
        wanted.map(|(locale, path, file)| (locale, path, file.file.as_path()))
    }

    /// The files of a language.
    pub(in crate::run) fn of_locale(
        &self,
        locale: &Locale,
    ) -> impl Iterator<Item = (&PagePath, &FolderFile)> {
        self.0
            .get(locale)
            .into_iter()
            .flat_map(|found| &found.files)
    }

    /// Adds all that a build takes from the folders to a key.
    pub(in crate::run) fn add_to(&self, key: &mut KeyBuilder) {
        for (
            locale,
            FolderFiles {
                files,
                pages,
                withheld,
                failures,
            },
        ) in &self.0
        {
            key.add_debug(&(locale, files, pages, withheld, failures));
        }
    }

    /// Notices for the owner about the folders.
    pub(in crate::run) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        for (
            locale,
            FolderFiles {
                pages,
                withheld,
                failures,
                ..
            },
        ) in &self.0
        {
            let folder = format!("in the folder that [site.locale.{locale}] names in `files`");
            if !pages.is_empty() {
                notices.push(format!(
                    "pages {folder} are not published: {}; a version that people wrote belongs into the source (see \"Versions that \
                     people wrote\" in docs/languages.md)",
                    named_paths(pages)
                ));
            }
            if !withheld.is_empty() {
                notices.push(format!(
                    "files {folder} are not published, because such files usually hold secrets, are programs, or are named by the \
                     configuration: {}; move them out of the folder",
                    named_paths(withheld)
                ));
            }
            if !failures.is_empty() {
                let failed: Vec<String> = failures
                    .iter()
                    .map(|CrawlFailure { path, reason, .. }| format!("{path} ({reason})"))
                    .collect();
                notices.push(format!(
                    "files {folder} are not published: {}",
                    named(&failed)
                ));
            }
        }
        notices
    }
}

/// The files that a language has of its own, but those whose place a page or document of it has.
pub(super) fn own_files_of(
    locale_files: &LocaleFiles,
    locale: &Locale,
    (published, slugs): (&BTreeMap<Locale, BTreeSet<PagePath>>, &Slugs),
) -> (Locale, BTreeMap<PagePath, String>) {
    let mut files = locale_files.hashes(locale);
    let is_taken = |path: &PagePath| {
        slugs.source(locale, path).is_some()
            || published
                .get(locale)
                .is_some_and(|pages| pages.contains(path))
    };
    files.retain(|path, _| !is_taken(path));
    (locale.clone(), files)
}

pub(super) fn named_paths(paths: &[PagePath]) -> String {
    named(&paths.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn no_folder(locale: &Locale, folder: &LocaleFolder, error: &io::Error) -> BuildError {
    BuildError::NoFolder {
        named_at: folder.named_at().to_owned(),
        locale: locale.clone(),
        path: folder.path().display().to_string(),
        reason: error.to_string(),
    }
}
