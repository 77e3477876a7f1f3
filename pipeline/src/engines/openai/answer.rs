//! Parses the answer of a language model (R-L1): skips text around the JSON and checks its content.
//!
//! Reasoning ends at its last end marker, and lists before it are ignored. A list under `translations` is preferred,
//! then a complete list, then the last one.
//!
//! An answer whose numbers or texts are ambiguous is refused (R-L2), and its texts are asked for one by one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::json::values;

/// Limit in bytes for an answer that is searched; requests ask for less than a hundredth of it.
const LONGEST: usize = 1 << 20;

/// Markers at the end of reasoning.
const ENDS: [&str; 7] = [
    "</think>",
    "</thinking>",
    "</thought>",
    "</reasoning>",
    "[/THINK]",
    "◁/think▷",
    "<|channel|>final<|message|>",
];
/// Markers at the beginning of reasoning.
const STARTS: [&str; 6] = [
    "<think>",
    "<thinking>",
    "<thought>",
    "<reasoning>",
    "[THINK]",
    "◁think▷",
];

/// Why a text has no answer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unanswered {
    #[error("it got no answer")]
    Missing,
    #[error("it got two answers")]
    Doubled,
    #[error("its answer has a number that was not asked for")]
    Numbers,
    #[error("it got the same answer as another text")]
    Same,
}

/// A list of answers as the model wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum AnswerList {
    /// Texts with their numbers.
    Numbered(Vec<(usize, String)>),
    /// Texts in the order of the questions.
    Ordered(Vec<String>),
}

/// The answers to some source texts, in their order; `None` if there is no list at all.
pub(super) fn read(content: &str, sources: &[String]) -> Option<Vec<Result<String, Unanswered>>> {
    let mut answers = match find(content, sources.len())? {
        AnswerList::Ordered(texts) => texts.into_iter().map(Ok).collect(),
        AnswerList::Numbered(entries) => by_number(entries, sources.len()),
    };
    for at in doubtful(&answers, sources) {
        answers[at] = Err(Unanswered::Same);
    }
    Some(answers)
}

/// Answers in the order of their numbers. An unknown number voids them all: the others may be shifted, too.
fn by_number(entries: Vec<(usize, String)>, count: usize) -> Vec<Result<String, Unanswered>> {
    let mut answers = vec![Err(Unanswered::Missing); count];
    for (id, text) in entries {
        let Some(slot) = id.checked_sub(1).and_then(|at| answers.get_mut(at)) else {
            return vec![Err(Unanswered::Numbers); count];
        };
        *slot = match slot {
            Err(Unanswered::Missing) => Ok(text),
            Ok(_) | Err(_) => Err(Unanswered::Doubled),
        };
    }
    answers
}

/// Indices of equal answers to different sources. For neighbours, also the index before them, because the model may
/// have merged two texts into that answer.
fn doubtful(answers: &[Result<String, Unanswered>], sources: &[String]) -> Vec<usize> {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, answer) in answers.iter().enumerate() {
        if let Ok(text) = answer {
            places.entry(text.trim()).or_default().push(at);
        }
    }
    let mut doubtful = Vec::new();
    for same in places.into_values() {
        let mut words = same
            .iter()
            .filter_map(|&at| sources.get(at))
            .map(|source| letters(source));
        let first = words.next();
        if words.all(|other| Some(&other) == first.as_ref()) {
            continue;
        }
        let before = same
            .windows(2)
            .filter(|pair| pair[1] == pair[0] + 1)
            .filter_map(|pair| pair[0].checked_sub(1));
        doubtful.extend(before.chain(same.iter().copied()));
    }
    doubtful
}

/// Letters and digits of a text in lower case: `Contact` and `contact:` may share a translation.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Picks the list that is the answer.
fn find(content: &str, count: usize) -> Option<AnswerList> {
    if content.len() > LONGEST {
        return None;
    }
    if let Ok(Value::String(inner)) = serde_json::from_str(content.trim()) {
        return find(&inner, count);
    }
    let mut best = None;
    let mut single = Vec::new();
    for value in spoken(content) {
        single.extend(numbered(&value));
        let (is_named, list) = match value.get("translations") {
            Some(named) => (true, list(named, count)),
            None => (false, unnamed(&value, count)),
        };
        let Some(list) = list else { continue };
        let rank = (is_named, is_complete(&list, count));
        if best.as_ref().is_none_or(|(other, _)| rank >= *other) {
            best = Some((rank, list));
        }
    }
    match best {
        Some((_, list)) => Some(list),
        None if single.is_empty() => None,
        None => Some(AnswerList::Numbered(single)),
    }
}

/// Values after the reasoning.
fn spoken(content: &str) -> Vec<Value> {
    let end = ENDS
        .iter()
        .filter_map(|mark| content.rfind(mark).map(|at| at + mark.len()))
        .max()
        .unwrap_or(0);
    let rest = &content[end..];
    if STARTS
        .iter()
        .any(|mark| rest.trim_start().starts_with(mark))
    {
        return Vec::new();
    }
    let mut found = values(rest);
    if found.is_empty() && end > 0 {
        // The marker may be part of a string in the JSON, quoted from the page.
        found = values(content);
        found.retain(|value| value.end > end);
    }
    found.into_iter().map(|found| found.value).collect()
}

fn is_complete(list: &AnswerList, count: usize) -> bool {
    match list {
        AnswerList::Ordered(texts) => texts.len() == count,
        AnswerList::Numbered(entries) => {
            (1..=count).all(|id| entries.iter().any(|(other, _)| *other == id))
        }
    }
}

/// Reads a list: entries, as many strings as texts, one object or string for one text, or texts by number.
fn list(value: &Value, count: usize) -> Option<AnswerList> {
    match value {
        Value::Array(items) => {
            let entries: Vec<_> = items.iter().filter_map(numbered).collect();
            if !entries.is_empty() {
                return Some(AnswerList::Numbered(entries));
            }
            let texts: Vec<_> = items.iter().filter_map(unnumbered).collect();
            if count > 0 && texts.len() == count && items.len() == count {
                Some(AnswerList::Ordered(texts))
            } else {
                None
            }
        }
        Value::Object(fields) => {
            if let Some(entry) = numbered(value) {
                return Some(AnswerList::Numbered(vec![entry]));
            }
            let entries: Vec<_> = fields
                .iter()
                .filter_map(|(id, text)| Some((id_in(id)?, text.as_str()?.to_owned())))
                .collect();
            if !entries.is_empty() {
                return Some(AnswerList::Numbered(entries));
            }
            single(value, count)
        }
        Value::String(_) => single(value, count),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Reads a list without the key `translations`, also from below another key.
fn unnamed(value: &Value, count: usize) -> Option<AnswerList> {
    let fields = match value {
        Value::Object(fields) => fields,
        Value::Array(_) => return list(value, count),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    if numbered(value).is_some() {
        // Consecutive objects are merged once all are read.
        return if count == 1 { list(value, count) } else { None };
    }
    let own = if fields.values().any(Value::is_string) {
        list(value, count)
    } else {
        None
    };
    let named = || {
        fields
            .values()
            .find_map(|field| Some(list(field.get("translations")?, count)).flatten())
    };
    let other = || {
        fields
            .values()
            .filter(|field| field.is_array() || field.is_object())
            .find_map(|f| list(f, count))
    };
    own.or_else(named).or_else(other)
}

/// The answer to a single text.
fn single(value: &Value, count: usize) -> Option<AnswerList> {
    if count == 1 {
        unnumbered(value).map(|text| AnswerList::Ordered(vec![text]))
    } else {
        None
    }
}

/// The text of an entry without a number, or of a string.
fn unnumbered(value: &Value) -> Option<String> {
    value.as_str().or_else(|| text_of(value)).map(str::to_owned)
}

/// An entry with its number.
fn numbered(value: &Value) -> Option<(usize, String)> {
    let id = value.get("id")?;
    let id = match id {
        Value::Number(number) => id_in(&number.to_string()),
        Value::String(text) => id_in(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    Some((id?, text_of(value)?.to_owned()))
}

/// The translation in an entry. `text` comes last, since some models repeat the source there.
fn text_of(entry: &Value) -> Option<&str> {
    [
        "translation",
        "translated_text",
        "translatedText",
        "target",
        "text",
    ]
    .iter()
    .find_map(|key| entry.get(key)?.as_str())
}

/// Parses a number as models write it: `1`, `1.0`, `id1`, `#1`.
fn id_in(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text.trim_start_matches(|character: char| {
        character.is_ascii_alphabetic() || "#_ ".contains(character)
    });
    digits.strip_suffix(".0").unwrap_or(digits).parse().ok()
}

#[cfg(test)]
mod tests;
