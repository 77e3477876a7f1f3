//! Readers of `/` and the locale that their browser prefers.

use super::*;

fn wanted(url: Option<&str>, source_url: Option<&str>) -> ServingSettings {
    let locales =
        ["es", "pt-BR", "zh-Hant", "en-XA", "fr"].map(|tag| (locale(tag), ServingSwitch::On));
    ServingSettings {
        locales: locales
            .into_iter()
            .chain([(locale("ar"), ServingSwitch::Off)])
            .collect(),
        url: url.map(str::to_owned),
        source_url: source_url.map(str::to_owned),
        accept_language: true,
        ..settings()
    }
}

/// The site of [`publish`], and home pages in a script and a pseudo-locale. `fr` has no home page.
async fn site_of(settings: ServingSettings) -> App {
    let objects = Objects::memory();
    let draft = Draft::begin(&objects, &site("bakery")).await.unwrap();
    for tree in ["en", "es", "pt-BR", "zh-Hant", "en-XA", "ar"] {
        let path = PagePath::parse("/").unwrap();
        let body = body_of(tree, "/");
        let name = "index.html".into();
        let content_type = "text/html".to_owned();
        let source = None;
        let noindex = false;
        let object = Object {
            name,
            path,
            content_type,
            body,
            source,
            noindex,
            robots: None,
            link: None,
        };
        draft
            .put(&Tree::try_from(tree.to_owned()).unwrap(), object)
            .await
            .unwrap();
    }
    draft.finish(settings).await.unwrap();
    let app = App::new(objects, vec![site("bakery")], 1 << 20);
    app.load().await.unwrap();
    app
}

async fn check(app: &App, host: &str, path: &str, headers: &[(&str, &str)], expected: &str) {
    let response = get(app, host, path, headers).await;
    let given = format!(
        "{} {}",
        response.status().as_u16(),
        header(&response, "location")
    );
    assert_eq!(given.trim(), expected, "{host}{path} {headers:?}");
    let (vary, cache) = match response.status().as_u16() {
        302 => ("Accept-Language", "no-store"),
        _ => ("Accept-Encoding, Accept-Language", "private, max-age=60"),
    };
    assert_eq!(
        (
            header(&response, "vary"),
            header(&response, "cache-control")
        ),
        (vary, cache),
        "{host}{path} {headers:?}"
    );
}

#[tokio::test]
async fn readers_are_sent_to_the_language_they_prefer_r_b2_r_b3() {
    let app = site_of(wanted(None, None)).await;
    for (accept, expected) in [
        ("es", "302 /es/"),
        ("ES-mx", "302 /es/"),
        ("es-419, en", "302 /es/"),
        ("pt", "302 /pt/"),
        ("pt-BR", "302 /pt/"),
        ("pt-PT;q=0.9, es;q=0.8", "302 /pt/"),
        ("zh-TW", "302 /zh-Hant/"),
        ("zh-CN, es;q=0.1", "302 /es/"),
        ("en, es;q=0.9", "200"),
        ("en-GB, es", "200"),
        ("es;q=0.5, en;q=0.9", "200"),
        ("es;q=0.9, en;q=0.5", "302 /es/"),
        ("es;q=0, pt;q=0.1", "302 /pt/"),
        ("es;q=0", "200"),
        ("ja, *;q=0.5", "200"),
        ("*", "200"),
        ("en;q=0, *", "302 /es/"),
        ("en;q=0.1, *;q=0.5", "302 /es/"),
        ("*;q=0.9, en;q=0.5, es;q=0.8", "302 /pt/"),
        ("en;q=0.1, *;q=0", "200"),
        ("pt-BR;q=0, pt", "200"),
        ("pt;q=0, pt-BR", "200"),
        ("es;q=0.5, pt;q=0.5", "302 /es/"),
        ("pt;q=0.5, es;q=0.5", "302 /pt/"),
        ("es;q=1.5", "302 /es/"),
        ("zh-Hans, zh-SG, zh", "200"),
        ("", "200"),
        ("fr", "200"),
        ("ar", "200"),
        ("en-XA", "200"),
        ("not a language, e, ;q=1, es", "302 /es/"),
    ] {
        check(
            &app,
            "any.test",
            "/",
            &[("accept-language", accept)],
            expected,
        )
        .await;
    }
    check(&app, "any.test", "/", &[], "200").await;
}

#[tokio::test]
async fn who_means_the_source_language_or_looks_at_all_of_them_stays_r_b3() {
    let app = site_of(wanted(None, None)).await;
    let es = ("accept-language", "es");
    for (path, name, value, expected) in [
        ("/?lang", "x-nothing", "", "200"),
        ("/?a=1&lang=en", "x-nothing", "", "200"),
        ("/?language=en", "x-nothing", "", "302 /es/?language=en"),
        ("/", "referer", "http://any.test/es/", "200"),
        ("/", "referer", "http://ANY.test", "200"),
        ("/", "referer", "http://search.test/?q=any.test", "302 /es/"),
        ("/", "referer", "nonsense", "302 /es/"),
        (
            "/",
            "user-agent",
            "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
            "200",
        ),
        ("/", "user-agent", "Yahoo! Slurp", "200"),
        (
            "/",
            "user-agent",
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "302 /es/",
        ),
    ] {
        check(&app, "any.test", path, &[es, (name, value)], expected).await;
    }
}

#[tokio::test]
async fn languages_are_found_where_the_pattern_puts_them() {
    let (path, host) = ("https://x.test/repo/{lang}", "https://{lang}.example.com");
    for (url, source_url, cases) in [
        (
            Some(path),
            None,
            &[
                ("x.test", "/repo/", "302 /repo/es/"),
                ("localhost", "/", "302 /es/"),
            ][..],
        ),
        (
            Some(path),
            Some("https://en.x.test"),
            &[("en.x.test", "/", "302 https://x.test/repo/es/")],
        ),
        (
            Some(host),
            Some("https://www.example.com"),
            &[
                ("www.example.com", "/", "302 https://es.example.com/"),
                ("127.0.0.1:80", "/", "302 /es/"),
            ],
        ),
    ] {
        let app = site_of(wanted(url, source_url)).await;
        for (host, path, expected) in cases {
            check(&app, host, path, &[("accept-language", "es")], expected).await;
            let own = url.unwrap().replace("{lang}", "es");
            check(
                &app,
                host,
                path,
                &[("accept-language", "es"), ("referer", &own)],
                "200",
            )
            .await;
        }
    }
}

#[tokio::test]
async fn only_the_home_page_of_a_site_with_the_rule_varies_by_language_r_b3() {
    let es = [("accept-language", "es")];
    for (settings, path) in [
        (wanted(None, None), "/es/"),
        (settings(), "/"),
        (wanted(None, None), "/nothing/"),
    ] {
        let app = app_of(&[("bakery", settings)], true).await;
        let response = get(&app, "any.test", path, &es).await;
        assert_eq!(
            (header(&response, "location"), header(&response, "vary")),
            ("", "Accept-Encoding"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn source_page_that_is_elsewhere_varies_too() {
    let app = app_of(
        &[("bakery", wanted(None, Some("https://www.example.com")))],
        false,
    )
    .await;
    for (accept, expected) in [("es", "302 /es/"), ("en", "307 https://www.example.com/")] {
        let response = get(&app, "any.test", "/", &[("accept-language", accept)]).await;
        assert_eq!(
            format!(
                "{} {}",
                response.status().as_u16(),
                header(&response, "location")
            ),
            expected
        );
        assert_eq!(
            (
                header(&response, "vary"),
                header(&response, "cache-control")
            ),
            ("Accept-Language", "no-store")
        );
    }
}
