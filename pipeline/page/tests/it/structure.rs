//! Laws 1 to 3 and 6 over every fixture, over mutations of them, and over real pages.
//!
//! The judge is html5ever, which the page core does not use: whatever is translated, the tree that a browser
//! builds has the same elements, the same attributes that nobody may translate and the same comments in the same
//! order, and no visible word is left untouched. Folders of real pages (`tests/corpus` fetches some) are named in
//! `LATIMER_CORPUS`, separated by colons.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::laws;
use crate::laws::judge::decode;

/// Checks a page that somebody wrote.
fn check(page: &[u8], name: &str) -> Vec<String> {
    let html = decode(page);
    laws::check_moved(page, html.as_deref(), name);
    laws::check(page, None, html.as_deref(), name)
}

fn html_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            html_files(&entry, files);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            files.push(entry);
        }
    }
}

fn fixtures() -> Vec<PathBuf> {
    let mut files = Vec::new();
    html_files(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures"),
        &mut files,
    );
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
fn laws_hold_on_what_fuzzing_found() {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/found");
    let mut checked = 0;
    for entry in fs::read_dir(found).unwrap() {
        laws::check_input(&fs::read(entry.unwrap().path()).unwrap());
        checked += 1;
    }
    assert!(checked > 10, "{checked} inputs");
}

#[test]
fn names_of_languages_may_move_away_from_their_menu() {
    let menu = "<a href=1>Deutsch</a></li><li>";
    for entry in [
        "<a href=2>Turkish</a>, <a href=3>online</a>",
        "A book in <a href=2>Turkish</a>",
    ] {
        let page = format!("<ul><li>{menu}{entry}</li></ul>");
        laws::check_moved(page.as_bytes(), Some(&page), entry);
    }
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
    (
        0.0..1.0,
        0.0..0.05,
        proptest::sample::select(SNIPPETS.to_vec()),
    )
}

fn mutate(source: &[u8], changes: &[(f64, f64, &str)]) -> Vec<u8> {
    let mut page = source.to_vec();
    for (place, share, snippet) in changes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss
        )]
        let at = (page.len() as f64 * place) as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let end = (at + (share * 100.0) as usize).min(page.len());
        page.splice(at..end, snippet.bytes());
    }
    page
}

/// The page as text, where that is known: characters beyond ASCII of a page that declares another encoding than UTF-8
/// are others in a browser.
fn as_browsers_read(page: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(page).ok()?;
    let lower = text.to_ascii_lowercase();
    let mut declared = lower
        .split("charset")
        .skip(1)
        .map(|rest| rest.trim_start_matches(['=', '"', '\'', ' ']));
    (text.is_ascii() || declared.all(|label| label.starts_with("utf-8"))).then_some(text)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn laws_hold_on_mutated_fixtures(pick in any::<prop::sample::Index>(), changes in prop::collection::vec(mutation(), 1..8)) {
        let files = fixtures();
        let source = fs::read(&files[pick.index(files.len())]).unwrap();
        let page = mutate(&source, &changes);
        laws::check(&page, None, as_browsers_read(&page), &format!("{:?}", String::from_utf8_lossy(&page)));
    }
}

mod needs_corpus {
    use super::*;

    #[test]
    #[ignore = "needs real pages, which tests/corpus fetches"]
    fn laws_hold_on_real_pages() {
        let folders = std::env::var("LATIMER_CORPUS").expect("folders of HTML");
        let mut files = Vec::new();
        folders
            .split(':')
            .for_each(|folder| html_files(Path::new(folder), &mut files));
        let mut untouched = 0;
        let mut failed = 0;
        for file in &files {
            let page = fs::read(file).unwrap();
            match std::panic::catch_unwind(|| check(&page, &file.display().to_string())) {
                Ok(words) if words.is_empty() => {}
                Ok(words) => {
                    untouched += 1;
                    eprintln!("{}: {:?}", file.display(), &words[..words.len().min(8)]);
                }
                Err(_) => failed += 1,
            }
        }
        eprintln!(
            "{} pages checked, {untouched} of them with untouched words",
            files.len()
        );
        assert_eq!(failed, 0, "the laws fail on so many of them");
    }
}
