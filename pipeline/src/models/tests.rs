//! Adding, listing and removing models whose files hold anything: the engine's own proof is tested where it is.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

mod archives;
mod pins;
mod registry;

use super::*;
use crate::engines::{ModelError, Proof};
use crate::model::{LanguagePair, Locale};

/// The files of a model, as they lie somewhere in a folder or an archive.
const MODEL: [(&str, &str); 4] = [
    (
        "wheel/models/enpt-1/model.enpt.intgemm.alphas.bin",
        "network",
    ),
    ("wheel/models/enpt-1/vocab.enpt.spm", "words"),
    ("wheel/models/enpt-1/lex.50.50.enpt.s2t.bin", "likely words"),
    ("wheel/models/enpt-1/README", "no file of a model"),
];

type FileList<'a> = &'a [(&'a str, &'a str)];

fn locale(tag: &str) -> Locale {
    Locale::parse(tag).unwrap()
}

fn order(folder: &Path, from: ModelOrigin) -> AddOrder {
    let pair = LanguagePair {
        from: locale("en"),
        to: locale("pt"),
    };
    AddOrder {
        folder: folder.join("models"),
        pair,
        from,
        sha256: None,
        replace: false,
        lacks: None,
        prove: loaded,
    }
}

/// Stands for an engine that has no sentences to try.
fn loaded(_: &crate::engines::ModelFiles) -> Result<Proof, ModelError> {
    Ok(Proof::Loaded(Vec::new()))
}

async fn try_add(order: AddOrder) -> Result<Added, String> {
    add(order, &|_, _| ())
        .await
        .map_err(|error| crate::causes::chain(&error))
}

fn in_folder(folder: &Path, files: FileList<'_>) -> ModelOrigin {
    for (name, text) in files {
        let path = folder.join("from").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    ModelOrigin::Folder(folder.join("from"))
}

fn zipped(folder: &Path, files: FileList<'_>) -> ModelOrigin {
    let path = folder.join("archive.whl");
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    for (name, text) in files {
        archive
            .start_file(*name, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    ModelOrigin::Archive(path)
}

fn tarred(folder: &Path, files: FileList<'_>) -> ModelOrigin {
    let path = folder.join("archive.tar.gz");
    let mut archive = tar::Builder::new(GzEncoder::new(
        File::create(&path).unwrap(),
        Compression::fast(),
    ));
    for (name, text) in files {
        let mut header = tar::Header::new_gnu();
        // Not by `set_path`, which takes no path that leads out.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(text.len() as u64);
        header.set_cksum();
        archive.append(&header, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap();
    ModelOrigin::Archive(path)
}

/// Every file below a folder with its text.
fn files(folder: &Path) -> BTreeMap<String, String> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            match path.is_dir() {
                true => collect(root, &path, files),
                false => drop(files.insert(
                    name,
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
                )),
            }
        }
    }
    let mut all = BTreeMap::new();
    collect(folder, folder, &mut all);
    all
}

fn states(folder: &Path) -> Vec<(String, ModelState, Vec<String>)> {
    let all = list(&folder.join("models")).unwrap();
    all.into_iter()
        .map(|model| (model.pair, model.state, model.problems))
        .collect()
}

/// A folder with the model added to it.
async fn with_model() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    try_add(order(folder.path(), in_folder(folder.path(), &MODEL)))
        .await
        .unwrap();
    fs::remove_dir_all(folder.path().join("from")).unwrap();
    folder
}

#[tokio::test]
async fn what_cannot_be_added_leaves_nothing_behind() {
    let check =
        async |files_there: FileList<'_>, change: &dyn Fn(&mut AddOrder), expected: &[&str]| {
            for origin in [in_folder, zipped, tarred] {
                let folder = tempfile::tempdir().unwrap();
                let mut order = order(folder.path(), origin(folder.path(), files_there));
                change(&mut order);
                let is_folder = matches!(order.from, ModelOrigin::Folder(_));
                let result = try_add(order).await;
                if is_folder && expected[0].contains("SHA-256") {
                    assert!(result.is_ok(), "a folder has no hash: {result:?}");
                    continue;
                }
                let error = result.unwrap_err();
                expected
                    .iter()
                    .for_each(|part| assert!(error.contains(part), "{part:?} is not in {error}"));
                assert!(!folder.path().join("models").exists(), "{error}");
            }
        };
    let wrong = "0".repeat(64);
    check(
        &MODEL,
        &|order| order.sha256 = Some(wrong.clone()),
        &["has the SHA-256 ", &wrong],
    )
    .await;
    let refuse = |order: &mut AddOrder| order.prove = |_| Err(ModelError::Damaged);
    check(
        &MODEL,
        &refuse,
        &[
            "the model for en-pt in ",
            "cannot be used: its files are damaged",
        ],
    )
    .await;
    let other = [
        ("model.ende.bin", "x"),
        ("vocab.ende.spm", "y"),
        ("model.esen.bin", "z"),
    ];
    check(
        &other,
        &|_| (),
        &["has no model for en-pt; it has en-de, es-en"],
    )
    .await;
    check(
        &MODEL[..1],
        &|_| (),
        &["its vocabulary (vocab.*.spm) is not beside it"],
    )
    .await;
    check(
        &[("README", "x")],
        &|_| (),
        &["no file in it is called model.*.bin"],
    )
    .await;
    let two = [
        ("a/model.enpt.bin", "1"),
        ("a/vocab.enpt.spm", "1"),
        ("b/model.enpt.bin", "2"),
        ("b/vocab.enpt.spm", "2"),
    ];
    check(
        &two,
        &|_| (),
        &["has several models for en-pt, in ", "a, ", "b"],
    )
    .await;
}

#[tokio::test]
async fn another_model_is_replaced_only_when_that_is_meant() {
    let folder = with_model().await;
    let there = files(&folder.path().join("models"));
    let again = try_add(order(folder.path(), zipped(folder.path(), &MODEL)))
        .await
        .unwrap();
    assert_eq!(again.outcome, AddOutcome::Present);
    assert_eq!(
        files(&folder.path().join("models")),
        there,
        "the pins say where it came from first"
    );

    let newer = [
        ("model.enpt.bin", "newer"),
        ("srcvocab.enpt.spm", "a"),
        ("trgvocab.enpt.spm", "b"),
    ];
    let newer = || order(folder.path(), zipped(folder.path(), &newer));
    let error = try_add(newer()).await.unwrap_err();
    assert!(
        error.contains("another model for en-pt") && error.contains("--replace"),
        "{error}"
    );
    assert_eq!(files(&folder.path().join("models")), there);

    fs::write(folder.path().join("models/enpt/notes"), "mine").unwrap();
    let error = try_add(AddOrder {
        replace: true,
        ..newer()
    })
    .await
    .unwrap_err();
    assert!(
        error.contains("contains files that do not belong to the model for en-pt: notes"),
        "{error}"
    );
    fs::remove_file(folder.path().join("models/enpt/notes")).unwrap();
    assert_eq!(
        try_add(AddOrder {
            replace: true,
            ..newer()
        })
        .await
        .unwrap()
        .outcome,
        AddOutcome::Replaced
    );
    let names: Vec<String> = files(&folder.path().join("models")).into_keys().collect();
    let expected = [
        "model.enpt.bin",
        "pins.json",
        "srcvocab.enpt.spm",
        "trgvocab.enpt.spm",
    ];
    assert_eq!(names, expected.map(|name| format!("enpt/{name}")));
    assert_eq!(
        states(folder.path()),
        [("en-pt".to_owned(), ModelState::Pinned, vec![])]
    );
}

#[tokio::test]
async fn two_do_not_add_the_same_pair_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    let other = draft::ModelDraft::begin(&models, "enpt").unwrap();
    let from = zipped(folder.path(), &MODEL);
    let error = try_add(order(folder.path(), from.clone()))
        .await
        .unwrap_err();
    assert!(
        error.contains("another `models add` works on this pair"),
        "{error}"
    );
    assert!(other.folder.exists(), "it is not ours to remove");
    drop(other);
    assert!(!models.exists());
    try_add(order(folder.path(), from)).await.unwrap();
}

#[tokio::test]
async fn what_a_killed_process_left_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("models/.latimer-adding-enpt");
    fs::create_dir_all(left.join("taken")).unwrap();
    fs::write(left.join("lock"), "").unwrap();
    fs::write(left.join("taken/model.enpt.bin"), "half").unwrap();
    fs::write(left.join("attachment-0"), "half").unwrap();
    assert_eq!(states(folder.path()), [], "the engine does not see it");
    let added = try_add(order(folder.path(), zipped(folder.path(), &MODEL)))
        .await
        .unwrap();
    assert_eq!(added.outcome, AddOutcome::Added);
    assert_eq!(
        fs::read_dir(folder.path().join("models")).unwrap().count(),
        1
    );
}

#[tokio::test]
async fn a_model_that_writes_another_script_is_refused() {
    for (target, translation, refused) in [
        ("pt", "A casa é vermelha.", false),
        ("pt", "Дом красный.", true),
        ("sr", "Куће су црвене.", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let code = format!("en{target}");
        let names = [format!("model.{code}.bin"), format!("vocab.{code}.spm")];
        let from = in_folder(
            folder.path(),
            &[(&names[0], "network"), (&names[1], "words")],
        );
        let mut order = order(folder.path(), from);
        order.pair.to = locale(target);
        order.prove = match translation {
            "Дом красный." => |_| {
                Ok(Proof::Loaded(vec![(
                    "The house is red.".into(),
                    "Дом красный.".into(),
                )]))
            },
            "Куће су црвене." => |_| {
                Ok(Proof::Loaded(vec![(
                    "The house is red.".into(),
                    "Куће су црвене.".into(),
                )]))
            },
            _ => |_| {
                Ok(Proof::Loaded(vec![(
                    "The house is red.".into(),
                    "A casa é vermelha.".into(),
                )]))
            },
        };
        let added = try_add(order).await;
        assert_eq!(added.is_err(), refused, "{target} {translation}");
        if let Err(error) = added {
            assert!(
                error.contains("it does not write pt: its letters are not those of pt"),
                "{error}"
            );
            assert!(!folder.path().join("models").exists());
        }
    }
}
