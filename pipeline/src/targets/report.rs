//! What became of a publishing, or what would.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::hosts::HostFile;

/// What became of a publishing, or what would.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PublishReport {
    /// The target.
    pub target: String,
    /// The site.
    pub site: String,
    /// The host.
    pub host: String,
    /// The deployment that lies there now.
    pub deployment: u64,
    /// Its id.
    pub deployment_id: String,
    /// The deployment that lay there before; nothing where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Whether nothing was changed because nobody wanted more than to know.
    pub dry_run: bool,
    /// Files sent.
    pub sent: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Files removed.
    pub removed: usize,
    /// Files that no page names any more and that stay for a while.
    pub leaving: usize,
    /// Files that were there already.
    pub unchanged: usize,
    /// Each change, in the order in which it is made.
    pub changes: Vec<TargetChange>,
    /// Files at the target that Latimer did not put; they are only looked for with `--verify`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// What the host is told.
    pub host_files: Vec<HostFile>,
    /// Files beside the tree that changed, which a server must read again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reload: Vec<String>,
    /// What differs from `latimer serve` by the nature of the host.
    pub differs: Vec<&'static str>,
    /// What was there before.
    #[serde(skip)]
    pub(super) known: BTreeSet<String>,
}

/// One change at a target.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TargetChange {
    /// What happens.
    pub change: ChangeKind,
    /// To which file.
    pub name: String,
    /// How many bytes it has.
    pub bytes: u64,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its bytes are others.
    Replaced,
    /// It goes.
    Removed,
}

impl ChangeKind {
    /// The sign that lists have for it.
    pub fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Replaced => '~',
            Self::Removed => '-',
        }
    }
}
