//! The tables of the state's file: what each is called, and what its keys and values are.

use super::backend::{RowKey, RowValue, TableDefinition, WriteTransaction};
use super::fault::StateFault;

/// The form of the whole file, under `form`. A file with another one is refused.
pub(super) const META: TableDefinition<&str, u64> = TableDefinition::new("meta");
/// (site, locale, segment key) → `MemoryRow` as JSON: what engines translated.
pub(super) const MEMORY: TableDefinition<(&str, &str, &[u8; 16]), &[u8]> =
    TableDefinition::new("memory");
/// (site, locale, likeness, segment key) of each text in `memory` that holds a number.
pub(super) const ALIKE: TableDefinition<(&str, &str, u64, &[u8; 16]), ()> =
    TableDefinition::new("memory_alike");
/// Rows of the memory that the object store lacks, in the order of the changes that brought them: what is kept together lies
/// together.
pub(super) const UNWRITTEN: TableDefinition<(&str, &str, u64, &[u8; 16]), ()> =
    TableDefinition::new("unwritten_rows");
/// (site, locale) → `MemoryLedger` as JSON.
pub(super) const LEDGERS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("memory_ledgers");
/// (site or subject, month) → characters sent to engines. A subject stands behind `subject` and a space, which no site has.
pub(super) const SPENT: TableDefinition<(&str, &str), u64> = TableDefinition::new("spent");
/// (site, month, locale, engine) → characters sent: what the rows of a site in `spent` are made of.
pub(super) const SPENT_ON: TableDefinition<(&str, &str, &str, &str), u64> =
    TableDefinition::new("spent_on");
/// (site, path) → `SourceRecord` as JSON: what was fetched and when it changes.
pub(super) const SOURCES: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("sources");
/// site → `AcceptedSource` as JSON.
pub(super) const ACCEPTED: TableDefinition<&str, &[u8]> = TableDefinition::new("accepted_sources");
/// (site, run id) → `RunRecord` as JSON.
pub(super) const RUNS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("run_records");
/// (site, locale) → the `LocaleRun`s of the locale as JSON, oldest first.
pub(super) const LOCALE_RUNS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("locale_runs");
/// (site, subject, idempotency key) → when it was used, and `RememberedRequest` as JSON.
pub(super) const IDEMPOTENCY: TableDefinition<(&str, &str, &str), (u64, &[u8])> =
    TableDefinition::new("idempotency");
/// preview id → `PreviewRecord` as JSON.
pub(super) const PREVIEWS: TableDefinition<&str, &[u8]> = TableDefinition::new("previews");
/// (site, locale) → `SwitchRecord` as JSON; a locale that nobody switched has none.
pub(super) const SWITCHES: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("switches");
/// (site, locale and path) → `PageWords` as JSON.
pub(super) const PAGE_WORDS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("words_of_pages");
/// (site, locale) → bytes of its file of translations as they could be read for the last time.
pub(super) const WORD_FILES: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("word_files");
/// (site, locale) → fingerprint of the row in `word_files`.
pub(super) const WORD_FILE_PRINTS: TableDefinition<(&str, &str), &[u8; 32]> =
    TableDefinition::new("word_file_prints");
/// (site, locale, ask) → `SavedAnswer` as JSON.
pub(super) const PENDING: TableDefinition<(&str, &str, &[u8; 16]), &[u8]> =
    TableDefinition::new("pending_answers");
/// site → `SiteRecord` as JSON.
pub(super) const SITES: TableDefinition<&str, &[u8]> = TableDefinition::new("sites");
/// (site, locale) → `SummaryRecord` as JSON: what callers of the API said about a locale.
pub(super) const SUMMARIES: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("summaries");
/// account → `DigestSubscription` as JSON: who wants digests.
pub(super) const DIGESTS: TableDefinition<&str, &[u8]> = TableDefinition::new("digests");
/// account → `Recipient` as JSON: who gets mail, and what they got.
pub(super) const RECIPIENTS: TableDefinition<&str, &[u8]> = TableDefinition::new("recipients");
/// (account, address) → `AddressRecord` as JSON.
pub(super) const ADDRESSES: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("mail_addresses");
/// what stands in a link → `MailLink` as JSON: which links in mails do something.
pub(super) const MAIL_LINKS: TableDefinition<&str, &[u8]> = TableDefinition::new("mail_links");
/// place → `MailRecord` as JSON, the oldest first.
pub(super) const MAILS: TableDefinition<u64, &[u8]> = TableDefinition::new("mails");
/// (site, text) → `ReportRecord` as JSON: texts that readers' browsers told of.
pub(super) const REPORTS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("reports");
/// (site, endpoint) → `WebhookRecord` as JSON.
pub(super) const WEBHOOKS: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("webhooks");
/// site → how much its endpoints were told, and the sequence of what happened last.
pub(super) const COUNTERS: TableDefinition<&str, (u64, u64)> =
    TableDefinition::new("webhook_counters");
/// (site, place) → `EventRecord` as JSON: what its endpoints are told.
pub(super) const EVENTS: TableDefinition<(&str, u64), &[u8]> =
    TableDefinition::new("webhook_events");
/// (site, endpoint, place) → `DeliveryRecord` as JSON.
pub(super) const DELIVERIES: TableDefinition<(&str, &str, u64), &[u8]> =
    TableDefinition::new("webhook_deliveries");
/// (time, site, endpoint, place) of each delivery that is to be tried, in the order of time.
pub(super) const DUE: TableDefinition<(u64, &str, &str, u64), ()> =
    TableDefinition::new("webhook_due");
/// site → the number of the last deployment that its endpoints were told of.
pub(super) const TOLD: TableDefinition<&str, u64> = TableDefinition::new("told_deployments");
/// site → `AuditRecord` as JSON.
pub(super) const AUDITS: TableDefinition<&str, &[u8]> = TableDefinition::new("audits");
/// site → `LastBuild` as JSON.
pub(super) const LAST_BUILD: TableDefinition<&str, &[u8]> = TableDefinition::new("whole_builds");
/// (site, locale, path) → the key and the print of a `RenderedRow`.
pub(super) const RENDERED: TableDefinition<(&str, &str, &str), &[u8]> =
    TableDefinition::new("rendered_pages");
/// (site, locale, path) → fingerprint of a published version, and its text for search indexes.
pub(super) const SEARCH: TableDefinition<(&str, &str, &str), &[u8]> =
    TableDefinition::new("search_rows");
/// (site, locale) → fingerprints of the inputs of its search indexes and of their files.
pub(super) const SEARCH_MADE: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("search_indexes");
/// site → `VersionsRecord` as JSON.
pub(super) const VERSIONS_RECORD: TableDefinition<&str, &[u8]> =
    TableDefinition::new("versions_record");
/// site → environment of its rows in the next four tables, the number of distinct texts in them, fingerprint of names, and revisions
/// of people's words, with spaces between them.
pub(super) const ENVIRONMENTS: TableDefinition<&str, &str> = TableDefinition::new("environments");
/// (site, path) → `CachedPage`.
pub(super) const CACHED_PAGES: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("cached_pages");
/// (site, path) → the `CachedText`s of that page, and its `CachedRemark`.
pub(super) const CACHED_TEXTS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("cached_texts");
/// site → `CachedLocale` of each of its locales as JSON, of the same environment.
pub(super) const CACHED_LOCALES: TableDefinition<&str, &[u8]> =
    TableDefinition::new("cached_locales");
/// site → `MixedTexts`, of the same environment.
pub(super) const CACHED_MIXED: TableDefinition<&str, &[u8]> = TableDefinition::new("cached_mixed");
/// (site, locale, segment key).
type SegmentPlace = (&'static str, &'static str, &'static [u8; 16]);
/// Place → revision, and `PersonRow` as JSON.
pub(super) const PEOPLE: TableDefinition<SegmentPlace, (u64, &[u8])> =
    TableDefinition::new("people");
/// (site, locale) → revision of the last edit.
pub(super) const PEOPLE_REVISIONS: TableDefinition<(&str, &str), u64> =
    TableDefinition::new("people_revisions");
/// (site, locale, revision) → `EditRecord` as JSON.
pub(super) const EDITS: TableDefinition<(&str, &str, u64), &[u8]> = TableDefinition::new("edits");
/// (site, locale) → the files of the object store with edits of people, in JSON.
pub(super) const EDIT_FILES: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("edit_files");
/// (site, locale, segment key, revision) of each edit that is kept.
pub(super) const EDITS_OF: TableDefinition<(&str, &str, &[u8; 16], u64), ()> =
    TableDefinition::new("edits_of");
/// site → `TextRecord` as JSON.
pub(super) const TEXT_RECORDS: TableDefinition<&str, &[u8]> = TableDefinition::new("text_records");
/// (site, segment key) → filter and packed `Segment` of a text, as the last build read it.
pub(super) const SITE_TEXTS: TableDefinition<(&str, &[u8; 16]), &[u8]> =
    TableDefinition::new("site_texts");
/// (site, path) → segment keys of the page's texts, in their order.
pub(super) const PAGE_TEXTS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("page_texts");
/// (site, path) → `FileRow` as JSON.
pub(super) const FILES: TableDefinition<(&str, &str), &[u8]> = TableDefinition::new("seen_files");
/// (site, path) → `AnswerRow` as JSON.
pub(super) const ANSWERS: TableDefinition<(&str, &str), &[u8]> =
    TableDefinition::new("known_answers");
/// site → `TrustRow` as JSON: whether what its sitemaps say of changes is relied on.
pub(super) const TRUST: TableDefinition<&str, &[u8]> = TableDefinition::new("sitemap_trust");
/// (site, name of fetched bytes) → when the object store says that they were written, in nanoseconds since 1970, and their length,
/// as they were when they were last read and right.
pub(super) const INTACT: TableDefinition<(&str, &str), (u64, u64)> =
    TableDefinition::new("intact_sources");
/// What is written to see whether there is room.
pub(super) const PROBE: TableDefinition<(), &[u8]> = TableDefinition::new("probe");

/// What is done to every table; each has types of its own.
pub(super) trait TableVisitor {
    fn visit<K: RowKey, V: RowValue>(
        &mut self,
        table: TableDefinition<K, V>,
    ) -> Result<(), StateFault>;
}

/// Makes every table, so that no reader finds one missing.
pub(super) fn make_all(transaction: &WriteTransaction) -> Result<(), StateFault> {
    visit_all(&mut Maker(transaction))
}

/// Visits every table but that of the probe, which is there for moments.
pub(super) fn visit_all(visitor: &mut impl TableVisitor) -> Result<(), StateFault> {
    visitor.visit(MEMORY)?;
    visitor.visit(ALIKE)?;
    visitor.visit(UNWRITTEN)?;
    visitor.visit(LEDGERS)?;
    visitor.visit(SPENT)?;
    visitor.visit(SPENT_ON)?;
    visitor.visit(SOURCES)?;
    visitor.visit(ACCEPTED)?;
    visitor.visit(RUNS)?;
    visitor.visit(LOCALE_RUNS)?;
    visitor.visit(IDEMPOTENCY)?;
    visitor.visit(PREVIEWS)?;
    visitor.visit(SWITCHES)?;
    visitor.visit(PAGE_WORDS)?;
    visitor.visit(WORD_FILES)?;
    visitor.visit(WORD_FILE_PRINTS)?;
    visitor.visit(PENDING)?;
    visitor.visit(SITES)?;
    visitor.visit(SUMMARIES)?;
    visitor.visit(DIGESTS)?;
    visitor.visit(RECIPIENTS)?;
    visitor.visit(ADDRESSES)?;
    visitor.visit(MAIL_LINKS)?;
    visitor.visit(MAILS)?;
    visitor.visit(REPORTS)?;
    visitor.visit(WEBHOOKS)?;
    visitor.visit(COUNTERS)?;
    visitor.visit(EVENTS)?;
    visitor.visit(DELIVERIES)?;
    visitor.visit(DUE)?;
    visitor.visit(TOLD)?;
    visitor.visit(AUDITS)?;
    visitor.visit(LAST_BUILD)?;
    visitor.visit(RENDERED)?;
    visitor.visit(VERSIONS_RECORD)?;
    visitor.visit(SEARCH)?;
    visitor.visit(SEARCH_MADE)?;
    visitor.visit(ENVIRONMENTS)?;
    visitor.visit(CACHED_PAGES)?;
    visitor.visit(CACHED_TEXTS)?;
    visitor.visit(CACHED_LOCALES)?;
    visitor.visit(CACHED_MIXED)?;
    visitor.visit(PEOPLE)?;
    visitor.visit(PEOPLE_REVISIONS)?;
    visitor.visit(EDITS)?;
    visitor.visit(EDIT_FILES)?;
    visitor.visit(EDITS_OF)?;
    visitor.visit(TEXT_RECORDS)?;
    visitor.visit(SITE_TEXTS)?;
    visitor.visit(PAGE_TEXTS)?;
    visitor.visit(FILES)?;
    visitor.visit(INTACT)?;
    visitor.visit(ANSWERS)?;
    visitor.visit(TRUST)?;
    visitor.visit(META)
}

struct Maker<'t>(&'t WriteTransaction);

impl TableVisitor for Maker<'_> {
    fn visit<K: RowKey, V: RowValue>(
        &mut self,
        table: TableDefinition<K, V>,
    ) -> Result<(), StateFault> {
        self.0.open_table(table)?;
        Ok(())
    }
}
