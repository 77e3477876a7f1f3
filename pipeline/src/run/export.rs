//! A file for translators: every text of the site, with what people have translated so far.

use std::path::Path;

use super::report::Report;
use super::{Build, BuildOptions, Progress, RunError, Stores};
use crate::config::SiteConfig;
use crate::exchange::{Catalogue, Use};
use crate::model::Locale;
use crate::publish::Published;

/// Gives the text of a PO file for a locale: the texts that the last build saw, `file`'s translations kept.
///
/// # Errors
/// [`RunError::NothingStored`] before the first build, [`RunError::Po`] when `file` is there and is no PO.
pub async fn export_po(
    site: &SiteConfig,
    stores: &Stores,
    options: &BuildOptions,
    locale: &Locale,
    file: &Path,
    progress: &Progress<'_>,
) -> Result<String, RunError> {
    let build = Build { site, stores, options, progress };
    let previous = Published::newest(&stores.objects, &site.id, None).await?;
    let sources = build.stored(previous.as_ref()).await?;
    let corpus = build.extract(&sources, &mut Report::new(&site.id)).await?;
    let mut pages: Vec<Vec<String>> = vec![Vec::new(); corpus.texts.len()];
    for (path, indices) in corpus.pages.iter().chain(&corpus.documents) {
        for &index in indices {
            let Some(pages) = usize::try_from(index).ok().and_then(|index| pages.get_mut(index)) else { continue };
            if pages.last().is_none_or(|last| last != path.as_str()) {
                pages.push(path.to_string());
            }
        }
    }
    let texts = corpus.texts.iter().zip(pages);
    let uses: Vec<Use<'_>> = texts.map(|(text, pages)| Use { segment: &text.segment, pages }).collect();
    Ok(Catalogue::open(file)?.update(locale, &uses))
}
