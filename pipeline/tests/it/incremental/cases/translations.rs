//! Where words come from: engines, the memory, and files of translations.

use std::sync::Arc;

use pipeline::model::Locale;
use pipeline::run::{self, BuildOptions, Stores};

use super::*;
use crate::incremental::causes::words;
use crate::incremental::{all_files, build_with, objects, options};

/// What would have an engine offer a language is no news once it is there. The text of the feed is wanted in Spanish alone, which is
/// not asked for.
pub(super) async fn run_models() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &SETTINGS.replace("[\"pseudo\"]", "\"fx\"\ntranslations = \"{lang}.po\""),
    );
    write(
        root,
        "source/index.html",
        "<!doctype html><html lang=en><p>Bread</p>",
    );
    write(
        root,
        "source/feed.xml",
        "<rss version=\"2.0\"><channel><title>Fresh news</title></channel></rss>",
    );
    write(
        root,
        "de.po",
        &words(&[("Bread", "Brot"), ("Fresh news", "Neues")]),
    );
    write(root, "es.po", &words(&[("Bread", "Pan")]));
    // What hints say has the place of the site in it, so there is no twin.
    let hints = async |rebuild| {
        let options = BuildOptions {
            locales: vec![Locale::parse("de").unwrap()],
            ..options(rebuild)
        };
        let report = build_with(root, &options, |_, _| ()).await.0.unwrap();
        report
            .locales
            .into_iter()
            .flat_map(|locale| locale.hints)
            .collect::<Vec<_>>()
    };
    hints(false).await;
    for name in [
        "model.enes.intgemm.alphas.bin",
        "vocab.enes.spm",
        "lex.50.50.enes.s2t.bin",
    ] {
        write(root, &format!("models/{name}"), "x");
    }
    assert_eq!(hints(false).await, hints(true).await);
}

/// Lines that the file of the memory lost are there again, also where somebody looked at it meanwhile.
pub(super) async fn run_lines_of_memory() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "memory = \"{lang}.jsonl\"\n"),
    );
    write(
        root,
        "source/index.html",
        &page("Home", "<p>Bread</p><p>Rolls</p>"),
    );
    same(root, "the first").await;
    let lines = || fs::read_to_string(root.join("es.jsonl")).unwrap();
    let before = lines();
    let (_, fewer) = before.split_once('\n').unwrap();
    write(root, "es.jsonl", fewer);
    {
        let state = Arc::new(State::open(&root.join("state.redb")).unwrap());
        let stores = Stores {
            objects: objects(root),
            state,
        };
        run::plan(&site(root), &stores, &options(false), &|_| ())
            .await
            .unwrap();
    }
    assert_eq!(lines(), fewer);
    same(root, "lines of the memory are lost").await;
    assert_eq!(lines(), before);
}

/// A page that is there without words gets some, by its edit or by somebody's in another language.
pub(super) async fn run_words_of_one_language() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.replace(
        "[\"pseudo\"]",
        "\"fx\"\nmissing = \"notice\"\ntranslations = \"{lang}.po\"",
    );
    let engine = "[engine.fx]\nkind = \"fx\"\nmodels = \"/nowhere\"\n";
    write(root, "latimer.toml", &(settings + engine));
    write(root, "de.po", &words(&[("Bread", "Brot")]));
    write(
        root,
        "es.po",
        &words(&[("Bread", "Pan"), ("Oats", "Avena")]),
    );
    for name in ["index", "a", "b"] {
        write(
            root,
            &format!("source/{name}.html"),
            "<!doctype html><html lang=en><p>Bread</p>",
        );
    }
    let rye = |head: &str, text: &str| {
        write(
            root,
            "source/rye.html",
            &format!("<!doctype html><html lang=en>{head}<p>{text}</p>"),
        );
    };
    rye("", "Rye");
    write(
        root,
        "source/both.html",
        "<!doctype html><html lang=en><p>Wheat</p><p>Barley</p>",
    );
    let unlisted = "<!doctype html><html lang=en><meta name=robots content=noindex><p>Oats</p>";
    write(root, "source/oats.html", unlisted);
    same(root, "the first").await;
    same(root, "the same").await;
    rye("", "Bread");
    same(root, "words that are known").await;
    let refresh = "<meta http-equiv=refresh content=\"0; url=/a.html\">";
    for head in ["<meta name=robots content=noindex>", "", refresh] {
        rye(head, "Bread");
        same(root, head).await;
    }
    write(
        root,
        "de.po",
        &words(&[("Bread", "Brot"), ("Oats", "Hafer")]),
    );
    same(root, "words in German").await;
    // Of two texts now one has these words and now the other.
    for source in ["Wheat", "Barley"] {
        write(
            root,
            "es.po",
            &words(&[("Bread", "Pan"), (source, "Cereal")]),
        );
        same(root, source).await;
    }
}

/// What the store lost of the memory is there again after a build that has nothing else to do.
pub(super) async fn run_lost_memory() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    write(root, "source/index.html", &page("Home", "<p>Bread</p>"));
    same(root, "the first").await;
    let memory = || all_files(&root.join("store/site/_deployments/memory/es"));
    let before = memory();
    assert!(!before.is_empty());
    before
        .iter()
        .for_each(|file| fs::remove_file(file).unwrap());
    same(root, "a file of the memory is lost").await;
    assert!(
        !memory().is_empty(),
        "what was lost of the memory stays lost"
    );
}

/// An engine whose key is gone is said to be missing, also where nothing is asked of it.
pub(super) async fn run_lost_key_file() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let engine = "[engine.deepl]\nkind = \"deepl\"\nkey_file = \"key\"\n";
    let settings = SETTINGS.replace("[\"pseudo\"]", "[\"deepl\"]\ntranslations = \"{lang}.po\"");
    write(root, "latimer.toml", &(settings + engine));
    write(root, "key", "secret");
    write(
        root,
        "source/index.html",
        "<!doctype html><html lang=en><p>Bread</p>",
    );
    for (locale, text) in [("de", "Brot"), ("es", "Pan")] {
        write(root, &format!("{locale}.po"), &words(&[("Bread", text)]));
    }
    same(root, "the first").await;
    fs::remove_file(root.join("key")).unwrap();
    let absent = build(root, false).await.0.unwrap().absent_engines;
    assert_eq!(
        absent,
        ["deepl".to_owned()].into(),
        "the key of an engine is gone"
    );
}
