//! `segments.get`: a text with its codes, its pages and its history.

use pipeline::inspect::{SegmentDetail, SegmentView};
use pipeline::model::SegmentKey;
use pipeline::state::PersonRow;

use super::answer::{Code, Detail, Edit, Item, OnPage};
use crate::control::form::schema_of_answer;
use crate::control::operations::{Call, Reply, Schemas};
use crate::http::error::ApiError;

pub(in crate::control::operations) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: None,
        answer: schema_of_answer::<Detail>(),
    }
}

/// One text with its surroundings and its history.
pub(in crate::control::operations) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let key = call.segment_key()?;
    let locale = call.locale()?;
    let site = call.site()?;
    // Read before the words: an edit in between makes the version another one.
    let revision = last_edit(call, key)
        .await?
        .map_or(0, |(revision, _)| revision);
    let segments = call.segments_of_locale().await?;
    let segment = segments.get(key).ok_or(ApiError::SegmentNotFound)?;
    let stores = call.api.jobs().stores();
    let SegmentDetail { codes, pages } = segments.detail(stores, &site.id, &segment).await?;
    let id = site.id.clone();
    let tag = locale.clone();
    let history = call
        .state(move |state| state.history(&id, &tag, key))
        .await?;
    let version = version(revision, &segment);
    let detail = Detail {
        segment: Item::of(&segment, site, locale),
        codes: codes.into_iter().map(Code::of).collect(),
        on_pages: pages.into_iter().map(OnPage::of).collect(),
        revision: version.clone(),
        history: history.into_iter().map(Edit::of).collect(),
    };
    Ok(Reply::ok(&detail)?.tagged(&version))
}

/// The words of a segment's last edit, with its revision.
pub(super) async fn last_edit(
    call: &Call<'_>,
    key: SegmentKey,
) -> Result<Option<(u64, PersonRow)>, ApiError> {
    let site = call.site()?.id.clone();
    let locale = call.locale()?.clone();
    call.state(move |state| state.person(&site, &locale, key))
        .await
}

/// The version of a segment: its last edit, and a fingerprint of the words that readers get and of those that wait.
pub(super) fn version(revision: u64, segment: &SegmentView<'_>) -> String {
    let words = (segment.translation, segment.waiting, segment.refused);
    let words = format!("{words:?}");
    let print = blake3::hash(words.as_bytes()).to_hex();
    format!("{revision}-{}", &print.as_str()[..16])
}
