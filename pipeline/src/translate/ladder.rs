//! How a text with inline codes reaches an engine that knows text only, and how the answer is put together.
//!
//! The rungs, first that validates wins: a text without paired codes goes whole, its single codes and volatile words
//! as marker words; a text with paired codes would go whole to an engine that tells word links (`project`) and today
//! has its runs between them asked apart; the last rung cuts at every code, so that each comes back exactly once and
//! no space is swallowed. What has no letter of the source's script is never sent: it is part of the frame.

mod cut;

use std::fmt::Write as _;
use std::ops::Range;

use self::cut::{Stretch, Word, stretches};
use super::atoms::{marker_prefix, markers, variables};
use super::script::has_letter_of;
use super::sentences::sentences;
use super::{Caps, Done, Unit};
use crate::model::Locale;
use crate::page::{CodedText, Piece, Segment};

/// How a text is taken apart; each rung is safer than the one before and costs more of the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rung {
    /// Single codes and volatile words travel as marker words.
    Markers,
    /// Every code and volatile word cuts: nothing can be lost, the words between lack their sentence.
    Apart,
}

/// A text taken apart for an engine that knows text only: the frame that stays, and what is asked.
#[derive(Debug)]
pub(super) struct Plan {
    parts: Vec<Part>,
    /// The texts to ask for, in order.
    pub(super) asks: Vec<String>,
    prefix: &'static str,
}

#[derive(Debug)]
enum Part {
    /// Stays as it is.
    Keep(Piece),
    /// Is replaced by the answer to the ask at this index, its markers by these pieces.
    Ask(usize, Vec<Piece>),
}

/// Takes a text apart.
///
/// # Errors
/// A sentence that says why the text cannot be asked without damage.
pub(super) fn plan(segment: &Segment, rung: Rung, source: &Locale, caps: &Caps) -> Result<Plan, String> {
    let prefix = marker_prefix(&segment.text.text()).ok_or("it holds every marker word we know")?;
    let mut plan = Plan { parts: Vec::new(), asks: Vec::new(), prefix };
    for stretch in stretches(segment, rung)? {
        match stretch {
            Stretch::Keep(piece) => plan.parts.push(Part::Keep(piece)),
            Stretch::Words(words) => plan.ask_words(&words, source, caps)?,
        }
    }
    Ok(plan)
}

impl Plan {
    /// Puts the answers into the frame.
    ///
    /// # Errors
    /// A sentence that names the marker that an answer lost, doubled or invented.
    pub(super) fn assemble(&self, answers: &[&Done]) -> Result<CodedText, String> {
        if let Some(text) = self.project(answers) {
            return Ok(text);
        }
        let mut pieces = Vec::new();
        for part in &self.parts {
            match part {
                Part::Keep(piece) => push(&mut pieces, piece.clone()),
                Part::Ask(index, atoms) => {
                    let answer = answers.get(*index).map(|done| done.text.text()).unwrap_or_default();
                    self.fill(answer.trim(), atoms, &mut pieces)?;
                }
            }
        }
        Ok(CodedText(pieces))
    }

    /// Whether some ask holds a marker, so that a safer rung would ask something else.
    pub(super) fn has_markers(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Ask(_, atoms) if !atoms.is_empty()))
    }

    /// Puts paired codes back by the answers' [`super::WordLink`]s (ENGINES 5.3, rung 1): the seam for projection.
    ///
    /// No engine tells links yet, so no text with paired codes is asked whole and there is nothing to project.
    fn project(&self, _answers: &[&Done]) -> Option<CodedText> {
        None
    }

    fn fill(&self, answer: &str, atoms: &[Piece], pieces: &mut Vec<Piece>) -> Result<(), String> {
        if answer.is_empty() {
            return Err("a part of it came back empty".into());
        }
        let mut seen = vec![false; atoms.len()];
        let mut at = 0;
        for (range, number) in markers(answer, self.prefix) {
            let index = number.wrapping_sub(1);
            let atom = atoms.get(index).ok_or_else(|| format!("it invents the marker {}", &answer[range.clone()]))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(format!("it doubles {}", name(atom)));
            }
            push(pieces, Piece::Text(answer[at..range.start].to_owned()));
            push(pieces, atom.clone());
            at = range.end;
        }
        push(pieces, Piece::Text(answer[at..].to_owned()));
        match seen.iter().position(|seen| !seen) {
            Some(index) => Err(format!("it loses {}", name(&atoms[index]))),
            None => Ok(()),
        }
    }

    /// Asks for a stretch of words in one go, or sentence by sentence.
    fn ask_words(&mut self, words: &[Word], source: &Locale, caps: &Caps) -> Result<(), String> {
        let (text, atoms) = self.mark(words);
        let core = core_of(&text);
        let before = text[..core.start].to_owned();
        let after = text[core.end..].to_owned();
        self.keep(&before, &atoms);
        for (gap, sentence) in split(&text[core], caps) {
            self.keep(gap, &atoms);
            self.ask(sentence, &atoms, source, caps)?;
        }
        self.keep(&after, &atoms);
        Ok(())
    }

    fn ask(&mut self, text: &str, atoms: &[Piece], source: &Locale, caps: &Caps) -> Result<(), String> {
        if !has_letter_of(&self.without_markers(text), source) {
            self.keep(text, atoms);
            return Ok(());
        }
        let length = text.chars().count();
        if length > caps.max_chars {
            return Err(format!("a sentence of {length} characters is longer than the engine takes"));
        }
        let (renumbered, held) = self.renumber(text, atoms);
        self.parts.push(Part::Ask(self.asks.len(), held));
        self.asks.push(renumbered);
        Ok(())
    }

    /// Writes the words as one text in which codes and volatile words are markers.
    fn mark(&self, words: &[Word]) -> (String, Vec<Piece>) {
        let mut text = String::new();
        let mut atoms = Vec::new();
        for word in words {
            match word {
                Word::Text(plain) => text.push_str(plain),
                Word::Atom(piece) => {
                    atoms.push(piece.clone());
                    let _ = write!(text, "{}{}", self.prefix, atoms.len());
                }
            }
        }
        (text, atoms)
    }

    /// Numbers the markers of one ask from 1, so that equal asks are equal wherever they stand.
    fn renumber(&self, text: &str, atoms: &[Piece]) -> (String, Vec<Piece>) {
        let mut renumbered = String::new();
        let mut held = Vec::new();
        let mut at = 0;
        for (range, number) in markers(text, self.prefix) {
            renumbered.push_str(&text[at..range.start]);
            held.extend(atoms.get(number.wrapping_sub(1)).cloned());
            let _ = write!(renumbered, "{}{}", self.prefix, held.len());
            at = range.end;
        }
        renumbered.push_str(&text[at..]);
        (renumbered, held)
    }

    fn without_markers(&self, text: &str) -> String {
        let mut plain = String::new();
        let mut at = 0;
        for (range, _) in markers(text, self.prefix) {
            plain.push_str(&text[at..range.start]);
            at = range.end;
        }
        plain + &text[at..]
    }

    /// Keeps marked text as it is, the markers turned back.
    fn keep(&mut self, text: &str, atoms: &[Piece]) {
        let mut at = 0;
        for (range, number) in markers(text, self.prefix) {
            self.parts.push(Part::Keep(Piece::Text(text[at..range.start].to_owned())));
            self.parts.extend(atoms.get(number.wrapping_sub(1)).cloned().map(Part::Keep));
            at = range.end;
        }
        self.parts.push(Part::Keep(Piece::Text(text[at..].to_owned())));
    }
}

/// Names an atom in a report.
fn name(atom: &Piece) -> String {
    match atom {
        Piece::Text(text) => format!("{text:?}"),
        Piece::Single(id) | Piece::Open(id) | Piece::Close(id) => format!("inline code {id}"),
    }
}

fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), piece) {
        (_, Piece::Text(text)) if text.is_empty() => {}
        (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
        (_, piece) => pieces.push(piece),
    }
}

/// What of a stretch is asked: without the white space around it, without the closing punctuation in front that
/// belongs to what stands before (F-21, F-29), and without what opens at its end.
fn core_of(text: &str) -> Range<usize> {
    let lead =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | ')' | ']' | '}' | '!' | '?' | '…' | '–' | '—');
    let tail = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '“' | '„' | '«' | '¿' | '¡');
    let start = text.len() - text.trim_start_matches(lead).len();
    let end = text.trim_end_matches(tail).len();
    start..end.max(start)
}

/// Sentences with the gap before each; the whole text where the engine takes blocks and the text is not too long.
fn split<'a>(core: &'a str, caps: &Caps) -> Vec<(&'a str, &'a str)> {
    if caps.unit == Unit::Block && core.chars().count() <= caps.max_chars {
        return vec![("", core)];
    }
    let mut last = 0;
    let mut found = Vec::new();
    for range in sentences(core) {
        found.push((&core[last..range.start], &core[range.clone()]));
        last = range.end;
    }
    found.push((&core[last..], ""));
    found
}

/// Whether a text is nothing but template variables, white space and punctuation for every engine.
pub(super) fn is_untouchable(text: &CodedText) -> bool {
    let plain = text.text();
    let mut at = 0;
    let mut rest = String::new();
    for range in variables(&plain) {
        rest.push_str(&plain[at..range.start]);
        at = range.end;
    }
    rest.push_str(&plain[at..]);
    !rest.chars().any(char::is_alphabetic)
}
