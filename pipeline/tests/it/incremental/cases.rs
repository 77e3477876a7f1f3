//! Changes that no random sequence has, or seldom: each input of the keys by which builds pass over things is missed by one of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use pipeline::model::{Locale, RenderCause};
use pipeline::run::{self, BuildOptions, Stores, file_reader};
use pipeline::state::{Stage, State};
use pipeline::store::{self, Switch};
use tempfile::TempDir;

use super::causes::{page, words, write};
use super::model::{KINDS, Model, Page};
use super::relations;
use super::search;
use super::{
    BUILDS, Chance, INPUTS, Meanwhile, all_files, build, build_both, build_both_for, build_with,
    objects, options, site,
};
use crate::crawl::origin::Answer;

const TEMPLATE: &str = "parts/switcher/disclosure.html";
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
    let (root, mut chance, mut model) = (folder.path(), Chance(1), Model::default());
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

/// What others do to the store and the memory of a site, and builds that are not of all languages. Nothing stays open, so that a
/// build can be passed over.
async fn run_others_beside() {
    let folder = TempDir::new().unwrap();
    let (root, mut chance, mut model) = (folder.path(), Chance(1), Model::default());
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
    let (id, es) = (site(root).id, Locale::parse("es").unwrap());
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
    store::turn_switch(&objects(root), &id, &es, Switch::Off, &BTreeMap::new())
        .await
        .unwrap();
    same(root, "Spanish is off").await;
    build_both_for(root, &[es], |_, _| (), "Spanish alone, all the same").await;
    same(root, "Spanish was built all the same").await;
}

/// Somebody with another state builds after a change.
async fn by_another_builder(root: &Path, change: impl FnOnce()) {
    let (state, own) = (root.join("state.redb"), root.join("own.redb"));
    fs::rename(&state, &own).unwrap();
    change();
    build(root, false).await.0.unwrap();
    fs::rename(&own, &state).unwrap();
}

/// Settings, and the files that they name. Nothing stays open.
async fn run_settings() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.to_owned() + "translations = \"{lang}.po\"\nglossary = \"terms.csv\"\n";
    let template = "[site.html]\ntemplates = \"parts\"\n";
    write(root, "latimer.toml", &(settings.clone() + template));
    write(
        root,
        "parts/not-found.html",
        "<!doctype html><title>Nothing</title>",
    );
    write(root, "terms.csv", "source,es\n");
    write(
        root,
        "source/index.html",
        &page("Home", "<p>Fresh bread</p>"),
    );
    let long = "<p>Fresh bread</p>".repeat(100);
    write(root, "source/long.html", &page("Long", &long));
    same(root, "the first").await;
    for (name, text) in [
        (
            "parts/not-found.html",
            "<!doctype html><title>Not here</title>".to_owned(),
        ),
        (
            TEMPLATE,
            "<nav data-latimer-switcher>Languages</nav>".to_owned(),
        ),
        ("es.po", words(&[("Fresh bread", "Pan reciente")])),
        (
            "latimer.toml",
            settings.clone()
                + "html.switcher = { placement = \"none\" }\nhtml.templates = \"parts\"\n",
        ),
        // Its term is missed, and so a text stays open from here on.
        ("terms.csv", "source,es\nHome,Inicio\n".to_owned()),
        (
            "latimer.toml",
            settings + "crawl.max_page_bytes = 1000\n" + template,
        ),
    ] {
        write(root, name, &text);
        same(root, &format!("{name}: {text}")).await;
    }
}

/// Somebody writes to a template after it was looked at.
async fn run_template_written_meanwhile() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "[site.html]\ntemplates = \"parts\"\n"),
    );
    write(root, TEMPLATE, "<nav data-latimer-switcher>Languages</nav>");
    for name in ["index", "a", "b"] {
        write(
            root,
            &format!("source/{name}.html"),
            &page("Home", "<p>Bread</p>"),
        );
    }
    same(root, "the first").await;
    write(root, "source/a.html", &page("Home", "<p>Rolls</p>"));
    let meanwhile: Meanwhile = |root, step| {
        if step.stage == Stage::Translate {
            write(root, TEMPLATE, "<nav data-latimer-switcher>Tongues</nav>");
        }
    };
    build_both_for(root, &[], meanwhile, "a template is written to").await;
}

/// What the source has for its own server, also where it is no part of the site.
async fn run_rules() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "exclude = [\"/.htaccess\"]\n"),
    );
    write(root, "source/index.html", &page("Home", KINDS[2]));
    write(root, "source/about.html", &page("About", "<p>Butter</p>"));
    same(root, "the first").await;
    for name in ["source/inner/.htaccess", "source/.htaccess"] {
        write(
            root,
            name,
            "Header set Content-Security-Policy \"script-src 'none'\"\n",
        );
        same(root, name).await;
    }
}

/// What would have an engine offer a language is no news once it is there. The text of the feed is wanted in Spanish alone, which is
/// not asked for.
async fn run_models() {
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
async fn run_lines_of_memory() {
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
async fn run_words_of_one_language() {
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

/// Another builder has a page under another path of the same name, with the same bytes.
async fn run_names_of_other_builders() {
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

/// What the rules of the site keep out is counted.
async fn run_what_is_left_out() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(
        root,
        "latimer.toml",
        &(SETTINGS.to_owned() + "exclude = [\"/inner/\"]\n"),
    );
    write(root, "source/index.html", &page("Home", "<p>Bread</p>"));
    same(root, "the first").await;
    write(
        root,
        "source/inner/plan.html",
        &page("Plan", "<p>Rolls</p>"),
    );
    same(root, "a page that is kept out").await;
}

/// What the store lost of the memory is there again after a build that has nothing else to do.
async fn run_lost_memory() {
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
async fn run_lost_key_file() {
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

/// A site of the web: where its paths lead, and who asks for them.
async fn run_web() {
    let answers = |to: &str| {
        let page = |text: &str| {
            Answer::page(page(
                text,
                "<a href=/old>Old</a> <a href=/a>A</a> <a href=/b>B</a>",
            ))
            .with("etag", "\"1\"")
        };
        let pages = ["/", "/a", "/b"].map(|path| (path.to_owned(), page(path)));
        pages
            .into_iter()
            .chain([("/old".to_owned(), Answer::redirect(301, to))])
            .collect::<BTreeMap<_, _>>()
    };
    let said = Arc::new(Mutex::new(answers("/a")));
    let origin = relations::origin_of(&said).await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    let settings = SETTINGS.replace("\"source\"", &format!("\"{}\"", origin.url));
    let settings = settings + "crawl.allow_private = true\ncrawl.headers_file = \"headers\"\n";
    write(root, "latimer.toml", &settings);
    write(root, "headers", "X-Edition: first\n");
    same(root, "the first").await;
    *said.lock().unwrap() = answers("/b");
    same(root, "a path leads elsewhere").await;
    for (pages, date) in [
        (["/", "/a", "/b"], "2024-05-01"),
        (["/", "/a", "/b"], "2024-05-02"),
        (["/", "/a", "/"], "2024-05-02"),
    ] {
        said.lock().unwrap().insert(
            "/sitemap.xml".to_owned(),
            Answer::page(sitemap(&pages, date)),
        );
        same(root, "a sitemap").await;
    }
    // Whoever asks as somebody else hears nothing of what was heard before.
    let conditions = async || {
        let before = origin.asked().len();
        build(root, false).await.0.unwrap();
        origin
            .asked()
            .iter()
            .skip(before)
            .filter(|asked| asked.headers.contains_key("if-none-match"))
            .count()
    };
    assert_ne!(conditions().await, 0);
    write(root, "headers", "X-Edition: second\n");
    assert_eq!(conditions().await, 0, "with other headers");
    assert_ne!(conditions().await, 0);
    write(
        root,
        "latimer.toml",
        &(settings + "crawl.user_agent = \"Other/1\"\n"),
    );
    assert_eq!(conditions().await, 0, "under another name");
    assert_ne!(conditions().await, 0);
    let _other = OtherProgram::runs();
    assert_eq!(conditions().await, 0, "by another program");
}

fn sitemap(pages: &[&str], date: &str) -> String {
    let entry = |page: &&str| format!("<url><loc>{page}</loc><lastmod>{date}</lastmod></url>");
    format!(
        "<urlset>{}</urlset>",
        pages.iter().map(entry).collect::<String>()
    )
}

/// The sitemap of a folder says something else, or names other pages.
async fn run_sitemaps() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    write(root, "latimer.toml", SETTINGS);
    for name in ["index.html", "a.html", "b.html"] {
        write(
            root,
            &format!("source/{name}"),
            &format!("<!doctype html><html lang=en><p>Bread of {name}</p>"),
        );
    }
    for (pages, date) in [
        (vec!["/", "/a.html"], "2024-05-01"),
        (vec!["/", "/a.html"], "2024-05-02"),
        (vec!["/a.html", "/b.html"], "2024-05-02"),
        (vec![], ""),
    ] {
        write(root, "source/sitemap.xml", &sitemap(&pages, date));
        same(root, "a sitemap").await;
    }
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
    let (site, state) = (site(root), State::open(&root.join("state.redb")).unwrap());
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
