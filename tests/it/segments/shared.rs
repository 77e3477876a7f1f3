//! Edits in the object store: they outlive a state, and other builders publish them.

use std::fs;

use serde_json::json;

use super::{Texts, site};
use crate::support::Site;

/// Files of edits in Spanish.
fn files(site: &Site) -> Vec<String> {
    let folder = site.path("dist/site/_deployments/edits/es");
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// A site whose texts people edited; the state is another one now.
fn edited_elsewhere() -> (Site, String) {
    let site = site();
    site.build(&[], 6);
    let texts = Texts::of(&site);
    let oven = texts.id("oven");
    for words in ["Uno", "Dos"] {
        let answer = texts.put(&oven, &json!({ "translation": words }));
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    texts.post(
        "actions",
        &json!({ "action": "approve", "filter": { "state": "draft,outdated" } }),
    );
    // A server that ends writes what it has.
    texts.server.stop();
    assert_eq!(files(&site).len(), 1);
    fs::remove_file(site.path(".latimer/state.redb")).unwrap();
    (site, oven)
}

#[test]
fn edits_outlive_a_state_with_their_history() {
    let (site, oven) = edited_elsewhere();
    let texts = Texts::of(&site);
    let text = texts.get(&format!("locales/es/segments/{oven}"));
    assert_eq!(text["translation"], "Dos");
    let history = text["history"].as_array().unwrap();
    let words: Vec<_> = history.iter().map(|edit| &edit["translation"]).collect();
    assert_eq!(words, [&json!("Dos"), &json!("Uno")]);
    assert_eq!(texts.sources("state=approved").len(), 3);
    // The batch can still be undone, by the number that it has now.
    let home = texts.id("home");
    let home = texts.get(&format!("locales/es/segments/{home}"));
    let batch = &home["history"][0]["batchId"];
    let undone = texts.post("undo", &json!({ "batchId": batch }));
    assert_eq!(undone["changed"], 2, "{undone:#}");
    assert_eq!(texts.sources("state=approved"), ["Oven"]);
}

#[test]
fn another_builder_publishes_the_words() {
    let (site, _) = edited_elsewhere();
    let report = site.build(&[], 6);
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("people wrote for 3 texts elsewhere"),
        "{notices}"
    );
    assert!(site.read("dist/site/es/docs/one.html").contains("Dos"));
    // The next build has nothing to take, and so nothing to do.
    let report = site.build(&[], 6);
    assert_eq!(files(&site).len(), 1);
    assert!(
        !report["notices"].to_string().contains("elsewhere"),
        "{report:#}"
    );
}

#[test]
fn rebuild_takes_edits_and_damaged_files_are_said() {
    let (site, _) = edited_elsewhere();
    let ran = site.run(&["state", "rebuild"]);
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(said.contains("es: people's words for 3 texts"), "{said}");
    fs::remove_file(site.path(".latimer/state.redb")).unwrap();
    let file = format!("dist/site/_deployments/edits/es/{}", files(&site)[0]);
    fs::write(site.path(&file), "not what it was").unwrap();
    let report = site.build(&[], 6);
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("cannot be read and are skipped"),
        "{notices}"
    );
}

#[test]
fn builders_with_edits_of_their_own_agree() {
    let site = site();
    site.build(&[], 6);
    let state = site.path(".latimer/state.redb");
    let other = site.path("other.redb");
    fs::copy(&state, &other).unwrap();
    let swap = || {
        let aside = site.path("aside.redb");
        fs::rename(&state, &aside).unwrap();
        fs::rename(&other, &state).unwrap();
        fs::rename(&aside, &other).unwrap();
    };
    let mut oven = String::new();
    // Each of two servers, which share the store, edits in turn.
    for words in ["Uno", "Dos", "Tres", "Cuatro"] {
        let texts = Texts::of(&site);
        oven = texts.id("oven");
        let answer = texts.put(&oven, &json!({ "translation": words }));
        assert_eq!(answer.status, 200, "{}", answer.body);
        texts.server.stop();
        swap();
    }
    for _ in 0..2 {
        let texts = Texts::of(&site);
        let text = texts.get(&format!("locales/es/segments/{oven}"));
        let history = text["history"].as_array().unwrap().iter();
        let words: Vec<_> = history
            .map(|edit| edit["translation"].as_str().unwrap())
            .collect();
        assert_eq!(words, ["Cuatro", "Tres", "Dos", "Uno"]);
        texts.server.stop();
        swap();
    }
    // A folder of edits that somebody deletes comes back.
    fs::remove_dir_all(site.path("dist/site/_deployments/edits")).unwrap();
    site.build(&[], 6);
    assert_eq!(files(&site).len(), 1);
    let page = || site.read("dist/site/es/docs/one.html");
    assert!(page().contains("Cuatro"), "{}", page());
    fs::remove_file(&state).unwrap();
    site.build(&[], 6);
    assert!(page().contains("Cuatro"), "{}", page());
}
