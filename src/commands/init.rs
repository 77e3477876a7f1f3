//! `latimer init`: looks at a source and writes a commented latimer.toml for it.
//!
//! A folder is looked at; an address is taken as it is, because nothing is fetched here. What is found is a
//! proposal in comments and excludes, for a person to read before the first build.

mod file;
mod generators;
mod html;
mod look;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use pipeline::model::Locale;
use url::Url;

use crate::exit::{ExitCode, Failure};
use crate::options::Options;
use look::Findings;

/// The arguments of `latimer init`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The address of a site, or a folder of HTML files.
    #[arg(value_name = "URL|DIR")]
    source: String,
    /// A language wanted; may be given several times. Without one, the pseudo-locale en-XA for trying.
    #[arg(long = "locale", value_name = "LOCALE", value_parser = Locale::parse)]
    locales: Vec<Locale>,
}

/// Looks at the source and writes the file.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let path = options.config_file();
    if path.exists() {
        return Err(exists(&path));
    }
    let (source, findings) = look(&arguments.source, &path)?;
    let locales = wanted(&arguments.locales, &findings)?;
    let text = file::write(&source, &findings, &locales);
    create(&path, &text)?;
    if options.json {
        println!("{}", report(&path, &source, &findings));
    } else {
        options.progress().note(&format!("{}wrote {}; read it, then: latimer build", findings, path.display()));
    }
    Ok(ExitCode::Done)
}

/// The source as the file will name it, and what is to be seen there.
fn look(source: &str, file: &Path) -> Result<(String, Findings), Failure> {
    if source.contains("://") {
        let url = Url::parse(source).map_err(|error| Failure::usage(format!("{source} is no address: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Failure::usage(format!("{source} is not an http:// or https:// address")));
        }
        return Ok((url.to_string(), Findings::of_address(&url)));
    }
    let unreadable = |error| Failure::failed(format!("cannot look at {source}: {error}"));
    let folder = std::fs::canonicalize(source).map_err(unreadable)?;
    let findings = Findings::of_folder(&folder).map_err(unreadable)?;
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = std::fs::canonicalize(beside).map_err(unreadable)?;
    if beside.starts_with(&findings.root) {
        return Err(Failure::usage(format!(
            "{} would lie inside its own source; run init from the folder above, or name a file elsewhere with -c",
            file.display()
        )));
    }
    match relative(&findings.root, &beside).to_str() {
        Some(path) => Ok((path.replace('\\', "/"), findings)),
        None => Err(Failure::usage(format!("{source} is not a path in UTF-8, which latimer.toml cannot name"))),
    }
}

/// The path from one folder to another, both absolute.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let shared = to.components().zip(from.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

fn wanted(locales: &[Locale], findings: &Findings) -> Result<Vec<Locale>, Failure> {
    let mut wanted: Vec<Locale> = Vec::new();
    for locale in locales {
        if *locale == findings.source_locale {
            return Err(Failure::usage(format!("{locale} is the language of the source; leave it out")));
        }
        if !wanted.contains(locale) {
            wanted.push(locale.clone());
        }
    }
    Ok(wanted)
}

/// Creates the file; another one that appeared meanwhile is left alone.
fn create(path: &Path, text: &str) -> Result<(), Failure> {
    let opened = OpenOptions::new().write(true).create_new(true).open(path);
    match opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(Failure::failed(format!("cannot write {}: {error}", path.display()))),
    }
}

fn exists(path: &Path) -> Failure {
    let path = path.display();
    Failure::failed(format!("{path} exists already and was not changed; remove it, or give another file with -c"))
}

fn report(path: &Path, source: &str, findings: &Findings) -> serde_json::Value {
    serde_json::json!({
        "file": path.display().to_string(),
        "source": source,
        "source_locale": findings.source_locale,
        "generator": findings.generator,
        "languages": findings.languages,
        "exclude": findings.excludes.iter().map(|exclude| &exclude.rule).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
