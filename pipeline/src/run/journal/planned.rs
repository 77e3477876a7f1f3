//! Estimates: runs that count what a build would send, and their record.

use super::failures;
use crate::run::plan::{LocalePlan, PlanReport, PricedCost};
use crate::run::report::build_report::Report;
use crate::run::words::word_counts::number;
use crate::state::{Planned, PlannedEngine, PlannedLocale, RunRecord, RunWarning};

/// Records what a build would send; returns the report of the run.
pub(super) fn record(run: &mut RunRecord, plan: &PlanReport) -> Report {
    let mut report = Report::new(&plan.site);
    report.absent_engines = plan.absent_engines.clone();
    report.failures = plan.failures.clone();
    report.broken_words = plan.broken_words.clone();
    report.outcome = report.outcome_of(run.order.kind);
    report.warnings = report.warnings_of(run.order.kind);
    let planned = Planned::from(plan);
    if let Some(left) = planned.characters_left
        && left < planned.characters()
    {
        let message = format!(
            "a build would send {} characters, and {left} are left",
            planned.characters()
        );
        report
            .warnings
            .push(RunWarning::of_site("over_budget", message));
    }
    run.warnings.clone_from(&report.warnings);
    run.failures = failures::of_report(&report);
    run.planned = Some(planned);
    report
}

impl From<&PricedCost> for PlannedEngine {
    fn from(
        PricedCost {
            cost,
            price,
            tokens,
            ..
        }: &PricedCost,
    ) -> Self {
        Self {
            engine: cost.engine.clone(),
            texts: number(cost.texts),
            requests: cost.requests,
            characters: cost.characters,
            price: *price,
            tokens: *tokens,
        }
    }
}

impl From<&PlanReport> for Planned {
    fn from(plan: &PlanReport) -> Self {
        Self {
            pages: number(plan.pages),
            texts: number(plan.segments),
            characters_left: plan.limit.as_ref().map(|limit| limit.left),
            locales: plan.locales.iter().map(PlannedLocale::from).collect(),
        }
    }
}

impl From<&LocalePlan> for PlannedLocale {
    fn from(plan: &LocalePlan) -> Self {
        Self {
            locale: plan.locale.clone(),
            people: number(plan.person),
            memory: number(plan.memory),
            new: number(plan.new),
            unavailable: number(plan.unavailable),
            characters: plan.characters,
            engines: plan.engines.iter().map(PlannedEngine::from).collect(),
        }
    }
}
