//! Publishing to hosts: what lies there answers as `latimer serve` does, nothing of others is touched, what a host cannot do
//! is said before anything is sent, and a publishing that is killed is made good by the next.

use std::fs;
use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Ran, Site};

mod buckets;
mod by_server;
mod cloudfront;
mod emulator;
mod folders;
mod host_files;
mod htaccess;
mod killed;
mod names;
mod needs_azurite;
mod needs_emulators;
mod needs_hosts;
mod needs_moto;
mod needs_node;
mod of_others;
mod once;
mod parity;

/// A site with a page that one language lacks, a path of its own and one from before, a feed and a page for what is not
/// found. `more` goes into its table, `after` behind it.
pub(super) fn site(more: &str, after: &str) -> Site {
    let page = |title: &str, text: &str| {
        format!("<!doctype html><html lang=en><title>{title}</title><body><p>{text}</p>")
    };
    let feed = "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>Home</title>\
                <link>https://www.example.com/</link><description>We bake bread</description></channel></rss>";
    let pages = [
        (
            "index.html",
            page("Home", "See <a href=/about/>about us</a>"),
        ),
        ("404.html", page("Nothing", "Nothing is here")),
        ("plain.html", page("Plain", "A plain page")),
        ("about/index.html", page("About us", "We bake bread")),
        ("about/team/index.html", page("Team", "Our team")),
        ("news/index.html", page("News", "The news")),
        ("news/one.html", page("One", "The first of many")),
        ("docs/old/index.html", page("Old", "Old papers are here")),
        ("docs/a b.html", page("Odd", "An odd name")),
        ("docs/tarta de maíz.html", page("Maize", "A maize cake")),
        ("x.png", "x".to_owned()),
        ("docs/y.txt", "y".to_owned()),
        ("app.3f2a9b1c.js", "1".to_owned()),
        ("feed.xml", feed.to_owned()),
    ];
    let pages: Vec<(&str, &str)> = pages
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let keys = "locales = [\"es\", \"fr\", \"pt-BR\", \"en-XA\"]\ntranslations = \"translations/{lang}.po\"\n\
                slugs = \"slugs/{lang}.csv\"\nengine = \"fx\"\n";
    let site = Site::new(
        &format!("{keys}{more}\n[site.locale.pt-BR]\nalias = \"br\"\n{after}"),
        &pages,
    );
    let words = [
        ("Home", "Inicio"),
        (
            "See <g id=\\\"1\\\">about us</g>",
            "Vea <g id=\\\"1\\\">sobre nosotros</g>",
        ),
        ("Nothing", "Nada"),
        ("Nothing is here", "Nada hay aquí"),
        ("Plain", "Llano"),
        ("A plain page", "Una página llana"),
        ("About us", "Nosotros"),
        ("We bake bread", "Horneamos pan"),
        ("Maize", "Maíz"),
        ("A maize cake", "Una tarta"),
    ];
    let entries = words
        .map(|(source, text)| format!("msgid \"{source}\"\nmsgstr \"{text}\"\n\n"))
        .concat();
    let head = "msgid \"\"\nmsgstr \"\"\n\"Language: es\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    site.write("translations/es.po", &format!("{head}{entries}"));
    site.write(
        "slugs/es.csv",
        "path,slug\n/about/,/quiénes/somos/\n/about/,/antes/\n",
    );
    site
}

pub(super) const URL: &str = "url = \"https://www.example.com/{lang}\"";

fn publish(site: &Site, arguments: &[&str]) -> Ran {
    site.run(&[&["publish", "--quiet"], arguments].concat())
}

/// Publishes and gives the report.
#[track_caller]
fn published(site: &Site, arguments: &[&str]) -> Value {
    let ran = publish(site, &[&["--json"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran.json()["publish"].clone()
}

fn folder(layout: &str) -> String {
    format!(
        "[publish.live]\nkind = \"folder\"\nhost = \"nginx\"\nto = \"www\"\nlayout = \"{layout}\"\n"
    )
}

#[test]
fn the_store_keeps_what_a_target_shows() {
    let site = site(
        URL,
        &format!("{}[store]\nkeep_deployments = 1\n", folder("plain")),
    );
    site.build(&[], 0);
    published(&site, &[]);
    for text in ["We bake bread", "Our team", "The news"] {
        let page = format!("<!doctype html><html lang=en><title>Plain</title><body><p>{text}</p>");
        site.write("source/plain.html", &page);
        site.build(&[], 0);
    }
    assert!(
        site.path("dist/site/_deployments/1.json").exists(),
        "the target shows it"
    );
    assert!(
        !site.path("dist/site/_deployments/2.json").exists(),
        "nobody shows it"
    );
    published(&site, &["--deployment", "1", "--verify"]);
    published(&site, &[]);
    site.write(
        "source/plain.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>Plain</p>",
    );
    site.build(&[], 0);
    assert!(
        !site.path("dist/site/_deployments/1.json").exists(),
        "the target shows another"
    );
}

#[test]
fn what_a_host_cannot_do_is_said_before_anything_is_sent() {
    let target = |host: &str, more: &str| {
        format!(
            "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"www\"\n{more}"
        )
    };
    let check = |keys: &str, host: &str, said: &[&str]| {
        let site = site(&format!("{URL}\n{keys}"), &target(host, ""));
        site.build(&[], 0);
        publish(&site, &[]).failed(5, said);
        publish(&site, &["--dry-run"]).failed(5, said);
        assert!(!site.path("www").exists(), "{host}: nothing is sent");
    };
    let cannot = "cannot redirect: 5 pages are missing in es (307), 10 pages are missing in fr (307), 10 pages are missing in \
                  pt-BR (307), 2 paths have moved (308); use redirects = \"pages\", missing = \"notice\", or another host";
    check("", "github-pages", &[cannot]);
    check(
        "missing = \"gone\"",
        "cloudflare-pages",
        &["cannot answer 410: 25 pages are gone", "missing = \"404\""],
    );
    check(
        "accept_language = true",
        "firebase",
        &["cannot send readers of / to their language (accept_language)"],
    );
    // The site has pages with spaces in their names, which end a path in Netlify's list.
    check(
        "",
        "netlify",
        &[
            "cannot be told of 5 addresses",
            "such as /br/docs/a%20b.html",
        ],
    );
    let site = site(URL, &target("github-pages", "redirects = \"pages\"\n"));
    site.build(&[], 0);
    published(&site, &[]);
    let page = site.read("www/es/about/index.html");
    assert!(
        page.contains("<meta http-equiv=\"refresh\" content=\"0; url=/es/qui%C3%A9nes/somos/\">"),
        "{page}"
    );
    assert!(site.path("www/.nojekyll").exists());
}

#[test]
fn a_program_gets_a_folder_and_what_it_refuses_is_not_remembered() {
    let target = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\nto = \"out\"\n\
                  command = [\"sh\", \"upload.sh\", \"{dir}\", \"two words\"]\n";
    let site = site(URL, target);
    site.build(&[], 0);
    site.write("upload.sh", "echo \"the key is wrong\" >&2\nexit 3\n");
    publish(&site, &[]).failed(1, &["sh ended with 3", "the key is wrong"]);
    assert!(
        !site
            .path("dist/site/_deployments/targets/live.json")
            .exists()
    );
    site.write(
        "upload.sh",
        "rm -rf there && cp -r \"$1\" there && echo \"$2\" > argument\n",
    );
    published(&site, &[]);
    assert_eq!(site.read("argument"), "two words\n");
    assert!(site.path("there/es/index.html").exists() && site.path("there/_redirects").exists());
    fs::remove_dir_all(site.path("there")).unwrap();
    published(&site, &[]);
    assert!(
        !site.path("there").exists(),
        "nothing changed, so nobody is asked"
    );
}

#[test]
fn a_program_that_leaves_another_running_holds_nobody_up() {
    let target = "[publish.live]\nkind = \"command\"\nhost = \"cloudflare-pages\"\ncommand = [\"sh\", \"upload.sh\"]\n";
    let site = site(URL, target);
    site.build(&[], 0);
    site.write(
        "upload.sh",
        "sleep 60 &\necho \"the key is wrong\"\nexit 3\n",
    );
    let start = Instant::now();
    publish(&site, &[]).failed(1, &["sh ended with 3", "the key is wrong"]);
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn the_files_for_a_server_are_written_where_their_folder_is_lost() {
    let target = "[publish.live]\nkind = \"command\"\nhost = \"nginx\"\ncommand = [\"true\"]\n";
    let site = site(URL, target);
    site.build(&[], 0);
    published(&site, &[]);
    fs::remove_dir_all(site.path(".latimer/publish")).unwrap();
    published(&site, &[]);
    assert!(
        site.path(".latimer/publish/live.latimer.nginx.conf")
            .exists()
    );
    assert!(
        !site.path(".latimer/publish/live").exists(),
        "nothing changed, so the program gets nothing"
    );
    published(&site, &["--verify"]);
    assert!(
        site.path(".latimer/publish/live/es/index.html").exists(),
        "and here it gets everything"
    );
}

/// A site of pages with an edition in each, and a file that each page names.
fn edition(site: &Site, edition: usize) {
    for page in 0..60 {
        let html = format!(
            "<!doctype html><html lang=en><title>Page</title><script src=/s-{edition}.js></script><p>edition {edition}</p>"
        );
        site.write(&format!("source/part{}/page{page}.html", page % 7), &html);
    }
    let _ = fs::remove_file(site.path(&format!("source/s-{}.js", edition.wrapping_sub(1))));
    site.write(&format!("source/s-{edition}.js"), "1");
}

/// A site of one page in two languages.
fn small_site(target: &str) -> Site {
    let keys = format!(
        "locales = [\"es\"]\nengine = \"fx\"\n{URL}\ntranslations = \"{{lang}}.po\"\n{target}"
    );
    let site = Site::new(
        &keys,
        &[(
            "index.html",
            "<!doctype html><html lang=en><title>Home</title><p>Home",
        )],
    );
    site.write(
        "es.po",
        "msgid \"\"\nmsgstr \"\"\n\"Language: es\\n\"\n\nmsgid \"Home\"\nmsgstr \"Inicio\"\n",
    );
    site
}

#[test]
fn limits_are_counted_before_anything_is_sent() {
    let hosts = [
        "github-pages",
        "azure-swa",
        "firebase",
        "vercel",
        "gitlab-pages",
        "cloudflare-pages",
    ];
    let target = |host: &str| {
        format!("[publish.{host}]\nkind = \"folder\"\nhost = \"{host}\"\nto = \"{host}\"\n")
    };
    let targets = hosts.map(target).concat();
    // Pages beside files of the same folder, so that no folder is missing as a whole.
    let write = |site: &Site, pages: Range<usize>| {
        for page in pages {
            site.write(
                &format!("source/p{page}.html"),
                "<!doctype html><html lang=en><title>Page</title><p>Page",
            );
        }
        site.build(&[], 0);
    };
    let check = |site: &Site, host: &str, said: &[&str]| {
        let ran = publish(site, &[host, "--dry-run"]);
        match said {
            [] => assert_eq!(ran.code, 0, "{host}: {}", ran.stderr),
            said => ran.failed(5, said),
        }
        assert!(!site.path(host).exists(), "{host}");
    };
    for (hosts, most) in [
        (&["firebase", "vercel", "gitlab-pages"][..], 1000),
        (&["cloudflare-pages"], 2000),
    ] {
        let site = small_site(&targets);
        write(&site, 0..most);
        hosts.iter().for_each(|host| check(&site, host, &[]));
        write(&site, most..most + 1);
        for host in hosts {
            let said = format!(
                "{host} takes {most} redirects, and this site needs {}",
                most + 1
            );
            check(&site, host, &[&said]);
        }
    }
    let site = small_site(&targets);
    write(&site, 0..400);
    check(
        &site,
        "azure-swa",
        &["azure-swa takes 20480 bytes of rules, and this site needs"],
    );
    let site = small_site(&targets);
    fs::File::create(site.path("source/large.bin"))
        .unwrap()
        .set_len(26 << 20)
        .unwrap();
    write(&site, 0..1);
    check(
        &site,
        "github-pages",
        &["github-pages cannot redirect: 1 page is missing in es (307)"],
    );
    check(
        &site,
        "cloudflare-pages",
        &["holds files of at most 26214400 bytes, and large.bin has 27262976"],
    );
}

#[test]
fn names_that_a_host_would_read_as_patterns_are_refused_or_written_safely() {
    let check = |host: &str, names: &[String], said: &[&str]| {
        let target = format!(
            "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"www\"\n"
        );
        let site = small_site(&target);
        for name in names {
            site.write(
                &format!("source/{name}"),
                "<!doctype html><html lang=en><title>Page</title><p>Page",
            );
        }
        site.build(&[], 0);
        match said {
            [] => drop(published(&site, &[])),
            said => publish(&site, &[]).failed(5, said),
        }
        site
    };
    let one = |name: &str| [name.to_owned()];
    let many = |count: usize, folder: &str, ending: &str| -> Vec<String> {
        (0..count)
            .map(|number| format!("{folder}p{number}{ending}"))
            .collect()
    };
    check(
        "netlify",
        &one("a*b.html"),
        &["netlify cannot be told of 1 address"],
    );
    check(
        "gitlab-pages",
        &one("a:b.html"),
        &["gitlab-pages cannot be told of 1 address"],
    );
    check(
        "firebase",
        &one("a(b).html"),
        &["firebase cannot be told of 1 address"],
    );
    check(
        "vercel",
        &one("a(b).html"),
        &["vercel cannot be told of 1 address"],
    );
    check(
        "apache",
        &one("l'addition"),
        &["apache cannot be told of", "l'addition"],
    );
    check(
        "azure-swa",
        &many(400, "blog/", ".html"),
        &["azure-swa takes 20480 bytes of rules"],
    );
    // The 404 page needs no header: its statement to crawlers stands in its head.
    check("cloudflare-pages", &many(99, "", ""), &[]);
    let many_types = many(100, "", "");
    check(
        "cloudflare-pages",
        &many_types,
        &[
            "takes headers (noindex, Link, types) for 99 addresses",
            "for 100;",
        ],
    );
    let site = check("apache", &one("say-\"hi\".html"), &[]);
    let rules = site.read("www/.htaccess");
    assert!(
        rules.contains(r#"RewriteRule "^es/say-\x22hi\x22\.html$" "#),
        "{rules}"
    );
}

#[test]
fn a_reader_who_asks_for_a_language_keeps_the_home_page_at_netlify() {
    let target =
        "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"netlify\"\nto = \"www\"\n";
    let site = small_site(&format!("accept_language = true\n{target}"));
    site.build(&[], 0);
    published(&site, &[]);
    assert!(
        site.read("www/_redirects")
            .starts_with("/ lang=:lang /index.html 200!\n/ /es/ 302! Language=es\n")
    );
}
