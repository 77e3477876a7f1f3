//! Runs at intervals: a site with `every` in `[site.crawl]` is crawled again when its last run is that long ago.
//!
//! What is due is reckoned from the runs that are written down, so a restart changes nothing, and a time that was missed is
//! made up once. Nothing is ordered while any run of the site waits or works.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use pipeline::config::SiteConfig;
use pipeline::model::{Moment, SiteId};
use pipeline::run::now;
use pipeline::state::{RunKind, RunOrder, RunOrigin, RunOutcome, RunRecord, State, StateError};
use serde_json::Value;

use super::on_state::on_state;
use super::runs::Jobs;
use crate::public::sites::Sites;

/// Who ordered such a run, as others read it.
const SCHEDULE: &str = "schedule";
/// How long one waits at most before looking again, which is how late a changed setting counts.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest wait after failures, where the interval itself is not longer.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// A wait is longer by at most this part of it, so that sites of one interval do not all begin together.
const JITTER: u32 = 10;

/// What is due for a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextRun {
    Now,
    At(Moment),
    /// A run waits or works; what is due is known when it has ended.
    Busy,
}

/// What is due at a moment for a site with these runs, the newest first.
fn next(site: &SiteConfig, every: Duration, runs: &[RunRecord], now: Moment) -> NextRun {
    if runs.iter().any(|run| !run.is_over()) {
        return NextRun::Busy;
    }
    let builds = || runs.iter().filter(|run| is_whole(run, site));
    let Some((last, ended)) = builds().find_map(|run| Some((run, run.finished?))) else {
        return NextRun::Now;
    };
    let tried = builds().filter(|run| run.outcome() != Some(RunOutcome::Cancelled));
    let failures = tried.take_while(|run| has_failed(run)).count();
    let wait = (0..failures).fold(every, |wait, _| {
        wait.saturating_mul(2).min(LONGEST.max(every))
    });
    let due = ended + wait + jitter(&site.id, last, wait);
    if due <= now {
        NextRun::Now
    } else {
        NextRun::At(due)
    }
}

/// Whether a run brings the whole site up to date.
fn is_whole(run: &RunRecord, site: &SiteConfig) -> bool {
    let RunOrder {
        kind,
        locales,
        pages,
        ..
    } = &run.order;
    let has_all = locales.is_empty() || site.locales.iter().all(|locale| locales.contains(locale));
    *kind == RunKind::Build && pages.is_all() && has_all
}

fn has_failed(run: &RunRecord) -> bool {
    match run.outcome() {
        Some(
            RunOutcome::Failed
            | RunOutcome::TimedOut
            | RunOutcome::OverBudget
            | RunOutcome::NothingTranslated,
        ) => true,
        Some(
            RunOutcome::Ok
            | RunOutcome::Partial
            | RunOutcome::SourceSuspect
            | RunOutcome::Cancelled,
        )
        | None => false,
    }
}

/// By how much a wait is longer: always the same after the same run.
fn jitter(site: &SiteId, last: &RunRecord, wait: Duration) -> Duration {
    let mut hasher = DefaultHasher::new();
    (site.as_str(), last.id.to_string()).hash(&mut hasher);
    let share = u32::try_from(hasher.finish() % 1000).unwrap_or_default();
    wait / JITTER * share / 1000
}

/// Orders a run of a site if one is due; says what was due. Where too many runs wait there is none to be ordered.
fn order_due(
    state: &State,
    site: &SiteConfig,
    every: Duration,
    now: Moment,
) -> Result<NextRun, StateError> {
    let due = next(site, every, &state.runs(&site.id)?, now);
    if due == NextRun::Now {
        let run = RunRecord::new(RunOrder::of(RunKind::Build, RunOrigin::Api), 0, now)
            .ordered_by(SCHEDULE);
        state.order_run(&site.id, run, None, now, |_, _| Value::Null)?;
    }
    Ok(due)
}

/// Orders what is due, without end.
pub(crate) async fn keep(jobs: Arc<Jobs>, sites: Arc<Sites>) {
    let mut stuck = BTreeSet::new();
    loop {
        let mut wait = PATIENCE;
        for known in sites.list().values().filter(|known| known.config.enabled) {
            let (site, Some(every)) = (Arc::clone(&known.config), known.config.crawl.every) else {
                continue;
            };
            let id = site.id.clone();
            let due = on_state(&jobs.stores().state, move |state| {
                order_due(state, &site, every, now())
            })
            .await;
            if due.is_ok() {
                stuck.remove(&id);
            }
            match due {
                Ok(NextRun::Now) => {
                    tracing::info!("{id} is crawled again, as `every` in [site.crawl] says");
                    jobs.wake(&id);
                }
                Ok(NextRun::At(due)) => wait = wait.min(due.since(now())),
                Ok(NextRun::Busy) => {}
                Err(error) if stuck.insert(id.clone()) => {
                    tracing::warn!(
                        "{id} cannot be crawled by schedule, it is tried again: {error}"
                    );
                }
                Err(_) => {}
            }
        }
        tokio::time::sleep(wait.max(Duration::from_millis(100))).await;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use pipeline::config::Config;
    use pipeline::model::{Locale, PageSelection};
    use pipeline::state::RunStatus;

    use super::*;

    const EVERY: Duration = Duration::from_secs(60 * 60);
    const TURN: Duration = Duration::from_secs(30);

    fn site() -> SiteConfig {
        let file = "[[site]]\nid = \"bakery\"\nsource = \"s\"\nsource_locale = \"en\"\nlocales = [\"es\", \"fr\"]\n";
        Config::parse(file, Path::new("/nowhere/latimer.toml"), &|_| None)
            .unwrap()
            .sites
            .remove(0)
    }

    fn perform(state: &State, site: &SiteConfig, status: RunStatus, now: Moment) {
        let mut run = state
            .claim_run(&site.id, RunKind::Build, now)
            .unwrap()
            .unwrap();
        (run.status, run.finished) = (status, Some(now));
        state
            .finish_run(&site.id, &run, &BTreeMap::new(), &[])
            .unwrap();
    }

    /// Looks each half a minute from a moment on until a run is ordered, and says when that was.
    fn ordered(state: &State, site: &SiteConfig, from: Moment) -> Moment {
        let mut now = from;
        let last = from + EVERY * 24 * 400;
        while order_due(state, site, EVERY, now).unwrap() != NextRun::Now {
            now += TURN;
            assert!(now < last, "nothing is ever due");
        }
        assert_eq!(
            order_due(state, site, EVERY, now + EVERY * 99).unwrap(),
            NextRun::Busy,
            "never two"
        );
        now
    }

    #[test]
    fn runs_come_at_their_interval_and_later_each_time_that_they_fail() {
        let state = State::in_memory().unwrap();
        let site = site();
        let begin = Moment::of_millis(1_700_000_000_000);
        let mut now = ordered(&state, &site, begin);
        assert_eq!(now, begin, "a site that was never built is due");
        let failed = [
            (RunStatus::Failed, 2),
            (RunStatus::Failed, 4),
            (RunStatus::Cancelled, 4),
            (RunStatus::Failed, 8),
        ];
        let day = [
            (RunStatus::Failed, 16),
            (RunStatus::Failed, 24),
            (RunStatus::Failed, 24),
        ];
        let well = [(RunStatus::Completed, 1), (RunStatus::Completed, 1)];
        let mut waits = Vec::new();
        for (status, times) in well.iter().chain(&failed).chain(&day).chain(&well) {
            perform(&state, &site, *status, now);
            let next = ordered(&state, &site, now);
            let waited = next.since(now);
            let wait = EVERY * *times;
            assert!(
                waited >= wait && waited <= wait + wait / JITTER + TURN,
                "{status:?}: {waited:?} of {wait:?}"
            );
            waits.push(waited.as_secs_f64() / wait.as_secs_f64());
            now = next;
        }
        assert!(
            waits.iter().any(|wait| (wait - waits[0]).abs() > 0.005),
            "all alike: {waits:?}"
        );
        // A server that was off for a week makes up for it once.
        perform(&state, &site, RunStatus::Completed, now);
        now = ordered(&state, &site, now + EVERY * 24 * 7);
        perform(&state, &site, RunStatus::Completed, now);
        assert!(ordered(&state, &site, now).since(now) >= EVERY);
    }

    #[test]
    fn what_others_ordered_counts_where_it_was_the_whole_site() {
        let state = State::in_memory().unwrap();
        let site = site();
        let begin = Moment::of_millis(1_700_000_000_000);
        let order = |tags: &[&str], now: Moment| {
            let locales = tags.iter().map(|tag| Locale::parse(tag).unwrap()).collect();
            let order = RunOrder {
                locales,
                ..RunOrder::of(RunKind::Build, RunOrigin::Api)
            };
            state
                .order_run(
                    &site.id,
                    RunRecord::new(order, 0, now),
                    None,
                    now,
                    |_, _| Value::Null,
                )
                .unwrap();
            assert_eq!(order_due(&state, &site, EVERY, now).unwrap(), NextRun::Busy);
            perform(&state, &site, RunStatus::Completed, now);
        };
        order(&["es"], begin);
        assert_eq!(ordered(&state, &site, begin), begin);
        perform(&state, &site, RunStatus::Completed, begin);
        // However many came for single pages since.
        for _ in 0..300 {
            let mut pages = PageSelection::default();
            pages.add("/a").unwrap();
            let order = RunOrder {
                pages,
                ..RunOrder::of(RunKind::Build, RunOrigin::Api)
            };
            state
                .order_run(
                    &site.id,
                    RunRecord::new(order, 0, begin),
                    None,
                    begin,
                    |_, _| Value::Null,
                )
                .unwrap();
            perform(&state, &site, RunStatus::Completed, begin);
        }
        let half = begin + EVERY / 2;
        assert!(matches!(
            order_due(&state, &site, EVERY, half).unwrap(),
            NextRun::At(_)
        ));
        order(&["es", "fr"], half);
        assert!(ordered(&state, &site, half).since(half) >= EVERY);
    }
}
