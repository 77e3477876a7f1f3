//! `[publish.NAME]`: hosts that a site is brought to.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use url::Url;

use super::error::ConfigError;
use super::reader::{ConfigField, ConfigTable};
use super::real_path::real_path;
use super::site::{SiteConfig, SourceLocation};
use super::store::{StoreConfig, StoreLocation};
use super::{keys, store};
use crate::model::{Host, RedirectBy, SiteId, TargetName, TargetNameError};
use crate::store::Encoding;

/// A host that a site is brought to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishConfig {
    /// Its name.
    pub name: TargetName,
    /// The site.
    pub site: SiteId,
    /// How the files get there.
    pub to: PublishTo,
    /// What kind of host it is.
    pub host: Host,
    /// How redirects are made.
    pub redirects: RedirectBy,
    /// How long files stay that no page names any more.
    pub keep: Duration,
    /// What is said about caching pages and other files whose names hold no hash.
    pub page_cache: String,
    /// Whether `latimer serve` publishes after each run.
    pub after_run: bool,
}

/// How files get to a host.
#[derive(Clone, PartialEq, Eq)]
pub enum PublishTo {
    /// Into a folder.
    Folder {
        /// The folder.
        folder: PathBuf,
        /// How it is laid out.
        layout: FolderLayout,
    },
    /// Into a bucket.
    Bucket {
        /// The bucket and what stands before the names in it.
        url: Url,
        /// Settings of the bucket, with what the environment says.
        options: BTreeMap<String, String>,
        /// The compression in which files are stored, where they have it.
        encoding: Option<Encoding>,
        /// Where files for the host's configuration are written.
        folder: PathBuf,
        /// The CloudFront distribution that is told which addresses have changed.
        invalidate: Option<String>,
    },
    /// By a program, which is given a folder.
    Command {
        /// The folder.
        folder: PathBuf,
        /// The program and its arguments; `{dir}` stands for the folder.
        command: Vec<String>,
    },
}

/// How a folder is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderLayout {
    /// `releases/{n}`, and a link `current` that is switched.
    Releases,
    /// The files themselves, replaced one by one in a safe order.
    Plain,
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LONGEST_KEEP: Duration = Duration::from_secs(365 * 24 * 60 * 60);
const KEEP: &str = "a time such as \"90s\", \"10m\", \"24h\" or \"7d\", at most a year";
const PAGE_CACHE: &str = "max-age=0, must-revalidate";

#[derive(Clone, Copy)]
enum PublishKind {
    Folder,
    Bucket,
    Command,
}

pub(super) fn read_all(
    root: &ConfigTable<'_>,
    sites: &[SiteConfig],
    store: &StoreConfig,
    known: &[PublishConfig],
) -> Result<Vec<PublishConfig>, ConfigError> {
    let Some(all) = root.table("publish", &keys::PUBLISH_ALL)? else {
        return Ok(Vec::new());
    };
    let mut targets: Vec<PublishConfig> = Vec::new();
    for field in &all.fields() {
        let target = read(field, sites, store)?;
        if let PublishTo::Bucket {
            encoding: Some(encoding),
            ..
        } = target.to
            && !store.variants.contains(&encoding)
        {
            let token = encoding.token();
            let variant = encoding.ending().trim_start_matches('.');
            return Err(field.error(format!(
                "its `encoding` is {token:?}, which the store does not keep; add {variant:?} to `variants` in [store]"
            )));
        }
        let others: Vec<&PublishConfig> = known.iter().chain(&targets).collect();
        if let Some(other) = clash(&target, &others, sites, store, root.reader().folder()) {
            return Err(field.error(format!(
                "its `to` and {other} lie in one another; give it a place of its own"
            )));
        }
        targets.push(target);
    }
    Ok(targets)
}

/// The table of a target that is published to once: the files themselves in a folder, or a bucket.
pub(super) fn table_of(to: &str, host: &str, site: Option<&str>) -> String {
    // One place, one name.
    let to = Some(to.trim_end_matches('/'))
        .filter(|to| !to.is_empty())
        .unwrap_or(to);
    let name = blake3::hash(to.as_bytes()).to_hex();
    let name = name.get(..12).unwrap_or_default();
    // What JSON writes in quotes, TOML reads.
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let kind = if to.contains("://") {
        "kind = \"s3\""
    } else {
        "kind = \"folder\"\nlayout = \"plain\""
    };
    let site = site
        .map(|site| format!("site = {}\n", quoted(site)))
        .unwrap_or_default();
    format!(
        "[publish.once-{name}]\n{kind}\nto = {}\nhost = {}\n{site}",
        quoted(to),
        quoted(host)
    )
}

/// What a target's place would damage: what is published replaces and removes files.
fn clash(
    target: &PublishConfig,
    others: &[&PublishConfig],
    sites: &[SiteConfig],
    store: &StoreConfig,
    configuration: &Path,
) -> Option<String> {
    let place = |target: &PublishConfig| match &target.to {
        PublishTo::Folder { folder, .. } | PublishTo::Command { folder, .. } => real_path(folder),
        PublishTo::Bucket { url, .. } => PathBuf::from(url.as_str()),
    };
    let own = place(target);
    let meets = |other: &Path| own.starts_with(other) || other.starts_with(&own);
    let source = |site: &&SiteConfig| matches!(&site.source, SourceLocation::Folder(folder) if meets(&real_path(folder)));
    let is_in_store = match &store.objects {
        StoreLocation::Folder(folder) => meets(&real_path(folder)),
        StoreLocation::Url(url) => meets(Path::new(url.as_str())),
    };
    let other = others.iter().find(|other| meets(&place(other)));
    let source = sites
        .iter()
        .find(source)
        .map(|site| format!("the source of {}", site.id));
    source
        .or_else(|| is_in_store.then(|| "the store".to_owned()))
        .or_else(|| {
            real_path(&store.state)
                .starts_with(&own)
                .then(|| "the state".to_owned())
        })
        .or_else(|| {
            real_path(configuration)
                .starts_with(&own)
                .then(|| "this file".to_owned())
        })
        .or_else(|| other.map(|other| format!("that of {}", other.name)))
}

fn read(
    field: &ConfigField<'_>,
    sites: &[SiteConfig],
    store: &StoreConfig,
) -> Result<PublishConfig, ConfigError> {
    let name: TargetName = field
        .key()
        .parse()
        .map_err(|error: TargetNameError| field.error(error.to_string()))?;
    let table = field.table(&keys::PUBLISH)?;
    let kinds = [
        ("folder", PublishKind::Folder),
        ("s3", PublishKind::Bucket),
        ("command", PublishKind::Command),
    ];
    let kind_field = table.required("kind", "kind = \"folder\", \"s3\" or \"command\"")?;
    let kind = kind_field.one_of(&kinds)?;
    let host = host(&table, kind)?;
    let to = match kind {
        PublishKind::Folder => folder(&table)?,
        PublishKind::Bucket => bucket(&table, host, own_folder(store, &name))?,
        PublishKind::Command => command(&table, own_folder(store, &name))?,
    };
    let only_for = [
        (
            "layout",
            matches!(kind, PublishKind::Folder),
            "kind = \"folder\"",
        ),
        (
            "options",
            matches!(kind, PublishKind::Bucket),
            "kind = \"s3\"",
        ),
        (
            "encoding",
            matches!(kind, PublishKind::Bucket),
            "kind = \"s3\"",
        ),
        (
            "invalidate",
            matches!(kind, PublishKind::Bucket),
            "kind = \"s3\"",
        ),
        (
            "command",
            matches!(kind, PublishKind::Command),
            "kind = \"command\"",
        ),
    ];
    for (key, _, wanted) in only_for.iter().filter(|(_, is_wanted, _)| !is_wanted) {
        if let Some(field) = table.get(key) {
            return Err(field.error(format!("`{key}` goes with {wanted}")));
        }
    }
    let redirects = [("host", RedirectBy::Host), ("pages", RedirectBy::Pages)];
    Ok(PublishConfig {
        site: site(&table, sites)?,
        to,
        host,
        redirects: table
            .get("redirects")
            .map_or(Ok(RedirectBy::Host), |field| field.one_of(&redirects))?,
        keep: table.get("keep").map_or(Ok(DAY), |field| keep(&field))?,
        page_cache: table
            .get("page_cache")
            .map_or(Ok(PAGE_CACHE.to_owned()), |field| page_cache(&field))?,
        after_run: table
            .get("after_run")
            .map_or(Ok(false), |field| field.flag())?,
        name,
    })
}

fn site(table: &ConfigTable<'_>, sites: &[SiteConfig]) -> Result<SiteId, ConfigError> {
    let known: Vec<&str> = sites.iter().map(|site| site.id.as_str()).collect();
    match (table.get("site"), sites) {
        (None, [only]) => Ok(only.id.clone()),
        (None, _) => Err(table.error(format!(
            "say which `site` is published: {}",
            known.join(", ")
        ))),
        (Some(field), _) => {
            let text = field.text()?;
            let found = sites.iter().find(|site| site.id.as_str() == text);
            found.map(|site| site.id.clone()).ok_or_else(|| {
                field.error(format!(
                    "there is no site {text:?}; the sites of this file are {}",
                    known.join(", ")
                ))
            })
        }
    }
}

fn host(table: &ConfigTable<'_>, kind: PublishKind) -> Result<Host, ConfigError> {
    let Some(field) = table.get("host") else {
        return Ok(Host::Plain);
    };
    let text = field.text()?;
    let names: Vec<&str> = Host::ALL.iter().map(|(name, _)| *name).collect();
    let found = Host::ALL
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, host)| *host);
    let host = found.ok_or_else(|| {
        field.nearest_error(
            &format!("there is no host {text:?}; known are {}", names.join(", ")),
            text,
            &names,
        )
    })?;
    let is_bucket = matches!(kind, PublishKind::Bucket);
    match host {
        Host::Cloudfront | Host::S3Website if !is_bucket => {
            Err(field.error(format!("{host} reads a bucket: it goes with kind = \"s3\"")))
        }
        Host::Cloudfront | Host::S3Website | Host::Plain => Ok(host),
        _ if is_bucket => Err(field.error(format!(
            "{host} reads files, no bucket: it goes with kind = \"folder\" or \"command\""
        ))),
        _ => Ok(host),
    }
}

fn folder(table: &ConfigTable<'_>) -> Result<PublishTo, ConfigError> {
    let layouts = [
        ("releases", FolderLayout::Releases),
        ("plain", FolderLayout::Plain),
    ];
    let folder = table
        .required("to", "to = \"FOLDER\", such as \"/srv/www/example\"")?
        .path()?;
    let layout = table
        .get("layout")
        .map_or(Ok(FolderLayout::Releases), |field| field.one_of(&layouts))?;
    Ok(PublishTo::Folder { folder, layout })
}

const BUCKET: &str = "to = \"s3://BUCKET/PREFIX\" (or gs://, az://)";

fn bucket(table: &ConfigTable<'_>, host: Host, folder: PathBuf) -> Result<PublishTo, ConfigError> {
    let field = table.required("to", BUCKET)?;
    let url = Url::parse(field.text()?).ok();
    let url =
        url.filter(|url| matches!(url.scheme(), "s3" | "gs" | "az") && url.host_str().is_some());
    let url = url.ok_or_else(|| field.error(format!("`to` is no bucket; write {BUCKET}")))?;
    let written = table
        .get("options")
        .map(|field| store::options(&field))
        .transpose()?
        .unwrap_or_default();
    let encodings = [("br", Encoding::Brotli), ("gzip", Encoding::Gzip)];
    let encoding = table
        .get("encoding")
        .map(|field| field.one_of(&encodings))
        .transpose()?;
    let invalidate = table
        .get("invalidate")
        .map(|field| distribution(&field, host))
        .transpose()?;
    let options = store::with_environment(table.reader(), &url, written)?;
    Ok(PublishTo::Bucket {
        url,
        options,
        encoding,
        folder,
        invalidate,
    })
}

/// Folder of a target on this machine, beside the state: the service can write there even if the configuration's folder is
/// read-only.
fn own_folder(store: &StoreConfig, name: &TargetName) -> PathBuf {
    store.own_folder().join(name.to_string())
}

fn distribution(field: &ConfigField<'_>, host: Host) -> Result<String, ConfigError> {
    let id = field.text()?;
    if host != Host::Cloudfront {
        return Err(field.error("`invalidate` goes with host = \"cloudfront\"".to_owned()));
    }
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_id {
        Ok(id.to_owned())
    } else {
        Err(field.must_be("the id of a distribution, such as \"E1A2B3C4D5\""))
    }
}

fn command(table: &ConfigTable<'_>, own_folder: PathBuf) -> Result<PublishTo, ConfigError> {
    let wanted = "command = [\"PROGRAM\", \"ARGUMENT\", \"{dir}\"]";
    let field = table.required("command", wanted)?;
    let command: Vec<String> = field
        .list()?
        .iter()
        .map(|part| part.text().map(str::to_owned))
        .collect::<Result<_, _>>()?;
    if command.is_empty() {
        return Err(field.error(format!("`command` names no program; write {wanted}")));
    }
    let folder = table
        .get("to")
        .map_or(Ok(own_folder), |field| field.path())?;
    Ok(PublishTo::Command { folder, command })
}

/// `0` ends at once what no page names.
fn keep(field: &ConfigField<'_>) -> Result<Duration, ConfigError> {
    match field.text()? {
        "0" | "0s" => Ok(Duration::ZERO),
        _ => field.time(LONGEST_KEEP, KEEP),
    }
}

fn page_cache(field: &ConfigField<'_>) -> Result<String, ConfigError> {
    let text = field.text()?;
    let is_header = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"=,- ".contains(&byte));
    let wanted = "what Cache-Control says, such as \"max-age=0, must-revalidate\"";
    if is_header {
        Ok(text.to_owned())
    } else {
        Err(field.must_be(wanted))
    }
}

/// Prints the names of options but not their values, and a program without its arguments: some are secrets.
impl fmt::Debug for PublishTo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { folder, layout } => {
                write!(formatter, "Folder({}, {layout:?})", folder.display())
            }
            Self::Bucket {
                url,
                options,
                encoding,
                ..
            } => {
                write!(
                    formatter,
                    "Bucket({url}, {:?}, {encoding:?})",
                    options.keys()
                )
            }
            Self::Command { folder, command } => {
                write!(
                    formatter,
                    "Command({}, {:?})",
                    folder.display(),
                    command.first()
                )
            }
        }
    }
}
