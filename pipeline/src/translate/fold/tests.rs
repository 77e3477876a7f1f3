//! Texts with whole words, and back from translations of them.

use super::*;
use crate::page::{TextPiece, check};
use crate::translate::example::segment;

/// Checks what engines get of a text, and what becomes of some answer.
fn check_fold(markup: &str, elements: &[&str], asked: &str, answer: &str, expected: &str) {
    let codes = CodedText::from_markup(markup)
        .unwrap()
        .pieces()
        .filter_map(TextPiece::id)
        .max()
        .unwrap_or_default();
    let segment = segment(markup, &elements[..usize::try_from(codes).unwrap()]);
    let folded = Folded::of(&segment).expect("something is folded");
    assert_eq!(folded.text.to_markup(), asked, "{markup}");
    assert_eq!(
        folded.unfold(&folded.text),
        segment.text,
        "{markup} that comes back as it went"
    );
    let translation = folded.unfold(&CodedText::from_markup(answer).unwrap());
    assert_eq!(translation.to_markup(), expected, "{markup}");
    assert_eq!(check(&segment, &translation), Ok(()), "{markup}");
}

#[test]
fn a_drop_cap_takes_the_first_letter_of_the_translation_r_w3() {
    for (markup, asked, answer, expected) in [
        (
            "<g id=\"1\">T</g>here was",
            "There was",
            "Había una",
            "<g id=\"1\">H</g>abía una",
        ),
        (
            "<g id=\"1\">O</g><g id=\"2\">nce</g> upon",
            "<g id=\"2\">Once</g> upon",
            "<g id=\"2\">Había</g> una",
            "<g id=\"1\">H</g><g id=\"2\">abía</g> una",
        ),
        (
            "<g id=\"1\">W</g>ho is it?",
            "Who is it?",
            "¿Quién es?",
            "<g id=\"1\">¿Q</g>uién es?",
        ),
        (
            "<g id=\"1\"><g id=\"2\">T</g></g>here",
            "There",
            "Voilà",
            "<g id=\"1\"><g id=\"2\">V</g></g>oilà",
        ),
        (
            "<g id=\"1\"><g id=\"2\">T</g>here</g> was",
            "<g id=\"1\">There</g> was",
            "<g id=\"1\">Había</g> una",
            "<g id=\"1\"><g id=\"2\">H</g>abía</g> una",
        ),
        (
            "<g id=\"1\">“A</g>ll <g id=\"2\">of</g> it”",
            "“All <g id=\"2\">of</g> it”",
            "«<g id=\"2\">Y</g>»",
            "«<g id=\"1\">Y</g><g id=\"2\"></g>»",
        ),
        (
            "<g id=\"1\">T</g>here",
            "There",
            "e\u{301}t",
            "<g id=\"1\">e\u{301}</g>t",
        ),
    ] {
        check_fold(markup, &["span", "b"], asked, answer, expected);
    }
}

#[test]
fn breaks_inside_words_do_not_end_them_r_k2() {
    for (markup, asked, answer, expected) in [
        (
            "The environ<x id=\"1\"/>ment is",
            "The environment is",
            "El entorno es",
            "El entorno<x id=\"1\"/> es",
        ),
        (
            "Open /usr/<x id=\"1\"/>share/<x id=\"2\"/>doc now",
            "Open /usr/share/doc now",
            "Abra /usr/share/doc, ya",
            "Abra /usr/<x id=\"1\"/>share/<x id=\"2\"/>doc, ya",
        ),
        (
            "Call get_<x id=\"1\"/>house_<x id=\"2\"/>mut()",
            "Call get_house_mut()",
            "Llame a get_house_mut()",
            "Llame a get_<x id=\"1\"/>house_<x id=\"2\"/>mut()",
        ),
        (
            "govern\u{ad}ment of tele\u{ad}phone",
            "government of telephone",
            "gobierno de telephone",
            "gobierno de tele\u{ad}phone",
        ),
        (
            "get_\u{200b}house and get_\u{200b}house",
            "get_house and get_house",
            "get_house y get_house",
            "get_\u{200b}house y get_\u{200b}house",
        ),
        (
            "A long<x id=\"1\"/>word",
            "A longword",
            "Uno",
            "Uno<x id=\"1\"/>",
        ),
        (
            "<g id=\"2\">environ<x id=\"1\"/>ment</g>",
            "<g id=\"2\">environment</g>",
            "<g id=\"2\">entorno</g>",
            "<g id=\"2\">entorno<x id=\"1\"/></g>",
        ),
    ] {
        let second = if markup.contains("<g") { "b" } else { "wbr" };
        check_fold(markup, &["wbr", second], asked, answer, expected);
    }
}

#[test]
fn readings_go_with_the_words_that_they_are_of_r_w4() {
    check_fold(
        "<g id=\"1\">東京<x id=\"2\"/><g id=\"3\">とうきょう</g><x id=\"4\"/></g>へ<g id=\"5\">行<g id=\"6\">い</g></g>きます。",
        &["ruby", "rp", "rt", "rp", "ruby", "rt"],
        "<g id=\"1\">東京</g>へ<g id=\"5\">行</g>きます。",
        "I <g id=\"5\">go</g> to <g id=\"1\">Tokyo</g>.",
        "I <g id=\"5\">go<g id=\"6\"></g></g> to <g id=\"1\">Tokyo<x id=\"2\"/><g id=\"3\"></g><x id=\"4\"/></g>.",
    );
    // A name that stays keeps its reading.
    check_fold(
        "<g id=\"1\">漢<g id=\"2\">かん</g>字<g id=\"3\">じ</g></g>の本",
        &["ruby", "rt", "rt"],
        "<g id=\"1\">漢字</g>の本",
        "Book of <g id=\"1\">漢字</g>",
        "Book of <g id=\"1\">漢<g id=\"2\">かん</g>字<g id=\"3\">じ</g></g>",
    );
    // All of the text is ruby.
    check_fold(
        "東京<g id=\"1\">とうきょう</g>",
        &["rt"],
        "東京",
        "Tokyo",
        "Tokyo<g id=\"1\"></g>",
    );
}

#[test]
fn pictures_at_the_edges_of_elements_stay_there_f_25() {
    for (markup, asked, answer, expected) in [
        (
            "Our <g id=\"1\"><x id=\"2\"/>house</g> is",
            "Our <g id=\"1\">house</g> is",
            "<g id=\"1\">casa</g> es",
            "<g id=\"1\"><x id=\"2\"/>casa</g> es",
        ),
        (
            "Our <g id=\"1\"><x id=\"2\"/> house</g> is",
            "Our <g id=\"1\">house</g> is",
            "<g id=\"1\">casa</g> es",
            "<g id=\"1\"><x id=\"2\"/> casa</g> es",
        ),
        (
            "Our <g id=\"1\">house <x id=\"2\"/></g>.",
            "Our <g id=\"1\">house</g>.",
            "La <g id=\"1\">casa</g>.",
            "La <g id=\"1\">casa <x id=\"2\"/></g>.",
        ),
    ] {
        check_fold(markup, &["a", "img"], asked, answer, expected);
        check_fold(markup, &["a", "svg"], asked, answer, expected);
        check_fold(markup, &["b", "my-icon"], asked, answer, expected);
    }
    check_fold(
        "Our <g id=\"1\"><x id=\"2\"/><g id=\"3\">house</g></g> is",
        &["a", "my-icon", "my-text"],
        "Our <g id=\"1\"><g id=\"3\">house</g></g> is",
        "<g id=\"1\"><g id=\"3\">casa</g></g> es",
        "<g id=\"1\"><x id=\"2\"/><g id=\"3\">casa</g></g> es",
    );
    for (markup, element) in [
        ("Our<g id=\"1\"><x id=\"2\"/> house</g>", "img"),
        ("Our <g id=\"1\"><x id=\"2\"/> 5</g> houses", "img"),
        ("Our <g id=\"1\"><x id=\"2\"/>house</g>", "code"),
        ("Our <x id=\"2\"/> <g id=\"1\">house</g>", "img"),
    ] {
        assert!(
            Folded::of(&segment(markup, &["a", element])).is_none(),
            "{markup}"
        );
    }
}

#[test]
fn whole_words_are_left_alone() {
    for (markup, elements) in [
        ("A <g id=\"1\">house</g>", &["b"][..]),
        ("<g id=\"1\">A</g> house", &["b"]),
        ("House<x id=\"1\"/> and", &["wbr"]),
        ("<g id=\"1\">2</g>nd", &["b"]),
        ("x\u{200b} y", &[]),
        ("ภาษา\u{200b}ไทย", &[]),
    ] {
        assert!(Folded::of(&segment(markup, elements)).is_none(), "{markup}");
    }
}

/// A page that scripts draw and one that is static ask the same of engines, so a page need not be read for the other's sake.
#[test]
fn texts_without_codes_are_folded_alike_where_scripts_compare_nodes() {
    let drawn = |markup: &str, elements: &[&str]| Segment {
        keeps_nodes: true,
        ..segment(markup, elements)
    };
    let [plain, marked] = ["Bread", "Sour\u{ad}dough bread"];
    assert!(Folded::of(&drawn(plain, &[])).is_none());
    let folded = [drawn(marked, &[]), segment(marked, &[])]
        .map(|segment| Folded::of(&segment).map(|folded| folded.text));
    assert!(folded[0].is_some(), "nothing is folded");
    assert_eq!(folded[0], folded[1]);
    assert!(Folded::of(&drawn("<g id=\"1\">T</g>here was", &["b"])).is_none());
}
