//! Laws 1 to 3 and 6 over every fixture, over mutations of them, and over real pages.
//!
//! The judge is html5ever, which the page core does not use: whatever is translated, the tree that a browser
//! builds has the same elements, the same attributes that nobody may translate and the same comments in the same
//! order, and no visible word is left untouched. Folders of real pages are named in `LATIMER_CORPUS`, separated by
//! colons; without it that test says that it did not run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pipeline::model::Locale;
use pipeline::page::{Changes, CodedText, Page, Piece};
use proptest::prelude::*;
use scraper::{Html, Node};

/// Attributes whose value is text for people, and `value`, which an option without one is given.
const TEXT_ATTRIBUTES: [&str; 14] = [
    "abbr",
    "alt",
    "aria-braillelabel",
    "aria-brailleroledescription",
    "aria-description",
    "aria-label",
    "aria-placeholder",
    "aria-roledescription",
    "aria-valuetext",
    "content",
    "download",
    "label",
    "placeholder",
    "title",
];

/// Elements whose text is nobody's to translate.
const KEPT: [&str; 17] = [
    "code",
    "kbd",
    "samp",
    "var",
    "tt",
    "pre",
    "listing",
    "xmp",
    "plaintext",
    "textarea",
    "script",
    "style",
    "iframe",
    "noembed",
    "noframes",
    "template",
    "noscript",
];

/// Draws the tree without its texts.
fn skeleton(html: &str) -> String {
    let tree = Html::parse_document(html);
    let mut drawn = String::new();
    for node in tree.tree.root().descendants() {
        let depth = node.ancestors().count();
        match node.value() {
            Node::Element(element) => {
                let kept = |name: &str| match name {
                    "value" => !matches!(element.name(), "option" | "input"),
                    "lang" => element.name() != "html",
                    "charset" => false,
                    name => !TEXT_ATTRIBUTES.contains(&name),
                };
                let value = |name: &str, value: &str| match (element.name(), name) {
                    ("iframe", "srcdoc") => skeleton(value),
                    _ => value.to_owned(),
                };
                let kept = element.attrs().filter(|(name, _)| kept(name));
                let mut attributes: Vec<(&str, String)> = kept.map(|(name, text)| (name, value(name, text))).collect();
                attributes.sort_unstable();
                let _ = writeln!(drawn, "{depth} {} {attributes:?}", element.name());
            }
            Node::Comment(comment) => {
                let _ = writeln!(drawn, "{depth} <!--{}-->", comment.comment);
            }
            Node::Doctype(doctype) => {
                let _ = writeln!(drawn, "{depth} {}", doctype.name());
            }
            Node::Text(_) | Node::Document | Node::Fragment | Node::ProcessingInstruction(_) => {}
        }
    }
    drawn
}

/// Words that the page shows in letters of the source, outside what is kept.
fn untouched_words(html: &str, locale: &Locale) -> Vec<String> {
    let tree = Html::parse_document(html);
    if html.contains("notranslate") && html.contains("name=google") {
        return Vec::new();
    }
    let mut words = Vec::new();
    for node in tree.tree.root().descendants() {
        let Node::Text(text) = node.value() else { continue };
        let is_kept = node.ancestors().filter_map(|ancestor| ancestor.value().as_element()).any(|element| {
            let attribute = |name: &str| element.attr(name).map(|value| value.trim().to_ascii_lowercase());
            let foreign = attribute("lang")
                .filter(|_| element.name() != "html")
                .is_some_and(|lang| Locale::parse(&lang).is_ok_and(|lang| !lang.same_language(locale)));
            KEPT.contains(&element.name())
                || foreign
                || attribute("translate").as_deref() == Some("no")
                || attribute("class").is_some_and(|class| class.split_whitespace().any(|name| name == "notranslate"))
                || matches!(element.name(), "svg" | "math")
                || (element.attr("hreflang").is_some() && element.attr("rel").is_some())
        });
        if !is_kept {
            let is_word = |word: &&str| word.chars().any(|character| character.is_ascii_alphabetic());
            words.extend(text.split_whitespace().filter(is_word).map(str::to_owned));
        }
    }
    words
}

/// Writes every ASCII letter in its full-width form: other bytes, the same words.
fn widen(text: &CodedText) -> CodedText {
    let wide = |character: char| match character {
        'A'..='Z' | 'a'..='z' => char::from_u32(u32::from(character) + 0xfee0).unwrap(),
        other => other,
    };
    let pieces = text.0.iter().map(|piece| match piece {
        Piece::Text(text) => Piece::Text(text.chars().map(wide).collect()),
        other => other.clone(),
    });
    CodedText(pieces.collect())
}

fn english() -> Locale {
    Locale::parse("en").unwrap()
}

/// Checks the laws on one page and gives the words left untouched.
fn check(source: &[u8], name: &str) -> Vec<String> {
    let locale = english();
    let page = Page::parse(source, None, &locale);
    let same: Vec<CodedText> = page.segments().map(|segment| segment.text.clone()).collect();
    assert!(page.render(|index| same.get(index), &Changes::default()).html == source, "identity: {name}");

    let wide: Vec<CodedText> = same.iter().map(widen).collect();
    let rendered = page.render(|index| wide.get(index), &Changes::default());
    assert_eq!(rendered.refused, [], "{name}");
    let again = Page::parse(&rendered.html, None, &locale);
    let found: Vec<String> = again.segments().map(|segment| segment.text.to_markup()).collect();
    let put_in: Vec<String> = wide.iter().map(CodedText::to_markup).collect();
    assert_eq!(found, put_in, "conservation: {name}");
    assert_eq!(rendered, page.render(|index| wide.get(index), &Changes::default()), "determinism: {name}");

    let Ok(source) = std::str::from_utf8(source) else { return Vec::new() };
    let html = String::from_utf8(rendered.html).unwrap();
    assert_eq!(skeleton(&html), skeleton(source), "structure: {name}");
    untouched_words(&html, &locale)
}

fn html_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            html_files(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "html") {
            files.push(entry);
        }
    }
}

fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    html_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures"), &mut files);
    files.retain(|file| !file.components().any(|part| part.as_os_str() == "dist"));
    assert!(files.len() > 70, "fixtures are missing");
    files
}

#[test]
fn laws_hold_on_every_fixture() {
    for file in fixtures() {
        let words = check(&fs::read(&file).unwrap(), &file.display().to_string());
        if file.components().any(|part| part.as_os_str() == "sites") {
            assert_eq!(words, [""; 0], "{}", file.display());
        }
    }
}

#[test]
fn laws_hold_on_real_pages() {
    let Ok(folders) = std::env::var("LATIMER_CORPUS") else {
        eprintln!("NOT RUN: laws on real pages (set LATIMER_CORPUS to folders of HTML)");
        return;
    };
    let mut files = Vec::new();
    folders.split(':').for_each(|folder| html_files(Path::new(folder), &mut files));
    let mut untouched = 0;
    for file in &files {
        let words = check(&fs::read(file).unwrap(), &file.display().to_string());
        if !words.is_empty() {
            untouched += 1;
            eprintln!("{}: {:?}", file.display(), &words[..words.len().min(8)]);
        }
    }
    eprintln!("{} pages checked, {untouched} of them with untouched words", files.len());
}

/// One change to a page: where (as shares of its length), what is taken out and what is put in.
fn mutation() -> impl Strategy<Value = (f64, f64, &'static str)> {
    const SNIPPETS: [&str; 24] = [
        "",
        "</b>",
        "<b>",
        "</p>",
        "<p>",
        "<div>",
        "</div>",
        "<a href=x>",
        "</a>",
        "<!-- c -->",
        "<",
        ">",
        "\"",
        "&amp;",
        "&",
        "<table>",
        "</table>",
        "<br><br>",
        "<svg>",
        "<select>",
        "<option>",
        "<i translate=no>",
        "word",
        "\u{a0}",
    ];
    (0.0..1.0, 0.0..0.05, proptest::sample::select(SNIPPETS.to_vec()))
}

fn mutate(source: &[u8], changes: &[(f64, f64, &str)]) -> Vec<u8> {
    let mut page = source.to_vec();
    for (place, share, snippet) in changes {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        let at = (page.len() as f64 * place) as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let end = (at + (share * 100.0) as usize).min(page.len());
        page.splice(at..end, snippet.bytes());
    }
    page
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_on_mutated_fixtures(pick in any::<prop::sample::Index>(), changes in prop::collection::vec(mutation(), 1..8)) {
        let files = fixtures();
        let source = fs::read(&files[pick.index(files.len())]).unwrap();
        let page = mutate(&source, &changes);
        check(&page, &format!("{:?}", String::from_utf8_lossy(&page)));
    }
}
