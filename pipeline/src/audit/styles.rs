//! Style sheets for one direction on pages of the other (R-R4).

use super::finding::AuditFindings;
use super::graph::{Graph, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use super::style_facts::{MANY, StyleFacts};
use crate::model::Direction;

pub(super) fn check(site: &AuditedSite, _graph: &Graph, findings: &mut AuditFindings) {
    let turned: Vec<&AuditedPage> = site
        .audited()
        .map(|(_, page)| page)
        .filter(|page| is_turned(page))
        .collect();
    let Some(first) = turned.first() else { return };
    for page in &turned {
        for style in &page.facts.styles {
            let facts = StyleFacts::of(&style.text);
            let place = |line: usize| LinePosition {
                name: page.name.clone(),
                line: Some(style.line + line - 1),
            };
            judge(&facts, page, place, findings);
        }
    }
    let has_other = site.sheets.iter().any(|sheet| is_for_rtl(&sheet.name));
    for sheet in site.sheets.iter().filter(|sheet| !is_for_rtl(&sheet.name)) {
        let place = |line: usize| LinePosition {
            name: sheet.name.clone(),
            line: Some(line),
        };
        judge(&sheet.facts, first, place, findings);
        let StyleFacts {
            physical,
            first_physical,
            is_logical,
            ..
        } = sheet.facts;
        if physical >= MANY && !is_logical && !has_other {
            let message = format!(
                "has {physical} declarations of left and right, such as float or margin-left"
            );
            findings.add(
                AuditRule::RtlPhysical,
                &place(first_physical.unwrap_or(1)),
                message,
            );
        }
    }
}

/// True for the name of a style sheet that only right-to-left pages load.
fn is_for_rtl(name: &str) -> bool {
    name.rsplit('/')
        .next()
        .is_some_and(|file| file.split(['.', '-', '_']).any(|part| part == "rtl"))
}

/// True for a page that is written from right to left.
pub(super) fn is_turned(page: &AuditedPage) -> bool {
    page.locale
        .as_ref()
        .is_some_and(|locale| locale.direction() == Direction::Rtl)
}

/// Checks that apply to pages and style sheets alike.
fn judge(
    facts: &StyleFacts,
    page: &AuditedPage,
    place: impl Fn(usize) -> LinePosition,
    findings: &mut AuditFindings,
) {
    if let Some(line) = facts.offscreen {
        let message = format!(
            "moves something out of sight to the left, where readers of {} scroll",
            page.url.path()
        );
        findings.add(AuditRule::RtlOffscreen, &place(line), message);
    }
    // Hebrew letters are not joined.
    let is_joined = page
        .locale
        .as_ref()
        .is_some_and(|locale| !matches!(locale.language(), "he" | "yi" | "lad"));
    if let Some(line) = facts.letter_spacing
        && is_joined
    {
        let message = String::from("sets letter-spacing, which tears joined letters apart");
        findings.add(AuditRule::RtlLetterSpacing, &place(line), message);
    }
}
