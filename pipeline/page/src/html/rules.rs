//! What decides about text beside HTML itself: the site's own rules, and ITS 2.0 in the page.
//!
//! Of ITS 2.0 (W3C Recommendation, 29 October 2013) the local markup counts: `its-within-text`,
//! `its-locale-filter-list` and `its-locale-filter-type`, beside HTML's own `translate`, `lang` and `dir`. Rules in
//! other files and queries are not read.

use std::sync::Arc;

use super::element::ElementFlow;
use super::known::{TEXT, known};
use super::limits::DEEPEST_FILTER;
use super::scan::selector::Selector;
use super::tokens::{Ruled, StartTag};
use crate::Locale;

/// A site's own rules for what is text (`[site.html]`).
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// What elements are, the first that fits counts.
    pub(crate) elements: Vec<(Selector, Ruled)>,
    /// Attributes that hold text, in lower case.
    pub(crate) attributes: Vec<Arc<str>>,
    /// Whether strings in a framework's state that are texts of the page change with them (R-I3).
    pub(crate) state: bool,
    /// The id of the element that waits for the language switcher.
    pub(crate) switcher: Option<Arc<str>>,
}

/// A rule that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// No CSS selector, or one that needs what comes later in the page.
    #[error("{rule:?} is no CSS selector that can be matched while a page is read: {reason}")]
    Selector {
        /// The rule as written.
        rule: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An attribute whose value means something to programs.
    #[error("the attribute {0:?} means something to browsers and is never text")]
    NeverText(String),
}

impl Rules {
    /// Adds elements that stay as they are, by CSS selector.
    ///
    /// # Errors
    /// A [`RuleError`] for what is no selector.
    pub fn skip(&mut self, selector: &str) -> Result<(), RuleError> {
        self.elements.push((
            parse(selector)?,
            Ruled::Skip(u32::try_from(self.elements.len()).unwrap_or(u32::MAX)),
        ));
        Ok(())
    }

    /// Adds what is text although HTML says otherwise: the name of an attribute, or a CSS selector of elements, which
    /// holds more than letters, digits, `-` and `_`.
    ///
    /// # Errors
    /// A [`RuleError`] for what is neither.
    pub fn also_translate(&mut self, rule: &str) -> Result<(), RuleError> {
        let rule = rule.trim();
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !rule.is_empty() && rule.bytes().all(in_name) {
            match known(rule.as_bytes()) {
                None => self.attributes.push(rule.to_ascii_lowercase().into()),
                Some(known) if known.roles & TEXT != 0 => {}
                Some(_) => return Err(RuleError::NeverText(rule.to_owned())),
            }
        } else {
            self.elements.push((parse(rule)?, Ruled::Translate));
        }
        Ok(())
    }

    /// A rule about elements, as it is written.
    pub(crate) fn element(&self, rule: u32) -> &str {
        self.elements
            .get(rule as usize)
            .map_or("", |(selector, _)| selector.text.as_str())
    }

    /// The selectors of elements that stay as they are.
    pub fn skipped(&self) -> impl Iterator<Item = &str> {
        let skipped = self
            .elements
            .iter()
            .filter(|(_, ruled)| matches!(ruled, Ruled::Skip(_)));
        skipped.map(|(selector, _)| selector.text.as_str())
    }

    /// The attributes that hold text although HTML does not say so.
    pub fn asked(&self) -> impl Iterator<Item = &str> {
        self.attributes.iter().map(|name| &**name)
    }

    /// Says that strings in a framework's state that are texts of the page change with them (R-I3).
    pub fn translate_state(&mut self) {
        self.state = true;
    }

    /// Whether strings in a framework's state change with the page.
    pub fn changes_state(&self) -> bool {
        self.state
    }

    /// Says which element of a page waits for the language switcher, by its id.
    pub fn put_switcher_into(&mut self, id: &str) {
        self.switcher = Some(id.into());
    }

    /// Id of the element that gets the language switcher, if the configuration names one.
    pub fn switcher_element(&self) -> Option<&str> {
        self.switcher.as_deref()
    }
}

fn parse(selector: &str) -> Result<Selector, RuleError> {
    Selector::parse(selector).map_err(|reason| RuleError::Selector {
        rule: selector.to_owned(),
        reason,
    })
}

/// Separator of packed filters. Attributes hold no NUL: a parser replaces it.
const BETWEEN_FILTERS: char = '\0';
const INCLUDES: char = '+';
const EXCLUDES: char = '-';

/// The locales that an element belongs to (ITS 2.0, section 8.9, "Locale Filter").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocaleFilter {
    ranges: Vec<String>,
    excludes: bool,
    /// The filter of an element around it.
    outer: Option<Arc<LocaleFilter>>,
    /// How many there are around it.
    depth: usize,
}

impl LocaleFilter {
    /// The filter that a tag declares.
    pub(crate) fn of(
        source: &[u8],
        tag: &StartTag<'_>,
        outer: Option<&Arc<Self>>,
    ) -> Option<Arc<Self>> {
        let list = tag.value(source, "its-locale-filter-list");
        let kind = tag.value(source, "its-locale-filter-type");
        if list.is_none() && kind.is_none() {
            return None;
        }
        let list = list.unwrap_or("*".into());
        let ranges = list
            .split(',')
            .map(str::trim)
            .filter(|range| !range.is_empty())
            .map(str::to_owned)
            .collect();
        let excludes = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("exclude"));
        let depth = outer.map_or(0, |outer| outer.depth + 1);
        Some(Arc::new(Self {
            ranges,
            excludes,
            outer: outer.cloned(),
            depth,
        }))
    }

    /// Whether there are more around it than anybody writes.
    pub(crate) fn is_too_deep(&self) -> bool {
        self.depth >= DEEPEST_FILTER
    }

    /// Whether the element is there for a locale.
    pub fn admits(&self, locale: &Locale) -> bool {
        let listed = self.ranges.iter().any(|range| locale.is_in_range(range));
        listed != self.excludes && self.outer.as_ref().is_none_or(|outer| outer.admits(locale))
    }

    /// The filter with those around it as one line of text, the innermost first.
    pub fn pack(&self) -> String {
        let mut packed = String::new();
        let mut next = Some(self);
        while let Some(filter) = next {
            if !packed.is_empty() {
                packed.push(BETWEEN_FILTERS);
            }
            packed.push(if filter.excludes { EXCLUDES } else { INCLUDES });
            packed.push_str(&filter.ranges.join(","));
            next = filter.outer.as_deref();
        }
        packed
    }

    /// Reads a filter that [`pack`](Self::pack) wrote; `None` if the text is none.
    pub fn unpack(packed: &str) -> Option<Arc<Self>> {
        let mut outer = None;
        for (depth, filter) in packed.rsplit(BETWEEN_FILTERS).enumerate() {
            let excludes = filter.starts_with(EXCLUDES);
            let list = filter.strip_prefix([INCLUDES, EXCLUDES])?;
            let ranges = list.split(',').filter(|range| !range.is_empty());
            outer = Some(Arc::new(Self {
                ranges: ranges.map(str::to_owned).collect(),
                excludes,
                outer,
                depth,
            }));
        }
        outer
    }
}

/// How a tag says that its element takes part in a line of text (ITS 2.0, section 8.5, "Elements Within Text").
pub(crate) fn within_text(source: &[u8], tag: &StartTag<'_>) -> Option<ElementFlow> {
    let value = tag.value(source, "its-within-text")?;
    match value.trim().to_ascii_lowercase().as_str() {
        "yes" => Some(ElementFlow::Inline),
        "no" => Some(ElementFlow::Block),
        "nested" => Some(ElementFlow::Nested),
        _ => None,
    }
}
