//! Versions that need not be compared: their pages stand, and all that any version asks of other pages is as it was.
//!
//! A version is made of its own page and of what its links, its head and its switchers ask of others (`carry.rs`). What is known of
//! a page that stands is true because its source and its ground are the same; the outline signs for everything that can be
//! asked of others. Where that is the last build's, too, the key of such a version would come out as it did, so nobody makes it.
//! Debug builds make it all the same, and compare.

use super::context::{Build, blocking};
use super::error::RunError;
use super::known_versions::{KnownVersions, Still, VersionReads};
use super::references::Site;
use super::sources::Sources;
use crate::addresses::Signature;
use crate::model::{DeploymentId, Locale, PagePath};
use crate::state::SettledVersions;
use crate::store::{Draft, Published, Tree};

impl Build<'_> {
    /// What need not be compared in this build, on top of a deployment.
    async fn still(
        &self,
        site: &Site<'_>,
        sources: &Sources,
        previous: Option<&Published>,
    ) -> Result<Still, RunError> {
        if !self.may_be_kept() || !site.kept.is_empty() {
            return Ok(Still::default());
        }
        let outline = outline(site, sources);
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let settled = match site.corpus.standing.is_empty() {
            true => None,
            false => blocking(move || state.settled_versions(&id)).await??,
        };
        // Another builder may have published since the ground was made.
        let holds = |settled: &SettledVersions| {
            settled.outline == outline
                && previous.is_some_and(|previous| previous.id() == settled.deployment)
        };
        Ok(Still {
            outline: Some(outline),
            settled: settled.filter(holds),
        })
    }

    /// Whether the versions of a page are as they were published, if their bytes are there.
    pub(super) fn is_still(&self, site: &Site<'_>, path: &PagePath) -> bool {
        let settled = site.carry.still.settled.as_ref();
        settled.is_some_and(|settled| {
            site.corpus.standing.contains_key(path) && !settled.restless.contains(path)
        })
    }

    /// Checks, in debug builds, that a version was made under the key that it has now, and is what is published.
    pub(super) async fn check_still(
        &self,
        site: &Site<'_>,
        (locale, path): (&Locale, &PagePath),
        draft: &Draft,
        reads: impl FnOnce() -> VersionReads,
    ) -> Result<(), RunError> {
        let kept = || draft.kept(&Tree::Locale(locale.clone()), &site.name(locale, path));
        if cfg!(debug_assertions)
            && let Some(entry) = kept()
        {
            let (state, id, tag, page) = (
                self.stores.state.clone(),
                self.site.id.clone(),
                locale.clone(),
                path.clone(),
            );
            let row = blocking(move || state.rendered_version(&id, &tag, &page)).await??;
            let is_same = row.is_some_and(|row| {
                site.carry.key_among(&reads(), &row.asked).0 == row.key
                    && self.print_of(entry) == row.print
            });
            assert!(
                is_same,
                "{path} in {locale} was taken for what it was, and is something else"
            );
        }
        Ok(())
    }

    /// Reads what is known of the versions that have to be compared.
    pub(super) async fn know_versions(
        &self,
        site: &mut Site<'_>,
        sources: &Sources,
        previous: Option<&Published>,
    ) -> Result<(), RunError> {
        site.carry.still = self.still(site, sources, previous).await?;
        if self.options.rebuild {
            return Ok(());
        }
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        site.carry.known = if site.carry.still.settled.is_some() {
            let pages: Vec<PagePath> = site
                .corpus
                .pages
                .keys()
                .filter(|path| !self.is_still(site, path))
                .cloned()
                .collect();
            let locales = site.texts.iter().map(|texts| texts.locale.clone());
            let locales: Vec<Locale> = locales.chain([self.site.source_locale.clone()]).collect();
            blocking(move || state.rendered_of(&id, &locales, &pages)).await??
        } else {
            blocking(move || state.rendered(&id)).await??
        };
        Ok(())
    }

    /// What the next build need not compare, after this one put all versions.
    pub(super) fn settled_versions(
        &self,
        carry: &KnownVersions,
        deployment: DeploymentId,
    ) -> Option<SettledVersions> {
        let restless = carry.made().restless.clone();
        let lists = carry.noted_lists().clone();
        Some(SettledVersions {
            outline: carry.still.outline?,
            deployment,
            restless,
            lists,
        })
    }
}

/// Signs for everything that rendering and lists of all pages read beside a page and its words, and that is not in the ground of
/// pages that stand.
fn outline(site: &Site<'_>, sources: &Sources) -> [u8; 32] {
    let (corpus, mut key) = (site.corpus, site.carry.inputs.key());
    // It was read before anything that it signs for; pages may stand on templates that somebody wrote to since.
    key.add(&site.carry.ground.settings);
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
