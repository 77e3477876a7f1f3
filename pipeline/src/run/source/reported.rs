//! Texts that readers' browsers told of and that the site's owner took: each belongs to the page on which it was seen.
//!
//! They lie in the page's record, so every deployment names them, and a state that is lost loses none. The state knows
//! which ones were taken or dropped since.

use std::sync::Arc;

use super::guard::known::AcceptedBaseline;
use super::sources::Sources;
use crate::counted::counted;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::state::{ReportStanding, SourceRecord};

/// Texts that were taken stay taken.
pub(super) fn keep_taken(known: &AcceptedBaseline, sources: &mut Sources) {
    for (path, record) in &mut sources.records {
        if let Some(known) = known
            .records
            .get(path)
            .filter(|known| known.taken != record.taken)
        {
            Arc::make_mut(record).taken.clone_from(&known.taken);
        }
    }
}

/// Adds what the owner took since, and removes what the owner dropped; gives what is to be said of texts whose page is gone.
pub(super) async fn take_reports(
    build: &Build<'_>,
    sources: &mut Sources,
) -> Result<Option<String>, BuildError> {
    let id = build.site.id.clone();
    let mut homeless = 0;
    for (text, report) in build
        .stores
        .with_state(move |state| state.reports(&id))
        .await?
    {
        match (report.standing, sources.records.get_mut(&report.page)) {
            (ReportStanding::New, _) => {}
            (ReportStanding::Taken, Some(record)) => {
                Arc::make_mut(record).taken.insert(text);
            }
            (ReportStanding::Taken, None) => homeless += 1,
            (ReportStanding::Dropped, _) => sources.records.values_mut().for_each(|record| {
                if record.taken.contains(&text) {
                    Arc::make_mut(record).taken.remove(&text);
                }
            }),
        }
    }
    Ok((homeless > 0).then(|| {
        let texts = counted(homeless, "text");
        format!("{texts} of readers' reports stood on pages that are gone; drop them with `latimer reports drop`")
    }))
}

/// The texts that were taken for a page, as a page of their own; nothing where there are none.
pub(in crate::run) fn page_of_taken(record: &SourceRecord) -> Option<Vec<u8>> {
    let texts = record
        .taken
        .iter()
        .map(|text| text.replace('&', "&amp;").replace('<', "&lt;"));
    let texts = texts.map(|text| format!("<div>{text}</div>\n"));
    (!record.taken.is_empty())
        .then(|| format!("<!doctype html>\n{}", texts.collect::<String>()).into_bytes())
}
