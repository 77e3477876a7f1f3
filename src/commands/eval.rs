//! `latimer eval`: how near engines come to the translations that people made of the site's own texts.
//!
//! It says what it will send before it sends anything, and writes nothing.

use std::fmt::Write as _;

use clap::Args;
use pipeline::config::{Config, NamedEngine, SiteConfig};
use pipeline::counted::counted;
use pipeline::engines::{EnginePlace, RouteFigure};
use pipeline::inspect::{self, Evaluation, Examination, Score, TextScore};
use pipeline::model::{Locale, SiteId};
use pipeline::run::{BuildOptions, BuildStep};
use pipeline::translate::Cost;

use super::{export, models, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// Fewer texts than these say little about an engine.
const FEW: usize = 50;

/// The arguments of `latimer eval`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The site, where the configuration has several.
    #[arg(value_parser = SiteId::parse)]
    site: Option<SiteId>,
    /// The language whose reviewed translations are compared with.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locale: Locale,
    /// An engine of the configuration, or identity, pseudo, fx, apertium, command:PROGRAM ARGUMENT…; the site's own
    /// without it. May be given several times: what one cannot do falls to the next.
    #[arg(long = "engine", value_name = "ENGINE")]
    engines: Vec<String>,
    /// Sends no more characters than this to engines: what would cost more is refused before anything is sent (exit
    /// code 4).
    #[arg(long, value_name = "N")]
    max_chars: Option<u64>,
    /// Saves the result in the file that `figures` of the site names; builds use it to choose routes.
    #[arg(long)]
    save: bool,
    /// How many texts to show, from the worst on.
    #[arg(long, value_name = "N", default_value_t = 5)]
    worst: usize,
}

/// Asks the engines for what people translated and says how near they come.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let config = options.config()?;
    let mut site = export::choose(&config, arguments.site.as_ref(), &arguments.locale)?.clone();
    if arguments.locale.is_pseudo() {
        return Err(CommandFailure::usage(format!(
            "{} is no language; name one that people translate into",
            arguments.locale
        )));
    }
    if !arguments.engines.is_empty() {
        site.engines_in.clear();
        site.engines = arguments
            .engines
            .iter()
            .map(|name| engine(&config, name))
            .collect::<Result<_, _>>()?;
    }
    let build = BuildOptions {
        max_characters: arguments.max_chars,
        ..work::build_options(&config)
    };
    work::until_interrupted(evaluate(&site, &build, arguments, options))
}

fn engine(config: &Config, name: &str) -> Result<NamedEngine, CommandFailure> {
    if let Some(engine) = config.engine(name) {
        return Ok(engine);
    }
    let spec = pipeline::config::engine_from_option(name, &models::default_folder())
        .map_err(CommandFailure::usage)?;
    let name = name.split([':', ' ']).next().unwrap_or_default().to_owned();
    Ok(NamedEngine::unpriced(&name, spec))
}

async fn evaluate(
    site: &SiteConfig,
    build: &BuildOptions,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let locale = &arguments.locale;
    let nothing = |why: String| {
        CommandFailure::failed(format!(
            "{}: there is nothing to compare with: {why}",
            site.id
        ))
    };
    let Some(file) = site.translations.as_ref().map(|file| file.path(locale)) else {
        let advice = "set translations = \"translations/{lang}.po\" and let people translate some texts there";
        return Err(nothing(format!("the site has no `translations`; {advice}")));
    };
    let progress = options.progress();
    let step = |step: &BuildStep<'_>| progress.step(step);
    let examination = inspect::examine(site, build, locale, &step).await;
    progress.finish();
    let examination = examination.map_err(|error| work::failure(&site.id, &error))?;
    if examination.is_empty() {
        return Err(nothing(format!(
            "{} has no translations that count (fuzzy ones do not); `latimer export --locale {locale}` writes it for \
             people to translate",
            file.display()
        )));
    }
    if examination.route().is_empty() {
        let hints = [examination.hints(), examination.notices().to_vec()]
            .concat()
            .join("; ");
        let message = format!(
            "{}: no engine has {}: {hints}",
            site.id,
            site.pair_to(locale)
        );
        return Err(CommandFailure {
            code: ExitCode::Untranslated,
            message,
        });
    }
    progress.note(&announce(&examination, site, locale));
    let mut evaluation = examination.run(&step).await;
    progress.finish();
    evaluation.marks.truncate(arguments.worst);
    if evaluation.scored == 0 {
        let reason = evaluation
            .refusals
            .first()
            .map_or("every text stays as it is", |(_, reason)| reason);
        let message = format!(
            "{}: engines translated none of {}: {reason}",
            site.id,
            counted(evaluation.texts, "segment")
        );
        return Err(CommandFailure {
            code: ExitCode::Untranslated,
            message,
        });
    }
    if arguments.save {
        save(&evaluation, site)?;
    }
    match options.json {
        true => println!("{}", report(&evaluation)),
        false => terminal::print(&write(&evaluation)),
    }
    Ok(if evaluation.refused > 0 {
        ExitCode::Partial
    } else {
        ExitCode::Done
    })
}

/// Saves the figures of a route. Refuses results of few texts or of several engines together.
fn save(evaluation: &Evaluation, site: &SiteConfig) -> Result<(), CommandFailure> {
    let refuse = |why: String| {
        Err(CommandFailure::failed(format!(
            "{}: the figures are not saved: {why}",
            site.id
        )))
    };
    let Some(file) = &site.figures else {
        return refuse(
            "set figures = \"figures.json\" for the site, where they are to be kept".into(),
        );
    };
    if evaluation.scored < FEW {
        return refuse(format!("fewer than {FEW} texts say little"));
    }
    let used: Vec<&String> = evaluation
        .engines
        .iter()
        .filter(|(_, texts)| **texts > 0)
        .map(|(name, _)| name)
        .collect();
    let [route] = used[..] else {
        let names = used
            .iter()
            .map(|name| name.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        return refuse(format!(
            "{names} translated together; name one with --engine"
        ));
    };
    let figure = RouteFigure {
        route: route.clone(),
        from: site.source_locale.clone(),
        to: evaluation.locale.clone(),
        chrf: evaluation.score.chrf,
        bleu: evaluation.score.bleu,
        texts: evaluation.scored,
    };
    figure
        .save(file)
        .map_err(|error| CommandFailure::failed(format!("{}: {error}", file.display())))
}

/// What will be sent, and to whom.
fn announce(examination: &Examination, site: &SiteConfig, locale: &Locale) -> String {
    let route = examination.route();
    let place = |name: &str| match route.iter().find(|(known, _)| *known == name) {
        Some((_, EnginePlace::Remote)) => "a service on another machine",
        Some((_, EnginePlace::LocalProcess)) => "a program on this machine",
        Some((_, EnginePlace::InProcess)) | None => "in this process",
    };
    let cost = |Cost {
                    engine,
                    texts,
                    characters,
                    ..
                }: &Cost| {
        let characters = counted(*characters, "character");
        let segments = counted(*texts, "segment");
        format!(
            "{engine} ({}) gets {characters} of {segments}",
            place(engine)
        )
    };
    let costs: Vec<String> = examination.costs().iter().map(cost).collect();
    let costs = if costs.is_empty() {
        "nothing is sent".to_owned()
    } else {
        costs.join(", ")
    };
    let texts = examination.len();
    let pair = site.pair_to(locale);
    format!(
        "{}: {} that people translated from {pair}; {costs}",
        site.id,
        counted(texts, "segment")
    )
}

fn report(evaluation: &Evaluation) -> serde_json::Value {
    let mut report = serde_json::json!(evaluation);
    if let Some(object) = report.as_object_mut() {
        let refusal = |(source, reason): &(String, String)| serde_json::json!({"source": source, "reason": reason});
        object.insert(
            "refusals".into(),
            evaluation.refusals.iter().map(refusal).collect(),
        );
        object.insert("meansLittle".into(), (evaluation.scored < FEW).into());
    }
    report
}

fn write(evaluation: &Evaluation) -> String {
    let Evaluation {
        site,
        locale,
        texts,
        found,
        scored,
        refused,
        untouched,
        ..
    } = evaluation;
    let mut text = String::new();
    let engines: Vec<String> = evaluation
        .engines
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    let _ = writeln!(text, "{site}: {locale} by {}", engines.join(", "));
    let segments = counted(*texts, "segment");
    let _ = writeln!(
        text,
        "  {segments} that people translated, {found} of them in the source as it is"
    );
    let _ = writeln!(
        text,
        "  {scored} scored, {refused} refused, {untouched} untouched"
    );
    let mut line = |what: &str, score: &Score| {
        let _ = writeln!(
            text,
            "  {what:30} chrF {:5.1}  BLEU {:5.1}",
            score.chrf, score.bleu
        );
    };
    line("translated", &evaluation.score);
    line("the same left untranslated", &evaluation.source_score);
    if refused + untouched > 0 {
        line("all texts as published", &evaluation.published_score);
    }
    if *scored < FEW {
        let _ = writeln!(text, "  fewer than {FEW} texts: the figures mean little");
    }
    for notice in &evaluation.notices {
        let _ = writeln!(text, "  notice: {notice}");
    }
    for (source, reason) in &evaluation.refusals {
        let _ = writeln!(text, "  refused: {reason}: {source}");
    }
    if !evaluation.marks.is_empty() {
        let _ = writeln!(text, "  the worst:");
    }
    for TextScore {
        chrf,
        source,
        made,
        wanted,
    } in &evaluation.marks
    {
        let _ = writeln!(
            text,
            "  {chrf:5.1}  {source}\n         made:   {made}\n         people: {wanted}"
        );
    }
    text
}
