//! What translating would cost, before anything is sent.
//!
//! The texts are settled as a build settles them, and each engine prepares them as it would send them; so what is planned
//! is what a build sends, unless an engine gives answers that are refused and is asked again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::LocalBoxFuture;
use serde::Serialize;

use crate::config::SiteConfig;
use crate::engines::TokenEstimate;
use crate::model::{Locale, SiteId};
use crate::run::context::{Build, glossary};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::{extract, policies};
use crate::run::error::BuildError;
use crate::run::options::{BuildOptions, BuildProgress, Stores};
use crate::run::pages::live;
use crate::run::report::build_report::{ChangedWords, FetchFailure};
use crate::run::source::crawl::{self, CrawlNotes};
use crate::run::source::discover;
use crate::run::words::costs::{self, costs};
use crate::run::words::language_plan::{LanguageWords, Plans};
use crate::run::words::limit::SendLimit;
use crate::run::words::people::count as changed;
use crate::run::words::pricing::{self, EarlierTokens};
use crate::run::words::translate;
use crate::run::words::word_files::BrokenWordFile;
use crate::run::words::{budget, locales, word_files};
use crate::store::Published;
use crate::translate::{Cost, Costs, TranslationOrigin};

/// What a build would send.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanReport {
    /// The site.
    pub site: SiteId,
    /// Its pages.
    pub pages: usize,
    /// Different texts on them.
    pub segments: usize,
    /// The locales that would be translated.
    pub locales: Vec<LocalePlan>,
    /// The least that may be sent now, where there is a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<SendLimit>,
    /// Engines that could not be started.
    pub absent_engines: BTreeSet<String>,
    /// Files of translations that cannot be read.
    #[serde(skip)]
    pub broken_words: Vec<BrokenWordFile>,
    /// What could not be fetched.
    pub failures: Vec<FetchFailure>,
    /// What else is worth knowing.
    pub notices: Vec<String>,
}

/// The texts of a locale, by who has words for them.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalePlan {
    /// The locale.
    pub locale: Locale,
    /// Texts that people translated.
    pub person: usize,
    /// Texts among them that differ from what people translated in form or numbers alone.
    pub carried: usize,
    /// Texts that are only similar to what people translated: the old words are offered to the translator.
    pub outdated: usize,
    /// Texts that people translated and the site no longer has.
    pub vanished: usize,
    /// Texts that the memory has, with the terms of the glossary.
    pub memory: usize,
    /// Texts that stay as they are: they are not for this locale.
    pub excluded: usize,
    /// Texts that all engines of the locale were asked for before, and whose answers were refused.
    pub refused: usize,
    /// Texts that need no engine: they have no word, as formulas, or only values that rules write.
    pub untouched: usize,
    /// Texts that engines would be asked for.
    pub new: usize,
    /// Texts among them that no engine takes.
    pub unavailable: usize,
    /// Characters that would be sent, to all engines together.
    pub characters: u64,
    /// What each engine would get.
    pub engines: Vec<PricedCost>,
    /// Stored translations by engines, models or settings that are no longer asked. They stay until they are forgotten.
    pub former_engines: Vec<FormerEngine>,
}

/// Stored translations by an engine that is no longer asked.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FormerEngine {
    /// Engine, model and settings as one line.
    pub fingerprint: String,
    /// Texts.
    pub texts: usize,
    /// Source characters without codes: the cost of asking for these texts again.
    pub characters: u64,
    /// Price of asking today's first engine for these texts; `None` without a configured price, or if tokens are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
}

/// What an engine would get, and what that costs.
#[derive(Clone, Debug, Serialize)]
pub struct PricedCost {
    /// What it would get.
    #[serde(flatten)]
    pub cost: Cost,
    /// Tokens that its service would count, by the ratio of earlier builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<TokenEstimate>,
    /// True if the service counts tokens but no earlier build has a ratio for them.
    #[serde(rename = "tokensUnknown", skip_serializing_if = "is_false")]
    pub tokens_unknown: bool,
    /// Price in the currency of the configuration; `None` without a configured price, or if the price is per token and
    /// the tokens are unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Says what a build would send; fetches the source, or takes the last one with `offline`, and asks no engine.
///
/// # Errors
/// A [`BuildError`] when the source or the translations cannot be read.
pub fn plan<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    options: &'a BuildOptions,
    progress: &'a BuildProgress<'a>,
) -> LocalBoxFuture<'a, Result<PlanReport, BuildError>> {
    Box::pin(async move {
        let build = &Build {
            site,
            stores,
            options,
            progress,
        };
        // A file that is wrong is said before anything is fetched.
        glossary(site)?;
        let previous = Published::newest(&stores.objects, &site.id, None).await?;
        let mut targets = locales::build_locales(build, previous.as_ref()).await?;
        let broken_words = word_files::check_word_files(build, previous.as_ref()).await?;
        word_files::spare_engines(&mut targets.all, &broken_words);
        let before = crawl::before_crawl(build).await?;
        let (
            mut sources,
            CrawlNotes {
                failures,
                suspect,
                mut notices,
                ..
            },
        ) = crawl::fetch_sources(build, previous.as_ref(), before).await?;
        let mut corpus = extract::read_all(build, &sources).await?;
        let discovered = discover::discover(build, &mut sources, &corpus).await?;
        notices.extend(discovered.notices);
        if discovered.is_more {
            corpus = extract::read_all(build, &sources).await?;
        }
        // What an engine would be asked does not depend on where the source came from.
        let online = BuildOptions {
            offline: false,
            ..options.clone()
        };
        let build = &Build {
            options: &online,
            ..*build
        };
        notices.append(&mut corpus.notices);
        notices.extend(live::notices_of_scripts(build.site, &corpus));
        notices.extend(policies::notices_of_policies(build.site, &corpus));
        let Plans {
            plans,
            notices: noticed,
            absent_engines,
        } = translate::plan_locales(build, &corpus, &targets.all, &Arc::default()).await?;
        notices.extend(noticed);
        notices.extend(suspect.map(|suspect| suspect.notice(None)));
        let earlier = pricing::earlier_tokens(build).await?;
        let report = PlanReport {
            site: site.id.clone(),
            pages: corpus.pages.len(),
            segments: corpus.texts.len(),
            locales: plans
                .iter()
                .map(|plan| locale_plan(build, &corpus, plan, &earlier))
                .collect(),
            limit: budget::limit_of_build(build).await?,
            absent_engines,
            broken_words,
            failures,
            notices,
        };
        corpus.texts.check()?;
        plans.iter().try_for_each(|plan| plan.settled.check())?;
        Ok(report)
    })
}

fn locale_plan(
    build: &Build<'_>,
    corpus: &Corpus,
    plan: &LanguageWords,
    earlier: &EarlierTokens,
) -> LocalePlan {
    let count = |is: fn(&TranslationOrigin) -> bool| {
        plan.settled.origins().filter(|origin| is(origin)).count()
    };
    let Costs {
        engines,
        unavailable,
        wanted,
    } = costs(build, corpus, plan);
    let mut untouched = costs::open_texts(build.options, corpus, plan)
        .len()
        .saturating_sub(wanted);
    let mut excluded = 0;
    for (index, _) in plan
        .settled
        .origins()
        .enumerate()
        .filter(|(_, origin)| **origin == TranslationOrigin::Untouched)
    {
        match corpus
            .texts
            .filter(index)
            .is_none_or(|filter| filter.admits(&plan.locale))
        {
            true => untouched += 1,
            false => excluded += 1,
        }
    }
    LocalePlan {
        locale: plan.locale.clone(),
        person: count(|origin| matches!(origin, TranslationOrigin::Person)),
        carried: changed(&plan.changed, ChangedWords::Carried),
        outdated: changed(&plan.changed, ChangedWords::Outdated),
        vanished: changed(&plan.changed, ChangedWords::Vanished),
        memory: count(|origin| matches!(origin, TranslationOrigin::Memory(_))) - plan.stale.len(),
        excluded,
        refused: count(|origin| matches!(origin, TranslationOrigin::Refused)),
        untouched,
        new: wanted,
        unavailable,
        characters: engines.iter().map(|cost| cost.characters).sum(),
        engines: engines
            .into_iter()
            .map(|cost| priced(build.site, cost, &plan.locale, earlier))
            .collect(),
        former_engines: former_engines(build.site, corpus, plan, earlier),
    }
}

/// Stored translations by engines that are no longer asked, grouped by fingerprint.
fn former_engines(
    site: &SiteConfig,
    corpus: &Corpus,
    plan: &LanguageWords,
    earlier: &EarlierTokens,
) -> Vec<FormerEngine> {
    let today = plan.chain.signatures(site.pair_to(&plan.locale));
    let mut former: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for (index, origin) in plan.settled.origins().enumerate() {
        let TranslationOrigin::Memory(made_by) = origin else {
            continue;
        };
        if today.is_empty() || today.contains(made_by) {
            continue;
        }
        let text = corpus
            .texts
            .get(index)
            .map(|text| text.segment.text.text().chars().count());
        let (texts, characters) = former.entry(made_by).or_default();
        *texts += 1;
        *characters += u64::try_from(text.unwrap_or_default()).unwrap_or(u64::MAX);
    }
    let engines = site.engines_for(&plan.locale);
    let route = plan.chain.route(site.pair_to(&plan.locale));
    let first = route
        .first()
        .and_then(|(name, _)| engines.iter().find(|engine| engine.name == *name));
    let mut found = Vec::new();
    for (fingerprint, (texts, characters)) in former {
        let price = first.and_then(|engine| {
            let estimate = earlier.estimate(&engine.name, &plan.locale, characters);
            engine.price_of(
                characters,
                &estimate
                    .map(|estimate| estimate.tokens())
                    .unwrap_or_default(),
            )
        });
        found.push(FormerEngine {
            fingerprint: fingerprint.to_owned(),
            texts,
            characters,
            price,
        });
    }
    found
}

fn priced(site: &SiteConfig, cost: Cost, locale: &Locale, earlier: &EarlierTokens) -> PricedCost {
    let engines = site.engines_for(locale);
    let engine = engines.iter().find(|engine| engine.name == cost.engine);
    let estimate = earlier.estimate(&cost.engine, locale, cost.characters);
    let counted = estimate
        .map(|estimate| estimate.tokens())
        .unwrap_or_default();
    let price = engine.and_then(|engine| engine.price_of(cost.characters, &counted));
    let tokens_unknown =
        estimate.is_none() && engine.is_some_and(|engine| engine.spec.counts_tokens());
    PricedCost {
        cost,
        tokens: estimate,
        tokens_unknown,
        price,
    }
}
