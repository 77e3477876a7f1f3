//! Translations by engines of one locale: each answer is kept as it comes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::contexts::Contexts;
use super::costs::{MOST_AT_ONCE, open_texts};
use super::language_plan::LanguageWords;
use super::missing::missing;
use super::page_sets::PageSets;
use super::people::count;
use super::pricing;
use super::texts::LocaleTexts;
use super::warned::{look_at, said};
use super::word_counts::WordsBySource;
use crate::model::SegmentKey;
use crate::page::Segment;
use crate::run::context::Build;
use crate::run::corpus::contents::Corpus;
use crate::run::corpus::text_set::TextSet;
use crate::run::error::BuildError;
use crate::run::memory::keeper::Keeper;
use crate::run::memory::lines;
use crate::run::memory::new_rows::NewRows;
use crate::run::memory::store_files::{self, TRIED_AGAIN};
use crate::run::options::BuildStep;
use crate::run::report::build_report::{
    ChangedWords, LocaleReport, MOST_REFUSED, RefusedText, TermCount,
};
use crate::state::{CachedLocale, Stage};
use crate::text::excerpt;
use crate::translate::{
    Above, Chain, CharacterBudget, Check, NotTaken, PageSet, ResolvedText, SegmentOutcome, Tally,
    TranslationOrigin, WantedTexts, settle,
};

/// Timeout of the last file of the memory that was begun while engines worked. Afterwards its rows are written again.
const LAST_WRITE: Duration = Duration::from_secs(30);

/// Lets engines translate what is missing and keeps every answer as it comes.
#[expect(
    clippy::too_many_lines,
    reason = "engines, their budget and the memory work side by side"
)]
pub(super) async fn fill_locale(
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
                // The stored words lack a term; they stay if no better ones can be had.
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
            // Stop paying if answers cannot be kept. The last answers are awaited below, so that few of them make one file.
            if slices.peek().is_none() || !keeper.catch_up().await {
                break;
            }
            new_rows.has_room().await;
        }
        new_rows.close();
        tokio::time::sleep(LAST_WRITE).await;
    };
    // Paid answers reach the store while engines work, so they outlive this state.
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
pub(super) struct Filled {
    pub(super) texts: LocaleTexts,
    pub(super) report: LocaleReport,
    /// Notices about the memory.
    pub(super) notices: Vec<String>,
}
