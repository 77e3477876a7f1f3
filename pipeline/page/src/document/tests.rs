//! Feeds and manifests as they are found, rendered and left alone (R-C9): tables of what goes in and what comes out.
//!
//! One file: one table of cases for each format.

use super::*;
use crate::{CodedText, Page, PageChanges, PageLink, Rules};

/// Each word in capitals: an "e" becomes an "É", so what is translated can be seen.
fn shout(text: &CodedText) -> CodedText {
    text.map(|text| text.to_uppercase().replace('E', "É"))
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

/// Renders for readers of Arabic, with links of `https://s.example` led to `/ar`.
fn render(format: PageFormat, source: &[u8], charset: Option<&str>) -> Vec<u8> {
    let page = Page::parse_as(format, source, charset, &locale("en"), &Rules::default());
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| shout(&segment.text))
        .collect();
    let arabic = locale("ar");
    let link = |link: &PageLink<'_>| {
        let rest = link
            .address
            .strip_prefix("https://s.example/")
            .or_else(|| link.address.strip_prefix('/'))?;
        let origin = if link.in_full && !link.address.starts_with('/') {
            "https://s.example"
        } else {
            ""
        };
        Some(format!("{origin}/ar/{rest}"))
    };
    let changes = PageChanges {
        speak: Some(&arabic),
        link: Some(&link),
        ..PageChanges::default()
    };
    let rendered = page.render(|index| texts.get(index), &changes);
    assert_eq!(rendered.refused, []);
    rendered.html
}

fn check(format: PageFormat, source: &str, expected: &str) {
    assert_eq!(
        String::from_utf8_lossy(&render(format, source.as_bytes(), None)),
        expected,
        "{source}"
    );
    let page = Page::parse_as(
        format,
        source.as_bytes(),
        None,
        &locale("en"),
        &Rules::default(),
    );
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| segment.text.clone())
        .collect();
    let rendered = page.render(|index| texts.get(index), &PageChanges::default());
    assert_eq!(String::from_utf8_lossy(&rendered.html), source, "identity");
    let shouted: Vec<CodedText> = texts.iter().map(shout).collect();
    let rendered = page.render(|index| shouted.get(index), &PageChanges::default());
    let again = Page::parse_as(
        format,
        &rendered.html,
        None,
        &locale("en"),
        &Rules::default(),
    );
    assert_eq!(
        again
            .segments()
            .map(|segment| segment.text.clone())
            .collect::<Vec<_>>(),
        shouted,
        "conservation"
    );
}

fn rss(inside: &str) -> String {
    let spaces = "xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" \
                  xmlns:media=\"http://search.yahoo.com/mrss/\" xmlns:a10=\"http://www.w3.org/2005/Atom\"";
    format!(
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\" {spaces}><channel>{inside}</channel></rss>\n"
    )
}

#[test]
fn rss_is_localized_r_c9() {
    for (source, expected) in [
        (
            "<language>en-us</language><title>Tom &amp; Jo</title>",
            "<language>ar</language><title>TOM &amp; JO</title>",
        ),
        (
            "\n  <title>one</title>",
            "\n  <language>ar</language>\n  <title>ONÉ</title>",
        ),
        (
            "<language>en</language><item><title>&lt;b&gt;one&lt;/b&gt; two</title></item>",
            "<language>ar</language><item><title>&lt;b&gt;ONÉ&lt;/b&gt; TWO</title></item>",
        ),
        (
            "<language><![CDATA[en]]></language><description> <![CDATA[<p class='x'>a &amp; e</p>]]> </description>",
            "<language><![CDATA[ar]]></language><description> <![CDATA[<p class='x'>A &amp; É</p>]]> </description>",
        ),
        (
            "<language>en</language><title>one <![CDATA[& two]]></title>",
            "<language>ar</language><title>ONÉ &amp; TWO</title>",
        ),
        (
            "<language>en</language><item><content:encoded><![CDATA[<a href=\"https://s.example/b/\">here</a>\
             <img src=\"/i.png\" alt=\"tree\">]]></content:encoded></item>",
            "<language>ar</language><item><content:encoded><![CDATA[<a href=\"https://s.example/ar/b/\">HÉRÉ</a>\
             <img src=\"/ar/i.png\" alt=\"TRÉÉ\">]]></content:encoded></item>",
        ),
        (
            "<language>en</language><link>https://s.example/</link><a10:link rel=\"self\" href=\"https://s.example/f\"/>\
             <item><link>https://s.example/a</link><guid isPermaLink=\"true\">https://s.example/a</guid>\
             <pubDate>Mon</pubDate><author>me</author><category>cats</category>\
             <enclosure url=\"https://s.example/a.mp3\" length=\"1\" type=\"audio/mpeg\"/></item>",
            "<language>ar</language><link>https://s.example/ar/</link><a10:link rel=\"self\" \
             href=\"https://s.example/ar/f\"/><item><link>https://s.example/ar/a</link>\
             <guid isPermaLink=\"true\">https://s.example/a</guid><pubDate>Mon</pubDate><author>me</author>\
             <category>cats</category>\
             <enclosure url=\"https://s.example/a.mp3\" length=\"1\" type=\"audio/mpeg\"/></item>",
        ),
        (
            "<language>en</language><item><media:title>one</media:title><media:credit>me</media:credit></item>",
            "<language>ar</language><item><media:title>ONÉ</media:title><media:credit>me</media:credit></item>",
        ),
    ] {
        check(PageFormat::Feed, &rss(source), &rss(expected));
    }
    for stays in [
        "<language>fr</language><title>un</title>",
        "<language>fr</language><title xml:lang=\"fr\">un</title>",
    ] {
        check(PageFormat::Feed, &rss(stays), &rss(stays));
    }
    check(
        PageFormat::Feed,
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\">\
         <item rdf:about=\"https://s.example/a\"><title>one</title><link>https://s.example/a</link></item></rdf:RDF>",
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns=\"http://purl.org/rss/1.0/\">\
         <item rdf:about=\"https://s.example/a\"><title>ONÉ</title><link>https://s.example/ar/a</link></item></rdf:RDF>",
    );
}

#[test]
fn atom_is_localized_r_c9() {
    let atom = |head: &str, inside: &str| {
        format!("<feed xmlns=\"http://www.w3.org/2005/Atom\"{head}>{inside}</feed>")
    };
    for ((head, source), (new_head, expected)) in [
        (
            (" xml:lang='en-GB'", "<title type='text'>a &lt;b></title>"),
            (" xml:lang='ar'", "<title type='text'>A &lt;B&gt;</title>"),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<entry><title type=\"html\">a &amp;amp; &lt;i>e&lt;/i></title><id>tag:e</id></entry>",
            ),
            (
                " xml:lang=\"ar\"",
                "<entry><title type=\"html\">A &amp;amp; &lt;i&gt;É&lt;/i&gt;</title><id>tag:e</id></entry>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>one<br/><a href='/x'>e &amp; a</a></p></div></content>",
            ),
            (
                " xml:lang=\"ar\"",
                "<content type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\"><p>ONÉ<br/><a href='/ar/x'>É &amp; A</a></p></div></content>",
            ),
        ),
        // HTML would read these otherwise than XML does, so they stay.
        (
            (
                " xml:lang=\"en\"",
                "<content type=\"xhtml\"><p>e<title/>e</p></content><summary>e</summary>",
            ),
            (
                " xml:lang=\"ar\"",
                "<content type=\"xhtml\"><p>e<title/>e</p></content><summary>É</summary>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<content type=\"xhtml\"><p><![CDATA[e > e]]></p></content>",
            ),
            (
                " xml:lang=\"ar\"",
                "<content type=\"xhtml\"><p><![CDATA[e > e]]></p></content>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<entry xml:lang=\"fr\"><title>un</title></entry><entry><title>e</title></entry>",
            ),
            (
                " xml:lang=\"ar\"",
                "<entry xml:lang=\"fr\"><title>un</title></entry><entry><title>É</title></entry>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<link href=\"/x\" hreflang=\"en\"/><link rel=\"enclosure\" href=\"/e.mp3\"/><link href=\"https://o.example/\" hreflang=\"en\"/>",
            ),
            (
                " xml:lang=\"ar\"",
                "<link href=\"/ar/x\" hreflang=\"ar\"/><link rel=\"enclosure\" href=\"/e.mp3\"/><link href=\"https://o.example/\" hreflang=\"en\"/>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<content type=\"html\" xml:base=\"https://s.example/p/\">&lt;a href=\"q\"&gt;e&lt;/a&gt;</content>",
            ),
            (
                " xml:lang=\"ar\"",
                "<content type=\"html\" xml:base=\"https://s.example/p/\">&lt;a href=\"https://s.example/ar/p/q\"&gt;É&lt;/a&gt;</content>",
            ),
        ),
        (
            (
                " xml:lang=\"en\"",
                "<content type=\"image/png\">eeee</content><content src=\"/x\">e</content>",
            ),
            (
                " xml:lang=\"ar\"",
                "<content type=\"image/png\">eeee</content><content src=\"/x\">e</content>",
            ),
        ),
    ] {
        check(
            PageFormat::Feed,
            &atom(head, source),
            &atom(new_head, expected),
        );
    }
}

#[test]
fn a_feed_that_does_not_say_its_language_learns_to_r_c9() {
    check(
        PageFormat::Feed,
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>one</title></feed>",
        "<feed xml:lang=\"ar\" xmlns=\"http://www.w3.org/2005/Atom\"><title>ONÉ</title></feed>",
    );
}

#[test]
fn json_feed_is_localized_r_c9() {
    check(
        PageFormat::JsonFeed,
        r#"{ "version": "https://jsonfeed.org/version/1.1", "title": "one", "home_page_url": "https://s.example/", "items": [ { "id": "e", "url": "https://s.example/a", "title": "t\u0065st", "content_html": "<p>a \"e\"<\/p>", "content_text": "e\n\nf", "date_published": "2026" } ] }"#,
        r#"{ "language": "ar", "version": "https://jsonfeed.org/version/1.1", "title": "ONÉ", "home_page_url": "https://s.example/ar/", "items": [ { "id": "e", "url": "https://s.example/ar/a", "title": "TÉST", "content_html": "<p>A \"É\"</p>", "content_text": "É\n\nF", "date_published": "2026" } ] }"#,
    );
    check(
        PageFormat::JsonFeed,
        r#"{"language":"en","items":[{"summary":"a <b>e</b>","content_text":"a <b>"}]}"#,
        r#"{"language":"ar","items":[{"summary":"A <b>É</b>","content_text":"A <B>"}]}"#,
    );
    let foreign = r#"{"version":"https://jsonfeed.org/version/1","language":"fr","title":"un"}"#;
    check(PageFormat::JsonFeed, foreign, foreign);
}

#[test]
fn manifests_are_localized() {
    check(
        PageFormat::Manifest,
        "{\n  \"name\": \"one\",\n  \"id\": \"/\",\n  \"start_url\": \"/?a=e\",\n  \"icons\": [{\"src\": \"/i.png\", \"type\": \"image/png\"}],\n  \"shortcuts\": [{\"name\": \"e\", \"url\": \"/e/\"}]\n}",
        "{\n  \"lang\": \"ar\",\n  \"dir\": \"rtl\",\n  \"name\": \"ONÉ\",\n  \"id\": \"/\",\n  \"start_url\": \"/ar/?a=e\",\n  \"icons\": [{\"src\": \"/ar/i.png\", \"type\": \"image/png\"}],\n  \"shortcuts\": [{\"name\": \"É\", \"url\": \"/ar/e/\"}]\n}",
    );
    check(
        PageFormat::Manifest,
        r#"{"lang":"en","dir":"ltr","short_name":"e","display":"standalone"}"#,
        r#"{"lang":"ar","dir":"rtl","short_name":"É","display":"standalone"}"#,
    );
    check(
        PageFormat::Manifest,
        r#"{"name":"e","dir":"auto","lang":""}"#,
        r#"{"name":"É","dir":"auto","lang":"ar"}"#,
    );
}

#[test]
fn damaged_documents_stay_as_they_are() {
    for (format, source) in [
        (PageFormat::Feed, "<rss><channel><title>one</channel></rss>"),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title></channel>",
        ),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title></channel></rss><rss/>",
        ),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title><<a/></channel></rss>",
        ),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title><\\a/></channel></rss>",
        ),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title><1a/></channel></rss>",
        ),
        (
            PageFormat::Feed,
            "<rss><channel><title>one</title><a\u{a0}b/></channel></rss>",
        ),
        (
            PageFormat::Feed,
            "<rss a=1><channel><title>one</title></channel></rss>",
        ),
        (
            PageFormat::Feed,
            "<rss a='1' a='2'><channel><title>one</title></channel></rss>",
        ),
        (PageFormat::Feed, "<html><title>one</title></html>"),
        (
            PageFormat::Feed,
            "one <rss><channel><title>one</title></channel></rss>",
        ),
        (PageFormat::Feed, ""),
        (PageFormat::Manifest, "{\"name\":\"one\",}"),
        (PageFormat::Manifest, "[\"name\"]"),
        (PageFormat::JsonFeed, "{\"title\":\"one\""),
    ] {
        check(format, source, source);
    }
    let deep = format!(
        "<rss>{}{}</rss>",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    assert_eq!(
        render(PageFormat::Feed, deep.as_bytes(), None),
        deep.as_bytes()
    );
}

#[test]
fn references_that_only_a_dtd_explains_stay() {
    let source = "<!DOCTYPE rss [<!ENTITY who \"me\">]><rss><channel><language>en</language><title>by &who;</title>\
                  <description>e</description></channel></rss>";
    check(
        PageFormat::Feed,
        source,
        &source.replace(">e<", ">É<").replace(">en<", ">ar<"),
    );
}

#[test]
fn other_encodings_become_utf_8_and_say_so_r_d4() {
    let source = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><rss><channel><language>en</language>\
                  <title>déjà</title><item><author>é</author></item></channel></rss>";
    let expected = source
        .replace("ISO-8859-1", "UTF-8")
        .replace("déjà", "DÉJÀ")
        .replace(">en<", ">ar<");
    let (latin, ..) = encoding_rs::WINDOWS_1252.encode(source);
    assert_eq!(
        String::from_utf8(render(PageFormat::Feed, &latin, None)).unwrap(),
        expected
    );
    let marked = format!("\u{feff}{}", source.replace("ISO-8859-1", "utf-8"));
    let rendered = String::from_utf8(render(PageFormat::Feed, marked.as_bytes(), None)).unwrap();
    assert_eq!(
        rendered,
        format!("\u{feff}{}", expected.replace("UTF-8", "utf-8"))
    );
    let manifest = "\u{feff}{\"name\":\"e\",\"lang\":\"en\",\"dir\":\"auto\"}";
    check(
        PageFormat::Manifest,
        manifest,
        &manifest.replace("\"e\"", "\"É\"").replace("en", "ar"),
    );
}

#[test]
fn formats_are_told_by_type_name_and_content() {
    let atom =
        "<?xml version='1.0'?><!-- > --><?x y?>\n<a:feed xmlns:a='http://www.w3.org/2005/Atom'/>";
    for (content_type, path, body, format) in [
        ("text/html", "/x", "", Some(PageFormat::Html)),
        (
            "application/rss+xml",
            "/feed",
            "<rss version='2.0'>",
            Some(PageFormat::Feed),
        ),
        (
            "application/xml",
            "/feed.xml",
            "\u{feff} <rss>",
            Some(PageFormat::Feed),
        ),
        ("text/xml", "/x", atom, Some(PageFormat::Feed)),
        (
            "application/xml",
            "/sitemap.xml",
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>",
            None,
        ),
        ("application/xml", "/x.xml", "<feed>", None),
        ("application/xml", "/x.xml", "", None),
        ("image/svg+xml", "/x.svg", "<svg/>", None),
        (
            "application/feed+json",
            "/x",
            "{}",
            Some(PageFormat::JsonFeed),
        ),
        (
            "application/json",
            "/f.json",
            r#"{"version":"https:\/\/jsonfeed.org\/version\/1"}"#,
            Some(PageFormat::JsonFeed),
        ),
        (
            "application/json",
            "/f.json",
            r#"{"x":["https://jsonfeed.org/version/1"]}"#,
            None,
        ),
        (
            "application/manifest+json",
            "/x",
            "{}",
            Some(PageFormat::Manifest),
        ),
        (
            "application/octet-stream",
            "/x/site.webmanifest",
            "{}",
            Some(PageFormat::Manifest),
        ),
        (
            "application/json",
            "/manifest.json",
            r#"{"name":"x","icons":[]}"#,
            Some(PageFormat::Manifest),
        ),
        (
            "application/json",
            "/manifest.json",
            r#"{"name":"x","icons":{},"manifest_version":3}"#,
            None,
        ),
        (
            "application/json",
            "/manifest.json",
            r#"{"index.js":{"file":"x"}}"#,
            None,
        ),
        (
            "application/json",
            "/data.json",
            r#"{"short_name":"x"}"#,
            None,
        ),
        (
            "text/javascript",
            "/book/toc-1a.js",
            SIDEBAR,
            Some(PageFormat::Sidebar),
        ),
        ("text/javascript", "/book/book.js", SIDEBAR, None),
        (
            "text/javascript",
            "/toc.js",
            "class MDBookSidebarScrollbox { x() { this.innerHTML = 'open\\' } }",
            None,
        ),
    ] {
        assert_eq!(
            PageFormat::of(content_type, path, body.as_bytes()),
            format,
            "{content_type} {path} {body}"
        );
    }
}

/// What mdBook writes, with what a string may hold.
const SIDEBAR: &str = "class MDBookSidebarScrollbox { x() { this.innerHTML = '<ol><li><a href=\"a.html\"><b>1.</b> It\\'s e</a>\\n<a href=\"/b\">\\u003c</a></ol>'; y = 'e'; } }";

#[test]
fn only_the_string_of_a_sidebar_changes() {
    check(
        PageFormat::Sidebar,
        SIDEBAR,
        "class MDBookSidebarScrollbox { x() { this.innerHTML = '<ol><li><a href=\"a.html\"><b>1.</b> IT\\u0027S É</a>\\n<a href=\"/ar/b\"><</a></ol>'; y = 'e'; } }",
    );
}

#[test]
fn segments_say_where_they_stand() {
    let source =
        rss("<title>one</title><item><content:encoded>&lt;p&gt;two</content:encoded></item>");
    let page = Page::parse_as(
        PageFormat::Feed,
        source.as_bytes(),
        None,
        &locale("en"),
        &Rules::default(),
    );
    let origins: Vec<String> = page
        .segments()
        .map(|segment| segment.origin.to_string())
        .collect();
    assert_eq!(origins, ["rss title", "p"]);
}
