//! Stage three: words for every text in every locale. People first, then the memory, then an engine.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::costs::{self, open_texts, selected_texts};
use super::engines::RunEngines;
use super::fill::fill_locale;
use super::language_plan::{LanguageWords, Plans};
use super::locales::BuildLocale;
use super::missing::{leave_untouched, refuse_missing};
use super::people::People;
use super::resolve::{is_filtered, resolve_without_engine};
use super::texts::LocaleTexts;
use super::translation_table::TranslationTable;
use super::{budget, routes, word_files};
use crate::exchange::Catalogue;
use crate::model::Locale;
use crate::page::CodedText;
use crate::run::context::{Build, glossary};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::corpus::text_table::SiteText;
use crate::run::error::BuildError;
use crate::run::memory::lines;
use crate::run::memory::recall::{self, LOOKED_UP_TOGETHER};
use crate::run::memory::store_files::{self};
use crate::run::report::build_report::{LocaleReport, Report};
use crate::translate::{
    Chain, CharacterBudget, PendingAnswers, Remembered, Renumbered, ResolvedText, TranslationOrigin,
};

/// What translating came to.
pub(in crate::run) struct Translated {
    pub(in crate::run) texts: Vec<LocaleTexts>,
    pub(in crate::run) notes: TranslateNotes,
}

/// What translating says beside the words.
pub(in crate::run) struct TranslateNotes {
    /// Each locale that was translated; which pages it has is not known yet.
    locales: Vec<LocaleReport>,
    /// Engines that could not be started.
    absent_engines: BTreeSet<String>,
    /// What else the owner should know.
    notices: Vec<String>,
}

impl TranslateNotes {
    /// Whether there is nothing that only this run can say.
    pub(in crate::run) fn is_quiet(&self) -> bool {
        self.notices.is_empty()
    }
}

impl Report {
    /// Takes up what translating said.
    pub(in crate::run) fn take_translated(&mut self, notes: TranslateNotes) {
        let TranslateNotes {
            locales,
            absent_engines,
            notices,
        } = notes;
        self.locales.extend(locales);
        self.absent_engines.extend(absent_engines);
        self.notices.extend(notices);
    }
}

/// Translates everything for each locale that is built; for one that is switched off only where it is asked for by
/// name, so that its words are there when it is switched on.
pub(in crate::run) async fn translate(
    build: &Build<'_>,
    corpus: &Corpus,
    targets: &[BuildLocale],
) -> Result<Translated, BuildError> {
    let limit = budget::limit_of_build(build).await?;
    let subject_budget = budget::subject_budget(build)
        .await?
        .map(|(subject_budget, _)| subject_budget);
    let budget = Arc::new(CharacterBudget::part(
        limit.as_ref().map(|limit| limit.left),
        subject_budget,
    ));
    let Plans {
        plans,
        notices,
        absent_engines,
    } = plan_locales(build, corpus, targets, &budget).await?;
    if build.options.frozen {
        let asking = plans.iter().filter(|plan| plan.asks);
        refuse_missing(corpus, asking.map(|plan| (&plan.locale, &plan.settled)))?;
    }
    costs::keep_to_budget(build, corpus, &plans, limit, &budget)?;
    corpus.texts.check()?;
    let mut notes = TranslateNotes {
        locales: Vec::new(),
        absent_engines,
        notices,
    };
    notes
        .notices
        .extend(routes::notices_of_routes(build, &plans).await?);
    let mut texts = Vec::new();
    for plan in plans {
        let filled = fill_locale(build, corpus, plan, &budget).await?;
        texts.push(filled.texts);
        notes.locales.push(filled.report);
        notes.notices.extend(filled.notices);
    }
    Ok(Translated { texts, notes })
}

/// What people and the memory have for each locale that is to be translated.
pub(in crate::run) async fn plan_locales(
    build: &Build<'_>,
    corpus: &Corpus,
    targets: &[BuildLocale],
    budget: &Arc<CharacterBudget>,
) -> Result<Plans, BuildError> {
    let mut engines = RunEngines::of(build.site, &build.options.meter);
    let glossary = glossary(build.site)?;
    let mut plans = Vec::new();
    let mut notices = Vec::new();
    let named =
        |target: &&BuildLocale| target.is_built() || build.options.locales.contains(&target.locale);
    for target in targets.iter().filter(named) {
        let chain = engines.chain(&target.locale).within(Arc::clone(budget));
        notices.extend(engines.take_notices());
        let catalogue = word_files::catalogue(build, &target.locale).await?;
        let chain =
            chain.with_terms(corpus.terms(build.site, &target.locale, &glossary, &catalogue));
        let chain = match chain.takes_examples(build.site.pair_to(&target.locale)) {
            true => chain.with_examples(catalogue.examples()),
            false => chain,
        };
        let chain = chain.with_plain_words(Arc::clone(&corpus.names.plain));
        let chain = chain.with_pending(pending_answers(build, &target.locale).await?);
        let (mut plan, noticed) = plan_locale(build, corpus, target, chain, catalogue).await?;
        notices.extend(noticed);
        let asked = if build.options.frozen {
            TextSet::default()
        } else {
            open_texts(build.options, corpus, &plan)
        };
        leave_untouched(
            corpus,
            &plan.chain,
            build.site.pair_to(&target.locale),
            &mut plan.settled,
            &asked,
        );
        plans.push(LanguageWords {
            could_not_start: engines.lacks_one_of(&target.locale),
            ..plan
        });
    }
    Ok(Plans {
        plans,
        notices,
        absent_engines: engines.absent().cloned().collect(),
    })
}

/// Answers to parts of texts that a run which was cut off had paid for.
async fn pending_answers(build: &Build<'_>, locale: &Locale) -> Result<PendingAnswers, BuildError> {
    if build.options.force {
        return Ok(PendingAnswers::default());
    }
    let id = build.site.id.clone();
    let tag = locale.clone();
    Ok(PendingAnswers::known(
        build
            .stores
            .with_state(move |state| state.answers(&id, &tag))
            .await?,
    ))
}

/// Settles what people and the memory have; the rest is for an engine. Beside it stands what was noticed.
#[expect(
    clippy::too_many_lines,
    reason = "the words of people and of the memory for all texts"
)]
async fn plan_locale(
    build: &Build<'_>,
    corpus: &Corpus,
    target: &BuildLocale,
    chain: Chain,
    catalogue: Catalogue,
) -> Result<(LanguageWords, Vec<String>), BuildError> {
    let locale = &target.locale;
    let mut notices = store_files::take_memory(build, locale).await?;
    let broken = lines::read_lines(build, locale).await?;
    notices.extend(broken.iter().map(|line| {
        format!("memory of {locale}, {line}; it is skipped, and the file is not written until it is mended")
    }));
    let exports = broken.is_empty();
    let people = People::of_site(build.site, locale, catalogue, corpus).await?;
    if Renumbered::suits(build.site.pair_to(locale)) {
        recall::renumber(build, corpus, locale).await?;
    }
    let asks = target.selected && !build.options.offline;
    let forgets = build.options.force && asks;
    let selected = if forgets {
        selected_texts(build.options, corpus)
    } else {
        TextSet::default()
    };
    let route = chain.fingerprints(build.site.pair_to(locale));
    // Where nobody may be asked, what is there has to do.
    let looks_for_terms = asks && !build.options.frozen && !chain.terms().is_empty();
    let is_stale = |text: &SiteText, settled: &ResolvedText, remembered: &Remembered| {
        let terms = chain.terms();
        let segment = &text.segment;
        let lacks = |words: &CodedText| !terms.missed_in(segment, words).is_empty();
        let is_machines = matches!(settled.origin, TranslationOrigin::Memory(_));
        is_machines
            && settled.text.as_ref().is_some_and(lacks)
            && remembered.terms != terms.signature(segment)
    };
    let unneeded = corpus.unneeded_texts(locale);
    let mut settled = TranslationTable::beside(&build.stores.state, build.options.limits);
    let mut stale = TextSet::default();
    let mut to_review = TextSet::default();
    for start in (0..corpus.texts.len()).step_by(LOOKED_UP_TOGETHER) {
        let indices = start..corpus.texts.len().min(start + LOOKED_UP_TOGETHER);
        let keys = indices
            .clone()
            .filter_map(|index| corpus.texts.key(index))
            .collect();
        let memory = recall::recall(build, locale, keys).await?;
        for (index, text) in indices.filter_map(|index| Some((index, corpus.texts.get(index)?))) {
            if unneeded.contains(index) {
                settled.push(ResolvedText::untouched());
                continue;
            }
            let remembered = memory
                .get(&text.key)
                .filter(|_| !(forgets && selected.contains(index)));
            let own = resolve_without_engine(
                &text.segment,
                locale,
                &people,
                remembered,
                (&route, chain.terms()),
            );
            let is_stale = looks_for_terms
                && memory
                    .get(&text.key)
                    .is_some_and(|known| is_stale(&text, &own, known));
            stale.extend(is_stale.then_some(index));
            let waits = own.has_refused_words() || people.waiting(&text.segment).is_some();
            if waits && !is_filtered(&text.segment, locale) {
                to_review.extend([index]);
            }
            settled.push(own);
        }
    }
    corpus.texts.check()?;
    let People {
        changes: changed,
        vanished,
        heirs,
        ..
    } = people;
    let locale = locale.clone();
    let plan = LanguageWords {
        locale,
        settled,
        changed,
        vanished,
        heirs,
        to_review,
        stale,
        chain,
        route,
        exports,
        asks,
        could_not_start: false,
    };
    Ok((plan, notices))
}
