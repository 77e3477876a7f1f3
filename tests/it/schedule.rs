//! `every` in `[site.crawl]`: a server crawls its sites by itself.

use serde_json::{Value, json};

use crate::support::Site;
use crate::support::api::{self, Api};

#[test]
fn a_site_with_an_interval_is_built_by_its_server() {
    let keys = "locales = [\"es\"]\nengine = \"pseudo\"\ncrawl.every = \"1d\"\n";
    let site = Site::new(
        keys,
        &[(
            "index.html",
            "<html lang=en><title>Bread</title><p>We bake bread",
        )],
    );
    api::give_api(&site, "");
    let token = api::token(site.folder(), "ana", "site");
    let server = Api::start(site.folder());
    let is_over = |runs: &Value| runs["items"][0]["status"] == "completed";
    let runs = server.wait_until("/api/sites/site/runs", &token, is_over);
    assert_eq!(runs["items"].as_array().unwrap().len(), 1, "{runs:#}");
    assert_eq!(
        (&runs["items"][0]["kind"], &runs["items"][0]["orderedBy"]),
        (&json!("build"), &json!("schedule"))
    );
    assert!(site.path("dist/site/es/index.html").exists());
}
