//! What `latimer audit` finds: on a small site nothing, with one defect planted exactly that, and on what Latimer makes
//! itself nothing either.
//!
//! `fixtures/audit/clean` is the site, `fixtures/audit/planted.txt` says what is planted and what has to be found.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Output;

use pipeline::audit::RULES;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::origin::{Origin, Said};
use crate::support::{self, Site, command, copy, repository, tool};

/// One thing that is planted, and what follows of it.
#[derive(Debug, Default)]
struct Case {
    rule: String,
    edits: Vec<Edit>,
    /// As `page:line rule`, sorted.
    found: Vec<String>,
}

/// A change of one file; without `old` the file is written anew.
#[derive(Debug, Default)]
struct Edit {
    file: String,
    is_new: bool,
    old: String,
    new: Vec<String>,
}

fn planted() -> Vec<Case> {
    let text = std::fs::read_to_string(repository().join("fixtures/audit/planted.txt")).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for line in text
        .lines()
        .skip_while(|line| !line.starts_with("## "))
        .filter(|line| !line.is_empty())
    {
        if let Some(rule) = line.strip_prefix("## ") {
            cases.push(Case {
                rule: rule.to_owned(),
                ..Case::default()
            });
            continue;
        }
        let case = cases.last_mut().unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "edit" | "write" => {
                case.edits.push(Edit {
                    file: rest.into(),
                    is_new: word == "write",
                    ..Edit::default()
                });
            }
            "-" => case.edits.last_mut().unwrap().old = rest.into(),
            "+" => case.edits.last_mut().unwrap().new.push(rest.into()),
            "find" => case.found.push(rest.into()),
            _ => panic!("planted.txt: {line:?}"),
        }
    }
    cases
}

/// The clean site with a defect in it.
fn plant(case: &Case) -> TempDir {
    let folder = TempDir::new().unwrap();
    copy(
        &repository().join("fixtures/audit/clean"),
        folder.path(),
        &|_| true,
    );
    for edit in &case.edits {
        let path = folder.path().join(&edit.file);
        let text = match edit.is_new {
            true => edit.new.join("\n"),
            false => {
                let text = std::fs::read_to_string(&path).unwrap();
                assert_eq!(
                    text.matches(&edit.old).count(),
                    1,
                    "{}: {} has {:?}",
                    case.rule,
                    edit.file,
                    edit.old
                );
                text.replace(&edit.old, &edit.new.join("\n"))
            }
        };
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // A byte that is no UTF-8 cannot stand in the list itself.
        let bytes: Vec<u8> = text
            .split("\\xE9")
            .collect::<Vec<_>>()
            .join("\u{1}")
            .into_bytes();
        let bytes: Vec<u8> = bytes
            .into_iter()
            .map(|byte| if byte == 1 { 0xe9 } else { byte })
            .collect();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

fn audit(folder: &Path, arguments: &[&str]) -> Output {
    command(folder)
        .arg("audit")
        .args(arguments)
        .output()
        .unwrap()
}

/// What is found, as `page:line rule`, sorted, and the whole report.
fn found(target: &str, arguments: &[&str]) -> (Vec<String>, Value) {
    let output = audit(repository(), &[&[target, "--json"], arguments].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let findings = report["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{report}"));
    let shown = |finding: &Value| {
        let line = finding["line"]
            .as_u64()
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        format!(
            "{}{line} {}",
            finding["page"].as_str().unwrap(),
            finding["rule"].as_str().unwrap()
        )
    };
    let mut shown: Vec<String> = findings.iter().map(shown).collect();
    shown.sort();
    let is_wrong = findings.iter().any(|finding| finding["severity"] != "note");
    assert_eq!(output.status.code(), Some(i32::from(is_wrong)), "{shown:?}");
    (shown, report)
}

#[test]
fn what_is_planted_is_found_and_nothing_else() {
    let cases = planted();
    let planted: BTreeSet<&str> = cases.iter().map(|case| case.rule.as_str()).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(planted, rules, "every rule has a case in planted.txt");
    let mut wrong = Vec::new();
    for mut case in cases {
        let folder = plant(&case);
        let (given, report) = found(folder.path().to_str().unwrap(), &[]);
        case.found.sort();
        assert!(
            case.found.iter().all(|found| found.ends_with(&case.rule)),
            "{}",
            case.rule
        );
        if given != case.found {
            wrong.push(format!(
                "{}: {given:?}, not {:?}: {:#}",
                case.rule, case.found, report["findings"]
            ));
        }
        let (left, _) = found(folder.path().to_str().unwrap(), &["--allow", &case.rule]);
        if !left.is_empty() {
            wrong.push(format!("{} is switched off: {left:?}", case.rule));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_clean_site_has_no_findings() {
    let folder = plant(&Case::default());
    let (given, report) = found(folder.path().to_str().unwrap(), &[]);
    assert_eq!(given, Vec::<String>::new(), "{report:#}");
    assert_eq!(
        (&report["pages"], &report["source_locale"]),
        (&7.into(), &"en".into())
    );
}

#[test]
fn every_rule_has_its_heading_in_the_documentation() {
    let text = std::fs::read_to_string(repository().join("docs/audit.md")).unwrap();
    let headings: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
        .collect();
    assert_eq!(
        headings,
        RULES.iter().map(|rule| rule.id).collect::<Vec<_>>()
    );
}

/// The bakery in all its languages, pseudo ones too, in each of the layouts that Latimer writes.
#[test]
fn what_latimer_makes_has_no_findings() {
    for pattern in [
        "https://www.heronandrye.example/{lang}",
        "https://{lang}.heronandrye.example",
        "",
    ] {
        let site = Site::fixture("bakery");
        let line = "url = \"https://www.heronandrye.example/{lang}\"";
        let pattern_line = if pattern.is_empty() {
            String::new()
        } else {
            format!("url = \"{pattern}\"")
        };
        site.edit("latimer.toml", line, &pattern_line);
        site.build(&[], 0);
        let (given, report) = found(site.path("dist/bakery").to_str().unwrap(), &[]);
        assert_eq!(given, Vec::<String>::new(), "{pattern}: {report:#}");
        assert_eq!(report["pages"], 70, "{pattern}");
    }
}

#[test]
fn a_site_all_of_whose_pages_lie_in_one_folder_has_no_findings() {
    let keys = "locales = [\"es\"]\nengine = \"pseudo\"\nurl = \"https://www.example.com/{lang}\"\n\
                [site.locale.es]\nalias = \"spanish\"";
    let page = |title: &str| {
        format!("<!doctype html><html lang=en><title>{title}</title><p><a href=b.html>{title}</a>")
    };
    let pages = [
        ("en/a.html", page("Loaf")),
        ("en/b.html", page("Roll")),
        ("en/c.html", page("Cake")),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, html)| (*name, html.as_str()))
        .collect();
    let site = Site::new(keys, &pages);
    site.build(&[], 0);
    let (given, report) = found(site.path("dist/site").to_str().unwrap(), &[]);
    assert_eq!(given, Vec::<String>::new(), "{report:#}");
}

#[test]
fn a_text_that_was_not_translated_says_its_language_in_what_latimer_makes_r_r3() {
    let site = Site::fixture("bakery");
    site.edit(
        "source/about/index.html",
        "</h1>",
        "</h1><p>Nobody has translated this sentence yet, and so it stays as it is in every language.</p>",
    );
    site.build(&[], 0);
    let (given, _) = found(site.path("dist/bakery").to_str().unwrap(), &[]);
    assert_eq!(given, Vec::<String>::new());
    // The audit finds them on a page that claims to be in Arabic.
    let name = "dist/bakery/ar/about/index.html";
    let marked = "<p lang=\"en\" dir=\"ltr\">Nobody has translated";
    let page = site.read(name);
    assert!(
        page.contains(marked)
            && site
                .read("dist/bakery/ja/about/index.html")
                .contains("<p lang=\"en\">Nobody has")
    );
    site.write(name, &page.replace(marked, "<p>Nobody has translated"));
    let (given, _) = found(site.path("dist/bakery").to_str().unwrap(), &[]);
    assert!(
        given.len() == 1 && given[0].ends_with("untranslated-block"),
        "{given:?}"
    );
}

/// Serves the files of a folder, as a static host does, with headers for some of them.
fn host(folder: PathBuf, headers: BTreeMap<String, String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            answer(stream, &folder, &headers);
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path, headers: &BTreeMap<String, String>) {
    let mut first = String::new();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    if let Some(Ok(line)) = lines.next() {
        first = line;
    }
    lines
        .take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty()))
        .for_each(drop);
    let path = first.split(' ').nth(1).unwrap_or("/").to_owned();
    let names = [
        format!("{path}index.html"),
        path.clone(),
        format!("{path}.html"),
    ];
    let name = names
        .iter()
        .find(|name| folder.join(name.trim_start_matches('/')).is_file());
    let moved = folder
        .join(format!("{}/index.html", path.trim_start_matches('/')))
        .is_file();
    let header = headers
        .get(&path)
        .map(|header| format!("{header}\r\n"))
        .unwrap_or_default();
    let (status, header, body) = match name {
        Some(name) => {
            let kind = match name.rsplit('.').next() {
                Some("html") => "text/html; charset=utf-8",
                Some("xml") => "application/xml",
                _ => "text/plain",
            };
            let body = std::fs::read(folder.join(name.trim_start_matches('/'))).unwrap();
            ("200 OK", format!("{header}content-type: {kind}\r\n"), body)
        }
        None if moved && !path.ends_with('/') => {
            ("301 Moved", format!("location: {path}/\r\n"), Vec::new())
        }
        None => (
            "404 Not Found",
            String::from("content-type: text/plain\r\n"),
            Vec::new(),
        ),
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = stream.write_all(&body);
}

/// The clean site with a defect in it, served, with the server's own address in its pages.
fn serve(case: &Case, headers: &[(&str, &str)]) -> (TempDir, String) {
    let folder = plant(case);
    let headers = headers
        .iter()
        .map(|(path, header)| ((*path).to_owned(), (*header).to_owned()))
        .collect();
    let address = host(folder.path().to_owned(), headers);
    let files = support::files(folder.path());
    for (name, bytes) in files.iter().filter(|(name, _)| !name.ends_with(".css")) {
        if let Ok(text) = std::str::from_utf8(bytes) {
            std::fs::write(
                folder.path().join(name),
                text.replace("https://loaf.example", &address),
            )
            .unwrap();
        }
    }
    (folder, address)
}

#[test]
fn a_site_on_the_web_is_audited_like_a_folder() {
    let (_folder, address) = serve(&Case::default(), &[]);
    let (given, report) = found(&format!("{address}/"), &[]);
    assert_eq!(given, Vec::<String>::new(), "{report:#}");
    assert_eq!(
        (&report["pages"], &report["sitemaps"]),
        (&6.into(), &1.into()),
        "nothing leads to the search page"
    );
    // What cannot be told on the web: nothing leads to this page; a style sheet is not asked for.
    let only_folders = [
        "lang-missing",
        "lang-invalid",
        "encoding-broken",
        "hreflang-outside-head",
        "hreflang-relative",
        "canonical-lost",
        "fragment-changed",
        "robots-lost",
        "rtl-offscreen",
        "rtl-physical",
        "rtl-letter-spacing",
    ];
    for case in planted()
        .into_iter()
        .filter(|case| !only_folders.contains(&case.rule.as_str()))
    {
        let (_folder, address) = serve(&case, &[]);
        let (given, report) = found(&format!("{address}/"), &[]);
        let rules: BTreeSet<&str> = given
            .iter()
            .map(|found| found.rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(rules, [case.rule.as_str()].into(), "{report:#}");
        assert_eq!(given.len(), case.found.len(), "{given:?}");
    }
}

#[test]
fn headers_count_like_the_head_r_c1() {
    let link = |host: &str| {
        format!("Link: <{host}/de>; rel=\"alternate\"; hreflang=\"de\"\r\nX-Robots-Tag: noindex")
    };
    let (_folder, address) = serve(
        &Case::default(),
        &[("/about", &link("https://loaf.example"))],
    );
    let (given, _) = found(&format!("{address}/"), &["--allow", "sitemap-noindex"]);
    let lost = ["ar", "es"].map(|locale| {
        ["hreflang-lost", "robots-lost"].map(|rule| format!("{address}/{locale}/about {rule}"))
    });
    let contradiction = format!("{address}/about noindex-contradiction");
    assert_eq!(given, [&[contradiction], lost.concat().as_slice()].concat());
    let (_folder, address) = serve(
        &Case::default(),
        &[("/about", "Link: </de>; rel=alternate; hreflang=de")],
    );
    let (given, _) = found(&format!("{address}/"), &[]);
    assert_eq!(
        given,
        ["hreflang-relative", "hreflang-target-missing"]
            .map(|rule| format!("{address}/about {rule}"))
    );
}

#[test]
fn a_site_is_read_as_far_as_robots_and_the_limit_let_us() {
    let (folder, address) = serve(&Case::default(), &[]);
    let (_, report) = found(&format!("{address}/"), &["--max-pages", "2"]);
    assert_eq!(
        (&report["pages"], &report["truncated"]),
        (&2.into(), &true.into())
    );
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /es/\n",
    )
    .unwrap();
    let (given, report) = found(&format!("{address}/"), &[]);
    assert_eq!(
        (given.len(), &report["pages"]),
        (0, &4.into()),
        "{report:#}"
    );
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /\n",
    )
    .unwrap();
    let output = audit(folder.path(), &[&format!("{address}/")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("robots.txt of the site forbids it"));
}

#[test]
fn private_addresses_are_read_at_the_named_host_and_port_alone() {
    let canary = Origin::start(|_| Said::page("<!doctype html><title>Bread</title><p>Bread"));
    let page = canary.address.clone();
    let port = page.rsplit(':').next().unwrap().to_owned();
    let named = Origin::start(|_| Said::status(404));
    let own = named.address.clone();
    named.answer(move |path| match path {
        "/robots.txt" => Said::css(format!("Sitemap: {page}sitemap.xml\nSitemap: {own}away.xml\n")),
        "/" => Said::page(format!(
            "<!doctype html><html lang=en><link rel=alternate hreflang=es href={page}es/><link rel=canonical href={page}>\
             <link rel=alternate hreflang=fr href=http://localhost:{port}fr/><title>Bread</title><a href=/moved>Bread</a>"
        )),
        _ => Said::redirect(&page),
    });
    found(&named.address, &[]);
    let asked: Vec<String> = named.asked().into_iter().map(|(path, _)| path).collect();
    for path in ["/", "/away.xml", "/moved", "/robots.txt"] {
        assert!(asked.contains(&path.to_owned()), "{path}: {asked:?}");
    }
    assert_eq!(canary.asked(), []);
}

#[test]
fn files_that_stay_as_they_are_are_compared_with_the_source_r_s19() {
    let page = |lang: &str, head: &str, words: &str| {
        format!(
            "<!doctype html><html lang={lang}><head><title>{words}</title>{head}</head><body><p>{words}</p></body></html>"
        )
    };
    let german = "Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es am Morgen in den Ofen kommt.";
    let names = "<link rel=alternate hreflang=en href=https://www.example.com/about.html>";
    let (home, about, kept) = (
        page("en", "", "Bread"),
        page("en", "", "About"),
        page("de", names, german),
    );
    let pages = [
        ("index.html", &*home),
        ("about.html", &*about),
        ("de/index.html", &*kept),
        ("menu.html", "<ul><li>Loaves of the day</li></ul>"),
        (
            "google8d1c1c2f3b4a5e6d.html",
            "google-site-verification: google8d1c1c2f3b4a5e6d.html",
        ),
    ];
    let keys = "locales = [\"es\"]\nengine = \"pseudo\"\nkeep = [\"/de/**\"]\nsource_url = \"https://www.example.com\"\n";
    for url in [
        "https://www.example.com/{lang}",
        "https://{lang}.example.com",
    ] {
        let site = Site::new(&format!("{keys}url = \"{url}\"\n"), &pages);
        site.build(&[], 0);
        let (folder, source) = (site.path("dist/site"), site.path("source"));
        let audit = |rule: &str| {
            let (given, report) = found(
                folder.to_str().unwrap(),
                &["--source", source.to_str().unwrap()],
            );
            let given: Vec<String> = given
                .into_iter()
                .filter(|found| found.ends_with(rule))
                .collect();
            (given, report)
        };
        let (given, report) = audit("fragment-changed");
        assert_eq!(given, Vec::<String>::new(), "{url}: {report:#}");
        for name in ["menu.html", "google8d1c1c2f3b4a5e6d.html", "de/index.html"] {
            let text = site.read(&format!("source/{name}"));
            site.write(&format!("source/{name}"), &text.replacen('e', "E", 1));
        }
        let (given, report) = audit("fragment-changed");
        assert_eq!(given.len(), 3, "{url}: {report:#}");
        let said = report["findings"].to_string();
        assert!(
            said.contains("source/menu.html, which is a fragment of other pages"),
            "{said}"
        );
        assert!(
            said.contains("which is a proof of ownership") && said.contains("published as it is"),
            "{said}"
        );
    }
}

#[test]
fn wrong_arguments_are_usage() {
    let folder = TempDir::new().unwrap();
    for (arguments, said) in [
        (&["missing"][..], "there is no folder missing"),
        (&["."], "there is no HTML file in"),
        (
            &[".", "--allow", "no-such-rule"],
            "there is no rule `no-such-rule`",
        ),
        (&[".", "--format", "yaml"], "there is no format `yaml`"),
        (
            &["http://127.0.0.1:1/", "--base", "https://h.example/"],
            "--base goes with a folder",
        ),
        (
            &["http://127.0.0.1:1/", "--source", "."],
            "--source goes with a folder",
        ),
        (&[".", "--source", "missing"], "there is no folder missing"),
    ] {
        let output = audit(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(said), "{arguments:?}: {errors}");
    }
}

#[test]
fn text_is_grouped_by_page_and_ends_with_the_rules() {
    let case = planted()
        .into_iter()
        .find(|case| case.rule == "lang-invalid")
        .unwrap();
    let folder = plant(&case);
    let output = audit(folder.path(), &["."]);
    let text = String::from_utf8(output.stdout).unwrap();
    let start = "search.html\n  2: error lang-invalid: \"en_US\" has an underscore where BCP 47 has a hyphen\n\n1 × lang-invalid (error)\n";
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.ends_with("1 finding in 7 pages and 1 sitemap\n"),
        "{text}"
    );
}

mod needs_sarif {
    use super::*;

    #[test]
    #[ignore = "needs the schema of SARIF"]
    fn sarif_is_valid() {
        // One pattern of the schema has a bracket too many, which only JavaScript takes for a letter.
        let text = std::fs::read_to_string(tool("LATIMER_TEST_SARIF"))
            .unwrap()
            .replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
        let schema: Value = serde_json::from_str(&text).unwrap();
        let mut compiler = boon::Compiler::new();
        compiler.add_resource("urn:sarif", schema).unwrap();
        let mut schemas = boon::Schemas::new();
        let whole = compiler.compile("urn:sarif", &mut schemas).unwrap();
        for case in planted().into_iter().chain([Case::default()]) {
            let folder = plant(&case);
            let output = audit(folder.path(), &[".", "--format", "sarif"]);
            let log: Value = serde_json::from_slice(&output.stdout).unwrap();
            let checked = schemas
                .validate(&log, whole)
                .map_err(|error| error.to_string());
            assert_eq!(checked, Ok(()), "{}", case.rule);
            assert_eq!(
                log["runs"][0]["results"].as_array().unwrap().len(),
                case.found.len(),
                "{}",
                case.rule
            );
        }
    }
}
