//! The configuration at its boundary: text in, settings or a sentence out.

mod documented;
mod engines;
mod manner;
mod places;
mod users;
mod variants;

use std::path::Path;
use std::time::Duration;

use url::Url;

use super::*;
use crate::engines::EngineSpec;
use crate::model::{Locale, SiteId};
use crate::store::Encoding;

const FILE: &str = "/etc/latimer/latimer.toml";

/// The smallest site; tests add to it.
const SITE: &str = "[[site]]\nid = \"a\"\nsource = \"src\"\nsource_locale = \"en\"\nlocales = [\"es\", \"en-XA\"]\n";

fn parse(text: &str, environment: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let look_up = |name: &str| {
        environment
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value.to_string())
    };
    Config::parse(text, Path::new(FILE), &look_up)
}

fn site(more: &str) -> SiteConfig {
    parse(&format!("{SITE}{more}"), &[])
        .unwrap()
        .sites
        .remove(0)
}

/// Checks the error for `SITE` followed by `more`; lines are counted from the end of `SITE`.
#[track_caller]
fn check(more: &str, line: usize, column: usize, message: &str) {
    check_whole(&format!("{SITE}{more}"), line + 5, column, message);
}

#[track_caller]
fn check_whole(text: &str, line: usize, column: usize, message: &str) {
    let error = parse(text, &[]).expect_err(text);
    assert_eq!(
        error.to_string(),
        format!("{FILE}:{line}:{column}: {message}")
    );
    assert_eq!(error.place(), Some((line, column)));
}

#[test]
fn the_smallest_file_gets_documented_defaults() {
    let config = parse(SITE, &[]).unwrap();
    let folder = Path::new("/etc/latimer");
    assert_eq!(config.store.objects, Objects::Folder(folder.join("dist")));
    assert_eq!(config.store.state, folder.join(".latimer/state.redb"));
    assert_eq!(config.store.keep_deployments, 5);
    assert_eq!(config.store.patience.as_secs(), 600);
    assert_eq!(config.store.variants, Encoding::ALL.into());
    assert_eq!(config.api.listen.to_string(), "127.0.0.1:8080");
    let site = config.site(&SiteId::parse("a").unwrap()).unwrap();
    assert_eq!(site.source, Source::Folder(folder.join("src")));
    assert_eq!(
        (site.enabled, site.missing, site.min_translated),
        (true, Missing::Source307, 0.5)
    );
    assert_eq!(
        (
            site.source_url.as_ref(),
            site.url.as_ref(),
            site.translations.as_ref()
        ),
        (None, None, None)
    );
    assert_eq!(
        (site.crawl.max_pages, site.crawl.changed),
        (10_000, SourceChanges::Auto)
    );
    assert_eq!(
        (site.crawl.max_lost, site.crawl.max_new),
        (Allowance::Percent(20), Allowance::Percent(50))
    );
    assert_eq!(site.crawl.user_agent, "Latimer/0.1.0");
    assert_eq!(site.switcher, Switcher::default());
    assert!(
        site.paths
            .allows_page(&crate::model::PagePath::parse("/x/y").unwrap())
    );
}

#[test]
fn every_setting_is_read() {
    let config = parse(
        r#"
        [[site]]
        id = "shop"
        enabled = false
        source = "https://old.example.com/docs/"
        source_url = "https://www.example.com/"
        source_locale = "en"
        locales = ["es", "pt-BR"]
        url = "https://{lang}.example.com"
        translations = "translations/{lang}.po"
        memory = "/var/memory/{lang}.jsonl"
        engine = ["mine", "fx"]
        missing = "gone"
        min_translated = 1
        include = ["/docs/**"]
        exclude = ["/docs/old/**"]
        [site.crawl]
        max_pages = 5
        concurrency = 1
        delay_ms = 250
        max_retry_after = "5min"
        max_page_bytes = 0x1000
        user_agent = "me"
        allow_private = true
        headers_file = "headers.txt"
        trust_stat = false
        changed = "all"
        every = "6h"
        max_lost = "35%"
        max_new = 1000
        [site.html]
        switcher = { template = "disclosure", placement = "none" }
        templates = "templates"
        [site.locale.pt-BR]
        alias = "pt"
        [engine.mine]
        kind = "command"
        program = "./translate.py"
        args = ["--fast"]
        env = ["MY_KEY"]
        [store]
        objects = "s3://bucket/prefix"
        options = { aws_region = "eu-central-1", aws_allow_http = true }
        state = "state.redb"
        keep_deployments = 2
        patience = "90s"
        [api]
        listen = "0.0.0.0:80"
        "#,
        &[("AWS_SECRET_ACCESS_KEY", "hush")],
    )
    .unwrap();
    let site = &config.sites[0];
    let (es, pt) = (&site.locales[0], &site.locales[1]);
    assert!(
        matches!(&site.source, Source::Web(url) if url.as_str() == "https://old.example.com/docs/")
    );
    assert_eq!(site.source_url.as_deref(), Some("https://www.example.com"));
    assert_eq!((site.label(es), site.label(pt)), ("es", "pt"));
    let path = |file: &Option<LocaleFile>| file.as_ref().unwrap().path(pt).display().to_string();
    assert_eq!(
        path(&site.translations),
        "/etc/latimer/translations/pt-BR.po"
    );
    assert_eq!(path(&site.memory), "/var/memory/pt-BR.jsonl");
    let [mine, fx] = site.engines_for(es).try_into().unwrap();
    let program = "/etc/latimer/./translate.py".to_owned();
    assert_eq!(
        mine.spec,
        EngineSpec::Command {
            program,
            arguments: vec!["--fast".to_owned()],
            variables: vec!["MY_KEY".to_owned()]
        }
    );
    assert_eq!(
        fx.spec,
        EngineSpec::Fx {
            models: "/etc/latimer/models".into()
        }
    );
    assert_eq!(site.crawl.delay, Duration::from_millis(250));
    assert_eq!(site.crawl.max_retry_after, Duration::from_secs(300));
    assert_eq!(site.crawl.every, Some(Duration::from_secs(6 * 60 * 60)));
    assert_eq!(
        (site.crawl.max_page_bytes, site.crawl.trust_stat),
        (4096, false)
    );
    assert_eq!(site.crawl.changed, SourceChanges::All);
    assert_eq!(
        site.crawl.headers_file,
        Some("/etc/latimer/headers.txt".into())
    );
    assert_eq!(
        (site.crawl.max_lost, site.crawl.max_new),
        (Allowance::Percent(35), Allowance::Count(1000))
    );
    assert_eq!(
        (site.switcher.placement, site.missing, site.min_translated),
        (Placement::Nowhere, Missing::Gone, 1.0)
    );
    assert_eq!(site.templates, Some("/etc/latimer/templates".into()));
    assert_eq!(config.store.options["aws_allow_http"], "true");
    assert_eq!(config.store.options["aws_secret_access_key"], "hush");
    assert!(!format!("{config:?}").contains("hush"));
    assert_eq!(config.api.listen.port(), 80);
}

#[test]
fn pseudo_locales_use_the_pseudo_engine() {
    let site = site("engine = \"identity\"\n");
    let names = |tag: &str| {
        site.engines_for(&Locale::parse(tag).unwrap())[0]
            .name
            .clone()
    };
    assert_eq!(
        (names("es"), names("en-XA")),
        ("identity".to_owned(), "pseudo".to_owned())
    );
}

#[test]
fn without_engines_fx_and_apertium_are_tried() {
    let names: Vec<_> = site("")
        .engines
        .into_iter()
        .map(|engine| engine.name)
        .collect();
    assert_eq!(names, ["fx", "apertium"]);
}

#[test]
fn source_url_follows_from_source_or_pattern() {
    for (source, url, expected) in [
        (
            "src",
            "https://www.example.com/{lang}",
            "https://www.example.com",
        ),
        ("src", "https://{lang}.example.com", "https://example.com"),
        (
            "https://www.example.com/docs/",
            "https://{lang}.example.com",
            "https://www.example.com",
        ),
    ] {
        let text = SITE.replace("\"src\"", &format!("{source:?}"));
        let site = parse(&format!("{text}url = {url:?}\n"), &[])
            .unwrap()
            .sites
            .remove(0);
        assert_eq!(site.source_url.as_deref(), Some(expected), "{source} {url}");
    }
}

#[test]
fn every_switcher_is_known_by_its_name() {
    for template in SwitcherTemplate::ALL {
        let site = site(&format!(
            "[site.html]\nswitcher = {{ template = {:?} }}\n",
            template.name()
        ));
        assert_eq!(
            site.switcher,
            Switcher {
                template,
                ..Switcher::default()
            }
        );
    }
}

#[test]
fn the_environment_goes_before_the_file() {
    let text =
        format!("{SITE}[store]\nobjects = \"a\"\nstate = \"b\"\n[api]\nlisten = \"127.0.0.1:1\"\n");
    let environment = [
        ("LATIMER_STORE_OBJECTS", "memory:///"),
        ("LATIMER_STORE_STATE", "/run/state"),
        ("LATIMER_MODELS", "m"),
        ("LATIMER_LISTEN", "[::1]:9"),
    ];
    let config = parse(&text, &environment).unwrap();
    assert!(matches!(&config.store.objects, Objects::Url(url) if url.as_str() == "memory:///"));
    assert_eq!(config.store.state, Path::new("/run/state"));
    assert_eq!(config.api.listen.to_string(), "[::1]:9");
    assert_eq!(
        config.sites[0].engines[0].spec,
        EngineSpec::Fx {
            models: "/etc/latimer/m".into()
        }
    );
    let error = parse(&text, &[("LATIMER_LISTEN", "8080")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the environment variable LATIMER_LISTEN is \"8080\"; it must be an address and a port such as \
         \"127.0.0.1:8080\""
    );
}

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
fn spaces_around_a_rule_mean_nothing_f_27() {
    let filter = site("exclude = [\" /drafts/** \", \"/a\\t\"]\n").paths;
    for (path, allowed) in [("/drafts/x", false), ("/a", false), ("/b", true)] {
        assert_eq!(
            filter.allows_page(&crate::model::PagePath::parse(path).unwrap()),
            allowed,
            "{path}"
        );
    }
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

#[test]
fn the_api_is_off_until_somebody_may_use_it() {
    let api = parse(SITE, &[]).unwrap().api;
    assert_eq!(
        (api.jwt, api.cors_origins.len(), api.cache_bytes),
        (None, 0, 268_435_456)
    );
    assert_eq!(
        parse(&format!("{SITE}[api]\ncache_bytes = 0\n"), &[])
            .unwrap()
            .api
            .cache_bytes,
        0
    );
    let text = "[api]\ncors_origins = [\"https://Dash.example.com/\"]\n\
                jwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\", audience = \"latimer\" }\n\
                [api.limits]\nread = 0\nwrite = \"2/s burst 5\"\n";
    let api = parse(&format!("{SITE}{text}"), &[]).unwrap().api;
    assert_eq!(api.cors_origins, ["https://dash.example.com"]);
    assert_eq!(api.limits.read, None);
    assert_eq!(
        api.limits.write,
        Some(Rate {
            interval: std::time::Duration::from_millis(500),
            burst: 5
        })
    );
    assert_eq!(api.limits.failed_logins.unwrap().burst, 20);
    let jwt = api.jwt.unwrap();
    assert_eq!(
        jwt.key,
        KeySource::SecretFile("/etc/latimer/jwt.secret".into())
    );
    assert_eq!(
        (jwt.issuer, jwt.audience),
        (None, Some("latimer".to_owned()))
    );
    let environment = [("LATIMER_JWT_SECRET", "from the environment")];
    let jwt = parse(&format!("{SITE}{text}"), &environment)
        .unwrap()
        .api
        .jwt
        .unwrap();
    assert_eq!(
        jwt.key,
        KeySource::Secret("from the environment".to_owned())
    );
    assert!(!format!("{jwt:?}").contains("from the environment"));
}

#[test]
fn what_stands_around_the_api_is_read() {
    let api = parse(SITE, &[]).unwrap().api;
    assert!(api.hosts.is_empty() && api.trusted_proxies.is_empty());
    assert_eq!((api.access_log, api.metrics_listen), (false, None));
    let text = "[api]\nhosts = [\"API.example.com\", \"localhost:8080\", \"[::1]\", \"[::1]:80\"]\n\
                trusted_proxies = [\"127.0.0.1\", \"10.0.0.0/8\", \"fd00::/8\"]\n\
                access_log = true\nmetrics_listen = \"127.0.0.1:9090\"\n";
    let api = parse(&format!("{SITE}{text}"), &[]).unwrap().api;
    assert_eq!(
        api.hosts,
        ["api.example.com", "localhost:8080", "[::1]", "[::1]:80"]
    );
    let networks: Vec<_> = api
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(networks, ["127.0.0.1/32", "10.0.0.0/8", "fd00::/8"]);
    assert_eq!(
        (api.access_log, api.metrics_listen.unwrap().port()),
        (true, 9090)
    );
}

#[test]
fn log_is_text_and_tells_what_happens_unless_it_is_said() {
    let log = |text: &str| parse(&format!("{SITE}{text}"), &[]).map(|config| config.log);
    assert_eq!(
        log("").unwrap(),
        LogConfig {
            format: LogFormat::Text,
            level: LogLevel::Info
        }
    );
    let json = LogConfig {
        format: LogFormat::Json,
        level: LogLevel::Error,
    };
    assert_eq!(
        log("[log]\nformat = \"json\"\nlevel = \"error\"\n").unwrap(),
        json
    );
    let error = log("[log]\nlevel = \"loud\"\n").unwrap_err().to_string();
    assert!(
        error.contains("`level` must be \"error\" or \"warn\" or \"info\" or \"debug\""),
        "{error}"
    );
    // A running log goes on as it began.
    let before = parse(SITE, &[]).unwrap();
    let after = parse(&format!("{SITE}[log]\nformat = \"json\"\n"), &[]).unwrap();
    assert_eq!(before.followed_by(after).1, ["log"]);
}

#[test]
fn what_is_wrong_with_the_api_is_said() {
    let rate = "`read` must be a rate such as \"60/min burst 20\" or \"5/s\", or 0 for no limit";
    let origin = "`cors_origins` must be an origin such as \"https://dashboard.example.com\", without a path";
    let host =
        "`hosts` must be a host such as \"api.example.com\", with a port only if the port counts";
    let network = "`trusted_proxies` must be an address or a network, such as \"127.0.0.1\" or \"10.0.0.0/8\"";
    for (more, column, message) in [
        (
            "jwt = { algorithm = \"HS512\" }",
            21,
            "`algorithm` must be \"HS256\" or \"RS256\" or \"ES256\" or \"EdDSA\"",
        ),
        (
            "jwt = { algorithm = \"RS256\", secret_file = \"x\" }",
            44,
            "`secret_file` does not fit the algorithm; it needs `public_key_file` or `jwks_file`",
        ),
        (
            "jwt = { algorithm = \"EdDSA\" }",
            7,
            "`jwt` has no key; add public_key_file = \"issuer.pem\" or jwks_file",
        ),
        ("limits = { read = \"many\" }", 19, rate),
        ("limits = { read = \"0/min\" }", 19, rate),
        ("cors_origins = [\"https://a.test/x\"]", 17, origin),
        ("cors_origins = [\"*\"]", 17, origin),
        ("hosts = [\"https://api.test\"]", 10, host),
        ("hosts = [\"api.test/x\"]", 10, host),
        ("hosts = [\"a b\"]", 10, host),
        ("trusted_proxies = [\"10.0.0.0/33\"]", 20, network),
        ("trusted_proxies = [\"proxy.test\"]", 20, network),
        (
            "access_log = \"stderr\"",
            14,
            "`access_log` must be true or false",
        ),
        (
            "metrics_listen = 9090",
            18,
            "`metrics_listen` must be an address and a port such as \"127.0.0.1:8080\"",
        ),
    ] {
        check(&format!("[api]\n{more}\n"), 2, column, message);
    }
    let error = parse(
        &format!("{SITE}[api]\njwt = {{ algorithm = \"HS256\" }}\n"),
        &[],
    )
    .unwrap_err();
    assert!(error.message().contains("openssl rand -hex 32"), "{error}");
}

#[test]
fn previews_are_guarded_until_somebody_says_otherwise() {
    let preview = parse(SITE, &[]).unwrap().preview;
    assert!(
        preview.engines.is_empty()
            && !preview.allow_private
            && preview.allow_hosts.allows("a.example")
    );
    assert_eq!(
        (preview.max_chars, preview.ttl.as_secs()),
        (20_000, 72 * 60 * 60)
    );
    let text = "[preview]\nengine = [\"pseudo\"]\nallow_hosts = [\"a.example\", \"*.B.example\", \"bücher.example\"]\n\
                allow_private = true\nmax_chars = 5\nttl = \"30min\"\n\
                [api]\npreview_tokens_file = \"tokens\"\n";
    let config = parse(
        &format!("{SITE}{text}"),
        &[("LATIMER_PREVIEW_STATUS_TOKEN", "hush")],
    )
    .unwrap();
    let preview = config.preview;
    assert_eq!((preview.engines.len(), preview.allow_private), (1, true));
    assert_eq!((preview.max_chars, preview.ttl.as_secs()), (5, 1800));
    for (host, allowed) in [
        ("a.example", true),
        ("x.a.example", false),
        ("b.example", false),
        ("x.y.b.example", true),
        ("xb.example", false),
        ("xn--bcher-kva.example", true),
    ] {
        assert_eq!(preview.allow_hosts.allows(host), allowed, "{host}");
    }
    assert_eq!(
        config.api.preview_tokens,
        Some(SecretSource::File("/etc/latimer/tokens".into()))
    );
    assert_eq!(
        config.api.preview_status_token,
        Some(SecretSource::Text("hush".to_owned()))
    );
    assert!(!format!("{:?}", config.api).contains("hush"));
    let host = "`allow_hosts` must be a host such as \"www.example.com\", \"*.example.com\" for all below it, or \"*\"";
    let time = "`ttl` must be a time such as \"72h\", \"30min\" or \"7d\", at most 366 days";
    for (more, column, message) in [
        ("allow_hosts = [\"https://a.example\"]", 16, host),
        ("allow_hosts = [\"a*.example\"]", 16, host),
        ("allow_hosts = [\"a.example:80\"]", 16, host),
        ("ttl = \"0s\"", 7, time),
        ("ttl = \"2 weeks\"", 7, time),
        ("ttl = \"9999999d\"", 7, time),
    ] {
        check(&format!("[preview]\n{more}\n"), 2, column, message);
    }
}
