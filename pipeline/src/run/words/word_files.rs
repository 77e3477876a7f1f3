//! Files of a locale's words: people's, and the memory's as text.
//!
//! A file of people's words that cannot be read, such as one with conflict markers, must not stop the other languages of a
//! server. The state therefore keeps each file as it could be read for the last time; a build that may do so
//! ([`BuildOptions::keeps_words`](crate::run::BuildOptions::keeps_words)) takes that one, asks no engine for the locale, and
//! reports the file.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::{fs, io};

use super::locales::BuildLocale;
use crate::exchange::{Catalogue, Decision, MemoryLines, OverlaidWords, PoError};
use crate::model::{Locale, SegmentKey};
use crate::page::TextClass;
use crate::run::context::{Build, blocking};
use crate::run::error::BuildError;
use crate::state::{PersonRow, PersonState};
use crate::store::Published;

/// A file of people's words that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenWordFile {
    /// The locale, which keeps the words that it has.
    pub locale: Locale,
    /// File, line and cure, for callers of the API: without the folder of the file.
    pub reason: String,
}

/// Keeps the file of each locale that can be read, and returns the others, if the build may go on without them.
///
/// # Errors
/// A [`BuildError`] if a file is broken and the build may not go on, or would take words of people from readers: the locale is
/// published, and the state has no earlier version of the file.
pub(in crate::run) async fn check_word_files(
    build: &Build<'_>,
    previous: Option<&Published>,
) -> Result<Vec<BrokenWordFile>, BuildError> {
    let mut broken = Vec::new();
    let Some(files) = &build.site.translations else {
        return Ok(broken);
    };
    for locale in &build.site.locales {
        let path = files.path(locale);
        let id = build.site.id.clone();
        let tag = locale.clone();
        let print = build
            .stores
            .with_state(move |state| state.word_file_print(&id, &tag))
            .await?;
        let error = match blocking(move || read_changed(path, print)).await? {
            Ok(None) => continue,
            Ok(Some(bytes)) => {
                keep(build, locale, bytes).await?;
                continue;
            }
            Err(error) => error,
        };
        let is_published =
            previous.is_some_and(|site| site.settings().locales.contains_key(locale));
        if !build.options.keeps_words || (is_published && print.is_none()) {
            return Err(error.into());
        }
        if print.is_none() {
            // Readers do not get this locale yet, so no words of people are lost.
            keep(build, locale, Vec::new()).await?;
        }
        broken.push(BrokenWordFile {
            locale: locale.clone(),
            reason: error.without_folder(),
        });
    }
    Ok(broken)
}

/// Keeps engines out of locales with a broken file: people may have translated there what an engine would be paid for.
pub(in crate::run) fn spare_engines(targets: &mut [BuildLocale], broken: &[BrokenWordFile]) {
    for target in targets {
        target.selected &= broken.iter().all(|file| file.locale != target.locale);
    }
}

/// Translations by people: those of the file, with what people wrote on the screen and over the API laid over them.
pub(crate) async fn catalogue(build: &Build<'_>, locale: &Locale) -> Result<Catalogue, BuildError> {
    let mut catalogue = file_catalogue(build, locale).await?;
    lay_over(build, locale, &mut catalogue).await?;
    Ok(catalogue)
}

/// Lays what people wrote on the screen and over the API over the entries of a file.
pub(crate) async fn lay_over(
    build: &Build<'_>,
    locale: &Locale,
    catalogue: &mut Catalogue,
) -> Result<(), BuildError> {
    let id = build.site.id.clone();
    let tag = locale.clone();
    let people = build
        .stores
        .with_state(move |state| state.people(&id, &tag))
        .await?;
    lay_rows_over(catalogue, &people);
    Ok(())
}

/// The same with rows that were read.
pub(crate) fn lay_rows_over(catalogue: &mut Catalogue, people: &[(SegmentKey, u64, PersonRow)]) {
    for (_, _, row) in people {
        if let Some(words) = overlaid(row) {
            catalogue.overlay(&words);
        }
    }
}

/// A row of the state as words over the file; `None` if its class is unknown.
fn overlaid(row: &PersonRow) -> Option<OverlaidWords<'_>> {
    let classes = [TextClass::Prose, TextClass::Label];
    Some(OverlaidWords {
        source: &row.source,
        class: classes
            .into_iter()
            .find(|class| class.as_str() == row.class)?,
        decision: match row.state {
            PersonState::Draft => row
                .stands
                .as_ref()
                .and_then(|beneath| decision(beneath.state, &beneath.text)),
            state => decision(state, &row.text),
        },
        draft: (row.state == PersonState::Draft).then_some(&row.text),
        base: row.base_of_decision(),
    })
}

/// The decision behind a state; a draft has none of its own.
fn decision(state: PersonState, text: &str) -> Option<Decision<'_>> {
    match state {
        PersonState::Approved => Some(Decision::Approved(text)),
        PersonState::Locked => Some(Decision::Locked(text)),
        PersonState::Untranslated => Some(Decision::Cleared),
        PersonState::Rejected => Some(Decision::Rejected),
        PersonState::Draft | PersonState::Withdrawn => None,
    }
}

/// Translations of the file; those of its last readable version, if the build may take it.
pub(crate) async fn file_catalogue(
    build: &Build<'_>,
    locale: &Locale,
) -> Result<Catalogue, BuildError> {
    let Some(files) = &build.site.translations else {
        return Ok(Catalogue::default());
    };
    let path = files.path(locale);
    let name = path.display().to_string();
    match blocking(move || Catalogue::open(&path)).await? {
        Ok(catalogue) => Ok(catalogue),
        Err(error) if !build.options.keeps_words => Err(error.into()),
        Err(error) => {
            let id = build.site.id.clone();
            let tag = locale.clone();
            let kept = build
                .stores
                .with_state(move |state| state.word_file(&id, &tag))
                .await?;
            Ok(Catalogue::parse(&name, &kept.ok_or(error)?)?)
        }
    }
}

/// Translations by people into each of these locales.
pub(in crate::run) async fn catalogues(
    build: &Build<'_>,
    locales: impl IntoIterator<Item = &Locale>,
) -> Result<BTreeMap<Locale, Catalogue>, BuildError> {
    let mut found = BTreeMap::new();
    for locale in locales {
        found.insert(locale.clone(), catalogue(build, locale).await?);
    }
    Ok(found)
}

/// The memory of a locale as text.
pub(crate) fn memory_lines(build: &Build<'_>, locale: &Locale) -> Result<MemoryLines, BuildError> {
    Ok(match &build.site.memory {
        Some(file) => MemoryLines::open(&file.path(locale))?,
        None => MemoryLines::default(),
    })
}

/// Bytes of a file of people's words; `None` if they have this fingerprint. A missing file has no bytes.
fn read_changed(path: PathBuf, print: Option<[u8; 32]>) -> Result<Option<Vec<u8>>, PoError> {
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(PoError::Read { path, source }),
    };
    if print == Some(*blake3::hash(&bytes).as_bytes()) {
        return Ok(None);
    }
    Catalogue::parse(&path.display().to_string(), &bytes)?;
    Ok(Some(bytes))
}

async fn keep(build: &Build<'_>, locale: &Locale, bytes: Vec<u8>) -> Result<(), BuildError> {
    let id = build.site.id.clone();
    let tag = locale.clone();
    build
        .stores
        .with_state(move |state| state.keep_word_file(&id, &tag, &bytes))
        .await
}
