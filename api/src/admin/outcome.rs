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

impl Screen {
    /// Names what the screen is about in its title.
    pub(super) fn about(self, subject: &str) -> Self {
        Self {
            subject: subject.to_owned(),
            ..self
        }
    }
}
