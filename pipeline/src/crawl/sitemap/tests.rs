//! Tests of `sitemap.rs`.

use std::io::Write;

use super::*;

/// Reads a sitemap without bounds.
fn all(body: &[u8]) -> Sitemap {
    collect(body, &mut AddressBudget::unbounded())
}

fn check(body: &[u8], pages: &[&str], sitemaps: &[&str], broken: bool) {
    let found = all(body);
    let name = String::from_utf8_lossy(body);
    let listed: Vec<String> = found
        .pages
        .iter()
        .map(|page| page.address.clone())
        .collect();
    assert_eq!(
        (&listed[..], &found.sitemaps[..]),
        (&owned(pages)[..], &owned(sitemaps)[..]),
        "{name}"
    );
    assert_eq!(found.broken.is_some(), broken, "{name}: {:?}", found.broken);
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

#[test]
fn sitemaps_are_read() {
    let xml = b"<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>\
            <url><loc> http://h/a?x=1&amp;y=2 </loc><image:image><image:loc>http://h/i.png</image:loc></image:image></url>\
            <url><loc><![CDATA[http://h/b]]></loc></url><url><loc>http://h/&#252;</loc></url></urlset>";
    check(
        xml,
        &["http://h/a?x=1&y=2", "http://h/b", "http://h/\u{fc}"],
        &[],
        false,
    );
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(xml).unwrap();
    check(
        &encoder.finish().unwrap(),
        &["http://h/a?x=1&y=2", "http://h/b", "http://h/\u{fc}"],
        &[],
        false,
    );
    check(
        b"<sitemapindex><sitemap><loc>http://h/s.xml</loc></sitemap></sitemapindex>",
        &[],
        &["http://h/s.xml"],
        false,
    );
    check(
        b"\xEF\xBB\xBFhttp://h/a\r\nhttps://h/b\nnonsense\n",
        &["http://h/a", "https://h/b"],
        &[],
        false,
    );
}

#[test]
fn versions_in_other_languages_are_read_r_c8() {
    let xml = b"<urlset xmlns:xhtml='http://www.w3.org/1999/xhtml'>\n<url>\n<loc>http://h/a</loc>\n\
            <xhtml:link rel='alternate' hreflang='es' href='http://h/es/a?x=1&amp;y=2'/></url>\n\
            <url><xhtml:link rel='alternate' hreflang='de' href='http://h/de/b'></xhtml:link><loc>http://h/b</loc></url></urlset>";
    let own = |tag: &str, address: &str| vec![(tag.to_owned(), address.to_owned())];
    let expected = [
        ListedPage {
            address: "http://h/a".into(),
            alternates: own("es", "http://h/es/a?x=1&y=2"),
            line: 3,
            lastmod: None,
            details: None,
        },
        ListedPage {
            address: "http://h/b".into(),
            alternates: own("de", "http://h/de/b"),
            line: 5,
            lastmod: None,
            details: None,
        },
    ];
    assert_eq!(all(xml).pages, expected);
}

#[test]
fn what_a_sitemap_says_of_changes_is_of_the_page_that_it_stands_with() {
    let xml =
        b"<urlset><url><lastmod> 2026-11-25 </lastmod><loc>http://h/a</loc></url><url><loc>http://h/b</loc></url>\
            <url><loc>http://h/c</loc><lastmod><![CDATA[2026-11-25T10:00:00]]>&#43;01:00</lastmod>\
            <video:video><lastmod>2020-01-01</lastmod></video:video></url>\
            <url><loc>http://h/d</loc><lastmod/><lastmod> </lastmod></url></urlset>";
    let found = all(xml);
    let said: Vec<_> = found
        .pages
        .iter()
        .map(|page| page.lastmod.as_deref())
        .collect();
    assert_eq!(
        said,
        [
            Some("2026-11-25"),
            None,
            Some("2026-11-25T10:00:00+01:00"),
            None
        ]
    );
    let index =
        b"<sitemapindex><sitemap><loc>http://h/s.xml</loc><lastmod>2026-11-25</lastmod></sitemap></sitemapindex>";
    assert_eq!(
        (all(index).pages, all(index).sitemaps),
        (Vec::new(), owned(&["http://h/s.xml"]))
    );
}

#[test]
fn damaged_and_hostile_sitemaps_give_what_was_readable() {
    let cut = b"<urlset><url><loc>http://h/a</loc></url><url><loc>http://h/b</loc><loc <";
    check(cut, &["http://h/a", "http://h/b"], &[], true);
    check(b"\x1f\x8bnot gzip", &[], &[], true);
    check(
        b"<!DOCTYPE u [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>http://h/&x;a</loc></url></urlset>",
        &["http://h/a"],
        &[],
        false,
    );
    check(b"<html><body>not found</body></html>", &[], &[], false);
    check(b"", &[], &[], false);
}

#[test]
fn what_a_sitemap_can_make_long_is_bounded() {
    let long = "x".repeat(LONGEST_ADDRESS - 8);
    let fits = "x".repeat(LONGEST_ADDRESS - 9);
    let list = format!("http://h/{long}\nhttp://h/{fits}\n  http://h/{fits}  \nhttp://h/a");
    let lines: Vec<_> = all(list.as_bytes())
        .pages
        .iter()
        .map(|page| page.line)
        .collect();
    assert_eq!(lines, [2, 3, 4]);
    let xml = format!(
        "<urlset><url><loc>http://h/{long}</loc></url><url><loc>\n http://h/{fits}</loc></url></urlset>"
    );
    assert_eq!(all(xml.as_bytes()).pages.len(), 1);
    let link = "<link hreflang='es' href='/es'/>".repeat(2_000);
    let xml = format!("<urlset><url><loc>http://h/a</loc>{link}</url></urlset>");
    assert_eq!(
        all(xml.as_bytes()).pages[0].alternates.len(),
        MOST_ALTERNATES
    );
    let deep = format!(
        "<urlset><url><loc>http://h/a</loc></url>{}",
        "<a>".repeat(100_000)
    );
    assert_eq!(
        all(deep.as_bytes()).broken.unwrap(),
        "more than 64 elements lie inside each other"
    );
}

#[test]
fn a_sitemap_is_read_as_far_as_there_is_room() {
    let list: String = (0..100_000)
        .map(|number| format!("http://h/{number}\n"))
        .collect();
    let mut room = AddressBudget::for_pages(0);
    let found = collect(list.as_bytes(), &mut room);
    assert_eq!(
        (found.pages.len(), found.cut, found.broken),
        (1_000, true, None)
    );
    assert!(
        collect(list.as_bytes(), &mut room).pages.is_empty(),
        "the room is that of all sitemaps"
    );
    let alternate = "<link hreflang='es' href='/es'/>".repeat(99);
    let xml: String = (0..50)
        .map(|number| format!("<url><loc>http://h/{number}</loc>{alternate}</url>"))
        .collect();
    let found = collect(
        format!("<urlset>{xml}</urlset>").as_bytes(),
        &mut AddressBudget::for_pages(0),
    );
    assert_eq!(
        (found.pages.len(), found.cut),
        (10, true),
        "versions count, too"
    );
    let index: String = (0..600)
        .map(|number| format!("<sitemap><loc>http://h/{number}</loc></sitemap>"))
        .collect();
    let found = all(format!("<sitemapindex>{index}</sitemapindex>").as_bytes());
    assert_eq!((found.sitemaps.len(), found.cut), (MOST_SITEMAPS, true));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_a_sitemap(start in "(<urlset>|<sitemapindex>|\x1f|)", rest in "(?s)(<url>|<loc>|</loc>|&amp;|&#x?[0-9]{1,9};|<!\\[CDATA\\[|.){0,40}") {
        let found = all(format!("{start}{rest}").as_bytes());
        assert!(found.pages.iter().all(|page| !page.address.trim().is_empty()));
    }
}
