//! Bodies of events and their size.

use serde_json::Value;

use super::*;

fn site() -> SiteId {
    SiteId::parse("bakery").unwrap()
}

#[test]
fn a_type_has_one_name() {
    for kind in EventType::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}

#[test]
fn a_body_says_what_when_and_of_whom() {
    let event = WebhookEvent::LocaleServingChanged(LocaleSwitched {
        target_lang: "es".to_owned(),
        serve_enabled: true,
        serving_status: "ready".to_owned(),
        by: "ana".to_owned(),
    });
    let body: Value = serde_json::from_str(
        &event
            .body(&site(), 7, Moment::of_millis(1_700_000_000_123))
            .unwrap(),
    )
    .unwrap();
    let data = serde_json::json!({ "siteId": "bakery", "sequence": 7, "targetLang": "es", "serveEnabled": true,
        "servingStatus": "ready", "by": "ana" });
    let expected = serde_json::json!({ "type": "locale.serving_changed", "timestamp": "2023-11-14T22:13:20.123Z",
        "data": data });
    assert_eq!(body, expected);
}

#[test]
fn no_body_is_larger_than_20_kb() {
    let paths: BTreeSet<String> = (0..5_000)
        .map(|number| format!("/{number:04}{}", "é".repeat(900)))
        .collect();
    let deployed = Deployed::new("id".to_owned(), 1, vec!["pt-BR".to_owned(); 500], 9, &paths);
    assert_eq!(deployed.paths_total, 5_000);
    let locale = EventLocale {
        target_lang: "zh-Hant-TW".to_owned(),
        pages_total: u64::MAX,
        pages_completed: u64::MAX,
        pages_failed: u64::MAX,
    };
    let ended = RunEnded {
        run_id: "id".to_owned(),
        kind: "build".to_owned(),
        locales: vec![locale; 400],
        locales_total: 400,
        characters_sent: 0,
        deployment_id: None,
        finished_at: time(Moment::default()),
        error: Some(RunError {
            code: "x".to_owned(),
            message: "€".repeat(90_000),
        }),
    };
    for event in [
        WebhookEvent::DeploymentPublished(deployed),
        WebhookEvent::RunFailed(ended.cut()),
    ] {
        let body = event.body(&site(), 1, Moment::default()).unwrap();
        assert!(body.len() <= 20_000, "{}", body.len());
    }
}
