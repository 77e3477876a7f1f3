//! Bringing a deployment to a host that Latimer does not run.
//!
//! A publishing reads the manifests of a deployment and what is remembered of the target, and sends the difference: files
//! whose names hold a hash first, then other files, pages from the leaves to the home pages, pages for what is not found,
//! sitemaps and feeds, and the host's rules; what goes, goes last. So no reader meets a page before its files. What the
//! host cannot do is said before anything is sent.

mod check;
mod claim;
mod error;
mod folder;
mod invalidation;
mod mark;
mod options;
mod place;
mod plan;
mod program;
mod publish;
mod report;
mod wanted;
mod ways;
mod work;

pub use error::TargetError;
pub use options::PublishOptions;
pub use program::is_there;
pub use publish::publish;
pub use report::{ChangeKind, PublishReport, TargetChange};
