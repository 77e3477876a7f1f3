//! What subjects may still send in a month, for as long as something works for them.

use std::collections::BTreeMap;
use std::sync::{Mutex, Weak};

use crate::model::Month;
use crate::translate::Budget;

/// What subjects may still send, shared by everything that works for one of them now.
#[derive(Debug, Default)]
pub(super) struct Purses(pub(super) Mutex<BTreeMap<(String, Month), Weak<Budget>>>);
