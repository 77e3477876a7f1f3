//! Puts files that a language has of its own into its tree (R-S25).

use std::fs;
use std::io;

use bytes::Bytes;

use super::copies::counted_from;
use super::locale_files::{LocaleFilesPut, named_paths};
use super::references::SiteContext;
use crate::addresses::FileCopy;
use crate::config::SiteConfig;
use crate::model::{Locale, PagePath, object_name};
use crate::run::context::blocking;
use crate::run::error::BuildError;
use crate::run::report::build_report::Noticed;
use crate::store::{Draft, Object, Tree};

/// Puts the files of languages into their trees. Those whose place a page, feed or list of ours has are left out. Gives
/// what they name, which counts from their new place.
pub(super) async fn put_locale_files(
    config: &SiteConfig,
    site: &SiteContext<'_>,
    draft: &Draft,
) -> Result<(LocaleFilesPut, Vec<Noticed>), BuildError> {
    let mut notices = site.locale_files.notices();
    let mut put = LocaleFilesPut::new();
    for locale in site.texts.iter().map(|texts| &texts.locale) {
        let tree = Tree::Locale(locale.clone());
        let mut taken = Vec::new();
        for (path, found) in site.locale_files.of_locale(locale) {
            let name = object_name(path, false);
            if draft.has(&tree, &name) {
                taken.push(path.clone());
                continue;
            }
            let file = found.file.clone();
            let content_type = found.content_type;
            let read = blocking(move || fs::read(file)).await?;
            let body = Bytes::from(read.map_err(|error| no_file(locale, path, config, &error))?);
            let copy = FileCopy {
                local: path.clone(),
                source: path.clone(),
            };
            put.entry(locale.clone())
                .or_default()
                .push((copy, counted_from(content_type, &body)));
            draft
                .put(&tree, Object::new(name, path.clone(), content_type, body))
                .await?;
        }
        if !taken.is_empty() {
            notices.push(format!(
                "`files` of [site.locale.{locale}] has files that the build makes in every language, and these stay: {}",
                named_paths(&taken)
            ));
        }
    }
    Ok((put, notices.into_iter().map(Noticed::Notice).collect()))
}

/// A file that went away after it was listed.
fn no_file(locale: &Locale, path: &PagePath, site: &SiteConfig, error: &io::Error) -> BuildError {
    let folder = site.files_in.get(locale);
    BuildError::NoFolder {
        named_at: folder
            .map(|folder| folder.named_at().to_owned())
            .unwrap_or_default(),
        locale: locale.clone(),
        path: path.to_string(),
        reason: error.to_string(),
    }
}
