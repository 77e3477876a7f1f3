//! Previews that fail, each for its reason, and hosts of which none is made.

use pipeline::net::Lookup;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_has_its_code() {
    let (site, _) = site().await;
    let at = |path: &str| format!("{site}{path}");
    let mut found = std::collections::BTreeSet::new();
    let mut expect = |end: Value, code: &str, stage: &str| {
        assert_eq!(
            (&end["event"], &end["status"]),
            (&json!("error"), &json!("failed")),
            "{end}"
        );
        assert_eq!(
            (&end["errorCode"], &end["errorStage"]),
            (&json!(code), &json!(stage)),
            "{end}"
        );
        assert!(
            end["error"].is_string() && !end["error"].as_str().unwrap().contains("127.0.0.1"),
            "{end}"
        );
        found.insert(code.to_owned());
    };
    let running = Running::start(stores(), PRIVATE, |_| ());
    for (url, code) in [
        (at("/text"), "render_failed"),
        (at("/none"), "render_failed"),
        (at("/large"), "page_too_large"),
        (at("/away"), "invalid_url"),
        ("https://a..b:99999/".to_owned(), "invalid_url"),
    ] {
        expect(running.made(&url, "es").await, code, "fetching_page");
    }
    let running = Running::start(stores(), "[preview]\nallow_private = true\n", |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "translate_failed",
        "translating",
    );
    let running = Running::start(stores(), &format!("{PRIVATE}max_chars = 3\n"), |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "page_too_large",
        "translating",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.patience = Duration::from_millis(50)
    });
    expect(
        running.made(&at("/slow"), "es").await,
        "processing_timeout",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| {
            Box::pin(async { Err(std::io::Error::other("none")) })
        }));
    });
    expect(
        running.made("https://a.example/", "es").await,
        "dns_failed",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup =
            Lookup::By(Arc::new(|_| Box::pin(std::future::pending())));
        previews.previewer.fetch.connect_timeout = Duration::from_millis(20);
    });
    expect(
        running.made("http://a.example/", "es").await,
        "dns_timeout",
        "fetching_page",
    );
    let running = Running::start(stores(), PRIVATE, |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| panic!("a defect")));
    });
    expect(
        running.made("http://a.example/", "es").await,
        "unknown",
        "fetching_page",
    );
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("_previews"), "no folder").unwrap();
    let broken = Stores {
        objects: Objects::folder(folder.path()).unwrap(),
        ..stores()
    };
    let running = Running::start(broken, PRIVATE, |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "storage_failed",
        "saving",
    );
    let running = Running::start(stores(), "", |_| ());
    expect(
        running.made(&at("/"), "es").await,
        "blocked_host",
        "fetching_page",
    );
    assert_eq!(found.len(), 10);
}

/// D4: nothing is asked that lies in a private network, however it is written.
#[tokio::test(flavor = "multi_thread")]
async fn private_hosts_are_blocked_and_never_asked() {
    let (site, asked) = site().await;
    let port = site.rsplit(':').next().unwrap().to_owned();
    let running = Running::start(stores(), "[preview]\nengine = \"pseudo\"\n", |_| ());
    for host in [
        "169.254.169.254",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "0",
    ] {
        let end = running.made(&format!("http://{host}:{port}/"), "es").await;
        assert_eq!(
            (&end["errorCode"], &end["status"]),
            (&json!("blocked_host"), &json!("failed")),
            "{host}"
        );
    }
    let rebinding = Running::start(stores(), "[preview]\nengine = \"pseudo\"\n", |previews| {
        previews.previewer.fetch.lookup = Lookup::By(Arc::new(|_| {
            Box::pin(async { Ok(vec!["127.0.0.1".parse().unwrap()]) })
        }));
    });
    assert_eq!(
        rebinding
            .made(&format!("http://a.example:{port}/"), "es")
            .await["errorCode"],
        "blocked_host"
    );
    assert_eq!(asked.lock().unwrap().len(), 0);
}
