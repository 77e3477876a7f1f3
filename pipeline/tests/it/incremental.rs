//! A build that passes over what did not change is a build that does everything: random sequences of changes, each built twice
//! from copies of one store and state.

mod causes;
mod edits;
mod nightly;
mod warned;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pipeline::config::{Config, SiteConfig};
use pipeline::model::{Locale, Moment, Selection};
use pipeline::publish::{self, Commit, Objects, Published, Switch, Warm};
use pipeline::run::{self, BuildOptions, Report, Stores, Trust, Work};
use pipeline::store::{RunKind, RunOrder, RunOrigin, State};
use pipeline::translate::Meter;
use tempfile::TempDir;
use tokio::sync::RwLock;

/// Sequences in a normal run; `LATIMER_SEQUENCES` has others.
const SEQUENCES: u64 = 100;
/// How many of them run at a time.
const AT_ONCE: usize = 4;
/// The most builds of a sequence.
const STEPS: u64 = 12;
const PAGES: [&str; 12] = [
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
const TEXTS: [&str; 14] = [
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

/// Builds share what a test leaves out of keys, so that test has them alone.
static BUILDS: RwLock<()> = RwLock::const_new(());

/// Numbers that a seed gives, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// A page of the source.
#[derive(Clone, Debug)]
struct Page {
    title: &'static str,
    texts: Vec<&'static str>,
    links: Vec<&'static str>,
    /// What stands in its head.
    head: &'static str,
    /// What makes it another kind of page.
    kind: &'static str,
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
const KINDS: [&str; 6] = [
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
        let mut html =
            format!("<!doctype html><html lang=en><head><title>{}</title>{}</head><body>", self.title, self.head);
        html.push_str(self.kind);
        self.texts.iter().for_each(|text| write!(html, "<p>{text}</p>").unwrap());
        self.links.iter().for_each(|link| write!(html, "<a href=\"/{link}\">More</a> ").unwrap());
        html + "</body></html>"
    }
}

/// Everything that a build reads, as it should be on the disk.
#[derive(Clone, Debug, Default)]
struct Model {
    pages: BTreeMap<&'static str, Page>,
    files: BTreeMap<&'static str, String>,
    people: BTreeMap<String, String>,
    slugs: BTreeMap<&'static str, &'static str>,
    template: Option<&'static str>,
    switcher: Option<&'static str>,
    glossary: bool,
    settings: BTreeMap<&'static str, &'static str>,
    html: BTreeMap<&'static str, &'static str>,
}

impl Model {
    fn new(chance: &mut Chance) -> Self {
        let mut model = Self::default();
        model.settings.insert("engine", "[\"pseudo\"]");
        PAGES[..7].iter().for_each(|path| model.put_page(path, chance));
        model
    }

    fn put_page(&mut self, path: &'static str, chance: &mut Chance) {
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
    fn change(&mut self, is_quiet: bool, chance: &mut Chance) -> String {
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
                let to = if chance.below(2) == 0 { chance.of(&PAGES) } else { PAGES[(place + 1) % PAGES.len()] };
                if let Some(page) = self.pages.get(path).cloned().filter(|_| path != "index.html") {
                    self.pages.remove(path);
                    self.pages.insert(to, page);
                }
                format!("{path} is moved to {to}")
            }
            7 => {
                let (name, text) = (chance.of(&["style.css", "feed.xml", ".htaccess"]), chance.of(&TEXTS[..2]));
                let text = match name {
                    "feed.xml" => format!("<rss version=\"2.0\"><channel><title>{text}</title></channel></rss>"),
                    ".htaccess" => "Header set Content-Security-Policy \"script-src 'none'\"\n".to_owned(),
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
                let notation = text.replace("<b>", "<g id=\\\"1\\\">").replace("</b>", "</g>");
                let notation = notation.replace("<i>", "<g id=\\\"1\\\">").replace("</i>", "</g>");
                let words = (chance.below(3) > 0).then(|| format!("{} {notation}", chance.below(3)));
                match &words {
                    None => drop(self.people.remove(&notation)),
                    Some(words) => drop(self.people.insert(notation, words.clone())),
                }
                format!("people's words for {text}: {words:?}")
            }
            10 => {
                match self.slugs.remove("about.html") {
                    Some(_) => {}
                    None => drop(self.slugs.insert("about.html", chance.of(&["/nosotros.html", "/quienes.html"]))),
                }
                format!("paths are {:?}", self.slugs)
            }
            11 => {
                let template = if chance.below(2) == 0 { &mut self.template } else { &mut self.switcher };
                *template = chance.of(&[None, Some("A"), Some("B")]);
                format!("the templates are {:?} and {:?}", self.template, self.switcher)
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
    fn write(&self, root: &Path, ways: &mut Chance) {
        let source = root.join("source");
        let put = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let pages = self.pages.iter().map(|(path, page)| (source.join(path), page.html()));
        let files = pages.chain(self.files.iter().map(|(path, text)| (source.join(path), text.clone())));
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
        files.iter().filter(|(path, _)| !path.exists()).for_each(|(path, text)| put(path, text));
        let entry = |(text, words): (&String, &String)| format!("msgid \"{text}\"\nmsgstr \"{words}\"\n");
        let entries: Vec<String> = self.people.iter().map(entry).collect();
        put(&root.join("es.po"), &entries.join("\n"));
        let slugs: String = self.slugs.iter().fold(String::new(), |all, (path, slug)| format!("{all}/{path},{slug}\n"));
        let has_all = self.slugs.keys().all(|path| self.pages.contains_key(path));
        put(&root.join("es.csv"), &format!("path,slug\n{}", if has_all { slugs.as_str() } else { "" }));
        put(&root.join("terms.csv"), if self.glossary { "source,es\nnight,noche\n" } else { "source,es\n" });
        let links = |class| {
            format!(
                "{{% for link in links %}}<li class={class}><a href=\"{{{{ link.href }}}}\">{{{{ link.name }}}}</a></li>{{% endfor %}}"
            )
        };
        let not_found = self.template.map(|text| format!("<!doctype html><title>{text}</title>"));
        for (name, text) in [("not-found.html", not_found), ("switcher/links.html", self.switcher.map(links))] {
            let template = root.join("templates").join(name);
            let _ = fs::remove_file(&template);
            text.iter().for_each(|text| put(&template, text));
        }
        fs::create_dir_all(root.join("templates")).unwrap();
        let mut config = "[[site]]\nid = \"site\"\nsource = \"source\"\nsource_locale = \"en\"\nlocales = [\"en-XA\", \"es\", \"de\"]\n\
                          url = \"https://www.example.com/{lang}\"\ntranslations = \"{lang}.po\"\nslugs = \"{lang}.csv\"\n\
                          glossary = \"terms.csv\"\n"
            .to_owned();
        self.settings.iter().for_each(|(key, value)| writeln!(config, "{key} = {value}").unwrap());
        config.push_str("[site.html]\ntemplates = \"templates\"\n");
        self.html.iter().for_each(|(key, value)| writeln!(config, "{key} = {value}").unwrap());
        put(&root.join("latimer.toml"), &config);
    }
}

/// Writes a file anew as hardly can be seen: in its place, with the time of its last change, and often of the same length.
fn rewrite(path: &Path, text: &str) {
    let before = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, text).unwrap();
    fs::File::options().append(true).open(path).unwrap().set_modified(before).unwrap();
}

fn all_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}

fn site(root: &Path) -> SiteConfig {
    let file = root.join("latimer.toml");
    let config = Config::parse(&fs::read_to_string(&file).unwrap(), &file, &|_| None);
    config.unwrap_or_else(|error| panic!("{error}")).sites.remove(0)
}

fn objects(root: &Path) -> Objects {
    Objects::folder(&root.join("store")).unwrap()
}

/// Builds; gives what came of it, without what differs between any two builds.
async fn build(root: &Path, rebuild: bool) -> (Result<Report, String>, Option<Commit>) {
    // So files are relied on as soon as they can be.
    build_as(root, rebuild, Duration::ZERO).await
}

async fn build_as(root: &Path, rebuild: bool, settling: Duration) -> (Result<Report, String>, Option<Commit>) {
    // These sites are small, and what reports leave out has to be right, too.
    run::fewer_warnings::name(1);
    let (site, objects) = (site(root), objects(root));
    let stores = Stores { objects: objects.clone(), state: Arc::new(State::open(&root.join("state.redb")).unwrap()) };
    let options = BuildOptions {
        locales: Vec::new(),
        offline: false,
        frozen: false,
        force: false,
        rebuild,
        max_characters: None,
        must_publish: false,
        pages: Selection::default(),
        jobs: NonZeroUsize::MIN,
        keep_deployments: 3,
        trust: Trust::Always,
        settling,
        warm: Warm::default(),
        meter: Meter::default(),
    };
    let order = RunOrder::of(RunKind::Build, RunOrigin::CommandLine);
    let record = stores.state.begin_run(&site.id, order, Moment::default()).unwrap();
    let performed = run::perform(&site, &stores, record, &options, &|_| (), &|_| ()).await;
    let report = performed.record(&stores, &site.id).await.map_err(|error| error.to_string());
    let published = Published::newest(&objects, &site.id, None).await.unwrap();
    (report, published.map(|published| Commit { draft: String::new(), ..published.commit().clone() }))
}

fn comparable(report: Result<Report, String>) -> (String, Work) {
    match report {
        Err(error) => (error, Work::default()),
        Ok(report) => {
            let work = report.work.clone();
            let mut value = serde_json::to_value(&report).unwrap();
            for name in ["runId", "deploymentId", "work"] {
                value.as_object_mut().unwrap().remove(name);
            }
            // So are the times of commits that were copied.
            for locale in value["locales"].as_array_mut().unwrap() {
                for page in locale["keptPages"].as_array_mut().unwrap() {
                    page.as_object_mut().unwrap().remove("publishedAt");
                }
            }
            // In which order files of the memory are taken is a matter of their times.
            let is_known = |notice: &serde_json::Value| !notice.as_str().unwrap().contains("from the store");
            value["notices"].as_array_mut().unwrap().retain(is_known);
            (serde_json::to_string_pretty(&value).unwrap(), work)
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to)
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// What happens beside changes of what is read.
async fn befall(root: &Path, chance: &mut Chance) -> Option<&'static str> {
    let id = site(root).id;
    match chance.below(14) {
        0 => {
            fs::remove_file(root.join("state.redb")).unwrap();
            Some("the state is lost")
        }
        1 | 2 => {
            let switch = chance.of(&[Switch::On, Switch::Off]);
            let locale = Locale::parse("es").unwrap();
            publish::turn_switch(&objects(root), &id, &locale, switch, &BTreeMap::new()).await.unwrap();
            Some("Spanish is switched")
        }
        3 => {
            let published = Published::newest(&objects(root), &id, None).await.unwrap().unwrap();
            let before = published.deployment().checked_sub(1)?;
            publish::roll_back(&objects(root), &id, before).await.ok()?;
            Some("an earlier deployment is brought back")
        }
        4 => {
            let folder = root.join("store/site/_deployments/objects");
            let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            let inner = files.get(chance.below(files.len()))?.clone();
            let file = fs::read_dir(inner).unwrap().next()?.unwrap().path();
            fs::remove_file(file).unwrap();
            Some("a published file is lost")
        }
        5 => {
            let folder = root.join("store/site/_sources");
            let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            files.sort();
            let file = files.get(chance.below(files.len()))?;
            let length = fs::read(file).unwrap().len();
            fs::write(file, "x".repeat(length)).unwrap();
            Some("bytes of a source are damaged")
        }
        6 => {
            build(root, true).await.0.ok()?;
            Some("everything is made anew")
        }
        _ => None,
    }
}

/// What readers get.
fn live(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let store = root.join("store");
    let files = all_files(&store).into_iter().map(|path| (path.strip_prefix(&store).unwrap().to_owned(), path));
    let is_inner = |name: &Path| name.iter().any(|part| part.to_string_lossy().starts_with('_'));
    files.filter(|(name, _)| !is_inner(name)).map(|(name, path)| (name, fs::read(path).unwrap())).collect()
}

/// The names of files that are not the same.
fn different(one: &BTreeMap<PathBuf, Vec<u8>>, other: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeSet<PathBuf> {
    one.keys().chain(other.keys()).filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

fn sum_of(one: &Work, other: &Work) -> Work {
    let (read, rendered) = (one.read + other.read, one.rendered + other.rendered);
    Work { read, rendered, carried: one.carried + other.carried, ..Work::default() }
}

/// A site to which nothing happened but edits is as one that was built once, in another place. A page that is there already stays
/// when less of it is translated than a new one needs, so there must be no such pages.
async fn is_one_made_at_once(root: &Path, model: &Model, ways: &mut Chance, said: &str) {
    let alone = TempDir::new().unwrap();
    model.write(alone.path(), ways);
    let report = build(alone.path(), true).await.0.unwrap();
    if report.locales.iter().all(|locale| locale.missing == 0) {
        let different = different(&live(root), &live(alone.path()));
        assert!(different.is_empty(), "not as built once: {different:?}, {said}");
    }
}

/// Runs a sequence of so many builds; gives what was passed over in it.
async fn run_sequence(seed: u64, builds: u64) -> Work {
    let root = TempDir::new().unwrap();
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (mut model, mut ways) = (Model::new(&mut chance), Chance(seed + 1));
    let mut said = vec!["the first build".to_owned()];
    let (is_quiet, mut is_plain, mut sum) = (seed.is_multiple_of(2), true, Work::default());
    for build_number in 1..=builds {
        model.write(root.path(), &mut ways);
        let twin = TempDir::new().unwrap();
        copy(root.path(), twin.path());
        let (whole, expected) = build(twin.path(), true).await;
        let (report, published) = build(root.path(), false).await;
        let ((report, work), (whole, all)) = (comparable(report), comparable(whole));
        let steps = said.join("\n  ");
        let differs = report.lines().zip(whole.lines()).find(|(one, other)| one != other);
        assert!(report == whole, "sequence {seed}, the report: {differs:?} after\n  {steps}");
        assert!(published == expected, "sequence {seed}: {published:#?} is not {expected:#?} after\n  {steps}");
        assert_eq!(work.rendered + work.carried, all.rendered, "sequence {seed}, versions after\n  {steps}");
        assert_eq!(work.causes.values().sum::<usize>(), work.rendered, "sequence {seed}, causes after\n  {steps}");
        sum = sum_of(&sum, &work);
        if is_plain && build_number == builds {
            is_one_made_at_once(root.path(), &model, &mut ways, &format!("sequence {seed} after\n  {steps}")).await;
        }
        for _ in 0..=chance.below(2) {
            said.push(model.change(is_quiet, &mut chance));
        }
        if !is_quiet || chance.below(4) == 0 {
            let befell = befall(root.path(), &mut chance).await;
            is_plain &= befell.is_none();
            said.extend(befell.map(str::to_owned));
        }
    }
    sum
}

#[test]
fn an_incremental_build_is_a_clean_build() {
    let _others = BUILDS.blocking_read();
    let sequences = std::env::var("LATIMER_SEQUENCES").map_or(SEQUENCES, |number| number.parse().expect("a number"));
    let first = std::env::var("LATIMER_SEQUENCE").map_or(1, |number| number.parse().expect("a number"));
    // They wait for the disk most of the time.
    let share = |share: usize| {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let seeds = (first..first + sequences).skip(share).step_by(AT_ONCE);
        // Most mistakes show soon.
        let run = |seed| runtime.block_on(run_sequence(seed, 2 + seed % (STEPS - 1)));
        seeds.fold(Work::default(), |sum, seed| sum_of(&sum, &run(seed)))
    };
    let sum = thread::scope(|scope| {
        let shares: Vec<_> = (0..AT_ONCE).map(|number| scope.spawn(move || share(number))).collect();
        shares.into_iter().map(|share| share.join().unwrap()).fold(Work::default(), |sum, work| sum_of(&sum, &work))
    });
    println!("{sum:?}");
    assert!(sum.carried > sum.rendered / 4, "hardly any version was carried over: {sum:?}");
}
