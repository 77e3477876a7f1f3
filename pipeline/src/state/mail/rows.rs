//! The rows of mail: what was written to whom, and what is known of addresses.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use super::super::backend::{ReadableTable, WriteTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::{json, parsed};
use super::super::tables::{ADDRESSES, DIGESTS, MAILS};
use super::super::{DigestSubscription, Frequency};
use crate::model::{Locale, Moment};

/// Prefix of the name of [`orderer`].
pub(super) const OF_PREVIEWS: &str = "previews\n";
/// How long what was sent to an address counts against its limit.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What kind of mail it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MailKind {
    /// What changed in the languages of an account's sites.
    Digest,
    /// Asks whoever has an address whether they want digests.
    Confirmation,
    /// Asks the owner of an address to confirm mail about previews.
    PreviewConfirmation,
    /// Says that a preview can be seen.
    PreviewReady,
    /// Says that an endpoint gets nothing any more.
    WebhookDisabled,
}

/// Where a mail stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MailStatus {
    /// It is to be sent.
    Waiting,
    /// It is being sent.
    Sending,
    /// The server took it.
    Sent,
    /// It was sent, and no answer came; it may have arrived, so it is not sent again.
    Unknown,
    /// The server refused it.
    Refused,
    /// The server could not be reached, or said not now, until it was too late.
    Failed,
    /// It was not wanted any more before it was sent.
    Dropped,
}

/// A mail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailRecord {
    /// What kind it is.
    pub kind: MailKind,
    /// Whose it is, if it is an account's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Where it goes.
    pub to: String,
    /// What stands left of the `@` in its `Message-ID`.
    pub id: String,
    /// The language that it is wanted in, if that is not the account's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// What it says, for its template; nothing once it is over.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// For a digest: until when it says what happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Moment>,
    /// Where it stands.
    pub status: MailStatus,
    /// How often it was tried.
    pub attempts: u32,
    /// What the server said, or what kept it from being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// When it was written.
    pub created: Moment,
    /// When it was last tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tried: Option<Moment>,
    /// When it is to be tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Moment>,
}

/// What is known of an address of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRecord {
    /// What stands in the links with which whoever has it wants no more.
    pub leave: String,
    /// When whoever has it said that they want digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Moment>,
    /// When they were last asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Moment>,
    /// When they said that they want no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Moment>,
    /// Digests in a row for which the server refused it.
    #[serde(default)]
    pub refused: u32,
    /// What the server said when it refused it for the last time: it gets nothing any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

impl MailRecord {
    /// A mail that is to be sent at once.
    pub fn new(
        kind: MailKind,
        account: Option<&str>,
        to: &str,
        id: String,
        data: Value,
        now: Moment,
    ) -> Self {
        Self {
            kind,
            account: account.map(str::to_owned),
            to: to.to_owned(),
            id,
            locale: None,
            data,
            until: None,
            status: MailStatus::Waiting,
            attempts: 0,
            said: None,
            created: now,
            tried: None,
            next: Some(now),
        }
    }

    /// The account whose address it goes to: its own, or `orderer` for mail about previews.
    pub fn consent(&self) -> &str {
        self.account
            .as_deref()
            .or_else(|| self.data["orderer"].as_str())
            .unwrap_or_default()
    }

    /// True if the mail is addressed to `email`.
    pub(super) fn is_to(&self, email: &str) -> bool {
        self.to.to_lowercase() == email.to_lowercase() || self.to == mark_of(email)
    }

    /// Ends it: what it said is not kept, nor the address of somebody who has no account.
    pub(super) fn end(&mut self, status: MailStatus, said: Option<String>) {
        if self.account.is_none() {
            self.to = mark_of(&self.to);
        }
        self.status = status;
        self.said = said.or(self.said.take());
        self.next = None;
        self.data = Value::Null;
    }
}

impl AddressRecord {
    /// One of which nothing is known.
    pub(super) fn new() -> Self {
        Self {
            leave: token(),
            confirmed: None,
            asked: None,
            left: None,
            refused: 0,
            stopped: None,
        }
    }

    /// True if mail about previews may go to the address. A person who left gets none until they confirm again.
    pub(super) fn takes_previews(&self, confirms: bool) -> bool {
        self.is_usable(confirms) && !self.declines_previews()
    }

    /// True if the person declined mail about previews, or their mail server refuses it.
    pub(super) fn declines_previews(&self) -> bool {
        self.stopped.is_some() || (self.left.is_some() && self.confirmed.is_none())
    }

    /// Whether mail of an account may go there.
    pub(super) fn is_usable(&self, confirms: bool) -> bool {
        self.stopped.is_none() && (self.confirmed.is_some() || !confirms)
    }
}

/// The account that holds the consent to mail about previews: the orderer's name with a prefix that no subject of a token has. So
/// consent to previews is no consent to digests.
pub(super) fn orderer(subject: Option<&str>) -> String {
    format!("{OF_PREVIEWS}{}", subject.unwrap_or_default())
}

/// By what an address is known again that is not kept.
pub(super) fn mark_of(address: &str) -> String {
    blake3::hash(address.to_lowercase().as_bytes())
        .to_hex()
        .chars()
        .take(32)
        .collect()
}

/// A text of 122 random bits.
pub(super) fn token() -> String {
    Uuid::new_v4().simple().to_string()
}

/// Writes a mail down among the others.
pub(super) fn post(transaction: &WriteTransaction, mail: &MailRecord) -> Result<(), StateFault> {
    let mut table = transaction.open_table(MAILS)?;
    let place = table.last()?.map_or(0, |last| last + 1);
    put_mail(&mut table, place, mail)
}

pub(super) fn put_mail(
    table: &mut WriteTable<'_, u64, &'static [u8]>,
    place: u64,
    mail: &MailRecord,
) -> Result<(), StateFault> {
    table.insert(place, json(mail)?.as_slice())?;
    Ok(())
}

pub(super) fn mail(
    table: &impl ReadableTable<u64, &'static [u8]>,
    place: u64,
) -> Result<Option<MailRecord>, StateFault> {
    table
        .get(place)?
        .map(|value| parsed(value.value(), || "a mail".to_owned()))
        .transpose()
}

/// The mails, the newest first.
pub(super) fn newest_first(
    table: &impl ReadableTable<u64, &'static [u8]>,
) -> Result<impl Iterator<Item = Result<(u64, MailRecord), StateFault>>, StateFault> {
    let rows = table.iter()?.rev();
    Ok(rows.map(|row| {
        let (place, value) = row?;
        Ok((
            place.value(),
            parsed(value.value(), || "a mail".to_owned())?,
        ))
    }))
}

/// How many mails of the last day fit.
pub(super) fn lately(
    transaction: &WriteTransaction,
    now: Moment,
    fits: impl Fn(&MailRecord) -> bool,
) -> Result<usize, StateFault> {
    let table = transaction.open_table(MAILS)?;
    let mut count = 0;
    for row in newest_first(&table)? {
        let (_, mail) = row?;
        if mail.created + DAY <= now {
            break;
        }
        count += usize::from(fits(&mail));
    }
    Ok(count)
}

pub(super) fn address(
    table: &impl ReadableTable<(&'static str, &'static str), &'static [u8]>,
    account: &str,
    email: &str,
) -> Result<Option<AddressRecord>, StateFault> {
    table
        .get((account, email))?
        .map(|value| parsed(value.value(), || "an address".to_owned()))
        .transpose()
}

pub(super) fn put_address(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
    record: &AddressRecord,
) -> Result<(), StateFault> {
    transaction
        .open_table(ADDRESSES)?
        .insert((account, email), json(record)?.as_slice())?;
    Ok(())
}

/// Everybody who wants digests.
pub(in crate::state) fn wishes(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Vec<(String, DigestSubscription)>, StateFault> {
    let mut found = Vec::new();
    for row in table.iter()? {
        let (account, value) = row?;
        let subscription: DigestSubscription =
            parsed(value.value(), || "a subscription".to_owned())?;
        if subscription.frequency != Frequency::Off {
            found.push((account.value().to_owned(), subscription));
        }
    }
    Ok(found)
}

/// What an account wants.
pub(super) fn wish(
    transaction: &WriteTransaction,
    account: &str,
) -> Result<Option<DigestSubscription>, StateFault> {
    let table = transaction.open_table(DIGESTS)?;
    let found = table.get(account)?;
    found
        .map(|value| parsed(value.value(), || "a subscription".to_owned()))
        .transpose()
}
