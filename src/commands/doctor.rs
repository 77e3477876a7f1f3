//! `latimer doctor`: looks at everything that the configuration names, and says what is wrong and what to do.
//!
//! Nothing is built, sent or changed, but for a small file that is put into a bucket and removed: the source is looked at where it is a folder, engines are started and asked which
//! languages they have, stores are opened.

mod disk;
mod finding;
mod keys;
mod targets;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use pipeline::causes::chain;
use pipeline::config::{Config, Objects, SiteConfig, Source};
use pipeline::engines::{Engine, EngineError, start};
use pipeline::exchange::{Catalogue, Glossary, MemoryLines, SlugFile};
use pipeline::model::Locale;
use pipeline::models::State;
use pipeline::publish::{self, Objects as PublishedObjects, Published, Standing, Switches, note_damage};
use pipeline::store;
use pipeline::translate::Chain;
use serde_json::json;

use self::disk::writable;
use self::finding::{Finding, Health};
use super::work;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;

/// How many damaged files a finding names.
const NAMED: usize = 3;

/// The arguments of `latimer doctor`: none of its own.
#[derive(Debug, Args)]
pub(crate) struct Arguments {}

/// Looks at everything; fails when something does not work.
pub(crate) fn run(_arguments: &Arguments, options: &Options) -> Result<ExitCode, Failure> {
    let config = options.config()?;
    work::until_interrupted(async {
        let mut findings =
            vec![Finding::new("configuration", Health::Good, options.config_file().display().to_string())];
        let mut engines = BTreeMap::new();
        for site in &config.sites {
            findings.push(source(site));
            files(site, &mut findings);
            words(site, &mut engines, &mut findings);
            findings.extend(browser(site).await);
            findings.extend(pagefind(site).await);
        }
        keys::look(&config, &mut findings);
        super::models::folders(&config).iter().for_each(|folder| models(folder, &mut findings));
        objects(&config, &mut findings).await;
        findings.push(memory(&config).await);
        targets::look(&config, &mut findings).await;
        findings.extend(mail(&config).await);
        state(&config, &mut findings);
        Ok(report(&findings, options))
    })
}

fn source(site: &SiteConfig) -> Finding {
    let what = format!("{}: source", site.id);
    match &site.source {
        Source::Web(address) => Finding::new(what, Health::Good, format!("{address}, which is asked when it is built")),
        Source::Folder(folder) => {
            let pages = folder.join("index.html").is_file() || folder.join("index.htm").is_file();
            match std::fs::read_dir(folder) {
                Ok(_) if pages => Finding::new(what, Health::Good, folder.display().to_string()),
                Ok(_) => {
                    let found = format!("{} has no index.html; build the site there first", folder.display());
                    Finding::new(what, Health::Poor, found)
                }
                Err(error) => Finding::new(what, Health::Bad, format!("cannot read {}: {error}", folder.display())),
            }
        }
    }
}

/// The browser that draws pages, if one is wanted.
async fn browser(site: &SiteConfig) -> Option<Finding> {
    let discovery = site.scripts.discovery.as_ref()?;
    let tried = pipeline::browser::try_out(&discovery.browser).await;
    Some(Finding::of(format!("{}: browser", site.id), tried.map_err(|error| chain(&error))))
}

/// The program that writes an index, if one is wanted.
async fn pagefind(site: &SiteConfig) -> Option<Finding> {
    let tried = pipeline::run::try_pagefind(&site.search).await?;
    Some(Finding::of(format!("{}: Pagefind", site.id), tried))
}

/// The files of words and paths that lie beside the configuration.
fn files(site: &SiteConfig, findings: &mut Vec<Finding>) {
    findings.extend(site.glossary.as_ref().map(|file| {
        let found = Glossary::open(file, &site.source_locale);
        let found = found.map(|_| format!("{}: can be read", file.display())).map_err(|error| work::chain(&error));
        Finding::of(format!("{}: glossary", site.id), found)
    }));
    for locale in site.locales.iter().filter(|locale| !locale.is_pseudo()) {
        let mut look = |what: &str, file: Option<&Path>, read: &dyn Fn(&Path) -> Result<String, String>| {
            let Some(file) = file.filter(|file| file.exists()) else { return };
            let found = read(file).map(|found| format!("{}: {found}", file.display()));
            findings.push(Finding::of(format!("{}: {what} in {locale}", site.id), found));
        };
        let path = |file: &Option<pipeline::config::LocaleFile>| file.as_ref().map(|file| file.path(locale));
        look("translations", path(&site.translations).as_deref(), &|file| {
            Catalogue::open(file).map(|_| "can be read".to_owned()).map_err(|error| work::chain(&error))
        });
        look("memory", path(&site.memory).as_deref(), &|file| {
            let lines = MemoryLines::open(file).map_err(|error| work::chain(&error))?;
            match lines.broken() {
                [] => Ok("can be read".to_owned()),
                [first, ..] => Err(format!("{} lines are broken; the first: {first}", lines.broken().len())),
            }
        });
        look("paths", path(&site.slugs).as_deref(), &|file| {
            SlugFile::open(file).map(|_| "can be read".to_owned()).map_err(|error| work::chain(&error))
        });
    }
}

/// Engines by name, as far as they could be started.
type Started = BTreeMap<String, Option<Arc<dyn Engine>>>;

/// Which engine translates into which language.
fn words(site: &SiteConfig, engines: &mut Started, findings: &mut Vec<Finding>) {
    for locale in site.locales.iter().filter(|locale| !locale.is_pseudo()) {
        let mut chain = Vec::new();
        for engine in site.engines_for(locale) {
            let started = engines.entry(engine.name.clone()).or_insert_with(|| {
                let failed = |error: EngineError| {
                    findings.push(Finding::new(format!("engine {}", engine.name), Health::Bad, work::chain(&error)));
                };
                start(&engine.spec).map_err(failed).ok()
            });
            chain.extend(started.as_ref().map(|started| (engine.name.clone(), Arc::clone(started))));
        }
        findings.push(route(site, locale, chain));
    }
}

fn route(site: &SiteConfig, locale: &Locale, chain: Vec<(String, Arc<dyn Engine>)>) -> Finding {
    let pair = site.pair_to(locale);
    let what = format!("{}: {pair}", site.id);
    let chain = Chain::of_pair(chain, pair);
    let names: Vec<&str> = chain.route(pair).into_iter().map(|(name, _)| name).collect();
    if names.is_empty() {
        let hints = chain.hints(pair).join("; ");
        return Finding::new(what, Health::Poor, format!("no engine has it, only people and the memory; {hints}"));
    }
    Finding::new(what, Health::Good, format!("by {}", names.join(", then ")))
}

/// Whether neural models are what was added.
fn models(folder: &Path, findings: &mut Vec<Finding>) {
    let listed = match pipeline::models::list(folder) {
        Ok(listed) => listed,
        Err(error) => return findings.push(Finding::new("models", Health::Bad, work::chain(&error))),
    };
    for model in listed {
        let (pair, place) = (&model.pair, model.folder.display());
        let (health, found) = match model.state {
            State::Pinned => (Health::Good, "as it was added".to_owned()),
            State::Unpinned => (Health::Good, "not pinned: there are no hashes to compare its files with".to_owned()),
            State::Changed | State::Damaged => {
                let pair = format!("{} {}", model.source, model.target);
                let advice = format!("add it again with `latimer models add {pair} --replace --from …`");
                (Health::Bad, format!("{}; {advice}", model.problems.join("; ")))
            }
        };
        findings.push(Finding::new(format!("model {pair}"), health, format!("{place}: {found}")));
    }
}

/// Whether the published pages can be read, and written where they are files; and whether each site's are whole.
async fn objects(config: &Config, findings: &mut Vec<Finding>) {
    let opened = async {
        let place = match &config.store.objects {
            Objects::Folder(folder) => writable(folder).map(|()| folder.display().to_string())?,
            Objects::Url(address) => address.to_string(),
        };
        let objects = work::objects(&config.store).map_err(|failure| failure.message)?;
        Ok::<_, String>((place, objects))
    };
    let (place, objects) = match opened.await {
        Ok(opened) => opened,
        Err(error) => return findings.push(Finding::new("object store", Health::Bad, error)),
    };
    let (mut deployments, mut troubles) = (Vec::new(), Vec::new());
    for site in &config.sites {
        match Published::standing(&objects, &site.id, None).await {
            Err(error) => troubles.push(Finding::new("object store", Health::Bad, work::chain(&error))),
            Ok(Standing { published, passed_over, .. }) => {
                let what = format!("published pages of {}", site.id);
                troubles.extend(passed_over.iter().map(|error| Finding::new(&what, Health::Bad, error.to_string())));
                troubles.extend(switches(&objects, site).await.map(|found| Finding::new(&what, Health::Bad, found)));
                let Some(published) = published else { continue };
                deployments.push(format!("deployment {} of {}", published.deployment(), site.id));
                troubles.extend(whole(&objects, &published).await.map(|found| Finding::new(&what, Health::Bad, found)));
            }
        }
    }
    let found = match deployments.as_slice() {
        [] => format!("{place}, nothing is published yet"),
        known => format!("{place}, {}", known.join(", ")),
    };
    findings.push(Finding::new("object store", Health::Good, found));
    findings.extend(troubles);
}

/// What is wrong with the newest record of which languages are on.
async fn switches(objects: &PublishedObjects, site: &SiteConfig) -> Option<String> {
    let newest = Switches::newest(objects, &site.id).await;
    newest.map_or_else(
        |error| Some(work::chain(&error)),
        |newest| {
            let lost = newest.lost()?;
            Some(format!(
                "{lost} is damaged, so nobody can tell which languages are on; unless a later deployment tells, readers get \
                 the source language alone. `latimer build` on the machine that turned the last switch writes it anew"
            ))
        },
    )
}

/// What is wrong with the files of a deployment, each of which is read; the next build is told which they are.
async fn whole(objects: &PublishedObjects, published: &Published) -> Option<String> {
    let damage = match published.check_bytes(objects).await {
        Ok(damage) => damage,
        Err(error) => return Some(work::chain(&error)),
    };
    if damage.is_empty() {
        return None;
    }
    let named: Vec<String> = damage.iter().take(NAMED).map(ToString::to_string).collect();
    let more = if damage.len() > NAMED { format!(", and {} more", damage.len() - NAMED) } else { String::new() };
    let noted = note_damage(objects, published, &damage).await;
    let noted = noted.err().map(|error| format!("; it will not know them all: {error}")).unwrap_or_default();
    Some(format!("{}{more}; `latimer build` writes them anew{noted}", named.join("; ")))
}

/// Whether the mail server lets us in; nothing is sent.
async fn mail(config: &Config) -> Option<Finding> {
    let mail = config.mail.as_ref()?;
    let tried = async { mail.mailer()?.greet().await };
    let found = tried.await.map(|()| format!("{} lets us in", mail.relay));
    Some(Finding::of("mail", found.map_err(|error| format!("{}: {}", mail.relay, work::chain(&error)))))
}

/// Whether the state can be read from its first page to its last.
fn state(config: &Config, findings: &mut Vec<Finding>) {
    let file = config.store.state.as_path();
    let place = file.display();
    let is_empty = std::fs::metadata(file).is_ok_and(|found| found.len() == 0);
    let health = store::State::health(file);
    let is_sound = matches!(health, Ok(store::Health::Sound));
    findings.push(match health {
        Ok(store::Health::Sound) => Finding::new("state", Health::Good, place.to_string()),
        // A server at work reads it all the time, and says in its log and to its callers what is wrong.
        Ok(store::Health::Unusable(store::StoreError::Held { holder, .. }))
        | Err(store::StoreError::Held { holder, .. }) => {
            Finding::new("state", Health::Good, format!("{place} is in use by {holder}, so it was not checked"))
        }
        Ok(store::Health::Missing) if is_empty => {
            let found =
                format!("{place} is empty; the next build, or `latimer state rebuild`, recovers what the store has");
            Finding::new("state", Health::Poor, found)
        }
        Ok(store::Health::Missing) => {
            let outcome = writable(file.parent().unwrap_or(file));
            Finding::of("state", outcome.map(|()| format!("{place}, which the first build makes")))
        }
        Ok(store::Health::Unusable(error)) | Err(error) => Finding::new("state", Health::Bad, work::chain(&error)),
    });
    if is_sound {
        added_sites(config, findings);
    }
}

/// Sites that callers of the API added and that are not served or cannot be used.
fn added_sites(config: &Config, findings: &mut Vec<Finding>) {
    let found = store::State::open(&config.store.state).and_then(|state| api::unserved_sites(config, &state));
    let finding = |found| Finding::new("sites of the API", Health::Bad, found);
    match found {
        Ok(found) => findings.extend(found.into_iter().map(finding)),
        Err(error) => findings.push(finding(work::chain(&error))),
    }
}

/// Whether each file of the memory in the store is what its name says.
async fn memory(config: &Config) -> Finding {
    let look = async {
        let objects = work::objects(&config.store).map_err(|failure| failure.message)?;
        let (mut count, mut damaged) = (0, Vec::new());
        for site in &config.sites {
            for locale in publish::memory_locales(&objects, &site.id).await.map_err(|error| work::chain(&error))? {
                let files = publish::memory_files(&objects, &site.id, &locale).await;
                for file in files.map_err(|error| work::chain(&error))? {
                    count += 1;
                    let read = publish::memory_file(&objects, &site.id, &locale, &file.name).await;
                    damaged.extend(read.err().map(|error| work::chain(&error)));
                }
            }
        }
        match damaged.as_slice() {
            [] => Ok(format!("{count} files")),
            _ => Err(format!(
                "{}; delete them, and the next build writes what the state knows of them anew",
                damaged.join("; ")
            )),
        }
    };
    Finding::of("memory in the store", look.await)
}

fn report(findings: &[Finding], options: &Options) -> ExitCode {
    let is_bad = findings.iter().any(|finding| finding.health == Health::Bad);
    let word = |health: Health| match health {
        Health::Good => "good",
        Health::Poor => "poor",
        Health::Bad => "bad",
    };
    if options.json {
        let one = |Finding { what, health, found }: &Finding| json!({ "what": what, "health": word(*health), "found": found });
        println!("{}", json!({ "findings": findings.iter().map(one).collect::<Vec<_>>() }));
    } else {
        for Finding { what, health, found } in findings {
            println!("{:4}  {what}: {found}", word(*health));
        }
    }
    if is_bad { ExitCode::Failed } else { ExitCode::Done }
}
