//! The laws over documents and over mutations of them: identity, and a result as well formed as the source.
//!
//! quick-xml and serde_json judge: the elements of a feed and the tree of a JSON document are those of the source,
//! whatever was put into the places.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use super::PageFormat;
use crate::Locale;
use crate::{CodedText, Page, PageChanges, PageLink, Rules};

const RSS: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<!-- made by hand -->
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>News &amp; notes</title><link>https://s.example/</link><description>All of it</description>
<language>en</language><atom:link rel="self" href="https://s.example/feed" hreflang='en'/>
<item><title><![CDATA[One & <b>two</b>]]></title><link>https://s.example/a?x=1&amp;y=2</link>
<guid isPermaLink="false">a1</guid><description>&lt;p title="x"&gt;Some &amp;amp; more&lt;/p&gt;</description>
<content:encoded><![CDATA[<p>Long <a href="/b">text</a><br>here</p>]]></content:encoded></item></channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="https://s.example/blog/">
<title type="html">A &lt;em>b&lt;/em></title><id>tag:s.example,2026:x</id><updated>2026-01-01T00:00:00Z</updated>
<entry xml:base="post/"><title>Plain &lt;title></title><link href="a"/><link rel="enclosure" href="a.mp3"/>
<summary type="text">Short</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>One <b>two</b>
<img src="x.png" alt="three"/> &#233;</p><!-- c --></div></content></entry></feed>"#;

const JSON_FEED: &str = r#"{"version":"https://jsonfeed.org/version/1.1","title":"News \"now\"","language":"en",
"home_page_url":"https://s.example/","items":[{"id":"1","url":"https://s.example/a","title":"On\u00e9",
"content_html":"<p>Some <a href=\"/b\">text</a><\/p>","content_text":"a\nb","tags":["x"]},{"id":"2","n":[1,-2.5e3,null,true]}]}"#;

const MANIFEST: &str = r#"{ "name": "App", "short_name": "A", "start_url": "/?x=1", "dir": "ltr",
"icons": [{"src": "i.png"}], "shortcuts": [{"name": "Go", "url": "/go"}] }"#;

const SAMPLES: [(PageFormat, &str); 4] = [
    (PageFormat::Feed, RSS),
    (PageFormat::Feed, ATOM),
    (PageFormat::JsonFeed, JSON_FEED),
    (PageFormat::Manifest, MANIFEST),
];

/// Members whose values may change.
const CHANGING: [&str; 13] = [
    "content_html",
    "content_text",
    "dir",
    "home_page_url",
    "label",
    "lang",
    "language",
    "name",
    "short_name",
    "src",
    "start_url",
    "title",
    "url",
];

/// What is well formed, without its texts; nothing for what is not.
fn skeleton(format: PageFormat, text: &str) -> Option<String> {
    match format {
        PageFormat::Feed => xml_skeleton(text),
        PageFormat::JsonFeed | PageFormat::Manifest => {
            let mut tree: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
            blank(&mut tree);
            // Where nothing said the language, something does now.
            if let Value::Object(members) = &mut tree {
                ["dir", "lang", "language"]
                    .iter()
                    .for_each(|key| drop(members.remove(*key)));
            }
            Some(tree.to_string())
        }
        PageFormat::Html | PageFormat::Xhtml | PageFormat::Sidebar => None,
    }
}

fn xml_skeleton(text: &str) -> Option<String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().enable_all_checks(true);
    let mut drawn = Vec::new();
    let mut depth = 0_usize;
    let mut roots = 0;
    loop {
        match reader.read_event().ok()? {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                let (tag, opens) = match &event {
                    Event::Start(tag) => (tag, true),
                    Event::Empty(tag) => (tag, false),
                    _ => return None,
                };
                roots += usize::from(depth == 0);
                depth += usize::from(opens);
                let mut names = Vec::new();
                for attribute in tag.attributes() {
                    let attribute = attribute.ok()?;
                    attribute
                        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                        .ok()?;
                    names.push(String::from_utf8_lossy(attribute.key.as_ref()).into_owned());
                }
                names.retain(|name| name != "xml:lang");
                let name = String::from_utf8_lossy(tag.name().as_ref()).into_owned();
                drawn.push(format!("<{name} {}>", names.join(" ")));
            }
            Event::End(_) => {
                depth -= 1;
                drawn.push("</>".into());
            }
            Event::GeneralRef(name) => {
                let is_known = name.resolve_char_ref().ok()?.is_some()
                    || quick_xml::escape::resolve_predefined_entity(&name.decode().ok()?).is_some();
                is_known.then_some(())?;
            }
            Event::Text(text) => {
                (depth > 0 || text.iter().all(u8::is_ascii_whitespace)).then_some(())?
            }
            Event::CData(_) => (depth > 0).then_some(())?,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    // The element that says the language may be new.
    let drawn = drawn.join("").replace("<language ></>", "");
    (depth == 0 && roots == 1).then_some(drawn)
}

fn blank(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(blank),
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                match value {
                    Value::String(text) if CHANGING.contains(&key.as_str()) => text.clear(),
                    other => blank(other),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What an engine could answer at its worst, as text.
fn spoil(text: &CodedText) -> CodedText {
    text.map(|text| format!("{text}]]></x>\"'\\<b>&amp;\u{1}\u{c}\u{fffe}</script>"))
}

fn check(format: PageFormat, source: &[u8]) {
    let english = Locale::parse("en").unwrap();
    let arabic = Locale::parse("ar").unwrap();
    let page = Page::parse_as(format, source, Some("utf-8"), &english, &Rules::default());
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| segment.text.clone())
        .collect();
    assert!(
        page.render(|index| texts.get(index), &PageChanges::default())
            .html
            == source,
        "identity"
    );
    let texts: Vec<CodedText> = texts.iter().map(spoil).collect();
    let link = |link: &PageLink<'_>| {
        Some(format!(
            "https://s.example/ar/?a=1&b=\"'<>]]>{}",
            link.address
        ))
    };
    let changes = PageChanges {
        speak: Some(&arabic),
        link: Some(&link),
        ..PageChanges::default()
    };
    let rendered = page.render(|index| texts.get(index), &changes).html;
    let Ok(source) = std::str::from_utf8(source) else {
        return;
    };
    if let Some(skeleton_of_source) = skeleton(format, source) {
        let rendered = String::from_utf8(rendered).unwrap();
        assert_eq!(
            skeleton(format, &rendered),
            Some(skeleton_of_source),
            "{source}\n{rendered}"
        );
    }
}

#[test]
fn laws_hold_on_samples() {
    for (format, sample) in SAMPLES {
        assert!(skeleton(format, sample).is_some(), "{sample}");
        let page = Page::parse_as(
            format,
            sample.as_bytes(),
            None,
            &Locale::parse("en").unwrap(),
            &Rules::default(),
        );
        assert!(page.segments().count() > 2, "{sample}");
        check(format, sample.as_bytes());
    }
}

/// One change: where (as shares of the length), how much is taken out and what is put in.
fn mutation() -> impl Strategy<Value = (f64, usize, &'static str)> {
    const SNIPPETS: [&str; 26] = [
        "",
        "<",
        ">",
        "&",
        "&amp;",
        "&nbsp;",
        "\"",
        "'",
        "]]>",
        "<![CDATA[",
        "</title>",
        "<title>",
        "<x/>",
        "</div>",
        "<!-- c -->",
        "<?p > ?>",
        "<script>",
        "<textarea/>",
        "\\",
        "\\u",
        "\\n",
        "{",
        "}",
        ",",
        "word",
        "\u{a0}",
    ];
    (
        0.0..1.0,
        0..6_usize,
        proptest::sample::select(SNIPPETS.to_vec()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_on_mutated_samples(
        pick in 0..SAMPLES.len(),
        changes in prop::collection::vec(mutation(), 1..4),
    ) {
        let (format, sample) = SAMPLES[pick];
        let mut source = sample.as_bytes().to_vec();
        for (place, length, snippet) in changes {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            let at = (source.len() as f64 * place) as usize;
            let end = (at + length).min(source.len());
            source.splice(at..end, snippet.bytes());
        }
        check(format, &source);
    }
}
