//! A deployment is made on top of what is the site now, and again where another builder was faster.
//!
//! Builders with a state each may work on one store. What a run took from the source itself is its own; what it only
//! carried over (everything of an offline run, pages that were not selected or could not be fetched) comes from the
//! deployment that is the site, where another builder made that. Each try renders against the pages, redirects and
//! switches of that deployment. A rollback that was made after the run began is never undone.
//!
//! The words of pages that come from another builder are those that people and the memory have: no engine is asked for
//! them, because nobody agreed to that cost. Where they are fewer than the other builder had, its next build, or the next
//! of this one, fills them in.

use std::collections::BTreeSet;
use std::time::Duration;

use uuid::Uuid;

use super::extract::Corpus;
use super::references::Outline;
use super::report::Report;
use super::translate::Texts;
use super::{Build, BuildOptions, RunError, Sources, Target, blocking, keep_on};
use crate::model::PagePath;
use crate::publish::{self, Draft, Lock, PublishError, Published, SourceIndex};
use crate::site_files::Templates;
use crate::store::{SourceKind, SourceRecord};

/// How often a run tries to become the site.
const TRIES: u32 = 5;
/// The longest wait before the second try; it grows with each.
const PAUSE: Duration = Duration::from_millis(400);
/// How many damaged files a notice names.
const NAMED: usize = 3;

/// What a run made of the source, before anything is published.
pub(super) struct Made {
    pub(super) sources: Sources,
    pub(super) corpus: Corpus,
    pub(super) texts: Vec<Texts>,
    pub(super) targets: Vec<Target>,
}

impl Build<'_> {
    /// Publishes what was made; `began` is the number of the deployment that was the site when the run began.
    pub(super) async fn deploy(
        &self,
        mut made: Made,
        began: u64,
        lock: Lock,
        report: &mut Report,
    ) -> Result<(), RunError> {
        let draft = Draft::begin_under(&self.stores.objects, &self.site.id, lock).await?;
        let mut draft = draft.keeping(self.options.keep_deployments);
        if self.options.offline {
            draft.recall_earlier().await?;
        }
        let before = report.clone();
        let mut tries = 1;
        loop {
            if let Some(deployment) = draft.undoes(began) {
                return Err(RunError::RolledBack { deployment });
            }
            made = self.on_top_of(draft.previous(), made, report).await?;
            match self.publish_on(&draft, &made, report).await {
                Err(RunError::Publish(PublishError::Overtaken { .. })) if tries < TRIES => {}
                Err(RunError::Publish(PublishError::Overtaken { .. })) => {
                    return Err(RunError::Overtaken { tries });
                }
                Err(error) => return Err(error),
                Ok(()) => break,
            }
            tokio::time::sleep(jitter(PAUSE * tries)).await;
            tries += 1;
            *report = before.clone();
            draft.begin_again().await?;
        }
        report.notices.extend(notices(&draft));
        // A sweep wants the site alone, and what is published needs no lock.
        drop(draft);
        let (objects, site) = (&self.stores.objects, &self.site.id);
        if objects.is_folder() {
            publish::project_live(objects, site).await?;
        }
        publish::sweep(objects, site, self.options.keep_deployments).await?;
        self.sweep_sources(&made.sources).await
    }

    async fn publish_on(&self, draft: &Draft, made: &Made, report: &mut Report) -> Result<(), RunError> {
        // What is wrong with paths was reported before anything was paid for.
        let paths = self.paths(&made.corpus, draft.previous(), &mut Report::new(&self.site.id))?;
        let outline = Outline { templates: Templates::load(self.site.templates.as_deref())?, paths };
        // Somebody may have switched a locale meanwhile.
        let now = self.locales(draft.previous()).await?;
        let (targets, texts) = keep_on(made.targets.clone(), now, made.texts.clone());
        self.publish(draft, outline, &made.sources, &made.corpus, texts, &targets, report).await
    }

    /// What was made, with what it only carried over as the deployment has it that another builder made.
    async fn on_top_of(&self, previous: Option<&Published>, made: Made, report: &mut Report) -> Result<Made, RunError> {
        let Some((previous, index)) = self.made_by_others(previous).await? else { return Ok(made) };
        let sources = self.with_carried(&made.sources, previous, &index, report);
        if sources.records == made.sources.records && sources.redirects == made.sources.redirects {
            return Ok(made);
        }
        report.pages = sources.of_kind(SourceKind::Page).count();
        report.files = sources.files().count();
        let options = BuildOptions { offline: true, ..self.options.clone() };
        let quiet = Build { options: &options, ..*self };
        let mut aside = Report::new(&self.site.id);
        let corpus = quiet.extract(&sources, &mut aside).await?;
        report.segments = aside.segments;
        let texts = quiet.translate(&corpus, &made.targets, &mut aside).await?;
        let (state, id, records) = (self.stores.state.clone(), self.site.id.clone(), sources.records.clone());
        blocking(move || state.record_sources(&id, &records)).await??;
        Ok(Made { sources, corpus, texts, targets: made.targets })
    }

    /// What the deployment that is the site was made of, if it is not known to be this state's own work.
    pub(super) async fn made_by_others<'p>(
        &self,
        previous: Option<&'p Published>,
    ) -> Result<Option<(&'p Published, SourceIndex)>, RunError> {
        let Some(previous) = previous else { return Ok(None) };
        let (state, id) = (self.stores.state.clone(), self.site.id.clone());
        let runs = blocking(move || state.runs(&id)).await??;
        if runs.iter().any(|run| run.deployment == Some(previous.id())) {
            return Ok(None);
        }
        match previous.source_index(&self.stores.objects).await {
            Ok(index) => Ok(index.map(|index| (previous, index))),
            // Then this run's own sources have to do.
            Err(PublishError::Damaged { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn with_carried(&self, own: &Sources, previous: &Published, index: &SourceIndex, report: &Report) -> Sources {
        let failed: BTreeSet<&PagePath> =
            report.failures.iter().filter(|failure| !failure.says_missing()).map(|failure| &failure.path).collect();
        let is_selected = |path: &PagePath, record: &SourceRecord| {
            record.kind != SourceKind::Page || self.options.pages.is_all() || self.options.pages.has(path)
        };
        let is_carried = |path: &PagePath, record: &SourceRecord| {
            self.options.offline || failed.contains(path) || !is_selected(path, record)
        };
        let mut records = own.records.clone();
        // A page that was not selected and that nobody else knows is new.
        records.retain(|path, record| {
            !self.options.offline && !failed.contains(path)
                || index.records.contains_key(path)
                || !is_carried(path, record)
        });
        let lets_in =
            |path: &PagePath, record: &SourceRecord| is_carried(path, record) && self.lets_in(path, record.kind);
        for (path, record) in index.records.iter().filter(|(path, record)| lets_in(path, record)) {
            let same = records.get(path).is_some_and(|own| own.without_validators() == *record);
            if !same {
                records.insert(path.clone(), record.clone());
            }
        }
        let mut redirects = own.redirects.clone();
        if self.options.offline {
            redirects = previous.settings().redirects.clone();
            let lets_in = |path: &PagePath| self.lets_in(path, SourceKind::File);
            redirects.retain(|from, redirect| lets_in(from) && lets_in(&redirect.to));
        }
        Sources { records, redirects }
    }
}

/// What an owner should know of the deployment that this one was made on top of.
fn notices(draft: &Draft) -> Vec<String> {
    let mut notices = Vec::new();
    if let Some(first) = draft.passed_over().first() {
        let served =
            draft.previous().map_or("nothing".to_owned(), |published| format!("deployment {}", published.deployment()));
        notices.push(format!("{first}; until now, readers got {served} instead"));
    }
    let damage = draft.damage();
    if !damage.is_empty() {
        let named: Vec<String> = damage.iter().take(NAMED).map(ToString::to_string).collect();
        notices.push(format!(
            "{} published files were damaged and were written anew, such as: {}",
            damage.len(),
            named.join("; ")
        ));
    }
    notices
}

/// Some part of a time, by chance, so that two builders do not meet again.
fn jitter(longest: Duration) -> Duration {
    let [part, ..] = *Uuid::new_v4().as_bytes();
    longest * u32::from(part) / 255
}
