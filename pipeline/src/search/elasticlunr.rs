//! An index as elasticlunr.js keeps it: for each field a tree of letters, with the documents that have the word at its end,
//! and how often. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::words::each_token;

/// The fields of a document with their words.
pub(super) type DocumentFields<'a> = [(&'a str, &'a str)];

/// Fields as they fill.
#[derive(Default)]
pub(super) struct Inverted {
    /// Field → word → document → how often.
    words: BTreeMap<String, BTreeMap<String, BTreeMap<usize, u32>>>,
    lengths: Map<String, Value>,
}

impl Inverted {
    /// Adds the fields of a document.
    pub(super) fn add(&mut self, document: usize, fields: &DocumentFields<'_>) {
        let mut lengths = Map::new();
        for (field, text) in fields {
            let words = self.words.entry((*field).to_owned()).or_default();
            let mut length = 0_u32;
            each_token(text, |word| {
                length += 1;
                match words.get_mut(word) {
                    Some(documents) => *documents.entry(document).or_default() += 1,
                    None => {
                        words.insert(word.to_owned(), [(document, 1)].into());
                    }
                }
            });
            lengths.insert((*field).to_owned(), length.into());
        }
        self.lengths
            .insert(document.to_string(), Value::Object(lengths));
    }

    /// How many words each document has in each field.
    pub(super) fn lengths(&self) -> Value {
        Value::Object(self.lengths.clone())
    }

    /// The trees of the fields.
    pub(super) fn trees(&self) -> Value {
        let tree = |words: &BTreeMap<String, BTreeMap<usize, u32>>| {
            let words: Vec<(&str, &BTreeMap<usize, u32>)> = words
                .iter()
                .map(|(word, documents)| (word.as_str(), documents))
                .collect();
            json!({ "root": node(&words, 0) })
        };
        self.words
            .iter()
            .map(|(field, words)| (field.clone(), tree(words)))
            .collect()
    }
}

/// The node at which some sorted words meet that begin with the same bytes. No word is longer than a few dozen letters.
fn node(words: &[(&str, &BTreeMap<usize, u32>)], depth: usize) -> Value {
    let mut node = Map::new();
    let (here, mut rest) = match words {
        [(word, documents), rest @ ..] if word.len() == depth => (Some(*documents), rest),
        _ => (None, words),
    };
    let documents = here.into_iter().flatten();
    let documents: Map<String, Value> = documents
        .map(|(document, &count)| {
            (
                document.to_string(),
                json!({ "tf": f64::from(count).sqrt() }),
            )
        })
        .collect();
    node.insert("df".to_owned(), documents.len().into());
    node.insert("docs".to_owned(), Value::Object(documents));
    while let Some(letter) = rest
        .first()
        .and_then(|(word, _)| word.get(depth..)?.chars().next())
    {
        let below = rest.partition_point(|(word, _)| {
            word.get(depth..)
                .is_some_and(|word| word.starts_with(letter))
        });
        let (with, after) = rest.split_at(below);
        node.insert(
            letter.to_string(),
            self::node(with, depth + letter.len_utf8()),
        );
        rest = after;
    }
    Value::Object(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lie_in_a_tree_of_letters() {
        let mut index = Inverted::default();
        index.add(0, &[("title", "Él el"), ("body", "Ele")]);
        index.add(1, &[("title", "el, el"), ("body", "")]);
        assert_eq!(
            index.trees(),
            json!({
                "body": {"root": {"df": 0, "docs": {}, "e": {"df": 0, "docs": {}, "l": {"df": 0, "docs": {},
                    "e": {"df": 1, "docs": {"0": {"tf": 1.0}}}}}}},
                "title": {"root": {"df": 0, "docs": {},
                    "e": {"df": 0, "docs": {}, "l": {"df": 2, "docs": {"0": {"tf": 1.0}, "1": {"tf": 2_f64.sqrt()}}}},
                    "é": {"df": 0, "docs": {}, "l": {"df": 1, "docs": {"0": {"tf": 1.0}}}}}},
            })
        );
        assert_eq!(
            index.lengths(),
            json!({"0": {"body": 1, "title": 2}, "1": {"body": 0, "title": 2}})
        );
    }
}
