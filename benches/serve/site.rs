//! A site like a manual: pages of about 20 KB, and one of 4 KB, with text that repeats itself as much as English does, the
//! same in every run, published by the pipeline; and a plain copy of its files, with their variants, for nginx.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pipeline::model::{Locale, PagePath, SiteId, Slugs, object_name};
use pipeline::store::{
    Draft, Encoding, Missing, Object, Objects, Published, ServingSettings, ServingSwitch, Tree,
};
use tempfile::TempDir;

/// The host under which the site is public.
pub(crate) const HOST: &str = "www.example.com";

const PAGES: usize = 244;
const PAGE_BYTES: usize = 20_000;
const SMALL: &str = "/small.html";
const SMALL_BYTES: usize = 4000;
const CONFIG: &str = r#"
[[site]]
id = "manual"
source = "source"
source_locale = "en"
locales = ["es"]
url = "https://www.example.com/{lang}"
[store]
objects = "store"
"#;
const WORDS: &str = "the of and to in a is that for it as was with be by on not he his but at are this have from or had \
    an they which one you were all her she there would their we him been has when who will no more if out so what up \
    said its about than into them can only other time new some could these two may first then do any like my now over \
    such our man me even most made after also did many off before must well back through years much where your way down \
    should because long each just state those people too mister little world still see server request header module \
    directive configuration process connection client response file directory address value default option string";

/// The published site, in a folder of its own.
pub(crate) struct Site {
    folder: TempDir,
    paths: Vec<String>,
    bytes: usize,
}

impl Site {
    pub(crate) fn publish() -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("latimer.toml"), CONFIG).unwrap();
        let small = (SMALL.to_owned(), html(PAGES, SMALL_BYTES));
        let pages = (0..PAGES).map(|page| (address(page), html(page, PAGE_BYTES)));
        let pages: Vec<(String, String)> = pages.chain([small]).collect();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(publish(
            &folder.path().join("store"),
            &folder.path().join("plain/es"),
            &pages,
        ));
        let bytes = pages.iter().map(|(_, html)| html.len()).sum();
        let paths = pages
            .into_iter()
            .map(|(path, _)| format!("/es{path}"))
            .collect();
        Self {
            folder,
            paths,
            bytes,
        }
    }

    /// Where `latimer.toml` lies.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The plain copy.
    pub(crate) fn plain(&self) -> PathBuf {
        self.folder.path().join("plain")
    }

    /// The page that is asked for alone.
    pub(crate) fn page(&self) -> &str {
        &self.paths[0]
    }

    pub(crate) fn small_page(&self) -> &str {
        &self.paths[PAGES]
    }

    /// The pages of 20 KB.
    pub(crate) fn pages(&self) -> &[String] {
        &self.paths[..PAGES]
    }

    pub(crate) fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }
}

async fn publish(store: &Path, plain: &Path, pages: &[(String, String)]) {
    let objects = Objects::folder(store).unwrap();
    let site = SiteId::parse("manual").unwrap();
    let source = Locale::parse("en").unwrap();
    let locale = Locale::parse("es").unwrap();
    let tree = Tree::Locale(locale.clone());
    let draft = Draft::begin(&objects, &site).await.unwrap();
    for (path, html) in pages {
        let path = PagePath::parse(path).unwrap();
        let object = Object {
            name: object_name(&path, true).into(),
            path,
            content_type: "text/html; charset=utf-8".to_owned(),
            body: html.clone().into_bytes().into(),
            source: None,
            noindex: false,
            robots: None,
            link: None,
        };
        draft.put(&tree, object).await.unwrap();
    }
    let settings = ServingSettings {
        source_locale: source,
        locales: BTreeMap::from([(locale, ServingSwitch::On)]),
        switches: 0,
        aliases: BTreeMap::new(),
        missing: Missing::Source307,
        redirects: BTreeMap::new(),
        slugs: Slugs::default(),
        former: BTreeMap::new(),
        parameters: Default::default(),
        singles: Default::default(),
        left_out: Default::default(),
        written: Default::default(),
        url: Some("https://www.example.com/{lang}".to_owned()),
        source_url: Some("https://www.example.com".to_owned()),
        accept_language: false,
        variants: Encoding::ALL.into(),
    };
    draft.finish(settings).await.unwrap();
    copy(&objects, &site, &tree, plain).await;
}

/// Writes a tree's files and their variants where nginx looks for them.
async fn copy(objects: &Objects, site: &SiteId, tree: &Tree, plain: &Path) {
    let published = Published::newest(objects, site, None)
        .await
        .unwrap()
        .unwrap();
    for (name, entry) in published.manifest(tree).unwrap().objects.iter() {
        let variants = Encoding::ALL.map(|encoding| (Some(encoding), encoding.ending()));
        for (encoding, ending) in [(None, "")].into_iter().chain(variants) {
            let bytes = published
                .read(objects, tree, name, entry, encoding)
                .await
                .unwrap();
            let to = plain.join(format!("{name}{ending}"));
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::write(to, bytes).unwrap();
        }
    }
}

fn address(page: usize) -> String {
    format!("/chapter-{}/page-{page}.html", page / 20)
}

/// A page of so many bytes: sentences, headings, links and listings; equal numbers give equal pages.
fn html(page: usize, bytes: usize) -> String {
    let mut chance = Chance(page as u64);
    let title = sentence(&mut chance, 5);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"es\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"/style.css\">\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    while html.len() < bytes {
        let length = 8 + chance.below(20);
        let text = sentence(&mut chance, length);
        let link = address(chance.below(PAGES));
        match chance.below(8) {
            0 => writeln!(
                html,
                "<h2 id=\"part-{}\">{}</h2>",
                html.len(),
                sentence(&mut chance, 4)
            ),
            1 => writeln!(
                html,
                "<pre><code>{} = {}</code></pre>",
                sentence(&mut chance, 2),
                chance.below(4096)
            ),
            2 => writeln!(
                html,
                "<ul>\n<li><a href=\"/es{link}\">{}</a></li>\n</ul>",
                sentence(&mut chance, 3)
            ),
            _ => writeln!(
                html,
                "<p>{text} <a href=\"/es{link}\">{}</a>.</p>",
                sentence(&mut chance, 2)
            ),
        }
        .unwrap();
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn sentence(chance: &mut Chance, words: usize) -> String {
    let known: Vec<&str> = WORDS.split_whitespace().collect();
    // The square makes the first words the frequent ones.
    let word = |_| known[chance.below(known.len()) * chance.below(known.len()) / known.len()];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

/// Numbers that look like chance and are the same in every run (a linear congruential generator, Knuth's constants).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
