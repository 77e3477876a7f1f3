//! `latimer models add`: models for one source language and several others.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use clap::Args;
use pipeline::engines::{lacks_for_models, prove};
use pipeline::model::{LanguagePair, Locale};
use pipeline::models::{
    self, AddOrder, AddOutcome, Added, ModelOrigin, ModelRecord, ModelRoute, Registry,
    RegistryAddress, Supplier,
};
use serde_json::json;

use super::super::work;
use super::available::{downloader, license, megabytes};
use super::listed::write;
use crate::address::web_address;
use crate::exit::{CommandFailure, ExitCode};
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
struct ModelDestination<'a> {
    folder: &'a Path,
    registry: &'a RegistryAddress,
    sha256: Option<String>,
    replace: bool,
}

/// A model to add, and the locale that it was asked for.
struct RequestedModel {
    origin: ModelOrigin,
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
) -> Result<ExitCode, CommandFailure> {
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
                    .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
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
        let place = ModelDestination {
            folder,
            registry: &registry,
            sha256,
            replace: arguments.replace,
        };
        add(&place, wanted, options).await
    })
}

/// The pairs that were asked for.
fn pairs(arguments: &Arguments) -> Result<Vec<LanguagePair>, CommandFailure> {
    let source = &arguments.source;
    let mut pairs: Vec<LanguagePair> = Vec::new();
    for target in &arguments.targets {
        if target.same_language(source) {
            return Err(CommandFailure::usage(format!(
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
) -> Result<Vec<RequestedModel>, CommandFailure> {
    let mut wanted: Vec<RequestedModel> = Vec::new();
    for pair in pairs {
        let models = match known.way(pair.as_ref()) {
            Ok(ModelRoute::Direct(model)) => vec![model],
            Ok(ModelRoute::Through(models)) => {
                let names: Vec<String> =
                    models.iter().map(|model| model.pair.hyphenated()).collect();
                options.progress().note(&format!(
                    "{pair} goes through English, with the models {}",
                    names.join(" and ")
                ));
                models.to_vec()
            }
            Err(reason) => {
                return Err(CommandFailure::failed(format!(
                    "{from} has no model for {pair}: {reason}; `latimer models list --available` lists what it has"
                )));
            }
        };
        for model in models {
            if wanted.iter().any(|other| other.pair == model.pair) {
                continue;
            }
            let origin = ModelOrigin::Registry {
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
            wanted.push(RequestedModel {
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
) -> Result<Vec<RequestedModel>, CommandFailure> {
    let path = Path::new(from);
    let is_folder = path.is_dir();
    if is_folder && arguments.sha256.is_some() {
        return Err(CommandFailure::usage(
            "--sha256 goes with an archive; the files of a folder are pinned one by one",
        ));
    }
    if is_folder {
        let known = models::registry_in(path)
            .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
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
    let wanted = pairs.into_iter().map(|pair| RequestedModel {
        origin: origin.clone(),
        locale: pair.to.clone(),
        pair,
    });
    Ok(wanted.collect())
}

/// Kinds of sources that `--from` names.
fn origin_of(from: &str, allow_private: bool) -> Result<ModelOrigin, CommandFailure> {
    let path = PathBuf::from(from);
    let is_address = ["http:", "https:"]
        .iter()
        .any(|scheme| from.to_ascii_lowercase().starts_with(scheme));
    if is_address {
        let url = web_address("--from", from)?;
        return Ok(ModelOrigin::Web {
            url,
            downloader: downloader(allow_private)?,
        });
    }
    if allow_private {
        return Err(CommandFailure::usage(
            "--allow-private goes with an address",
        ));
    }
    if path.is_dir() {
        return Ok(ModelOrigin::Folder(path));
    }
    match path.is_file() {
        true => Ok(ModelOrigin::Archive(path)),
        false => Err(CommandFailure::usage(format!(
            "there is no folder or file {from}, and it is no http(s) address"
        ))),
    }
}

/// Prints the files of the models, for a machine that can fetch them.
fn print(
    registry: &RegistryAddress,
    wanted: &[RequestedModel],
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let models = wanted.iter().filter_map(|wanted| match &wanted.origin {
        ModelOrigin::Registry { model, .. } => Some(model),
        ModelOrigin::Folder(_) | ModelOrigin::Archive(_) | ModelOrigin::Web { .. } => None,
    });
    let records: Vec<&ModelRecord> = models.flat_map(|model| &model.files).collect();
    if options.json {
        println!("{}", json!({ "data": records }));
        return Ok(ExitCode::Done);
    }
    for record in records {
        let url = registry
            .file(record)
            .map_err(|error| CommandFailure::failed(work::chain(&error)))?;
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
    place: &ModelDestination<'_>,
    wanted: Vec<RequestedModel>,
    options: &Options,
) -> Result<ExitCode, CommandFailure> {
    let progress = options.progress();
    let mut reports = Vec::new();
    for RequestedModel {
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
        let added = added.map_err(|error| CommandFailure::failed(work::chain(&error)))?;
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
fn announcement(registry: &RegistryAddress, origin: &ModelOrigin) -> String {
    match origin {
        ModelOrigin::Registry { model, .. } => format!(
            "fetching {} {}: {}, {} on the disk, {}, from {}",
            model.pair.hyphenated(),
            model.version,
            megabytes(model.download_size()),
            megabytes(model.size()),
            license(registry, model),
            registry.attachments
        ),
        ModelOrigin::Web { url, .. } => {
            format!("fetching from {}", url.host_str().unwrap_or_default())
        }
        ModelOrigin::Folder(_) | ModelOrigin::Archive(_) => String::new(),
    }
}

fn kibibytes(bytes: u64) -> usize {
    usize::try_from(bytes >> 10).unwrap_or(usize::MAX)
}

fn say(added: &Added, notice: Option<&str>) -> String {
    let outcome = match added.outcome {
        AddOutcome::Added => "added",
        AddOutcome::Replaced => "added in the place of another one",
        AddOutcome::Pinned => "was there already, with the same files; they are pinned now",
        AddOutcome::Present => "is there already, with the same files",
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

fn hash(text: &str) -> Result<String, CommandFailure> {
    match text.len() == 64 && text.chars().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(CommandFailure::usage(format!(
            "{text:?} is no SHA-256: write its 64 hexadecimal digits"
        ))),
    }
}
