//! What Latimer itself adds to a site: the language switcher, notices and sitemaps.
//!
//! The texts come from tera templates that are embedded in the program; every one of them escapes what is put in.
//! This is the only room that names tera.

use std::fmt::Write as _;

use serde::Serialize;
use tera::{Context, Tera};

use crate::model::Locale;

const STYLE: &str = include_str!("../../templates/switcher/switcher.css");
const SWITCHER: &str = "switcher/disclosure.html";
const NOTICE: &str = "notice.html";

/// The templates, compiled.
pub struct Templates(Tera);

/// A template is wrong or asks for something that there is not.
#[derive(Debug, thiserror::Error)]
#[error("template {template} cannot be rendered")]
pub struct TemplateError {
    template: &'static str,
    source: tera::Error,
}

/// One entry of a language switcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SwitcherLink {
    tag: String,
    name: String,
    dir: &'static str,
    href: String,
    current: bool,
    fallback: bool,
}

impl SwitcherLink {
    /// A link to `locale`; `fallback` says that it leads to the home page because the page itself is missing there.
    pub fn new(locale: &Locale, href: String, current: bool, fallback: bool) -> Self {
        let dir = locale.direction().as_str();
        Self { tag: locale.to_string(), name: locale.own_name(), dir, href, current, fallback }
    }
}

impl Templates {
    /// Compiles the embedded templates.
    ///
    /// # Errors
    /// A [`TemplateError`] that names file, line and column.
    pub fn embedded() -> Result<Self, TemplateError> {
        let mut tera = Tera::default();
        tera.autoescape_on([".html"]);
        let templates = [
            (SWITCHER, include_str!("../../templates/switcher/disclosure.html")),
            (NOTICE, include_str!("../../templates/notice.html")),
        ];
        tera.add_raw_templates(templates).map_err(|source| TemplateError { template: SWITCHER, source })?;
        Ok(Self(tera))
    }

    /// The switcher of a page; nothing when there is no other language to switch to.
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn switcher(&self, links: &[SwitcherLink]) -> Result<String, TemplateError> {
        let Some(current) = links.iter().find(|link| link.current).filter(|_| links.len() > 1) else {
            return Ok(String::new());
        };
        let mut context = Context::new();
        context.insert("current", current);
        context.insert("links", links);
        self.render(SWITCHER, &context)
    }

    /// Says to a reader of `locale` that the page is in another language.
    ///
    /// # Errors
    /// A [`TemplateError`] when the template asks for something that there is not.
    pub fn notice(&self, locale: &Locale) -> Result<String, TemplateError> {
        let mut context = Context::new();
        context.insert("tag", locale.as_str());
        context.insert("name", &locale.own_name());
        self.render(NOTICE, &context)
    }

    fn render(&self, template: &'static str, context: &Context) -> Result<String, TemplateError> {
        self.0.render(template, context).map_err(|source| TemplateError { template, source })
    }
}

/// Name and text of the switcher's style sheet; the name changes with the text, so that it may be kept for ever.
pub fn switcher_style() -> (String, &'static str) {
    let hash = blake3::hash(STYLE.as_bytes()).to_hex();
    (format!("_latimer/switcher.{}.css", &hash[..10]), STYLE)
}

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

    fn link(tag: &str, href: &str, current: bool) -> SwitcherLink {
        SwitcherLink::new(&Locale::parse(tag).unwrap(), href.into(), current, false)
    }

    #[test]
    fn switchers_escape_what_is_put_in() {
        let links = [link("en", "/\"><script>", false), link("ar", "/ar/", true)];
        let html = Templates::embedded().unwrap().switcher(&links).unwrap();
        assert!(!html.contains("<script>"), "{html}");
        assert!(html.contains("<summary lang=\"ar\">العربية</summary>"), "{html}");
        assert!(html.contains("dir=\"rtl\" aria-current=\"page\""), "{html}");
    }

    #[test]
    fn a_single_language_needs_no_switcher() {
        assert_eq!(Templates::embedded().unwrap().switcher(&[link("en", "/", true)]).unwrap(), "");
    }

    #[test]
    fn sitemaps_name_every_version_r_c8() {
        let alternates =
            vec![("en".into(), "https://e.example/?a&b".into()), ("es".into(), "https://e.example/es/".into())];
        let xml = sitemap(&[SitemapPage { address: "https://e.example/?a&b".into(), alternates }]);
        assert!(xml.contains("<loc>https://e.example/?a&amp;b</loc>"), "{xml}");
        assert_eq!(xml.matches("xhtml:link").count(), 2, "{xml}");
    }
}
