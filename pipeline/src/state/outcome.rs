//! How a run ended, in one word for programs, and what is worth knowing about it.
//!
//! The word is what the command line's exit code says of the same run; both are made of it.

use serde::{Deserialize, Serialize};

use crate::model::Locale;

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOutcome {
    /// Everything was done.
    #[default]
    Ok,
    /// Done, but pages failed, were left out or stay in an older version, or translations were refused.
    Partial,
    /// Done, but the source looks wrong: what it lost stays published.
    SourceSuspect,
    /// There were words to translate, and not one of them is.
    NothingTranslated,
    /// A budget would have been exceeded; nothing was sent.
    OverBudget,
    /// It took longer than it may and was stopped.
    TimedOut,
    /// Somebody stopped it.
    Cancelled,
    /// It ended without a deployment; the previous one stays.
    Failed,
}

/// Something about a run that its owner should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunWarning {
    /// The kind, for programs.
    pub code: String,
    /// The warning, for people.
    pub message: String,
    /// The locale that it is about; absent for the whole site.
    #[serde(
        default,
        rename = "targetLang",
        skip_serializing_if = "Option::is_none"
    )]
    pub locale: Option<Locale>,
}

impl RunWarning {
    /// A warning about the whole site.
    pub fn of_site(code: &str, message: String) -> Self {
        Self {
            code: code.to_owned(),
            message,
            locale: None,
        }
    }

    /// A warning about a locale.
    pub fn of_locale(code: &str, locale: &Locale, message: String) -> Self {
        Self {
            code: code.to_owned(),
            message,
            locale: Some(locale.clone()),
        }
    }
}
