//! Two engines as one: the first translates into a language in between, the second out of it.
//!
//! Links between words lead through both engines. The second is not asked for a text that the first does not translate. No word stays
//! in the language in between ([`unknown`]).

mod unknown;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use self::unknown::{UnknownWord, origin, replaced, unknown_words, with_all_words};

use super::{
    Ask, AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, Markup,
    Offer, RequestForm, TranslationUnit, WordLink, overlap,
};
use crate::model::{LanguagePair, Locale};

/// Version of the treatment of unknown words, part of the fingerprint.
const REPAIR: u32 = 1;

/// Two engines and the language between them.
pub(super) struct Pivot {
    first: Arc<dyn Engine>,
    second: Arc<dyn Engine>,
    via: Locale,
    caps: Caps,
}

impl Pivot {
    pub(super) fn new(first: Arc<dyn Engine>, second: Arc<dyn Engine>, via: Locale) -> Self {
        let caps = together(first.caps(), second.caps());
        Self {
            first,
            second,
            via,
            caps,
        }
    }
}

/// What both can do.
fn together(first: &Caps, second: &Caps) -> Caps {
    let places = [first.place, second.place];
    Caps {
        markup: if first.markup == second.markup {
            first.markup
        } else {
            Markup::None
        },
        unit: if [first.unit, second.unit].contains(&TranslationUnit::Sentence) {
            TranslationUnit::Sentence
        } else {
            TranslationUnit::Block
        },
        max_items: first.max_items.min(second.max_items),
        // A translation is longer than its source, mostly by less than half.
        max_chars: first.max_chars.min(second.max_chars / 2),
        parallel: first.parallel.min(second.parallel),
        place: match places {
            [EnginePlace::Remote, _] | [_, EnginePlace::Remote] => EnginePlace::Remote,
            [EnginePlace::LocalProcess, _] | [_, EnginePlace::LocalProcess] => {
                EnginePlace::LocalProcess
            }
            [EnginePlace::InProcess, EnginePlace::InProcess] => EnginePlace::InProcess,
        },
        deterministic: first.deterministic && second.deterministic,
        billed: first.billed || second.billed,
    }
}

#[async_trait]
impl Engine for Pivot {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn max_bytes(&self) -> usize {
        self.first.max_bytes().min(self.second.max_bytes() / 2)
    }

    fn patience(&self) -> Option<Duration> {
        self.first.patience().max(self.second.patience())
    }

    fn form(&self) -> Option<RequestForm> {
        self.first.form().or_else(|| self.second.form())
    }

    fn reads_together(&self) -> bool {
        self.first.reads_together() || self.second.reads_together()
    }

    fn takes_context(&self) -> bool {
        self.first.takes_context()
    }

    fn fingerprint(&self, pair: LanguagePair<&Locale>) -> String {
        let [first, second] = pair.via(&self.via);
        let first = self.first.fingerprint(first);
        let second = self.second.fingerprint(second);
        format!("pivot {} {REPAIR}: {first} > {second}", self.via)
    }

    fn offers(&self, pair: LanguagePair<&Locale>) -> Offer {
        let [first, second] = pair.via(&self.via);
        match self.first.offers(first) {
            Offer::Yes => self.second.offers(second),
            Offer::No(hint) => Offer::No(hint),
        }
    }

    fn lack(&self) -> Option<String> {
        self.first.lack().or_else(|| self.second.lack())
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let [before, after] = request.pair.via(&self.via);
        // What terms become in the end means nothing to either engine alone.
        let own = |ask: &Ask| Ask {
            terms: Vec::new(),
            marks_terms_only: false,
            ..ask.clone()
        };
        let first: Vec<Ask> = request.asks.iter().map(own).collect();
        let halfway = self
            .first
            .translate(EngineRequest {
                pair: before,
                asks: &first,
                ..request
            })
            .await?;
        if halfway.len() != request.asks.len() {
            return Err(EngineError::Bad(format!(
                "{} answers to {} texts",
                halfway.len(),
                request.asks.len()
            )));
        }
        let mut asks = Vec::new();
        let mut origins = Vec::new();
        for (ask, done) in request.asks.iter().zip(&halfway) {
            let Ok(done) = done else { continue };
            let (marks, sources) = marks_of(done, &ask.marks);
            asks.push(Ask {
                text: done.text.clone(),
                origin: ask.origin.clone(),
                marks,
                terms: Vec::new(),
                notes: Vec::new(),
                marks_terms_only: false,
                // The second engine reads another language.
                context: None,
                examples: Vec::new(),
            });
            origins.push(sources);
        }
        let answers = match asks.is_empty() {
            true => Vec::new(),
            false => {
                self.second
                    .translate(EngineRequest {
                        pair: after,
                        asks: &asks,
                        ..request
                    })
                    .await?
            }
        };
        if answers.len() != asks.len() {
            return Err(EngineError::Bad(format!(
                "{} answers to {} texts",
                answers.len(),
                asks.len()
            )));
        }
        let mut linked = answers
            .into_iter()
            .zip(asks.iter().zip(&origins))
            .peekable();
        let whole = halfway
            .iter()
            .map(|done| match (done, linked.next_if(|_| done.is_ok())) {
                (Ok(_), Some((answer, (ask, sources)))) => {
                    answer.map(|done| through(done, &ask.marks, sources))
                }
                (Ok(_), None) => Err(AskError::Refused("the second engine gave no answer".into())),
                (Err(error), _) => Err(error.clone()),
            });
        let mut whole: Vec<Result<EngineAnswer, AskError>> = whole.collect();
        self.repair(request, (&first, &halfway), &mut whole).await;
        Ok(whole)
    }
}

/// An answer with words that the second engine does not know.
struct Unrepaired {
    /// The place of its text in the request.
    at: usize,
    words: Vec<UnknownWord>,
}

impl Pivot {
    /// Replaces words that the second engine left in the intermediate language.
    async fn repair(
        &self,
        request: EngineRequest<'_>,
        (first, halfway): (&[Ask], &[Result<EngineAnswer, AskError>]),
        whole: &mut [Result<EngineAnswer, AskError>],
    ) {
        let unrepaired = self.unrepaired(request, (first, halfway), whole).await;
        if unrepaired.is_empty() {
            return;
        }
        let [before, _] = request.pair.via(&self.via);
        let linked: Vec<Ask> = unrepaired
            .iter()
            .filter_map(|text| first.get(text.at))
            .map(with_all_words)
            .collect();
        // A billed service is not asked twice.
        let linked = match self.first.caps().place {
            EnginePlace::Remote => Ok(Vec::new()),
            EnginePlace::InProcess | EnginePlace::LocalProcess => {
                self.first
                    .translate(EngineRequest {
                        pair: before,
                        asks: &linked,
                        ..request
                    })
                    .await
            }
        };
        let linked = match linked {
            Ok(linked) => linked,
            Err(error) => {
                fail(whole, unrepaired.iter().map(|text| text.at), &error);
                return;
            }
        };
        let mut repaired = Vec::new();
        let mut linked = linked.into_iter();
        for text in unrepaired {
            let linked = linked.next();
            let Some((Ok(before), ask)) = halfway.get(text.at).zip(first.get(text.at)) else {
                continue;
            };
            let links = match linked {
                Some(Ok(linked)) if linked.text == before.text => linked.links.unwrap_or_default(),
                Some(Ok(_) | Err(_)) | None => Vec::new(),
            };
            let source = ask.text.text();
            let words = text
                .words
                .into_iter()
                .map(|word| match origin(source, &links, &word) {
                    Some(origin) => Ok((word, origin.to_owned())),
                    None => Err(word.word),
                });
            match words.collect::<Result<Vec<_>, String>>() {
                Ok(words) => repaired.push((text.at, words)),
                Err(word) => self.refuse(text.at, &word, whole),
            }
        }
        self.translate_words(request, &mut repaired).await;
        for (at, words) in repaired {
            if let Some(Ok(done)) = whole.get_mut(at) {
                *done = replaced(done.clone(), &words);
            }
        }
    }

    /// Answers with unknown words. An answer in which such a word cannot be located is refused.
    async fn unrepaired(
        &self,
        request: EngineRequest<'_>,
        (first, halfway): (&[Ask], &[Result<EngineAnswer, AskError>]),
        whole: &mut [Result<EngineAnswer, AskError>],
    ) -> Vec<Unrepaired> {
        let [_, after] = request.pair.via(&self.via);
        let answered: Vec<usize> = (0..whole.len())
            .filter(|at| matches!(whole.get(*at), Some(Ok(_))))
            .collect();
        let asks: Vec<Ask> = answered
            .iter()
            .filter_map(|at| halfway.get(*at)?.as_ref().ok())
            .map(|done| Ask::plain(done.text.text()))
            .collect();
        let unknown = match asks.is_empty() {
            true => Ok(Vec::new()),
            false => {
                self.second
                    .unknown_words(EngineRequest {
                        pair: after,
                        asks: &asks,
                        ..request
                    })
                    .await
            }
        };
        let unknown = match unknown {
            Ok(unknown) => unknown,
            Err(error) => {
                fail(whole, answered, &error);
                return Vec::new();
            }
        };
        let mut unrepaired = Vec::new();
        for ((at, words), halfway) in answered.into_iter().zip(unknown).zip(&asks) {
            let (Some(Ok(done)), Some(ask)) = (whole.get(at), first.get(at)) else {
                continue;
            };
            let words = match words {
                Ok(words) => words,
                Err(error) => {
                    whole[at] = Err(error);
                    continue;
                }
            };
            match unknown_words(
                [ask.text.text(), halfway.text.text(), done.text.text()],
                &words,
            ) {
                Ok(words) if words.is_empty() => {}
                Ok(words) => unrepaired.push(Unrepaired { at, words }),
                Err(word) => self.refuse(at, &word, whole),
            }
        }
        unrepaired
    }

    fn refuse(&self, at: usize, word: &str, whole: &mut [Result<EngineAnswer, AskError>]) {
        if let Some(answer) = whole.get_mut(at) {
            *answer = Err(AskError::Refused(format!(
                "it leaves {word:?} in the language in between, {}",
                self.via
            )));
        }
    }

    /// Translates words of the source by an engine that has the pair directly; a word that it does not know stays.
    async fn translate_words(
        &self,
        request: EngineRequest<'_>,
        repaired: &mut [(usize, Vec<(UnknownWord, String)>)],
    ) {
        let engines = [&self.first, &self.second];
        let is_free = |engine: &&Arc<dyn Engine>| engine.caps().place != EnginePlace::Remote;
        let mut direct = engines.into_iter().filter(is_free);
        let Some(direct) = direct.find(|engine| engine.offers(request.pair) == Offer::Yes) else {
            return;
        };
        let mut words: Vec<&mut String> = repaired
            .iter_mut()
            .flat_map(|(_, words)| words)
            .map(|(_, word)| word)
            .collect();
        let asks: Vec<Ask> = words.iter().map(|word| Ask::plain(word)).collect();
        if asks.is_empty() {
            return;
        }
        let request = EngineRequest {
            asks: &asks,
            ..request
        };
        let (Ok(answers), Ok(unknown)) = (
            direct.translate(request).await,
            direct.unknown_words(request).await,
        ) else {
            return;
        };
        for ((word, answer), unknown) in words.iter_mut().zip(answers).zip(unknown) {
            match answer {
                Ok(done)
                    if unknown.is_ok_and(|words| words.is_empty()) && done.text.has_letter() =>
                {
                    **word = done.text.into_text();
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// Replaces answers that could not be checked for unknown words with the error; other answers of the request stay.
fn fail(
    whole: &mut [Result<EngineAnswer, AskError>],
    places: impl IntoIterator<Item = usize>,
    error: &EngineError,
) {
    for at in places {
        if let Some(answer) = whole.get_mut(at) {
            *answer = Err(AskError::Failed(error.clone()));
        }
    }
}

/// The parts of a text halfway that marks of the source became, apart and in order; and the mark of each.
fn marks_of(done: &EngineAnswer, marks: &[Range<usize>]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if done.text.has_codes() {
        return (Vec::new(), Vec::new());
    }
    let text = done.text.text();
    let mut parts: Vec<(Range<usize>, &Range<usize>)> = Vec::new();
    let mut links: Vec<&WordLink> = done
        .links
        .iter()
        .flatten()
        .filter(|link| !link.target.is_empty())
        .collect();
    links.sort_by_key(|link| (link.target.start, link.target.end));
    for link in links {
        let Some(mark) = marks
            .iter()
            .find(|mark| link.sources.iter().any(|source| overlap(source, mark)))
        else {
            continue;
        };
        match parts.last_mut() {
            // Pieces of words, and words with nothing but a space between, are one.
            Some((last, of))
                if *of == mark && text.get(last.end..link.target.start).is_none_or(is_blank) =>
            {
                last.end = last.end.max(link.target.end);
            }
            Some((last, _)) if link.target.start < last.end => {}
            Some(_) | None => parts.push((link.target.clone(), mark)),
        }
    }
    parts
        .into_iter()
        .map(|(part, mark)| (part, mark.clone()))
        .unzip()
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// An answer whose words are linked to the source instead of the text halfway.
fn through(done: EngineAnswer, marks: &[Range<usize>], sources: &[Range<usize>]) -> EngineAnswer {
    let follow = |link: WordLink| {
        let touched = |mark: &Range<usize>| link.sources.iter().any(|source| overlap(source, mark));
        let sources = marks
            .iter()
            .zip(sources)
            .filter(|(mark, _)| touched(mark))
            .map(|(_, source)| source.clone());
        WordLink {
            target: link.target,
            sources: sources.collect(),
        }
    };
    EngineAnswer {
        text: done.text,
        links: done
            .links
            .map(|links| links.into_iter().map(follow).collect()),
    }
}

#[cfg(test)]
mod tests;
