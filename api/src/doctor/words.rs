//! Whether words can be had: files of people's words, engines, models, and the memory in the store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pipeline::causes::chain;
use pipeline::config::{Config, SiteConfig};
use pipeline::engines::{Engine, EngineError, Offer, start};
use pipeline::exchange::{Catalogue, Glossary, MemoryLines, SlugFile};
use pipeline::model::{LanguagePair, Locale};
use pipeline::models::ModelState;
use pipeline::store::{self, Objects, RowKind};
use pipeline::translate::Chain;

use super::disk::writable;
use super::finding::{DoctorFinding, DoctorHealth};

/// The files of words and paths that lie beside the configuration.
pub(super) fn files(site: &SiteConfig, findings: &mut Vec<DoctorFinding>) {
    findings.extend(site.glossary.as_ref().map(|file| {
        let found = Glossary::open(file, &site.source_locale);
        let found = found
            .map(|_| format!("{}: can be read", file.display()))
            .map_err(|error| chain(&error));
        DoctorFinding::of(format!("{}: glossary", site.id), found)
    }));
    for locale in site.locales.iter().filter(|locale| !locale.is_pseudo()) {
        let mut look =
            |what: &str, file: Option<&Path>, read: &dyn Fn(&Path) -> Result<String, String>| {
                let Some(file) = file.filter(|file| file.exists()) else {
                    return;
                };
                let found = read(file).map(|found| format!("{}: {found}", file.display()));
                findings.push(DoctorFinding::of(
                    format!("{}: {what} in {locale}", site.id),
                    found,
                ));
            };
        let path = |file: &Option<pipeline::config::LocaleFile>| {
            file.as_ref().map(|file| file.path(locale))
        };
        look(
            "translations",
            path(&site.translations).as_deref(),
            &|file| {
                Catalogue::open(file)
                    .map(|_| "can be read".to_owned())
                    .map_err(|error| chain(&error))
            },
        );
        look("memory", path(&site.memory).as_deref(), &|file| {
            let lines = MemoryLines::open(file).map_err(|error| chain(&error))?;
            match lines.broken() {
                [] => Ok("can be read".to_owned()),
                [first, ..] => Err(format!(
                    "{} lines are broken; the first: {first}",
                    lines.broken().len()
                )),
            }
        });
        look("paths", path(&site.slugs).as_deref(), &|file| {
            SlugFile::open(file)
                .map(|_| "can be read".to_owned())
                .map_err(|error| chain(&error))
        });
        if let Some(file) = path(&site.memory)
            && let Err(error) = writable(file.parent().unwrap_or(&file))
        {
            findings.push(DoctorFinding::new(
                format!("{}: memory in {locale}", site.id),
                DoctorHealth::Bad,
                error,
            ));
        }
    }
}

/// Engines by name, as far as they could be started.
type StartedEngines = BTreeMap<String, Option<Arc<dyn Engine>>>;

/// Which engine translates into which language.
pub(super) fn engines(
    site: &SiteConfig,
    engines: &mut StartedEngines,
    findings: &mut Vec<DoctorFinding>,
) {
    for locale in site.locales.iter().filter(|locale| !locale.is_pseudo()) {
        let mut named = Vec::new();
        for engine in site.engines_for(locale) {
            let started = engines.entry(engine.name.clone()).or_insert_with(|| {
                let started = start(&engine.spec);
                findings.extend(trouble(&started, site.pair_to(locale)).map(|found| {
                    DoctorFinding::new(format!("engine {}", engine.name), DoctorHealth::Bad, found)
                }));
                started.ok()
            });
            named.extend(
                started
                    .as_ref()
                    .map(|started| (engine.name.clone(), Arc::clone(started))),
            );
        }
        findings.push(route(site, locale, named));
    }
}

/// Reason why an engine cannot translate. One that does not offer the pair says so where the pair's engines are named.
fn trouble(
    started: &Result<Arc<dyn Engine>, EngineError>,
    pair: LanguagePair<&Locale>,
) -> Option<String> {
    match started {
        Ok(engine) => engine.lack().filter(|_| engine.offers(pair) == Offer::Yes),
        Err(error) => Some(chain(error)),
    }
}

fn route(
    site: &SiteConfig,
    locale: &Locale,
    named: Vec<(String, Arc<dyn Engine>)>,
) -> DoctorFinding {
    let pair = site.pair_to(locale);
    let what = format!("{}: {pair}", site.id);
    let route = Chain::of_pair(named, pair, &site.routes);
    let names: Vec<&str> = route
        .route(pair)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    if names.is_empty() {
        let mut found = vec!["no engine has it, only people and the memory".to_owned()];
        found.extend(route.hints(pair));
        return DoctorFinding::new(what, DoctorHealth::Poor, found.join("; "));
    }
    DoctorFinding::new(
        what,
        DoctorHealth::Good,
        format!("by {}", names.join(", then ")),
    )
}

/// Whether neural models are what was added.
pub(super) fn models(folder: &Path, findings: &mut Vec<DoctorFinding>) {
    let listed = match pipeline::models::list(folder) {
        Ok(listed) => listed,
        Err(error) => {
            return findings.push(DoctorFinding::new(
                "models",
                DoctorHealth::Bad,
                chain(&error),
            ));
        }
    };
    for model in listed {
        let pair = &model.pair;
        let place = model.folder.display();
        let (health, found) = match model.state {
            ModelState::Pinned => (DoctorHealth::Good, "as it was added".to_owned()),
            ModelState::Unpinned => (
                DoctorHealth::Good,
                "not pinned: there are no hashes to compare its files with".to_owned(),
            ),
            ModelState::Changed | ModelState::Damaged => {
                let pair = format!("{} {}", model.source, model.target);
                let advice = format!("add it again with `latimer models add {pair} --replace`");
                (
                    DoctorHealth::Bad,
                    format!("{}; {advice}", model.problems.join("; ")),
                )
            }
        };
        findings.push(DoctorFinding::new(
            format!("model {pair}"),
            health,
            format!("{place}: {found}"),
        ));
    }
}

/// Tests that each file of the memory and of people's edits in the store is what its name says.
pub(super) async fn memory(config: &Config, objects: &Objects) -> DoctorFinding {
    let look = async {
        let mut count = 0;
        let mut damaged = Vec::new();
        for site in &config.sites {
            let mut places = Vec::new();
            for kind in [RowKind::Memory, RowKind::Edits] {
                let locales = store::row_locales(objects, &site.id, kind).await;
                let locales = locales.map_err(|error| chain(&error))?;
                places.extend(locales.into_iter().map(|locale| (kind, locale)));
            }
            for (kind, locale) in places {
                let files = store::row_files(objects, &site.id, kind, &locale).await;
                for file in files.map_err(|error| chain(&error))? {
                    count += 1;
                    let read = store::row_file(objects, &site.id, kind, &locale, &file.name).await;
                    damaged.extend(read.err().map(|error| chain(&error)));
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
    DoctorFinding::of("memory in the store", look.await)
}
