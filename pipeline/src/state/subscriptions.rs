//! Who wants digests: one subscription an account.

use std::collections::BTreeMap;

use super::backend::ReadableTable;
use super::mail::{forget_unconfirmed, subscribed};
use super::rows::{json, parsed};
use super::tables::DIGESTS;
use super::{DigestSubscription, Frequency, State, StateError};
use crate::model::Moment;

impl State {
    /// Makes or replaces an account's subscription; gives what is kept then. `verified` says that whoever asks was shown to
    /// have the address.
    pub fn subscribe(
        &self,
        account: &str,
        email: &str,
        frequency: Frequency,
        sites: &[String],
        verified: bool,
        now: Moment,
    ) -> Result<DigestSubscription, StateError> {
        self.write("keep a subscription in", |transaction| {
            let table = transaction.open_table(DIGESTS)?;
            let row = || "a subscription".to_owned();
            let old = table
                .get(account)?
                .map(|value| parsed::<DigestSubscription>(value.value(), row))
                .transpose()?;
            drop(table);
            let before = old.as_ref().filter(|old| old.frequency != Frequency::Off);
            let wanted = before.map_or(now, |old| old.wanted);
            subscribed(
                transaction,
                account,
                old.as_ref().map(|old| old.email.as_str()),
                email,
                verified,
                now,
            )?;
            let created = old.map_or(now, |old| old.created);
            let email = email.to_owned();
            let sites = sites.to_vec();
            let record = DigestSubscription {
                email,
                frequency,
                sites,
                created,
                wanted,
                updated: now,
            };
            transaction
                .open_table(DIGESTS)?
                .insert(account, json(&record)?.as_slice())?;
            self.mailing.signal.note();
            Ok(record)
        })
    }

    /// The subscription of an account, if it has one.
    pub fn subscription(&self, account: &str) -> Result<Option<DigestSubscription>, StateError> {
        self.read("read a subscription from", |transaction| {
            let found = transaction.open_table(DIGESTS)?.get(account)?;
            found
                .map(|value| parsed(value.value(), || "a subscription".to_owned()))
                .transpose()
        })
    }

    /// Removes the subscription of an account; says whether there was one.
    pub fn unsubscribe(&self, account: &str) -> Result<bool, StateError> {
        self.write("remove a subscription from", |transaction| {
            let mut table = transaction.open_table(DIGESTS)?;
            let row = || "a subscription".to_owned();
            let old = table
                .take(account)?
                .map(|value| parsed::<DigestSubscription>(value.value(), row))
                .transpose()?;
            drop(table);
            if let Some(old) = &old {
                forget_unconfirmed(transaction, account, &old.email)?;
            }
            Ok(old.is_some())
        })
    }

    /// Every subscription, by account.
    pub fn subscriptions(&self) -> Result<BTreeMap<String, DigestSubscription>, StateError> {
        self.read("read subscriptions from", |transaction| {
            let table = transaction.open_table(DIGESTS)?;
            let mut found = BTreeMap::new();
            for row in table.iter()? {
                let (account, value) = row?;
                found.insert(
                    account.value().to_owned(),
                    parsed(value.value(), || "a subscription".to_owned())?,
                );
            }
            Ok(found)
        })
    }
}
