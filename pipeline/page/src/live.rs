//! What the live script has to know of a rendered page: which text of the source stands behind each text that was
//! replaced.
//!
//! A framework that takes a page over compares its nodes with those of its own state, letter by letter, so both texts are
//! given as a browser reads them, with the white space around them.

use std::collections::{BTreeMap, HashSet};

use crate::find::attributes;
use crate::find::part::{BlockPart, PartKind};
use crate::find::unit::TextUnit;
use crate::html::element;
use crate::html::known::MARKER;
use crate::html::space::is_space;
use crate::html::tokens::TextKind;

/// The text of a node or attribute in the source, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LivePair {
    /// What the source has there.
    pub source: String,
    /// What the rendered page has there.
    pub target: String,
    /// Whether it is the value of an attribute, and not a node.
    pub is_attribute: bool,
}

/// The attributes that hold text, each with a CSS selector of the elements on which it does: what the script goes by, from
/// the tables by which pages are read.
pub fn live_attributes() -> BTreeMap<&'static str, String> {
    let mut selectors: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (element, name) in attributes::ON_ELEMENT
        .iter()
        .filter(|(_, name)| *name != "download")
    {
        selectors.entry(name).or_default().push(element);
    }
    let on_elements = selectors
        .into_iter()
        .map(|(name, elements)| (name, elements.join(",")));
    let everywhere = attributes::EVERYWHERE
        .iter()
        .map(|name| (*name, ":not(link,style)".to_owned()));
    let indifferent = attributes::INDIFFERENT_FORMS
        .map(|ending| format!("[action*='{ending}']"))
        .join(",");
    let buttons = format!(
        "[type=button],[type=reset],[type=submit]:not([name]),form:is({indifferent}) [type=submit]"
    );
    on_elements
        .chain(everywhere)
        .chain([("value", buttons)])
        .collect()
}

/// A CSS selector of what starts later than the page: islands of Astro that wait until they are seen.
pub const LIVE_ISLANDS: &str = "astro-island[ssr]";

/// A CSS selector of the elements whose text stays as it is.
pub fn live_kept() -> String {
    let names: Vec<&str> = element::kept()
        .chain(["math", "noscript", "script", "style"])
        .collect();
    format!(
        "[translate=no],.notranslate,[{}],[contenteditable]:not([contenteditable=false]),{}",
        MARKER,
        names.join(",")
    )
}

/// Makes what goes into the head for the live script, from the pairs of the page in document order.
pub type LiveHeadWriter<'a> = dyn Fn(&[LivePair]) -> String + 'a;

/// Collects the pairs of a page while it is rendered, in any order.
#[derive(Debug, Default)]
pub(crate) struct LivePairs {
    /// Each with the byte of the source at which it stands.
    list: Vec<(usize, LivePair)>,
}

impl LivePairs {
    /// Takes note of a node whose words, from `words` on, became `text`.
    pub(crate) fn node(
        &mut self,
        source: &[u8],
        part: &BlockPart,
        words: &std::ops::Range<usize>,
        text: &str,
    ) {
        let kind = kind(part);
        let span = part.span.range();
        let around = |range: std::ops::Range<usize>| read(&source[range], kind);
        let target = around(span.start..words.start) + text + &around(words.end..span.end);
        let pair = LivePair {
            source: read(&source[span.clone()], kind),
            target,
            is_attribute: false,
        };
        self.list.push((span.start, pair));
    }

    /// Takes note of an attribute's value.
    pub(crate) fn attribute(&mut self, at: usize, source: String, target: &str) {
        self.list.push((
            at,
            LivePair {
                source,
                target: target.to_owned(),
                is_attribute: true,
            },
        ));
    }

    /// The pairs in document order. A node that stays as it is comes along where it reads as the translation of another.
    pub(crate) fn finish(
        mut self,
        source: &[u8],
        units: &[TextUnit],
        parts: &[BlockPart],
    ) -> Vec<LivePair> {
        let nodes = || self.list.iter().filter(|(_, pair)| !pair.is_attribute);
        let targets: HashSet<&str> = nodes()
            .map(|(_, pair)| pair.target.trim_matches(is_space))
            .collect();
        let changed: HashSet<usize> = nodes().map(|(at, _)| *at).collect();
        let mut same = Vec::new();
        let texts = units
            .iter()
            .flat_map(|unit| unit.parts(parts))
            .filter(|part| part.is_text());
        for part in texts.filter(|part| !changed.contains(&part.span.start())) {
            let text = read(&source[part.span.range()], kind(part));
            if targets.contains(text.trim_matches(is_space)) {
                same.push((
                    part.span.start(),
                    LivePair {
                        source: text.clone(),
                        target: text,
                        is_attribute: false,
                    },
                ));
            }
        }
        self.list.append(&mut same);
        self.list.sort_by_key(|(at, _)| *at);
        self.list.into_iter().map(|(_, pair)| pair).collect()
    }
}

fn kind(part: &BlockPart) -> TextKind {
    match part.kind {
        PartKind::Text { kind, .. } => kind,
        PartKind::Code(_) | PartKind::End => TextKind::Raw,
    }
}

/// The text of a node as a browser's document has it.
fn read(raw: &[u8], kind: TextKind) -> String {
    let raw = String::from_utf8_lossy(raw)
        .replace("\r\n", "\n")
        .replace('\r', "\n");
    match kind {
        TextKind::Data | TextKind::Escapable => htmlize::unescape(raw).into_owned(),
        TextKind::Raw | TextKind::Cdata => raw,
    }
}
