//! What hosts without an emulator read: Vercel's file by its own schema, GitLab's list by its grammar and limits; and files
//! of the source that have the names of ours.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::needs_hosts::crawled_site;
use super::{URL, publish, published, site, small_site};
use crate::support::Site;

fn target(host: &str) -> String {
    format!(
        "[publish.live]\nkind = \"folder\"\nlayout = \"plain\"\nhost = \"{host}\"\nto = \"www\"\n"
    )
}

fn published_for(host: &str) -> Site {
    let site = site(URL, &target(host));
    site.build(&[], 0);
    published(&site, &[]);
    site
}

#[test]
fn the_file_for_vercel_is_one_by_vercels_schema() {
    let schema = serde_json::from_str(include_str!("vercel.schema.json")).unwrap();
    let mut compiler = boon::Compiler::new();
    let mut schemas = boon::Schemas::new();
    compiler.add_resource("urn:vercel", schema).unwrap();
    let whole = compiler.compile("urn:vercel", &mut schemas).unwrap();
    let mut config: Value =
        serde_json::from_str(&published_for("vercel").read("www/vercel.json")).unwrap();
    assert_eq!(
        schemas
            .validate(&config, whole)
            .map_err(|error| error.to_string()),
        Ok(())
    );
    let statuses: BTreeSet<u64> = config["redirects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["statusCode"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, BTreeSet::from([307, 308]));
    config["redirects"][0]["status"] = json!(307);
    assert!(
        schemas.validate(&config, whole).is_err(),
        "the schema is one that refuses"
    );
}

#[test]
fn pages_without_endings_are_found_where_some_have_none() {
    for (host, name, pointer) in [
        ("firebase", "firebase.json", "/hosting/cleanUrls"),
        ("vercel", "vercel.json", "/cleanUrls"),
    ] {
        let clean = |site: &Site| {
            let config: Value = serde_json::from_str(&site.read(&format!("www/{name}"))).unwrap();
            config.pointer(pointer).unwrap().clone()
        };
        // Of its pages, /about and /e have no ending, and /c.html has one.
        let (site, _origin) = crawled_site("", &target(host));
        site.build(&[], 0);
        published(&site, &[]);
        assert_eq!(clean(&site), true, "{host}");
        assert_eq!(clean(&published_for(host)), false, "{host}");
    }
}

/// Lines by GitLab's documentation: from, to and status, of which it knows three; paths from the root; placeholders and one
/// splat, at the end; neither conditions, forced lines nor more than 1,000 of them or 64 KB.
fn lines_by_gitlabs_grammar(text: &str) -> Result<usize, String> {
    let mut count = 0;
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        count += 1;
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [from, to, status] = fields[..] else {
            return Err(line.to_owned());
        };
        let is_path = from.starts_with('/') && (to.starts_with('/') || to.starts_with("https://"));
        let is_splat =
            !from.contains('*') || from.ends_with("/*") && from.matches('*').count() == 1;
        if !is_path || !is_splat || !["200", "301", "302"].contains(&status) {
            return Err(line.to_owned());
        }
    }
    if count > 1000 || text.len() > 64 << 10 {
        Err(format!("{count} lines, {} bytes", text.len()))
    } else {
        Ok(count)
    }
}

#[test]
fn the_list_for_gitlab_follows_its_grammar() {
    for wrong in [
        "/a /b 307\n",
        "/a /b 301!\n",
        "/a /b\n",
        "/a* /b 301\n",
        "/a lang=es /b 301\n",
    ] {
        assert!(lines_by_gitlabs_grammar(wrong).is_err(), "{wrong}");
    }
    let site = published_for("gitlab-pages");
    assert_eq!(
        lines_by_gitlabs_grammar(&site.read("www/_redirects")),
        Ok(27)
    );
    assert!(!site.path("www/_headers").exists(), "GitLab reads none");
}

/// A small site with a page that its other language lacks, and a file for the host of its own.
fn with_own(host: &str, name: &str, text: &str) -> Site {
    let site = small_site(&target(host));
    site.write(
        "source/only.html",
        "<!doctype html><html lang=en><title>Only</title><p>Only here",
    );
    site.write("source/app.3f2a9b1c.js", "1");
    site.write(&format!("source/{name}"), text);
    site.build(&[], 0);
    site
}

#[test]
fn a_list_of_the_sites_own_stays_before_ours() {
    let theirs = "# Ours since 2019\n/was /only.html 301\n/blog/* /news/:splat 301\n";
    for host in ["netlify", "cloudflare-pages", "gitlab-pages"] {
        let site = with_own(host, "_redirects", theirs);
        published(&site, &[]);
        let text = site.read("www/_redirects");
        let ours = text
            .strip_prefix(theirs)
            .expect("theirs is whole and comes first");
        assert!(
            ours.starts_with("# Below this line: written by `latimer publish`.\n/es/only"),
            "{host}: {text}"
        );
        // What was published may be the source of the next.
        site.write("source/_redirects", &text);
        site.build(&[], 0);
        published(&site, &[]);
        assert_eq!(site.read("www/_redirects"), text, "{host}");
    }
}

#[test]
fn a_redirect_of_the_sites_own_holds_in_each_language() {
    let theirs = "/was /only.html\n/before /about.html?a=1#b 302!\n/away https://other.example/ 301\n/es/here /about.html 301\n/here / 301\n\
                  /blog/* /news/:splat 301\n/from/here /about.html 301 Country=de\n/shown /about.html 200\n/about.html / 301\n";
    for host in ["netlify", "cloudflare-pages", "gitlab-pages"] {
        let site = with_own(host, "_redirects", theirs);
        site.write(
            "source/about.html",
            "<!doctype html><html lang=en><title>Home</title><p>Home",
        );
        site.build(&[], 0);
        published(&site, &[]);
        let text = site.read("www/_redirects");
        let ours: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("/es/") && !line.contains(" 404"))
            .collect();
        let expected = [
            // Redirects of the author that name a language take precedence in it.
            "/es/here /about.html 301",
            &format!(
                "/es/only.html /only.html {}",
                if host == "gitlab-pages" { 302 } else { 307 }
            ),
            "/es/was /only.html 301",
            "/es/before /es/about.html?a=1#b 302",
            "/es/away https://other.example/ 301",
        ];
        assert_eq!(ours, expected, "{host}: {text}");
    }
    // With a host for each language, the list of each is the site's own.
    let site = with_own("netlify", "_redirects", "/was / 301\n");
    site.edit(
        "latimer.toml",
        "www.example.com/{lang}",
        "{lang}.example.com",
    );
    site.build(&[], 0);
    published(&site, &[]);
    let text = site.read("www/es/_redirects");
    assert!(!text.contains("/es/was"), "{text}");
}

#[test]
fn a_line_that_would_hide_ours_is_refused_by_its_number() {
    for line in [
        "/* /index.html 200",
        "/:language/* /:splat 301",
        "/es/only.html / 301",
        "https://www.example.com/es/* / 301",
    ] {
        let site = with_own(
            "cloudflare-pages",
            "_redirects",
            &format!("# theirs\n{line}\n"),
        );
        let said = format!(
            "line 2 of the site's _redirects ({}) would hide",
            line.split(' ').next().unwrap()
        );
        publish(&site, &[]).failed(5, &[&said, "/es/only.html"]);
        assert!(!site.path("www").exists());
    }
}

#[test]
fn limits_hold_for_both_lists_together() {
    let list = |count: usize| {
        (0..count)
            .map(|one| format!("/was{one} /only.html 301\n"))
            .collect::<String>()
    };
    for (host, most) in [
        ("gitlab-pages", 1000),
        ("cloudflare-pages", 2000),
        ("netlify", 10_000),
    ] {
        published(&with_own(host, "_redirects", &list(most - 1)), &[]);
        let said = format!(
            "{host} takes {most} redirects, and this site needs {}",
            most + 1
        );
        publish(&with_own(host, "_redirects", &list(most)), &[]).failed(5, &[&said]);
    }
    // The list of Cloudflare ends with patterns.
    let patterns = |count: usize| {
        (0..count)
            .map(|one| format!("/was{one}/* /only.html 301\n"))
            .collect::<String>()
    };
    published(
        &with_own("cloudflare-pages", "_redirects", &patterns(100)),
        &[],
    );
    let said = "cloudflare-pages takes 100 redirects with *, and this site needs 101";
    publish(
        &with_own("cloudflare-pages", "_redirects", &patterns(101)),
        &[],
    )
    .failed(5, &[said]);
}

#[test]
fn gitlab_reads_so_many_bytes_and_no_more() {
    let padded = |more: usize| {
        with_own(
            "gitlab-pages",
            "_redirects",
            &format!("#{}\n", "x".repeat(more)),
        )
    };
    let site = padded(0);
    published(&site, &[]);
    let room = (64 << 10) - site.read("www/_redirects").len();
    let site = padded(room);
    published(&site, &[]);
    assert_eq!(site.read("www/_redirects").len(), 64 << 10);
    let said = "gitlab-pages takes 65536 bytes of rules, and this site needs 65537";
    publish(&padded(room + 1), &[]).failed(5, &[said]);
}

#[test]
fn azure_reads_so_many_bytes_and_no_more() {
    let padded = |more: usize| {
        let cache = format!(
            "host = \"azure-swa\"\npage_cache = \"max-age=0{}\"",
            "0".repeat(more)
        );
        let site = small_site(&target("azure-swa").replace("host = \"azure-swa\"", &cache));
        for page in 0..150 {
            site.write(
                &format!("source/{page}.html"),
                "<!doctype html><html lang=en><title>Only</title><p>Only here",
            );
        }
        site.build(&[], 0);
        site
    };
    let site = padded(0);
    published(&site, &[]);
    let room = (20 << 10) - site.read("www/staticwebapp.config.json").len();
    let site = padded(room);
    published(&site, &[]);
    assert_eq!(site.read("www/staticwebapp.config.json").len(), 20 << 10);
    let said = "azure-swa takes 20480 bytes of rules, and this site needs 20481";
    publish(&padded(room + 1), &[]).failed(5, &[said]);
}

#[test]
fn rules_that_no_page_needs_any_more_are_removed_at_once() {
    for host in ["cloudflare-pages", "gitlab-pages"] {
        let site = with_own(host, "note.txt", "A note");
        published(&site, &[]);
        assert!(site.path("www/_redirects").exists(), "{host}");
        std::fs::remove_file(site.path("source/only.html")).unwrap();
        std::fs::remove_file(site.path("source/note.txt")).unwrap();
        site.build(&[], 0);
        let report = published(&site, &[]);
        assert!(!site.path("www/_redirects").exists(), "{host}: {report}");
        assert!(
            site.path("www/note.txt").exists(),
            "{host}: a file stays for open pages"
        );
    }
}

/// A site whose addresses have no ending, with a page that keeps its own in Spanish and another that has moved there.
fn without_endings(host: &str) -> Site {
    let keys = format!(
        "{URL}\nslugs = \"{{lang}}.csv\"\naddresses = \"pretty\"\n{}",
        target(host)
    );
    let site = Site::new(
        &format!("locales = [\"es\"]\nengine = \"pseudo\"\n{keys}"),
        &[],
    );
    for page in ["index", "about", "team", "hours", "prices", "404"] {
        site.write(
            &format!("source/{page}.html"),
            "<!doctype html><html lang=en><title>Bread</title><p>We bake bread",
        );
    }
    site.write(
        "es.csv",
        "source,local\n/about.html,/about.html\n/team.html,/equipo.html\n",
    );
    site.build(&[], 0);
    published(&site, &[]);
    site
}

#[test]
fn a_redirect_leads_to_no_address_that_the_host_leads_back_from_r_s7() {
    for (host, name, has_line) in [
        ("cloudflare-pages", "_redirects", false),
        ("vercel", "vercel.json", false),
        ("firebase", "firebase.json", false),
        ("netlify", "_redirects", true),
        ("azure-swa", "staticwebapp.config.json", true),
    ] {
        let rules = without_endings(host).read(&format!("www/{name}"));
        assert!(rules.contains("/es/equipo.html"), "{host}: {rules}");
        assert_eq!(
            rules.contains("/es/about.html"),
            has_line,
            "{host}: {rules}"
        );
    }
}

#[test]
fn headers_are_for_the_address_at_which_the_host_answers_r_s5() {
    for (host, name, address) in [
        ("cloudflare-pages", "_headers", "\n/es/404\n"),
        ("vercel", "vercel.json", "\"source\": \"/es/404\""),
        ("firebase", "firebase.json", "\"source\": \"/es/404\""),
        ("netlify", "_headers", "\n/es/404.html\n"),
    ] {
        let headers = without_endings(host).read(&format!("www/{name}"));
        assert!(headers.contains(address), "{host}: {headers}");
    }
}

#[test]
fn headers_of_the_sites_own_stay_and_are_said_once() {
    let theirs = "/*\n  X-Frame-Options: DENY\n";
    let site = with_own("netlify", "_headers", theirs);
    published(&site, &[]);
    let text = site.read("www/_headers");
    assert!(
        text.starts_with(theirs) && text.contains("\n/app.3f2a9b1c.js\n  Cache-Control: "),
        "{text}"
    );
    let site = with_own("netlify", "_headers", "/*\n  cache-control: no-cache\n");
    published(&site, &[]);
    assert_eq!(
        site.read("www/_headers")
            .to_lowercase()
            .matches("cache-control")
            .count(),
        1
    );
}

#[test]
fn a_file_that_cannot_be_joined_is_refused() {
    for (host, name) in [
        ("vercel", "vercel.json"),
        ("firebase", "firebase.json"),
        ("azure-swa", "staticwebapp.config.json"),
    ] {
        let said =
            format!("the site has a file {name}, which {host} reads and Latimer writes, too");
        publish(&with_own(host, name, "{}"), &[]).failed(5, &[&said, "`exclude`"]);
    }
}
