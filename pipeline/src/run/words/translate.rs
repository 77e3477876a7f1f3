//! Stage three: words for every text in every locale. People first, then the memory, then an engine.
//!
//! One file: the order in which words are asked for, with its budget.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::contexts::Contexts;
use super::costs::{self, MOST_AT_ONCE, open_texts, selected_texts};
use super::engines::RunEngines;
use super::language_plan::{LanguageWords, Plans};
use super::locales::BuildLocale;
use super::missing::{leave_untouched, missing, refuse_missing};
use super::page_sets::PageSets;
use super::people::People;
use super::texts::LocaleTexts;
use super::translation_table::TranslationTable;
use super::warned::{look_at, said};
use super::word_counts::WordsBySource;
use super::{budget, pricing, routes, word_files};
use crate::exchange::Catalogue;
use crate::model::{Locale, SegmentKey};
use crate::page::{CodedText, Segment};
use crate::run::context::{Build, glossary};
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::corpus::text_table::SiteText;
use crate::run::error::BuildError;
use crate::run::memory::keeper::Keeper;
use crate::run::memory::lines;
use crate::run::memory::new_rows::NewRows;
use crate::run::memory::recall::{self, LOOKED_UP_TOGETHER};
use crate::run::memory::store_files::{self, TRIED_AGAIN};
use crate::run::options::BuildStep;
use crate::run::report::build_report::{
    ChangedTranslation, ChangedWords, LocaleReport, MOST_REFUSED, RefusedText, Report, TermCount,
};
use crate::state::{CachedLocale, Stage};
use crate::text::excerpt;
use crate::translate::{
    Above, Chain, CharacterBudget, Check, NotTaken, PageSet, PendingAnswers, Remembered,
    Renumbered, ResolvedText, SegmentOutcome, Tally, Terms, TranslationOrigin, WantedTexts, settle,
};

/// How long the last file of the memory that was begun while engines went on is waited for; its rows are written again then.
const LAST_WRITE: Duration = Duration::from_secs(30);

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
        let memory = recall::recall(build, corpus, locale, indices.clone()).await?;
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
            let is_waiting = !is_filtered(&text.segment, locale)
                && (own.has_refused_words() || people.waiting(&text.segment).is_some());
            to_review.extend(is_waiting.then_some(index));
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

/// Lets engines translate what is missing and keeps every answer as it comes.
#[expect(
    clippy::too_many_lines,
    reason = "engines, their budget and the memory work side by side"
)]
async fn fill_locale(
    build: &Build<'_>,
    corpus: &Corpus,
    plan: LanguageWords,
    budget: &Arc<CharacterBudget>,
) -> Result<Filled, BuildError> {
    let open = open_texts(build.options, corpus, &plan);
    let LanguageWords {
        locale,
        mut settled,
        changed,
        vanished,
        heirs,
        to_review,
        stale,
        chain,
        route,
        exports,
        could_not_start,
        ..
    } = plan;
    let new_rows = Arc::new(NewRows::new(TRIED_AGAIN));
    let payer = build.site.payer.as_ref().map(|payer| payer.subject.clone());
    let place = (build.site.id.clone(), locale.clone(), payer);
    let keeper = Keeper::start(
        build.stores.state.clone(),
        place,
        Arc::clone(budget),
        Arc::clone(&new_rows),
    );
    let pending = chain.pending().clone();
    let has_left = build.options.force || !pending.is_empty();
    let chain = chain.with_pending(pending.kept_by(keeper.keeps()));
    let mut done = 0;
    let mut answered = TextSet::default();
    let mut unavailable = 0;
    let tag = locale.clone();
    let total = Some(open.len());
    let mut take =
        |(index, key): (usize, SegmentKey), segment: &Segment, outcome: SegmentOutcome| {
            done += 1;
            (build.progress)(&BuildStep {
                stage: Stage::Translate,
                locale: Some(&tag),
                done,
                total,
            });
            answered.extend(outcome.is_answer().then_some(index));
            let text = (key, &segment.text);
            let terms = chain.terms().signature(segment);
            let Some(place) = settled.get(index) else {
                // The build ends when this is over; what was paid for is kept all the same.
                if let SegmentOutcome::Translated {
                    text: words,
                    engine,
                } = &outcome
                {
                    keeper.keep_translation(text, words, engine, terms);
                }
                return;
            };
            if let (Some(words), TranslationOrigin::Memory(engine)) = (&place.text, &place.origin) {
                // What is there lacks a term; where nothing better can be had, it stays.
                match &outcome {
                    SegmentOutcome::Translated { .. } => {}
                    SegmentOutcome::Untouched => {
                        let own = segment.text.clone();
                        keeper.keep_translation(text, &own, engine, terms);
                        settled.set(
                            index,
                            ResolvedText {
                                text: Some(own),
                                ..place
                            },
                        );
                        return;
                    }
                    SegmentOutcome::Refused(refusal) => {
                        if refusal.answered {
                            keeper.keep_translation(text, words, engine, terms);
                        }
                        settled.note(index, NotTaken::Engines(refusal.reasons.clone()));
                        return;
                    }
                    SegmentOutcome::Unavailable => return,
                }
            }
            keeper.keep(text, &outcome, &route, terms);
            unavailable += usize::from(outcome == SegmentOutcome::Unavailable);
            let answered = settle(segment, |_| None, |_| None, |_| Some(outcome));
            let notices = place.notices.into_iter().chain(answered.notices).collect();
            settled.set(
                index,
                ResolvedText {
                    notices,
                    ..answered
                },
            );
        };
    let pair = build.site.pair_to(&tag);
    let sets = PageSets::for_engines(corpus, &open, &chain, pair);
    let contexts = Contexts::for_engines(corpus, &open, &chain, pair);
    let mut tally = Tally::default();
    let mut is_silent = false;
    let mut above = Above::new();
    let ask = async {
        let mut slices = open.slices(MOST_AT_ONCE).peekable();
        while let Some(slice) = slices.next() {
            let texts = slice
                .into_iter()
                .filter_map(|index| corpus.texts.get(index).map(|text| (index, text)));
            let (places, segments): (Vec<_>, Vec<Segment>) = texts
                .map(|(index, text)| ((index, text.key), text.segment))
                .unzip();
            let mut take = |asked: usize, outcome: SegmentOutcome| {
                if let Some((&place, segment)) = places.get(asked).zip(segments.get(asked)) {
                    take(place, segment, outcome);
                }
            };
            // Engines that answered to none of so many are not tried again with the rest.
            if is_silent {
                (0..segments.len()).for_each(|asked| take(asked, SegmentOutcome::Unavailable));
                continue;
            }
            let pages: Vec<PageSet> = places.iter().map(|(index, _)| sets.get(*index)).collect();
            let around: Vec<_> = places
                .iter()
                .map(|(index, _)| contexts.get(corpus, &mut above, *index))
                .collect();
            let wanted = WantedTexts::of_pages(&segments, &pages).with_contexts(&around);
            let of_slice = chain.translate(pair, wanted, &mut take).await;
            is_silent = of_slice.is_silent();
            tally.add(of_slice);
            // What cannot be kept is not paid for. The last ones are waited for below: what is few is one file of the memory.
            if slices.peek().is_none() || !keeper.catch_up().await {
                break;
            }
            new_rows.has_room().await;
        }
        new_rows.close();
        tokio::time::sleep(LAST_WRITE).await;
    };
    // What is paid for reaches the store while engines go on: it outlives this state.
    tokio::select! {
        biased;
        () = store_files::memory(build, &tag).write_along(&new_rows) => {}
        () = ask => {}
    }
    keeper.finish(has_left).await?;
    let mut notices: Vec<String> = store_files::write_memory(build, &locale)
        .await
        .into_iter()
        .collect();
    notices.extend(chain.take_notices());
    notices.extend(pricing::unpriced(
        &build.site.engines_for(&locale),
        &tally.engines,
    ));
    let unanswered = match build.site.engines_for(&locale).is_empty() {
        true => TextSet::default(),
        false => missing(&settled)
            .filter(|index| !answered.contains(*index))
            .collect(),
    };
    let has_engine = could_not_start || chain.offers(pair);
    let elsewhere = changed
        .iter()
        .map(|gone| (gone.old_source.clone(), gone.words.clone()));
    let elsewhere = Arc::new(elsewhere.collect());
    let settled = Arc::new(settled);
    let vanished = Arc::new(vanished);
    let notable = Arc::default();
    let to_review = Arc::new(to_review);
    let remarks = None;
    let terms = Arc::new(chain.terms().clone());
    let mut texts = LocaleTexts {
        locale,
        settled,
        unanswered,
        notable,
        to_review,
        remarks,
        terms,
        vanished,
        has_engine,
        elsewhere,
    };
    let limits = build.options.limits;
    let remarks = look_at(
        corpus,
        &texts,
        chain.terms(),
        (&build.stores.state, &build.site.source_locale),
        limits,
    );
    let (
        warnings,
        CachedLocale {
            counts: warned,
            terms: found,
            ..
        },
    ) = said(&remarks, corpus, limits);
    texts.remarks = Some(Arc::new(remarks));
    let missed = warned.get(&Check::Term).copied().unwrap_or_default();
    let said = missing(&texts.settled).chain(texts.settled.noticed().iter());
    texts.notable = Arc::new(said.chain(stale.iter()).chain(heirs.iter()).collect());
    corpus.texts.check()?;
    texts.settled.check()?;
    texts
        .remarks
        .iter()
        .try_for_each(|remarks| remarks.check())?;
    if exports {
        lines::write_lines(build, &texts.locale).await?;
    }
    let report = LocaleReport {
        carried: count(&changed, ChangedWords::Carried),
        outdated: count(&changed, ChangedWords::Outdated),
        vanished: count(&changed, ChangedWords::Vanished),
        to_review: texts.to_review.len() + corpus.cached_texts.waiting(&texts.locale),
        changed,
        unavailable,
        warnings,
        warned,
        terms: TermCount {
            found: count_of(found),
            missed: count_of(missed),
        },
        ..locale_report(build, corpus, &texts, &tally, &chain)
    };
    Ok(Filled {
        texts,
        report,
        notices,
    })
}

fn locale_report(
    build: &Build<'_>,
    corpus: &Corpus,
    texts: &LocaleTexts,
    tally: &Tally,
    chain: &Chain,
) -> LocaleReport {
    let noticed = texts
        .settled
        .notices()
        .filter_map(|(index, notices)| Some((corpus.texts.get(index)?, notices)));
    let refused = noticed.flat_map(|(text, notices)| {
        let refused = |not_taken: &NotTaken| RefusedText {
            path: text.path.clone(),
            source: excerpt(&text.segment.text.to_markup()).into_owned(),
            reason: not_taken.to_string(),
            for_callers: RefusedText::said(&not_taken.for_callers(), Some(&text.segment.text)),
        };
        notices.iter().map(refused).collect::<Vec<_>>()
    });
    let pair = build.site.pair_to(&texts.locale);
    let lacking = !chain.offers(pair) && missing(&texts.settled).next().is_some();
    LocaleReport {
        locale: texts.locale.clone(),
        pages: 0,
        updated: 0,
        with_words: 0,
        reworded: 0,
        unavailable: 0,
        missing: 0,
        kept_pages: Vec::new(),
        words: WordsBySource::default(),
        engine_calls: tally.calls,
        characters_sent: tally.characters,
        tokens: tally.tokens().named(),
        engine_tokens: pricing::tokens(&tally.engines),
        route: chain.fingerprints(pair),
        price: pricing::price(&build.site.engines_for(&texts.locale), &tally.engines),
        markup: tally.steps,
        engines: tally
            .engines
            .iter()
            .map(|(name, usage)| (name.clone(), usage.translated))
            .collect(),
        refused: refused.take(MOST_REFUSED).collect(),
        refusals: texts.settled.noticed().len(),
        carried: 0,
        outdated: 0,
        vanished: 0,
        to_review: 0,
        changed: Vec::new(),
        warnings: Vec::new(),
        warned: BTreeMap::new(),
        terms: TermCount::default(),
        hints: if lacking {
            chain.hints(pair)
        } else {
            Vec::new()
        },
        is_left_alone: !build.options.is_for(&texts.locale),
    }
}

fn count_of(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// A locale when engines have answered.
struct Filled {
    texts: LocaleTexts,
    report: LocaleReport,
    /// What became of the memory, if that is worth saying.
    notices: Vec<String>,
}

/// Settles a text with the words that a locale has before any engine is asked; `route` is the fingerprint of the
/// engines that would be asked. A text that consists of names stays as it is.
pub(crate) fn resolve_without_engine(
    segment: &Segment,
    locale: &Locale,
    people: &People,
    remembered: Option<&Remembered>,
    (route, terms): (&str, &Terms),
) -> ResolvedText {
    if is_filtered(segment, locale) {
        return ResolvedText::untouched();
    }
    if terms.is_kept_whole(segment) && people.words(segment).is_none() {
        return ResolvedText::untouched();
    }
    // A refusal says nothing about other engines than those that were asked.
    let remembered = remembered.filter(|memory| memory.refused.is_none() || memory.engine == route);
    settle(
        segment,
        |segment| people.words(segment),
        |_| remembered.cloned(),
        |_| None,
    )
}

/// Whether a text is not there in a locale.
fn is_filtered(segment: &Segment, locale: &Locale) -> bool {
    segment
        .filter
        .as_ref()
        .is_some_and(|filter| !filter.admits(locale))
}

/// How many reviewed translations came to this.
pub(in crate::run) fn count(changed: &[ChangedTranslation], state: ChangedWords) -> usize {
    changed
        .iter()
        .filter(|changed| changed.state == state)
        .count()
}
