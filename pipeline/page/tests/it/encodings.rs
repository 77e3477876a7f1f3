//! Pages in other encodings than UTF-8: kept byte for byte while nothing changes, whole in UTF-8 as soon as anything does,
//! and what depended on the old encoding goes on as before (R-D1 to R-D8).

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use page::{CodedText, Locale, Page, PageChanges, PageFormat, PageHead, PageLink, find_links};

/// A label as pages write it, the encoding that browsers take it for, and words that fit into it.
const ENCODINGS: [(&str, &str, &str); 17] = [
    ("euc-kr", "EUC-KR", "안녕하세요 세계"),
    ("ks_c_5601-1987", "EUC-KR", "똠방각하"),
    ("shift_jis", "Shift_JIS", "こんにちは、世界。表示ソ①"),
    ("x-sjis", "Shift_JIS", "ﾊﾝｶｸ カナ"),
    ("euc-jp", "EUC-JP", "日本語の文書"),
    ("iso-2022-jp", "ISO-2022-JP", "日本語とABCの文書"),
    ("big5", "Big5", "繁體中文許功蓋"),
    ("gb2312", "GBK", "简体中文網頁"),
    ("gbk", "GBK", "简体中文"),
    ("gb18030", "gb18030", "简体中文㐀🙂"),
    ("iso-8859-1", "windows-1252", "déjà vu – “quoted” €"),
    ("us-ascii", "windows-1252", "naïve"),
    ("windows-1250", "windows-1250", "Příliš žluťoučký kůň"),
    ("windows-1251", "windows-1251", "Съешь ещё этих булок"),
    ("windows-1256", "windows-1256", "مرحبا بالعالم"),
    ("koi8-r", "KOI8-R", "Широкая электрификация"),
    ("iso-8859-2", "ISO-8859-2", "Zażółć gęślą jaźń"),
];

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn parse(bytes: &[u8], header: Option<&str>) -> Page {
    Page::parse(bytes, header, &locale("en"))
}

fn encode(text: &str, label: &str) -> Vec<u8> {
    let (bytes, _, lost) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!lost, "{label} does not have {text}");
    bytes.into_owned()
}

fn utf_16(text: &str, encoding: &Encoding) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units
        .flat_map(|unit| {
            if encoding == UTF_16BE {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        })
        .collect()
}

/// Renders with another text in place of each segment that has this one; everything else stays.
fn replace(page: &Page, from: &str, to: &str, changes: &PageChanges<'_>) -> String {
    let target = CodedText::plain(to);
    let is_meant: Vec<bool> = page
        .segments()
        .map(|segment| segment.text.text() == from)
        .collect();
    assert!(is_meant.contains(&true), "no segment {from:?}");
    let rendered = page.render(|index| is_meant[index].then_some(&target), changes);
    assert_eq!(rendered.refused, []);
    String::from_utf8(rendered.html).unwrap()
}

#[test]
fn every_encoding_is_kept_or_becomes_utf_8_r_d1_r_d2_r_d3_r_d4() {
    for (label, name, words) in ENCODINGS {
        let source = format!(
            "<html><head><meta charset={label}><title>{words}</title></head><p>here<p>{words}</html>"
        );
        let bytes = encode(&source, label);
        for header in [None, Some(label)] {
            let page = parse(&bytes, header);
            assert_eq!(
                (page.encoding(), page.broken_places()),
                (name, 0),
                "{label}"
            );
            let same: Vec<CodedText> = page
                .segments()
                .map(|segment| segment.text.clone())
                .collect();
            assert!(
                page.render(|index| same.get(index), &PageChanges::default())
                    .html
                    == bytes,
                "{label}: identity"
            );
            let changed = replace(&page, "here", "あ한🙂", &PageChanges::default());
            let expected = source
                .replace(&format!("charset={label}"), "charset=utf-8")
                .replace("here", "あ한🙂");
            assert_eq!(changed, expected, "{label}");
            let again = parse(changed.as_bytes(), None);
            assert_eq!(
                (again.encoding(), again.broken_places()),
                ("UTF-8", 0),
                "{label}"
            );
        }
    }
}

#[test]
fn utf_16_pages_need_no_label_r_d1_r_d2() {
    for encoding in [UTF_16LE, UTF_16BE] {
        let source = "<meta charset=utf-16><form action=/go></form><a href='/?q=é'>x</a><script src=a.js></script><p>here é";
        let bytes = utf_16(source, encoding);
        let page = parse(&bytes, Some("euc-kr"));
        assert_eq!(page.encoding(), encoding.name());
        assert!(page.render(|_| None, &PageChanges::default()).html == bytes);
        // Forms, queries and files of such pages are UTF-8 already.
        let changed = replace(&page, "here é", "words", &PageChanges::default());
        assert_eq!(
            changed,
            source.replace("utf-16", "utf-8").replace("here é", "words")
        );
    }
}

#[test]
fn encodings_are_found_in_order_r_d1() {
    let korean = encode("<meta charset=big5><p>안녕하세요, 반갑습니다", "euc-kr");
    let with_bom = [&b"\xef\xbb\xbf"[..], "<meta charset=euc-kr><p>é".as_bytes()].concat();
    let xml = encode("<?xml version='1.0' encoding='euc-kr'?><p>안녕", "euc-kr");
    let xml_and_meta = encode(
        "<?xml version='1.0' encoding='big5'?><meta charset=euc-kr><p>안녕",
        "euc-kr",
    );
    let bare = encode(
        "<p>안녕하세요, 반갑습니다. 오늘은 날씨가 좋습니다.",
        "euc-kr",
    );
    let late = [
        " ".repeat(1100).as_bytes(),
        &encode("<meta charset=big5><p>안녕하세요, 반갑습니다", "euc-kr"),
    ]
    .concat();
    for (bytes, header, expected) in [
        (&with_bom, Some("shift_jis"), "UTF-8"),
        (&korean, Some("EUC-KR"), "EUC-KR"),
        (&korean, Some("nonsense"), "Big5"),
        (&korean, None, "Big5"),
        (&xml, None, "EUC-KR"),
        (&xml_and_meta, None, "EUC-KR"),
        (&bare, None, "EUC-KR"),
        (&late, None, "EUC-KR"),
        (&b"<p>plain".to_vec(), None, "UTF-8"),
        (&b"<p>caf\xe9".to_vec(), None, "windows-1252"),
        (&b"<meta charset=utf-16><p>x".to_vec(), None, "UTF-8"),
        (&utf_16("<p>x", UTF_16LE), Some("utf-8"), "UTF-16LE"),
    ] {
        assert_eq!(
            parse(bytes, header).encoding(),
            expected,
            "{:?}",
            String::from_utf8_lossy(bytes)
        );
    }
}

/// A page in EUC-KR and what becomes of it when `here` does.
fn check(source: &str, expected: &str) {
    let changed = replace(
        &parse(&encode(source, "euc-kr"), Some("euc-kr")),
        "here",
        "there",
        &PageChanges::default(),
    );
    assert_eq!(changed, expected, "{source}");
}

#[test]
fn pages_say_utf_8_once_early_and_in_their_own_form_r_d4() {
    for (source, expected) in [
        (
            "<META CHARSET='euc-kr'/><p>here",
            "<META CHARSET='utf-8'/><p>there",
        ),
        (
            "<meta content=\"text/html; charset=ks_c_5601-1987\" http-equiv=Content-Type><p>here",
            "<meta content=\"text/html; charset=utf-8\" http-equiv=Content-Type><p>there",
        ),
        (
            "<meta charset=euc-kr><title>here</title><meta charset=big5>",
            "<meta charset=utf-8><title>there</title>",
        ),
        (
            "<html><head><p>here",
            "<html><head><meta charset=\"utf-8\" /><p>there",
        ),
        (
            "<!doctype html><p>here",
            "<!doctype html><meta charset=\"utf-8\" /><p>there",
        ),
        (
            "<?xml version='1.0' encoding='euc-kr'?><html><meta charset=euc-kr><p>here",
            "<?xml version='1.0' encoding='UTF-8'?><html><meta charset=utf-8><p>there",
        ),
    ] {
        check(source, expected);
    }
    let late = format!("<!-- {} --><meta charset=euc-kr><p>here", "가".repeat(600));
    let expected = format!(
        "\u{feff}{}",
        late.replace("euc-kr", "utf-8").replace("here", "there")
    );
    check(&late, &expected);
}

#[test]
fn a_bom_is_kept_r_d4() {
    let source = "\u{feff}<title>here</title>";
    let head = PageHead {
        noindex: true,
        ..PageHead::default()
    };
    let changes = PageChanges {
        head: Some(&head),
        ..PageChanges::default()
    };
    let changed = replace(&parse(source.as_bytes(), None), "here", "there", &changes);
    assert_eq!(
        changed,
        "\u{feff}<meta name=\"robots\" content=\"noindex\" /><title>there</title>"
    );
}

#[test]
fn what_a_page_says_of_itself_stays_out_of_noscript_r_d4() {
    let source = "<head><noscript><meta charset=euc-kr></noscript><title>here</title></head>";
    let head = PageHead {
        noindex: true,
        ..PageHead::default()
    };
    let changes = PageChanges {
        head: Some(&head),
        ..PageChanges::default()
    };
    let changed = replace(&parse(source.as_bytes(), None), "here", "there", &changes);
    let said = "<meta name=\"robots\" content=\"noindex\" />";
    assert_eq!(
        changed,
        format!("<head>{said}<noscript><meta charset=utf-8></noscript><title>there</title></head>")
    );
}

#[test]
fn forms_go_on_sending_what_they_sent_r_d5() {
    const KEPT: &str = " accept-charset=\"EUC-KR\"";
    for (form, kept) in [
        ("<form>", true),
        ("<FORM action='/go?x' method=post>", true),
        ("<form action='https://elsewhere.example/'>", true),
        ("<form accept-charset=utf-8>", false),
        ("<form Accept-Charset>", false),
    ] {
        let expected = if kept {
            format!("{}{KEPT}{}", &form[..5], &form[5..])
        } else {
            form.to_owned()
        };
        check(
            &format!("<meta charset=euc-kr>{form}here</form>"),
            &format!("<meta charset=utf-8>{expected}there</form>"),
        );
    }
}

#[test]
fn queries_go_on_being_spelled_as_they_were_r_d6() {
    for (link, expected) in [
        (
            "<a href='/찾기?q=가&amp;r=1#나'>",
            "<a href='/찾기?q=%B0%A1&amp;r=1#나'>",
        ),
        ("<a href=?q=&#44032;>", "<a href=\"?q=%B0%A1\">"),
        (
            "<form accept-charset=x action=\"?q=가\">",
            "<form accept-charset=x action=\"?q=%B0%A1\">",
        ),
        (
            "<img src='a?b=가' srcset='/x?가 1x, /y?z 2x'>",
            "<img src='a?b=%B0%A1' srcset='/x?%B0%A1 1x, /y?z 2x'>",
        ),
        ("<a href='?q=&eacute;'>", "<a href='?q=%26%23233%3B'>"),
        (
            "<a href='mailto:a@b?subject=가'>",
            "<a href='mailto:a@b?subject=가'>",
        ),
        ("<a href='/가/#나'>", "<a href='/가/#나'>"),
        (
            "<p style='background: url(/x?가)'>",
            "<p style='background: url(/x?가)'>",
        ),
    ] {
        check(
            &format!("<meta charset=euc-kr><p>here<p>{link}"),
            &format!("<meta charset=utf-8><p>there<p>{expected}"),
        );
    }
}

#[test]
fn moved_links_keep_the_spelling_of_their_query_r_d6() {
    let bytes = encode(
        "<meta charset=euc-kr><a href='/찾기?q=가'>here</a>",
        "euc-kr",
    );
    let link = |link: &PageLink<'_>| Some(format!("/es{}", link.address));
    let changes = PageChanges {
        link: Some(&link),
        ..PageChanges::default()
    };
    let changed = replace(&parse(&bytes, None), "here", "there", &changes);
    assert_eq!(
        changed,
        "<meta charset=utf-8><a href='/es/찾기?q=%B0%A1'>there</a>"
    );
    assert_eq!(
        find_links(PageFormat::Html, &bytes, None).links[0].address,
        "/찾기?q=%B0%A1"
    );
}

#[test]
fn scripts_and_style_sheets_go_on_being_read_as_they_were_r_d7() {
    const KEPT: &str = " charset=\"EUC-KR\"";
    for (element, kept) in [
        ("<script src=a.js></script>", true),
        ("<script src=a.js type=text/javascript></script>", true),
        ("<script src=a.js charset=utf-8></script>", false),
        ("<script src=a.js type=Module></script>", false),
        ("<script>x()</script>", false),
        ("<link rel='alternate stylesheet' href=a.css>", true),
        ("<link rel=stylesheet href=a.css charset=big5>", false),
        ("<link rel=icon href=a.png>", false),
    ] {
        let name = element.find([' ', '>']).unwrap();
        let expected = if kept {
            format!("{}{KEPT}{}", &element[..name], &element[name..])
        } else {
            element.to_owned()
        };
        check(
            &format!("<meta charset=euc-kr>{element}<p>here"),
            &format!("<meta charset=utf-8>{expected}<p>there"),
        );
    }
}

#[test]
fn a_page_that_must_speak_is_converted_even_when_it_says_utf_8_already_r_d4() {
    let bytes = encode("<meta charset=utf-8><p>안녕", "euc-kr");
    let head = PageHead::default();
    let changes = PageChanges {
        head: Some(&head),
        ..PageChanges::default()
    };
    let rendered = parse(&bytes, Some("euc-kr")).render(|_| None, &changes);
    assert_eq!(
        String::from_utf8(rendered.html).unwrap(),
        "<meta charset=utf-8><p>안녕"
    );
}

#[test]
fn broken_bytes_are_counted_and_stay_only_where_the_encoding_does_r_d8() {
    let utf_8 = &b"<p>a \xa9 b<p>here"[..];
    let korean = &b"<meta charset=euc-kr><p>\xb0\xa1 \xff<p>here"[..];
    assert_eq!(parse(utf_8, Some("utf-8")).broken_places(), 1);
    let target = CodedText::plain("there");
    let page = parse(utf_8, Some("utf-8"));
    assert_eq!(
        page.render(
            |index| (index == 1).then_some(&target),
            &PageChanges::default()
        )
        .html,
        b"<p>a \xa9 b<p>there"
    );
    let page = parse(korean, None);
    assert_eq!(page.broken_places(), 1);
    assert_eq!(page.render(|_| None, &PageChanges::default()).html, korean);
    assert_eq!(
        replace(&page, "here", "there", &PageChanges::default()),
        "<meta charset=utf-8><p>가 \u{fffd}<p>there"
    );
}
