//! How a site is published.

use std::time::Duration;

use crate::model::Moment;

/// How a site is published.
#[derive(Clone, Debug)]
pub struct PublishOptions {
    /// The id or the number of a deployment; the newest without.
    pub deployment: Option<String>,
    /// Nothing is changed.
    pub dry_run: bool,
    /// The target is listed, and what others changed there is put right.
    pub verify: bool,
    /// What Latimer did not put there is deleted, too; goes with `verify`.
    pub delete: bool,
    /// Who publishes, for whoever comes second.
    pub who: String,
    /// The time.
    pub now: Moment,
    /// How long one waits for a bucket that does not answer.
    pub patience: Duration,
}

impl PublishOptions {
    /// Publishes the newest deployment.
    pub fn newest(who: String, now: Moment, patience: Duration) -> Self {
        Self {
            deployment: None,
            dry_run: false,
            verify: false,
            delete: false,
            who,
            now,
            patience,
        }
    }
}
