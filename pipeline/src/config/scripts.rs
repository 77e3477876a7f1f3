//! `[site.scripts]`: pages whose words scripts put in, or render again.

use std::time::Duration;

use super::ConfigError;
use super::reader::{ConfigField, ConfigTable};

/// What is done for pages that scripts draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scripts {
    /// Which pages get the live script.
    pub live: Live,
    /// Whether routers see the address of the source page where the localized page has another.
    pub mask: bool,
    /// Most bytes of a page's words within the page; more lie in a file of their own.
    pub words: usize,
    /// How texts are found that stand in no HTML, where they are looked for.
    pub discovery: Option<Discovery>,
    /// Whether readers' browsers tell a server which texts no dictionary knows.
    pub report: bool,
}

/// How a browser finds the texts that scripts put into pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// The program.
    pub browser: String,
    /// Variables of the environment that it is given beside the usual ones.
    pub variables: Vec<String>,
    /// Most pages that one run draws.
    pub max_pages: usize,
    /// From a page's load to the last look at it, at most.
    pub wait: Duration,
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
        Self {
            live: Live::Auto,
            mask: true,
            words: 1 << 16,
            discovery: None,
            report: false,
        }
    }
}

/// Reads the table.
pub(super) fn read(table: Option<ConfigTable<'_>>) -> Result<Scripts, ConfigError> {
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let usual = Scripts::default();
    let lives = [
        ("auto", Live::Auto),
        ("all", Live::All),
        ("none", Live::Nowhere),
    ];
    Ok(Scripts {
        live: get("live")
            .map(|field| field.one_of(&lives))
            .transpose()?
            .unwrap_or(usual.live),
        mask: get("address")
            .map(|field| field.one_of(&[("auto", true), ("none", false)]))
            .transpose()?
            .unwrap_or(usual.mask),
        words: get("words")
            .map(|field| field.whole(0..=1 << 24))
            .transpose()?
            .unwrap_or(usual.words),
        discovery: discovery(get)?,
        report: get("report")
            .map(|field| field.flag())
            .transpose()?
            .unwrap_or(usual.report),
    })
}

/// Reads what concerns the browser; wrong values are wrong even where it is not asked for.
fn discovery<'t>(
    get: impl Fn(&'static str) -> Option<ConfigField<'t>>,
) -> Result<Option<Discovery>, ConfigError> {
    let is_on = get("discover")
        .map(|field| field.one_of(&[("chromium", true), ("none", false)]))
        .transpose()?;
    let browser = get("browser")
        .map(|field| field.text().map(str::to_owned))
        .transpose()?;
    let variables = get("env").map(|field| field.variables()).transpose()?;
    let pages = get("max_pages")
        .map(|field| field.whole(1..=1 << 20))
        .transpose()?;
    let wait = get("wait_ms")
        .map(|field| field.whole(0..=30_000))
        .transpose()?;
    Ok(is_on.unwrap_or(false).then(|| Discovery {
        browser: browser.unwrap_or_else(|| "chromium".to_owned()),
        variables: variables.unwrap_or_default(),
        max_pages: pages.unwrap_or(500),
        wait: Duration::from_millis(
            wait.and_then(|wait| u64::try_from(wait).ok())
                .unwrap_or(3_000),
        ),
    }))
}
