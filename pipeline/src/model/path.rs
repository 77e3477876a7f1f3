//! Page paths, and the one place where a path becomes a name in the store.
//!
//! A [`PagePath`] is the address of a page or file on its site, in the form in which browsers compare addresses
//! (R-E7). [`object_name`] turns it into what a static host would look up (R-E8); [`assign_names`] does so for
//! a whole site and keeps two addresses from sharing a name.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize, Serializer};
use url::Url;

/// The path of a page or file on its site, with its query where the query names another page.
///
/// It starts with `/`, holds no `.` or `..` segment, percent triplets are in upper case, and what need not be
/// encoded is not. Clones share their text: a build names each page in many places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct PagePath(Arc<str>);

/// Says why a text is no page path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a path on a site; a path starts with / and stays inside the site")]
pub struct PathError(String);

/// Paths are found by their text: it is what they are compared by.
impl Borrow<str> for PagePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PagePath {
    /// Reads a path such as `/about/`, with an optional query.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let error = || PathError(text.to_owned());
        if !text.starts_with('/') || text.starts_with("//") {
            return Err(error());
        }
        if is_resolved(text) {
            // Where nothing is encoded, it is as it should be: most are read from records of ours.
            let normal = if text.contains('%') {
                normalize_triplets(text).into()
            } else {
                text.into()
            };
            return Ok(Self(normal));
        }
        let url = Url::parse("http://site.invalid")
            .and_then(|base| base.join(text))
            .map_err(|_| error())?;
        let path = Self::of_url(&url);
        Ok(url
            .query()
            .map_or_else(|| path.clone(), |query| path.with_query(query)))
    }

    /// The path of a URL; its query and fragment are left out, and so is a session.
    pub fn of_url(url: &Url) -> Self {
        Self(normalize_triplets(&without_session(url.path())).into())
    }

    /// The path of a file in a folder, from its name relative to that folder: `about/index.html` is `/about/`.
    pub fn of_file(relative: &str) -> Self {
        let mut path = String::from("/");
        path.push_str(&encoded_name(relative));
        if let Some(folder) = path.strip_suffix("/index.html").map(str::len) {
            path.truncate(folder + 1);
        }
        Self(path.into())
    }

    /// The same path with a query that names another page (R-E9).
    pub fn with_query(&self, query: &str) -> Self {
        Self(format!("{}?{query}", self.path()).into())
    }

    /// The folder of the page, with a slash at its end.
    pub fn directory(&self) -> &str {
        let path = self.path();
        &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
    }

    /// Path and query as they stand in a URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports control characters in the decoded address, such as the line break of `/a%0Ab`. No configuration of a host can
    /// name such an address.
    pub fn has_control(&self) -> bool {
        self.0.contains('%')
            && percent_decode_str(&self.0)
                .decode_utf8_lossy()
                .contains(char::is_control)
    }

    /// The same, shared with this.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }

    /// The path without its query.
    pub fn path(&self) -> &str {
        self.0.split_once('?').map_or(&self.0, |(path, _)| path)
    }

    /// The query, where it is part of the page's identity.
    pub fn query(&self) -> Option<&str> {
        self.0.split_once('?').map(|(_, query)| query)
    }
}

impl fmt::Display for PagePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for PagePath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<PagePath> for String {
    fn from(path: PagePath) -> Self {
        path.as_str().to_owned()
    }
}

impl Serialize for PagePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Percent-encodes the name of a file as every address is written here, whoever wrote it first.
pub fn encoded_name(relative: &str) -> String {
    let mut encoded = String::with_capacity(relative.len());
    relative
        .bytes()
        .for_each(|byte| push_encoded(&mut encoded, byte));
    encoded
}

fn push_encoded(encoded: &mut String, byte: u8) {
    if is_plain(byte) {
        encoded.push(char::from(byte))
    } else {
        push_triplet(encoded, byte)
    }
}

/// Whether a byte stands in addresses as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte)
}

/// Whether reading an address as browsers do leaves all of a path as it is, which can be told by looking: most are read
/// many times over.
fn is_resolved(path: &str) -> bool {
    let is_step = |segment: &str| {
        matches!(segment, "." | "..") || segment.contains("%2e") || segment.contains("%2E")
    };
    path.bytes().all(|byte| is_plain(byte) || byte == b'%') && !path.split('/').any(is_step)
}

/// Brings a URL's path to the one spelling in which paths are compared: what need not be encoded is not, what must
/// be is, and triplets that stand for `/`, `%`, `?`, `#` or a control character stay what they are.
/// Parameters of a path that tell sessions apart, as servlets and PHP write them, in small letters.
const SESSIONS: [&str; 3] = [";jsessionid=", ";phpsessid=", ";sid="];

/// A path without the session that a server wrote into it: each answer may have another one.
pub(crate) fn without_session(path: &str) -> Cow<'_, str> {
    if !path.contains(';') {
        return Cow::Borrowed(path);
    }
    let small = path.to_ascii_lowercase();
    let Some(start) = SESSIONS.iter().filter_map(|name| small.find(name)).min() else {
        return Cow::Borrowed(path);
    };
    let end = path[start + 1..]
        .find([';', '/', '?'])
        .map_or(path.len(), |length| start + 1 + length);
    Cow::Owned(format!("{}{}", &path[..start], &path[end..]))
}

fn normalize_triplets(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut normal = String::with_capacity(path.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], triplet(bytes, at)) {
            (b'%', Some(byte @ (b'/' | b'%' | b'?' | b'#' | 0x7f))) => {
                push_triplet(&mut normal, byte)
            }
            (b'%', Some(byte)) if byte < b' ' => push_triplet(&mut normal, byte),
            (b'%', Some(byte)) => push_encoded(&mut normal, byte),
            (byte, _) => {
                push_encoded(&mut normal, byte);
                at += 1;
                continue;
            }
        }
        at += 3;
    }
    normal
}

fn triplet(bytes: &[u8], at: usize) -> Option<u8> {
    let digits = bytes.get(at + 1..at + 3)?;
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|value| u8::try_from(value).ok())
    };
    Some(digit(digits[0])? * 16 + digit(digits[1])?)
}

fn push_triplet(text: &mut String, byte: u8) {
    const DIGITS: [char; 16] = [
        '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F',
    ];
    text.push('%');
    text.push(DIGITS[usize::from(byte >> 4)]);
    text.push(DIGITS[usize::from(byte & 15)]);
}

/// The longest segment that is written in full, in bytes; disks hold 255, and variants add an ending.
const LONGEST_SEGMENT: usize = 120;

/// Folders that the store keeps for itself beside a site's pages.
const RESERVED: [&str; 2] = ["_deployments/", "_sources/"];

/// Names that Windows keeps for devices, whatever their ending.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// The name under which a page (`html`) or file is kept, relative to its tree.
///
/// It is what a static host looks up: decoded UTF-8, `index.html` for a folder, `.html` on a page without it.
/// What a disk or host cannot hold is written as `%XX`; a segment of more than 120 bytes is cut and made unique
/// by a hash, and so is a query.
pub fn object_name(path: &PagePath, html: bool) -> String {
    let (folder, last) = path.path().rsplit_once('/').unwrap_or(("", path.path()));
    let mut name: String = folder
        .split('/')
        .filter(|segment| !segment.is_empty())
        .map(|segment| fit(&decode_segment(segment), "") + "/")
        .collect();
    let last = if last.is_empty() {
        String::from("index.html")
    } else {
        decode_segment(last)
    };
    let lower = last.to_ascii_lowercase();
    let is_page_name = [".html", ".htm", ".xhtml"]
        .iter()
        .any(|ending| lower.ends_with(ending));
    let (stem, ending) = match last.rfind('.') {
        _ if html && !is_page_name => (last.as_str(), ".html"),
        Some(dot) if dot > 0 && last.len() - dot <= 16 => last.split_at(dot),
        _ => (last.as_str(), ""),
    };
    let query = path
        .query()
        .map(|query| format!(".q-{}", short_hash(query)))
        .unwrap_or_default();
    name.push_str(&fit(stem, &format!("{query}{ending}")));
    match name.strip_prefix('_') {
        Some(rest) if RESERVED.iter().any(|folder| name.starts_with(folder)) => {
            format!("%5F{rest}")
        }
        _ => name,
    }
}

/// Gives every address of a site its name; the flag says whether the address holds a page.
///
/// Where two addresses would share a name, also on a disk that ignores case, the one that is spelled like the
/// name keeps it and the other gets a hash; so does a file whose name is also a folder's.
pub fn assign_names<'a>(
    addresses: impl IntoIterator<Item = (&'a PagePath, bool)>,
) -> BTreeMap<PagePath, String> {
    let mut wanted: Vec<(bool, &PagePath, String)> = addresses
        .into_iter()
        .map(|(path, html)| {
            let name = object_name(path, html);
            (path.as_str().trim_start_matches('/') != name, path, name)
        })
        .collect();
    wanted.sort();
    let folded: Vec<String> = wanted
        .iter()
        .map(|(_, _, name)| name.to_lowercase())
        .collect();
    let folders: HashSet<&str> = folded.iter().flat_map(|name| parents(name)).collect();
    let mut taken = HashSet::new();
    let mut names = BTreeMap::new();
    for ((_, path, name), folded) in wanted.into_iter().zip(&folded) {
        let is_free = !folders.contains(&**folded) && taken.insert(Cow::Borrowed(&**folded));
        let name = if !is_free {
            let (stem, ending) = match name.rfind('.') {
                Some(dot) if !name[dot..].contains('/') => name.split_at(dot),
                _ => (name.as_str(), ""),
            };
            format!("{stem}-{}{ending}", short_hash(path.as_str()))
        } else {
            name
        };
        if !is_free {
            taken.insert(Cow::Owned(name.to_lowercase()));
        }
        names.insert(path.clone(), name);
    }
    names
}

fn parents(name: &str) -> impl Iterator<Item = &str> {
    name.match_indices('/').map(|(at, _)| &name[..at])
}

/// Decodes a segment where the result is a name; an encoded slash, NUL or broken UTF-8 stays encoded.
fn decode_segment(segment: &str) -> String {
    match percent_decode_str(segment).decode_utf8() {
        Ok(text) if !text.contains(['/', '\0']) => text.into_owned(),
        _ => segment.to_owned(),
    }
}

/// Escapes what disks and hosts cannot hold and cuts what is too long; the ending is always kept.
fn fit(stem: &str, ending: &str) -> String {
    let whole = format!("{stem}{ending}");
    let device = whole
        .split('.')
        .next()
        .is_some_and(|name| DEVICES.contains(&name.to_ascii_lowercase().as_str()));
    let edge = whole.ends_with(['.', ' ']) || whole == "." || whole == "..";
    let mut name = String::with_capacity(whole.len());
    for (at, character) in whole.char_indices() {
        let last = at + character.len_utf8() == whole.len();
        let escape = match character {
            '%' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '\u{7f}' => true,
            other => other < ' ' || (device && at == 0) || (edge && last),
        };
        if escape {
            let mut bytes = [0; 4];
            character
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| push_triplet(&mut name, byte));
        } else {
            name.push(character);
        }
    }
    if name.len() <= LONGEST_SEGMENT {
        return name;
    }
    let room = LONGEST_SEGMENT.saturating_sub(ending.len() + 9);
    let cut = (0..=room)
        .rev()
        .find(|&at| name.is_char_boundary(at))
        .unwrap_or(0);
    format!("{}-{}{ending}", &name[..cut], short_hash(&whole))
}

fn short_hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..8].to_owned()
}

#[cfg(test)]
mod tests;
