//! Words of a text as our indexes hold them, and the same cut as a program for the reader's side. Pure.
//!
//! A word is a run of letters, digits and `_`, in lower case. Scripts that put no space between words are cut into single
//! letters and pairs of letters: whoever looks for a word of three letters finds where both of its pairs stand. Nothing is
//! cut back to a stem: an index may hold only what the site's own script makes of a query.

/// The letters of scripts without spaces between words, as ranges in order: Thai, Lao, Burmese, Khmer, and the signs that
/// Chinese and Japanese are written with.
const UNSPACED: [(u32, u32); 10] = [
    (0x0E01, 0x0E4E),
    (0x0E81, 0x0ECD),
    (0x1000, 0x109D),
    (0x1780, 0x17D3),
    (0x3005, 0x3006),
    (0x3041, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
];

/// The longest word that anybody looks for, in bytes.
const LONGEST: usize = 96;

/// Whether a language puts no space between its words.
pub(super) fn is_unspaced_language(language: &str) -> bool {
    matches!(language, "ja" | "zh" | "yue" | "th" | "lo" | "my" | "km")
}

/// Whether a letter belongs to a script without spaces between words.
pub(super) fn is_unspaced(letter: char) -> bool {
    let letter = u32::from(letter);
    UNSPACED
        .iter()
        .any(|&(first, last)| (first..=last).contains(&letter))
}

/// Whether a text holds letters of such a script.
pub(super) fn has_unspaced(text: &str) -> bool {
    text.chars().any(is_unspaced)
}

fn is_katakana(letter: char) -> bool {
    matches!(letter, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}')
}

fn is_in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Calls `found` with each word of a text.
pub(super) fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let text = text.to_lowercase();
    for word in text
        .split(|letter| !is_in_word(letter))
        .filter(|word| !word.is_empty())
    {
        if !has_unspaced(word) {
            if word.len() <= LONGEST {
                found(word);
            }
            continue;
        }
        each_run(word, |run, is_unspaced| match is_unspaced {
            true => each_pair(run, &mut found),
            false if run.len() <= LONGEST => found(run),
            false => {}
        });
    }
}

/// Calls `found` with the words that a query may hold which is cut at white space and hyphens alone: what holds other signs
/// is there as a whole, too.
pub(super) fn each_token(text: &str, mut found: impl FnMut(&str)) {
    for (_, chunk) in chunks(text) {
        each_token_of(chunk, &mut found);
    }
}

/// What stands between white space and hyphens, without the signs around it, each with where it begins (in bytes).
pub(super) fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    text.split(|letter: char| letter.is_whitespace() || letter == '-')
        .filter_map(move |chunk| {
            let start = end;
            end += chunk.len()
                + text[end + chunk.len()..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8);
            let front = chunk.trim_start_matches(|letter: char| !is_in_word(letter));
            let whole = front.trim_end_matches(|letter: char| !is_in_word(letter));
            (!whole.is_empty()).then_some((start + chunk.len() - front.len(), whole))
        })
}

/// Calls `found` with the words of a chunk. What is written in katakana is a word as a rule, and is there as a whole, too.
pub(super) fn each_token_of(chunk: &str, mut found: impl FnMut(&str)) {
    let is_word = chunk.chars().all(is_in_word);
    if !has_unspaced(chunk) {
        if !is_word && chunk.len() <= LONGEST {
            found(&chunk.to_lowercase());
        }
    } else {
        let is_long = |word: &&str| word.chars().nth(2).is_some() && word.len() <= LONGEST;
        chunk
            .split(|letter| !is_katakana(letter))
            .filter(is_long)
            .for_each(&mut found);
    }
    each_word(chunk, &mut found);
}

/// Cuts a word where a script without spaces begins or ends.
fn each_run(word: &str, mut found: impl FnMut(&str, bool)) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let kind = is_unspaced(first);
        let end = rest
            .find(|letter| is_unspaced(letter) != kind)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        found(run, kind);
        rest = after;
    }
}

/// The letters of a run, and each with the one behind it.
fn each_pair(run: &str, found: &mut impl FnMut(&str)) {
    let mut letters = run
        .char_indices()
        .map(|(at, letter)| (at, at + letter.len_utf8()))
        .peekable();
    while let Some((start, end)) = letters.next() {
        found(&run[start..end]);
        if let Some(&(_, behind)) = letters.peek() {
            found(&run[start..behind]);
        }
    }
}

/// A function of JavaScript that cuts a query as [`each_word`] cuts a text; of a run of several letters it gives the pairs
/// alone. It keeps the case.
pub(super) fn splitter() -> String {
    let ranges = UNSPACED
        .iter()
        .map(|(first, last)| format!("\\u{{{first:x}}}-\\u{{{last:x}}}"))
        .collect::<String>();
    format!(
        "function (query) {{
  const words = [];
  for (const run of query.split(/[^\\p{{Alphabetic}}\\p{{Number}}_]+/u)) {{
    run.split(/([{ranges}]+)/u).forEach((word, index) => {{
      const letters = [...word];
      if (index % 2 === 0 || letters.length === 1) {{
        if (word) words.push(word);
      }} else {{
        for (let at = 1; at < letters.length; at++) words.push(letters[at - 1] + letters[at]);
      }}
    }});
  }}
  return words;
}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_where_readers_see_words() {
        for (text, expected) in [
            (
                "¿Cómo se usan las plantillas_2?",
                "cómo se usan las plantillas_2",
            ),
            ("Straße, IDs; a-b", "straße ids a b"),
            ("القوالب مفيدة.", "القوالب مفيدة"),
            ("検索とfoo", "検 検索 索 索と と foo"),
            ("字", "字"),
            ("", ""),
        ] {
            let mut found = Vec::new();
            each_word(text, |word| found.push(word.to_owned()));
            assert_eq!(found.join(" "), expected, "{text}");
        }
        let mut found = 0;
        each_word(&"x".repeat(LONGEST + 1), |_| found += 1);
        assert_eq!(found, 0, "nobody types this");
    }

    #[test]
    fn what_a_query_may_hold_is_there() {
        let mut found = Vec::new();
        each_token("(book.toml) auto-fill 検索、", |word| {
            found.push(word.to_owned())
        });
        assert_eq!(
            found,
            [
                "book.toml",
                "book",
                "toml",
                "auto",
                "fill",
                "検",
                "検索",
                "索"
            ]
        );
        found.clear();
        each_token("このサーバーを", |word| found.push(word.to_owned()));
        assert_eq!(found[0], "サーバー");
        assert_eq!(
            chunks(" (a)-«é». –b").collect::<Vec<_>>(),
            [(2, "a"), (7, "é"), (16, "b")]
        );
    }
}
