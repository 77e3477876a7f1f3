//! Fast path: skips the key comparison of a version if nothing that its page reads or links to changed.
//!
//! A version is made of its own page and of what its links, its head and its switchers ask about other pages (`carry.rs`). The facts of
//! a cached page hold, since its source and its environment are the same. The outline is the fingerprint of everything that can be asked
//! about other pages. If it is that of the last build, the key would be the same, so the build skips it. Debug builds make it
//! and compare.

use super::carry;
use super::known_versions::{UnchangedVersions, VersionReads};
use crate::addresses::Signature;
use crate::model::{Locale, PagePath};
use crate::run::context::{self, Build};
use crate::run::error::BuildError;
use crate::run::pages::references::SiteContext;
use crate::run::source::sources::Sources;
use crate::state::VersionsRecord;
use crate::store::{Draft, Published, Tree};

/// What need not be compared in this build, on top of a deployment.
async fn unchanged_versions(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    sources: &Sources,
    previous: Option<&Published>,
) -> Result<UnchangedVersions, BuildError> {
    if !context::may_be_kept(build) || !site.kept.is_empty() {
        return Ok(UnchangedVersions::default());
    }
    let outline = outline(site, sources);
    let id = build.site.id.clone();
    let last = match site.corpus.cached.is_empty() {
        true => None,
        false => {
            build
                .stores
                .with_state(move |state| state.versions_record(&id))
                .await?
        }
    };
    // Another builder may have published since the environment was made.
    let holds = |last: &VersionsRecord| {
        last.outline == outline && previous.is_some_and(|previous| previous.id() == last.deployment)
    };
    Ok(UnchangedVersions {
        outline: Some(outline),
        last: last.filter(holds),
    })
}

/// Whether the versions of a page are as they were published, if their bytes are there.
pub(in crate::run) fn is_unchanged(site: &SiteContext<'_>, path: &PagePath) -> bool {
    let last = site.carry.unchanged.last.as_ref();
    last.is_some_and(|last| site.corpus.cached.contains_key(path) && !last.compared.contains(path))
}

/// Checks, in debug builds, that a version was made under the key that it has now, and is what is published.
pub(in crate::run) async fn check_unchanged(
    build: &Build<'_>,
    site: &SiteContext<'_>,
    (locale, path): (&Locale, &PagePath),
    draft: &Draft,
    reads: impl FnOnce() -> VersionReads,
) -> Result<(), BuildError> {
    let kept = || draft.kept(&Tree::Locale(locale.clone()), &site.name(locale, path));
    if cfg!(debug_assertions)
        && let Some(entry) = kept()
    {
        let id = build.site.id.clone();
        let tag = locale.clone();
        let page = path.clone();
        let row = build
            .stores
            .with_state(move |state| state.rendered_version(&id, &tag, &page))
            .await?;
        let is_same = row.is_some_and(|row| {
            site.carry.key_among(&reads(), &row.asked).0 == row.key
                && carry::fingerprint_of(build.options, entry) == row.print
        });
        assert!(
            is_same,
            "{path} in {locale} was taken for what it was, and is something else"
        );
    }
    Ok(())
}

/// Reads what is known of the versions that have to be compared.
pub(in crate::run) async fn know_versions(
    build: &Build<'_>,
    site: &mut SiteContext<'_>,
    sources: &Sources,
    previous: Option<&Published>,
) -> Result<(), BuildError> {
    site.carry.unchanged = unchanged_versions(build, site, sources, previous).await?;
    if build.options.rebuild {
        return Ok(());
    }
    let id = build.site.id.clone();
    site.carry.known = if site.carry.unchanged.last.is_some() {
        let pages: Vec<PagePath> = site
            .corpus
            .pages
            .keys()
            .filter(|path| !is_unchanged(site, path))
            .cloned()
            .collect();
        let locales = site.texts.iter().map(|texts| texts.locale.clone());
        let locales: Vec<Locale> = locales.chain([build.site.source_locale.clone()]).collect();
        build
            .stores
            .with_state(move |state| state.rendered_of(&id, &locales, &pages))
            .await?
    } else {
        build
            .stores
            .with_state(move |state| state.rendered(&id))
            .await?
    };
    Ok(())
}

/// Fingerprint of everything that rendering and lists of all pages read beside a page and its words, and that is not in the environment of
/// cached pages.
fn outline(site: &SiteContext<'_>, sources: &Sources) -> [u8; 32] {
    let corpus = site.corpus;
    let mut key = site.carry.inputs.key();
    // The key was made before its inputs were read, so a template that somebody wrote to since is noticed.
    key.add(&site.carry.environment.settings);
    key.add(&site.addresses.sign());
    let mut named = Signature::default();
    site.translated
        .iter()
        .for_each(|(locale, pages)| named.add_all(locale.as_str(), pages));
    named.add_all("documents", corpus.documents.keys());
    key.add(&named.value());
    let mut hidden = Signature::default();
    hidden.add_all(
        "noindex",
        sources
            .records
            .iter()
            .filter(|(_, record)| record.noindex)
            .map(|(path, _)| path),
    );
    key.add(&hidden.value());
    key.add_debug(&(
        &corpus.forwarding,
        &corpus.parts,
        &corpus.unreadable,
        &corpus.singles,
        &corpus.clusters,
    ));
    key.add_debug(&(
        &corpus.canonicals,
        &corpus.foreign_versions,
        &corpus.written,
        &corpus.left_out,
    ));
    key.add_debug(&corpus.spelling);
    key.add_debug(&corpus.served_policies);
    key.add_debug(&site.live);
    key.add_debug(&site.listing);
    let robots = PagePath::of_file("robots.txt");
    key.add_debug(&(
        sources.records.get(&robots).map(|record| &record.hash),
        sources.rules.get("robots.txt"),
    ));
    key.bytes()
}
