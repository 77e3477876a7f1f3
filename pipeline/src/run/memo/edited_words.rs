//! Words that people wrote since the last build: only pages with these texts are read again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::model::{Locale, SegmentKey};
use crate::page::TextClass;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::{CachedRows, EditRecord, State};

/// Revision of people's words of each locale. It is read before the words, so that a later edit counts as one since the build.
pub(in crate::run) async fn people_revisions(
    build: &Build<'_>,
) -> Result<BTreeMap<Locale, u64>, BuildError> {
    let id = build.site.id.clone();
    let locales = build.site.locales.clone();
    let read = move |state: &State| {
        let mut revisions = BTreeMap::new();
        for locale in locales {
            let revision = state.people_revision(&id, &locale)?;
            revisions.insert(locale, revision);
        }
        Ok(revisions)
    };
    build.stores.with_state(read).await
}

/// Revisions as one word, for keys and cached rows.
pub(in crate::run) fn revisions_word(revisions: &BTreeMap<Locale, u64>) -> String {
    let mut words = Vec::new();
    for (locale, revision) in revisions {
        words.push(format!("{locale}:{revision}"));
    }
    words.join(",")
}

/// Takes pages with edited texts out of the cached ones.
pub(super) async fn forget_edited_pages(
    build: &Build<'_>,
    rows: &mut CachedRows,
) -> Result<(), BuildError> {
    if rows.pages.is_empty() || rows.people == revisions_word(&people_revisions(build).await?) {
        return Ok(());
    }
    let mut known = Vec::new();
    for revision in rows.people.split(',') {
        let parts = revision.rsplit_once(':');
        known.extend(parts.and_then(|(tag, revision)| {
            Some((Locale::parse(tag).ok()?, revision.parse::<u64>().ok()?))
        }));
    }
    let id = build.site.id.clone();
    let source = build.site.source_locale.clone();
    let read = move |state: &State| {
        let mut edited = BTreeSet::new();
        for (locale, revision) in &known {
            for (_, EditRecord { row, .. }) in state.edits_after(&id, locale, *revision)? {
                edited.insert(row.source);
            }
        }
        // A label without words of its own takes those of prose.
        let mut keys = HashSet::new();
        for text in &edited {
            for class in [TextClass::Prose, TextClass::Label] {
                keys.insert(SegmentKey::new(&source, class.as_str(), text));
            }
        }
        let pages = state.pages_with(&id, &keys)?;
        Ok((edited, pages))
    };
    let (edited, pages) = build.stores.with_state(read).await?;
    for path in pages {
        if let Some(page) = rows.pages.remove(&path) {
            rows.gone.add(path.to_string(), Some(&page));
        }
    }
    rows.edited = edited;
    Ok(())
}
