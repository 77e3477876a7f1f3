//! Where previews are read from, and what they look like.

use std::path::Path;
use std::sync::{Arc, Mutex};

use super::*;
use crate::config::Config;
use crate::model::Locale;
use crate::state::PreviewCode;

fn config(more: &str) -> (tempfile::TempDir, Config) {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let html = "<!doctype html><html lang=en><head><title>Bread</title>\
                <link rel=alternate hreflang=fr href=/fr/></head>\
                <body><p>Fresh bread</p><a href=\"menu.html?a=1\">Menu</a> <a href=#top>Top</a><img src=/b.png></body></html>";
    write("source/index.html", html);
    write("source/shop/menu.html", html);
    write("source/internal/plan.html", html);
    let xhtml = "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head>\
                 <body><p>Fresh bread<br/></p></body></html>";
    write("source/menu.xhtml", xhtml);
    write("source/note.txt", "Note");
    write(
        "es.po",
        "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\nmsgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n",
    );
    let site = "[[site]]\nid = \"a\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = \"pseudo\"\n\
                url = \"https://www.example.com/{lang}\"\ntranslations = \"{lang}.po\"\nexclude = [\"/internal/**\"]\n";
    let file = folder.path().join("latimer.toml");
    let config = Config::parse(&format!("{site}{more}"), Path::new(&file), &|_| None).unwrap();
    (folder, config)
}

async fn preview(more: &str, url: &str, target: &str) -> Result<String, PreviewCode> {
    let (_folder, config) = config(more);
    let sites: Vec<_> = config.sites.iter().cloned().map(Arc::new).collect();
    let locale = |tag| Locale::parse(tag).unwrap();
    let wanted = PreviewRequest {
        url: url.to_owned(),
        source: locale("en"),
        target: locale(target),
        payer: None,
    };
    let stages = Mutex::new(Vec::new());
    let made = Previewer::new(&config, None)
        .localize(&sites, &wanted, &|stage| stages.lock().unwrap().push(stage))
        .await;
    assert!(stages.lock().unwrap().is_sorted());
    made.map(|made| String::from_utf8(made.html).unwrap())
        .map_err(|fault| fault.code)
}

#[tokio::test]
async fn scripts_of_a_page_that_they_would_draw_again_stay_off() {
    let draw = |body: &str| {
        let (folder, config) = config("");
        let html = format!("<html lang=en><body>{body}<script src=/_next/static/a.js></script>");
        std::fs::write(folder.path().join("source/index.html"), html).unwrap();
        (folder, config)
    };
    for (body, expected) in [
        ("<div id=__next><p>Fresh bread<!-- --> now</div>", Ok(true)),
        ("<div id=__next></div>", Err(PreviewCode::RenderFailed)),
        ("<p>Fresh bread", Ok(false)),
    ] {
        let (_folder, config) = draw(body);
        let sites: Vec<_> = config.sites.iter().cloned().map(Arc::new).collect();
        let locale = |tag| Locale::parse(tag).unwrap();
        let url = "https://www.example.com/".to_owned();
        let wanted = PreviewRequest {
            url,
            source: locale("en"),
            target: locale("es"),
            payer: None,
        };
        let made = Previewer::new(&config, None)
            .localize(&sites, &wanted, &|_| ())
            .await;
        let made = made.map(|made| String::from_utf8(made.html).unwrap());
        let is_off =
            made.map(|html| html.contains(WITHOUT_SCRIPTS) && html.contains("Scripts are off"));
        assert_eq!(is_off.map_err(|fault| fault.code), expected, "{body}");
    }
}

#[tokio::test]
async fn pages_of_a_site_come_from_its_source_with_its_words() {
    let html = preview("", "https://www.example.com/shop/menu.html?x=1", "es")
        .await
        .unwrap();
    for piece in [
        "Pan fresco",
        "lang=es",
        "href=\"https://www.example.com/shop/menu.html?a=1\"",
        "href=#top",
        "https://www.example.com/b.png",
        "<meta name=\"robots\" content=\"noindex\" />",
    ] {
        assert!(html.contains(piece), "{piece} is not in {html}");
    }
    assert!(!html.contains("hreflang"), "{html}");
    assert!(
        preview("", "https://www.example.com/", "es")
            .await
            .unwrap()
            .contains("Pan fresco")
    );
    assert!(
        preview("", "https://www.example.com/shop/menu", "es")
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn xhtml_stays_xml_and_says_so_to_the_server() {
    let xhtml = preview("", "https://www.example.com/menu.xhtml", "es")
        .await
        .unwrap();
    assert!(
        xhtml.contains("<title/>")
            && xhtml.contains("<p>Pan fresco<br/></p>")
            && xhtml.contains(AS_XML),
        "{xhtml}"
    );
    assert!(
        !preview("", "https://www.example.com/", "es")
            .await
            .unwrap()
            .contains(AS_XML)
    );
}

#[tokio::test]
async fn what_cannot_be_previewed_has_a_code() {
    let only = "[preview]\nallow_hosts = [\"*.example.org\"]\n";
    let small = "[preview]\nmax_chars = 3\n";
    for (more, url, target, code) in [
        (
            "",
            "https://www.example.com/none",
            "es",
            PreviewCode::RenderFailed,
        ),
        (
            "",
            "https://www.example.com/note.txt",
            "es",
            PreviewCode::RenderFailed,
        ),
        (
            "",
            "https://www.example.com/%2e%2e%2flatimer.toml",
            "es",
            PreviewCode::RenderFailed,
        ),
        (
            only,
            "https://www.example.com/internal/plan.html",
            "es",
            PreviewCode::BlockedHost,
        ),
        (only, "https://example.org/", "es", PreviewCode::BlockedHost),
        (
            small,
            "https://www.example.com/",
            "es",
            PreviewCode::PageTooLarge,
        ),
        (
            "[preview]\nengine = \"apertium\"\n",
            "https://www.example.com/",
            "zu",
            PreviewCode::TranslateFailed,
        ),
        (
            "",
            "http://169.254.169.254/latest",
            "es",
            PreviewCode::BlockedHost,
        ),
        ("", "http://2130706433/", "es", PreviewCode::BlockedHost),
        ("", "http://0x7f.1/", "es", PreviewCode::BlockedHost),
        (
            "",
            "http://[::ffff:127.0.0.1]/",
            "es",
            PreviewCode::BlockedHost,
        ),
        ("", "http://[::1]/", "es", PreviewCode::BlockedHost),
        ("", "http://localhost/", "es", PreviewCode::BlockedHost),
        ("", "ftp://example.org/", "es", PreviewCode::InvalidUrl),
        (
            "",
            "https://a:b@example.org/",
            "es",
            PreviewCode::InvalidUrl,
        ),
        ("", "https://", "es", PreviewCode::InvalidUrl),
    ] {
        assert_eq!(
            preview(more, url, target).await.map(drop),
            Err(code),
            "{url} {more}"
        );
    }
}
