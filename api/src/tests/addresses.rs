//! Which page an address leads to, by the patterns and rules of sites.

use super::*;
use crate::settings::Front;

#[tokio::test]
async fn only_site_answers_below_its_locales_labels_r_e7_r_e9_r_e10() {
    let app = app_of(&[("bakery", settings())], true).await;
    check(
        &app,
        &[
            ("127.0.0.1:8080", "/", "200 en /"),
            ("[::1]:8080", "/es/", "200 es /"),
            ("localhost", "/es", "308 /es/"),
            ("localhost", "/es?x=1", "308 /es/?x=1"),
            ("any.test", "/es/about.html", "200 es /about.html"),
            ("any.test", "/es/about", "308 /es/about.html"),
            ("any.test", "/es/about/", "308 /es/about.html"),
            ("any.test", "/about/index.html", "308 /about.html"),
            ("any.test", "/es/shop", "308 /es/shop/"),
            ("any.test", "/es/shop/index.html?a=b", "308 /es/shop/?a=b"),
            ("any.test", "/only-english/", "308 /only-english"),
            ("any.test", "/pt/", "200 pt-BR /"),
            ("any.test", "/pt-BR/", "308 /pt/"),
            ("any.test", "/PT/x", "308 /pt/x"),
            ("any.test", "/img/loaf.svg", "200 _assets /img/loaf.svg"),
            ("any.test", "/es/img/loaf.svg", "200 _assets /img/loaf.svg"),
            (
                "any.test",
                "/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            ("any.test", "/es/only-english", "307 /only-english"),
            ("any.test", "/es/only-english/?q=1", "307 /only-english?q=1"),
            ("any.test", "/ar/", "307 /"),
            ("any.test", "/ar/about.html", "307 /about.html"),
            ("any.test", "/ar/nothing", "404"),
            ("any.test", "/es/nothing", "404 es /404.html"),
            ("any.test", "/nothing", "404 en /404.html"),
            ("any.test", "/old", "301 /about.html"),
            ("any.test", "/es/old", "301 /es/about.html"),
            ("any.test", "/away", "302 /shop/"),
            ("any.test", "/es/away?x=1", "302 /es/shop/?x=1"),
            ("any.test", "/ar/away", "404"),
            ("any.test", "/list?page=2", "200 en /list?page=2"),
            ("any.test", "/list?page=3", "200 en /list"),
            ("any.test", "/es/?page=4", "307 /?page=4"),
            ("any.test", "/es/?page=5", "200 es /"),
            (
                "any.test",
                "/es/%2e%2e/es/%2E%2E/about.html",
                "200 en /about.html",
            ),
            ("any.test", "/es//evil.test/about.html", "404 es /404.html"),
            ("any.test", "/_deployments/1.json", "404 en /404.html"),
            ("any.test", "/../../_sources/x", "404 en /404.html"),
            ("bakery.localhost", "/es/", "200 es /"),
            ("other.localhost", "/es/", "404"),
        ],
    )
    .await;
}

#[tokio::test]
async fn url_pattern_in_the_path_decides() {
    let project = ServingSettings {
        url: Some("https://x.github.io/repo/{lang}".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", project)], true).await;
    check(
        &app,
        &[
            ("x.github.io", "/repo/es/about.html", "200 es /about.html"),
            (
                "X.GitHub.io:443",
                "/repo/es/about",
                "308 /repo/es/about.html",
            ),
            ("x.github.io", "/repo/", "200 en /"),
            ("x.github.io", "/repo", "308 /repo/"),
            (
                "x.github.io",
                "/repo/es/only-english",
                "307 /repo/only-english",
            ),
            ("x.github.io", "/repository/es/", "404"),
            ("x.github.io", "/es/", "404"),
            (
                "x.github.io",
                "/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            (
                "x.github.io",
                "/repo/_latimer/switcher.0123abcd.css",
                "200 _assets /_latimer/switcher.0123abcd.css",
            ),
            ("other.test", "/repo/es/", "404"),
            ("127.0.0.1:8080", "/repo/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/only-english", "307 /only-english"),
            (
                "127.0.0.1:8080",
                "/repo/img/loaf.svg",
                "200 _assets /img/loaf.svg",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn url_pattern_in_the_host_decides() {
    let hosts = ServingSettings {
        url: Some("https://{lang}.example.com".to_owned()),
        source_url: Some("https://www.example.com".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", hosts)], true).await;
    check(
        &app,
        &[
            ("es.example.com", "/", "200 es /"),
            ("ES.example.com:443", "/about", "308 /about.html"),
            ("pt.example.com", "/", "200 pt-BR /"),
            ("pt-br.example.com", "/", "200 pt-BR /"),
            (
                "es.example.com",
                "/img/loaf.svg",
                "200 _assets /img/loaf.svg",
            ),
            (
                "es.example.com",
                "/only-english",
                "307 https://www.example.com/only-english",
            ),
            ("www.example.com", "/only-english", "200 en /only-english"),
            ("fr.example.com", "/", "404"),
            ("example.com", "/", "404"),
            ("127.0.0.1:8080", "/es/", "200 es /"),
            ("127.0.0.1:8080", "/es/only-english", "307 /only-english"),
        ],
    )
    .await;
}

#[tokio::test]
async fn source_that_is_elsewhere_is_led_to() {
    let elsewhere = ServingSettings {
        source_url: Some("https://www.example.com".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", elsewhere)], false).await;
    check(
        &app,
        &[
            (
                "localhost",
                "/es/untranslated/",
                "307 https://www.example.com/untranslated/",
            ),
            (
                "localhost",
                "/es/untranslated",
                "307 https://www.example.com/untranslated/",
            ),
            (
                "localhost",
                "/about.html",
                "307 https://www.example.com/about.html",
            ),
            ("localhost", "/es/nothing", "404 es /404.html"),
            ("www.example.com", "/about.html", "404"),
        ],
    )
    .await;
}

#[tokio::test]
async fn missing_pages_follow_the_sites_rule() {
    for (missing, expected) in [
        (Missing::NotFound, "404 es /404.html"),
        (Missing::Gone, "410 es /404.html"),
        (Missing::Notice, "404 es /404.html"),
    ] {
        let app = app_of(
            &[(
                "bakery",
                ServingSettings {
                    missing,
                    ..settings()
                },
            )],
            true,
        )
        .await;
        check(
            &app,
            &[
                ("localhost", "/es/only-english", expected),
                ("localhost", "/es/untranslated/", expected),
            ],
        )
        .await;
        let off = if missing == Missing::Gone {
            "410"
        } else {
            "404"
        };
        check(
            &app,
            &[
                ("localhost", "/ar/", off),
                ("localhost", "/es/nothing", "404 es /404.html"),
            ],
        )
        .await;
    }
}

#[tokio::test]
async fn hosts_of_the_api_have_no_pages_unless_a_site_is_there_too() {
    let named = ServingSettings {
        url: Some("https://shop.test/{lang}".to_owned()),
        ..settings()
    };
    let labelled = ServingSettings {
        url: Some("https://{lang}.both.test".to_owned()),
        ..settings()
    };
    let app = app_of(
        &[("bakery", settings()), ("shop", named), ("both", labelled)],
        true,
    )
    .await;
    let front = Front::at(&["api.test", "shop.test", "es.both.test", "localhost:8080"]);
    let app = App { front, ..app };
    check(
        &app,
        &[
            ("api.test", "/es/", "404"),
            ("api.test:81", "/", "404"),
            ("API.test", "/_health/live", "200"),
            ("shop.test", "/es/", "200 es /"),
            ("es.both.test", "/", "200 es /"),
            ("both.test", "/", "200 en /"),
            ("bakery.localhost:8080", "/es/", "200 es /"),
            ("bakery.localhost", "/es/", "200 es /"),
        ],
    )
    .await;
    let only = app_of(&[("bakery", settings())], true).await;
    let only = App {
        front: Front::at(&["localhost:8080"]),
        ..only
    };
    let cases = [
        ("localhost:8080", "/es/", "404"),
        ("localhost:81", "/es/", "200 es /"),
        ("x.test", "/", "200 en /"),
    ];
    check(&only, &cases).await;
}

#[tokio::test]
async fn several_sites_have_a_name_each() {
    let shop = ServingSettings {
        url: Some("https://shop.test/{lang}".to_owned()),
        ..settings()
    };
    let app = app_of(&[("bakery", settings()), ("shop", shop)], true).await;
    check(
        &app,
        &[
            ("bakery.localhost:8080", "/es/", "200 es /"),
            ("shop.localhost:8080", "/", "200 en /"),
            ("shop.test", "/es/", "200 es /"),
            ("localhost", "/es/", "404"),
            ("bakery.test", "/es/", "404"),
        ],
    )
    .await;
}
