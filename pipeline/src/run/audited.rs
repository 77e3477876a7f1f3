//! A run that looks for what is wrong with the newest deployment.

use futures::future::LocalBoxFuture;
use std::collections::BTreeMap;

use crate::audit::{Audit, AuditOptions, audit_deployment};
use crate::config::SiteConfig;
use crate::counted::counted;
use crate::model::Moment;
use crate::run::clock::now;
use crate::run::error::BuildError;
use crate::run::journal::Performed;
use crate::run::options::Stores;
use crate::run::report::build_report::Report;
use crate::run::words::word_counts::number;
use crate::state::{AuditFinding, AuditRecord, RunRecord, RunWarning, Stage, StageCount};
use crate::store::Published;
use crate::targets::TargetError;

/// Does what a run of the kind [`crate::state::RunKind::Audit`] was ordered to do; `watch` sees the run as it goes on.
pub fn audit<'a>(
    site: &'a SiteConfig,
    stores: &'a Stores,
    mut run: RunRecord,
    watch: &'a (dyn Fn(&RunRecord) + Send + Sync),
) -> LocalBoxFuture<'a, Performed> {
    Box::pin(async move {
        let began = run.clone();
        let step = |done, total| {
            let count = StageCount {
                total: number(total),
                done: number(done),
                failed: 0,
            };
            watch(&RunRecord {
                stages: BTreeMap::from([(Stage::Extract, count)]),
                ..began.clone()
            });
        };
        let found = look(site, stores, &run, &step).await;
        let outcome = found.map(|record| {
            run.deployment = Some(record.deployment);
            run.stages.insert(
                Stage::Extract,
                StageCount {
                    total: record.pages,
                    done: record.pages,
                    failed: 0,
                },
            );
            let total = record.total();
            if total.found > 0 {
                let findings = counted(
                    usize::try_from(total.found).unwrap_or(usize::MAX),
                    "finding",
                );
                let message = format!(
                    "{findings} in the published pages, {} of them new",
                    total.new
                );
                run.warnings
                    .push(RunWarning::of_site("audit_findings", message));
            }
            Report::new(&site.id)
        });
        Performed::ended(run, outcome)
    })
}

/// Audits and keeps what was found.
async fn look(
    site: &SiteConfig,
    stores: &Stores,
    run: &RunRecord,
    step: &(dyn Fn(usize, usize) + Sync),
) -> Result<AuditRecord, BuildError> {
    let published = Published::newest(&stores.objects, &site.id, None).await?;
    let published = published.ok_or_else(|| TargetError::NothingBuilt(site.id.clone()))?;
    let options = AuditOptions {
        source: Some(site.source_locale.clone()),
        base: None,
        original: None,
        allowed: Vec::new(),
        max_pages: usize::MAX,
    };
    let audit = audit_deployment(&published, &stores.objects, &options, step).await?;
    let record = AuditRecord::new(
        run.id,
        now(),
        published.id(),
        number(audit.pages),
        findings(audit),
    );
    let site = site.id.clone();
    stores
        .with_state(move |state| state.keep_audit(&site, record))
        .await
}

fn findings(audit: Audit) -> Vec<AuditFinding> {
    let finding = |finding: crate::audit::RuleFinding| AuditFinding {
        rule: finding.rule.description().id.to_owned(),
        page: finding.page,
        line: finding.line.map(number),
        message: finding.message,
        since: Moment::default(),
        new: false,
    };
    audit.findings.into_iter().map(finding).collect()
}
