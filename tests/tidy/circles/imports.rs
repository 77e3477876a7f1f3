//! What a source file names of other files: its `use` items and the paths in its code. Tests, comments and literals do
//! not count.

use std::collections::{BTreeMap, BTreeSet};

/// A path as written, by segments.
pub(super) type Path = Vec<String>;

/// What a file names of others.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// Modules that are files of their own.
    pub(super) children: BTreeSet<String>,
    /// Those of them that only tests have.
    pub(super) tests: BTreeSet<String>,
    /// What `pub use` passes on, by the name it has here.
    pub(super) exported: BTreeMap<String, Path>,
    /// What `use` brings in, by the name it has here.
    pub(super) imported: BTreeMap<String, Path>,
    /// Every path that is named here, in `use` or in code.
    pub(super) named: Vec<Path>,
}

impl Imports {
    /// Reads a file.
    pub(super) fn of(text: &str) -> Self {
        let mut imports = Self::default();
        let tokens = imports.without_tests(&tokens(text));
        let mut code = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let item = &tokens[at..];
            let length = match item {
                ["use", first, ..] if *first != "<" => {
                    imports.take_use(item, at > 0 && is_visible(tokens[at - 1]))
                }
                ["mod", name, ";", ..] => {
                    imports.children.insert((*name).to_owned());
                    3
                }
                _ => {
                    code.push(tokens[at]);
                    1
                }
            };
            at += length;
        }
        imports.take_paths(&code);
        imports
    }

    /// Leaves out every item that only tests have, and takes note of the files among them.
    fn without_tests<'t>(&mut self, tokens: &[&'t str]) -> Vec<&'t str> {
        const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
        let mut kept = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if !tokens[at..].starts_with(&MARK) {
                kept.push(tokens[at]);
                at += 1;
                continue;
            }
            let start = at + MARK.len();
            at = start + item_length(&tokens[start..]);
            if let [.., "mod", name, ";"] = tokens[start..at] {
                self.tests.insert(name.to_owned());
            }
        }
        kept
    }

    /// Takes a `use` item; gives its length.
    fn take_use(&mut self, item: &[&str], is_exported: bool) -> usize {
        let length = item
            .iter()
            .position(|token| *token == ";")
            .unwrap_or(item.len());
        let mut leaves = Vec::new();
        take_tree(
            &mut item[1..length].iter().copied().peekable(),
            &Path::new(),
            &mut leaves,
        );
        for (name, path) in leaves {
            match is_exported {
                true => drop(self.exported.insert(name, path)),
                false => {
                    self.named.push(path.clone());
                    self.imported.insert(name, path);
                }
            }
        }
        length
    }

    /// Takes the paths in code that lead to other files; `pub(in …)` is none.
    fn take_paths(&mut self, code: &[&str]) {
        let mut at = 0;
        while at < code.len() {
            let mut path = vec![code[at].to_owned()];
            let start = at;
            at += 1;
            while let ["::", word, ..] = &code[at..]
                && is_word(word)
            {
                path.push((*word).to_owned());
                at += 2;
            }
            let before = &code[..start];
            let is_start = !matches!(before, [.., "::" | "."] | [.., "(", "in"]);
            let is_child = self.children.contains(&path[0]);
            if is_start
                && path.len() > 1
                && (is_child || matches!(path[0].as_str(), "crate" | "self" | "super"))
            {
                self.named.push(path);
            }
        }
    }
}

/// Whether a token before `use` ends `pub` or `pub(crate)`.
fn is_visible(before: &str) -> bool {
    matches!(before, "pub" | ")")
}

/// The length of an item: up to its semicolon, or to the brace that closes its body.
fn item_length(tokens: &[&str]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && matches!(*token, ";" | "}") {
            return at + 1;
        }
    }
    tokens.len()
}

/// Takes the leaves of a `use` tree, each with the name that it has in the file.
fn take_tree<'t>(
    tokens: &mut std::iter::Peekable<impl Iterator<Item = &'t str>>,
    prefix: &Path,
    leaves: &mut Vec<(String, Path)>,
) {
    let mut path = prefix.clone();
    let mut name = None;
    while let Some(token) = tokens.next_if(|token| !matches!(*token, "," | "}")) {
        match token {
            "::" => {}
            "as" => name = tokens.next().map(str::to_owned),
            "self" if !path.is_empty() => {}
            "{" => {
                while tokens.peek().is_some_and(|token| *token != "}") {
                    take_tree(tokens, &path, leaves);
                    tokens.next_if_eq(&",");
                }
                tokens.next();
                return;
            }
            word => path.push(word.to_owned()),
        }
    }
    if let Some(name) = name.or_else(|| path.last().cloned()) {
        leaves.push((name, path));
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphanumeric() || first == '_')
}

/// The words and signs of a file, without comments and literals.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = skipped(rest);
        if skipped > 0 {
            rest = rest.get(skipped..).unwrap_or_default();
            continue;
        }
        let word = rest
            .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .unwrap_or(rest.len());
        let length = match rest.starts_with("::") {
            true => 2,
            false if word > 0 => word,
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

/// The length of the comment or literal that a text begins with, if it begins with one.
fn skipped(text: &str) -> usize {
    let through = |start: usize, end: &str| {
        let found = text.get(start..).and_then(|rest| rest.find(end));
        found.map_or(text.len(), |at| start + at + end.len())
    };
    let raw = text
        .strip_prefix('b')
        .unwrap_or(text)
        .strip_prefix('r')
        .map(|rest| rest.trim_start_matches('#'));
    match text.as_bytes() {
        [b'/', b'/', ..] => through(2, "\n"),
        [b'/', b'*', ..] => through(2, "*/"),
        [b'"', rest @ ..] => {
            let mut escaped = false;
            let is_end = |byte: &u8| {
                let ends = *byte == b'"' && !escaped;
                escaped = *byte == b'\\' && !escaped;
                ends
            };
            rest.iter().position(is_end).map_or(text.len(), |at| at + 2)
        }
        [b'\'', b'\\', ..] => through(3, "'"),
        [b'\'', rest @ ..] if rest.first().is_some_and(|byte| *byte != b'\'') => {
            let letter = text[1..].chars().next().map_or(0, char::len_utf8);
            // Anything else is a lifetime.
            if rest.get(letter) == Some(&b'\'') {
                letter + 2
            } else {
                1
            }
        }
        _ => match raw {
            Some(inside) if inside.starts_with('"') => {
                let start = text.len() - inside.len();
                let hashes = text[..start].matches('#').count();
                through(start + 1, &format!("\"{}", "#".repeat(hashes)))
            }
            _ => 0,
        },
    }
}

#[test]
fn what_a_file_names_is_read() {
    let imports = Imports::of(
        r##"
//! use crate::comment;
use std::fmt::{self, Write as _};
use super::{a::{A, B as C}, b};
pub(crate) use self::d::D;
mod d;
fn f<'a>(x: &'a str, y: char) -> impl Iterator<Item = u8> + use<'a> {
    let z = ["\" crate::string::x", r#"" crate::raw::x"#];
    match y { '"' | '\'' => d::g(z), 'x' => crate::e::E::new(), _ => other::h() }
}
pub(in crate::visible) struct S;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests { use crate::test; fn t() { crate::test::x() } }
fn last() { super::i::I::new() }
"##,
    );
    let named: Vec<String> = imports.named.iter().map(|path| path.join("::")).collect();
    let expected = [
        "std::fmt",
        "std::fmt::Write",
        "super::a::A",
        "super::a::B",
        "super::b",
        "d::g",
        "crate::e::E::new",
        "super::i::I::new",
    ];
    assert_eq!(named, expected);
    assert_eq!(imports.exported.keys().collect::<Vec<_>>(), ["D"]);
    assert_eq!(
        imports.imported.keys().collect::<Vec<_>>(),
        ["A", "C", "_", "b", "fmt"]
    );
    assert_eq!(
        (imports.children, imports.tests),
        (["d".to_owned()].into(), ["cases".to_owned()].into())
    );
}
