//! One locale's version of a document.

use super::references::SiteContext;
use super::version::{PageVersion, VersionSpeech};
use crate::model::PagePath;
use crate::page::{Page, PageChanges, PageLink};
use crate::run::report::build_report::RefusedText;
use crate::state::SourceRecord;
use crate::store::{Object, Tree};

/// One locale's version of a document.
pub(in crate::run) fn document(
    site: &SiteContext<'_>,
    path: &PagePath,
    record: &SourceRecord,
    page: &Page,
    speech: VersionSpeech<'_>,
) -> PageVersion {
    let locale = speech.locale();
    let link = |link: &PageLink<'_>| {
        site.addresses
            .localize_in(&record.content_type, locale, path, page.base(), link)
    };
    let changes = PageChanges {
        speak: Some(locale),
        link: Some(&link),
        ..PageChanges::default()
    };
    let words = speech.words(&site.corpus.indices(path));
    let rendered = page.render(|place| words.text(place), &changes);
    let refused = rendered
        .refused
        .iter()
        .map(|(index, error)| RefusedText::of(path, page, *index, error));
    let object = Object {
        robots: record.robots.as_deref().map(str::to_owned),
        link: if record.noindex {
            None
        } else {
            site.link_header(locale, path)
        },
        // Without a charset: what it is written in, it says itself.
        ..Object::new(
            site.name(locale, path),
            path.clone(),
            &record.content_type,
            rendered.html,
        )
    };
    PageVersion {
        tree: Tree::Locale(locale.clone()),
        object,
        refused: refused.collect(),
        locale: locale.clone(),
        file: None,
        lacks_template: false,
        asked: Vec::new(),
    }
}
