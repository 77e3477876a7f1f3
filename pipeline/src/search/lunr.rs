//! Finished index of lunr.js (version 2) with an empty pipeline, so words are neither stemmed nor filtered. Pure.
//!
//! The index is written as JSON text from compact rows. A tree of values takes twenty times the size of the text.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::words::{chunks, each_token_of};

/// Version of lunr that introduced this format.
const VERSION: &str = "2.3.9";
/// BM25 parameters, as lunr sets them: saturation by frequency (k1) and normalization by field length (b).
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;

/// Places of words in an index, by which a script marks them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Highlighting {
    /// The index has none.
    None,
    /// The index has the chunks between spaces that contain each word.
    Chunks,
}

/// Writes the index of documents as JSON; `key` is the field that names them.
pub(super) fn finished(
    documents: &[Value],
    key: &str,
    fields: &[&str],
    highlighting: Highlighting,
) -> String {
    let names: Vec<String> = documents
        .iter()
        .map(|document| text(document, key))
        .collect();
    let mut words = LunrWords::default();
    for (number, document) in (0..).zip(documents) {
        for (field, name) in (0..).zip(fields) {
            words.add_field(number, field, &text(document, name));
        }
    }
    let ranking = words.rank(&names);
    let index = LunrIndex {
        words: &words,
        names: &names,
        fields,
        highlighting,
        ranking: &ranking,
    };
    let mut out = Vec::new();
    index.write(&mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn text(document: &Value, field: &str) -> String {
    match document.get(field) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// A word in a field of a document.
#[derive(Clone, Copy)]
struct Posting {
    document: u32,
    field: u32,
    /// The first of its places.
    first: u32,
    count: u32,
}

/// A field of a document.
struct LunrField {
    document: u32,
    field: u32,
    /// Its words, each once.
    words: Range<usize>,
}

/// The words of all documents.
#[derive(Default)]
struct LunrWords {
    numbers: HashMap<Box<str>, u32>,
    /// The postings of each word, in the order of documents.
    postings: Vec<Vec<Posting>>,
    /// Beginnings and lengths of chunks, in UTF-16 code units.
    places: Vec<[u32; 2]>,
    fields: Vec<LunrField>,
    /// Words of fields with their counts.
    counts: Vec<(u32, u32)>,
    /// The words of each field in all documents, and the number of documents.
    lengths: BTreeMap<u32, (u32, u32)>,
}

/// The order of the words in an index.
struct Ranking<'w> {
    /// Words with their numbers, in the order of their UTF-16, as lunr wants them.
    sorted: Vec<(&'w str, u32)>,
    /// Rank and rarity of each word, by its number.
    ranks: Vec<(usize, f64)>,
}

impl LunrWords {
    fn add_field(&mut self, document: u32, field: u32, text: &str) {
        let first = self.counts.len();
        let mut length = 0;
        for (word, found) in places(text) {
            let number = self.number(word);
            let count = short(found.len());
            let posting = Posting {
                document,
                field,
                first: short(self.places.len()),
                count,
            };
            self.places.extend(found);
            if let Some(postings) = self.postings.get_mut(number as usize) {
                postings.push(posting);
            }
            self.counts.push((number, count));
            length += count;
        }
        let all = self.lengths.entry(field).or_default();
        *all = (all.0 + length, all.1 + 1);
        self.fields.push(LunrField {
            document,
            field,
            words: first..self.counts.len(),
        });
    }

    fn number(&mut self, word: String) -> u32 {
        let next = short(self.postings.len());
        let number = *self.numbers.entry(word.into()).or_insert(next);
        if number == next {
            self.postings.push(Vec::new());
        }
        number
    }

    fn rank(&self, names: &[String]) -> Ranking<'_> {
        let mut sorted: Vec<(&str, u32)> = self
            .numbers
            .iter()
            .map(|(word, number)| (&**word, *number))
            .collect();
        sorted.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
        let mut ranks = vec![(0, 0.0); sorted.len()];
        for (rank, (_, number)) in sorted.iter().enumerate() {
            let with = self
                .by_field(*number, names)
                .values()
                .map(BTreeMap::len)
                .sum();
            if let Some(place) = ranks.get_mut(*number as usize) {
                *place = (rank, rarity(with, names.len()));
            }
        }
        Ranking { sorted, ranks }
    }

    /// The postings of a word, by field and by the name of the document. The last one of a name counts.
    fn by_field<'n>(
        &self,
        number: u32,
        names: &'n [String],
    ) -> BTreeMap<u32, BTreeMap<&'n str, Posting>> {
        let mut found: BTreeMap<u32, BTreeMap<&str, Posting>> = BTreeMap::new();
        for posting in self.postings.get(number as usize).into_iter().flatten() {
            if let Some(name) = names.get(posting.document as usize) {
                found
                    .entry(posting.field)
                    .or_default()
                    .insert(name, *posting);
            }
        }
        found
    }
}

/// An index that is ready to be written.
struct LunrIndex<'w> {
    words: &'w LunrWords,
    names: &'w [String],
    fields: &'w [&'w str],
    highlighting: Highlighting,
    ranking: &'w Ranking<'w>,
}

impl LunrIndex<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend(b"{\"fieldVectors\":[");
        for (number, field) in self.words.fields.iter().enumerate() {
            separate(out, number);
            self.write_vector(field, out);
        }
        out.extend(b"],\"fields\":");
        json(out, self.fields);
        out.extend(b",\"invertedIndex\":[");
        for (rank, (word, number)) in self.ranking.sorted.iter().enumerate() {
            separate(out, rank);
            out.push(b'[');
            json(out, word);
            out.push(b',');
            self.write_postings(rank, *number, out);
            out.push(b']');
        }
        out.extend(b"],\"pipeline\":[],\"version\":");
        json(out, VERSION);
        out.push(b'}');
    }

    /// Writes the scores of a field's words, sorted by rank.
    fn write_vector(
        &self,
        LunrField {
            document,
            field,
            words,
        }: &LunrField,
        out: &mut Vec<u8>,
    ) {
        let counts = self.words.counts.get(words.clone()).unwrap_or_default();
        let length: u32 = counts.iter().map(|(_, count)| count).sum();
        let average = self
            .words
            .lengths
            .get(field)
            .map_or(1.0, |&(all, many)| f64::from(all) / f64::from(many.max(1)));
        let mut scores = Vec::with_capacity(counts.len());
        for &(number, count) in counts {
            let Some(&(rank, rarity)) = self.ranking.ranks.get(number as usize) else {
                continue;
            };
            let often = f64::from(count);
            let size = 1.0 - LENGTH + LENGTH * (f64::from(length) / average);
            let score = rarity * ((SATURATION + 1.0) * often) / (SATURATION * size + often);
            scores.push((rank, (score * 1000.0).round() / 1000.0));
        }
        scores.sort_by_key(|(rank, _)| *rank);
        let field = self
            .fields
            .get(*field as usize)
            .copied()
            .unwrap_or_default();
        let name = self
            .names
            .get(*document as usize)
            .map_or("", String::as_str);
        out.push(b'[');
        json(out, &format!("{field}/{name}"));
        out.extend(b",[");
        for (number, (rank, score)) in scores.iter().enumerate() {
            separate(out, number);
            json(out, rank);
            out.push(b',');
            json(out, score);
        }
        out.extend(b"]]");
    }

    /// Writes the postings of a word: its rank, and its documents by field.
    fn write_postings(&self, rank: usize, number: u32, out: &mut Vec<u8>) {
        let found = self.words.by_field(number, self.names);
        let fields: BTreeMap<&str, u32> = self.fields.iter().copied().zip(0..).collect();
        out.extend(b"{\"_index\":");
        json(out, &rank);
        for (field, number) in &fields {
            out.push(b',');
            json(out, field);
            out.extend(b":{");
            for (place, (name, posting)) in found.get(number).into_iter().flatten().enumerate() {
                separate(out, place);
                json(out, name);
                match self.highlighting {
                    Highlighting::None => out.extend(b":{}"),
                    Highlighting::Chunks => {
                        out.extend(b":{\"position\":");
                        let first = posting.first as usize;
                        json(
                            out,
                            self.words
                                .places
                                .get(first..first + posting.count as usize)
                                .unwrap_or_default(),
                        );
                        out.push(b'}');
                    }
                }
            }
            out.push(b'}');
        }
        out.push(b'}');
    }
}

/// Puts a comma before every item but the first.
fn separate(out: &mut Vec<u8>, number: usize) {
    if number > 0 {
        out.push(b',');
    }
}

fn json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Texts and numbers can always be written into memory.
    let _ = serde_json::to_writer(out, value);
}

/// Places of each word in a text: beginnings and lengths of chunks, in UTF-16 code units.
fn places(text: &str) -> BTreeMap<String, Vec<[u32; 2]>> {
    let length = |text: &str| short(text.encode_utf16().count());
    let mut places: BTreeMap<String, Vec<[u32; 2]>> = BTreeMap::new();
    let mut start = 0;
    let mut end = 0;
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

/// Converts a count of words, documents or places, which never exceeds `u32`.
fn short(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Inverse document frequency of a word that this many fields have.
fn rarity(with: usize, documents: usize) -> f64 {
    let documents = f64::from(short(documents));
    let with = f64::from(short(with));
    ((documents - with + 0.5) / (with + 0.5)).abs().ln_1p()
}
