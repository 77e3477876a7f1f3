//! Notices about languages whose engines are others than in the last run.

use super::context::{Build, blocking};
use super::error::RunError;
use super::language_plan::Plan;
use crate::store::LocaleRun;

impl Build<'_> {
    /// Names the languages whose engines, models or routes are others than in the last run, if stored translations are
    /// kept there. The memory goes before engines, so the change has no effect on these texts until they are forgotten.
    pub(super) async fn notices_of_routes(&self, plans: &[Plan]) -> Result<Vec<String>, RunError> {
        let state = self.stores.state.clone();
        let id = self.site.id.clone();
        let runs = blocking(move || state.locale_runs(&id)).await??;
        let mut notices = Vec::new();
        for plan in plans {
            let last = runs.get(&plan.locale).and_then(|runs| runs.last());
            if let Some(last) = last.filter(|last| is_changed(last, &plan.route)) {
                let words = last.words.memory + last.words.engine;
                notices.push(format!(
                    "{}: engines changed since the last run, from {} to {}; the {words} words that engines translated before stay, and \
                     only new texts go to the new engines: `latimer plan` counts the old ones, with the price of asking again and the \
                     command for it",
                    plan.locale, last.route, plan.route
                ));
            }
        }
        Ok(notices)
    }
}

/// True if a route differs from that of the last run, which left translations by engines.
fn is_changed(last: &LocaleRun, route: &str) -> bool {
    let has_both = !last.route.is_empty() && !route.is_empty();
    has_both && last.route != route && last.words.memory + last.words.engine > 0
}
