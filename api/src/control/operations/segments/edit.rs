//! `segments.put`: a person's words for a text, kept in the state.

use std::sync::LazyLock;

use hyper::header::IF_MATCH;
use pipeline::inspect::SegmentState;
use pipeline::page::{CodedText, Segment, TextClass, check};
use pipeline::state::{EditOutcome, EditVia, PersonRow, PersonState, State};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::{Detail, EditStateWord};
use super::detail::{get, version};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::control::operations::{Call, Reply, Schemas};
use crate::http::error::ApiError;

/// Words for a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentChange")]
struct Request {
    /// The words, with the inline codes of the source text. Not with the state `untranslated`, which clears them.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100_000))]
    translation: Option<String>,
    /// The state; `approved` without it.
    #[serde(default)]
    state: Option<EditStateWord>,
}

/// Longest version in an `If-Match`, in bytes.
const LONGEST_VERSION: usize = 64;

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(in crate::control::operations) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Detail>(),
    }
}

/// Keeps a person's words, if nobody changed the text since the person saw it.
pub(in crate::control::operations) async fn put(call: &Call<'_>) -> Result<Reply, ApiError> {
    let Request { translation, state } = FORM.read(&call.body)?;
    let state = state.unwrap_or(EditStateWord::Approved);
    let seen = seen(call)?;
    let key = call.segment_key()?;
    let locale = call.locale()?.clone();
    let site = call.site()?.id.clone();
    let all = call.segments(std::slice::from_ref(&locale)).await?;
    let segments = all.first().ok_or(ApiError::LocaleNotFound)?;
    let view = segments.get(key).ok_or(ApiError::SegmentNotFound)?;
    let (id, tag) = (site.clone(), locale.clone());
    let read = move |state: &State| {
        let revision = state.segment_revision(&id, &tag, key)?;
        Ok((revision, state.site_text(&id, key)?))
    };
    let (revision, text) = call.state(read).await?;
    let text = text.ok_or(ApiError::SegmentNotFound)?;
    if seen != version(revision, &view) {
        return Err(ApiError::Stale(version(revision, &view)));
    }
    let is_lent = text.class == TextClass::Label
        && revision == 0
        && segments.base(key).is_none()
        && view.state == SegmentState::Approved;
    if is_lent && state.to_keep() == PersonState::Untranslated {
        let why = "cannot be cleared here: the words are those of the same text as prose";
        return Err(one("state", "invalid_value", why));
    }
    let words = words(translation.as_deref(), state, &text)?;
    let row = PersonRow {
        source: view.source.to_owned(),
        class: text.class.as_str().to_owned(),
        text: words,
        state: state.to_keep(),
        by: call.caller()?.subject.clone(),
        at: call.now().to_keep(),
        via: if call.is_screen {
            EditVia::Screen
        } else {
            EditVia::Api
        },
        base: segments.base(key),
        stands: None,
    };
    let edit = move |state: &State| state.edit(&site, &locale, key, revision, &row);
    match call.state(edit).await? {
        EditOutcome::Kept(_) => get(call).await,
        EditOutcome::Stale(revision) => Err(ApiError::Stale(version(revision, &view))),
    }
}

/// The version that the caller saw.
fn seen(call: &Call<'_>) -> Result<String, ApiError> {
    let given = call
        .headers
        .get(IF_MATCH)
        .ok_or(ApiError::PreconditionRequired)?;
    let given = given.to_str().unwrap_or_default().trim();
    let bare = given
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let bare = bare.unwrap_or(given);
    if bare.is_empty()
        || bare.len() > LONGEST_VERSION
        || !bare.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return Err(one(
            "If-Match",
            "invalid_value",
            "is no version as `ETag` gives it",
        ));
    }
    Ok(bare.to_owned())
}

/// The words in the notation, checked against the text.
fn words(given: Option<&str>, state: EditStateWord, text: &Segment) -> Result<String, ApiError> {
    let given = match (given, state.to_keep()) {
        (None, PersonState::Untranslated) => return Ok(String::new()),
        (Some(_), PersonState::Untranslated) => {
            let why = "must be absent where the words are cleared";
            return Err(one("translation", "invalid_value", why));
        }
        (Some(given), _) => given,
        (None, _) => return Err(one("translation", "required", "is missing")),
    };
    let mismatch = |error: &dyn std::fmt::Display| {
        one(
            "translation",
            "markup_mismatch",
            &format!("cannot stand for the text: {error}"),
        )
    };
    let words = CodedText::from_markup(&given.replace("\r\n", "\n"));
    let words = words.map_err(|error| mismatch(&error))?;
    let is_odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if words.text().contains(is_odd) {
        return Err(one(
            "translation",
            "invalid_value",
            "holds control characters",
        ));
    }
    check(text, &words).map_err(|error| mismatch(&error))?;
    Ok(words.to_markup())
}
