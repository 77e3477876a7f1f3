//! The hosts that sites are published to: whether they can be written, and can do what their sites need.

use pipeline::causes::chain;
use pipeline::config::{Config, PublishConfig, PublishTo};
use pipeline::counted::counted;
use pipeline::publish::{Objects, Outside};
use pipeline::run::now;
use pipeline::targets::{self, PublishOptions, TargetError};

use super::disk::writable;
use super::finding::{Finding, Health};

/// Looks at each target.
pub(super) async fn look(config: &Config, objects: &Objects, findings: &mut Vec<Finding>) {
    for target in &config.publish {
        let what = format!("publish {}", target.name);
        findings.push(Finding::of(&what, place(target, config).await));
        findings.push(host(target, config, objects).await);
    }
}

/// Whether files can be put there.
async fn place(target: &PublishConfig, config: &Config) -> Result<String, String> {
    match &target.to {
        PublishTo::Folder { folder, .. } => writable(folder).map(|()| folder.display().to_string()),
        PublishTo::Command { folder, command } => {
            let program = command.first().map_or("", String::as_str);
            if !targets::is_there(program) {
                return Err(format!("there is no program {program}; install it, or write its whole path in `command`"));
            }
            writable(folder).map(|()| format!("{program}, with the folder {}", folder.display()))
        }
        PublishTo::Bucket { url, options, .. } => {
            let bucket = Outside::open(url, options, config.store.patience).map_err(|error| chain(&error))?;
            bucket.try_out().await.map_err(|error| chain(&error))?;
            Ok(format!("{url}, where a file was put and removed"))
        }
    }
}

/// Whether the host can do what the site needs.
async fn host(target: &PublishConfig, config: &Config, objects: &Objects) -> Finding {
    let what = format!("publish {}: {}", target.name, target.host);
    let options = PublishOptions {
        dry_run: true,
        ..PublishOptions::newest("`latimer doctor`".to_owned(), now(), config.store.patience)
    };
    match targets::publish(target, objects, &options, &|_, _| ()).await {
        Ok(report) => Finding::new(what, Health::Good, format!("{} to send", counted(report.sent, "file"))),
        Err(error @ TargetError::NothingBuilt(_)) => Finding::new(what, Health::Good, error.to_string()),
        Err(error) => Finding::new(what, Health::Bad, chain(&error)),
    }
}
