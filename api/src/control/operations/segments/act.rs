//! `segments.act`: one decision about several texts.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use pipeline::inspect::{LocaleSegments, Replacement, SegmentView, SegmentsRevision};
use pipeline::model::SegmentKey;
use pipeline::page::Segment;
use pipeline::state::{BatchEdit, PersonRow, State};
use schemars::JsonSchema;
use serde::Deserialize;

use super::changes::{ChangedText, Changes};
use super::decision::{Action, Decided, NotChanged};
use super::filter::Filter;
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::control::operations::{Call, Reply, Schemas};
use crate::http::error::ApiError;

/// Most texts of one change.
pub(super) const MOST: usize = 10_000;

/// A decision about several texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentAction")]
struct Request {
    action: ActionWord,
    /// The texts. Either these or `filter`.
    #[serde(default)]
    #[schemars(length(min = 1, max = 10_000), inner(pattern("^[0-9a-f]{32}$")))]
    segment_ids: Option<Vec<String>>,
    /// Texts by state, words and page, at most 10,000. Either these or `segmentIds`.
    #[serde(default)]
    filter: Option<Filter>,
    /// Words to replace.
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    find: Option<String>,
    /// Words that take their place.
    #[serde(default)]
    #[schemars(length(max = 1000))]
    replace_with: Option<String>,
    /// Match upper and lower case (default: `false`).
    #[serde(default)]
    match_case: bool,
    /// The revision of the list or of the dry run that the caller saw: texts that others edited since are skipped. If machine words
    /// or files changed since, the answer is 412.
    #[serde(default)]
    #[schemars(pattern("^[0-9]{1,20}-[0-9a-f]{16}$"))]
    as_of: Option<String>,
    /// Tell what would change, and change nothing (default: `false`).
    #[serde(default)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "SegmentActionWord")]
enum ActionWord {
    /// The words that wait are right, or the machine's.
    Approve,
    /// The words are wrong: a draft goes; without one, readers get the source text and no engine is asked.
    Reject,
    /// Nothing changes the words until somebody unlocks them.
    Lock,
    /// Locked words may change again.
    Unlock,
    /// `find` becomes `replaceWith` in translations.
    Replace,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(in crate::control::operations) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Changes>(),
    }
}

/// Decides about several texts in one batch.
pub(in crate::control::operations) async fn act(call: &Call<'_>) -> Result<Reply, ApiError> {
    let mut request: Request = FORM.read(&call.body)?;
    let action = action(&request)?;
    let segments = call.segments_of_locale().await?;
    let edited = edited_since(call, &segments, request.as_of.as_deref()).await?;
    let keys = keys(&mut request, &segments)?;
    let mut changes = Changes::none(segments.revision());
    let mut batch = Vec::new();
    for known in known_texts(call, keys).await? {
        let key = known.key;
        let base = segments.base(key);
        // The index may lack an edit that was made since it was read.
        let is_later = known.revision > segments.revision().people;
        let decided = if is_later || edited.contains(&key) {
            Err(NotChanged::Stale)
        } else {
            known.decide(&segments, &action)
        };
        let Decision {
            view,
            text,
            decided,
        } = match decided {
            Ok(decision) => decision,
            Err(why) => {
                let view = segments.get(key);
                changes.leave(key, view.map(|view| view.source), &why);
                continue;
            }
        };
        changes.change(|| ChangedText {
            segment_id: key.to_string(),
            source: view.source.to_owned(),
            before: action.former(&view).map(str::to_owned),
            after: decided.words_now(base),
            state: decided.state.code(),
        });
        let row = call.person_row(&view, text, decided)?;
        batch.push(BatchEdit {
            key,
            seen: known.revision,
            row: row.above(known.row.as_ref()),
        });
    }
    if !request.dry_run {
        call.keep_batch(batch, &mut changes).await?;
    }
    Reply::ok(&changes)
}

fn action(request: &Request) -> Result<Action, ApiError> {
    let is_replace = matches!(request.action, ActionWord::Replace);
    if !is_replace && (request.find.is_some() || request.replace_with.is_some()) {
        let why = "is for the action `replace` alone";
        return Err(one("find", "invalid_value", why));
    }
    Ok(match request.action {
        ActionWord::Approve => Action::Approve,
        ActionWord::Reject => Action::Reject,
        ActionWord::Lock => Action::Lock,
        ActionWord::Unlock => Action::Unlock,
        ActionWord::Replace => {
            let find = request.find.as_deref().unwrap_or_default();
            let with = request
                .replace_with
                .as_deref()
                .ok_or_else(|| one("replaceWith", "required", "is missing"))?;
            if with.contains(char::is_control) {
                let why = "holds control characters";
                return Err(one("replaceWith", "invalid_value", why));
            }
            let replacement = Replacement::new(find, with, request.match_case);
            Action::Replace(replacement.ok_or_else(|| one("find", "required", "is missing"))?)
        }
    })
}

/// The texts of a request.
fn keys(
    request: &mut Request,
    segments: &Arc<LocaleSegments>,
) -> Result<Vec<SegmentKey>, ApiError> {
    match (request.segment_ids.take(), request.filter.take()) {
        (Some(ids), None) => {
            let mut keys: Vec<SegmentKey> = Vec::with_capacity(ids.len());
            let mut known = BTreeSet::new();
            for id in ids {
                let key = SegmentKey::parse(&id).ok_or(ApiError::SegmentNotFound)?;
                if known.insert(key) {
                    keys.push(key);
                }
            }
            Ok(keys)
        }
        (None, Some(filter)) => {
            let query = filter.read("filter.")?;
            let found = segments.find(&query);
            if found.total > MOST {
                let why = format!("allows {} texts; one change takes {MOST}", found.total);
                return Err(one("filter", "too_many", &why));
            }
            Ok(found.items.iter().map(|view| view.key).collect())
        }
        _ => Err(one(
            "",
            "invalid_value",
            "the request needs either `segmentIds` or `filter`",
        )),
    }
}

/// The texts that others edited since a revision.
async fn edited_since(
    call: &Call<'_>,
    segments: &LocaleSegments,
    as_of: Option<&str>,
) -> Result<BTreeSet<SegmentKey>, ApiError> {
    let Some(as_of) = as_of else {
        return Ok(BTreeSet::new());
    };
    let now = segments.revision();
    let seen = SegmentsRevision::parse(as_of).filter(|seen| seen.inputs == now.inputs);
    let Some(seen) = seen.filter(|seen| seen.people <= now.people) else {
        return Err(ApiError::Stale(now.to_string()));
    };
    let site = call.site()?.id.clone();
    let locale = call.locale()?.clone();
    let edits = call
        .state(move |state| state.edits_after(&site, &locale, seen.people))
        .await?;
    let keys = edits
        .iter()
        .filter_map(|(_, edit)| SegmentKey::parse(&edit.segment));
    Ok(keys.collect())
}

/// Facts about a text that the state has.
struct KnownText {
    key: SegmentKey,
    text: Option<Segment>,
    /// The revision of the last edit; 0 before the first one.
    revision: u64,
    row: Option<PersonRow>,
}

/// A text with the result of an action.
struct Decision<'k> {
    view: SegmentView<'k>,
    text: &'k Segment,
    decided: Decided,
}

impl KnownText {
    fn decide<'k>(
        &'k self,
        segments: &'k LocaleSegments,
        action: &Action,
    ) -> Result<Decision<'k>, NotChanged> {
        let view = segments.get(self.key).ok_or(NotChanged::Unknown)?;
        let text = self.text.as_ref().ok_or(NotChanged::Unknown)?;
        let base = segments.base(self.key);
        Ok(Decision {
            decided: action.decide(&view, text, self.row.as_ref(), base)?,
            view,
            text,
        })
    }
}

/// Reads what the state has of each of these texts.
async fn known_texts(call: &Call<'_>, keys: Vec<SegmentKey>) -> Result<Vec<KnownText>, ApiError> {
    let site = call.site()?.id.clone();
    let locale = call.locale()?.clone();
    let read = move |state: &State| {
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            let text = state.site_text(&site, key)?;
            let edit = state.person(&site, &locale, key)?;
            found.push(KnownText {
                key,
                text,
                revision: edit.as_ref().map_or(0, |(revision, _)| *revision),
                row: edit.map(|(_, row)| row),
            });
        }
        Ok(found)
    };
    call.state(read).await
}

impl Call<'_> {
    /// Keeps a batch; texts that others changed meanwhile are skipped.
    pub(super) async fn keep_batch(
        &self,
        batch: Vec<BatchEdit>,
        changes: &mut Changes,
    ) -> Result<(), ApiError> {
        if batch.is_empty() {
            return Ok(());
        }
        let site = self.site()?.id.clone();
        let locale = self.locale()?.clone();
        let kept = self
            .state(move |state| state.edit_batch(&site, &locale, &batch))
            .await?;
        changes.batch_id = kept.batch;
        for key in kept.stale {
            changes.changed -= 1;
            let id = key.to_string();
            let at = changes
                .examples
                .iter()
                .position(|text| text.segment_id == id);
            let source = at.map(|at| changes.examples.remove(at).source);
            changes.leave(key, source.as_deref(), &NotChanged::Stale);
        }
        Ok(())
    }
}
