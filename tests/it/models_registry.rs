//! Neural models from a registry: chosen, checked, resumed, refused; asked for only by the two commands that say so.
//!
//! One file: one registry and its faults.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::support::registry::{Part, Registry, Trouble, parts_in, rubbish};
use crate::support::web::{Server, get};
use crate::support::{self, Ran, Site, command, files, tool};

const PAGE: &str = "<!doctype html><html lang=en><title>The house</title><p>The house is red.</p>";

fn site(locales: &str, registry: &Registry) -> Site {
    Site::new(
        &format!("locales = [{locales}]\n{}", registry.table()),
        &[("index.html", PAGE)],
    )
}

/// Serves rubbish for English to German, with something wrong.
fn wrong(trouble: Trouble) -> (Registry, Site) {
    let registry = Registry::serve(&[["en", "de"]], &rubbish(), trouble, 0);
    let site = site("\"de\"", &registry);
    (registry, site)
}

/// Runs `models add en de`, which must fail and leave nothing.
#[track_caller]
fn refused(site: &Site, said: &[&str]) -> Ran {
    let before = files(site.folder());
    let ran = site.run(&["models", "add", "en", "de"]);
    ran.failed(1, said);
    support::assert_same(&files(site.folder()), &before);
    assert!(!site.path("models").exists());
    ran
}

#[test]
fn a_file_that_is_not_the_described_one_is_refused() {
    for kind in ["model", "vocab", "lex"] {
        let (_registry, site) = wrong(Trouble::OtherAttachment(kind));
        refused(
            &site,
            &[
                kind,
                "has the SHA-256",
                "but the record expects",
                "nothing was kept",
            ],
        );
        let (_registry, site) = wrong(Trouble::OtherContent(kind));
        refused(&site, &[kind, "has the SHA-256", &"0".repeat(64)]);
        let (_registry, site) = wrong(Trouble::OtherSize(kind));
        refused(&site, &[kind, "bytes instead of"]);
        let (_registry, site) = wrong(Trouble::Missing(kind));
        refused(
            &site,
            &[&format!(
                "main-workspace/en-de-{kind}.zst: the origin answered with status 404"
            )],
        );
    }
}

#[test]
fn a_connection_that_is_cut_is_resumed() {
    let (registry, site) = wrong(Trouble::Cut(2));
    // The hashes are right, so the engine gets what no engine can load.
    refused(&site, &["the model for en-de", "cannot be used"]);
    let asked = registry.asked();
    assert_eq!(asked.len(), 1 + 3 * 3, "{asked:?}");
    let resumed = asked
        .iter()
        .filter(|path| path.contains("en-de-model.zst bytes="))
        .count();
    assert_eq!(resumed, 2, "{asked:?}");
}

#[test]
fn a_registry_that_does_not_answer_is_named_with_what_to_do() {
    let (_registry, site) = wrong(Trouble::NoRecords);
    refused(
        &site,
        &[
            "/records: the origin answered with status 404",
            "HTTPS_PROXY",
            "--print",
            "--from",
        ],
    );
    site.configure("locales = [\"de\"]\n[models]\nregistry = \"http://127.0.0.1:9/records\"\nallow_private = true");
    refused(
        &site,
        &[
            "cannot fetch http://127.0.0.1:9/records: the connection failed",
            "--print",
        ],
    );
    site.configure("locales = [\"de\"]\n[models]\nregistry = \"https://127.0.0.1:9/records\"");
    refused(
        &site,
        &["is not a public address", "allow_private in [models]"],
    );
    site.configure("locales = [\"de\"]\n[models]\nregistry = \"http://mirror.example/records\"");
    site.run(&["models", "add", "en", "de"])
        .failed(2, &["latimer.toml:", "`registry` must be https://"]);
}

#[test]
fn many_records_are_read_and_too_many_are_not() {
    for (padding, said) in [
        (5 << 20, "cannot be used"),
        (17 << 20, "larger than 16777216 bytes"),
    ] {
        let registry = Registry::serve(&[["en", "de"]], &rubbish(), Trouble::None, padding);
        refused(&site("\"de\"", &registry), &[said]);
    }
}

#[test]
fn a_killed_process_leaves_nothing_that_is_seen_or_in_the_way() {
    let (registry, site) = wrong(Trouble::Stuck);
    let mut child = command(site.folder())
        .args(["models", "add", "en", "de"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    registry
        .stuck
        .recv_timeout(Duration::from_secs(60))
        .unwrap();
    assert!(site.path("models/.latimer-adding-ende").exists());
    // Two at once.
    site.run(&["models", "add", "en", "de"])
        .failed(1, &["another `models add` works on this pair"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = site.run(&["models", "list", "--json"]).json();
    assert_eq!(listed["models"], json!([]));
    let other = Registry::serve(&[["en", "de"]], &rubbish(), Trouble::None, 0);
    site.configure(&format!("locales = [\"de\"]\n{}", other.table()));
    site.run(&["models", "add", "en", "de"])
        .failed(1, &["cannot be used"]);
    assert_eq!(fs::read_dir(site.path("models")).unwrap().count(), 0);
}

/// Asks a registry on a host that only a proxy knows; gives whether that went well, and the output.
fn listed_by_proxy(scheme: &str, variables: &[(&str, &str)]) -> (bool, String) {
    let site = Site::new("locales = [\"de\"]", &[("index.html", PAGE)]);
    let table = format!(
        "[models]\nregistry = \"{scheme}://registry.invalid/records\"\nallow_private = true"
    );
    site.configure(&format!("locales = [\"de\"]\n{table}"));
    let mut program = command(site.folder());
    let output = program
        .args(["models", "list", "--available"])
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
    )
}

#[test]
fn a_proxy_counts_for_the_registry() {
    let registry = Registry::serve(&[["en", "de"]], &rubbish(), Trouble::None, 0);
    let proxy = registry.address.trim_end_matches("/records").to_owned();
    let (is_done, said) = listed_by_proxy("http", &[("http_proxy", &proxy)]);
    assert!(is_done && said.contains("en-de"), "{said}");
    assert_eq!(registry.asked(), ["http://registry.invalid/records"]);
    let (is_done, _) = listed_by_proxy(
        "http",
        &[
            ("http_proxy", &proxy),
            ("NO_PROXY", "registry.invalid"),
            ("no_proxy", ""),
        ],
    );
    assert!(!is_done, "nobody knows this host");
    let (is_done, _) = listed_by_proxy("https", &[("HTTPS_PROXY", &proxy)]);
    assert!(!is_done, "the proxy refuses");
    assert_eq!(
        registry.asked()[1..],
        ["CONNECT registry.invalid:443 HTTP/1.1".to_owned()]
    );
}

#[test]
fn what_the_registry_has_is_listed() {
    let pairs = [["en", "de"], ["de", "en"], ["en", "zh_hant"], ["en", "pt"]];
    let registry = Registry::serve(&pairs, &rubbish(), Trouble::None, 0);
    let site = site("\"de\"", &registry);
    let listed = String::from_utf8(site.run(&["models", "list", "--available"]).stdout).unwrap();
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 4, "{listed}");
    assert!(
        lines[1].starts_with("en-de ") && lines[1].contains("1 MB to fetch"),
        "{listed}"
    );
    assert!(
        lines[1].contains("version 3.1") && lines[1].ends_with("licence not stated"),
        "{listed}"
    );
    let german = site
        .run(&["models", "list", "--available", "de", "--json"])
        .json();
    let pairs: Vec<&str> = german["available"]
        .as_array()
        .unwrap()
        .iter()
        .map(|model| model["pair"].as_str().unwrap())
        .collect();
    assert_eq!(pairs, ["de-en", "en-de"]);
    assert_eq!(
        (
            &german["available"][0]["version"],
            &german["available"][0]["architecture"]
        ),
        (&json!("3.1"), &json!("tiny"))
    );
    let taiwan = site
        .run(&["models", "list", "--available", "zh-TW", "--json"])
        .json();
    assert_eq!(taiwan["available"][0]["target"], "zh-Hant");
    site.run(&["models", "list", "--available", "it"])
        .failed(1, &["has no model for it"]);
}

#[test]
fn what_is_asked_for_wrongly_is_said_before_anything_is_fetched() {
    let pairs = [["en", "de"], ["de", "en"], ["en", "fr"], ["en", "sr"]];
    let registry = Registry::serve(&pairs, &rubbish(), Trouble::None, 0);
    let site = site("\"de\"", &registry);
    for (arguments, said) in [
        (
            &["add", "en", "jp"][..],
            "\"jp\" is a country, not a language; Japanese is ja",
        ),
        (&["add", "en", "de_DE"], "not a language tag"),
        (&["add", "en"], "TO"),
        (&["add", "en", "en-GB"], "en and en-GB are one language"),
        (&["add", "en", "de", "--sha256", "ab"], "--from"),
        (&["add", "en", "de", "--print", "--from", "x"], "--print"),
    ] {
        site.run(&[&["models"], arguments].concat())
            .failed(2, &[said]);
    }
    assert_eq!(registry.asked(), Vec::<String>::new());
    let ran = site.run(&["models", "add", "en", "it"]);
    ran.failed(
        1,
        &[
            "has no model for en to it: none translates into Italian (it)",
            "models list --available",
        ],
    );
    site.run(&["models", "add", "en", "sr-Latn"])
        .failed(1, &["in this script; it has sr"]);
    let ran = site.run(&["models", "add", "de", "fr"]);
    ran.failed(
        1,
        &[
            "de to fr goes through English, with the models de-en and en-fr",
            "fetching de-en 3.1",
        ],
    );
}

#[test]
fn only_two_commands_ask_the_registry() {
    let (registry, site) = wrong(Trouble::None);
    let commands: [&[&str]; 7] = [
        &["models", "list"],
        &["build"],
        &["plan"],
        &["doctor"],
        &["explain", "/"],
        &["init", "source", "--locale", "de", "-c", "other.toml"],
        &["models", "add", "en", "de", "--from", "source"],
    ];
    for arguments in commands {
        site.run(arguments);
    }
    assert_eq!(registry.asked(), Vec::<String>::new());
}

#[test]
fn a_model_for_a_machine_without_internet_is_printed_and_taken_from_a_folder() {
    let (registry, site) = wrong(Trouble::None);
    let printed =
        String::from_utf8(site.run(&["models", "add", "en", "de", "--print"]).stdout).unwrap();
    let lines: Vec<Vec<&str>> = printed
        .lines()
        .map(|line| line.split("  ").collect())
        .collect();
    let names: Vec<&str> = lines.iter().map(|line| line[3]).collect();
    assert_eq!(
        names,
        [
            "model.ende.bin.zst",
            "vocab.ende.spm.zst",
            "lex.ende.bin.zst"
        ]
    );
    assert!(
        lines
            .iter()
            .all(|line| line[0].starts_with("http://127.0.0.1:") && line[2].len() == 64),
        "{printed}"
    );
    let records = site.run(&["models", "add", "en", "de", "--print", "--json"]);
    assert_eq!(records.json()["data"].as_array().unwrap().len(), 3);
    assert_eq!(registry.asked(), ["/records", "/records"]);
    assert!(!site.path("models").exists());
    site.write(
        "fetched/records.json",
        &String::from_utf8(records.stdout).unwrap(),
    );
    let add = ["models", "add", "en", "de", "--from", "fetched"];
    site.run(&add)
        .failed(1, &["model.ende.bin is not in fetched"]);
    for (kind, content) in rubbish() {
        let ending = if kind == "vocab" { "spm" } else { "bin" };
        fs::write(
            site.path("fetched").join(format!("{kind}.ende.{ending}")),
            content,
        )
        .unwrap();
    }
    site.run(&add).failed(1, &["cannot be used"]);
    site.write("fetched/vocab.ende.spm", "others");
    site.run(&add)
        .failed(1, &["vocab.ende.spm from fetched has the SHA-256"]);
    assert_eq!(registry.asked().len(), 2);
}

#[test]
fn a_new_site_is_told_the_command_that_gets_models() {
    let (_registry, site) = wrong(Trouble::None);
    let ran = site.run(&[
        "init", "source", "--locale", "de", "--locale", "ja", "-c", "new.toml",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in [
        "engines: de: none yet; ja: none yet",
        "`latimer models add en de ja` gets neural models",
    ] {
        assert!(
            ran.stderr.contains(said),
            "{said:?} is not in: {}",
            ran.stderr
        );
    }
    site.configure("locales = [\"de\", \"ja\"]\nengine = \"fx\"");
    let built = site.run(&["build"]);
    let said = String::from_utf8(built.stdout).unwrap();
    assert!(
        said.contains("`latimer models add en de` gets one"),
        "{said}"
    );
    assert!(
        said.contains("if Mozilla has them: latimer models add en de ja"),
        "{said}"
    );
}

mod needs_models {
    use super::*;

    fn parts() -> Vec<Part> {
        parts_in(&tool("LATIMER_TEST_MODELS").canonicalize().unwrap())
    }

    #[test]
    #[ignore = "needs neural models"]
    fn four_commands_lead_to_pages_in_two_languages() {
        let registry = Registry::serve(&[["en", "de"], ["en", "fr"]], &parts(), Trouble::Cut(1), 0);
        let site = Site::new("", &[("index.html", PAGE)]);
        fs::remove_file(site.path("latimer.toml")).unwrap();
        assert_eq!(
            site.run(&["init", "source", "--locale", "de", "--locale", "fr"])
                .code,
            0
        );
        let text = site.read("latimer.toml");
        site.write("latimer.toml", &format!("{text}{}", registry.table()));
        let added = site.run(&["models", "add", "en", "de", "fr"]);
        assert_eq!(added.code, 0, "{}", added.stderr);
        for said in [
            "fetching en-de 3.1",
            "fetching en-fr 3.1",
            "from http://127.0.0.1:",
        ] {
            assert!(
                added.stderr.contains(said),
                "{said:?} is not in: {}",
                added.stderr
            );
        }
        let there: Vec<String> = files(&site.path("models")).into_keys().collect();
        assert!(
            there.contains(&"ende/pins.json".to_owned())
                && there.contains(&"enfr/pins.json".to_owned()),
            "{there:?}"
        );
        let report = site.build(&[], 0);
        let server = Server::start_with(site.folder(), &[]);
        for tag in ["de", "fr"] {
            assert_eq!(support::locale(&report, tag)["pages"], 1);
            let page = get(&server.address, &format!("/{tag}/"));
            assert!(
                page.status == 200 && page.text().contains("A casa é vermelha."),
                "{}",
                page.text()
            );
        }
        let before = registry.asked().len();
        let again = site.run(&["models", "add", "en", "de", "fr", "--json"]);
        assert_eq!(again.json()["added"][1]["outcome"], "present");
        assert_eq!(
            registry.asked().len(),
            before + 1,
            "only the records are asked for again"
        );
    }

    #[test]
    #[ignore = "needs neural models"]
    fn what_was_printed_and_fetched_elsewhere_is_added() {
        let registry = Registry::serve(&[["en", "pt"]], &parts(), Trouble::None, 0);
        let site = site("\"pt-PT\"", &registry);
        let records = site.run(&["models", "add", "en", "pt-PT", "--print", "--json"]);
        site.write(
            "fetched/records.json",
            &String::from_utf8(records.stdout).unwrap(),
        );
        for (kind, content) in parts() {
            let ending = if kind.ends_with("vocab") {
                "spm"
            } else {
                "bin"
            };
            fs::write(
                site.path("fetched").join(format!("{kind}.enpt.{ending}")),
                content,
            )
            .unwrap();
        }
        let added = site.run(&["models", "add", "en", "pt-PT", "--from", "fetched"]);
        assert_eq!(added.code, 0, "{}", added.stderr);
        let said = String::from_utf8(added.stdout).unwrap();
        assert!(
            said.contains(
                "notice: the model for pt writes one variant of Portuguese, not especially pt-PT"
            ),
            "{said}"
        );
        let listed = site.run(&["models", "list", "--json"]).json();
        assert_eq!(
            (
                &listed["models"][0]["state"],
                &listed["models"][0]["version"]
            ),
            (&json!("pinned"), &json!("3.1"))
        );
    }

    /// Builds a site and returns the most memory that the program took, in KiB.
    fn peak_of_a_build(site: &Site) -> u64 {
        let script = "import resource, subprocess, sys\n\
            subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n\
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
        let program = command(site.folder()).get_program().to_owned();
        let mut python = std::process::Command::new("python3");
        let python = python
            .current_dir(site.folder())
            .args(["-c", script])
            .arg(program)
            .args(["build", "--quiet"]);
        let output = python.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        said.trim()
            .parse()
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }

    #[test]
    #[ignore = "needs neural models"]
    fn ten_languages_take_little_more_memory_than_a_pivot() {
        const LOCALES: [&str; 10] = ["de", "fr", "es", "it", "nl", "pl", "cs", "sv", "da", "fi"];
        let mut pairs: Vec<[&str; 2]> = LOCALES.map(|locale| ["en", locale]).to_vec();
        pairs.push(["pt", "en"]);
        let registry = Registry::serve(&pairs, &parts(), Trouble::None, 0);
        let mut page = "<!doctype html><html><title>Doors</title>".to_owned();
        for number in 0..80 {
            page += &format!(
                "<p>The house with number {number} is red and has a door that is open every day.</p>"
            );
        }
        let quoted: Vec<String> = LOCALES.iter().map(|locale| format!("{locale:?}")).collect();
        let direct = Site::new(
            &format!("locales = [{}]\n{}", quoted.join(", "), registry.table()),
            &[("index.html", &page)],
        );
        assert_eq!(
            direct
                .run(&[&["models", "add", "en"][..], &LOCALES].concat())
                .code,
            0
        );
        let pivot = Site::new("", &[("index.html", &page)]);
        let table = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"pt\"\nlocales = [\"de\"]\n";
        pivot.write("latimer.toml", &format!("{table}{}", registry.table()));
        assert_eq!(pivot.run(&["models", "add", "pt", "de"]).code, 0);
        let two = peak_of_a_build(&pivot);
        let ten = peak_of_a_build(&direct);
        eprintln!("a pivot takes {two} KiB, ten languages {ten} KiB");
        assert!(
            ten * 10 <= two * 12,
            "ten languages take {ten} KiB, a pivot {two} KiB"
        );
    }

    #[test]
    #[ignore = "needs neural models"]
    fn a_model_in_another_script_is_refused() {
        let registry = Registry::serve(&[["en", "ru"]], &parts(), Trouble::None, 0);
        let ran = site("\"ru\"", &registry).run(&["models", "add", "en", "ru"]);
        ran.failed(
            1,
            &[
                "the model for en-ru",
                "it does not write ru: its letters are not those of ru",
            ],
        );
    }
}
