//! Statements to crawlers in the head of a page.

use std::fmt::Write as _;

use crate::html::writing::write_attribute;
use crate::robots::RobotsStatement;

/// The page's own statements: names of crawlers in lower case, with their rules.
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
        let others = statements.iter().map(|one| {
            (
                one.crawler.as_deref().unwrap_or("robots"),
                one.rules.as_str(),
            )
        });
        for (name, rules) in everybody.into_iter().chain(others) {
            if !self.says(name, rules) {
                let name = write_attribute(name, Some(b'"'));
                let rules = write_attribute(rules, Some(b'"'));
                let _ = write!(added, "<meta name=\"{name}\" content=\"{rules}\" />");
            }
        }
    }

    fn says(&self, name: &str, rules: &str) -> bool {
        let mut own = Vec::new();
        for (crawler, rules) in &self.0 {
            if crawler.eq_ignore_ascii_case(name) {
                own.extend(rules.split(',').map(str::trim));
            }
        }
        rules
            .split(',')
            .all(|rule| own.iter().any(|own| own.eq_ignore_ascii_case(rule.trim())))
    }
}
