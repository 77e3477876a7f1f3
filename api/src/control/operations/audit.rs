//! `sites.audit.*`: what is wrong with the newest deployment, looked for by a run and kept until the next.

use std::sync::LazyLock;

use pipeline::audit::{Description, RULES};
use pipeline::state::{AuditFinding, AuditRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::{List, Page};
use super::{Call, Reply, Schemas};
use crate::control::form::{RequestSchema, schema_of_answer};
use crate::http::error::ApiError;
use crate::http::time::Time;

/// Which findings are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Query {
    /// How many findings.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<u32>,
    /// How many findings are passed over.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1000000))]
    offset: Option<u32>,
    /// Only those of this rule.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    rule: Option<String>,
    /// Only those that the audit before did not find.
    #[serde(default)]
    #[schemars(extend("enum" = ["true", "false"]))]
    new: Option<String>,
}

/// What the last audit found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "SiteAudit")]
struct Answer {
    run_id: String,
    audited_at: Time,
    /// When the audit before was.
    #[serde(skip_serializing_if = "Option::is_none")]
    previous_at: Option<Time>,
    deployment_id: String,
    /// Pages that were read.
    pages: u64,
    /// How many findings there are.
    found: u64,
    /// How many of them the audit before did not find.
    new: u64,
    /// The rules that found something, those that matter most first.
    rules: Vec<Rule>,
    /// The findings that are wanted, of at most 1000 that are kept.
    findings: List<Finding>,
}

/// A rule that found something.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AuditRule")]
struct Rule {
    rule: String,
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'static str,
    /// What it asks for and why.
    why: &'static str,
    /// What to do.
    advice: &'static str,
    found: u64,
    new: u64,
}

/// Something that is wrong with a page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "AuditFinding")]
struct Finding {
    rule: String,
    #[schemars(extend("enum" = ["error", "warning", "note"]))]
    severity: &'static str,
    /// The file, by its name in the published tree.
    page: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    message: String,
    /// When an audit found it first.
    since: Time,
    /// Whether the audit before did not find it.
    new: bool,
}

static QUERY: LazyLock<RequestSchema<Query>> = LazyLock::new(RequestSchema::new);

pub(super) fn schemas() -> Schemas {
    Schemas {
        query: Some(QUERY.schema().clone()),
        body: None,
        answer: schema_of_answer::<Answer>(),
    }
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, ApiError> {
    let query = QUERY.query(call.query.as_deref())?;
    let site = call.site()?.id.clone();
    let audit = call
        .state(move |state| state.audit(&site))
        .await?
        .ok_or(ApiError::AuditNotFound)?;
    Reply::ok(&Answer::of(audit, &query))
}

impl Answer {
    fn of(audit: AuditRecord, query: &Query) -> Self {
        let total = audit.total();
        let mut rules: Vec<&Description> = RULES
            .iter()
            .filter(|rule| audit.rules.contains_key(rule.id))
            .collect();
        rules.sort_by_key(|rule| rule.severity);
        let rules = rules.into_iter().map(|rule| {
            let count = audit.rules.get(rule.id).copied().unwrap_or_default();
            let found = count.found;
            let new = count.new;
            Rule {
                rule: rule.id.to_owned(),
                severity: rule.severity.as_str(),
                why: rule.why,
                advice: rule.advice,
                found,
                new,
            }
        });
        let is_wanted = |finding: &AuditFinding| {
            query.rule.as_ref().is_none_or(|rule| *rule == finding.rule)
                && query
                    .new
                    .as_deref()
                    .is_none_or(|new| (new == "true") == finding.new)
        };
        let page = Page::at(query.limit, query.offset);
        Self {
            run_id: audit.run.to_string(),
            audited_at: Time::kept(audit.at),
            previous_at: audit.before.map(Time::kept),
            deployment_id: audit.deployment.to_string(),
            pages: audit.pages,
            found: total.found,
            new: total.new,
            rules: rules.collect(),
            findings: page
                .cut(audit.findings.into_iter().filter(is_wanted).collect())
                .map(Finding::of),
        }
    }
}

impl Finding {
    fn of(finding: AuditFinding) -> Self {
        let severity = pipeline::audit::AuditRule::named(&finding.rule)
            .map_or("note", |rule| rule.description().severity.as_str());
        Self {
            rule: finding.rule,
            severity,
            page: finding.page,
            line: finding.line,
            message: finding.message,
            since: Time::kept(finding.since),
            new: finding.new,
        }
    }
}
