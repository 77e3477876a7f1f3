//! The language and direction that pages claim (R-B1, R-B4, R-B5, R-B8).

use super::answer::AuditAnswer;
use super::finding::AuditFindings;
use super::graph::{Graph, HreflangEdge, LinePosition};
use super::rule::AuditRule;
use super::site::{AuditedPage, AuditedSite};
use super::tags::page_problem;
use crate::crawl::is_proof;
use crate::model::{Direction, Locale};

pub(super) fn check(site: &AuditedSite, graph: &Graph, findings: &mut AuditFindings) {
    for (index, page) in site.audited() {
        let place = |line: usize| LinePosition {
            name: page.name.clone(),
            line: Some(line),
        };
        match page
            .facts
            .lang
            .as_ref()
            .filter(|lang| !lang.text.is_empty())
        {
            None if page.facts.form.is_fragment || is_proof(page.url.path(), &page.facts.form) => {}
            None => findings.add(
                AuditRule::LangMissing,
                &place(0),
                String::from("does not say its language"),
            ),
            Some(lang) => {
                if let Some(problem) = page_problem(&lang.text) {
                    findings.add(AuditRule::LangInvalid, &place(lang.line), problem);
                }
            }
        }
        let Some(locale) = &page.locale else { continue };
        check_direction(page, locale, findings);
        check_open_graph(page, locale, findings);
        check_names(site, graph, index, locale, findings);
    }
}

fn check_direction(page: &AuditedPage, locale: &Locale, findings: &mut AuditFindings) {
    let (said, line) = match &page.facts.dir {
        Some(dir) => (dir.text.to_ascii_lowercase(), dir.line),
        None => (
            String::new(),
            page.facts.lang.as_ref().map_or(0, |lang| lang.line),
        ),
    };
    let place = LinePosition {
        name: page.name.clone(),
        line: Some(line),
    };
    match locale.direction() {
        Direction::Rtl if !matches!(said.as_str(), "rtl" | "auto") => {
            let message = format!(
                "is in {locale}, which runs from right to left, and does not say dir=\"rtl\""
            );
            findings.add(AuditRule::DirMismatch, &place, message);
        }
        Direction::Ltr if said == "rtl" => {
            let message =
                format!("is in {locale}, which runs from left to right, and says dir=\"rtl\"");
            findings.add(AuditRule::DirMismatch, &place, message);
        }
        Direction::Rtl | Direction::Ltr => {}
    }
}

fn check_open_graph(page: &AuditedPage, locale: &Locale, findings: &mut AuditFindings) {
    let Some(said) = page
        .facts
        .og_locale
        .as_ref()
        .filter(|said| !said.text.is_empty())
    else {
        return;
    };
    let place = LinePosition {
        name: page.name.clone(),
        line: Some(said.line),
    };
    let language = said.text.split(['_', '-']).next().unwrap_or_default();
    let named = Locale::parse(language);
    let is_own = named.as_ref().is_ok_and(|named| named.language() == locale.language())
        // Norwegian and Filipino have two codes each.
        || matches!((language, locale.language()), ("nb" | "no", "nb" | "no") | ("tl" | "fil", "tl" | "fil"));
    if !is_own {
        let message = format!("is in {locale}, and its og:locale is {:?}", said.text);
        findings.add(AuditRule::OgLocale, &place, message);
        return;
    }
    let country = said
        .text
        .split_once('_')
        .map(|(_, country)| country)
        .unwrap_or_default();
    let is_country = country.len() == 2 && country.bytes().all(|byte| byte.is_ascii_uppercase());
    if !is_country && locale.open_graph().contains('_') {
        let message = format!(
            "its og:locale is {:?}, which is not like {:?}",
            said.text,
            locale.open_graph()
        );
        findings.add(AuditRule::OgLocale, &place, message);
    }
}

/// The language under which a page names itself, and those under which it names others.
fn check_names(
    site: &AuditedSite,
    graph: &Graph,
    index: usize,
    locale: &Locale,
    findings: &mut AuditFindings,
) {
    for edge in graph
        .of_page(index)
        .iter()
        .filter(|edge| !edge.is_default())
    {
        let (AuditAnswer::Page(target), Some(tag)) = (&edge.answer, tag(edge)) else {
            continue;
        };
        if *target == index {
            if !tag.same_language(locale) {
                let message = format!(
                    "says lang={:?}, and names itself as {:?}",
                    locale.as_str(),
                    edge.tag
                );
                findings.add(AuditRule::LangMismatch, &edge.place, message);
            }
            continue;
        }
        let Some(other) = site
            .locale(*target)
            .filter(|other| !tag.same_language(other))
        else {
            continue;
        };
        // A page that names itself wrongly is blamed once, itself.
        let by_itself = |own: &HreflangEdge| {
            own.target == Some(*target) && own.tag.eq_ignore_ascii_case(&edge.tag)
        };
        if !graph.of_page(*target).iter().any(by_itself) {
            let name = site
                .pages
                .get(*target)
                .map(|page| page.name.as_str())
                .unwrap_or_default();
            let message = format!(
                "names {name} as {:?}, and that page says lang={:?}",
                edge.tag,
                other.as_str()
            );
            findings.add(AuditRule::LangMismatch, &edge.place, message);
        }
    }
}

fn tag(edge: &HreflangEdge) -> Option<Locale> {
    Locale::parse(&edge.tag).ok()
}
