//! How much a run may send: the least of what was asked for, what the site allows, and what is left of the month.

use std::sync::Arc;

use super::clock::month;
use super::context::Build;
use super::error::RunError;
use super::limit::Limit;
use super::options::BuildOptions;
use crate::config::SiteConfig;
use crate::translate::Budget;

impl Build<'_> {
    /// The limit of this run; `None` where nothing bounds it.
    pub(super) async fn limit(&self) -> Result<Option<Limit>, RunError> {
        let month = match self.site.max_chars_per_month {
            Some(allowed) => Some(self.left_of_month(allowed).await?),
            None => None,
        };
        let subject_budget = self.subject_budget().await?.map(|(_, limit)| limit);
        Ok(limit_of_run(self.site, self.options)
            .into_iter()
            .chain(month)
            .chain(subject_budget)
            .min_by_key(|limit| limit.left))
    }

    /// What whoever put the site may still send, and the same as a limit.
    pub(super) async fn subject_budget(&self) -> Result<Option<(Arc<Budget>, Limit)>, RunError> {
        let Some((payer, allowed)) = self
            .site
            .payer
            .clone()
            .and_then(|payer| Some((payer.subject, payer.max_chars_per_month?)))
        else {
            return Ok(None);
        };
        let subject_budget = self
            .stores
            .with_state(move |state| state.subject_budget(&payer, month(), allowed))
            .await?;
        let because = format!(
            " until the end of {} for all sites and previews of whoever put this one: {allowed} are allowed (`[api.sites] \
             max_chars_per_month`)",
            month()
        );
        let limit = Limit {
            left: subject_budget.left().unwrap_or(u64::MAX),
            because,
        };
        Ok(Some((subject_budget, limit)))
    }

    async fn left_of_month(&self, allowed: u64) -> Result<Limit, RunError> {
        let id = self.site.id.clone();
        let spent = self
            .stores
            .with_state(move |state| state.spent(&id, month()))
            .await?;
        let because = format!(
            " until the end of {}: {spent} of {allowed} are used (`max_chars_per_month`)",
            month()
        );
        Ok(Limit {
            left: allowed.saturating_sub(spent),
            because,
        })
    }
}

/// The limit of a run without what is left of the month.
pub(crate) fn limit_of_run(site: &SiteConfig, options: &BuildOptions) -> Option<Limit> {
    let rule = |left: Option<u64>, because: &str| {
        left.map(|left| Limit {
            left,
            because: because.to_owned(),
        })
    };
    let limits = [
        rule(options.max_characters, ""),
        rule(site.max_chars, " in one run (`max_chars`)"),
    ];
    limits.into_iter().flatten().min_by_key(|limit| limit.left)
}
