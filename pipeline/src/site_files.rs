//! What Latimer itself adds to a site: the language switcher, notices and sitemaps.
//!
//! The texts come from tera templates that are embedded in the program or that the site brings; every one of them
//! escapes what is put in. This is the only room that names tera.

mod snippets;
mod switcher;
mod templates;

pub use snippets::{FALLBACK_IDS, Snippet, snippets};
pub use switcher::{SwitcherLink, switcher_links, switcher_style};
pub use templates::{MARKER, TemplateError, Templates};

use std::fmt::Write as _;

/// A page of a sitemap: its address and every language version of it, this one too (R-C8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitemapPage {
    /// The public address.
    pub address: String,
    /// Language tag and public address of every version.
    pub alternates: Vec<(String, String)>,
}

/// Writes a sitemap (sitemaps.org 0.9, with `xhtml:link` for languages).
pub fn sitemap(pages: &[SitemapPage]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" \
         xmlns:xhtml=\"http://www.w3.org/1999/xhtml\">\n",
    );
    for page in pages {
        let _ = writeln!(xml, "<url><loc>{}</loc>", escape(&page.address));
        for (tag, address) in &page.alternates {
            let address = escape(address);
            let _ = writeln!(xml, "<xhtml:link rel=\"alternate\" hreflang=\"{tag}\" href=\"{address}\"/>");
        }
        xml.push_str("</url>\n");
    }
    xml.push_str("</urlset>\n");
    xml
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sitemaps_name_every_version_r_c8() {
        let alternates =
            vec![("en".into(), "https://e.example/?a&b".into()), ("es".into(), "https://e.example/es/".into())];
        let xml = sitemap(&[SitemapPage { address: "https://e.example/?a&b".into(), alternates }]);
        assert!(xml.contains("<loc>https://e.example/?a&amp;b</loc>"), "{xml}");
        assert_eq!(xml.matches("xhtml:link").count(), 2, "{xml}");
    }
}
