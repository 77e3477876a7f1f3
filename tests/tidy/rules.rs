//! Holds `fixtures/rules.txt`, the list of rules and reported failures, against the tests: every id has a test that
//! cites it, and every id that a test cites is on the list.
//!
//! A citation counts in a test alone: in its name (`…_r_e6_f_51`), its body, its documentation, or in the name of a case
//! in `fixtures/pages/`. What other code says about a rule proves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const LIST: &str = "fixtures/rules.txt";
const LEFT_OUT: &str = "; not done: ";
/// Folders with Rust code.
const FOLDERS: [&str; 4] = ["api", "pipeline", "src", "tests"];

#[test]
fn every_rule_has_a_test_or_a_reason() {
    let list = list();
    let cited = cited();
    let left_out = |id: &&String| list.get(*id).is_some_and(|title| title.contains(LEFT_OUT));
    let without: Vec<&String> = list
        .keys()
        .filter(|id| !left_out(id) && !cited.contains_key(*id))
        .collect();
    assert!(
        without.is_empty(),
        "no test cites {without:?}; write one, or say in {LIST} why not"
    );
    let unknown: Vec<_> = cited
        .iter()
        .filter(|(id, _)| !list.contains_key(*id))
        .collect();
    assert!(unknown.is_empty(), "{LIST} does not have {unknown:?}");
    let done: Vec<_> = cited.iter().filter(|(id, _)| left_out(id)).collect();
    assert!(
        done.is_empty(),
        "{LIST} says that these are not done: {done:?}"
    );
}

#[test]
fn citations_are_found_in_tests_only() {
    let code = "
/// R-A1 is not proved here.
fn code() {}

/// Proves R-B02, F-07 and not UTF-8.
#[test]
fn srcset_r_e6_f_51() {
    // As in R-C9.
    check(\"R-D1x F-123 r-e1 _r_e2\");
}

// R-A3
";
    assert_eq!(
        in_code(code),
        ["F-07", "F-51", "R-B2", "R-C9", "R-E6"]
            .map(str::to_owned)
            .into()
    );
    assert_eq!(in_text("R-A01-modes"), ["R-A1".to_owned()].into());
}

/// Titles by id.
fn list() -> BTreeMap<String, String> {
    let text = fs::read_to_string(root().join(LIST)).unwrap();
    let mut list = BTreeMap::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let (id, title) = line
            .split_once(' ')
            .unwrap_or_else(|| panic!("{LIST}: {line:?} has no title"));
        let title = title.trim();
        let reason = title.split_once(LEFT_OUT).map(|(_, reason)| reason);
        assert!(
            !title.is_empty() && reason != Some(""),
            "{LIST}: {line:?} says too little"
        );
        assert!(in_text(id).contains(id), "{LIST}: {id:?} is not an id");
        assert!(
            list.insert(id.to_owned(), title.to_owned()).is_none(),
            "{LIST} has {id} twice"
        );
    }
    assert!(list.len() > 100, "{LIST} is cut off");
    list
}

/// Every id that tests and cases cite, with one place of each.
fn cited() -> BTreeMap<String, String> {
    let mut cited = BTreeMap::new();
    let mut add = |ids: BTreeSet<String>, place: &str| {
        cited.extend(ids.into_iter().map(|id| (id, place.to_owned())));
    };
    for case in fs::read_dir(root().join("fixtures/pages")).unwrap() {
        let name = case.unwrap().file_name().into_string().unwrap();
        add(in_text(&name), &name);
    }
    for folder in FOLDERS {
        rust_files(&root().join(folder), &mut |file| {
            if file != root().join("tests/tidy/rules.rs") {
                add(
                    in_code(&fs::read_to_string(file).unwrap()),
                    &file.display().to_string(),
                );
            }
        });
    }
    cited
}

fn rust_files(folder: &Path, take: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, take);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            take(&path);
        }
    }
}

/// The ids that the tests of a source file cite. The formatter sees to it that a function ends where a brace stands as
/// far to the left as its beginning.
fn in_code(code: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let lines: Vec<&str> = code.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        let attribute = line.trim_start();
        if !(attribute.starts_with("#[test]") || attribute.starts_with("#[tokio::test")) {
            continue;
        }
        let end = format!("{}}}", &line[..line.len() - attribute.len()]);
        let is_before = |line: &&&str| matches!(line.trim_start().get(..2), Some("//" | "#["));
        let documentation = lines[..at].iter().rev().take_while(is_before);
        let body = lines[at..].iter().take_while(|line| **line != end);
        for line in documentation.chain(body) {
            ids.extend(in_text(line));
            if let Some(name) = line
                .trim_start()
                .trim_start_matches("async ")
                .strip_prefix("fn ")
            {
                ids.extend(in_name(name));
            }
        }
    }
    ids
}

/// Ids as text writes them: `R-E6`, `F-51`.
fn in_text(text: &str) -> BTreeSet<String> {
    let words =
        text.split(|character: char| !character.is_ascii_alphanumeric() && character != '-');
    words
        .flat_map(|word| word.split_once('-'))
        .filter_map(|(kind, rest)| id(kind, rest.split('-').next()?))
        .collect()
}

/// Ids as the name of a function writes them: `…_r_e6_f_51`.
fn in_name(name: &str) -> BTreeSet<String> {
    let name = name
        .split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .next();
    let words: Vec<String> = name
        .unwrap_or_default()
        .split('_')
        .map(str::to_ascii_uppercase)
        .collect();
    words
        .windows(2)
        .filter_map(|pair| id(&pair[0], &pair[1]))
        .collect()
}

/// `R` and `E06` are `R-E6`, `F` and `7` are `F-07`.
fn id(kind: &str, rest: &str) -> Option<String> {
    let chapter = rest.get(..1).filter(|chapter| {
        kind == "R" && chapter.starts_with(|letter: char| letter.is_ascii_uppercase())
    });
    let digits = rest.strip_prefix(chapter.unwrap_or_default())?;
    let number: u8 = digits.parse().ok().filter(|_| digits.len() <= 2)?;
    match (kind, chapter) {
        ("R", Some(chapter)) => Some(format!("R-{chapter}{number}")),
        ("F", None) => Some(format!("F-{number:02}")),
        _ => None,
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
