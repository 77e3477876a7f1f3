//! `Link` headers (RFC 8288), as far as they name versions and canonical addresses.

use serde::{Deserialize, Serialize};

/// The addresses that `Link` headers name, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinkHeader {
    /// Canonical addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub canonical: Vec<String>,
    /// Versions: language tag and address.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alternates: Vec<(String, String)>,
}

impl LinkHeader {
    /// Reads the values of the headers of an answer.
    pub fn read(values: &[String]) -> Self {
        let mut header = Self::default();
        for link in values.iter().flat_map(|value| split(value, ',')) {
            header.take(link);
        }
        header
    }

    /// The links of headers that name canonical addresses and versions. Many servers send long lists of others.
    pub fn only_naming(values: &[String]) -> Vec<String> {
        let links = values
            .iter()
            .flat_map(|value| split(value, ','))
            .map(str::trim);
        links
            .filter(|link| Self::default().take(link))
            .map(str::to_owned)
            .collect()
    }

    /// True if no address is named.
    pub fn is_empty(&self) -> bool {
        self.canonical.is_empty() && self.alternates.is_empty()
    }

    /// Takes up one link. True if it names a canonical address or a version.
    fn take(&mut self, link: &str) -> bool {
        let Some((address, parameters)) = link
            .trim()
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
        else {
            return false;
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
            self.canonical.push(address.trim().to_owned());
            true
        } else if is("alternate")
            && let Some(tag) = value("hreflang")
        {
            self.alternates.push((tag, address.trim().to_owned()));
            true
        } else {
            false
        }
    }
}

/// Splits at a character that stands neither in quotes nor in an address.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut quoted = false;
    let mut address = false;
    let mut start = 0;
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
        let values = values.map(str::to_owned);
        let header = LinkHeader::read(&values);
        let own = |tag: &str, address: &str| (tag.to_owned(), address.to_owned());
        assert_eq!(
            header.alternates,
            [own("es", "https://h.example/a,b"), own("en", "/en")]
        );
        assert_eq!(header.canonical, ["https://h.example/c"]);
        let naming = LinkHeader::only_naming(&values);
        assert_eq!((naming.len(), LinkHeader::read(&naming)), (3, header));
    }
}
