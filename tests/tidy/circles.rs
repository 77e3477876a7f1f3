//! Fails when source files use each other in a circle, or rooms do, because nobody can read or change one of them alone.
//!
//! A file uses the files that define what it names, in `use` or in a path. What it names by way of a `pub use` is looked
//! for behind that, and a `pub use` is no use itself, so a file that only lists its modules is in no circle. Tests do not
//! count. Text is read and not types: methods are not seen, and a module that is imported counts as its own file.

mod imports;

use std::collections::{BTreeMap, BTreeSet};

use imports::{Imports, Path};

/// The sources of the crates. Their files are layers, and so are their rooms.
const FOLDERS: [&str; 4] = ["pipeline/page/src", "pipeline/src", "api/src", "src"];

/// More re-exports than lie behind each other.
const FAR: usize = 12;

/// The files that one file uses, each with the path that says so.
type Uses<'s> = BTreeMap<&'s str, String>;

/// What the files of a crate use, or its rooms.
type All<'s> = BTreeMap<&'s str, Uses<'s>>;

#[test]
fn files_do_not_use_each_other_in_circles() {
    check(|uses| uses);
}

#[test]
fn rooms_do_not_use_each_other_in_circles() {
    check(rooms);
}

/// Fails when there are circles in the sources of a crate, as they are seen through `by`.
fn check(by: impl for<'s> Fn(All<'s>) -> All<'s>) {
    let mut found = Vec::new();
    for folder in FOLDERS {
        let sources = Sources::read(folder);
        assert!(!sources.0.is_empty(), "{folder} has no sources");
        let uses = by(sources.uses());
        for circle in circles(&uses) {
            found.push(format!("a circle in {folder}:"));
            found.extend(circle.iter().map(|file| draw(&circle, &uses, file)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What the rooms of a crate use of each other: a room is a module of the crate, with all that is below it.
fn rooms(uses: All<'_>) -> All<'_> {
    fn room(file: &str) -> &str {
        file.split_once("::").map_or(file, |(room, _)| room)
    }
    let mut rooms = All::new();
    for (file, others) in uses {
        let used = rooms.entry(room(file)).or_default();
        let outside = others
            .into_iter()
            .filter(|(other, _)| room(other) != room(file));
        used.extend(outside.map(|(other, path)| (room(other), format!("{path}, in {file}"))));
    }
    rooms
}

/// A file of a circle and what it uses of the others.
fn draw(circle: &BTreeSet<&str>, uses: &All<'_>, file: &str) -> String {
    let shown = |file: &str| {
        if file.is_empty() {
            "crate".to_owned()
        } else {
            file.to_owned()
        }
    };
    let others = uses[file]
        .iter()
        .filter(|(other, _)| circle.contains(*other));
    let others: Vec<String> = others
        .map(|(other, path)| format!("{} ({path})", shown(other)))
        .collect();
    format!("    {} -> {}", shown(file), others.join(", "))
}

/// Files that can be reached from each other.
fn circles<'s>(uses: &All<'s>) -> Vec<BTreeSet<&'s str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses
        .keys()
        .map(|&file| (file, reached(file, uses)))
        .collect();
    let mut circles = Vec::new();
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for (file, others) in &reached {
        if others.contains(file) && !done.contains(file) {
            let circle: BTreeSet<&str> = others
                .iter()
                .copied()
                .filter(|other| reached[other].contains(file))
                .collect();
            done.extend(&circle);
            circles.push(circle);
        }
    }
    circles
}

/// The files that a file uses, and those that they use.
fn reached<'s>(file: &str, uses: &All<'s>) -> BTreeSet<&'s str> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = uses[file].keys().copied().collect();
    while let Some(next) = waiting.pop() {
        if reached.insert(next) {
            waiting.extend(uses[next].keys());
        }
    }
    reached
}

/// The files of a crate by the path of the module; that of the crate itself is empty.
struct Sources(BTreeMap<String, Imports>);

impl Sources {
    fn read(folder: &str) -> Self {
        let inside = super::sources().into_iter().filter_map(|path| {
            let name = path.strip_prefix(folder)?.strip_prefix('/')?.to_owned();
            Some((
                name,
                std::fs::read_to_string(super::root().join(path)).unwrap_or_default(),
            ))
        });
        Self::of(inside)
    }

    /// Reads files, given by name and text; those of tests are left out.
    fn of(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let module = |name: &str| match name.trim_end_matches(".rs").trim_end_matches("/mod") {
            "lib" | "main" => String::new(),
            name => name.replace('/', "::"),
        };
        let mut files: BTreeMap<String, Imports> = files
            .into_iter()
            .map(|(name, text)| (module(&name), Imports::of(&text)))
            .collect();
        let tests = |(file, imports): (&String, &Imports)| -> Vec<String> {
            imports.tests.iter().map(|test| child(file, test)).collect()
        };
        let tests: Vec<String> = files.iter().flat_map(tests).collect();
        files.retain(|file, _| {
            !tests
                .iter()
                .any(|test| file == test || file.starts_with(&format!("{test}::")))
        });
        Self(files)
    }

    fn uses(&self) -> All<'_> {
        let named = |file: &str, path: &Path| {
            let other = self
                .definer(file, path, FAR)
                .filter(|other| *other != file)?;
            Some((other, path.join("::")))
        };
        let uses = |file: &str, imports: &Imports| {
            imports
                .named
                .iter()
                .filter_map(|path| named(file, path))
                .collect()
        };
        self.0
            .iter()
            .map(|(file, imports)| (file.as_str(), uses(file, imports)))
            .collect()
    }

    /// The file that defines what a path means in a file; none where another crate does.
    fn definer(&self, file: &str, path: &[String], steps: usize) -> Option<&str> {
        let steps = steps.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.defined_in("", rest, steps),
            "self" => self.defined_in(file, rest, steps),
            "super" => {
                let up = path.iter().take_while(|part| *part == "super").count();
                let outer = (0..up).fold(file, |inner, _| {
                    inner.rsplit_once("::").map_or("", |(outer, _)| outer)
                });
                self.defined_in(outer, &path[up..], steps)
            }
            name if self.0.contains_key(&child(file, name)) => self.defined_in(file, path, steps),
            name => {
                let imported = self
                    .0
                    .get(file)?
                    .imported
                    .get(name)
                    .filter(|imported| *imported != path)?;
                self.definer(file, &[imported, rest].concat(), steps)
            }
        }
    }

    /// The file that defines what a path means that is looked for in a file.
    fn defined_in(&self, file: &str, path: &[String], steps: usize) -> Option<&str> {
        let (file, imports) = self.0.get_key_value(file)?;
        let Some((first, rest)) = path.split_first() else {
            return Some(file);
        };
        let inner = child(file, first);
        if self.0.contains_key(&inner) {
            return self.defined_in(&inner, rest, steps);
        }
        let Some(meant) = imports
            .exported
            .get(first)
            .or_else(|| imports.imported.get(first))
        else {
            return Some(file);
        };
        match self.definer(file, meant, steps) {
            Some(other) if rest.is_empty() || other == file => Some(other),
            Some(other) => self.defined_in(other, rest, steps).or(Some(other)),
            None => is_own(meant).then_some(file),
        }
    }
}

/// Whether a path begins in this crate.
fn is_own(path: &Path) -> bool {
    matches!(
        path.first().map(String::as_str),
        Some("crate" | "self" | "super")
    )
}

/// A module inside another.
fn child(module: &str, name: &str) -> String {
    if module.is_empty() {
        name.to_owned()
    } else {
        format!("{module}::{name}")
    }
}

#[test]
fn a_circle_through_a_re_export_is_found() {
    let files = [
        (
            "lib.rs",
            "mod page; mod place; mod text;\npub use place::Place;",
        ),
        (
            "page.rs",
            "use crate::Place;\npub struct Page(Place);\n#[cfg(test)]\nmod tests;",
        ),
        ("page/tests.rs", "use super::Page; use crate::text::Text;"),
        (
            "place.rs",
            "mod list;\npub use self::list::Place;\nuse crate::text;",
        ),
        (
            "place/list.rs",
            "pub struct Place;\nfn page() -> crate::page::Page { super::super::text::new() }",
        ),
        (
            "text.rs",
            "//! Below [`crate::page::Page`].\nuse std::fmt;\npub struct Text(fmt::Error);",
        ),
    ];
    let sources = Sources::of(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let uses = sources.uses();
    let circle = BTreeSet::from(["page", "place::list"]);
    assert_eq!(circles(&uses), std::slice::from_ref(&circle));
    assert_eq!(
        draw(&circle, &uses, "page"),
        "    page -> place::list (crate::Place)"
    );
    assert_eq!(
        uses["place::list"].keys().copied().collect::<Vec<_>>(),
        ["page", "text"]
    );
    assert!(uses[""].is_empty() && uses["text"].is_empty());
}

#[test]
fn a_circle_of_rooms_without_a_circle_of_files_is_found() {
    let files = [
        ("lib.rs", "mod crawl; mod engines; mod net;"),
        ("crawl.rs", "mod fetch; mod site;"),
        ("crawl/fetch.rs", "pub struct Fetcher;"),
        (
            "crawl/site.rs",
            "use crate::engines::Engine; use super::fetch::Fetcher;",
        ),
        (
            "engines.rs",
            "use crate::crawl::fetch::Fetcher; pub struct Engine;",
        ),
        ("net.rs", ""),
    ];
    let sources = Sources::of(files.map(|(name, text)| (name.to_owned(), text.to_owned())));
    let uses = sources.uses();
    assert_eq!(circles(&uses), [] as [BTreeSet<&str>; 0]);
    let rooms = rooms(uses);
    let circle = BTreeSet::from(["crawl", "engines"]);
    assert_eq!(circles(&rooms), std::slice::from_ref(&circle));
    let drawn = draw(&circle, &rooms, "crawl");
    assert_eq!(
        drawn,
        "    crawl -> engines (crate::engines::Engine, in crawl::site)"
    );
}
