//! `latimer engine`: a test of an engine with one sentence.

use std::fmt::Write as _;

use clap::{Args, Subcommand};
use pipeline::config::{Config, EngineOptionError, NamedEngine, engine_from_option};
use pipeline::counted::counted;
use pipeline::engines::{AnswerFormat, RequestForm};
use pipeline::inspect::{self, EngineTest, KeptParts};
use pipeline::model::{LanguagePair, Locale};

use super::cost::{money, tokens_in_words};
use super::{models, work};
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer engine`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
enum Action {
    /// Asks an engine for one sentence and shows the time, tokens, request form and answer.
    Test(Test),
}

/// The arguments of `latimer engine test`.
#[derive(Debug, Args)]
struct Test {
    /// Engine of the configuration, or identity, pseudo, fx, apertium, command:PROGRAM ARGUMENT…
    #[arg(value_name = "NAME")]
    engine: String,
    /// Language to translate into.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locale: Locale,
    /// Language of the sentence (default: that of the site with this engine and language, else that of the first site).
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    from: Option<Locale>,
}

/// Asks an engine once.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let Action::Test(arguments) = &arguments.action;
    let config = options.config_if_there()?;
    let (engine, site_language) = engine(config.as_ref(), &arguments.engine, &arguments.locale)?;
    if arguments.locale.is_pseudo() && engine.spec.translates() {
        return Err(CommandFailure::usage(format!(
            "{} is not a language; name one that the engine translates into",
            arguments.locale
        )));
    }
    let from = sentence_language(arguments.from.as_ref(), site_language)?;
    if from.as_str() == arguments.locale.as_str() {
        return Err(CommandFailure::usage(format!(
            "the sentence is in {from} already; name another language with --locale or --from"
        )));
    }
    work::until_interrupted(test(&engine, &from, arguments, options))
}

/// The engine with the instructions of the site that uses it for this language, and the language of that site.
fn engine(
    config: Option<&Config>,
    name: &str,
    locale: &Locale,
) -> Result<(NamedEngine, Option<Locale>), CommandFailure> {
    let sites = config
        .map(|config| config.sites.as_slice())
        .unwrap_or_default();
    let first = sites.first().map(|site| site.source_locale.clone());
    for site in sites.iter().filter(|site| site.locales.contains(locale)) {
        if let Some(engine) = site
            .engines_for(locale)
            .into_iter()
            .find(|engine| engine.name == name)
        {
            return Ok((engine, Some(site.source_locale.clone())));
        }
    }
    if let Some(engine) = config.and_then(|config| config.engine(name)) {
        return Ok((engine, first));
    }
    let spec = engine_from_option(name, &models::default_folder())
        .map_err(|error| unknown(config, &error))?;
    let name = name.split([':', ' ']).next().unwrap_or_default().to_owned();
    Ok((NamedEngine::unpriced(&name, spec), first))
}

/// Error for an unknown engine, with the names of the known ones.
fn unknown(config: Option<&Config>, error: &EngineOptionError) -> CommandFailure {
    let (EngineOptionError::Unknown { name, .. }, Some(config)) = (error, config) else {
        return CommandFailure::usage(error);
    };
    let known: Vec<String> = config
        .engines()
        .into_iter()
        .map(|engine| engine.name)
        .collect();
    CommandFailure::usage(format!(
        "there is no engine `{name}`; write one of {} or command:PROGRAM",
        known.join(", ")
    ))
}

fn has_sentence(locale: &Locale) -> bool {
    inspect::sample_languages().any(|tag| tag == locale.language())
}

/// Language of the sentence: the wanted one, else that of the site if there is a sentence in it, else English.
fn sentence_language(
    wanted: Option<&Locale>,
    of_site: Option<Locale>,
) -> Result<Locale, CommandFailure> {
    match wanted {
        Some(wanted) if has_sentence(wanted) => Ok(wanted.clone()),
        Some(wanted) => {
            let known: Vec<&str> = inspect::sample_languages().collect();
            Err(CommandFailure::usage(format!(
                "there is no sentence in {wanted}; write --from with one of {}",
                known.join(", ")
            )))
        }
        None => match of_site.filter(has_sentence) {
            Some(of_site) => Ok(of_site),
            None => Locale::parse("en").map_err(CommandFailure::failed),
        },
    }
}

async fn test(
    engine: &NamedEngine,
    from: &Locale,
    arguments: &Test,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let pair = LanguagePair {
        from,
        to: &arguments.locale,
    };
    let progress = options.progress();
    progress.note(&format!(
        "asking {} ({}) for one sentence, {from} to {}",
        engine.name,
        engine.spec.kind(),
        pair.to
    ));
    let tested = inspect::test_engine(engine, pair).await;
    progress.finish();
    let tested =
        tested.ok_or_else(|| CommandFailure::usage(format!("there is no sentence in {from}")))?;
    match options.json {
        true => println!("{}", serde_json::json!(tested)),
        false => terminal::print(&write(&tested, engine)),
    }
    Ok(if tested.ok {
        ExitCode::Done
    } else {
        ExitCode::Partial
    })
}

fn write(test: &EngineTest, engine: &NamedEngine) -> String {
    let mut lines = Vec::new();
    if let Some(time) = test.time_ms {
        lines.push(("time", format!("{time} ms")));
    }
    if test.requests > 0 {
        let requests = counted(test.requests, "request");
        let characters = counted(test.characters, "character");
        lines.push(("sent", format!("{requests}, {characters}")));
    }
    match &test.tokens {
        Some(tokens) => lines.push(("tokens", tokens_in_words(tokens))),
        None if engine.spec.counts_tokens() && test.answer.is_some() => {
            lines.push(("tokens", "the service reports none".to_owned()));
        }
        None => {}
    }
    lines.extend(test.price.map(|price| ("price", money(price))));
    lines.extend(test.form.as_ref().map(|form| ("form", form_in_words(form))));
    lines.push(("text", test.source.clone()));
    lines.extend(test.answer.clone().map(|answer| ("answer", answer)));
    if let Some(KeptParts {
        code,
        number,
        placeholder,
    }) = test.kept
    {
        for (part, is_kept) in [
            ("code", code),
            ("number", number),
            ("placeholder", placeholder),
        ] {
            lines.push((
                part,
                if is_kept {
                    "came back"
                } else {
                    "did not come back"
                }
                .to_owned(),
            ));
        }
    }
    lines.extend(
        test.problems
            .iter()
            .map(|problem| ("problem", problem.clone())),
    );
    lines.extend(test.notices.iter().map(|notice| ("notice", notice.clone())));
    let verdict = if test.ok { "works" } else { "does not work" };
    let mut text = format!(
        "{} ({}), {} to {}: {verdict}\n",
        test.engine, test.kind, test.from, test.locale
    );
    for (name, said) in lines {
        let _ = writeln!(text, "  {name:11} {said}");
    }
    text
}

fn form_in_words(form: &RequestForm) -> String {
    let format = match form.format {
        AnswerFormat::Schema => "JSON schema",
        AnswerFormat::Object => "JSON object",
        AnswerFormat::Plain => "plain, by the prompt alone",
    };
    let temperature = form
        .temperature
        .map_or("no temperature".to_owned(), |degree| {
            format!("temperature {degree}")
        });
    let role = if form.system {
        "role system"
    } else {
        "no role system"
    };
    format!("{format}; {temperature}; {role}")
}
