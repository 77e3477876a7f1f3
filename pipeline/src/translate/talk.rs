//! Strips comments of a language model from around a translation (R-L3), and detects answers that are no translation.
//!
//! Words are stripped only if the remainder is surely the translation; otherwise the answer is refused. A source may
//! contain such phrases itself, so each rule checks the source first.

mod words;

use std::ops::Range;

use self::words::{
    APOLOGIES, CHATTER, INTERJECTIONS, NOTES, OPENINGS, SOURCE_INABILITIES, SOURCE_NOTES,
    TRANSLATIONS,
};
use crate::model::{LanguagePair, Locale};
use crate::page::{CodedText, TextPiece};
use crate::text::{ASSISTANTS, INABILITIES, REFUSALS, is_dense_letter, refuses};

/// The longest introduction of an answer, in bytes.
const LONGEST_LEAD: usize = 160;
/// Characters that models put around a whole answer. Quotation marks are handled separately.
const WRAPS: [(&str, &str); 6] = [
    ("```", "```"),
    ("__", "__"),
    ("`", "`"),
    ("*", "*"),
    ("'", "'"),
    ("‘", "’"),
];
const QUOTES: [(char, char); 8] = [
    ('"', '"'),
    ('“', '”'),
    ('„', '“'),
    ('„', '”'),
    ('”', '”'),
    ('«', '»'),
    ('»', '«'),
    ('「', '」'),
];

/// An answer without the words and signs around the translation.
pub(super) fn without_talk(
    source: &CodedText,
    answer: CodedText,
    pair: LanguagePair<&Locale>,
) -> CodedText {
    if answer == *source {
        return answer;
    }
    let side = SourceSide::new(source.text(), pair);
    let mut text = answer.map(|text| without_escapes(source.text(), text));
    // Quotation marks and introductions may be nested in either order.
    for _ in 0..4 {
        let inner = side.translation(text.text());
        if inner == (0..text.text().len()) || inner.is_empty() {
            break;
        }
        text = kept(&text, &inner);
    }
    text
}

/// Reason why an answer is the model's own speech and no translation.
pub(super) fn talk(source: &str, target: &str, pair: LanguagePair<&Locale>) -> Option<String> {
    let side = SourceSide::new(source, pair);
    let target = folded(target);
    let speaks = |words: &str| format!("the model says {words:?} instead of translating");
    if let Some(words) = ASSISTANTS
        .iter()
        .find(|words| starts_sentence(&target, words))
        && !side.has_any(&[
            "ai",
            "ki",
            "ia",
            "ии",
            "language model",
            "artificial",
            "assistant",
        ])
    {
        return Some(speaks(words));
    }
    for refusal in REFUSALS.iter().filter(|refusal| refuses(&target, refusal)) {
        let (opening, rest) = refusal;
        let excuses = if rest.is_empty() || *rest == INABILITIES {
            SOURCE_INABILITIES
        } else {
            &[]
        };
        if !side.has_stem(APOLOGIES) && !side.has_stem(excuses) {
            return Some(speaks(opening));
        }
    }
    if !side.is_to_english
        && let Some(words) = CHATTER
            .iter()
            .find(|words| target.contains(*words) && !side.source.contains(*words))
    {
        return Some(speaks(words));
    }
    let is_escaped = target.contains("\\u") && !source.contains('\\');
    if is_escaped {
        Some("it has escapes such as \\u00e9 in it".into())
    } else {
        None
    }
}

/// True if a text, or a sentence in it, begins with these words.
fn starts_sentence(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].trim_end();
        let begins = before.is_empty() || before.ends_with(['.', '!', ',', ':', '。', '，', '、']);
        begins && is_word_end(words, &text[at + words.len()..])
    })
}

/// True if a word may end between these texts. In scripts without spaces, a word may end anywhere.
fn is_word_end(before: &str, after: &str) -> bool {
    !(before.ends_with(is_spaced_letter) && after.starts_with(is_spaced_letter))
}

/// True for letters and digits of scripts with spaces between words.
fn is_spaced_letter(character: char) -> bool {
    character.is_alphanumeric() && !is_dense_letter(character)
}

/// A source text to compare answers with.
struct SourceSide<'a> {
    /// Its text in lower case.
    source: String,
    quotes: usize,
    has_own_note: bool,
    is_to_english: bool,
    to: &'a Locale,
}

impl<'a> SourceSide<'a> {
    fn new(source: &str, pair: LanguagePair<&'a Locale>) -> Self {
        let is_to_english = pair.to.language() == "en";
        let quotes = quotes(source);
        let source = folded(source);
        let has_own_note = has_note(&source);
        Self {
            source,
            quotes,
            has_own_note,
            is_to_english,
            to: pair.to,
        }
    }

    fn has_stem(&self, stems: &[&str]) -> bool {
        stems.iter().any(|stem| self.source.contains(stem))
    }

    /// True if the source has one of these phrases as words.
    fn has_any(&self, words: &[&str]) -> bool {
        let own: Vec<&str> = self
            .source
            .split(|character: char| !character.is_alphanumeric())
            .collect();
        words.iter().any(|word| {
            if word.contains(' ') {
                self.source.contains(word)
            } else {
                own.contains(word)
            }
        })
    }

    /// Bytes of the translation in an answer, with one layer stripped.
    fn translation(&self, text: &str) -> Range<usize> {
        let start = text.len() - text.trim_start().len();
        let end = text.trim_end().len();
        if start >= end {
            return 0..text.len();
        }
        let core = &text[start..end];
        let to = self.note(core);
        let from = self.lead(&core[..to]);
        let (from, to) = if from > 0 || to < core.len() {
            (from, to)
        } else {
            self.unwrapped(core)
        };
        let inner = &core[from..to];
        let trimmed = inner.trim_start();
        let from = start + from + inner.len() - trimmed.len();
        if (from, from + trimmed.trim_end().len()) == (start, end) {
            return 0..text.len();
        }
        from..from + trimmed.trim_end().len()
    }

    /// Bytes of an introduction: "Here is the translation:", "Sure!", "**Translation**".
    fn lead(&self, text: &str) -> usize {
        if text.starts_with("```") {
            return 0;
        }
        let mut most = text.len().min(LONGEST_LEAD);
        while !text.is_char_boundary(most) {
            most -= 1;
        }
        let head = &text[..most];
        let is_new = colons(text) > colons(&self.source);
        let line = head.find('\n').filter(|_| !self.source.contains('\n'));
        let colon = head.find([':', '：']).filter(|_| is_new);
        let ends = [colon, line]
            .into_iter()
            .flatten()
            .filter(|end| self.is_lead(&head[..*end]));
        if let Some(end) = ends.min() {
            let sign = text[end..].chars().next().map_or(0, char::len_utf8);
            let rest = &text[end + sign..];
            // The bold face of the introduction may end behind its colon.
            let bold = if head.starts_with("**") && rest.starts_with("**") {
                2
            } else {
                0
            };
            return if rest[bold..].trim().is_empty() {
                0
            } else {
                end + sign + bold
            };
        }
        if self.is_to_english {
            return 0;
        }
        let lower = folded(text);
        let exclamation = INTERJECTIONS.iter().find(|words| {
            let rest = lower.strip_prefix(**words);
            rest.is_some_and(|rest| rest.trim().len() > 1)
                && !self.source.contains(words.trim_end_matches(['!', '.']))
        });
        exclamation
            .filter(|words| text.is_char_boundary(words.len()))
            .map_or(0, |words| words.len())
    }

    /// Recognizes the words before a colon or at the end of a first line as an introduction.
    fn is_lead(&self, words: &str) -> bool {
        let lower = folded(words);
        let bare = lower.trim_matches(|character: char| !character.is_alphanumeric());
        if bare.is_empty() || bare.split_whitespace().count() > 14 {
            return false;
        }
        if TRANSLATIONS.iter().any(|word| bare.contains(word)) {
            return !self.has_stem(TRANSLATIONS) && !self.source.contains("locali");
        }
        if !self.is_to_english
            && let Some(opening) = OPENINGS.iter().find(|opening| bare.starts_with(**opening))
        {
            return !self.source.contains(opening);
        }
        let names = [self.to.english_name(), self.to.own_name()].map(|name| folded(&name));
        names.iter().any(|name| {
            let language = name.split(" (").next().unwrap_or(name);
            (bare == name || bare == language) && !self.source.contains(language)
        })
    }

    /// Start of a note at the end; the length of the text if there is none.
    fn note(&self, text: &str) -> usize {
        if self.has_own_note || colons(text) <= colons(&self.source) {
            return text.len();
        }
        let bare = text.trim_end_matches(['.', '。', '*', '_']);
        if let Some(start) = last_brackets(bare) {
            let opened = |text: &str| text.matches(['(', '（', '[', '［']).count();
            let inner = text[start..].trim_start_matches(['(', '（', '[', '［', '*', '_']);
            if opened(text) > opened(&self.source)
                && self.is_note(inner)
                && !text[..start].trim().is_empty()
            {
                return text[..start].trim_end_matches(['*', '_']).len();
            }
        }
        let has_lines = self.source.contains('\n');
        for (at, _) in text.char_indices().skip(1) {
            let rest = text[at..].trim_start_matches(['*', '_', '(', '[']);
            let before = text[..at].trim_end();
            let begins_line = !has_lines && text[..at].ends_with('\n');
            let is_foreign = !self.is_to_english && rest.starts_with("Note");
            let begins_sentence =
                is_foreign && before.len() < at && before.ends_with(['.', '!', '?', '…', '"', '”']);
            if (begins_line || begins_sentence) && self.is_note(rest) {
                return before.len();
            }
        }
        text.len()
    }

    /// Recognizes the beginning of a note: "Note:", "Nota del traductor:", "注：".
    fn is_note(&self, text: &str) -> bool {
        let Some(colon) = text.find([':', '：']).filter(|colon| *colon <= 60) else {
            return false;
        };
        let lower = folded(&text[..colon]);
        let label = lower.trim_matches(|character: char| !character.is_alphanumeric());
        NOTES.contains(&label)
            || label
                .split_whitespace()
                .next()
                .is_some_and(|first| NOTES.contains(&first))
                && TRANSLATIONS.iter().any(|word| label.contains(word))
            || label.starts_with("translator")
    }

    /// The bytes inside of signs around the whole text that the source does not have.
    fn unwrapped(&self, text: &str) -> (usize, usize) {
        let whole = (0, text.len());
        for (open, close) in WRAPS {
            let inner = text
                .strip_prefix(open)
                .and_then(|rest| rest.strip_suffix(close));
            let Some(inner) =
                inner.filter(|inner| !inner.trim().is_empty() && !inner.contains(open))
            else {
                continue;
            };
            let has_own = if matches!(open, "'" | "‘") {
                self.source.starts_with(['\'', '"']) || self.source.ends_with(['\'', '"'])
            } else {
                self.source.contains(&open[..1])
            };
            if has_own {
                continue;
            }
            let label = if open == "```" {
                self.fence_label(inner)
            } else {
                0
            };
            return (open.len() + label, text.len() - close.len());
        }
        if quotes(text) != self.quotes + 2 {
            return self.without_heading(text);
        }
        for (open, close) in QUOTES {
            let inner = text
                .strip_prefix(open)
                .and_then(|rest| rest.strip_suffix(close));
            if inner.is_some_and(|inner| !inner.trim().is_empty()) {
                return (open.len_utf8(), text.len() - close.len_utf8());
            }
        }
        whole
    }

    /// Length in bytes of the language label that the first line of a fence may have.
    fn fence_label(&self, inner: &str) -> usize {
        let Some((line, rest)) = inner.split_once('\n') else {
            return 0;
        };
        let label = line.trim_end();
        let is_label = label
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "+-".contains(character));
        let is_own = !label.is_empty() && self.source.contains(&folded(label));
        if is_label && !is_own && !rest.trim().is_empty() {
            line.len()
        } else {
            0
        }
    }

    /// Bytes after a Markdown heading marker.
    fn without_heading(&self, text: &str) -> (usize, usize) {
        let rest = text.trim_start_matches('#');
        let is_heading =
            rest.len() < text.len() && rest.starts_with(' ') && !self.source.contains('#');
        if is_heading {
            (text.len() - rest.len(), text.len())
        } else {
            (0, text.len())
        }
    }
}

/// Start of trailing brackets.
fn last_brackets(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices().rev() {
        match character {
            ')' | '）' | ']' | '］' => depth += 1,
            '(' | '（' | '[' | '［' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match depth {
            0 if matches!(character, '(' | '（' | '[' | '［') => return Some(at),
            0 => return None,
            _ => {}
        }
    }
    None
}

/// Number of colons in a text.
fn colons(text: &str) -> usize {
    text.matches([':', '：']).count()
}

/// True if a text in lower case has a note of its own: a label such as "note:", "hinweis:" or "n.b.:".
fn has_note(text: &str) -> bool {
    text.match_indices([':', '：']).any(|(at, _)| {
        let before = text[..at].trim_end_matches(|character: char| !character.is_alphanumeric());
        let labels = NOTES.iter().chain(SOURCE_NOTES);
        labels.into_iter().any(|label| {
            before
                .strip_suffix(*label)
                .is_some_and(|rest| is_word_end(rest, label))
        })
    })
}

/// Quotation marks in a text, apostrophes left out.
fn quotes(text: &str) -> usize {
    text.chars()
        .filter(|character| "\"“”„‟«»「」『』".contains(*character))
        .count()
}

/// A text in lower case and with plain apostrophes; as long as before for the letters that the rules cut at.
fn folded(text: &str) -> String {
    text.to_lowercase().replace(['’', 'ʼ'], "'")
}

/// Backslashes before letters are line breaks and quotation marks that a model escaped twice; `**` is Markdown.
fn without_escapes(source: &str, text: &str) -> String {
    let mut text = text.to_owned();
    if !source.contains('\\') {
        for (escape, meant) in [
            ("\\r", "\n"),
            ("\\n", "\n"),
            ("\\t", " "),
            ("\\\"", "\""),
            ("\\'", "'"),
            ("\\/", "/"),
        ] {
            text = text.replace(escape, meant);
        }
    }
    if source.contains('*') {
        text
    } else {
        text.replace("**", "")
    }
}

/// Cuts a text to a byte range and keeps all its codes.
fn kept(text: &CodedText, range: &Range<usize>) -> CodedText {
    let mut kept = CodedText::default();
    let mut at = 0;
    for piece in text.pieces() {
        let TextPiece::Text(words) = piece else {
            kept.push(piece);
            continue;
        };
        let from = range.start.clamp(at, at + words.len()) - at;
        let to = range.end.clamp(at, at + words.len()) - at;
        kept.push_text(words.get(from..to).unwrap_or_default());
        at += words.len();
    }
    kept
}

#[cfg(test)]
mod tests;
