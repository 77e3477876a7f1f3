//! Puts terms right in an answer: where one is missing, the words that stand for it are replaced.
//!
//! A term that stands in the answer in any of its forms is left alone, wherever it stands. Only as many words are
//! replaced as may be meant by it; what cannot be found is left to be asked in another manner, or to be reported.

use std::borrow::Cow;
use std::ops::Range;

use super::super::terms::{Hit, Terms};
use super::project::{self, TargetUnit};
use crate::engines::{EngineAnswer, WordLink, overlap};
use crate::page::CodedText;
use crate::text::{is_dense, markers};

/// Letters of the longest word that is left alone in front of the words of a term: articles and prepositions, which
/// engines link to the noun that they stand with.
const SMALL: usize = 3;
/// How many characters more than the translation of a term has may stand for it, where no spaces stand between words.
const SLACK: usize = 2;

/// The answer to a text with these terms in it, with the terms in place as far as its links tell where.
pub(super) fn correct<'a>(
    terms: &Terms,
    asked: &str,
    hits: &[Hit],
    done: &'a EngineAnswer,
    prefix: &str,
) -> Cow<'a, EngineAnswer> {
    let Some(links) = done.links.as_ref().filter(|_| !hits.is_empty()) else {
        return Cow::Borrowed(done);
    };
    let answer = done.text.text();
    let runs = runs(answer, asked, links, hits);
    // A term that stands where its words should be is right; then one that stands anywhere.
    let mut taken: Vec<Range<usize>> = markers(answer, prefix)
        .into_iter()
        .map(|(range, _)| range)
        .collect();
    let mut right = vec![false; hits.len()];
    for anywhere in [false, true] {
        for (index, hit) in hits.iter().enumerate() {
            if right[index] {
                continue;
            }
            let is_its = |place: &Range<usize>| {
                anywhere
                    || runs[index]
                        .as_ref()
                        .is_some_and(|(run, _)| overlap(run, place))
            };
            let places = terms.right(hit, answer);
            let free = places
                .into_iter()
                .find(|place| is_its(place) && !taken.iter().any(|other| overlap(other, place)));
            right[index] = free.is_some();
            taken.extend(free);
        }
    }
    let mut changes: Vec<(Range<usize>, String, Range<usize>)> = Vec::new();
    for ((hit, run), _) in hits
        .iter()
        .zip(runs)
        .zip(&right)
        .filter(|(_, right)| !**right)
    {
        let Some((run, words)) = run else { continue };
        let form = terms.wanted(hit, asked, &answer[run.clone()]);
        let most = match is_dense(answer) {
            true => form.chars().count() + SLACK,
            false => count(&asked[hit.range.clone()]).max(count(&form)),
        };
        if words <= most && !taken.iter().any(|other| overlap(other, &run)) {
            taken.push(run.clone());
            changes.push((run, form, hit.range.clone()));
        }
    }
    if changes.is_empty() {
        Cow::Borrowed(done)
    } else {
        Cow::Owned(replaced(answer, links, changes))
    }
}

fn count(text: &str) -> usize {
    text.split_whitespace().count()
}

/// The bytes of the answer that stand for each term, and how many words those are.
fn runs(
    answer: &str,
    asked: &str,
    links: &[WordLink],
    hits: &[Hit],
) -> Vec<Option<(Range<usize>, usize)>> {
    let regions: Vec<_> = hits
        .iter()
        .enumerate()
        .map(|(index, hit)| (hit.range.clone(), vec![index]))
        .collect();
    let mut units = Vec::new();
    project::words(answer, 0..answer.len(), links, &regions, &mut units);
    let mut places = vec![0];
    for unit in &units {
        places.push(places.last().copied().unwrap_or_default() + unit.len());
    }
    let run = |index| {
        let mut run = project::run(index, &units)?;
        let own = count(&asked[hits[index].range.clone()]);
        loop {
            let words = units[run.clone()]
                .iter()
                .filter(|unit| TargetUnit::is_word(unit))
                .count();
            let first = &answer[places[run.start]..places[run.start + 1]];
            if is_dense(answer) || words <= own.max(1) || first.chars().count() > SMALL {
                return Some((places[run.start]..places[run.end], words));
            }
            run.start += 1 + units[run.start + 1..run.end]
                .iter()
                .take_while(|unit| !unit.is_word())
                .count();
        }
    };
    (0..hits.len()).map(run).collect()
}

/// The answer with other words in places, which are linked to the terms that they are.
fn replaced(
    answer: &str,
    links: &[WordLink],
    mut changes: Vec<(Range<usize>, String, Range<usize>)>,
) -> EngineAnswer {
    changes.sort_by_key(|(place, _, _)| place.start);
    let mut text = String::new();
    let mut moved: Vec<WordLink> = Vec::new();
    let mut at = 0;
    let keep = |range: Range<usize>, text: &mut String, moved: &mut Vec<WordLink>| {
        for link in links
            .iter()
            .filter(|link| range.start <= link.target.start && link.target.end <= range.end)
        {
            let by = |byte: usize| byte - range.start + text.len();
            moved.push(WordLink {
                target: by(link.target.start)..by(link.target.end),
                sources: link.sources.clone(),
            });
        }
        text.push_str(&answer[range]);
    };
    for (place, form, source) in changes {
        keep(at..place.start, &mut text, &mut moved);
        moved.push(WordLink {
            target: text.len()..text.len() + form.len(),
            sources: vec![source],
        });
        text.push_str(&form);
        at = place.end;
    }
    keep(at..answer.len(), &mut text, &mut moved);
    EngineAnswer {
        text: CodedText::plain(&text),
        links: Some(moved),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::{Matching, Term};

    fn terms(list: &[(&str, &str)]) -> Terms {
        let forms = |text: &str| text.split('|').map(str::to_owned).collect();
        let term = |(source, target): &(&str, &str)| Term {
            source: forms(source),
            target: forms(target),
            keeps_case: false,
            matching: Matching::Word,
            is_name: false,
        };
        Terms::new(list.iter().map(term).collect())
    }

    /// An answer whose words are linked to those of the source by their numbers, counted from 1.
    fn answer(source: &str, words: &str) -> EngineAnswer {
        let mut places = Vec::new();
        let mut at = 0;
        for word in source.split(' ') {
            places.push(at..at + word.len());
            at += word.len() + 1;
        }
        let mut text = String::new();
        let mut links = Vec::new();
        for word in words.split(' ') {
            let (word, number) = word.split_once('/').unwrap_or((word, ""));
            text.push_str(if text.is_empty() { "" } else { " " });
            if let Ok(number) = number.parse::<usize>() {
                let target = text.len()..text.len() + word.len();
                links.push(WordLink {
                    target,
                    sources: vec![places[number - 1].clone()],
                });
            }
            text.push_str(word);
        }
        EngineAnswer {
            text: CodedText::plain(&text),
            links: Some(links),
        }
    }

    #[test]
    fn the_words_that_stand_for_a_missing_term_are_replaced() {
        let terms = terms(&[
            ("server|servers", "servidor|servidores"),
            ("log file", "archivo de registro"),
            ("port", "puerto"),
        ]);
        for (source, words, expected) in [
            (
                "the server runs",
                "el/1 camarero/2 corre/3",
                "el servidor corre",
            ),
            (
                "the server runs",
                "el/1 servidor/2 corre/3",
                "el servidor corre",
            ),
            ("Servers run", "Camareros/1 corren/2", "Servidores corren"),
            (
                "a server and server",
                "un/1 servidor/2 y/3 mozo/4",
                "un servidor y servidor",
            ),
            (
                "the log file here",
                "el/1 fichero/3 diario/2 aquí/4",
                "el archivo de registro aquí",
            ),
            // A term stands there, only linked to something else.
            (
                "the server runs",
                "el/1 mozo/2 servidor/3",
                "el mozo servidor",
            ),
            // Far too many words for one.
            (
                "the server runs",
                "la/2 persona/2 que/2 sirve/2 la/2 mesa/2",
                "la persona que sirve la mesa",
            ),
            // Articles and prepositions stay.
            ("Open server", "Abra el/2 mozo/2", "Abra el servidor"),
            (
                "The server runs",
                "El/2 mozo/2 corre/3",
                "El servidor corre",
            ),
            (
                "the log file here",
                "del/3 fichero/3 diario/2 aquí/4",
                "del archivo de registro aquí",
            ),
            // A marker is never touched.
            ("a server XC1", "un/1 XC1/2", "un XC1"),
        ] {
            let done = answer(source, words);
            let corrected = correct(&terms, source, &terms.hits(source), &done, "XC");
            assert_eq!(corrected.text.text(), expected, "{source} / {words}");
            assert!(
                corrected.links.iter().flatten().all(|link| corrected
                    .text
                    .text()
                    .get(link.target.clone())
                    .is_some())
            );
        }
    }

    #[test]
    fn links_move_with_the_words() {
        let terms = terms(&[("server", "servidor de páginas")]);
        let source = "the server runs well";
        let done = answer(source, "el/1 mozo/2 corre/3 bien/4");
        let corrected = correct(&terms, source, &terms.hits(source), &done, "XC").into_owned();
        let text = corrected.text.text();
        let links = corrected.links.unwrap();
        let linked: Vec<_> = links
            .iter()
            .map(|link| (&text[link.target.clone()], &source[link.sources[0].clone()]))
            .collect();
        assert_eq!(
            linked,
            [
                ("el", "the"),
                ("servidor de páginas", "server"),
                ("corre", "runs"),
                ("bien", "well")
            ]
        );
    }
}
