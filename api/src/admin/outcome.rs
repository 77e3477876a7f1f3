//! What a visit leads to: a screen, another page, or a refusal.

use serde_json::Value;

use crate::http::error::ApiError;

/// What a visit leads to.
pub(super) enum VisitOutcome {
    Screen(Screen),
    /// Figures for the script of a page.
    Data(Value),
    /// To another page of the screen.
    Goes(String),
    /// To another page, with another session, or with none.
    Signs {
        to: String,
        secret: Option<String>,
    },
    Refused(ApiError),
}

/// A screen: its template, its place in the navigation, and what is put in.
pub(super) struct Screen {
    pub(super) template: &'static str,
    /// Subject of the screen for its title, such as a path; empty if the template alone names the screen.
    pub(super) subject: String,
    pub(super) here: &'static str,
    /// The site, and the part of it.
    pub(super) site: Option<(String, &'static str)>,
    pub(super) data: Value,
}

/// Result of a form, which the next screen says in a sentence (`done.html`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormResult {
    Activated,
    Added,
    Cancelled,
    Dropped,
    Looked,
    NoneChosen,
    Ordered,
    PreviewOrdered,
    Removed,
    Replaced,
    Saved,
    Sent,
    SessionEnded,
    SwitchedOff,
    SwitchedOn,
    Taken,
    TextsChanged,
    TextsUndone,
    WordsSaved,
}

impl FormResult {
    /// Every result, for the test of their sentences.
    #[cfg(test)]
    pub(super) const ALL: [Self; 19] = [
        Self::Activated,
        Self::Added,
        Self::Cancelled,
        Self::Dropped,
        Self::Looked,
        Self::NoneChosen,
        Self::Ordered,
        Self::PreviewOrdered,
        Self::Removed,
        Self::Replaced,
        Self::Saved,
        Self::Sent,
        Self::SessionEnded,
        Self::SwitchedOff,
        Self::SwitchedOn,
        Self::Taken,
        Self::TextsChanged,
        Self::TextsUndone,
        Self::WordsSaved,
    ];

    /// The word for it in addresses and templates.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Activated => "activated",
            Self::Added => "added",
            Self::Cancelled => "cancelled",
            Self::Dropped => "dropped",
            Self::Looked => "looked",
            Self::NoneChosen => "none_chosen",
            Self::Ordered => "ordered",
            Self::PreviewOrdered => "preview_ordered",
            Self::Removed => "removed",
            Self::Replaced => "replaced",
            Self::Saved => "saved",
            Self::Sent => "sent",
            Self::SessionEnded => "session_ended",
            Self::SwitchedOff => "switched_off",
            Self::SwitchedOn => "switched_on",
            Self::Taken => "taken",
            Self::TextsChanged => "texts_changed",
            Self::TextsUndone => "texts_undone",
            Self::WordsSaved => "words_saved",
        }
    }

    /// The result of a switch.
    pub(super) fn switched(on: bool) -> Self {
        if on {
            Self::SwitchedOn
        } else {
            Self::SwitchedOff
        }
    }
}

impl VisitOutcome {
    /// Leads to a screen that says what a form did.
    pub(super) fn after(to: &str, done: FormResult) -> Self {
        Self::Goes(format!("{to}?done={}", done.as_str()))
    }
}

impl Screen {
    /// A screen without a site.
    pub(super) fn new(template: &'static str, here: &'static str, data: Value) -> Self {
        Self {
            template,
            subject: String::new(),
            here,
            site: None,
            data,
        }
    }

    /// A screen of a site, below one of its tabs.
    pub(super) fn of_site(
        template: &'static str,
        site: &str,
        tab: &'static str,
        data: Value,
    ) -> Self {
        Self {
            site: Some((site.to_owned(), tab)),
            ..Self::new(template, "sites", data)
        }
    }

    /// Names what the screen is about in its title.
    pub(super) fn about(self, subject: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            ..self
        }
    }
}
