//! `latimer serve`: published pages over HTTP, until a signal says stop.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;

use api::{Api, App, PreviewKeys, Verifier};
use clap::Args;
use pipeline::addresses::Owners;
use pipeline::config::{AdminConfig, Config, JwtAlgorithm, JwtConfig, KeySource};
use pipeline::model::SiteId;
use pipeline::open_files;
use pipeline::run::Stores;
use pipeline::state::State;
use pipeline::store::Objects;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::work;
use crate::exit::{CommandFailure, ExitCode};
use crate::log;
use crate::options::Options;
use crate::port;

/// The arguments of `latimer serve`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The address to listen on, instead of the configured one.
    #[arg(long, value_name = "ADDRESS", value_parser = port::parse)]
    listen: Option<SocketAddr>,
    /// Builds all enabled sites before serving.
    #[arg(long, conflicts_with = "pages_only")]
    build: bool,
    /// Opens the served pages in the browser.
    #[arg(long)]
    open: bool,
    /// Shows the admin screen at http://127.0.0.1:8081, where `[admin]` says nothing else.
    #[arg(long, conflicts_with = "pages_only")]
    admin: bool,
    /// Serves pages from the object store alone; runs beside a build and on any number of machines.
    #[arg(long)]
    pages_only: bool,
}

/// Serves until a signal says stop.
pub(crate) fn run(arguments: &Arguments, options: &Options) -> Result<ExitCode, CommandFailure> {
    let mut config = options.config()?;
    if let Some(listen) = arguments.listen {
        config.api.listen = listen;
    }
    show_admin(&mut config, arguments.admin)?;
    // Before connections are counted out, and before there are threads.
    open_files::raise();
    work::until_done(serve(&config, arguments, options))
}

#[expect(clippy::too_many_lines, reason = "the start of a server in its order")]
async fn serve(
    config: &Config,
    arguments: &Arguments,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let mut hang_ups = hang_ups();
    let verifier = verifier(config, arguments)?;
    let keys = PreviewKeys::read(&config.api).map_err(CommandFailure::usage)?;
    let sites: Vec<SiteId> = config
        .sites
        .iter()
        .filter(|site| site.enabled)
        .map(|site| site.id.clone())
        .collect();
    // The port is taken first: whoever builds for an hour wants to know at once that it is in use.
    let address = config.api.listen;
    let listener = listen(address, "choose another address with --listen").await?;
    let metrics = match config.api.metrics_listen {
        Some(address) => Some(listen(address, "change `metrics_listen`").await?),
        None => None,
    };
    let screen = match config
        .admin
        .as_ref()
        .and_then(|admin| admin.listen)
        .filter(|_| verifier.is_some())
    {
        Some(address) => Some(listen(address, "change `listen` in [admin]").await?),
        None => None,
    };
    if arguments.build {
        let reports =
            work::build(config, &sites, &work::build_options(config), None, options).await?;
        if !matches!(work::code(&reports), ExitCode::Done | ExitCode::Partial) {
            tracing::warn!("serving what there is");
        }
    }
    if verifier.is_none() {
        for site in config
            .sites
            .iter()
            .filter(|site| site.enabled && site.crawl.every.is_some())
        {
            tracing::warn!(
                "{} is not crawled by itself: `every` needs a server with the state (`jwt` in [api])",
                site.id
            );
        }
    }
    let objects = work::objects(&config.store)?;
    let app = App::new(objects.clone(), sites.clone(), config.api.cache_bytes).with_admin(config);
    let app = app
        .with_settings(&config.api)
        .map_err(|error| CommandFailure::failed(format!("no access log: {error}")))?;
    let app = match verifier {
        Some(verifier) => with_api(app, config, &objects, verifier, keys).await?,
        None => app,
    };
    let file = options.config_file();
    let listen_at = arguments.listen;
    let wants_admin = arguments.admin;
    let app = app.with_source(config, move || {
        let mut config = Options::read_again(&file)?;
        config.api.listen = listen_at.unwrap_or(config.api.listen);
        show_admin(&mut config, wants_admin)
            .map_err(|failure| api::ReloadError::Unreadable(failure.message))?;
        Ok(config)
    });
    app.load_from(&objects)
        .await
        .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
    let app = Arc::new(app);
    let snapshot = app.snapshot();
    for site in &sites {
        if snapshot.published(site).is_none() {
            tracing::warn!(
                "{site} is not built yet; run `latimer build`, it is served as soon as it is there"
            );
        }
    }
    let end = stop();
    let metrics_end = stop();
    let admin_end = stop();
    for line in work::addresses(config, listener.local_addr().unwrap_or(address)) {
        log::say(&line);
    }
    let home = work::home(config, listener.local_addr().unwrap_or(address));
    let browser = async {
        if arguments.open {
            open_in_browser(&home).await;
        }
        std::future::pending().await
    };
    if let Some(admin) = config
        .admin
        .as_ref()
        .filter(|admin| screen.is_some() || !admin.hosts.is_empty())
    {
        log::say(&format!(
            "admin screen: {} (sign in with `latimer admin login`)",
            admin.url
        ));
    }
    let screen = async {
        if let Some(listener) = screen {
            api::run_admin(listener, Arc::clone(&app), admin_end).await;
        }
    };
    let metrics = async {
        if let Some(listener) = metrics {
            api::run_metrics(listener, Arc::clone(&app), metrics_end).await;
        }
    };
    let served =
        async { tokio::join!(api::run(listener, Arc::clone(&app), end), metrics, screen).0 };
    let served = tokio::select! {
        served = served => served,
        () = reload(&app, &mut hang_ups) => Ok(()),
        () = browser => Ok(()),
    };
    served.map_err(|error| CommandFailure::failed(format!("the server ended: {error}")))?;
    Ok(ExitCode::Done)
}

/// Opens an address in the system's browser, by the first program for it that works. A machine without one serves all the
/// same.
async fn open_in_browser(address: &str) {
    for command in open::commands(address) {
        let mut command = tokio::process::Command::from(command);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        if command.status().await.is_ok_and(|status| status.success()) {
            return;
        }
    }
    tracing::warn!("no browser could be opened; open {address} yourself");
}

pub(super) async fn listen(
    address: SocketAddr,
    otherwise: &str,
) -> Result<TcpListener, CommandFailure> {
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            Err(CommandFailure::failed(port::taken(address, otherwise)))
        }
        Err(error) => Err(CommandFailure::failed(format!(
            "cannot listen on {address}: {error}; {otherwise}"
        ))),
    }
}

/// Gives the configuration an admin screen where that is wanted, with a key that signs nothing where there is no API, and looks
/// whether the screen has an origin of its own.
fn show_admin(config: &mut Config, is_wanted: bool) -> Result<(), CommandFailure> {
    if is_wanted && config.admin.is_none() {
        config.admin = Some(AdminConfig::usual());
    }
    let Some(admin) = &config.admin else {
        return Ok(());
    };
    if admin.listen == Some(config.api.listen) && config.api.listen.port() != 0 {
        return Err(CommandFailure::usage(format!(
            "the admin screen needs an origin of its own, and pages are served at {}; choose another --listen",
            config.api.listen
        )));
    }
    if let Some(owner) = Owners::of_file(config).beside_admin(config) {
        return Err(CommandFailure::usage(format!(
            "the admin screen needs an origin of its own, and {owner} is found at one of its hosts; change `hosts` in [admin]"
        )));
    }
    if config.api.jwt.is_none() {
        let algorithm = JwtAlgorithm::Hs256;
        let key = KeySource::Secret(api::passing_key());
        config.api.jwt = Some(JwtConfig {
            algorithm,
            key,
            issuer: None,
            audience: None,
        });
    }
    Ok(())
}

/// Checks tokens, where the configuration says how; the key is read first, because a wrong one is quickly said.
fn verifier(config: &Config, arguments: &Arguments) -> Result<Option<Verifier>, CommandFailure> {
    let jwt = config.api.jwt.as_ref().filter(|_| !arguments.pages_only);
    jwt.map(Verifier::new)
        .transpose()
        .map_err(CommandFailure::usage)
}

/// Adds the API, which has the state open from now on.
async fn with_api(
    app: App,
    config: &Config,
    objects: &Objects,
    verifier: Verifier,
    keys: PreviewKeys,
) -> Result<App, CommandFailure> {
    let failed =
        |error: &(dyn std::error::Error + 'static)| CommandFailure::failed(work::chain(error));
    let state = State::open(&config.store.state).map_err(|error| failed(&error))?;
    let state = Arc::new(state);
    let stores = Stores {
        objects: objects.clone(),
        state: Arc::clone(&state),
    };
    let api = Api::new(verifier, config, stores, work::build_options(config));
    for trouble in api.restore_sites().map_err(|error| failed(&error))? {
        tracing::warn!("{trouble}");
    }
    app.obey_switches(&api)
        .await
        .map_err(|error| failed(&error))?;
    Ok(app.with_api(api.with_preview_keys(keys)))
}

/// Signals that say the configuration is another one now. At a terminal the same signal says that the terminal is gone,
/// and ends the process as it always did.
fn hang_ups() -> Option<Signal> {
    let has_terminal = std::fs::File::open("/dev/tty").is_ok();
    (!has_terminal)
        .then(|| signal(SignalKind::hangup()).ok())
        .flatten()
}

/// Reads everything again at each signal, without end.
async fn reload(app: &App, hang_ups: &mut Option<Signal>) {
    let Some(hang_ups) = hang_ups else {
        return std::future::pending().await;
    };
    while hang_ups.recv().await.is_some() {
        match app.reload().await {
            Ok(reloaded) => tracing::info!("{}", reloaded.sentence()),
            Err(error) => tracing::error!("{error}; the settings from before hold"),
        }
    }
    std::future::pending().await
}

/// Ends when the process is asked to stop, from this call on: whoever is told of an address may ask at once.
pub(super) fn stop() -> impl Future<Output = ()> {
    let asked = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let [Ok(mut terminate), Ok(mut interrupt)] = asked else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
