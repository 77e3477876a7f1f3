//! Publication of a build: the draft becomes the site, and what no deployment needs is swept.

pub(in crate::run) mod publication;
pub(in crate::run) mod sweeping;
pub(in crate::run) mod told;
