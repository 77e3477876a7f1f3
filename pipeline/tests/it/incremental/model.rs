//! A site of which anything may change: what it should be, and how that gets onto the disk.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::search::Search;
use super::{Chance, all_files};

pub(super) const PAGES: [&str; 12] = [
    "index.html",
    "about.html",
    "a/index.html",
    "a/b.html",
    "a/c.html",
    "blog/1.html",
    "blog/2.html",
    "Blog/1.html",
    "404.html",
    "news/index.html",
    "news/x.html",
    "z.html",
];
/// Some differ by case, by numbers, by codes or by what a code stands for.
pub(super) const TEXTS: [&str; 14] = [
    "Fresh bread every day",
    "Fresh Bread every day",
    "We bake at <b>night</b>",
    "We bake at <i>night</i>",
    "Order 12 loaves",
    "Order 13 loaves",
    "Call us",
    "<a href=\"about.html\">About us</a>",
    "<span translate=\"no\">Latimer</span> bakes",
    "12",
    "Rye &amp; wheat",
    "<code>x</code> is a name",
    "Everything else is sold at the market on Sundays",
    "Home",
];

/// A page of the source.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) title: &'static str,
    pub(super) texts: Vec<&'static str>,
    pub(super) links: Vec<&'static str>,
    /// What stands in its head.
    pub(super) head: &'static str,
    /// What makes it another kind of page.
    pub(super) kind: &'static str,
}

const HEADS: [&str; 6] = [
    "",
    "",
    "<meta name=robots content=noindex>",
    "<meta name=google content=notranslate>",
    "<meta http-equiv=refresh content=\"0; url=/about.html\">",
    "<link rel=canonical href=\"https://www.example.com/\">",
];
/// Nothing, a page that scripts draw again, another language, odd bytes, a switcher of the site's own.
pub(super) const KINDS: [&str; 6] = [
    "",
    "",
    "<div id=__next><p>Call us</p></div><script id=__NEXT_DATA__ type=application/json>{}</script>\
             <script src=/_next/static/a.js></script>",
    "<p lang=de>Brot</p>",
    "<p>\u{fffd}</p>",
    "<div data-latimer-switcher></div>",
];

impl Page {
    fn html(&self) -> String {
        let mut html = format!(
            "<!doctype html><html lang=en><head><title>{}</title>{}</head><body>",
            self.title, self.head
        );
        html.push_str(self.kind);
        self.texts
            .iter()
            .for_each(|text| write!(html, "<p>{text}</p>").unwrap());
        self.links
            .iter()
            .for_each(|link| write!(html, "<a href=\"/{link}\">More</a> ").unwrap());
        html + "</body></html>"
    }
}

/// Everything that a build reads, as it should be on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) pages: BTreeMap<&'static str, Page>,
    files: BTreeMap<&'static str, String>,
    people: BTreeMap<String, String>,
    pub(super) slugs: BTreeMap<&'static str, &'static str>,
    template: Option<&'static str>,
    switcher: Option<&'static str>,
    glossary: bool,
    /// Generator of the site's search index.
    pub(super) search: Option<Search>,
    pub(super) settings: BTreeMap<&'static str, &'static str>,
    html: BTreeMap<&'static str, &'static str>,
}

impl Model {
    pub(super) fn new(chance: &mut Chance) -> Self {
        let mut model = Self::default();
        model.settings.insert("engine", "[\"pseudo\"]");
        PAGES[..7]
            .iter()
            .for_each(|path| model.put_page(path, chance));
        model.search = chance.of(&Search::ALL);
        model
    }

    pub(super) fn put_page(&mut self, path: &'static str, chance: &mut Chance) {
        let page = Page {
            title: chance.of(&TEXTS[..2]),
            texts: (0..chance.below(5)).map(|_| chance.of(&TEXTS)).collect(),
            links: (0..chance.below(4)).map(|_| chance.of(&PAGES)).collect(),
            head: chance.of(&HEADS),
            kind: chance.of(&KINDS),
        };
        self.pages.insert(path, page);
    }

    /// Changes something; says what. In a quiet time only pages are edited.
    pub(super) fn change(&mut self, is_quiet: bool, chance: &mut Chance) -> String {
        let path = chance.of(&PAGES);
        match chance.below(if is_quiet { 4 } else { 16 }) {
            0..=3 => {
                let Some(page) = self.pages.get_mut(path) else {
                    self.put_page(path, chance);
                    return format!("{path} is added");
                };
                match chance.below(5) {
                    0 => page.title = chance.of(&TEXTS[..2]),
                    1 => page.texts.push(chance.of(&TEXTS)),
                    2 => drop(page.texts.pop()),
                    3 => page.head = chance.of(&HEADS),
                    _ => page.links.push(chance.of(&PAGES)),
                }
                format!("{path} is edited: {page:?}")
            }
            4 => {
                self.put_page(path, chance);
                format!("{path} is another page")
            }
            5 if path != "index.html" => {
                let gone = self.pages.remove(path).is_some();
                format!("{path} is removed ({gone})")
            }
            6 => {
                // Often to the next name, where the order of all stays the same.
                let place = PAGES.iter().position(|page| *page == path).unwrap();
                let to = if chance.below(2) == 0 {
                    chance.of(&PAGES)
                } else {
                    PAGES[(place + 1) % PAGES.len()]
                };
                if let Some(page) = self
                    .pages
                    .get(path)
                    .cloned()
                    .filter(|_| path != "index.html")
                {
                    self.pages.remove(path);
                    self.pages.insert(to, page);
                }
                format!("{path} is moved to {to}")
            }
            7 => {
                let name = chance.of(&["style.css", "feed.xml", ".htaccess"]);
                let text = chance.of(&TEXTS[..2]);
                let text = match name {
                    "feed.xml" => format!(
                        "<rss version=\"2.0\"><channel><title>{text}</title></channel></rss>"
                    ),
                    ".htaccess" => {
                        "Header set Content-Security-Policy \"script-src 'none'\"\n".to_owned()
                    }
                    _ => format!("/* {text} */"),
                };
                match chance.below(3) {
                    0 => drop(self.files.remove(name)),
                    _ => drop(self.files.insert(name, text.clone())),
                }
                format!("{name} is written or removed: {text}")
            }
            8 | 9 => {
                let text = chance.of(&TEXTS[..7]);
                let notation = text
                    .replace("<b>", "<g id=\\\"1\\\">")
                    .replace("</b>", "</g>");
                let notation = notation
                    .replace("<i>", "<g id=\\\"1\\\">")
                    .replace("</i>", "</g>");
                let words =
                    (chance.below(3) > 0).then(|| format!("{} {notation}", chance.below(3)));
                match &words {
                    None => drop(self.people.remove(&notation)),
                    Some(words) => drop(self.people.insert(notation, words.clone())),
                }
                format!("people's words for {text}: {words:?}")
            }
            10 => {
                match self.slugs.remove("about.html") {
                    Some(_) => {}
                    None => drop(self.slugs.insert(
                        "about.html",
                        chance.of(&["/nosotros.html", "/quienes.html"]),
                    )),
                }
                format!("paths are {:?}", self.slugs)
            }
            11 => {
                let template = if chance.below(2) == 0 {
                    &mut self.template
                } else {
                    &mut self.switcher
                };
                *template = chance.of(&[None, Some("A"), Some("B")]);
                format!(
                    "the templates are {:?} and {:?}",
                    self.template, self.switcher
                )
            }
            12 => {
                self.glossary ^= true;
                format!("terms: {}", self.glossary)
            }
            13 => {
                let value = chance.of(&["0.1", "0.5", "0.9"]);
                self.settings.insert("min_translated", value);
                format!("min_translated = {value}")
            }
            14 => {
                let value = chance.of(&["\"notice\"", "\"source307\"", "\"gone\""]);
                self.settings.insert("missing", value);
                format!("missing = {value}")
            }
            _ => {
                let value = chance.of(&["[]", "[\"code\"]", "[\"p\"]"]);
                self.html.insert("skip", value);
                format!("skip = {value}")
            }
        }
    }

    /// Writes what changed, now in place and now as another file of its name; of what stays as it is a file is written anew now
    /// and then.
    pub(super) fn write(&self, root: &Path, ways: &mut Chance) {
        let source = root.join("source");
        let put = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let pages = self
            .pages
            .iter()
            .map(|(path, page)| (source.join(path), page.html()));
        let indexes = self
            .search
            .into_iter()
            .flat_map(|search| search.files(&self.pages));
        let files = self
            .files
            .iter()
            .map(|(path, text)| (*path, text.clone()))
            .chain(indexes);
        let files = pages.chain(files.map(|(path, text)| (source.join(path), text)));
        let files: BTreeMap<PathBuf, String> = files.collect();
        for path in all_files(&source) {
            match files.get(&path) {
                None => fs::remove_file(path).unwrap(),
                Some(text) if fs::read(&path).unwrap() == text.as_bytes() => {
                    if ways.below(12) == 0 {
                        fs::write(path, text).unwrap();
                    }
                }
                Some(text) if ways.below(2) == 0 => rewrite(&path, text),
                Some(text) => {
                    let other = root.join("other");
                    fs::write(&other, text).unwrap();
                    fs::rename(other, path).unwrap();
                }
            }
        }
        files
            .iter()
            .filter(|(path, _)| !path.exists())
            .for_each(|(path, text)| put(path, text));
        let entry =
            |(text, words): (&String, &String)| format!("msgid \"{text}\"\nmsgstr \"{words}\"\n");
        let entries: Vec<String> = self.people.iter().map(entry).collect();
        put(&root.join("es.po"), &entries.join("\n"));
        let slugs: String = self.slugs.iter().fold(String::new(), |all, (path, slug)| {
            format!("{all}/{path},{slug}\n")
        });
        let has_all = self.slugs.keys().all(|path| self.pages.contains_key(path));
        put(
            &root.join("es.csv"),
            &format!("path,slug\n{}", if has_all { slugs.as_str() } else { "" }),
        );
        put(
            &root.join("terms.csv"),
            if self.glossary {
                "source,es\nnight,noche\n"
            } else {
                "source,es\n"
            },
        );
        let links = |class| {
            format!(
                "{{% for link in links %}}<li class={class}><a href=\"{{{{ link.href }}}}\">{{{{ link.name }}}}</a></li>{{% endfor %}}"
            )
        };
        let not_found = self
            .template
            .map(|text| format!("<!doctype html><title>{text}</title>"));
        for (name, text) in [
            ("not-found.html", not_found),
            ("switcher/links.html", self.switcher.map(links)),
        ] {
            let template = root.join("templates").join(name);
            let _ = fs::remove_file(&template);
            text.iter().for_each(|text| put(&template, text));
        }
        fs::create_dir_all(root.join("templates")).unwrap();
        let has_hosts = self.search.is_some_and(Search::wants_hosts);
        let host = if has_hosts {
            "https://{lang}.example.com"
        } else {
            "https://www.example.com/{lang}"
        };
        let mut config = format!(
            "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"en-XA\", \"es\", \"de\"]\n\
             url = \"{host}\"\ntranslations = \"{{lang}}.po\"\nslugs = \"{{lang}}.csv\"\nglossary = \"terms.csv\"\n"
        );
        self.settings
            .iter()
            .for_each(|(key, value)| writeln!(config, "{key} = {value}").unwrap());
        config.push_str("[site.html]\ntemplates = \"templates\"\n");
        self.html
            .iter()
            .for_each(|(key, value)| writeln!(config, "{key} = {value}").unwrap());
        put(&root.join("latimer.toml"), &config);
    }
}

/// Writes a file anew as hardly can be seen: in its place, with the time of its last change, and often of the same length.
pub(super) fn rewrite(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, text).unwrap();
    fs::File::options()
        .append(true)
        .open(path)
        .unwrap()
        .set_modified(before)
        .unwrap();
}
