//! Failures of a run, as its record lists them. Callers of the API read them, so they name no folder of the server.

use crate::audit::AuditError;
use crate::crawl::CrawlError;
use crate::run::error::BuildError;
use crate::run::report::build_report::{FetchFailure, MOST_REFUSED, Report};
use crate::run::words::word_files::BrokenWordFile;
use crate::state::{RunFailure, Stage};
use crate::store::StoreError;
use crate::targets::TargetError;

/// Code of a file of translations that cannot be read.
const TRANSLATIONS_FILE: &str = "translations_file";

/// Failures of a run that made a report: at most [`MOST_REFUSED`] pages and as many texts, in all languages together.
pub(super) fn of_report(report: &Report) -> Vec<RunFailure> {
    let mut failures = Vec::new();
    if let Some(suspect) = &report.source_suspect {
        failures.push(RunFailure::of_site(
            Stage::Crawl,
            &suspect.code,
            suspect.message(),
        ));
    }
    for broken in &report.broken_words {
        failures.push(of_word_file(broken));
    }
    for failed in report.failures.iter().take(MOST_REFUSED) {
        failures.push(of_page(failed));
    }
    let mut refused = Vec::new();
    for locale in &report.locales {
        for text in &locale.refused {
            let message = format!("{}: {}", locale.locale, text.for_callers);
            refused.push(RunFailure::of_page(
                &text.path,
                Stage::Translate,
                "translation_refused",
                message,
            ));
        }
    }
    refused.truncate(MOST_REFUSED);
    failures.append(&mut refused);
    if report.truncated {
        let message = "not every page was taken: there are more than max_pages".to_owned();
        failures.push(RunFailure::of_site(
            Stage::Crawl,
            RunFailure::TRUNCATED,
            message,
        ));
    }
    failures
}

/// The failure of a file of translations that cannot be read.
fn of_word_file(broken: &BrokenWordFile) -> RunFailure {
    let message = format!("{}: {}", broken.locale, broken.reason);
    RunFailure::of_site(Stage::Translate, TRANSLATIONS_FILE, message)
}

/// The failure of a page or file that could not be fetched.
fn of_page(failed: &FetchFailure) -> RunFailure {
    RunFailure::of_page(
        &failed.path,
        Stage::Crawl,
        &failed.code,
        failed.reason.clone(),
    )
}

/// The failure of a run that an error ended.
pub(super) fn of_error(error: &BuildError) -> RunFailure {
    let (stage, code) = match error {
        BuildError::Crawl(CrawlError::Unreachable { code, .. }) => (Stage::Crawl, *code),
        BuildError::Crawl(_) => (Stage::Crawl, "source_failed"),
        BuildError::Headers { .. } => (Stage::Crawl, "headers_file"),
        BuildError::NothingStored => (Stage::Crawl, "nothing_stored"),
        BuildError::SharedAddress { .. } => (Stage::Extract, "shared_address"),
        BuildError::Po(_) => (Stage::Translate, TRANSLATIONS_FILE),
        BuildError::MemoryLines(_) => (Stage::Translate, "memory_file"),
        BuildError::Slugs(_) => (Stage::Render, "slugs_file"),
        BuildError::Glossary(_) => (Stage::Translate, "glossary_file"),
        BuildError::Frozen { .. } => (Stage::Translate, "not_translated"),
        BuildError::Budget { .. } => (Stage::Translate, "over_budget"),
        BuildError::Template(_) => (Stage::Render, "template"),
        BuildError::NoFolder { .. } => (Stage::Publish, "files_folder"),
        BuildError::Overtaken { .. } => (Stage::Publish, "overtaken"),
        BuildError::RolledBack { .. } => (Stage::Publish, "rolled_back"),
        BuildError::Store(StoreError::Quota { .. }) => (Stage::Publish, "over_quota"),
        BuildError::Store(_) | BuildError::Target(TargetError::Store(_)) => {
            (Stage::Publish, "store_failed")
        }
        BuildError::Target(TargetError::Cannot(_) | TargetError::ManyTrees { .. }) => {
            (Stage::Publish, "host_cannot")
        }
        BuildError::Target(_) => (Stage::Publish, "target_failed"),
        BuildError::Audit(AuditError::Store(_)) => (Stage::Extract, "store_failed"),
        BuildError::Audit(_) => (Stage::Extract, "audit_failed"),
        BuildError::State(_) => (Stage::Publish, "state_failed"),
        BuildError::Broken(_) => (Stage::Publish, "internal"),
    };
    // Callers of the API read this: what concerns our own files and stores is for the log.
    let message = match error {
        BuildError::Crawl(CrawlError::Folder { .. }) => {
            "the source folder cannot be read; see the log".to_owned()
        }
        BuildError::Crawl(CrawlError::Nothing { excluded, .. }) => {
            format!(
                "the source has nothing to take: {excluded} paths are left out; check include, exclude and robots.txt"
            )
        }
        BuildError::Crawl(_)
        | BuildError::Store(StoreError::Quota { .. })
        | BuildError::NothingStored
        | BuildError::SharedAddress { .. }
        | BuildError::Frozen { .. }
        | BuildError::Budget { .. }
        | BuildError::Overtaken { .. }
        | BuildError::RolledBack { .. }
        | BuildError::Target(
            TargetError::Cannot(_) | TargetError::NothingBuilt(_) | TargetError::NoTarget(_),
        ) => error.to_string(),
        // Its translator may read this, so it says where, without our folders.
        BuildError::Po(error) => error.without_folder(),
        BuildError::Headers { .. }
        | BuildError::NoFolder { .. }
        | BuildError::MemoryLines(_)
        | BuildError::Slugs(_)
        | BuildError::Template(_)
        | BuildError::Glossary(_) => {
            "a configured file cannot be read or written; see the log".to_owned()
        }
        BuildError::Target(_) => {
            "the host could not be published to; the log has the cause".to_owned()
        }
        BuildError::Audit(AuditError::NoPage(_) | AuditError::NoAddress(_)) => error.to_string(),
        BuildError::Store(_)
        | BuildError::State(_)
        | BuildError::Audit(_)
        | BuildError::Broken(_) => "something failed on our side; the log has the cause".to_owned(),
    };
    RunFailure::of_site(stage, code, message)
}
