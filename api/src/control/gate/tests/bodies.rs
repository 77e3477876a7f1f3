//! Bodies of requests that come slowly, fail or are nested deeply.

use super::*;

/// Asks for the writing of a summary with a body of any behaviour.
async fn put(
    body: impl futures::Stream<Item = Result<hyper::body::Frame<Bytes>, std::io::Error>>,
) -> (u16, Value) {
    let app = app(unlimited());
    let request = Request::put(SUMMARY)
        .header("host", "localhost")
        .header("authorization", good());
    let request = request
        .header("content-type", "application/json")
        .header("content-length", "100");
    let body = Box::pin(http_body_util::StreamBody::new(body));
    let response = respond(&app, request.body(body).unwrap(), CLIENT).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap())
}

/// D9: a body may not take for ever.
#[tokio::test(start_paused = true)]
async fn body_that_drips_is_refused_in_time() {
    let started = tokio::time::Instant::now();
    let drip = || async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        Some((Ok(hyper::body::Frame::data(Bytes::from_static(b" "))), ()))
    };
    let (status, body) = put(futures::stream::unfold((), |()| drip())).await;
    assert_eq!(
        (status, body["details"]["code"].as_str()),
        (400, Some("bad_request"))
    );
    assert_eq!(started.elapsed(), crate::control::gate::body::BODY_TIMEOUT);
}

/// D14: a panic is an answer in JSON that does not tell about it.
#[tokio::test]
async fn panic_becomes_an_internal_error() {
    let (status, body) = put(futures::stream::poll_fn(|_| panic!("a secret"))).await;
    assert_eq!(
        (status, body["details"]["code"].as_str()),
        (500, Some("internal"))
    );
    assert!(!body.to_string().contains("secret"), "{body}");
}

/// D10: JSON is not followed into any depth.
#[tokio::test]
async fn deep_json_is_refused() {
    for deep in ["[".repeat(10_000), "{\"a\":".repeat(10_000)] {
        check(
            "deep",
            &call(&app(unlimited()), "PUT", SUMMARY, &deep, &good()).await,
            400,
            "malformed_json",
        );
    }
}
