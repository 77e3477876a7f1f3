//! Sitemaps (sitemaps.org 0.9), with the language versions of every page.

use std::fmt::Write as _;

/// A page of a sitemap: its address and every language version of it, this one too (R-C8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitemapPage {
    /// The public address.
    pub address: String,
    /// Language tag and public address of every version.
    pub alternates: Vec<(String, String)>,
}

/// Search engines take 50,000 pages of one sitemap; so many are made and compressed in a tenth of the memory.
const MOST_PAGES: usize = 5_000;
/// As many bytes as search engines take.
const MOST_BYTES: usize = 50_000_000;

const URL_SET: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n";
const URL_SET_END: &str = "</urlset>\n";
const INDEX: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";

/// Writes the sitemap of some pages (with `xhtml:link` for languages): `{stem}.xml`, and where one file is not enough,
/// `{stem}-1.xml` and so on, with an index of them as `{stem}.xml`. `address` gives the public address of a file.
pub fn sitemaps(
    stem: &str,
    pages: impl Iterator<Item = SitemapPage>,
    address: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    split(stem, pages, (MOST_PAGES, MOST_BYTES), address)
}

fn split(
    stem: &str,
    pages: impl Iterator<Item = SitemapPage>,
    (most_pages, most_bytes): (usize, usize),
    address: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let mut parts = Vec::new();
    let (mut part, mut count) = (String::from(URL_SET), 0);
    for entry in pages.map(|page| entry(&page)) {
        if count > 0 && (count == most_pages || part.len() + entry.len() + URL_SET_END.len() > most_bytes) {
            parts.push(std::mem::replace(&mut part, String::from(URL_SET)) + URL_SET_END);
            count = 0;
        }
        part.push_str(&entry);
        count += 1;
    }
    parts.push(part + URL_SET_END);
    if parts.len() == 1 {
        return parts.into_iter().map(|part| (format!("{stem}.xml"), part)).collect();
    }
    let parts: Vec<(String, String)> =
        (1..).zip(parts).map(|(number, part)| (format!("{stem}-{number}.xml"), part)).collect();
    let mut index = String::from(INDEX);
    for address in parts.iter().filter_map(|(name, _)| address(name)) {
        let _ = writeln!(index, "<sitemap><loc>{}</loc></sitemap>", escape(&address));
    }
    index.push_str("</sitemapindex>\n");
    std::iter::once((format!("{stem}.xml"), index)).chain(parts).collect()
}

fn entry(page: &SitemapPage) -> String {
    let mut xml = format!("<url><loc>{}</loc>\n", escape(&page.address));
    for (tag, address) in &page.alternates {
        let address = escape(address);
        let _ = writeln!(xml, "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{address}\"/>");
    }
    xml.push_str("</url>\n");
    xml
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(address: &str) -> SitemapPage {
        let alternates = vec![("en".into(), address.into()), ("es".into(), "https://e.example/es/".into())];
        SitemapPage { address: address.into(), alternates }
    }

    fn of_example(name: &str) -> Option<String> {
        Some(format!("https://e.example/{name}"))
    }

    #[test]
    fn sitemaps_name_every_version_r_c8() {
        let files = sitemaps("sitemap", [page("https://e.example/?a&b")].into_iter(), of_example);
        let [(name, xml)] = files.as_slice() else { panic!("{files:?}") };
        assert_eq!(name, "sitemap.xml");
        assert!(xml.contains("<loc>https://e.example/?a&amp;b</loc>"), "{xml}");
        assert_eq!(xml.matches("xhtml:link").count(), 2, "{xml}");
    }

    #[test]
    fn large_sitemaps_are_several_with_an_index_r_c8() {
        let pages: Vec<SitemapPage> = (0..5).map(|number| page(&format!("https://e.example/{number}"))).collect();
        let small = URL_SET.len() + 2 * entry(&pages[0]).len() + URL_SET_END.len();
        for (most, names) in [
            ((2, usize::MAX), ["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"].as_slice()),
            ((9, small), &["sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml"]),
            ((5, usize::MAX), &["sitemap.xml"]),
        ] {
            let files = split("sitemap", pages.iter().cloned(), most, of_example);
            assert_eq!(files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names);
            let urls: usize = files.iter().map(|(_, xml)| xml.matches("<url>").count()).sum();
            assert_eq!(urls, 5);
            for name in &names[1..] {
                assert!(
                    files[0].1.contains(&format!("<sitemap><loc>https://e.example/{name}</loc>")),
                    "{}",
                    files[0].1
                );
            }
        }
    }
}
