//! `[store]`: where published pages and state are kept.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::error::ConfigError;
use super::keys::{self, not_yet};
use super::reader::{ConfigField, ConfigReader, ConfigTable};
use crate::model::has_user;
use crate::store::{Encoding, PATIENCE};

/// Where published pages and state are kept.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreConfig {
    /// Published pages.
    pub objects: StoreLocation,
    /// Settings of the object store, by the names that the `object_store` library gives them. For `s3://` the usual
    /// environment variables (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, …) are among them already.
    pub options: BTreeMap<String, String>,
    /// The database file.
    pub state: PathBuf,
    /// How many deployments are kept besides what they share; at least 1.
    pub keep_deployments: usize,
    /// How long one waits for a bucket that does not answer.
    pub patience: Duration,
    /// The compressed variants that files get.
    pub variants: BTreeSet<Encoding>,
}

/// The place of published pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreLocation {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A bucket (`s3://bucket/prefix`), or `memory:///` for trying.
    Url(Url),
}

/// Deployments that are kept unless `keep_deployments` says otherwise.
pub const KEPT_DEPLOYMENTS: usize = 5;

/// Environment variables of buckets; in lower case they are the names of the options.
const BUCKET_VARIABLES: [&str; 14] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ALLOW_HTTP",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
];

/// Parts of option names whose values do not belong in a file that is kept in git.
const SECRET_NAMES: [&str; 7] = [
    "secret",
    "token",
    "password",
    "account_key",
    "access_key",
    "master_key",
    "sas",
];

const LONGEST_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);
const TIME: &str = "a time such as \"90s\", \"10m\" or \"1h\", at most a day";

const OBJECTS: &str = "a folder, s3://BUCKET/PREFIX or memory:///";

impl StoreConfig {
    /// The folder, beside the state, of what targets of publishing keep on this machine.
    pub(super) fn own_folder(&self) -> PathBuf {
        self.state.parent().unwrap_or(Path::new("")).join("publish")
    }
}

pub(super) fn read(root: &ConfigTable<'_>) -> Result<StoreConfig, ConfigError> {
    let reader = root.reader();
    let table = root.table("store", &keys::STORE)?;
    let get = |key| table.as_ref().and_then(|table| table.get(key));
    let objects = objects(reader, get("objects"))?;
    let written = get("options")
        .map(|field| options(&field))
        .transpose()?
        .unwrap_or_default();
    let state = get("state").map(|field| field.path_text()).transpose()?;
    Ok(StoreConfig {
        options: match &objects {
            StoreLocation::Url(url) if url.scheme() == "s3" => {
                with_environment(reader, url, written)?
            }
            StoreLocation::Url(_) | StoreLocation::Folder(_) => written,
        },
        objects,
        state: reader.path_or_environment(state, "LATIMER_STORE_STATE", ".latimer/state.redb"),
        keep_deployments: get("keep_deployments")
            .map(|field| field.whole(1..=1000))
            .transpose()?
            .unwrap_or(KEPT_DEPLOYMENTS),
        patience: get("patience")
            .map_or(Ok(PATIENCE), |field| field.time(LONGEST_PATIENCE, TIME))?,
        variants: get("variants")
            .map_or_else(|| Ok(Encoding::ALL.into()), |field| variants(&field))?,
    })
}

fn variants(field: &ConfigField<'_>) -> Result<BTreeSet<Encoding>, ConfigError> {
    let names = [("br", Encoding::Brotli), ("gz", Encoding::Gzip)];
    field
        .list()?
        .iter()
        .map(|name| name.one_of(&names))
        .collect()
}

fn objects(
    reader: &ConfigReader<'_>,
    field: Option<ConfigField<'_>>,
) -> Result<StoreLocation, ConfigError> {
    if let Some(text) = reader.environment("LATIMER_STORE_OBJECTS") {
        let wrong = |_| reader.environment_error("LATIMER_STORE_OBJECTS", &text, OBJECTS);
        return place(reader, &text).map_err(wrong);
    }
    match field {
        Some(field) => place(reader, field.path_text()?).map_err(|message| field.error(message)),
        None => Ok(StoreLocation::Folder(reader.resolve("dist"))),
    }
}

/// A folder, or an address whose scheme this version can store to.
fn place(reader: &ConfigReader<'_>, text: &str) -> Result<StoreLocation, String> {
    if ["s3:", "s3//", "gs:", "gs//", "az:", "az//"]
        .iter()
        .any(|slip| text.starts_with(slip))
        && !text.contains("://")
    {
        return Err(format!(
            "`objects` is no address of a bucket; write {OBJECTS}"
        ));
    }
    if !text.contains("://") {
        return Ok(StoreLocation::Folder(reader.resolve(text)));
    }
    if has_user(text) {
        return Err(format!(
            "`objects` holds a user or a password; write {OBJECTS}"
        ));
    }
    let url = Url::parse(text)
        .map_err(|error| format!("`objects` is no address ({error}); write {OBJECTS}"))?;
    match url.scheme() {
        "s3" if url.host_str().is_some() => Ok(StoreLocation::Url(url)),
        "memory" => Ok(StoreLocation::Url(url)),
        "gs" | "az" => Err(not_yet(&format!("a store at {}://", url.scheme()))),
        _ => Err(format!("`objects` must be {OBJECTS}")),
    }
}

pub(super) fn options(field: &ConfigField<'_>) -> Result<BTreeMap<String, String>, ConfigError> {
    let mut options = BTreeMap::new();
    for option in field.table(&keys::STORE_OPTIONS)?.fields() {
        let name = option.key().to_ascii_lowercase();
        if !name.ends_with("_id") && SECRET_NAMES.iter().any(|secret| name.contains(secret)) {
            return Err(option.error(format!(
                "`{name}` is a secret and has no place in this file; set it in the environment, as \
                 AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AZURE_STORAGE_ACCOUNT_KEY or GOOGLE_SERVICE_ACCOUNT_PATH"
            )));
        }
        options.insert(name, option.scalar()?);
    }
    Ok(options)
}

/// The environment goes before the file, as everywhere; each kind of bucket has variables of its own.
pub(super) fn with_environment(
    reader: &ConfigReader<'_>,
    bucket: &Url,
    mut options: BTreeMap<String, String>,
) -> Result<BTreeMap<String, String>, ConfigError> {
    let own = match bucket.scheme() {
        "gs" => "GOOGLE_",
        "az" => "AZURE_",
        _ => "AWS_",
    };
    for name in BUCKET_VARIABLES
        .into_iter()
        .filter(|name| name.starts_with(own))
    {
        if let Some(value) = reader.environment(name) {
            if has_user(&value) {
                return Err(reader.environment_error(name, &value, "an address"));
            }
            options.insert(name.to_ascii_lowercase(), value);
        }
    }
    Ok(options)
}

/// Prints the names of options but not their values: some are secrets.
impl fmt::Debug for StoreConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StoreConfig")
            .field("objects", &self.objects)
            .field("options", &self.options.keys())
            .field("state", &self.state)
            .field("keep_deployments", &self.keep_deployments)
            .field("patience", &self.patience)
            .finish()
    }
}
