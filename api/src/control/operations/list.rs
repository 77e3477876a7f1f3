//! What all lists have in common: which part is wanted, and how the answer is written.

use std::sync::LazyLock;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};

use super::Call;
use crate::control::form::RequestSchema;
use crate::http::error::ApiError;

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// How many entries.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// How many entries are passed over.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1000000))]
    offset: Option<u32>,
}

/// A part of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "{T}List")]
pub(super) struct List<T> {
    pub(super) items: Vec<T>,
    /// How many there are in all.
    pub(super) total: usize,
}

static FORM: LazyLock<RequestSchema<Page>> = LazyLock::new(RequestSchema::new);
const USUAL_LIMIT: u32 = 25;

impl Page {
    /// The schema of the query, for the document.
    pub(super) fn schema() -> Schema {
        FORM.schema().clone()
    }

    /// The part that a call asks for.
    pub(super) fn of(call: &Call<'_>) -> Result<Self, ApiError> {
        FORM.query(call.query.as_deref())
    }

    /// The part that a query of more parameters asks for.
    pub(super) fn at(limit: Option<u32>, offset: Option<u32>) -> Self {
        Self { limit, offset }
    }

    /// Cuts it out of a whole list.
    pub(super) fn cut<T>(self, all: Vec<T>) -> List<T> {
        let total = all.len();
        let limit = self.limit.unwrap_or(USUAL_LIMIT);
        let offset = self.offset.unwrap_or(0);
        List {
            items: all
                .into_iter()
                .skip(count(offset))
                .take(count(limit))
                .collect(),
            total,
        }
    }
}

impl<T> List<T> {
    /// The same part, its entries written another way.
    pub(super) fn map<U>(self, write: impl FnMut(T) -> U) -> List<U> {
        List {
            items: self.items.into_iter().map(write).collect(),
            total: self.total,
        }
    }
}

fn count(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
