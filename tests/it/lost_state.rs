//! A state that is lost, damaged or new: what was paid for is taken from the store, and nothing is paid twice.
//!
//! The engine writes down what it is asked, so what is paid for is seen from outside.
//!
//! One file: one story, from the loss to the next build.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::api::{self, Api};
use crate::support::rented::{Rented, Stops};
use crate::support::{self, Files, Ran, Site, assert_same};

/// Puts a mark before each text and writes down what it was asked.
const COUNTING: &str = "#!/bin/sh\ntee -a ../asked.txt | sed -u 's/\"text\":\"/\"text\":\"¡/'\n";

const KEYS: &str = "locales = [\"es\", \"fr\"]\nengine = [\"counting\"]\n[engine.counting]\nkind = \"command\"\n\
                    program = \"sh\"\nargs = [\"engine.sh\"]\n[store]\nobjects = \"../dist\"\n";

const BREAD: &str = "<p>Fresh bread</p><p>Every <b>day</b> but Monday, 3 kinds</p>";

/// Builders of one site on one store.
struct Builders {
    site: Site,
}

impl Builders {
    fn new(pages: &[(&str, &str)]) -> Self {
        let site = Site::new("", &[]);
        pages
            .iter()
            .for_each(|(name, html)| site.write(&format!("source/{name}"), html));
        let builders = Self { site };
        ["one", "two"]
            .iter()
            .for_each(|name| builders.configure(name, KEYS));
        builders
    }

    fn configure(&self, name: &str, keys: &str) {
        let fixed = "[[site]]\nid = \"site\"\nsource = \"../source\"\nsource_locale = \"en\"\n";
        self.site
            .write(&format!("{name}/latimer.toml"), &format!("{fixed}{keys}"));
        self.site.write(&format!("{name}/engine.sh"), COUNTING);
    }

    fn run(&self, name: &str, arguments: &[&str]) -> support::Ran {
        support::latimer(&self.site.path(name), arguments, b"")
    }

    #[track_caller]
    fn build(&self, name: &str, arguments: &[&str]) -> Value {
        let ran = self.run(name, &[&["build", "--json", "--quiet"], arguments].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()["sites"][0].clone()
    }

    /// How many texts the engine was asked for, all in all.
    fn asked(&self) -> usize {
        fs::read_to_string(self.site.path("asked.txt"))
            .unwrap_or_default()
            .lines()
            .count()
    }

    fn state(&self, name: &str) -> PathBuf {
        self.site.path(&format!("{name}/.latimer/state.redb"))
    }

    /// The memory of a locale in the store.
    fn memory(&self, locale: &str) -> Vec<PathBuf> {
        let folder = self
            .site
            .path(&format!("dist/site/_deployments/memory/{locale}"));
        let entries = fs::read_dir(folder)
            .map(Iterator::collect::<Vec<_>>)
            .unwrap_or_default();
        entries
            .into_iter()
            .map(|entry| entry.unwrap().path())
            .collect()
    }

    fn pages(&self) -> Files {
        let page = |name: &String| !name.contains("/_deployments/");
        support::files(&self.site.path("dist"))
            .into_iter()
            .filter(|(name, _)| page(name))
            .collect()
    }
}

fn notices(report: &Value) -> String {
    report["notices"].to_string()
}

#[test]
fn a_lost_state_costs_nothing_and_the_build_says_where_the_words_come_from() {
    let builders = Builders::new(&[("index.html", BREAD), ("a/index.html", "<p>Rolls</p>")]);
    builders.build("one", &[]);
    let pages = builders.pages();
    let asked = builders.asked();
    assert_eq!(asked, 6);
    for (how, arguments) in [
        ("removed", &[][..]),
        ("emptied", &[]),
        ("removed", &["--offline"]),
        ("emptied", &["--force"]),
    ] {
        match how {
            "removed" => fs::remove_file(builders.state("one")).unwrap(),
            _ => fs::write(builders.state("one"), "").unwrap(),
        }
        let plan = builders.run("one", &["plan", "--json", "--quiet"]).json();
        assert_eq!(plan["sites"][0]["locales"][0]["new"], 0, "{plan}");
        match how {
            "removed" => fs::remove_file(builders.state("one")).unwrap(),
            _ => fs::write(builders.state("one"), "").unwrap(),
        }
        let report = builders.build("one", arguments);
        assert!(
            notices(&report).contains("es: took 3 translations from the store"),
            "{how}: {report}"
        );
        assert_same(&builders.pages(), &pages);
        let forced = if arguments == ["--force"] { 6 } else { 0 };
        assert_eq!(builders.asked(), asked + forced, "{how} {arguments:?}");
    }
    fs::remove_file(builders.state("one")).unwrap();
    let explained = builders.run("one", &["explain", "/", "--json"]);
    assert!(
        explained.code == 0 && String::from_utf8_lossy(&explained.stdout).contains("¡Fresh bread")
    );
    let again = notices(&builders.build("one", &[]));
    assert!(!again.contains("took"), "{again}");
}

#[test]
fn a_second_builder_profits_and_a_later_word_wins() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders.build("one", &[]);
    let asked = builders.asked();
    let report = builders.build("two", &[]);
    assert!(notices(&report).contains("took 2 translations"), "{report}");
    assert_eq!(builders.asked(), asked);
    builders
        .site
        .write("two/engine.sh", &COUNTING.replace('¡', "¿"));
    builders.build("two", &["--force", "--locale", "es"]);
    let later = builders.pages();
    assert!(String::from_utf8_lossy(&later["site/es/index.html"]).contains("¿Fresh bread"));
    let report = builders.build("one", &[]);
    assert!(
        notices(&report).contains("es: took 2 translations"),
        "{report}"
    );
    assert_same(&builders.pages(), &later);
    assert_eq!(builders.asked(), asked + 2);
}

#[test]
fn what_a_killed_build_was_paid_for_outlives_its_state() {
    let page: String = (0..700)
        .map(|text| format!("<p>Text {} of many\n", "x".repeat(text + 1)))
        .collect();
    let builders = Builders::new(&[("index.html", &page)]);
    builders.configure("one", &KEYS.replace(", \"fr\"", ""));
    // It answers most texts, waits until some of them are in the store, and kills the build.
    builders.site.write(
        "one/engine.sh",
        "#!/bin/sh\ntee -a ../asked.txt | head -n 640 | sed -u 's/\"text\":\"/\"text\":\"¡/'\n\
         until ls ../dist/site/_deployments/memory/es/*.jsonl.gz >&2; do sleep 0.1; done\nkill -9 $PPID\n",
    );
    let killed = builders.run("one", &["build", "--quiet"]);
    assert_eq!(killed.code, -1, "{}", killed.stderr);
    fs::remove_file(builders.state("one")).unwrap();
    let before = builders.asked();
    builders.site.write("one/engine.sh", COUNTING);
    let report = builders.build("one", &[]);
    assert!(
        notices(&report).contains("translations from the store"),
        "{report}"
    );
    assert!(
        builders.asked() - before <= 700 - 512,
        "{} more",
        builders.asked() - before
    );
}

#[test]
fn a_state_is_made_as_small_as_what_it_holds_and_loses_nothing() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders
        .run("one", &["state", "compact"])
        .failed(1, &["there is no state", "the first build makes it"]);
    assert!(!builders.state("one").exists());
    builders.build("one", &[]);
    let pages = builders.pages();
    let asked = builders.asked();
    let before = fs::metadata(builders.state("one")).unwrap().len();
    let said = builders.run("one", &["state", "compact", "--json"]).json();
    let after = fs::metadata(builders.state("one")).unwrap().len();
    assert_eq!(
        (&said["before"], &said["after"]),
        (&before.into(), &after.into())
    );
    assert!(after < before, "{said}");
    builders.build("one", &["--rebuild"]);
    assert_eq!((builders.pages(), builders.asked()), (pages, asked));
}

#[test]
fn a_damaged_state_is_a_sentence_and_is_made_anew_from_the_store() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders.build("one", &[]);
    builders.run("one", &["locale", "site", "fr", "off"]);
    let pages = builders.pages();
    let asked = builders.asked();
    let sound = fs::read(builders.state("one")).unwrap();
    builders
        .run("one", &["state", "rebuild"])
        .failed(1, &["is sound", "--force"]);
    let noise: Vec<u8> = (0..sound.len())
        .map(|at| u8::try_from(at * 7919 % 251).unwrap())
        .collect();
    for (number, (name, damaged)) in [
        ("half of it", &sound[..sound.len() / 2]),
        ("noise", &noise),
        ("zeros", &vec![0; 8192]),
        ("a line", b"nothing\n"),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(builders.state("one"), damaged).unwrap();
        for arguments in [
            &["build", "--quiet"][..],
            &["plan", "--quiet"],
            &["digest", "show"],
        ] {
            let ran = builders.run("one", arguments);
            ran.failed(1, &["state.redb is damaged", "run `latimer state rebuild`"]);
            assert!(!ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
        }
        let doctor = builders.run("one", &["doctor"]);
        let found = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(
            doctor.code == 1 && found.contains("`latimer state rebuild`"),
            "{name}: {found}"
        );
        let rebuilt = builders.run("one", &["state", "rebuild", "--json"]);
        assert_eq!(rebuilt.code, 0, "{name}: {}", rebuilt.stderr);
        let rebuilt = rebuilt.json();
        let site = &rebuilt["sites"][0];
        assert_eq!(
            (
                &site["translations"]["es"],
                &site["off"][0],
                &site["sources"]
            ),
            (&2.into(), &"fr".into(), &1.into())
        );
        let aside = builders
            .site
            .path(&format!("one/.latimer/state.redb.aside-{}", number + 1));
        assert_eq!(fs::read(aside).unwrap(), *damaged, "{name}");
        builders.build("one", &["--offline"]);
        builders.build("one", &[]);
        assert_same(&builders.pages(), &pages);
        assert_eq!(builders.asked(), asked, "{name}");
    }
    builders
        .run("one", &["state", "rebuild", "--force"])
        .failed(0, &[]);
}

#[test]
fn a_damaged_or_deleted_memory_file_fails_no_build_and_is_written_anew() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders.build("one", &[]);
    let asked = builders.asked();
    let file = builders.memory("es").remove(0);
    let whole = fs::read(&file).unwrap();
    for (name, damaged) in [
        ("cut", Some(&whole[..whole.len() / 2])),
        ("garbage", Some(&b"garbage"[..])),
        ("gone", None),
    ] {
        match damaged {
            Some(bytes) => fs::write(&file, bytes).unwrap(),
            None => {
                fs::remove_dir_all(builders.site.path("dist/site/_deployments/memory")).unwrap()
            }
        }
        let report = builders.build("one", &[]);
        let named = notices(&report).contains(file.file_name().unwrap().to_str().unwrap());
        assert_eq!(named, damaged.is_some(), "{name}: {report}");
        assert_eq!(fs::read(&file).unwrap(), whole, "{name}");
        let doctor = builders.run("one", &["doctor"]);
        assert_eq!(
            doctor.code,
            0,
            "{name}: {}",
            String::from_utf8_lossy(&doctor.stdout)
        );
    }
    // Nobody knows what was in it: that is paid again, and the file is left for its owner.
    fs::write(&file, "garbage").unwrap();
    let doctor = builders.run("two", &["doctor"]);
    assert!(
        doctor.code == 1 && String::from_utf8_lossy(&doctor.stdout).contains("memory in the store")
    );
    let report = builders.build("two", &[]);
    assert!(notices(&report).contains("delete it"), "{report}");
    assert_eq!(builders.asked(), asked + 2);
}

#[test]
fn a_memory_file_of_the_owner_is_read_when_it_changed_and_written_when_it_is_gone() {
    let keys = KEYS.replace("engine = ", "memory = \"{lang}.jsonl\"\nengine = ");
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders.configure("one", &keys);
    builders.build("one", &[]);
    let asked = builders.asked();
    let lines = builders.site.read("one/es.jsonl");
    let file = builders.site.path("one/es.jsonl");
    let es = || String::from_utf8(builders.pages()["site/es/index.html"].clone()).unwrap();
    builders
        .site
        .edit("one/es.jsonl", "¡Fresh bread", "Pan fresco");
    builders.build("one", &[]);
    assert!(es().contains("Pan fresco"), "{}", es());
    let edited = builders.site.read("one/es.jsonl");
    fs::remove_file(&file).unwrap();
    builders.build("one", &[]);
    assert_eq!(builders.site.read("one/es.jsonl"), edited);
    // A checkout of the same bytes is no edit, and one of older bytes is.
    for text in [&edited, &lines] {
        fs::write(&file, text).unwrap();
        builders.build("one", &[]);
        assert_eq!(builders.site.read("one/es.jsonl"), *text);
    }
    assert!(es().contains("¡Fresh bread"), "{}", es());
    assert_eq!(builders.asked(), asked);
    fs::remove_file(builders.state("one")).unwrap();
    builders.build("one", &[]);
    assert_eq!(
        (builders.asked(), builders.site.read("one/es.jsonl")),
        (asked, lines)
    );
}

#[test]
fn what_a_cancelled_run_was_paid_for_outlives_its_state() {
    let service = Rented::start();
    let texts: String = (0..200)
        .map(|text| format!("<p>Text {} of many\n", "x".repeat(text + 1)))
        .collect();
    let site = Site::new(
        &format!(
            "locales = [\"es\"]\nengine = \"rented\"\n{}",
            service.engine()
        ),
        &[],
    );
    site.write("source/index.html", &texts);
    api::give_api(&site, api::NO_LIMITS);
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    service.stop(Stops::After(4));
    let ordered = server.call(
        "POST",
        "/api/sites/site/crawl-translate",
        &token,
        r#"{"targetLangs":["es"]}"#,
    );
    let run = ordered.header("location").unwrap();
    service.wait_until_stopped();
    let paid: BTreeSet<String> = service.answered().into_iter().collect();
    assert_eq!(paid.len(), 100);
    // What was answered has arrived.
    server.wait_until(run, &token, |run| run["stages"]["translate"]["done"] == 100);
    let answer = server.call("POST", &format!("{run}/cancel"), &token, "");
    assert_eq!(
        (answer.status, &answer.json["status"]),
        (200, &json!("cancelled")),
        "{}",
        answer.json
    );
    drop(server);
    service.stop(Stops::Never);
    service.sent();
    fs::remove_dir_all(site.path(".latimer")).unwrap();
    let report = site.build(&[], 0);
    assert!(
        notices(&report).contains("es: took 100 translations from the store"),
        "{report}"
    );
    let again: BTreeSet<String> = service.sent().into_iter().collect();
    assert_eq!((again.len(), again.intersection(&paid).count()), (100, 0));
}

/// Runs the program as somebody who has no rights but those that files give, also where tests run as root.
fn run_without_rights(folder: &std::path::Path, arguments: &[&str]) -> Ran {
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let program = support::command(folder);
    let mut command = match is_root {
        false => program,
        true => {
            let mut command = Command::new("setpriv");
            command
                .args(["--bounding-set", "-dac_override,-dac_read_search", "--"])
                .arg(program.get_program());
            support::clean(&mut command);
            command.current_dir(folder);
            command
        }
    };
    let output = command.args(arguments).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr,
    }
}

#[test]
fn a_state_that_may_not_be_used_is_a_sentence_with_the_remedy() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders.build("one", &[]);
    let pages = builders.pages();
    let asked = builders.asked();
    let (one, folder, state) = (
        builders.site.path("one"),
        builders.site.path("one/.latimer"),
        builders.state("one"),
    );
    let mode = |path: &PathBuf, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap()
    };
    let run = |arguments: &[&str]| {
        let ran = run_without_rights(&one, arguments);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
        ran
    };
    let check = |name: &str, said: &[&str]| {
        for arguments in [
            &["build", "--quiet"][..],
            &["plan", "--quiet"],
            &["locale", "site", "fr", "off", "--quiet"],
            &["digest", "show"],
        ] {
            let ran = run(arguments);
            assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
            ran.failed(1, said);
        }
        let doctor = run(&["doctor"]);
        let found = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(
            doctor.code == 1 && said.iter().all(|said| found.contains(said)),
            "{name}: {found}"
        );
        assert_same(&builders.pages(), &pages);
    };
    for denied in [0o000, 0o400] {
        mode(&state, denied);
        check(
            "the file",
            &[
                "state.redb",
                "Permission denied",
                "let the user that runs latimer read and write it",
                "`latimer state rebuild`",
            ],
        );
        mode(&state, 0o600);
    }
    // A sound state in a folder where nothing can be made serves well.
    mode(&folder, 0o555);
    assert_eq!(run(&["build", "--quiet"]).code, 0);
    mode(&state, 0o000);
    let ran = run(&["state", "rebuild"]);
    ran.failed(1, &[".latimer", "Permission denied"]);
    mode(&folder, 0o755);
    assert_eq!(
        run(&["state", "rebuild", "--json"]).json()["sites"][0]["translations"]["es"],
        2
    );
    assert_eq!(run(&["build", "--quiet"]).code, 0);
    // Nothing is there, and nothing can be made.
    fs::remove_dir_all(&folder).unwrap();
    fs::create_dir(&folder).unwrap();
    mode(&folder, 0o555);
    check(
        "its folder",
        &[
            ".latimer",
            "Permission denied",
            "let the user that runs latimer write in",
        ],
    );
    fs::remove_dir(&folder).unwrap();
    mode(&one, 0o555);
    check(
        "the folder above",
        &[
            ".latimer",
            "Permission denied",
            "let the user that runs latimer write in",
        ],
    );
    mode(&one, 0o755);
    assert_eq!(run(&["build", "--quiet"]).code, 0);
    assert_eq!(builders.asked(), asked);
}

#[test]
fn a_switch_outlives_the_state_and_its_record_outlives_damage() {
    let builders = Builders::new(&[("index.html", BREAD)]);
    builders
        .run("one", &["locale", "site", "fr", "off"])
        .failed(0, &[]);
    // Nothing is published yet that would tell.
    fs::write(builders.state("one"), "nothing").unwrap();
    assert_eq!(
        builders.run("one", &["state", "rebuild", "--json"]).json()["sites"][0]["off"],
        json!(["fr"])
    );
    builders.build("one", &[]);
    let pages = builders.pages();
    assert!(
        pages.keys().all(|name| !name.starts_with("site/fr/")),
        "{:?}",
        pages.keys()
    );
    let record = builders.site.path("dist/site/_deployments/switches/1.json");
    fs::write(&record, "{").unwrap();
    let doctor = builders.run("one", &["doctor"]);
    let found = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(
        doctor.code == 1 && found.contains("switches/1.json is damaged"),
        "{found}"
    );
    // A builder that knows nothing of the switch finds a deployment that follows it.
    let report = builders.build("two", &[]);
    assert!(notices(&report).contains("switches/1.json"), "{report}");
    assert_same(&builders.pages(), &pages);
    assert_eq!(builders.run("one", &["doctor"]).code, 0);
    // Without a deployment that follows it, whoever turned it mends it, and nobody else guesses.
    fs::remove_dir_all(builders.site.path("dist")).unwrap();
    builders
        .site
        .write("dist/site/_deployments/switches/1.json", "{");
    builders.configure("three", KEYS);
    builders
        .run("three", &["build", "--quiet"])
        .failed(1, &["switches/1.json is damaged", "`latimer locale`"]);
    let report = builders.build("one", &[]);
    assert!(notices(&report).contains("switches/1.json"), "{report}");
    assert!(
        builders
            .pages()
            .keys()
            .all(|name| !name.starts_with("site/fr/"))
    );
}
