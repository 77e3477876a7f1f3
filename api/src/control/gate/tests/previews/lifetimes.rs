//! The time of previews: their end, restarts of the server, and removal.

use pipeline::state::{PreviewRecord, PreviewStatus};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn previews_end_with_their_time() {
    let (site, _) = site().await;
    let stores = stores();
    let running = Running::start(stores.clone(), PRIVATE, |_| ());
    let (_, ordered) = running.order(&site, "es").await;
    running.end(&ordered).await;
    let id = pipeline::model::PreviewId::parse(ordered["previewId"].as_str().unwrap()).unwrap();
    let record = stores.state.preview(&id).unwrap().unwrap();
    assert!(record.token != ordered["statusToken"].as_str().unwrap() && record.token.len() == 64);
    let past = PreviewRecord {
        expires: Moment::of_millis(1_000),
        ..record
    };
    stores.state.put_preview(&past, Moment::default()).unwrap();
    let path = format!("/api/previews/{id}");
    let own = ordered["statusToken"].as_str().unwrap();
    let status = async |token: &str| {
        ask(
            &running.app,
            "GET",
            &path,
            "",
            &[("x-preview-status-token", token)],
        )
        .await
    };
    check("expired", &status(own).await, 410, "preview_expired");
    let (gone, _) = running.page(&id.to_string()).await;
    assert_eq!(
        (gone.status().as_u16(), &gone.headers()["cache-control"]),
        (410, &HeaderValue::from_static("private, no-store"))
    );
    let previews = running.app.api.as_ref().unwrap().previews();
    previews.sweep_once(Moment::of_millis(2_000)).await.unwrap();
    assert_eq!(previews.page(id).await.unwrap(), None);
    check("swept", &status(own).await, 410, "preview_expired");
    previews
        .sweep_once(past.expires + Duration::from_secs(7 * 24 * 60 * 60))
        .await
        .unwrap();
    check("forgotten", &status(own).await, 401, "invalid_token");
    check(
        "forgotten",
        &status(STATUS_TOKEN).await,
        404,
        "preview_not_found",
    );
    assert_eq!(running.page(&id.to_string()).await.0.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_restart_cuts_off_begins_again() {
    let (site, asked) = site().await;
    let stores = stores();
    let first = Running::start(stores.clone(), PRIVATE, |_| ());
    let (_, slow) = first.order(&format!("{site}/once"), "es").await;
    let id = pipeline::model::PreviewId::parse(slow["previewId"].as_str().unwrap()).unwrap();
    let previews = Arc::clone(first.app.api.as_ref().unwrap().previews());
    let mut changes = previews.follow(id).unwrap();
    changes
        .wait_for(|preview| preview.status == PreviewStatus::Processing)
        .await
        .unwrap();
    while asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    drop(first);
    let left = stores.state.preview(&id).unwrap().unwrap();
    assert_eq!(left.status, PreviewStatus::Processing);
    let often = PreviewRecord {
        id: pipeline::model::PreviewId::new(),
        attempts: 3,
        ..left
    };
    stores.state.put_preview(&often, Moment::default()).unwrap();
    let second = Running::start(stores, PRIVATE, |_| ());
    assert_eq!(second.end(&slow).await["status"], "ready");
    let path = format!("/api/previews/{}", often.id);
    let (_, often) = ask(
        &second.app,
        "GET",
        &path,
        "",
        &[("x-preview-status-token", STATUS_TOKEN)],
    )
    .await;
    assert_eq!(
        (&often["status"], &often["errorCode"]),
        (&json!("failed"), &json!("unknown"))
    );
    assert!(often["retryHint"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_lists_own_previews_and_removes_them_with_their_pages() {
    let stores = stores();
    let running = Running::start(stores.clone(), PRIVATE, |_| ());
    let (site, _) = site().await;
    let [ana, bob] = ["ana", "bob"].map(|name| token("good", name, "preview:write", "bakery", 0));
    let ordered = running
        .order_by(("authorization", &ana), &format!("{site}/"), "es")
        .await
        .1;
    assert_eq!(running.end(&ordered).await["status"], "ready", "{ordered}");
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let list = async |token: &str| {
        call(&running.app, "GET", "/api/previews", "", token)
            .await
            .1
    };
    let mine = list(&ana).await;
    assert_eq!(
        (&mine["total"], &mine["items"][0]["previewId"]),
        (&json!(1), &ordered["previewId"])
    );
    assert_eq!(mine["items"][0]["sourceUrl"], format!("{site}/"));
    assert!(!mine.to_string().contains("statusToken"), "{mine}");
    assert_eq!(list(&bob).await, json!({ "items": [], "total": 0 }));
    check(
        &path,
        &call(&running.app, "DELETE", &path, "", &bob).await,
        404,
        "preview_not_found",
    );
    let all = token("good", "eve", "preview:write", "*", 0);
    assert_eq!(list(&all).await["total"], 1);

    assert_eq!(
        call(&running.app, "DELETE", &path, "", &ana)
            .await
            .0
            .status(),
        204
    );
    check(
        &path,
        &call(&running.app, "DELETE", &path, "", &ana).await,
        404,
        "preview_not_found",
    );
    assert_eq!(list(&all).await["total"], 0);
    let id = PreviewId::parse(ordered["previewId"].as_str().unwrap()).unwrap();
    assert!(
        pipeline::store::preview(&stores.objects, &id)
            .await
            .unwrap()
            .is_none(),
        "its page is there still"
    );

    // Removing a preview in progress ends the streams that follow it.
    let ordered = running
        .order_by(("authorization", &ana), &format!("{site}/slow"), "es")
        .await
        .1;
    let path = format!("/api/previews/{}", ordered["previewId"].as_str().unwrap());
    let (end, removed) = tokio::join!(running.end(&ordered), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        call(&running.app, "DELETE", &path, "", &ana)
            .await
            .0
            .status()
    });
    assert_eq!(
        (removed.as_u16(), &end["event"], &end["errorCode"]),
        (204, &json!("error"), &json!("preview_expired"))
    );
    assert_eq!(list(&all).await["total"], 0);
}
