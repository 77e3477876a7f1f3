//! Notices about languages whose engines changed since the last run.

use super::language_plan::LanguageWords;
use crate::config::SiteConfig;
use crate::counted::counted;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::translate::TranslationOrigin;

/// Names the languages whose engines, models or routes changed since the last run that asked any, if translations of
/// the former engines stay. They stay because the memory goes before engines.
pub(super) async fn notices_of_routes(
    build: &Build<'_>,
    plans: &[LanguageWords],
) -> Result<Vec<String>, BuildError> {
    let id = build.site.id.clone();
    let runs = build
        .stores
        .with_state(move |state| state.locale_runs(&id))
        .await?;
    let mut notices = Vec::new();
    for plan in plans.iter().filter(|plan| !plan.route.is_empty()) {
        let routes = runs
            .get(&plan.locale)
            .into_iter()
            .flatten()
            .map(|run| &run.route);
        let Some(last) = routes.rev().find(|route| !route.is_empty()) else {
            continue;
        };
        let stored = of_former_engines(build.site, plan);
        if *last != plan.route && stored > 0 {
            notices.push(format!(
                "{}: engines changed since the last run, from {last} to {}. {} of the former engines stay in memory; only new \
                 texts go to the new ones. `latimer plan` names the command that replaces them, and its price",
                plan.locale,
                plan.route,
                counted(stored, "translation"),
            ));
        }
    }
    Ok(notices)
}

/// Number of stored translations by engines that are not asked today, on the pages that were read.
fn of_former_engines(site: &SiteConfig, plan: &LanguageWords) -> usize {
    let today = plan.chain.signatures(site.pair_to(&plan.locale));
    let origins = plan.settled.origins();
    origins
        .filter(|origin| matches!(origin, TranslationOrigin::Memory(by) if !today.contains(by)))
        .count()
}
