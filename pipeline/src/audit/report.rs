//! Findings as text for people, as JSON, and as SARIF 2.1.0 for code hosts and editors.

use crate::counted::counted;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use super::{Audit, AuditRule, Description, RULES, RuleFinding};

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportFormat {
    /// Lines for people, by page.
    #[default]
    Text,
    /// One JSON object.
    Json,
    /// A log by SARIF 2.1.0.
    Sarif,
}

/// That there is no such format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}`; there are text, json and sarif")]
pub struct FormatError(String);

impl FromStr for ReportFormat {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            "sarif" => Ok(Self::Sarif),
            other => Err(FormatError(other.to_owned())),
        }
    }
}

/// What cannot stand in the path of a relative reference.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

impl Audit {
    /// Writes what was found.
    pub fn write(&self, format: ReportFormat) -> String {
        match format {
            ReportFormat::Text => self.text(),
            ReportFormat::Json => format!("{}\n", self.json()),
            ReportFormat::Sarif => format!("{:#}\n", self.sarif()),
        }
    }

    /// How often each rule found something, in the order of the rules.
    pub fn counts(&self) -> BTreeMap<AuditRule, usize> {
        let mut counts = BTreeMap::new();
        self.findings
            .iter()
            .for_each(|finding| *counts.entry(finding.rule).or_default() += 1);
        counts
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let mut page = None;
        for finding in &self.findings {
            if page != Some(&finding.page) {
                let gap = if page.is_some() { "\n" } else { "" };
                let _ = writeln!(text, "{gap}{}", finding.page);
                page = Some(&finding.page);
            }
            let rule = finding.rule.description();
            let line = finding
                .line
                .map(|line| format!("{line}: "))
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "  {line}{} {}: {}",
                rule.severity.as_str(),
                rule.id,
                finding.message
            );
        }
        if page.is_some() {
            text.push('\n');
        }
        for (rule, count) in self.counts() {
            let rule = rule.description();
            let _ = writeln!(
                text,
                "{count} × {} ({})\n    {} {}",
                rule.id,
                rule.severity.as_str(),
                rule.why,
                rule.advice
            );
            let _ = writeln!(text, "    docs/audit.md#{}", rule.id);
        }
        let count = match self.findings.len() {
            0 => String::from("no findings"),
            count => counted(count, "finding"),
        };
        let more = if self.truncated {
            "; there are more pages than --max-pages"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "{count} in {} and {}{more}",
            counted(self.pages, "page"),
            counted(self.sitemaps, "sitemap")
        );
        text
    }

    fn json(&self) -> Value {
        let finding = |finding: &RuleFinding| {
            let rule = finding.rule.description();
            let mut value = json!({
                "rule": rule.id,
                "severity": rule.severity.as_str(),
                "page": finding.page,
                "message": finding.message,
                "why": rule.why,
                "advice": rule.advice,
                "documentation": format!("docs/audit.md#{}", rule.id),
            });
            if let Some(line) = finding.line {
                value["line"] = line.into();
            }
            value
        };
        let counts = self
            .counts()
            .into_iter()
            .map(|(rule, count)| (rule.description().id.to_owned(), count.into()));
        json!({
            "findings": self.findings.iter().map(finding).collect::<Vec<_>>(),
            "counts": Value::Object(counts.collect()),
            "pages": self.pages,
            "sitemaps": self.sitemaps,
            "source_locale": self.source.as_ref().map(ToString::to_string),
            "truncated": self.truncated,
        })
    }

    fn sarif(&self) -> Value {
        let rule = |rule: &Description| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.why },
                "help": { "text": format!("{} {} See docs/audit.md#{}.", rule.why, rule.advice, rule.id) },
                "defaultConfiguration": { "level": rule.severity.as_str() },
            })
        };
        let result = |finding: &RuleFinding| {
            let rule = finding.rule.description();
            let mut location = json!({ "artifactLocation": { "uri": reference(&finding.page) } });
            if let Some(line) = finding.line {
                location["region"] = json!({ "startLine": line });
            }
            json!({
                "ruleId": rule.id,
                "ruleIndex": finding.rule as usize,
                "level": rule.severity.as_str(),
                "message": { "text": format!("{} {}", sentence(&finding.message), rule.advice) },
                "locations": [{ "physicalLocation": location }],
            })
        };
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Latimer",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
                } },
                "results": self.findings.iter().map(result).collect::<Vec<_>>(),
            }],
        })
    }
}

/// A page as a URI reference: an address as it is, a file as a relative path.
fn reference(page: &str) -> String {
    match page.starts_with("http://") || page.starts_with("https://") {
        true => page.to_owned(),
        false => utf8_percent_encode(page, PATH).to_string(),
    }
}

/// A message as a sentence of its own.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_grouped_by_page() {
        let finding = |page: &str, line, rule, message: &str| RuleFinding {
            page: page.into(),
            line,
            rule,
            message: message.into(),
        };
        let audit = Audit {
            findings: vec![
                finding(
                    "a b.html",
                    Some(3),
                    AuditRule::LangInvalid,
                    "\"xx\" is no language",
                ),
                finding("a b.html", None, AuditRule::LinkBroken, "leads nowhere"),
                finding(
                    "https://h.example/",
                    None,
                    AuditRule::LinkBroken,
                    "leads nowhere",
                ),
            ],
            pages: 2,
            sitemaps: 1,
            source: None,
            truncated: false,
        };
        let text = audit.write(ReportFormat::Text);
        assert!(text.starts_with("a b.html\n  3: error lang-invalid: \"xx\" is no language\n  error link-broken: leads nowhere\n\nhttps://h.example/\n"), "{text}");
        assert!(
            text.contains("\n2 × link-broken (error)\n")
                && text.contains("    docs/audit.md#link-broken\n"),
            "{text}"
        );
        assert!(
            text.ends_with("3 findings in 2 pages and 1 sitemap\n"),
            "{text}"
        );
        let json: Value = serde_json::from_str(&audit.write(ReportFormat::Json)).unwrap();
        assert_eq!(
            (&json["counts"]["link-broken"], &json["findings"][0]["line"]),
            (&json!(2), &json!(3))
        );
        let sarif: Value = serde_json::from_str(&audit.write(ReportFormat::Sarif)).unwrap();
        let places = sarif
            .pointer("/runs/0/results/0/locations/0/physicalLocation")
            .unwrap();
        assert_eq!(
            places,
            &json!({"artifactLocation": {"uri": "a%20b.html"}, "region": {"startLine": 3}})
        );
    }
}
