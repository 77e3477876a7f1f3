//! Links of pages and style sheets: which are followed, and which files they lead to.

use super::*;

async fn check_links(html: &'static str, expected: &[&str]) {
    let origin = full_site(html, Vec::new()).await;
    let (crawled, taken) = collect(&origin.source(), &options()).await;
    let crawled = crawled.unwrap();
    let expected: BTreeSet<String> = expected
        .iter()
        .map(|&name| name.to_owned())
        .chain(["page /".to_owned()])
        .collect();
    assert_eq!(
        names(&taken).into_iter().collect::<BTreeSet<_>>(),
        expected,
        "{html}"
    );
    assert_eq!(
        (crawled.failures.len(), crawled.truncated),
        (0, false),
        "{html}: {crawled:?}"
    );
}

#[tokio::test]
async fn links_are_followed_and_files_mirrored_r_e1_r_e3_r_e7_r_e9_f_57() {
    for (html, expected) in [
        ("<a href=/b/../a#top>", &["page /a"][..]),
        (
            "<a href=/a><a href='/a#x'><a href='/a?p=2'><a href=/%61>",
            &["page /a"],
        ),
        ("<a href='/list?page=2&amp;sort=a'>", &["page /list"]),
        (
            "<a href=/Case/Page><a href=/case/page>",
            &["page /Case/Page", "page /case/page"],
        ),
        ("<a href=/a><a href=/a/>", &["page /a", "page /a/"]),
        ("<a href='/&uuml;ber uns/'>", &["page /%C3%BCber%20uns/"]),
        ("<a href=/x%2fy>", &["page /x%2Fy"]),
        ("<a href=/a&amp;b>", &["page /a&b"]),
        (
            "<base href=/sub/><a href=a><img src=i.png>",
            &["page /sub/a", "file /sub/i.png"],
        ),
        (
            "<base href=sub/x/><base href=/no/><a href=../a><a href='?q'><a href='#top'>",
            &["page /sub/a", "page /sub/x/"],
        ),
        (
            "<base href=http://elsewhere.invalid/sub/><a href=a><a href=/b>",
            &[],
        ),
        (
            "<map><area href=/m></map><iframe src=/f></iframe>",
            &["page /m", "page /f"],
        ),
        (
            "<meta http-equiv=refresh content='3; url=/r'><link rel=next href=/n>",
            &["page /r", "page /n"],
        ),
        (
            "<link rel=canonical href=/c><link rel=preconnect href=/no>",
            &["page /c"],
        ),
        ("<a rel=nofollow href=/no><a href=/yes>", &["page /yes"]),
        (
            "<meta name=robots content='noindex, nofollow'><a href=/no><img src=/i.png>",
            &["file /i.png"],
        ),
        (
            "<img srcset='/a.png 1x, /b.png 2x' src=/c.png>",
            &["file /a.png", "file /b.png", "file /c.png"],
        ),
        (
            "<video poster=/p.png></video><object data=/d.pdf></object>",
            &["file /p.png", "file /d.pdf"],
        ),
        (
            "<p style='background:url(/b\\ c.png)'><style>@import '/s.css'</style>",
            &["file /b%20c.png", "file /s.css"],
        ),
        ("<img src=/soft-404>", &["file /soft-404"]),
        (
            "<a href=/doc.pdf><script src=/j.js?v=1></script>",
            &["file /doc.pdf", "file /j.js?v=1"],
        ),
        (
            "<a href=mailto:a@b.example><a href=javascript:x()><a href='data:text/html,x'><a href='http://['>",
            &[],
        ),
        (
            "<a href=http://elsewhere.invalid/><img src=//elsewhere.invalid/x.png><form action=/no>",
            &[],
        ),
    ] {
        check_links(html, expected).await;
    }
}

#[tokio::test]
async fn style_sheets_are_followed() {
    let sheet = |css: &'static str| Answer::file("text/css; charset=utf-8", css);
    let origin = full_site(
        "<link rel=stylesheet href=/css/a.css>",
        vec![
            (
                "/css/a.css",
                sheet("@import 'b.css'; p{background:url(../i.png)}"),
            ),
            (
                "/css/b.css",
                sheet("@import 'a.css'; @font-face{src:url(f.woff2)}"),
            ),
        ],
    )
    .await;
    let (_, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(
        names(&taken),
        [
            "page /",
            "file /css/a.css",
            "file /css/b.css",
            "file /css/f.woff2",
            "file /i.png"
        ]
    );
}

#[tokio::test]
async fn addresses_for_programs_are_no_pages_r_s13() {
    let head = "<link rel=alternate type=application/json+oembed href=/embed?a=1><link rel=alternate type='text/xml+oembed' href=/embed>\
        <link rel=shortlink href=/short><a href=/cdn-cgi/l/email-protection#3a>mail</a><link rel=alternate href=/other>";
    let origin = full_site(head, Vec::new()).await;
    let (_, taken) = collect(&origin.source(), &options()).await;
    assert_eq!(names(&taken), ["page /", "page /other"]);
    let asked = origin.targets();
    assert!(!asked.iter().any(|target| target.contains("embed")
        || target.contains("cdn")
        || target.contains("short")));
}

#[tokio::test]
async fn files_that_scripts_load_later_are_taken_r_s22() {
    let page = "<img data-src=/lazy.png data-srcset='/one.png 1x, /two.png 2x'><div data-bg=back.png></div><div data-src=user/profile></div>\
        <link rel=amphtml href=/amp><link rel=search type=application/opensearchdescription+xml href=/search.css>";
    let origin = full_site(page, Vec::new()).await;
    let (_, taken) = collect(&origin.source(), &options()).await;
    let files = [
        "/back.png",
        "/lazy.png",
        "/one.png",
        "/search.css",
        "/two.png",
    ]
    .map(|path| format!("file {path}"));
    let pages = ["page /", "page /amp"].map(str::to_owned);
    assert_eq!(names(&taken), [pages.as_slice(), files.as_slice()].concat());
}
