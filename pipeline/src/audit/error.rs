//! Why nothing could be audited.

use std::path::PathBuf;

use crate::crawl::CrawlError;
use crate::store::StoreError;
use crate::threads::Panicked;

/// Says why nothing could be audited.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// There is no page in the folder.
    #[error("there is no HTML file in {}; name the folder that a web server would publish", .0.display())]
    NoPage(PathBuf),
    /// Files have names that make no addresses.
    #[error("the addresses of the files in {} cannot be told; name one with --base", .0.display())]
    NoAddress(PathBuf),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The store of a deployment failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The site cannot be had.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// Nothing that was asked for is a page.
    #[error("{0} answers with no page; check that it opens in a browser on this machine")]
    NoAnswer(String),
    /// Reading a page panicked.
    #[error("the audit ended suddenly: {0}; this is a defect in Latimer, please report it")]
    Panicked(#[from] Panicked),
}
