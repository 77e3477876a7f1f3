//! `latimer explain`: where the texts of a localized page come from, and why some are in the source language.

use std::fmt::Write as _;
use std::sync::Arc;

use api::{App, Located, at_source};
use clap::Args;
use pipeline::config::{Config, Missing, SiteConfig};
use pipeline::inspect::{
    self, Explained, Explanation, NoExplanation, PageInLocale, PageStanding, TextOrigin, TextSource,
};
use pipeline::model::{Locale, SiteId};
use pipeline::run::{BuildError, Stores};
use pipeline::state::State;
use pipeline::translate::BY_RULES;
use url::Url;

use super::{ordered, work};
use crate::address::web_address;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::remote::Remote;
use crate::terminal;

/// The arguments of `latimer explain`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The page: its public address in any language, its address at `latimer serve`, or its path.
    #[arg(value_name = "URL|PATH")]
    page: String,
    /// Text to find in the page's texts and translations, in any case (default: all texts).
    text: Option<String>,
    /// The language, where the address does not say it; all languages of the site without it.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locale: Option<Locale>,
    /// The site, where the configuration has several.
    #[arg(long, value_name = "SITE", value_parser = SiteId::parse)]
    site: Option<SiteId>,
}

/// Explains a page.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    if arguments.page.contains("://") {
        web_address("URL|PATH", &arguments.page)?;
    }
    if let Some(server) = &options.server {
        return work::until_interrupted(explain_there(server, arguments, options));
    }
    let config = options.config()?;
    work::until_interrupted(explain(&config, arguments, options))
}

async fn explain(
    config: &Config,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let failed =
        |error: &(dyn std::error::Error + 'static)| CommandFailure::failed(work::chain(error));
    let objects = work::objects(&config.store)?;
    let is_meant = |site: &&SiteConfig| site.enabled || arguments.site.as_ref() == Some(&site.id);
    let sites = config
        .sites
        .iter()
        .filter(is_meant)
        .map(|site| site.id.clone())
        .collect();
    let app = App::new(objects.clone(), sites, 0);
    app.load().await.map_err(|error| failed(&error))?;
    let Located { site, locale, page } = locate(config, &app, arguments)?;
    let site = config
        .site(&site)
        .ok_or_else(|| CommandFailure::usage(format!("there is no site {site}")))?;
    let locales = match arguments.locale.clone().or(locale) {
        Some(locale) if site.locales.contains(&locale) => vec![locale],
        Some(locale) => {
            return Err(CommandFailure::usage(format!(
                "{} has no locale {locale}; add it to `locales`",
                site.id
            )));
        }
        None => site.locales.clone(),
    };
    let not_built = || {
        CommandFailure::failed(format!(
            "{} is not built yet; run `latimer build` first",
            site.id
        ))
    };
    // A state that was lost knows the pages of the newest deployment.
    if !config.store.state.exists() && app.snapshot().published(&site.id).is_none() {
        return Err(not_built());
    }
    let state = State::open(&config.store.state).map_err(|error| failed(&error))?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let explained =
        inspect::explain(site, &stores, &work::build_options(config), &page, &locales).await;
    let explained = explained.map_err(|error| match error {
        BuildError::NothingStored => not_built(),
        error => work::failure(&site.id, &error),
    })?;
    if let Some(NoExplanation { code, text }) = explained.why() {
        return Ok(say_why(
            site.id.as_str(),
            explained.path().as_str(),
            code,
            &text,
            options,
        ));
    }
    let Explained::Page(mut explanation) = explained else {
        let id = &site.id;
        let page = explained.path();
        return Err(CommandFailure::usage(format!(
            "{id} has no page {page}; the last build did not see it"
        )));
    };
    let is_any = explanation.select(arguments.text.as_deref());
    show(&explanation, is_any, arguments, Some(site.missing), options)
}

/// Lets a server explain a page.
async fn explain_there(
    server: &Url,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let remote = Remote::at(server)?;
    let site = match &arguments.site {
        Some(site) => site.to_string(),
        None => ordered::only_site(&remote).await?,
    };
    let locale = arguments.locale.as_ref().map(Locale::to_string);
    let asked = [
        ("page", Some(&arguments.page)),
        ("text", arguments.text.as_ref()),
        ("targetLang", locale.as_ref()),
    ];
    let asked = asked
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(asked)
        .finish();
    let answer = remote
        .get_slowly(&format!("/api/sites/{site}/explanation?{query}"))
        .await?;
    if let (Some(code), Some(text)) = (
        answer["why"]["code"].as_str(),
        answer["why"]["message"].as_str(),
    ) {
        return Ok(say_why(
            &site,
            answer["path"].as_str().unwrap_or_default(),
            code,
            text,
            options,
        ));
    }
    let explanation: Explanation = serde_json::from_value(answer).map_err(|error| {
        CommandFailure::failed(format!(
            "{server} answered in another form ({error}); is it as new as this program?"
        ))
    })?;
    let is_any = explanation
        .locales
        .iter()
        .any(|locale| !locale.texts.is_empty())
        || !explanation.kept.is_empty();
    show(
        &explanation,
        is_any || arguments.text.is_none(),
        arguments,
        None,
        options,
    )
}

/// Finds out which page of which site is meant, and in which locale where the address says so.
fn locate(config: &Config, app: &App, arguments: &Arguments) -> Result<Located, CommandFailure> {
    let snapshot = app.snapshot();
    let named = match (&arguments.site, config.sites.as_slice()) {
        (Some(id), _) => Some(
            config
                .site(id)
                .ok_or_else(|| CommandFailure::usage(format!("there is no site {id}")))?,
        ),
        (None, _) if arguments.page.contains("://") => None,
        (None, [only]) => Some(only),
        (None, _) => {
            let known: Vec<_> = config.sites.iter().map(|site| site.id.as_str()).collect();
            return Err(CommandFailure::usage(format!(
                "name one of the sites with --site: {}",
                known.join(", ")
            )));
        }
    };
    if let Some(site) = named {
        return snapshot
            .meant(site, &arguments.page)
            .map_err(CommandFailure::usage);
    }
    let url = web_address("URL|PATH", &arguments.page)?;
    let found = snapshot
        .locate_url(&url)
        .or_else(|| config.sites.iter().find_map(|site| at_source(site, &url)));
    found.ok_or_else(|| {
        CommandFailure::usage(format!(
            "{} is not an address of a site that was built here",
            arguments.page
        ))
    })
}

fn say_why(site: &str, page: &str, code: &str, why: &str, options: &Options) -> ExitCode {
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "site": site, "page": page, "why": { "code": code, "text": why } })
        );
    } else {
        terminal::print(&format!("{site} {page}: {why}\n"));
    }
    ExitCode::Done
}

/// Shows what is left of an explanation; `missing` is what the site does where a translation is missing, if that is known.
fn show(
    explanation: &Explanation,
    is_any: bool,
    arguments: &Arguments,
    missing: Option<Missing>,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    if let (false, Some(text)) = (is_any, &arguments.text) {
        return Err(CommandFailure::failed(format!(
            "{} of {} has no text with {text:?}",
            explanation.page, explanation.site
        )));
    }
    if options.json {
        println!("{}", serde_json::json!(explanation));
        return Ok(ExitCode::Done);
    }
    let mut text = String::new();
    for locale in &explanation.locales {
        let page = &explanation.page;
        let tag = &locale.locale;
        let _ = writeln!(
            text,
            "{} {page} in {tag}: {}",
            explanation.site,
            standing(&explanation.site, locale, missing)
        );
        if let Some(cause) = locale
            .rendered_because
            .filter(|_| locale.published && arguments.text.is_none())
        {
            let _ = writeln!(text, "  rendered the last time because {}", cause.text());
        }
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
    terminal::print(&text);
    Ok(ExitCode::Done)
}

/// Whether the page is there, and why not.
fn standing(site: &SiteId, locale: &PageInLocale, missing: Option<Missing>) -> String {
    let share = format!("{:.0} % of its words are translated", locale.share * 100.0);
    let stays = locale
        .kept_since
        .filter(|_| locale.published && locale.standing != PageStanding::Off);
    if let Some(deployment) = stays {
        return format!(
            "published in an older version, which was up to date in deployment {deployment}: {share} in the new one, \
             less than min_translated wants, because an engine failed or was not asked; the next `latimer build` tries \
             again"
        );
    }
    match locale.standing {
        PageStanding::Translated if locale.published => format!("published, {share}"),
        PageStanding::Translated => format!("{share}; the next build publishes it"),
        PageStanding::TooLittle => {
            let instead = match missing {
                Some(Missing::Source307) => ": readers are led to the source page",
                Some(Missing::Notice) => ": readers get the source page with a notice",
                Some(Missing::NotFound | Missing::Gone) => ": it is not there",
                None => "",
            };
            let wanted = locale.min_translated * 100.0;
            format!("{share}, less than the {wanted:.0} % of min_translated{instead}")
        }
        PageStanding::Off => {
            format!(
                "switched off; `latimer locale {site} {} on` brings the language back",
                locale.locale
            )
        }
    }
}

fn write_text(text: &mut String, source: &TextSource) {
    let (origin, from) = match source.origin {
        TextOrigin::Person => {
            let from = match (&source.file, source.line) {
                (Some(file), Some(line)) => format!("{}:{line}", file.display()),
                _ => "the admin screen or the API".to_owned(),
            };
            ("person", from)
        }
        TextOrigin::Memory if source.engine.as_deref() == Some(BY_RULES) => {
            ("rules", "values, written by CLDR".to_owned())
        }
        TextOrigin::Memory => ("memory", source.engine.clone().unwrap_or_default()),
        TextOrigin::Untouched if !source.names.is_empty() => {
            ("untouched", "name of the site, kept".to_owned())
        }
        TextOrigin::Untouched => ("untouched", "there is no word in it".to_owned()),
        TextOrigin::LeftOut => (
            "left out",
            "its element is not there in this language".to_owned(),
        ),
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
        let _ = writeln!(
            text,
            "    outdated, so not published: {} → {}",
            outdated.source, outdated.target
        );
    }
    for name in source.names.iter().filter(|name| **name != source.source) {
        let _ = writeln!(text, "    {name}: name of the site, kept");
    }
    for reason in &source.refused {
        let _ = writeln!(text, "    refused: {reason}");
    }
}
