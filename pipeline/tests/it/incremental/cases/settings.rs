//! Settings, and the files that they name.

use pipeline::state::Stage;

use super::*;
use crate::incremental::causes::words;
use crate::incremental::{Meanwhile, build_both_with, options};

const TEMPLATE: &str = "parts/switcher/disclosure.html";

/// Settings, and the files that they name. Nothing stays open.
pub(super) async fn run_settings() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.to_owned() + "translations = \"{lang}.po\"\nglossary = \"terms.csv\"\n";
    let template = "[site.html]\ntemplates = \"parts\"\n";
    write(root, "latimer.toml", &(settings.clone() + template));
    write(
        root,
        "parts/not-found.html",
        "<!doctype html><title>Nothing</title>",
    );
    write(root, "terms.csv", "source,es\n");
    write(
        root,
        "source/index.html",
        &page("Home", "<p>Fresh bread</p>"),
    );
    let long = "<p>Fresh bread</p>".repeat(100);
    write(root, "source/long.html", &page("Long", &long));
    same(root, "the first").await;
    for (name, text) in [
        (
            "parts/not-found.html",
            "<!doctype html><title>Not here</title>".to_owned(),
        ),
        (
            TEMPLATE,
            "<nav data-latimer-switcher>Languages</nav>".to_owned(),
        ),
        ("es.po", words(&[("Fresh bread", "Pan reciente")])),
        (
            "latimer.toml",
            settings.clone()
                + "html.switcher = { placement = \"none\" }\nhtml.templates = \"parts\"\n",
        ),
        // Its term is missed, and so a text stays open from here on.
        ("terms.csv", "source,es\nHome,Inicio\n".to_owned()),
        (
            "latimer.toml",
            settings + "crawl.max_page_bytes = 1000\n" + template,
        ),
    ] {
        write(root, name, &text);
        same(root, &format!("{name}: {text}")).await;
    }
}

/// Somebody writes to a template after it was looked at.
pub(super) async fn run_template_written_meanwhile() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "[site.html]\ntemplates = \"parts\"\n"),
    );
    write(root, TEMPLATE, "<nav data-latimer-switcher>Languages</nav>");
    for name in ["index", "a", "b"] {
        write(
            root,
            &format!("source/{name}.html"),
            &page("Home", "<p>Bread</p>"),
        );
    }
    same(root, "the first").await;
    write(root, "source/a.html", &page("Home", "<p>Rolls</p>"));
    let meanwhile: Meanwhile = |root, step| {
        if step.stage == Stage::Translate {
            write(root, TEMPLATE, "<nav data-latimer-switcher>Tongues</nav>");
        }
    };
    build_both_with(root, &options(false), meanwhile, "a template is written to").await;
}

/// What the source has for its own server, also where it is no part of the site.
pub(super) async fn run_rules() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "exclude = [\"/.htaccess\"]\n"),
    );
    write(root, "source/index.html", &page("Home", KINDS[2]));
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    same(root, "the first").await;
    for name in ["source/inner/.htaccess", "source/.htaccess"] {
        write(
            root,
            name,
            "Header set Content-Security-Policy \"script-src 'none'\"\n",
        );
        same(root, name).await;
    }
}

/// What the rules of the site keep out is counted.
pub(super) async fn run_what_is_left_out() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "exclude = [\"/inner/\"]\n"),
    );
    write(root, "source/index.html", &page("Home", "<p>Bread</p>"));
    same(root, "the first").await;
    write(
        root,
        "source/inner/plan.html",
        &page("Plan", "<p>Rolls</p>"),
    );
    same(root, "a page that is kept out").await;
}
