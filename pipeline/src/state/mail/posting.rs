//! Sending what was written down: what is due, that it is being sent, and how that went.

use std::time::Duration;

use super::super::backend::WriteTransaction;
use super::super::fault::StateFault;
use super::super::tables::{ADDRESSES, MAILS};
use super::super::{Frequency, State, StateError};
use super::addresses::{sweep_addresses, sweep_links};
use super::recipients::change;
use super::rows::{
    AddressRecord, MailKind, MailRecord, MailStatus, address, mail, newest_first, put_address,
    put_mail, wish,
};
use crate::mail::MailError;
use crate::model::Moment;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
/// When a mail that could not be handed over is tried again, after the first try.
const AGAIN: [Duration; 4] = [
    Duration::from_secs(5 * MINUTE),
    Duration::from_secs(30 * MINUTE),
    Duration::from_secs(2 * HOUR),
    Duration::from_secs(8 * HOUR),
];
/// A mail that is older is not sent any more: it would tell old news.
const OLDEST: Duration = Duration::from_secs(24 * HOUR);
/// How long it is known what was sent, and of how many mails.
const KEPT: Duration = Duration::from_secs(30 * 24 * HOUR);
const MOST: usize = 10_000;
/// Digests in a row for which the server refuses an address until it gets nothing any more.
const MOST_REFUSED: u32 = 2;

/// The mail that is to be tried first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextMail {
    /// It is to be tried now.
    Due {
        /// Its place among all.
        place: u64,
        /// What it is.
        mail: Box<MailRecord>,
    },
    /// It is to be tried at this time, if there is one.
    At(Option<Moment>),
}

impl State {
    /// What is to be tried at `now`, or when.
    pub fn next_mail(&self, now: Moment) -> Result<NextMail, StateError> {
        self.read("read mails from", |transaction| {
            let table = transaction.open_table(MAILS)?;
            let mut first: Option<(u64, MailRecord)> = None;
            for row in newest_first(&table)? {
                let (place, mut mail) = row?;
                // A time that is far away is that of a clock that was wrong.
                mail.next = mail
                    .next
                    .map(|next| if next > now + 2 * OLDEST { now } else { next });
                let is_earlier = |next: Moment| {
                    first
                        .as_ref()
                        .and_then(|(_, first)| first.next)
                        .is_none_or(|at| next <= at)
                };
                if mail.next.is_some_and(is_earlier) {
                    first = Some((place, mail));
                }
            }
            let next = first.as_ref().and_then(|(_, mail)| mail.next);
            Ok(match (first, next) {
                (Some((place, mail)), Some(next)) if next <= now => NextMail::Due {
                    place,
                    mail: Box::new(mail),
                },
                (_, next) => NextMail::At(next),
            })
        })
    }

    /// Takes note that a mail is handed over now; says whether it is wanted still. From here on it is never sent again,
    /// whatever becomes of this process, unless [`Self::record_mail`] says so.
    pub fn begin_mail(&self, place: u64, now: Moment) -> Result<bool, StateError> {
        let confirms = self.mailing.confirms();
        self.write("begin to send a mail in", |transaction| {
            let known = mail(&transaction.open_table(MAILS)?, place)?;
            let Some(mut known) = known.filter(|mail| mail.status == MailStatus::Waiting) else {
                return Ok(false);
            };
            let is_wanted =
                known.created + OLDEST > now && is_wanted(transaction, &known, confirms)?;
            match is_wanted {
                true => {
                    known.status = MailStatus::Sending;
                    known.next = None;
                }
                false => known.end(MailStatus::Dropped, None),
            }
            put_mail(&mut transaction.open_table(MAILS)?, place, &known)?;
            Ok(is_wanted)
        })
    }

    /// Takes note of how a try went, and gives the mail as it is now; nothing where it is gone.
    pub fn record_mail(
        &self,
        place: u64,
        tried: &Result<String, MailError>,
        now: Moment,
    ) -> Result<Option<MailRecord>, StateError> {
        self.write("write down how a mail went in", |transaction| {
            let Some(mut known) = mail(&transaction.open_table(MAILS)?, place)? else {
                return Ok(None);
            };
            if !matches!(known.status, MailStatus::Waiting | MailStatus::Sending) {
                return Ok(Some(known));
            }
            let again = AGAIN.get(known.attempts as usize).map(|wait| now + *wait);
            known.attempts += 1;
            known.tried = Some(now);
            let said = match tried {
                Ok(said) => said.clone(),
                Err(error) => error.for_callers(),
            };
            match tried {
                Ok(_) => known.end(MailStatus::Sent, Some(said)),
                Err(MailError::Unknown(_)) => known.end(MailStatus::Unknown, Some(said)),
                Err(MailError::Refused { .. } | MailError::Unwritable(_)) => {
                    known.end(MailStatus::Refused, Some(said));
                }
                Err(_) => match again.filter(|again| *again < known.created + OLDEST) {
                    Some(_) => {
                        known.status = MailStatus::Waiting;
                        known.said = Some(said);
                        known.next = again;
                    }
                    None => known.end(MailStatus::Failed, Some(said)),
                },
            }
            put_mail(&mut transaction.open_table(MAILS)?, place, &known)?;
            if known.kind == MailKind::Digest {
                learn(transaction, &known, tried)?;
            }
            Ok(Some(known))
        })
    }

    /// What an earlier process was sending when it ended may have arrived, and is not sent again; gives how many.
    ///
    /// Only for whoever has just opened the state.
    pub fn recover_mails(&self) -> Result<usize, StateError> {
        self.write("recover mails in", |transaction| {
            let mut table = transaction.open_table(MAILS)?;
            let mut cut_off = Vec::new();
            for row in newest_first(&table)? {
                let (place, mail) = row?;
                if mail.status == MailStatus::Sending {
                    cut_off.push((place, mail));
                }
            }
            let count = cut_off.len();
            for (place, mut mail) in cut_off {
                mail.attempts += 1;
                mail.end(
                    MailStatus::Unknown,
                    Some("the server was stopped while it was being sent".to_owned()),
                );
                put_mail(&mut table, place, &mail)?;
            }
            Ok(count)
        })
    }

    /// The last mails of an account, the newest first.
    pub fn mails_of(&self, account: &str, most: usize) -> Result<Vec<MailRecord>, StateError> {
        self.read("read mails from", |transaction| {
            let table = transaction.open_table(MAILS)?;
            let mut found = Vec::new();
            for row in newest_first(&table)? {
                let (_, mail) = row?;
                if mail.account.as_deref() == Some(account) {
                    found.push(mail);
                }
                if found.len() == most {
                    break;
                }
            }
            Ok(found)
        })
    }

    /// Forgets old mails and links.
    pub fn sweep_mails(&self, now: Moment) -> Result<(), StateError> {
        self.write("sweep mails in", |transaction| {
            let mut table = transaction.open_table(MAILS)?;
            let mut old = Vec::new();
            for (index, row) in newest_first(&table)?.enumerate() {
                let (place, mail) = row?;
                if mail.created + KEPT <= now || (index >= MOST && mail.next.is_none()) {
                    old.push(place);
                }
            }
            for place in old {
                table.remove(place)?;
            }
            drop(table);
            sweep_addresses(transaction, now)?;
            sweep_links(transaction, now)
        })
    }
}

/// Whether whoever it goes to wants it now.
fn is_wanted(
    transaction: &WriteTransaction,
    mail: &MailRecord,
    confirms: bool,
) -> Result<bool, StateFault> {
    let Some(account) = &mail.account else {
        return is_wanted_of_previews(transaction, mail, confirms);
    };
    let subscription = wish(transaction, account)?;
    let wants = |wish: &super::super::DigestSubscription| {
        wish.email == mail.to && wish.frequency != Frequency::Off
    };
    if !subscription.as_ref().is_some_and(wants) {
        return Ok(false);
    }
    let known = address(&transaction.open_table(ADDRESSES)?, account, &mail.to)?
        .unwrap_or_else(AddressRecord::new);
    Ok(match mail.kind {
        MailKind::Confirmation => known.confirmed.is_none(),
        _ => known.is_usable(confirms),
    })
}

/// The same for mail about previews, which goes by the consent of the address alone.
fn is_wanted_of_previews(
    transaction: &WriteTransaction,
    mail: &MailRecord,
    confirms: bool,
) -> Result<bool, StateFault> {
    let known = address(
        &transaction.open_table(ADDRESSES)?,
        mail.consent(),
        &mail.to,
    )?;
    let known = known.unwrap_or_else(AddressRecord::new);
    Ok(match mail.kind {
        MailKind::PreviewConfirmation => known.confirmed.is_none() && !known.declines_previews(),
        MailKind::PreviewReady => known.takes_previews(confirms),
        MailKind::Digest | MailKind::Confirmation | MailKind::WebhookDisabled => true,
    })
}

/// What a digest's end says of its account and of the address.
fn learn(
    transaction: &WriteTransaction,
    digest: &MailRecord,
    tried: &Result<String, MailError>,
) -> Result<(), StateFault> {
    let Some(account) = &digest.account else {
        return Ok(());
    };
    if tried.is_ok() {
        change(transaction, account, |recipient| {
            recipient.told = digest.until.or(recipient.told)
        })?;
    }
    let Some(known) = address(&transaction.open_table(ADDRESSES)?, account, &digest.to)? else {
        return Ok(());
    };
    let changed = match tried {
        Ok(_) => AddressRecord {
            refused: 0,
            ..known
        },
        Err(MailError::Refused {
            said,
            recipient: true,
        }) => {
            let refused = known.refused + 1;
            let stopped = if refused >= MOST_REFUSED {
                Some(said.clone())
            } else {
                known.stopped
            };
            AddressRecord {
                refused,
                stopped,
                ..known
            }
        }
        Err(_) => return Ok(()),
    };
    put_address(transaction, account, &digest.to, &changed)
}
