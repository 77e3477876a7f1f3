//! Writing mail down, in the transaction that makes its reason so.

use serde_json::json as value;

use super::super::backend::{ReadableTable, WriteTransaction};
use super::super::fault::StateFault;
use super::super::rows::parsed;
use super::super::tables::{ADDRESSES, DIGESTS, MAILS, PREVIEWS, RECIPIENTS};
use super::super::{PreviewRecord, PreviewStatus, State, StateError};
use super::addresses::{VALID, confirming_link, is_asked_often, new_address};
use super::recipients::{change, recipient};
use super::rows::{
    self, AddressRecord, MailKind, MailRecord, MailStatus, address, lately, newest_first, post,
    put_address, put_mail, token, wish, wishes,
};
use crate::mail::Slot;
use crate::model::{Moment, SiteId};
use crate::webhooks::DisabledBecause;

/// Mails about previews that an address gets in a day.
const MOST_PREVIEWS: usize = 5;

impl State {
    /// Takes a slot for an account and writes its digest down, if there is one to send; says whether this was done now. It is
    /// not where the slot was taken before, or the account wants something else since its subscription was `updated`.
    pub fn claim_slot(
        &self,
        account: &str,
        updated: Moment,
        slot: &Slot,
        digest: Option<&MailRecord>,
    ) -> Result<bool, StateError> {
        self.write("write down a digest in", |transaction| {
            let taken = recipient(&transaction.open_table(RECIPIENTS)?, account)?.slot;
            let is_other = wish(transaction, account)?
                .is_none_or(|subscription| subscription.updated != updated);
            if is_other || taken.is_some_and(|taken| slot.is_taken(&taken)) {
                return Ok(false);
            }
            change(transaction, account, |recipient| {
                recipient.slot = Some(slot.date.clone())
            })?;
            if let Some(digest) = digest {
                drop_waiting(transaction, account)?;
                post(transaction, digest)?;
                self.mailing.signal.note();
            }
            Ok(true)
        })
    }

    /// Queues the mail that says once that a preview is ready. An address that was not confirmed gets one confirmation mail instead.
    pub(in crate::state) fn mail_of_preview(
        &self,
        transaction: &WriteTransaction,
        preview: &PreviewRecord,
        now: Moment,
    ) -> Result<(), StateFault> {
        let Some(email) = &preview.email else {
            return Ok(());
        };
        if !self.mailing.is_on() || preview.status != PreviewStatus::Ready {
            return Ok(());
        }
        let account = rows::orderer(preview.subject.as_deref());
        let known = address(&transaction.open_table(ADDRESSES)?, &account, email)?;
        let takes = known.as_ref().map_or(!self.mailing.confirms(), |known| {
            known.takes_previews(self.mailing.confirms())
        });
        let mut mail = if takes {
            let id = format!("preview.{}", preview.id);
            let is_told = lately(transaction, now, |mail| mail.id == id)? > 0;
            let sent = lately(transaction, now, |mail| {
                mail.kind == MailKind::PreviewReady && mail.is_to(email)
            })?;
            if is_told || sent >= MOST_PREVIEWS {
                return Ok(());
            }
            let data = value!({ "preview": preview.id.to_string(), "expires": preview.expires, "orderer": account });
            MailRecord::new(MailKind::PreviewReady, None, email, id, data, now)
        } else {
            if !may_ask(known.as_ref(), now) || is_asked_often(transaction, email, now)? {
                return Ok(());
            }
            let token = confirming_link(transaction, &account, email, true, now)?;
            let id = format!("confirm.{}", rows::token());
            let data = value!({ "token": token, "orderer": account });
            MailRecord::new(MailKind::PreviewConfirmation, None, email, id, data, now)
        };
        mail.locale.clone_from(&preview.locale);
        post(transaction, &mail)?;
        let known = known.map_or_else(|| new_address(transaction, &account, email, true), Ok)?;
        put_address(
            transaction,
            &account,
            email,
            &AddressRecord {
                asked: Some(now),
                ..known
            },
        )?;
        self.mailing.signal.note();
        Ok(())
    }

    /// Tells an address that was just confirmed of the previews that were ordered for it and can be seen.
    pub(super) fn mail_of_previews(
        &self,
        transaction: &WriteTransaction,
        account: &str,
        email: &str,
        now: Moment,
    ) -> Result<(), StateFault> {
        let mut waiting = Vec::new();
        for row in transaction.open_table(PREVIEWS)?.iter()? {
            let preview: PreviewRecord = parsed(row?.1.value(), || "a preview".to_owned())?;
            let is_its = rows::orderer(preview.subject.as_deref()) == account
                && preview.email.as_deref() == Some(email)
                && preview.expires > now;
            if is_its {
                waiting.push(preview);
            }
        }
        waiting
            .iter()
            .try_for_each(|preview| self.mail_of_preview(transaction, preview, now))
    }

    /// Tells those who get digests of a site that one of its endpoints gets nothing any more.
    pub(in crate::state) fn mail_of_webhook(
        &self,
        transaction: &WriteTransaction,
        site: &SiteId,
        url: &str,
        because: DisabledBecause,
        now: Moment,
    ) -> Result<(), StateFault> {
        if !self.mailing.is_on() {
            return Ok(());
        }
        let wanted = wishes(&transaction.open_table(DIGESTS)?)?;
        for (account, subscription) in wanted
            .iter()
            .filter(|(_, subscription)| subscription.sees(site))
        {
            let known = address(
                &transaction.open_table(ADDRESSES)?,
                account,
                &subscription.email,
            )?;
            if known
                .unwrap_or_else(AddressRecord::new)
                .is_usable(self.mailing.confirms())
            {
                // The address of an endpoint may hold a secret behind its host.
                let host = url::Url::parse(url)
                    .ok()
                    .and_then(|url| url.host_str().map(str::to_owned));
                let data = value!({ "site": site, "host": host, "gone": because == DisabledBecause::Gone });
                // Whoever switches an endpoint on again and again fills nobody's mailbox.
                let is_its = |mail: &MailRecord| {
                    mail.kind == MailKind::WebhookDisabled
                        && mail.account.as_deref() == Some(account.as_str())
                        && mail.id.starts_with(&format!("webhook.{site}."))
                };
                if lately(transaction, now, is_its)? > 0 {
                    continue;
                }
                let id = format!("webhook.{site}.{}", token());
                let mail = MailRecord::new(
                    MailKind::WebhookDisabled,
                    Some(account),
                    &subscription.email,
                    id,
                    data,
                    now,
                );
                post(transaction, &mail)?;
                self.mailing.signal.note();
            }
        }
        Ok(())
    }
}

/// True if an address may get a confirmation mail: it did not decline, and no confirmation link is outstanding.
fn may_ask(known: Option<&AddressRecord>, now: Moment) -> bool {
    let Some(known) = known else { return true };
    // A time to come is that of a clock that was wrong.
    let is_asked = known
        .asked
        .is_some_and(|asked| asked <= now + VALID && asked + VALID > now);
    known.confirmed.is_none() && !known.declines_previews() && !is_asked
}

/// A digest that waits still is not sent: the next one says what it says.
fn drop_waiting(transaction: &WriteTransaction, account: &str) -> Result<(), StateFault> {
    let mut table = transaction.open_table(MAILS)?;
    let mut waiting = Vec::new();
    for row in newest_first(&table)? {
        let (place, mail) = row?;
        let is_its = mail.kind == MailKind::Digest && mail.account.as_deref() == Some(account);
        if is_its && mail.status == MailStatus::Waiting {
            waiting.push((place, mail));
        }
    }
    for (place, mut mail) in waiting {
        mail.end(MailStatus::Dropped, None);
        put_mail(&mut table, place, &mail)?;
    }
    Ok(())
}
