//! What is wrong with what the configuration names, and what to do: for `latimer doctor` and for the admin screen.
//!
//! Nothing is built, sent or changed, but for a small file that is put into a folder or bucket and removed: the source is
//! looked at where it is a folder, engines are started and asked which languages they have, stores are opened.

mod bucket;
mod disk;
mod finding;
mod keys;
mod published;
mod state;
mod targets;
mod words;

use std::collections::BTreeMap;

use pipeline::causes::chain;
use pipeline::config::{Config, SiteConfig, SourceLocation};
use pipeline::model::without_user;

pub use finding::{DoctorDepth, DoctorFinding, DoctorHealth};
pub use published::StoreAt;
pub use state::StateAt;

/// Looks at everything that a configuration names.
pub async fn doctor(
    config: &Config,
    store: StoreAt<'_>,
    state: StateAt<'_>,
    depth: DoctorDepth,
) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    let mut engines = BTreeMap::new();
    for site in &config.sites {
        findings.push(source(site));
        words::files(site, &mut findings);
        words::engines(site, &mut engines, &mut findings);
        findings.extend(browser(site).await);
        findings.extend(pagefind(site).await);
    }
    keys::look(config, &mut findings);
    config
        .model_folders()
        .iter()
        .for_each(|folder| words::models(folder, &mut findings));
    let objects = published::look(config, store, depth, &mut findings).await;
    if let Some(objects) = &objects {
        findings.push(words::memory(config, objects).await);
    }
    targets::look(config, objects.as_ref(), &mut findings).await;
    findings.extend(mail(config).await);
    state::look(config, state, &mut findings);
    findings
}

fn source(site: &SiteConfig) -> DoctorFinding {
    let what = format!("{}: source", site.id);
    match &site.source {
        SourceLocation::Web(address) => DoctorFinding::new(
            what,
            DoctorHealth::Good,
            format!(
                "{}, which is asked when it is built",
                without_user(address.as_str())
            ),
        ),
        SourceLocation::Folder(folder) => {
            let pages = folder.join("index.html").is_file() || folder.join("index.htm").is_file();
            match std::fs::read_dir(folder) {
                Ok(_) if pages => {
                    DoctorFinding::new(what, DoctorHealth::Good, folder.display().to_string())
                }
                Ok(_) => {
                    let found = format!(
                        "{} has no index.html; build the site there first",
                        folder.display()
                    );
                    DoctorFinding::new(what, DoctorHealth::Poor, found)
                }
                Err(error) => DoctorFinding::new(
                    what,
                    DoctorHealth::Bad,
                    format!("cannot read {}: {error}", folder.display()),
                ),
            }
        }
    }
}

/// The browser that draws pages, if one is wanted.
async fn browser(site: &SiteConfig) -> Option<DoctorFinding> {
    let discovery = site.scripts.discovery.as_ref()?;
    let tried = pipeline::browser::try_out(&discovery.browser, &discovery.variables).await;
    Some(DoctorFinding::of(
        format!("{}: browser", site.id),
        tried.map_err(|error| chain(&error)),
    ))
}

/// The program that writes an index, if one is wanted.
async fn pagefind(site: &SiteConfig) -> Option<DoctorFinding> {
    let tried = pipeline::run::try_pagefind(&site.search).await?;
    let found = tried
        .map(|program| format!("{program} can be started"))
        .map_err(|error| error.to_string());
    Some(DoctorFinding::of(format!("{}: Pagefind", site.id), found))
}

/// Whether the mail server lets us in; nothing is sent.
async fn mail(config: &Config) -> Option<DoctorFinding> {
    let mail = config.mail.as_ref()?;
    let tried = async { mail.mailer()?.greet().await };
    let found = tried.await.map(|()| format!("{} lets us in", mail.relay));
    Some(DoctorFinding::of(
        "mail",
        found.map_err(|error| format!("{}: {}", mail.relay, chain(&error))),
    ))
}
