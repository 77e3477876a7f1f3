//! A source that answers wrongly: what is published stays, and the build says so with exit code 7.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::Site;
use crate::support::origin::{Origin, Said};

mod accepted;
mod another_builder;

/// Pages of the source beside its home page.
const PAGES: usize = 39;
const WORDS: [&str; 13] = [
    "bread", "flour", "salt", "oven", "dough", "crust", "butter", "honey", "raisin", "poppy",
    "sesame", "barley", "yeast",
];

/// The words of a page: no two pages have the same.
fn words(number: usize) -> String {
    format!(
        "We bake {} with {} here.",
        WORDS[number % 13],
        WORDS[number / 13 + 3 * (number % 2) + 4]
    )
}

/// A site in good health, with `note` on each of its pages.
fn healthy(note: &'static str) -> impl Fn(&str) -> Said + Clone + Send + 'static {
    grown(note, &[])
}

/// The same with some pages more.
fn grown(
    note: &'static str,
    more: &'static [usize],
) -> impl Fn(&str) -> Said + Clone + Send + 'static {
    let is_there = |number: &usize| (1..=PAGES).contains(number) || more.contains(number);
    move |path| {
        let links: String = (1..=PAGES)
            .chain(more.iter().copied())
            .map(|number| format!("<a href=/p/{number}/>more</a>"))
            .collect();
        let style = "<link rel=stylesheet href=/site.css>";
        let number = path
            .strip_prefix("/p/")
            .and_then(|rest| rest.trim_end_matches('/').parse::<usize>().ok());
        match (path, number) {
            ("/", _) => Said::page(format!(
                "{style}<h1>Home of the bakery</h1><p>{note}</p>{links}"
            )),
            ("/site.css", _) => Said::css("p { color: red }"),
            (_, Some(number)) if is_there(&number) => Said::page(format!(
                "{style}<h1>{}</h1><p>{note}</p><a href=/>home</a>",
                words(number)
            )),
            _ => Said::status(404),
        }
    }
}

/// How the source answers.
type Manner = Box<dyn Fn(&str) -> Said + Send>;

/// The page's number, where the path is a page's.
fn number(path: &str) -> usize {
    path.strip_prefix("/p/")
        .and_then(|rest| rest.trim_end_matches('/').parse().ok())
        .unwrap_or_default()
}

fn site_of(origin: &Origin, crawl: &str) -> Site {
    let site = Site::new("", &[]);
    let source = format!(
        "[[site]]\nid = \"site\"\nsource = {:?}\nsource_locale = \"en\"\n",
        origin.address
    );
    let keys = "locales = [\"es\"]\nengine = \"pseudo\"\nurl = \"https://bakery.example/{lang}\"\n";
    site.write(
        "latimer.toml",
        &format!("{source}{keys}[site.crawl]\nallow_private = true\n{crawl}"),
    );
    site
}

/// The published pages in Spanish, by name.
fn pages(site: &Site) -> BTreeMap<String, String> {
    let files = site.objects().into_iter().filter_map(|(name, bytes)| {
        let name = name.strip_prefix("site/es/")?;
        name.ends_with("index.html").then(|| {
            (
                name.to_owned(),
                String::from_utf8_lossy(&bytes).into_owned(),
            )
        })
    });
    files.collect()
}

#[track_caller]
fn suspect(report: &Value) -> &Value {
    let suspect = &report["sourceSuspect"];
    assert_eq!(suspect["code"], "source_suspect", "{report}");
    let run = report["runId"].as_str().unwrap();
    let notices = report["notices"].as_array().unwrap();
    assert!(
        notices.iter().any(|notice| notice
            .as_str()
            .unwrap()
            .contains(&format!("--accept-source {run}"))),
        "{report}"
    );
    suspect
}

/// A wrong answer of each kind leaves every page as it was, and the next good crawl is as good as any.
#[test]
fn a_source_that_answers_wrongly_takes_no_page_away() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    site.build(&[], 0);
    let before = pages(&site);
    assert_eq!(before.len(), PAGES + 1);
    let good = healthy("Welcome.");
    let rows: [(&str, Manner); 8] = [
        (
            "maintenance",
            Box::new(|_| Said::page("<h1>Back soon</h1><p>We are working on it.")),
        ),
        (
            "incident",
            Box::new(|path| {
                Said::page(format!(
                    "<title>{path}</title><p>Incident {} of today",
                    path.len()
                ))
            }),
        ),
        (
            "login",
            Box::new(|path| {
                if path == "/login" {
                    Said::page("<p>Log in")
                } else {
                    Said::redirect("/login")
                }
            }),
        ),
        (
            "no links",
            Box::new(|path| {
                if path == "/" {
                    Said::page("<h1>Hello")
                } else {
                    Said::status(404)
                }
            }),
        ),
        ("missing", {
            let good = good.clone();
            Box::new(move |path| {
                if path == "/" {
                    good(path)
                } else {
                    Said::status(404)
                }
            })
        }),
        ("half missing", {
            let good = good.clone();
            Box::new(move |path| {
                if number(path) > 20 {
                    Said::status(404)
                } else {
                    good(path)
                }
            })
        }),
        ("half checked", {
            let good = good.clone();
            Box::new(move |path| {
                if number(path) > 20 {
                    Said::page("<p>Checking your browser")
                } else {
                    good(path)
                }
            })
        }),
        ("half sent home", {
            let good = good.clone();
            Box::new(move |path| {
                if number(path) > 20 {
                    Said::redirect("/")
                } else {
                    good(path)
                }
            })
        }),
    ];
    for (name, manner) in rows {
        origin.answer(manner);
        let report = site.build(&[], 7);
        let found = suspect(&report);
        assert_eq!(
            (&report["pages"], &found["knownPages"]),
            (&(PAGES + 1).into(), &(PAGES + 1).into()),
            "{name}"
        );
        assert_eq!(
            found["examples"].as_array().unwrap().len(),
            10,
            "{name}: {found}"
        );
        assert_eq!(report["locales"][0]["charactersSent"], 0, "{name}");
        assert!(pages(&site) == before, "{name}: {:?}", pages(&site).keys());
        assert!(
            site.path("dist/site/site.css").is_file()
                || site.objects().keys().any(|key| key.ends_with("site.css"))
        );
        origin.answer(good.clone());
        let report = site.build(&[], 0);
        assert_eq!(
            (&report["sourceSuspect"], pages(&site) == before),
            (&Value::Null, true),
            "{name}: {report}"
        );
    }
}

#[test]
fn a_half_bad_crawl_publishes_its_good_half() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    site.build(&[], 0);
    let before = pages(&site);
    let new = healthy("Closed on Mondays.");
    origin.answer(move |path| {
        if number(path) > 20 {
            Said::page("<p>Checking your browser")
        } else {
            new(path)
        }
    });
    site.build(&[], 7);
    for (name, html) in pages(&site) {
        let is_bad_half = number(&format!("/{}", name.trim_end_matches("index.html"))) > 20;
        assert_eq!(html == before[&name], is_bad_half, "{name}");
    }
    // Texts that were kept out are known from then on, on a single page too.
    let good = healthy("Welcome.");
    origin.answer(move |path| {
        if number(path) == 7 {
            Said::page("<p>Checking your browser")
        } else {
            good(path)
        }
    });
    let report = site.build(&[], 7);
    assert_eq!(
        (
            &suspect(&report)["equalPages"],
            &report["sourceSuspect"]["keptPages"]
        ),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_flood_of_new_pages_is_neither_published_nor_sent_to_an_engine() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "max_pages = 60\nmax_new = 15\n");
    site.build(&[], 0);
    let before = pages(&site);
    let good = healthy("Welcome.");
    origin.answer(move |path| match path {
        "/sitemap.xml" => {
            let urls: String = (0..90)
                .map(|number| format!("<url><loc>/junk/{number}</loc></url>"))
                .collect();
            Said::xml(format!("<urlset>{urls}</urlset>"))
        }
        path if path.starts_with("/junk/") => Said::page(format!("<p>Buy {path} now")),
        path => good(path),
    });
    let report = site.build(&[], 7);
    let found = suspect(&report);
    assert_eq!(
        (&found["newPages"], &found["maxNew"], &report["truncated"]),
        (&59.into(), &15.into(), &true.into())
    );
    assert_eq!(report["locales"][0]["charactersSent"], 0);
    assert!(pages(&site) == before && !site.objects().keys().any(|key| key.contains("junk")));
}

#[test]
fn what_must_go_goes_at_once() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    site.build(&[], 0);
    // An explicit 410, of however many pages.
    let good = healthy("Welcome.");
    origin.answer(move |path| {
        if number(path) > 20 {
            Said::status(410)
        } else {
            good(path)
        }
    });
    let report = site.build(&[], 6);
    assert_eq!(
        (pages(&site).len(), &report["failures"][0]["code"]),
        (21, &"gone".into()),
        "{report}"
    );
    // What is excluded, without a crawl.
    site.edit(
        "latimer.toml",
        "locales =",
        "exclude = [\"/p/1*/\", \"/p/2/\"]\nlocales =",
    );
    site.build(&["--offline"], 0);
    assert_eq!(pages(&site).len(), 9);
    // What today's settings let out is not lost, and what they let in is not new.
    site.build(&[], 6);
    site.edit("latimer.toml", "exclude = [\"/p/1*/\", \"/p/2/\"]\n", "");
    site.edit(
        "latimer.toml",
        "allow_private",
        "max_new = 0\nallow_private",
    );
    let report = site.build(&[], 6);
    assert_eq!(
        (pages(&site).len(), &report["sourceSuspect"]),
        (21, &Value::Null),
        "{report}"
    );
}

#[test]
fn losses_of_a_day_are_one_loss() {
    let files: Vec<(String, String)> = (0..50)
        .map(|number| {
            (
                format!("{number}.html"),
                format!("<p>{} {number}", WORDS[number % 13]),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, html)| (&**name, &**html))
        .collect();
    let site = Site::new("locales = [\"es\"]\nengine = \"pseudo\"\n", &files);
    site.write("source/index.html", "<p>Home");
    site.build(&[], 0);
    let remove = |numbers: std::ops::Range<usize>| {
        numbers.for_each(|number| {
            std::fs::remove_file(site.path(&format!("source/{number}.html"))).unwrap()
        });
    };
    remove(0..9);
    site.build(&[], 0);
    remove(9..17);
    let report = site.build(&[], 7);
    assert_eq!(
        (
            &suspect(&report)["vanishedPages"],
            &report["sourceSuspect"]["lostBefore"]
        ),
        (&8.into(), &9.into())
    );
    // The folder holds only its start page, and the state is lost: the deployment knows what was there.
    remove(17..50);
    std::fs::remove_dir_all(site.path(".latimer")).unwrap();
    let report = site.build(&[], 7);
    assert_eq!(
        (&suspect(&report)["knownPages"], &report["pages"]),
        (&42.into(), &42.into())
    );
}

#[test]
fn pages_without_end_are_left_out_and_cost_nothing() {
    let good = healthy("Open.");
    // Each day of the calendar leads to a later one, for ever.
    let origin = Origin::start(move |path| match path.strip_prefix("/cal/") {
        Some(day) => Said::page(format!(
            "<h1>Day {day}</h1><p>Nothing happens here.</p><a href=/cal/{day}1>later</a><a href=/>home</a>"
        )),
        None if path == "/" => Said::page(format!("{}<a href=/cal/1>calendar</a>", good("/").body)),
        None => good(path),
    });
    let site = site_of(&origin, "");
    site.edit("latimer.toml", "\"pseudo\"", "\"counting\"");
    let engine =
        "[engine.counting]\nkind = \"command\"\nprogram = \"sh\"\nargs = [\"engine.sh\"]\n";
    site.write(
        "latimer.toml",
        &format!("{}{engine}", site.read("latimer.toml")),
    );
    site.write(
        "engine.sh",
        "tee -a asked.txt | sed -u 's/\"text\":\"/\"text\":\"¡/'\n",
    );
    let report = site.build(&[], 0);
    assert_eq!(
        (
            &report["traps"][0]["pattern"],
            report["traps"].as_array().unwrap().len()
        ),
        (&"/cal/#".into(), 1),
        "{report}"
    );
    let notices = report["notices"].to_string();
    assert!(
        notices.contains("/cal/#") && notices.contains("`exclude`"),
        "{notices}"
    );
    assert_eq!(pages(&site).len(), PAGES + 1);
    let days: Vec<_> = site
        .objects()
        .into_keys()
        .filter(|name| name.starts_with("site/es/cal/"))
        .collect();
    // What is published of it is what the crawl took before it was sure, and no engine sees more.
    assert!(
        (1..=10).contains(&days.len()),
        "{} days are published",
        days.len()
    );
    let asked = site.read("asked.txt");
    assert!(asked.matches("Day ").count() <= days.len(), "{asked}");
}
