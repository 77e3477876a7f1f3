//! How near translations come to those that people made: chrF and BLEU, as sacrebleu computes them.
//!
//! chrF is that of Popović, "chrF: character n-gram F-score for automatic MT evaluation" (2015), with sacrebleu's
//! signature `chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no`. BLEU is that of Papineni et al., "BLEU: a method
//! for automatic evaluation of machine translation" (2002), with `BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp`
//! (Post, "A call for clarity in reporting BLEU scores", 2018). Both reach from 0 to 100. They compare letters and
//! words and know nothing of meaning; figures of different texts or languages cannot be compared. The tokens of BLEU are
//! words between spaces, so in a language without spaces it says next to nothing.

use std::collections::HashMap;
use std::hash::Hash;

use serde::Serialize;

/// The longest run of characters that chrF counts.
const CHARACTERS: usize = 6;
/// The longest run of words that BLEU counts.
const WORDS: usize = 4;
/// How much more recall weighs than precision in chrF, squared.
const BETA_SQUARED: f64 = 4.0;

/// The figures of some texts together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Score {
    /// chrF2, from 0 to 100.
    pub chrf: f64,
    /// BLEU, from 0 to 100.
    pub bleu: f64,
}

impl Score {
    /// Compares translations with what people wrote; each pair is what was made and what was wanted.
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut characters = NgramCounts::default();
        let mut words = NgramCounts::default();
        let mut lengths = (0, 0);
        for (made, wanted) in pairs {
            characters.add::<_, CHARACTERS>(&letters(made), &letters(wanted));
            let made = tokens(made);
            let wanted = tokens(wanted);
            words.add::<_, WORDS>(&made, &wanted);
            lengths = (lengths.0 + made.len(), lengths.1 + wanted.len());
        }
        Self {
            chrf: characters.f_score(),
            bleu: words.bleu(lengths),
        }
    }
}

/// chrF2 of one text.
pub fn chrf(made: &str, wanted: &str) -> f64 {
    let mut counts = NgramCounts::default();
    counts.add::<_, CHARACTERS>(&letters(made), &letters(wanted));
    counts.f_score()
}

/// Runs of each length, from one on.
#[derive(Debug, Default)]
struct NgramCounts([NgramCount; CHARACTERS]);

/// How many runs of one length there are.
#[derive(Clone, Copy, Debug, Default)]
struct NgramCount {
    /// In what was made; for chrF only in texts in which the wanted text has runs of this length at all.
    made: usize,
    /// The same without that exception, as BLEU counts.
    all_made: usize,
    wanted: usize,
    matching: usize,
}

impl NgramCounts {
    fn add<T: Eq + Hash, const LONGEST: usize>(&mut self, made: &[T], wanted: &[T]) {
        for (length, count) in (1..=LONGEST).zip(&mut self.0) {
            let made = runs(made, length);
            let wanted = runs(wanted, length);
            let total: usize = made.values().sum();
            count.all_made += total;
            count.made += if wanted.is_empty() { 0 } else { total };
            count.wanted += wanted.values().sum::<usize>();
            let in_both = |(run, &times): (&&[T], &usize)| {
                wanted.get(run).map_or(0, |&others| times.min(others))
            };
            count.matching += made.iter().map(in_both).sum::<usize>();
        }
    }

    fn f_score(&self) -> f64 {
        let known = || {
            self.0
                .iter()
                .filter(|count| count.made > 0 && count.wanted > 0)
        };
        let lengths = known().count();
        if lengths == 0 {
            return 0.0;
        }
        let mean = |share: fn(&NgramCount) -> f64| known().map(share).sum::<f64>() / float(lengths);
        let precision = mean(|count| float(count.matching) / float(count.made));
        let recall = mean(|count| float(count.matching) / float(count.wanted));
        match precision + recall > 0.0 {
            true => {
                100.0 * (1.0 + BETA_SQUARED) * precision * recall
                    / (BETA_SQUARED * precision + recall)
            }
            false => 0.0,
        }
    }

    fn bleu(&self, (made, wanted): (usize, usize)) -> f64 {
        let counts = &self.0[..WORDS];
        // Without runs of the longest kind there is no such figure, and without a single match it is nothing.
        if counts.iter().any(|count| count.all_made == 0)
            || counts.iter().all(|count| count.matching == 0)
        {
            return 0.0;
        }
        let mut smooth = 1.0;
        let mut sum = 0.0;
        for count in counts {
            let precision = if count.matching == 0 {
                smooth *= 2.0;
                100.0 / (smooth * float(count.all_made))
            } else {
                100.0 * float(count.matching) / float(count.all_made)
            };
            sum += precision.ln();
        }
        let brevity = if made < wanted {
            (1.0 - float(wanted) / float(made)).exp()
        } else {
            1.0
        };
        brevity * (sum / float(WORDS)).exp()
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a site has fewer than 2^52 characters"
)]
fn float(count: usize) -> f64 {
    count as f64
}

fn runs<T: Eq + Hash>(items: &[T], length: usize) -> HashMap<&[T], usize> {
    let mut runs = HashMap::new();
    for run in items.windows(length) {
        *runs.entry(run).or_default() += 1;
    }
    runs
}

/// The characters without white space.
fn letters(text: &str) -> Vec<char> {
    text.chars()
        .filter(|character| !character.is_whitespace())
        .collect()
}

/// The words and marks of a text, by the rules of mteval-v13a: marks stand alone, but for a period or comma between
/// two digits and a hyphen that no digit goes before.
fn tokens(text: &str) -> Vec<String> {
    let text = text
        .trim_end()
        .replace("<skipped>", "")
        .replace("-\n", "")
        .replace('\n', " ");
    // In this order, so that `&amp;lt;` becomes `<`, as it does there.
    let entities = [
        ("&quot;", "\""),
        ("&amp;", "&"),
        ("&lt;", "<"),
        ("&gt;", ">"),
    ];
    let text = entities.iter().fold(text, |text, (entity, character)| {
        text.replace(entity, character)
    });
    let mut spaced = String::from(" ");
    for character in text.chars() {
        match character {
            mark if stands_alone(mark) => spaced.extend([' ', mark, ' ']),
            other => spaced.push(other),
        }
    }
    spaced.push(' ');
    let is_point = |character: char| matches!(character, '.' | ',');
    let is_digit = |character: char| character.is_ascii_digit();
    let spaced = at_pairs(
        &spaced,
        |one, two| !is_digit(one) && is_point(two),
        |one, two| [one, ' ', two, ' '],
    );
    let spaced = at_pairs(
        &spaced,
        |one, two| is_point(one) && !is_digit(two),
        |one, two| [' ', one, ' ', two],
    );
    let spaced = at_pairs(
        &spaced,
        |one, two| is_digit(one) && two == '-',
        |one, two| [one, ' ', two, ' '],
    );
    spaced.split_whitespace().map(str::to_owned).collect()
}

fn stands_alone(mark: char) -> bool {
    matches!(mark, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// Rewrites pairs of neighbours, from left to right; what was rewritten is not looked at again.
fn at_pairs(
    text: &str,
    fits: impl Fn(char, char) -> bool,
    write: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut rewritten = String::new();
    let mut characters = text.chars().peekable();
    while let Some(one) = characters.next() {
        match characters.next_if(|&two| fits(one, two)) {
            Some(two) => rewritten.extend(write(one, two)),
            None => rewritten.push(one),
        }
    }
    rewritten
}

#[cfg(test)]
mod tests;
