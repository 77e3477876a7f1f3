//! What pages, sites and frameworks say about their own markup: ITS 2.0, rules of the site, hydration, code in
//! right-to-left pages, and pages that exist only to hurt.
//!
//! One file: one check with its tables of cases.

use page::{
    CodedText, ExceededLimit, Framework, LARGEST, Locale, Page, PageChanges, Rendered, Rendering,
    Rules, TextError, check,
};

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn parse(html: &str, rules: &Rules) -> Page {
    Page::parse_with(html.as_bytes(), Some("utf-8"), &locale("en"), rules)
}

fn texts(page: &Page) -> Vec<String> {
    page.segments()
        .map(|segment| segment.text.to_markup())
        .collect()
}

/// Renders with each text in capitals, in another language.
fn capitals(page: &Page, tag: &str) -> String {
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| upper(&segment.text))
        .collect();
    let target = locale(tag);
    let Rendered { html, refused } = page.render(
        |index| texts.get(index),
        &PageChanges {
            speak: Some(&target),
            ..PageChanges::default()
        },
    );
    assert_eq!(refused, []);
    String::from_utf8(html).unwrap()
}

fn upper(text: &CodedText) -> CodedText {
    text.map(str::to_uppercase)
}

const PREFIX: &str = "<meta charset=\"utf-8\"><html lang=en><body>";

/// Checks the body of a page in some language, where it names each text in capitals.
fn check_body(body: &str, tag: &str, rules: &Rules, expected: &str) {
    let html = capitals(&parse(&format!("{PREFIX}{body}"), rules), tag);
    let (_, given) = html.split_once("<body>").unwrap();
    assert_eq!(given, expected, "{body} in {tag}");
}

#[test]
fn its_locale_filters_take_elements_out_of_a_locale() {
    let body = "<p its-locale-filter-list='de, *-CH'>one</p><p its-locale-filter-list=de its-locale-filter-type=exclude>two</p>";
    for (tag, expected) in [
        ("de", "<p its-locale-filter-list='de, *-CH'>ONE</p>"),
        (
            "fr",
            "<p its-locale-filter-list=de its-locale-filter-type=exclude>TWO</p>",
        ),
        (
            "fr-CH",
            "<p its-locale-filter-list='de, *-CH'>ONE</p><p its-locale-filter-list=de its-locale-filter-type=exclude>TWO</p>",
        ),
    ] {
        check_body(body, tag, &Rules::default(), expected);
    }
}

#[test]
fn its_locale_filters_know_their_four_corners() {
    for (attributes, is_there) in [
        ("its-locale-filter-list='*'", true),
        (
            "its-locale-filter-list='*' its-locale-filter-type=exclude",
            false,
        ),
        ("its-locale-filter-list=''", false),
        (
            "its-locale-filter-list='' its-locale-filter-type=exclude",
            true,
        ),
        ("its-locale-filter-type=EXCLUDE", false),
        ("its-locale-filter-type=include", true),
    ] {
        let body = format!("<p {attributes}>x</p>");
        check_body(
            &body,
            "fr",
            &Rules::default(),
            &if is_there {
                body.replace(">x<", ">X<")
            } else {
                String::new()
            },
        );
    }
}

#[test]
fn filtered_elements_stay_out_when_codes_move() {
    let page = parse(
        "<p>one <b its-locale-filter-list=de>two</b> three <i>four</i></p>",
        &Rules::default(),
    );
    let moved = CodedText::from_markup("<g id=\"2\">IV</g> I <x id=\"1\"/> III").unwrap();
    let french = locale("fr");
    let render = |speak| {
        page.render(
            |index| (index == 0).then_some(&moved),
            &PageChanges {
                speak,
                ..PageChanges::default()
            },
        )
    };
    let html = String::from_utf8(render(Some(&french)).html).unwrap();
    assert!(html.ends_with("<p><i>IV</i> I  III</p>"), "{html}");
    let html = String::from_utf8(render(Some(&locale("de"))).html).unwrap();
    assert!(
        html.ends_with("<p><i>IV</i> I <b its-locale-filter-list=de>two</b> III</p>"),
        "{html}"
    );
    assert_eq!(
        page.segments()
            .filter(|text| text
                .filter
                .as_ref()
                .is_some_and(|filter| !filter.admits(&french)))
            .count(),
        1
    );
}

#[test]
fn sites_have_rules_of_their_own() {
    let mut rules = Rules::default();
    rules.skip(".ad").unwrap();
    rules.also_translate("pre.poem").unwrap();
    rules.also_translate("DATA-tip").unwrap();
    check_body(
        "<p class=ad>buy <b translate=yes>now</b></p><pre>code</pre><pre class=poem>a  poem</pre><p data-tip='a tip' data-x=x>x</p>",
        "fr",
        &rules,
        "<p class=ad>buy <b translate=yes>NOW</b></p><pre>code</pre><pre class=poem>A  POEM</pre><p data-tip='A TIP' data-x=x>X</p>",
    );
    let mut rules = Rules::default();
    rules.also_translate("input.told").unwrap();
    check_body(
        "<input class=told type=submit name=go value=Go><input type=submit name=go value=Stay><input class=told value=Write>",
        "fr",
        &rules,
        "<input class=told type=submit name=go value=GO><input type=submit name=go value=Stay><input class=told value=WRITE>",
    );
    for rule in ["p::before", "p:nth-last-child(2)", "", "class", "> p"] {
        assert!(Rules::default().also_translate(rule).is_err(), "{rule}");
    }
}

#[test]
fn rules_hold_on_elements_whose_names_are_no_text() {
    let mut rules = Rules::default();
    rules.skip(".skip p").unwrap();
    rules.skip(".skip > b").unwrap();
    let html = b"<meta charset=utf-8><x\xff class=skip>one<p>two</p></x\xff><p>three</p>\
        <div class=skip><x\xff><p>four</p></x\xff><b>five</b></div>";
    let page = Page::parse_with(html, Some("utf-8"), &locale("en"), &rules);
    assert_eq!(texts(&page), ["one", "three"]);
}

#[test]
fn scripts_and_styles_stay_whatever_graphics_stand_before_them() {
    let rest = "<script>say(\"<style>p{}</style><b>c</b>\" && 1)</script><style/>p{content:\"a\"}<b>c</b></style>";
    for before in [
        "<svg/>",
        "<div><math/></div>",
        "<div><svg></div>",
        "<select><svg></select>",
        "<svg><svg><b>",
        "<svg><desc><math></desc></svg>",
        "<svg><title></svg><title></title>",
        "<svg><foreignObject><title></title>",
        "<svg><style>.a{}</svg>",
        "<math><script></math>",
        "<svg><style></p>",
        "<svg><desc></svg></desc>",
        "<svg><foreignObject><p>0</foreignObject>",
    ] {
        let expected = format!("{before}{rest}");
        check_body(&expected, "fr", &Rules::default(), &expected);
    }
}

#[test]
fn code_reads_from_left_to_right_in_every_language_r_b6() {
    let body = "<p>Run <code>cargo</code>.</p><pre><code>x</code></pre><kbd dir=auto>k</kbd>";
    let expected = "<p>RUN <code dir=\"ltr\">cargo</code>.</p><pre dir=\"ltr\"><code>x</code></pre><kbd dir=auto>k</kbd>";
    check_body(body, "ar", &Rules::default(), expected);
    check_body(
        body,
        "fr",
        &Rules::default(),
        "<p>RUN <code>cargo</code>.</p><pre><code>x</code></pre><kbd dir=auto>k</kbd>",
    );
}

#[test]
fn frameworks_are_recognized_by_two_marks_r_i3() {
    use Framework::*;
    let script = "<script src=/x.js></script>";
    for (framework, one, two) in [
        (
            Next,
            "<div id=__next>",
            "<script src=/_next/static/chunks/a.js></script>",
        ),
        (Next, "<script>self.__next_f.push([0])</script>", "<!--$-->"),
        (Docusaurus, "<div id=__docusaurus>", "<meta data-rh=true>"),
        (
            VitePress,
            "<div id=app>",
            "<script>window.__VP_HASH_MAP__={}</script>",
        ),
        (
            SvelteKit,
            "<body data-sveltekit-preload-data=hover>",
            "<!--[-->",
        ),
        (
            SvelteKit,
            "<script>__sveltekit_1 = {}</script>",
            "<!--[!-->",
        ),
        (
            Astro,
            "<astro-island uid=1>",
            "<script>customElements.define('astro-island', X)</script>",
        ),
        (
            Nuxt,
            "<div id=__nuxt>",
            "<script id=__NUXT_DATA__ type=application/json>[]</script>",
        ),
        (
            Gatsby,
            "<div id=___gatsby>",
            "<div id=gatsby-focus-wrapper>",
        ),
        (
            Remix,
            "<script>window.__reactRouterContext = {}</script>",
            "<!--/$-->",
        ),
        (Angular, "<app-root ng-version=20 >", "<p ngh=0>"),
        (Solid, "<p data-hk=0>", "<script>_$HY={}</script>"),
        (Qwik, "<p q:container=paused>", "<!--qv q:key=a-->"),
        (Other, "<div id=root>", "<!-- -->"),
        (Other, "<div id=app data-v-app>", "<!---->"),
        (Other, "<p data-reactroot>", "<!--$?-->"),
        (Other, "<div id=app data-server-rendered=true>", "<p>"),
        (
            Other,
            "<div id=root>",
            "<script type=module src=/assets/index-4f.js></script>",
        ),
        (Other, "<!--lit-part x-->", "<!--/lit-part-->"),
    ] {
        let words = "words ".repeat(60);
        let page = parse(&format!("{one}{two}<p>{words}{script}"), &Rules::default());
        assert_eq!(
            (page.rendering(), page.framework()),
            (Rendering::Hydrated, Some(framework)),
            "{one}{two}"
        );
    }
    let words = "words ".repeat(60);
    for one in [
        "<!-- -->",
        "<!---->",
        "<div id=root>",
        "<div id=app>",
        "<p data-reactroot>",
        "<!-- a comment -->",
        "<!--[if IE]>x<![endif]-->",
        "<!--[if !IE]><!-->",
        "<!--$Id$-->",
        "<div id=__next>",
        "<astro-island>",
        "<script type=module src=/menu.js></script>",
    ] {
        let page = parse(&format!("{one}<p>{words}{one}{script}"), &Rules::default());
        assert_eq!(
            (page.rendering(), page.framework()),
            (Rendering::Static, None),
            "{one}"
        );
    }
}

#[test]
fn pages_that_scripts_draw_have_an_empty_root_r_i3() {
    let words = "words ".repeat(60);
    for (html, rendering) in [
        (
            "<div id=root></div><script src=x></script>".to_owned(),
            Rendering::ByScripts,
        ),
        (
            "<p>A bakery<div id=root>Loading …</div><script src=x></script>".to_owned(),
            Rendering::ByScripts,
        ),
        (
            format!("<div id=app></div><script>{words}</script>"),
            Rendering::ByScripts,
        ),
        (
            "<app-root></app-root><script src=x></script>".to_owned(),
            Rendering::ByScripts,
        ),
        (
            "<div id=root>few words and some more</div><script src=x></script>".to_owned(),
            Rendering::Static,
        ),
        (
            "<div id=root>few words<!-- --> and more</div><script src=x></script>".to_owned(),
            Rendering::Hydrated,
        ),
        ("<div id=root>few words</div>".to_owned(), Rendering::Static),
        (
            format!("<div id=root></div><p>{words}<script src=x></script>"),
            Rendering::Static,
        ),
        (
            format!("<div id=root><div></div>{words}</div><script src=x></script>"),
            Rendering::Static,
        ),
    ] {
        assert_eq!(
            parse(&html, &Rules::default()).rendering(),
            rendering,
            "{html}"
        );
    }
}

#[test]
fn hydrated_pages_keep_their_nodes_one_by_one_r_i1_r_i2() {
    let page = parse(
        "<div id=__next><p>You have <!-- -->three<!-- --> <b>items</b></p></div><script src=x></script>",
        &Rules::default(),
    );
    let segment = page.segments().next().unwrap();
    assert_eq!(
        segment.text.to_markup(),
        "You have <x id=\"1\"/>three<x id=\"2\"/> <g id=\"3\">items</g>"
    );
    for (answer, verdict) in [
        (
            "Du hast <x id=\"1\"/>drei<x id=\"2\"/> <g id=\"3\">Dinge</g>",
            Ok(()),
        ),
        (
            "Du hast <x id=\"1\"/>drei<x id=\"2\"/><g id=\"3\">Dinge</g>",
            Err(TextError::Nodes(3)),
        ),
        (
            "Du hast <x id=\"1\"/>drei<x id=\"2\"/> <g id=\"3\">Dinge</g>!",
            Err(TextError::Nodes(0)),
        ),
        (
            "<x id=\"1\"/>Drei<x id=\"2\"/> <g id=\"3\">Dinge</g>",
            Err(TextError::Nodes(1)),
        ),
        (
            "Du hast <g id=\"3\">Dinge</g> <x id=\"1\"/>drei<x id=\"2\"/>",
            Err(TextError::Nodes(3)),
        ),
    ] {
        assert_eq!(
            check(&segment, &CodedText::from_markup(answer).unwrap()),
            verdict,
            "{answer}"
        );
    }
    let free = parse(
        "<p>You have <i>three</i> <b>items</b></p>",
        &Rules::default(),
    );
    let moved = CodedText::from_markup("<g id=\"2\">Dinge</g> <g id=\"1\">drei</g>").unwrap();
    assert_eq!(check(&free.segments().next().unwrap(), &moved), Ok(()));
}

#[test]
fn state_of_a_framework_stays_byte_for_byte_r_i3_r_i4() {
    let state = "<script id=__NEXT_DATA__ type=application/json>{\"t\":\"Shop\"}</script><script>self.__next_f.push([1,\"4:T4,Shop\"])</script>";
    check_body(
        &format!("<h1>Shop</h1>{state}"),
        "fr",
        &Rules::default(),
        &format!("<h1>SHOP</h1>{state}"),
    );
}

#[test]
fn state_changes_with_the_page_where_the_site_asks_for_it_r_i3() {
    let mut rules = Rules::default();
    rules.translate_state();
    let page = |title: &str| {
        format!(
            "<div id=__next><h1>{title}</h1><p title='a \"tip\"'>one <b>two</b></p></div><script id=__NEXT_DATA__ \
             type=application/json>{{\"title\":\"{title}\",\"page\":\"Shop\",\"n\":[\"a \\u0022tip\\u0022\",\"one two\"]}}</script>\
             <script>x = \"Shop\"</script>"
        )
    };
    let expected = page("SHOP").replace("a \"tip\"'>one <b>two</b>", "A \"TIP\"'>ONE <b>TWO</b>");
    let expected = expected
        .replace("a \"tip\"", "A \"TIP\"")
        .replace("a \\u0022tip\\u0022", "A \\\"TIP\\\"");
    check_body(&page("Shop"), "fr", &rules, &expected);
}

/// Pages that cost more than their size only where something is quadratic; such a test would not end.
#[test]
fn words_behind_an_option_in_an_option_are_those_of_the_outer_one_r_a7() {
    let body = "<select><option>tea<datalist><option>mint</datalist><p>black</select>";
    let page = parse(&format!("{PREFIX}{body}"), &Rules::default());
    let black = CodedText::plain("BLACK");
    let html = page
        .render(
            |index| (texts(&page)[index] == "black").then_some(&black),
            &PageChanges::default(),
        )
        .html;
    let expected =
        "<select><option value=\"tea\">tea<datalist><option>mint</datalist><p>BLACK</select>";
    assert_eq!(
        String::from_utf8(html)
            .unwrap()
            .split_once("<body>")
            .unwrap()
            .1,
        expected
    );
}

#[test]
fn hostile_pages_are_read_in_linear_time() {
    let many = 5_000;
    let pages = [
        format!("<p>deep {}", "<div>x".repeat(100_000)),
        format!("<p>deep {}", "<b>x".repeat(many)),
        format!("{}{}", "<b>x".repeat(many), "</i>".repeat(many)),
        format!("{}{}", "<b>x".repeat(many), "</b>".repeat(many)),
        format!("<p>{}</p>", "<a href=x>y</a> z ".repeat(many)),
        format!("<p>{}</p>", "<br>x".repeat(many)),
        format!("<p title='{}'>x</p>", "word ".repeat(many * 2)),
        format!(
            "<p {}>x</p>",
            (0..many).map(|n| format!("a{n}=b ")).collect::<String>()
        ),
        format!("<p {}>x</p>", "title=x ".repeat(many)),
        "<select><option>x".repeat(many),
        format!(
            "<option>x{}",
            "<datalist><option>y</datalist><p>z".repeat(many)
        ),
        "<svg><text>x".repeat(many),
        "<p its-locale-filter-list=de>x".repeat(many),
        "<div its-locale-filter-list=de>x".repeat(many / 10),
        "<x-y>x".repeat(many),
        "<noscript><p>x</noscript>".repeat(many),
        "<!-- -->x".repeat(many),
        "<ul><li>x".repeat(many),
        "<table><td>x".repeat(many),
        "</p>x".repeat(many),
        "&amp".repeat(many),
        "<".repeat(many),
        "<a".repeat(many),
        "<style>@import url('".repeat(many),
    ];
    for html in pages {
        let page = parse(&html, &Rules::default());
        let same: Vec<CodedText> = page
            .segments()
            .map(|segment| segment.text.clone())
            .collect();
        let rendered = page.render(|index| same.get(index), &PageChanges::default());
        assert!(rendered.html == html.as_bytes(), "{}", &html[..40]);
        let rendered = capitals_where_allowed(&page);
        assert_eq!(rendered.refused, [], "{}", &html[..40]);
        assert!(!texts(&page).iter().any(String::is_empty));
    }
}

#[test]
fn a_page_beyond_the_limit_stays_as_it_is() {
    let mut html = b"<p title='a tip'>words ".repeat(LARGEST / 23 + 1);
    let page = Page::parse(&html, Some("windows-1252"), &locale("en"));
    let rendered = capitals_where_allowed(&page);
    assert!(
        page.excess() == Some(ExceededLimit::Bytes)
            && page.segments().count() == 0
            && rendered.html == html
    );
    html.truncate(1 << 20);
    let page = Page::parse(&html, None, &locale("en"));
    assert!(page.excess().is_none() && page.segments().count() > 0);
}

#[test]
fn binary_data_is_no_text_r_a16() {
    for (bytes, is_binary) in [
        (
            &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR words of a picture"[..],
            true,
        ),
        (b"GIF89a\x01\0\x01\0 words", true),
        (b"\x1f\x8b\x08\0 packed words", true),
        (b"Words\tof a\x0cfragment \x1b[1m", false),
        (b"<p>Words with a \0 sign", false),
        (b"\xEF\xBB\xBF<p>Words with a \x01 sign", false),
        (b"W\0o\0r\0d\0s", true),
        (b"\xFF\xFEW\0o\0r\0d\0s\0", false),
    ] {
        let page = Page::parse(bytes, None, &locale("en"));
        let excess = if is_binary {
            Some(ExceededLimit::Binary)
        } else {
            None
        };
        assert_eq!(
            (page.excess(), page.segments().count() == 0),
            (excess, is_binary),
            "{bytes:?}"
        );
        if is_binary {
            assert_eq!(capitals_where_allowed(&page).html, bytes);
        }
    }
}

fn capitals_where_allowed(page: &Page) -> Rendered {
    let texts: Vec<CodedText> = page
        .segments()
        .map(|segment| upper(&segment.text))
        .collect();
    let target = locale("ar");
    page.render(
        |index| texts.get(index),
        &PageChanges {
            speak: Some(&target),
            ..PageChanges::default()
        },
    )
}
