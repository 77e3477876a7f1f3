//! nginx, Apache and Caddy answer as `latimer serve` does, with the files that publishing wrote for them.
//!
//! What differs by the nature of a host stands in its row, is shown by `--dry-run`, and is what these tests let pass.
//!
//! One file: one comparison with three servers.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use super::names::{ODD_NAMES, addresses, named, put_odd_files, stored_names};
use super::parity::{ask, paths, told};
use super::{URL, site};
use crate::support::api::{free_address, pause};
use crate::support::documents::blocks;
use crate::support::nginx;
use crate::support::origin::{Origin, Said};
use crate::support::web::{PATIENCE, Server, get_from};
use crate::support::{MARKING, Site, copy, repository, tool};

pub(super) const HOST: &str = "www.example.com";
const HOSTS: [&str; 3] = ["nginx", "apache", "caddy"];

/// A server of somebody else; ends with this value.
pub(super) struct Foreign {
    pub(super) child: Child,
    pub(super) address: String,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        nginx::end(&mut self.child);
    }
}

impl Foreign {
    /// Starts a server on a published folder, with the snippet beside it, for a host name.
    fn start(host: &str, site: &Site, root: &str, snippet: &str, name: &str) -> Self {
        let tools = tool("LATIMER_TEST_HOSTS");
        let address = free_address();
        let own = site.path(&format!("server-{host}-{name}"));
        fs::create_dir_all(&own).unwrap();
        let folder = own.display();
        let root = site.path(root);
        let snippet = site.path(snippet);
        let root = root.display();
        let snippet = snippet.display();
        let port = address.rsplit(':').next().unwrap();
        let (config, program, arguments): (String, &str, Vec<String>) = match host {
            "nginx" => (
                nginx::configuration(
                    &own,
                    &format!(
                        "server {{ listen {address}; server_name {name}; root {root}; include {snippet}; }}"
                    ),
                ),
                "usr/sbin/nginx",
                vec![
                    "-p".into(),
                    folder.to_string(),
                    "-c".into(),
                    format!("{folder}/config"),
                    "-e".into(),
                    "stderr".into(),
                ],
            ),
            "apache" => {
                let modules = tools.join("usr/lib/apache2/modules");
                let modules = [
                    "mpm_event",
                    "authz_core",
                    "mime",
                    "dir",
                    "alias",
                    "rewrite",
                    "headers",
                ]
                .map(|one| {
                    format!(
                        "LoadModule {one}_module \"{}/mod_{one}.so\"\n",
                        modules.display()
                    )
                });
                (
                    format!(
                        "ServerRoot {folder}\n{}Listen {address}\nServerName {name}\nPidFile {folder}/pid\n\
                         ErrorLog {folder}/errors\nTypesConfig /dev/null\nDocumentRoot {root}\n<Directory {root}>\n\
                         AllowOverride All\nRequire all granted\nOptions FollowSymLinks\n</Directory>\n",
                        modules.concat()
                    ),
                    "usr/sbin/apache2",
                    vec![
                        "-f".into(),
                        format!("{folder}/config"),
                        "-DFOREGROUND".into(),
                    ],
                )
            }
            _ => (
                format!(
                    "{{\n admin off\n auto_https off\n}}\nhttp://{name}:{port} {{\n bind 127.0.0.1\n root * {root}\n import \
                     {snippet}\n}}\n"
                ),
                "usr/bin/caddy",
                vec![
                    "run".into(),
                    "--config".into(),
                    format!("{folder}/config"),
                    "--adapter".into(),
                    "caddyfile".into(),
                ],
            ),
        };
        fs::write(own.join("config"), config).unwrap();
        let mut command = Command::new(tools.join(program));
        command
            .args(arguments)
            .current_dir(&own)
            .env("LD_LIBRARY_PATH", tools.join("usr/lib/x86_64-linux-gnu"));
        command
            .env("HOME", &own)
            .env("XDG_DATA_HOME", &own)
            .env("XDG_CONFIG_HOME", &own);
        let said = fs::File::create(own.join("said")).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(said)
            .spawn()
            .unwrap();
        let server = Self { child, address };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(&server.address).is_err() {
            assert!(
                Instant::now() < deadline,
                "{host}: {}",
                fs::read_to_string(own.join("said")).unwrap()
            );
            pause(std::time::Duration::from_millis(20));
        }
        server
    }
}

/// Asks `latimer serve` and the host for every path; what differs must be in the host's row.
pub(super) fn compare(
    host: &str,
    name: &str,
    foreign: &Foreign,
    ours: &Server,
    paths: &BTreeSet<String>,
) -> usize {
    let mut found = Vec::new();
    let mut asked = 0;
    for (number, path) in paths.iter().enumerate() {
        let methods: &[&str] = if number % 8 == 0 {
            &["GET", "HEAD"]
        } else {
            &["GET"]
        };
        for method in methods {
            asked += 1;
            let expected = ask(&ours.address, name, method, path, "");
            let seen = ask(&foreign.address, name, method, path, "");
            // A language without a page for what is not found answers in the server's own words.
            let is_in_own_words = matches!(expected.status, 400 | 404 | 410)
                && expected
                    .content_type
                    .as_deref()
                    .is_none_or(|kind| kind.starts_with("text/plain"));
            // An address with two slashes is read as the server reads it.
            let is_odd = path.contains("//") && expected.status != 400;
            if !is_odd && seen != expected && !(is_in_own_words && seen.status == expected.status) {
                found.push(format!(
                    "{method} {path}: {:?} instead of {:?}",
                    told(&seen),
                    told(&expected)
                ));
            }
        }
    }
    assert!(
        found.is_empty(),
        "{host}: {} differ\n{}",
        found.len(),
        found[..found.len().min(20)].join("\n")
    );
    asked
}

fn targets(host: &str) -> String {
    let layout = if host == "apache" {
        "plain"
    } else {
        "releases"
    };
    format!(
        "[publish.{host}]\nkind = \"folder\"\nhost = \"{host}\"\nlayout = \"{layout}\"\nto = \"www/{host}\"\n"
    )
}

/// Builds a site, publishes it for every host and compares all of its addresses.
fn check(site: &Site, base: &str, labels: &[&str]) {
    site.build(&[], 0);
    let paths = paths(site, base, labels);
    assert!(paths.len() > 130, "{} paths", paths.len());
    check_paths(site, base, &paths, 150);
}

/// Compares addresses, by at least so many requests for each host.
fn check_paths(site: &Site, base: &str, paths: &BTreeSet<String>, least: usize) {
    let ours = Server::start(site.folder());
    for host in HOSTS {
        let ran = site.run(&["publish", host, "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let root = if host == "apache" {
            "www/apache".to_owned()
        } else {
            format!("www/{host}/current")
        };
        let snippet = if host == "nginx" {
            "latimer.nginx.conf"
        } else {
            "latimer.caddy"
        };
        let foreign = Foreign::start(host, site, &root, &format!("www/{host}/{snippet}"), HOST);
        let asked = compare(host, HOST, &foreign, &ours, paths);
        assert!(asked > least, "{asked} requests");
        for language in [
            "es",
            "es-MX,es;q=0.9,en;q=0.8",
            "en,es;q=0.5",
            "de,en;q=0.3",
            "fr-CA",
            "",
        ] {
            for query in ["", "?lang=en", "?x=1"] {
                let path = format!("{base}/{query}");
                let header = format!("Accept-Language: {language}\r\n");
                let expected = ask(&ours.address, HOST, "GET", &path, &header);
                let seen = ask(&foreign.address, HOST, "GET", &path, &header);
                let is_same = seen == expected || expected.status == 404 && seen.status == 404;
                assert!(
                    is_same,
                    "{host} {language} {query}: {:?}, not {:?}",
                    told(&seen),
                    told(&expected)
                );
            }
        }
    }
}

fn all_targets() -> String {
    HOSTS.map(targets).concat()
}

pub(super) const LABELS: [&str; 4] = ["", "/es", "/fr", "/br"];

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own() {
    check(
        &site(&format!("{URL}\naccept_language = true"), &all_targets()),
        "",
        &LABELS,
    );
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own_where_pages_are_gone_and_below_a_folder() {
    let keys =
        "url = \"https://www.example.com/shop/{lang}\"\nmissing = \"gone\"\naccept_language = true";
    check(&site(keys, &all_targets()), "/shop", &LABELS);
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own_for_the_bakery() {
    let site = Site::fixture("bakery");
    let text = site.read("latimer.toml");
    site.write(
        "latimer.toml",
        &text
            .replace("\"bakery\"", "\"site\"")
            .replace("heronandrye.example", "example.com"),
    );
    let text = site.read("latimer.toml");
    site.write("latimer.toml", &format!("{text}{}", all_targets()));
    check(&site, "", &["", "/es", "/ar", "/ja"]);
}

/// A site that is crawled, with redirects of its own and addresses without endings; ends with its server.
pub(super) fn crawled_site(more: &str, targets: &str) -> (Site, Origin) {
    let page = |title: &str| {
        Said::page(format!(
            "<!doctype html><html lang=en><title>{title}</title><body><p>{title} <a href=/about>A</a> <a href=/moved>B</a> <a href=/c.html>C</a> <a href=/d/>D</a> <a href=/e>E</a>"
        ))
    };
    let origin = Origin::start(move |path| match path {
        // Its headers and its readers' languages stand in one place at nginx.
        "/" => page("Home").with("X-Robots-Tag: noindex"),
        "/about" => page("About"),
        "/c.html" => page("C"),
        "/d/" => page("D"),
        "/e" => page("E"),
        "/moved" => Said::redirect("/about"),
        _ => Said::status(404),
    });
    let site = Site::new("", &[]);
    let keys = format!(
        "[[site]]\nid = \"site\"\nsource = \"{}\"\nsource_url = \"https://{HOST}\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
         engine = \"marking\"\n{URL}\n{more}[site.crawl]\nallow_private = true\n{}{}",
        origin.address,
        crate::support::MARKING,
        targets
    );
    site.write("latimer.toml", &keys);
    (site, origin)
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own_for_a_crawled_site_with_redirects_and_clean_addresses() {
    let (site, _origin) = crawled_site("accept_language = true\n", &all_targets());
    check(&site, "", &["", "/es"]);
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own_for_each_spelling_of_addresses_and_rules_for_crawlers_r_s3_r_s7() {
    for addresses in ["pretty", "file"] {
        let keys = format!(
            "locales = [\"es\", \"fr\"]\nengine = \"marking\"\naddresses = \"{addresses}\"\n{URL}\n"
        );
        let site = Site::new(&format!("{keys}{MARKING}{}", all_targets()), &[]);
        // A proof of ownership has no encoding at `latimer serve`, which knows nothing of its bytes.
        copy(
            &repository().join("fixtures/linked"),
            &site.path("source"),
            &|name| !name.starts_with("google"),
        );
        site.build(&[], 0);
        let mut paths = paths(&site, "", &["", "/es", "/fr"]);
        // nginx leads from `/%61bout/` to `/%61bout`, and finds the page there.
        paths.retain(|path| !path.contains("%61"));
        check_paths(&site, "", &paths, 200);
        for top in ["nginx/current", "apache", "caddy/current"] {
            let rules = site.read(&format!("www/{top}/robots.txt"));
            for path in ["/parts/", "/es/parts/", "/fr/parts/"] {
                assert!(
                    rules.contains(&format!("Disallow: {path}\n")),
                    "{top}: {rules}"
                );
            }
        }
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn statements_to_crawlers_are_sent_by_each_server_r_s5() {
    let (site, _origin) = crawled_site("", &all_targets());
    site.build(&[], 0);
    let ours = Server::start(site.folder());
    for host in HOSTS {
        assert_eq!(site.run(&["publish", host, "--quiet"]).code, 0);
        let root = if host == "apache" {
            "www/apache".to_owned()
        } else {
            format!("www/{host}/current")
        };
        let snippet = if host == "nginx" {
            "latimer.nginx.conf"
        } else {
            "latimer.caddy"
        };
        let foreign = Foreign::start(host, &site, &root, &format!("www/{host}/{snippet}"), HOST);
        for (path, said) in [("/es/", Some("noindex")), ("/es/about", None)] {
            for address in [&ours.address, &foreign.address] {
                let answer = get_from(address, HOST, path);
                let found = answer.headers.get("x-robots-tag").map(String::as_str);
                assert_eq!((answer.status, found), (200, said), "{host} {path}");
            }
        }
    }
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn servers_answer_like_our_own_for_odd_names() {
    // A file for Caddy cannot hold a brace or a backquote.
    let names: Vec<&str> = ODD_NAMES
        .into_iter()
        .filter(|name| !name.contains('`'))
        .collect();
    let site = named(&names, &all_targets());
    put_odd_files(&site);
    let names_there = stored_names(&site);
    assert!(
        names_there.contains("/es/a%2523b.html") && names_there.contains("/x%25231.txt"),
        "{names_there:?}"
    );
    check_paths(
        &site,
        "",
        &addresses(&names).into_iter().chain(names_there).collect(),
        100,
    );
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn each_host_name_has_a_tree_of_its_own() {
    let site = site("url = \"https://{lang}.example.com\"", &all_targets());
    site.build(&[], 0);
    let ours = Server::start(site.folder());
    for host in HOSTS {
        assert_eq!(site.run(&["publish", host, "--quiet"]).code, 0);
        for label in ["en", "es"] {
            let name = if label == "en" {
                "example.com".to_owned()
            } else {
                format!("{label}.example.com")
            };
            let top = if host == "apache" {
                "www/apache".to_owned()
            } else {
                format!("www/{host}/current")
            };
            let snippet = if host == "nginx" {
                "latimer.nginx.conf"
            } else {
                "latimer.caddy"
            };
            let snippet = format!("www/{host}/{label}.{snippet}");
            assert!(
                host == "apache" || Path::new(&site.path(&snippet)).exists(),
                "{snippet}"
            );
            let foreign = Foreign::start(host, &site, &format!("{top}/{label}"), &snippet, &name);
            compare(host, &name, &foreign, &ours, &paths(&site, "", &[""]));
        }
    }
}

/// What many sites have for Apache.
const THEIRS: &str = "Options +FollowSymLinks\n<IfModule mod_rewrite.c>\nRewriteEngine On\nRewriteBase /\n\
    RewriteCond %{HTTP_HOST} ^old\\.example\\.com [NC]\nRewriteRule ^(.*)$ http://www.example.com/$1 [R=301,L]\n\
    RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\nRewriteRule ^was/(.*)$ /news/$1 [R=301,L]\n\
    RewriteRule ^inside$ /plain.html [L]\n</IfModule>\nRedirect 301 /older.html /plain.html\n\
    Header always set X-Frame-Options DENY\n<FilesMatch \"\\.png$\">\nHeader set Cache-Control \"max-age=60\"\n</FilesMatch>\n\
    ErrorDocument 403 \"Not for you\"\n";

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn apache_answers_by_rules_of_the_site_and_by_ours() {
    let site = site(URL, &targets("apache"));
    site.write("source/.htaccess", THEIRS);
    site.write("source/locked/.htaccess", "Require all denied\n");
    site.write(
        "source/locked/index.html",
        "<!doctype html><html lang=en><title>Home</title><p>We bake bread",
    );
    site.build(&[], 0);
    assert_eq!(site.run(&["publish", "apache", "--quiet"]).code, 0);
    let ours = Server::start(site.folder());
    let apache = Foreign::start("apache", &site, "www/apache", "", HOST);
    let (locked, paths): (BTreeSet<String>, BTreeSet<String>) = paths(&site, "", &LABELS)
        .into_iter()
        .partition(|path| path.contains("locked"));
    let asked = compare("apache", HOST, &apache, &ours, &paths);
    assert!(asked > 200, "{asked} requests");
    let seen = |host: &str, path: &str| {
        let seen = ask(&apache.address, host, "GET", path, "");
        (seen.status, seen.location)
    };
    for (host, path, status, to) in [
        (HOST, "/was/one.html", 301, Some("/news/one.html")),
        (HOST, "/older.html", 301, Some("/plain.html")),
        (
            "old.example.com",
            "/es/plain.html",
            301,
            Some("http://www.example.com/es/plain.html"),
        ),
        (HOST, "/inside", 200, None),
        (HOST, "/es/was/one.html", 404, None),
        (HOST, "/.htaccess", 404, None),
        (HOST, "/locked/.htaccess", 403, None),
        (HOST, "/.latimer-target", 404, None),
    ] {
        assert_eq!(seen(host, path), (status, to.map(str::to_owned)), "{path}");
    }
    let pages = locked
        .iter()
        .filter(|path| matches!(&***path, "/locked/" | "/locked/index.html" | "/es/locked/"));
    assert_eq!(
        pages.filter(|path| seen(HOST, path).0 == 403).count(),
        3,
        "{locked:?}"
    );
}

/// What the documentation of a server has for its configuration.
fn documented(server: &str) -> String {
    let text = fs::read_to_string(repository().join(format!("docs/hosts/{server}.md"))).unwrap();
    blocks(&text, server)[0].to_owned()
}

#[test]
#[ignore = "needs nginx, Apache and Caddy"]
fn the_servers_take_what_the_documentation_shows() {
    let tools = tool("LATIMER_TEST_HOSTS");
    let site = site(URL, &all_targets());
    site.build(&[], 0);
    for host in ["nginx", "caddy"] {
        assert_eq!(site.run(&["publish", host, "--quiet"]).code, 0);
        let place = site.path(&format!("www/{host}")).display().to_string();
        let shown = documented(host).replace("/srv/www/bakery", &place);
        // Only root may listen at port 80.
        let shown = shown.replace("listen 80;", &format!("listen {};", free_address()));
        let (config, program, arguments): (_, _, &[&str]) = match host {
            "nginx" => (
                nginx::configuration(Path::new(&place), &shown),
                "usr/sbin/nginx",
                &["-t", "-e", "stderr", "-c"],
            ),
            _ => (
                shown,
                "usr/bin/caddy",
                &["validate", "--adapter", "caddyfile", "--config"],
            ),
        };
        let file = site.path(&format!("{host}.config"));
        fs::write(&file, config).unwrap();
        let mut command = Command::new(tools.join(program));
        command
            .args(arguments)
            .arg(&file)
            .current_dir(site.folder())
            .env("HOME", site.folder());
        let output = command
            .env("XDG_DATA_HOME", site.folder())
            .env("XDG_CONFIG_HOME", site.folder())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{host}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
