//! Small files and headers by which the pages of a site are found: robots.txt, `Link`, and what a source elsewhere includes.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::model::PagePath;

/// The name of the sitemap of a source that is elsewhere, without its ending.
pub const SOURCE_SITEMAP: &str = "_latimer/source-sitemap";
/// The name of the file that gives the alternate links of each page of a source that is elsewhere.
pub const SOURCE_ALTERNATES: &str = "_latimer/alternates.json";
/// The name of the page for what is not found.
pub const ERROR_PAGE: &str = "404.html";
/// Paths at which a site keeps its page for what is not found.
pub const ERROR_PAGES: [&str; 3] = ["/404.html", "/404/", "/404"];

/// Whether a page is the one for what is not found: nothing refers to it.
pub fn is_error_page(path: &PagePath) -> bool {
    ERROR_PAGES.contains(&path.as_str())
}

/// A site's robots.txt with a line for each sitemap that it does not name yet; a site without one allows everything.
pub fn robots(own: &[u8], sitemaps: &[String]) -> Vec<u8> {
    let mut text = if own.trim_ascii().is_empty() {
        b"User-agent: *\nDisallow:\n".to_vec()
    } else {
        own.to_vec()
    };
    let lines = String::from_utf8_lossy(own).into_owned();
    let named: Vec<&str> = lines.lines().filter_map(named_sitemap).collect();
    let mut missing = sitemaps
        .iter()
        .filter(|sitemap| !named.contains(&sitemap.as_str()))
        .peekable();
    if missing.peek().is_some() {
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.push(b'\n');
    }
    missing.for_each(|sitemap| text.extend_from_slice(format!("Sitemap: {sitemap}\n").as_bytes()));
    text
}

fn named_sitemap(line: &str) -> Option<&str> {
    let (key, value) = line.split_once(':')?;
    key.trim()
        .eq_ignore_ascii_case("sitemap")
        .then(|| value.trim())
}

/// The HTTP `Link` header (RFC 8288) of a file with language versions: tag and address of each (R-C1).
pub fn link_header(canonical: &str, versions: &[(&str, String)]) -> String {
    let version = |(tag, address): &(&str, String)| {
        format!("<{address}>; rel=\"alternate\"; hreflang=\"{tag}\"")
    };
    let canonical = format!("<{canonical}>; rel=\"canonical\"");
    std::iter::once(canonical)
        .chain(versions.iter().map(version))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A link to a version of a page, as it stands in a head.
#[derive(Serialize)]
struct HeadAlternate {
    hreflang: String,
    href: String,
}

/// The alternate links of pages by their paths, as JSON that a site's templates can read.
pub fn alternates_json<'a>(
    pages: impl Iterator<Item = (&'a PagePath, Vec<(String, String)>)>,
) -> String {
    let alternate = |(hreflang, href)| HeadAlternate { hreflang, href };
    let links =
        |versions: Vec<(String, String)>| versions.into_iter().map(alternate).collect::<Vec<_>>();
    let pages: BTreeMap<&str, Vec<HeadAlternate>> = pages
        .map(|(path, versions)| (path.as_str(), links(versions)))
        .filter(|(_, links)| !links.is_empty())
        .collect();
    let mut json = serde_json::to_string(&pages).unwrap_or_default();
    json.push('\n');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_txt_names_each_sitemap_once() {
        let sitemaps = [
            "https://e.example/sitemap.xml".to_owned(),
            "https://e.example/es/sitemap.xml".to_owned(),
        ];
        for (own, expected) in [
            (
                "",
                "User-agent: *\nDisallow:\n\nSitemap: {0}\nSitemap: {1}\n",
            ),
            (
                "User-agent: *\nDisallow: /x",
                "User-agent: *\nDisallow: /x\n\nSitemap: {0}\nSitemap: {1}\n",
            ),
            (
                "sitemap:  {0}\r\nDisallow: /x\n",
                "sitemap:  {0}\r\nDisallow: /x\n\nSitemap: {1}\n",
            ),
            (
                "Sitemap: {0}\nSitemap: {1}\n",
                "Sitemap: {0}\nSitemap: {1}\n",
            ),
        ] {
            let fill = |text: &str| {
                text.replace("{0}", &sitemaps[0])
                    .replace("{1}", &sitemaps[1])
            };
            assert_eq!(
                String::from_utf8(robots(fill(own).as_bytes(), &sitemaps)).unwrap(),
                fill(expected)
            );
        }
    }
}
