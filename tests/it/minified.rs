//! Scripts that pages load, minified: `templates/minified` against their sources. `UPDATE=1` minifies the sources again.

use std::fs;

use crate::support::repository;

/// Names of the minified scripts, with their sources.
const SCRIPTS: [(&str, &str); 4] = [
    ("addresses.js", "live/addresses.js"),
    ("live.js", "live.js"),
    ("patterns.js", "live/patterns.js"),
    ("report.js", "report.js"),
];

#[test]
fn renamed_scripts_are_equal_and_others_are_not() {
    let check = |one: &str, other: &str, expected: bool| {
        assert_eq!(is_renamed(one, other), expected, "{one} {other}")
    };
    check("let a=1;f(a.b,\"a\")", "let c=1;f(c.b,\"a\")", true);
    check("let a=1;f(a.b)", "let a=1;f(a.c)", false);
    check("let a=1,b;f(a)", "let a=1,b;f(b)", false);
    check("f(\"a\")", "f(\"b\")", false);
    check("f(/a\"/g,...a)", "f(/a\"/g,...b)", true);
    check("f(/a/g)", "f(/b/g)", false);
    check("f(/a/g,g)", "f(/a/g,b)", true);
    check("f(a)", "f(a,a)", false);
}

/// Returns `true` if the scripts are equal after renaming variables one-to-one.
fn is_renamed(one: &str, other: &str) -> bool {
    let one = tokens(one);
    let other = tokens(other);
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for (at, (token, twin)) in one.iter().zip(&other).enumerate() {
        let is_property = at > 0 && one[at - 1] == ".";
        if is_property || !is_name(token) || !is_name(twin) {
            if token != twin {
                return false;
            }
            continue;
        }
        let known = pairs.iter().find(|(from, to)| from == token || to == twin);
        if known.is_some_and(|known| known != &(*token, *twin)) {
            return false;
        }
        pairs.push((token, twin));
    }
    one.len() == other.len()
}

/// Words, literals and marks of a minified script.
fn tokens(script: &str) -> Vec<&str> {
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = script.trim();
    while let Some(first) = rest.chars().next() {
        let is_pattern =
            first == '/' && tokens.last().is_none_or(|last| "(,=:!&|?{;".contains(last));
        let length = match first {
            '"' | '\'' | '`' => literal(rest, first),
            '/' if is_pattern => pattern(rest),
            _ if is_word(first) => rest.find(|next| !is_word(next)).unwrap_or(rest.len()),
            _ if rest.starts_with("...") => 3,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Length of a pattern with its flags.
fn pattern(text: &str) -> usize {
    let end = literal(text, '/');
    let flags = text.get(end..).unwrap_or_default();
    end + flags.find(|next| !is_word(next)).unwrap_or(flags.len())
}

/// Length of a literal that ends with its first character. In a character class, that character does not end the literal.
fn literal(text: &str, end: char) -> usize {
    let mut is_escaped = false;
    let mut is_class = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' if end == '/' => is_class = true,
            ']' if end == '/' => is_class = false,
            _ if character == end && !is_class => return at + character.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| is_word(first) && !first.is_ascii_digit())
}

/// All scripts that are in the folder have a source.
#[test]
fn every_minified_script_has_a_source() {
    let folder = repository().join("templates/minified");
    let mut found: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        found.push(entry.unwrap().file_name().into_string().unwrap());
    }
    found.sort();
    assert_eq!(found, SCRIPTS.map(|(name, _)| name));
}

mod needs_frameworks {
    use std::fs;
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::{SCRIPTS, is_renamed};
    use crate::support::repository;

    #[test]
    #[ignore = "needs esbuild"]
    fn minified_scripts_are_their_sources() {
        let templates = repository().join("templates");
        for (name, source) in SCRIPTS {
            let minified = templates.join("minified").join(name);
            let source = templates.join(source);
            let expected = minify(&source);
            if is_renamed(&expected, &minify(&minified)) {
                continue;
            }
            assert!(
                std::env::var_os("UPDATE").is_some(),
                "templates/minified/{name} is not {} minified; UPDATE=1 minifies it again",
                source.display()
            );
            fs::write(&minified, expected.trim_end()).unwrap();
        }
    }

    /// Minifies a script with esbuild. esbuild chooses variable names by letter frequency in its input, so they may differ.
    fn minify(file: &Path) -> String {
        let folder = std::env::var("LATIMER_TEST_HYDRATION")
            .expect("LATIMER_TEST_HYDRATION names no folder");
        let script =
            fs::File::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let program = Path::new(&folder).join(".bin/esbuild");
        let output = Command::new(program)
            .arg("--minify")
            .stdin(Stdio::from(script))
            .output();
        let output = output.expect("esbuild does not start");
        assert!(
            output.status.success(),
            "{}: {}",
            file.display(),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }
}
