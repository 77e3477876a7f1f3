//! Addresses in programs, which write the way from a page to their own folder before them.

/// An address from the root of a host as one that counts from the folder of the program at `own`; nothing where it leads
/// where the `written` one does.
pub(super) fn beside(own: &str, written: &str, address: String) -> Option<String> {
    if !address.starts_with('/') || address.starts_with("//") {
        return Some(address);
    }
    let folder = &own[..own.rfind('/').map_or(0, |slash| slash + 1)];
    let alike = folder
        .bytes()
        .zip(address.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    let shared = folder[..alike].rfind('/').map_or(0, |slash| slash + 1);
    let near = "../".repeat(folder[shared..].matches('/').count()) + &address[shared..];
    (bare(&near) != bare(written)).then_some(if near.is_empty() {
        "./".to_owned()
    } else {
        near
    })
}

fn bare(address: &str) -> String {
    address.replacen("index.html", "", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_count_from_the_folder_of_a_program() {
        for (own, written, address, expected) in [
            ("/es/toc.js", "a.html", "/en/a.html", Some("../en/a.html")),
            (
                "/es/book/toc.js",
                "b/a.html",
                "/es/book/b/c.html",
                Some("b/c.html"),
            ),
            ("/toc.js", "b.html", "/a.html", Some("a.html")),
            ("/est/toc.js", "a", "/es/a", Some("../es/a")),
            ("/es/toc.js", "b", "/es/", Some("./")),
            (
                "/es/toc.js",
                "b",
                "https://a.example/b",
                Some("https://a.example/b"),
            ),
            ("/es/toc.js", "b", "//a.example/b", Some("//a.example/b")),
            ("/es/toc.js", "index.html", "/es/", None),
            ("/es/toc.js", "b/index.html#c", "/es/b/#c", None),
        ] {
            assert_eq!(
                beside(own, written, address.to_owned()).as_deref(),
                expected,
                "{own} {address}"
            );
        }
    }
}
