//! How much a run may send: the least of what was asked for, what the site allows, and what is left of the month.

use std::sync::Arc;

use super::limit::SendLimit;
use crate::config::SiteConfig;
use crate::run::clock::month;
use crate::run::context::Build;
use crate::run::error::BuildError;
use crate::run::options::BuildOptions;
use crate::translate::CharacterBudget;

/// The limit of this run; `None` where nothing bounds it.
pub(in crate::run) async fn limit_of_build(
    build: &Build<'_>,
) -> Result<Option<SendLimit>, BuildError> {
    let month = match build.site.max_chars_per_month {
        Some(allowed) => Some(left_of_month(build, allowed).await?),
        None => None,
    };
    let subject_budget = subject_budget(build).await?.map(|(_, limit)| limit);
    Ok(limit_of_run(build.site, build.options)
        .into_iter()
        .chain(month)
        .chain(subject_budget)
        .min_by_key(|limit| limit.left))
}

/// What whoever put the site may still send, and the same as a limit.
pub(super) async fn subject_budget(
    build: &Build<'_>,
) -> Result<Option<(Arc<CharacterBudget>, SendLimit)>, BuildError> {
    let Some((payer, allowed)) = build
        .site
        .payer
        .clone()
        .and_then(|payer| Some((payer.subject, payer.max_chars_per_month?)))
    else {
        return Ok(None);
    };
    let subject_budget = build
        .stores
        .with_state(move |state| state.subject_budget(&payer, month(), allowed))
        .await?;
    let because = format!(
        " until the end of {} for all sites and previews of whoever put this one: {allowed} are allowed (`[api.sites] \
         max_chars_per_month`)",
        month()
    );
    let limit = SendLimit {
        left: subject_budget.left().unwrap_or(u64::MAX),
        because,
    };
    Ok(Some((subject_budget, limit)))
}

async fn left_of_month(build: &Build<'_>, allowed: u64) -> Result<SendLimit, BuildError> {
    let id = build.site.id.clone();
    let spent = build
        .stores
        .with_state(move |state| state.spent(&id, month()))
        .await?;
    let because = format!(
        " until the end of {}: {spent} of {allowed} are used (`max_chars_per_month`)",
        month()
    );
    Ok(SendLimit {
        left: allowed.saturating_sub(spent),
        because,
    })
}

/// The limit of a run without what is left of the month.
pub(crate) fn limit_of_run(site: &SiteConfig, options: &BuildOptions) -> Option<SendLimit> {
    let rule = |left: Option<u64>, because: &str| {
        left.map(|left| SendLimit {
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
