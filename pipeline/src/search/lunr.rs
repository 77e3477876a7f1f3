//! A finished index of lunr.js (version 2), whose words went through no function. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::words::{chunks, each_token_of};

/// The form of the index, by the version of lunr that brought it.
const VERSION: &str = "2.3.9";
/// How much a word counts that stands often in a field, and how much one in a long field: lunr's own figures.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// What a field of a document says: word → how often.
type Counts = BTreeMap<String, u32>;

/// Whether an index says where in a field its words are, so that a script can mark them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Highlighting {
    /// It does not.
    None,
    /// It says where the chunks between spaces are in which the words stand.
    Chunks,
}

/// The index of documents; `key` is the field that names them.
pub(super) fn finished(documents: &[Value], key: &str, fields: &[&str], highlighting: Highlighting) -> Value {
    let text = |document: &Value, field: &str| match document.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let mut counted: Vec<(&str, String, Counts)> = Vec::new();
    // Field → all its words, and how many fields have some.
    let mut lengths: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut words: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    for document in documents {
        let name = text(document, key);
        for &field in fields {
            let places = places(&text(document, field));
            for (word, found) in &places {
                let posting = match words.get_mut(word) {
                    Some(posting) => posting,
                    None => words.entry(word.clone()).or_default(),
                };
                let field = posting.entry(field).or_insert_with(|| Value::Object(Map::new()));
                field[name.as_str()] = match highlighting {
                    Highlighting::None => json!({}),
                    Highlighting::Chunks => json!({ "position": found }),
                };
            }
            let count = |found: Vec<[usize; 2]>| u32::try_from(found.len()).unwrap_or(u32::MAX);
            let counts: Counts = places.into_iter().map(|(word, found)| (word, count(found))).collect();
            let all = lengths.entry(field).or_default();
            *all = (all.0 + counts.values().sum::<u32>(), all.1 + 1);
            counted.push((field, name.clone(), counts));
        }
    }
    // lunr wants them in the order of their UTF-16.
    let mut sorted: Vec<(String, Map<String, Value>)> = words.into_iter().collect();
    sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    let total = documents.len();
    let ranks: BTreeMap<&str, (usize, f64)> =
        (0..).zip(&sorted).map(|(rank, (word, places))| (word.as_str(), (rank, rarity(places, total)))).collect();
    let vectors: Vec<Value> = counted
        .iter()
        .map(|(field, name, counts)| {
            let average = lengths.get(field).map_or(1.0, |&(all, many)| f64::from(all) / f64::from(many.max(1)));
            json!([format!("{field}/{name}"), vector(counts, &ranks, average)])
        })
        .collect();
    let inverted: Vec<Value> = (0_usize..)
        .zip(&sorted)
        .map(|(rank, (word, places))| {
            let mut posting = places.clone();
            posting.insert("_index".to_owned(), rank.into());
            for field in fields {
                posting.entry(*field).or_insert_with(|| json!({}));
            }
            json!([word, posting])
        })
        .collect();
    json!({ "version": VERSION, "fields": fields, "fieldVectors": vectors, "invertedIndex": inverted, "pipeline": [] })
}

/// Where each word of a text stands: the chunks' beginnings and lengths, in units of UTF-16.
fn places(text: &str) -> BTreeMap<String, Vec<[usize; 2]>> {
    let length = |text: &str| text.encode_utf16().count();
    let mut places: BTreeMap<String, Vec<[usize; 2]>> = BTreeMap::new();
    let (mut start, mut end) = (0, 0);
    for (at, chunk) in chunks(text) {
        start += length(&text[end..at]);
        end = at + chunk.len();
        let place = [start, length(chunk)];
        start += place[1];
        each_token_of(chunk, |word| match places.get_mut(word) {
            Some(found) => found.push(place),
            None => drop(places.insert(word.to_owned(), vec![place])),
        });
    }
    places
}

/// How rare a word is.
fn rarity(places: &Map<String, Value>, documents: usize) -> f64 {
    let with = places.values().filter_map(Value::as_object).map(Map::len).sum::<usize>();
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    ((number(documents) - number(with) + 0.5) / (number(with) + 0.5)).abs().ln_1p()
}

/// What each word of a field counts, by rank.
fn vector(counts: &Counts, ranks: &BTreeMap<&str, (usize, f64)>, average: f64) -> Vec<Value> {
    let length: u32 = counts.values().sum();
    let mut scores: Vec<(usize, f64)> = counts
        .iter()
        .filter_map(|(word, &count)| {
            let &(rank, rarity) = ranks.get(word.as_str())?;
            let often = f64::from(count);
            let size = 1.0 - LENGTH + LENGTH * (f64::from(length) / average);
            let score = rarity * ((SATURATION + 1.0) * often) / (SATURATION * size + often);
            Some((rank, (score * 1000.0).round() / 1000.0))
        })
        .collect();
    scores.sort_by_key(|(rank, _)| *rank);
    scores.into_iter().flat_map(|(rank, score)| [Value::from(rank), Value::from(score)]).collect()
}
