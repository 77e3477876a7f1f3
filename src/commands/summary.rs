//! A build's report for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pipeline::config::{SiteConfig, StoreConfig, StoreLocation};
use pipeline::counted::counted;
use pipeline::engines::Price;
use pipeline::model::without_user;
use pipeline::run::{
    BuildWork, ChangedTranslation, ChangedWords, LocaleReport, MOST_REFUSED, MOST_TERMS,
    MOST_WARNED, PageTrouble, Report,
};
use pipeline::translate::Check;

use super::cost::{money, tokens_in_words};

/// How many refused texts are shown; `--json` lists all.
const SHOWN: usize = 10;

/// Writes what a build did.
#[expect(clippy::too_many_lines, reason = "writes one line per fact, in order")]
pub(super) fn write(report: &Report, site: &SiteConfig, store: &StoreConfig) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {}, {}, {} in {}",
        report.site,
        counted(report.pages, "page"),
        counted(report.files, "file"),
        counted(report.segments, "distinct segment"),
        site.source_locale
    );
    for (framework, pages) in drawn(report) {
        let _ = writeln!(
            text,
            "  {} drawn in the browser by {framework}",
            counted(pages, "page")
        );
    }
    for index in &report.search {
        let _ = writeln!(
            text,
            "  search in every language: {} ({})",
            index.path, index.generator
        );
    }
    for locale in &report.locales {
        write_locale(&mut text, locale);
    }
    write_offer(&mut text, report, site);
    write_price(&mut text, report);
    for failure in &report.failures {
        let kept = if failure.kept {
            "; its previous version stays"
        } else {
            ""
        };
        let _ = writeln!(text, "  failed: {}: {}{kept}", failure.path, failure.reason);
    }
    for notice in &report.notices {
        let _ = writeln!(text, "  notice: {notice}");
    }
    let BuildWork {
        read,
        rendered,
        carried,
        causes,
        ..
    } = &report.work;
    if report.created && *carried > 0 {
        let read = counted(*read, "page");
        let rendered = counted(*rendered, "version");
        let causes: Vec<String> = causes
            .iter()
            .map(|(cause, count)| format!("{count} {}", cause.code()))
            .collect();
        let causes = if causes.is_empty() {
            String::new()
        } else {
            format!(" ({})", causes.join(", "))
        };
        let _ = writeln!(
            text,
            "  {read} read; {rendered} of pages rendered{causes}, {carried} as they were"
        );
    }
    let place = match &store.objects {
        StoreLocation::Folder(folder) => folder.join(report.site.as_str()).display().to_string(),
        StoreLocation::Url(url) => format!("{} ({})", without_user(url.as_str()), report.site),
    };
    let _ = if report.deployment == 0 {
        writeln!(text, "  there is no deployment yet")
    } else if report.created {
        writeln!(
            text,
            "  deployment {}: {} written, {} unchanged, {} removed, in {place}",
            report.deployment,
            counted(report.written, "object"),
            report.unchanged,
            report.removed
        )
    } else {
        writeln!(
            text,
            "  nothing changed: deployment {} stays, in {place}",
            report.deployment
        )
    };
    text
}

/// How many pages scripts draw, by framework; `--json` has each.
fn drawn(report: &Report) -> BTreeMap<&str, usize> {
    let mut frameworks = BTreeMap::new();
    for page in &report.drawn {
        *frameworks.entry(page.framework.as_ref()).or_default() += 1;
    }
    frameworks
}

fn write_locale(text: &mut String, report: &LocaleReport) {
    let words = &report.words;
    let _ = write!(
        text,
        "  {}: {}",
        report.locale,
        counted(report.pages, "page")
    );
    if report.missing > 0 {
        let _ = write!(
            text,
            " ({} not published: translated less than min_translated)",
            report.missing
        );
    }
    let origins = [
        (words.person, "by people"),
        (words.memory, "from memory"),
        (words.engine, "by engines"),
        (words.untranslated, "untranslated"),
    ];
    let origins: Vec<String> = origins
        .iter()
        .filter(|(words, _)| *words > 0)
        .map(|(words, origin)| format!("{} {origin}", counted(*words, "word")))
        .collect();
    if !origins.is_empty() {
        let _ = write!(text, ", {}", origins.join(", "));
    }
    if report.engine_calls > 0 {
        let requests = counted(report.engine_calls, "request");
        let characters = counted(report.characters_sent, "character");
        let _ = write!(text, "; {requests}, {characters} sent");
        write_cost(text, report);
    }
    text.push('\n');
    for refused in report.refused.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "    refused on {}: {}: {}",
            refused.path,
            refused.reason,
            shorten(&refused.source)
        );
    }
    if report.refusals > SHOWN {
        let listed = if report.refusals > MOST_REFUSED {
            "the first of them"
        } else {
            "all"
        };
        let _ = writeln!(
            text,
            "    and {} more; --json lists {listed}",
            report.refusals - SHOWN
        );
    }
    write_changed(text, report);
    write_kept(text, report);
    write_warnings(text, report);
    for hint in &report.hints {
        let _ = writeln!(text, "    to translate the rest: {hint}");
    }
}

/// Writes the tokens and price of a language. Some requests, such as those of other engines, report no tokens.
fn write_cost(text: &mut String, report: &LocaleReport) {
    if let Some(tokens) = &report.tokens {
        let _ = write!(text, "; {}", tokens_in_words(tokens));
        if tokens.requests < report.engine_calls {
            let _ = write!(
                text,
                ", counted for {}",
                counted(tokens.requests, "request")
            );
        }
    }
    if let Some(Price(price)) = report.price {
        let _ = write!(text, "; price {}", money(price));
    }
}

/// Offers neural models for all languages that no engine translates, in one command. Hints have it for one language.
fn write_offer(text: &mut String, report: &Report, site: &SiteConfig) {
    let mut wanted = Vec::new();
    for locale in &report.locales {
        if locale
            .hints
            .iter()
            .any(|hint| hint.contains("latimer models add"))
        {
            wanted.push(locale.locale.as_str());
        }
    }
    if wanted.len() > 1 {
        let command = format!(
            "latimer models add {} {}",
            site.source_locale,
            wanted.join(" ")
        );
        let _ = writeln!(
            text,
            "  neural models for all of these languages, if Mozilla has them: {command}"
        );
    }
}

/// Writes the price of all languages.
fn write_price(text: &mut String, report: &Report) {
    let prices: Vec<f64> = report
        .locales
        .iter()
        .filter_map(|locale| Some(locale.price?.0))
        .collect();
    if !prices.is_empty() {
        let price = money(prices.into_iter().sum());
        let _ = writeln!(
            text,
            "  price of this build: {price}, in the currency of the configured prices"
        );
    }
}

/// What became of reviewed translations whose source changed; those that need a translator come first.
fn write_changed(text: &mut String, report: &LocaleReport) {
    if report.changed.is_empty() {
        return;
    }
    let carried = report.carried;
    let outdated = report.outdated;
    let vanished = report.vanished;
    let _ = writeln!(
        text,
        "    reviewed segments that changed: carried {carried}, outdated {outdated}, vanished {vanished}"
    );
    let of = |state: ChangedWords| {
        report
            .changed
            .iter()
            .filter(move |changed| changed.state == state)
    };
    let states = [
        ChangedWords::Outdated,
        ChangedWords::Carried,
        ChangedWords::Vanished,
    ];
    for changed in states.into_iter().flat_map(of).take(SHOWN) {
        write_change(text, changed);
    }
    if report.changed.len() > SHOWN {
        let _ = writeln!(
            text,
            "    and {} more; --json lists all",
            report.changed.len() - SHOWN
        );
    }
    if report.carried + report.outdated > 0 {
        let _ = writeln!(
            text,
            "    `latimer export --locale {}` writes this into the translations",
            report.locale
        );
    }
}

fn write_change(text: &mut String, changed: &ChangedTranslation) {
    let (state, note) = match changed.state {
        ChangedWords::Carried => ("carried", ""),
        ChangedWords::Outdated => ("outdated", ", not published"),
        ChangedWords::Vanished => ("vanished", ""),
    };
    let place = changed
        .path
        .as_ref()
        .map(|path| format!(" on {path}"))
        .unwrap_or_default();
    let now = changed
        .new_source
        .as_ref()
        .map(|new| format!(", now \"{}\"", shorten(new)))
        .unwrap_or_default();
    let before = shorten(&changed.old_source);
    let words = shorten(&changed.words);
    let _ = writeln!(
        text,
        "    {state}{place}: \"{before}\"{now}: \"{words}\"{note}"
    );
}

/// Pages that stay as they were, with their age.
fn write_kept(text: &mut String, report: &LocaleReport) {
    for page in report.kept_pages.iter().take(SHOWN) {
        let why = match page.trouble {
            PageTrouble::Source => "its source cannot be read",
            PageTrouble::Engine => "no engine translated the new one",
        };
        let time = page
            .published_at
            .map(|time| format!(" of {}", humantime::format_rfc3339_seconds(time)));
        let time = time.unwrap_or_default();
        let _ = writeln!(
            text,
            "    older version of {}: up to date in deployment {}{time}; {why}",
            page.path, page.deployment
        );
    }
    if report.kept_pages.len() > SHOWN {
        let _ = writeln!(
            text,
            "    and {} more; --json lists all",
            report.kept_pages.len() - SHOWN
        );
    }
}

/// Terms that are missing are named, other warnings counted.
fn write_warnings(text: &mut String, report: &LocaleReport) {
    let terms: Vec<_> = report
        .warnings
        .iter()
        .filter(|warned| warned.check == Check::Term)
        .collect();
    if report.terms.found > 0 {
        let found = report.terms.found;
        let _ = writeln!(
            text,
            "    terms: {} of {found} in place",
            found - report.terms.missed
        );
    }
    for warned in terms.iter().take(SHOWN) {
        let _ = writeln!(
            text,
            "    term on {}: {}: {}",
            warned.path,
            warned.message,
            shorten(&warned.source)
        );
    }
    if report.terms.missed > SHOWN {
        let listed = listed(
            report.terms.missed > terms.len(),
            format!("the first {MOST_TERMS}"),
        );
        let _ = writeln!(
            text,
            "    and {} more; --json lists {listed}",
            report.terms.missed - SHOWN
        );
    }
    let others = || {
        report
            .warned
            .iter()
            .filter(|(check, _)| **check != Check::Term)
    };
    let counts: Vec<String> = others()
        .map(|(check, count)| format!("{count} {check}"))
        .collect();
    if !counts.is_empty() {
        let listed = listed(
            others().any(|(_, count)| *count > MOST_WARNED as u64),
            format!("the first {MOST_WARNED} of each"),
        );
        let _ = writeln!(
            text,
            "    worth a look: {} (--json lists {listed})",
            counts.join(", ")
        );
    }
}

/// Which of the warnings are listed.
fn listed(are_more: bool, first: String) -> String {
    if are_more { first } else { "all".to_owned() }
}

/// The first 80 characters of a text.
pub(super) fn shorten(text: &str) -> String {
    const LONG: usize = 80;
    if text.chars().count() <= LONG {
        return text.to_owned();
    }
    text.chars().take(LONG).chain(['…']).collect()
}
