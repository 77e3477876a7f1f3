//! Terms in texts, and what a translation lacks of them.

use super::*;
use crate::translate::example::{plain, segment};

fn term(source: &[&str], target: &[&str]) -> Term {
    let list = |forms: &[&str]| forms.iter().map(|form| (*form).to_owned()).collect();
    Term {
        source: list(source),
        target: list(target),
        keeps_case: false,
        matching: Matching::Word,
        is_name: false,
    }
}

fn found<'a>(terms: &Terms, text: &'a str) -> Vec<&'a str> {
    terms
        .hits(text)
        .into_iter()
        .map(|hit| &text[hit.range])
        .collect()
}

#[test]
fn terms_are_found_as_whole_words_and_the_longest_first() {
    let terms = Terms::new(vec![
        term(&["proxy", "proxies"], &["proxy"]),
        term(&["reverse proxy"], &["proxy inverso"]),
        Term {
            keeps_case: true,
            ..term(&["Go"], &[])
        },
        Term {
            matching: Matching::Start,
            ..term(&["config"], &["configuración"])
        },
        Term {
            matching: Matching::Part,
            ..term(&["schiff"], &["barco"])
        },
        term(&["a b"], &["c"]),
        term(&["東京"], &["Tokio"]),
        term(&["सर"], &["sir"]),
        term(&["ค"], &["k"]),
        term(&["サーバ"], &["server"]),
    ]);
    for (text, expected) in [
        (
            "A Reverse  proxy, proxies and proxying",
            vec!["Reverse  proxy", "proxies"],
        ),
        (
            "Go on and go to proxy_pass or mod-proxy",
            vec!["Go", "proxy"],
        ),
        ("configured, reconfigured", vec!["configured"]),
        ("a  b", vec!["a  b"]),
        ("Luftschiffe", vec!["schiff"]),
        ("東京都", vec!["東京"]),
        ("see https://proxy.example/proxy and proxy.example", vec![]),
        ("proxy\u{301} सर्वर サーバー", vec![]),
        // A tone of Thai is no letter of its own.
        ("ค่า", vec![]),
    ] {
        assert_eq!(found(&terms, text), expected, "{text}");
    }
}

#[test]
fn names_may_count_only_where_they_are_all_of_a_text_r_n2() {
    let name = |form: &str, matching| Term {
        keeps_case: true,
        matching,
        is_name: true,
        ..term(&[form], &[])
    };
    let terms = Terms::new(vec![
        name("packaging", Matching::Alone),
        name("Furo", Matching::Word),
    ]);
    for (text, expected) in [
        ("packaging", vec!["packaging"]),
        ("Usage — packaging", vec!["packaging"]),
        ("packaging - Usage", vec!["packaging"]),
        ("Usage | packaging | Furo", vec!["packaging", "Furo"]),
        ("The packaging is new", vec![]),
        ("packaging of goods", vec![]),
        ("re-packaging", vec![]),
    ] {
        assert_eq!(found(&terms, text), expected, "{text}");
    }
    let is_whole = |text: &str| terms.is_kept_whole(&plain(text));
    assert!(is_whole("Furo") && is_whole("packaging | Furo") && is_whole("Furo 2.0"));
    assert!(!is_whole("Furo and more") && !is_whole("2.0"));
    let text = plain("Furo or furo, as Furo is called");
    assert_eq!(
        (terms.count(&text), terms.names_in(&text)),
        (0, vec!["Furo".to_owned()])
    );
}

#[test]
fn a_translation_has_a_term_as_often_as_its_source() {
    let terms = Terms::new(vec![
        term(&["server", "servers"], &["servidor", "servidores"]),
        term(&["Latimer"], &[]),
        term(&["URL", "URLs"], &[]),
    ]);
    for (source, translation, expected) in [
        ("the server", "el servidor", vec![]),
        ("the server", "los Servidores", vec![]),
        ("Servers", "camareros", vec![("Servers", "Servidores")]),
        (
            "a server and a server",
            "un servidor y un mozo",
            vec![("server", "servidor")],
        ),
        (
            "Latimer runs",
            "Intérprete corre",
            vec![("Latimer", "Latimer")],
        ),
        ("URLs and a URL", "URLs y un URL", vec![]),
        ("nothing here", "nada", vec![]),
    ] {
        let missed = terms.missed(source, translation);
        let missed: Vec<_> = missed
            .iter()
            .map(|missed| (&*missed.source, &*missed.target))
            .collect();
        assert_eq!(missed, expected, "{source} / {translation}");
    }
}

#[test]
fn only_what_concerns_a_text_changes_its_signature() {
    let one = Terms::new(vec![
        term(&["server"], &["servidor"]),
        term(&["page"], &["página"]),
    ]);
    let other = Terms::new(vec![
        term(&["page"], &["hoja"]),
        term(&["server"], &["servidor"]),
    ]);
    let signatures = |text: &str| (one.signature(&plain(text)), other.signature(&plain(text)));
    let (first, second) = signatures("a server");
    assert!(first == second && first.is_some());
    let (first, second) = signatures("a page");
    assert_ne!(first, second);
    assert_eq!(signatures("a text"), (None, None));
}

#[test]
fn notes_are_in_no_signature_r_l24() {
    let unnoted = Terms::new(vec![term(&["spring", "springs"], &["primavera"])]);
    let noted = unnoted.clone().with_notes(vec!["the season".into()]);
    let segment = plain("In spring");
    assert_eq!(noted.signature(&segment), unnoted.signature(&segment));
    let hits = noted.hits("Two springs");
    assert_eq!(
        (noted.note(&hits[0]), unnoted.note(&hits[0])),
        (Some("the season"), None)
    );
    let glossed = |terms: &Terms, text: &str| {
        crate::translate::fallback::Glossed {
            terms,
            forced: false,
            translates: true,
            values: None,
        }
        .notes(text)
    };
    assert_eq!(
        glossed(&noted, "Spring after spring"),
        [
            ("Spring".into(), "the season".into()),
            ("spring".into(), "the season".into())
        ]
    );
    assert_eq!(glossed(&unnoted, "Spring"), []);
}

#[test]
fn codes_part_words_and_their_case_in_the_glossary_means_nothing() {
    let terms = Terms::new(vec![
        term(&["Server"], &["servidor"]),
        term(&["API"], &["interfaz"]),
    ]);
    let text = segment("Start the server<x id=\"1\"/>now", &["br"]);
    assert_eq!(
        (terms.count(&text), terms.missed_in(&text, &text.text).len()),
        (1, 1)
    );
    assert_eq!(
        terms.count(&segment("Start the server<x id=\"1\"/>now", &["wbr"])),
        0
    );
    let wanted = |text: &str| {
        terms
            .hits(text)
            .iter()
            .map(|hit| terms.wanted(hit, text, &text[hit.range.clone()]))
            .collect()
    };
    let found: Vec<String> = wanted("Server, SERVER, server, API");
    assert_eq!(found, ["servidor", "SERVIDOR", "servidor", "interfaz"]);
}

#[test]
fn forms_take_the_case_of_what_they_replace() {
    for (form, like, expected) in [
        ("servidor", "camarero", "servidor"),
        ("servidor", "Camarero", "Servidor"),
        ("servidor", "CAMARERO", "SERVIDOR"),
        ("API web", "servicio", "API web"),
        ("Web", "red", "Web"),
    ] {
        assert_eq!(in_case_of(form, like), expected, "{form} for {like}");
    }
}
