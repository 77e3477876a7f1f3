//! Reports and warnings for people. Addresses, texts and reasons in them come from pages and servers, and a terminal must
//! not obey them: neither control characters nor those that turn or hide what stands beside them.
//!
//! What programs read (`--json`, a page) is not written here, and keeps every character.

use pipeline::text::visible;

/// Prints a report on standard output.
pub(crate) fn print(report: &str) {
    print!("{}", lines(report));
}

/// Prints a warning on standard error.
pub(crate) fn warn(warning: &str) {
    eprintln!("{}", lines(warning));
}

/// A text of lines as it may be shown.
pub(crate) fn lines(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(line).collect();
    lines.join("\n")
}

/// A line as it may be shown; only tabs stay as they are.
pub(crate) fn line(text: &str) -> String {
    let parts: Vec<_> = text.split('\t').map(visible).collect();
    parts.join("\t")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_show_what_cannot_be_seen() {
        for (text, expected) in [
            ("all is\twell", "all is\twell"),
            ("\u{1b}[2K\rforged\u{7}\u{9b}", "\\u{1b}[2K\\u{d}forged\\u{7}\\u{9b}"),
            ("pay\u{200b}pal \u{202e}lap", "pay\\u{200b}pal \\u{202e}lap"),
            ("مرحبا\tü", "مرحبا\tü"),
        ] {
            assert_eq!(line(text), expected, "{text:?}");
        }
    }
}
