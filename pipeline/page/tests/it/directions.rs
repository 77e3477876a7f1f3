//! Pages in a language that is written in the other direction than the source.
//!
//! One file: one rule family (R-R) with its cases.

use std::collections::BTreeMap;

use page::{CodedText, Locale, Page, PageChanges};

/// The body of a page with some of its texts translated.
fn body(body: &str, from: &str, to: &str, translations: &[(&str, &str)]) -> String {
    let source = Locale::parse(from).unwrap();
    let target = Locale::parse(to).unwrap();
    let page = Page::parse(
        format!("<meta charset=\"utf-8\"><body>{body}").as_bytes(),
        Some("utf-8"),
        &source,
    );
    let translations: BTreeMap<&str, &str> = translations.iter().copied().collect();
    let texts: Vec<Option<CodedText>> = page
        .segments()
        .map(|segment| {
            Some(CodedText::from_markup(translations.get(&*segment.text.to_markup())?).unwrap())
        })
        .collect();
    let changes = PageChanges {
        speak: Some(&target),
        ..PageChanges::default()
    };
    let rendered = page.render(|index| texts.get(index)?.as_ref(), &changes);
    assert_eq!(rendered.refused, [], "{body}");
    let html = String::from_utf8(rendered.html).unwrap();
    html.split_once("<body")
        .unwrap()
        .1
        .split_once('>')
        .unwrap()
        .1
        .to_owned()
}

#[test]
fn blocks_follow_only_into_another_direction_r_r2() {
    let garden = "<p dir=\"ltr\">A garden</p>";
    let arabic = [("A garden", "حديقة")];
    assert_eq!(
        body(garden, "en", "ar", &arabic),
        "<p dir=\"rtl\">حديقة</p>"
    );
    assert_eq!(
        body(garden, "en", "he", &[("A garden", "גן")]),
        "<p dir=\"rtl\">גן</p>"
    );
    assert_eq!(
        body(garden, "en", "es", &[("A garden", "Un jardín")]),
        "<p dir=\"ltr\">Un jardín</p>"
    );
    assert_eq!(
        body("<p dir=rtl>حديقة</p>", "ar", "en", &[("حديقة", "A garden")]),
        "<p dir=ltr>A garden</p>"
    );
    assert_eq!(
        body("<p dir=\"rtl\">حديقة</p>", "ar", "fa", &[("حديقة", "باغ")]),
        "<p dir=\"rtl\">باغ</p>"
    );
}

#[test]
fn blocks_without_translated_text_keep_their_direction_r_r2() {
    for translations in [&[][..], &[("A garden", "A garden")]] {
        assert_eq!(
            body("<p dir=\"ltr\">A garden</p>", "en", "ar", translations),
            "<p dir=\"ltr\">A garden</p>"
        );
    }
    let two = "<div dir=\"ltr\"><p dir=\"ltr\">A garden</p><p dir=\"ltr\">A house</p></div>";
    let expected = "<div dir=\"rtl\"><p dir=\"rtl\">حديقة</p><p dir=\"ltr\">A house</p></div>";
    assert_eq!(body(two, "en", "ar", &[("A garden", "حديقة")]), expected);
}

#[test]
fn arrows_alone_turn_with_the_page_r_r4() {
    let arabic = ("A garden", "حديقة");
    for (arrow, expected) in [
        ("<a href=/b>→</a>", "<a href=/b>←</a>"),
        ("<span>&larr;</span>", "<span>→</span>"),
        ("<b>&#8594;</b>", "<b>←</b>"),
        ("<div> ⇒ </div>", "<div> ⇐ </div>"),
        ("<b translate=no>→</b>", "<b translate=no>→</b>"),
        ("<b>»</b>", "<b>»</b>"),
        ("<b>&copy;</b>", "<b>&copy;</b>"),
    ] {
        let page = format!("<p>A garden</p>{arrow}");
        let turned = body(&page, "en", "ar", &[arabic]);
        assert_eq!(turned, format!("<p>حديقة</p>{expected}"));
        assert_eq!(
            body(&page, "en", "es", &[("A garden", "Un jardín")]),
            format!("<p>Un jardín</p>{arrow}")
        );
        assert_eq!(body(&page, "en", "ar", &[]), page);
    }
}

/// Makes the invisible characters of an answer visible.
fn seen(html: &str) -> String {
    html.replace('\u{2066}', "[")
        .replace('\u{2067}', "{")
        .replace('\u{2069}', "]")
        .replace('\u{200e}', "^")
        .replace('\u{200f}', "~")
}

/// Renders a page of which one text is translated, into a language; `after` has `[` and `]` for isolates of text that is written from
/// left to right, `{` and `]` for others, `^` and `~` for the marks.
fn check(before: &str, to: &str, translation: (&str, &str), after: &str) {
    assert_eq!(
        seen(&body(before, "en", to, &[translation])),
        after,
        "{before} in {to}"
    );
}

#[test]
fn runs_of_the_source_keep_their_order_r_r1() {
    for (source, arabic, expected) in [
        (
            "Call +1 503 555 0142 today",
            "اتصل بـ +1 503 555 0142 اليوم",
            "اتصل بـ [+1 503 555 0142] اليوم",
        ),
        (
            "Call 0117 496 0123.",
            "اتصل 0117 496 0123.",
            "اتصل [0117 496 0123].",
        ),
        (
            "Call (503) 555-0142",
            "اتصل (503) 555-0142",
            "اتصل [(503) 555-0142]",
        ),
        (
            "A phone (503-555-0142)",
            "هاتف (503-555-0142)",
            "هاتف ([503-555-0142])",
        ),
        (
            "Open 9:00 a.m. – 6:00 p.m. daily",
            "مفتوح 9:00 a.m. – 6:00 p.m. يوميا",
            "مفتوح [9:00 a.m. – 6:00 p.m.] يوميا",
        ),
        ("Open 9:00–17:30", "مفتوح 9:00–17:30", "مفتوح [9:00–17:30]"),
        ("We love C++ here", "نحن نحب C++ هنا", "نحن نحب C++^ هنا"),
        ("We call f() here", "نحن ندعو f() هنا", "نحن ندعو f()^ هنا"),
        (
            "Written in C#, and more",
            "مكتوب بـ C#، وأكثر",
            "مكتوب بـ C#^، وأكثر",
        ),
        (
            "Needs Python 3.11.5+ now",
            "يحتاج Python 3.11.5+ الآن",
            "يحتاج Python 3.11.5+^ الآن",
        ),
        (
            "Needs 3.11.5+ now",
            "يحتاج 3.11.5+ الآن",
            "يحتاج [3.11.5+] الآن",
        ),
        ("Costs $50–$60", "يكلف $50–$60", "يكلف [$50–$60]"),
        ("The .NET runtime", "منصة .NET هنا", "منصة [.NET] هنا"),
        ("It falls to -5 °C", "تنخفض إلى -5 °C", "تنخفض إلى [-5 °C]"),
        (
            "At 48 Bay View Street, Portland",
            "في 48 Bay View Street, Portland",
            "في [48 Bay View Street, Portland]",
        ),
        // Two numbers are a list in the language of the sentence.
        (
            "0117 496 0123, 0117 496 0124 ring",
            "يرن 0117 496 0123, 0117 496 0124",
            "يرن [0117 496 0123], [0117 496 0124]",
        ),
    ] {
        check(
            &format!("<p>{source}</p>"),
            "ar",
            (source, arabic),
            &format!("<p>{expected}</p>"),
        );
    }
}

#[test]
fn what_is_in_order_stays_as_it_is_r_r1() {
    for (source, arabic) in [
        ("Three of 1,234.56", "ثلاثة من 1,234.56"),
        ("Write to info@heron.example", "اكتب إلى info@heron.example"),
        (
            "It is on GitHub, Slack and Jira.",
            "إنه على GitHub, Slack و Jira.",
        ),
        ("10, 20, 30 and more", "10, 20, 30 وأكثر"),
        ("1. The first", "1. الأول"),
        ("Lower than 500 (490 for example)", "أقل من 500 (490 مثلا)"),
        ("Copyright © 2003, 2004", "حقوق © 2003, 2004"),
        ("See part B.3.1 here", "انظر جزء ب.3.1 هنا"),
        ("The ISO-9660 image", "صورة آيزو-9660 هنا"),
        ("At 10:30 (see [1])", "في 10:30 (انظر [1])"),
        // One sign has no order, and browsers mirror it.
        ("One ≤ two", "واحد ≤ اثنان"),
        ("Files # pages", "ملفات # صفحات"),
        ("Home → news", "الرئيسية → أخبار"),
        ("One = two_three", "واحد = اثنان_ثلاثة"),
        // Somebody wrote this for Arabic.
        ("Call 503 555 0142", "اتصل 555 503 0142"),
        ("Call +1 503", "اتصل \u{2066}+1 503\u{2069}"),
        ("Call +1 503 now", "اتصل \u{200e}+1 503\u{200e} الآن"),
    ] {
        check(
            &format!("<p>{source}</p>"),
            "ar",
            (source, arabic),
            &seen(&format!("<p>{arabic}</p>")),
        );
    }
    // Hebrew letters and digits go together in another way than Arabic ones.
    check(
        "<p>Call 503-555-0142</p>",
        "he",
        ("Call 503-555-0142", "חייגו 503-555-0142"),
        "<p>חייגו 503-555-0142</p>",
    );
    check(
        "<p>Call +1 503</p>",
        "he",
        ("Call +1 503", "חייגו +1 503"),
        "<p>חייגו [+1 503]</p>",
    );
    check(
        "<p>Call +1 503</p>",
        "es",
        ("Call +1 503", "Llame +1 503"),
        "<p>Llame +1 503</p>",
    );
}

#[test]
fn elements_that_hold_a_run_alone_get_its_direction_r_r1() {
    let call = "<p>Call <a href=\"tel:+1503\">+1 503</a> now</p>";
    check(
        call,
        "ar",
        ("Call <x id=\"1\"/> now", "اتصل <x id=\"1\"/> الآن"),
        "<p>اتصل <a dir=\"ltr\" href=\"tel:+1503\">+1 503</a> الآن</p>",
    );
    let words = ("A word", "كلمة");
    for (source, expected) in [
        (
            "<td><a href=tel:1>+1 503</a></td>",
            "<td><a dir=\"ltr\" href=tel:1>+1 503</a></td>",
        ),
        (
            "<li><b>9:00 – 17:00</b></li>",
            "<li><b dir=\"ltr\">9:00 – 17:00</b></li>",
        ),
        ("<li>9:00 – 17:00</li>", "<li>[9:00 – 17:00]</li>"),
        (
            "<td> 9:00&nbsp;&ndash;&nbsp;17:00\n</td>",
            "<td> [9:00&nbsp;&ndash;&nbsp;17:00]\n</td>",
        ),
        (
            "<div><i class=x></i> +1 503</div>",
            "<div><i class=x></i> [+1 503]</div>",
        ),
        ("<div>877-689-7645</div>", "<div>877-689-7645</div>"),
        ("<a>877-689-7645</a>", "<a dir=\"ltr\">877-689-7645</a>"),
        ("<a dir=auto>+1 503</a>", "<a dir=auto>+1 503</a>"),
        ("<bdi>+1 503</bdi>", "<bdi>+1 503</bdi>"),
        (
            "<td>1,234.56</td><td>10:30</td><td>5</td>",
            "<td>1,234.56</td><td>10:30</td><td>5</td>",
        ),
        ("<p>10, 20</p>", "<p>10, 20</p>"),
        (
            "<p>5.</p><p>(5)</p><p>– 5</p><p>[1]</p>",
            "<p>5.</p><p>(5)</p><p>– 5</p><p>[1]</p>",
        ),
        (
            "<b>5.</b><i>(5)</i><b>5)</b><b>$5</b>",
            "<b>5.</b><i>(5)</i><b>5)</b><b dir=\"ltr\">$5</b>",
        ),
        ("<b>10, 20</b>", "<b>10, 20</b>"),
        (
            "<b>&gt;= 3, &lt; 4</b>",
            "<b dir=\"ltr\">&gt;= 3, &lt; 4</b>",
        ),
        ("<td>>= 3, +1 503</td>", "<td>[>= 3], [+1 503]</td>"),
        ("<option>9 – 17</option>", "<option>9 – 17</option>"),
        (
            "<pre>a + 1 = 2 +</pre>",
            "<pre dir=\"ltr\">a + 1 = 2 +</pre>",
        ),
        ("<script>1 + 2</script>", "<script>1 + 2</script>"),
        (
            "<span translate=no>Yahoo!</span>",
            "<span dir=\"ltr\" translate=no>Yahoo!</span>",
        ),
        ("<p translate=no>Yahoo!</p>", "<p translate=no>Yahoo!</p>"),
        ("<p>C++</p>", "<p>C++^</p>"),
        (
            "<td><span class=t>9 a.m. – 6 p.m.</span></td>",
            "<td><span dir=\"ltr\" class=t>9 a.m. – 6 p.m.</span></td>",
        ),
        (
            "<p><b title='a>b'> C++ </b></p>",
            "<p><b dir=\"ltr\" title='a>b'> C++ </b></p>",
        ),
        ("<p><b dir=ltr>C++</b></p>", "<p><b dir=ltr>C++</b></p>"),
        ("<p><bdi>C++</bdi></p>", "<p><bdi>C++</bdi></p>"),
        ("<p><b>C++<i></i></b></p>", "<p><b>C++^<i></i></b></p>"),
    ] {
        check(
            &format!("{source}<p>A word</p>"),
            "ar",
            words,
            &format!("{expected}<p>كلمة</p>"),
        );
    }
    // A framework compares the text of the page with its own.
    let drawn =
        "<div id=__next><p>9:00 – 17:00</p><p><b>9:00 – 17:00</b></p></div><script src=x></script>";
    let expected = drawn.replace("<b>", "<b dir=\"ltr\">");
    check(
        &format!("{drawn}<p>A word</p>"),
        "ar",
        words,
        &format!("{expected}<p>كلمة</p>"),
    );
    check(
        "<p>Learn <b>C++</b> and <b dir=ltr>C++</b> now</p>",
        "ar",
        (
            "Learn <g id=\"1\">C++</g> and <g id=\"2\">C++</g> now",
            "تعلم <g id=\"2\">C++</g> و <g id=\"1\">C++</g> الآن",
        ),
        "<p>تعلم <b dir=ltr>C++</b> و <b dir=\"ltr\">C++</b> الآن</p>",
    );
    check(
        "<p>Learn <b>+1</b> 503 now</p>",
        "ar",
        ("Learn <x id=\"1\"/> 503 now", "تعلم <x id=\"1\"/> 503 الآن"),
        "<p>تعلم <b dir=\"ltr\">+1</b> 503 الآن</p>",
    );
}

#[test]
fn attributes_and_titles_keep_runs_in_order_r_r1() {
    for (source, translation, expected) in [
        (
            "<img alt=\"Call +1 503\" src=a>",
            ("Call +1 503", "اتصل +1 503"),
            "<img alt=\"اتصل [+1 503]\" src=a>",
        ),
        (
            "<a title='Learn C++ now' href=a></a>",
            ("Learn C++ now", "تعلم C++ الآن"),
            "<a title='تعلم C++^ الآن' href=a></a>",
        ),
        (
            "<input placeholder=\"9:00 – 17:00 only\">",
            ("9:00 – 17:00 only", "فقط 9:00 – 17:00"),
            "<input placeholder=\"فقط [9:00 – 17:00]\">",
        ),
        (
            "<svg><title>Call +1 503</title></svg>",
            ("Call +1 503", "اتصل +1 503"),
            "<svg><title>اتصل [+1 503]</title></svg>",
        ),
        (
            "<a download=\"Call +1 503\" href=a></a>",
            ("Call +1 503", "اتصل +1 503"),
            "<a download=\"اتصل +1 503\" href=a></a>",
        ),
    ] {
        check(source, "ar", translation, expected);
    }
    // Data is for programs.
    let data = "<script type=\"application/ld+json\">{\"@type\":\"Article\",\"headline\":\"Call +1 503\"}</script>";
    check(
        data,
        "ar",
        ("Call +1 503", "اتصل +1 503"),
        &data.replace("Call +1", "اتصل +1"),
    );
}

#[test]
fn pages_without_translations_stay_as_they_are_r_r1() {
    let page = "<p>C++</p><td>+1 503</td><a href=tel:1>+1 503</a><b translate=no>Yahoo!</b>";
    assert_eq!(body(page, "en", "ar", &[]), page);
    assert_eq!(body(page, "en", "ar", &[("C++", "C++")]), page);
}

#[test]
fn runs_written_from_right_to_left_keep_their_order_r_r1() {
    let source = "<p>قال مرحبا! كثيرا</p>";
    let given = body(
        source,
        "ar",
        "en",
        &[("قال مرحبا! كثيرا", "He said مرحبا! often")],
    );
    assert_eq!(seen(&given), "<p>He said مرحبا! often</p>");
    let given = body(
        "<p>קנו שלום+ עכשיו</p>",
        "he",
        "en",
        &[("קנו שלום+ עכשיו", "Buy שלום+ now")],
    );
    assert_eq!(seen(&given), "<p>Buy שלום+~ now</p>");
    let given = body(
        "<p>קנו 5 שלום עכשיו</p>",
        "he",
        "en",
        &[("קנו 5 שלום עכשיו", "Buy 5 שלום now")],
    );
    assert_eq!(seen(&given), "<p>Buy {5 שלום] now</p>");
    let source = "<p>اشتر (الكتاب 2)</p>";
    let given = body(
        source,
        "ar",
        "en",
        &[("اشتر (الكتاب 2)", "Buy الكتاب 2 now")],
    );
    assert_eq!(seen(&given), "<p>Buy الكتاب 2 now</p>");
}

mod needs_chromium {
    use std::fmt::Write as _;
    use std::process::Command;
    use std::{env, fs, process};

    use super::*;

    /// Strings that a translation keeps. In Hebrew sentences some of them are in order by themselves.
    const STRINGS: [&str; 36] = [
        "+1 503 555 0142",
        "(503) 555-0142",
        "503-555-0142",
        "0117 496 0123",
        "+44 (0)117 496 0123",
        "1-800-555-0142",
        "+49 30 901820-55",
        "9:00 a.m. – 6:00 p.m.",
        "9:00–17:30",
        "9:00 - 17:30",
        "10am–5pm",
        "Mon–Fri 9:00–17:30",
        "2019–2026",
        "2026-01-02",
        "1:1000",
        "10-12",
        "3.11.5+",
        "v2.0-beta.1",
        "Python 3.11.5+",
        ">= 3.2",
        "C++",
        "C#",
        "f()",
        "f(x)[0]",
        ".NET",
        "$50",
        "$1,234.56–$2,000.00",
        "-5 °C",
        "50%",
        "18 × 18 in",
        "16:9",
        "info@heron.example",
        "https://heron.example/a/?b=1",
        "#1042-B",
        "48 Bay View Street, Portland, OR 97201",
        "Yahoo! (US)",
    ];

    /// Reads the visual order of each string back from the layout.
    const READER: &str = r#"<script>
        const wrong = [];
        const all = document.querySelectorAll("[data-s]");
        for (const element of all) {
            const signs = [];
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            while (walker.nextNode()) {
                for (let at = 0; at < walker.currentNode.length; at++) {
                    const sign = walker.currentNode.data[at];
                    if (/[\s\u200e\u200f\u2066-\u2069]/.test(sign)) continue;
                    const range = document.createRange();
                    range.setStart(walker.currentNode, at);
                    range.setEnd(walker.currentNode, at + 1);
                    signs.push({ sign, left: range.getClientRects()[0].left });
                }
            }
            const expected = element.dataset.s.replace(/\s/g, "");
            const start = signs.map(it => it.sign).join("").indexOf(expected);
            const shown = signs.slice(start, start + expected.length).sort((a, b) => a.left - b.left);
            const given = shown.map(it => it.sign).join("");
            if (start < 0 || given !== expected) wrong.push(element.tagName + " " + expected + " as " + given);
        }
        document.title = "read " + all.length + ", wrong: " + wrong.join("; ") + ".";
    </script>"#;

    /// Chromium's answer for a page in which each string stands in a sentence, at its edges, alone and in an element.
    fn read(to: &str, word: &str) -> String {
        let mut source = String::from("<style>p,td{white-space:nowrap}</style><table><tr>");
        let mut translations = BTreeMap::new();
        for string in STRINGS {
            let string = string.replace('<', "&lt;").replace('>', "&gt;");
            for (before, after) in [
                ("Call ", " now"),
                ("Call ", ""),
                ("", " now"),
                ("Call ", ". Yes"),
                ("Call (", ")"),
            ] {
                let text = format!("{before}{string}{after}");
                write!(source, "<p data-s=\"{string}\">{text}</p>").unwrap();
                let translated = text
                    .replace("Call", word)
                    .replace("now", word)
                    .replace("Yes", word);
                translations.insert(text, translated);
            }
            write!(
                source,
                "<p data-s=\"{string}\">Call <b>{string}</b> now</p>"
            )
            .unwrap();
            let inner = if string.chars().any(char::is_alphabetic) {
                format!("<g id=\"1\">{string}</g>")
            } else {
                "<x id=\"1\"/>".into()
            };
            translations.insert(
                format!("Call {inner} now"),
                format!("{word} {inner} {word}"),
            );
            write!(
                source,
                "<td data-s=\"{string}\">{string}</td><td data-s=\"{string}\"><a>{string}</a></td>"
            )
            .unwrap();
        }
        let translations: Vec<(&str, &str)> = translations
            .iter()
            .map(|(text, target)| (&**text, &**target))
            .collect();
        let html = body(&source, "en", to, &translations);
        let file = env::temp_dir().join(format!("latimer-directions-{}-{to}.html", process::id()));
        fs::write(
            &file,
            format!("<!DOCTYPE html><html dir=rtl lang={to}><meta charset=utf-8><title></title>{html}{READER}"),
        )
        .unwrap();
        let profile = env::temp_dir().join(format!("latimer-directions-{}", process::id()));
        let mut chromium = Command::new("chromium");
        chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]);
        chromium
            .arg(format!("--user-data-dir={}", profile.display()))
            .arg(format!("file://{}", file.display()));
        let dom = String::from_utf8(chromium.output().unwrap().stdout).unwrap();
        fs::remove_file(&file).unwrap();
        let _ = fs::remove_dir_all(&profile);
        dom.split_once("<title>")
            .unwrap()
            .1
            .split_once("</title>")
            .unwrap()
            .0
            .to_owned()
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn browsers_show_what_stays_in_the_order_of_the_source_r_r1() {
        for (to, word) in [("ar", "كلمة"), ("he", "מילה"), ("fa", "واژه")] {
            assert_eq!(
                read(to, word),
                format!("read {}, wrong: .", STRINGS.len() * 8),
                "{to}"
            );
        }
    }
}
