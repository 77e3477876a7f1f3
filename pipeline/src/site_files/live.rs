//! The live script, and the files of words that it reads. Pure.
//!
//! Every name changes with what the file says, so that each may be kept for ever.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use base64::Engine as _;
use serde::Serialize;
use sha2::{Digest, Sha384};

use super::json::script_json;
use super::patterns::Pattern;
use crate::model::Locale;
use crate::page::live_kept;

const LIVE: &str = include_str!("../../../templates/minified/live.js");
const ADDRESSES: &str = include_str!("../../../templates/minified/addresses.js");
const PATTERNS: &str = include_str!("../../../templates/minified/patterns.js");
const REPORT: &str = include_str!("../../../templates/minified/report.js");

/// Where our scripts lie among the files of the site.
const FOLDER: &str = "_latimer/";

/// A script of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnScript {
    /// Its name among the files of the site.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Its hash, by which browsers check it (Subresource Integrity).
    integrity: String,
}

impl OwnScript {
    fn new(kind: &str, text: String) -> Self {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        let integrity = base64::prelude::BASE64_STANDARD.encode(Sha384::digest(text.as_bytes()));
        Self {
            name: format!("{FOLDER}{kind}.{}.js", &hash[..16]),
            text,
            integrity,
        }
    }

    /// Words that are more than a page should carry.
    pub fn of_page(words: &impl Serialize) -> Self {
        Self::new("page", format!("latimerPage={}", script_json(words)))
    }

    /// What all pages of a locale share, with the program for texts that scripts put together, where there are some.
    pub fn of_locale(locale: &Locale, shared: &SharedWords<'_>) -> Self {
        let program = if shared.patterns.is_empty() {
            String::new()
        } else {
            format!(";{PATTERNS}")
        };
        Self::new(
            &format!("words.{locale}"),
            format!("latimerWords={}{program}", script_json(shared)),
        )
    }

    /// The element that loads it from an address.
    pub fn element(&self, address: &str) -> String {
        format!(
            "<script src=\"{address}\" integrity=\"sha384-{}\"></script>",
            self.integrity
        )
    }
}

/// What all pages of a locale tell the live script.
#[derive(Debug, Serialize)]
pub struct SharedWords<'a> {
    /// The attributes that hold text, each with a selector of the elements on which it does.
    pub attributes: BTreeMap<&'a str, String>,
    /// A selector of what starts later than the page.
    pub islands: &'a str,
    /// Texts of the source with their translations.
    pub words: &'a BTreeMap<String, String>,
    /// Those of them that scripts put together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub patterns: Vec<Pattern>,
    /// Paths of the source with those of the locale, where they do not follow from the rest; without their endings.
    pub pages: BTreeMap<String, String>,
}

/// The live script.
pub fn live_script() -> &'static OwnScript {
    static SCRIPT: LazyLock<OwnScript> =
        LazyLock::new(|| OwnScript::new("live", LIVE.replace("KEPT", &live_kept())));
    &SCRIPT
}

/// The live script for pages that have addresses of their own, or links that it must change.
pub fn addressed_script() -> &'static OwnScript {
    static SCRIPT: LazyLock<OwnScript> =
        LazyLock::new(|| OwnScript::new("addressed", ADDRESSES.to_owned() + &live_script().text));
    &SCRIPT
}

/// The script that tells a server which texts the live script could not translate. It goes before that one.
pub fn report_script() -> &'static OwnScript {
    static SCRIPT: LazyLock<OwnScript> =
        LazyLock::new(|| OwnScript::new("report", REPORT.to_owned()));
    &SCRIPT
}

/// The names of our scripts that a published page loads, of whatever day and version they are.
pub fn scripts_named(html: &str) -> impl Iterator<Item = &str> {
    html.match_indices(FOLDER).filter_map(|(at, _)| {
        let rest = &html[at..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && !"_/.-".contains(c))
            .unwrap_or(rest.len());
        Some(&rest[..end]).filter(|name| name.ends_with(".js"))
    })
}

/// What brings other modules than those that are named, as an import map (HTML Living Standard, 8.1.6.2).
pub fn import_map(modules: &BTreeMap<String, String>) -> String {
    #[derive(Serialize)]
    struct ImportMap<'a> {
        imports: &'a BTreeMap<String, String>,
    }
    format!(
        "<script type=\"importmap\">{}</script>",
        script_json(&ImportMap { imports: modules })
    )
}

/// What a page tells the live script, as a block of data.
pub fn live_block(data: &impl Serialize) -> String {
    format!(
        "<script type=\"application/json\" id=\"latimer-live\">{}</script>",
        script_json(data)
    )
}
