//! Which language tags search engines and browsers know (R-B1, R-C3).
//!
//! BCP 47 defines the form of a tag, and ISO 639-1 the two-letter codes of languages, which are listed here. Longer language codes
//! are taken as they are.

use crate::model::Locale;
use crate::page::is_country;

/// ISO 639-1, and codes that it has given up and that are still understood.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy \
    da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii \
    ik in io is it iu iw ja ji jv jw ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi \
    mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd \
    se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa \
    wo xh yi yo za zh zu";

/// Whether a locale is only for trying, such as `en-XA` or `ar-XB`.
pub(super) fn has_pseudo_region(locale: &Locale) -> bool {
    locale
        .as_str()
        .split('-')
        .skip(1)
        .any(|part| matches!(part, "XA" | "XB"))
}

/// What is wrong with the language of a page, if anything.
pub(super) fn page_problem(tag: &str) -> Option<String> {
    if tag.contains('_') {
        return Some(format!(
            "{tag:?} has an underscore where BCP 47 has a hyphen"
        ));
    }
    if Locale::parse(tag).is_err() {
        return Some(format!("{tag:?} is not a language tag of BCP 47"));
    }
    unknown_part(tag)
}

/// What search engines do not understand of a value of `hreflang`, if anything.
pub(super) fn search_problem(tag: &str) -> Option<String> {
    if tag.eq_ignore_ascii_case("x-default") {
        return None;
    }
    if is_country(tag) && !is_listed(LANGUAGES, &tag.to_ascii_lowercase()) {
        return Some(format!(
            "{tag:?} is a country, and a country alone names no language"
        ));
    }
    if let Some(problem) = page_problem(tag) {
        return Some(problem);
    }
    let mut parts = tag.split('-').skip(1).peekable();
    parts.next_if(|part| part.len() == 4 && part.bytes().all(|byte| byte.is_ascii_alphabetic()));
    match parts.next() {
        Some(part) if part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Some(format!(
                "{tag:?} names a region by number, and only countries are understood"
            ));
        }
        Some(part) if part.len() != 2 => {
            return Some(format!(
                "{tag:?} has more than language, script and country"
            ));
        }
        _ => {}
    }
    parts
        .next()
        .map(|_| format!("{tag:?} has more than language, script and country"))
}

/// A language or country that is in neither list.
fn unknown_part(tag: &str) -> Option<String> {
    let mut parts = tag.split('-');
    let language = parts.next().unwrap_or_default();
    if language.len() == 2 && !is_listed(LANGUAGES, &language.to_ascii_lowercase()) {
        return Some(format!(
            "{tag:?} begins with {language:?}, which is no language of ISO 639-1"
        ));
    }
    // Behind a single letter stands something else.
    let country = parts
        .take_while(|part| part.len() > 1)
        .find(|part| part.len() == 2)?;
    let upper = country.to_ascii_uppercase();
    let hint = if upper == "UK" {
        "; the United Kingdom is GB"
    } else {
        ""
    };
    let is_known = is_country(&upper) || matches!(&*upper, "XA" | "XB");
    (!is_known)
        .then(|| format!("{tag:?} names {country:?}, which is no country of ISO 3166-1{hint}"))
}

fn is_listed(list: &str, code: &str) -> bool {
    list.split(' ').any(|known| known == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_judged_r_c3() {
        for (tag, page, search) in [
            ("en", true, true),
            ("EN-gb", true, true),
            ("en-UK", false, false),
            ("uk", true, true),
            ("us", false, false),
            ("jp", false, false),
            ("zh-Hant-TW", true, true),
            ("zh-hans", true, true),
            ("es-419", true, false),
            ("ca-valencia", true, false),
            ("de-DE-1996", true, false),
            ("en_US", false, false),
            ("fil", true, true),
            ("ast-ES", true, true),
            ("iw", true, true),
            ("en-XA", true, true),
            ("english", false, false),
            ("x-default", false, true),
            ("", false, false),
            ("de-x-at", true, false),
        ] {
            assert_eq!(
                (page_problem(tag).is_none(), search_problem(tag).is_none()),
                (page, search),
                "{tag}"
            );
        }
    }
}
