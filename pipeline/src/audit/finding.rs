//! What an audit finds.

use super::graph::LinePosition;
use super::rule::AuditRule;

/// Something that is wrong with a page or sitemap.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleFinding {
    /// The file, by its name in the folder, or the address.
    pub page: String,
    /// The line, where it is known.
    pub line: Option<usize>,
    /// The rule.
    pub rule: AuditRule,
    /// What is wrong.
    pub message: String,
}

/// Findings as they come in.
#[derive(Debug, Default)]
pub(super) struct AuditFindings(Vec<RuleFinding>);

impl AuditFindings {
    pub(super) fn add(&mut self, rule: AuditRule, place: &LinePosition, message: String) {
        let line = place.line.filter(|line| *line > 0);
        self.0.push(RuleFinding {
            page: place.name.clone(),
            line,
            rule,
            message,
        });
    }

    /// What was found, in order and once each, without the rules that are switched off.
    pub(super) fn finish(mut self, allowed: &[AuditRule]) -> Vec<RuleFinding> {
        self.0.retain(|finding| !allowed.contains(&finding.rule));
        self.0.sort();
        self.0.dedup();
        self.0
    }
}
