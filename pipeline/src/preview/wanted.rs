//! What whoever orders a preview says.

use crate::config::Payer;
use crate::model::{LanguagePair, Locale};

/// What is to be previewed.
#[derive(Clone, Debug)]
pub struct PreviewRequest {
    /// The page's address.
    pub url: String,
    /// The page's language.
    pub source: Locale,
    /// The language wanted.
    pub target: Locale,
    /// Who pays for what engines are sent, beside the page's site.
    pub payer: Option<Payer>,
}

impl PreviewRequest {
    /// What is translated into what.
    pub(super) fn pair(&self) -> LanguagePair<&Locale> {
        LanguagePair {
            from: &self.source,
            to: &self.target,
        }
    }
}
