//! What every stage of a build works with.

use std::path::PathBuf;

use super::error::RunError;
use super::options::{BuildOptions, Progress, Step, Stores};
use crate::config::{SiteConfig, Source};
use crate::exchange::{Glossary, GlossaryError};
use crate::state::Stage;
use crate::threads::on_thread;

/// Everything a build works with.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub(crate) site: &'a SiteConfig,
    pub(crate) stores: &'a Stores,
    pub(crate) options: &'a BuildOptions,
    pub(crate) progress: &'a Progress<'a>,
}

pub(super) fn step(build: &Build<'_>, stage: Stage, done: usize, total: Option<usize>) {
    (build.progress)(&Step {
        stage,
        locale: None,
        done,
        total,
    });
}

/// A folder's own pages are published too; those of a site on the web stay where they are.
pub(super) fn publishes_source(site: &SiteConfig) -> bool {
    matches!(site.source, Source::Folder(_))
}

/// How a site wants terms translated.
pub(crate) fn glossary(site: &SiteConfig) -> Result<Glossary, GlossaryError> {
    let open = |file: &PathBuf| Glossary::open(file, &site.source_locale);
    site.glossary
        .as_ref()
        .map_or_else(|| Ok(Glossary::default()), open)
}

/// Runs what computes or waits for the disk on the threads of a build.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RunError> {
    on_thread(work)
        .await
        .map_err(|error| RunError::Broken(error.to_string()))
}
