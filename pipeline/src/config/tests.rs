//! The configuration at its boundary: text in, settings or a sentence out.

mod api;
mod documented;
mod engines;
mod manner;
mod mistakes;
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
    assert_eq!(
        config.store.objects,
        StoreLocation::Folder(folder.join("dist"))
    );
    assert_eq!(config.store.state, folder.join(".latimer/state.redb"));
    assert_eq!(config.store.keep_deployments, 5);
    assert_eq!(config.store.patience.as_secs(), 600);
    assert_eq!(config.store.variants, Encoding::ALL.into());
    assert_eq!(config.api.listen.to_string(), "127.0.0.1:8080");
    let site = config.site(&SiteId::parse("a").unwrap()).unwrap();
    assert_eq!(site.source, SourceLocation::Folder(folder.join("src")));
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
    let es = &site.locales[0];
    let pt = &site.locales[1];
    assert!(
        matches!(&site.source, SourceLocation::Web(url) if url.as_str() == "https://old.example.com/docs/")
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
    assert!(
        matches!(&config.store.objects, StoreLocation::Url(url) if url.as_str() == "memory:///")
    );
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
