//! `--host` and `--ci`: what is written for a host beside latimer.toml, and where.

use std::fmt;
use std::path::{Path, PathBuf};

use pipeline::config::{Config, SiteConfig, SourceLocation, StoreLocation};
use pipeline::model::{Host, without_user};
use url::Url;

use super::ci::{CiJob, CiService, SOURCES};
use super::file::Wishes;
use super::files::{create, folder_of, relative};
use super::generators::GENERATORS;
use super::look::SourceFindings;
use super::recipe::{Recipe, RecipeNames, shows_missing_pages};
use super::repository;
use crate::exit::CommandFailure;

/// What is written for a host.
#[derive(Debug)]
pub(super) struct HostFiles {
    /// How the site is published.
    pub(super) recipe: Recipe,
    /// The file of a CI service, and its text.
    ci: Option<(CiService, PathBuf, String)>,
}

/// A host by its name.
pub(super) fn parse(name: &str) -> Result<Host, String> {
    let names = || Host::ALL.map(|(name, _)| name).join(", ");
    let found = Host::ALL.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, host)| *host)
        .ok_or_else(|| format!("known are {}", names()))
}

/// What the host wants of a new file.
pub(super) fn wishes(host: Host, path: &Path) -> Wishes {
    let address = folder_of(path)
        .ok()
        .and_then(|folder| repository::pages_address(&repository::root(&folder), host));
    Wishes {
        shows_missing_pages: shows_missing_pages(host),
        address,
    }
}

/// Reads what is about to be written, so that nothing is written that Latimer would refuse.
pub(super) fn read(text: &str, path: &Path) -> Result<Config, CommandFailure> {
    Config::parse(text, path, &|name| std::env::var(name).ok()).map_err(CommandFailure::usage)
}

impl HostFiles {
    /// Finds out what to write for a host, beside the configuration with this text; writes nothing.
    pub(super) fn plan(
        text: &str,
        path: &Path,
        host: Host,
        wanted: Option<&str>,
        (service, file): (Option<CiService>, Option<&Path>),
    ) -> Result<Self, CommandFailure> {
        let config = read(text, path)?;
        let known = || {
            config
                .sites
                .iter()
                .map(|site| site.id.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let site = match (wanted, config.sites.as_slice()) {
            (None, [only]) => only,
            (None, _) => {
                let say = format!(
                    "{} has several sites; say which one with --site: {}",
                    path.display(),
                    known()
                );
                return Err(CommandFailure::usage(say));
            }
            (Some(wanted), all) => all
                .iter()
                .find(|site| site.id.as_str() == wanted)
                .ok_or_else(|| {
                    CommandFailure::usage(format!(
                        "there is no site {wanted:?}; the sites of {} are {}",
                        path.display(),
                        known()
                    ))
                })?,
        };
        let address = site
            .source_url
            .as_deref()
            .and_then(|url| Url::parse(url).ok()?.domain().map(str::to_owned));
        let is_one_of_many = config.sites.len() > 1;
        let names = RecipeNames {
            site: site.id.as_str(),
            is_one_of_many,
            address: address.as_deref(),
        };
        let recipe = Recipe::of(host, service.is_some(), &names);
        let folder = folder_of(path).map_err(|error| {
            CommandFailure::failed(format!("cannot look at {}: {error}", path.display()))
        })?;
        let ci = service
            .map(|service| planned(service, file, &recipe, site, &config, (path, &folder)))
            .transpose()?;
        Ok(Self { recipe, ci })
    }

    /// Writes the file of the CI service; another one that appeared meanwhile is left alone.
    pub(super) fn write(&self) -> Result<(), CommandFailure> {
        let Some((service, path, text)) = &self.ci else {
            return Ok(());
        };
        if let Some(folder) = path.parent() {
            let failed = |error| {
                CommandFailure::failed(format!("cannot make {}: {error}", folder.display()))
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        create(path, text, || taken(*service, path))
    }

    pub(super) fn report(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.recipe.name,
            "ci_file": self.ci.as_ref().map(|(_, path, _)| path.display().to_string()),
            "secrets": if self.ci.is_some() { self.recipe.secrets } else { &[] },
        })
    }
}

/// What is left to do, a line each.
impl fmt::Display for HostFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((service, path, _)) = &self.ci else {
            return self
                .recipe
                .server
                .iter()
                .try_for_each(|line| writeln!(formatter, "{line}"));
        };
        let (variables, place) = match service {
            CiService::Github => ("secrets", "Settings, Secrets and variables, Actions"),
            CiService::Gitlab => ("masked variables", "Settings, CI/CD, Variables"),
        };
        writeln!(formatter, "wrote {}", path.display())?;
        writeln!(
            formatter,
            "set the variable {SOURCES} to where the sources of Latimer are ({place})"
        )?;
        if !self.recipe.secrets.is_empty() {
            writeln!(
                formatter,
                "set the {variables} {} there",
                self.recipe.secrets.join(", ")
            )?;
        }
        writeln!(
            formatter,
            "keep latimer.toml, translations/ and memory/ in the repository, and dist/ and .latimer/ out of it"
        )
    }
}

/// The file of a service and its text, if there is none yet.
#[expect(clippy::too_many_lines, reason = "one arm for each host")]
fn planned(
    service: CiService,
    file: Option<&Path>,
    recipe: &Recipe,
    site: &SiteConfig,
    config: &Config,
    (configuration, folder): (&Path, &Path),
) -> Result<(CiService, PathBuf, String), CommandFailure> {
    if recipe.host == Host::GithubPages && service != CiService::Github
        || recipe.host == Host::GitlabPages && service != CiService::Gitlab
    {
        let own = if recipe.host == Host::GithubPages {
            "github"
        } else {
            "gitlab"
        };
        return Err(CommandFailure::usage(format!(
            "{} takes pages from its own CI alone: give --ci {own}",
            recipe.host
        )));
    }
    let root = repository::root(folder);
    let path = file.map_or_else(|| root.join(service.usual_file()), Path::to_path_buf);
    let absolute = |path: &Path| std::path::absolute(path).ok();
    if absolute(&path) == absolute(configuration) {
        return Err(CommandFailure::usage(format!(
            "--ci-file {} is the configuration itself: give the file of the CI service another name",
            path.display()
        )));
    }
    if path.exists() {
        return Err(taken(service, &path));
    }
    let (source, is_crawled, generator) = match &site.source {
        SourceLocation::Web(url) => (without_user(url.as_str()).into_owned(), true, None),
        SourceLocation::Folder(source) => {
            let found = SourceFindings::of_folder(source)
                .ok()
                .and_then(|findings| findings.generator);
            let generator = GENERATORS
                .iter()
                .find(|generator| Some(generator.name) == found);
            (
                format!(
                    "{}/",
                    shown(source, folder).unwrap_or_else(|| source.display().to_string())
                ),
                false,
                generator,
            )
        }
    };
    let inside = folder
        .strip_prefix(&root)
        .unwrap_or(Path::new(""))
        .display()
        .to_string();
    let name = configuration
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let program = if name == "latimer.toml" {
        "latimer".to_owned()
    } else {
        format!("latimer -c {name}")
    };
    let job = CiJob {
        recipe,
        generator,
        source,
        is_crawled,
        folder: inside,
        program,
        kept: kept(config, folder),
    };
    // A shell and a YAML reader go by some characters.
    let is_plain = |text: &&str| {
        text.chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '~'))
    };
    let mut paths = job
        .kept
        .iter()
        .map(String::as_str)
        .chain([job.folder.as_str(), &name]);
    if let Some(path) = paths.find(|path| !is_plain(path)) {
        return Err(CommandFailure::usage(format!(
            "{path:?} cannot stand in a file for CI: rename it, so that it has letters, digits, dots, dashes and underscores alone"
        )));
    }
    Ok((service, path, service.write(&job)))
}

/// What is kept between jobs: the store and the state, and where folders for programs are made.
fn kept(config: &Config, folder: &Path) -> Vec<String> {
    const OURS: &str = ".latimer";
    let mut kept = vec![OURS.to_owned()];
    kept.extend(
        shown(&config.store.state, folder).filter(|state| !Path::new(state).starts_with(OURS)),
    );
    if let StoreLocation::Folder(objects) = &config.store.objects {
        kept.extend(shown(objects, folder));
    }
    kept
}

/// A path as it is written in latimer.toml, if it lies in its folder.
fn shown(path: &Path, folder: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let inside = relative(&path, folder);
    (!inside.starts_with("..")).then(|| inside.display().to_string())
}

fn taken(service: CiService, path: &Path) -> CommandFailure {
    let way = match service {
        CiService::Github => {
            "remove it, or give another name with --ci-file .github/workflows/NAME.yml"
        }
        CiService::Gitlab => {
            "give another name with --ci-file NAME.yml, and write `include: NAME.yml` there"
        }
    };
    CommandFailure::failed(format!(
        "{} exists already, and nothing was written; {way}",
        path.display()
    ))
}
