//! Tags of languages in `hreflang`, as search engines know them (R-C3).

use std::collections::BTreeMap;

use crate::model::Locale;

/// Tags of the locales that search engines can tell apart.
pub(in crate::run) struct SearchTags(BTreeMap<Locale, String>);

impl SearchTags {
    /// Gives each tag to one locale: to the one that is called so, else to the first (R-S18). The other locales get none, since
    /// `es-419` beside `es` would be an invalid tag, and a second `es` a contradiction.
    pub(in crate::run) fn new<'a>(locales: impl Iterator<Item = &'a Locale> + Clone) -> Self {
        let mut owners: BTreeMap<String, &Locale> = BTreeMap::new();
        for locale in locales.filter(|locale| !locale.is_pseudo()) {
            let tag = locale.search_tag();
            if locale.as_str() == tag || !owners.contains_key(&tag) {
                owners.insert(tag, locale);
            }
        }
        Self(
            owners
                .into_iter()
                .map(|(tag, locale)| (locale.clone(), tag))
                .collect(),
        )
    }

    /// The tag of a locale; `None` if another locale has it.
    pub(in crate::run) fn get(&self, locale: &Locale) -> Option<&str> {
        self.0.get(locale).map(String::as_str)
    }

    /// A sentence about a locale that has no tag of its own.
    pub(in crate::run) fn notice(&self, locale: &Locale) -> Option<String> {
        if locale.is_pseudo() || self.0.contains_key(locale) {
            return None;
        }
        let tag = locale.search_tag();
        let owner = self
            .0
            .iter()
            .find(|(_, own)| **own == tag)
            .map(|(owner, _)| owner)?;
        Some(format!(
            "search engines know {locale} only as `{tag}`, which is the tag of {owner}: pages in {locale} name no versions and none \
             names them; a locale with a country (such as `es-MX`) has a tag of its own"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(locales: &[&str], tags: &[(&str, &str)], unnamed: &[&str]) {
        let locales: Vec<Locale> = locales
            .iter()
            .map(|tag| Locale::parse(tag).unwrap())
            .collect();
        let found = SearchTags::new(locales.iter());
        let named: Vec<(&str, &str)> = found
            .0
            .iter()
            .map(|(locale, tag)| (locale.as_str(), tag.as_str()))
            .collect();
        assert_eq!(named, tags);
        let without: Vec<&str> = locales
            .iter()
            .filter(|locale| found.notice(locale).is_some())
            .map(|locale| locale.as_str())
            .collect();
        assert_eq!(without, unnamed);
    }

    #[test]
    fn locales_are_called_as_search_engines_know_them_r_c3() {
        check(
            &["en", "es-419", "zh-Hant-TW"],
            &[("en", "en"), ("es-419", "es"), ("zh-Hant-TW", "zh-Hant-TW")],
            &[],
        );
        check(
            &["en", "ca-valencia"],
            &[("ca-valencia", "ca"), ("en", "en")],
            &[],
        );
        check(&["en", "en-XA"], &[("en", "en")], &[]);
    }

    #[test]
    fn of_locales_that_search_engines_take_for_one_a_single_one_has_the_tag_r_s18() {
        check(
            &["en", "es", "es-419"],
            &[("en", "en"), ("es", "es")],
            &["es-419"],
        );
        check(&["es-419", "es"], &[("es", "es")], &["es-419"]);
        check(
            &["ca", "ca-valencia", "de-1996"],
            &[("ca", "ca"), ("de-1996", "de")],
            &["ca-valencia"],
        );
        check(&["de-1901", "de-1996"], &[("de-1901", "de")], &["de-1996"]);
        check(
            &["en-001", "en-150", "en-GB"],
            &[("en-001", "en"), ("en-GB", "en-GB")],
            &["en-150"],
        );
        check(
            &["es", "es-419", "es-MX"],
            &[("es", "es"), ("es-MX", "es-MX")],
            &["es-419"],
        );
        check(
            &["zh-Hant", "zh-Hant-TW", "zh"],
            &[
                ("zh", "zh"),
                ("zh-Hant", "zh-Hant"),
                ("zh-Hant-TW", "zh-Hant-TW"),
            ],
            &[],
        );
    }
}
