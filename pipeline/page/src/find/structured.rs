//! JSON-LD in a page: the texts and languages of its structured data (R-B8).
//!
//! What is translated is said by a table of keys. The name of a person, an organization, a brand or a place is not:
//! it is what they are called. Whoever has an address, a telephone number or opening hours counts as one of them,
//! because nobody can list every kind of business. Types, dates and numbers are never touched; addresses are those of
//! `structured_links.rs`.

use std::ops::Range;

use super::found::PageFindings;
use super::value::{self, TextValue, ValueReading};
use crate::Locale;
use crate::html::json::{self, Json, JsonString};
use crate::html::tokens::{PageTokens, StartTag};
use crate::html::writing::ValueWriting;

/// Keys whose values are text, sorted.
const TEXTS: [&str; 21] = [
    "abstract",
    "alternativeHeadline",
    "articleBody",
    "articleSection",
    "caption",
    "category",
    "description",
    "disambiguatingDescription",
    "headline",
    "keywords",
    "name",
    "recipeCategory",
    "recipeIngredient",
    "recipeInstructions",
    "reviewBody",
    "servesCuisine",
    "slogan",
    "supply",
    "text",
    "tool",
    "transcript",
];

/// Keys whose values name a language.
const LANGUAGES: [&str; 2] = ["@language", "inLanguage"];

/// Types of what has a proper name, sorted; so have those that end in one of [`NAMED_ENDINGS`].
const NAMED_TYPES: [&str; 17] = [
    "AdministrativeArea",
    "Airport",
    "Brand",
    "City",
    "Corporation",
    "Country",
    "Hospital",
    "Hotel",
    "Language",
    "LocalBusiness",
    "MusicGroup",
    "Organization",
    "Person",
    "Place",
    "PostalAddress",
    "Restaurant",
    "State",
];

/// How the types of organizations and shops end.
const NAMED_ENDINGS: [&str; 6] = [
    "Agency",
    "Business",
    "Organization",
    "School",
    "Store",
    "University",
];

/// Keys that only people, organizations and places have, sorted.
const KEYS_OF_NAMED: [&str; 12] = [
    "address",
    "email",
    "familyName",
    "foundingDate",
    "geo",
    "givenName",
    "jobTitle",
    "legalName",
    "openingHours",
    "openingHoursSpecification",
    "telephone",
    "worksFor",
];

/// Keys under which a person, organization or brand stands, also without a type of its own, sorted.
const NAMED_ROLES: [&str; 18] = [
    "actor",
    "affiliation",
    "author",
    "brand",
    "contributor",
    "copyrightHolder",
    "creator",
    "director",
    "editor",
    "founder",
    "funder",
    "hiringOrganization",
    "manufacturer",
    "organizer",
    "performer",
    "provider",
    "publisher",
    "seller",
];

/// Whether the value of a key is text; `is_named` says that what is described has a proper name.
pub(crate) fn is_text(key: &str, is_named: bool) -> bool {
    TEXTS.binary_search(&key).is_ok() && !(key == "name" && is_named)
}

/// The key that a property of microdata or RDFa is; those of other vocabularies mean something else.
pub(crate) fn key(property: &str) -> Option<&str> {
    match property.rsplit_once([':', '/', '#']) {
        None => Some(property),
        Some((vocabulary, key)) => (matches!(vocabulary, "schema" | "dc" | "dcterms")
            || vocabulary.ends_with("//schema.org"))
        .then_some(key),
    }
}

/// Whether what has these types, or stands under that property, has a proper name.
pub(crate) fn is_named(types: &str, property: &str) -> bool {
    types
        .split_ascii_whitespace()
        .any(|kind| is_named_type(kind.as_bytes()))
        || property
            .split_ascii_whitespace()
            .filter_map(key)
            .any(|key| NAMED_ROLES.binary_search(&key).is_ok())
}

/// Whether a tag begins a script that holds JSON-LD.
pub(crate) fn is_json_ld(source: &[u8], tag: &StartTag<'_>) -> bool {
    &*tag.name == "script"
        && tag.value(source, "type").is_some_and(|kind| {
            let essence = kind.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case("application/ld+json")
        })
}

/// How the strings of a page's scripts are written.
pub(crate) fn writing(tokens: &PageTokens) -> ValueWriting {
    if tokens.is_xml() {
        ValueWriting::XhtmlJson
    } else {
        ValueWriting::ScriptJson
    }
}

/// Finds the texts and languages of a script's content.
pub(crate) fn find(
    source: &[u8],
    range: &Range<usize>,
    writing: ValueWriting,
    locale: &Locale,
    found: &mut PageFindings,
) {
    let Some(json) = json::read(source, range.clone()) else {
        return;
    };
    let objects = objects(source, &json, locale);
    for string in &json.strings {
        let Some(object) = json.object(source, string) else {
            continue;
        };
        let Some(key) = text_key(source, &json, string, object) else {
            continue;
        };
        let about = &objects[object];
        if LANGUAGES.contains(&key) {
            let names_ours =
                language(source, string).is_some_and(|lang| lang.same_language(locale));
            found
                .langs
                .extend(names_ours.then(|| (string.range(), writing)));
        }
        if is_text(key, about.is_named) && !about.is_foreign {
            let value = TextValue {
                range: string.range(),
                writing,
                reading: ValueReading::Either,
                origin: &format!("ld+json {key}"),
                base: None,
            };
            value::find(source, &value, found);
        }
    }
}

/// Types whose proper names have translations in other languages.
const PLACES: [&str; 9] = [
    "AdministrativeArea",
    "Airport",
    "City",
    "Country",
    "Hospital",
    "Language",
    "Place",
    "PostalAddress",
    "State",
];

/// Keys that hold names of organizations, people and brands, also as plain strings.
const ROLES_OF_NAMES: [&str; 4] = ["author", "brand", "creator", "publisher"];

/// The proper names of organizations, people, brands and the site in a script's content (R-N2).
pub(crate) fn names(
    source: &[u8],
    range: &Range<usize>,
    writing: ValueWriting,
    locale: &Locale,
) -> Vec<String> {
    let Some(json) = json::read(source, range.clone()) else {
        return Vec::new();
    };
    let objects = objects(source, &json, locale);
    let mut is_site = vec![false; json.containers.len()];
    let mut is_place = vec![false; json.containers.len()];
    for string in &json.strings {
        let Some(object) = json
            .object(source, string)
            .filter(|_| json.key(source, string) == Some("@type"))
        else {
            continue;
        };
        let kind = String::from_utf8_lossy(&source[string.range()]);
        let kind = kind.rsplit(['/', ':', '#']).next().unwrap_or_default();
        is_site[object] |= kind == "WebSite";
        is_place[object] |= PLACES.contains(&kind);
    }
    let mut names = Vec::new();
    for string in &json.strings {
        let Some(object) = json
            .object(source, string)
            .filter(|object| !objects[*object].is_foreign)
        else {
            continue;
        };
        let is_name = match text_key(source, &json, string, object) {
            Some("name" | "legalName") => {
                (objects[object].is_named && !is_place[object]) || is_site[object]
            }
            Some(key) => ROLES_OF_NAMES.contains(&key),
            None => false,
        };
        if is_name {
            names.extend(writing.read(&source[string.range()]));
        }
    }
    names
}

/// What is known of an object beside its strings.
#[derive(Clone, Copy, Debug, Default)]
struct ObjectFacts {
    /// Its name is a proper name.
    is_named: bool,
    /// It is in a language that is not the page's.
    is_foreign: bool,
}

/// Looks at every container; those inside are as foreign as those around them.
fn objects(source: &[u8], json: &Json, locale: &Locale) -> Vec<ObjectFacts> {
    let mut objects = vec![ObjectFacts::default(); json.containers.len()];
    for container in &json.containers {
        if let (Some(parent), Some(key)) = (container.parent(), container.key.word(source)) {
            objects[parent].is_named |= KEYS_OF_NAMED.binary_search(&key).is_ok();
        }
    }
    for string in &json.strings {
        let Some(object) = json.object(source, string) else {
            continue;
        };
        let Some(key) = json.key(source, string) else {
            continue;
        };
        let about = &mut objects[object];
        about.is_named |= KEYS_OF_NAMED.binary_search(&key).is_ok();
        about.is_named |= key == "@type" && is_named_type(&source[string.range()]);
        about.is_foreign |= LANGUAGES.contains(&key)
            && language(source, string).is_some_and(|lang| !lang.same_language(locale));
    }
    for (index, container) in json.containers.iter().enumerate() {
        let is_role = |key: &str| NAMED_ROLES.binary_search(&key).is_ok();
        objects[index].is_named |=
            container.is_object(source) && json.container_key(source, index).is_some_and(is_role);
        objects[index].is_foreign |= container
            .parent()
            .is_some_and(|parent| objects[parent].is_foreign);
    }
    objects
}

/// The key that says what a string is; the value of a value object is what the object is.
fn text_key<'s>(
    source: &'s [u8],
    json: &Json,
    string: &JsonString,
    object: usize,
) -> Option<&'s str> {
    match json.key(source, string)? {
        "@value" => json.container_key(source, object),
        key => Some(key),
    }
}

fn is_named_type(kind: &[u8]) -> bool {
    let kind = String::from_utf8_lossy(kind);
    let name = kind.rsplit(['/', ':', '#']).next().unwrap_or_default();
    NAMED_TYPES.binary_search(&name).is_ok()
        || NAMED_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn language(source: &[u8], string: &JsonString) -> Option<Locale> {
    Locale::parse(std::str::from_utf8(&source[string.range()]).ok()?.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, texts: &str) {
        let mut found = PageFindings::default();
        find(
            json.as_bytes(),
            &(0..json.len()),
            ValueWriting::ScriptJson,
            &Locale::parse("en").unwrap(),
            &mut found,
        );
        let units = found
            .units
            .iter()
            .map(|unit| unit.segment(json.as_bytes(), &found.parts).text.into_text());
        let inner = found.inner.iter().map(|inner| inner.html.clone());
        assert_eq!(
            units.chain(inner).collect::<Vec<_>>().join("|"),
            texts,
            "{json}"
        );
    }

    #[test]
    fn tables_are_sorted() {
        assert!(
            TEXTS.is_sorted()
                && NAMED_TYPES.is_sorted()
                && KEYS_OF_NAMED.is_sorted()
                && NAMED_ROLES.is_sorted()
        );
    }

    #[test]
    fn proper_names_stay_r_b8() {
        check(
            r#"{"@type":"Product","name":"Bread","sku":"Bread-1"}"#,
            "Bread",
        );
        check(r#"{"name":"Jane","@type":"Person"}"#, "");
        check(
            r#"{"name":"Jane","@type":["Thing","http://schema.org/Person"]}"#,
            "",
        );
        check(
            r#"{"@type":"Bakery","name":"Heron","telephone":"1","slogan":"Bread"}"#,
            "Bread",
        );
        check(
            r#"{"@type":"Bakery","name":"Heron","address":{"@type":"PostalAddress","name":"Home"}}"#,
            "",
        );
        check(
            r#"{"@type":"BookStore","name":"Pages","description":"Books"}"#,
            "Books",
        );
        check(
            r#"{"headline":"News","author":[{"name":"Jane"}],"publisher":{"name":"Times"}}"#,
            "News",
        );
    }

    #[test]
    fn keys_decide_what_is_text_r_b8() {
        check(
            r#"{"@id":"Bread","@type":"Text","@context":"Words","identifier":"Word","url":"Word"}"#,
            "",
        );
        check(
            r#"{"recipeIngredient":["Flour","Salt","100"],"keywords":"bread, salt"}"#,
            "Flour|Salt|bread, salt",
        );
        check(
            r#"{"@graph":[{"@type":"Article","headline":"News"}]}"#,
            "News",
        );
        check(
            r#"{"description":{"@value":"Words","@language":"en"}}"#,
            "Words",
        );
        check(r#"{"description":{"@value":"Mots","@language":"fr"}}"#, "");
        check(
            r#"{"name":"Nom","inLanguage":"fr","hasPart":{"name":"Partie"}}"#,
            "",
        );
        check(r#"{"text":"One.\n\nTwo."}"#, "One.|Two.");
        check(r#"{"text":"<p>One<\/p>"}"#, "<p>One</p>");
        check(r#"{"text":"https://example.com/x"}"#, "");
        check(r#"{"text":"One",}"#, "");
    }
}
