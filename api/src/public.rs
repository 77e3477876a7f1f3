//! The published pages: which sites there are, which of their deployments is served, and the file that host and path lead to.
//!
//! `snapshot` is what is served at a moment, and `served` replaces it by a newer one. `resolve` finds a file in it, `file`
//! answers with that. `integrity` looks whether the files are whole.

pub(crate) mod cache;
pub(crate) mod file;
pub(crate) mod integrity;
pub(crate) mod language;
pub(crate) mod locate;
mod place;
pub(crate) mod reload;
mod resolve;
pub(crate) mod served;
pub(crate) mod sites;
pub(crate) mod snapshot;

pub(crate) use language::{Home, for_one_reader, home};
pub(crate) use place::names_host;
pub(crate) use resolve::{Resolution, ResolvedFile, resolve};
