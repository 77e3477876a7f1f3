//! Texts that engines would get, and what they cost.

use super::language_plan::LanguageWords;
use super::limit::SendLimit;
use super::page_sets::PageSets;
use crate::model::Locale;
use crate::page::Segment;
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::error::BuildError;
use crate::run::options::BuildOptions;
use crate::translate::{CharacterBudget, Costs, PageSet, TranslationOrigin, WantedTexts};

/// Costs of each engine, and the number of texts that no engine takes.
pub(in crate::run) fn costs(build: &Build<'_>, corpus: &Corpus, plan: &LanguageWords) -> Costs {
    let mut all = Costs::default();
    let open = open_texts(build.options, corpus, plan);
    let pair = build.site.pair_to(&plan.locale);
    let sets = PageSets::for_engines(corpus, &open, &plan.chain, pair);
    for slice in open.slices(MOST_AT_ONCE) {
        let texts = slice
            .into_iter()
            .filter_map(|index| Some((sets.get(index), corpus.texts.get(index)?.segment)));
        let (pages, segments): (Vec<PageSet>, Vec<Segment>) = texts.unzip();
        let costs = plan
            .chain
            .costs(pair, WantedTexts::of_pages(&segments, &pages));
        all.unavailable += costs.unavailable;
        all.wanted += costs.wanted;
        for cost in costs.engines {
            match all
                .engines
                .iter_mut()
                .find(|known| known.engine == cost.engine)
            {
                Some(known) => known.add(&cost),
                None => all.engines.push(cost),
            }
        }
    }
    let order = build.site.engines_for(&plan.locale);
    all.engines
        .sort_by_key(|cost| order.iter().position(|engine| engine.name == cost.engine));
    all
}

/// Refuses to send more than was allowed, before anything is sent.
pub(in crate::run) fn keep_to_budget(
    build: &Build<'_>,
    corpus: &Corpus,
    plans: &[LanguageWords],
    limit: Option<SendLimit>,
    budget: &CharacterBudget,
) -> Result<(), BuildError> {
    let Some(limit) = limit else { return Ok(()) };
    let cost = |plan: &LanguageWords| {
        costs(build, corpus, plan)
            .engines
            .iter()
            .map(|cost| cost.characters)
            .sum()
    };
    let by_locale: Vec<(Locale, u64)> = plans
        .iter()
        .map(|plan| (plan.locale.clone(), cost(plan)))
        .collect();
    let planned = by_locale.iter().map(|(_, characters)| characters).sum();
    // Others that work for the same subject may have set the rest aside since the limit was read.
    if planned > limit.left || !budget.reserve(planned) {
        let left = budget
            .left()
            .map_or(limit.left, |left| left.min(limit.left));
        return Err(BuildError::Budget {
            planned,
            limit: SendLimit { left, ..limit },
            by_locale,
        });
    }
    Ok(())
}

/// The texts of a plan that engines are asked for.
pub(in crate::run) fn open_texts(
    options: &BuildOptions,
    corpus: &Corpus,
    plan: &LanguageWords,
) -> TextSet {
    let selected = selected_texts(options, corpus);
    let is_open = |(index, origin): (usize, &TranslationOrigin)| {
        let lacks = *origin == TranslationOrigin::None || plan.stale.contains(index);
        (lacks && plan.asks && selected.contains(index)).then_some(index)
    };
    plan.settled
        .origins()
        .enumerate()
        .filter_map(is_open)
        .collect()
}

/// The texts that stand on selected pages and documents.
pub(in crate::run) fn selected_texts(options: &BuildOptions, corpus: &Corpus) -> TextSet {
    corpus
        .places()
        .filter(|(path, _)| options.pages.has(path))
        .flat_map(|(_, indices)| indices.iter())
        .filter_map(|index| usize::try_from(index).ok())
        .collect()
}

/// How many texts are with engines at a time: until their answers are kept, they are in memory several times over.
pub(in crate::run) const MOST_AT_ONCE: usize = 1 << 13;
