//! The numbering systems of languages.

use icu_locale::Locale as IcuLocale;

use crate::model::{Digits, Locale};

/// A language tag with the numbering system for these digits.
pub(super) fn tagged(locale: &Locale, digits: Digits) -> Option<IcuLocale> {
    let numbering = match digits {
        Digits::Latin => "latn",
        Digits::Native => native(locale.language()),
    };
    format!(
        "{}-u-nu-{numbering}",
        locale.as_str().split("-u-").next().unwrap_or_default()
    )
    .parse()
    .ok()
}

/// Native numbering system of a language, from CLDR 49. Chinese is left out: its numerals are not used in tables and
/// clocks.
fn native(language: &str) -> &'static str {
    match language {
        "ar" | "ckb" | "dv" | "sd" => "arab",
        "fa" | "ks" | "lrc" | "mzn" | "ps" | "ug" | "ur" => "arabext",
        "as" | "bn" => "beng",
        "bo" | "dz" => "tibt",
        "brx" | "doi" | "hi" | "kok" | "mai" | "mr" | "ne" | "sa" => "deva",
        "gu" => "gujr",
        "km" => "khmr",
        "kn" => "knda",
        "lo" => "laoo",
        "ml" => "mlym",
        "my" => "mymr",
        "or" => "orya",
        "pa" => "guru",
        "ta" => "tamldec",
        "te" => "telu",
        "th" => "thai",
        _ => "latn",
    }
}
