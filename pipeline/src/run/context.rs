//! What every stage of a build works with.

use std::path::PathBuf;

use crate::config::{LanguagePlace, SiteConfig, SourceLocation};
use crate::exchange::{Glossary, GlossaryError};
use crate::run::error::BuildError;
use crate::run::options::{BuildOptions, BuildProgress, BuildStep, Stores, Trust};
use crate::state::Stage;
use crate::threads::on_thread;

/// Everything a build works with.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub(crate) site: &'a SiteConfig,
    pub(crate) stores: &'a Stores,
    pub(crate) options: &'a BuildOptions,
    pub(crate) progress: &'a BuildProgress<'a>,
}

pub(super) fn step(build: &Build<'_>, stage: Stage, done: usize, total: Option<usize>) {
    (build.progress)(&BuildStep {
        stage,
        locale: None,
        done,
        total,
    });
}

/// A folder's own pages are published too; those of a site on the web stay where they are.
pub(super) fn publishes_source(site: &SiteConfig) -> bool {
    matches!(site.source, SourceLocation::Folder(_))
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
) -> Result<T, BuildError> {
    on_thread(work)
        .await
        .map_err(|error| BuildError::Broken(error.to_string()))
}

/// True if each locale has a host of its own.
pub(in crate::run) fn has_hosts(site: &SiteConfig) -> bool {
    site.url
        .as_ref()
        .is_some_and(|url| url.place() == LanguagePlace::Host)
}

/// True if this build may reuse results of the last one.
pub(in crate::run) fn may_be_unchanged(build: &Build<'_>) -> bool {
    may_be_kept(build) && !build.options.rebuild
}

/// True if the next build may reuse results of this one.
pub(in crate::run) fn may_be_kept(build: &Build<'_>) -> bool {
    let options = build.options;
    let is_plain = options.pages.is_all()
        && !matches!(options.trust, Trust::Accepted { .. })
        && !(options.offline || options.frozen || options.force || options.must_publish);
    // A browser's output depends on more than our files.
    is_plain && build.site.scripts.discovery.is_none()
}
