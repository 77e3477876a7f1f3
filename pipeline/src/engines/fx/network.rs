//! One neural network: sentences in, sentences out. The only file that names fxtranslate.

use std::io;
use std::path::Path;

use fxtranslate::engine::Engine;
use fxtranslate::segment::MAX_SOURCE_TOKENS;
use fxtranslate::shortlist::Shortlist;
use fxtranslate::spm::SpmVocab;

use super::super::spelling::SpelledText;
use super::super::{Ask, AskError, EngineAnswer, ModelError, ModelFiles, WordLink};
use super::links;
use crate::page::CodedText;
use crate::text::is_dense;

/// The crate's version and ours of how texts are written for it, for fingerprints.
pub(super) const VERSION: &str = "0.5.0-2";
/// Letters of the longest word that is worth sending: a "word" of 100,000 letters took 69 s.
const LONGEST_WORD: usize = 60;
/// Words that these models add to headings.
const INVENTED: [&str; 3] = ["(em inglês)", "(en inglés)", "(en anglais)"];

/// A loaded network. It may be borrowed by other threads but not move to one.
pub(super) struct Network {
    engine: Engine,
    vocabulary: SpmVocab,
}

impl Network {
    /// Loads a model. Read, not mapped: a model that is replaced while it is in use must not tear the process down.
    pub(super) fn load(model: &ModelFiles) -> Result<Self, ModelError> {
        let engine = Engine::load(
            &model.file,
            &model.source_vocabulary,
            &model.target_vocabulary,
        );
        let engine = engine.map_err(ModelError::Refused)?;
        let refused = |file: &Path, error: io::Error| {
            ModelError::Refused(format!("{}: {error}", file.display()))
        };
        let file = &model.source_vocabulary;
        let vocabulary = SpmVocab::load(file).map_err(|error| refused(file, error))?;
        let engine = match &model.shortlist {
            Some(file) => {
                let shortlist = Shortlist::load(file).map_err(|error| refused(file, error))?;
                engine.with_shortlist(shortlist)
            }
            None => engine,
        };
        Ok(Self { engine, vocabulary })
    }

    /// Whether the vocabulary has a character, as it is and not byte by byte.
    fn reads(&self, character: char) -> bool {
        if character.is_ascii_alphanumeric() || " .,:;!?'\"()-/".contains(character) {
            return true;
        }
        let text = format!("a{character}"); // spaces and marks are not read alone
        let is_known = |id: u32| !matches!(self.vocabulary.piece(id), piece if piece == "<unk>" || piece.starts_with("<0x"));
        self.vocabulary
            .normalize(&text)
            .trim_start_matches('\u{2581}')
            == text
            && self.vocabulary.encode(&text).into_iter().all(is_known)
    }

    /// Translates sentences as one batch, and those of which it must be known what their words became one by one, which
    /// takes longer; gives one answer each.
    pub(super) fn translate(&self, asks: &[Ask]) -> Vec<Result<EngineAnswer, AskError>> {
        let texts: Vec<&str> = asks.iter().map(|ask| ask.text.text()).collect();
        let spelled: Vec<SpelledText> = texts
            .iter()
            .map(|text| SpelledText::new(text, &|c| self.reads(c)))
            .collect();
        let mut pieces = Vec::new();
        let mut counts = Vec::new();
        for ((ask, text), spelled) in asks.iter().zip(&texts).zip(&spelled) {
            let before = pieces.len();
            if (ask.marks.is_empty() || ask.marks_terms_only) && !has_endless_word(text) {
                self.fit(spelled.text(), &mut pieces);
            }
            counts.push(pieces.len() - before);
        }
        let mut answers = self.engine.translate_batch(&pieces).into_iter();
        let answers = asks.iter().zip(&texts).zip(&spelled).zip(counts).map(
            |(((ask, text), spelled), count)| {
                let parts: Vec<String> = answers.by_ref().take(count).collect();
                if has_endless_word(text) {
                    return Err(AskError::Refused(format!(
                        "it has a word of more than {LONGEST_WORD} letters"
                    )));
                }
                let batched = if parts.is_empty() {
                    None
                } else {
                    Some(spelled.restore(&join(&parts)?, Vec::new())?.0)
                };
                let (answer, links) =
                    match batched.filter(|answer| ask.marks.is_empty() || ask.has_terms(answer)) {
                        Some(answer) => (answer, None),
                        None => self
                            .translate_linked(spelled)
                            .map(|(answer, links)| (answer, Some(links)))?,
                    };
                let kept = without_invention(text, &answer);
                // An answer that lost invented words has lost the places of its links.
                let links = links.filter(|_| kept == answer);
                Ok(EngineAnswer {
                    text: CodedText::plain(kept),
                    links,
                })
            },
        );
        answers.collect()
    }

    /// Translates a sentence and tells which words became which.
    fn translate_linked(&self, spelled: &SpelledText) -> Result<(String, Vec<WordLink>), AskError> {
        let text = spelled.text();
        let mut pieces = Vec::new();
        self.fit(text, &mut pieces);
        let mut parts = Vec::new();
        let mut links = Vec::new();
        let mut end = 0;
        for piece in pieces {
            let aligned = self.engine.translate_aligned(piece);
            let start = piece.as_ptr() as usize - text.as_ptr() as usize;
            links.extend(
                links::of(&aligned, piece)
                    .into_iter()
                    .map(|link| links::moved(link, start, end)),
            );
            end += aligned.target_text.len() + 1;
            parts.push(aligned.target_text);
        }
        spelled.restore(&join(&parts)?, links)
    }

    /// Cuts a text in halves until each fits the network's window.
    fn fit<'a>(&self, text: &'a str, pieces: &mut Vec<&'a str>) {
        let text = text.trim();
        match middle(text).filter(|_| self.engine.src_ids(text).len() > MAX_SOURCE_TOKENS) {
            Some(at) => {
                self.fit(&text[..at], pieces);
                self.fit(&text[at..], pieces);
            }
            None => pieces.extend(Some(text).filter(|text| !text.is_empty())),
        }
    }
}

/// The parts of a sentence as one.
fn join(parts: &[String]) -> Result<String, AskError> {
    match parts.iter().any(|part| part.trim().is_empty()) {
        true => Err(AskError::Refused(
            "the neural engine has no words for it".into(),
        )),
        false => Ok(parts.join(" ")),
    }
}

fn has_endless_word(text: &str) -> bool {
    !is_dense(text)
        && text
            .split_whitespace()
            .any(|word| word.chars().count() > LONGEST_WORD)
}

/// The cut nearest to the middle: after a comma or the like, else at a space, else between two characters.
fn middle(text: &str) -> Option<usize> {
    let half = text.len() / 2;
    let nearest = |cuts: &mut dyn Iterator<Item = usize>| {
        cuts.filter(|&at| at > 0 && at < text.len())
            .min_by_key(|&at| (at.abs_diff(half), at))
    };
    let clause = |character: char| {
        matches!(
            character,
            ',' | ';' | ':' | '、' | '，' | '；' | '：' | '–' | '—'
        )
    };
    let after = |(at, found): (usize, &str)| at + found.len();
    nearest(
        &mut text
            .match_indices(clause)
            .map(after)
            .filter(|at| at.abs_diff(half) < half / 2),
    )
    .or_else(|| nearest(&mut text.match_indices(' ').map(|(at, _)| at)))
    .or_else(|| nearest(&mut text.char_indices().map(|(at, _)| at)))
}

fn without_invention(source: &str, answer: &str) -> String {
    let mut answer = answer.to_owned();
    if !source.contains('(') {
        for invented in INVENTED {
            answer = answer.replace(&format!(" {invented}"), "");
        }
        // An invention that was cut off.
        if let Some((kept, _)) = answer
            .rsplit_once(" (")
            .filter(|(kept, cut)| !cut.contains(')') && !kept.is_empty())
        {
            answer = kept.to_owned();
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sentences_are_cut_where_it_hurts_least() {
        for (text, expected) in [
            ("one two, three four", Some("one two,")),
            ("one two three four", Some("one two")),
            ("ab", Some("a")),
            ("a", None),
            ("日本語", Some("日")),
        ] {
            assert_eq!(middle(text).map(|at| &text[..at]), expected, "{text}");
        }
    }

    #[test]
    fn what_is_made_up_is_taken_out() {
        assert_eq!(
            without_invention("Rights Management", "Gestão de direitos (em inglês)"),
            "Gestão de direitos"
        );
        assert_eq!(without_invention("FAQ", "FAQ ("), "FAQ");
        assert_eq!(
            without_invention("Rights (in English)", "Direitos (em inglês)"),
            "Direitos (em inglês)"
        );
    }
}
