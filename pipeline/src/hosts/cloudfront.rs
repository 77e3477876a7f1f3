//! CloudFront before a bucket: a function for viewer requests, and the data that it looks addresses up in.
//!
//! The function answers what the bucket cannot: redirects, what is gone, pages for what is not found, and the language of
//! the home page; everything else it leads to the name of a file. It does what `PathLookup` does, so the data hold the names
//! of all files and what the rules say.

use std::collections::BTreeMap;

use serde_json::json;

use super::facts::{HostFacts, HostFile};
use super::languages::CRAWLERS;
use super::layout::HostSpot;
use super::place::CANONICAL;
use super::rules::HostReply;
use crate::model::{Locale, encoded_name};

const FUNCTION: &str = "latimer.cloudfront.js";
const DATA: &str = "latimer.cloudfront.json";
/// The most bytes of a function.
const FUNCTION_BYTES: usize = 10_240;
/// The most bytes of a file that fills a key-value store.
const DATA_BYTES: usize = 5_000_000;
const KEY_BYTES: usize = 512;
const VALUE_BYTES: usize = 1_000;
/// The most pieces that a page for what is not found may have; each is read by itself.
const PARTS: usize = 32;
const WAYS_OUT: &str = "use redirects = \"pages\", publish fewer languages, or use another host";

/// The function that leads to the `index.html` of folders and does nothing else.
pub(super) fn index_alone() -> HostFile {
    own_file(
        FUNCTION,
        include_str!("../../../templates/cloudfront/index.js").to_owned(),
    )
}

/// Function and data; with the addresses that they cannot hold, and with sentences that say what is too much.
pub(super) fn files(facts: &HostFacts<'_>) -> (Vec<HostFile>, Vec<String>, Vec<String>) {
    let mut too_much = Vec::new();
    let mut data = CloudFrontPairs {
        pairs: BTreeMap::new(),
        unwritable: Vec::new(),
    };
    for name in facts.root.files.keys() {
        data.add(encoded_name(name), "1".to_owned());
    }
    for rule in &facts.rules {
        data.add(rule.from.clone(), told(&rule.reply));
    }
    let mut spots: Vec<&HostSpot<'_>> = facts.root.spots.iter().collect();
    spots.sort_by_key(|spot| std::cmp::Reverse(spot.prefix.len()));
    let mut told_spots = Vec::new();
    for spot in spots {
        if !spot.prefix.is_empty() {
            data.add(
                spot.prefix.clone(),
                told(&HostReply::Moved(format!("{}/", spot.prefix), CANONICAL)),
            );
        }
        let page = facts
            .error_page(spot)
            .and_then(|name| Some((facts.text(&name)?, facts.root.files.get(&name)?)));
        let parts = page.map_or_else(Vec::new, |(text, _)| pieces(text));
        if parts.len() > PARTS {
            let prefix = &spot.prefix;
            let most = PARTS * VALUE_BYTES;
            too_much.push(format!(
                "cloudfront answers with at most {most} bytes of its own, and the page for what is not found in {prefix}/ is \
                 longer; make it shorter, or use redirects = \"pages\""
            ));
        }
        let kind = page.map(|(_, file)| &*file.entry.content_type);
        told_spots.push(json!({ "prefix": spot.prefix, "shared": spot.shared, "parts": parts.len(), "type": kind }));
        for (number, part) in parts.into_iter().enumerate() {
            data.add(format!("404 {} {number}", spot.prefix), part.to_owned());
        }
    }
    let site = json!({
        "clean": facts.is_clean(), "cache": facts.page_cache, "spots": told_spots, "home": home(facts),
    });
    let text = include_str!("../../../templates/cloudfront/function.js")
        .replace("{{ site }}", &site.to_string());
    let function = own_file(FUNCTION, text);
    let (table, unwritable) = data.written();
    too_much.extend(exceeds(&function, FUNCTION_BYTES, "a function"));
    too_much.extend(exceeds(&table, DATA_BYTES, "key-value data"));
    (vec![function, table], unwritable, too_much)
}

/// The home page from which readers are sent to their language, where the site wants that.
fn home(facts: &HostFacts<'_>) -> Option<serde_json::Value> {
    let languages = facts.home_languages();
    let source = facts
        .root
        .spots
        .iter()
        .find(|spot| spot.place.locale.is_none())?;
    let language = |(locale, uri): &(&Locale, String)| json!({ "tag": locale.as_str().to_lowercase(), "uri": uri });
    (!languages.is_empty()).then(|| {
        json!({
            "uri": format!("{}/", source.prefix), "crawlers": CRAWLERS.join("|"),
            "languages": languages.iter().map(language).collect::<Vec<_>>(),
        })
    })
}

/// What the data say of an address: the status, and where it leads.
fn told(reply: &HostReply) -> String {
    match reply {
        HostReply::Moved(to, status) => format!("{status} {to}"),
        HostReply::Gone => "410".to_owned(),
        HostReply::NotFound => "404".to_owned(),
        HostReply::File(name) => format!("200 /{}", encoded_name(name)),
    }
}

struct CloudFrontPairs {
    pairs: BTreeMap<String, String>,
    unwritable: Vec<String>,
}

impl CloudFrontPairs {
    fn add(&mut self, key: String, value: String) {
        if key.len() > KEY_BYTES || value.len() > VALUE_BYTES {
            self.unwritable.push(key);
        } else {
            self.pairs.insert(key, value);
        }
    }

    /// The file that fills a key-value store.
    fn written(self) -> (HostFile, Vec<String>) {
        let mut text = "{\"data\":[\n".to_owned();
        for (number, (key, value)) in self.pairs.iter().enumerate() {
            let comma = if number > 0 { ",\n" } else { "" };
            text.push_str(&format!("{comma}{}", json!({ "key": key, "value": value })));
        }
        text.push_str("\n]}\n");
        (own_file(DATA, text), self.unwritable)
    }
}

/// A text in pieces that a value holds each.
fn pieces(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let (piece, rest) = text.split_at(text.floor_char_boundary(VALUE_BYTES));
        pieces.push(piece);
        text = rest;
    }
    pieces
}

fn exceeds(file: &HostFile, most: usize, what: &str) -> Option<String> {
    let bytes = file.text.len();
    (bytes > most).then(|| {
        format!("cloudfront takes {most} bytes of {what}, and this site needs {bytes}; {WAYS_OUT}")
    })
}

fn own_file(name: &str, text: String) -> HostFile {
    HostFile {
        name: name.to_owned(),
        is_beside: true,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_at_their_last_byte() {
        let mut data = CloudFrontPairs {
            pairs: BTreeMap::new(),
            unwritable: Vec::new(),
        };
        let of = |bytes: usize| "a".repeat(bytes);
        for (key, value, is_held) in [(512, 1000, true), (513, 1, false), (1, 1001, false)] {
            let before = data.unwritable.len();
            data.add(of(key), of(value));
            assert_eq!(data.unwritable.len() == before, is_held, "{key} {value}");
        }
        let said = |bytes: usize| exceeds(&own_file(DATA, of(bytes)), DATA_BYTES, "key-value data");
        assert_eq!(said(5_000_000), None);
        let needs = said(5_000_001).unwrap();
        assert!(needs.starts_with(
            "cloudfront takes 5000000 bytes of key-value data, and this site needs 5000001; use"
        ));
        // A letter of several bytes is not cut.
        let text = format!("{}ñ", of(VALUE_BYTES - 1));
        assert_eq!(pieces(&text), [&text[..VALUE_BYTES - 1], "ñ"]);
    }
}
