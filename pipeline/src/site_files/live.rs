//! The live script, and the files of words that it reads. Pure.
//!
//! Every name changes with what the file says, so that each may be kept for ever.

use std::sync::LazyLock;

use base64::Engine as _;
use serde::Serialize;
use sha2::{Digest, Sha384};

use super::json::script_json;
use crate::page::{live_attributes, live_kept};

const SOURCE: &str = include_str!("../../../templates/live.js");
const REPORT: &str = include_str!("../../../templates/report.js");

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
        Self { name: format!("_latimer/{kind}.{}.js", &hash[..10]), text, integrity }
    }

    /// Words that are more than a page should carry, under the name by which the live script knows them.
    pub fn of_words(kind: &str, variable: &str, words: &impl Serialize) -> Self {
        Self::new(kind, format!("{variable}={}", script_json(words)))
    }

    /// The element that loads it from an address.
    pub fn element(&self, address: &str) -> String {
        format!("<script src=\"{address}\" integrity=\"sha384-{}\"></script>", self.integrity)
    }
}

/// The live script.
pub fn live_script() -> &'static OwnScript {
    static SCRIPT: LazyLock<OwnScript> = LazyLock::new(|| {
        let attributes = serde_json::to_string(&live_attributes()).unwrap_or_default();
        let text = SOURCE.replace("\"ATTRIBUTES\"", &attributes).replace("KEPT", &live_kept());
        OwnScript::new("live", squeezed(&text))
    });
    &SCRIPT
}

/// The script that tells a server which texts the live script could not translate. It goes before that one.
pub fn report_script() -> &'static OwnScript {
    static SCRIPT: LazyLock<OwnScript> = LazyLock::new(|| OwnScript::new("report", squeezed(REPORT)));
    &SCRIPT
}

/// What a page tells the live script, as a block of data.
pub fn live_block(data: &impl Serialize) -> String {
    format!("<script type=\"application/json\" id=\"latimer-live\">{}</script>", script_json(data))
}

/// A program without its comments and indentation.
fn squeezed(program: &str) -> String {
    let lines = program.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}
