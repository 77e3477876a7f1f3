//! Names of languages of neural models, where they differ from the locales of a site.
//!
//! Mozilla's records write some languages in several ways (`no` beside `nb`, `zh` beside `zh-Hans`, `zh_hant`), and a model
//! has a language and a script but no country.

use super::codes::region;
use crate::model::{LanguagePair, Locale};

/// The language that a record names; `None` if it is none.
pub(crate) fn locale_of_record(tag: &str) -> Option<Locale> {
    Locale::parse(&tag.replace('_', "-")).ok()
}

/// True if a model translates between two locales: their languages and scripts are those of the model. Countries do not
/// matter, and Norwegian (`no`) is Bokmål (`nb`).
pub(crate) fn serves(model: LanguagePair<&Locale>, wanted: LanguagePair<&Locale>) -> bool {
    is_language(model.from, wanted.from) && is_language(model.to, wanted.to)
}

fn is_language(model: &Locale, wanted: &Locale) -> bool {
    match (name(model), name(wanted)) {
        ("nb", "nb") => true,
        _ => model.same_language(wanted),
    }
}

fn name(locale: &Locale) -> &str {
    if locale.language() == "no" {
        "nb"
    } else {
        locale.language()
    }
}

/// Notice about a locale whose country the model does not know, such as `pt-PT`: it writes one variant of the language,
/// mostly that of the largest country.
pub fn variant_notice(model: &Locale, wanted: &Locale) -> Option<String> {
    region(wanted)?;
    if model.is_likely(wanted) {
        return None;
    }
    Some(format!(
        "the model for {model} writes one variant of {}, not especially {wanted}",
        english_name(wanted)
    ))
}

/// The language's English name without its country, such as `Portuguese`.
fn english_name(locale: &Locale) -> String {
    Locale::parse(locale.language())
        .map_or_else(|_| locale.to_string(), |language| language.english_name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locale(tag: &str) -> Locale {
        Locale::parse(tag).unwrap()
    }

    #[test]
    fn a_model_serves_locales_of_its_language_and_script() {
        for (record, served, others) in [
            (
                "zh",
                &["zh", "zh-Hans", "zh-CN", "zh-SG"][..],
                &["zh-Hant", "zh-TW", "zh-HK", "yue"][..],
            ),
            ("zh-Hans", &["zh", "zh-CN"], &["zh-TW"]),
            (
                "zh_hant",
                &["zh-Hant", "zh-TW", "zh-HK", "zh-Hant-HK"],
                &["zh", "zh-Hans", "zh-CN"],
            ),
            ("zh-Hant", &["zh-TW", "zh-MO"], &["zh-CN"]),
            ("no", &["no", "nb", "nb-NO", "no-NO"], &["nn", "da"]),
            ("nb", &["no", "nb"], &["nn", "nn-NO"]),
            ("nn", &["nn", "nn-NO"], &["no", "nb"]),
            (
                "bs",
                &["bs", "bs-BA", "bs-Latn"],
                &["hr", "sr", "sr-Latn", "bs-Cyrl"],
            ),
            ("hr", &["hr", "hr-HR"], &["bs", "sr"]),
            ("sr", &["sr", "sr-RS", "sr-Cyrl"], &["sr-Latn", "hr", "bs"]),
            ("he", &["he", "iw", "he-IL"], &["yi"]),
            ("iw", &["he", "iw"], &["ar"]),
            ("id", &["id", "in", "id-ID"], &["ms"]),
            ("in", &["id"], &["ms"]),
            ("tl", &["fil", "tl", "fil-PH"], &["ceb"]),
            ("fil", &["tl"], &["ceb"]),
            ("pt", &["pt", "pt-BR", "pt-PT"], &["gl", "es"]),
        ] {
            let english = locale("en");
            let model = locale_of_record(record).unwrap();
            for (tags, expected) in [(served, true), (others, false)] {
                for tag in tags {
                    let wanted = locale(tag);
                    let into = LanguagePair {
                        from: &english,
                        to: &wanted,
                    };
                    let found = serves(
                        LanguagePair {
                            from: &english,
                            to: &model,
                        },
                        into,
                    );
                    assert_eq!(found, expected, "{record} for {tag}");
                    let out_of = LanguagePair {
                        from: &wanted,
                        to: &english,
                    };
                    let found = serves(
                        LanguagePair {
                            from: &model,
                            to: &english,
                        },
                        out_of,
                    );
                    assert_eq!(found, expected, "{record} from {tag}");
                }
            }
        }
        assert_eq!(locale_of_record("not a tag"), None);
    }

    #[test]
    fn a_country_that_the_model_does_not_know_is_noticed() {
        for (record, tag, noticed) in [
            ("pt", "pt-PT", true),
            ("pt", "pt-BR", false),
            ("pt", "pt", false),
            ("zh-Hant", "zh-HK", true),
            ("zh-Hant", "zh-TW", false),
            ("zh-Hans", "zh-CN", false),
            ("de", "de-DE", false),
            ("de", "de-CH", true),
            ("nb", "nb-NO", false),
        ] {
            let notice = variant_notice(&locale(record), &locale(tag));
            assert_eq!(notice.is_some(), noticed, "{record} for {tag}: {notice:?}");
        }
        let notice = variant_notice(&locale("pt"), &locale("pt-PT")).unwrap();
        assert_eq!(
            notice,
            "the model for pt writes one variant of Portuguese, not especially pt-PT"
        );
    }
}
