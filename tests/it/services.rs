//! An engine that is a service, from the configuration to the page: its key comes from a file and goes nowhere else.

use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use crate::support::judge::{Links, skeleton};
use crate::support::web::serve_json;
use crate::support::{self, Site, locale};

const KEY: &str = "hush-hush-hush-7";
const PAGE: &str = "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>The house</title>\n\
    <p>The house is <b class=\"secret-class\">red</b>. Run <code>sudo open</code> &amp; wait.</p>\n\
    <p><a href=\"/secret-address\">Poison</a></p>\n";

/// Starts a server that speaks like DeepL's and cries; texts with poison lose their codes. Gives its address and what it
/// is asked: the head and the body of each request.
fn cry() -> (String, Receiver<(String, Value)>) {
    let (sender, receiver) = channel();
    let address = serve_json(move |head, asked| {
        let mut cried = Vec::new();
        for text in asked["text"].as_array().unwrap() {
            let text = text.as_str().unwrap();
            let words = text
                .replace("The house", "LA CASA")
                .replace("is", "ES")
                .replace("red", "ROJA");
            cried.push(json!({ "text": if text.contains("Poison") { "VENENO <b>".into() } else { words } }));
        }
        sender.send((head.to_owned(), asked.clone())).unwrap();
        (200, json!({ "translations": cried }))
    });
    (address, receiver)
}

#[test]
fn a_service_gets_words_and_codes_and_its_key_stays_secret() {
    let (address, asked) = cry();
    let engine = format!(
        "kind = \"deepl\"\nurl = {address:?}\nallow_private = true\nkey_file = \"deepl.key\""
    );
    let html = "[site.html]\nswitcher = { template = \"disclosure\", placement = \"none\" }";
    let keys = format!(
        "locales = [\"es\"]\nengine = \"rented\"\nmin_translated = 0\n{html}\n[engine.rented]\n{engine}"
    );
    let site = Site::new(&keys, &[("index.html", PAGE)]);
    site.write("deepl.key", &format!("{KEY}\n"));

    let ran = site.run(&["build", "--json"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr;
    assert_eq!(ran.code, 6, "{said}");
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let refused = locale(&report["sites"][0], "es")["refused"].to_string();
    assert!(
        refused.contains("rented: ") && refused.contains("Poison"),
        "{refused}"
    );

    let page = site.read("dist/site/es/index.html");
    assert!(
        page.contains("<p>LA CASA ES <b class=\"secret-class\">ROJA</b>. Run <code>sudo open</code> &amp; wait."),
        "{page}"
    );
    assert!(page.contains(">Poison</a>"), "{page}");
    assert_eq!(skeleton(&page, Links::Move), skeleton(PAGE, Links::Move));

    let asked: Vec<_> = asked.try_iter().collect();
    for (head, body) in &asked {
        assert!(
            head.contains(&format!("authorization: DeepL-Auth-Key {KEY}\r\n")),
            "{head}"
        );
        for inner in ["secret", "sudo", "href"] {
            assert!(
                !body.to_string().contains(inner),
                "{inner} left the house: {body}"
            );
        }
    }
    // Once with the others, and what was refused once more by itself.
    assert_eq!(asked.len(), 2, "{asked:?}");
    for (name, bytes) in support::files(site.folder()) {
        let holds_key = bytes
            .windows(KEY.len())
            .any(|window| window == KEY.as_bytes());
        assert!(!holds_key || name == "deepl.key", "{name} holds the key");
    }
    assert!(!said.contains(KEY), "{said}");
}

#[test]
fn a_service_without_a_key_is_left_out_and_says_what_to_set() {
    let keys = "locales = [\"es\"]\nengine = \"rented-one\"\nmin_translated = 0\n[engine.rented-one]\nkind = \"deepl\"\n";
    let site = Site::new(keys, &[("index.html", PAGE)]);
    let ran = site.run(&["build"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &ran.stderr;
    assert!(said.contains("LATIMER_ENGINE_RENTED_ONE_KEY"), "{said}");
}
