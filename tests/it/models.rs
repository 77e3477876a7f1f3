//! Neural models: added from a folder, an archive or an address, listed with their hashes, removed; never by halves.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::web::{Loopback, Reply};
use crate::support::{self, Site, command, files, tool};

/// Files with the names of a model's that no engine can load.
const RUBBISH: [(&str, &[u8]); 3] = [
    (
        "some/where/model.enpt.intgemm.alphas.bin",
        b"no network at all",
    ),
    ("some/where/vocab.enpt.spm", b"no words"),
    ("some/where/README", b"read me"),
];

/// A tar archive.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = Vec::new();
    for (name, bytes) in files {
        let mut head = [0; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[100..108].copy_from_slice(b"0000644\0");
        head[124..136].copy_from_slice(format!("{:011o}\0", bytes.len()).as_bytes());
        head[148..156].fill(b' ');
        head[156] = b'0';
        head[257..265].copy_from_slice(b"ustar\x0000");
        let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
        head[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        archive.extend(head);
        archive.extend_from_slice(bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// Serves an archive at `/model.tar`, and sends readers of `/moved` there; gives the address.
fn serve(archive: Vec<u8>) -> String {
    let server = Loopback::start(move |request| match request.path.split('?').next() {
        Some("/model.tar") => Reply::new(200, archive.as_slice()),
        Some("/moved") => Reply::status(302).with("Location: /model.tar"),
        _ => Reply::status(404),
    });
    server.address
}

/// A site in Portuguese by neural models, in a folder that has none yet.
fn site() -> Site {
    Site::new(
        "locales = [\"pt\"]\nengine = \"fx\"",
        &[("index.html", "<title>T</title><p>The house is red.</p>")],
    )
}

fn list(site: &Site, code: i32) -> Vec<Value> {
    let ran = site.run(&["models", "list", "--json"]);
    assert_eq!(ran.code, code, "{}", ran.stderr);
    ran.json()["models"].as_array().unwrap().clone()
}

#[test]
fn a_model_that_cannot_be_loaded_is_refused_and_nothing_is_left_of_it() {
    let site = site();
    for (name, bytes) in RUBBISH {
        let path = site.path("download").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    fs::write(site.path("model.tar"), tar(&RUBBISH)).unwrap();
    let address = serve(tar(&RUBBISH));
    let before = files(site.folder());
    let whole = format!("{address}/model.tar?key=secret");
    let moved = format!("{address}/moved");
    for from in [
        &["download"][..],
        &["model.tar"],
        &[&whole, "--allow-private"],
        &[&moved, "--allow-private"],
    ] {
        let ran = site.run(&[&["models", "add", "en", "pt", "--from"], from].concat());
        ran.failed(
            1,
            &[
                "the model for en-pt in ",
                "cannot be used: ",
                "nothing was kept of it",
            ],
        );
        assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
        support::assert_same(&files(site.folder()), &before);
        assert!(!site.path("models").exists());
    }
}

#[test]
fn an_address_is_guarded_and_its_archive_must_be_the_one_that_was_meant() {
    let site = site();
    let address = serve(tar(&RUBBISH));
    let add = |more: &[&str], path: &str| {
        site.run(
            &[
                &[
                    "models",
                    "add",
                    "en",
                    "pt",
                    "--from",
                    &format!("{address}{path}"),
                ],
                more,
            ]
            .concat(),
        )
    };
    add(&[], "/model.tar").failed(
        1,
        &["cannot fetch http://127.0.0.1:", "needs --allow-private"],
    );
    let wrong = "ab".repeat(32);
    let ran = add(&["--allow-private", "--sha256", &wrong], "/model.tar");
    ran.failed(1, &["has the SHA-256 ", &wrong]);
    let right = ran.stderr.split("has the SHA-256 ").nth(1).unwrap()[..64].to_uppercase();
    add(&["--allow-private", "--sha256", &right], "/model.tar").failed(1, &["cannot be used"]);
    add(&["--allow-private"], "/gone").failed(1, &["status 404"]);
    assert!(!site.path("models").exists());
}

#[test]
fn arguments_that_make_no_sense_are_said_before_anything_is_done() {
    let site = site();
    for (arguments, said) in [
        (
            &["add", "en", "pt", "--from", "nowhere"][..],
            "there is no folder or file nowhere",
        ),
        (
            &["add", "en", "pt", "--from", "source", "--sha256", "ab"],
            "no SHA-256",
        ),
        (
            &[
                "add",
                "en",
                "pt",
                "--from",
                "source",
                "--sha256",
                &"ab".repeat(32),
            ],
            "--sha256 goes with an archive",
        ),
        (
            &["add", "en", "pt", "--from", "source", "--allow-private"],
            "--allow-private goes with an address",
        ),
        (
            &["add", "en", "no language", "--from", "source"],
            "no language",
        ),
    ] {
        site.run(&[&["models"], arguments].concat())
            .failed(2, &[said]);
    }
    site.run(&["models", "add", "en", "pt", "--from", "source"])
        .failed(1, &["no file in it is called model.*.bin"]);
    site.run(&["models", "remove", "en", "pt"])
        .failed(1, &["no model for en-pt"]);
    site.run(&["models", "list", "--server", "http://127.0.0.1:1"])
        .failed(2, &["needs no server"]);
    assert!(!site.path("models").exists());
}

#[test]
fn models_are_looked_for_where_the_engine_looks() {
    let site = site();
    let put = |folder: &str| {
        site.write(&format!("{folder}/model.enpt.bin"), "x");
        site.write(&format!("{folder}/vocab.enpt.spm"), "y");
    };
    put("models/mine");
    put("neural");
    put("other");
    let found = |models: &[Value]| {
        models
            .iter()
            .map(|model| model["folder"].as_str().unwrap().to_owned())
            .collect()
    };
    let ends: Vec<String> = found(&list(&site, 0));
    assert!(
        ends.len() == 1 && ends[0].ends_with("models/mine"),
        "{ends:?}"
    );
    assert_eq!(list(&site, 0)[0]["state"], "unpinned");
    site.configure("locales = [\"pt\"]\nengine = \"local\"\n[engine.local]\nkind = \"fx\"\nmodels = \"neural\"");
    let ends: Vec<String> = found(&list(&site, 0));
    assert!(ends.len() == 1 && ends[0].ends_with("neural"), "{ends:?}");
    let ends: Vec<String> = found(
        site.run(&["models", "list", "--json", "--models", "other"])
            .json()["models"]
            .as_array()
            .unwrap(),
    );
    assert_eq!(ends, ["other"]);
    // Without a configuration.
    let run = |folder: &Path, variable: Option<&str>| {
        let mut command = command(folder);
        if let Some(value) = variable {
            command.env("LATIMER_MODELS", value);
        }
        let output = command.args(["models", "list"]).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run(&site.path("source"), Some("../neural")).starts_with("en-pt  unpinned  ../neural"));
    assert!(run(&site.path("source"), None).starts_with("no models below models"));
    site.run(&["models", "list", "-c", "gone.toml"])
        .failed(2, &["there is no gone.toml"]);
}

mod needs_models {
    use super::*;

    #[test]
    #[ignore = "needs neural models"]
    fn a_model_is_added_used_checked_and_removed() {
        let site = site();
        let models = tool("LATIMER_TEST_MODELS").canonicalize().unwrap();
        let wanted = |name: &str| {
            name.contains(".enpt.") && (name.ends_with(".bin") || name.ends_with(".spm"))
        };
        let parts: Vec<(String, Vec<u8>)> = files(&models)
            .into_iter()
            .filter(|(name, _)| wanted(name))
            .collect();
        assert!(
            parts.len() >= 2,
            "there is a model for en to pt below {}",
            models.display()
        );
        let entry = |(name, bytes): &(String, Vec<u8>)| {
            (
                format!("x/{}", name.rsplit('/').next().unwrap()),
                bytes.clone(),
            )
        };
        let entries: Vec<(String, Vec<u8>)> = parts.iter().map(entry).collect();
        let entries: Vec<(&str, &[u8])> = entries
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
            .collect();
        let address = serve(tar(&entries));
        let from = ["models", "add", "en", "pt", "--json", "--from"];

        let web = format!("{address}/moved?signature=secret");
        let added = site.run(&[&from[..], &[&web, "--allow-private"]].concat());
        assert_eq!(
            (added.code, &added.json()["added"][0]["outcome"]),
            (0, &json!("added")),
            "{}",
            added.stderr
        );
        let listed = list(&site, 0);
        assert_eq!(
            (&listed[0]["state"], &listed[0]["used"]),
            (&json!("pinned"), &json!(true))
        );
        assert_eq!(
            listed[0]["from"],
            format!("{address}/moved"),
            "no signature is written down"
        );
        let there: Vec<String> = files(&site.path("models")).into_keys().collect();
        assert_eq!(there.len(), parts.len() + 1, "{there:?}");
        assert!(
            there.iter().all(|name| name.starts_with("enpt/")),
            "{there:?}"
        );
        let again = site.run(&[&from[..], &[models.to_str().unwrap()]].concat());
        assert_eq!(
            (again.code, &again.json()["added"][0]["outcome"]),
            (0, &json!("present")),
            "{}",
            again.stderr
        );

        let page = [
            "render",
            "--engine",
            "fx",
            "--from",
            "en",
            "--to",
            "pt",
            "source/index.html",
            "-",
        ];
        let page = String::from_utf8(site.run(&page).stdout).unwrap();
        assert!(page.contains("A casa é vermelha."), "{page}");

        let health = |code: i32| {
            let ran = site.run(&["doctor", "--json"]);
            assert_eq!(ran.code, code, "{}", ran.stderr);
            let report = ran.json();
            let model = report["findings"]
                .as_array()
                .unwrap()
                .iter()
                .find(|finding| finding["what"] == "model en-pt")
                .cloned();
            model.unwrap_or_else(|| panic!("{report:#}"))
        };
        assert_eq!(health(0)["health"], "good");
        let vocabulary = there.iter().find(|name| name.ends_with(".spm")).unwrap();
        fs::OpenOptions::new()
            .append(true)
            .open(site.path("models").join(vocabulary))
            .unwrap()
            .write_all(b"!")
            .unwrap();
        assert_eq!(list(&site, 1)[0]["state"], "changed");
        let bad = health(1);
        assert!(
            bad["health"] == "bad" && bad["found"].as_str().unwrap().contains("--replace"),
            "{bad}"
        );
        site.run(&[&from[..], &[models.to_str().unwrap()]].concat())
            .failed(1, &["--replace"]);
        let replaced = site.run(&[&from[..], &[models.to_str().unwrap(), "--replace"]].concat());
        assert_eq!(
            (replaced.code, &replaced.json()["added"][0]["outcome"]),
            (0, &json!("replaced")),
            "{}",
            replaced.stderr
        );
        assert_eq!(list(&site, 0)[0]["state"], "pinned");

        site.write("models/enpt/notes", "mine");
        site.run(&["models", "remove", "en", "pt"]).failed(
            1,
            &["contains files that do not belong to the model for en-pt: notes"],
        );
        fs::remove_file(site.path("models/enpt/notes")).unwrap();
        assert_eq!(site.run(&["models", "remove", "en", "pt"]).code, 0);
        assert_eq!(fs::read_dir(site.path("models")).unwrap().count(), 0);
    }
}
