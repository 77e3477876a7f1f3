//! Names of code among words: identifiers of programs, names with dots, and the first words of commands (R-K1).

use std::ops::Range;

/// Programs whose commands people write into sentences, sorted.
const PROGRAMS: [&str; 19] = [
    "apt",
    "apt-get",
    "brew",
    "cargo",
    "conda",
    "docker",
    "gem",
    "git",
    "helm",
    "kubectl",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "rustup",
    "systemctl",
    "yarn",
];

/// Their commands, sorted.
const COMMANDS: [&str; 31] = [
    "add",
    "apply",
    "build",
    "checkout",
    "clone",
    "commit",
    "config",
    "create",
    "exec",
    "fetch",
    "get",
    "init",
    "install",
    "list",
    "login",
    "logs",
    "merge",
    "publish",
    "pull",
    "push",
    "rebase",
    "remove",
    "restart",
    "run",
    "start",
    "status",
    "stop",
    "test",
    "uninstall",
    "update",
    "upgrade",
];

/// Recognizes the name of something in a program: `getName`, `open()`, `os.path.join`, `std::vec::Vec`.
pub(super) fn is_code_name(token: &str) -> bool {
    if !token.is_ascii() {
        return false;
    }
    if is_code_point(token) {
        return true;
    }
    let name = token.strip_suffix("()").unwrap_or(token);
    let is_called = name.len() < token.len();
    let parts: Vec<&str> = name.split("::").flat_map(|part| part.split('.')).collect();
    if !parts.iter().all(|part| is_identifier(part)) {
        return false;
    }
    let long = parts.iter().filter(|part| part.len() > 1).count();
    match parts.len() {
        1 => is_called || is_camel(name) || is_private(name),
        // A stop without a space after it: `on its own.Then`.
        2 if !name.contains("::") => {
            let is_small = |part: &&str| {
                part.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            };
            is_called
                || parts.iter().any(|part| is_camel(part))
                || (long == 2 && parts.iter().all(is_small))
        }
        _ => long >= 2,
    }
}

/// Recognizes code names that resemble no ordinary word and no brand. `eBook` and `WiFi` have translations, people omit
/// names such as `OpenVPN`, and `YouTube` is transliterated in other scripts.
pub(super) fn is_unmistakable(token: &str, is_latin: bool) -> bool {
    if !is_code_name(token) {
        return false;
    }
    let is_word = token.bytes().all(|byte| byte.is_ascii_alphabetic());
    let first = token.bytes().take_while(u8::is_ascii_lowercase).count();
    let is_type = first == 0 && is_latin && token.ends_with(|last: char| last.is_ascii_lowercase());
    !is_word || (token.len() > 5 && (first > 1 || is_type))
}

/// Byte ranges of the beginnings of commands, such as `pip install`; `words` are the words of the text.
pub(super) fn commands(text: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_command = |pair: &&[Range<usize>]| {
        let program = &text[pair[0].clone()];
        let command = &text[pair[1].clone()];
        let is_apart = &text[pair[0].end..pair[1].start] == " ";
        is_apart
            && PROGRAMS.binary_search(&program).is_ok()
            && COMMANDS.binary_search(&command).is_ok()
    };
    words
        .windows(2)
        .filter(is_command)
        .map(|pair| pair[0].start..pair[1].end)
        .collect()
}

/// Recognizes a character by its number, as the Unicode Standard writes it (appendix A): `U+2028`.
fn is_code_point(token: &str) -> bool {
    let digits = token.strip_prefix("U+").unwrap_or_default();
    (4..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_identifier(part: &str) -> bool {
    part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Recognizes an underscore at the beginning: `_name`, `__init__`. `_word_` is emphasis.
fn is_private(name: &str) -> bool {
    let rest = name.trim_start_matches('_');
    let is_emphasis = name.len() - rest.len() == 1 && rest.ends_with('_');
    rest.len() < name.len() && rest.len() > 1 && !is_emphasis
}

/// Recognizes a capital inside of a word: `getName`, `ArrayList`. `APIs` and `McDonald’s` are no such words.
fn is_camel(part: &str) -> bool {
    part.as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_told_from_words_r_k1() {
        assert!(PROGRAMS.is_sorted() && COMMANDS.is_sorted());
        for name in [
            "getName",
            "ArrayList",
            "open()",
            "getName()",
            "os.path",
            "os.path.join",
            "System.out.println",
            "collections.abc",
            "std::vec::Vec",
            "Vec::new()",
            "packaging.version.Version",
            "typing.NamedTuple",
            "datetime.timedelta",
            "a::b::Cd::ef",
            "U+2028",
            "U+1F600",
        ] {
            assert!(is_code_name(name), "{name}");
        }
        for word in [
            "house",
            "House",
            "HTML",
            "APIs",
            "own.Then",
            "Paris.The",
            "U.S.A",
            "U+me",
            "e.g",
            "i.e",
            "3.5",
            "and/or",
            "well-known",
            "O",
            "straßeName",
            "(s)",
            "a.b",
            "",
            "()",
            "1.2.3",
        ] {
            assert!(!is_code_name(word), "{word}");
        }
    }
}
