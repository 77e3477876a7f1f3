//! `latimer explain`: where the texts of a localized page come from, and why some are in the source language.

use std::fmt::Write as _;
use std::sync::Arc;

use api::{App, Located};
use clap::Args;
use pipeline::config::{Config, Missing, SiteConfig, Source};
use pipeline::model::{Locale, PagePath, SiteId};
use pipeline::run::{self, Explained, Explanation, InLocale, RunError, Standing, Stores, TextOrigin, TextSource};
use pipeline::store::State;
use url::Url;

use super::work;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// The arguments of `latimer explain`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page: its public address in any language, its address at `latimer serve`, or its path.
    #[arg(value_name = "URL|PATH")]
    page: String,
    /// What to look for in the page's texts and their translations, in any case; all of them without it.
    text: Option<String>,
    /// The language, where the address does not say it; all languages of the site without it.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse)]
    locale: Option<Locale>,
    /// The site, where the configuration has several.
    #[arg(long, value_name = "SITE", value_parser = SiteId::parse)]
    site: Option<SiteId>,
}

/// Explains a page.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let config = options.config()?;
    work::until_interrupted(explain(&config, arguments, options))
}

async fn explain(config: &Config, arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let failed = |error: &(dyn std::error::Error + 'static)| Failure::failed(work::chain(error));
    let objects = work::objects(&config.store)?;
    let is_meant = |site: &&SiteConfig| site.enabled || arguments.site.as_ref() == Some(&site.id);
    let sites = config.sites.iter().filter(is_meant).map(|site| site.id.clone()).collect();
    let app = App::new(objects.clone(), sites, 0);
    app.load().await.map_err(|error| failed(&error))?;
    let Located { site, locale, page } = locate(config, &app, arguments)?;
    let site = config.site(&site).ok_or_else(|| Failure::usage(format!("there is no site {site}")))?;
    let locales = match arguments.locale.clone().or(locale) {
        Some(locale) if site.locales.contains(&locale) => vec![locale],
        Some(locale) => {
            return Err(Failure::usage(format!("{} has no locale {locale}; add it to `locales`", site.id)));
        }
        None => site.locales.clone(),
    };
    let not_built = || Failure::failed(format!("{} is not built yet; run `latimer build` first", site.id));
    // A state that was lost knows the pages of the newest deployment.
    if !config.store.state.exists() && app.snapshot().published(&site.id).is_none() {
        return Err(not_built());
    }
    let state = State::open(&config.store.state).map_err(|error| failed(&error))?;
    let stores = Stores { objects, state: Arc::new(state) };
    let explained = run::explain(site, &stores, &work::build_options(config), &page, &locales).await;
    let explained = explained.map_err(|error| match error {
        RunError::NothingStored => not_built(),
        error => work::failure(&site.id, &error),
    })?;
    let explanation = match explained {
        Explained::Page(explanation) => *explanation,
        Explained::Missing(page) => {
            let why = "the bytes of its source are missing from the store, so its texts are not known; readers keep the \
                       version that is published, and the next `latimer build` fetches the source again";
            return Ok(say_why(site, &page, "source_missing", why, options));
        }
        Explained::Unknown(page) => {
            return Err(Failure::usage(format!("{} has no page {page}; the last build did not see it", site.id)));
        }
        Explained::Excluded(page, pattern) => {
            let why = match &pattern {
                Some(pattern) => format!("the pattern {pattern:?} leaves it out"),
                None => "no pattern of `include` names it".to_owned(),
            };
            return Ok(say_why(site, &page, "excluded", &why, options));
        }
        Explained::File(page) => {
            let why = "to this site it is a file, not a page: it is published as it is, in its own language";
            return Ok(say_why(site, &page, "file", why, options));
        }
    };
    show(site, select(explanation, arguments.text.as_deref())?, options);
    Ok(ExitCode::Done)
}

/// Finds out which page of which site is meant, and in which locale where the address says so.
fn locate(config: &Config, app: &App, arguments: &Arguments) -> Result<Located, Failure> {
    let snapshot = app.snapshot();
    let unknown = || Failure::usage(format!("{} is not an address of a site that was built here", arguments.page));
    if arguments.page.contains("://") {
        let url =
            Url::parse(&arguments.page).map_err(|error| Failure::usage(format!("{}: {error}", arguments.page)))?;
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let own = |site: &SiteId| snapshot.locate(&format!("{site}.localhost"), url.path(), url.query());
        let by_host = snapshot.locate(&host, url.path(), url.query());
        let named = arguments.site.as_ref().filter(|_| by_host.is_none()).and_then(own);
        return by_host.or(named).or_else(|| at_source(config, &url)).ok_or_else(unknown);
    }
    let site = match (&arguments.site, config.sites.as_slice()) {
        (Some(id), _) => config.site(id),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    let site = site.ok_or_else(|| {
        let known: Vec<_> = config.sites.iter().map(|site| site.id.as_str()).collect();
        Failure::usage(format!("name one of the sites with --site: {}", known.join(", ")))
    })?;
    let path = format!("/{}", arguments.page.trim_start_matches('/'));
    let path = path.split('#').next().unwrap_or_default();
    let page = PagePath::parse(path).map_err(Failure::usage)?;
    let located = snapshot.locate(&format!("{}.localhost", site.id), page.path(), page.query());
    Ok(located.unwrap_or(Located { site: site.id.clone(), locale: None, page }))
}

/// A page at the address from which a site is crawled.
fn at_source(config: &Config, url: &Url) -> Option<Located> {
    let is_source = |site: &&SiteConfig| match &site.source {
        Source::Web(source) => source.origin() == url.origin(),
        Source::Folder(_) => false,
    };
    let site = config.sites.iter().find(is_source)?;
    Some(Located { site: site.id.clone(), locale: None, page: PagePath::of_url(url) })
}

/// Leaves what mentions the text, or everything that readers see.
fn select(mut explanation: Explanation, text: Option<&str>) -> Result<Explanation, Failure> {
    let Some(text) = text else {
        explanation.kept.retain(|kept| kept.shown);
        return Ok(explanation);
    };
    for locale in &mut explanation.locales {
        locale.texts.retain(|source| source.mentions(text));
    }
    explanation.kept.retain(|kept| kept.mentions(text));
    let is_seen = explanation.locales.iter().any(|locale| !locale.texts.is_empty())
        || explanation.kept.iter().any(|kept| kept.shown);
    if is_seen {
        explanation.kept.retain(|kept| kept.shown);
    } else if explanation.kept.is_empty() {
        return Err(Failure::failed(format!("{} of {} has no text with {text:?}", explanation.page, explanation.site)));
    }
    Ok(explanation)
}

fn say_why(site: &SiteConfig, page: &PagePath, code: &str, why: &str, options: &Options) -> ExitCode {
    if options.json {
        println!("{}", serde_json::json!({ "site": site.id, "page": page, "why": { "code": code, "text": why } }));
    } else {
        println!("{} {page}: {why}", site.id);
    }
    ExitCode::Done
}

fn show(site: &SiteConfig, explanation: Explanation, options: &Options) {
    if options.json {
        println!("{}", serde_json::json!(explanation));
        return;
    }
    let mut text = String::new();
    for locale in &explanation.locales {
        let (page, tag) = (&explanation.page, &locale.locale);
        let _ = writeln!(text, "{} {page} in {tag}: {}", explanation.site, standing(site, locale));
        for source in &locale.texts {
            write_text(&mut text, source);
        }
        for hint in &locale.hints {
            let _ = writeln!(text, "  to translate the rest: {hint}");
        }
    }
    for note in &explanation.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if !explanation.kept.is_empty() {
        let _ = writeln!(text, "the same in every language:");
    }
    for kept in &explanation.kept {
        let _ = writeln!(text, "  {}: {}\n    {}", kept.element, kept.text, kept.rule);
    }
    print!("{text}");
}

/// Whether the page is there, and why not.
fn standing(site: &SiteConfig, locale: &InLocale) -> String {
    let share = format!("{:.0} % of its words are translated", locale.share * 100.0);
    let stays = locale.kept_since.filter(|_| locale.published && locale.standing != Standing::Off);
    if let Some(deployment) = stays {
        return format!(
            "published in an older version, which was up to date in deployment {deployment}: {share} in the new one, \
             less than min_translated wants, because an engine failed or was not asked; the next `latimer build` tries \
             again"
        );
    }
    match locale.standing {
        Standing::Translated if locale.published => format!("published, {share}"),
        Standing::Translated => format!("{share}; the next build publishes it"),
        Standing::TooLittle => {
            let instead = match site.missing {
                Missing::Source307 => "readers are led to the source page",
                Missing::Notice => "readers get the source page with a notice",
                Missing::NotFound | Missing::Gone => "it is not there",
            };
            let wanted = locale.min_translated * 100.0;
            format!("{share}, less than the {wanted:.0} % of min_translated: {instead}")
        }
        Standing::Off => {
            format!("switched off; `latimer locale {} {} on` brings the language back", site.id, locale.locale)
        }
    }
}

fn write_text(text: &mut String, source: &TextSource) {
    let (origin, from) = match source.origin {
        TextOrigin::Person => {
            let file = source.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
            ("person", source.line.map_or(file.clone(), |line| format!("{file}:{line}")))
        }
        TextOrigin::Memory => ("memory", source.engine.clone().unwrap_or_default()),
        TextOrigin::Untouched => ("untouched", "there is no word in it".to_owned()),
        TextOrigin::LeftOut => ("left out", "its element is not there in this language".to_owned()),
        TextOrigin::Refused => ("refused", String::new()),
        TextOrigin::None => ("none", "nobody has words for it".to_owned()),
    };
    let _ = writeln!(text, "  {origin}, {}: {}", source.place, source.source);
    if let Some(target) = &source.target {
        let _ = writeln!(text, "    → {target}");
    }
    if !from.is_empty() {
        let _ = writeln!(text, "    {from}");
    }
    if let Some(before) = &source.carried_from {
        let _ = writeln!(text, "    carried from: {before}");
    }
    if let Some(outdated) = &source.outdated {
        let _ = writeln!(text, "    outdated, so not published: {} → {}", outdated.source, outdated.target);
    }
    for reason in &source.refused {
        let _ = writeln!(text, "    refused: {reason}");
    }
}
