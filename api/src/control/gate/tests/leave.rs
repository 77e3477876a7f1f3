//! Whose pages are previewed for whom.

use super::previews::{ORDER_TOKEN, Running, site};
use super::*;

/// A site is read for those who may see it, and for everybody with a preview token where it says so; for all others it
/// is a host like any other: in a private network, and without the headers that its owner gave.
#[tokio::test(flavor = "multi_thread")]
async fn previews_need_the_leave_of_the_site() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(
        folder.path().join("headers"),
        "Authorization: Basic c2VjcmV0\n",
    )
    .unwrap();
    let (source, heads) = site().await;
    let headers = folder.path().join("headers").display().to_string();
    let tokens = |site: &str| token("good", "ana", "preview:write", site, 0);
    let own = tokens("bob");
    let any = tokens("*");
    let foreign = tokens("shop");
    let bearer = |token| ("authorization", token);
    let stranger = ("x-preview-token", ORDER_TOKEN);
    for (previews, by, may) in [
        (false, bearer(own.as_str()), true),
        (false, bearer(any.as_str()), true),
        (false, bearer(foreign.as_str()), false),
        (false, stranger, false),
        (true, stranger, true),
        (true, bearer(foreign.as_str()), false),
    ] {
        let site = format!(
            "[[site]]\nid = \"bob\"\nsource = \"{source}/docs/\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
             engine = \"pseudo\"\npreviews = {previews}\n[site.crawl]\nallow_private = true\n\
             headers_file = '{headers}'\n"
        );
        let running = Running::start(stores(), &site, |_| ());
        heads.lock().unwrap().clear();
        let (_, ordered) = running.order_by(by, &format!("{source}/docs/"), "es").await;
        let end = running.end(&ordered).await;
        let heads = std::mem::take(&mut *heads.lock().unwrap());
        match may {
            true => assert_eq!(
                (&end["status"], heads.len()),
                (&json!("ready"), 1),
                "{by:?} {end}"
            ),
            // What a host in a private network that nobody configured answers, to the letter.
            false => {
                let (_, unknown) = running.order_by(by, "http://127.0.0.2:9/docs/", "es").await;
                let unknown = running.end(&unknown).await;
                for key in [
                    "status",
                    "error",
                    "errorCode",
                    "errorStage",
                    "retryHint",
                    "stage",
                ] {
                    assert_eq!(end[key], unknown[key], "{by:?} {key}");
                }
                assert_eq!(
                    (&end["errorCode"], heads.len()),
                    (&json!("blocked_host"), 0),
                    "{by:?} {end}"
                );
            }
        }
        assert!(
            heads
                .iter()
                .all(|head| head.contains("authorization: basic c2vjcmv0")),
            "{heads:?}"
        );
        // Not even below the site's own host, where it is not the site's page.
        let (_, ordered) = running
            .order_by(by, &format!("{source}/other/"), "es")
            .await;
        assert_eq!(
            running.end(&ordered).await["errorCode"],
            "blocked_host",
            "{by:?}"
        );
    }
}

/// A preview that a tenant ordered is there for those who may see as much.
#[tokio::test]
async fn preview_is_found_by_whoever_may_see_the_sites_of_who_ordered_it() {
    let app = app(unlimited());
    let tokens = |site: &str| token("good", "ana", "preview:write sites:read", site, 0);
    let body = r#"{"sourceUrl":"https://a.example/","sourceLang":"en","targetLang":"es"}"#;
    let (_, ordered) = call(&app, "POST", "/api/previews", body, &tokens("bakery")).await;
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    for verb in ["", "/stream"] {
        let path = format!("{path}{verb}");
        check(
            &path,
            &call(&app, "GET", &path, "", &tokens("shop")).await,
            404,
            "preview_not_found",
        );
    }
    for site in ["bakery", "*"] {
        assert_eq!(
            call(&app, "GET", &path, "", &tokens(site)).await.1["status"],
            "pending"
        );
    }
}
