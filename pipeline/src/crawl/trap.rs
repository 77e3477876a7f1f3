//! Traps: pages that lead to nothing but ever more of their own kind, such as a calendar that has a next month for ever.
//!
//! Paths of one kind have one pattern ([`pattern`]). A page counts when it is reached only through pages of its own
//! pattern, when no sitemap lists it and when it links to no page of another pattern that the pages of its pattern did
//! not link to before. The pattern is a trap when [`ROW`] such pages stand in a row, each found on the one before. Where
//! the paths themselves say more, less is enough: paths that get longer from page to page, and paths with repeated
//! folders or session ids, of which one page names many at once.
//!
//! So ten thousand `/p/{n}` that lists, sitemaps or each other link to are no trap, and neither are the pages of a list
//! that leads to articles. What a trap has left is held back, not forgotten: an address that some other page links to
//! after all is taken. Pages that were reached before stay pages, because nothing says that those are worthless.
//!
//! Pure; the answers come in the order of tickets, so the same site has the same traps in every crawl.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::model::PagePath;

/// Pages in a row that lead to nothing else.
const ROW: usize = 50;
/// The same, where each has a longer path than the one before.
const LONGER: usize = 8;
/// Hexadecimal digits from which on they are no word.
const LONG_HEX: usize = 16;
/// Folders that repeat together at most.
const BLOCK: usize = 4;
/// Links between kinds of pages remembered per page that a crawl may take. Beyond that, pages count as leading elsewhere, so
/// nothing more becomes a trap.
const LEADS: usize = 200;

/// A kind of pages that leads to nothing but more of its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trap {
    /// The kind: `#` is any number, `*` an id and what stands below it, `…` folders that repeat, `**` everything below a folder whose
    /// pages repeat each other.
    pub pattern: String,
    /// How many addresses were left out.
    pub left_out: usize,
}

impl Trap {
    /// Whether a path is of this kind; some of these pages may have been taken.
    pub fn matches(&self, path: &PagePath) -> bool {
        let is_below = self
            .pattern
            .strip_suffix("**")
            .is_some_and(|folder| path.path().starts_with(folder));
        is_below || pattern(path).is_some_and(|pattern| pattern == self.pattern)
    }
}

/// What is known about pages and how they lead to each other.
#[derive(Debug)]
pub(super) struct Watch {
    ids: HashMap<PagePath, usize>,
    pages: Vec<TrapPage>,
    patterns: HashMap<String, usize>,
    kinds: Vec<AddressKind>,
    /// Links that can still be remembered.
    leads_left: usize,
}

#[derive(Debug)]
struct TrapPage {
    /// Of which kind it is; `None` where nothing in its path can be counted up.
    kind: Option<usize>,
    length: usize,
    /// Whether the start, a sitemap or a page of another kind names it.
    named_outside: bool,
    /// Pages in a row that led here and to nothing else.
    row: usize,
    /// How many of these had a longer path than the one before.
    longer: usize,
}

#[derive(Debug)]
struct AddressKind {
    pattern: String,
    /// Pages of other kinds that pages of this kind link to.
    leads_to: HashSet<usize>,
    /// Pages in a row that led to nothing else, in the order in which they were taken.
    row: usize,
    is_trap: bool,
}

impl Watch {
    pub(super) fn new(max_pages: usize) -> Self {
        Self {
            ids: HashMap::new(),
            pages: Vec::new(),
            patterns: HashMap::new(),
            kinds: Vec::new(),
            leads_left: max_pages.saturating_mul(LEADS),
        }
    }

    /// The number of a page.
    pub(super) fn page(&mut self, path: &PagePath) -> usize {
        if let Some(id) = self.ids.get(path) {
            return *id;
        }
        let kind = pattern(path).map(|pattern| self.kind(pattern));
        let page = TrapPage {
            kind,
            length: path.as_str().len(),
            named_outside: false,
            row: 0,
            longer: 0,
        };
        self.pages.push(page);
        self.ids.insert(path.clone(), self.pages.len() - 1);
        self.pages.len() - 1
    }

    fn kind(&mut self, pattern: String) -> usize {
        let kinds = &mut self.kinds;
        *self.patterns.entry(pattern).or_insert_with_key(|pattern| {
            kinds.push(AddressKind {
                pattern: pattern.clone(),
                leads_to: HashSet::new(),
                row: 0,
                is_trap: false,
            });
            kinds.len() - 1
        })
    }

    /// Notes that the start or a sitemap names a page.
    pub(super) fn named(&mut self, page: usize) {
        if let Some(page) = self.pages.get_mut(page) {
            page.named_outside = true;
        }
    }

    /// Notes what a page, or a redirect, leads to. Only pages that were taken count as pages of a row.
    pub(super) fn visited(&mut self, from: usize, is_taken: bool, links: &[usize]) {
        let Some(&TrapPage {
            kind,
            length,
            named_outside,
            row,
            longer,
        }) = self.pages.get(from)
        else {
            return;
        };
        let mut leads_elsewhere = false;
        for &link in links {
            let Some(to) = self.pages.get_mut(link) else {
                continue;
            };
            let own = kind.is_some() && to.kind == kind;
            to.named_outside |= !own;
            if let Some(kind) = kind
                .filter(|_| !own)
                .and_then(|kind| self.kinds.get_mut(kind))
            {
                leads_elsewhere |= self.leads_left == 0;
                if self.leads_left > 0 && kind.leads_to.insert(link) {
                    self.leads_left -= 1;
                    leads_elsewhere = true;
                }
            }
        }
        let Some(kind) = kind.and_then(|kind| self.kinds.get_mut(kind)) else {
            return;
        };
        let counts = !named_outside && !leads_elsewhere;
        let row = if counts {
            row + usize::from(is_taken)
        } else {
            0
        };
        kind.row = if counts {
            kind.row + usize::from(is_taken)
        } else {
            0
        };
        let names_many = kind.pattern.contains(['*', '…']);
        kind.is_trap |= row >= ROW || longer >= LONGER && counts || names_many && kind.row >= ROW;
        for &link in links {
            let Some(to) = self.pages.get_mut(link).filter(|to| to.row == 0) else {
                continue;
            };
            if !to.named_outside {
                to.row = row;
                to.longer = if counts && to.length > length {
                    longer + 1
                } else {
                    0
                };
            }
        }
    }

    /// Whether a page is held back.
    pub(super) fn holds(&self, path: &PagePath) -> bool {
        let page = self.ids.get(path).and_then(|id| self.pages.get(*id));
        page.is_some_and(|page| {
            !page.named_outside && self.kind_of(page).is_some_and(|kind| kind.is_trap)
        })
    }

    /// The traps in which these pages are held back, in the order of their patterns.
    pub(super) fn traps<'a>(&self, held: impl Iterator<Item = &'a PagePath>) -> Vec<Trap> {
        let mut traps: Vec<Trap> = Vec::new();
        for path in held {
            let Some(page) = self.ids.get(path).and_then(|id| self.pages.get(*id)) else {
                continue;
            };
            let Some(kind) = self.kind_of(page) else {
                continue;
            };
            match traps.iter_mut().find(|trap| trap.pattern == kind.pattern) {
                Some(trap) => trap.left_out += 1,
                None => traps.push(Trap {
                    pattern: kind.pattern.clone(),
                    left_out: 1,
                }),
            }
        }
        traps.sort();
        traps
    }

    fn kind_of(&self, page: &TrapPage) -> Option<&AddressKind> {
        page.kind.and_then(|kind| self.kinds.get(kind))
    }
}

/// The pattern of a path: numbers are `#`, also several of them in a row; a long id is `*`, with all that stands below
/// it; folders that repeat are named once, before `…`. `None` for a path that has nothing of all that.
fn pattern(path: &PagePath) -> Option<String> {
    let mut segments: Vec<String> = Vec::new();
    for segment in path.path().split('/').skip(1) {
        if is_id(segment) {
            segments.push("*".to_owned());
            break;
        }
        let masked = numbers(segment);
        if masked != "#" || segments.last().is_none_or(|last| last != "#") {
            segments.push(masked);
        }
    }
    fold_repeats(&mut segments);
    let query = path
        .query()
        .map(|query| format!("?{}", numbers(query)))
        .unwrap_or_default();
    let pattern = format!("/{}{query}", segments.join("/"));
    (pattern != path.as_str()).then_some(pattern)
}

/// A text with each of its numbers as `#`; dates and versions are one number, percent triplets none.
fn numbers(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character == '%' {
            masked.push(character);
            masked.extend(rest.by_ref().take(2));
        } else if character.is_ascii_digit() {
            let joined = masked
                .strip_suffix(['-', '.', '_', ':', ','])
                .filter(|before| before.ends_with('#'));
            masked.truncate(joined.unwrap_or(&masked).len());
            if !masked.ends_with('#') {
                masked.push('#');
            }
        } else {
            masked.push(character);
        }
    }
    masked
}

/// Whether a segment is a UUID, a hash or the like.
fn is_id(segment: &str) -> bool {
    let hex = segment.chars().filter(char::is_ascii_hexdigit).count();
    let only_hex = segment
        .chars()
        .all(|character| character.is_ascii_hexdigit() || character == '-');
    only_hex && hex >= LONG_HEX && segment.contains(|character: char| character.is_ascii_digit())
}

/// Names blocks of segments that repeat one after the other once, followed by `…`.
fn fold_repeats(segments: &mut Vec<String>) {
    for size in 1..=BLOCK {
        let mut at = 0;
        while at + 2 * size <= segments.len() {
            let is_mark = segments
                .get(at + size)
                .is_some_and(|segment| segment == "…");
            let next = at + size + usize::from(is_mark);
            let block = segments.get(at..at + size);
            let is_words = block.is_some_and(|block| {
                block
                    .iter()
                    .all(|segment| !segment.is_empty() && segment != "…")
            });
            if is_words && block == segments.get(next..next + size) {
                segments.splice(at + size..next + size, ["…".to_owned()]);
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
#[path = "trap/tests.rs"]
mod tests;
