//! Why a build ended without a site.

use crate::audit::AuditError;
use crate::counted::counted;
use crate::crawl::CrawlError;
use crate::exchange::{GlossaryError, MemoryLinesError, PoError, SlugsError};
use crate::model::{Locale, PagePath};
use crate::run::report::named::named;
use crate::run::words::limit::SendLimit;
use crate::site_files::TemplateError;
use crate::state::StateError;
use crate::store::StoreError;
use crate::targets::TargetError;

/// Why a build ended without a site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The source cannot be had.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The object store failed; the previous deployment is untouched.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The database failed.
    #[error(transparent)]
    State(#[from] StateError),
    /// A file of reviewed translations cannot be read.
    #[error(transparent)]
    Po(#[from] PoError),
    /// A memory file cannot be read or written.
    #[error(transparent)]
    MemoryLines(#[from] MemoryLinesError),
    /// A file of paths cannot be read or used.
    #[error(transparent)]
    Slugs(#[from] SlugsError),
    /// The glossary cannot be read.
    #[error(transparent)]
    Glossary(#[from] GlossaryError),
    /// A template is wrong.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Pages of the source that have the address of a version of another page (R-S16).
    #[error(
        "{} of the source would be lost, because a version of another page has the same address: {}; nothing was published. Give the          language another address (`alias` in [site.locale.{}], or a host of its own in `url`), or name the page in `keep`: then the          other page has no version in this language",
        counted(shared.len(), "page"), shared_addresses(shared), language(shared)
    )]
    SharedAddress {
        /// The page, and locale and page of the version.
        shared: Vec<(PagePath, Locale, PagePath)>,
    },
    /// `--frozen`, and texts are not translated.
    #[error(
        "{} without a translation, and --frozen allows no engine calls; the first: {}",
        counted(missing.len(), "segment"), first(missing)
    )]
    Frozen {
        /// Locale and source text of each.
        missing: Vec<(Locale, String)>,
    },
    /// Engines would get more than was allowed.
    #[error(
        "engines would get {} ({}), and at most {} may be sent{}; nothing was sent",
        counted(*planned, "character"), list(by_locale), limit.left, limit.because
    )]
    Budget {
        /// What would be sent, in characters.
        planned: u64,
        /// What may be.
        limit: SendLimit,
        /// What would be sent for each locale.
        by_locale: Vec<(Locale, u64)>,
    },
    /// `--offline`, and there was no build before.
    #[error(
        "the site is not built yet; run `latimer build` first (`--offline` needs an earlier build)"
    )]
    NothingStored,
    /// A file of request headers cannot be read.
    #[error("cannot use the header file {file}: {reason}; write one `Name: value` a line")]
    Headers {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// A folder of files for a language cannot be read.
    #[error(
        "{named_at}: `files` of [site.locale.{locale}] cannot be read ({path}: {reason}); make the folder, or remove the line"
    )]
    NoFolder {
        /// File and line of the configuration.
        named_at: String,
        /// The language.
        locale: Locale,
        /// The path that cannot be read.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The published pages cannot be audited.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Other builders were faster, again and again.
    #[error(
        "other builds of this site were faster {tries} times, so nothing was published; what was translated is kept: \
         build again when they are done"
    )]
    Overtaken {
        /// How often it was tried.
        tries: u32,
    },
    /// Somebody brought an earlier deployment back while the run worked.
    #[error(
        "while this build worked, deployment {deployment} brought an earlier one back, so nothing was published; what \
         was translated is kept: build again to replace it"
    )]
    RolledBack {
        /// The rollback.
        deployment: u64,
    },
    /// The deployment could not be brought to a host.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// Part of the run panicked; a defect.
    #[error("a part of the build broke off: {0}; this is a defect in Latimer, please report it")]
    Broken(String),
}

impl BuildError {
    /// Whether a disk was full, refused or is gone, so that the same run may do well later.
    pub fn is_of_the_disk(&self) -> bool {
        match self {
            Self::State(error) => error.trouble().is_some(),
            Self::Store(error)
            | Self::Target(TargetError::Store(error))
            | Self::Audit(AuditError::Store(error)) => error.is_full() || error.is_gone(),
            _ => false,
        }
    }
}

fn first(missing: &[(Locale, String)]) -> String {
    missing
        .first()
        .map(|(locale, text)| format!("{text:?} ({locale})"))
        .unwrap_or_default()
}

fn shared_addresses(shared: &[(PagePath, Locale, PagePath)]) -> String {
    let pages: Vec<String> = shared
        .iter()
        .map(|(path, locale, page)| format!("{path} (the version of {page} in {locale})"))
        .collect();
    named(&pages)
}

fn language(shared: &[(PagePath, Locale, PagePath)]) -> &str {
    shared
        .first()
        .map_or("TAG", |(_, locale, _)| locale.as_str())
}

fn list(by_locale: &[(Locale, u64)]) -> String {
    by_locale
        .iter()
        .map(|(locale, characters)| format!("{locale} {characters}"))
        .collect::<Vec<_>>()
        .join(", ")
}
