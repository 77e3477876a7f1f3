//! What texts may hold, and what JSON may not.

use super::*;

#[tokio::test]
async fn texts_hold_what_people_write_and_nothing_that_misleads() {
    let app = app(unlimited());
    for (field, text, kept) in [
        ("headline", "Brot & B\u{f6}reks", Some("Brot & B\u{f6}reks")),
        ("headline", "a\nb", None),
        ("headline", "a\tb", None),
        ("headline", "a\u{7f}b", None),
        ("headline", "a\u{85}b", None),
        ("notes", "a\tb\nc", Some("a\tb\nc")),
        ("notes", "a\r\nb\r\n", Some("a\nb\n")),
        ("notes", "a\rb", None),
        ("notes", "a\0b", None),
        ("notes", "a\u{1b}[31mb", None),
        (
            "notes",
            "\u{200f}\u{645}\u{200e}\u{61c}",
            Some("\u{200f}\u{645}\u{200e}\u{61c}"),
        ),
        (
            "notes",
            "\u{2067}\u{645} \u{2066}a\u{2069}\u{2069}",
            Some("\u{2067}\u{645} \u{2066}a\u{2069}\u{2069}"),
        ),
        ("notes", "\u{2067}\u{645}", None),
        ("notes", "\u{2069}\u{2067}", None),
        ("notes", "\u{202e}exe.txt", None),
        ("notes", "\u{202a}a\u{202c}", None),
    ] {
        let body = json!({ "summary": { field: text } }).to_string();
        let answer = call(&app, "PUT", SUMMARY, &body, &good()).await;
        let Some(kept) = kept else {
            check(&format!("{field} {text:?}"), &answer, 400, "invalid_value");
            continue;
        };
        assert_eq!(answer.0.status(), 200, "{text:?}: {}", answer.1);
        let (_, list) = call(
            &app,
            "GET",
            "/api/sites/bakery/translation-summaries?view=full",
            "",
            &good(),
        )
        .await;
        assert_eq!(list["summaries"][0][field], kept, "{text:?}");
    }
}

#[tokio::test]
async fn name_that_stands_twice_is_refused_at_every_depth() {
    let app = app(unlimited());
    for body in [
        r#"{"frequency":"daily","frequency":"off"}"#,
        r#"{"summary":{"headline":"a","headline":"b"}}"#,
        r#"{"summary":{"headline":"a","head\u006cine":"b"}}"#,
    ] {
        check(
            body,
            &call(&app, "PUT", SUMMARY, body, &good()).await,
            400,
            "repeated",
        );
    }
    check(
        "no JSON",
        &call(&app, "PUT", SUMMARY, r#"{"frequency""#, &good()).await,
        400,
        "malformed_json",
    );
}
