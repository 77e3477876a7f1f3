//! Routers that answer every path with the same page, whose relative links lead ever deeper (R-S11). Pure.
//!
//! A page repeats those that lead to it if its bytes are theirs, but for its own path and words with digits. Repeating pages are counted by
//! generation: a page is one generation after the pages that lead to it, as long as all of these are equal to it. Links of the
//! [`GENERATIONS`]th one are held back, unless another page or a sitemap has them, too. A one-page application is no such router:
//! its shells lead to the same few addresses, and not to new ones in each generation.

use std::collections::HashMap;

use super::Trap;
use crate::model::PagePath;

/// Generations of equal pages whose links are followed.
const GENERATIONS: u32 = 3;

/// Stands for the bytes of a page.
pub(super) type PageDigest = u64;

/// Pages, with the bytes and generations of the pages that lead to them.
#[derive(Debug, Default)]
pub(super) struct Echoes(HashMap<PagePath, Echo>);

#[derive(Debug, Default)]
struct Echo {
    generation: u32,
    /// Bytes of the pages that lead to it; `None` if they differ or nobody knows them.
    led_by: Option<PageDigest>,
    /// The least generation of the pages that lead to it.
    after: Option<u32>,
    is_listed: bool,
}

/// Stands for the bytes of a page without its own path and without words that have digits, such as numbers and sessions.
pub(super) fn print(path: &PagePath, body: &[u8]) -> PageDigest {
    let text = String::from_utf8_lossy(body);
    let mut plain = blake3::Hasher::new();
    let parts: Vec<&str> = if path.as_str().len() > 1 {
        text.split(path.as_str()).collect()
    } else {
        vec![&text]
    };
    for part in parts {
        for word in part.split_inclusive(|character: char| !character.is_alphanumeric()) {
            if !word.contains(|character: char| character.is_ascii_digit()) {
                plain.update(word.as_bytes());
            }
        }
    }
    plain
        .finalize()
        .as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// True for pages that numbers tell apart, as in a calendar. One that is empty may lead to one that is not, so they are given more time
/// (`trap.rs`).
fn is_numbered(page: &PagePath) -> bool {
    let is_number = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b"-._".contains(&byte))
    };
    page.path().split('/').any(is_number)
        || page
            .query()
            .is_some_and(|query| query.split(['=', '&']).any(is_number))
}

/// Stands for the bytes of a file.
pub(super) fn print_of_file(body: &[u8]) -> PageDigest {
    blake3::hash(body)
        .as_bytes()
        .first_chunk()
        .map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

impl Echoes {
    /// Notes that the start or a sitemap names a page.
    pub(super) fn list(&mut self, page: &PagePath) {
        self.0.entry(page.clone()).or_default().is_listed = true;
    }

    /// Notes the bytes of a page, and what it leads to.
    pub(super) fn visit(&mut self, page: &PagePath, print: Option<PageDigest>, links: &[PagePath]) {
        let echo = self.0.entry(page.clone()).or_default();
        let is_repeated =
            print.is_some() && echo.led_by == print && !echo.is_listed && !is_numbered(page);
        echo.generation = if is_repeated {
            echo.after.unwrap_or_default() + 1
        } else {
            0
        };
        let generation = echo.generation;
        for link in links {
            let to = self.0.entry(link.clone()).or_default();
            to.led_by = if to.after.is_none() || to.led_by == print {
                print
            } else {
                None
            };
            to.after = Some(to.after.map_or(generation, |known| known.min(generation)));
        }
    }

    /// True if only pages of the last generation lead to a page.
    pub(super) fn holds(&self, page: &PagePath) -> bool {
        self.0.get(page).is_some_and(|echo| {
            !echo.is_listed && echo.after.is_some_and(|after| after >= GENERATIONS)
        })
    }

    /// The traps in which pages are held back: the folders that they lie in, at the root of the site.
    pub(super) fn traps<'a>(&self, held: impl Iterator<Item = &'a PagePath>) -> Vec<Trap> {
        let mut traps: Vec<Trap> = Vec::new();
        for page in held.filter(|page| self.holds(page)) {
            let folder = page.path().split('/').nth(1).unwrap_or_default();
            let pattern = format!("/{folder}/**");
            match traps.iter_mut().find(|trap| trap.pattern == pattern) {
                Some(trap) => trap.left_out += 1,
                None => traps.push(Trap {
                    pattern,
                    left_out: 1,
                }),
            }
        }
        traps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> PagePath {
        PagePath::parse(text).unwrap()
    }

    /// How many pages are taken of a site in which `page` gives the text and the links of a path.
    fn taken(start: &str, page: impl Fn(&str) -> (String, Vec<String>)) -> usize {
        let mut echoes = Echoes::default();
        let mut seen = std::collections::BTreeSet::new();
        let mut next = vec![start.to_owned()];
        echoes.list(&path(start));
        while let Some(found) = next.pop() {
            if seen.len() > 500 || echoes.holds(&path(&found)) || !seen.insert(found.clone()) {
                continue;
            }
            let (text, links) = page(&found);
            let paths: Vec<PagePath> = links.iter().map(|link| path(link)).collect();
            echoes.visit(
                &path(&found),
                Some(print(&path(&found), text.as_bytes())),
                &paths,
            );
            next.splice(0..0, links.into_iter().rev());
        }
        seen.len()
    }

    #[test]
    fn routers_that_repeat_one_page_end_soon_r_s11() {
        let repeats = |links: usize| {
            taken("/x/", move |at| {
                let links = (0..links)
                    .map(|link| format!("{at}{}/", ["a", "b", "c"][link]))
                    .collect();
                (
                    format!(
                        "<title>Page {}</title><link rel=canonical href={at}>",
                        at.len()
                    ),
                    links,
                )
            })
        };
        assert_eq!([1, 2, 3].map(repeats), [4, 15, 40]);
        // A session in the path, which each page makes anew.
        let session = |at: &str| format!("/s/{}/", &blake3::hash(at.as_bytes()).to_hex()[..9]);
        let ends = taken("/s/", |at| {
            (
                format!("<a href={}>Bread</a>", session(at)),
                vec![session(at)],
            )
        });
        assert!(ends < 20, "{ends}");
    }

    #[test]
    fn other_sites_are_taken_whole_r_s11() {
        // A one-page application: the same bytes, and the same links.
        let routes: Vec<String> = (0..40).map(|route| format!("/r{route}")).collect();
        assert_eq!(taken("/", |_| ("shell".to_owned(), routes.clone())), 41);
        // Empty months of a calendar.
        assert!(
            taken("/cal/1", |at| (
                "Nothing".to_owned(),
                vec![format!("{at}1")]
            )) > 20
        );
        // Pages with words of their own.
        let chain = |at: &str| (format!("Bread {at}!"), vec![format!("{at}x")]);
        assert!(taken("/a", |at| (at.replace('x', "y"), chain(at).1)) > 500);
    }

    #[test]
    fn what_another_page_or_a_sitemap_names_is_taken_r_s11() {
        let mut echoes = Echoes::default();
        let chain: Vec<PagePath> = (1..7).map(|depth| path(&"/a".repeat(depth))).collect();
        for pair in chain.windows(2) {
            echoes.visit(&pair[0], Some(1), &pair[1..]);
        }
        assert_eq!(
            chain
                .iter()
                .map(|page| echoes.holds(page))
                .collect::<Vec<_>>(),
            [false, false, false, false, true, true]
        );
        echoes.visit(&path("/other"), Some(2), &chain[4..5]);
        echoes.list(&chain[5]);
        assert!(!echoes.holds(&chain[4]) && !echoes.holds(&chain[5]));
    }
}
