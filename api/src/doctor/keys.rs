//! Files that hold secrets: whether each can be used, and whether anybody else may read it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pipeline::config::{Config, KeySource, SecretSource, SiteConfig};

use super::finding::{DoctorFinding, DoctorHealth};
use crate::auth::{PreviewKeys, Verifier};

/// What a key of the configuration is called, and where its file is.
type KeyFiles<'a> = BTreeMap<&'a Path, String>;

/// Rights of everybody but the owner and the group.
const WORLD: u32 = 0o007;
/// Rights of the group to change it.
const GROUP_WRITES: u32 = 0o020;

/// Looks at each file of keys, tokens and secret headers that the configuration names.
pub(super) fn look(config: &Config, findings: &mut Vec<DoctorFinding>) {
    if let Some(jwt) = &config.api.jwt {
        let read = Verifier::new(jwt)
            .map(|_| "can be used".to_owned())
            .map_err(|error| error.to_string());
        findings.push(DoctorFinding::of("key of tokens", read));
    }
    if config.api.preview_tokens.is_some() || config.api.preview_status_token.is_some() {
        let read = PreviewKeys::read(&config.api)
            .map(|_| "can be used".to_owned())
            .map_err(|error| error.to_string());
        findings.push(DoctorFinding::of("preview tokens", read));
    }
    for (file, name) in files(config) {
        let found = match std::fs::metadata(file) {
            Err(error) => Err(format!("cannot read {}: {error}", file.display())),
            Ok(found) => Ok(rights(file, found.permissions().mode())),
        };
        findings.push(match found {
            Err(error) => DoctorFinding::new(name, DoctorHealth::Bad, error),
            Ok(Some(found)) => DoctorFinding::new(name, DoctorHealth::Poor, found),
            Ok(None) => DoctorFinding::new(name, DoctorHealth::Good, file.display().to_string()),
        });
    }
}

fn files(config: &Config) -> KeyFiles<'_> {
    let mut files = KeyFiles::new();
    // Whoever holds a public key can make no token.
    if let Some(KeySource::SecretFile(file)) = config.api.jwt.as_ref().map(|jwt| &jwt.key) {
        files.insert(file, "secret_file of api.jwt".to_owned());
    }
    for (source, name) in [
        (&config.api.preview_tokens, "api.preview_tokens_file"),
        (
            &config.api.preview_status_token,
            "api.preview_status_token_file",
        ),
    ] {
        if let Some(SecretSource::File(file)) = source {
            files.insert(file, name.to_owned());
        }
    }
    let mail = config
        .mail
        .as_ref()
        .and_then(|mail| mail.password_file.as_deref());
    files.extend(mail.map(|file| (file, "mail.password_file".to_owned())));
    for site in &config.sites {
        files.extend(
            site.crawl
                .headers_file
                .as_deref()
                .map(|file| (file, format!("headers_file of {}", site.id))),
        );
    }
    for engine in config
        .sites
        .iter()
        .flat_map(SiteConfig::all_engines)
        .chain(&config.preview.engines)
    {
        files.extend(
            engine
                .spec
                .key_files()
                .into_iter()
                .map(|file| (file, format!("key_file of engine {}", engine.name))),
        );
    }
    files
}

/// What is wrong with who may read or change a file.
fn rights(file: &Path, mode: u32) -> Option<String> {
    let place = file.display();
    let who = match (mode & WORLD, mode & GROUP_WRITES) {
        (0, 0) => return None,
        (0, _) => "its group may change it",
        _ => "everybody on this machine may read or change it",
    };
    Some(format!(
        "{place}: {who} (mode {:o}); run `chmod 600 {place}`",
        mode & 0o777
    ))
}
