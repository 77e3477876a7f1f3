//! Two tenants on one server: what one sends, with whatever ids, changes nothing of the other's.

use super::*;

/// The token of a tenant, with all scopes.
fn of(site: &str) -> String {
    token("good", site, &crate::scopes().join(" "), site, 0)
}

/// Follows a run until it is over; gives the events.
async fn followed(body: Body) -> String {
    String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn run_is_found_under_its_own_site_alone() {
    let app = app(unlimited());
    let order = r#"{"targetLangs":["es"]}"#;
    let (ordered, _) = call(&app, "POST", "/api/sites/bakery/crawl-translate", order, &of("bakery")).await;
    let location = ordered.headers()["location"].to_str().unwrap();
    let request = Request::get(format!("{location}/stream")).header("host", "localhost");
    let request = request.header("authorization", of("bakery")).body(Full::<Bytes>::default()).unwrap();
    let mut events = respond(&app, request, CLIENT).await.into_body();
    let first = events.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"id: "), "{first:?}");
    for (method, verb) in [("GET", ""), ("GET", "/stream"), ("POST", "/cancel"), ("POST", "/accept")] {
        let path = format!("{}{verb}", location.replace("bakery", "shop"));
        check(&path, &call(&app, method, &path, "", &of("shop")).await, 404, "run_not_found");
    }
    let (_, run) = call(&app, "POST", &format!("{location}/cancel"), "", &of("bakery")).await;
    assert_eq!(run["status"], "cancelled");
    let rest = followed(events).await;
    assert!(rest.contains("event: complete") && rest.contains("\"cancelled\""), "{rest}");
}
