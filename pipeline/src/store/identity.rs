//! The public id of a deployment.
//!
//! A commit holds no clock. Its id is made of what the store
//! knows anyway: when the commit was created, and which one it is. It stays the same as long as the store keeps that
//! time; a copy of a store that does not has other ids, and nothing is kept under them.

use std::time::SystemTime;

use super::keys::SiteKeys;
use super::{Objects, Published, StoreError};
use crate::model::{DeploymentId, SiteId};

impl Published {
    /// The id by which the interface names this deployment.
    pub fn id(&self) -> DeploymentId {
        derive(self.site(), self.deployment(), self.created())
    }
}

/// The id of a site's deployment, by its number.
///
/// # Errors
/// A [`StoreError`] when there is no such deployment or the store cannot say.
pub async fn deployment_id(
    objects: &Objects,
    site: &SiteId,
    number: u64,
) -> Result<DeploymentId, StoreError> {
    Ok(derive(
        site,
        number,
        objects.written(&SiteKeys(site).commit(number)?).await?,
    ))
}

pub(super) fn derive(site: &SiteId, number: u64, created: SystemTime) -> DeploymentId {
    let hash = blake3::hash(format!("{site} {number}").as_bytes());
    DeploymentId::new(created.into(), hash.as_bytes())
}
