//! Whose words win: a person's, then the memory's, then an engine's; the source text stands where nobody has any.
//!
//! Pure: the three sources are closures. Nothing that fails its check ever wins; it leaves a notice and the next
//! source is asked.

use std::path::Path;

use super::manner::BY_RULES;
use super::{Reasons, Remembered, SegmentOutcome};
use crate::page::{CodedText, Segment, TextError, check};

/// Where the words of a segment come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TranslationOrigin {
    /// A person's, from a translation file.
    Person,
    /// The memory's, made earlier by the engine with this fingerprint.
    Memory(String),
    /// Made now by the engine with this fingerprint.
    Engine(String),
    /// There is nothing to translate: the source text is right in every language, or rules write its values anew.
    Untouched,
    /// Answers that were refused in an earlier build, or words that a person rejected; the source text is used, or some of its
    /// sentences are. No engine is asked again.
    Refused,
    /// No translation, or none for some sentences; the source text is used there.
    None,
}

/// What stands in a page for a segment, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedText {
    /// The words; `None` means the source text.
    pub text: Option<CodedText>,
    /// Where they come from.
    pub origin: TranslationOrigin,
    /// What was refused on the way, for the report.
    pub notices: Vec<NotTaken>,
}

impl ResolvedText {
    /// A segment that stays in the words of the source, because nobody wants others.
    pub fn untouched() -> Self {
        Self {
            text: None,
            origin: TranslationOrigin::Untouched,
            notices: Vec::new(),
        }
    }

    /// A segment that stays in the words of the source until a person writes others.
    pub fn rejected() -> Self {
        Self {
            origin: TranslationOrigin::Refused,
            ..Self::untouched()
        }
    }
}

/// Why words that are there for a segment do not stand in the page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotTaken {
    /// A person's.
    #[error(transparent)]
    Person(#[from] RefusedWords),
    /// The memory's.
    #[error("the remembered translation is refused: {0}")]
    Memory(TextError),
    /// Those of engines that were asked in an earlier build.
    #[error("{0}")]
    Before(String),
    /// Those of engines that were asked now.
    #[error("{0}")]
    Engines(Reasons),
}

impl ResolvedText {
    /// True if a person's words for the text are refused.
    pub(crate) fn has_refused_words(&self) -> bool {
        self.notices
            .iter()
            .any(|notice| matches!(notice, NotTaken::Person(_)))
    }
}

impl NotTaken {
    /// The same for callers of the API.
    pub fn for_callers(&self) -> String {
        match self {
            Self::Person(words) => words.without_folder().to_string(),
            Self::Memory(_) | Self::Before(_) => self.to_string(),
            Self::Engines(reasons) => reasons.for_callers(),
        }
    }
}

/// Says where a person's words stand that are refused, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the reviewed translation{place} is refused: {reason}", place = self.place())]
pub struct RefusedWords {
    /// The file's name as it was given.
    pub file: String,
    /// The line of its `msgid`, counted from 1; 0 if they stand in no file, but in the state.
    pub line: usize,
    /// What is wrong.
    pub reason: TextError,
}

impl RefusedWords {
    fn place(&self) -> String {
        match self.line {
            0 => String::new(),
            line => format!(" in {}:{line}", self.file),
        }
    }

    /// The same without the folder that the file is in.
    fn without_folder(&self) -> Self {
        let name = Path::new(&self.file)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        Self {
            file: name.unwrap_or_default(),
            ..self.clone()
        }
    }
}

/// Decides for one segment. A first pass with no engine finds what has to be asked: [`TranslationOrigin::None`].
pub fn settle(
    segment: &Segment,
    person: impl FnOnce(&Segment) -> Option<Result<CodedText, RefusedWords>>,
    memory: impl FnOnce(&Segment) -> Option<Remembered>,
    engine: impl FnOnce(&Segment) -> Option<SegmentOutcome>,
) -> ResolvedText {
    let mut notices = Vec::new();
    match person(segment) {
        Some(Ok(text)) => {
            return ResolvedText {
                text: Some(text),
                origin: TranslationOrigin::Person,
                notices,
            };
        }
        Some(Err(refusal)) => notices.push(refusal.into()),
        None => {}
    }
    if !segment.text.has_letter() {
        return ResolvedText {
            text: None,
            origin: TranslationOrigin::Untouched,
            notices,
        };
    }
    if let Some(remembered) = memory(segment) {
        let words = read(segment, &remembered);
        if let Some(reason) = remembered.refused {
            notices.push(NotTaken::Before(reason));
            return ResolvedText {
                text: words.ok(),
                origin: TranslationOrigin::Refused,
                notices,
            };
        }
        match words {
            Ok(text) if remembered.engine == BY_RULES => {
                return ResolvedText {
                    text: Some(text),
                    origin: TranslationOrigin::Untouched,
                    notices,
                };
            }
            Ok(text) => {
                return ResolvedText {
                    text: Some(text),
                    origin: TranslationOrigin::Memory(remembered.engine),
                    notices,
                };
            }
            Err(error) => notices.push(NotTaken::Memory(error)),
        }
    }
    let (text, origin) = match engine(segment) {
        Some(SegmentOutcome::Translated { text, engine }) if engine == BY_RULES => {
            (Some(text), TranslationOrigin::Untouched)
        }
        Some(SegmentOutcome::Translated { text, engine }) => {
            (Some(text), TranslationOrigin::Engine(engine))
        }
        Some(SegmentOutcome::Untouched) => (None, TranslationOrigin::Untouched),
        Some(SegmentOutcome::Refused(refusal)) => {
            notices.push(NotTaken::Engines(refusal.reasons));
            (refusal.partly, TranslationOrigin::None)
        }
        Some(SegmentOutcome::Unavailable) | None => (None, TranslationOrigin::None),
    };
    ResolvedText {
        text,
        origin,
        notices,
    }
}

fn read(segment: &Segment, remembered: &Remembered) -> Result<CodedText, TextError> {
    let text = CodedText::from_markup(&remembered.text)?;
    check(segment, &text).map(|()| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::translate::RefusedSegment;
    use crate::translate::example::plain;

    #[test]
    fn refused_words_of_the_state_name_no_line_of_a_file() {
        let refused = |line| RefusedWords {
            file: "site/es.po".to_owned(),
            line,
            reason: TextError::Empty,
        };
        let why = TextError::Empty;
        assert_eq!(
            refused(3).to_string(),
            format!("the reviewed translation in site/es.po:3 is refused: {why}")
        );
        assert_eq!(
            refused(0).to_string(),
            format!("the reviewed translation is refused: {why}")
        );
    }

    #[test]
    fn people_win_over_the_memory_and_the_memory_over_engines() {
        let memory = |text: &str| {
            Some(Remembered {
                text: text.into(),
                engine: "m".into(),
                source: "s".into(),
                refused: None,
                terms: None,
            })
        };
        let person = |text: &str| Some(Ok(CodedText::plain(text)));
        let wrong = Some(Err(RefusedWords {
            file: "es.po".into(),
            line: 1,
            reason: TextError::Order(1),
        }));
        let engine = || {
            Some(SegmentOutcome::Translated {
                text: CodedText::plain("E"),
                engine: "e".into(),
            })
        };
        let by_rules = SegmentOutcome::Translated {
            text: CodedText::plain("10:00"),
            engine: BY_RULES.into(),
        };
        let refused = || {
            Some(SegmentOutcome::Refused(RefusedSegment {
                partly: None,
                source: "s".into(),
                reasons: Reasons::default(),
                lasting: true,
                answered: true,
            }))
        };
        for (source, person, memory, engine, text, origin, notices) in [
            (
                "Hi",
                person("P"),
                memory("M"),
                engine(),
                Some("P"),
                TranslationOrigin::Person,
                0,
            ),
            (
                "42",
                person("P"),
                None,
                None,
                Some("P"),
                TranslationOrigin::Person,
                0,
            ),
            (
                "42",
                None,
                memory("M"),
                engine(),
                None,
                TranslationOrigin::Untouched,
                0,
            ),
            (
                "Hi",
                None,
                memory("M"),
                engine(),
                Some("M"),
                TranslationOrigin::Memory("m".into()),
                0,
            ),
            (
                "Hi",
                None,
                memory("<b>M"),
                engine(),
                Some("E"),
                TranslationOrigin::Engine("e".into()),
                1,
            ),
            (
                "Hi",
                wrong,
                None,
                engine(),
                Some("E"),
                TranslationOrigin::Engine("e".into()),
                1,
            ),
            (
                "Hi",
                None,
                None,
                refused(),
                None,
                TranslationOrigin::None,
                1,
            ),
            (
                "Hi",
                None,
                None,
                Some(SegmentOutcome::Unavailable),
                None,
                TranslationOrigin::None,
                0,
            ),
            (
                "Hi",
                None,
                None,
                Some(SegmentOutcome::Untouched),
                None,
                TranslationOrigin::Untouched,
                0,
            ),
            (
                "10am",
                None,
                None,
                Some(by_rules),
                Some("10:00"),
                TranslationOrigin::Untouched,
                0,
            ),
            ("Hi", None, None, None, None, TranslationOrigin::None, 0),
        ] {
            let settled = settle(&plain(source), |_| person, |_| memory, |_| engine);
            assert_eq!(settled.text, text.map(CodedText::plain), "{source}");
            assert_eq!(
                (settled.origin, settled.notices.len()),
                (origin, notices),
                "{source}"
            );
        }
    }
}
