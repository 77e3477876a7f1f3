//! CSS selectors that are matched while a page is read.

/// A CSS selector that is matched while a page is read.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    pub(super) compiled: lol_html::Selector,
    /// As it is written.
    pub(crate) text: String,
}

impl Selector {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        text.parse()
            .map(|compiled| Self {
                compiled,
                text: text.to_owned(),
            })
            .map_err(|error: lol_html::errors::SelectorError| {
                error.to_string().trim_end_matches('.').to_owned()
            })
    }
}
