//! Apertium: rule-based translation by programs of this machine, started once per pair and kept.
//!
//! GPL programs are run, never linked. Each pair is a pipeline of a dozen stages that read and write at the same
//! time, so one pipeline at a time is asked. It hangs on some input by design of its formats, therefore every text
//! has a deadline: past it the whole group of processes is killed and started again, and only that text is refused.

mod blanks;
mod modes;
mod pipe;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Mutex;

use self::blanks::MarkedPart;
use self::modes::{Mode, Modes};
use self::pipe::{ApertiumPipe, Unknown};
use super::spelling::SpelledText;
use super::{
    Ask, AskError, Caps, Engine, EngineAnswer, EngineError, EnginePlace, EngineRequest, Markup,
    Offer, TranslationUnit, UnknownWords, WordLink,
};
use crate::model::{LanguagePair, Locale};
use crate::page::CodedText;

/// Where Debian installs what pairs there are.
const MODES: &str = "/usr/share/apertium/modes";
/// The version of how texts are written for it, for fingerprints.
const SPELLING: u32 = 2;
/// How long one text may take; a page of text takes milliseconds, the first one up to half a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a pipeline is started again for one request before the rest of it is refused.
const RESTARTS: usize = 3;

/// The engine that asks Apertium.
pub(super) struct Apertium {
    caps: Caps,
    modes: Modes,
    patience: Duration,
    /// Idle pipelines by mode file and treatment of unknown words; a pipeline in use is taken out.
    pipes: Mutex<HashMap<(PathBuf, Unknown), ApertiumPipe>>,
}

impl Apertium {
    /// The pairs that are installed on this machine.
    pub(super) fn installed() -> Self {
        Self::in_folder(Path::new(MODES), PATIENCE)
    }

    fn in_folder(folder: &Path, patience: Duration) -> Self {
        let caps = Caps {
            markup: Markup::Links,
            unit: TranslationUnit::Block,
            max_items: 64,
            max_chars: 20_000,
            parallel: 1,
            place: EnginePlace::LocalProcess,
            deterministic: true,
            billed: false,
        };
        Self {
            caps,
            modes: Modes::read(folder),
            patience,
            pipes: Mutex::default(),
        }
    }

    /// Asks for some texts in one go; stops at the first that gets no answer.
    async fn ask(
        &self,
        (mode, unknown): (&Mode, Unknown),
        texts: &[String],
        patience: Duration,
    ) -> Result<Vec<String>, EngineError> {
        let place = (mode.file.clone(), unknown);
        let running = self.pipes.lock().await.remove(&place);
        let mut pipe = match running {
            Some(pipe) => pipe,
            None => ApertiumPipe::start(&mode.file, unknown)
                .await
                .map_err(EngineError::Absent)?,
        };
        let answers = pipe.ask(texts, patience).await;
        if answers.len() == texts.len() {
            self.pipes.lock().await.insert(place, pipe);
        } else {
            pipe.end().await;
        }
        Ok(answers)
    }
}

#[async_trait]
impl Engine for Apertium {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn kind(&self) -> &'static str {
        "apertium"
    }

    fn fingerprint(&self, pair: LanguagePair<&Locale>) -> String {
        match self.modes.find(pair) {
            Ok(mode) => format!("apertium {} {} {SPELLING}", mode.name, mode.fingerprint()),
            Err(_) => "apertium".into(),
        }
    }

    fn offers(&self, pair: LanguagePair<&Locale>) -> Offer {
        match self.modes.find(pair) {
            Ok(_) => Offer::Yes,
            Err(hint) => Offer::No(hint),
        }
    }

    fn lack(&self) -> Option<String> {
        self.modes.lack()
    }

    fn reads_sentence_case(&self) -> bool {
        true
    }

    async fn translate(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<Result<EngineAnswer, AskError>>, EngineError> {
        let mode = self
            .modes
            .find(request.pair)
            .map_err(|hint| EngineError::Unsupported {
                pair: request.pair.cloned(),
                hint,
            })?;
        let patience = self.patience.min(request.deadline);
        let (spelled, asks): (Vec<SpelledText>, Vec<Ask>) = request.asks.iter().map(spell).unzip();
        let texts: Vec<String> = asks
            .iter()
            .map(|ask| blanks::write(ask.text.text(), &ask.marks))
            .collect();
        let mut done = Vec::with_capacity(texts.len());
        let mut failures = 0;
        while done.len() < texts.len() {
            let answers = self
                .ask((mode, Unknown::Plain), &texts[done.len()..], patience)
                .await?;
            let asked = asks.iter().zip(&spelled).skip(done.len());
            done.extend(
                asked
                    .zip(&answers)
                    .map(|((ask, spelled), answer)| restore(spelled, read(ask, answer))),
            );
            if done.len() == texts.len() {
                break;
            }
            failures += 1;
            let lost = if failures > RESTARTS {
                texts.len() - done.len()
            } else {
                1
            };
            let reason = format!(
                "apertium gave no answer within {} s",
                patience.as_secs_f32()
            );
            done.extend((0..lost).map(|_| Err(AskError::Unanswered(reason.clone()))));
        }
        Ok(done)
    }

    async fn unknown_words(
        &self,
        request: EngineRequest<'_>,
    ) -> Result<Vec<UnknownWords>, EngineError> {
        let mode = self
            .modes
            .find(request.pair)
            .map_err(|hint| EngineError::Unsupported {
                pair: request.pair.cloned(),
                hint,
            })?;
        let patience = self.patience.min(request.deadline);
        let texts: Vec<String> = request
            .asks
            .iter()
            .map(|ask| blanks::write(spell(ask).1.text.text(), &[]))
            .collect();
        let answers = self.ask((mode, Unknown::Marked), &texts, patience).await?;
        let mut words: Vec<UnknownWords> = Vec::with_capacity(texts.len());
        words.extend(
            answers
                .iter()
                .map(|answer| Ok(marked_words(&pipe::unescape(answer)))),
        );
        words.resize_with(texts.len(), || {
            Err(AskError::Failed(EngineError::Deadline(patience)))
        });
        Ok(words)
    }
}

/// Words marked with an asterisk, which the pair does not know.
fn marked_words(answer: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut before = None;
    for (at, character) in answer.char_indices() {
        let word = &answer[at + character.len_utf8()..];
        let length = word
            .find(|letter: char| !letter.is_alphanumeric())
            .unwrap_or(word.len());
        let is_mark = character == '*' && !before.is_some_and(char::is_alphanumeric);
        if is_mark && word[..length].contains(char::is_alphabetic) {
            words.push(word[..length].to_owned());
        }
        before = Some(character);
    }
    words
}

/// Writes a text as the pipeline reads it best: it takes single quotation marks for apostrophes.
fn spell(ask: &Ask) -> (SpelledText, Ask) {
    let spelled = SpelledText::new(ask.text.text(), &|character| {
        !matches!(character, '‘' | '’')
    });
    let marks = ask.marks.iter().map(|mark| spelled.sent(mark)).collect();
    let sent = Ask {
        text: CodedText::plain(spelled.text()),
        marks,
        ..ask.clone()
    };
    (spelled, sent)
}

fn restore(spelled: &SpelledText, done: EngineAnswer) -> Result<EngineAnswer, AskError> {
    let has_links = done.links.is_some();
    let (text, links) = spelled.restore(done.text.text(), done.links.unwrap_or_default())?;
    Ok(EngineAnswer {
        text: CodedText::plain(text),
        links: has_links.then_some(links),
    })
}

/// Tidies what the pipeline leaves where it dropped or moved a word: doubled spaces, spaces at the ends and beside
/// punctuation, and a capital in the wrong place ("is big" → " Es grande").
fn read(ask: &Ask, answer: &str) -> EngineAnswer {
    let asked = ask.text.text();
    let parts = blanks::read(answer);
    let words = words(&parts);
    let plain = |word: &[(&str, &[usize])]| word.iter().map(|(text, _)| *text).collect::<String>();
    let same = asked
        .split(' ')
        .zip(&words)
        .take_while(|(asked, word)| **asked == plain(word))
        .count();
    let first = |text: &str| text.chars().find(|character| character.is_alphabetic());
    let letter = asked.split(' ').nth(same).and_then(first);
    let mut tidy = String::new();
    let mut links = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let joins = word
            .first()
            .is_some_and(|(text, _)| is_joined(&tidy, text, asked));
        tidy.push_str(if at > 0 && !joins { " " } else { "" });
        let mut letter = letter.filter(|_| at == same);
        for (text, marks) in word {
            let start = tidy.len();
            match letter.filter(|_| first(text).is_some()) {
                Some(wanted) => tidy.push_str(&cased_like(wanted, text)),
                None => tidy.push_str(text),
            }
            letter = letter.filter(|_| first(text).is_none());
            let sources: Vec<_> = marks
                .iter()
                .filter_map(|&mark| ask.marks.get(mark).cloned())
                .collect();
            links.push(WordLink {
                target: start..tidy.len(),
                sources,
            });
        }
    }
    links.retain(|link| !link.sources.is_empty());
    EngineAnswer {
        text: CodedText::plain(tidy),
        links: Some(links).filter(|_| !ask.marks.is_empty()),
    }
}

/// Whether no space belongs between a text and the next word: beside punctuation, where the question has none either.
fn is_joined(before: &str, word: &str, asked: &str) -> bool {
    let opens = before
        .chars()
        .next_back()
        .filter(|last| "([{«“¿¡".contains(*last));
    let closes = word
        .chars()
        .next()
        .filter(|first| ")]}»”.,;:!?".contains(*first));
    opens.is_some_and(|open| !asked.contains(&format!("{open} ")))
        || closes.is_some_and(|close| !asked.contains(&format!(" {close}")))
}

/// The words of an answer, each of parts with the marks that they came of.
fn words(parts: &[MarkedPart]) -> Vec<Vec<(&str, &[usize])>> {
    let mut words = Vec::new();
    let mut word = Vec::new();
    for part in parts {
        for (at, text) in part.text.split(' ').enumerate() {
            if at > 0 {
                words.push(std::mem::take(&mut word));
            }
            word.extend(Some((text, part.marks.as_slice())).filter(|_| !text.is_empty()));
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The word with a first letter of the same case; words of capitals stay as they are.
fn cased_like(letter: char, word: &str) -> String {
    let mut letters = word
        .char_indices()
        .filter(|(_, character)| character.is_alphabetic());
    let Some((at, first)) = letters.next() else {
        return word.to_owned();
    };
    if letters
        .next()
        .is_some_and(|(_, second)| second.is_uppercase())
    {
        return word.to_owned();
    }
    let cased: String = if letter.is_lowercase() {
        first.to_lowercase().collect()
    } else {
        first.to_uppercase().collect()
    };
    format!("{}{cased}{}", &word[..at], &word[at + first.len_utf8()..])
}

#[cfg(test)]
mod tests;
