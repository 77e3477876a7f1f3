//! `[site.scripts]`: pages whose words scripts put in, or render again.

use super::ConfigError;
use super::reader::Table;

/// What is done for pages that scripts draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scripts {
    /// Which pages get the live script.
    pub live: Live,
    /// Whether routers see the address of the source page where the localized page has another.
    pub mask: bool,
    /// Most bytes of a page's words within the page; more lie in a file of their own.
    pub words: usize,
}

/// Which pages get the live script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Those that are hydrated or drawn by scripts.
    Auto,
    /// All.
    All,
    /// None.
    Nowhere,
}

impl Default for Scripts {
    fn default() -> Self {
        Self { live: Live::Auto, mask: true, words: 1 << 16 }
    }
}

/// Reads the table.
pub(super) fn read(table: Option<Table<'_>>) -> Result<Scripts, ConfigError> {
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let usual = Scripts::default();
    let lives = [("auto", Live::Auto), ("all", Live::All), ("none", Live::Nowhere)];
    Ok(Scripts {
        live: get("live").map(|field| field.one_of(&lives)).transpose()?.unwrap_or(usual.live),
        mask: get("address")
            .map(|field| field.one_of(&[("auto", true), ("none", false)]))
            .transpose()?
            .unwrap_or(usual.mask),
        words: get("words").map(|field| field.whole(0..=1 << 24)).transpose()?.unwrap_or(usual.words),
    })
}
