//! Archives and folders from which models are taken, friendly and hostile.

use super::*;

const HASH_OF_WORDS: &str = "dba36bffa5cab0f922d087a3aeb179f9d4e745df40b323e1b1471402848c8a3e";

/// Puts files where a model may come from.
type Packing<'a> = dyn Fn(&Path, FileList<'_>) -> ModelOrigin + 'a;

#[tokio::test]
async fn a_model_is_taken_out_of_whatever_holds_it() {
    let packed: Vec<(String, Vec<u8>)> = MODEL[..3]
        .iter()
        .map(|(name, text)| {
            let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
            gz.write_all(text.as_bytes()).unwrap();
            (format!("{name}.gz"), gz.finish().unwrap())
        })
        .collect();
    let by_mirror = |folder: &Path, _: FileList<'_>| {
        for (name, bytes) in &packed {
            let path = folder.join("from").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        ModelOrigin::Folder(folder.join("from"))
    };
    let origins: [&Packing<'_>; 4] = [&in_folder, &zipped, &tarred, &by_mirror];
    for origin in origins {
        let folder = tempfile::tempdir().unwrap();
        let added = try_add(order(folder.path(), origin(folder.path(), &MODEL)))
            .await
            .unwrap();
        assert_eq!(
            (added.outcome, added.model.state, added.model.used),
            (AddOutcome::Added, ModelState::Pinned, true)
        );
        let there = files(&folder.path().join("models"));
        let names: Vec<&str> = there.keys().map(String::as_str).collect();
        let expected = [
            "enpt/lex.50.50.enpt.s2t.bin",
            "enpt/model.enpt.intgemm.alphas.bin",
            "enpt/pins.json",
            "enpt/vocab.enpt.spm",
        ];
        assert_eq!(names, expected);
        assert_eq!(there["enpt/vocab.enpt.spm"], "words");
        let pins: serde_json::Value = serde_json::from_str(&there["enpt/pins.json"]).unwrap();
        assert_eq!(pins["files"]["vocab.enpt.spm"], HASH_OF_WORDS);
        assert!(
            pins["from"]
                .as_str()
                .unwrap()
                .starts_with(folder.path().to_str().unwrap()),
            "{pins}"
        );
        assert_eq!(
            fs::read_dir(folder.path().join("models")).unwrap().count(),
            1,
            "nothing else is left behind"
        );
    }
}

#[tokio::test]
async fn no_path_of_an_archive_leads_out_of_the_folder() {
    let hostile = [
        ("../../../model.enpt.bin", "network"),
        ("../../../vocab.enpt.spm", "words"),
        (
            "../../../lex.../../../x.enpt.bin",
            "no name of a model's file",
        ),
        ("../../../pins.json", "no pins"),
        ("/tmp/lex.50.enpt.bin", "in another folder"),
        ("..\\..\\srcvocab.enpt.spm", "in another folder"),
    ];
    for origin in [zipped, tarred] {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("a/b/c");
        fs::create_dir_all(&folder).unwrap();
        let from = origin(&folder, &hostile);
        let before = files(outer.path());
        try_add(order(&folder, from)).await.unwrap();
        let new: Vec<String> = files(outer.path())
            .into_keys()
            .filter(|name| !before.contains_key(name))
            .collect();
        let expected = ["model.enpt.bin", "pins.json", "vocab.enpt.spm"]
            .map(|name| format!("a/b/c/models/enpt/{name}"));
        assert_eq!(new, expected);
    }
}

#[tokio::test]
async fn links_in_an_archive_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    let path = folder.path().join("archive.tar");
    let mut archive = tar::Builder::new(File::create(&path).unwrap());
    for (kind, name) in [
        (tar::EntryType::Symlink, "x/model.enpt.bin"),
        (tar::EntryType::Link, "x/vocab.enpt.spm"),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        archive
            .append_link(&mut header, name, folder.path().join("secret"))
            .unwrap();
    }
    archive.into_inner().unwrap();
    let error = try_add(order(folder.path(), ModelOrigin::Archive(path)))
        .await
        .unwrap_err();
    assert!(error.contains("has no model for en-pt"), "{error}");
}

#[tokio::test]
async fn what_is_no_archive_or_too_large_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.zip");
    for (bytes, expected) in [
        (
            b"nothing of the kind".to_vec(),
            "it is none; take a zip file",
        ),
        (
            b"PK\x03\x04 and then nothing".to_vec(),
            "cannot read the archive",
        ),
        (vec![0x1f, 0x8b, 8, 0, 0], "cannot read the archive"),
        (Vec::new(), "it is none"),
    ] {
        fs::write(&path, bytes).unwrap();
        let error = try_add(order(folder.path(), ModelOrigin::Archive(path.clone())))
            .await
            .unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    // A small file that unpacks to a large one.
    let from = folder.path().join("from");
    fs::create_dir_all(&from).unwrap();
    let mut gz = GzEncoder::new(
        File::create(from.join("model.enpt.bin.gz")).unwrap(),
        Compression::fast(),
    );
    std::io::copy(
        &mut std::io::Read::take(std::io::repeat(0), crate::engines::model_files::LARGEST + 1),
        &mut gz,
    )
    .unwrap();
    gz.finish().unwrap();
    let error = try_add(order(folder.path(), ModelOrigin::Folder(from)))
        .await
        .unwrap_err();
    assert!(
        error.contains("model.enpt.bin.gz in ")
            && error.contains("unpacks to more than 268435456 bytes"),
        "{error}"
    );
    assert!(!folder.path().join("models").exists());
}
