//! The attributes that mean something to the page core, and what each may be good for, as a table.

/// The attribute of a switcher's outermost element, by which one that is in a page already is found; its value is the
/// template's name.
pub const MARKER: &str = "data-latimer-switcher";

/// An attribute that means something to the page core; all others are never looked at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KnownAttribute {
    pub(crate) name: &'static str,
    pub(crate) roles: Roles,
}

/// What an attribute may be good for, as a set of bits.
pub(crate) type Roles = u8;

/// It may hold text for people.
pub(crate) const TEXT: Roles = 1;
/// It may hold addresses.
pub(crate) const LINK: Roles = 1 << 1;
/// It says how what stands inside its element is to be taken.
pub(crate) const RULE: Roles = 1 << 2;
/// It tells what made the page.
pub(crate) const HYDRATION: Roles = 1 << 3;

/// An attribute that only a site's own rules call text.
pub(crate) static ASKED: KnownAttribute = is("", TEXT);

const fn is(name: &'static str, roles: Roles) -> KnownAttribute {
    KnownAttribute { name, roles }
}

/// The attributes, sorted by name.
static ATTRIBUTES: [KnownAttribute; 93] = [
    is("abbr", TEXT),
    is("accept-charset", 0),
    is("action", LINK),
    is("alt", TEXT),
    is("aria-braillelabel", TEXT),
    is("aria-brailleroledescription", TEXT),
    is("aria-description", TEXT),
    is("aria-label", TEXT),
    is("aria-placeholder", TEXT),
    is("aria-roledescription", TEXT),
    is("aria-valuetext", TEXT),
    is("background", LINK),
    is("before-hydration-url", LINK),
    is("charset", 0),
    is("cite", LINK),
    is("class", RULE),
    is("component-url", LINK),
    is("content", TEXT | LINK),
    is("contenteditable", RULE),
    is("data", LINK),
    is("data-background", LINK),
    is("data-background-image", LINK),
    is("data-bg", LINK),
    is("data-bs-content", TEXT),
    is("data-bs-title", TEXT),
    is("data-hk", HYDRATION),
    is("data-href", LINK),
    is("data-hx-get", LINK),
    is("data-image", LINK),
    is("data-include", LINK),
    is("data-large_image", LINK),
    is("data-latimer-switcher", RULE),
    is("data-lazy", LINK),
    is("data-lazy-src", LINK),
    is("data-lazy-srcset", LINK),
    is("data-original", LINK),
    is("data-original-title", TEXT),
    is("data-poster", LINK),
    is("data-reactroot", HYDRATION),
    is("data-rh", HYDRATION),
    is("data-server-rendered", HYDRATION),
    is("data-src", LINK),
    is("data-srcset", LINK),
    is("data-sveltekit-preload-data", HYDRATION),
    is("data-thumb", LINK),
    is("data-v-app", HYDRATION),
    is("dir", 0),
    is("download", TEXT),
    is("encoding", RULE),
    is("formaction", LINK),
    is("href", LINK),
    is("hreflang", RULE),
    is("http-equiv", 0),
    is("hx-get", LINK),
    is("id", HYDRATION),
    is("imagesrcset", LINK),
    is("integrity", 0),
    is("itemprop", 0),
    is("itemscope", RULE),
    is("itemtype", RULE),
    is("its-locale-filter-list", RULE),
    is("its-locale-filter-type", RULE),
    is("its-within-text", RULE),
    is("label", TEXT),
    is("lang", RULE),
    is("manifest", LINK),
    is("name", 0),
    is("ng-server-context", HYDRATION),
    is("ng-version", HYDRATION),
    is("ngh", HYDRATION),
    is("onchange", 0),
    is("ping", LINK),
    is("placeholder", TEXT),
    is("poster", LINK),
    is("property", 0),
    is("q:container", HYDRATION),
    is("q:version", HYDRATION),
    is("rel", 0),
    is("renderer-url", LINK),
    is("src", LINK),
    is("srcdoc", TEXT),
    is("srcset", LINK),
    is("style", LINK | RULE),
    is("summary", TEXT),
    is("title", TEXT),
    is("translate", RULE),
    is("type", 0),
    is("typeof", RULE),
    is("value", TEXT | LINK),
    is("w3-include-html", LINK),
    is("x", 0),
    is("xlink:href", LINK),
    is("xml:lang", RULE),
];

/// The attribute that is written so, in any case.
pub(crate) fn known(written: &[u8]) -> Option<&'static KnownAttribute> {
    let letter = usize::from(written.first()?.to_ascii_lowercase().checked_sub(b'a')?);
    let group = usize::from(*FIRST.get(letter)?)..usize::from(*FIRST.get(letter + 1)?);
    ATTRIBUTES[group]
        .iter()
        .find(|known| known.name.as_bytes().eq_ignore_ascii_case(written))
}

/// Where the names that begin with each letter start in [`ATTRIBUTES`].
static FIRST: [u8; 27] = first_of_each_letter();

#[expect(
    clippy::cast_possible_truncation,
    reason = "there are fewer than 256 attributes"
)]
const fn first_of_each_letter() -> [u8; 27] {
    let mut first = [0; 27];
    let mut letter = 0;
    let mut at = 0;
    while letter < 27 {
        while at < ATTRIBUTES.len() && ATTRIBUTES[at].name.as_bytes()[0] < b'a' + letter as u8 {
            at += 1;
        }
        first[letter] = at as u8;
        letter += 1;
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ATTRIBUTES.is_sorted_by_key(|known| known.name));
        assert!(
            ATTRIBUTES
                .iter()
                .all(|it| known(it.name.to_ascii_uppercase().as_bytes()) == Some(it))
        );
    }
}
