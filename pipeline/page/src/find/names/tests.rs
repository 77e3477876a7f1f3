//! Tests of `names.rs`.

use super::*;
use crate::html::rules::Rules;
use crate::html::scan::scan;

fn check(html: &str, expected: &[(&str, NameSource)]) {
    let tokens = scan(html.as_bytes(), &Rules::default());
    let found = find(html.as_bytes(), &tokens, &Locale::parse("en").unwrap());
    let found: Vec<(&str, NameSource)> = found
        .iter()
        .map(|name| (name.name.as_str(), name.source))
        .collect();
    assert_eq!(found, expected, "{html}");
}

#[test]
fn heads_name_site_and_author_r_n2() {
    check(
        "<meta property=og:site_name content='Heron &amp;  Rye'>",
        &[("Heron & Rye", NameSource::Head)],
    );
    check(
        "<meta name=application-name content=Heron>",
        &[("Heron", NameSource::Head)],
    );
    check(
        "<meta name=apple-mobile-web-app-title content=Heron>",
        &[("Heron", NameSource::Head)],
    );
    check(
        "<meta name=Author content='Jane Miller'>",
        &[("Jane Miller", NameSource::Author)],
    );
    check(
        "<meta name=description content=Bread><meta name=author content=''>",
        &[],
    );
}

#[test]
fn logos_lead_home_r_n2() {
    let heron = [("Heron & Rye", NameSource::Logo)];
    check(
        "<header><a class=logo href=/><img src=l.svg alt='Heron &amp; Rye logo'></a></header>",
        &heron,
    );
    check(
        "<a class='navbar-brand' href=../index.html>Heron <b>&amp; Rye</b></a>",
        &heron,
    );
    check(
        "<p class=site-title><a href=https://heron.example/ rel=home>Heron &amp; Rye</a></p>",
        &heron,
    );
    check(
        "<a class=navbar__brand href=/><img alt=''><b class=navbar__title>Heron &amp; Rye</b></a>",
        &heron,
    );
    check(
        "<a class='md-header__button md-logo' title='Heron &amp; Rye' href=.><svg><title>x</title></svg></a>",
        &heron,
    );
    check("<div id=projectname>Heron &amp; Rye</div>", &heron);
    check(
        "<a class=sidebar-brand href=#><span class=sidebar-brand-text>Heron &amp; Rye</span></a>",
        &heron,
    );
    check(
        "<a class=logo href=/partners.html>Our partners</a><div class=brands><a href=/>Home</a></div>",
        &[],
    );
}

#[test]
fn structured_data_names_organizations_r_n2() {
    let ld = |json: &str| format!("<script type=application/ld+json>{json}</script>");
    check(
        &ld(r#"{"@type":"Bakery","name":"Heron","telephone":"1"}"#),
        &[("Heron", NameSource::Data)],
    );
    check(
        &ld(r#"{"@type":"WebSite","name":"Heron"}"#),
        &[("Heron", NameSource::Data)],
    );
    check(
        &ld(r#"{"@type":"Article","name":"News","publisher":{"name":"Times"}}"#),
        &[("Times", NameSource::Data)],
    );
    check(
        &ld(r#"{"@type":"Product","name":"Bread","brand":{"@type":"Brand","name":"Her\u00f3n"}}"#),
        &[("Herón", NameSource::Data)],
    );
    check(
        &ld(r#"{"@type":"Product","brand":"Heron"}"#),
        &[("Heron", NameSource::Data)],
    );
    check(&ld(r#"{"@type":"Country","name":"Germany"}"#), &[]);
    check(&ld(r#"{"@type":"Product","name":"Bread"}"#), &[]);
}

#[test]
fn commands_name_packages_r_n2() {
    for (command, expected) in [
        (
            "$ python -m pip install -U \"furo[doc]>=2024\"",
            vec!["furo"],
        ),
        (
            "npm install --save-dev @docusaurus/core vite@5",
            vec!["@docusaurus/core", "vite"],
        ),
        (
            "cargo add serde --features derive && cargo build",
            vec!["serde"],
        ),
        ("gem install jekyll bundler", vec!["jekyll", "bundler"]),
        ("pip install -r requirements.txt", vec![]),
        (
            "pip install . ./dist/x.whl git+https://example.com/x",
            vec![],
        ),
        ("npm install", vec![]),
        ("install the package", vec![]),
    ] {
        assert_eq!(packages(command), expected, "{command}");
    }
    let lines = "<pre><code><span>npm install vite</span><br><span>latimer build bakery</span><br></code></pre>";
    check(lines, &[("vite", NameSource::Package)]);
    check(
        "<pre><span>pip</span><span> </span>install<span> </span>furo\n</pre>",
        &[("furo", NameSource::Package)],
    );
}
