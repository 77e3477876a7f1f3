//! Links and texts of a page. They are most of what a site says, so they stay packed from when a page is read until the rules go over
//! it. Pure.

use serde::{Deserialize, Serialize};

use crate::model::Locale;
use crate::page::{LinkFact, PageFacts, StatedText};
use crate::text::is_long_enough;

/// Compression level: the fastest one.
const LEVEL: i32 = 1;
/// The fewest letters of a page that can be told from another one.
const LETTERS: usize = 100;
/// The fewest letters of a text that counts for that; shorter ones are those of menus and switchers.
const LONG: usize = 20;

/// Fingerprint of the texts of a page.
pub(super) type TextsKey = [u8; 32];

/// A link whose target is checked.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CheckedLink {
    /// The address as written.
    pub(super) address: String,
    /// The element's name.
    pub(super) element: String,
    /// The value of `hreflang`.
    pub(super) hreflang: Option<String>,
    /// The value of `lang`.
    pub(super) lang: Option<String>,
    /// The language that it names as an entry of a language menu.
    pub(super) language: Option<Locale>,
    /// The words of an `<a>`.
    pub(super) text: String,
    pub(super) line: usize,
}

/// Links and texts that rules look at.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct PageDetails {
    pub(super) links: Vec<CheckedLink>,
    /// Texts whose language can be told, with their lines.
    pub(super) texts: Vec<(String, usize)>,
}

/// Compressed details.
#[derive(Debug, Default)]
pub(super) struct Packed(Vec<u8>);

/// Facts of a page as the audit keeps them.
#[derive(Debug)]
pub(super) struct CachedPageFacts {
    /// Facts without links and texts.
    pub(super) facts: PageFacts,
    pub(super) details: Packed,
    /// Address of a `<meta http-equiv=refresh>`.
    pub(super) refresh: Option<String>,
    /// Fingerprint of the texts.
    pub(super) texts: Option<TextsKey>,
}

impl CachedPageFacts {
    /// Packs links and texts; `is_checked` selects the links.
    pub(super) fn of(mut facts: PageFacts, is_checked: impl Fn(&LinkFact) -> bool) -> Self {
        let refresh = facts
            .links
            .iter()
            .find(|link| link.element == "meta" && link.attribute == "content");
        let refresh = refresh.map(|link| link.address.clone());
        let texts = key_of(&facts.texts);
        let links = std::mem::take(&mut facts.links)
            .into_iter()
            .filter(is_checked)
            .map(CheckedLink::from)
            .collect();
        let long = std::mem::take(&mut facts.texts)
            .into_iter()
            .filter(|said| is_long_enough(&said.text));
        let texts_kept = long.map(|StatedText { text, line }| (text, line)).collect();
        let details = PageDetails {
            links,
            texts: texts_kept,
        }
        .pack();
        Self {
            facts,
            details,
            refresh,
            texts,
        }
    }
}

impl PageDetails {
    fn pack(&self) -> Packed {
        let packed = serde_json::to_vec(self)
            .ok()
            .and_then(|json| zstd::encode_all(json.as_slice(), LEVEL).ok());
        Packed(packed.unwrap_or_default())
    }
}

impl Packed {
    /// The details.
    pub(super) fn open(&self) -> PageDetails {
        let json = zstd::decode_all(self.0.as_slice()).ok();
        json.and_then(|json| serde_json::from_slice(&json).ok())
            .unwrap_or_default()
    }
}

impl From<LinkFact> for CheckedLink {
    fn from(fact: LinkFact) -> Self {
        let LinkFact {
            address,
            element,
            attribute: _,
            rel: _,
            hreflang,
            lang,
            language,
            text,
            line,
        } = fact;
        Self {
            address,
            element,
            hreflang,
            lang,
            language,
            text,
            line,
        }
    }
}

/// Fingerprint of the texts of a page; `None` if there is too little text to compare.
fn key_of(texts: &[StatedText]) -> Option<TextsKey> {
    let mut hasher = blake3::Hasher::new();
    let mut all = 0;
    for text in texts {
        // Further letters make no difference.
        let most = if all < LETTERS { LETTERS } else { LONG };
        let letters = text
            .text
            .chars()
            .filter(|letter| letter.is_alphabetic())
            .take(most)
            .count();
        if letters >= LONG {
            all += letters;
            hasher.update(text.text.trim().as_bytes()).update(b"\0");
        }
    }
    (all >= LETTERS).then(|| *hasher.finalize().as_bytes())
}
