//! The error codes of the API.

use std::collections::BTreeSet;

use serde_json::json;

use super::{check_lines, quoted, read};
use crate::support::api::{self, Api};
use crate::support::documents::section;
use crate::support::{Site, repository};

/// An id that nothing has.
const UNKNOWN: &str = "01a22bbe-2244-75d2-8d2a-7122fb0ed7ab";
/// Requests to a site that is not built. The API refuses all of them. `ID` stands for an id that nothing has.
const REFUSED: [(&str, &str, &str); 32] = [
    ("GET", "/api/sites/site/switcher-snippets", ""),
    ("GET", "/api/sites/site/switcher-snippets?path=nopath", ""),
    ("GET", "/api/none", ""),
    ("PATCH", "/api/sites", ""),
    ("GET", "/api/sites/none", ""),
    ("GET", "/api/sites/site/audit", ""),
    ("GET", "/api/sites/site/runs/ID", ""),
    ("GET", "/api/sites/site/runs?limit=0", ""),
    ("GET", "/api/sites/site/runs?limit=x", ""),
    ("GET", "/api/sites/site/runs?limit=1&limit=2", ""),
    ("GET", "/api/sites/site/runs?other=1", ""),
    ("GET", "/api/sites/site/webhooks/ID", ""),
    (
        "POST",
        "/api/sites/site/webhooks",
        r#"{"url":"ftp://example.com/"}"#,
    ),
    ("POST", "/api/sites/site/deployments/ID/activate", ""),
    (
        "POST",
        "/api/sites/site/locales/de/serve",
        r#"{"enabled":true}"#,
    ),
    ("POST", "/api/sites/site/publish/none", ""),
    ("POST", "/api/sites/site/reports/take", r#"{"texts":[]}"#),
    ("GET", "/api/previews/ID", ""),
    (
        "POST",
        "/api/previews",
        r#"{"sourceUrl":"no","sourceLang":"??","targetLang":"es"}"#,
    ),
    ("GET", "/api/digests/subscription", ""),
    (
        "PUT",
        "/api/digests/subscription",
        r#"{"email":"no","frequency":"daily"}"#,
    ),
    (
        "PUT",
        "/api/digests/subscription",
        r#"{"email":"ana@example.com","frequency":"hourly"}"#,
    ),
    (
        "PUT",
        "/api/sites/site/locales/es/translation-summary",
        r#"{"summary":{"rangeStart":"yesterday"}}"#,
    ),
    ("POST", "/api/sites/site/crawl-translate", "{"),
    ("POST", "/api/sites/site/crawl-translate", "{}"),
    (
        "POST",
        "/api/sites/site/crawl-translate",
        r#"{"targetLangs":["es"],"other":1}"#,
    ),
    (
        "POST",
        "/api/sites/site/crawl-translate",
        r#"{"targetLangs":"es"}"#,
    ),
    (
        "POST",
        "/api/sites/site/crawl-translate",
        r#"{"targetLangs":["??"]}"#,
    ),
    (
        "POST",
        "/api/sites/site/crawl-translate",
        r#"{"targetLangs":["es"],"sourcePaths":["nopath"]}"#,
    ),
    ("PUT", "/api/sites/new", "{}"),
    (
        "PUT",
        "/api/sites/site",
        r#"{"sourceUrl":"https://a.example/","sourceLocale":"en","targetLangs":["es"]}"#,
    ),
    (
        "PUT",
        "/api/sites/new",
        r#"{"sourceUrl":"no","sourceLocale":"en","targetLangs":["es"]}"#,
    ),
];
/// Settings that the API refuses for a new site.
const REFUSED_SETTINGS: [&str; 4] = [
    r#""exclude":["["]"#,
    r#""engines":["none"]"#,
    r#""url":"https://{lang}.co.uk/""#,
    r#""url":"https://www.example.com/{lang}""#,
];

/// The documented codes with their statuses, and the codes of refused requests.
#[test]
fn error_codes_stay() {
    let mut codes = documented_codes();
    let table =
        "locales = [\"es\"]\nengine = [\"pseudo\"]\nurl = \"https://www.example.com/{lang}\"";
    let site = Site::new(table, &[("index.html", "<p>One</p>")]);
    api::give_api(&site, api::NO_LIMITS);
    let token = api::owners_token(site.folder(), "ana");
    let narrow = api::token(site.folder(), "bob", "site");
    let server = Api::start(site.folder());
    for (method, path, body) in REFUSED {
        add_codes(
            &mut codes,
            &server.call(method, &path.replace("ID", UNKNOWN), &token, body),
        );
    }
    for setting in REFUSED_SETTINGS {
        let body = format!(
            r#"{{"sourceUrl":"https://a.example/","sourceLocale":"en","targetLangs":["es"],{setting}}}"#
        );
        add_codes(
            &mut codes,
            &server.call("PUT", "/api/sites/new", &token, &body),
        );
    }
    add_codes(
        &mut codes,
        &server.call("GET", "/api/sites", "no token", ""),
    );
    add_codes(
        &mut codes,
        &server.call("GET", "/api/sites/site/audit", &narrow, ""),
    );
    add_codes(&mut codes, &server.call("POST", "/api/reload", &narrow, ""));
    let order = json!({ "targetLangs": ["es"] }).to_string();
    let ordered = server.call("POST", "/api/sites/site/crawl-translate", &token, &order);
    let run = ordered.header("location").unwrap().to_owned();
    server.wait_for(&run, &token);
    add_codes(
        &mut codes,
        &server.call("POST", &format!("{run}/cancel"), &token, ""),
    );
    add_codes(
        &mut codes,
        &server.call("POST", &format!("{run}/accept"), &token, ""),
    );
    add_codes(
        &mut codes,
        &server.call("GET", "/api/sites/site/explanation?page=/none/", &token, ""),
    );
    site.write("latimer.toml", "no configuration");
    add_codes(&mut codes, &server.call("POST", "/api/reload", &token, ""));
    check_lines("error_codes.txt", &codes);
}

/// Adds the codes of an answer, which must be a refusal.
#[track_caller]
fn add_codes(codes: &mut BTreeSet<String>, answer: &api::Answer) {
    let details = &answer.json["details"];
    let mut found = vec![&details["code"]];
    for field in details["fields"].as_array().into_iter().flatten() {
        found.push(&field["code"]);
    }
    for code in found {
        let code = code
            .as_str()
            .unwrap_or_else(|| panic!("this was not refused: {answer:?}"));
        codes.insert(format!("{} {code}", answer.status));
    }
}

/// The table of codes in docs/api.md. A row has one status for all its codes, or one for each.
fn documented_codes() -> BTreeSet<String> {
    let text = read(&repository().join("docs/api.md"));
    let mut codes = BTreeSet::new();
    for line in section(&text, "## Errors and limits").lines() {
        let Some((statuses, cell)) = line
            .strip_prefix("| ")
            .and_then(|row| row.split_once(" | "))
        else {
            continue;
        };
        if !statuses.starts_with(|first: char| first.is_ascii_digit()) {
            continue;
        }
        // Remarks stand in brackets.
        let mut plain = String::new();
        for part in cell.split('(') {
            plain.push_str(part.split_once(')').map_or(part, |(_, rest)| rest));
        }
        let statuses: Vec<&str> = statuses.split(", ").collect();
        let mut place = 0;
        for code in quoted(&plain) {
            if code
                .chars()
                .all(|letter| letter.is_ascii_lowercase() || letter == '_')
            {
                let status = statuses.get(place).or(statuses.last()).unwrap();
                codes.insert(format!("{status} {code}"));
                place += 1;
            }
        }
    }
    codes
}
