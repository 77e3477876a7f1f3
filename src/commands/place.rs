//! Where what belongs to a site is asked for: the state of this machine, or a server that has it.

use pipeline::model::SiteId;
use pipeline::state::{State, StateError};

use super::{ordered, work};
use crate::exit::CommandFailure;
use crate::options::Options;
use crate::remote::Remote;

/// Where it lies.
pub(super) enum SiteLocation {
    /// In the state, which nobody else has open.
    Here(State, SiteId),
    /// At a server, which knows the site by this name.
    There(Remote, String),
}

impl SiteLocation {
    /// The place of a site; without one, of the only one that there is.
    pub(super) async fn of(
        site: Option<&SiteId>,
        options: &Options,
    ) -> Result<Self, CommandFailure> {
        if let Some(server) = &options.server {
            let remote = Remote::at(server)?;
            let site = match site {
                Some(site) => site.to_string(),
                None => ordered::only_site(&remote).await?,
            };
            return Ok(Self::There(remote, site));
        }
        let config = options.config()?;
        let site = work::site(&config, site)?;
        let state = State::open(&config.store.state).map_err(failed)?;
        Ok(Self::Here(state, site.id.clone()))
    }
}

/// That the state failed.
pub(super) fn failed(error: StateError) -> CommandFailure {
    CommandFailure::failed(work::chain(&error))
}
