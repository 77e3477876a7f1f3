//! Addresses in the text of `<style>` and `<script>` elements: style sheets, programs, import maps and speculation rules (R-S22).
//!
//! A program is written anew only where it names a module or a file by a literal. Whether a file of that name exists is for the site
//! to say, so most of these addresses count only if it does.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::addresses_in_values::{css_addresses, has_ending, unescape_css};
use super::link_place::{AddressWriting, LinkPlace, spelled};
use super::script_addresses::{self, Naming};
use super::structured::is_json_ld;
use super::structured_links::{self, PAGE};
use crate::html::element::ElementName;
use crate::html::json::{self, Json};
use crate::html::tokens::StartTag;
use crate::html::writing;

/// `attribute` of a place that names a module, or a folder of modules.
pub(crate) const MODULE: &str = "module";
/// `attribute` of a place that may be an address.
pub(crate) const POSSIBLE: &str = "possible";
/// `attribute` of a pattern of addresses.
pub(crate) const PATTERN: &str = "pattern";

/// Kinds of text with addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    StyleSheet,
    JsonLd,
    Program,
    ImportMap,
    SpeculationRules,
}

/// Media types of programs (WHATWG MIME Sniffing, section 4.6), without their old versions.
const PROGRAMS: [&str; 10] = [
    "application/ecmascript",
    "application/javascript",
    "application/x-ecmascript",
    "application/x-javascript",
    "module",
    "text/ecmascript",
    "text/javascript",
    "text/jscript",
    "text/x-ecmascript",
    "text/x-javascript",
];

impl Inline {
    /// Kind of the text of an element. `None` if it holds no addresses.
    pub(super) fn of(source: &[u8], tag: &StartTag<'_>) -> Option<Self> {
        match &*tag.name {
            "style" => Some(Self::StyleSheet),
            "script" if is_json_ld(source, tag) => Some(Self::JsonLd),
            "script" if !tag.has("src") => {
                let kind = tag
                    .value(source, "type")
                    .unwrap_or_default()
                    .trim()
                    .to_ascii_lowercase();
                match kind.as_str() {
                    "importmap" => Some(Self::ImportMap),
                    "speculationrules" => Some(Self::SpeculationRules),
                    "" => Some(Self::Program),
                    kind if PROGRAMS.binary_search(&kind).is_ok() => Some(Self::Program),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Finds the addresses in a text of that kind.
    pub(super) fn find(
        self,
        source: &[u8],
        text: &Range<usize>,
        is_xml: bool,
        places: &mut Vec<LinkPlace>,
    ) {
        let json = if is_xml {
            writing::ValueWriting::XhtmlJson
        } else {
            writing::ValueWriting::ScriptJson
        };
        match self {
            Self::StyleSheet => of_style_sheet(source, text, is_xml, places),
            Self::JsonLd => structured_links::find(source, text, json, places),
            Self::Program => of_program(source, text, is_xml, places),
            Self::ImportMap => of_import_map(source, text, json, places),
            Self::SpeculationRules => of_speculation_rules(source, text, json, places),
        }
    }
}

fn of_style_sheet(source: &[u8], text: &Range<usize>, is_xml: bool, places: &mut Vec<LinkPlace>) {
    for inner in css_addresses(&source[text.clone()]) {
        let range = text.start + inner.start..text.start + inner.end;
        let written = String::from_utf8_lossy(&source[range.clone()]);
        let is_plain = !written.contains('\\');
        let address = if is_plain {
            written
        } else {
            Cow::Owned(unescape_css(&written))
        };
        let writing = match (is_xml, is_plain) {
            (true, true) => AddressWriting::XhtmlCss,
            (true, false) => AddressWriting::Fixed,
            (false, true) => AddressWriting::Css,
            (false, false) => AddressWriting::EscapedCss,
        };
        places.push(LinkPlace {
            element: ElementName::of(b"style"),
            ..place(source, range, &address, ("style", writing))
        });
    }
}

fn of_program(source: &[u8], text: &Range<usize>, is_xml: bool, places: &mut Vec<LinkPlace>) {
    for found in script_addresses::find(source, text.clone()) {
        let Ok(address) = std::str::from_utf8(&source[found.range.clone()]) else {
            continue;
        };
        let attribute = match found.naming {
            Naming::Module if is_specifier(address) => MODULE,
            // An address without an ending may be computed by a server, or take a form.
            Naming::Beside | Naming::Page if has_ending(address.as_bytes()) => POSSIBLE,
            Naming::Module | Naming::Beside | Naming::Page | Naming::Root | Naming::Computed => {
                continue;
            }
        };
        // XHTML may hold references here.
        let writing = if is_xml && address.contains('&') {
            AddressWriting::Fixed
        } else {
            AddressWriting::Program
        };
        places.push(place(source, found.range, address, (attribute, writing)));
    }
}

/// Finds the addresses of modules, of folders of modules, and those that scopes and integrity are said for.
fn of_import_map(
    source: &[u8],
    text: &Range<usize>,
    writing: writing::ValueWriting,
    places: &mut Vec<LinkPlace>,
) {
    let Some(json) = json::read(source, text.clone()) else {
        return;
    };
    let mut ranges = Vec::new();
    for (index, container) in json.containers.iter().enumerate() {
        if container
            .parent()
            .is_some_and(|parent| is_member(source, &json, parent, "scopes"))
            && index > 0
        {
            ranges.extend(container.key.range());
        }
    }
    for string in &json.strings {
        let container = string.container();
        let in_scope = json
            .containers
            .get(container)
            .and_then(|container| container.parent());
        if is_member(source, &json, container, "imports")
            || in_scope.is_some_and(|scopes| is_member(source, &json, scopes, "scopes"))
        {
            ranges.extend(string.key.range());
            ranges.push(string.range());
        } else if is_member(source, &json, container, "integrity") {
            ranges.extend(string.key.range());
        }
    }
    ranges.sort_by_key(|range| range.start);
    for range in ranges {
        let address = writing.read(&source[range.clone()]).unwrap_or_default();
        if is_specifier(&address) {
            places.push(place(
                source,
                range,
                &address,
                (MODULE, AddressWriting::Value(writing)),
            ));
        }
    }
}

/// True for the object that stands under a key of the whole.
fn is_member(source: &[u8], json: &Json, container: usize, key: &str) -> bool {
    json.containers.get(container).is_some_and(|container| {
        container.parent() == Some(0) && container.key.word(source) == Some(key)
    })
}

/// Finds the pages that a browser may load before a reader asks for them, and patterns of their addresses.
fn of_speculation_rules(
    source: &[u8],
    text: &Range<usize>,
    writing: writing::ValueWriting,
    places: &mut Vec<LinkPlace>,
) {
    let Some(json) = json::read(source, text.clone()) else {
        return;
    };
    for string in &json.strings {
        let attribute = match json.key(source, string) {
            Some("urls") => PAGE,
            Some("href_matches") => PATTERN,
            Some(_) | None => continue,
        };
        let Some(address) = writing.read(&source[string.range()]) else {
            continue;
        };
        places.push(place(
            source,
            string.range(),
            address.trim(),
            (attribute, AddressWriting::Value(writing)),
        ));
    }
}

/// Tells an address from the bare name of a module (HTML, section 8.1.5.2).
fn is_specifier(name: &str) -> bool {
    ["/", "./", "../", "http://", "https://"]
        .iter()
        .any(|start| name.starts_with(start))
}

fn place(
    source: &[u8],
    range: Range<usize>,
    address: &str,
    (attribute, writing): (&'static str, AddressWriting),
) -> LinkPlace {
    LinkPlace {
        spelled: spelled(address.into(), &source[range.clone()]),
        respelled: false,
        range,
        element: ElementName::of(b"script"),
        attribute,
        rel: Arc::default(),
        language: None,
        hreflang: None,
        writing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::language_links::LanguageLinks;
    use super::super::links;
    use crate::html::rules::Rules;
    use crate::html::scan::scan;

    /// The addresses of a page as `attribute=address`, joined by spaces.
    fn check(html: &str, expected: &str) {
        let tokens = scan(html.as_bytes(), &Rules::default());
        let found = links::find(
            html.as_bytes(),
            &tokens,
            &LanguageLinks::default(),
            encoding_rs::UTF_8,
        );
        let found: Vec<String> = found
            .iter()
            .map(|place| format!("{}={}", place.attribute, place.address(html.as_bytes())))
            .collect();
        assert_eq!(found.join(" "), expected, "{html}");
    }

    #[test]
    fn import_maps_name_modules_and_folders_r_s22() {
        check(
            r#"<script type=importmap>{"imports":{"app":"./a.js","lib/":"../lib/","react":"https://cdn.example/r.js","no":null}}</script>"#,
            "module=./a.js module=../lib/ module=https://cdn.example/r.js",
        );
        check(
            r#"<script type="importmap">{"scopes":{"./sub/":{"b":"./b.js"}},"integrity":{"./a.js":"sha384-x"}}</script>"#,
            "module=./sub/ module=./b.js module=./a.js",
        );
        check(
            r#"<script type=importmap>{"imports":{"./c.js":"\/d.js"}}</script>"#,
            "module=./c.js module=/d.js",
        );
        check("<script type=importmap>{imports: {}}</script>", "");
    }

    #[test]
    fn speculation_rules_name_pages_r_s22() {
        check(
            r#"<script type=speculationrules>{"prerender":[{"source":"list","urls":["/about/","b"]}],"prefetch":[{"where":{"href_matches":"/*"}}]}</script>"#,
            "url=/about/ url=b pattern=/*",
        );
    }

    #[test]
    fn programs_name_files_r_s22() {
        check(
            "<script type=module>import './a.js'; import 'react'; fetch('b.json')</script>",
            "module=./a.js possible=b.json",
        );
        check("<script>import(`./a.js`).then(x)</script>", "module=./a.js");
        check(
            "<script>fetch('/', {method: 'POST'}); fetch('about/')</script>",
            "",
        );
        check(
            "<script type='text/partytown'>fetch('a.json')</script><script src=x.js>fetch('a.json')</script>",
            "src=x.js",
        );
        check(
            "<script type=application/json>{\"a\":\"import './b.js'\"}</script>",
            "",
        );
    }

    #[test]
    fn escapes_of_style_sheets_are_undone_r_s22() {
        check(
            r"<style>a{background:url(../a\(1\).png)}</style>",
            "style=../a(1).png",
        );
        check(
            r"<p style='background:url(../a\ b.png)'>",
            "style=../a b.png",
        );
        check(
            "<p style=\"background:url(&quot;../c&amp;d.png&quot;)\">",
            "style=../c&d.png",
        );
        check(
            "<style>a{background:url( \"../e.png\" )}</style>",
            "style=../e.png",
        );
    }
}
