//! Why a site could not be brought to a host.

use std::path::PathBuf;

use crate::hosts::Cannot;
use crate::model::{Host, SiteId, TargetName};
use crate::store::StoreError;

/// Why a site could not be brought to a host.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// The host cannot do what the site wants; nothing was sent.
    #[error("{}", sentences(.0))]
    Cannot(Vec<Cannot>),
    /// The configuration has no such target any more.
    #[error("there is no target {0} any more")]
    NoTarget(String),
    /// Nothing was built yet.
    #[error("{0} is not built yet; run `latimer build` first")]
    NothingBuilt(SiteId),
    /// There is no such deployment.
    #[error("{site} has no deployment {wanted}; kept are {kept}")]
    NoDeployment {
        /// The site.
        site: SiteId,
        /// What was asked for.
        wanted: String,
        /// What there is.
        kept: String,
    },
    /// The site has a tree for each host name, and the host takes one.
    #[error(
        "{host} takes one tree, and the language stands in the host name, so {target} has {trees}; use kind = \"folder\", or a \
         pattern with the language in the path"
    )]
    ManyTrees {
        /// The target.
        target: TargetName,
        /// Its host.
        host: Host,
        /// How many trees.
        trees: usize,
    },
    /// Something lies there that would be lost.
    #[error(
        "{path} holds {what} that this target did not put there; give `to` a place of its own, or move them away",
        path = path.display()
    )]
    Foreign {
        /// Where.
        path: PathBuf,
        /// What lies there.
        what: &'static str,
    },
    /// A folder below the target is a link, so that files would be written and removed outside of the target.
    #[error(
        "{path} is a symbolic link, and publishing writes to no place outside of its folder; replace the link by a folder, or let \
         `to` name what it leads to", path = path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A place is another target's, or lies in or around one.
    #[error(
        "{path} has the {what} of the target {by}; give each target a place of its own, or remove .latimer-target there if \
         that target is no more", path = path.display()
    )]
    Claimed {
        /// Where.
        path: PathBuf,
        /// What lies there.
        what: &'static str,
        /// Whose it is.
        by: String,
    },
    /// A bucket or the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A folder on this machine failed.
    #[error("cannot {doing} {path}: {source}", path = path.display())]
    Disk {
        /// What was being done.
        doing: &'static str,
        /// To which file or folder.
        path: PathBuf,
        /// What the disk says.
        source: std::io::Error,
    },
    /// A program could not be started.
    #[error(
        "cannot start {program}: {source}; check `command` of the target, and that the program is installed"
    )]
    NoProgram {
        /// The program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// A program failed.
    #[error(
        "{program} {ended}; what lies at the host is as the program left it, and the next publishing tries again{said}"
    )]
    Program {
        /// The program.
        program: String,
        /// How it ended.
        ended: String,
        /// Its last lines.
        said: String,
    },
    /// Work on another thread was cut off.
    #[error("work was cut off: {0}")]
    Cut(#[from] tokio::task::JoinError),
}

fn sentences(cannot: &[Cannot]) -> String {
    cannot
        .iter()
        .map(|Cannot(sentence)| sentence.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}
