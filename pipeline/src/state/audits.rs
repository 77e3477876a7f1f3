//! What the last audit of each site found, and since when: one row a site, of a bounded size.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::backend::ReadableTable;
use super::rows::{json, parsed};
use super::tables::AUDITS;
use super::{State, StateError};
use crate::model::{DeploymentId, Moment, RunId, SiteId};

/// Findings that are kept as they were written; the others are counted.
const KEPT: usize = 1000;
/// Findings of which it is known since when they are there.
const KNOWN: usize = 20_000;

/// What an audit of a site found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRecord {
    /// The run that audited.
    pub run: RunId,
    /// When.
    pub at: Moment,
    /// The deployment that was audited.
    pub deployment: DeploymentId,
    /// Pages that were read.
    pub pages: u64,
    /// How often each rule found something, by its name.
    pub rules: BTreeMap<String, RuleCount>,
    /// The first findings, in the order of pages and lines.
    pub findings: Vec<AuditFinding>,
    /// When the audit before was; nothing is new in the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Moment>,
    /// Since when findings are there, by what tells them apart.
    #[serde(default)]
    since: HashMap<u64, Moment>,
}

/// How often a rule found something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleCount {
    /// In all.
    pub found: u64,
    /// What the audit before did not find.
    pub new: u64,
}

/// Something that an audit found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFinding {
    /// The rule's name.
    pub rule: String,
    /// The file or address.
    pub page: String,
    /// The line, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// When an audit found it first.
    #[serde(default)]
    pub since: Moment,
    /// Whether the audit before did not find it.
    #[serde(default)]
    pub new: bool,
}

impl AuditFinding {
    /// What tells it from others; the line is not part of it, because lines move.
    fn mark(&self) -> u64 {
        let hash =
            blake3::hash(format!("{}\0{}\0{}", self.rule, self.page, self.message).as_bytes());
        hash.as_bytes()
            .iter()
            .take(8)
            .fold(0, |mark, byte| (mark << 8) | u64::from(*byte))
    }
}

impl AuditRecord {
    /// The record of an audit that found this.
    pub fn new(
        run: RunId,
        at: Moment,
        deployment: DeploymentId,
        pages: u64,
        findings: Vec<AuditFinding>,
    ) -> Self {
        Self {
            run,
            at,
            deployment,
            pages,
            rules: BTreeMap::new(),
            findings,
            before: None,
            since: HashMap::new(),
        }
    }

    /// How many findings there are, and how many of them are new.
    pub fn total(&self) -> RuleCount {
        let add = |sum: RuleCount, more: &RuleCount| RuleCount {
            found: sum.found + more.found,
            new: sum.new + more.new,
        };
        self.rules.values().fold(RuleCount::default(), add)
    }

    /// Tells what is new from what the audit before found, and cuts off what is too much to keep.
    fn after(mut self, before: Option<&Self>) -> Self {
        // A run that was cut off and begun again is one audit, which must not find its own findings known.
        (self.at, self.before) = match before {
            Some(before) if before.run == self.run => (before.at, before.before),
            Some(before) => (
                self.at.max(before.at + Duration::from_millis(1)),
                Some(before.at),
            ),
            None => (self.at, None),
        };
        for finding in &mut self.findings {
            let mark = finding.mark();
            let known = before.and_then(|before| before.since.get(&mark).copied());
            finding.since = known.unwrap_or(self.at);
            let is_kept = self.since.len() < KNOWN || self.since.contains_key(&mark);
            finding.new = is_kept && self.before.is_some() && finding.since == self.at;
            let count = self.rules.entry(finding.rule.clone()).or_default();
            count.found += 1;
            count.new += u64::from(finding.new);
            if is_kept {
                self.since.insert(mark, finding.since);
            }
        }
        self.findings.truncate(KEPT);
        self
    }
}

impl State {
    /// Keeps what an audit of a site found instead of what the one before did; gives it with what is new.
    pub fn keep_audit(&self, site: &SiteId, audit: AuditRecord) -> Result<AuditRecord, StateError> {
        self.write("keep an audit in", |transaction| {
            let mut table = transaction.open_table(AUDITS)?;
            let before = table.get(site.as_str())?;
            let before = before
                .map(|row| parsed::<AuditRecord>(row.value(), || format!("audit of {site}")))
                .transpose()?;
            let audit = audit.clone().after(before.as_ref());
            table.insert(site.as_str(), json(&audit)?.as_slice())?;
            Ok(audit)
        })
    }

    /// What the last audit of a site found; `None` where there was none.
    pub fn audit(&self, site: &SiteId) -> Result<Option<AuditRecord>, StateError> {
        self.read("read an audit from", |transaction| {
            let table = transaction.open_table(AUDITS)?;
            let row = table.get(site.as_str())?;
            row.map(|row| parsed(row.value(), || format!("audit of {site}")))
                .transpose()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Moment = Moment::of_millis(1);

    fn finding(rule: &str, page: &str, line: u64) -> AuditFinding {
        let rule = rule.to_owned();
        let page = page.to_owned();
        let message = "it is so".to_owned();
        AuditFinding {
            rule,
            page,
            line: Some(line),
            message,
            since: Moment::default(),
            new: false,
        }
    }

    fn keep(
        state: &State,
        run: RunId,
        at: u64,
        findings: &[(&str, &str, u64)],
    ) -> Vec<(String, u64, bool)> {
        let findings = findings
            .iter()
            .map(|(rule, page, line)| finding(rule, page, *line))
            .collect();
        let deployment = DeploymentId::new(AT, &[0; 32]);
        let site = SiteId::parse("bakery").unwrap();
        let kept = state
            .keep_audit(
                &site,
                AuditRecord::new(run, Moment::of_millis(at), deployment, 1, findings),
            )
            .unwrap();
        assert_eq!(state.audit(&site).unwrap().as_ref(), Some(&kept));
        kept.findings
            .into_iter()
            .map(|finding| (finding.page, finding.since.millis(), finding.new))
            .collect()
    }

    #[test]
    fn new_is_what_the_audit_before_did_not_find() {
        let state = State::in_memory().unwrap();
        let one = RunId::new();
        let two = RunId::new();
        let three = RunId::new();
        let row = |page: &str, since, new| (page.to_owned(), since, new);
        assert_eq!(
            keep(&state, one, 10, &[("x", "a", 1)]),
            [row("a", 10, false)],
            "the first knows nothing new"
        );
        // Lines move; what is mended and comes back is new again.
        let both = [("x", "a", 7), ("x", "b", 1)];
        assert_eq!(
            keep(&state, two, 20, &both),
            [row("a", 10, false), row("b", 20, true)]
        );
        assert_eq!(
            keep(&state, two, 30, &both),
            [row("a", 10, false), row("b", 20, true)],
            "the same run, begun again"
        );
        assert_eq!(
            keep(&state, three, 40, &[("x", "b", 1)]),
            [row("b", 20, false)]
        );
        assert_eq!(
            keep(&state, RunId::new(), 40, &both),
            [row("a", 41, true), row("b", 20, false)]
        );
    }

    #[test]
    fn a_row_stays_small_whatever_is_wrong() {
        let state = State::in_memory().unwrap();
        let site = SiteId::parse("bakery").unwrap();
        let many = |from: u64| {
            (from..from + 30_000)
                .map(|page| finding("x", &page.to_string(), 1))
                .collect()
        };
        for from in [0, 10_000] {
            let audit = AuditRecord::new(
                RunId::new(),
                Moment::of_millis(from),
                DeploymentId::new(AT, &[0; 32]),
                1,
                many(from),
            );
            let kept = state.keep_audit(&site, audit).unwrap();
            assert_eq!((kept.findings.len(), kept.since.len()), (KEPT, KNOWN));
            assert_eq!(kept.total().found, 30_000);
        }
    }
}
