//! Budgets of a month that the running builds and previews of a subject share.

use std::collections::BTreeMap;
use std::sync::{Mutex, Weak};

use crate::model::Month;
use crate::translate::Budget;

/// What subjects may still send, shared by everything that works for one of them now.
#[derive(Debug, Default)]
pub(super) struct SubjectBudgets(pub(super) Mutex<BTreeMap<(String, Month), Weak<Budget>>>);
