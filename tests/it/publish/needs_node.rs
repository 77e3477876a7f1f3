//! CloudFront's function, run by Node before the bucket that was published to, answers as `latimer serve` does.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::names::{ODD_NAMES, addresses, named, put_odd_files, stored_names};
use super::needs_hosts::{Foreign, HOST, LABELS, compare};
use super::parity::{ask, paths, told};
use super::{URL, published, site};
use crate::support::s3::Bucket;
use crate::support::web::Server;
use crate::support::{Site, repository};

impl Bucket {
    /// CloudFront before this bucket, with the function and the data that were written for it.
    fn behind_cloudfront(&self, site: &Site) -> Foreign {
        let own = site.path(".latimer/publish/live");
        let types = site.path("types.json");
        let said = self.said();
        let kinds = said.iter().filter_map(|(path, said)| {
            Some((
                path.strip_prefix("/pages/www/")?.to_owned(),
                said.get("content-type")?.clone(),
            ))
        });
        let kinds: serde_json::Map<String, serde_json::Value> =
            kinds.map(|(name, kind)| (name, kind.into())).collect();
        fs::write(&types, serde_json::to_vec(&kinds).unwrap()).unwrap();
        let data = own.join("latimer.cloudfront.json");
        let data = if data.exists() {
            data.into_os_string()
        } else {
            "-".into()
        };
        let mut command = Command::new("node");
        command
            .arg(repository().join("tests/it/publish/cloudfront.mjs"))
            .arg(own.join("latimer.cloudfront.js"))
            .arg(data);
        command.arg(self.folder().join("pages/www")).arg(types);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut port)
            .unwrap();
        Foreign {
            child,
            address: format!("127.0.0.1:{}", port.trim()),
        }
    }
}

fn check(keys: &str, base: &str) {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = site(keys, &bucket.target("cloudfront"));
    site.build(&[], 0);
    published(&site, &[]);
    let ours = Server::start(site.folder());
    let foreign = bucket.behind_cloudfront(&site);
    let asked = compare(
        "cloudfront",
        HOST,
        &foreign,
        &ours,
        &paths(&site, base, &LABELS),
    );
    assert!(asked > 200, "{asked} requests");
    for language in [
        "es",
        "es-MX,es;q=0.9,en;q=0.8",
        "en,es;q=0.5",
        "de,en;q=0.3",
        "de,es;q=0.3,en;q=0",
        "*",
        "fr-CA",
        "",
    ] {
        for (query, more) in [
            ("", ""),
            ("?lang=en", ""),
            ("?x=1&y", ""),
            ("", "User-Agent: Googlebot/2.1\r\n"),
            ("", "Referer: https://www.example.com/es/\r\n"),
            ("", "Referer: https://elsewhere.example/\r\n"),
        ] {
            let path = format!("{base}/{query}");
            let headers = format!("Accept-Language: {language}\r\n{more}");
            let expected = ask(&ours.address, HOST, "GET", &path, &headers);
            let seen = ask(&foreign.address, HOST, "GET", &path, &headers);
            let is_same = seen == expected || expected.status == 404 && seen.status == 404;
            assert!(
                is_same,
                "{headers}{query}: {:?}, not {:?}",
                told(&seen),
                told(&expected)
            );
        }
    }
}

#[test]
#[ignore = "needs node"]
fn cloudfront_answers_like_our_own() {
    check(&format!("{URL}\naccept_language = true"), "");
}

#[test]
#[ignore = "needs node"]
fn cloudfront_answers_like_our_own_where_pages_are_gone_and_below_a_folder() {
    check(
        "url = \"https://www.example.com/shop/{lang}\"\nmissing = \"gone\"\naccept_language = true",
        "/shop",
    );
}

#[test]
#[ignore = "needs node"]
fn cloudfront_answers_like_our_own_for_odd_names() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = named(&ODD_NAMES, &bucket.target("cloudfront"));
    put_odd_files(&site);
    published(&site, &[]);
    let ours = Server::start(site.folder());
    let foreign = bucket.behind_cloudfront(&site);
    let paths = addresses(&ODD_NAMES)
        .into_iter()
        .chain(stored_names(&site))
        .collect();
    assert!(compare("cloudfront", HOST, &foreign, &ours, &paths) > 150);
}

#[test]
#[ignore = "needs node"]
fn cloudfront_without_data_finds_the_pages_of_folders() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = site(
        URL,
        &format!("{}redirects = \"pages\"\n", bucket.target("cloudfront")),
    );
    site.build(&[], 0);
    published(&site, &[]);
    let foreign = bucket.behind_cloudfront(&site);
    for (path, status) in [
        ("/", 200),
        ("/es/", 200),
        ("/about/?x=1", 200),
        ("/x.png", 200),
        ("/nada/", 403),
    ] {
        assert_eq!(
            ask(&foreign.address, HOST, "GET", path, "").status,
            status,
            "{path}"
        );
    }
}
