//! What CloudFront is told: its limits, and which addresses have changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{URL, publish, published, site, small_site};
use crate::support::s3::Bucket;
use crate::support::{self, Site};

#[test]
fn what_cloudfront_cannot_hold_is_said_before_anything_is_sent() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = small_site(&bucket.target("cloudfront"));
    let deep = "a".repeat(100);
    let write = |length: usize| {
        let name = format!(
            "source/{deep}/{deep}/{deep}/{deep}/{deep}/{}.html",
            "b".repeat(length)
        );
        site.write(
            &name,
            "<!doctype html><html lang=en><title>Page</title><p>Page",
        );
        site.build(&[], 0);
        fs::remove_file(site.path(&name)).unwrap();
    };
    let before = bucket.puts();
    write(40);
    publish(&site, &[]).failed(
        5,
        &[
            "cloudfront cannot be told of",
            "characters its configuration cannot hold",
        ],
    );
    site.write(
        "source/404.html",
        &format!(
            "<!doctype html><html lang=en><title>Nothing</title><p>{}",
            "x".repeat(33_000)
        ),
    );
    site.build(&[], 0);
    let said = [
        "cloudfront answers with at most 32000 bytes of its own",
        "redirects = \"pages\"",
    ];
    publish(&site, &["--dry-run"]).failed(5, &said);
    let alone = small_site(&format!(
        "accept_language = true\n{}redirects = \"pages\"\n",
        bucket.target("cloudfront")
    ));
    alone.build(&[], 0);
    publish(&alone, &[]).failed(
        5,
        &["cloudfront cannot send readers of / to their language"],
    );
    assert_eq!(bucket.puts(), before, "nothing was sent");
}

#[test]
fn cloudfront_holds_so_many_bytes_and_no_more() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    // The longest key of a page is another spelling of it, in the language that lacks it.
    let deep = "a".repeat(100);
    let named = |length: usize| {
        let site = small_site(&bucket.target("cloudfront"));
        let name = format!(
            "source/{deep}/{deep}/{deep}/{deep}/{}.html",
            "b".repeat(length)
        );
        site.write(
            &name,
            "<!doctype html><html lang=en><title>Page</title><p>Page",
        );
        site.build(&[], 0);
        site
    };
    let most = 512 - "/es/".len() - 4 * 101 - "/index.html".len();
    // The server of this test has no room for such names.
    let report = published(&named(most), &["--dry-run"]);
    let mut files = report["hostFiles"].as_array().unwrap().iter();
    let table = files
        .find(|file| file["name"] == "latimer.cloudfront.json")
        .unwrap();
    let data: serde_json::Value = serde_json::from_str(table["text"].as_str().unwrap()).unwrap();
    let keys = data["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| pair["key"].as_str().unwrap().len());
    assert_eq!(keys.max(), Some(512));
    publish(&named(most + 1), &[]).failed(5, &["cloudfront cannot be told of 1 address"]);

    let saying = |length: usize| {
        let site = small_site(&bucket.target("cloudfront"));
        let page = format!(
            "<!doctype html><html lang=en><title>Nothing</title><p>{}",
            "x".repeat(length)
        );
        site.write("source/404.html", &page);
        site.build(&[], 0);
        site
    };
    published(&saying(1), &["--verify"]);
    let page = fs::read(folder.path().join("pages/www/404.html"))
        .unwrap()
        .len();
    let room = 32_000 - page + 1;
    published(&saying(room), &["--verify"]);
    assert_eq!(
        fs::read(folder.path().join("pages/www/404.html"))
            .unwrap()
            .len(),
        32_000
    );
    publish(&saying(room + 1), &[]).failed(
        5,
        &["cloudfront answers with at most 32000 bytes of its own"],
    );
}

/// `latimer publish` where `aws` is a program that writes down what it is told, and ends with this code.
fn publish_with_aws(site: &Site, code: i32) -> (i32, String) {
    let tools = site.path("tools");
    let told = site.path("told");
    fs::create_dir_all(&tools).unwrap();
    let _ = fs::remove_file(&told);
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> {}\nexit {code}\n",
        told.display()
    );
    fs::write(tools.join("aws"), script).unwrap();
    fs::set_permissions(tools.join("aws"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let output = support::command(site.folder())
        .args(["publish", "--quiet"])
        .env("PATH", path)
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        fs::read_to_string(told).unwrap_or_default(),
    )
}

#[test]
fn cloudfront_is_told_which_addresses_have_changed() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = site(
        URL,
        &format!("{}keep = \"0\"\n", bucket.target("cloudfront")),
    );
    site.build(&[], 0);
    published(&site, &[]);
    site.edit(
        "latimer.toml",
        "keep = \"0\"",
        "keep = \"0\"\ninvalidate = \"E1A2B3\"",
    );
    assert_eq!(
        publish_with_aws(&site, 0),
        (0, String::new()),
        "nothing changed, so nobody is told"
    );
    site.write(
        "source/plain.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>We bake bread</p>",
    );
    fs::remove_file(site.path("source/x.png")).unwrap();
    site.build(&[], 0);
    let (code, told) = publish_with_aws(&site, 255);
    assert_eq!(code, 1, "{told}");
    let (code, again) = publish_with_aws(&site, 0);
    assert_eq!(
        (code, &again),
        (0, &told),
        "what CloudFront was not told is told by the next publishing"
    );
    let start = "cloudfront create-invalidation --distribution-id E1A2B3 --paths /";
    assert!(
        told.starts_with(start) && told.contains(" /es/plain.html") && told.contains(" /x.png"),
        "{told}"
    );
    assert_eq!(
        publish_with_aws(&site, 0),
        (0, String::new()),
        "and told once"
    );

    site.edit("latimer.toml", "host = \"cloudfront\"", "host = \"plain\"");
    publish(&site, &[]).failed(2, &["`invalidate` goes with host = \"cloudfront\""]);
}
