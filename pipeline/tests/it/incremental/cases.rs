//! Changes that no random sequence has, or seldom: each input of the keys by which builds pass over things is missed by one of them.

mod builders;
mod settings;
mod translations;
mod web;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pipeline::model::RenderCause;
use pipeline::run::file_reader;
use pipeline::state::State;
use tempfile::TempDir;

use self::builders::{run_names_of_other_builders, run_others_beside};
use self::settings::{
    run_rules, run_settings, run_template_written_meanwhile, run_what_is_left_out,
};
use self::translations::{
    run_lines_of_memory, run_lost_key_file, run_lost_memory, run_models, run_words_of_one_language,
};
use self::web::{run_sitemaps, run_web};
use super::causes::{page, write};
use super::model::{KINDS, Model, Page};
use super::relations;
use super::search;
use super::{BUILDS, Chance, INPUTS, build, build_both, site};

pub(super) const SETTINGS: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["de", "es"]
url = "https://www.example.com/{lang}"
engine = ["pseudo"]
"#;

/// Both builds do what there is to do, and come to the same.
pub(super) async fn same(root: &Path, said: &str) {
    let [_, all] = build_both(root, said).await;
    assert_ne!(all.rendered, 0, "not built at all: {said}");
}

/// All of them, on one site each.
pub(super) async fn run_all() {
    Box::pin(run_files()).await;
    Box::pin(run_others_beside()).await;
    Box::pin(run_settings()).await;
    Box::pin(run_template_written_meanwhile()).await;
    Box::pin(run_rules()).await;
    Box::pin(run_models()).await;
    Box::pin(run_lines_of_memory()).await;
    Box::pin(run_words_of_one_language()).await;
    Box::pin(run_drawn_pages()).await;
    Box::pin(search::run_all()).await;
    Box::pin(relations::run_all()).await;
    Box::pin(run_names_of_other_builders()).await;
    Box::pin(run_what_is_left_out()).await;
    Box::pin(run_sitemaps()).await;
    Box::pin(run_lost_memory()).await;
    Box::pin(run_lost_key_file()).await;
    Box::pin(run_web()).await;
}

/// Files come and change, and a language has another name.
async fn run_files() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let mut chance = Chance(1);
    let mut model = Model::default();
    model.settings.insert("engine", "[\"pseudo\"]");
    let links = vec!["list.pdf", "z.html"];
    let plain = Page {
        title: "Home",
        texts: vec!["Rye bread"],
        links,
        head: "",
        kind: "",
    };
    // Texts that it shares with others have those read, too.
    let drawn = Page {
        title: "Drawn",
        texts: Vec::new(),
        links: Vec::new(),
        head: "",
        kind: KINDS[2],
    };
    model.pages = [
        ("index.html", plain.clone()),
        ("about.html", plain),
        ("z.html", drawn),
    ]
    .into();
    model.write(root, &mut chance);
    same(root, "the first").await;
    for (name, text) in [
        ("uncompressed", ""),
        ("source/list.pdf", "%PDF-1.7"),
        (
            "source/_headers",
            "/*\n  Content-Security-Policy: script-src 'none'\n",
        ),
        (
            "source/index.html",
            "<!doctype html><html lang=en><title>Home</title><p>Call us</p></html>",
        ),
    ] {
        write(root, name, text);
        same(root, name).await;
    }
    let alias = "[site.locale.es]\nalias = \"spanish\"\n";
    let settings = fs::read_to_string(root.join("latimer.toml")).unwrap();
    write(root, "latimer.toml", &(settings + alias));
    same(root, alias).await;
}

/// What pages that scripts draw share lies in one file, and its name is in each of them.
async fn run_drawn_pages() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    let put =
        |name: &str, text: &str| write(root, &format!("source/{name}.html"), &page(text, KINDS[2]));
    ["index", "a", "b"]
        .into_iter()
        .for_each(|name| put(name, "Rye bread"));
    write(root, "source/plain.html", &page("Plain", "<p>Rolls</p>"));
    same(root, "the first").await;
    put("a", "Oat bread");
    same(root, "words of one of them").await;
}

/// For its time keys are those of another program.
struct OtherProgram;

impl OtherProgram {
    fn runs() -> Self {
        INPUTS.run_as("another");
        Self
    }
}

impl Drop for OtherProgram {
    fn drop(&mut self) {
        INPUTS.run_as("");
    }
}

/// Another program may make something else of the same. No other build may run meanwhile.
pub(super) async fn run_other_program() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    write(root, "source/index.html", &page("Home", "<p>Bread</p>"));
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    let causes = async || build(root, false).await.0.unwrap().work.causes;
    causes().await;
    let all = |cause| [(cause, 6)].into();
    {
        let _other = OtherProgram::runs();
        assert_eq!(causes().await, all(RenderCause::Version));
        assert_eq!(causes().await, BTreeMap::new());
        take_for_unlisted(root);
        assert_eq!(causes().await, all(RenderCause::Source));
    }
    same(root, "what another program found out about files").await;
}

/// Has all files of a folder be taken for pages that search engines are not to list, as long as the disk says of them what it did.
fn take_for_unlisted(root: &Path) {
    let site = site(root);
    let state = State::open(&root.join("state.redb")).unwrap();
    let reader = file_reader(&site, &INPUTS);
    let mut seen = state.seen_files(&site.id, &reader).unwrap();
    seen.values_mut().for_each(|file| file.noindex = true);
    state
        .keep_seen_files(&site.id, &reader, &seen, &BTreeMap::new())
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_that_are_rare_are_seen() {
    let _alone = BUILDS.write().await;
    run_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_program_makes_and_reads_everything_anew() {
    let _alone = BUILDS.write().await;
    run_other_program().await;
}
