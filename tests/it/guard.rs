//! A source that answers wrongly: what is published stays, and the build says so with exit code 7.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;

use serde_json::Value;

use crate::support::api::{self, Api};
use crate::support::origin::{Origin, Said};
use crate::support::{self, MARKING, Ran, Site};

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
fn a_run_is_accepted_once_and_only_for_what_it_saw() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    site.build(&[], 0);
    let without = |from: usize| {
        let good = healthy("Welcome.");
        move |path: &str| {
            if number(path) > from {
                Said::status(404)
            } else {
                good(path)
            }
        }
    };
    origin.answer(without(20));
    let first = site.build(&[], 7)["runId"].as_str().unwrap().to_owned();
    // More is lost than that run saw.
    origin.answer(without(10));
    let report = site.build(&["--accept-source", &first], 7);
    assert!(
        report["notices"].to_string().contains("changed since run"),
        "{report}"
    );
    assert_eq!(pages(&site).len(), PAGES + 1);
    origin.answer(without(20));
    // Pages that are linked and not there are failures all the same (6).
    let report = site.build(&["--accept-source", &first], 6);
    assert_eq!(
        (pages(&site).len(), &report["sourceSuspect"]),
        (21, &Value::Null)
    );
    // What was accepted is what the next crawl is held against.
    site.build(&[], 6);
    for (arguments, said) in [
        (
            &["build", "--accept-source", &*first][..],
            "was accepted by run",
        ),
        (
            &[
                "build",
                "--accept-source",
                "01939f1c-0000-7000-8000-000000000000",
            ],
            "exit code 7 names its run",
        ),
        (&["build", "--accept-source", "x"], "write the id of a run"),
        (
            &["build", "--offline", "--accept-source", &*first],
            "cannot be used with",
        ),
    ] {
        let Ran { code, stderr, .. } = site.run(arguments);
        assert_eq!(
            (code, stderr.contains(said)),
            (2, true),
            "{arguments:?}: {stderr}"
        );
    }
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
fn a_suspect_source_is_accepted_over_the_api() {
    let origin = Origin::start(healthy("Welcome."));
    let site = site_of(&origin, "");
    api::give_api(&site, api::NO_LIMITS);
    site.build(&[], 0);
    origin.answer(|_| Said::page("<h1>Back soon"));
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    let order = |path: &str, body: &str| server.call("POST", path, &token, body);
    let trigger = || {
        let answer = order(
            "/api/sites/site/crawl-translate",
            r#"{"targetLangs":["es"]}"#,
        );
        server.wait_for(answer.header("location").unwrap(), &token)
    };
    let run = trigger();
    assert_eq!(
        (&run["status"], &run["sourceSuspect"]["keptPages"]),
        (&"completed".into(), &(PAGES + 1).into()),
        "{run}"
    );
    assert!(
        run["failures"]
            .as_array()
            .unwrap()
            .iter()
            .any(|failure| failure["code"] == "source_suspect"),
        "{run}"
    );
    let accept = |run: &Value| {
        format!(
            "/api/sites/site/runs/{}/accept",
            run["runId"].as_str().unwrap()
        )
    };
    let answer = order(&accept(&run), "");
    assert_eq!(answer.status, 202, "{}", answer.json);
    let location = answer.header("location").unwrap();
    assert_eq!(
        location,
        format!(
            "/api/sites/site/runs/{}",
            answer.json["runId"].as_str().unwrap()
        )
    );
    let accepting = server.wait_for(location, &token);
    assert_eq!(
        (&accepting["sourceSuspect"], pages(&site).len()),
        (&Value::Null, 1),
        "{accepting}"
    );
    for of in [&run, &accepting] {
        let again = order(&accept(of), "");
        assert_eq!(
            (again.status, &again.json["details"]["code"]),
            (409, &"run_not_suspect".into()),
            "{}",
            again.json
        );
    }
    let unknown = order(
        "/api/sites/site/runs/01939f1c-0000-7000-8000-000000000000/accept",
        "",
    );
    assert_eq!(
        (unknown.status, &unknown.json["details"]["code"]),
        (404, &"run_not_found".into())
    );
    // The command line goes the same way, with the same exit codes.
    origin.answer(|path| {
        if path == "/" {
            Said::redirect("/login")
        } else {
            Said::page("<p>Log in")
        }
    });
    let server_option = format!("http://{}", server.address);
    let remote = |arguments: &[&str]| {
        let mut command = support::command(site.folder());
        command
            .args(["build", "--json", "--quiet", "--server", &server_option])
            .args(arguments);
        let output = command.env("LATIMER_TOKEN", &token).output().unwrap();
        let report = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
        (
            output.status.code().unwrap(),
            report,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, report, said) = remote(&[]);
    assert_eq!(code, 7, "{report} {said}");
    let suspect = report["sites"][0]["run"]["runId"]
        .as_str()
        .unwrap()
        .to_owned();
    let (code, report, said) = remote(&["--accept-source", &suspect]);
    assert_eq!(
        (code, &report["sites"][0]["run"]["sourceSuspect"]),
        (0, &Value::Null),
        "{report} {said}"
    );
}

/// Two builders with a source and a state each, and one store. Anna is the site.
fn two_builders(anna: &Origin, berta: &Origin, bertas: &str) -> Site {
    let site = Site::new("", &[]);
    for (name, origin, crawl) in [("berta", berta, bertas), ("anna", anna, "")] {
        let keys = site_of(origin, crawl)
            .read("latimer.toml")
            .replace("\"pseudo\"", "\"marking\"");
        site.write(
            &format!("{name}/latimer.toml"),
            &format!("{keys}[store]\nobjects = \"../dist\"\n{MARKING}"),
        );
        build_of(&site, name, 0);
    }
    site
}

#[track_caller]
fn build_of(site: &Site, builder: &str, code: i32) -> Value {
    let ran = support::latimer(&site.path(builder), &["build", "--json", "--quiet"], b"");
    assert_eq!(ran.code, code, "{builder}: {}", ran.stderr);
    ran.json()["sites"][0].clone()
}

/// Lets Berta build from a source that answers so; Anna's source changes and Anna builds while Berta crawls.
#[track_caller]
fn build_during_a_crawl(
    site: &Site,
    (berta, bertas): (&Origin, impl Fn(&str) -> Said + Send + 'static),
    (anna, annas): (&Origin, impl Fn(&str) -> Said + Send + 'static),
    codes: [i32; 2],
) {
    let ((reached, crawling), (done, wait)) = (channel(), channel::<()>());
    berta.answer(move |path| {
        if number(path) == 7 {
            let _ = reached.send(());
            // Only until Anna has built.
            let _ = wait.recv();
        }
        bertas(path)
    });
    std::thread::scope(|scope| {
        let building = scope.spawn(|| build_of(site, "berta", codes[0]));
        crawling.recv_timeout(support::web::PATIENCE).unwrap();
        anna.answer(annas);
        build_of(site, "anna", codes[1]);
        drop(done);
        building.join().unwrap();
    });
}

/// A good half and a bad half.
fn half(
    good: impl Fn(&str) -> Said + Send + 'static,
    bad: fn() -> Said,
) -> impl Fn(&str) -> Said + Send + 'static {
    move |path| if number(path) > 20 { bad() } else { good(path) }
}

/// Says for each page which words stand on it, in the language that readers get.
#[track_caller]
fn assert_notes(site: &Site, count: usize, note: impl Fn(usize) -> &'static str) {
    let pages = pages(site);
    assert_eq!(pages.len(), count, "{:?}", pages.keys());
    for (name, html) in pages {
        let note = note(number(&format!("/{}", name.trim_end_matches("index.html"))));
        assert!(
            html.contains(&format!("¡{note}")),
            "{name} has no {note:?}: {html}"
        );
    }
}

/// Answers of a bad half.
const BAD: [fn() -> Said; 2] = [
    || Said::status(404),
    || Said::page("<p>Checking your browser"),
];

#[test]
fn what_the_guard_keeps_is_what_another_builder_published_last() {
    let (anna, berta) = (
        Origin::start(healthy("Open.")),
        Origin::start(healthy("Open.")),
    );
    let site = two_builders(&anna, &berta, "");
    // Anna's deployment is the newest when Berta's source turns bad.
    anna.answer(grown("Closed on Mondays.", &[41]));
    build_of(&site, "anna", 0);
    for (bad, note) in BAD.into_iter().zip(["Open at ten.", "Open at nine."]) {
        berta.answer(half(healthy(note), bad));
        suspect(&build_of(&site, "berta", 7));
        assert_notes(&site, PAGES + 2, |number| {
            if number > 20 {
                "Closed on Mondays."
            } else {
                note
            }
        });
    }
    // It becomes the newest while Berta crawls, and has a page that Berta never saw.
    for (bad, notes, more) in [
        (
            BAD[0],
            ["Open at eight.", "Closed on Tuesdays."],
            &[41, 43][..],
        ),
        (
            BAD[1],
            ["Open at six.", "Closed on Fridays."],
            &[41, 43, 45],
        ),
    ] {
        build_during_a_crawl(
            &site,
            (&berta, half(healthy(notes[0]), bad)),
            (&anna, grown(notes[1], more)),
            [7, 0],
        );
        assert_notes(&site, PAGES + 1 + more.len(), |number| {
            notes[usize::from(number > 20)]
        });
    }
    // The origin's 410 removes a page all the same.
    let good = half(healthy("Open at five."), BAD[0]);
    let manner = move |path: &str| {
        if number(path) == 12 {
            Said::status(410)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(
        &site,
        (&berta, manner),
        (&anna, grown("Closed on Sundays.", &[41, 43, 45])),
        [7, 0],
    );
    assert_notes(&site, PAGES + 3, |number| {
        if number > 20 {
            "Closed on Sundays."
        } else {
            "Open at five."
        }
    });
}

#[test]
fn what_a_crawl_could_not_take_or_was_not_to_take_is_the_other_builders() {
    let (anna, berta) = (
        Origin::start(healthy("Open.")),
        Origin::start(healthy("Open.")),
    );
    let site = two_builders(&anna, &berta, "max_new = 2\n");
    // A page that cannot be fetched.
    let good = healthy("Open at ten.");
    let forbidden = move |path: &str| {
        if number(path) == 12 {
            Said::status(403)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(
        &site,
        (&berta, forbidden),
        (&anna, healthy("Closed on Mondays.")),
        [6, 0],
    );
    assert_notes(&site, PAGES + 1, |number| {
        if number == 12 {
            "Closed on Mondays."
        } else {
            "Open at ten."
        }
    });
    // More new pages than Berta may take, three of which Anna has published meanwhile.
    let flood = grown("Open at nine.", &[41, 43, 45, 47]);
    build_during_a_crawl(
        &site,
        (&berta, flood),
        (&anna, grown("Closed on Tuesdays.", &[41, 43, 45])),
        [7, 0],
    );
    assert_notes(&site, PAGES + 4, |number| {
        if number > PAGES {
            "Closed on Tuesdays."
        } else {
            "Open at nine."
        }
    });
}

#[test]
fn a_page_that_another_builder_saw_go_does_not_come_back() {
    let (anna, berta) = (
        Origin::start(healthy("Open.")),
        Origin::start(healthy("Open.")),
    );
    let site = two_builders(&anna, &berta, "");
    let good = healthy("Closed on Mondays.");
    let without = move |path: &str| {
        if number(path) == 30 {
            Said::status(410)
        } else {
            good(path)
        }
    };
    // Berta cannot fetch the page and would keep it.
    let good = healthy("Open at ten.");
    let failing = move |path: &str| {
        if number(path) == 30 {
            Said::status(403)
        } else {
            good(path)
        }
    };
    build_during_a_crawl(&site, (&berta, failing), (&anna, without), [6, 6]);
    let pages = pages(&site);
    assert!(
        pages.len() == PAGES && !pages.contains_key("p/30/index.html"),
        "{:?}",
        pages.keys()
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
