//! Tests of `links.rs`.

use super::*;
use crate::html::rules::Rules;
use crate::html::scan::scan;

fn check(html: &str, addresses: &[&str]) {
    let tokens = scan(html.as_bytes(), &Rules::default());
    let found = find(
        html.as_bytes(),
        &tokens,
        &LanguageLinks::default(),
        encoding_rs::UTF_8,
    );
    let found: Vec<&str> = found
        .iter()
        .map(|place| place.address(html.as_bytes()))
        .collect();
    assert_eq!(found, addresses, "{html}");
}

#[test]
fn carriers_are_sorted() {
    assert!(CARRIERS.is_sorted());
}

#[test]
fn addresses_are_found_r_e1() {
    check("<a href='/a?x=1&amp;y=2'>", &["/a?x=1&y=2"]);
    check(
        "<a href=\" /trim \" ping=' /p\n/q '>",
        &["/trim", "/p", "/q"],
    );
    check(
        "<form action=/f><button formaction=/g><input src=/i.png>",
        &["/f", "/g", "/i.png"],
    );
    check(
        "<blockquote cite=/q><video poster=/p src=/v><track src=/t></video>",
        &["/q", "/p", "/v", "/t"],
    );
    check(
        "<svg><use xlink:href='#x'/><image href=/s.png /></svg>",
        &["#x", "/s.png"],
    );
    check(
        "<p style=\"background:url('/b.png'), url(c.png)\">",
        &["/b.png", "c.png"],
    );
    check(
        "<p style='background:url(&quot;/b.png&quot;)'>",
        &["/b.png"],
    );
    check(
        "<style>@import '/a.css'; p{background:url( d.png )} /* url(no) */</style>",
        &["/a.css", "d.png"],
    );
    check("<script>url(no)</script><div data-href=/no>", &[]);
    check("<noscript><img src=/n.png></noscript>", &["/n.png"]);
}

#[test]
fn an_empty_address_counts_below_a_base_r_s13() {
    check(
        "<base href=/><a href=''>home</a><a href>none</a><img src=''><form action=''>",
        &[""],
    );
    check("<a href=''>this page</a>", &[]);
}

#[test]
fn fragments_are_addressed_by_attributes_for_scripts_r_s19() {
    check(
        "<div hx-get=/a data-hx-get=b.html data-include=c.html w3-include-html=d/e>",
        &["/a", "b.html", "c.html", "d/e"],
    );
    check(
        "<div hx-get data-include=yes><turbo-frame src=/f></turbo-frame>",
        &["/f"],
    );
}

#[test]
fn what_scripts_load_later_is_addressed_r_s22() {
    check(
        "<img data-src=a.png data-srcset='b.png 1x, /c.png 2x' data-original=/d.jpg?v=1>",
        &["a.png", "b.png", "/c.png", "/d.jpg?v=1"],
    );
    check(
        "<div data-bg=e.webp data-background=/f.avif><video data-poster=g.jpg>",
        &["e.webp", "/f.avif", "g.jpg"],
    );
    check("<div data-src=user/profile data-original='A title.'>", &[]);
    check(
        "<div data-bg=\"url('a.png')\" data-background=url(b.png)>",
        &["a.png", "b.png"],
    );
    check(
        "<a data-href=a.pdf data-thumb=b.jpg></a><a data-href=/about/ data-lazy=true>",
        &["a.pdf", "b.jpg"],
    );
    check(
        "<amp-img src=a.png srcset='b.png 2x'><x-y src=name poster=c.png>",
        &["a.png", "b.png", "c.png"],
    );
    check(
        "<astro-island component-url=/_astro/a.js renderer-url=b.js>",
        &["/_astro/a.js", "b.js"],
    );
}

#[test]
fn srcset_is_split_by_the_html_algorithm_r_e6_f_51() {
    check(
        "<img srcset='/a,b.png 1x, /c.png 2x,/d.png'>",
        &["/a,b.png", "/c.png", "/d.png"],
    );
    check(
        "<img srcset='a.png, b.png 480w, c.png 2x,'>",
        &["a.png", "b.png", "c.png"],
    );
}

#[test]
fn menus_that_open_pages_hold_addresses_r_m1() {
    check(
        "<select onchange='location=this.value'><option value=/a/>A<option value=b.html>B<option value=x>",
        &["/a/", "b.html"],
    );
    check(
        "<select onChange=\"window.location.href = this.options[this.selectedIndex].value\"><option value='?p=1/2'>",
        &["?p=1/2"],
    );
    check(
        "<select onchange='window.open(this.value)'><option value=https://h/a>",
        &["https://h/a"],
    );
    check(
        "<select onchange='update(this)'><option value=/a/>A</select>",
        &[],
    );
    check(
        "<select onchange='location=this.value'></select><select><option value=/a/>",
        &[],
    );
}

#[test]
fn refresh_holds_an_address() {
    check(
        "<meta http-equiv=Refresh content='5; URL=/next'>",
        &["/next"],
    );
    check(
        "<meta http-equiv=refresh content=\"0;url='/q uoted'\">",
        &["/q uoted"],
    );
    check("<meta http-equiv=refresh content=30>", &[]);
    check("<meta name=description content='url=/no'>", &[]);
}

#[test]
fn statements_for_programs_hold_addresses_r_s6() {
    let kinds = |html: &str| {
        let tokens = scan(html.as_bytes(), &Rules::default());
        let found = find(
            html.as_bytes(),
            &tokens,
            &LanguageLinks::default(),
            encoding_rs::UTF_8,
        );
        let kinds = found
            .iter()
            .map(|place| format!("{}={}", place.attribute, place.address(html.as_bytes())));
        kinds.collect::<Vec<_>>().join(" ")
    };
    for (html, expected) in [
        (
            "<meta property=og:image content=' /og.png?a=1&amp;b=2 '>",
            "file=/og.png?a=1&b=2",
        ),
        ("<meta name=OG:Image content=og.png>", "file=og.png"),
        (
            "<meta name=twitter:image content=//h/tw.png>",
            "file=//h/tw.png",
        ),
        (
            "<meta name=msapplication-TileImage content=/tile.png>",
            "file=/tile.png",
        ),
        ("<meta name=msapplication-config content=none>", ""),
        ("<meta property='og:image:alt' content='/no'>", ""),
        (
            "<meta property='og:see_also' content=https://h/a/>",
            "url=https://h/a/",
        ),
        ("<meta property='article:author' content='Jane Doe'>", ""),
        (
            "<meta property='og:url' content=https://h/>",
            "id=https://h/",
        ),
        (
            "<meta itemprop='image thumbnailUrl' content=/i.png>",
            "file=/i.png",
        ),
        ("<meta itemprop=url content=https://h/a>", "url=https://h/a"),
        (
            "<meta property='schema:image' content=/i.png>",
            "file=/i.png",
        ),
        ("<meta itemprop=url content=a.html>", "url=a.html"),
        ("<meta itemprop=item content=Bread>", ""),
        ("<meta itemprop=name content=/no>", ""),
        ("<link itemprop=url href=/a>", "url=/a"),
        ("<link itemprop=logo href=/l.png>", "file=/l.png"),
        (
            "<link itemprop=availability href=https://schema.org/InStock>",
            "href=https://schema.org/InStock",
        ),
        ("<link rel=icon itemprop=image href=/i.png>", "href=/i.png"),
    ] {
        assert_eq!(kinds(html), expected, "{html}");
    }
}
