//! Mistakes in a file, and the sentences that say what is right.

use super::*;

#[test]
fn unknown_keys_name_the_nearest() {
    check(
        "sorce_url = 1\n",
        1,
        1,
        "unknown key `sorce_url` in [[site]]; the nearest known key is `source_url`",
    );
    check(
        "\n  [site.crawl]\n  max_page = 1\n",
        3,
        3,
        "unknown key `max_page` in [site.crawl]; the nearest known key is `max_pages`",
    );
    check(
        "[api]\nlistem = 1",
        2,
        1,
        "unknown key `listem` in [api]; the nearest known key is `listen`",
    );
    check(
        "[[sites]]\n",
        1,
        3,
        "unknown key `sites` in the file's top level; the nearest known key is `site`",
    );
}

#[test]
fn misplaced_keys_name_their_table() {
    let ends = "a table ends where the next header begins";
    check(
        "[site.crawl]\nmissing = \"gone\"\n",
        2,
        1,
        &format!("unknown key `missing` in [site.crawl]; it belongs in [[site]]; {ends}"),
    );
    check(
        "max_pages = 1\n",
        1,
        1,
        &format!("unknown key `max_pages` in [[site]]; it belongs in [site.crawl]; {ends}"),
    );
}

#[test]
fn rules_for_texts_are_checked_where_they_stand() {
    let html = |rule: &str| format!("[site.html]\n{rule}\n");
    site(&html(
        "skip = [\".ad > p\", \"#toc\"]\nalso_translate = [\"data-tip\", \"pre.poem\"]",
    ));
    check(
        &html("skip = [\"p\", \"p::after\"]"),
        2,
        14,
        "\"p::after\" is no CSS selector that can be matched while a page is read: Unsupported pseudo-class or \
         pseudo-element in selector",
    );
    check(
        &html("also_translate = [\"href\"]"),
        2,
        19,
        "the attribute \"href\" means something to browsers and is never text",
    );
}

#[test]
fn what_is_documented_for_later_says_so() {
    let later = |what: &str| format!("{what} is not in this version yet; remove it");
    check(
        "[notify]\nfrom = \"a\"\n",
        1,
        2,
        &later("`notify` in the file's top level"),
    );
    check(
        "[store]\nobjects = \"gs://b\"\n",
        2,
        11,
        &later("a store at gs://"),
    );
}

const UNREADABLE: &str =
    "path pattern \"/[b\" cannot be read: unclosed character class; missing ']'";

#[test]
fn wrong_values_say_what_is_right() {
    check(
        "missing = \"404\"\n",
        1,
        11,
        "`missing` must be \"source307\" or \"notice\" or \"not_found\" or \"gone\"",
    );
    check(
        "min_translated = 1.5\n",
        1,
        18,
        "`min_translated` must be a number from 0 to 1",
    );
    check(
        "min_translated = nan\n",
        1,
        18,
        "`min_translated` must be a number from 0 to 1",
    );
    check(
        "enabled = \"yes\"\n",
        1,
        11,
        "`enabled` must be true or false",
    );
    check(
        "translations = \"es.po\"\n",
        1,
        16,
        "`translations` must be a path with {lang} in it, one file per locale",
    );
    check(r#"exclude = ["/a", "/[b"]"#, 1, 18, UNREADABLE);
    check(
        "include = \"/a\"\n",
        1,
        11,
        "`include` must be a list in square brackets",
    );
    check(
        "source_url = \"example.com\"\n",
        1,
        14,
        "`source_url` must be an http:// or https:// address without query or fragment",
    );
    check(
        "[site.crawl]\nchanged = \"304\"\n",
        2,
        11,
        "`changed` must be \"auto\" or \"conditional\" or \"all\"",
    );
    check(
        "[site.crawl]\nconcurrency = 0\n",
        2,
        15,
        "`concurrency` must be a whole number from 1 to 256",
    );
    for (value, column) in [("\"20\"", 12), ("\"101%\"", 12), ("-1", 12), ("0.2", 12)] {
        let wanted = "`max_lost` must be a share such as \"20%\", up to \"100%\", or a whole number of pages";
        check(
            &format!("[site.crawl]\nmax_lost = {value}\n"),
            2,
            column,
            wanted,
        );
    }
    check(
        "[site.crawl]\nmax_retry_after = \"2d\"\n",
        2,
        19,
        "`max_retry_after` must be a time such as \"30s\", \"5min\" or \"2h\", at most 24 hours",
    );
    let wanted =
        "`every` must be a time such as \"30min\", \"6h\" or \"1d\", from 1 minute to 365 days";
    check("[site.crawl]\nevery = \"59s\"\n", 2, 9, wanted);
    check(
        "[site.html]\nswitcher = { template = \"x\" }\n",
        2,
        25,
        "`template` must be \"inline\" or \"disclosure\" or \"pill\" or \"tabs\" or \"compact\" or \"headless\"",
    );
    check(
        "[api]\nlisten = 80\n",
        2,
        10,
        "`listen` must be an address and a port such as \"127.0.0.1:8080\"",
    );
    check(
        "[store]\nobjects = \"ftp://x\"\n",
        2,
        11,
        "`objects` must be a folder, s3://BUCKET/PREFIX or memory:///",
    );
    check(
        "[store.options]\naws_secret_access_key = \"x\"\n",
        2,
        25,
        "`aws_secret_access_key` is a secret and has no place in this file; set it in the environment, as \
         AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AZURE_STORAGE_ACCOUNT_KEY or GOOGLE_SERVICE_ACCOUNT_PATH",
    );
}

#[test]
fn languages_are_unique_canonical_and_not_the_source() {
    let with = |locales: &str| SITE.replace("[\"es\", \"en-XA\"]", locales);
    for (locales, column, message) in [
        (
            "[\"es\", \"en\"]",
            18,
            "en is the source language; remove it from `locales`",
        ),
        (
            "[\"es\", \"es\"]",
            18,
            "es stands in `locales` twice; remove one",
        ),
        ("[\"pt-br\"]", 12, "\"pt-br\" is written \"pt-BR\""),
        ("[\"iw\"]", 12, "\"iw\" is written \"he\""),
        (
            "[\"en_US\"]",
            12,
            "\"en_US\" is not a language tag of BCP 47; write en-US",
        ),
        (
            "[\"jp\"]",
            12,
            "\"jp\" is a country, not a language; Japanese is ja",
        ),
    ] {
        check_whole(&with(locales), 5, column, message);
    }
    check(
        "[site.locale.fr]\nalias = \"f\"\n",
        1,
        1,
        "[site.locale.fr] speaks of fr, which is not in `locales`",
    );
    check(
        "[site.locale.es]\nalias = \"EN\"\n",
        2,
        9,
        "`EN` stands for another language already; choose another alias",
    );
    check(
        "[site.locale.es]\nalias = \"e/s\"\n",
        2,
        9,
        "`alias` must be 1 to 63 letters, digits and hyphens",
    );
}

#[test]
fn sites_are_told_apart() {
    check_whole(
        "",
        1,
        1,
        "there is no site; add a [[site]] table, or run `latimer init`",
    );
    check_whole(
        "[site]\nid = \"a\"\n",
        1,
        1,
        "a site is written [[site]], in two brackets",
    );
    check_whole(
        "[[site]]\nid = \"a\"\n",
        1,
        1,
        "[[site]] has no `source_locale`; add the language of the source, such as \"en\"",
    );
    check(SITE, 2, 6, "there are two sites `a`; give each its own id");
    let other = SITE.replace("\"a\"", "\"b\"");
    let url = "url = \"https://{lang}.x.example\"\n";
    check(
        &format!("{url}{other}{url}"),
        7,
        7,
        "another site has the same `url`; give `b` its own",
    );
    check_whole(
        &SITE.replace("\"a\"", "\"A\""),
        2,
        6,
        "site id \"A\" is not 1 to 63 lower-case letters, digits and hyphens that start with a letter or digit",
    );
    check(
        "url = \"https://x.example\"\n",
        1,
        7,
        "\"https://x.example\" must hold {lang} exactly once, as in https://www.example.com/{lang} or \
         https://{lang}.example.com",
    );
}

#[test]
fn columns_count_characters() {
    check(r#"exclude = ["/äöü", "/[b"]"#, 1, 20, UNREADABLE);
    check_whole(
        "x = \"äöü\" y",
        1,
        11,
        "this is not TOML: unexpected key or value, expected newline, `#`",
    );
}
