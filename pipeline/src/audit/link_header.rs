//! `Link` headers (RFC 8288), as far as they name versions and canonical addresses.

use super::site::Header;

/// Reads the values of the Link headers of an answer.
pub(super) fn read(values: &[String]) -> Header {
    let mut header = Header::default();
    for link in values.iter().flat_map(|value| split(value, ',')) {
        let Some((address, parameters)) = link.trim().strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
            continue;
        };
        let value = |wanted: &str| {
            split(parameters, ';').into_iter().find_map(|parameter| {
                let (name, value) = parameter.split_once('=')?;
                let value = value.trim().trim_matches('"').trim().to_owned();
                name.trim().eq_ignore_ascii_case(wanted).then_some(value)
            })
        };
        let rel = value("rel").unwrap_or_default().to_ascii_lowercase();
        let is = |word: &str| rel.split_ascii_whitespace().any(|token| token == word);
        if is("canonical") {
            header.canonical.push(address.trim().to_owned());
        } else if is("alternate")
            && let Some(tag) = value("hreflang")
        {
            header.alternates.push((tag, address.trim().to_owned()));
        }
    }
    header
}

/// Splits at a character that stands neither in quotes nor in an address.
fn split(text: &str, at: char) -> Vec<&str> {
    let (mut quoted, mut address, mut start) = (false, false, 0);
    let mut parts = Vec::new();
    for (place, character) in text.char_indices() {
        match character {
            '"' if !address => quoted = !quoted,
            '<' if !quoted => address = true,
            '>' if !quoted => address = false,
            other if other == at && !quoted && !address => {
                parts.push(&text[start..place]);
                start = place + character.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_headers_are_read_r_c1() {
        let values = [
            "<https://h.example/a,b>; rel=\"alternate\"; hreflang=\"es\", </en>; hreflang=en; rel=alternate; title=\"a, b\"",
            "<https://h.example/c>; rel=\"canonical other\", <x>; rel=next, broken",
        ];
        let header = read(&values.map(str::to_owned));
        let own = |tag: &str, address: &str| (tag.to_owned(), address.to_owned());
        assert_eq!(header.alternates, [own("es", "https://h.example/a,b"), own("en", "/en")]);
        assert_eq!(header.canonical, ["https://h.example/c"]);
    }
}
