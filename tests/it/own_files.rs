//! Slips of the owner: a source that holds keys, the configuration or the store, in every spelling of a path. Such a
//! configuration is refused, or the build publishes the site and nothing else, the same in each build.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::support::{Site, assert_same, files, latimer};

/// Content of every file that must not be published.
const CANARY: &str = "canary-7c1f-0123456789abcdef0123456789abcdef";

/// Fate of a configuration.
#[derive(Clone, Copy)]
enum Fate {
    /// The message names this, and nothing is written.
    Refused(&'static str),
    /// So many pages are published in each language.
    Pages(u64),
}
use Fate::{Pages, Refused};

struct Slip {
    /// The configuration's keys; `{root}` stands for the project's real path and `{name}` for its last part.
    source: &'static str,
    store: &'static str,
    /// The file as `-c` names it, and the folder in which the program runs.
    run: (&'static str, &'static str),
    fate: Fate,
}

const IN_SOURCE: Fate = Refused("lies in this source folder");
const IN_STORE: Fate = Refused("lies in the store");

const fn slip(source: &'static str, store: &'static str, fate: Fate) -> Slip {
    Slip {
        source,
        store,
        run: ("latimer.toml", "."),
        fate,
    }
}

const fn run(file: &'static str, folder: &'static str, source: &'static str, fate: Fate) -> Slip {
    Slip {
        source,
        store: "",
        run: (file, folder),
        fate,
    }
}

const SLIPS: [Slip; 58] = [
    // The default store, with the source in the configuration's own folder.
    slip(".", "", IN_SOURCE),
    slip("./", "", IN_SOURCE),
    slip("././/", "", IN_SOURCE),
    slip("site/..", "", IN_SOURCE),
    slip("../{name}", "", IN_SOURCE),
    slip("{root}", "", IN_SOURCE),
    slip("{root}/site/../.", "", IN_SOURCE),
    slip("link-to-root", "", IN_SOURCE),
    slip("..", "", IN_SOURCE),
    run("./latimer.toml", ".", ".", IN_SOURCE),
    run("{root}/latimer.toml", ".", ".", IN_SOURCE),
    run("{name}/latimer.toml", "..", ".", IN_SOURCE),
    run("site/../latimer.toml", ".", ".", IN_SOURCE),
    run("../latimer.toml", "site", ".", IN_SOURCE),
    run("link-to-root/latimer.toml", ".", ".", IN_SOURCE),
    // A source beside the store.
    slip("site", "", Pages(2)),
    slip("./site", "", Pages(2)),
    slip("site/", "", Pages(2)),
    slip("site/.", "", Pages(2)),
    slip("./po/../site//", "", Pages(2)),
    slip("{root}/site", "", Pages(2)),
    slip("link-to-site", "", Pages(2)),
    slip("link-to-po/../site", "", Pages(2)),
    run("{root}/latimer.toml", "/", "site", Pages(2)),
    run("../latimer.toml", "site", "./site", Pages(2)),
    // A store in the source, and the other way round.
    slip("site", "objects = \"site/dist\"", IN_SOURCE),
    slip("./site", "objects = \"site/dist\"", IN_SOURCE),
    slip("site", "objects = \"./site/x/../dist/\"", IN_SOURCE),
    slip("site", "objects = \"{root}/site/dist\"", IN_SOURCE),
    slip("site", "objects = \"link-to-site/dist\"", IN_SOURCE),
    slip("link-to-site", "objects = \"site/dist\"", IN_SOURCE),
    slip("site", "objects = \"site/.well-known/dist\"", IN_SOURCE),
    slip("site", "objects = \"site/.out/../out\"", IN_SOURCE),
    slip("site", "objects = \"site\"", IN_STORE),
    slip("site", "objects = \"./site/.\"", IN_STORE),
    slip("site", "objects = \".\"", IN_STORE),
    slip("./site", "objects = \"po/..\"", IN_STORE),
    slip("site", "objects = \"..\"", IN_STORE),
    slip(
        "site/about",
        "objects = \"site\"\nstate = \"site/about/x.redb\"",
        IN_STORE,
    ),
    slip(
        "site",
        "objects = \"site/about/dist\"\nstate = \"out/x.redb\"",
        IN_SOURCE,
    ),
    slip("site", "objects = \"site/.dist\"", Pages(2)),
    slip("site", "objects = \"Site/dist\"", Pages(2)),
    slip("site", "objects = \"site2\"", Pages(2)),
    slip("site", "objects = \"link-to-out\"", Pages(2)),
    slip("site", "objects = \"not-there/../site-out\"", Pages(2)),
    // The state.
    slip("site", "state = \"site/state.redb\"", IN_SOURCE),
    slip(
        "site",
        "state = \"link-to-site/x/../state.redb\"",
        IN_SOURCE,
    ),
    slip("./site", "state = \"./po/../site/x/state.redb\"", IN_SOURCE),
    slip("site", "state = \"site/.latimer/state.redb\"", Pages(2)),
    // The whole project is the source, with its keys, words and templates, and the store out of the way.
    slip(".", "objects = \".latimer/dist\"", Pages(6)),
    slip("{root}/./", "objects = \".latimer/../.out/x\"", Pages(6)),
    slip("link-to-root", "objects = \"../{name}-out\"", Pages(6)),
    slip("../{name}", "objects = \"link-to-hidden/dist\"", Pages(6)),
    // `~` is no home here.
    slip("~/site", "", Refused("`~` stands for no home here")),
    slip("~", "", Refused("`~` stands for no home here")),
    slip(
        "site",
        "objects = \"~/dist\"",
        Refused("`~` stands for no home here"),
    ),
    slip(
        "site",
        "state = \"~/state.redb\"",
        Refused("`~` stands for no home here"),
    ),
    slip("./~/site", "", Pages(2)),
];

const REST: &str = r#"
source_locale = "en"
locales = ["es"]
engine = ["own"]
min_translated = 0
translations = "po/{lang}.po"
glossary = "po/terms.csv"
[site.crawl]
headers_file = "site/headers"
[site.html]
templates = "templates"
[engine.own]
kind = "command"
program = "./engines/own.sh"
args = ["engines/words.txt"]
[engine.deepl]
kind = "deepl"
key_file = "deepl-account"
[api]
jwt = { algorithm = "HS256", secret_file = "jwt" }
preview_tokens_file = "site/about/tokens"
"#;

/// A project whose secrets lie beside its pages, and among them.
fn project(folder: &Path) {
    let page = "<!doctype html><title>Home</title><p>Bread and butter";
    for place in ["site", "~/site"] {
        fs::create_dir_all(folder.join(place).join("about")).unwrap();
        fs::write(folder.join(place).join("index.html"), page).unwrap();
        fs::write(folder.join(place).join("about/index.html"), page).unwrap();
    }
    for place in ["po", "templates/switcher", "engines", "out", ".latimer"] {
        fs::create_dir_all(folder.join(place)).unwrap();
    }
    let engine = "#!/bin/sh\n# canary-7c1f-0123456789abcdef0123456789abcdef\nexec sed -u 's/\"text\":\"/\"text\":\"x/'\n";
    fs::write(folder.join("engines/own.sh"), engine).unwrap();
    fs::set_permissions(
        folder.join("engines/own.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    // Files that the configuration names, and usual secrets.
    for name in [
        "jwt",
        "deepl-account",
        "site/headers",
        "site/about/tokens",
        "engines/words.txt",
        "id_rsa",
        "site/dump.sql",
        "site/.env",
        "site/wp-config.php.bak",
        "site/about/server.key",
        "po/de.po",
    ] {
        fs::write(folder.join(name), format!("X-Canary: {CANARY}\n")).unwrap();
    }
    let template = format!("{{# {CANARY} #}}<!doctype html><title>Not found</title>");
    fs::write(folder.join("templates/not-found.html"), template).unwrap();
    fs::write(
        folder.join("site/notes.txt"),
        format!("-----BEGIN PRIVATE KEY-----\n{CANARY}\n"),
    )
    .unwrap();
    fs::write(
        folder.join("po/terms.csv"),
        format!("source,es\n{CANARY},x\n"),
    )
    .unwrap();
    fs::write(
        folder.join("po/es.po"),
        format!("# {CANARY}\nmsgid \"\"\nmsgstr \"\"\n"),
    )
    .unwrap();
    for (target, name) in [
        (".", "link-to-root"),
        ("site", "link-to-site"),
        ("po", "link-to-po"),
        ("out", "link-to-out"),
        (".latimer", "link-to-hidden"),
        ("jwt", "innocent.txt"),
        (".latimer", "mirror"),
    ] {
        symlink(target, folder.join(name)).unwrap();
    }
}

fn check(
    Slip {
        source,
        store,
        run: (file, from),
        fate,
    }: &Slip,
) {
    let around = TempDir::new().unwrap();
    let root = around.path().canonicalize().unwrap().join("project");
    project(&root);
    let place = |text: &str| {
        text.replace("{root}", root.to_str().unwrap())
            .replace("{name}", "project")
    };
    let head = format!(
        "# {CANARY}\n[[site]]\nid = \"site\"\nsource = \"{}\"",
        place(source)
    );
    fs::write(
        root.join("latimer.toml"),
        format!("{head}{REST}[store]\n{}\n", place(store)),
    )
    .unwrap();
    let before = files(around.path());
    let build = || {
        latimer(
            &root.join(from),
            &["build", "--json", "--quiet", "-c", &place(file)],
            b"",
        )
    };
    let named = format!("source = {source:?} {store} -c {file:?} in {from:?}");
    match fate {
        Refused(message) => {
            let ran = build();
            assert_eq!(ran.code, 2, "{named}: {}", ran.stderr);
            assert!(ran.stderr.contains(message), "{named}: {}", ran.stderr);
            assert_same(&files(around.path()), &before);
        }
        Pages(pages) => {
            let mut published = None;
            for round in 1..=3 {
                let ran = build();
                let said = String::from_utf8_lossy(&ran.stdout);
                assert_eq!(ran.code, 0, "{named}, build {round}: {} {said}", ran.stderr);
                assert_eq!(
                    ran.json()["sites"][0]["pages"],
                    *pages,
                    "{named}, build {round}"
                );
                let mut now = files(around.path());
                now.retain(|name, _| !before.contains_key(name) && !name.contains("state.redb"));
                let leak = now
                    .iter()
                    .find(|(_, bytes)| String::from_utf8_lossy(bytes).contains(CANARY));
                assert!(
                    leak.is_none(),
                    "{named}, build {round}: {:?}",
                    leak.map(|(name, _)| name)
                );
                if let Some(before) = &published {
                    assert_same(&now, before);
                }
                published = Some(now);
            }
        }
    }
}

#[test]
fn no_spelling_of_a_path_publishes_secrets_or_the_build_itself() {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(slip) = SLIPS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(slip);
                }
            });
        }
    });
}

#[test]
fn files_that_are_left_out_are_named_and_published_where_include_names_them() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"pseudo\"\nglossary = \"source/terms.csv\"\n",
        &[],
    );
    site.write(
        "source/index.html",
        "<!doctype html><title>Home</title><p>Bread",
    );
    site.write("source/terms.csv", "source,es\n");
    for name in ["dump.sql", "data/dump.sql", "talk.key", ".env"] {
        site.write(&format!("source/{name}"), "0123");
    }
    let notices = |site: &Site| {
        let report = site.build(&[], 0);
        let notices: Vec<String> = serde_json::from_value(report["notices"].clone()).unwrap();
        notices
            .into_iter()
            .filter(|notice| notice.starts_with("files of the source"))
            .collect::<Vec<_>>()
    };
    let said = notices(&site);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("the configuration names them: /terms.csv (glossary);"),
        "{}",
        said[0]
    );
    assert!(
        said[1].contains("secrets: /.env, /data/dump.sql, /dump.sql, /talk.key;"),
        "{}",
        said[1]
    );
    // A build in which nothing changed says it as well.
    assert_eq!(notices(&site), said);
    // `include` publishes the files that it names, at every depth of the pattern. An excluded file needs no notice.
    let keys = "locales = [\"es\"]\nengine = \"pseudo\"\nglossary = \"source/terms.csv\"\n\
                include = [\"/**\", \"/dump.sql\", \"*.key\"]\nexclude = [\".env\", \"/terms.csv\"]\n";
    site.configure(keys);
    let said = notices(&site);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("secrets: /data/dump.sql;"), "{}", said[0]);
    for (name, expected) in [
        ("dump.sql", true),
        ("talk.key", true),
        ("data/dump.sql", false),
        ("terms.csv", false),
    ] {
        assert_eq!(
            site.path("dist/site").join(name).exists(),
            expected,
            "{name}"
        );
    }
    // A presentation of Keynote is no key, and a file that is not named any more goes.
    site.configure("locales = [\"es\"]\nengine = \"pseudo\"\n");
    site.write("source/slides.key", "PK\u{3}\u{4} and so on");
    notices(&site);
    for (name, expected) in [
        ("dump.sql", false),
        ("talk.key", false),
        ("slides.key", true),
        ("terms.csv", true),
    ] {
        assert_eq!(
            site.path("dist/site").join(name).exists(),
            expected,
            "{name}"
        );
    }
}
