//! Texts with most of their words in common, in about the same order. An inline code is a word.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::pairs::{CandidatePair, Match, TranslationFate, UnpairedTexts};
use crate::page::{CodedText, TextPiece};
use crate::text::is_dense;

/// Of ten words, so many must be the same.
const TENTHS: usize = 6;

/// Former texts that are looked at for one new text, and those of them that are compared word by word. They bound the time
/// where thousands of texts have nearly the same words; elsewhere nobody meets them.
const LOOKED_AT: usize = 1_000;
const COMPARED: usize = 16;

/// Finds the texts that are similar enough for an offer.
pub(super) fn outdated(open: &mut UnpairedTexts<'_>) -> Vec<Match> {
    let mut lexicon = WordIndex::default();
    let mut formers: Vec<TextWords> = open
        .formers
        .iter()
        .map(|(_, former)| lexicon.read(&former.source))
        .collect();
    let mut fresh: Vec<TextWords> = open
        .fresh
        .iter()
        .map(|(_, fresh)| lexicon.read(&fresh.segment.text))
        .collect();
    formers
        .iter_mut()
        .chain(&mut fresh)
        .for_each(|words| lexicon.sort(words));
    let by_word = by_word(&formers);
    let mut pairs = Vec::new();
    for (new, words) in fresh.iter().enumerate() {
        let fits = |old: usize| {
            open.suits(old, new)
                && formers
                    .get(old)
                    .is_some_and(|former| former.may_equal(words))
        };
        for old in candidates(words, &by_word, fits) {
            let similarity = formers.get(old).and_then(|former| former.similarity(words));
            pairs.extend(similarity.map(|score| CandidatePair {
                former: old,
                fresh: new,
                score,
                what: score,
            }));
        }
    }
    open.take(pairs, |thousandths| {
        TranslationFate::Outdated(u8::try_from(thousandths / 10).unwrap_or(100))
    })
}

/// The texts that have each word among their telling ones.
fn by_word(texts: &[TextWords]) -> HashMap<u32, Vec<usize>> {
    let mut by_word: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, words) in texts.iter().enumerate() {
        for word in words.telling() {
            by_word.entry(*word).or_default().push(at);
        }
    }
    by_word
}

/// Texts by their words, to see quickly of many others that they are similar to none.
#[derive(Debug, Default)]
pub(in super::super) struct Similar {
    lexicon: WordIndex,
    texts: Vec<TextWords>,
    by_word: HashMap<u32, Vec<usize>>,
}

impl Similar {
    pub(in super::super) fn to<'t>(texts: impl Iterator<Item = &'t CodedText>) -> Self {
        let mut lexicon = WordIndex::default();
        let mut texts: Vec<TextWords> = texts.map(|text| lexicon.read(text)).collect();
        texts.iter_mut().for_each(|words| lexicon.sort(words));
        Self {
            by_word: by_word(&texts),
            lexicon,
            texts,
        }
    }

    /// Whether a text is similar to one of them, or there are too many of nearly the same words to look.
    pub(super) fn has(&self, text: &CodedText) -> bool {
        let mut words = self.lexicon.look(text);
        let known = words
            .sequence
            .iter()
            .filter(|word| **word != UNKNOWN)
            .count();
        if known * 10 < words.sequence.len() * TENTHS {
            return false;
        }
        self.lexicon.sort(&mut words);
        let looked_at = || {
            words
                .telling()
                .iter()
                .filter_map(|word| self.by_word.get(word))
                .flatten()
        };
        let is_similar = |at: &usize| {
            self.texts
                .get(*at)
                .is_some_and(|one| one.may_equal(&words) && one.similarity(&words).is_some())
        };
        looked_at().nth(LOOKED_AT).is_some() || looked_at().any(is_similar)
    }

    /// Indices of the most similar texts, the best first.
    pub(in super::super) fn closest(&self, text: &CodedText, most: usize) -> Vec<usize> {
        let mut words = self.lexicon.look(text);
        self.lexicon.sort(&mut words);
        let candidates = candidates(&words, &self.by_word, |at| {
            self.texts.get(at).is_some_and(|one| one.may_equal(&words))
        });
        let mut found = Vec::new();
        for at in candidates {
            if let Some(score) = self.texts.get(at).and_then(|one| one.similarity(&words)) {
                found.push((Reverse(score), at));
            }
        }
        found.sort_unstable();
        found.into_iter().take(most).map(|(_, at)| at).collect()
    }
}

/// The former texts that share the rarest word, and of those the ones that share the most.
fn candidates(
    words: &TextWords,
    by_word: &HashMap<u32, Vec<usize>>,
    fits: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let ranked = words
        .telling()
        .iter()
        .enumerate()
        .filter_map(|(rank, word)| Some((rank, by_word.get(word)?)));
    let found = ranked
        .flat_map(|(rank, formers)| formers.iter().map(move |former| (rank, *former)))
        .take(LOOKED_AT);
    let mut shared: HashMap<usize, (usize, usize)> = HashMap::new();
    for (rank, former) in found.filter(|(_, former)| fits(*former)) {
        shared.entry(former).or_insert((rank, 0)).1 += 1;
    }
    let mut shared: Vec<_> = shared.into_iter().collect();
    shared.sort_by_key(|&(former, (rank, count))| (rank, Reverse(count), former));
    shared
        .into_iter()
        .take(COMPARED)
        .map(|(former, _)| former)
        .collect()
}

/// The number of every word that a lexicon does not have.
const UNKNOWN: u32 = u32::MAX;

/// Words as numbers, and how many texts have each.
#[derive(Debug, Default)]
struct WordIndex {
    numbers: HashMap<(String, usize), u32>,
    counts: Vec<usize>,
}

/// The words of a text.
#[derive(Debug)]
struct TextWords {
    /// In order.
    sequence: Vec<u32>,
    /// The same, each further occurrence of a word being another one; the rarest first.
    rarest: Vec<u32>,
    /// These by their numbers.
    sorted: Vec<u32>,
}

impl WordIndex {
    fn read(&mut self, text: &CodedText) -> TextWords {
        let words = TextWords::of(text, |word, time| self.number(word, time));
        for word in &words.rarest {
            if let Some(count) = usize::try_from(*word)
                .ok()
                .and_then(|word| self.counts.get_mut(word))
            {
                *count += 1;
            }
        }
        words
    }

    /// The same without taking note of any.
    fn look(&self, text: &CodedText) -> TextWords {
        TextWords::of(text, |word, time| {
            self.numbers
                .get(&(word.to_owned(), time))
                .copied()
                .unwrap_or(UNKNOWN)
        })
    }

    fn number(&mut self, word: &str, time: usize) -> u32 {
        let next = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry((word.to_owned(), time)).or_insert(next);
        if number == next {
            self.counts.push(0);
        }
        number
    }

    fn sort(&self, words: &mut TextWords) {
        let count = |word: u32| {
            usize::try_from(word)
                .ok()
                .and_then(|word| self.counts.get(word))
                .copied()
        };
        words.rarest.sort_by_key(|word| (count(*word), *word));
    }
}

impl TextWords {
    fn of(text: &CodedText, mut number: impl FnMut(&str, usize) -> u32) -> Self {
        let words = if text.has_letter() {
            split(text)
        } else {
            Vec::new()
        };
        let mut times: HashMap<&str, usize> = HashMap::new();
        let mut sequence = Vec::new();
        let mut rarest = Vec::new();
        for word in &words {
            let time = times.entry(word).or_default();
            sequence.push(number(word, 0));
            rarest.push(number(word, *time));
            *time += 1;
        }
        let mut sorted = rarest.clone();
        sorted.sort_unstable();
        Self {
            sequence,
            rarest,
            sorted,
        }
    }

    /// The rarest words, so many that texts which share none of theirs cannot be similar.
    fn telling(&self) -> &[u32] {
        let all = self.rarest.len();
        let most = all - (all * TENTHS).div_ceil(10) + usize::from(all > 0);
        self.rarest.get(..most).unwrap_or(&self.rarest)
    }

    /// Whether the numbers of words allow them to be similar.
    fn may_equal(&self, other: &Self) -> bool {
        let one = self.sequence.len();
        let other = other.sequence.len();
        one.min(other) * 10 >= one.max(other) * TENTHS
    }

    /// How much is the same, in thousandths; nothing where it is too little.
    fn similarity(&self, other: &Self) -> Option<u32> {
        let longest = self.sequence.len().max(other.sequence.len());
        if longest == 0 || self.shared(other) * 10 < longest * TENTHS {
            return None;
        }
        let same =
            longest.saturating_sub(strsim::generic_levenshtein(&self.sequence, &other.sequence));
        (same * 10 >= longest * TENTHS)
            .then(|| u32::try_from(same * 1000 / longest).unwrap_or_default())
    }

    /// How many words both have, in whatever order.
    fn shared(&self, other: &Self) -> usize {
        let mut other = other.sorted.iter().peekable();
        let mut shared = 0;
        for word in &self.sorted {
            while other.next_if(|next| *next < word).is_some() {}
            shared += usize::from(other.next_if_eq(&word).is_some());
        }
        shared
    }
}

/// The words in lower case, without the signs around them; of scripts without spaces, the letters.
fn split(text: &CodedText) -> Vec<String> {
    let mut words = Vec::new();
    for piece in text.pieces() {
        match piece {
            TextPiece::Text(text) => text
                .split_whitespace()
                .for_each(|word| split_word(word, &mut words)),
            TextPiece::Open(_) => words.push("<g>".to_owned()),
            TextPiece::Single(_) => words.push("<x>".to_owned()),
            TextPiece::Close(_) => {}
        }
    }
    words
}

fn split_word(word: &str, words: &mut Vec<String>) {
    let word = word.trim_matches(|character: char| !character.is_alphanumeric());
    if is_dense(word) {
        let letters = word.chars().filter(|character| character.is_alphanumeric());
        words.extend(letters.map(String::from));
    } else if !word.is_empty() {
        words.push(word.to_lowercase());
    }
}
