//! How a text is written for an engine that does not read all that people write, and its answer for people.
//!
//! The vocabularies of neural networks lack most signs and many letters, and what they lack becomes something else or
//! nothing: typographic quotation marks came back as hyphens, `£20` as "20 euros", `C#` as "C", `Łódź` as "Od". A
//! sentence in capitals is cut into pieces that are in no word, and comes back half translated. So quotation marks and
//! dashes are written plainly and put back; names lose the marks on their letters and get them back; what then cannot
//! be read travels as a marker word; and capitals become small letters on the way.

mod capitals;
mod edits;
mod rewriting;
mod signs;

use std::ops::Range;

use deunicode::deunicode_char;

use self::capitals::{capitals, small};
use self::edits::{AnswerEdits, SentSpelling};
use self::rewriting::Rewriting;
use self::signs::{TypographicSign, is_sign, plain};
use super::{AskError, WordLink, overlap};
use crate::text::{is_mark, marker_prefix, markers};

/// Letters of the shortest name that may lose their marks: shorter ones become words, such as `für` and `Ø`.
const SHORTEST_NAME: usize = 4;

/// A text as an engine can read it.
#[derive(Debug)]
pub(super) struct SpelledText {
    /// The steps from the text that people wrote to the one to translate.
    steps: Vec<Rewriting>,
    signs: Vec<(TypographicSign, SentSpelling)>,
    names: Vec<(String, String)>,
    kept: Vec<SentSpelling>,
    /// The letters of the marker words, if there are some that the text does not have.
    prefix: Option<&'static str>,
    is_in_capitals: bool,
}

impl SpelledText {
    /// Writes a text with the characters that can be read.
    pub(super) fn new(text: &str, reads: &dyn Fn(char) -> bool) -> Self {
        let seen = Rewriting::new(text, hidden(text, reads));
        let folded: String = seen.text.chars().filter_map(deunicode_char).collect();
        let prefix = marker_prefix(&format!("{} {folded}", seen.text));
        let are_quotes = has_pairs_of_guillemets(&seen.text);
        let is_plain_too =
            |character: char| is_sign(character) && (are_quotes || !"«»‹›".contains(character));
        let reads_or_writes = |character: char| reads(character) || is_plain_too(character);
        let (readable, names, kept) =
            readable(&seen.text, &reads_or_writes, prefix.unwrap_or_default());
        let (plain, signs) = plain(&readable.text, reads);
        let small = small(&plain.text);
        let is_in_capitals = small.is_some();
        let steps = [Some(seen), Some(readable), Some(plain), small]
            .into_iter()
            .flatten()
            .collect();
        Self {
            steps,
            signs,
            names,
            kept,
            prefix,
            is_in_capitals,
        }
    }

    /// The text to translate.
    pub(super) fn text(&self) -> &str {
        self.steps.last().map_or("", |step| &step.text)
    }

    /// Where a part of the text that people wrote stands in it.
    pub(super) fn sent(&self, range: &Range<usize>) -> Range<usize> {
        self.steps
            .iter()
            .fold(range.clone(), |at, step| step.after(&at))
    }

    /// The translation as people write it, and its links to the text that they wrote.
    ///
    /// # Errors
    /// An [`AskError`] that says what the translation lost, doubled or invented.
    pub(super) fn restore(
        &self,
        answer: &str,
        links: Vec<WordLink>,
    ) -> Result<(String, Vec<WordLink>), AskError> {
        let mut steps: Vec<Rewriting> = self
            .is_in_capitals
            .then(|| capitals(answer))
            .into_iter()
            .collect();
        let text = steps.last().map_or(answer, |step| &step.text);
        let mut edits = AnswerEdits::default();
        self.put_kept(text, &mut edits)?;
        self.put_names(text, &mut edits);
        signs::put(&self.signs, text, &mut edits);
        let done = Rewriting::new(text, edits.in_order());
        steps.push(done);
        // Punctuation looks at what stands before it, and does not belong to it.
        let places = |text: &str| {
            self.prefix
                .map(|prefix| markers(text, prefix))
                .unwrap_or_default()
        };
        let sent = places(self.text());
        let received = places(answer);
        let is_of_marker = |link: &WordLink| {
            let is_in =
                |source: &Range<usize>| sent.iter().any(|(marker, _)| overlap(marker, source));
            !answer[link.target.clone()].contains(char::is_alphanumeric)
                && link.sources.iter().all(is_in)
        };
        let clipped = |mut link: WordLink| {
            if let Some((marker, _)) = received
                .iter()
                .find(|(marker, _)| overlap(marker, &link.target))
            {
                link.target = link.target.start.max(marker.start)..link.target.end.min(marker.end);
            }
            link
        };
        let moved = |link: WordLink| {
            let source = |at: &Range<usize>| {
                self.steps
                    .iter()
                    .rev()
                    .fold(at.clone(), |at, step| step.before(&at))
            };
            let target = steps
                .iter()
                .fold(link.target.clone(), |at, step| step.after(&at));
            WordLink {
                target,
                sources: link.sources.iter().map(source).collect(),
            }
        };
        let links = links
            .into_iter()
            .filter(|link| !is_of_marker(link))
            .map(clipped)
            .map(moved);
        let links = links.filter(|link| !link.target.is_empty()).collect();
        Ok((
            steps.pop().map_or_else(String::new, |step| step.text),
            links,
        ))
    }

    /// What the marker words of an answer stand for.
    fn put_kept(&self, answer: &str, edits: &mut AnswerEdits) -> Result<(), AskError> {
        if self.kept.is_empty() {
            return Ok(());
        }
        let prefix = self
            .prefix
            .ok_or_else(|| refused("it holds every marker word we know"))?;
        let mut seen = vec![false; self.kept.len()];
        for (range, number) in markers(answer, prefix) {
            let index = number.wrapping_sub(1);
            let kept = self
                .kept
                .get(index)
                .ok_or_else(|| refused(format!("it invents {:?}", &answer[range.clone()])))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(refused(format!("it doubles {:?}", kept.written)));
            }
            edits.put(kept.within(answer, range), &kept.written);
        }
        match seen.iter().position(|seen| !seen) {
            Some(index) => Err(refused(format!("it loses {:?}", self.kept[index].written))),
            None => Ok(()),
        }
    }

    /// Names that came back without the marks on their letters. What did not come back was translated.
    fn put_names(&self, answer: &str, edits: &mut AnswerEdits) {
        for (plain, written) in &self.names {
            let is_whole = |at: &usize| {
                !answer[..*at].ends_with(char::is_alphanumeric)
                    && !answer[at + plain.len()..].starts_with(char::is_alphanumeric)
            };
            let places = answer
                .match_indices(plain.as_str())
                .map(|(at, _)| at)
                .filter(is_whole);
            let free = places
                .map(|at| at..at + plain.len())
                .find(|range| edits.is_free(range));
            free.into_iter().for_each(|range| edits.put(range, written));
        }
    }
}

fn refused(reason: impl Into<String>) -> AskError {
    AskError::Refused(reason.into())
}

/// What nobody sees, and letters that are written as one, each with what is sent instead.
fn hidden(text: &str, reads: &dyn Fn(char) -> bool) -> Vec<(Range<usize>, String)> {
    let instead = |character: char| match character {
        '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}' | '\u{feff}' => Some(""),
        '\u{fb00}'..='\u{fb06}' => deunicode_char(character),
        _ => None,
    };
    let edit = |(at, character): (usize, char)| {
        Some((
            at..at + character.len_utf8(),
            instead(character)?.to_owned(),
        ))
    };
    text.char_indices()
        .filter(|(_, character)| !reads(*character))
        .filter_map(edit)
        .collect()
}

/// Whether guillemets are quotation marks here, and not arrows: each has its partner.
fn has_pairs_of_guillemets(text: &str) -> bool {
    let pairs = [('«', '»'), ('‹', '›')];
    pairs
        .into_iter()
        .all(|(one, other)| text.matches(one).count() == text.matches(other).count())
}

/// Writes what cannot be read in letters that can, or as a marker word.
fn readable(
    text: &str,
    reads: &dyn Fn(char) -> bool,
    prefix: &str,
) -> (Rewriting, Vec<(String, String)>, Vec<SentSpelling>) {
    let mut edits = Vec::new();
    let mut kept = Vec::new();
    let mut names: Vec<(String, String)> = Vec::new();
    let mut end = 0;
    let mut quotes = 0;
    for (at, character) in text.char_indices() {
        if at < end {
            continue;
        }
        let inches = inches(text, end, at).filter(|_| quotes % 2 == 0);
        quotes += usize::from("\"“”„‟".contains(character) && inches.is_none());
        if inches.is_none() && (character.is_whitespace() || reads(character)) {
            continue;
        }
        let range = inches.unwrap_or_else(|| unreadable(text, end, at, reads));
        let is_next = !kept.is_empty() && range.start == end;
        end = range.end;
        let written = text[range.clone()].to_owned();
        // Of two words that would look the same, it could not be told which is which.
        let is_taken = |plain: &String| {
            text.contains(plain.as_str())
                || names
                    .iter()
                    .any(|(other, name)| other == plain && *name != written)
        };
        if let Some(plain) = without_marks(&written, reads).filter(|plain| !is_taken(plain)) {
            names.push((plain.clone(), written));
            edits.push((range, plain));
            continue;
        }
        let is_glued = (
            is_next
                || text[..range.start]
                    .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '\'' | '’')),
            text[range.end..].starts_with(char::is_alphanumeric),
        );
        let space = |is_glued: bool| if is_glued { " " } else { "" };
        edits.push((
            range,
            format!(
                "{}{prefix}{}{}",
                space(is_glued.0),
                kept.len() + 1,
                space(is_glued.1)
            ),
        ));
        kept.push(SentSpelling {
            written,
            is_same: false,
            is_glued,
            beside: Default::default(),
        });
    }
    (Rewriting::new(text, edits), names, kept)
}

/// A number with the sign for inches at this byte, which would be taken for a quotation mark.
fn inches(text: &str, from: usize, at: usize) -> Option<Range<usize>> {
    let sign = text[at..]
        .chars()
        .next()
        .filter(|sign| matches!(sign, '"' | '”' | '“'))?;
    let number = text[from..at]
        .rsplit(char::is_whitespace)
        .next()?
        .trim_start_matches(['(', '[']);
    let is_number = number.contains(|c: char| c.is_ascii_digit())
        && number
            .chars()
            .all(|c| c.is_numeric() || matches!(c, '.' | ',' | '/'));
    let end = at + sign.len_utf8();
    (is_number && !text[end..].starts_with(char::is_alphanumeric)).then_some(at - number.len()..end)
}

/// The part of a text, from a place on, that cannot be sent because of the character at another: a word; of a sign, all
/// signs beside it, and the numbers and the single letters that it belongs to.
fn unreadable(text: &str, from: usize, at: usize, reads: &dyn Fn(char) -> bool) -> Range<usize> {
    let is_digit = |character: char| character.is_ascii_digit();
    // So do digits and full stops of scripts from Hebrew to the Vedic signs: apart from their word, each would take a marker.
    let is_letter = |character: char| {
        character.is_alphabetic()
            || is_accent(character)
            || (matches!(character, '\u{591}'..='\u{1cff}') && !reads(character))
    };
    let is_part = |(at, character): &(usize, char)| {
        let is_in_number =
            || text[..*at].ends_with(is_digit) && text[at + 1..].starts_with(is_digit);
        is_letter(*character)
            || is_digit(*character)
            || matches!(character, '\u{200c}' | '\u{200d}')
            || (matches!(character, '.' | ',') && is_in_number())
    };
    let start_of_part = |end: usize| {
        let part = text[..end]
            .char_indices()
            .rev()
            .take_while(|(at, _)| *at >= from)
            .take_while(is_part);
        part.last().map_or(end, |(start, _)| start)
    };
    let end_of_part = |start: usize| {
        let mut rest = text[start..]
            .char_indices()
            .map(|(at, character)| (start + at, character));
        rest.find(|place| !is_part(place))
            .map_or(text.len(), |(end, _)| end)
    };
    if text[at..].starts_with(is_letter) {
        return start_of_part(at)..end_of_part(at);
    }
    let belongs = |part: &str| part.chars().count() <= 2 || part.contains(is_digit);
    let is_sign =
        |sign: char| !sign.is_whitespace() && !is_letter(sign) && !is_digit(sign) && !reads(sign);
    let start = Some(start_of_part(at))
        .filter(|&start| belongs(&text[start..at]))
        .unwrap_or(at);
    let mut end = at;
    while text[end..].starts_with(is_sign) {
        end = text[end..]
            .find(|character| !is_sign(character))
            .map_or(text.len(), |length| end + length);
        end = Some(end_of_part(end))
            .filter(|&next| belongs(&text[end..next]))
            .unwrap_or(end);
    }
    start..end
}

/// A word in letters that can be read, which are those of it without what stands above, below or through them.
fn without_marks(word: &str, reads: &dyn Fn(char) -> bool) -> Option<String> {
    let plain = |letter: char| match letter {
        ascii if ascii.is_ascii() && reads(ascii) => Some(ascii.to_string()),
        mark if is_accent(mark) => Some(String::new()),
        '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' if letter.is_alphabetic() => {
            deunicode_char(letter)
                .map(str::to_owned)
                .filter(|plain| plain.chars().all(reads))
        }
        _ => None,
    };
    let is_name = word
        .chars()
        .all(|letter| letter.is_alphabetic() || is_accent(letter));
    let is_long = word.chars().filter(|letter| letter.is_alphabetic()).count() >= SHORTEST_NAME;
    (is_name && is_long).then(|| word.chars().map(plain).collect())?
}

/// Accents and the like that follow their letter. What makes a keycap or an emoji of the character before is a sign as that is.
fn is_accent(character: char) -> bool {
    is_mark(character)
        && !matches!(character, '\u{20dd}'..='\u{20e4}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

#[cfg(test)]
mod tests;
