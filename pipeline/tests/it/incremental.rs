//! A build that passes over what did not change is a build that does everything: random sequences of changes, each built twice
//! from copies of one store and state.

mod cases;
mod causes;
mod drawn;
mod edits;
mod kills;
mod mixed;
mod model;
mod nightly;
mod relations;
mod search;
mod segments;
mod warned;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant};

use pipeline::config::{Config, SiteConfig};
use pipeline::inspect;
use pipeline::model::{Locale, Moment, PagePath};
use pipeline::run::{
    self, BuildLimits, BuildOptions, BuildStep, BuildWork, KeyInputs, Report, Stores, Trust,
};
use pipeline::state::{RunKind, RunOrder, RunOrigin, State};
use pipeline::store::{self, Commit, Objects, Published, ServingSwitch};
use tempfile::TempDir;
use tokio::sync::RwLock;

use self::kills::Kills;
use self::model::Model;

/// Sequences in a normal run; `LATIMER_SEQUENCES` has others.
const SEQUENCES: u64 = 40;
/// How many of them run at a time.
const AT_ONCE: usize = 4;
/// The most builds of a sequence.
const STEPS: u64 = 12;
/// Limits that these small sites exceed: a handful of texts, the second warning, a few drawn pages.
const LIMITS: BuildLimits = BuildLimits {
    texts_in_memory: 6,
    warnings: 1,
    terms: 1,
    noted_at_once: 1,
    shared_words: 150,
};
/// Inputs of all keys of these builds.
static INPUTS: LazyLock<KeyInputs> = LazyLock::new(KeyInputs::watched);
/// Builds share what a test leaves out of keys, so that test has them alone.
static BUILDS: RwLock<()> = RwLock::const_new(());

/// Numbers that a seed gives, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                all_files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn site(root: &Path) -> SiteConfig {
    let file = root.join("latimer.toml");
    let config = Config::parse(&fs::read_to_string(&file).unwrap(), &file, &|_| None);
    config
        .unwrap_or_else(|error| panic!("{error}"))
        .sites
        .remove(0)
}

/// Where a file says so, nothing is compressed.
fn objects(root: &Path) -> Objects {
    let objects = Objects::folder(&root.join("store")).unwrap();
    if root.join("uncompressed").exists() {
        objects.with_variants(BTreeSet::new())
    } else {
        objects
    }
}

/// What is done while a site is built.
type Meanwhile = fn(&Path, &BuildStep<'_>);

/// Builds; gives what came of it, without what differs between any two builds.
async fn build(root: &Path, rebuild: bool) -> (Result<Report, String>, Option<Commit>) {
    build_with(root, &options(rebuild), |_, _| ()).await
}

fn options(rebuild: bool) -> BuildOptions {
    BuildOptions {
        rebuild,
        jobs: NonZeroUsize::MIN,
        keep_deployments: 3,
        trust: Trust::Always,
        // So files are relied on as soon as they can be.
        settling: Duration::ZERO,
        limits: LIMITS,
        inputs: INPUTS.clone(),
        ..BuildOptions::default()
    }
}

async fn build_with(
    root: &Path,
    options: &BuildOptions,
    meanwhile: Meanwhile,
) -> (Result<Report, String>, Option<Commit>) {
    let site = site(root);
    let objects = objects(root);
    let stores = Stores {
        objects: objects.clone(),
        state: Arc::new(State::open(&root.join("state.redb")).unwrap()),
    };
    // Languages are those of the order.
    let locales = options.locales.iter().cloned().collect();
    let order = RunOrder {
        locales,
        ..RunOrder::of(RunKind::Build, RunOrigin::CommandLine)
    };
    let record = stores
        .state
        .begin_run(&site.id, order, Moment::default())
        .unwrap();
    // On the heap: what waits for several builds would take more than a thread has for it.
    let performed = Box::pin(run::perform(
        &site,
        &stores,
        record,
        options,
        &|step| meanwhile(root, step),
        &|_| (),
    ))
    .await;
    let report = performed
        .record(&stores, &site.id)
        .await
        .map_err(|error| error.to_string());
    let published = Published::newest(&objects, &site.id, None).await.unwrap();
    (
        report,
        published.map(|published| Commit {
            draft: String::new(),
            ..published.commit().clone()
        }),
    )
}

fn comparable(report: Result<Report, String>) -> (String, BuildWork) {
    match report {
        Err(error) => (error, BuildWork::default()),
        Ok(report) => {
            let work = report.work.clone();
            let mut value = serde_json::to_value(&report).unwrap();
            for name in ["runId", "deploymentId", "work"] {
                value.as_object_mut().unwrap().remove(name);
            }
            // So are the times of commits that were copied.
            for locale in value["locales"].as_array_mut().unwrap() {
                for page in locale["keptPages"].as_array_mut().unwrap() {
                    page.as_object_mut().unwrap().remove("publishedAt");
                }
            }
            // In which order files of the memory are taken is a matter of their times.
            let is_known =
                |notice: &serde_json::Value| !notice.as_str().unwrap().contains("from the store");
            value["notices"].as_array_mut().unwrap().retain(is_known);
            (serde_json::to_string_pretty(&value).unwrap(), work)
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// What happens beside changes of what is read.
async fn befall(root: &Path, chance: &mut Chance) -> Option<&'static str> {
    let id = site(root).id;
    match chance.below(16) {
        0 => {
            fs::remove_file(root.join("state.redb")).unwrap();
            Some("the state is lost")
        }
        1 | 2 => {
            let switch = chance.of(&[ServingSwitch::On, ServingSwitch::Off]);
            let locale = Locale::parse("es").unwrap();
            store::turn_switch(&objects(root), &id, &locale, switch, &BTreeMap::new())
                .await
                .unwrap();
            Some("Spanish is switched")
        }
        3 => {
            let published = Published::newest(&objects(root), &id, None)
                .await
                .unwrap()
                .unwrap();
            let before = published.deployment().checked_sub(1)?;
            store::roll_back(&objects(root), &id, before).await.ok()?;
            Some("an earlier deployment is brought back")
        }
        4 => {
            let folder = root.join("store/site/_deployments/objects");
            let mut files: Vec<_> = fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            files.sort();
            let inner = files.get(chance.below(files.len()))?.clone();
            let file = fs::read_dir(inner).unwrap().next()?.unwrap().path();
            fs::remove_file(file).unwrap();
            Some("a published file is lost")
        }
        5 => {
            let folder = root.join("store/site/_sources");
            let mut files: Vec<_> = fs::read_dir(folder)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            files.sort();
            let file = files.get(chance.below(files.len()))?;
            let length = fs::read(file).unwrap().len();
            fs::write(file, "x".repeat(length)).unwrap();
            Some("bytes of a source are damaged")
        }
        7 | 8 => segments::edit(root, chance),
        6 => {
            build(root, true).await.0.ok()?;
            Some("everything is made anew")
        }
        _ => None,
    }
}

/// What readers get.
fn live(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let store = root.join("store");
    let files = all_files(&store)
        .into_iter()
        .map(|path| (path.strip_prefix(&store).unwrap().to_owned(), path));
    let is_inner = |name: &Path| {
        name.iter()
            .any(|part| part.to_string_lossy().starts_with('_'))
    };
    files
        .filter(|(name, _)| !is_inner(name))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// The names of files that are not the same.
fn different(
    one: &BTreeMap<PathBuf, Vec<u8>>,
    other: &BTreeMap<PathBuf, Vec<u8>>,
) -> BTreeSet<PathBuf> {
    one.keys()
        .chain(other.keys())
        .filter(|name| one.get(*name) != other.get(*name))
        .cloned()
        .collect()
}

fn sum_of(one: &BuildWork, other: &BuildWork) -> BuildWork {
    let read = one.read + other.read;
    let rendered = one.rendered + other.rendered;
    BuildWork {
        read,
        rendered,
        carried: one.carried + other.carried,
        ..BuildWork::default()
    }
}

/// A site to which nothing happened but edits, and on which no page got another address, is as one that is built once into an empty
/// store, with the same memory. A page that is there already stays when less of it is translated than a new one needs, so there must
/// be no such pages.
async fn is_one_made_at_once(root: &Path, model: &Model, ways: &mut Chance, said: &str) {
    let alone = TempDir::new().unwrap();
    model.write(alone.path(), ways);
    fs::copy(root.join("state.redb"), alone.path().join("state.redb")).unwrap();
    let report = build(alone.path(), true).await.0.unwrap();
    if report.locales.iter().all(|locale| locale.missing == 0) {
        let different = different(&live(root), &live(alone.path()));
        assert!(
            different.is_empty(),
            "not as built once: {different:?}, {said}"
        );
    }
}

/// Builds a site and, with everything made anew, a copy of it; both have to come to the same. Gives what each of them did.
async fn build_both(root: &Path, said: &str) -> [BuildWork; 2] {
    build_both_with(root, &options(false), |_, _| (), said).await
}

/// The same with these options, while something is done.
async fn build_both_with(
    root: &Path,
    options: &BuildOptions,
    meanwhile: Meanwhile,
    said: &str,
) -> [BuildWork; 2] {
    let rebuild = BuildOptions {
        rebuild: true,
        ..options.clone()
    };
    let twin = TempDir::new().unwrap();
    copy(root, twin.path());
    let (whole, expected) = build_with(twin.path(), &rebuild, meanwhile).await;
    let (report, published) = build_with(root, options, meanwhile).await;
    let ((report, work), (whole, all)) = (comparable(report), comparable(whole));
    let differs: Vec<_> = report
        .lines()
        .zip(whole.lines())
        .filter(|(one, other)| one != other)
        .take(9)
        .collect();
    let files = || different(&live(root), &live(twin.path()));
    assert!(
        report == whole,
        "the report: {differs:?}, different files: {:?}, {said}",
        files()
    );
    assert!(
        published == expected,
        "{published:#?} is not {expected:#?}, {said}"
    );
    assert_eq!(
        work.rendered + work.carried,
        all.rendered,
        "versions, {said}"
    );
    assert_eq!(
        work.causes.values().sum::<usize>(),
        work.rendered,
        "causes, {said}"
    );
    segments::are_kept_alike(root, twin.path(), said);
    if options.locales.is_empty() && report.starts_with('{') {
        // On a thread of its own: some cases leave little room on their stacks.
        let root = root.to_owned();
        let said = said.to_owned();
        let runtime = tokio::runtime::Handle::current();
        let explained = move || runtime.block_on(is_explained_alike(&root, &said));
        tokio::task::spawn_blocking(explained).await.unwrap();
    }
    [work, all]
}

/// Asserts that a page is explained alike, whether other pages are read or stand.
async fn is_explained_alike(root: &Path, said: &str) {
    let site = Arc::new(site(root));
    let state = State::open(&root.join("state.redb")).unwrap();
    let stores = Stores {
        objects: objects(root),
        state: Arc::new(state),
    };
    let records = stores.state.sources(&site.id).unwrap();
    let paths: Vec<&PagePath> = records.keys().collect();
    let path = paths[said.len() % paths.len()];
    let explained = async |rebuild| {
        let explained =
            inspect::explain(&site, &stores, &options(rebuild), path, &site.locales).await;
        explained.unwrap()
    };
    let beside = explained(false).await;
    segments::are_as_explained((&site, &stores), &beside, said).await;
    let beside = format!("{beside:#?}");
    let alone = format!("{:#?}", explained(true).await);
    let differs: Vec<_> = beside
        .lines()
        .zip(alone.lines())
        .filter(|(one, other)| one != other)
        .take(9)
        .collect();
    assert!(
        beside == alone,
        "what is explained of {path}: {differs:?}, {said}"
    );
}

/// Runs a sequence of so many builds; gives what was passed over in it. With kills, some builds are begun by another process first.
async fn run_sequence(seed: u64, builds: u64, kills: Option<&Kills>) -> BuildWork {
    let root = TempDir::new().unwrap();
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut model = Model::new(&mut chance);
    let mut ways = Chance(seed + 1);
    let mut fate = Chance(seed + 2);
    let mut usual = Duration::from_millis(100);
    let mut said = vec!["the first build".to_owned()];
    let is_quiet = seed.is_multiple_of(2);
    let mut is_plain = true;
    let mut sum = BuildWork::default();
    for build_number in 1..=builds {
        model.write(root.path(), &mut ways);
        if let Some(kills) = kills.filter(|_| fate.below(4) == 0) {
            kills.kill(root.path(), usual, &mut fate);
            said.push("a build is killed".to_owned());
        }
        let steps = format!("sequence {seed} after\n  {}", said.join("\n  "));
        let begin = Instant::now();
        let [work, _] = build_both(root.path(), &steps).await;
        // Two builds, of which this is about the longer one.
        usual = begin.elapsed().mul_f64(0.6);
        sum = sum_of(&sum, &work);
        if is_plain && build_number == builds {
            is_one_made_at_once(root.path(), &model, &mut ways, &steps).await;
        }
        for _ in 0..=chance.below(2) {
            let slugs = model.slugs.clone();
            said.push(model.change(is_quiet, &mut chance));
            // An address that a page had stays an address.
            is_plain &= model.slugs == slugs;
        }
        if !is_quiet || chance.below(4) == 0 {
            let befell = befall(root.path(), &mut chance).await;
            is_plain &= befell.is_none();
            said.extend(befell.map(str::to_owned));
        }
    }
    sum
}

#[test]
fn an_incremental_build_is_a_clean_build() {
    let _others = BUILDS.blocking_read();
    let sequences = std::env::var("LATIMER_SEQUENCES")
        .map_or(SEQUENCES, |number| number.parse().expect("a number"));
    let first =
        std::env::var("LATIMER_SEQUENCE").map_or(1, |number| number.parse().expect("a number"));
    let kills = Kills::default();
    // They wait for the disk most of the time.
    let share = |share: usize| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let seeds = (first..first + sequences).skip(share).step_by(AT_ONCE);
        // Most mistakes show soon.
        let run = |seed| runtime.block_on(run_sequence(seed, 2 + seed % (STEPS - 1), Some(&kills)));
        seeds.fold(BuildWork::default(), |sum, seed| sum_of(&sum, &run(seed)))
    };
    let sum = thread::scope(|scope| {
        let shares: Vec<_> = (0..AT_ONCE)
            .map(|number| {
                scope.spawn({
                    let share = &share;
                    move || share(number)
                })
            })
            .collect();
        shares
            .into_iter()
            .map(|share| share.join().unwrap())
            .fold(BuildWork::default(), |sum, work| sum_of(&sum, &work))
    });
    println!("{sum:?} {kills:?}");
    assert!(
        kills.cut_off() >= sequences / 4,
        "hardly any build was killed before it was done: {kills:?}"
    );
    assert!(
        sum.carried > sum.rendered / 4,
        "hardly any version was carried over: {sum:?}"
    );
}
