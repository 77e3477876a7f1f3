//! What holds for a page in every locale, as sentences.

use crate::model::PagePath;
use crate::page::{Framework, Page, Rendering};
use crate::run::pages::live;
use crate::run::{Build, Corpus, Unlasting};

/// What a page is.
pub(super) fn notes(page: &Page) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(excess) = page.excess() {
        notes.push(format!(
            "the page is too much to be looked into, so nothing in it changes: {excess}"
        ));
    }
    let who = page.framework().map_or("scripts", Framework::name);
    match page.rendering() {
        Rendering::Static => {}
        Rendering::Hydrated => notes.push(format!("{who} draws the page again in the browser")),
        Rendering::ByScripts => notes.push(format!(
            "{who} draws the page in the browser; its words are not in its HTML"
        )),
    }
    notes
}

/// What becomes of the words of a page that scripts draw.
pub(super) fn note_of_lasting(
    build: &Build<'_>,
    corpus: &Corpus,
    path: &PagePath,
) -> Option<String> {
    let locale = build.site.locales.first()?;
    match live::unlasting(build.site, corpus, locale, path) {
        Some(Unlasting::Unwanted) => Some(
            "the source language comes back, because `live` in [site.scripts] is \"none\""
                .to_owned(),
        ),
        Some(Unlasting::Forbidden(policy)) => Some(format!(
            "the source language comes back, because its policy `{policy}` forbids the live script"
        )),
        None if corpus.is_drawn(path) => Some("the live script keeps its words".to_owned()),
        None => None,
    }
}
