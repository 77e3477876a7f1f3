//! Changes that others make to the store, the memory and the paths of a site.

use pipeline::model::Locale;
use pipeline::run::BuildOptions;
use pipeline::store::{self, ServingSwitch};

use super::*;
use crate::incremental::{build_both_with, objects, options};

/// What others do to the store and the memory of a site, and builds that are not of all languages. Nothing stays open, so that a
/// build can be passed over.
pub(super) async fn run_others_beside() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let mut chance = Chance(1);
    let mut model = Model::default();
    model.settings.insert("engine", "[\"pseudo\"]");
    let plain = Page {
        title: "Home",
        texts: vec!["Rye bread"],
        links: Vec::new(),
        head: "",
        kind: "",
    };
    model.pages = [("index.html", plain.clone()), ("about.html", plain)].into();
    model.write(root, &mut chance);
    same(root, "the first").await;
    // No link leads to it, and it stays where it was among the others.
    fs::rename(root.join("source/about.html"), root.join("source/b.html")).unwrap();
    same(root, "another name").await;
    let id = site(root).id;
    let es = Locale::parse("es").unwrap();
    let put = |text: &str| {
        write(
            root,
            "source/c.html",
            &format!("<!doctype html><p>{text}</p>"),
        )
    };
    put("Oat bread");
    same(root, "a new page").await;
    write(
        root,
        "source/.htaccess",
        "Header set Content-Security-Policy \"script-src 'none'\"\n",
    );
    same(root, "what a server says").await;
    {
        let state = State::open(&root.join("state.redb")).unwrap();
        let mut memory = state.recall_all(&id, &es).unwrap();
        memory.retain(|(_, remembered)| remembered.source == "Oat bread");
        memory
            .iter_mut()
            .for_each(|(_, remembered)| remembered.text = "Pan de avena".to_owned());
        state.remember(&id, &es, &memory).unwrap();
    }
    same(root, "other words in the memory").await;
    for words in ["", "Pan de avena"] {
        let state = State::open(&root.join("state.redb")).unwrap();
        let mut memory = state.recall_all(&id, &es).unwrap();
        memory.retain(|(_, remembered)| remembered.source == "Oat bread");
        for (_, remembered) in &mut memory {
            remembered.refused = if words.is_empty() {
                Some("[length]".to_owned())
            } else {
                None
            };
            remembered.text = words.to_owned();
        }
        state.remember(&id, &es, &memory).unwrap();
        drop(state);
        // The block says its language as long as its text is refused (R-R3).
        same(root, "a refused text").await;
    }
    for text in ["Oat cake", "Oat bread"] {
        by_another_builder(root, || put(text)).await;
        same(root, "another builder was here").await;
    }
    by_another_builder(root, || put("Oat cake")).await;
    put("Oat bread");
    same(root, "what another builder made is taken back").await;
    store::turn_switch(
        &objects(root),
        &id,
        &es,
        ServingSwitch::Off,
        &BTreeMap::new(),
    )
    .await
    .unwrap();
    same(root, "Spanish is off").await;
    let spanish = BuildOptions {
        locales: vec![es],
        ..options(false)
    };
    build_both_with(root, &spanish, |_, _| (), "Spanish alone, all the same").await;
    same(root, "Spanish was built all the same").await;
}

/// Somebody with another state builds after a change.
async fn by_another_builder(root: &Path, change: impl FnOnce()) {
    let state = root.join("state.redb");
    let own = root.join("own.redb");
    fs::rename(&state, &own).unwrap();
    change();
    build(root, false).await.0.unwrap();
    fs::rename(&own, &state).unwrap();
}

/// Another builder has a page under another path of the same name, with the same bytes.
pub(super) async fn run_names_of_other_builders() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.replace(
        "url = \"https://www.example.com/{lang}\"",
        "slugs = \"{lang}.csv\"",
    );
    write(
        root,
        "latimer.toml",
        &(settings + "html.switcher = { placement = \"none\" }\n"),
    );
    write(root, "source/index.html", &page("Home", "<p>Bread</p>"));
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    let paths = |local: &str| write(root, "es.csv", &format!("path,slug\n/about.html,{local}\n"));
    write(root, "de.csv", "path,slug\n");
    paths("/nosotros.html");
    same(root, "the first").await;
    by_another_builder(root, || paths("/nosotros")).await;
    paths("/nosotros.html");
    same(root, "another builder was here").await;
}
