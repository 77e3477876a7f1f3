//! The answer about a change of several texts, or about its dry run.

use pipeline::inspect::SegmentsRevision;
use pipeline::model::SegmentKey;
use pipeline::state::PersonState;
use schemars::JsonSchema;
use serde::Serialize;

use super::decision::NotChanged;

/// Most texts of an answer that are listed.
const MOST_LISTED: usize = 50;

/// Result of a change of several texts.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SegmentChanges")]
pub(super) struct Changes {
    /// The batch, to undo it; absent if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) batch_id: Option<u64>,
    /// Number of texts that changed, or would change.
    pub(super) changed: usize,
    /// Number of texts that stay as they are.
    pub(super) skipped: usize,
    /// Number of texts whose words would be wrong.
    pub(super) refused: usize,
    /// The first texts that changed, at most fifty.
    pub(super) examples: Vec<ChangedText>,
    /// The first texts that did not, at most fifty.
    pub(super) unchanged: Vec<UnchangedText>,
    /// The revision that the answer speaks of, for `asOf`.
    pub(super) as_of: String,
}

/// A text that changed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ChangedSegment")]
pub(super) struct ChangedText {
    pub(super) segment_id: String,
    /// The source text, with inline codes.
    pub(super) source: String,
    /// The words before; absent where readers got the source text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<String>,
    /// The words after; absent where they are those of the file or of the memory, or the source text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<String>,
    #[schemars(extend("enum" = PersonState::ALL.map(PersonState::code)))]
    pub(super) state: &'static str,
}

/// A text that did not change.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UnchangedSegment")]
pub(super) struct UnchangedText {
    pub(super) segment_id: String,
    /// The source text, with inline codes; absent if the site has no such text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source: Option<String>,
    #[schemars(extend("enum" = NotChanged::CODES))]
    pub(super) reason: &'static str,
    /// The trouble with the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
}

impl Changes {
    pub(super) fn none(revision: SegmentsRevision) -> Self {
        Self {
            batch_id: None,
            changed: 0,
            skipped: 0,
            refused: 0,
            examples: Vec::new(),
            unchanged: Vec::new(),
            as_of: revision.to_string(),
        }
    }

    pub(super) fn change(&mut self, text: impl FnOnce() -> ChangedText) {
        self.changed += 1;
        if self.examples.len() < MOST_LISTED {
            self.examples.push(text());
        }
    }

    pub(super) fn leave(&mut self, key: SegmentKey, source: Option<&str>, why: &NotChanged) {
        match why {
            NotChanged::Mismatch(_) => self.refused += 1,
            _ => self.skipped += 1,
        }
        if self.unchanged.len() < MOST_LISTED {
            self.unchanged.push(UnchangedText {
                segment_id: key.to_string(),
                source: source.map(str::to_owned),
                reason: why.code(),
                message: why.message(),
            });
        }
    }
}
