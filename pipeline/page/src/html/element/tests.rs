//! Tests of `element.rs`.

use super::*;

#[test]
fn every_element_is_found_by_its_name() {
    assert!(ELEMENTS.is_sorted_by_key(|element| element.name));
    for element in &ELEMENTS {
        let found = ElementName::of(element.name.to_ascii_uppercase().as_bytes());
        assert!(
            matches!(found, ElementName::Known(known) if std::ptr::eq(known, element)),
            "{}",
            element.name
        );
    }
}

#[test]
fn names_have_their_flow() {
    for (name, expected) in [
        ("a", ElementFlow::Inline),
        ("WBR", ElementFlow::Inline),
        ("svg", ElementFlow::Nested),
        ("p", ElementFlow::Block),
        ("option", ElementFlow::Block),
        ("table", ElementFlow::Block),
        ("x-icon", ElementFlow::Unknown),
        ("x", ElementFlow::Unknown),
        ("", ElementFlow::Unknown),
    ] {
        assert_eq!(ElementName::of(name.as_bytes()).flow(), expected, "{name}");
    }
}
