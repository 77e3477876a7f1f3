//! Pages of whose words there is something to say that changes nothing: they are not read for that, and the report is that of a
//! clean build.

use std::fs;
use std::path::Path;
use std::thread;

use tempfile::TempDir;

use pipeline::run::{BuildLimits, BuildOptions};

use super::{BUILDS, Chance, LIMITS, build, build_both_with, options};

const SETTINGS: &str = r#"
[[site]]
id = "site"
source = "source"
source_locale = "en"
locales = ["es", "de"]
url = "https://www.example.com/{lang}"
engine = ["pseudo"]
translations = "{lang}.po"
glossary = "terms.csv"

[store]
objects = "store"
state = "state.redb"
"#;

/// Texts about which two checks say something in each language, the second of a term that the engine does not have.
const TEXTS: [&str; 7] = [
    "We (all of us) bake bread.",
    "The \"old\" mill grinds rye.",
    "Rolls are sold at seven.",
    "Nobody is here on Sundays!",
    "Is there any bread left?",
    "Our mill stands at the river.",
    "Cakes (small) cost more.",
];

const NEAR: &str = "Fresh bread daily";
const NEARER: &str = "Fresh cakes daily";

fn write(root: &Path, name: &str, text: &str) {
    let file = root.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn write_page(root: &Path, number: usize, texts: &[usize]) {
    // The last four are near to a person's words, as prose and as labels.
    let html = |text: &usize| match text.checked_sub(TEXTS.len()) {
        None => format!("<p>{}</p>", TEXTS[*text]),
        Some(0) => format!("<p its-locale-filter-list=de>{NEAR}</p>"),
        Some(1) => format!("<p>{NEARER}</p>"),
        Some(2) => format!("<img src=a.png alt=\"{NEAR}\">"),
        Some(_) => format!("<img src=b.png alt=\"{NEARER}\">"),
    };
    let texts: String = texts.iter().map(html).collect();
    write(
        root,
        &format!("source/p{number}.html"),
        &format!("<!doctype html><html lang=en><title>Page</title>{texts}"),
    );
}

fn begin(root: &Path) {
    write(root, "latimer.toml", SETTINGS);
    write(root, "terms.csv", "source,es\nmill,molino\n");
    write(
        root,
        "source/index.html",
        "<!doctype html><html lang=en><title>Home</title><p>Page",
    );
    let head = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n";
    // One of the texts above is similar to the first of these, none to the other.
    write(
        root,
        "es.po",
        &format!(
            "{head}\n#~ msgid \"Nobody is here on Mondays!\"\n#~ msgstr \"¡Nadie!\"\n\n\
             msgid \"Whoever asks gets a cup of tea.\"\nmsgstr \"Hay té.\"\n\n\
             msgid \"Is there any bread left?\"\nmsgstr \"¿Queda pan?\"\n\n\
             msgid \"{NEAR}.\"\nmsgstr \"Pan fresco cada día.\"\n\nmsgid \"{NEARER}.\"\nmsgstr \"Pasteles frescos cada día.\"\n\n\
             msgctxt \"label\"\nmsgid \"{NEARER}\"\nmsgstr \"\"\n"
        ),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_is_not_read_for_what_checks_said_of_it() {
    let _others = BUILDS.read().await;
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    begin(root);
    for number in 0..6 {
        write_page(root, number, &[number % 2, 5]);
    }
    let first = build(root, false).await.0.unwrap();
    let es = &first.locales[0];
    assert!(
        es.terms.missed > 0 && es.warned.len() > 1 && es.vanished == 4,
        "{es:#?}"
    );
    // The last page says something new; the home page is always read.
    write_page(root, 5, &[1, 6]);
    let report = build(root, false).await.0.unwrap();
    assert_eq!(report.work.read, 2, "{:?}", report.work);
    assert_ne!(report.locales[0].warned, es.warned);
    // A text for which a person's words are offered is looked at as long as it is there.
    write_page(root, 4, &[3, 3]);
    for (number, read) in [(5, 2), (5, 3)] {
        let report = build(root, false).await.0.unwrap();
        assert_eq!(
            (report.work.read, report.locales[0].outdated),
            (read, 1),
            "{:?}",
            report.work
        );
        write_page(root, number, &[2]);
    }
}

/// Pages and the texts that they have from now on; one without any is gone.
type Edits<'e> = &'e [(usize, &'e [usize])];

/// Options of a build that reports so many warnings of each check; the state keeps twice as many.
fn reporting(warnings: usize) -> BuildOptions {
    BuildOptions {
        limits: BuildLimits {
            warnings,
            terms: warnings,
            ..LIMITS
        },
        ..options(false)
    }
}

/// Two first warnings of each check are known. After each step the first one has to be right, and so many pages read.
async fn first_warnings(steps: &[(Edits<'_>, usize)]) {
    first_reported(1, steps).await;
}

/// The same for more warnings of each check.
async fn first_reported(warnings: usize, steps: &[(Edits<'_>, usize)]) {
    let _others = BUILDS.read().await;
    let root = TempDir::new().unwrap();
    begin(root.path());
    for (step, (pages, read)) in steps.iter().enumerate() {
        for &(number, texts) in *pages {
            match texts.is_empty() {
                true => {
                    fs::remove_file(root.path().join(format!("source/p{number}.html"))).unwrap()
                }
                false => write_page(root.path(), number, texts),
            }
        }
        let said = format!("step {step}");
        let [work, _] = build_both_with(root.path(), &reporting(warnings), |_, _| (), &said).await;
        assert_eq!(work.read, *read, "step {step}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_warning_behind_some_that_nobody_keeps_is_not_known() {
    // Of the third and the fourth page nothing is kept, and the last one is behind them.
    let begin: Edits<'_> = &[(0, &[0]), (1, &[1]), (2, &[2]), (3, &[5])];
    first_warnings(&[(begin, 5), (&[(0, &[]), (8, &[6])], 2), (&[(1, &[])], 4)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_warning_moves_to_the_next_cached_page_with_its_text() {
    // The third page has it behind another text, which stands on no earlier page.
    let begin: Edits<'_> = &[(0, &[0]), (3, &[2, 0]), (5, &[1]), (6, &[5])];
    first_warnings(&[(begin, 5), (&[(0, &[1])], 2), (&[(0, &[6])], 2)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_warning_moves_past_a_page_that_is_not_cached() {
    // The first page has its text still, and one that is near to a person's words.
    let begin: Edits<'_> = &[(0, &[0]), (3, &[0]), (5, &[1]), (6, &[2]), (7, &[5])];
    first_warnings(&[(begin, 6), (&[(0, &[0, 8])], 2), (&[(0, &[])], 1)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_warning_does_not_move_past_unknown_ones_of_its_new_page() {
    // Four warnings are kept, so the list ends between the texts of the second page.
    let begin: Edits<'_> = &[(0, &[0, 1, 2]), (3, &[5, 6, 0])];
    first_reported(2, &[(begin, 3), (&[(0, &[])], 2)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edit_that_keeps_the_texts_of_the_first_warnings_reads_its_page_alone() {
    // Both kept warnings are on the first page, and each text is on a later page, too.
    let begin: Edits<'_> = &[(0, &[0, 2]), (3, &[0, 2]), (5, &[1])];
    first_warnings(&[(begin, 4), (&[(0, &[0, 2, 6])], 2)]).await;
}

/// Pages come, go and change; after each step the report is that of a clean build.
async fn walk(seed: u64, steps: usize) -> (usize, usize) {
    let options = reporting(1 + usize::from(seed.is_multiple_of(2)));
    let root = TempDir::new().unwrap();
    let mut chance = Chance(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    begin(root.path());
    // A page may have a text twice.
    let texts = |chance: &mut Chance| {
        (0..chance.below(5))
            .map(|_| chance.below(TEXTS.len() + 4))
            .collect::<Vec<usize>>()
    };
    (0..9).for_each(|number| write_page(root.path(), number, &texts(&mut chance)));
    let mut said = Vec::new();
    let mut read = 0;
    let mut all = 0;
    for step in 0..steps {
        let after = format!("walk {seed}, step {step}, after {said:#?}");
        let [work, made] = build_both_with(root.path(), &options, |_, _| (), &after).await;
        (read, all) = (read + work.read, all + made.read);
        for _ in 0..=chance.below(3) {
            // First ones are on the first pages.
            let number = chance.below(9).min(chance.below(9));
            let texts = texts(&mut chance);
            match chance.below(3) {
                0 => drop(fs::remove_file(
                    root.path().join(format!("source/p{number}.html")),
                )),
                _ => write_page(root.path(), number, &texts),
            }
            said.push((step, number, texts));
        }
    }
    (read, all)
}

#[test]
fn what_checks_say_of_a_site_is_what_a_clean_build_says() {
    let _others = BUILDS.blocking_read();
    let steps =
        std::env::var("LATIMER_STEPS").map_or(40, |number| number.parse().expect("a number"));
    let run = |seed| {
        tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(walk(seed, steps))
    };
    let (read, all) = thread::scope(|scope| {
        let walks: Vec<_> = (1..=4).map(|seed| scope.spawn(move || run(seed))).collect();
        let walks = walks.into_iter().map(|walk| walk.join().unwrap());
        walks.fold((0, 0), |sum, (read, all)| (sum.0 + read, sum.1 + all))
    });
    println!("{read} of {all} pages were read");
    assert!(read * 5 < all * 4, "most pages were read: {read} of {all}");
}
