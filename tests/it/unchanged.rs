//! Builds in which nothing changed: they are over after the crawl, whatever else a build reads has to be the same, and
//! `--rebuild` gives the same.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Site, assert_same, copy, engine_calls, files, latimer};

/// A site with everything that a build reads beside its source: people's words, memory files, a glossary, paths, templates.
fn site() -> Site {
    let keys = "locales = [\"es\", \"de\"]\nengine = [\"marking\"]\nurl = \"https://www.example.com/{lang}\"\n\
                translations = \"{lang}.po\"\nmemory = \"{lang}.jsonl\"\nslugs = \"{lang}.csv\"\nglossary = \"terms.csv\"\n\
                [site.html]\ntemplates = \"templates\"\n";
    let site = Site::new(
        &format!("{keys}{}", crate::support::MARKING),
        &[
            (
                "index.html",
                "<html lang=en><title>Home</title><p>Fresh bread</p><a href=\"/about.html\">About us</a>",
            ),
            (
                "about.html",
                "<html lang=en><title>About</title><p>We bake at night</p><a href=\"/\">Home</a>",
            ),
            ("style.css", "p { color: red }"),
        ],
    );
    site.write("es.po", "msgid \"Fresh bread\"\nmsgstr \"Pan fresco\"\n");
    site.write("de.po", "msgid \"Fresh bread\"\nmsgstr \"Frisches Brot\"\n");
    site.write("terms.csv", "source,es\nnight,noche\n");
    site.write("es.csv", "path,slug\n/about.html,/nosotros.html\n");
    fs::create_dir_all(site.path("templates")).unwrap();
    site
}

/// Builds; gives the report without what differs between any two builds, and whether pages were read.
fn build(folder: &Path, arguments: &[&str]) -> (Value, bool) {
    let ran = latimer(folder, &[&["build", "--json"], arguments].concat(), b"");
    assert!(matches!(ran.code, 0 | 6), "{}", ran.stderr);
    let mut report = ran.json()["sites"][0].clone();
    for name in ["runId", "deploymentId", "work"] {
        report.as_object_mut().unwrap().remove(name);
    }
    // So are the times of commits that were copied.
    for locale in report["locales"].as_array_mut().unwrap() {
        for page in locale["keptPages"].as_array_mut().unwrap() {
            page.as_object_mut().unwrap().remove("publishedAt");
        }
    }
    // In which order files of the memory are taken is a matter of their times.
    report["notices"]
        .as_array_mut()
        .unwrap()
        .retain(|notice| !notice.as_str().unwrap().contains("from the store"));
    (report, ran.stderr.contains("read 1/"))
}

/// Builds a copy of the site with `--rebuild` and the site itself; both must come to the same. Says whether the build did
/// everything.
fn both(site: &Site, what: &str) -> bool {
    let twin = TempDir::new().unwrap();
    copy(site.folder(), twin.path(), &|_| true);
    let (whole, _) = build(twin.path(), &["--rebuild"]);
    let (report, did_all) = build(site.folder(), &[]);
    assert_eq!(report, whole, "{what}");
    assert_same(&site.objects(), &files(&twin.path().join("dist")));
    did_all
}

#[test]
fn a_build_without_changes_is_over_after_the_crawl_and_says_what_a_whole_one_says() {
    let site = site();
    assert!(both(&site, "the first"));
    for round in 0..3 {
        assert!(!both(&site, &format!("round {round}")), "nothing changed");
    }
    // Generators write every file again.
    let page = site.read("source/index.html");
    site.write("source/index.html", &page);
    assert!(!both(&site, "the same bytes with another time"));
}

/// Of three pages one names a page that comes later: it is rendered then and again when that page goes, and what names a page
/// is rendered when the path of that page changes.
#[test]
fn a_page_that_comes_or_goes_renders_those_that_lead_to_it() {
    let page = |title: &str, links: &[&str]| -> String {
        let links: Vec<String> = links
            .iter()
            .map(|link| format!("<a href=\"{link}\">More of {title}</a>"))
            .collect();
        format!(
            "<html lang=en><title>{title}</title><p>On {title}</p>{}",
            links.concat()
        )
    };
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"\nslugs = \"{lang}.csv\"\n",
        &[
            ("index.html", &page("Home", &["/bread.html", "/rolls.html"])),
            ("bread.html", &page("Bread", &["/", "cakes.html#fruit"])),
            ("rolls.html", &page("Rolls", &["/", "/bread.html?cut=thin"])),
        ],
    );
    let built = || -> [u64; 2] {
        let ran = latimer(site.folder(), &["build", "--json"], b"");
        let work = &ran.json()["sites"][0]["work"];
        ["rendered", "carried"].map(|count| work[count].as_u64().unwrap())
    };
    assert_eq!(built(), [6, 0], "three pages in two languages");
    site.write("source/cakes.html", &page("Cakes", &["/rolls.html"]));
    assert_eq!(
        built(),
        [3, 5],
        "the page in two languages, and the one that leads to it"
    );
    site.write("es.csv", "path,slug\n/rolls.html,/bollos.html\n");
    assert_eq!(
        built(),
        [4, 4],
        "its versions name each other, and /es/ and /es/cakes.html lead to it"
    );
    fs::remove_file(site.path("source/cakes.html")).unwrap();
    assert_eq!(built(), [1, 5], "the one that led to it");
}

/// Each input of a build, changed alone: the build sees it, and the one after it has nothing to do.
#[test]
fn every_input_that_changes_is_seen() {
    type Change = (&'static str, fn(&Site));
    let changes: [Change; 20] = [
        ("a page", |site| {
            site.edit("source/index.html", "Fresh", "Warm")
        }),
        ("a page, back again", |site| {
            site.edit("source/index.html", "Warm", "Fresh")
        }),
        ("a file", |site| {
            site.edit("source/style.css", "red", "blue")
        }),
        ("a new page", |site| {
            site.write(
                "source/new.html",
                "<html lang=en><title>New</title><p>Rye</p>",
            )
        }),
        // Their order stays, and all that is known of each.
        ("a page under another name", |site| {
            fs::rename(site.path("source/new.html"), site.path("source/newer.html")).unwrap();
        }),
        ("a page that goes", |site| {
            fs::remove_file(site.path("source/newer.html")).unwrap()
        }),
        ("people's words", |site| {
            site.edit("es.po", "Pan fresco", "Pan del día")
        }),
        ("a file of words that goes", |site| {
            fs::remove_file(site.path("de.po")).unwrap()
        }),
        ("a memory file", |site| {
            let line = site.read("es.jsonl");
            let line = line
                .lines()
                .find(|line| line.contains("We bake"))
                .unwrap()
                .replace("¡We", "¡¡We");
            site.write(
                "es.jsonl",
                &format!("{}{line}\n", site.read("es.jsonl").replace("¡We", "¡¡We")),
            );
        }),
        ("a path", |site| {
            site.edit("es.csv", "/nosotros.html", "/quienes.html")
        }),
        ("the glossary", |site| {
            site.write("terms.csv", "source,es\nnight,noche\nbread,pan\n")
        }),
        ("a template", |site| {
            let own = "<!DOCTYPE html><html lang=\"{{ lang }}\"><title>404</title><h1>Nothing here</h1></html>";
            site.write("templates/not-found.html", own);
        }),
        ("a setting", |site| {
            site.edit(
                "latimer.toml",
                "engine = [",
                "min_translated = 0.1\nengine = [",
            )
        }),
        ("another setting", |site| {
            site.edit(
                "latimer.toml",
                "min_translated = 0.1\n",
                "missing = \"notice\"\n",
            )
        }),
        ("what a server says of scripts", |site| {
            site.write(
                "source/.htaccess",
                "Header set Content-Security-Policy \"script-src 'none'\"\n",
            );
        }),
        ("bytes of a source in the store", |site| {
            let kept = site.path("dist/site/_sources");
            let mut files = fs::read_dir(&kept)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let file = files
                .find(|file| fs::read(file).is_ok_and(|bytes| bytes.starts_with(b"<html")))
                .unwrap();
            let length = fs::read(&file).unwrap().len();
            fs::write(&file, "x".repeat(length)).unwrap();
        }),
        ("a language that is off", |site| {
            assert_eq!(site.run(&["locale", "site", "de", "off"]).code, 0)
        }),
        ("a language that is on again", |site| {
            assert_eq!(site.run(&["locale", "site", "de", "on"]).code, 0)
        }),
        ("a damaged file", |site| {
            let kept = files(&site.path("dist/site/_deployments"));
            // A page that readers get: earlier deployments may have others.
            let shown = fs::read(site.path("dist/site/es/index.html")).unwrap();
            let page = kept.iter().find(|(_, bytes)| **bytes == shown).unwrap().0;
            fs::remove_file(site.path("dist/site/_deployments").join(page)).unwrap();
        }),
        ("a lost state", |site| {
            fs::remove_dir_all(site.path(".latimer")).unwrap()
        }),
    ];
    let site = site();
    build(site.folder(), &[]);
    for (what, change) in changes {
        assert!(!build(site.folder(), &[]).1, "before {what}");
        change(&site);
        assert!(both(&site, what), "{what} was not seen");
        // What one change leads to may lead to another, and then it is over.
        let rounds = (0..3).take_while(|_| both(&site, what)).count();
        assert!(rounds < 3, "after {what} there is always something to do");
    }
}

/// A word of the template stands on every page: engines are asked for it once.
#[test]
fn a_text_that_changes_on_every_page_is_asked_for_once() {
    let page = |name: &str| {
        let words: String = (0..20).map(|word| format!(" {name}{word}")).collect();
        (
            format!("{name}.html"),
            format!("<html lang=en><title>{name}</title><nav>Menu</nav><p>On{words}</p>"),
        )
    };
    let pages = [
        "index", "rye", "oat", "fig", "nut", "egg", "tea", "jam", "pie", "bun",
    ]
    .map(page);
    let files: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (name.as_str(), html.as_str()))
        .collect();
    let site = Site::new(
        &format!(
            "locales = [\"es\"]\nengine = [\"marking\"]\n{}",
            crate::support::MARKING
        ),
        &files,
    );
    site.build(&[], 0);
    files
        .iter()
        .for_each(|(name, _)| site.edit(&format!("source/{name}"), "Menu", "All breads"));
    let report = site.build(&[], 0);
    let es = &report["locales"][0];
    assert_eq!(
        (engine_calls(&report), &es["charactersSent"], &es["updated"]),
        (1, &json!(10), &json!(10)),
        "{report:#}"
    );
}

/// What the disk says of a file is relied on unless the settings say that it is not to be.
#[test]
fn a_disk_that_is_wrong_is_not_relied_on_where_settings_say_so() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"\n",
        &[("index.html", "<p>Fresh bread</p>")],
    );
    let hour_ago = SystemTime::now() - Duration::from_secs(3600);
    let write = |path: &Path, bytes: &[u8]| {
        fs::write(path, bytes).unwrap();
        fs::File::options()
            .append(true)
            .open(path)
            .unwrap()
            .set_modified(hour_ago)
            .unwrap();
    };
    site.build(&[], 0);
    let kept = fs::read_dir(site.path("dist/site/_sources"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let right = fs::read(&kept).unwrap();
    write(&kept, &right);
    site.build(&[], 0);
    let wrong = "x".repeat(right.len()).into_bytes();
    write(&kept, &wrong);
    site.build(&[], 0);
    assert_eq!(
        fs::read(&kept).unwrap(),
        wrong,
        "it has the length and the time of the right one"
    );
    site.edit(
        "latimer.toml",
        "[[site]]",
        "[[site]]\ncrawl.trust_stat = false",
    );
    site.build(&[], 6);
    assert!(
        !kept.exists(),
        "what is damaged goes, and the next build has it anew"
    );
    site.build(&[], 0);
    assert_eq!(fs::read(&kept).unwrap(), right);
}

/// Another program may make other pages of the same.
#[test]
fn another_program_makes_every_page_anew() {
    let site = site();
    let program = site.path("latimer");
    fs::copy(env!("CARGO_BIN_EXE_latimer"), &program).unwrap();
    let build = || {
        let ran = Command::new(&program)
            .args(["build", "--json"])
            .current_dir(site.folder())
            .output()
            .unwrap();
        let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
        report["sites"][0]["work"]["causes"].clone()
    };
    assert_eq!((build(), build()), (json!({ "new": 6 }), json!({})));
    fs::File::options()
        .append(true)
        .open(&program)
        .unwrap()
        .set_modified(SystemTime::UNIX_EPOCH)
        .unwrap();
    assert_eq!((build(), build()), (json!({ "version": 6 }), json!({})));
}

/// What follows every build follows these, too.
#[test]
fn old_deployments_go_also_where_nothing_changed() {
    let site = site();
    build(site.folder(), &[]);
    for (from, to) in [("Fresh", "Warm"), ("Warm", "Dark"), ("Dark", "Light")] {
        site.edit("source/index.html", from, to);
        build(site.folder(), &[]);
    }
    build(site.folder(), &[]);
    let kept = || {
        fs::read_dir(site.path("dist/site/_deployments"))
            .unwrap()
            .count()
    };
    let before = kept();
    site.edit(
        "latimer.toml",
        "[engine.marking]",
        "[store]\nkeep_deployments = 1\n[engine.marking]",
    );
    assert!(!both(&site, "how many are kept is not what a build reads"));
    assert!(kept() < before, "{} of {before}", kept());
}

#[test]
fn what_is_left_open_is_tried_again() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = [\"broken\"]\n[engine.broken]\nkind = \"command\"\nprogram = \"false\"\n",
        &[(
            "index.html",
            "<html lang=en><title>Home</title><p>Fresh bread</p>",
        )],
    );
    for _ in 0..2 {
        let ran = site.run(&["build", "--json"]);
        assert!(
            ran.stderr.contains("read 1/"),
            "a build with open texts asks again: {}",
            ran.stderr
        );
    }
}
