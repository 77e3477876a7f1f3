//! Previews in the state: ordered, worked on, ready or failed, and remembered for a while after their time is over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::backend::{ReadableTable, WriteTransaction};
use super::fault::StateFault;
use super::rows::{json, parsed};
use super::tables::PREVIEWS;
use super::{State, StateError};
use crate::model::{Locale, Moment, PreviewId, SiteId};
use crate::webhooks::{PreviewEnded, WebhookEvent};

/// How often a preview that is cut off is begun again.
const MOST_ATTEMPTS: u32 = 3;
/// Previews without pages of which it is known that they were there.
const REMEMBERED: usize = 200;

/// A preview, from its order to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreviewRecord {
    /// Its name.
    pub id: PreviewId,
    /// The page, as it was written.
    pub source_url: String,
    /// The page's language.
    pub source: Locale,
    /// The language wanted.
    pub target: Locale,
    /// The sites that whoever ordered it may see (`*`: all of them); absent where it was ordered without a bearer token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Vec<String>>,
    /// The subject of the token that ordered it, who pays for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// Who ordered it without a token: a hash of the address that nothing but the server of then could make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stranger: Option<String>,
    /// The site whose page it is, if whoever ordered it may see that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<SiteId>,
    /// Where whoever ordered it may be told later.
    pub email: Option<String>,
    /// The language in which they want to be told.
    pub locale: Option<Locale>,
    /// blake3 of its status token, in hexadecimal.
    pub token: String,
    /// Where it stands.
    pub status: PreviewStatus,
    /// The part of the work that was begun last; it never goes back.
    pub stage: PreviewStage,
    /// Why there is no page.
    pub failure: Option<PreviewCode>,
    /// How often it was begun.
    pub attempts: u32,
    /// When it was ordered.
    pub created: Moment,
    /// From when on it cannot be seen any more.
    pub expires: Moment,
    /// Whether its page was deleted.
    pub swept: bool,
    /// Bytes of its page, counted before it is written.
    #[serde(default)]
    pub bytes: u64,
}

/// Where a preview stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewStatus {
    /// Waits for its turn.
    Pending,
    /// Is worked on.
    Processing,
    /// Can be seen.
    Ready,
    /// There is no page.
    Failed,
}

/// A part of a preview's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewStage {
    /// The page is fetched.
    FetchingPage,
    /// It is read for its texts.
    AnalyzingContent,
    /// Its texts are translated.
    Translating,
    /// It is rendered.
    GeneratingPreview,
    /// It is stored.
    Saving,
}

/// Why there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreviewCode {
    /// The address, or one that it redirects to, is none.
    InvalidUrl,
    /// The host is not one whose pages may be previewed.
    BlockedHost,
    /// The host's name is unknown.
    DnsFailed,
    /// The name server did not answer in time.
    DnsTimeout,
    /// The page, or its text, is too large.
    PageTooLarge,
    /// There is no such page, or it is no HTML.
    RenderFailed,
    /// No engine translated it.
    TranslateFailed,
    /// It could not be stored.
    StorageFailed,
    /// It took too long.
    ProcessingTimeout,
    /// Its time was over before it was ready.
    PreviewExpired,
    /// Something else failed.
    Unknown,
}

impl PreviewRecord {
    /// Whether it neither waits nor is worked on any more.
    pub fn is_over(&self) -> bool {
        matches!(self.status, PreviewStatus::Ready | PreviewStatus::Failed)
    }

    /// What its end is to the endpoints of its site; nothing while it is not over.
    fn told(&self) -> Option<WebhookEvent> {
        let preview_id = self.id.to_string();
        match self.status {
            PreviewStatus::Pending | PreviewStatus::Processing => None,
            PreviewStatus::Ready => {
                let preview_url = Some(format!("/_preview/{preview_id}"));
                Some(WebhookEvent::PreviewReady(PreviewEnded {
                    preview_id,
                    preview_url,
                    error_code: None,
                }))
            }
            PreviewStatus::Failed => {
                let code = serde_json::to_value(self.failure).unwrap_or_default();
                let error_code = code.as_str().map(str::to_owned);
                Some(WebhookEvent::PreviewFailed(PreviewEnded {
                    preview_id,
                    preview_url: None,
                    error_code,
                }))
            }
        }
    }

    /// Ends it without a page.
    pub fn fail(&mut self, code: PreviewCode) {
        self.status = PreviewStatus::Failed;
        self.failure = Some(code);
    }
}

impl State {
    /// Writes down a preview as it is now. Where it is over, the endpoints of the site whose page it is are told.
    pub fn put_preview(&self, preview: &PreviewRecord, now: Moment) -> Result<(), StateError> {
        self.write("keep a preview in", |transaction| {
            let mut table = transaction.open_table(PREVIEWS)?;
            table.insert(preview.id.to_string().as_str(), json(preview)?.as_slice())?;
            self.tell_of(transaction, preview, now)
        })
    }

    fn tell_of(
        &self,
        transaction: &WriteTransaction,
        preview: &PreviewRecord,
        now: Moment,
    ) -> Result<(), StateFault> {
        self.mail_of_preview(transaction, preview, now)?;
        let Some((site, event)) = preview.site.as_ref().zip(preview.told()) else {
            return Ok(());
        };
        self.outbox.tell(transaction, site, &[event], now)
    }

    /// A preview, if it is there or was there lately.
    pub fn preview(&self, id: &PreviewId) -> Result<Option<PreviewRecord>, StateError> {
        self.read("read a preview from", |transaction| {
            let table = transaction.open_table(PREVIEWS)?;
            let value = table.get(id.to_string().as_str())?;
            value
                .map(|value| parsed(value.value(), || "a preview".to_owned()))
                .transpose()
        })
    }

    /// Sees to previews that an earlier process left unfinished and gives those that wait again, oldest first; those that
    /// expired by now, or were ordered before a time, have waited long enough and end.
    ///
    /// Only for whoever has just opened the state.
    pub fn recover_previews(
        &self,
        now: Moment,
        ordered_before: Moment,
    ) -> Result<Vec<PreviewRecord>, StateError> {
        self.write("recover previews in", |transaction| {
            let mut table = transaction.open_table(PREVIEWS)?;
            let mut waiting = Vec::new();
            for mut preview in all(&table)?
                .into_iter()
                .filter(|preview| !preview.is_over())
            {
                if preview.expires <= now {
                    preview.fail(PreviewCode::PreviewExpired);
                } else if preview.created < ordered_before {
                    preview.fail(PreviewCode::ProcessingTimeout);
                } else if preview.attempts >= MOST_ATTEMPTS {
                    preview.fail(PreviewCode::Unknown);
                } else {
                    preview.status = PreviewStatus::Pending;
                    waiting.push(preview.clone());
                }
                table.insert(preview.id.to_string().as_str(), json(&preview)?.as_slice())?;
                self.tell_of(transaction, &preview, now)?;
            }
            waiting.sort_by_key(|preview| preview.created);
            Ok(waiting)
        })
    }

    /// Previews whose pages may be there still and are to go: their time is over, or whoever ordered them has more than
    /// `most` newer ones.
    pub fn old_previews(&self, now: Moment, most: usize) -> Result<Vec<PreviewId>, StateError> {
        self.read("read previews from", |transaction| {
            let mut previews = all(&transaction.open_table(PREVIEWS)?)?;
            previews.retain(|preview| !preview.swept);
            previews.sort_by_key(|preview| std::cmp::Reverse(preview.created));
            let mut newer = BTreeMap::<_, usize>::new();
            let is_old = |preview: &PreviewRecord| {
                let newer = newer
                    .entry((preview.subject.clone(), preview.stranger.clone()))
                    .or_default();
                *newer += 1;
                preview.expires <= now || (preview.is_over() && *newer > most)
            };
            previews.retain(is_old);
            Ok(previews.into_iter().map(|preview| preview.id).collect())
        })
    }

    /// Previews that can be seen or will be, newest first: of a subject, or all.
    pub fn previews(
        &self,
        subject: Option<&str>,
        now: Moment,
    ) -> Result<Vec<PreviewRecord>, StateError> {
        self.read("read previews from", |transaction| {
            let mut previews = all(&transaction.open_table(PREVIEWS)?)?;
            let is_wanted = |of: Option<&str>| subject.is_none() || subject == of;
            previews.retain(|preview| {
                !preview.swept && preview.expires > now && is_wanted(preview.subject.as_deref())
            });
            previews.sort_by_key(|preview| (std::cmp::Reverse(preview.created), preview.id));
            Ok(previews)
        })
    }

    /// Bytes of the pages of the caller's other previews.
    pub fn bytes_beside(&self, preview: &PreviewRecord) -> Result<u64, StateError> {
        self.read("read previews from", |transaction| {
            let others = all(&transaction.open_table(PREVIEWS)?)?.into_iter();
            let others = others.filter(|other| other.id != preview.id && !other.swept);
            let own = others.filter(|other| {
                other.subject == preview.subject && other.stranger == preview.stranger
            });
            Ok(own
                .filter(|other| other.status != PreviewStatus::Failed)
                .map(|other| other.bytes)
                .sum())
        })
    }

    /// Forgets a preview.
    pub fn remove_preview(&self, id: &PreviewId) -> Result<(), StateError> {
        self.write("remove a preview from", |transaction| {
            transaction
                .open_table(PREVIEWS)?
                .remove(id.to_string().as_str())?;
            Ok(())
        })
    }

    /// Notes that the pages of these are deleted, keeps of them what says that they were there, and forgets all that
    /// expired before a time, and the oldest where there are too many.
    pub fn sweep_previews(
        &self,
        deleted: &[PreviewId],
        now: Moment,
        before: Moment,
    ) -> Result<(), StateError> {
        self.write("sweep previews in", |transaction| {
            let mut table = transaction.open_table(PREVIEWS)?;
            let mut swept = Vec::new();
            for mut preview in all(&table)? {
                let id = preview.id.to_string();
                if deleted.contains(&preview.id) {
                    preview.swept = true;
                    preview.expires = preview.expires.min(now);
                    preview.email = None;
                    preview.source_url = String::new();
                    table.insert(id.as_str(), json(&preview)?.as_slice())?;
                }
                if preview.swept || preview.expires <= before {
                    swept.push((preview.expires, id));
                }
            }
            swept.sort_unstable();
            let too_many = swept.len().saturating_sub(REMEMBERED);
            for (index, (expires, id)) in swept.iter().enumerate() {
                if index < too_many || *expires <= before {
                    table.remove(id.as_str())?;
                }
            }
            Ok(())
        })
    }
}

fn all(
    table: &impl ReadableTable<&'static str, &'static [u8]>,
) -> Result<Vec<PreviewRecord>, StateFault> {
    table
        .iter()?
        .map(|row| parsed(row?.1.value(), || "a preview".to_owned()))
        .collect()
}
