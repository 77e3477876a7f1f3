//! Which addresses may get an account's mail: those whose owners said so, until they say no.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json as value;

use super::super::backend::{ReadableTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::{json, parsed};
use super::super::tables::{ADDRESSES, DIGESTS, MAIL_LINKS};
use super::super::{DigestSubscription, Frequency, State, StateError};
use super::rows::{
    self, AddressRecord, MailKind, MailRecord, address, lately, post, put_address, wish, wishes,
};
use crate::model::Moment;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a link that confirms can be used.
pub(super) const VALID: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Time after which an unanswered address is forgotten.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Mails that ask an address, and those that an account has asked, in a day.
const MOST_OF_ADDRESS: usize = 3;
const MOST_OF_ACCOUNT: usize = 10;

/// What a link in a mail is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MailLink {
    /// The account.
    pub account: String,
    /// The address.
    pub email: String,
    /// Until when it confirms; absent where it is one to get no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms_until: Option<Moment>,
    /// True for consent to mail about previews, false for digests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub previews: bool,
}

impl State {
    /// What is known of an address of an account.
    pub fn address(&self, account: &str, email: &str) -> Result<Option<AddressRecord>, StateError> {
        self.read("read an address from", |transaction| {
            address(&transaction.open_table(ADDRESSES)?, account, email)
        })
    }

    /// Whether mail of an account may go to an address.
    pub fn may_mail(&self, account: &str, email: &str) -> Result<bool, StateError> {
        let known = self
            .address(account, email)?
            .unwrap_or_else(AddressRecord::new);
        Ok(known.is_usable(self.mailing.confirms()))
    }

    /// What a link in a mail is for, if it is one and can be used still.
    pub fn mail_link(&self, token: &str, now: Moment) -> Result<Option<MailLink>, StateError> {
        self.read("read a link from", |transaction| {
            let found = transaction.open_table(MAIL_LINKS)?;
            let found: Option<MailLink> = found
                .get(token)?
                .map(|value| parsed(value.value(), || "a link".to_owned()))
                .transpose()?;
            Ok(found.filter(|link| link.confirms_until.is_none_or(|until| until > now)))
        })
    }

    /// Does what a link is for. Doing it again changes nothing.
    pub fn follow_mail_link(
        &self,
        token: &str,
        now: Moment,
    ) -> Result<Option<MailLink>, StateError> {
        let Some(link) = self.mail_link(token, now)? else {
            return Ok(None);
        };
        self.write("confirm or leave in", |transaction| {
            let account = link.account.as_str();
            let email = link.email.as_str();
            let known = address(&transaction.open_table(ADDRESSES)?, account, email)?;
            let Some(mut known) = known else {
                return Ok(None);
            };
            match link.confirms_until {
                Some(_) => known.confirmed = known.confirmed.or(Some(now)),
                None => {
                    known.confirmed = None;
                    known.left = Some(now);
                    leave(transaction, account, email, now)?;
                }
            }
            put_address(transaction, account, email, &known)?;
            match link.confirms_until {
                Some(_) if link.previews => {
                    self.mail_of_previews(transaction, account, email, now)?
                }
                Some(_) => {}
                // A link to confirm that lies in some mail would undo it.
                None => forget_links(transaction, account, email, true)?,
            }
            self.mailing.signal.note();
            Ok(Some(link))
        })
    }

    /// Takes note that the subject of a token was shown to have an address, so that mail about its previews goes there without
    /// a question.
    pub fn verify_for_previews(
        &self,
        subject: &str,
        email: &str,
        now: Moment,
    ) -> Result<(), StateError> {
        let account = rows::orderer(Some(subject));
        self.write("verify an address in", |transaction| {
            let known = address(&transaction.open_table(ADDRESSES)?, &account, email)?;
            let known =
                known.map_or_else(|| new_address(transaction, &account, email, true), Ok)?;
            if known.confirmed.is_some() || known.declines_previews() {
                return Ok(());
            }
            put_address(
                transaction,
                &account,
                email,
                &AddressRecord {
                    confirmed: Some(now),
                    ..known
                },
            )
        })
    }

    /// Writes to each address that is new to its account and asks; gives how many.
    pub fn ask_for_confirmations(&self, now: Moment) -> Result<usize, StateError> {
        if !self.mailing.is_on() || !self.mailing.confirms() {
            return Ok(0);
        }
        let open = self.read("read addresses from", |transaction| {
            let wanted = wishes(&transaction.open_table(DIGESTS)?)?;
            let known = transaction.open_table(ADDRESSES)?;
            let mut open = Vec::new();
            for (account, subscription) in wanted {
                if needs_asking(
                    address(&known, &account, &subscription.email)?.as_ref(),
                    &subscription,
                    now,
                ) {
                    open.push(account);
                }
            }
            Ok(open)
        })?;
        let mut asked = 0;
        for account in open {
            asked += usize::from(self.ask(&account, now)?);
        }
        Ok(asked)
    }

    fn ask(&self, account: &str, now: Moment) -> Result<bool, StateError> {
        self.write("ask for a confirmation in", |transaction| {
            let Some(subscription) = wish(transaction, account)? else {
                return Ok(false);
            };
            let email = subscription.email.as_str();
            let known = address(&transaction.open_table(ADDRESSES)?, account, email)?;
            if !needs_asking(known.as_ref(), &subscription, now) {
                return Ok(false);
            }
            let of_it = lately(transaction, now, |mail| {
                mail.kind == MailKind::Confirmation && mail.account.as_deref() == Some(account)
            })?;
            if is_asked_often(transaction, email, now)? || of_it >= MOST_OF_ACCOUNT {
                return Ok(false);
            }
            let token = confirming_link(transaction, account, email, false, now)?;
            let id = format!("confirm.{}", rows::token());
            let data = value!({ "token": token, "account": account });
            post(
                transaction,
                &MailRecord::new(MailKind::Confirmation, Some(account), email, id, data, now),
            )?;
            let known =
                known.map_or_else(|| new_address(transaction, account, email, false), Ok)?;
            put_address(
                transaction,
                account,
                email,
                &AddressRecord {
                    asked: Some(now),
                    ..known
                },
            )?;
            Ok(true)
        })
    }
}

/// Whether an address is to be asked: it is wanted, was not confirmed, and was not asked since that was said, nor lately.
fn needs_asking(
    known: Option<&AddressRecord>,
    subscription: &DigestSubscription,
    now: Moment,
) -> bool {
    let Some(known) = known else {
        return subscription.frequency != Frequency::Off;
    };
    // A time to come is that of a clock that was wrong.
    let asked = known.asked.filter(|asked| *asked <= now + DAY);
    let is_asked = asked.is_some_and(|asked| asked >= subscription.updated || asked + DAY > now);
    subscription.frequency != Frequency::Off
        && known.confirmed.is_none()
        && known.stopped.is_none()
        && !is_asked
}

/// Takes note that an account wants mail at an address; `verified` says that whoever wants it was shown to have it. What was
/// never confirmed is forgotten with the wish for it.
pub(in crate::state) fn subscribed(
    transaction: &WriteTransaction,
    account: &str,
    former: Option<&str>,
    email: &str,
    verified: bool,
    now: Moment,
) -> Result<(), StateFault> {
    if let Some(former) = former.filter(|former| *former != email) {
        forget_unconfirmed(transaction, account, former)?;
    }
    let known = address(&transaction.open_table(ADDRESSES)?, account, email)?;
    let known = known.map_or_else(|| new_address(transaction, account, email, false), Ok)?;
    let confirmed = known.confirmed.or(verified.then_some(now));
    // Whoever says it again says that it is right.
    put_address(
        transaction,
        account,
        email,
        &AddressRecord {
            confirmed,
            refused: 0,
            stopped: None,
            ..known
        },
    )
}

/// Forgets an address that nobody confirmed.
pub(in crate::state) fn forget_unconfirmed(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
) -> Result<(), StateFault> {
    let known = address(&transaction.open_table(ADDRESSES)?, account, email)?;
    if known.is_some_and(|known| known.confirmed.is_none()) {
        transaction
            .open_table(ADDRESSES)?
            .remove((account, email))?;
        forget_links(transaction, account, email, false)?;
    }
    Ok(())
}

/// True if an address got as many confirmation mails today as all callers together may send.
pub(super) fn is_asked_often(
    transaction: &WriteTransaction,
    email: &str,
    now: Moment,
) -> Result<bool, StateFault> {
    let sent = lately(transaction, now, |mail| {
        matches!(
            mail.kind,
            MailKind::Confirmation | MailKind::PreviewConfirmation
        ) && mail.is_to(email)
    })?;
    Ok(sent >= MOST_OF_ADDRESS)
}

/// Makes a link that confirms, and gives what stands in it.
pub(super) fn confirming_link(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
    previews: bool,
    now: Moment,
) -> Result<String, StateFault> {
    let account = account.to_owned();
    let email = email.to_owned();
    let link = MailLink {
        account,
        email,
        confirms_until: Some(now + VALID),
        previews,
    };
    let token = rows::token();
    transaction
        .open_table(MAIL_LINKS)?
        .insert(token.as_str(), json(&link)?.as_slice())?;
    Ok(token)
}

/// An address of which nothing is known yet, with its link to get no more.
pub(super) fn new_address(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
    previews: bool,
) -> Result<AddressRecord, StateFault> {
    let known = AddressRecord::new();
    let link = MailLink {
        account: account.to_owned(),
        email: email.to_owned(),
        confirms_until: None,
        previews,
    };
    transaction
        .open_table(MAIL_LINKS)?
        .insert(known.leave.as_str(), json(&link)?.as_slice())?;
    Ok(known)
}

/// The account gets no digests any more, if that is where they go.
fn leave(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
    now: Moment,
) -> Result<(), StateFault> {
    let Some(mut subscription) = wish(transaction, account)? else {
        return Ok(());
    };
    if subscription.email == email && subscription.frequency != Frequency::Off {
        subscription.frequency = Frequency::Off;
        subscription.updated = now;
        transaction
            .open_table(DIGESTS)?
            .insert(account, json(&subscription)?.as_slice())?;
    }
    Ok(())
}

/// Forgets the links of an address: all, or those that confirm.
fn forget_links(
    transaction: &WriteTransaction,
    account: &str,
    email: &str,
    only_confirming: bool,
) -> Result<(), StateFault> {
    retain_links(transaction, |link| {
        let is_its = link.account == account && link.email == email;
        !(is_its && (link.confirms_until.is_some() || !only_confirming))
    })
}

/// Forgets addresses that got a confirmation mail about previews long ago and never answered.
pub(super) fn sweep_addresses(
    transaction: &WriteTransaction,
    now: Moment,
) -> Result<(), StateFault> {
    let mut old = Vec::new();
    for row in transaction.open_table(ADDRESSES)?.iter()? {
        let (key, value) = row?;
        let known: AddressRecord = parsed(value.value(), || "an address".to_owned())?;
        let is_undecided =
            known.confirmed.is_none() && known.left.is_none() && known.stopped.is_none();
        let is_of_previews = key.value().0.starts_with(rows::OF_PREVIEWS);
        if is_of_previews && is_undecided && known.asked.is_some_and(|asked| asked + KEPT <= now) {
            old.push((key.value().0.to_owned(), key.value().1.to_owned()));
        }
    }
    old.iter()
        .try_for_each(|(account, email)| forget_unconfirmed(transaction, account, email))
}

/// Forgets links that confirm no more.
pub(super) fn sweep_links(transaction: &WriteTransaction, now: Moment) -> Result<(), StateFault> {
    retain_links(transaction, |link| {
        link.confirms_until.is_none_or(|until| until > now)
    })
}

fn retain_links(
    transaction: &WriteTransaction,
    keeps: impl Fn(&MailLink) -> bool,
) -> Result<(), StateFault> {
    let mut table = transaction.open_table(MAIL_LINKS)?;
    let mut gone = Vec::new();
    for row in table.iter()? {
        let (token, value) = row?;
        let link: MailLink = parsed(value.value(), || "a link".to_owned())?;
        if !keeps(&link) {
            gone.push(token.value().to_owned());
        }
    }
    for token in gone {
        table.remove(token.as_str())?;
    }
    Ok(())
}
