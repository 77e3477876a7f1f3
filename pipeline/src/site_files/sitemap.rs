//! Sitemaps (sitemaps.org 0.9), with the language versions of every page.

use std::fmt::Write as _;

/// A page of a sitemap: its address and every language version of it, this one too (R-C8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitemapPage {
    /// The public address.
    pub address: String,
    /// Language tag and public address of every version.
    pub alternates: Vec<(String, String)>,
    /// What the source's own sitemap says of it.
    pub said: SitemapSaid,
}

/// What a sitemap says of a page beside addresses, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SitemapSaid {
    /// When the page changed last.
    pub lastmod: Option<Box<str>>,
    /// How often it changes.
    pub changefreq: Option<Box<str>>,
    /// Its weight among the pages of the site.
    pub priority: Option<Box<str>>,
    /// Image, video and news elements as XML, with the prefixes of the namespaces of our sitemaps.
    pub extensions: Box<str>,
}

impl SitemapSaid {
    /// The elements that name images, and say nothing about them.
    pub fn images(addresses: &[Box<str>]) -> Box<str> {
        let mut images = String::new();
        for address in addresses {
            let _ = write!(
                images,
                "<image:image><image:loc>{}</image:loc></image:image>",
                escape(address)
            );
        }
        images.into()
    }
}

/// Search engines take 50,000 pages of one sitemap; so many are made and compressed in a tenth of the memory.
const MOST_PAGES: usize = 5_000;
/// As many bytes as search engines take.
const MOST_BYTES: usize = 50_000_000;

const URL_SET: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\"";
/// Prefixes of what sitemaps may say beside addresses, with their namespaces.
const NAMESPACES: [(&str, &str); 3] = [
    ("image", "http://www.google.com/schemas/sitemap-image/1.1"),
    ("video", "http://www.google.com/schemas/sitemap-video/1.1"),
    ("news", "http://www.google.com/schemas/sitemap-news/0.9"),
];
/// Bytes that the beginning and end of a sitemap take at most.
const FRAME: usize = 1_000;
const URL_SET_END: &str = "</urlset>\n";
const INDEX: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";

/// Writes the sitemap of some pages (with `xhtml:link` for languages): `{stem}.xml`, and where one file is not enough,
/// `{stem}-1.xml` and so on, with an index of them as `{stem}.xml` after them. Each is made when it is asked for, since together
/// they are large. `address` gives the public address of a file.
pub fn sitemaps(
    stem: &str,
    pages: impl Iterator<Item = SitemapPage>,
    address: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = (String, String)> {
    split(stem, pages, (MOST_PAGES, MOST_BYTES), address)
}

fn split(
    stem: &str,
    pages: impl Iterator<Item = SitemapPage>,
    (most_pages, most_bytes): (usize, usize),
    address: impl Fn(&str) -> Option<String>,
) -> impl Iterator<Item = (String, String)> {
    let mut entries = pages.map(|page| entry(&page)).peekable();
    let mut parts = 0;
    let mut is_whole = false;
    std::iter::from_fn(move || {
        if is_whole {
            return None;
        }
        if parts > 0 && entries.peek().is_none() {
            is_whole = true;
            return Some((
                format!("{stem}.xml"),
                index((1..=parts).filter_map(|number| address(&part_name(stem, number)))),
            ));
        }
        let mut part = String::new();
        let mut count = 0;
        let fits = |part: &String, entry: &String| part.len() + entry.len() + FRAME <= most_bytes;
        while let Some(entry) =
            entries.next_if(|entry| count == 0 || count < most_pages && fits(&part, entry))
        {
            part.push_str(&entry);
            count += 1;
        }
        part.insert_str(0, &beginning(&part));
        part.push_str(URL_SET_END);
        if parts == 0 && entries.peek().is_none() {
            is_whole = true;
            return Some((format!("{stem}.xml"), part));
        }
        parts += 1;
        Some((part_name(stem, parts), part))
    })
}

/// The beginning of a sitemap with these entries, which declares the namespaces that they need.
fn beginning(entries: &str) -> String {
    let mut beginning = String::from(URL_SET);
    for (prefix, namespace) in NAMESPACES {
        if entries.contains(&format!("<{prefix}:")) {
            let _ = write!(beginning, " xmlns:{prefix}=\"{namespace}\"");
        }
    }
    beginning.push_str(">\n");
    beginning
}

fn part_name(stem: &str, number: usize) -> String {
    format!("{stem}-{number}.xml")
}

/// A sitemap of sitemaps.
fn index(addresses: impl Iterator<Item = String>) -> String {
    let mut index = String::from(INDEX);
    for address in addresses {
        let _ = writeln!(index, "<sitemap><loc>{}</loc></sitemap>", escape(&address));
    }
    index.push_str("</sitemapindex>\n");
    index
}

fn entry(page: &SitemapPage) -> String {
    let mut xml = format!("<url><loc>{}</loc>\n", escape(&page.address));
    let SitemapSaid {
        lastmod,
        changefreq,
        priority,
        extensions,
    } = &page.said;
    for (name, text) in [
        ("lastmod", lastmod),
        ("changefreq", changefreq),
        ("priority", priority),
    ] {
        if let Some(text) = text {
            let _ = writeln!(xml, "<{name}>{}</{name}>", escape(text));
        }
    }
    if !extensions.is_empty() {
        let _ = writeln!(xml, "{extensions}");
    }
    for (tag, address) in &page.alternates {
        let address = escape(address);
        let _ = writeln!(
            xml,
            "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{address}\"/>"
        );
    }
    xml.push_str("</url>\n");
    xml
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(address: &str) -> SitemapPage {
        let alternates = vec![
            ("en".into(), address.into()),
            ("es".into(), "https://e.example/es/".into()),
        ];
        SitemapPage {
            address: address.into(),
            alternates,
            said: SitemapSaid::default(),
        }
    }

    fn of_example(name: &str) -> Option<String> {
        Some(format!("https://e.example/{name}"))
    }

    #[test]
    fn sitemaps_name_every_version_r_c8() {
        let files: Vec<_> = sitemaps(
            "sitemap",
            [page("https://e.example/?a&b")].into_iter(),
            of_example,
        )
        .collect();
        let [(name, xml)] = files.as_slice() else {
            panic!("{files:?}")
        };
        assert_eq!(name, "sitemap.xml");
        assert!(
            xml.contains("<loc>https://e.example/?a&amp;b</loc>"),
            "{xml}"
        );
        assert_eq!(xml.matches("xhtml:link").count(), 2, "{xml}");
    }

    #[test]
    fn sitemaps_say_what_the_source_says_r_s4() {
        let plain = page("https://e.example/a");
        let said = SitemapSaid {
            lastmod: Some("2024-05-01".into()),
            priority: Some("0.5".into()),
            extensions: SitemapSaid::images(&["https://e.example/i.png?a&b".into()]),
            ..SitemapSaid::default()
        };
        let pages = [
            plain.clone(),
            SitemapPage {
                said,
                ..page("https://e.example/b")
            },
        ];
        let files: Vec<_> = sitemaps("sitemap", pages.into_iter(), of_example).collect();
        let xml = &files[0].1;
        let expected = "<loc>https://e.example/b</loc>\n<lastmod>2024-05-01</lastmod>\n<priority>0.5</priority>\n\
            <image:image><image:loc>https://e.example/i.png?a&amp;b</image:loc></image:image>\n<xhtml:link";
        assert!(xml.contains(expected), "{xml}");
        let declared: Vec<bool> = NAMESPACES
            .iter()
            .map(|(_, namespace)| xml.contains(&format!("=\"{namespace}\"")))
            .collect();
        assert_eq!(declared, [true, false, false], "{xml}");
        let longest = NAMESPACES.map(|(prefix, _)| format!("<{prefix}:")).concat();
        assert!(beginning(&longest).len() + URL_SET_END.len() <= FRAME);
        assert!(!beginning(&entry(&plain)).contains("xmlns:image"));
    }

    #[test]
    fn large_sitemaps_are_several_with_an_index_r_c8() {
        let pages: Vec<SitemapPage> = (0..5)
            .map(|number| page(&format!("https://e.example/{number}")))
            .collect();
        let small = 2 * entry(&pages[0]).len() + FRAME;
        for (most, names) in [
            (
                (2, usize::MAX),
                [
                    "sitemap-1.xml",
                    "sitemap-2.xml",
                    "sitemap-3.xml",
                    "sitemap.xml",
                ]
                .as_slice(),
            ),
            (
                (9, small),
                &[
                    "sitemap-1.xml",
                    "sitemap-2.xml",
                    "sitemap-3.xml",
                    "sitemap.xml",
                ],
            ),
            ((5, usize::MAX), &["sitemap.xml"]),
        ] {
            let files: Vec<_> = split("sitemap", pages.iter().cloned(), most, of_example).collect();
            assert_eq!(
                files
                    .iter()
                    .map(|(name, _)| name.as_str())
                    .collect::<Vec<_>>(),
                names
            );
            let urls: usize = files
                .iter()
                .map(|(_, xml)| xml.matches("<url>").count())
                .sum();
            assert_eq!(urls, 5);
            let (_, index) = files.last().unwrap();
            for name in &names[..names.len() - 1] {
                assert!(
                    index.contains(&format!("<sitemap><loc>https://e.example/{name}</loc>")),
                    "{index}"
                );
            }
        }
    }
}
