//! Who wants digests: one subscription an account.

use std::collections::BTreeMap;

use redb::{ReadableDatabase, ReadableTable};
use serde::{Deserialize, Serialize};

use super::rows::{json, parsed};
use super::tables::DIGESTS;
use super::{Frequency, State, StoreError};

/// An account's wish for digests. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    /// Where digests go.
    pub email: String,
    /// How often.
    pub frequency: Frequency,
    /// The sites that the account could see when it last asked; `*` stands for all.
    #[serde(default)]
    pub sites: Vec<String>,
    /// When the account first asked.
    pub created: u64,
    /// When it last asked.
    pub updated: u64,
}

impl State {
    /// Makes or replaces an account's subscription; gives what is kept then.
    pub fn subscribe(
        &self,
        account: &str,
        email: &str,
        frequency: Frequency,
        sites: &[String],
        now: u64,
    ) -> Result<Subscription, StoreError> {
        self.write("keep a subscription in", |transaction| {
            let mut table = transaction.open_table(DIGESTS)?;
            let row = || "a subscription".to_owned();
            let old = table.get(account)?.map(|value| parsed::<Subscription>(value.value(), row)).transpose()?;
            let created = old.map_or(now, |old| old.created);
            let (email, sites) = (email.to_owned(), sites.to_vec());
            let record = Subscription { email, frequency, sites, created, updated: now };
            table.insert(account, json(&record)?.as_slice())?;
            Ok(record)
        })
    }

    /// The subscription of an account, if it has one.
    pub fn subscription(&self, account: &str) -> Result<Option<Subscription>, StoreError> {
        self.read("read a subscription from", |database| {
            let found = database.begin_read()?.open_table(DIGESTS)?.get(account)?;
            found.map(|value| parsed(value.value(), || "a subscription".to_owned())).transpose()
        })
    }

    /// Removes the subscription of an account; says whether there was one.
    pub fn unsubscribe(&self, account: &str) -> Result<bool, StoreError> {
        self.write("remove a subscription from", |transaction| {
            Ok(transaction.open_table(DIGESTS)?.remove(account)?.is_some())
        })
    }

    /// Every subscription, by account.
    pub fn subscriptions(&self) -> Result<BTreeMap<String, Subscription>, StoreError> {
        self.read("read subscriptions from", |database| {
            let table = database.begin_read()?.open_table(DIGESTS)?;
            let mut found = BTreeMap::new();
            for row in table.iter()? {
                let (account, value) = row?;
                found.insert(account.value().to_owned(), parsed(value.value(), || "a subscription".to_owned())?);
            }
            Ok(found)
        })
    }
}
