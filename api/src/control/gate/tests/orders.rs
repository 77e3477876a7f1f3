//! Orders of runs: equal ones, cancelled ones, and those that somebody follows.

use super::*;

#[tokio::test]
async fn equal_orders_join_and_promised_ones_are_answered_again() {
    let app = app(unlimited());
    let (_, path, body, _) = OPERATIONS[3];
    let token = good();
    let send = async |body: &str, key: Option<&str>| {
        let mut headers = vec![
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
        ];
        headers.extend(key.map(|key| ("idempotency-key", key)));
        ask(&app, "POST", path, body, &headers).await
    };
    let first = send(body, Some("k1")).await;
    let keys: Vec<_> = first.1.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys,
        [
            "crawlId",
            "enqueuedCount",
            "force",
            "selectedCount",
            "targetLangs"
        ]
    );
    assert_eq!(
        (&first.1["enqueuedCount"], &first.1["selectedCount"]),
        (&json!(1), &json!(0))
    );
    let location = format!(
        "/api/sites/bakery/runs/{}",
        first.1["crawlId"].as_str().unwrap()
    );
    assert_eq!(first.0.headers()["location"].to_str().unwrap(), location);
    let joined = send(body, None).await.1;
    assert_eq!(
        (&joined["crawlId"], &joined["enqueuedCount"]),
        (&first.1["crawlId"], &json!(0))
    );
    assert_eq!(send(body, Some("k1")).await.1, first.1);
    check(
        "k1",
        &send(r#"{"targetLangs":["pt-BR"]}"#, Some("k1")).await,
        409,
        "idempotency_conflict",
    );
    check(
        "key",
        &send(body, Some("two words")).await,
        400,
        "invalid_value",
    );
    let (_, run) = call(&app, "GET", &location, "", &good()).await;
    let keys: Vec<_> = run.as_object().unwrap().keys().cloned().collect();
    let expected = "charactersSent failures finishedAt kind orderedBy origin queuedAt runId stages startedAt status \
                    targetLangs warnings";
    assert_eq!(keys.join(" "), expected);
    assert_eq!(run["status"], "queued");
    let (_, list) = call(&app, "GET", "/api/sites/bakery/runs", "", &good()).await;
    assert_eq!((&list["total"], &list["items"][0]), (&json!(1), &run));
}

#[tokio::test]
async fn runs_that_wait_can_be_cancelled_once_and_followed_to_their_end() {
    let app = app(unlimited());
    let (_, path, body, _) = OPERATIONS[3];
    let (ordered, _) = call(&app, "POST", path, body, &good()).await;
    let location = ordered.headers()["location"].to_str().unwrap();
    let follow = || {
        let request = Request::get(format!("{location}/stream")).header("host", "localhost");
        request
            .header("authorization", good())
            .body(Full::<Bytes>::default())
            .unwrap()
    };
    let mut events = respond(&app, follow(), CLIENT).await.into_body();
    let frame = events.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(
        frame.windows(8).any(|text| text == b"\"queued\""),
        "{frame:?}"
    );
    let cancel = format!("{location}/cancel");
    let (response, run) = call(&app, "POST", &cancel, "", &good()).await;
    assert_eq!(
        (response.status().as_u16(), &run["status"]),
        (200, &json!("cancelled"))
    );
    let rest = events.collect().await.unwrap().to_bytes();
    let text = String::from_utf8(rest.to_vec()).unwrap();
    assert!(
        text.contains("event: complete\n")
            && text.contains("\"cancelled\"")
            && text.ends_with("\n\n"),
        "{text}"
    );
    check(
        "again",
        &call(&app, "POST", &cancel, "", &good()).await,
        409,
        "run_is_over",
    );
    check(
        "body",
        &call(&app, "POST", &cancel, "{}", &good()).await,
        409,
        "run_is_over",
    );
    let late = respond(&app, follow(), CLIENT)
        .await
        .into_body()
        .collect()
        .await
        .unwrap()
        .to_bytes();
    let late = String::from_utf8(late.to_vec()).unwrap();
    assert!(
        late.contains("event: status\n") && late.contains("event: complete\n"),
        "{late}"
    );
    let (again, run) = call(&app, "POST", path, body, &good()).await;
    assert_ne!(
        again.headers()["location"].to_str().unwrap(),
        location,
        "{run}"
    );
}
