//! The hosts that sites are published to: whether they can be written, and can do what their sites need.

use pipeline::causes::chain;
use pipeline::config::{Config, PublishConfig, PublishTo};
use pipeline::counted::counted;
use pipeline::run::now;
use pipeline::store::{Objects, Outside};
use pipeline::targets::{self, PublishOptions, TargetError};

use super::bucket::{PATIENCE, in_time};
use super::disk::writable;
use super::finding::{DoctorFinding, DoctorHealth};

/// Looks at each target; without a store that can be read, only at its place.
pub(super) async fn look(
    config: &Config,
    objects: Option<&Objects>,
    findings: &mut Vec<DoctorFinding>,
) {
    for target in &config.publish {
        let place = place(target).await;
        // A bucket that does not answer would be waited for again.
        let is_away = place.is_err() && matches!(target.to, PublishTo::Bucket { .. });
        findings.push(DoctorFinding::of(format!("publish {}", target.name), place));
        if let Some(objects) = objects.filter(|_| !is_away) {
            findings.push(host(target, objects).await);
        }
    }
}

/// Whether files can be put there.
async fn place(target: &PublishConfig) -> Result<String, String> {
    match &target.to {
        PublishTo::Folder { folder, .. } => writable(folder).map(|()| folder.display().to_string()),
        PublishTo::Command { folder, command } => {
            let program = command.first().map_or("", String::as_str);
            if !targets::is_there(program) {
                return Err(format!(
                    "there is no program {program}; install it, or write its whole path in `command`"
                ));
            }
            writable(folder).map(|()| format!("{program}, with the folder {}", folder.display()))
        }
        PublishTo::Bucket { url, options, .. } => {
            let bucket = Outside::open(url, options, PATIENCE).map_err(|error| chain(&error))?;
            in_time(bucket.try_out()).await?;
            Ok(format!("{url}, where a file was put and removed"))
        }
    }
}

/// Whether the host can do what the site needs.
async fn host(target: &PublishConfig, objects: &Objects) -> DoctorFinding {
    let what = format!("publish {}: {}", target.name, target.host);
    let options = PublishOptions {
        dry_run: true,
        ..PublishOptions::newest("`latimer doctor`".to_owned(), now(), PATIENCE)
    };
    match targets::publish(target, objects, &options, &|_, _| ()).await {
        Ok(report) => DoctorFinding::new(
            what,
            DoctorHealth::Good,
            format!("{} to send", counted(report.sent, "file")),
        ),
        Err(error @ TargetError::NothingBuilt(_)) => {
            DoctorFinding::new(what, DoctorHealth::Good, error.to_string())
        }
        Err(error) => DoctorFinding::new(what, DoctorHealth::Bad, chain(&error)),
    }
}
