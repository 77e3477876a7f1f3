//! The state: small facts that are dear to make again, in one database file that one process owns.
//!
//! One verb is one transaction. Values are JSON with defaults for new fields, decoded here, so that
//! an old value never takes the process down. Every verb blocks and the writing ones wait for the disk: callers put
//! them on the blocking pool.
//!
//! Pages are in the object store. `backend.rs` has the verbs of the database, and only `backend/redb.rs` names the crate.

mod accepted;
mod alike;
mod answers;
mod audits;
mod backend;
mod cached_locales;
mod cached_mixed;
mod cached_pages;
mod commit_signal;
mod compact;
mod cut;
mod damage;
mod database;
mod edit_files;
mod edits;
mod error;
mod fault;
mod files;
mod health;
mod holder;
mod last_build;
mod mail;
mod memory;
mod outcome;
mod pages;
mod pending;
mod people;
mod previews;
mod private;
mod queue;
mod rendered;
mod reopen;
mod reports;
mod rows;
mod runs;
mod search_rows;
mod site_texts;
mod sites;
mod sources;
mod spent;
mod spill_file;
mod spilled_rows;
mod subject_budgets;
mod subscription;
mod subscriptions;
mod summaries;
mod switches;
mod tables;
mod unwritten;
mod webhooks;
mod word_files;

pub use crate::model::{DrawnSource, SourceKind, SourceRecord, SourceRecords};
pub use accepted::{AcceptedSource, CrawlSettings, SourceRows};
pub use audits::{AuditFinding, AuditRecord, RuleCount};
pub use backend::{BackendError, DiskTrouble};
pub use cached_locales::{CachedLocale, CachedRemark, CachedWarning, Remark};
pub use cached_mixed::{MixedText, MixedTexts};
pub use cached_pages::{
    CacheChange, CachedDrawing, CachedFacts, CachedPage, CachedPages, CachedRows, CachedText,
    CachedWords, GonePages, TextPlace,
};
pub use database::State;
pub use edit_files::EditFiles;
pub use edits::{BatchEdit, BatchOutcome, EditOutcome, UndoPlan, UndoScope, UndoStep};
pub use error::StateError;
pub use files::{FileReader, IntactSources};
pub use health::StateHealth;
pub use last_build::LastBuild;
pub use mail::{AddressRecord, MailKind, MailLink, MailRecord, MailStatus, NextMail, Recipient};
pub use memory::{KnownFile, LinesMark, MemoryImport, MemoryLedger, Unwritten};
pub use outcome::{RunOutcome, RunWarning};
pub use pages::{PageWords, PagesWords};
pub use people::{EditRecord, EditVia, PersonRow, PersonState, StandingWords};
pub use previews::{PreviewCode, PreviewRecord, PreviewStage, PreviewStatus};
pub use queue::Queue;
pub use rendered::{RenderedRow, RenderedRows, VersionsRecord};
pub use reports::{ReportRecord, ReportStanding, Reported};
pub use runs::{
    Cancelled, Idempotency, LocaleLeft, LocaleRun, OrderOutcome, Planned, PlannedEngine,
    PlannedLocale, RunFailure, RunKind, RunOrder, RunOrigin, RunRecord, RunStatus, Stage,
    StageCount, WordsByOrigin,
};
pub use search_rows::{SearchChange, SearchMade, SearchRows};
pub use site_texts::{ReadTexts, TextChange, TextRecord};
pub use sites::SiteRecord;
pub use spent::{MonthSpent, ShareSpent, Spent};
pub use spill_file::{SpillFile, SpillSpan};
pub use spilled_rows::SpilledRows;
pub use subscription::DigestSubscription;
pub use summaries::{Frequency, SentSummary, SummaryRecord};
pub use switches::SwitchRecord;
pub use webhooks::{
    AttemptRecord, DeliveryRecord, DeliverySlots, DeliveryStatus, Due, EndedDelivery, Stopped,
    WebhookRecord, WebhookSettings,
};

#[cfg(test)]
mod tests;
