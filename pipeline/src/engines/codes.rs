//! Names of languages as services write them, where they differ from BCP 47.

use crate::model::Locale;

/// The name of Chinese in the script of this locale, if it is Chinese.
pub(super) fn chinese<'a>(
    locale: &Locale,
    simplified: &'a str,
    traditional: &'a str,
) -> Option<&'a str> {
    let is_traditional =
        || Locale::parse("zh-Hant").is_ok_and(|traditional| locale.same_language(&traditional));
    (locale.language() == "zh").then(|| {
        if is_traditional() {
            traditional
        } else {
            simplified
        }
    })
}

/// The country or area of a tag, such as `BR` of `pt-BR`.
pub(super) fn region(locale: &Locale) -> Option<&str> {
    let is_region = |subtag: &&str| match subtag.len() {
        2 => subtag.bytes().all(|byte| byte.is_ascii_uppercase()),
        3 => subtag.bytes().all(|byte| byte.is_ascii_digit()),
        _ => false,
    };
    locale
        .as_str()
        .split('-')
        .skip(1)
        .take_while(|subtag| subtag.len() > 1)
        .find(is_region)
}

/// Whether a tag says that its script is this one.
pub(super) fn names_script(locale: &Locale, script: &str) -> bool {
    locale.as_str().split('-').nth(1) == Some(script)
}

/// Whether this is Portuguese of a country other than Brazil.
pub(super) fn is_european_portuguese(locale: &Locale) -> bool {
    locale.language() == "pt" && region(locale).is_some_and(|region| region != "BR")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_regions_are_found() {
        for (tag, name, country) in [
            ("zh", Some("s"), None),
            ("zh-TW", Some("t"), Some("TW")),
            ("zh-Hant", Some("t"), None),
            ("zh-Hans-HK", Some("s"), Some("HK")),
            ("es-419", None, Some("419")),
            ("pt-BR", None, Some("BR")),
            ("de-x-at", None, None),
        ] {
            let locale = Locale::parse(tag).unwrap();
            assert_eq!(
                (chinese(&locale, "s", "t"), region(&locale)),
                (name, country),
                "{tag}"
            );
        }
        assert!(is_european_portuguese(&Locale::parse("pt-PT").unwrap()));
        assert!(names_script(&Locale::parse("sr-Latn").unwrap(), "Latn"));
    }
}
