//! Reports and warnings for people. Addresses, texts and reasons in them come from pages and servers, and a terminal must
//! not obey them: neither control characters nor those that turn or hide what stands beside them.
//!
//! Colours only at a terminal, and not with `NO_COLOR` (<https://no-color.org>). Output for programs (`--json`, a page) is not
//! written here, and keeps every character.

use anstyle::{AnsiColor, Style};
use pipeline::text::visible;

/// Beginnings of lines that have a colour.
const COLOURED: [(&str, AnsiColor); 9] = [
    ("bad ", AnsiColor::Red),
    ("failed: ", AnsiColor::Red),
    ("refused on ", AnsiColor::Yellow),
    ("term on ", AnsiColor::Yellow),
    ("poor ", AnsiColor::Yellow),
    ("notice: ", AnsiColor::Yellow),
    ("worth a look: ", AnsiColor::Yellow),
    ("good ", AnsiColor::Green),
    ("next: ", AnsiColor::Green),
];

/// Prints a report on standard output.
pub(crate) fn print(report: &str) {
    let coloured: Vec<String> = report
        .split('\n')
        .map(|text| coloured(&line(text)))
        .collect();
    anstream::print!("{}", coloured.join("\n"));
}

/// Prints a warning on standard error.
pub(crate) fn warn(warning: &str) {
    anstream::eprintln!("{}", lines(warning));
}

/// A text of lines as it may be shown.
pub(crate) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// Escapes control characters but tabs, and removes error numbers.
pub(crate) fn line(text: &str) -> String {
    let text = without_numbers(text);
    let parts: Vec<_> = text.split('\t').map(visible).collect();
    parts.join("\t")
}

/// Removes "(os error 2)" and the like, which repeat the words before them.
fn without_numbers(message: &str) -> String {
    const OPENING: &str = " (os error ";
    let mut text = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(OPENING) {
        text.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        rest = match after.get(digits..).and_then(|end| end.strip_prefix(')')) {
            Some(end) if digits > 0 => end,
            _ => {
                text.push_str(OPENING);
                after
            }
        };
    }
    text + rest
}

/// A text in a colour.
pub(crate) fn in_colour(colour: AnsiColor, text: &str) -> String {
    let style = Style::new().fg_color(Some(colour.into()));
    format!("{style}{text}{style:#}")
}

/// A line of a report whose first words are in the colour of its kind.
fn coloured(line: &str) -> String {
    let text = line.trim_start_matches(' ');
    let indent = " ".repeat(line.len() - text.len());
    for (beginning, colour) in COLOURED {
        if let Some(rest) = text.strip_prefix(beginning) {
            return format!("{indent}{}{rest}", in_colour(colour, beginning));
        }
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{coloured, line, without_numbers};

    #[test]
    fn lines_show_what_cannot_be_seen() {
        for (text, expected) in [
            ("all is\twell", "all is\twell"),
            (
                "\u{1b}[2K\rforged\u{7}\u{9b}",
                "\\u{1b}[2K\\u{d}forged\\u{7}\\u{9b}",
            ),
            ("pay\u{200b}pal \u{202e}lap", "pay\\u{200b}pal \\u{202e}lap"),
            ("مرحبا\tü", "مرحبا\tü"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_line_is_coloured() {
        assert_eq!(
            coloured("  failed: /a: failed: x"),
            "  \u{1b}[31mfailed: \u{1b}[0m/a: failed: x"
        );
        assert_eq!(coloured("  es: 3 pages"), "  es: 3 pages");
    }

    #[test]
    fn numbers_of_errors_are_left_out() {
        for (message, shown) in [
            (
                "cannot read a: No such file or directory (os error 2)",
                "cannot read a: No such file or directory",
            ),
            ("a (os error 13); then b (os error 111)", "a; then b"),
            ("a (os error ) b (os error x", "a (os error ) b (os error x"),
            ("all is well", "all is well"),
        ] {
            assert_eq!(without_numbers(message), shown);
        }
    }
}
