//! Monthly budget of each subject, shared by its running builds and previews.

use std::collections::BTreeMap;
use std::sync::{Mutex, Weak};

use crate::model::Month;
use crate::translate::CharacterBudget;

/// Remaining characters by subject and month.
#[derive(Debug, Default)]
pub(super) struct SubjectBudgets(
    pub(super) Mutex<BTreeMap<(String, Month), Weak<CharacterBudget>>>,
);
