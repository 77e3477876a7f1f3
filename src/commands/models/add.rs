//! `latimer models add`: models for one source language and several others.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use clap::Args;
use pipeline::engines::{lacks_for_models, prove};
use pipeline::model::{LanguagePair, Locale};
use pipeline::models::{
    self, AddOrder, Added, Origin, Outcome, Record, Registry, RegistryAddress, Supplier, Way,
};
use serde_json::json;

use super::super::work;
use super::available::{downloader, license, megabytes};
use super::listed::write;
use crate::address::web_address;
use crate::exit::{ExitCode, Failure};
use crate::options::Options;
use crate::terminal;

/// The arguments of `latimer models add`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The language translated from.
    #[arg(value_name = "FROM", value_parser = Locale::parse_wanted)]
    source: Locale,
    /// The languages translated into.
    #[arg(value_name = "TO", value_parser = Locale::parse_wanted, required = true)]
    targets: Vec<Locale>,
    /// A folder, an archive (zip, Python wheel, .tar, .tar.gz), or the http(s) address of one, instead of the registry.
    /// In it: model.*.bin, vocab.*.spm and, if there is one, lex.*.bin of the pair, each also as .gz or .zst.
    #[arg(long, value_name = "FOLDER|ARCHIVE|URL")]
    from: Option<String>,
    /// Fetches no model: prints the address, size, SHA-256 and name of each file, or with --json their records.
    #[arg(long, conflicts_with_all = ["from", "replace"])]
    print: bool,
    /// The SHA-256 that the archive must have.
    #[arg(long, value_name = "HEX", requires = "from")]
    sha256: Option<String>,
    /// Takes the place of another model for the pair.
    #[arg(long)]
    replace: bool,
    /// Fetches also from private networks.
    #[arg(long)]
    allow_private: bool,
}

/// Folder for models, and settings for all of them.
struct Place<'a> {
    folder: &'a Path,
    registry: &'a RegistryAddress,
    sha256: Option<String>,
    replace: bool,
}

/// A model to add, and the locale that it was asked for.
struct Wanted {
    origin: Origin,
    /// The pair of the model.
    pair: LanguagePair,
    /// The locale translated into, as it was written.
    locale: Locale,
}

/// Adds the models, or prints the addresses of their files.
pub(super) fn run(
    folder: &Path,
    arguments: &Arguments,
    registry: RegistryAddress,
    options: &Options,
) -> Result<ExitCode, Failure> {
    let registry = registry.allowing(arguments.allow_private);
    let pairs = pairs(arguments)?;
    let sha256 = arguments.sha256.as_deref().map(hash).transpose()?;
    work::until_interrupted(async {
        let wanted = match &arguments.from {
            Some(from) => from_files(from, arguments, pairs, options)?,
            None => {
                let client = downloader(registry.allow_private)?;
                let known = registry
                    .ask(&client)
                    .await
                    .map_err(|error| Failure::failed(work::chain(&error)))?;
                let supplier = Arc::new(Supplier::Web {
                    address: registry.clone(),
                    downloader: client,
                });
                let wanted =
                    from_registry(&known, &supplier, registry.records.as_str(), pairs, options)?;
                if arguments.print {
                    return print(&registry, &wanted, options);
                }
                wanted
            }
        };
        let place = Place {
            folder,
            registry: &registry,
            sha256,
            replace: arguments.replace,
        };
        add(&place, wanted, options).await
    })
}

/// The pairs that were asked for.
fn pairs(arguments: &Arguments) -> Result<Vec<LanguagePair>, Failure> {
    let source = &arguments.source;
    let mut pairs: Vec<LanguagePair> = Vec::new();
    for target in &arguments.targets {
        if target.same_language(source) {
            return Err(Failure::usage(format!(
                "{source} and {target} are one language; name another one after {source}"
            )));
        }
        let pair = LanguagePair {
            from: source.clone(),
            to: target.clone(),
        };
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

/// The models of a registry for the pairs, each once.
fn from_registry(
    known: &Registry,
    supplier: &Arc<Supplier>,
    from: &str,
    pairs: Vec<LanguagePair>,
    options: &Options,
) -> Result<Vec<Wanted>, Failure> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for pair in pairs {
        let models = match known.way(pair.as_ref()) {
            Ok(Way::Direct(model)) => vec![model],
            Ok(Way::Through(models)) => {
                let names: Vec<String> =
                    models.iter().map(|model| model.pair.hyphenated()).collect();
                options.progress().note(&format!(
                    "{pair} goes through English, with the models {}",
                    names.join(" and ")
                ));
                models.to_vec()
            }
            Err(reason) => {
                return Err(Failure::failed(format!(
                    "{from} has no model for {pair}: {reason}; `latimer models list --available` lists what it has"
                )));
            }
        };
        for model in models {
            if wanted.iter().any(|other| other.pair == model.pair) {
                continue;
            }
            let origin = Origin::Registry {
                model: model.clone(),
                supplier: Arc::clone(supplier),
            };
            let is_last = model.translates(LanguagePair {
                from: &model.pair.from,
                to: &pair.to,
            });
            let locale = if is_last {
                pair.to.clone()
            } else {
                model.pair.to.clone()
            };
            wanted.push(Wanted {
                origin,
                pair: model.pair.clone(),
                locale,
            });
        }
    }
    Ok(wanted)
}

/// The models of what `--from` names.
fn from_files(
    from: &str,
    arguments: &Arguments,
    pairs: Vec<LanguagePair>,
    options: &Options,
) -> Result<Vec<Wanted>, Failure> {
    let path = Path::new(from);
    let is_folder = path.is_dir();
    if is_folder && arguments.sha256.is_some() {
        return Err(Failure::usage(
            "--sha256 goes with an archive; the files of a folder are pinned one by one",
        ));
    }
    if is_folder {
        let known =
            models::registry_in(path).map_err(|error| Failure::failed(work::chain(&error)))?;
        if let Some(known) = known {
            let file = path.join(models::RECORDS_FILE);
            let supplier = Arc::new(Supplier::Folder(path.to_owned()));
            return from_registry(
                &known,
                &supplier,
                &file.display().to_string(),
                pairs,
                options,
            );
        }
    }
    let origin = origin_of(from, arguments.allow_private)?;
    let wanted = pairs.into_iter().map(|pair| Wanted {
        origin: origin.clone(),
        locale: pair.to.clone(),
        pair,
    });
    Ok(wanted.collect())
}

/// Kinds of sources that `--from` names.
fn origin_of(from: &str, allow_private: bool) -> Result<Origin, Failure> {
    let path = PathBuf::from(from);
    let is_address = ["http:", "https:"]
        .iter()
        .any(|scheme| from.to_ascii_lowercase().starts_with(scheme));
    if is_address {
        let url = web_address("--from", from)?;
        return Ok(Origin::Web {
            url,
            downloader: downloader(allow_private)?,
        });
    }
    if allow_private {
        return Err(Failure::usage("--allow-private goes with an address"));
    }
    if path.is_dir() {
        return Ok(Origin::Folder(path));
    }
    match path.is_file() {
        true => Ok(Origin::Archive(path)),
        false => Err(Failure::usage(format!(
            "there is no folder or file {from}, and it is no http(s) address"
        ))),
    }
}

/// Prints the files of the models, for a machine that can fetch them.
fn print(
    registry: &RegistryAddress,
    wanted: &[Wanted],
    options: &Options,
) -> Result<ExitCode, Failure> {
    let models = wanted.iter().filter_map(|wanted| match &wanted.origin {
        Origin::Registry { model, .. } => Some(model),
        Origin::Folder(_) | Origin::Archive(_) | Origin::Web { .. } => None,
    });
    let records: Vec<&Record> = models.flat_map(|model| &model.files).collect();
    if options.json {
        println!("{}", json!({ "data": records }));
        return Ok(ExitCode::Done);
    }
    for record in records {
        let url = registry
            .file(record)
            .map_err(|error| Failure::failed(work::chain(&error)))?;
        let attachment = &record.attachment;
        println!(
            "{url}  {}  {}  {}.zst",
            attachment.size, attachment.hash, record.name
        );
    }
    Ok(ExitCode::Done)
}

/// Adds one model after the other and prints the outcome of each.
async fn add(
    place: &Place<'_>,
    wanted: Vec<Wanted>,
    options: &Options,
) -> Result<ExitCode, Failure> {
    let progress = options.progress();
    let mut reports = Vec::new();
    for Wanted {
        origin,
        pair,
        locale,
    } in wanted
    {
        let announcement = announcement(place.registry, &origin);
        let is_announced = Once::new();
        let order = AddOrder {
            folder: place.folder.to_owned(),
            pair,
            from: origin,
            sha256: place.sha256.clone(),
            replace: place.replace,
            lacks: lacks_for_models(),
            prove,
        };
        let added = models::add(order, &|came, total| {
            is_announced.call_once(|| progress.note(&announcement));
            progress.report("fetch KiB", kibibytes(came), total.map(kibibytes));
        })
        .await;
        progress.finish();
        let added = added.map_err(|error| Failure::failed(work::chain(&error)))?;
        let notice = models::variant_notice(&added.model.target, &locale);
        if options.json {
            reports.push(json!({
                "outcome": added.outcome,
                "model": added.model,
                "notTried": added.not_tried,
                "notice": notice,
            }));
        } else {
            terminal::print(&say(&added, notice.as_deref()));
        }
    }
    if options.json {
        println!("{}", json!({ "added": reports }));
    }
    Ok(ExitCode::Done)
}

/// The files to fetch, and their host.
fn announcement(registry: &RegistryAddress, origin: &Origin) -> String {
    match origin {
        Origin::Registry { model, .. } => format!(
            "fetching {} {}: {}, {} on the disk, {}, from {}",
            model.pair.hyphenated(),
            model.version,
            megabytes(model.download_size()),
            megabytes(model.size()),
            license(registry, model),
            registry.attachments
        ),
        Origin::Web { url, .. } => format!("fetching from {}", url.host_str().unwrap_or_default()),
        Origin::Folder(_) | Origin::Archive(_) => String::new(),
    }
}

fn kibibytes(bytes: u64) -> usize {
    usize::try_from(bytes >> 10).unwrap_or(usize::MAX)
}

fn say(added: &Added, notice: Option<&str>) -> String {
    let outcome = match added.outcome {
        Outcome::Added => "added",
        Outcome::Replaced => "added in the place of another one",
        Outcome::Pinned => "was there already, with the same files; they are pinned now",
        Outcome::Present => "is there already, with the same files",
    };
    let not_tried = added
        .not_tried
        .as_ref()
        .map(|reason| format!("  not tried: {reason}\n"))
        .unwrap_or_default();
    let notice = notice
        .map(|notice| format!("  notice: {notice}\n"))
        .unwrap_or_default();
    format!(
        "{}: {outcome}\n{}{not_tried}{notice}",
        added.model.pair,
        write(&added.model)
    )
}

fn hash(text: &str) -> Result<String, Failure> {
    match text.len() == 64 && text.chars().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(Failure::usage(format!(
            "{text:?} is no SHA-256: write its 64 hexadecimal digits"
        ))),
    }
}
