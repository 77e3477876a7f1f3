//! Records of a registry, and models from a folder with what somebody fetched from one.

use serde_json::{Value, json};

use super::*;
use crate::models::hash::sha256;

/// Values of a record that differ from those of a version 3.0 of every Firefox.
type RecordFields<'a> = &'a [(&'a str, Value)];

/// A record of one file.
fn record(pair: [&str; 2], kind: &str, fields: RecordFields<'_>) -> Value {
    let [from, to] = pair;
    let name = format!("{kind}.{from}{to}.bin");
    let mut record = json!({
        "name": name,
        "fileType": kind,
        "sourceLanguage": from,
        "targetLanguage": to,
        "version": "3.0",
        "architecture": "tiny",
        "decompressedHash": "A".repeat(64),
        "decompressedSize": 20,
        "attachment": { "location": format!("main/{name}.zst"), "hash": "b".repeat(64), "size": 10, "mimetype": "x" },
        "id": "some-id",
        "last_modified": 1_764_000_000,
        "schema": [1, 2],
    });
    for (key, value) in fields {
        record[*key] = value.clone();
    }
    record
}

/// The records of a whole model.
fn model(pair: [&str; 2], fields: RecordFields<'_>) -> Vec<Value> {
    ["model", "vocab", "lex"]
        .map(|kind| record(pair, kind, fields))
        .to_vec()
}

fn registry(records: &[Vec<Value>]) -> Registry {
    let data = records.concat();
    Registry::parse(json!({ "data": data, "next": null }).to_string().as_bytes()).unwrap()
}

fn described(registry: &Registry) -> Vec<String> {
    let mut described = Vec::new();
    for model in registry.models() {
        described.push(format!(
            "{} {} {}",
            model.pair.hyphenated(),
            model.version,
            model.files.len()
        ));
    }
    described
}

/// Records of an English–German model of a version.
fn of(version: &str) -> Vec<Value> {
    model(["en", "de"], &[("version", json!(version))])
}

#[test]
fn the_newest_final_version_of_major_3_is_taken_as_a_whole() {
    for (records, expected) in [
        (vec![of("3.0"), of("3.1")], vec!["en-de 3.1 3"]),
        (vec![of("3.9"), of("3.10")], vec!["en-de 3.10 3"]),
        (vec![of("3.0"), of("3.1a1")], vec!["en-de 3.0 3"]),
        (vec![of("3.0a1"), of("3.0a2")], vec!["en-de 3.0a2 3"]),
        (vec![of("2.4"), of("4.0")], vec![]),
        (vec![of("x"), of("")], vec![]),
        // The newer version is not complete.
        (
            vec![of("3.0"), of("3.1")[..1].to_vec()],
            vec!["en-de 3.0 3"],
        ),
        (
            vec![of("3.0"), of("3.1")[1..].to_vec()],
            vec!["en-de 3.0 3"],
        ),
    ] {
        assert_eq!(described(&registry(&records)), expected);
    }
    let for_some = [
        ("filter_expression", json!("env.channel == 'nightly'")),
        ("version", json!("3.2")),
    ];
    let known = registry(&[of("3.0"), model(["en", "de"], &for_some)]);
    assert_eq!(
        described(&known),
        ["en-de 3.0 3"],
        "one for every Firefox goes before one for some"
    );
    let large = [
        ("architecture", json!("base-memory")),
        ("decompressedSize", json!(30)),
    ];
    let known = registry(&[of("3.0"), model(["en", "de"], &large)]);
    assert_eq!(
        known.models()[0].architecture.as_deref(),
        Some("base-memory")
    );
    let two = ["model", "srcvocab", "trgvocab"]
        .map(|kind| record(["en", "ja"], kind, &[]))
        .to_vec();
    assert_eq!(
        described(&registry(std::slice::from_ref(&two))),
        ["en-ja 3.0 3"]
    );
    assert_eq!(
        described(&registry(&[two[..2].to_vec()])),
        Vec::<String>::new()
    );
}

#[test]
fn records_that_make_no_sense_are_passed_over() {
    let mut odd = vec![
        json!(1),
        json!({}),
        json!({ "fileType": "wasm", "name": "engine" }),
        json!(null),
    ];
    for (key, value) in [
        ("decompressedHash", json!("short")),
        ("decompressedHash", json!(null)),
        ("decompressedSize", json!(-1)),
        ("decompressedSize", json!(u64::MAX)),
        (
            "attachment",
            json!({ "location": "x", "hash": "b".repeat(64), "size": 0 }),
        ),
        ("attachment", json!(null)),
        ("sourceLanguage", json!("no language")),
        ("fileType", json!("qualityModel")),
    ] {
        odd.extend(model(["en", "es"], &[(key, value)]));
    }
    let known = registry(&[odd, model(["en", "de"], &[])]);
    assert_eq!(described(&known), ["en-de 3.0 3"]);
    assert_eq!(
        known.models()[0].files[0].decompressed_hash,
        "a".repeat(64),
        "hashes are compared in lower case"
    );
    for text in ["", "[]", "{}", "{\"data\": 1}", "<html>"] {
        assert!(Registry::parse(text.as_bytes()).is_err(), "{text}");
    }
}

/// The models of a registry for a pair.
fn way(registry: &Registry, from: &str, to: &str) -> Result<Vec<String>, String> {
    let [from, to] = [from, to].map(locale);
    Ok(
        match registry.way(LanguagePair {
            from: &from,
            to: &to,
        })? {
            ModelRoute::Direct(model) => vec![model.pair.hyphenated()],
            ModelRoute::Through(models) => models.map(|model| model.pair.hyphenated()).to_vec(),
        },
    )
}

#[test]
fn a_pair_without_a_model_goes_through_english() {
    let pairs = [
        ["en", "de"],
        ["de", "en"],
        ["en", "fr"],
        ["en", "zh_hant"],
        ["en", "sr"],
        ["pt", "en"],
    ];
    let known = registry(&pairs.map(|pair| model(pair, &[])));
    assert_eq!(way(&known, "en", "de-AT").unwrap(), ["en-de"]);
    assert_eq!(way(&known, "de", "fr").unwrap(), ["de-en", "en-fr"]);
    assert_eq!(
        way(&known, "pt-BR", "zh-TW").unwrap(),
        ["pt-en", "en-zh-Hant"]
    );
    for (from, to, expected) in [
        ("en", "it", "none translates into Italian (it)"),
        ("fr", "de", "none translates from French (fr)"),
        (
            "en",
            "sr-Latn",
            "none translates into Serbian (Latin) (sr-Latn) in this script; it has sr",
        ),
        (
            "en",
            "zh",
            "none translates into Chinese (zh) in this script; it has zh-Hant",
        ),
    ] {
        assert_eq!(way(&known, from, to).unwrap_err(), expected);
    }
}

/// A folder with the files of a model and, if they are given, its records.
fn fetched(folder: &Path, files: FileList<'_>, pair: [&str; 2]) -> (PathBuf, Registry) {
    let from = folder.join("fetched");
    let mut records = Vec::new();
    for (name, text) in files {
        let plain = folder.join("plain");
        fs::write(&plain, text).unwrap();
        let (hash, size) = sha256(&plain).unwrap();
        let path = from.join(format!("{name}.zst"));
        fs::create_dir_all(&from).unwrap();
        fs::write(&path, zstd::encode_all(text.as_bytes(), 3).unwrap()).unwrap();
        let (packed, packed_size) = sha256(&path).unwrap();
        let attachment =
            json!({ "location": format!("main/{name}.zst"), "hash": packed, "size": packed_size });
        let kind = name.split('.').next().unwrap();
        let fields = [
            ("name", json!(name)),
            ("decompressedHash", json!(hash)),
            ("decompressedSize", json!(size)),
            ("attachment", attachment),
        ];
        records.push(record(pair, kind, &fields));
        fs::remove_file(plain).unwrap();
    }
    let known = registry(std::slice::from_ref(&records));
    fs::write(
        from.join(RECORDS_FILE),
        json!({ "data": records }).to_string(),
    )
    .unwrap();
    (from, known)
}

fn registry_order(folder: &Path, from: &Path, known: &Registry) -> AddOrder {
    let model = known.models()[0].clone();
    let pair = model.pair.clone();
    let origin = ModelOrigin::Registry {
        model,
        supplier: std::sync::Arc::new(Supplier::Folder(from.to_owned())),
    };
    AddOrder {
        pair,
        ..order(folder, origin)
    }
}

const FETCHED: [(&str, &str); 4] = [
    ("model.enzh_hant.intgemm.alphas.bin", "network"),
    ("srcvocab.enzh_hant.spm", "source words"),
    ("trgvocab.enzh_hant.spm", "target words"),
    ("lex.50.50.enzh_hant.s2t.bin", "likely words"),
];

#[tokio::test]
async fn the_pair_comes_from_the_record_and_is_pinned() {
    let folder = tempfile::tempdir().unwrap();
    let (from, _) = fetched(folder.path(), &FETCHED, ["en", "zh-Hant"]);
    let known = registry_in(&from).unwrap().unwrap();
    let added = try_add(registry_order(folder.path(), &from, &known))
        .await
        .unwrap();
    assert_eq!(
        (added.outcome, added.model.pair.as_str()),
        (AddOutcome::Added, "en-zh-Hant")
    );
    assert_eq!(
        (added.model.state, added.model.version.as_deref()),
        (ModelState::Pinned, Some("3.0"))
    );
    let there = files(&folder.path().join("models"));
    let names: Vec<&str> = there.keys().map(String::as_str).collect();
    let expected = [
        "en-zh-Hant/lex.50.50.en-zh-Hant.s2t.bin",
        "en-zh-Hant/model.en-zh-Hant.intgemm.alphas.bin",
        "en-zh-Hant/pins.json",
        "en-zh-Hant/srcvocab.en-zh-Hant.spm",
        "en-zh-Hant/trgvocab.en-zh-Hant.spm",
    ];
    assert_eq!(names, expected);
    let pins: Value = serde_json::from_str(&there["en-zh-Hant/pins.json"]).unwrap();
    assert_eq!(
        (&pins["source"], &pins["target"]),
        (&json!("en"), &json!("zh-Hant"))
    );
    let models = crate::engines::ModelFiles::below(&folder.path().join("models"));
    assert_eq!(models[0].pair.to, locale("zh-Hant"));
    let again = try_add(registry_order(folder.path(), &from, &known))
        .await
        .unwrap();
    assert_eq!(again.outcome, AddOutcome::Present);
    assert_eq!(files(&folder.path().join("models")), there);
    let [en, taiwan] = ["en", "zh-TW"].map(locale);
    let pair = LanguagePair {
        from: &en,
        to: &taiwan,
    };
    assert_eq!(
        remove(&folder.path().join("models"), pair)
            .unwrap()
            .files
            .len(),
        4
    );
}

#[tokio::test]
async fn each_file_must_be_the_one_in_its_record() {
    for (name, text) in FETCHED {
        for compressed in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let (from, known) = fetched(folder.path(), &FETCHED, ["en", "zh-Hant"]);
            let packed = from.join(format!("{name}.zst"));
            let other = text.to_uppercase();
            match compressed {
                true => fs::write(&packed, zstd::encode_all(other.as_bytes(), 3).unwrap()).unwrap(),
                false => {
                    fs::remove_file(&packed).unwrap();
                    fs::write(from.join(name), other).unwrap();
                }
            }
            let error = try_add(registry_order(folder.path(), &from, &known))
                .await
                .unwrap_err();
            assert!(
                error.contains(name) && error.contains("but the record expects"),
                "{error}"
            );
            assert!(!folder.path().join("models").exists());
            fs::write(
                &packed,
                zstd::encode_all(&b"much longer than the record says"[..], 3).unwrap(),
            )
            .unwrap();
            let error = try_add(registry_order(folder.path(), &from, &known))
                .await
                .unwrap_err();
            assert!(error.contains("it unpacks to more than"), "{error}");
        }
        let folder = tempfile::tempdir().unwrap();
        let (from, known) = fetched(folder.path(), &FETCHED, ["en", "zh-Hant"]);
        fs::remove_file(from.join(format!("{name}.zst"))).unwrap();
        let error = try_add(registry_order(folder.path(), &from, &known))
            .await
            .unwrap_err();
        assert!(
            error.contains(name) && error.contains("is not in"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn what_was_fetched_is_found_at_its_location_or_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let (from, known) = fetched(folder.path(), &FETCHED, ["en", "zh-Hant"]);
    fs::create_dir(from.join("main")).unwrap();
    let [first, second, third, ..] = FETCHED.map(|(name, _)| format!("{name}.zst"));
    fs::rename(from.join(&first), from.join("main").join(&first)).unwrap();
    fs::remove_file(from.join(second)).unwrap();
    fs::write(from.join(FETCHED[1].0), FETCHED[1].1).unwrap();
    fs::remove_file(from.join(third)).unwrap();
    let mut gz = GzEncoder::new(
        File::create(from.join(format!("{}.gz", FETCHED[2].0))).unwrap(),
        Compression::fast(),
    );
    gz.write_all(FETCHED[2].1.as_bytes()).unwrap();
    gz.finish().unwrap();
    assert_eq!(
        try_add(registry_order(folder.path(), &from, &known))
            .await
            .unwrap()
            .outcome,
        AddOutcome::Added
    );
}

#[tokio::test]
async fn traditional_chinese_is_not_simplified() {
    for (translation, refused) in [("我們早上九點開門。", false), ("我们早上九点开门。", true)]
    {
        let folder = tempfile::tempdir().unwrap();
        let (from, known) = fetched(folder.path(), &FETCHED, ["en", "zh-Hant"]);
        let prove: fn(&crate::engines::ModelFiles) -> Result<Proof, ModelError> = match refused {
            true => |_| {
                Ok(Proof::Loaded(vec![(
                    "We open at nine.".into(),
                    "我们早上九点开门。".into(),
                )]))
            },
            false => |_| {
                Ok(Proof::Loaded(vec![(
                    "We open at nine.".into(),
                    "我們早上九點開門。".into(),
                )]))
            },
        };
        let added = try_add(AddOrder {
            prove,
            ..registry_order(folder.path(), &from, &known)
        })
        .await;
        assert_eq!(added.is_err(), refused, "{translation}");
        if let Err(error) = added {
            assert!(
                error.contains("it does not write zh-Hant: its characters are the simplified ones"),
                "{error}"
            );
        }
    }
}

#[tokio::test]
async fn nothing_is_fetched_for_a_machine_that_cannot_run_it() {
    let folder = tempfile::tempdir().unwrap();
    let known = registry(&[model(["en", "de"], &[])]);
    let model = known.models()[0].clone();
    // Nobody listens there: a request would be another error.
    let address = RegistryAddress::mirror(url::Url::parse("http://127.0.0.1:9/records").unwrap());
    let downloader =
        std::sync::Arc::new(crate::net::Downloader::new(true, crate::net::Proxy::None).unwrap());
    let supplier = std::sync::Arc::new(Supplier::Web {
        address,
        downloader,
    });
    let origin = ModelOrigin::Registry { model, supplier };
    let lacks = Some("this processor lacks the instructions AVX2".to_owned());
    let error = try_add(AddOrder {
        lacks,
        ..order(folder.path(), origin)
    })
    .await
    .unwrap_err();
    assert!(
        error.starts_with("this processor lacks the instructions AVX2; nothing was fetched"),
        "{error}"
    );
    assert!(error.contains("--print"), "{error}");
    assert!(!folder.path().join("models").exists());
}
