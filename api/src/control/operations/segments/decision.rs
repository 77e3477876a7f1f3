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
    /// Words wait for a review first.
    ToReview,
    /// The words cannot stand for the text.
    Mismatch(TextError),
}

impl NotChanged {
    pub(super) const CODES: [&str; 7] = [
        "segment_not_found",
        "stale_revision",
        "segment_locked",
        "same",
        "no_words",
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
    /// Fingerprint of the entry of the file that they were written for.
    pub(super) base: Option<u64>,
}

impl Decided {
    fn without_words(base: Option<u64>, state: PersonState) -> Self {
        Self {
            words: String::new(),
            state,
            base,
        }
    }

    /// The words that readers get or that wait, if what the file says of the text does not decide about them.
    pub(super) fn words_now(&self, base: Option<u64>) -> Option<String> {
        (self.base == base && !self.words.is_empty()).then(|| self.words.clone())
    }
}

impl Action {
    /// The words that the action is about, as they are before it.
    pub(super) fn former<'v>(&self, view: &SegmentView<'v>) -> Option<&'v str> {
        let waiting = view.waiting.map(|waiting| waiting.words.as_str());
        match self {
            Self::Reject | Self::Replace(_) => waiting.or(view.translation),
            Self::Approve | Self::Lock | Self::Unlock => view.translation,
        }
    }

    /// The result for a text; `known` are the person's words that the state has for it, and `base` is the fingerprint of what the file
    /// says of it now.
    pub(super) fn decide(
        &self,
        view: &SegmentView<'_>,
        text: &Segment,
        known: Option<&PersonRow>,
        base: Option<u64>,
    ) -> Result<Decided, NotChanged> {
        let is_locked = view.state == SegmentState::Locked;
        if is_locked && !matches!(self, Self::Unlock) {
            return Err(match self {
                Self::Lock => NotChanged::Same,
                _ => NotChanged::Locked,
            });
        }
        if view.state == SegmentState::Untouched {
            return Err(NotChanged::NoWords);
        }
        let decided = match self {
            Self::Approve => Decided {
                words: approved(view)?,
                state: PersonState::Approved,
                base,
            },
            Self::Reject => return rejected(view, known, base),
            Self::Lock => Decided {
                words: locked(view)?,
                state: PersonState::Locked,
                base,
            },
            // Words that somebody approved in the file since then take over, as they do after every edit.
            Self::Unlock if is_locked => {
                return Ok(Decided {
                    words: view.translation.unwrap_or_default().to_owned(),
                    state: PersonState::Approved,
                    base: known.map_or(base, PersonRow::base_of_decision),
                });
            }
            Self::Unlock => return Err(NotChanged::Same),
            Self::Replace(replacement) => replaced(view, replacement, base)?,
        };
        let words = CodedText::from_markup(&decided.words).map_err(NotChanged::Mismatch)?;
        check(text, &words).map_err(NotChanged::Mismatch)?;
        Ok(decided)
    }
}

fn approved(view: &SegmentView<'_>) -> Result<String, NotChanged> {
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
    Ok(words.ok_or(NotChanged::NoWords)?.to_owned())
}

fn rejected(
    view: &SegmentView<'_>,
    known: Option<&PersonRow>,
    base: Option<u64>,
) -> Result<Decided, NotChanged> {
    match view.state {
        SegmentState::Rejected => Err(NotChanged::Same),
        SegmentState::Draft | SegmentState::Outdated | SegmentState::Refused => {
            let draft = known.filter(|row| row.state == PersonState::Draft);
            let Some(draft) = draft else {
                // Words of the file, or for a text that was here before.
                return Ok(Decided::without_words(base, PersonState::Untranslated));
            };
            Ok(match &draft.stands {
                Some(beneath) => Decided {
                    words: beneath.text.clone(),
                    state: beneath.state,
                    base: beneath.base,
                },
                None => Decided::without_words(base, PersonState::Withdrawn),
            })
        }
        _ => Ok(Decided::without_words(base, PersonState::Rejected)),
    }
}

fn locked(view: &SegmentView<'_>) -> Result<String, NotChanged> {
    match view.state {
        SegmentState::Approved | SegmentState::Machine => {
            Ok(view.translation.ok_or(NotChanged::NoWords)?.to_owned())
        }
        SegmentState::Draft | SegmentState::Outdated | SegmentState::Refused => {
            Err(NotChanged::ToReview)
        }
        _ => Err(NotChanged::NoWords),
    }
}

fn replaced(
    view: &SegmentView<'_>,
    replacement: &Replacement,
    base: Option<u64>,
) -> Result<Decided, NotChanged> {
    let mut state = PersonState::Approved;
    let words = match view.state {
        SegmentState::Draft => {
            state = PersonState::Draft;
            view.waiting.map(|waiting| waiting.words.as_str())
        }
        SegmentState::Approved | SegmentState::Machine => view.translation,
        SegmentState::Outdated | SegmentState::Refused => return Err(NotChanged::ToReview),
        _ => None,
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
        base,
    })
}
