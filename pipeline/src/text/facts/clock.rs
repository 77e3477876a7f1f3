//! Times of the day, with twelve hours and with twenty-four.

use super::super::lexicon::WordKind;
use super::super::numbers::digit;
use super::ComparedTexts;
use super::side::TextSide;
use std::ops::Range;

/// Misreadings of `am` as the verb "to be"; none of these may follow an hour.
const TO_BE: [&str; 22] = [
    "soy", "estoy", "sou", "estou", "suis", "bin", "sono", "sto", "sunt", "jestem", "jsem", "som",
    "är", "er", "ben", "olen", "vagyok", "sóc", "son", "je", "esu", "esmu",
];

/// A time that may stand in a text.
struct Clock {
    range: Range<usize>,
    hour: u32,
    minute: Option<u32>,
}

/// A time as the source says it.
struct ClockTime {
    hour: u32,
    minute: u32,
    /// Half of the day, if stated; `true` is after noon.
    half: Option<bool>,
}

impl ClockTime {
    fn read(words: &str) -> Option<Self> {
        let numbers: Vec<u32> = words
            .split(|sign: char| !sign.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        let half = words
            .to_lowercase()
            .chars()
            .find(|sign| sign.is_alphabetic())
            .map(|letter| letter == 'p');
        Some(Self {
            hour: *numbers.first()?,
            minute: numbers.get(1).copied().unwrap_or(0),
            half,
        })
    }

    /// The hour of twenty-four.
    fn hour_of_day(&self) -> u32 {
        match self.half {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            Some(_) | None => self.hour,
        }
    }

    /// The hour of twelve, and whether it is in the second half of the day.
    fn hour_of_half(&self) -> (u32, bool) {
        let hour = self.hour_of_day() % 24;
        (
            if hour.is_multiple_of(12) {
                12
            } else {
                hour % 12
            },
            hour >= 12,
        )
    }
}

impl ComparedTexts<'_> {
    /// Finds the same time, and masks it.
    pub(super) fn takes_time(&mut self, words: &str) -> bool {
        let Some(told) = ClockTime::read(words) else {
            return false;
        };
        let times = clocks(self.target.masked());
        match times
            .into_iter()
            .find(|clock| is_same(&told, clock, &self.target))
        {
            Some(clock) => {
                self.target.mask(clock.range);
                true
            }
            None => false,
        }
    }
}

fn is_same(told: &ClockTime, clock: &Clock, target: &TextSide<'_>) -> bool {
    if clock.minute.unwrap_or(0) != told.minute {
        return false;
    }
    let (hour, is_second) = told.hour_of_half();
    let of_day = told.hour_of_day();
    if clock.hour == of_day || (of_day == 0 && clock.hour == 24) {
        // A time before noon needs no word for it.
        return told.half.is_none()
            || of_day > 12
            || has_half(target, is_second)
            || is_plain_hour(told, clock, target);
    }
    clock.hour == hour
        && (has_half(target, is_second) || (target.lexicon.is_none() && told.half.is_some()))
}

/// Recognizes a morning hour without a.m., and with no verb behind it.
fn is_plain_hour(told: &ClockTime, clock: &Clock, target: &TextSide<'_>) -> bool {
    let after = target.masked()[clock.range.end..].trim_start();
    let is_glued = target.masked()[clock.range.end..].starts_with(char::is_alphabetic);
    let word: String = after
        .chars()
        .take_while(|letter| letter.is_alphabetic())
        .flat_map(char::to_lowercase)
        .collect();
    let is_hour = !is_glued
        || target.is_dense()
        || matches!(word.as_str(), "h" | "hs" | "hrs" | "ч" | "г" | "uhr");
    told.half
        .is_none_or(|is_second| !is_second || told.hour == 12)
        && is_hour
        && !TO_BE.contains(&word.as_str())
}

/// Searches a text for a word for the half of the day.
fn has_half(target: &TextSide<'_>, is_second: bool) -> bool {
    let english: [&str; 2] = if is_second {
        ["pm", "p.m"]
    } else {
        ["am", "a.m"]
    };
    let kind = if is_second {
        WordKind::Pm
    } else {
        WordKind::Am
    };
    let forms = target
        .lexicon
        .into_iter()
        .flat_map(|lexicon| lexicon.all(kind))
        .map(|(_, form)| form);
    let lower = target
        .text
        .to_lowercase()
        .replace(['\u{a0}', '\u{202f}'], " ");
    english
        .into_iter()
        .chain(forms.filter(|form| form.len() > 1))
        .any(|form| has_word(&lower, form))
}

/// Searches for a word, which in Latin letters no other letter may touch.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, found)| {
        let is_touched = text[..at].ends_with(char::is_alphabetic)
            || text[at + found.len()..].starts_with(char::is_alphabetic);
        !(word.is_ascii() && is_touched)
    })
}

/// Candidates for times: hours, with or without minutes.
fn clocks(text: &str) -> Vec<Clock> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..]
        .find(|sign: char| digit(sign).is_some())
        .map(|start| at + start)
    {
        let (hour, end) = short_number(text, start);
        at = end;
        let Some(hour) = hour.filter(|hour| *hour <= 24) else {
            continue;
        };
        let tail = text[end..].trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        let signs: &[&str] = &[
            ":", ".", "：", "heures", "giờ", "óra", "uhr", "h", "H", "時", "时", "點", "点", "시",
            "ч",
        ];
        let minutes = signs
            .iter()
            .find_map(|sign| tail.strip_prefix(sign))
            .map(str::trim_start)
            .map(|rest| {
                let start = text.len() - rest.len();
                short_number(text, start)
            });
        if let Some((Some(minute), after)) =
            minutes.filter(|(minute, _)| minute.is_some_and(|minute| minute < 60))
        {
            found.push(Clock {
                range: start..after,
                hour,
                minute: Some(minute),
            });
            at = after;
        } else {
            found.push(Clock {
                range: start..end,
                hour,
                minute: None,
            });
        }
    }
    found
}

/// A number of one or two digits, and where the digits end.
fn short_number(text: &str, start: usize) -> (Option<u32>, usize) {
    let digits: Vec<(usize, char)> = text[start..]
        .char_indices()
        .map_while(|(at, sign)| digit(sign).map(|digit| (at + sign.len_utf8(), digit)))
        .collect();
    let end = digits.last().map_or(start, |(end, _)| start + end);
    let number: String = digits.iter().map(|(_, digit)| *digit).collect();
    (number.parse().ok().filter(|_| digits.len() <= 2), end)
}
