//! What can go wrong with the object store, each said with what was being done and to what.

use std::path::PathBuf;

use crate::causes::is_full;
use crate::model::{Locale, SiteId};
use crate::threads::Panicked;

impl StoreError {
    /// Whether a bucket does not answer or a folder is gone, so that trying later may help.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Away { .. } | Self::Gone { .. })
    }

    /// Whether the folder of the store was taken away.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Gone { .. })
    }

    /// Whether there is no room on the disk.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Disk { source, .. } if is_full(source))
    }
}

/// Why an action on the object store failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store cannot be opened.
    #[error("cannot open the object store {location}: {reason}")]
    Open {
        /// The store as it was configured.
        location: String,
        /// Why not.
        reason: String,
    },
    /// The site would exceed its quota of bytes.
    #[error(
        "the site would take more than the {most} bytes that it may have on the disk (max_bytes in [api.sites]); leave pages or files \
         out with `exclude`, or ask the owner of this server for more"
    )]
    Quota {
        /// The quota in bytes.
        most: u64,
    },
    /// A name cannot be kept in a store.
    #[error("{name:?} cannot be the name of a published file: {reason}")]
    Name {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// The store refused or failed.
    #[error("cannot {doing} {key}: {source}")]
    Store {
        /// What was being done.
        doing: &'static str,
        /// To which object or folder.
        key: String,
        /// What the store says.
        source: object_store::Error,
    },
    /// A bucket refused, and would again.
    #[error("cannot {doing} {key} in the store {store}: {reason}")]
    Refused {
        /// What was being done.
        doing: &'static str,
        /// To which object or folder.
        key: String,
        /// The store.
        store: String,
        /// What is wrong, and what to do about it.
        reason: String,
    },
    /// A bucket did not answer for as long as one wanted to wait.
    #[error("the store {store} has not answered for {waited}: {cause}; try again when it does")]
    Away {
        /// The store.
        store: String,
        /// For how long.
        waited: String,
        /// What happened to the last request.
        cause: String,
    },
    /// The folder of the store was taken away while it was open.
    #[error(
        "the folder of the object store, {folder}, is gone: {found}; bring it back, or restart Latimer to go on with what \
         lies there", folder = folder.display()
    )]
    Gone {
        /// The folder.
        folder: PathBuf,
        /// What there is instead.
        found: &'static str,
    },
    /// The disk under the store refused or failed.
    #[error("cannot {doing} {path}: {source}", path = path.display())]
    Disk {
        /// What was being done.
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// A published object is missing or is not what its commit says.
    #[error("{key} is damaged: {reason}")]
    Damaged {
        /// The object.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// The newest record of switches is damaged, and nobody knows what it said.
    #[error(
        "cannot tell which languages of {site} are on: {key} is damaged; delete that file and turn the language that was \
         switched last once more, with `latimer locale`"
    )]
    SwitchesLost {
        /// The site.
        site: SiteId,
        /// The record.
        key: String,
    },
    /// A newer version of Latimer wrote it.
    #[error("{key} was written by a newer version of Latimer (form {form}); update Latimer")]
    Newer {
        /// The object.
        key: String,
        /// The form it has.
        form: u32,
    },
    /// An older version of Latimer wrote it.
    #[error(
        "{key} was written by an older version of Latimer (form {form}), which this one does not read; build into another store"
    )]
    Older {
        /// The object.
        key: String,
        /// The form it has.
        form: u32,
    },
    /// The same file was put twice into one deployment.
    #[error("{name} was put twice into {tree}")]
    Twice {
        /// The tree.
        tree: String,
        /// The file.
        name: String,
    },
    /// Another build of the same site finished first.
    #[error("another build of {site} made deployment {deployment} first; build again")]
    Overtaken {
        /// The site.
        site: SiteId,
        /// The number both wanted.
        deployment: u64,
    },
    /// Somebody else publishes to the same target.
    #[error("{by} is publishing to {target}; {free}")]
    TargetHeld {
        /// The target.
        target: String,
        /// Who it is, as they called themselves.
        by: String,
        /// When it will be free.
        free: String,
    },
    /// There is no such deployment.
    #[error("{site} has no deployment {deployment}")]
    Unknown {
        /// The site.
        site: SiteId,
        /// The number asked for.
        deployment: u64,
    },
    /// A locale's page address pattern is no URL with `{lang}`.
    #[error("{0:?} is no address with {{lang}}, such as https://www.example.com/{{lang}}")]
    Pattern(String),
    /// Two locales would answer at the same address.
    #[error("{first} and {second} share the address label {label:?}")]
    SharedLabel {
        /// One locale.
        first: Locale,
        /// The other.
        second: Locale,
        /// What both would be called.
        label: String,
    },
    /// Work on another thread was cut off.
    #[error("work was cut off: {0}")]
    Cut(#[from] tokio::task::JoinError),
    /// Work that computes broke off.
    #[error("work was cut off: {0}")]
    Broken(#[from] Panicked),
}
