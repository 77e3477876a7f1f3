//! The header of a PO file: the owner's lines as they are, and those that gettext's tools ask for and the owner has not.

use crate::model::Locale;

/// The header with all the lines that `msgfmt --check-header` wants. There is no clock in it, so that an export changes
/// nothing where nothing changed; "Automatically generated" and "none" are what `msginit` writes where nobody is known.
pub(super) fn complete(owned: Option<&str>, target: &Locale, project: &str) -> String {
    let wanted = [
        ("Project-Id-Version", project.to_owned()),
        ("PO-Revision-Date", "1970-01-01 00:00+0000".to_owned()),
        ("Last-Translator", "Automatically generated".to_owned()),
        ("Language-Team", "none".to_owned()),
        ("Language", target.to_string()),
        ("MIME-Version", "1.0".to_owned()),
        ("Content-Type", "text/plain; charset=UTF-8".to_owned()),
        ("Content-Transfer-Encoding", "8bit".to_owned()),
    ];
    let mut header = owned.unwrap_or_default().to_owned();
    if !header.is_empty() && !header.ends_with('\n') {
        header.push('\n');
    }
    for (name, value) in wanted.iter().filter(|(name, _)| !has(owned, name)) {
        header.push_str(&format!("{name}: {value}\n"));
    }
    if owned.is_none() {
        header.push_str("X-Generator: Latimer\n");
    }
    header
}

fn has(owned: Option<&str>, wanted: &str) -> bool {
    let mut names = owned
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name);
    names.any(|name| name.trim().eq_ignore_ascii_case(wanted))
}
