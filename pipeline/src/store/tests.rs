//! Deployments on a disk, in memory and in a bucket.

mod calls;
mod damage;
mod drafts;
mod encodings;
mod faulty;
mod live;
mod locations;
mod parts;
mod patience;
mod recall;
mod room;
mod s3;
mod server;
mod sources;
mod switched;
mod warm;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use object_store::path::Path as Key;

use super::*;
use crate::model::{Locale, PagePath, SiteId, Slugs};

type TestFiles = BTreeMap<String, Vec<u8>>;

/// After that, everything is old.
const DAYS: Duration = Duration::from_secs(10 * 24 * 3600);

fn site() -> SiteId {
    SiteId::parse("bakery").unwrap()
}

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn tree(tag: &str) -> Tree {
    Tree::try_from(tag.to_owned()).unwrap()
}

fn settings() -> ServingSettings {
    ServingSettings {
        source_locale: locale("en"),
        locales: BTreeMap::from([
            (locale("es"), ServingSwitch::On),
            (locale("ar"), ServingSwitch::Off),
        ]),
        switches: 0,
        aliases: BTreeMap::new(),
        missing: Missing::Source307,
        redirects: BTreeMap::new(),
        slugs: Slugs::default(),
        former: BTreeMap::new(),
        parameters: Default::default(),
        singles: Default::default(),
        left_out: Default::default(),
        written: Default::default(),
        url: None,
        source_url: None,
        accept_language: false,
        variants: Encoding::ALL.into(),
    }
}

/// A page that is long enough to be compressed.
fn page(text: &str) -> String {
    format!(
        "<!doctype html><title>{text}</title>{}",
        "<p>bread and butter</p>".repeat(100)
    )
}

/// Two builds of a small site, the second with a page changed, one added, one removed and a file that became a folder.
fn first() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("en", "index.html", page("Bread")),
        ("en", "about.html", page("About")),
        ("es", "index.html", page("Pan")),
        ("es", "about.html", page("Acerca")),
        ("ar", "index.html", page("خبز")),
        ("_assets", "img/loaf.svg", "<svg/>".to_owned()),
        ("_assets", "menu", "a file".to_owned()),
        ("_assets", "app.js.gz", "not really".to_owned()),
    ]
}

fn second() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("en", "index.html", page("Bread")),
        ("es", "index.html", page("Pan del dia")),
        ("es", "new/index.html", page("Nuevo")),
        ("ar", "index.html", page("خبز")),
        ("_assets", "img/loaf.svg", "<svg/>".to_owned()),
        ("_assets", "menu/today", "now a folder".to_owned()),
    ]
}

fn object(name: &str, body: &str) -> Object {
    let html = name.ends_with(".html");
    Object {
        name: name.into(),
        path: PagePath::of_file(name),
        content_type: if html {
            "text/html; charset=utf-8"
        } else {
            "image/svg+xml"
        }
        .to_owned(),
        body: Bytes::from(body.to_owned()),
        source: None,
        noindex: false,
        robots: None,
        link: None,
    }
}

/// A whole build as `run` does it.
async fn build(
    objects: &Objects,
    files: &[(&str, &str, String)],
    settings: ServingSettings,
) -> Result<FinishedDraft, StoreError> {
    let known = Published::standing(objects, &site(), None).await?.published;
    let draft = Draft::begin_under(
        objects,
        &site(),
        Lock::share(objects, &site()).await?,
        known.as_ref(),
        &Warm::default(),
        None,
    )
    .await?;
    for (label, name, body) in files {
        draft.put(&tree(label), object(name, body)).await?;
    }
    draft.miss(&tree("es"), PagePath::parse("/about.html").unwrap());
    let finished = draft.finish(settings).await?;
    drop(draft);
    let known = Published::standing(objects, &site(), known.as_ref())
        .await?
        .published;
    project_live(objects, &site(), known.as_ref()).await?;
    sweep_knowing(objects, 1, known.as_ref()).await?;
    Ok(finished)
}

/// Sweeps, and again when everything has become old.
async fn sweep_all(objects: &Objects, keep: usize) -> Result<(), StoreError> {
    sweep_knowing(objects, keep, None).await
}

/// The same by what was loaded before.
async fn sweep_knowing(
    objects: &Objects,
    keep: usize,
    known: Option<&Published>,
) -> Result<(), StoreError> {
    for _ in 0..2 {
        if let Some(sweep) = Sweep::list_after(objects, &site(), keep, known, DAYS).await? {
            sweep.delete().await?;
        }
    }
    Ok(())
}

/// A folder that cleans itself up, in memory where the system has such a place: these tests wait for the disk often.
fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// Everything in a folder, temporary files included.
fn on_disk(folder: &Path) -> TestFiles {
    let mut files = TestFiles::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry
                    .path()
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                let bytes = without_chance(&name, std::fs::read(entry.path()).unwrap());
                files.insert(name, bytes);
            }
        }
    }
    files
}

async fn in_store(objects: &Objects) -> TestFiles {
    let mut files = TestFiles::new();
    for found in objects.list(&Key::default()).await.unwrap() {
        let name = found.key.to_string();
        let bytes = objects.get(&found.key).await.unwrap().unwrap();
        let bytes = without_chance(&name, bytes.to_vec());
        files.insert(name, bytes);
    }
    files
}

/// Fails with the names of the files that differ, not with their bytes.
#[track_caller]
fn assert_same(found: &TestFiles, expected: &TestFiles) {
    let names: std::collections::BTreeSet<&String> = found.keys().chain(expected.keys()).collect();
    let other: Vec<&&String> = names
        .iter()
        .filter(|name| found.get(**name) != expected.get(**name))
        .collect();
    assert!(other.is_empty(), "{other:?}");
}

/// A commit without what tells it from an equal one.
fn without_chance(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    let stem = name
        .rsplit('/')
        .next()
        .and_then(|name| name.strip_suffix(".json"));
    match stem.and_then(|stem| stem.parse::<u64>().ok()) {
        Some(_) if !name.contains("/switches/") => {
            let mut commit: Commit = record::decode(&bytes, name).unwrap();
            (commit.draft, commit.fence) = (String::new(), 0);
            serde_json::to_vec(&commit).unwrap()
        }
        Some(_) | None => bytes,
    }
}

/// The newest deployment's files, every variant read and every hash checked; empty before the first.
async fn readable(objects: &Objects) -> TestFiles {
    let mut files = TestFiles::new();
    let Some(published) = Published::newest(objects, &site(), None).await.unwrap() else {
        return files;
    };
    for tree in published.trees() {
        for (name, entry) in published.manifest(tree).unwrap().objects.iter() {
            let plain = published
                .read(objects, tree, name, entry, None)
                .await
                .unwrap();
            assert_eq!(ContentHash::of(&plain), entry.hash, "{tree}/{name}");
            for (encoding, _) in entry.encodings.iter() {
                let packed = published
                    .read(objects, tree, name, entry, Some(encoding))
                    .await
                    .unwrap();
                assert_eq!(
                    unpack(&packed, encoding),
                    plain,
                    "{tree}/{name} {encoding:?}"
                );
            }
            assert_eq!(published.find(tree, entry.path.as_str()).unwrap().0, name);
            files.insert(format!("{tree}/{name}"), plain.to_vec());
        }
    }
    files
}

fn unpack(packed: &[u8], encoding: Encoding) -> Vec<u8> {
    let mut plain = Vec::new();
    match encoding {
        Encoding::Brotli => {
            std::io::copy(&mut brotli::Decompressor::new(packed, 4096), &mut plain).unwrap()
        }
        Encoding::Gzip => {
            std::io::copy(&mut flate2::read::GzDecoder::new(packed), &mut plain).unwrap()
        }
    };
    plain
}

fn as_files(files: &[(&str, &str, String)]) -> TestFiles {
    files
        .iter()
        .map(|(tree, name, body)| (format!("{tree}/{name}"), body.clone().into_bytes()))
        .collect()
}

#[tokio::test]
async fn rollback_names_old_files() {
    let objects = Objects::memory();
    for files in [first(), second()] {
        let draft = Draft::begin(&objects, &site()).await.unwrap();
        for (label, name, body) in &files {
            draft.put(&tree(label), object(name, body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap();
    }
    assert_eq!(roll_back(&objects, &site(), 1).await.unwrap(), 3);
    assert_eq!(readable(&objects).await, as_files(&first()));
    sweep_all(&objects, 1).await.unwrap();
    assert_eq!(readable(&objects).await, as_files(&first()));
    let listed = deployments(&objects, &site()).await.unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|line| (line.commit.deployment, line.commit.restores))
            .collect::<Vec<_>>(),
        [(3, Some(1))]
    );
    assert!(matches!(
        roll_back(&objects, &site(), 1).await,
        Err(StoreError::Unknown { .. })
    ));
}

/// Renders in a row, as edits of people order them, push no build out.
#[tokio::test]
async fn renders_in_a_row_count_as_one_deployment() {
    let folder = scratch();
    for objects in [Objects::memory(), Objects::folder(folder.path()).unwrap()] {
        // Builds and renders, each with other bytes.
        for (number, is_rendered) in [false, false, true, false, true, true, true]
            .into_iter()
            .enumerate()
        {
            let draft = Draft::begin(&objects, &site()).await.unwrap();
            let draft = draft.rendered(is_rendered);
            let body = page(&number.to_string());
            let file = object("index.html", &body);
            draft.put(&tree("es"), file).await.unwrap();
            draft.finish(settings()).await.unwrap();
        }
        sweep_all(&objects, 4).await.unwrap();
        let listed = || async {
            let lines = deployments(&objects, &site()).await.unwrap();
            let numbers = lines.iter().map(|line| line.commit.deployment);
            numbers.collect::<Vec<_>>()
        };
        assert_eq!(listed().await, [7, 4, 3, 2]);
        // Each of them can be brought back, and the rollback is no render.
        assert_eq!(roll_back(&objects, &site(), 3).await.unwrap(), 8);
        let newest = Published::newest(&objects, &site(), None).await.unwrap();
        assert!(!newest.unwrap().commit().rendered);
        sweep_all(&objects, 4).await.unwrap();
        assert_eq!(listed().await, [8, 7, 4, 3]);
    }
}

#[tokio::test]
async fn time_of_a_file_never_goes_back_and_is_later_for_other_bytes() {
    let objects = Objects::memory();
    let mut created = BTreeMap::new();
    let mut check = async |expected: &[(&str, u64)]| {
        let published = Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap();
        created.extend(
            deployments(&objects, &site())
                .await
                .unwrap()
                .iter()
                .map(|d| (d.commit.deployment, d.created)),
        );
        for (name, deployment) in expected {
            let (_, entry) = published.find(&tree("es"), name).unwrap();
            let modified = published.modified(entry);
            assert_eq!(
                modified,
                created.get(deployment).copied(),
                "{name} in {}",
                published.deployment()
            );
        }
    };
    let build = async |files: &[(&str, &str)]| {
        let draft = Draft::begin(&objects, &site()).await.unwrap();
        for (name, body) in files {
            draft.put(&tree("es"), object(name, body)).await.unwrap();
        }
        draft.finish(settings()).await.unwrap();
    };
    build(&[("index.html", "home"), ("about.html", "one")]).await;
    check(&[("/", 1), ("/about.html", 1)]).await;
    build(&[
        ("index.html", "home"),
        ("about.html", "two"),
        ("new.html", "new"),
    ])
    .await;
    check(&[("/", 1), ("/about.html", 2), ("/new.html", 2)]).await;
    assert_eq!(roll_back(&objects, &site(), 1).await.unwrap(), 3);
    check(&[("/", 3), ("/about.html", 3)]).await;
    build(&[
        ("index.html", "home"),
        ("about.html", "one"),
        ("new.html", "new"),
    ])
    .await;
    check(&[("/", 3), ("/about.html", 3), ("/new.html", 4)]).await;
    build(&[
        ("index.html", "home"),
        ("about.html", "five"),
        ("new.html", "new"),
    ])
    .await;
    sweep_all(&objects, 2).await.unwrap();
    check(&[("/", 4), ("/about.html", 5), ("/new.html", 4)]).await;
}

#[tokio::test]
async fn damaged_deployment_is_passed_over_by_readers() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    objects
        .put(
            &Key::from("bakery/_deployments/2.json"),
            Bytes::from_static(b"{"),
        )
        .await
        .unwrap();
    assert_eq!(
        Published::newest(&objects, &site(), None)
            .await
            .unwrap()
            .unwrap()
            .deployment(),
        1
    );
    assert_eq!(latest(&objects, &site(), Some(1)).await.unwrap(), Some(2));
    assert_eq!(
        build(&objects, &second(), settings())
            .await
            .unwrap()
            .deployment,
        3
    );
    assert_eq!(readable(&objects).await, as_files(&second()));
    assert_eq!(deployments(&objects, &site()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn deployments_of_other_versions_are_left_alone() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    let key = Key::from("bakery/_deployments/2.json");
    objects
        .put(&key, Bytes::from_static(b"{\"format\":9}"))
        .await
        .unwrap();
    assert!(matches!(
        Draft::begin(&objects, &site()).await,
        Err(StoreError::Newer { form: 9, .. })
    ));
    assert!(matches!(
        sweep(&objects, &site(), 1, None).await,
        Err(StoreError::Newer { .. })
    ));
    objects
        .put(&key, Bytes::from_static(b"{\"format\":2}"))
        .await
        .unwrap();
    assert!(matches!(
        Draft::begin(&objects, &site()).await,
        Err(StoreError::Older { form: 2, .. })
    ));
    assert!(matches!(
        sweep(&objects, &site(), 1, None).await,
        Err(StoreError::Older { .. })
    ));
}

#[tokio::test]
async fn unchanged_trees_are_not_read_again() {
    let objects = Objects::memory();
    build(&objects, &first(), settings()).await.unwrap();
    let known = Published::newest(&objects, &site(), None)
        .await
        .unwrap()
        .unwrap();
    let shard = known.commit().trees[&tree("es")].clone();
    objects
        .delete(vec![
            keys::SiteKeys(&site()).shard(&shard.hash, None).unwrap(),
        ])
        .await
        .unwrap();
    assert!(Published::newest(&objects, &site(), None).await.is_err());
    assert!(
        Published::newest(&objects, &site(), Some(&known))
            .await
            .is_ok()
    );
}
