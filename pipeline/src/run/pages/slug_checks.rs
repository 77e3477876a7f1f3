//! Checks of the paths that files give pages in a language.

use std::collections::BTreeSet;

use crate::counted::counted;
use crate::exchange::{Slug, SlugsError};
use crate::model::PagePath;

/// Names paths of a file that are for no page of the site.
pub(super) fn notice_of_unknown(file: &str, unknown: &[Slug]) -> Option<String> {
    let Slug { line, source, .. } = unknown.first()?;
    let paths = counted(unknown.len(), "path");
    let (are, pages) = if unknown.len() == 1 {
        ("is", "a page")
    } else {
        ("are", "pages")
    };
    Some(format!(
        "{paths} {are} for {pages} that the site does not have, such as {source} ({file}:{line})"
    ))
}

/// Refuses a path that is another page's in the same locale.
pub(super) fn check_free(
    file: &str,
    slugs: &[Slug],
    pages: &BTreeSet<PagePath>,
) -> Result<(), SlugsError> {
    let moved: BTreeSet<&PagePath> = slugs.iter().map(|slug| &slug.source).collect();
    let taken = |slug: &&Slug| {
        slug.local != slug.source && pages.contains(&slug.local) && !moved.contains(&slug.local)
    };
    match slugs.iter().find(taken) {
        None => Ok(()),
        Some(Slug { line, local, .. }) => Err(SlugsError::Line {
            file: file.to_owned(),
            line: *line,
            problem: format!(
                "{local} is a page of the site already; choose another path, or give that page its own"
            ),
        }),
    }
}
