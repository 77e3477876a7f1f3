//! Tests of `locale.rs`.

use super::*;

fn locale(text: &str) -> Locale {
    Locale::parse(text).unwrap()
}

#[test]
fn tags_become_canonical_r_b1() {
    for (given, canonical) in [
        ("PT-br", "pt-BR"),
        ("iw", "he"),
        ("in", "id"),
        ("ji", "yi"),
        ("mo", "ro"),
        ("IW-il", "he-IL"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("zh-yue", "yue"),
        ("ZH-cmn-Hans-CN", "zh-Hans-CN"),
        ("ar-arb", "ar"),
        ("en-UK", "en-GB"),
        ("en-xa", "en-XA"),
        ("es-419", "es-419"),
    ] {
        assert_eq!(locale(given).as_str(), canonical, "{given}");
    }
    assert_eq!(locale("PT-br"), locale("pt-BR"));
}

#[test]
fn what_is_no_tag_is_refused_r_b1_r_c3() {
    for text in [
        "",
        "en_US",
        "en_US.UTF-8",
        "de@euro",
        "C",
        "POSIX",
        "x-private",
        "e",
        "en--US",
        "en-",
        "-en",
        "DE-de-x",
        "419",
        "english language",
        "123",
        "en-abc",
        "*",
    ] {
        assert!(Locale::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn wrong_tags_name_the_right_one_r_b1() {
    for (given, said) in [
        (
            "es_MX",
            "\"es_MX\" is not a language tag of BCP 47; write es-MX",
        ),
        (
            "pt_BR.UTF-8",
            "\"pt_BR.UTF-8\" is not a language tag of BCP 47; write pt-BR",
        ),
        (
            "sr_RS@latin",
            "\"sr_RS@latin\" is not a language tag of BCP 47, such as es, pt-BR or zh-Hant",
        ),
        (
            "german_",
            "\"german_\" is not a language tag of BCP 47, such as es, pt-BR or zh-Hant",
        ),
        ("jp", "\"jp\" is a country, not a language; Japanese is ja"),
        ("cz", "\"cz\" is a country, not a language; Czech is cs"),
        ("dk", "\"dk\" is a country, not a language; Danish is da"),
        ("CN", "\"CN\" is a country, not a language; Chinese is zh"),
    ] {
        assert_eq!(Locale::parse_wanted(given).unwrap_err().to_string(), said);
    }
    // Languages that share their tag with a country, and tags without a known name.
    for right in ["br", "se", "et", "sv", "uk", "tlh", "qq", "en-XA", "ja-JP"] {
        assert!(Locale::parse_wanted(right).is_ok(), "{right}");
    }
}

#[test]
fn search_engines_and_open_graph_have_their_own_spelling_r_b8_r_c3() {
    for (tag, search, open_graph) in [
        ("de", "de", "de_DE"),
        ("pt", "pt", "pt_BR"),
        ("pt-PT", "pt-PT", "pt_PT"),
        ("zh-Hant", "zh-Hant", "zh_TW"),
        ("zh-Hans-SG", "zh-Hans-SG", "zh_SG"),
        ("sr-Latn", "sr-Latn", "sr_RS"),
        ("es-419", "es", "es_ES"),
        ("ca-valencia", "ca", "ca_ES"),
        ("ar", "ar", "ar_EG"),
        ("eo", "eo", "eo"),
    ] {
        assert_eq!(
            (
                locale(tag).search_tag().as_str(),
                locale(tag).open_graph().as_str()
            ),
            (search, open_graph)
        );
    }
}

#[test]
fn scripts_follow_from_the_language() {
    for (tag, script, is_named) in [
        ("ru", "Cyrl", false),
        ("zh-TW", "Hant", false),
        ("zh", "Hans", false),
        ("ja", "Jpan", false),
        ("ko-KR", "Kore", false),
        ("sr-Latn", "Latn", true),
        ("am", "Ethi", false),
    ] {
        assert_eq!(
            (locale(tag).script().as_str(), locale(tag).names_script()),
            (script, is_named),
            "{tag}"
        );
    }
}

#[test]
fn direction_follows_the_script_r_b5() {
    for (tag, direction) in [
        ("ar", Direction::Rtl),
        ("he", Direction::Rtl),
        ("az-Arab", Direction::Rtl),
        ("pa-Arab", Direction::Rtl),
        ("ks-Deva", Direction::Ltr),
        ("az", Direction::Ltr),
        ("ja", Direction::Ltr),
        ("ar-XB", Direction::Rtl),
    ] {
        assert_eq!(locale(tag).direction(), direction, "{tag}");
    }
}

#[test]
fn ranges_filter_locales_r_b2() {
    for (range, tag, is_in) in [
        ("*", "fr", true),
        ("de", "de-CH", true),
        ("DE-de", "de-DE", true),
        ("de-DE", "de-Latn-DE", true),
        ("de-*-DE", "de-Latn-DE", true),
        ("*-CH", "fr-CH", true),
        ("*-CH", "fr-FR", false),
        ("de-DE", "de", false),
        ("de-Latn-DE", "de-DE", false),
        ("de-DE", "de-x-DE", false),
        ("de", "dez", false),
        ("", "de", false),
    ] {
        assert_eq!(locale(tag).is_in_range(range), is_in, "{range} and {tag}");
    }
}

#[test]
fn languages_have_their_own_names() {
    for (tag, name) in [
        ("es", "español"),
        ("ar", "العربية"),
        ("ja", "日本語"),
        ("pt-BR", "português (Brasil)"),
    ] {
        assert_eq!(locale(tag).own_name(), name, "{tag}");
    }
    assert_eq!(locale("pt-BR").english_name(), "Brazilian Portuguese");
}

#[test]
fn names_in_a_list_have_a_region_only_where_it_tells_two_apart() {
    for (list, names) in [
        ("en es fr de", "English, Español, Français, Deutsch"),
        ("en-US pt-BR ja ar", "English, Português, 日本語, العربية"),
        (
            "en-GB en-US es",
            "British English, American English, Español",
        ),
        ("pt-BR pt-PT", "Português (Brasil), Português europeu"),
        ("en en-XA", "English, en-XA (pseudo)"),
        ("zh-CN zh-TW", "简体中文, 繁體中文"),
        ("zh-TW", "繁體中文"),
        ("zh-HK zh-TW", "中文（中國香港特別行政區）, 中文（台灣）"),
        (
            "ru el hy ka zu tr",
            "Русский, Ελληνικά, Հայերեն, ქართული, isiZulu, Türkçe",
        ),
        ("sr-Latn sr", "Srpski (latinica), Српски (ћирилица)"),
    ] {
        let list: Vec<Locale> = list.split(' ').map(locale).collect();
        let found: Vec<String> = list.iter().map(|one| one.name_among(&list)).collect();
        assert_eq!(found.join(", "), names);
    }
}

#[test]
fn same_language_looks_at_the_script_r_b2() {
    assert!(locale("en").same_language(&locale("en-GB")));
    assert!(locale("zh-TW").same_language(&locale("zh-Hant-HK")));
    assert!(!locale("zh-Hans").same_language(&locale("zh-TW")));
    assert!(!locale("zh").same_language(&locale("zh-TW")));
    assert!(!locale("fr").same_language(&locale("en")));
}
