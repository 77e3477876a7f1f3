//! Remarks about the versions of a page that are not made of it.

use crate::config::SiteConfig;
use crate::model::PagePath;
use crate::run::Corpus;

/// The remark about a page without versions.
pub(super) fn note_of_single(
    site: &SiteConfig,
    corpus: &Corpus,
    path: &PagePath,
) -> Option<String> {
    let language = corpus.singles.get(path)?;
    Some(match language {
        _ if site.keep.names(path) => {
            "`keep` names it, so it is published once, as it is".to_owned()
        }
        Some(language) => {
            format!(
                "its lang and its words are {language}, so it is published once, as it is; `keep` says so for good"
            )
        }
        None => "it is published once, as it is".to_owned(),
    })
}

/// Remarks about versions that are not made of the page: those that the author wrote, and those that the owner leaves out.
pub(super) fn notes_of_versions(
    site: &SiteConfig,
    corpus: &Corpus,
    path: &PagePath,
) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((locale, page)) = corpus.written.version_at(path) {
        notes.push(format!(
            "it is the version of {page} in {locale}, with its own words"
        ));
    }
    for locale in &site.locales {
        if let Some(version) = corpus.written.get(locale, path) {
            notes.push(format!(
                "its version in {locale} is the page {} of the source",
                version.path
            ));
        }
        if let Some(pattern) = site
            .excluded_in
            .get(locale)
            .and_then(|filter| filter.pattern(path))
            && corpus.is_left_out(locale, path)
        {
            notes.push(format!(
                "`exclude` of [site.locale.{locale}] leaves it out ({pattern:?})"
            ));
        } else if corpus.is_left_out(locale, path) {
            notes.push(format!(
                "it has no version in {locale}, because another page of the source takes its place"
            ));
        }
    }
    notes
}
