//! What the end of a run is to the endpoints of its site.

use std::collections::BTreeMap;

use super::record::{LocaleLeft, RunKind, RunRecord, RunStatus};
use crate::model::Locale;
use crate::webhooks::{EventLocale, RunEnded, RunError, Suspect, WebhookEvent, cut_paths, time};

/// What happened with the end of a run.
pub(super) fn ended(run: &RunRecord, locales: &BTreeMap<Locale, LocaleLeft>) -> Vec<WebhookEvent> {
    let is_done = match run.status {
        RunStatus::Completed => true,
        RunStatus::Failed | RunStatus::Cancelled => false,
        RunStatus::Queued | RunStatus::InProgress => return Vec::new(),
    };
    let of_locale = |(locale, left): (&Locale, &LocaleLeft)| EventLocale {
        target_lang: locale.to_string(),
        pages_total: left.total,
        pages_completed: left.run.pages,
        pages_failed: left.run.failures,
    };
    let ended = RunEnded {
        run_id: run.id.to_string(),
        kind: name(run.order.kind).to_owned(),
        locales: locales.iter().map(of_locale).collect(),
        locales_total: locales.len(),
        characters_sent: run.characters_sent,
        deployment_id: run.deployment.map(|id| id.to_string()),
        finished_at: time(run.finished.unwrap_or_default()),
        error: (!is_done).then(|| error(run)),
    };
    let ended = ended.cut();
    let suspect = run.suspect.as_ref().filter(|_| is_done).map(|suspect| {
        WebhookEvent::SourceSuspect(Suspect {
            run_id: run.id.to_string(),
            paths: cut_paths(suspect.examples.iter().map(|page| page.path.to_string())),
            total: suspect.vanished_pages
                + suspect.redirected_pages
                + suspect.equal_pages
                + suspect.held_back_pages,
            reason: suspect.message(),
        })
    });
    let ended = if is_done {
        WebhookEvent::RunCompleted(ended)
    } else {
        WebhookEvent::RunFailed(ended)
    };
    std::iter::once(ended).chain(suspect).collect()
}

fn error(run: &RunRecord) -> RunError {
    // What ended a run is told of it last.
    match run.failures.last() {
        Some(failure) => RunError {
            code: failure.code.clone(),
            message: failure.message.clone(),
        },
        None => RunError {
            code: "cancelled".to_owned(),
            message: "the run was cancelled".to_owned(),
        },
    }
}

fn name(kind: RunKind) -> &'static str {
    match kind {
        RunKind::Build => "build",
        RunKind::Render => "render",
        RunKind::Plan => "plan",
        RunKind::Publish => "publish",
        RunKind::Audit => "audit",
    }
}
