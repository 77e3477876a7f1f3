//! Names of the files of a neural model: the part of the model that each is, and the pair in its name.

use crate::model::{LanguagePair, Locale};

/// The part of a model file's name that stands for the pair.
pub(crate) fn code_in_name(name: &str) -> Option<&str> {
    name.strip_prefix("model.")?
        .strip_suffix(".bin")?
        .split('.')
        .next()
}

/// The part of a model file's name that stands for the pair, if it can be read as one.
pub(crate) fn code_of_model(name: &str) -> Option<&str> {
    code_in_name(name).filter(|code| languages(code).is_some())
}

/// The part of files' names that stands for a pair: `enpt`, or `en-zh-Hant` for longer names.
pub(crate) fn code_of_pair(pair: LanguagePair<&Locale>) -> String {
    let is_short = [pair.from, pair.to]
        .iter()
        .all(|locale| locale.as_str().len() == 2);
    let glue = if is_short { "" } else { "-" };
    format!("{}{glue}{}", pair.from, pair.to)
}

/// True for the name of a file of a pair's model.
pub(crate) fn is_part(name: &str, code: &str) -> bool {
    let is_plain = name
        .chars()
        .all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_'));
    let is_vocabulary = ["vocab", "srcvocab", "trgvocab"]
        .iter()
        .any(|start| is_vocabulary(name, start, code));
    is_plain && (code_in_name(name) == Some(code) || is_vocabulary || is_shortlist(name, code))
}

/// Names of the files that a model needs and a folder lacks.
pub(crate) fn lacks(names: &[&str], code: &str) -> Option<String> {
    let [shared, source, target] = ["vocab", "srcvocab", "trgvocab"]
        .map(|start| names.iter().any(|name| is_vocabulary(name, start, code)));
    if !names.iter().any(|name| code_in_name(name) == Some(code)) {
        return Some(format!("model.{code}.*.bin"));
    }
    match (shared, source, target) {
        (true, ..) | (_, true, true) => None,
        (_, true, false) => Some(format!("trgvocab.{code}.spm")),
        (_, false, true) => Some(format!("srcvocab.{code}.spm")),
        (_, false, false) => Some(format!("vocab.{code}.spm")),
    }
}

pub(super) fn is_vocabulary(name: &str, start: &str, code: &str) -> bool {
    let rest = name
        .strip_prefix(start)
        .and_then(|rest| rest.strip_prefix('.'));
    let rest = rest
        .and_then(|rest| rest.strip_prefix(code))
        .and_then(|rest| rest.strip_prefix('.'));
    rest.is_some() && name.ends_with(".spm")
}

pub(super) fn is_shortlist(name: &str, code: &str) -> bool {
    name.starts_with("lex.") && name.contains(&format!(".{code}.")) && name.ends_with(".bin")
}

fn is_language(text: &str) -> bool {
    (2..=3).contains(&text.len()) && text.chars().all(|letter| letter.is_ascii_lowercase())
}

/// Splits `enpt` or `en-pt`.
pub(crate) fn languages(code: &str) -> Option<LanguagePair> {
    let (from, to) = match code.split_once(['-', '_']) {
        Some(pair) => pair,
        None if code.len() == 4 && code.is_ascii() => code.split_at(2),
        None => return None,
    };
    if !is_language(from) || !is_language(to) {
        return None;
    }
    Some(LanguagePair {
        from: Locale::parse(from).ok()?,
        to: Locale::parse(to).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        for (names, expected) in [
            (&["model.enpt.bin", "vocab.enpt.spm"][..], None),
            (
                &["model.enpt.bin", "srcvocab.enpt.spm", "trgvocab.enpt.spm"],
                None,
            ),
            (&["model.enpt.bin"], Some("vocab.enpt.spm")),
            (
                &["model.enpt.bin", "srcvocab.enpt.spm"],
                Some("trgvocab.enpt.spm"),
            ),
            (
                &["model.enpt.bin", "trgvocab.enpt.spm", "vocab.ende.spm"],
                Some("srcvocab.enpt.spm"),
            ),
            (&["vocab.enpt.spm"], Some("model.enpt.*.bin")),
        ] {
            assert_eq!(lacks(names, "enpt").as_deref(), expected, "{names:?}");
        }
    }
}
