//! `latimer render`: the bare core on one file or a folder, without configuration and state.

use std::convert::Infallible;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use pipeline::bare::{Bare, BareReport};
use pipeline::config::engine_from_option;
use pipeline::engines::{EngineSpec, Routes, start};
use pipeline::exchange::Catalogue;
use pipeline::model::{LanguagePair, Locale};
use pipeline::translate::Chain;

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer render`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// identity, pseudo, fx, apertium, or command:PROGRAM ARGUMENT… (split on spaces, no shell). May be given several
    /// times: what one cannot do falls to the next, and a pair that none has to two of them.
    #[arg(long = "engine", value_name = "ENGINE", required = true)]
    engines: Vec<String>,
    /// Reviewed translations, which go before the engine.
    #[arg(long, value_name = "FILE.po")]
    translations: Option<PathBuf>,
    /// The language of the source.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    from: Locale,
    /// The language wanted.
    #[arg(long, value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    to: Locale,
    /// Leaves lang, dir and the head's links and data as they are.
    #[arg(long)]
    no_head: bool,
    /// Leaves links as they are.
    #[arg(long)]
    no_links: bool,
    /// The folder of neural models, for the engine fx.
    #[arg(
        long,
        value_name = "FOLDER",
        env = "LATIMER_MODELS",
        default_value = "models"
    )]
    models: PathBuf,
    /// An HTML file, a feed or web manifest, a folder, or - for standard input.
    #[arg(value_name = "IN")]
    input: FileOrStream,
    /// A file, a folder, or - for standard output.
    #[arg(value_name = "OUT")]
    output: FileOrStream,
}

/// A file or folder, or a standard stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileOrStream {
    /// Standard input or output, written `-`.
    Stream,
    /// A file or folder.
    Path(PathBuf),
}

impl FromStr for FileOrStream {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "-" {
            Self::Stream
        } else {
            Self::Path(text.into())
        })
    }
}

/// Localizes a file, a stream or a folder.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let parse = |engine: &String| {
        engine_from_option(engine, &arguments.models).map(|spec| (name(engine), spec))
    };
    let engines: Vec<_> = arguments
        .engines
        .iter()
        .map(parse)
        .collect::<Result<_, _>>()
        .map_err(CommandFailure::usage)?;
    work::until_interrupted(render(&engines, arguments, options))
}

/// What reports call an engine.
fn name(engine: &str) -> String {
    engine
        .split([':', ' '])
        .next()
        .unwrap_or_default()
        .to_owned()
}

async fn render(
    engines: &[(String, EngineSpec)],
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let catalogue = match &arguments.translations {
        Some(file) if !file.is_file() => {
            return Err(CommandFailure::usage(format!(
                "there is no file {}",
                file.display()
            )));
        }
        Some(file) => {
            Catalogue::open(file).map_err(|error| CommandFailure::usage(work::chain(&error)))?
        }
        None => Catalogue::default(),
    };
    let start = |(name, engine): &(String, EngineSpec)| {
        start(engine).map(|started| (name.clone(), started))
    };
    let started = engines.iter().map(start).collect::<Result<_, _>>();
    let started = started.map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let pair = LanguagePair {
        from: arguments.from.clone(),
        to: arguments.to.clone(),
    };
    let bare = Bare {
        chain: Chain::of_pair(started, pair.as_ref(), &Routes::default()),
        catalogue,
        pair,
        head: !arguments.no_head,
        links: !arguments.no_links,
    };
    let done = match (&arguments.input, &arguments.output) {
        (FileOrStream::Path(from), FileOrStream::Path(to)) if from.is_dir() => {
            let progress = options.progress();
            let report = |done: usize, total: usize| progress.report("render", done, Some(total));
            bare.folder(from, to, &report)
                .await
                .map_err(|error| CommandFailure::failed(work::chain(&error)))?
        }
        (input, output) => {
            let name = match input {
                FileOrStream::Stream => None,
                FileOrStream::Path(path) => path.to_str(),
            };
            let (page, done) = bare.page(name, &read(input)?).await;
            write(output, &page)?;
            done
        }
    };
    Ok(report(&done, options))
}

fn report(done: &BareReport, options: &Options) -> ExitCode {
    if options.json {
        let refused = done.refused.iter();
        let refused =
            refused.map(|(page, source, reason)| serde_json::json!({"path": page, "source": source, "reason": reason}));
        let report = serde_json::json!({
            "pages": done.pages,
            "files": done.files,
            "untranslated": done.untranslated,
            "refused": refused.collect::<Vec<_>>(),
            "hints": done.hints,
            "search": done.indexes.iter().map(|(file, reason)| serde_json::json!({"path": file, "reason": reason})).collect::<Vec<_>>(),
            "refusing": done.refusing,
            "elsewhere": done.elsewhere.iter().map(|(page, found)| {
                serde_json::json!({"path": page, "language": found.language, "translated": found.is_translated})
            }).collect::<Vec<_>>(),
        });
        println!("{report}");
    }
    for (page, source, reason) in &done.refused {
        terminal::warn(&format!("latimer: {page}: refused: {reason}: {source}"));
    }
    for hint in &done.hints {
        terminal::warn(&format!("latimer: {hint}"));
    }
    for (file, reason) in &done.indexes {
        terminal::warn(&format!("latimer: {file}: {reason}"));
    }
    for page in &done.refusing {
        terminal::warn(&format!(
            "latimer: {page}: it asks not to be translated (<meta name=\"google\" content=\"notranslate\">) and stays as it is"
        ));
    }
    for (page, found) in &done.elsewhere {
        let language = &found.language;
        let then = match found.is_translated {
            true => "it is translated all the same, because --from says so",
            false => "it stays as it is",
        };
        terminal::warn(&format!(
            "latimer: {page}: it is in {language}, by its lang and its words; {then}"
        ));
    }
    for (page, encoding, places) in &done.broken {
        terminal::warn(&format!(
            "latimer: {page}: {places} places make no sense in its encoding, {encoding}; readers see \u{fffd} there"
        ));
    }
    match (done.refused.is_empty(), done.hints.is_empty()) {
        (_, false) => ExitCode::Untranslated,
        (false, true) => ExitCode::Partial,
        (true, true) => ExitCode::Done,
    }
}

fn read(place: &FileOrStream) -> Result<Vec<u8>, CommandFailure> {
    let failed = |error: std::io::Error, what: String| {
        CommandFailure::failed(format!("cannot read {what}: {error}"))
    };
    match place {
        FileOrStream::Stream => {
            let mut html = Vec::new();
            std::io::stdin()
                .read_to_end(&mut html)
                .map_err(|error| failed(error, "standard input".into()))?;
            Ok(html)
        }
        FileOrStream::Path(path) => {
            std::fs::read(path).map_err(|error| failed(error, path.display().to_string()))
        }
    }
}

fn write(place: &FileOrStream, html: &[u8]) -> Result<(), CommandFailure> {
    let failed = |error: std::io::Error, what: String| {
        CommandFailure::failed(format!("cannot write {what}: {error}"))
    };
    match place {
        FileOrStream::Stream => std::io::stdout()
            .write_all(html)
            .map_err(|error| failed(error, "standard output".into())),
        FileOrStream::Path(path) => {
            std::fs::write(path, html).map_err(|error| failed(error, path.display().to_string()))
        }
    }
}
