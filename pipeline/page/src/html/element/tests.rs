//! Tests of `element.rs`.

use super::*;

#[test]
fn every_element_is_found_by_its_name() {
    assert!(ELEMENTS.is_sorted_by_key(|element| element.name));
    for element in &ELEMENTS {
        let found = Name::of(element.name.to_ascii_uppercase().as_bytes());
        assert!(
            matches!(found, Name::Known(known) if std::ptr::eq(known, element)),
            "{}",
            element.name
        );
    }
}

#[test]
fn names_have_their_flow() {
    for (name, expected) in [
        ("a", Flow::Inline),
        ("WBR", Flow::Inline),
        ("svg", Flow::Nested),
        ("p", Flow::Block),
        ("option", Flow::Block),
        ("table", Flow::Block),
        ("x-icon", Flow::Unknown),
        ("x", Flow::Unknown),
        ("", Flow::Unknown),
    ] {
        assert_eq!(Name::of(name.as_bytes()).flow(), expected, "{name}");
    }
}
