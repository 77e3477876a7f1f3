//! `segments.put`: a person's words for a text, kept in the state.

use std::sync::LazyLock;

use hyper::header::IF_MATCH;
use pipeline::inspect::{SegmentState, SegmentView};
use pipeline::page::{CodedText, Segment, TextError, check};
use pipeline::state::{EditOutcome, EditVia, PersonRow, PersonState};
use schemars::JsonSchema;
use serde::Deserialize;

use super::answer::Detail;
use super::decision::{Action, Decided, NotChanged};
use super::detail::{get, last_edit, version};
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::control::operations::{Call, Reply, Schemas};
use crate::http::error::ApiError;

/// Words for a text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "SegmentChange")]
struct Request {
    /// The words, with the inline codes of the source text. Without them, `approved` takes the words that wait or the machine's, and
    /// `locked` those that readers get. Not with the states `untranslated` and `rejected`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 100_000))]
    translation: Option<String>,
    /// State of the words (default: `approved`, or `draft` where the site wants a review and the caller may not review): `draft` lets
    /// them wait, `untranslated` clears those that stand, `rejected` lets the source text stand and asks no engine, `locked` lets nothing
    /// change them until they are approved again.
    #[serde(default)]
    #[schemars(with = "String", extend("enum" = SAVED.map(PersonState::code)))]
    state: Option<PersonState>,
}

/// States in which words are saved.
const SAVED: [PersonState; 5] = [
    PersonState::Approved,
    PersonState::Draft,
    PersonState::Untranslated,
    PersonState::Rejected,
    PersonState::Locked,
];

/// The scope that approves, rejects and locks.
pub(in crate::control::operations) const REVIEW: &str = "translations:review";

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
    let request = FORM.read(&call.body)?;
    let state = wanted_state(call, &request)?;
    let seen = seen(call)?;
    let key = call.segment_key()?;
    let locale = call.locale()?.clone();
    let site = call.site()?.id.clone();
    // Read before the words: an edit in between makes the version another one.
    let edit = last_edit(call, key).await?;
    let revision = edit.as_ref().map_or(0, |(revision, _)| *revision);
    let known = edit.as_ref().map(|(_, row)| row);
    let segments = call.segments_of_locale().await?;
    let view = segments.get(key).ok_or(ApiError::SegmentNotFound)?;
    let id = site.clone();
    let text = call.state(move |state| state.site_text(&id, key)).await?;
    let text = text.ok_or(ApiError::SegmentNotFound)?;
    if seen != version(revision, &view) {
        return Err(ApiError::Stale(version(revision, &view)));
    }
    if view.state == SegmentState::Locked && !call.caller()?.has(REVIEW) {
        return Err(ApiError::SegmentLocked);
    }
    let given = request.translation.as_deref();
    let base = segments.base(key);
    let decided = decided((given, state), &view, &text, (known, base))?;
    let row = call.person_row(&view, &text, decided)?;
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

/// The state that the caller wants, and may set.
fn wanted_state(call: &Call<'_>, request: &Request) -> Result<PersonState, ApiError> {
    let may_review = call.caller()?.has(REVIEW);
    let may_approve = may_review || call.site()?.approves_on_save;
    match request.state {
        None if may_approve => Ok(PersonState::Approved),
        None => Ok(PersonState::Draft),
        Some(PersonState::Approved | PersonState::Untranslated) if !may_approve => {
            Err(ApiError::MissingScope(REVIEW))
        }
        Some(PersonState::Rejected | PersonState::Locked) if !may_review => {
            Err(ApiError::MissingScope(REVIEW))
        }
        Some(state) => Ok(state),
    }
}

/// The words and their state, checked against the text.
fn decided(
    (given, state): (Option<&str>, PersonState),
    view: &SegmentView<'_>,
    text: &Segment,
    (known, base): (Option<&PersonRow>, Option<u64>),
) -> Result<Decided, ApiError> {
    let is_locked = view.state == SegmentState::Locked;
    let action = match (state, given) {
        (PersonState::Approved, None) if is_locked => Action::Unlock,
        _ if is_locked => return Err(ApiError::SegmentLocked),
        (PersonState::Approved, None) => Action::Approve,
        (PersonState::Rejected, None) => Action::Reject,
        (PersonState::Locked, None) => Action::Lock,
        (PersonState::Untranslated, None) => {
            return Ok(Decided {
                words: String::new(),
                state,
                base,
            });
        }
        (PersonState::Untranslated | PersonState::Rejected, Some(_)) => {
            let why = "must be absent where the text gets no words";
            return Err(one("translation", "invalid_value", why));
        }
        (_, Some(given)) => {
            return Ok(Decided {
                words: checked(given, text)?,
                state,
                base,
            });
        }
        (PersonState::Draft | PersonState::Withdrawn, None) => {
            return Err(one("translation", "required", "is missing"));
        }
    };
    let decided = action.decide(view, text, known, base);
    decided.map_err(|why| match why {
        NotChanged::Mismatch(error) => mismatch(error),
        NotChanged::Locked => ApiError::SegmentLocked,
        _ => {
            let why = format!("cannot be set: {}", no_words(&why));
            one("state", "invalid_value", &why)
        }
    })
}

/// The reason why a decision without words changes nothing.
fn no_words(why: &NotChanged) -> &'static str {
    match why {
        NotChanged::Same => "the text has it",
        NotChanged::ToReview => "words of a person wait for a review",
        _ => "there are no words that it could be about",
    }
}

/// Words in the notation, checked against the text.
fn checked(given: &str, text: &Segment) -> Result<String, ApiError> {
    let words = CodedText::from_markup(&given.replace("\r\n", "\n")).map_err(mismatch)?;
    if words.text().contains(is_refused_control) {
        let why = "holds control characters";
        return Err(one("translation", "invalid_value", why));
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

impl Call<'_> {
    /// The row of the caller's decision about a text.
    pub(super) fn person_row(
        &self,
        view: &SegmentView<'_>,
        text: &Segment,
        decided: Decided,
    ) -> Result<PersonRow, ApiError> {
        Ok(PersonRow {
            source: view.source.to_owned(),
            class: text.class.as_str().to_owned(),
            text: decided.words,
            state: decided.state,
            by: self.caller()?.subject.clone(),
            at: self.now().to_keep(),
            via: self.via(),
            base: decided.base,
            stands: None,
        })
    }

    /// The origin of an edit by this call.
    pub(super) fn via(&self) -> EditVia {
        if self.is_screen {
            EditVia::Screen
        } else {
            EditVia::Api
        }
    }
}
