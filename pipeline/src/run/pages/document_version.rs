//! One locale's version of a document.

use super::references::Site;
use super::version::{Speech, Version};
use crate::model::PagePath;
use crate::page::{Changes, Link, Page};
use crate::run::report::build_report::Refused;
use crate::state::SourceRecord;
use crate::store::{Object, Tree};

/// One locale's version of a document.
pub(in crate::run) fn document(
    site: &Site<'_>,
    path: &PagePath,
    record: &SourceRecord,
    page: &Page,
    speech: Speech<'_>,
) -> Version {
    let locale = speech.locale();
    let link = |link: &Link<'_>| {
        site.addresses
            .localize_in(&record.content_type, locale, path, page.base(), link)
    };
    let changes = Changes {
        speak: Some(locale),
        link: Some(&link),
        ..Changes::default()
    };
    let words = speech.words(&site.corpus.indices(path));
    let rendered = page.render(|place| words.text(place), &changes);
    let refused = rendered
        .refused
        .iter()
        .map(|(index, error)| Refused::of(path, page, *index, error));
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
    Version {
        tree: Tree::Locale(locale.clone()),
        object,
        refused: refused.collect(),
        locale: locale.clone(),
        file: None,
        lacks_template: false,
        asked: Vec::new(),
    }
}
