//! What a page says to crawlers in its head, and what is added to that.

use std::fmt::Write as _;

use crate::html::writing::write_attribute;
use crate::robots::RobotsStatement;

/// What the page says itself: names of crawlers in lower case, with their rules.
#[derive(Debug, Default)]
pub(super) struct OwnStatements(Vec<(String, String)>);

/// Recognizes the names for which nothing is said twice. Names of other crawlers are too many to know.
pub(super) fn is_noted(name: &str) -> bool {
    matches!(name, "robots" | "googlebot")
}

impl OwnStatements {
    pub(super) fn note(&mut self, name: String, rules: String) {
        self.0.push((name, rules));
    }

    /// Writes the statements that the page does not make itself.
    pub(super) fn add(&self, noindex: bool, statements: &[RobotsStatement], added: &mut String) {
        let everybody = noindex.then_some(("robots", "noindex"));
        let others = statements.iter().map(|one| (one.crawler.as_deref().unwrap_or("robots"), one.rules.as_str()));
        for (name, rules) in everybody.into_iter().chain(others) {
            if !self.says(name, rules) {
                let attribute = |value: &str| write_attribute(value, Some(b'"'));
                let _ = write!(added, "<meta name=\"{}\" content=\"{}\" />", attribute(name), attribute(rules));
            }
        }
    }

    fn says(&self, name: &str, rules: &str) -> bool {
        let to_it = || self.0.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let has =
            |rule: &str| to_it().flat_map(|(_, own)| own.split(',')).any(|own| own.trim().eq_ignore_ascii_case(rule));
        rules.split(',').all(|rule| has(rule.trim()))
    }
}
