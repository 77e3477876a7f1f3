//! Human translations trigger none of the rules for language models (R-L3, R-L4, R-L6).

use super::talk::{talk, without_talk};
use super::untranslated::untranslated;
use super::*;
use crate::model::LanguagePair;
use crate::page::CodedText;
use crate::text::foreign_script;

/// Rules that a translation triggers.
fn set_off(source: &str, target: &str, to: &str) -> Vec<String> {
    let languages = LanguagePair::of_tags("en", to);
    let pair = languages.as_ref();
    let source = CodedText::from_markup(source).unwrap();
    let target = CodedText::from_markup(target).unwrap();
    let mut found = Vec::new();
    found.extend(talk(source.text(), target.text(), pair).map(|why| format!("talk: {why}")));
    found.extend(
        foreign_script(source.text(), target.text(), pair.to).map(|why| format!("script: {why}")),
    );
    let left = untranslated(source.text(), target.text(), &Terms::default(), pair);
    found.extend(left.map(|words| format!("untranslated: {words}")));
    let cleaned = without_talk(&source, target.clone(), pair);
    if cleaned != target {
        found.push(format!("cleaned: {}", cleaned.text()));
    }
    found
}

#[test]
fn people_of_the_bakery_set_nothing_off_r_l3_r_l4_r_l6() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../fixtures/sites/bakery/translations"
    );
    for to in ["ar", "es", "ja"] {
        let file = std::fs::read_to_string(format!("{folder}/{to}.po")).unwrap();
        let mut texts = 0;
        for entry in file.split("\n\n").skip(1) {
            let source = string(entry, "msgid");
            let target = string(entry, "msgstr");
            texts += 1;
            assert_eq!(
                set_off(&source, &target, to),
                Vec::<String>::new(),
                "{to}: {source} / {target}"
            );
        }
        assert_eq!(texts, 252, "{to}");
    }
}

/// A string of an entry in a PO file.
fn string(entry: &str, keyword: &str) -> String {
    let mut lines = entry.lines().skip_while(|line| !line.starts_with(keyword));
    let first = lines
        .next()
        .and_then(|line| line.strip_prefix(keyword))
        .unwrap_or_default()
        .trim();
    let more = lines.take_while(|line| line.starts_with('"'));
    std::iter::once(first)
        .chain(more)
        .map(|line| serde_json::from_str::<String>(line).unwrap())
        .collect()
}

/// Each line of `LATIMER_PAIRS` is a locale, an English text and its human translation, separated by tabs.
#[test]
#[ignore = "needs LATIMER_PAIRS, texts that people translated"]
fn people_seldom_set_anything_off_r_l3_r_l4_r_l6() {
    let Ok(path) = std::env::var("LATIMER_PAIRS") else {
        return;
    };
    let pairs = std::fs::read_to_string(path).unwrap();
    let mut all = 0;
    let mut refused = 0;
    let mut warned = 0;
    for line in pairs.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [to, source, target] = fields[..] else {
            panic!("{line:?} has no three fields")
        };
        let markup = |text: &str| CodedText::plain(text).to_markup();
        all += 1;
        for rule in set_off(&markup(source), &markup(target), to) {
            println!("{to} {rule}\n  {source}\n  {target}");
            if rule.starts_with("untranslated") {
                warned += 1;
            } else {
                refused += 1;
            }
        }
    }
    println!("{refused} refused or cleaned and {warned} warned of {all}");
    assert!(refused == 0 && warned * 1000 <= all);
}
