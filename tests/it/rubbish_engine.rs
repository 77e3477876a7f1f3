//! Whatever an engine answers, every page is whole, what was refused is listed, and a better engine mends it.
//!
//! Every page is published whatever its share of translated words, so that each is judged. The judge is html5ever.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::judge::{Links, skeleton};
use crate::support::{self, Files, Site, assert_same, locale, repository};

const PAGES: usize = 14;
/// A build of the bakery with an engine at its worst.
const LONGEST: Duration = Duration::from_secs(120);

/// What the engine does to one text in `every`, and how a build with it ends.
struct Case {
    mode: &'static str,
    every: u32,
    code: i32,
    /// What every reason says, if anything is refused.
    reason: &'static str,
}

fn case(mode: &'static str, every: u32, code: i32, reason: &'static str) -> Case {
    Case {
        mode,
        every,
        code,
        reason,
    }
}

fn use_engine(site: &Site, mode: &str, every: u32) {
    let script = repository().join("tests/it/support/rubbish.py");
    let engine = format!(
        "kind = \"command\"\nprogram = \"python3\"\nargs = [{script:?}, \"{mode}\", \"{every}\"]"
    );
    let html = "[site.html]\nswitcher = { template = \"disclosure\", placement = \"none\" }";
    site.configure(&format!(
        "locales = [\"fr\"]\nengine = \"rubbish\"\nmin_translated = 0.0\ntext.names = \"translate\"\n{html}\n[engine.rubbish]\n{engine}"
    ));
}

/// The French pages by name.
fn pages(site: &Site) -> Files {
    let pages = support::files(&site.path("dist/site/fr"));
    pages
        .into_iter()
        .filter(|(name, _)| name.ends_with(".html"))
        .collect()
}

/// Every page is whole, or none is there because nothing at all could be translated.
fn assert_whole(site: &Site, case: &Case) {
    if case.code == 3 {
        assert!(!site.path("dist/site/fr").exists(), "{}", case.mode);
        return;
    }
    let pages = pages(site);
    assert_eq!(pages.len(), PAGES, "{}", case.mode);
    for (name, body) in &pages {
        let page = std::str::from_utf8(body).unwrap();
        let source = site.read(&format!("source/{name}"));
        assert_eq!(
            skeleton(page, Links::Move),
            skeleton(&source, Links::Move),
            "{}: {name}",
            case.mode
        );
        assert!(
            !page.contains('\0') && page.len() < 4 * source.len(),
            "{}: {name}",
            case.mode
        );
    }
}

fn assert_listed(report: &Value, case: &Case) {
    let french = locale(report, "fr");
    let refused = french["refused"].as_array().unwrap();
    assert_eq!(
        refused.is_empty(),
        french["words"]["untranslated"] == 0,
        "{}: {french}",
        case.mode
    );
    assert_eq!(refused.is_empty(), case.code == 0, "{}", case.mode);
    for text in refused {
        let field = |name: &str| text[name].as_str().unwrap();
        assert!(
            field("path").starts_with('/') && !field("source").is_empty(),
            "{}: {text}",
            case.mode
        );
        let given_up = field("reason").contains("was restarted 3 times and is given up");
        assert!(
            field("reason").contains(case.reason) || given_up,
            "{}: {text}",
            case.mode
        );
    }
    assert!(
        case.reason.is_empty()
            || refused
                .iter()
                .any(|text| text["reason"].as_str().unwrap().contains(case.reason))
    );
}

fn check(case: &Case, mended: &Files) {
    let site = Site::fixture("bakery");
    use_engine(&site, case.mode, case.every);
    let start = Instant::now();
    let report = site.build(&[], case.code);
    assert!(
        start.elapsed() < LONGEST,
        "{}: {:?}",
        case.mode,
        start.elapsed()
    );
    assert_whole(&site, case);
    assert_listed(&report, case);

    use_engine(&site, "good", 1);
    let report = site.build(&[], 0);
    let french = locale(&report, "fr");
    assert_eq!(
        (&french["refused"], &french["words"]["untranslated"]),
        (&json!([]), &json!(0)),
        "{}",
        case.mode
    );
    // Answers that were paid for stay: `<` translates any text without codes and numbers, and rules write the times in
    // the parts of a text.
    if !["entity", "drops_codes", "doubles_codes"].contains(&case.mode) {
        assert_same(&pages(&site), mended);
    }
}

/// The pages as a good engine makes them.
fn mended() -> Files {
    let site = Site::fixture("bakery");
    use_engine(&site, "good", 1);
    site.build(&[], 0);
    pages(&site)
}

#[test]
fn rubbish_is_refused_and_listed_and_every_page_is_whole() {
    check_all(&[
        // Texts whose codes are lost twice are asked for in parts (R-L15).
        case("drops_codes", 1, 0, ""),
        case(
            "script",
            3,
            6,
            "it contains markup that is not an inline code: <script>",
        ),
        case("empty", 1, 3, "empty"),
        case("dies", 3, 6, "the program ended"),
    ]);
}

fn check_all(cases: &[Case]) {
    let mended = mended();
    cases.iter().for_each(|case| check(case, &mended));
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs a minute: tests/run --nightly"]
    fn all_rubbish_is_refused_and_listed_and_every_page_is_whole() {
        check_all(&[
            case("doubles_codes", 1, 0, ""),
            case(
                "script",
                1,
                3,
                "it contains markup that is not an inline code: <script>",
            ),
            case("entity", 1, 6, ""),
            case("empty", 3, 6, "empty"),
            case("long", 3, 6, "characters long, more than"),
            case("nul", 1, 0, ""),
            case("not_utf8", 3, 6, "the answer is not UTF-8"),
            case("twice", 1, 0, ""),
            case("dies", 1, 3, "the program ended"),
        ]);
    }

    #[test]
    #[ignore = "needs a minute: tests/run --nightly"]
    fn an_engine_that_never_answers_costs_a_bounded_time() {
        let mended = &mended();
        std::thread::scope(|scope| {
            let cases = [
                case("missing", 3, 6, "no answer within 10 s"),
                case("hangs", 1, 3, "no answer within 10 s"),
            ];
            let running = cases.map(|case| scope.spawn(move || check(&case, mended)));
            running.into_iter().for_each(|check| check.join().unwrap());
        });
    }
}
