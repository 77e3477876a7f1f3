//! Whether what is published is whole: what a check found stays known until a newer deployment or a clean check.
//!
//! `watch` looks at each deployment that is served. A caller may ask for more.

mod watch;

pub(crate) use watch::watch;

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};
use std::time::Instant;

use pipeline::model::{Locale, SiteId};
use pipeline::store::{Damage, FileFlaw, Objects, Published, StoreError, Tree, note_damage};

/// How closely files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Closeness {
    /// Whether they are there, with their sizes.
    Sizes,
    /// Their bytes, too.
    Bytes,
}

/// What is known of the deployments that are served.
#[derive(Debug, Default)]
pub(crate) struct Integrity {
    findings: RwLock<BTreeMap<SiteId, IntegrityFinding>>,
    /// Checks of everything wait for each other.
    checking: tokio::sync::Mutex<()>,
}

/// What the last check of a site found, and samples since.
#[derive(Clone, Debug)]
struct IntegrityFinding {
    deployment: u64,
    closeness: Closeness,
    checked: Instant,
    damage: Vec<Damage>,
}

impl Integrity {
    /// Whether something is wrong with a locale's files, or with those that all locales share.
    pub(crate) fn is_degraded(&self, published: &Published, locale: &Locale) -> bool {
        let concerns = |damage: &Damage| match &damage.tree {
            Tree::Shared => true,
            Tree::Locale(damaged) => damaged == locale,
        };
        self.damage(published).iter().any(concerns)
    }

    /// What is known to be wrong with a deployment.
    pub(crate) fn damage(&self, published: &Published) -> Vec<Damage> {
        self.finding(published)
            .map(|finding| finding.damage)
            .unwrap_or_default()
    }

    /// Looks at every file of a deployment and remembers what is wrong.
    ///
    /// # Errors
    /// A [`StoreError`] when the store cannot say.
    pub(crate) async fn check(
        &self,
        objects: &Objects,
        published: &Published,
        closeness: Closeness,
    ) -> Result<(), StoreError> {
        let asked = Instant::now();
        let _one_at_a_time = self.checking.lock().await;
        // Whoever waited here has the answer of a check that began after they asked.
        let is_answered =
            |finding: IntegrityFinding| finding.checked >= asked && finding.closeness >= closeness;
        if self.finding(published).is_some_and(is_answered) {
            return Ok(());
        }
        let checked = Instant::now();
        let damage = match closeness {
            Closeness::Sizes => published.check_sizes(objects).await?,
            Closeness::Bytes => published.check_bytes(objects).await?,
        };
        tell(published, &damage);
        note(objects, published, &damage).await;
        let finding = IntegrityFinding {
            deployment: published.deployment(),
            closeness,
            checked,
            damage,
        };
        self.write().insert(published.site().clone(), finding);
        Ok(())
    }

    /// Reads one file and remembers what is wrong with it.
    async fn sample(&self, objects: &Objects, published: &Published, number: usize) {
        // A store that cannot be reached is no damage; the file's turn comes again.
        let Ok(mut found) = published.check_nth(objects, number).await else {
            return;
        };
        note(objects, published, &found).await;
        let mut findings = self.write();
        let finding = findings.get_mut(published.site());
        let Some(finding) = finding.filter(|finding| finding.deployment == published.deployment())
        else {
            return;
        };
        found.retain(|damage| !finding.damage.contains(damage));
        tell(published, &found);
        finding.damage.extend(found);
    }

    fn finding(&self, published: &Published) -> Option<IntegrityFinding> {
        let findings = self.findings.read().unwrap_or_else(PoisonError::into_inner);
        findings
            .get(published.site())
            .filter(|finding| finding.deployment == published.deployment())
            .cloned()
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, BTreeMap<SiteId, IntegrityFinding>> {
        self.findings
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes down what has wrong bytes, for the next build: it looks at names and lengths alone.
async fn note(objects: &Objects, published: &Published, damage: &[Damage]) {
    if damage.iter().all(|damage| damage.flaw != FileFlaw::Bytes) {
        return;
    }
    if let Err(error) = note_damage(objects, published, damage).await {
        tracing::warn!(
            "the next build of {} will not know which files are damaged: {error}",
            published.site()
        );
    }
}

/// Tells the operator how much is wrong, and what is the first of it.
fn tell(published: &Published, damage: &[Damage]) {
    let Some(first) = damage.first() else { return };
    let site = published.site();
    let count = damage.len();
    tracing::error!(
        "{site} is degraded, {count} published files are damaged, and the next build writes them anew; the first: {first}"
    );
}
