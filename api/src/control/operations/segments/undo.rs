//! `segments.undo`: the words before a batch, or before a person's edits.

use std::sync::LazyLock;

use pipeline::state::{BatchEdit, PersonRow, PersonState, UndoScope};
use schemars::JsonSchema;
use serde::Deserialize;

use super::act::MOST;
use super::changes::{ChangedText, Changes};
use super::decision::NotChanged;
use crate::control::form::{RequestSchema, one, schema_of_answer};
use crate::control::operations::{Call, Reply, Schemas};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// Edits to undo: a batch, or all of a person from a time on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentUndo")]
struct Request {
    /// The batch. Either this, or `by` and `since`.
    #[serde(default)]
    #[schemars(range(min = 1))]
    batch_id: Option<u64>,
    /// Subject of the author.
    #[serde(default)]
    #[schemars(length(min = 1, max = 256))]
    by: Option<String>,
    /// The time of the first edit that is undone.
    #[serde(default)]
    since: Option<Time>,
    /// Tell what would change, and change nothing (default: `false`).
    #[serde(default)]
    dry_run: bool,
}

static FORM: LazyLock<RequestSchema<Request>> = LazyLock::new(RequestSchema::new);

pub(in crate::control::operations) fn schemas() -> Schemas {
    Schemas {
        query: None,
        body: Some(FORM.schema().clone()),
        answer: schema_of_answer::<Changes>(),
    }
}

/// Brings back the words before some edits. Texts that others edited later stay as they are.
pub(in crate::control::operations) async fn undo(call: &Call<'_>) -> Result<Reply, ApiError> {
    let request: Request = FORM.read(&call.body)?;
    let scope = match (request.batch_id, request.by, request.since) {
        (Some(batch), None, None) => UndoScope::Batch(batch),
        (None, Some(subject), Some(since)) => UndoScope::By {
            subject,
            since: since.to_keep(),
        },
        _ => {
            return Err(one(
                "",
                "invalid_value",
                "the request needs either `batchId`, or `by` and `since`",
            ));
        }
    };
    let site = call.site()?.id.clone();
    let locale = call.locale()?.clone();
    let segments = call.segments_of_locale().await?;
    let plan = call
        .state(move |state| state.undo_plan(&site, &locale, &scope))
        .await?;
    if plan.steps.len() > MOST {
        let why = format!(
            "concerns {} texts; one change takes {MOST}",
            plan.steps.len()
        );
        return Err(one("since", "too_many", &why));
    }
    let mut changes = Changes::none(segments.revision());
    for (key, row) in &plan.same {
        changes.leave(*key, Some(&row.source), &NotChanged::Same);
    }
    for (key, row) in &plan.left {
        changes.leave(*key, Some(&row.source), &NotChanged::Stale);
    }
    let mut batch = Vec::new();
    for step in plan.steps {
        let before = step.before.unwrap_or_else(|| PersonRow {
            text: String::new(),
            state: PersonState::Withdrawn,
            stands: None,
            ..step.now.clone()
        });
        changes.change(|| ChangedText {
            segment_id: step.key.to_string(),
            source: step.now.source.clone(),
            before: with_words(&step.now.text),
            after: with_words(&before.text).filter(|_| before.base == segments.base(step.key)),
            state: before.state.code(),
        });
        batch.push(BatchEdit {
            key: step.key,
            seen: step.seen,
            row: PersonRow {
                by: call.caller()?.subject.clone(),
                at: call.now().to_keep(),
                via: call.via(),
                ..before
            },
        });
    }
    if !request.dry_run {
        call.keep_batch(batch, &mut changes).await?;
    }
    Reply::ok(&changes)
}

fn with_words(words: &str) -> Option<String> {
    (!words.is_empty()).then(|| words.to_owned())
}
