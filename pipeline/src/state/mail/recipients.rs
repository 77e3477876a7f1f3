//! Who gets mail: an account's time zone and language, and what it got.

use serde::{Deserialize, Serialize};

use super::super::backend::{ReadableTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::{json, parsed};
use super::super::tables::RECIPIENTS;
use super::super::{State, StateError};
use crate::model::{Locale, Moment};

/// An account that gets mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// The name of its time zone; the server's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Its language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// The local date of the last slot that was claimed, such as `2026-11-24`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Until when the last digest that the server took says what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Moment>,
}

impl State {
    /// What is known of an account; one that is unknown has nothing.
    pub fn recipient(&self, account: &str) -> Result<Recipient, StateError> {
        self.read("read a recipient from", |transaction| {
            recipient(&transaction.open_table(RECIPIENTS)?, account)
        })
    }

    /// Keeps the time zone and the language of an account.
    pub fn set_recipient(
        &self,
        account: &str,
        timezone: Option<String>,
        locale: Option<Locale>,
    ) -> Result<(), StateError> {
        self.write("keep a recipient in", |transaction| {
            change(transaction, account, |recipient| {
                recipient.timezone = timezone;
                recipient.locale = locale;
            })
        })
    }
}

pub(super) fn recipient(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
    account: &str,
) -> Result<Recipient, StateFault> {
    let found = table.get(account)?;
    let found = found
        .map(|value| parsed(value.value(), || "a recipient".to_owned()))
        .transpose()?;
    Ok(found.unwrap_or_default())
}

pub(super) fn change(
    transaction: &WriteTransaction,
    account: &str,
    change: impl FnOnce(&mut Recipient),
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(RECIPIENTS)?;
    let mut known = recipient(&table, account)?;
    change(&mut known);
    table.insert(account, json(&known)?.as_slice())?;
    Ok(())
}
