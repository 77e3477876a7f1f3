//! `segments.put`: a person's words for a text, kept in the state.

use std::sync::LazyLock;

use hyper::header::IF_MATCH;
use pipeline::page::{CodedText, Segment, TextError, check};
use pipeline::state::{EditOutcome, EditVia, PersonRow, PersonState};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Detail;
use super::detail::{get, revision_of, version};
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
    /// State of the words (default: `approved`): `draft` lets them wait, `untranslated` clears those that stand.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = PersonState::ALL.map(PersonState::code)))]
    state: Option<PersonState>,
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
    let state = state.unwrap_or(PersonState::Approved);
    let seen = seen(call)?;
    let key = call.segment_key()?;
    let locale = call.locale()?.clone();
    let site = call.site()?.id.clone();
    let all = call.segments(std::slice::from_ref(&locale)).await?;
    let segments = all.first().ok_or(ApiError::LocaleNotFound)?;
    let view = segments.get(key).ok_or(ApiError::SegmentNotFound)?;
    let id = site.clone();
    let text = call.state(move |state| state.site_text(&id, key)).await?;
    let text = text.ok_or(ApiError::SegmentNotFound)?;
    let revision = revision_of(call, key).await?;
    if seen != version(revision, &view) {
        return Err(ApiError::Stale(version(revision, &view)));
    }
    let words = words(translation.as_deref(), state, &text)?;
    let row = PersonRow {
        source: view.source.to_owned(),
        class: text.class.as_str().to_owned(),
        text: words,
        state,
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
    let kept = call
        .state(move |state| state.edit(&site, &locale, key, revision, &row))
        .await?;
    match kept {
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
fn words(given: Option<&str>, state: PersonState, text: &Segment) -> Result<String, ApiError> {
    let given = match (given, state) {
        (None, PersonState::Untranslated) => return Ok(String::new()),
        (Some(_), PersonState::Untranslated) => {
            let why = "must be absent where the words are cleared";
            return Err(one("translation", "invalid_value", why));
        }
        (Some(given), _) => given,
        (None, _) => return Err(one("translation", "required", "is missing")),
    };
    let words = CodedText::from_markup(&given.replace("\r\n", "\n")).map_err(mismatch)?;
    if words.text().contains(is_refused_control) {
        return Err(one(
            "translation",
            "invalid_value",
            "holds control characters",
        ));
    }
    check(text, &words).map_err(mismatch)?;
    Ok(words.to_markup())
}

/// The error for words whose codes are not those of the text.
fn mismatch(error: TextError) -> ApiError {
    let why = format!("cannot stand for the text: {error}");
    one("translation", "markup_mismatch", &why)
}

/// True for control characters other than white space, which no PO file should hold.
fn is_refused_control(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}
