//! The settings of the site that benchmarks make.

/// One language, and as many pages as somebody wants.
pub(crate) const CONFIG: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["en-XA"]
engine = "pseudo"
url = "https://www.example.com/{lang}"
crawl = { max_pages = 1000000 }
"#;
