//! Wrong inputs, one row each: the message says what is wrong, where and why, and what to do, and nothing is written.

use std::fs;

use tempfile::TempDir;

use crate::support::{assert_same, files, latimer};

/// Keys of a site that builds without a network.
const SITE: &str = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"es\"]\nengine = \"pseudo\"\n";

/// Files beside the pages, which some rows name.
const FILES: [(&str, &str); 7] = [
    (
        "source/index.html",
        "<!doctype html><html lang=en><title>Bread</title><p>Fresh bread every day</p></html>",
    ),
    ("empty/.keep", ""),
    ("site.zip", "PK"),
    ("broken.redb", "no state"),
    ("broken.csv", "a,b\n\"c"),
    ("broken.es.po", "msgid \"a\"\nmsgstr \"b\n"),
    (
        "key",
        "0000000000000000000000000000000000000000000000000000000000000000",
    ),
];

/// Arguments without a configuration file, the exit code, and parts of the message.
type Command = (&'static str, i32, &'static [&'static str]);

/// Lines that are added to the configuration, or `=` and a line that replaces one with the same key; and the line and
/// column with parts of the message.
type Line = (&'static str, &'static [&'static str]);

const WITHOUT_CONFIGURATION: [Command; 22] = [
    (
        "build",
        2,
        &["there is no latimer.toml", "-c", "latimer init"],
    ),
    (
        "build -c source",
        2,
        &["there is no source/latimer.toml", "-c"],
    ),
    ("build -c site.zip", 2, &["site.zip:1:", "this is not TOML"]),
    ("biuld", 2, &["'biuld'", "'build'"]),
    ("init", 2, &["<URL|DIR>", "--help"]),
    (
        "init nowhere",
        2,
        &[
            "there is no folder nowhere",
            "a folder with HTML files, or the address of a site",
        ],
    ),
    (
        "init www.example.com",
        2,
        &["latimer init https://www.example.com"],
    ),
    (
        "init source/index.html",
        2,
        &["is a file", "latimer init source"],
    ),
    ("init site.zip", 2, &["is an archive", "unpack it"]),
    (
        "init empty",
        1,
        &["there is no HTML file in it", "build the site first"],
    ),
    (
        "init C:\\site",
        2,
        &["Windows paths are not supported", "/mnt/c/site"],
    ),
    (
        "init source --locale en",
        2,
        &["en is the language of the source", "leave it out"],
    ),
    (
        "init source --locale jp",
        2,
        &["\"jp\" is a country", "Japanese is ja"],
    ),
    ("init source --host heroku", 2, &["'heroku'", "netlify"]),
    (
        "init https://ana:pw@example.com/",
        2,
        &["a user or a password", "headers_file"],
    ),
    (
        "render --engine pseudo source out",
        2,
        &["--from <LOCALE>", "--to <LOCALE>"],
    ),
    (
        "render --engine pseudo --from en --to es none.html out.html",
        1,
        &["none.html", "No such file"],
    ),
    (
        "render --engine google --from en --to es source out",
        2,
        &["`google` needs a table in latimer.toml"],
    ),
    (
        "audit nowhere",
        2,
        &[
            "there is no folder nowhere",
            "the folder of a published site, or its address",
        ],
    ),
    ("models add en", 2, &["<TO>"]),
    (
        "completions cmd",
        2,
        &["'cmd'", "bash, elvish, fish, powershell, zsh"],
    ),
    ("man site.zip", 2, &["site.zip is a file", "give a folder"]),
];

const WITH_CONFIGURATION: [Command; 33] = [
    (
        "build shop",
        2,
        &["there is no site shop", "the configuration has site"],
    ),
    (
        "build --locale de",
        2,
        &["no site here has the locale de", "add it to `locales`"],
    ),
    (
        "build --locale spanish",
        2,
        &["\"spanish\" is not a language tag", "such as es, pt-BR"],
    ),
    (
        "build --jobs 0",
        2,
        &["'0'", "write a number of pages, 1 or more"],
    ),
    (
        "build --max-chars 10k",
        2,
        &["'10k'", "in digits, such as 10000"],
    ),
    ("build --langauge es", 2, &["'--langauge'", "--help"]),
    (
        "build --accept-source x",
        2,
        &["'x'", "write the id of a run"],
    ),
    (
        "build --server ftp://x",
        2,
        &["--server", "not an http:// or https:// address"],
    ),
    (
        "build --server http://127.0.0.1:9",
        2,
        &["LATIMER_TOKEN", "latimer token mint"],
    ),
    (
        "init source",
        1,
        &["latimer.toml exists already and was not changed", "-c"],
    ),
    (
        "export --locale es",
        2,
        &["site has no `translations`", "set it, or name a file"],
    ),
    (
        "export --locale de",
        2,
        &["site has no locale de", "add it to `locales`"],
    ),
    (
        "export --locale es es.po",
        1,
        &["the site is not built yet", "run `latimer build` first"],
    ),
    ("explain /", 1, &["site is not built yet", "latimer build"]),
    (
        "terms suggest",
        1,
        &["the site is not built yet", "latimer build"],
    ),
    (
        "publish live",
        2,
        &["no table [publish.NAME]", "latimer init --host NAME"],
    ),
    (
        "publish --to ftp://x/y",
        2,
        &["--to ftp://x/y", "s3://BUCKET/PREFIX"],
    ),
    ("models remove en de", 1, &["there is no model for en-de"]),
    (
        "token mint --sub a --scope sites:read",
        2,
        &["no `jwt` in [api]", "secret_file"],
    ),
    (
        "token mint --sub a --scope sites:read --ttl 5parsecs",
        2,
        &["parsecs", "hours, days"],
    ),
    (
        "locale site de on",
        2,
        &["name one of the sites and its locales", "site (es)"],
    ),
    ("locale site es maybe", 2, &["'maybe'", "on, off"]),
    (
        "webhooks add example.com",
        2,
        &["<URL>", "not an http:// or https:// address"],
    ),
    (
        "memory forget",
        2,
        &["say what to forget", "--path, --engine or --locale"],
    ),
    (
        "eval --locale es",
        1,
        &["the site has no `translations`", "set translations ="],
    ),
    (
        "engine test deepl --locale es",
        2,
        &["`deepl` needs a table in latimer.toml"],
    ),
    (
        "mail test a@example.com",
        2,
        &["no [mail]", "docs/configuration.md"],
    ),
    ("preview https://example.com/", 2, &["--locale <LOCALE>"]),
    (
        "preview example --locale es",
        1,
        &[
            "no preview of example",
            "not an http:// or https:// address",
        ],
    ),
    ("serve --listen 8080", 2, &["write 127.0.0.1:8080"]),
    (
        "serve --listen localhost:8080",
        2,
        &["write 127.0.0.1:8080"],
    ),
    ("serve --listen 0.0.0.0", 2, &["add a port: 0.0.0.0:8080"]),
    (
        "reports take x",
        2,
        &["not in the list", "latimer reports list"],
    ),
];

const IN_THE_CONFIGURATION: [Line; 21] = [
    (
        "exlude = [\"/a\"]",
        &["latimer.toml:7:1: ", "unknown key `exlude`", "`exclude`"],
    ),
    (
        "url = https://x",
        &["latimer.toml:7:7: ", "not TOML", "quoted"],
    ),
    (
        "url = \"https://www.example.com/\"",
        &[
            "latimer.toml:7:7: ",
            "{lang} exactly once",
            "https://{lang}.example.com",
        ],
    ),
    (
        "=locales = [\"en\"]",
        &[
            "latimer.toml:5:12: ",
            "en is the source language",
            "remove it",
        ],
    ),
    (
        "=locales = [\"es_mx_x\"]",
        &["latimer.toml:5:12: ", "es_mx_x"],
    ),
    (
        "=engine = \"gogle\"",
        &["latimer.toml:6:10: ", "no engine `gogle`", "the nearest is"],
    ),
    (
        "=source = \"nowhere\"",
        &[
            "cannot read the folder nowhere",
            "there is none",
            "check the path",
        ],
    ),
    (
        "=source = \"source/index.html\"",
        &["source/index.html", "it is a file", "name the folder"],
    ),
    (
        "=source = \"empty\"",
        &[
            "found nothing to take",
            "check include, exclude and robots.txt",
        ],
    ),
    (
        "=source = \"www.example.com\"",
        &[
            "cannot read the folder www.example.com",
            "source = \"https://www.example.com\"",
        ],
    ),
    (
        "=source = \".\"",
        &[
            "lies in this source folder",
            "move the pages to a folder of their own",
        ],
    ),
    (
        "translations = \"es.po\"",
        &["latimer.toml:7:16: ", "a path with {lang} in it"],
    ),
    (
        "translations = \"broken.{lang}.po\"",
        &["broken.es.po:2: ", "closing quote is missing", "add \""],
    ),
    (
        "glossary = \"broken.csv\"",
        &["broken.csv:1: ", "no column \"a\"", "columns are `term`"],
    ),
    (
        "min_translated = 80",
        &["latimer.toml:7:18: ", "a number from 0 to 1"],
    ),
    (
        "crawl.max_pages = 0",
        &["latimer.toml:7:19: ", "from 1 to 10000000"],
    ),
    (
        "crawl.every = \"sometimes\"",
        &["latimer.toml:7:15: ", "such as \"30min\""],
    ),
    (
        "html.skip = [\"div[\"]",
        &["latimer.toml:7:14: ", "\"div[\" is no CSS selector"],
    ),
    (
        "html.switcher.placement = \"header\"",
        &["latimer.toml:7:27: ", "\"body-end\"", "\"#languages\""],
    ),
    (
        "[store]\nobjects = \"s3//bucket\"",
        &["latimer.toml:8:11: ", "no address of a bucket", "s3://"],
    ),
    (
        "[store]\nstate = \"broken.redb\"",
        &["the state broken.redb is damaged", "latimer state rebuild"],
    ),
];

/// Runs a command in a folder with the files, which must be the same afterwards.
#[track_caller]
fn refused(configuration: Option<&str>, arguments: &str, code: Option<i32>, said: &[&str]) {
    let folder = TempDir::new().unwrap();
    for (name, text) in FILES {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    if let Some(text) = configuration {
        fs::write(folder.path().join("latimer.toml"), text).unwrap();
    }
    let before = files(folder.path());
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let ran = latimer(folder.path(), &arguments, b"");
    assert!(
        code.map_or(matches!(ran.code, 1 | 2), |code| ran.code == code),
        "{arguments:?}: {} {}",
        ran.code,
        ran.stderr
    );
    for part in said {
        assert!(
            ran.stderr.contains(part),
            "{arguments:?} {configuration:?}: {part:?} is not in: {}",
            ran.stderr
        );
    }
    assert!(!ran.stderr.contains("os error"), "{}", ran.stderr);
    let mut after = files(folder.path());
    // A failed build leaves a state, and the source in the store, but publishes nothing.
    after.retain(|name, _| !name.starts_with(".latimer/") && !name.starts_with("dist/site/_"));
    assert_same(&after, &before);
}

#[test]
fn commands_without_a_configuration() {
    for (arguments, code, said) in WITHOUT_CONFIGURATION {
        refused(None, arguments, Some(code), said);
    }
}

#[test]
fn commands_with_a_configuration() {
    for (arguments, code, said) in WITH_CONFIGURATION {
        refused(Some(SITE), arguments, Some(code), said);
    }
}

#[test]
fn lines_of_a_configuration() {
    for (line, said) in IN_THE_CONFIGURATION {
        let text = match line
            .strip_prefix('=')
            .and_then(|line| Some((line, line.split_once(" = ")?.0)))
        {
            Some((line, key)) => {
                let old = SITE
                    .lines()
                    .find(|old| old.split_once(" = ").is_some_and(|(known, _)| known == key))
                    .unwrap();
                SITE.replacen(old, line, 1)
            }
            None => format!("{SITE}{line}\n"),
        };
        refused(Some(&text), "build --quiet", None, said);
    }
}
