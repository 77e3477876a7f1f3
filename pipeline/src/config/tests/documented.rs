//! The documentation's list of keys is the program's.

use crate::config::keys::CLOSED;

const DOCUMENT: &str = include_str!("../../../../docs/configuration.md");

#[test]
fn every_key_is_in_the_documentation() {
    for keys in CLOSED {
        for key in keys.known {
            let spellings = [
                format!("`{key}`"),
                format!(".{key}`"),
                format!("{key} = "),
                format!("[{key}"),
                format!(".{key}"),
            ];
            let is_there = spellings.iter().any(|spelling| DOCUMENT.contains(spelling));
            assert!(
                is_there,
                "docs/configuration.md lacks `{key}` of {}",
                keys.table
            );
        }
    }
}

#[test]
fn every_key_of_the_documentation_is_one() {
    let rows = DOCUMENT
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let names = rows
        .flat_map(|cell| cell.split("`, `"))
        .map(|name| name.trim_end_matches('`'));
    let mut checked = 0;
    for name in names.filter(|name| !name.starts_with(char::is_uppercase)) {
        let key = name.rsplit('.').next().unwrap_or_default();
        assert!(
            CLOSED.iter().any(|keys| keys.known.contains(&key)),
            "`{name}` is no key"
        );
        checked += 1;
    }
    assert!(checked > 80, "{checked} keys");
}
