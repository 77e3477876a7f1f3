//! What the path of a request names, once it is checked.

use std::sync::Arc;

use pipeline::config::SiteConfig;
use pipeline::model::{DeploymentId, Locale, PreviewId, RunId, SegmentKey, SiteId, TargetName};
use pipeline::webhooks::{MessageId, WebhookId};

/// What a path names, checked.
#[derive(Debug)]
pub(crate) struct NamedResources {
    /// The site, if it is there; only putting one goes on without.
    pub(crate) site: Option<Arc<SiteConfig>>,
    pub(crate) site_id: Option<SiteId>,
    pub(crate) locale: Option<Locale>,
    pub(crate) run: Option<RunId>,
    pub(crate) preview: Option<PreviewId>,
    pub(crate) deployment: Option<DeploymentId>,
    pub(crate) target: Option<TargetName>,
    pub(crate) webhook: Option<WebhookId>,
    pub(crate) message: Option<MessageId>,
    pub(crate) segment: Option<SegmentKey>,
}
