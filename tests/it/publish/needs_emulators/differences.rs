//! The differences between an emulator's answers and those of `latimer serve`, by name.

use super::*;

/// What differs by the nature of a host, by how its sentence in the host's row begins.
const SPELLINGS: &str = "other spellings of an address";
const SLASH: &str =
    "of two pages whose addresses differ in a slash at the end or in the ending alone";
const FROM_SPELLINGS: &str = "other spellings of an address that redirects or is gone";
const SHARED: &str = "files that all languages share";
const ONE_404: &str = "one page for what is not found";
const NO_404: &str = "a language without a page for what is not found";
const OUR_404: &str = "where the site has no page for what is not found";
const TYPES: &str = "media types are the host's own";
const STATUS: &str = "307 and 308 may be answered as 302";
const QUERY: &str = "queries may be lost";
const CODED: &str = "an address that encodes what needs no encoding";
const AT_ITSELF: &str = "the page for what is not found answers 404";
const FOLDER_404: &str = "where the site lies below a folder";
const ODD: &str = "an address with two slashes";

/// What differs at an emulator, and not at its host.
pub(super) const FAULTS: [(&str, &str); 5] = [
    // Its documentation says that it does.
    ("azure-swa", NO_ENDING),
    ("cloudflare-pages", BELOW_A_FILE),
    ("cloudflare-pages", RAW),
    ("azure-swa", HEAD),
    // It shows the page that its configuration names only where that lies at the root.
    ("azure-swa", FOLDER_404),
];
pub(super) const HEAD: &str = "the emulator answers 404 to HEAD";
const NO_ENDING: &str = "the emulator does not find a page without the ending of its name";
const RAW: &str = "the emulator's redirects to its own spellings are not encoded";
const BELOW_A_FILE: &str = "the emulator answers 502 for what seems to lie below a file";

/// One address, at both.
pub(super) struct Pair<'p> {
    pub(super) path: &'p str,
    /// The host name.
    pub(super) name: &'p str,
    pub(super) ours: &'p str,
    pub(super) theirs: &'p str,
    pub(super) expected: Seen,
    pub(super) seen: Seen,
}

impl Pair<'_> {
    /// What differs, by name; what has none is described.
    pub(super) fn differs(&self) -> Vec<String> {
        let Self {
            path,
            expected,
            seen,
            ..
        } = self;
        let named = |name: &str| vec![name.to_owned()];
        let (asked, _) = path.split_once('?').unwrap_or((path, ""));
        let is_spelling = |other: &Option<String>| {
            other
                .as_deref()
                .is_some_and(|other| decoded(&stem(other)) == decoded(&stem(asked)))
        };
        if path.contains("//") {
            return named(ODD);
        }
        let is_redirect = |seen: &Seen| (301..=308).contains(&seen.status);
        match (expected.status, seen.status) {
            (200 | 404 | 410, status)
                if status == expected.status && seen.body == expected.body =>
            {
                named(TYPES)
            }
            (_, 308)
                if seen
                    .location
                    .as_ref()
                    .is_some_and(|to| to.contains(char::REPLACEMENT_CHARACTER)) =>
            {
                named(RAW)
            }
            (307 | 404, 200 | 308) if stem(asked) == "/404" && self.names_our_404() => {
                named(OUR_404)
            }
            (404, 404)
                if path.starts_with("/shop/") && !seen.body.starts_with(b"<!doctype html>") =>
            {
                named(FOLDER_404)
            }
            (307 | 308, 404) if path.contains("%6") && !is_spelling(&expected.location) => {
                named(CODED)
            }
            (200 | 308, 308 | 502) if self.leads_uncoded(asked) => named(RAW),
            (_, 502) if self.is_below_a_file(asked) => named(BELOW_A_FILE),
            (404, 404) | (410, 410) if self.has_no_page() => named(NO_404),
            (404, 404) if self.is_page_of_source_or_none() => named(ONE_404),
            (200, 301 | 308 | 404) if asked.ends_with("/404.html") && self.is_shown_for_404() => {
                named(AT_ITSELF)
            }
            _ if self.is_one_of_two(asked) => named(SLASH),
            (200, 404) if self.is_found_at(&with_few_coded(asked)) => named(CODED),
            (200, 404) if self.is_found_at(&format!("{asked}.html")) => named(NO_ENDING),
            (200, 404) if self.is_shared(asked) => named(SHARED),
            _ if is_redirect(expected) && is_redirect(seen) && !is_spelling(&expected.location) => {
                self.moved()
            }
            (200 | 307 | 308, 200 | 301 | 302 | 307 | 308 | 410) if self.leads_to_the_same() => {
                named(SPELLINGS)
            }
            (308, 404) if is_spelling(&expected.location) => named(SPELLINGS),
            (307 | 308 | 410, 404) if self.another_spelling_is_told(asked) => named(FROM_SPELLINGS),
            (404, 301..=308) if self.another_spelling_leads_there(asked) => named(FROM_SPELLINGS),
            _ => vec![format!(
                "{path}: {:?} instead of {:?}",
                told(seen),
                told(expected)
            )],
        }
    }

    /// How two redirects differ.
    fn moved(&self) -> Vec<String> {
        let mut found = Vec::new();
        match (self.expected.status, self.seen.status) {
            (expected, status) if expected == status => {}
            (307 | 308, 302) => found.push(STATUS.to_owned()),
            (expected, status) => {
                found.push(format!("{}: {status} instead of {expected}", self.path))
            }
        }
        if place(&self.expected) != place(&self.seen) {
            found.push(format!(
                "{}: {:?} instead of {:?}",
                self.path,
                told(&self.seen),
                told(&self.expected)
            ));
        } else if self.expected.location != self.seen.location {
            found.push(QUERY.to_owned());
        }
        found
    }

    /// Whether what a redirect to this address's spelling would say is lost where it is not encoded: a header holds no letters beyond
    /// those of Latin-1, and no space at its end.
    fn leads_uncoded(&self, asked: &str) -> bool {
        let spelling = String::from_utf8(decoded(&stem(asked))).unwrap();
        match &self.seen.location {
            Some(to) => *to != spelling && to == spelling.trim_end(),
            None => spelling.chars().any(|c| u32::from(c) > 0xff),
        }
    }

    /// True if the host shows this page for what is not found, perhaps in its own spelling.
    fn is_shown_for_404(&self) -> bool {
        let at = self.seen.location.as_deref();
        let shown = at.map_or_else(
            || self.seen.clone(),
            |at| ask(self.theirs, self.name, "GET", at, ""),
        );
        shown.status == 404 && shown.body == self.expected.body
    }

    /// True if our server has two pages at the spellings of an address, and the host shows one of them.
    fn is_one_of_two(&self, asked: &str) -> bool {
        let all = spellings(asked).filter(|path| path.starts_with('/'));
        let found = all
            .map(|path| ask(self.ours, self.name, "GET", &path, ""))
            .filter(|seen| seen.status == 200);
        let pages: BTreeSet<Vec<u8>> = found.map(|seen| seen.body).collect();
        let to = self.seen.location.as_deref();
        let shown = to.map_or_else(
            || self.seen.clone(),
            |to| ask(self.theirs, self.name, "GET", to, ""),
        );
        pages.len() > 1 && pages.contains(&shown.body)
    }

    /// Whether the host has what was asked for at another address.
    fn is_found_at(&self, path: &str) -> bool {
        let mut found = ask(self.theirs, self.name, "GET", path, "");
        // Its own spelling of a page.
        if let Some(to) = found
            .location
            .clone()
            .filter(|to| format!("{to}.html") == path)
        {
            found = ask(self.theirs, self.name, "GET", &to, "");
        }
        found.status == 200 && found.body == self.expected.body
    }

    fn is_below_a_file(&self, asked: &str) -> bool {
        let above = asked
            .strip_suffix("/index.html")
            .or_else(|| asked.strip_suffix('/'));
        above.is_some_and(|above| ask(self.ours, self.name, "GET", above, "").status == 200)
    }

    /// Whether our server says it in words of its own.
    fn has_no_page(&self) -> bool {
        self.expected
            .content_type
            .as_deref()
            .is_none_or(|kind| kind.starts_with("text/plain"))
    }

    /// Whether this is the source language's page, or that has none.
    fn is_page_of_source_or_none(&self) -> bool {
        let base = if self.path.starts_with("/shop") {
            "/shop"
        } else {
            ""
        };
        let page = ask(self.ours, self.name, "GET", &format!("{base}/404.html"), "");
        page.status == 404 || page.body == self.seen.body
    }

    /// Whether this is the page that publishing wrote, or leads to it.
    fn names_our_404(&self) -> bool {
        let nothing = ask(self.theirs, self.name, "GET", "/nowhere/at/all", "");
        let page = self
            .seen
            .location
            .as_ref()
            .map(|to| ask(self.theirs, self.name, "GET", to, "").body);
        nothing.status == 404 && page.as_ref().unwrap_or(&self.seen.body) == &nothing.body
    }

    /// Whether the same file is there without the language before it.
    fn is_shared(&self, asked: &str) -> bool {
        let (base, rest) = asked
            .strip_prefix("/shop")
            .map_or(("", asked), |rest| ("/shop", rest));
        let own = rest[1..]
            .split_once('/')
            .map(|(_, rest)| format!("{base}/{rest}"));
        own.is_some_and(|own| self.is_found_at(&own))
    }

    fn leads_to_the_same(&self) -> bool {
        let end = |address: &str, seen: &Seen| {
            let mut seen = seen.clone();
            for _ in 0..4 {
                let Some(to) = seen.location.clone() else {
                    break;
                };
                seen = ask(address, self.name, "GET", &to.replace(' ', "%20"), "");
            }
            (
                seen.status,
                if seen.status == 200 {
                    seen.body
                } else {
                    Vec::new()
                },
            )
        };
        end(self.ours, &self.expected) == end(self.theirs, &self.seen)
    }

    fn another_spelling_is_told(&self, asked: &str) -> bool {
        let to = place(&self.expected);
        spellings(asked).any(|spelling| {
            let other = ask(self.theirs, self.name, "GET", &spelling, "");
            place(&other) == to && (to.is_some() || other.status == self.expected.status)
        })
    }

    /// Whether our server leads another spelling of this address to where the host leads this one.
    fn another_spelling_leads_there(&self, asked: &str) -> bool {
        let leads = |spelling: String| place(&ask(self.ours, self.name, "GET", &spelling, ""));
        let to = place(&self.seen);
        to.is_some() && spellings(asked).any(|spelling| leads(spelling) == to)
    }
}

/// Where an answer leads, without the query.
fn place(seen: &Seen) -> Option<String> {
    let to = seen.location.as_deref()?;
    Some(to.split('?').next().unwrap_or(to).to_owned())
}

/// The addresses that differ from one in its ending alone.
fn spellings(asked: &str) -> impl Iterator<Item = String> + use<> {
    let stem = stem(asked);
    ["/", "", ".html", "/index.html"]
        .into_iter()
        .map(move |ending| format!("{stem}{ending}"))
}

fn decoded(path: &str) -> Vec<u8> {
    let mut parts = path.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend(part[2..].bytes());
    }
    bytes
}

/// A path as most write it: what may stand in one is not encoded.
fn with_few_coded(path: &str) -> String {
    let mut text = path.to_owned();
    for plain in ":@&=+$,;!()*'~".chars() {
        text = text.replace(&format!("%{:02X}", u32::from(plain)), &plain.to_string());
    }
    text
}

/// An address without what its spellings differ in.
fn stem(path: &str) -> String {
    let path = path.split('?').next().unwrap_or(path);
    let stem = ["/index.html", ".html", "/"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path);
    stem.to_owned()
}
