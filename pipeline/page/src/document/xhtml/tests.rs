//! XHTML that browsers read as XML: what is found in it, and that well formed in means well formed out.
//!
//! quick-xml judges, with every check that it has, and with those that it lacks: characters, references, attributes.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::is_fragment;
use crate::html::writing::is_xml;
use crate::{
    CodedText, ExceededLimit, Locale, Page, PageChanges, PageFormat, PageHead, PageLink, Rules,
    find_links, read_facts,
};

fn parse(source: &[u8], rules: &Rules) -> Page {
    Page::parse_as(
        PageFormat::Xhtml,
        source,
        None,
        &Locale::parse("en").unwrap(),
        rules,
    )
}

/// The texts of a page in the notation of segments.
fn texts(source: &str) -> Vec<String> {
    parse(source.as_bytes(), &Rules::default())
        .segments()
        .map(|segment| segment.text.to_markup())
        .collect()
}

fn shout(source: &str) -> String {
    let page = parse(source.as_bytes(), &Rules::default());
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| segment.text.map(|text| text.to_uppercase()))
        .collect();
    let arabic = Locale::parse("ar").unwrap();
    let alternates = [("en".to_owned(), "https://s.example/?a&b".to_owned())];
    let head = PageHead {
        alternates: &alternates,
        ..PageHead::default()
    };
    let changes = PageChanges {
        speak: Some(&arabic),
        head: Some(&head),
        ..PageChanges::default()
    };
    String::from_utf8(page.render(|index| texts.get(index), &changes).html).unwrap()
}

/// What is wrong with a document, and its elements where nothing is.
fn judge(document: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(document)
        .map_err(|error| error.to_string())?
        .trim_start_matches('\u{feff}');
    if let Some(odd) = text.chars().find(|&character| !is_xml(character)) {
        return Err(format!("{odd:?} cannot stand in XML"));
    }
    let mut reader = Reader::from_str(text);
    reader.config_mut().enable_all_checks(true);
    let mut depth = 0_usize;
    let mut elements = Vec::new();
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            event @ (Event::Start(_) | Event::Empty(_)) => {
                if depth == 0 && !elements.is_empty() {
                    return Err("there are two roots".into());
                }
                let is_empty = matches!(event, Event::Empty(_));
                let (Event::Start(tag) | Event::Empty(tag)) = event else {
                    continue;
                };
                elements.push(judge_tag(&tag)?);
                depth += usize::from(!is_empty);
            }
            Event::End(_) => depth -= 1,
            Event::Text(text) if text.windows(3).any(|three| three == b"]]>") => {
                return Err("]]> in a text".into());
            }
            Event::Text(text) if depth == 0 && !text.trim_ascii().is_empty() => {
                return Err("text outside".into());
            }
            Event::GeneralRef(name) if name.starts_with(b"#") => {
                name.resolve_char_ref().map_err(|error| error.to_string())?;
            }
            Event::Eof => {
                return if depth == 0 {
                    Ok(elements)
                } else {
                    Err("it ends too early".into())
                };
            }
            _ => {}
        }
    }
}

fn judge_tag(tag: &BytesStart<'_>) -> Result<String, String> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.value.contains(&b'<') {
            return Err("a < in an attribute".into());
        }
        let value = String::from_utf8_lossy(&attribute.value).replace("&nbsp;", " ");
        quick_xml::escape::unescape(&value).map_err(|error| error.to_string())?;
    }
    Ok(String::from_utf8_lossy(tag.name().as_ref()).into_owned())
}

#[test]
fn elements_end_where_xml_ends_them() {
    for (body, found) in [
        ("<title/><p>One</p>", vec!["One"]),
        ("<script src='/x'/><p>One</p>", vec!["One"]),
        (
            "<textarea/><p>One <a id='x'/>two</p>",
            vec!["One <x id=\"1\"/>two"],
        ),
        (
            "<p>One<br></br>two <img alt='a tree' src='x'></img>three</p>",
            vec!["One<x id=\"1\"/>two <x id=\"2\"/>three", "a tree"],
        ),
        ("<p>One<p>two</p>three</p>", vec!["One", "two", "three"]),
        (
            "<p>One <![CDATA[<b> & two]]></p>",
            vec!["One &lt;b&gt; &amp; two"],
        ),
        (
            "<script>if (a &lt; b) say('One')</script><style>p { content: 'One' }</style>",
            vec![],
        ),
        ("<noscript><p>One</p></noscript>", vec!["One"]),
        (
            "<p>A&nbsp;b &#233; &#x1F600; &apos;c&apos;</p>",
            vec!["A\u{a0}b é 😀 'c'"],
        ),
        ("<p>One &own; two</p>", vec!["One <x id=\"1\"/> two"]),
        ("<p><?php One ?>two<!-- three --></p>", vec!["two"]),
        (
            "<svg><title>A tree</title><image href='x'><title>B</title></image><path/></svg>",
            vec!["A tree", "B"],
        ),
        (
            "<m:math xmlns:m='x'><m:mi>abc</m:mi></m:math><p>One</p>",
            vec!["One"],
        ),
        (
            "<script type='application/ld+json'>{\"headline\":\"One\"}</script>",
            vec!["One"],
        ),
        (
            "<script type='application/ld+json'><![CDATA[{\"headline\":\"A & b\"}]]></script>",
            vec!["A &amp; b"],
        ),
        (
            "<script type='application/ld+json'>{\"headline\":\"A &amp; b\"}</script>",
            vec![],
        ),
    ] {
        let page =
            format!("<html xmlns=\"http://www.w3.org/1999/xhtml\"><body>{body}</body></html>");
        let mut found: Vec<String> = found.into_iter().map(str::to_owned).collect();
        let mut texts = texts(&page);
        texts.sort();
        found.sort();
        assert_eq!(texts, found, "{body}");
    }
}

#[test]
fn crawlers_and_audits_see_what_browsers_see() {
    let source = b"<html lang='en'><head><title/><link rel='canonical' href='/c'/></head><body><a href='/x'>One</a></body></html>";
    let links = find_links(PageFormat::Xhtml, source, None).links;
    assert_eq!(
        links
            .iter()
            .map(|link| link.address.as_str())
            .collect::<Vec<_>>(),
        ["/c", "/x"]
    );
    let facts = read_facts(PageFormat::Xhtml, source, None);
    assert_eq!(
        facts
            .texts
            .iter()
            .map(|text| text.text.as_str())
            .collect::<Vec<_>>(),
        ["One"]
    );
    assert_eq!(
        find_links(PageFormat::Html, source, None).links.len(),
        0,
        "HTML has no end of that title"
    );
    let kept = parse(
        b"<html><head><title/></head><p>Two <code>x = y</code></p></html>",
        &Rules::default(),
    );
    assert!(
        kept.kept(&Rules::default())
            .iter()
            .any(|kept| kept.text == "x = y")
    );
}

#[test]
fn pages_say_what_they_are_in_xml() {
    for (source, expected) in [
        (
            "<?xml version='1.0' encoding='iso-8859-1'?><html><head><title>one</title></head></html>",
            "<?xml version='1.0' encoding='UTF-8'?><html lang=\"ar\" dir=\"rtl\"><head>\
             <link rel=\"alternate\" hreflang=\"en\" href=\"https://s.example/?a&amp;b\" /><title>ONE</title></head></html>",
        ),
        (
            "<html><head/><body/></html>",
            "<html lang=\"ar\" dir=\"rtl\">\
             <link rel=\"alternate\" hreflang=\"en\" href=\"https://s.example/?a&amp;b\" /><head/><body/></html>",
        ),
        (
            "<html><head><meta charset='iso-8859-1'></meta><meta charset='x'></meta></head></html>",
            "<html lang=\"ar\" dir=\"rtl\"><head><meta charset='utf-8'></meta>\
             <link rel=\"alternate\" hreflang=\"en\" href=\"https://s.example/?a&amp;b\" /></head></html>",
        ),
        // Where there is no head, there is nothing to say.
        ("<html/>", "<html/>"),
        ("<div><p>one</p></div>", "<div><p>ONE</p></div>"),
    ] {
        assert_eq!(shout(source), expected, "{source}");
        judge(expected.as_bytes()).unwrap();
    }
}

#[test]
fn what_is_no_xml_is_left_as_it_is() {
    for source in [
        "<html><p>One</html>",
        "<html><p title=x>One</p></html>",
        "<html><p>One & two</p></html>",
        "<html><p>One &#0; two</p></html>",
        "<html><p>One \u{1}</p></html>",
        "<html><p>One ]]> two</p></html>",
        "<html><p a='1' a='2'>One</p></html>",
        "<html/><html/>",
        "<html><p>One</p></html>two",
        // HTML has no word for these.
        "<html><br>One</br></html>",
        "<html><été>One</été></html>",
        "<!DOCTYPE html [<!ENTITY copy 'me'>]><html><p title='&copy;'>One</p></html>",
    ] {
        let page = parse(source.as_bytes(), &Rules::default());
        assert_eq!(page.excess(), Some(ExceededLimit::Malformed), "{source}");
        assert_eq!(shout(source), source);
    }
    let own = "<!DOCTYPE html [<!ENTITY copy 'me'>]><html><p>One &copy; two</p></html>";
    assert_eq!(texts(own), ["One <x id=\"1\"/> two"]);
}

#[test]
fn the_rules_of_a_site_hold_in_xml() {
    let mut rules = Rules::default();
    rules.skip(".brand").unwrap();
    rules.also_translate("pre.poem").unwrap();
    let source = "<html><head><title/></head><body><p>By <b class='brand'>Acme</b> &amp; us<br/></p><pre>let x</pre>\
                  <pre class='poem'>A rose</pre><plaintext>x</plaintext><p class='brand'>Acme</p></body></html>";
    let found: Vec<String> = parse(source.as_bytes(), &rules)
        .segments()
        .map(|text| text.text.to_markup())
        .collect();
    assert_eq!(found, ["By <x id=\"1\"/> &amp; us", "A rose"]);
}

#[test]
fn ready_made_markup_is_left_out_where_it_is_no_xml() {
    assert!(is_fragment("<nav><a href=\"/\">x</a></nav><br/>") && !is_fragment("<nav><br></nav>"));
    let page = parse(
        b"<html><head></head><body><p>One</p></body></html>",
        &Rules::default(),
    );
    let head = PageHead {
        extra: "<link rel=x>",
        body_end: "<nav></nav>",
        ..PageHead::default()
    };
    assert!(!page.takes(&head));
    let rendered = page
        .render(
            |_| None,
            &PageChanges {
                head: Some(&head),
                ..PageChanges::default()
            },
        )
        .html;
    assert_eq!(
        rendered,
        b"<html><head></head><body><p>One</p><nav></nav></body></html>"
    );
}

/// A piece of a page, well formed.
fn node() -> impl Strategy<Value = String> {
    let text = "[a-z ]{0,9}";
    let leaf = prop_oneof![
        4 => text.prop_map(|text| text),
        1 => Just("a&amp;b &lt;c&gt; &#233;&#xA0;&nbsp;&own; 'd' \"e\"".to_owned()),
        1 => text.prop_map(|text| format!("<![CDATA[{text} <&> ]]>")),
        1 => text.prop_map(|text| format!("<!-- {text} --><?pi {text}?>")),
        1 => text.prop_map(|text| format!("<img alt='{text}' src=\"a.png\" title=\"{text}\"/>")),
        1 => prop_oneof![Just("<br/>"), Just("<br></br>"), Just("<hr />"), Just("<a id='x'/>"), Just("<td/>"), Just("<p/>")]
            .prop_map(str::to_owned),
        1 => text.prop_map(|text| format!("<script>//<![CDATA[\n{text} < & \n//]]></script><style>a{{b:url(/x?{text})}}</style>")),
        1 => text.prop_map(|text| format!(
            "<script type=\"application/ld+json\">{{\"headline\":\"{text}\",\"url\":\"/x\",\"inLanguage\":\"en\"}}</script>"
        )),
        1 => text.prop_map(|text| format!("<select><option>{text}</option><option/></select><textarea>{text}</textarea>")),
        1 => text.prop_map(|text| format!("<svg><title/><text>{text}<tspan/></text><path d=''/><image/></svg>")),
        1 => text.prop_map(|text| format!("<iframe srcdoc=\"&lt;p&gt;{text}\"></iframe><form action='/f?a&amp;b'><input/></form>")),
        1 => text.prop_map(|text| format!("<div id=\"latimer-switcher\"/><x:y z='{text}'>{text}</x:y>")),
    ];
    let name = prop_oneof![
        Just("p"),
        Just("b"),
        Just("a href='/a?b&amp;c'"),
        Just("div"),
        Just("span lang=\"en\""),
        Just("noscript"),
        Just("pre translate='yes'"),
        Just("code"),
        Just("li"),
        Just("td"),
        Just("template"),
        Just("span translate='no'"),
        Just("i its-locale-filter-list='en'"),
        Just("P"),
        Just("title"),
        Just("ruby"),
        Just("object"),
        Just("body"),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        (name.clone(), prop::collection::vec(inner, 0..6)).prop_map(|(tag, inside)| {
            let name = tag.split(' ').next().unwrap_or_default();
            format!("<{tag}>{}</{name}>", inside.concat())
        })
    })
}

/// A document, well formed.
fn document() -> impl Strategy<Value = String> {
    let start = prop_oneof![
        Just(""),
        Just("\u{feff}"),
        Just("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"),
        Just("<?xml version='1.0'?>"),
    ];
    let doctype = prop_oneof![
        Just("<!DOCTYPE html>"),
        Just(
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">"
        ),
        Just("<!DOCTYPE html [<!ENTITY own \"<b>x</b>\"><!-- ]> -->]>\n<!-- c -->"),
    ];
    let root = prop_oneof![
        Just("html"),
        Just("html lang='en' dir=\"ltr\""),
        Just("html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\""),
        Just("div"),
    ];
    let head = prop_oneof![
        Just(""),
        Just("<head/>"),
        Just("<head><title/></head>"),
        Just(
            "<head><meta charset=\"utf-8\"></meta><title>a b</title><link rel='canonical' href='/c'></link></head>"
        ),
        Just(
            "<head><meta http-equiv='Content-Type' content='text/html; charset=iso-8859-1' /><base href='/'/>\
              <meta property='og:locale' content='en_US'/><meta name=\"description\" content='a &amp; &quot;b'/></head>"
        ),
    ];
    let body = prop::collection::vec(node(), 0..8);
    (start, doctype, root, head, any::<bool>(), body).prop_map(
        |(start, doctype, root, head, has_body, body)| {
            let name = root.split(' ').next().unwrap_or_default();
            let (open, close) = if has_body {
                ("<body dir=\"ltr\">", "</body>\n")
            } else {
                ("", "")
            };
            format!(
                "{start}{doctype}<{root}>{head}{open}{}{close}</{name}>\n",
                body.concat()
            )
        },
    )
}

/// Other words, full of what XML cannot hold, in another order where codes may move.
fn trouble(text: &CodedText, turns: bool) -> CodedText {
    let words = |text: &str| format!("{}é]]> <b> & \u{fffe}\u{1}\u{c}\"'", text.to_uppercase());
    if !turns {
        return text.map(words);
    }
    let mut turned = CodedText::default();
    for piece in text.pieces().rev() {
        turned.push(match piece {
            crate::TextPiece::Open(id) => crate::TextPiece::Close(id),
            crate::TextPiece::Close(id) => crate::TextPiece::Open(id),
            other => other,
        });
    }
    turned.map(words)
}

fn check(source: &str) {
    let before = judge(source.as_bytes()).unwrap_or_else(|error| panic!("{error}: {source}"));
    let page = parse(source.as_bytes(), &Rules::default());
    assert_eq!(page.excess(), None, "{source}");
    let same: Vec<CodedText> = page.segments().map(|segment| segment.text).collect();
    assert!(
        page.render(|index| same.get(index), &PageChanges::default())
            .html
            == source.as_bytes(),
        "identity: {source}"
    );
    let arabic = Locale::parse("ar").unwrap();
    let alternates = [("en".to_owned(), "https://s.example/?a&\"<b".to_owned())];
    let head = PageHead {
        canonical: Some("https://s.example/?a&b"),
        alternates: &alternates,
        noindex: true,
        extra: "<link rel=\"stylesheet\" href=\"/x.css\" />",
        body_start: "<p>notice</p>",
        body_end: "<nav><br></nav>",
        waiting: "<ul></ul>",
        ..PageHead::default()
    };
    let link = |link: &PageLink<'_>| Some(format!("/ar/{}\"'<>&\u{ffff}", link.address));
    let full = PageChanges {
        speak: Some(&arabic),
        head: Some(&head),
        link: Some(&link),
        ..PageChanges::default()
    };
    for turns in [false, true] {
        let texts: Vec<CodedText> = same.iter().map(|text| trouble(text, turns)).collect();
        for changes in [PageChanges::default(), full] {
            let rendered = page.render(|index| texts.get(index), &changes);
            let html = String::from_utf8_lossy(&rendered.html).into_owned();
            let after = judge(&rendered.html)
                .unwrap_or_else(|error| panic!("{error}: {html}\nfrom {source}"));
            if changes.head.is_none() {
                let sorted = |mut names: Vec<String>| {
                    names.sort();
                    names
                };
                assert_eq!(
                    sorted(after),
                    sorted(before.clone()),
                    "{html}\nfrom {source}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn well_formed_in_is_well_formed_out(source in document()) {
        check(&source);
    }
}
