//! Names on pages of a few sentences.

use super::*;
use crate::page::Page;

/// The names of a site with these pages; those that count only alone stand in brackets.
fn names_in(language: &str, pages: &[String]) -> Vec<String> {
    let locale = Locale::parse(language).unwrap();
    let clues: Vec<Box<[NameClue]>> = pages
        .iter()
        .map(|html| {
            let page = Page::parse(html.as_bytes(), Some("utf-8"), &locale);
            clues(page.names(), &page.segments().collect::<Vec<_>>())
        })
        .collect();
    let names = decide(&locale, clues.iter().map(|clues| &**clues));
    names
        .into_iter()
        .map(|name| {
            if name.is_alone {
                format!("[{}]", name.text)
            } else {
                name.text
            }
        })
        .collect()
}

fn check(pages: &[&str], expected: &[&str]) {
    let pages: Vec<String> = pages
        .iter()
        .map(|page| format!("<!doctype html><html lang=en>{page}"))
        .collect();
    assert_eq!(names_in("en", &pages), expected, "{pages:?}");
}

const HEAD: &str = "<meta property=og:site_name content=";

#[test]
fn names_of_several_words_count_everywhere_r_n2() {
    check(
        &["<meta property=og:site_name content='Harbor Lane Coffee'>"],
        &["Harbor Lane Coffee"],
    );
    check(
        &["<meta name=author content='Jane Miller and Tom van Dyke'>"],
        &["Jane Miller", "Tom van Dyke"],
    );
    check(
        &[
            "<title>Home | Heron &amp; Rye</title>",
            "<title>Bread | Heron &amp; Rye</title>",
        ],
        &["Heron & Rye"],
    );
    check(
        &[
            "<title>Heron &amp; Rye - Home</title>",
            "<title>Heron &amp; Rye - Bread</title>",
        ],
        &["Heron & Rye"],
    );
    let ld =
        "<script type=application/ld+json>{\"@type\":\"Store\",\"name\":\"Harbor Lane\"}</script>";
    check(&[ld], &["Harbor Lane"]);
    // A phrase in lower-case sentences is no name.
    check(
        &[
            "<title>A | Product Tour</title><p>Take a product tour with us</p>",
            "<title>B | Product Tour</title>",
        ],
        &[],
    );
    check(
        &[
            "<meta property=og:site_name content='User Guide'>",
            "<meta property=og:site_name content='Online Shop'>",
        ],
        &[],
    );
    // A slogan, or a phrase of few titles, is no name.
    check(
        &[
            "<title>A | Fresh Roasted Coffee in Portland</title>",
            "<title>B | Fresh Roasted Coffee in Portland</title>",
        ],
        &[],
    );
    check(
        &[
            "<title>A | Harbor Lane</title>",
            "<title>B | C</title>",
            "<title>D | E</title>",
        ],
        &[],
    );
}

#[test]
fn single_words_need_sentences_or_two_places_r_n2() {
    let page = |name: &str, text: &str| format!("{HEAD}{name}><p>{text}</p>");
    check(&[&page("Rust", "You can learn Rust in a month")], &["Rust"]);
    check(
        &[&page("Furo", "Install the Furo theme from here")],
        &["Furo"],
    );
    check(&[&page("Rust", "Rust is a language for all")], &["[Rust]"]);
    check(&[&page("Harbor", "We look at the harbor from here")], &[]);
    check(
        &[&page("Harbor", "We look at the harbor and so did Harbor")],
        &[],
    );
    for common in ["Home", "Docs", "Documentation", "Blog", "Shop"] {
        let logo = format!("<a class=logo href=/>{common}</a>");
        check(
            &[&(page(
                common,
                "They call it Documentation or Docs or Blog or Shop or Home",
            ) + &logo)],
            &[],
        );
    }
    check(
        &[&(page("Harbor", "") + "<a class=logo href=/>Harbor</a>")],
        &["Harbor"],
    );
    check(&[&page("mdBook", "")], &["mdBook"]);
    check(
        &[&page("rust-lang", "See rust-lang.org and the rust on it")],
        &["rust-lang"],
    );
}

#[test]
fn titles_of_headings_and_beginnings_say_nothing_r_n2() {
    let page = |text: &str| format!("{HEAD}Harbor>{text}");
    check(
        &[&page(
            "<h2>The Old Harbor of the Town</h2><p>Harbor of mine, I like you.</p>",
        )],
        &["[Harbor]"],
    );
    check(
        &[&page("<p>The Old Harbor Is Open Again Today</p>")],
        &["[Harbor]"],
    );
    check(
        &[&page("<p>We say: Harbor is what we like</p>")],
        &["[Harbor]"],
    );
    check(&[&page("<p>We like it. We run Harbor.</p>")], &["Harbor"]);
}

#[test]
fn packages_and_projects_are_names_r_n2() {
    let code = "<pre>pip install furo</pre>";
    check(
        &[&format!("{code}<p>We use the Furo theme here</p>")],
        &["Furo", "[furo]"],
    );
    check(&[code], &["[furo]"]);
    check(
        &["<pre>pip install sphinx-autobuild</pre>"],
        &["sphinx-autobuild"],
    );
    let titles = [
        "<title>Usage — requests 2.31.0 documentation</title>",
        "<title>API — requests 2.31.0 documentation</title>",
    ];
    check(&titles, &["[requests]"]);
    check(
        &["<div id=projectname>Latimer Core<span>&nbsp;1.2</span></div>"],
        &["Latimer Core"],
    );
}

#[test]
fn languages_without_the_sign_of_a_capital_are_careful_r_n2() {
    let german = |html: &str| names_in("de", &[format!("<!doctype html><html lang=de>{html}")]);
    assert_eq!(
        german("<meta property=og:site_name content=Hafen><p>Wir sehen den Hafen von hier"),
        [""; 0]
    );
    assert_eq!(
        german("<meta property=og:site_name content='Hafen Kaffee Bremen'>"),
        ["Hafen Kaffee Bremen"]
    );
    let japanese = "<meta property=og:site_name content=東京><a class=logo href=/>東京</a><p>東京に住んでいます";
    assert_eq!(names_in("ja", &[japanese.to_owned()]), ["[東京]"]);
}
