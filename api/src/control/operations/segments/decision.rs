//! Decisions of people about texts: the words and the state that each leads to.

use pipeline::inspect::{Replacement, SegmentState, SegmentView};
use pipeline::page::{CodedText, Segment, TextError, check};
use pipeline::state::{PersonRow, PersonState};

/// A decision about a text.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// The words that wait, or else those that readers get, are right.
    Approve,
    /// The words are wrong: a draft goes, and otherwise readers get the source text.
    Reject,
    /// The words that readers get stay, whatever comes.
    Lock,
    /// The words may change again.
    Unlock,
    /// Words in the translation are replaced by others.
    Replace(Replacement),
}

/// The reason why a text stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotChanged {
    /// The site has no such text in this language.
    Unknown,
    /// It changed since the caller saw it.
    Stale,
    /// It is locked.
    Locked,
    /// It is as it should be.
    Same,
    /// There are no words to decide about.
    NoWords,
    /// The words wait in the file of translations, which is where they can be dropped.
    InFile,
    /// Words wait for a review first.
    ToReview,
    /// The words cannot stand for the text.
    Mismatch(TextError),
}

impl NotChanged {
    pub(super) const CODES: [&str; 8] = [
        "segment_not_found",
        "stale_revision",
        "segment_locked",
        "same",
        "no_words",
        "in_file",
        "to_review",
        "markup_mismatch",
    ];

    /// The word for programs.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "segment_not_found",
            Self::Stale => "stale_revision",
            Self::Locked => "segment_locked",
            Self::Same => "same",
            Self::NoWords => "no_words",
            Self::InFile => "in_file",
            Self::ToReview => "to_review",
            Self::Mismatch(_) => "markup_mismatch",
        }
    }

    pub(super) fn message(&self) -> Option<String> {
        match self {
            Self::Mismatch(error) => Some(error.to_string()),
            _ => None,
        }
    }
}

/// Words of a person and their state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decided {
    /// The words, in the notation; empty if there are none.
    pub(super) words: String,
    pub(super) state: PersonState,
}

impl Decided {
    fn without_words(state: PersonState) -> Self {
        Self {
            words: String::new(),
            state,
        }
    }
}

impl Action {
    /// The result for a text; `known` are the person's words that the state has for it.
    pub(super) fn decide(
        &self,
        view: &SegmentView<'_>,
        text: &Segment,
        known: Option<&PersonRow>,
    ) -> Result<Decided, NotChanged> {
        if view.state == SegmentState::Locked && !matches!(self, Self::Unlock) {
            return Err(match self {
                Self::Lock => NotChanged::Same,
                _ => NotChanged::Locked,
            });
        }
        if view.state == SegmentState::Untouched {
            return Err(NotChanged::NoWords);
        }
        let decided = match self {
            Self::Approve => approved(view)?,
            Self::Reject => return rejected(view, known),
            Self::Lock => locked(view)?,
            Self::Unlock if view.state == SegmentState::Locked => Decided {
                words: view.translation.unwrap_or_default().to_owned(),
                state: PersonState::Approved,
            },
            Self::Unlock => return Err(NotChanged::Same),
            Self::Replace(replacement) => replaced(view, replacement)?,
        };
        let words = CodedText::from_markup(&decided.words).map_err(NotChanged::Mismatch)?;
        check(text, &words).map_err(NotChanged::Mismatch)?;
        Ok(decided)
    }
}

fn approved(view: &SegmentView<'_>) -> Result<Decided, NotChanged> {
    let words = match view.state {
        SegmentState::Draft | SegmentState::Outdated => {
            view.waiting.map(|waiting| waiting.words.as_str())
        }
        SegmentState::Machine => view.translation,
        SegmentState::Approved => return Err(NotChanged::Same),
        // The words of a person are wrong, and those of an engine are not what the person means.
        SegmentState::Refused => return Err(NotChanged::ToReview),
        _ => None,
    };
    Ok(Decided {
        words: words.ok_or(NotChanged::NoWords)?.to_owned(),
        state: PersonState::Approved,
    })
}

fn rejected(view: &SegmentView<'_>, known: Option<&PersonRow>) -> Result<Decided, NotChanged> {
    match view.state {
        SegmentState::Rejected => Err(NotChanged::Same),
        SegmentState::Draft | SegmentState::Outdated | SegmentState::Refused => {
            let draft = known.filter(|row| row.state == PersonState::Draft);
            let draft = draft.ok_or(NotChanged::InFile)?;
            Ok(match &draft.stands {
                Some(beneath) => Decided {
                    words: beneath.text.clone(),
                    state: beneath.state,
                },
                None => Decided::without_words(PersonState::Withdrawn),
            })
        }
        _ => Ok(Decided::without_words(PersonState::Rejected)),
    }
}

fn locked(view: &SegmentView<'_>) -> Result<Decided, NotChanged> {
    match view.state {
        SegmentState::Approved | SegmentState::Machine => Ok(Decided {
            words: view.translation.ok_or(NotChanged::NoWords)?.to_owned(),
            state: PersonState::Locked,
        }),
        SegmentState::Draft | SegmentState::Outdated | SegmentState::Refused => {
            Err(NotChanged::ToReview)
        }
        _ => Err(NotChanged::NoWords),
    }
}

fn replaced(view: &SegmentView<'_>, replacement: &Replacement) -> Result<Decided, NotChanged> {
    let (words, state) = match view.state {
        SegmentState::Draft => {
            let waiting = view.waiting.map(|waiting| waiting.words.as_str());
            (waiting, PersonState::Draft)
        }
        SegmentState::Approved | SegmentState::Machine => (view.translation, PersonState::Approved),
        SegmentState::Outdated | SegmentState::Refused => return Err(NotChanged::ToReview),
        _ => (None, PersonState::Approved),
    };
    let words = words.ok_or(NotChanged::NoWords)?;
    let text = CodedText::from_markup(words).map_err(NotChanged::Mismatch)?;
    let changed = replacement.apply(&text);
    if changed == text {
        return Err(NotChanged::Same);
    }
    Ok(Decided {
        words: changed.to_markup(),
        state,
    })
}
