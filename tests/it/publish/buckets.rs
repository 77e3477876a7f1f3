//! Buckets: what is sent to them and what is not, many files at the same time, and faults on the way.

use super::*;
use crate::support::files;
use crate::support::s3::Bucket;

#[test]
fn a_bucket_gets_what_changed_with_what_is_said_about_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = site(
        URL,
        &format!(
            "{}redirects = \"pages\"\nkeep = \"0\"\n",
            bucket.target("cloudfront")
        ),
    );
    site.build(&[], 0);
    let first = published(&site, &[]);
    assert_eq!(
        bucket.puts(),
        usize::try_from(first["sent"].as_u64().unwrap()).unwrap()
    );
    let before = bucket.puts();
    published(&site, &[]);
    assert_eq!(bucket.puts(), before, "nothing changed");
    site.write(
        "source/plain.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>We bake bread</p>",
    );
    site.build(&[], 0);
    published(&site, &[]);
    assert!(
        bucket.puts() - before <= 4 + 4,
        "{} for one page in 4 languages",
        bucket.puts() - before
    );
    let there = files(&folder.path().join("pages/www"));
    assert!(there.contains_key("es/index.html") && there.contains_key("x.png"));
    bucket.fail_each(5);
    site.write(
        "source/new.html",
        "<!doctype html><html lang=en><title>Plain</title><body><p>We bake bread</p>",
    );
    fs::remove_file(site.path("source/x.png")).unwrap();
    site.build(&[], 0);
    published(&site, &["--verify"]);
    let there = files(&folder.path().join("pages/www"));
    assert!(there.contains_key("new.html") && !there.contains_key("x.png"));
}

#[test]
fn a_thousand_files_go_at_the_same_time_and_faults_cost_little() {
    let folder = tempfile::TempDir::new().unwrap();
    let bucket = Bucket::start(folder.path());
    let site = small_site(&bucket.target("plain"));
    for file in 0..1000 {
        site.write(&format!("source/files/{file}.txt"), &file.to_string());
    }
    site.build(&[], 0);
    bucket.slow_down(30);
    let start = Instant::now();
    let report = published(&site, &[]);
    let took = start.elapsed();
    println!("a thousand files, each in 30 ms: {took:?}");
    let sent = usize::try_from(report["sent"].as_u64().unwrap()).unwrap();
    assert!(
        sent > 1000 && bucket.puts() == sent,
        "{sent} files, {} puts",
        bucket.puts()
    );
    assert!(
        took < Duration::from_secs(10),
        "one after the other takes 30 s; this took {took:?}"
    );
    bucket.slow_down(0);
    bucket.fail_each(5);
    for file in 0..1000 {
        site.write(
            &format!("source/files/{file}.txt"),
            &format!("{file} again"),
        );
    }
    site.build(&[], 0);
    let before = bucket.puts();
    published(&site, &[]);
    assert!(
        bucket.puts() - before <= 2 * sent,
        "{} puts for {sent} files",
        bucket.puts() - before
    );
    let there = files(&folder.path().join("pages/www"));
    assert_eq!(there["files/7.txt"], b"7 again");
}
