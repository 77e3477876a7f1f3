//! Every screen in a browser, for readers of each language and for assistive technology.

use serde_json::{Value, json};

use super::*;
use crate::support::{repository, tool};

#[test]
#[ignore = "needs Chromium, puppeteer-core and axe-core"]
fn every_screen_is_for_everybody() {
    let screen = Screen::new();
    screen.server.call(
        "POST",
        "/api/sites/bakery/locales/ja/serve",
        &token(&screen),
        r#"{"enabled":false}"#,
    );
    let login = format!("http://{}/login?code={}", screen.address, screen.code(&[]));
    let mut node = std::process::Command::new("node");
    node.arg(repository().join("tests/it/support/admin.mjs"))
        .args([&login, "bakery"]);
    let output = node
        .env("NODE_PATH", tool("LATIMER_TEST_BROWSER"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let seen: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    assert_eq!(
        (&seen["errors"], &seen["found"]),
        (&json!([]), &json!([])),
        "{seen:#}"
    );
    assert!(
        seen["secret"].as_str().unwrap().starts_with("whsec_"),
        "{seen:#}"
    );
    assert!(
        seen["tried"].as_str().unwrap().contains("connect_failed"),
        "{seen:#}"
    );
    assert_eq!(
        (&seen["before"], &seen["after"]),
        (&json!("On"), &json!("Off"))
    );
    assert_eq!(
        (&seen["saved"], &seen["restored"]),
        (
            &json!("The words are saved. Readers get them with the next build."),
            &json!("Words of Ana")
        )
    );
    let refused = seen["refused"].as_str().unwrap();
    assert!(refused.contains("the translation is empty"), "{refused}");
    assert_eq!(seen["ended"], "Done");
    assert_eq!(
        (&seen["home"], &seen["out"], &seen["stranger"]),
        (&json!("/"), &json!("/login"), &json!("/login"))
    );
    let screens = seen["screens"].as_object().unwrap();
    assert_eq!(screens.len(), 84, "{seen:#}");
    for (name, shown) in screens.iter().filter(|(name, _)| name.ends_with("-ar")) {
        assert_eq!(
            (&shown["lang"], &shown["dir"]),
            (&json!("ar"), &json!("rtl")),
            "{name}"
        );
    }
}
