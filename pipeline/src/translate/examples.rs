//! Examples for language models: reviewed translations of texts that are similar to the text to translate.

use std::sync::Arc;

use super::carry::Similar;
use crate::engines::TranslationExample;
use crate::page::{CodedText, TextPiece};

/// Maximum number of characters of all examples of a text.
const LONGEST: usize = 2_000;

/// Reviewed translations of a site in one language.
#[derive(Debug, Default)]
pub struct Examples {
    similar: Similar,
    all: Vec<Arc<TranslationExample>>,
}

impl Examples {
    /// Takes pairs of source and translation in the notation of texts. Pairs that cannot be read are left out.
    pub fn of<'a>(reviewed: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut sources = Vec::new();
        let mut all: Vec<Arc<TranslationExample>> = Vec::new();
        for (source, translation) in reviewed {
            let Ok(text) = CodedText::from_markup(source) else {
                continue;
            };
            let Ok(translated) = CodedText::from_markup(translation) else {
                continue;
            };
            let example = TranslationExample {
                source: without_codes(&text),
                translation: without_codes(&translated),
            };
            // Prose and labels may have the same text and translation.
            if all.last().is_some_and(|last| **last == example) {
                continue;
            }
            sources.push(text);
            all.push(Arc::new(example));
        }
        Self {
            similar: Similar::to(sources.iter()),
            all,
        }
    }

    /// The examples most similar to a text, the best first: at most `most`, and 2,000 characters.
    pub(super) fn similar_to(&self, text: &CodedText, most: usize) -> Vec<Arc<TranslationExample>> {
        let mut examples = Vec::new();
        if most == 0 || self.all.is_empty() {
            return examples;
        }
        let mut length = 0;
        for index in self.similar.closest(text, most) {
            let Some(example) = self.all.get(index) else {
                continue;
            };
            if length + example.characters() > LONGEST {
                continue;
            }
            length += example.characters();
            examples.push(Arc::clone(example));
        }
        examples
    }
}

/// Words of a text. A single code, such as a line break, separates words.
fn without_codes(text: &CodedText) -> String {
    let mut words = String::new();
    for piece in text.pieces() {
        match piece {
            TextPiece::Text(text) => words.push_str(text),
            TextPiece::Single(_) => words.push(' '),
            TextPiece::Open(_) | TextPiece::Close(_) => {}
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(examples: &Examples, text: &str, most: usize) -> Vec<String> {
        let text = CodedText::from_markup(text).unwrap();
        examples
            .similar_to(&text, most)
            .iter()
            .map(|example| example.source.clone())
            .collect()
    }

    #[test]
    fn the_most_similar_texts_come_first_r_l25() {
        let examples = Examples::of(
            [
                ("Open on Monday from 9 to 5", "Montags"),
                (
                    "Our <g id=\"1\">fresh</g> bread is baked every<x id=\"2\"/>morning",
                    "Nuestro <g id=\"1\">pan</g>",
                ),
                (
                    "Our fresh bread is baked every single day",
                    "Nuestro pan cada día",
                ),
                ("Broken <g id=\"1\">pair", "Roto"),
            ]
            .into_iter(),
        );
        let text = "Our <g id=\"1\">fresh</g> bread is baked every<x id=\"2\"/>evening";
        let bread = "Our fresh bread is baked every morning";
        assert_eq!(
            sources(&examples, text, 5),
            [bread, "Our fresh bread is baked every single day"]
        );
        assert_eq!(sources(&examples, text, 1), [bread]);
        assert_eq!(sources(&examples, text, 0), [""; 0]);
        assert_eq!(
            sources(&examples, "Closed on Sundays and holidays", 5),
            [""; 0]
        );
    }

    #[test]
    fn equal_pairs_are_one_example_r_l25() {
        let examples =
            Examples::of([("Add to cart", "Añadir"), ("Add to cart", "Añadir")].into_iter());
        assert_eq!(sources(&examples, "Add to cart", 5), ["Add to cart"]);
    }

    #[test]
    fn examples_have_a_limited_length_r_l25() {
        let [one, two, longer] = [(150, "one"), (150, "two"), (151, "and more")]
            .map(|(count, last)| "bread ".repeat(count) + last);
        let examples = Examples::of([(&*one, "x"), (&*two, "y"), (&*longer, "z")].into_iter());
        assert_eq!(sources(&examples, &one, 5), [&*one, &*two]);
    }
}
