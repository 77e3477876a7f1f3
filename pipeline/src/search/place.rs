//! Where entries of an index lead. Pure.

/// A page, as an index writes it, and a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexLocation<'a> {
    pub(super) page: &'a str,
    /// Empty for the page itself.
    pub(super) fragment: &'a str,
}

impl<'a> IndexLocation<'a> {
    pub(super) fn of(location: &'a str) -> Self {
        let (page, fragment) = location.split_once('#').unwrap_or((location, ""));
        Self {
            page: page.split('?').next().unwrap_or_default(),
            fragment,
        }
    }
}

/// Where a page of the source leads in a language: as it is written, where its path there is the same.
pub(super) fn relative(base: &str, path: &str, written: &str, fragment: &str) -> String {
    let same = path
        .strip_prefix(base)
        .is_some_and(|rest| names_same(rest, written));
    let mut location = match path.strip_prefix(base) {
        _ if same => written.to_owned(),
        Some(rest) => rest.to_owned(),
        None => {
            "../".repeat(base.matches('/').count().saturating_sub(1)) + path.trim_start_matches('/')
        }
    };
    if !fragment.is_empty() {
        location.push('#');
        location.push_str(fragment);
    }
    location
}

/// Whether two paths are spellings of one page.
fn names_same(one: &str, other: &str) -> bool {
    let bare = |path: &str| {
        let path = path.strip_suffix("index.html").unwrap_or(path);
        let path = path.strip_suffix(".html").unwrap_or(path);
        path.trim_end_matches('/').to_owned()
    };
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_written_as_the_index_writes_them() {
        for (base, path, written, fragment, expected) in [
            ("/", "/guide/", "guide/", "a", "guide/#a"),
            ("/", "/guide.html", "guide.html", "", "guide.html"),
            ("/", "/", "index.html", "", "index.html"),
            ("/", "/guia/", "guide/", "", "guia/"),
            (
                "/docs/",
                "/docs/guia.html",
                "guide.html",
                "x",
                "guia.html#x",
            ),
            ("/docs/", "/guia.html", "guide.html", "", "../guia.html"),
        ] {
            assert_eq!(
                relative(base, path, written, fragment),
                expected,
                "{base} {path}"
            );
        }
    }
}
