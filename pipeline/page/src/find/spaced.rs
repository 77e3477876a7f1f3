//! Classes for which a page's own style sheets keep white space (R-W5).

use std::collections::BTreeSet;

use crate::html::bytes::find_byte;
use crate::html::classes::{Meaning, of_white_space};

/// The most classes that are remembered of a page's own style sheets.
const MOST_CLASSES: usize = 256;

/// Longest distance from a selector to its declaration, in bytes.
const FAR: usize = 4096;

/// The classes for which a page's own style sheets say that white space counts.
#[derive(Default)]
pub(crate) struct SpacedClasses(BTreeSet<Vec<u8>>);

impl SpacedClasses {
    /// Reads a style sheet of the page. Only selectors that are one class, with or without an element's name, count.
    pub(crate) fn read(&mut self, sheet: &[u8]) {
        const NAME: &[u8] = b"white-space";
        let mut at = 0;
        while let Some(next) = sheet.get(at..).and_then(|rest| find_byte(rest, b'w')) {
            at += next + 1;
            let Some(value) = sheet.get(at - 1..).and_then(|rest| rest.strip_prefix(NAME)) else {
                continue;
            };
            let value = value
                .strip_prefix(b"-collapse")
                .unwrap_or(value)
                .trim_ascii_start();
            let Some(value) = value.strip_prefix(b":") else {
                continue;
            };
            let value =
                String::from_utf8_lossy(value.get(..value.len().min(32)).unwrap_or_default());
            if of_white_space(&value) == Some(Meaning::Preserve(true)) {
                self.take_selectors(sheet.get(..at).unwrap_or_default());
            }
        }
    }

    /// Takes the classes of the rule in which a place stands; `before` is the style sheet up to there.
    fn take_selectors(&mut self, before: &[u8]) {
        // Rules are short.
        let before = &before[before.len().saturating_sub(FAR)..];
        let Some(open) = before.iter().rposition(|byte| *byte == b'{') else {
            return;
        };
        let start = before[..open]
            .iter()
            .rposition(|byte| b"{};/".contains(byte))
            .map_or(0, |at| at + 1);
        for selector in before[start..open].split(|byte| *byte == b',') {
            let selector = selector.trim_ascii();
            let Some(dot) = selector.iter().position(|byte| *byte == b'.') else {
                continue;
            };
            let class = &selector[dot + 1..];
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            let is_simple =
                selector[..dot].iter().all(u8::is_ascii_alphanumeric) && class.iter().all(is_name);
            if is_simple && !class.is_empty() && self.0.len() < MOST_CLASSES {
                self.0.insert(class.to_vec());
            }
        }
    }

    /// Recognizes a class that keeps white space.
    pub(crate) fn has(&self, class: &[u8]) -> bool {
        !self.0.is_empty() && self.0.contains(class)
    }
}
