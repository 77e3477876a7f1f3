//! Reasons for refusing a language tag.

use super::Locale;

/// The reason why a text is no language tag.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LocaleError {
    /// It has another form.
    #[error("{0:?} is not a language tag of BCP 47, such as es, pt-BR or zh-Hant")]
    Form(String),
    /// It is a locale as systems write it, such as `es_MX.UTF-8`.
    #[error("{text:?} is not a language tag of BCP 47; write {tag}")]
    System {
        /// The text.
        text: String,
        /// The tag that it stands for.
        tag: Locale,
    },
    /// It is a country, and no language has this tag.
    #[error("{text:?} is a country, not a language; {language} is {tag}")]
    Country {
        /// The text.
        text: String,
        /// The English name of the language that most people write there.
        language: String,
        /// The tag of that language.
        tag: Locale,
    },
}
