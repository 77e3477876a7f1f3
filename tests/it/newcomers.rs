//! First hours: commands of the documentation, run as written in an empty folder, to the end that a newcomer wants.
//!
//! Servers listen at ports that are free instead of 8080 and 8000; nothing else is changed. The shop owner's commands, which need
//! a neural model, are in `models_registry`, clients of the API in `clients`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{api, copy, files, repository};

/// A page of the repository's documentation.
fn document(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap()
}

/// Runs commands of the documentation, and returns all output.
#[track_caller]
fn follow(folder: &Path, script: &str, address: &str) -> String {
    let output = api::shell(folder, script, address);
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{script}\n{said}");
    said
}

/// Copies the pages of the bakery, as a generator would write them.
fn generated(folder: &Path) {
    copy(
        &repository().join("fixtures/sites/bakery/source"),
        folder,
        &|_| true,
    );
}

#[test]
fn documentation_developer_builds_and_serves_every_page_after_the_five_minutes_of_the_readme() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    generated(&folder.join("my-site/public"));
    let readme = document("README.md");
    follow(
        folder,
        &api::commands_after(&readme, "**1. Point Latimer at a site**"),
        "",
    );
    let config = folder.join("latimer.toml");
    // The machine's own engines would make the result depend on it.
    let text = fs::read_to_string(&config).unwrap();
    let locales = text
        .lines()
        .find(|line| line.starts_with("locales = "))
        .unwrap();
    let alone = text.replacen(locales, "locales = [\"es\", \"ar\"]\nengine = \"fx\"", 1);
    fs::write(&config, &alone).unwrap();
    let said = follow(folder, &api::commands_after(&readme, "**2. Build.**"), "");
    assert!(
        said.contains("next: `latimer serve` shows the pages"),
        "{said}"
    );
    assert!(
        said.contains("published in its source language alone"),
        "{said}"
    );
    let address = api::free_address();
    let serve = api::commands_after(&readme, "**4. Look at it.**");
    let script = format!(
        "trap 'kill $(jobs -p)' EXIT\n{} &\nuntil curl -fsS http://127.0.0.1:8080/ -o home.html; do sleep 0.1; done",
        serve.replace(" --open", "")
    );
    follow(folder, &script, &address);
    assert!(
        fs::read_to_string(folder.join("home.html"))
            .unwrap()
            .contains("lang=\"en\"")
    );
    fs::write(
        &config,
        alone.replacen("[\"es\", \"ar\"]", "[\"es\", \"ar\", \"en-XA\"]", 1),
    )
    .unwrap();
    follow(folder, "latimer build", "");
    let pages = files(folder)
        .into_keys()
        .filter(|name| name.contains("/en-XA/") && name.ends_with(".html"))
        .count();
    assert!(pages >= 14, "{pages}");
}

#[test]
fn first_minute_is_as_the_documentation_shows_it_up_to_the_browser() {
    let folder = TempDir::new().unwrap();
    // The id of a site is the name of its folder.
    let folder = folder.path().join("site");
    let browser = folder.join("bin/xdg-open");
    fs::create_dir_all(browser.parent().unwrap()).unwrap();
    fs::write(&browser, "#!/bin/sh\necho \"$1\" > opened\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let document = document("docs/start.md");
    let transcript = document
        .split_once("```console\n")
        .unwrap()
        .1
        .split_once("\n```")
        .unwrap()
        .0;
    let (transcript, served) = transcript.split_once("\n$ latimer serve --open\n").unwrap();
    let mut expected = Vec::new();
    let mut script = String::new();
    for line in transcript.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => script += &format!("{command} 2>&1\n"),
            None => expected.push(line),
        }
    }
    let script = script.replace(
        "~/latimer",
        &repository().display().to_string().replace(' ', "\\ "),
    );
    assert_eq!(
        follow(&folder, &script, "").lines().collect::<Vec<_>>(),
        expected
    );
    let address = api::free_address();
    let script = "export PATH=$PWD/bin:$PATH\ntrap 'kill $(jobs -p)' EXIT\nlatimer serve --open > said 2>&1 &\n\
                  until [ -s opened ]; do sleep 0.1; done";
    follow(&folder, script, &address);
    let said = fs::read_to_string(folder.join("said")).unwrap();
    assert!(
        said.contains(&served.replace("127.0.0.1:8080", &address)),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(folder.join("opened")).unwrap().trim(),
        format!("http://{address}/")
    );
    // A machine without a browser serves all the same.
    let script = "trap 'kill $(jobs -p)' EXIT\nPATH=$(dirname $(command -v latimer)) latimer serve --open 2> alone &\n\
                  until grep -q 'yourself' alone; do sleep 0.1; done\ncurl -fsS http://127.0.0.1:8080/ -o home.html";
    follow(&folder, script, &api::free_address());
}

/// Follows the translator's page with one translation, "Carta" for "Menu", and builds.
fn translated(folder: &Path) {
    generated(&folder.join("public"));
    follow(folder, "latimer init public --locale es", "");
    let config = folder.join("latimer.toml");
    let text = fs::read_to_string(&config).unwrap();
    let line = "translations = \"translations/{lang}.po\"";
    assert!(
        document("docs/translators.md").contains(line) && text.contains(line),
        "{text}"
    );
    let (before, after) = text.split_once("locales = ").unwrap();
    fs::write(
        &config,
        format!("{before}engine = \"fx\"\nmin_translated = 0.0\nlocales = {after}"),
    )
    .unwrap();
    follow(
        folder,
        &api::commands_after(&document("docs/translators.md"), "translations ="),
        "",
    );
    let po = folder.join("translations/es.po");
    let text = fs::read_to_string(&po).unwrap();
    let entry = "msgid \"Menu\"\nmsgstr \"\"";
    assert!(text.contains(entry), "{text}");
    fs::write(
        &po,
        text.replacen(entry, "msgid \"Menu\"\nmsgstr \"Carta\"", 1),
    )
    .unwrap();
    follow(folder, "latimer build", "");
}

#[test]
fn translator_finds_her_words_on_the_pages_after_the_commands_of_her_page() {
    let folder = TempDir::new().unwrap();
    translated(folder.path());
    let mut with_words = 0;
    for (name, page) in files(folder.path()) {
        let is_page = name.contains("/es/") && name.ends_with("index.html");
        with_words += usize::from(is_page && String::from_utf8_lossy(&page).contains(">Carta<"));
    }
    assert!(with_words >= 10, "{with_words}");
}

mod needs_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn translator_sees_her_words_in_a_browser() {
        let folder = TempDir::new().unwrap();
        translated(folder.path());
        let script = "trap 'kill $(jobs -p)' EXIT\nlatimer serve 2> said &\n\
                      until curl -fsS http://127.0.0.1:8080/ -o home.html; do sleep 0.1; done\n\
                      chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \\\n\
                      --disable-background-networking --disable-component-update --disable-sync \\\n\
                      --user-data-dir=\"$PWD/profile\" --dump-dom http://127.0.0.1:8080/es/ > shown.html";
        follow(folder.path(), script, &api::free_address());
        let shown = fs::read_to_string(folder.path().join("shown.html")).unwrap();
        assert!(
            shown.contains("lang=\"es\"") && shown.contains(">Carta<"),
            "{shown}"
        );
    }
}

#[test]
fn dashboard_developer_has_a_server_a_page_and_a_token_after_the_commands_of_the_page() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for name in ["fixtures/sites/bakery", "fixtures/dashboard"] {
        copy(&repository().join(name), &folder.join(name), &|name| {
            !matches!(name, "dist" | ".latimer")
        });
    }
    let document = document("docs/dashboard.md");
    let (_, tables) = document.split_once("```toml\n").unwrap();
    let (tables, _) = tables.split_once("```").unwrap();
    let server = api::free_address();
    let page = api::free_address();
    follow(folder, &api::commands_after(&document, "## Try it"), "");
    let config = folder.join("fixtures/sites/bakery/latimer.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(
        &config,
        format!("{text}\n{}", tables.replace("127.0.0.1:8000", &page)),
    )
    .unwrap();
    let port = page.rsplit_once(':').unwrap().1;
    let commands = api::commands_after(&document, "Then serve both")
        .replace("http.server 8000", &format!("http.server {port}"));
    // The token is what the last command prints.
    let script = format!(
        "trap 'kill $(jobs -p)' EXIT\n{commands} > token\n\
         until curl -fsS http://127.0.0.1:8080/_health/ready; do sleep 0.1; done\n\
         until curl -fsS http://{page}/ -o page.html; do sleep 0.1; done\n\
         curl -fsS -D headers -H \"Origin: http://{page}\" -H \"Authorization: Bearer $(cat token)\" \
         http://127.0.0.1:8080/api/sites -o sites.json\n"
    );
    follow(folder, &script, &server);
    assert!(
        fs::read_to_string(folder.join("page.html"))
            .unwrap()
            .contains("dashboard.js")
    );
    assert!(
        fs::read_to_string(folder.join("sites.json"))
            .unwrap()
            .contains("\"siteId\":\"bakery\"")
    );
    let headers = fs::read_to_string(folder.join("headers"))
        .unwrap()
        .to_lowercase();
    assert!(
        headers.contains(&format!("access-control-allow-origin: http://{page}")),
        "{headers}"
    );
}
