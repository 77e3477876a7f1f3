//! `latimer init`: looks at a source and writes a commented latimer.toml for it; with `--host`, how it is published there,
//! and with `--ci` the file of a CI service that does so.
//!
//! A folder is looked at; an address is taken as it is, because nothing is fetched here. What is found is a
//! proposal in comments and patterns, for a person to read before the first build.

mod advice;
mod ci;
mod engines;
mod file;
mod files;
mod generators;
mod host;
mod html;
mod look;
mod recipe;
mod repository;

use std::path::{Path, PathBuf};

use clap::Args;
use pipeline::model::{Host, Locale, WebAddressError, has_user, web_address};

use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use engines::SiteEngines;
use file::Wishes;
use files::{create, folder_of, relative, replace};
use host::HostFiles;
use look::SourceFindings;

/// The arguments of `latimer init`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The address of a site, or a folder of HTML files; left out to add a host to the latimer.toml that is there.
    #[arg(value_name = "URL|DIR", required_unless_present = "host")]
    source: Option<String>,
    /// A language wanted; may be given several times. Without one, the pseudo-locale en-XA for trying.
    #[arg(long = "locale", value_name = "LOCALE", value_parser = Locale::parse_wanted)]
    locales: Vec<Locale>,
    /// The host that the site is published to: nginx, apache, caddy, netlify, cloudflare-pages, vercel, github-pages,
    /// gitlab-pages, firebase, azure-swa, cloudfront, s3-website, or plain for any other server that rsync reaches.
    #[arg(long, value_name = "HOST", value_parser = host::parse)]
    host: Option<Host>,
    /// The site that is published there, where latimer.toml has several.
    #[arg(long, value_name = "ID", requires = "host", conflicts_with = "source")]
    site: Option<String>,
    /// Also writes the file of a CI service that builds and publishes.
    #[arg(long, value_name = "SERVICE", requires = "host")]
    ci: Option<ci::CiService>,
    /// Where that file goes, if not where the service looks for it.
    #[arg(long, value_name = "FILE", requires = "ci")]
    ci_file: Option<PathBuf>,
}

/// Looks at the source and writes the files, or adds a host to what is there.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    match &arguments.source {
        Some(source) => begin(source, arguments, options),
        None => add(arguments, options),
    }
}

/// Writes the file of a source.
fn begin(
    source: &str,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let path = options.config_file();
    if path.exists() {
        return Err(exists(&path));
    }
    let (source, mut findings) = look(source, &path)?;
    let locales = wanted(&arguments.locales, &findings)?;
    findings.propose_for(&locales);
    let wishes = arguments
        .host
        .map_or_else(Wishes::default, |host| host::wishes(host, &path));
    let text = file::write(&source, &findings, &locales, &wishes);
    let (text, written) = published(text, arguments, &path, &[])?;
    create(&path, &text, || exists(&path))?;
    if let Some(written) = &written {
        written.write()?;
    }
    let served = host::read(&text, &path)?.sites.first().map(SiteEngines::of);
    if options.json {
        println!(
            "{}",
            report(&path, &source, &findings, written.as_ref(), served.as_ref())
        );
    } else {
        let served = served
            .as_ref()
            .map(SiteEngines::to_string)
            .unwrap_or_default();
        let more = written
            .as_ref()
            .map(HostFiles::to_string)
            .unwrap_or_default();
        let next = if written.is_some() {
            "then: latimer build, and latimer publish"
        } else {
            "then: latimer build"
        };
        options.progress().note(&format!(
            "{findings}{more}{served}wrote {}; read it, {next}",
            path.display()
        ));
    }
    Ok(ExitCode::Done)
}

/// Adds a host to a file that is there, or only the file of a CI service where it has the host already.
fn add(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let path = options.config_file();
    let config = options.config()?;
    if !arguments.locales.is_empty() {
        return Err(CommandFailure::usage(
            "--locale goes with URL|DIR; add languages to `locales` in latimer.toml",
        ));
    }
    let unreadable =
        |error| CommandFailure::failed(format!("cannot read {}: {error}", path.display()));
    let before = std::fs::read_to_string(&path).map_err(unreadable)?;
    let names: Vec<String> = config
        .publish
        .iter()
        .map(|target| target.name.to_string())
        .collect();
    let (text, Some(written)) = published(before.clone(), arguments, &path, &names)? else {
        return Ok(ExitCode::Done);
    };
    let table = &written.recipe.table;
    let has_table = names.contains(&written.recipe.name);
    if has_table && !(arguments.ci.is_some() && before.contains(table)) {
        return Err(CommandFailure::failed(format!(
            "{} has a table [publish.{}] already, and nothing was written; remove it, or change it yourself to:\n\n{table}",
            path.display(),
            written.recipe.name
        )));
    }
    written.write()?;
    if !has_table {
        replace(&path, &text)?;
    }
    if options.json {
        println!(
            "{}",
            serde_json::json!({ "file": path.display().to_string(), "host": written.report() })
        );
    } else {
        let added = if has_table {
            String::new()
        } else {
            format!("added to {}:\n\n{table}", path.display())
        };
        options.progress().note(&format!("{written}{added}"));
    }
    Ok(ExitCode::Done)
}

/// A file's text with the table of the host, unless it is one of those that are in it, and what goes with it; nothing is
/// written yet.
fn published(
    text: String,
    arguments: &Arguments,
    path: &Path,
    names: &[String],
) -> Result<(String, Option<HostFiles>), CommandFailure> {
    let Some(host) = arguments.host else {
        return Ok((text, None));
    };
    let ci = (arguments.ci, arguments.ci_file.as_deref());
    let written = HostFiles::plan(&text, path, host, arguments.site.as_deref(), ci)?;
    if names.contains(&written.recipe.name) {
        return Ok((text, Some(written)));
    }
    let text = format!("{}\n\n{}", text.trim_end(), written.recipe.table);
    host::read(&text, path)?;
    Ok((text, Some(written)))
}

/// The source as the file will name it, and what is to be seen there.
fn look(source: &str, file: &Path) -> Result<(String, SourceFindings), CommandFailure> {
    if source.contains("://") || has_user(source) {
        let url = web_address(source).map_err(|error| CommandFailure::usage(in_words(error)))?;
        return Ok((url.to_string(), SourceFindings::of_address(&url)));
    }
    if let Some(advice) = advice::of(source) {
        return Err(CommandFailure::usage(advice));
    }
    let unreadable = |error| CommandFailure::failed(format!("cannot look at {source}: {error}"));
    let folder = std::fs::canonicalize(source).map_err(unreadable)?;
    let findings = SourceFindings::of_folder(&folder).map_err(unreadable)?;
    let beside = folder_of(file).map_err(unreadable)?;
    if beside.starts_with(&findings.root) {
        return Err(CommandFailure::usage(format!(
            "{} would lie inside its own source; run init from the folder above, or name a file elsewhere with -c",
            file.display()
        )));
    }
    match relative(&findings.root, &beside).to_str() {
        Some(path) => Ok((path.replace('\\', "/"), findings)),
        None => Err(CommandFailure::usage(format!(
            "{source} is not a path in UTF-8, which latimer.toml cannot name"
        ))),
    }
}

/// The reason for refusing an address as a source.
fn in_words(error: WebAddressError) -> String {
    let advice = match error {
        WebAddressError::Form => "",
        WebAddressError::User => {
            "; if the site needs a login, put the line `Authorization: …` into a file and name it as `headers_file` in \
             [site.crawl]"
        }
    };
    format!("URL|DIR {error}{advice}")
}

fn wanted(locales: &[Locale], findings: &SourceFindings) -> Result<Vec<Locale>, CommandFailure> {
    let mut wanted: Vec<Locale> = Vec::new();
    for locale in locales {
        if *locale == findings.source_locale {
            return Err(CommandFailure::usage(format!(
                "{locale} is the language of the source; leave it out"
            )));
        }
        if !wanted.contains(locale) {
            wanted.push(locale.clone());
        }
    }
    Ok(wanted)
}

fn exists(path: &Path) -> CommandFailure {
    let path = path.display();
    CommandFailure::failed(format!(
        "{path} exists already and was not changed; remove it, give another file with -c, or add a host to it: \
         latimer init --host NAME, without URL|DIR"
    ))
}

fn report(
    path: &Path,
    source: &str,
    findings: &SourceFindings,
    written: Option<&HostFiles>,
    served: Option<&SiteEngines>,
) -> serde_json::Value {
    serde_json::json!({
        "file": path.display().to_string(),
        "source": source,
        "source_locale": findings.source_locale,
        "generator": findings.generator,
        "languages": findings.languages,
        "keep": findings.keeps.iter().map(|kept| &kept.rule).collect::<Vec<_>>(),
        "exclude": findings.excludes.iter().map(|exclude| &exclude.rule).collect::<Vec<_>>(),
        "host": written.map(HostFiles::report),
        "engines": served,
    })
}

#[cfg(test)]
mod tests;
