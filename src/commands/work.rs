//! What several commands share: the runtime they run in, the stores they open, the builds they make.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

pub(super) use pipeline::causes::chain;
use pipeline::config::{Config, SiteConfig, StoreConfig};
use pipeline::model::{RunId, SiteId, SourceSuspect};
use pipeline::run::{self, BuildError, BuildOptions, BuildProgress, BuildStep, Report, Stores};
use pipeline::state::{RunKind, RunOrder, RunOrigin, State};
use pipeline::store::{Objects, StoreError};
use pipeline::threads;

use super::summary;
use crate::exit::{CommandFailure, ExitCode};
use crate::options::Options;
use crate::terminal;

/// Runs a command to its end.
pub(super) fn until_done(
    command: impl Future<Output = Result<ExitCode, CommandFailure>>,
) -> Result<ExitCode, CommandFailure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let runtime = runtime
        .map_err(|error| CommandFailure::failed(format!("cannot start worker threads: {error}")))?;
    let outcome = runtime.block_on(command);
    drop(runtime);
    threads::finish();
    outcome
}

/// Runs a command until it is done or interrupted from the keyboard.
pub(super) fn until_interrupted(
    command: impl Future<Output = Result<ExitCode, CommandFailure>>,
) -> Result<ExitCode, CommandFailure> {
    until_done(async {
        tokio::select! {
            outcome = command => outcome,
            _ = tokio::signal::ctrl_c() => {
                Err(CommandFailure { code: ExitCode::Interrupted, message: "interrupted; the next run makes good what was begun".into() })
            }
        }
    })
}

/// A build of everything, as the configuration says.
pub(super) fn build_options(config: &Config) -> BuildOptions {
    BuildOptions {
        keep_deployments: config.store.keep_deployments,
        ..BuildOptions::default()
    }
}

/// The site that is meant; the only one where none is named.
pub(super) fn site<'a>(
    config: &'a Config,
    id: Option<&SiteId>,
) -> Result<&'a SiteConfig, CommandFailure> {
    let site = match (id, config.sites.as_slice()) {
        (Some(id), _) => config.site(id),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    site.ok_or_else(|| {
        let known: Vec<_> = config.sites.iter().map(|site| site.id.as_str()).collect();
        CommandFailure::usage(format!("name one of the sites: {}", known.join(", ")))
    })
}

/// Replaces a file in one step, so that nobody's work is lost half-way.
pub(super) fn replace(file: &Path, text: &str) -> Result<(), CommandFailure> {
    let failed = |error: std::io::Error| {
        CommandFailure::failed(format!("cannot write {}: {error}", file.display()))
    };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut draft = file.as_os_str().to_owned();
    draft.push(".new");
    std::fs::write(&draft, text)
        .and_then(|()| std::fs::rename(&draft, file))
        .map_err(failed)
}

/// Opens the object store.
pub(super) fn objects(store: &StoreConfig) -> Result<Objects, CommandFailure> {
    open_objects(store).map_err(|error| CommandFailure::failed(chain(&error)))
}

/// The same, with what is wrong.
pub(super) fn open_objects(store: &StoreConfig) -> Result<Objects, StoreError> {
    let opened = match &store.objects {
        pipeline::config::StoreLocation::Folder(folder) => Objects::folder(folder),
        pipeline::config::StoreLocation::Url(url) => {
            Objects::open(url.as_str(), &BTreeMap::clone(&store.options))
        }
    };
    Ok(opened?
        .with_variants(store.variants.clone())
        .with_patience(store.patience)
        .telling(|line| tracing::warn!("{line}")))
}

/// Builds sites one after the other, and prints a report of each.
pub(super) async fn build(
    config: &Config,
    sites: &[SiteId],
    build: &BuildOptions,
    accept: Option<RunId>,
    options: &Options,
) -> Result<Vec<Report>, CommandFailure> {
    let objects = objects(&config.store)?;
    let state =
        State::open(&config.store.state).map_err(|error| CommandFailure::failed(chain(&error)))?;
    let stores = Stores {
        objects,
        state: Arc::new(state),
    };
    let accepted = accept
        .map(|run| acceptable(&stores, sites, run))
        .transpose()?;
    let progress = options.progress();
    let report = |step: &BuildStep<'_>| progress.step(step);
    let mut reports = Vec::new();
    for site in config.sites.iter().filter(|site| sites.contains(&site.id)) {
        let accept = accept.filter(|_| accepted.as_ref() == Some(&site.id));
        let outcome = perform(site, &stores, RunKind::Build, build, accept, &report).await;
        progress.finish();
        let outcome = outcome.map_err(|error| failure(&site.id, &error))?;
        if !options.json {
            terminal::print(&summary::write(&outcome, site, &config.store));
        }
        reports.push(outcome);
    }
    if options.json {
        println!("{}", serde_json::json!({ "sites": reports }));
    }
    Ok(reports)
}

/// The site of a run whose source may be accepted: it was found suspect, and nobody accepted it yet.
fn acceptable(stores: &Stores, sites: &[SiteId], run: RunId) -> Result<SiteId, CommandFailure> {
    for site in sites {
        let known = stores
            .state
            .run(site, run)
            .map_err(|error| CommandFailure::failed(chain(&error)))?;
        let Some(known) = known else { continue };
        return match known.suspect {
            None => Err(CommandFailure::usage(format!(
                "run {run} of {site} did not find its source suspect"
            ))),
            Some(SourceSuspect {
                accepted_by: Some(by),
                ..
            }) => Err(CommandFailure::usage(format!(
                "what run {run} of {site} saw was accepted by run {by}; a later loss needs the id of the run that found it"
            ))),
            Some(SourceSuspect {
                accepted_by: None, ..
            }) => Ok(site.clone()),
        };
    }
    Err(CommandFailure::usage(format!(
        "there is no run {run} of these sites; a build that ends with exit code 7 names its run"
    )))
}

/// Runs one build and writes it down like those that callers of the API order.
pub(super) async fn perform(
    site: &SiteConfig,
    stores: &Stores,
    kind: RunKind,
    options: &BuildOptions,
    accept: Option<RunId>,
    progress: &BuildProgress<'_>,
) -> Result<Report, BuildError> {
    let order = RunOrder {
        locales: options.locales.iter().cloned().collect(),
        pages: options.pages.clone(),
        force: options.force,
        accept,
        ..RunOrder::of(kind, RunOrigin::CommandLine)
    };
    let now = run::now();
    stores.state.recover_runs(&site.id, now)?;
    let record = stores.state.begin_run(&site.id, order, now)?;
    run::perform(site, stores, record, options, progress, &|_| ())
        .await
        .record(stores, &site.id)
        .await
}

/// The worst outcome of all; outcomes are in the order of how bad they are.
pub(super) fn code(reports: &[Report]) -> ExitCode {
    reports
        .iter()
        .map(|report| report.outcome)
        .max()
        .unwrap_or_default()
        .into()
}

/// What went wrong with a site, with its exit code.
pub(super) fn failure(site: &SiteId, error: &BuildError) -> CommandFailure {
    let code = if error.is_of_configuration() {
        ExitCode::Usage
    } else {
        error.outcome().into()
    };
    let more = match error {
        BuildError::Frozen { missing } => missing
            .iter()
            .map(|(locale, text)| format!("\n  {locale}: {text}"))
            .collect::<String>(),
        _ => String::new(),
    };
    CommandFailure {
        code,
        message: format!("{site}: {}{more}", chain(error)),
    }
}

/// Address of the first site for a browser on this machine. A wildcard address is replaced by the loopback address.
pub(super) fn home(config: &Config, address: SocketAddr) -> String {
    let mut sites = config.sites.iter().filter(|site| site.enabled);
    let first = sites.next();
    if let Some(first) = first.filter(|_| sites.next().is_some()) {
        return format!("http://{}.localhost:{}/", first.id, address.port());
    }
    let mut here = address;
    if address.ip().is_unspecified() {
        here.set_ip(if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        });
    }
    format!("http://{here}/")
}

/// Where a browser finds the sites of a server.
pub(super) fn addresses(config: &Config, address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let sites: Vec<_> = config.sites.iter().filter(|site| site.enabled).collect();
    let line = |site: &&pipeline::config::SiteConfig| {
        let host = match sites.len() {
            1 => address.to_string(),
            _ => format!("{}.localhost:{port}", site.id),
        };
        let locales: Vec<String> = site
            .locales
            .iter()
            .map(|locale| format!("http://{host}/{}/", site.label(locale)))
            .collect();
        format!("{}: http://{host}/  {}", site.id, locales.join("  "))
    };
    sites.iter().map(line).collect()
}
