//! What mails say, in every language.

use super::*;

fn mail(kind: MailKind, data: Value) -> MailRecord {
    MailRecord::new(
        kind,
        Some("ana"),
        "ana@example.com",
        "x".to_owned(),
        data,
        Moment::default(),
    )
}

fn digest() -> MailRecord {
    let line = json!({
        "locale": "es", "pages": 12, "updated": 3, "untranslated": 7, "failures": 1, "characters": 900,
        "headline": "Bread <b>& wine", "notes": "first\nsecond",
    });
    let site =
        json!({ "id": "bakery", "lines": [line], "spent": 900, "limited": true, "left": 100 });
    mail(
        MailKind::Digest,
        json!({ "since": 0, "until": 86_400_000, "names": "bakery", "sites": [site] }),
    )
}

fn setting<'a>(url: &'a Url, zone: &'a Zone, language: &'a str) -> Setting<'a> {
    Setting {
        url,
        screen: Some(url),
        zone,
        language,
        leave: Some("secret"),
    }
}

/// Every template is one in every language, and says nothing in English where there are words.
#[test]
fn every_template_has_its_words() {
    for (name, text) in EMBEDDED {
        assert!(
            !name.ends_with(".txt") || !text.contains(['<', '>', '&']),
            "{name} has what HTML would read"
        );
        for (language, words) in WORDS {
            let (_, untranslated) = localized(name, text, language, words);
            assert_eq!(untranslated, 0, "{language} {name}");
        }
    }
    for (_, words) in WORDS {
        assert!(!words.contains('&'), "words are written as they are read");
    }
}

#[test]
fn a_digest_says_what_happened_as_text_and_as_html() {
    let (url, zone) = (
        Url::parse("https://www.example.com").unwrap(),
        "Europe/Madrid".parse().unwrap(),
    );
    let written = written(&digest(), &setting(&url, &zone, "en")).unwrap();
    assert_eq!(written.subject, "Digest of bakery");
    for part in [
        "from 1970-01-01 01:00 to 1970-01-02 01:00 (Europe/Madrid).",
        "\nNew or changed: 3\n",
        "\nBread <b>& wine\n",
        "\nfirst\nsecond\n",
        "\nCharacters left this month: 100\n",
        "To get no more:\nhttps://www.example.com/_latimer/unsubscribe/secret\n",
    ] {
        assert!(
            written.text.contains(part),
            "{part:?} is not in {}",
            written.text
        );
    }
    assert!(
        written.html.contains("Bread &lt;b&gt;&amp; wine"),
        "{}",
        written.html
    );
    assert!(
        written
            .html
            .contains("/_latimer/unsubscribe/secret\">Get no more</a>"),
        "{}",
        written.html
    );
}

#[test]
fn every_mail_is_written_in_every_language() {
    let (url, zone) = (Url::parse("https://www.example.com").unwrap(), Zone::UTC);
    let mails = [
        digest(),
        mail(MailKind::Confirmation, json!({ "token": "secret" })),
        mail(MailKind::PreviewConfirmation, json!({ "token": "secret" })),
        mail(
            MailKind::PreviewReady,
            json!({ "preview": "some-id", "expires": 0 }),
        ),
        mail(
            MailKind::WebhookDisabled,
            json!({ "site": "bakery", "host": "hooks.example.net", "gone": true }),
        ),
    ];
    for mail in &mails {
        let english = written(mail, &setting(&url, &zone, "en")).unwrap();
        for language in &LANGUAGES[1..] {
            let other = written(mail, &setting(&url, &zone, language)).unwrap();
            assert!(
                other.subject != english.subject && !other.subject.is_empty(),
                "{language} {:?}",
                mail.kind
            );
            let direction = if *language == "ar" {
                "<html dir=\"rtl\" lang=\"ar\">"
            } else {
                "<html lang=\""
            };
            assert!(other.html.contains(direction), "{}", other.html);
            assert!(
                !other.text.contains("<p>") && !other.text.contains("{{"),
                "{}",
                other.text
            );
        }
    }
    for page in [
        LinkPage::Confirm,
        LinkPage::Confirmed,
        LinkPage::Leave,
        LinkPage::Left,
        LinkPage::Gone,
    ] {
        for (language, previews) in LANGUAGES
            .into_iter()
            .flat_map(|language| [(language, false), (language, true)])
        {
            let html = link_page(page, previews, "ana@example.com", language).unwrap();
            assert_eq!(html.matches("<h1>").count(), 1, "{html}");
            let asks = matches!(page, LinkPage::Confirm | LinkPage::Leave);
            assert_eq!(html.contains("<form method=\"post\">"), asks, "{html}");
        }
    }
}

#[test]
fn the_nearest_language_is_found() {
    for (tag, language) in [
        ("es", "es"),
        ("es-MX", "es"),
        ("ja-JP", "ja"),
        ("de", "en"),
        ("ar-EG", "ar"),
    ] {
        assert_eq!(nearest(Some(&Locale::parse(tag).unwrap())), language);
    }
    assert_eq!(nearest(None), "en");
}
