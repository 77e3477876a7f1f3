//! Neural models on the disk: which there are, where they came from, and whether they are still what came.
//!
//! [`add`] puts the files of one pair into a folder of their own, in one step, and writes their SHA-256 beside them:
//! the pins, in `pins.json`. The files come from a folder, an archive, or a registry ([`RegistryAddress::ask`]), which is
//! asked only when the owner of the machine says so. [`list`] compares files and pins; the engine never does, because it
//! would read every model at every start. [`remove`] takes away what was pinned and nothing else. What lies below the
//! models' folder otherwise is the owner's: it is listed and used, and never changed.

mod add;
mod archive;
mod draft;
mod hash;
mod list;
mod records;
mod registry;
mod remove;
mod unpack;

pub use add::{AddOrder, AddOutcome, Added, ModelOrigin, add};
pub use list::{ListedFile, ListedModel, ModelState, list};
pub use records::{Attachment, AvailableModel, ModelRecord, ModelRoute, Registry};
pub use registry::{RECORDS_FILE, RegistryAddress, Supplier, registry_in};
pub use remove::{Removed, remove};

pub use crate::engines::model_names::variant_notice;

use std::path::{Path, PathBuf};

use crate::engines::ModelError;
use crate::engines::model_pins::PinsError;
use crate::net::FetchError;

/// Says what could not be done with a model, where, why and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ModelsError {
    /// A file or folder could not be read or written.
    #[error("cannot {action} {}", path.display())]
    File {
        /// The step that failed.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An archive could not be fetched.
    #[error("cannot fetch {from}: {source}{}", advice(source))]
    Fetch {
        /// Its address.
        from: String,
        /// The reason.
        source: FetchError,
    },
    /// A registry, or a file of one, could not be fetched.
    #[error("cannot fetch {from}: {source}{}", advice_on_registry(source))]
    Registry {
        /// The address.
        from: String,
        /// The reason.
        source: FetchError,
    },
    /// The records of a registry cannot be used.
    #[error(
        "cannot use the records of {from}: {reason}; if the registry is yours, compare docs/engines.md"
    )]
    Records {
        /// The registry.
        from: String,
        /// The defect.
        reason: String,
    },
    /// A file is not the one that the registry describes.
    #[error(
        "{name} from {from} has the SHA-256 {found}, but the record expects {wanted}; nothing was kept, try again"
    )]
    WrongFile {
        /// The file.
        name: String,
        /// Its source.
        from: String,
        /// Its hash.
        found: String,
        /// The hash in the record.
        wanted: String,
    },
    /// A folder lacks a file of the model.
    #[error(
        "{name} is not in {}, neither as .zst nor as .gz, nor as {address}; `latimer models add … --print` says where it is",
        folder.display()
    )]
    NotThere {
        /// The file.
        name: String,
        /// The folder.
        folder: PathBuf,
        /// Its location in a mirror.
        address: String,
    },
    /// This machine cannot run the models.
    #[error(
        "{0}; nothing was fetched. For another machine, `latimer models add … --print` lists what it needs"
    )]
    CannotRun(String),
    /// The disk has no room for the models.
    #[error(
        "the models need {} MiB in {}, and {} MiB are free; nothing was fetched",
        needed >> 20,
        folder.display(),
        free >> 20
    )]
    NoRoom {
        /// The models' folder.
        folder: PathBuf,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// It is no archive that can be read.
    #[error(
        "cannot read the archive {from}: {reason}; take a zip file, a Python wheel, a .tar or a .tar.gz"
    )]
    Archive {
        /// The archive.
        from: String,
        /// The defect.
        reason: String,
    },
    /// A file of a model cannot be unpacked.
    #[error("cannot unpack {name} in {from}: {reason}; nothing was kept, fetch it again")]
    Packed {
        /// Its name.
        name: String,
        /// Its source.
        from: String,
        /// The defect.
        reason: String,
    },
    /// The archive is not the one that was meant.
    #[error("{from} has the SHA-256 {found}, but --sha256 expects {wanted}; nothing was kept")]
    Hash {
        /// The archive.
        from: String,
        /// Its hash.
        found: String,
        /// The hash that was named.
        wanted: String,
    },
    /// There is no model for the pair in it.
    #[error("{from} has no model for {pair}; {found}")]
    NoModel {
        /// The pair.
        pair: String,
        /// The archive or folder.
        from: String,
        /// Its content.
        found: String,
    },
    /// There are several.
    #[error(
        "{from} has several models for {pair}, in {}; unpack it and name the folder of the one that you mean",
        list_of(places)
    )]
    Several {
        /// The pair.
        pair: String,
        /// The archive or folder.
        from: String,
        /// Where they lie in there.
        places: Vec<String>,
    },
    /// The engine cannot use it.
    #[error("the model for {pair} in {from} cannot be used: {reason}; nothing was kept of it")]
    Unusable {
        /// The pair.
        pair: String,
        /// Its source.
        from: String,
        /// The reason.
        reason: ModelError,
    },
    /// There is another model for the pair where this one would go.
    #[error("there is another model for {pair} in {}; say --replace if this one is to take its place", folder.display())]
    Another {
        /// The pair.
        pair: String,
        /// Where the other one lies.
        folder: PathBuf,
    },
    /// There is another model for the pair elsewhere below the folder.
    #[error(
        "there is another model for {pair} in {}, where `models add` did not put it; move it out of the way first",
        folder.display()
    )]
    Elsewhere {
        /// The pair.
        pair: String,
        /// Where the other one lies.
        folder: PathBuf,
    },
    /// Another process adds a model for the pair.
    #[error("another `models add` works on this pair, in {}; wait until it is done", folder.display())]
    Busy {
        /// The folder of the other's work.
        folder: PathBuf,
    },
    /// There is no such model.
    #[error("there is no model for {pair} below {}; there are {}", folder.display(), list_of(known))]
    Unknown {
        /// The pair.
        pair: String,
        /// Where it was looked for.
        folder: PathBuf,
        /// The pairs that are there.
        known: Vec<String>,
    },
    /// It is there, but was not put there by us.
    #[error("the model for {pair} in {} is not pinned, so it may be somebody's own; remove its files by hand", folder.display())]
    Unpinned {
        /// The pair.
        pair: String,
        /// Where it lies.
        folder: PathBuf,
    },
    /// Other files lie beside it.
    #[error("{} contains files that do not belong to the model for {pair}: {}; move them away first", folder.display(), list_of(files))]
    Others {
        /// The pair.
        pair: String,
        /// Where it lies.
        folder: PathBuf,
        /// The others' names.
        files: Vec<String>,
    },
    /// The pins cannot be understood.
    #[error("cannot use {}: {reason}; add the model again with --replace", file.display())]
    Pins {
        /// The file.
        file: PathBuf,
        /// The defect.
        reason: String,
    },
    /// Part of the work panicked; a defect.
    #[error("adding the model broke off: {0}; this is a defect in Latimer, please report it")]
    Broken(String),
}

impl From<PinsError> for ModelsError {
    fn from(error: PinsError) -> Self {
        match error {
            PinsError::File {
                action,
                path,
                source,
            } => Self::File {
                action,
                path,
                source,
            },
            PinsError::Invalid { path, reason } => Self::Pins { file: path, reason },
        }
    }
}

fn failed<'a>(
    action: &'static str,
    path: &'a Path,
) -> impl FnOnce(std::io::Error) -> ModelsError + 'a {
    move |source| ModelsError::File {
        action,
        path: path.to_path_buf(),
        source,
    }
}

fn list_of(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

fn advice(error: &FetchError) -> &'static str {
    match error {
        FetchError::Blocked(_) => "; an address in a network of yours needs --allow-private",
        _ => "; check that the address opens in a browser on this machine",
    }
}

fn advice_on_registry(error: &FetchError) -> &'static str {
    match error {
        FetchError::Blocked(_) => {
            "; a registry in a network of yours needs --allow-private, or allow_private in [models]"
        }
        FetchError::Unwritable(_) => "; make room on the disk and try again",
        _ => {
            "; behind a proxy, set HTTPS_PROXY; without internet here, run `latimer models add … --print` on another \
             machine and give the folder of what it fetched with --from"
        }
    }
}

#[cfg(test)]
mod tests;
