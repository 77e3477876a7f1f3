//! PO files in and out, and what is wrong with broken ones.

use std::path::Path;

use super::catalogue::{PoEntry, PoKey};
use super::*;
use crate::model::Locale;
use crate::page::{CodedText, Segment, TextClass};
use crate::translate::example::{plain, segment};

fn label(text: &str) -> Segment {
    Segment {
        class: TextClass::Label,
        origin: "img alt".into(),
        ..plain(text)
    }
}

fn parse(text: &str) -> Catalogue {
    Catalogue::parse("es.po", text.as_bytes()).unwrap()
}

fn check_get(po: &str, segment: &Segment, expected: Option<&str>) {
    let found = parse(po).get(segment).map(|text| {
        text.map_or_else(
            |error| format!("! {}", error.reason),
            |text| text.to_markup(),
        )
    });
    assert_eq!(found.as_deref(), expected, "{po}");
}

#[test]
fn entries_are_found_as_people_and_tools_write_them() {
    let hello = plain("Hello & bye");
    let coded = segment("Use <x id=\"1\"/> <g id=\"2\">now</g>", &["code", "b"]);
    for (po, text, expected) in [
        (
            "msgid \"Hello &amp; bye\"\nmsgstr \"Hola &amp; adiós\"",
            &hello,
            Some("Hola &amp; adiós"),
        ),
        (
            "msgid \"Hello & bye\"\nmsgstr \"Hola & adiós\"",
            &hello,
            Some("Hola &amp; adiós"),
        ),
        (
            "\u{feff}msgid \"\"\r\nmsgstr \"\"\r\n\"Content-Type: text/plain; charset=UTF-8\\n\"\r\n\r\nmsgid \"\"\r\n\"Hello \"\r\n\"&amp; bye\"\r\nmsgstr \"\"\r\n  \"Hola\"\r\n",
            &hello,
            Some("Hola"),
        ),
        (
            "#, fuzzy\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"",
            &hello,
            None,
        ),
        (
            "#, c-format, fuzzy\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"",
            &hello,
            None,
        ),
        ("msgid \"Hello & bye\"\nmsgstr \"\"", &hello, None),
        (
            "#~ msgid \"Hello & bye\"\n#~ msgstr \"Hola\"",
            &hello,
            Some("Hola"),
        ),
        (
            "#, fuzzy\n#~ msgid \"Hello & bye\"\n#~ msgstr \"Hola\"",
            &hello,
            None,
        ),
        (
            "msgid \"Hello & bye\"\nmsgid_plural \"Hellos\"\nmsgstr[0] \"Hola\"\nmsgstr[1] \"Holas\"",
            &hello,
            None,
        ),
        (
            "msgctxt \"label\"\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"",
            &hello,
            None,
        ),
        (
            "msgid \"Other\"\nmsgstr \"x\"\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"\n# end",
            &hello,
            Some("Hola"),
        ),
        (
            "msgid \"Use <x id='1'/> <g id='2'>now</g>\"\nmsgstr \"<g id=\\\"2\\\">Ahora</g> usa <x id=\\\"1\\\"/>\"",
            &coded,
            Some("<g id=\"2\">Ahora</g> usa <x id=\"1\"/>"),
        ),
        (
            "msgid \"Use <x id='1'/> <g id='2'>now</g>\"\nmsgstr \"Usa\"",
            &coded,
            Some("! inline code 1 is missing"),
        ),
        (
            "msgid \"Hello & bye\"\nmsgstr \"<b>Hola</b>\"",
            &hello,
            Some("! it contains markup that is not an inline code: <b>Hola</b>"),
        ),
        (
            "msgid \"Hello & bye\"\nmsgstr \" \"",
            &hello,
            Some("! the translation is empty"),
        ),
        (
            "msgid \"a\\\"b\\\\c\\td\"\nmsgstr \"x\\ny\"",
            &plain("a\"b\\c\td"),
            Some("x\ny"),
        ),
    ] {
        check_get(po, text, expected);
    }
}

#[test]
fn a_label_takes_its_own_entry_or_else_the_one_without_context() {
    let both =
        "msgid \"Open\"\nmsgstr \"Abierto\"\n\nmsgctxt \"label\"\nmsgid \"Open\"\nmsgstr \"Abrir\"";
    check_get(both, &label("Open"), Some("Abrir"));
    check_get(both, &plain("Open"), Some("Abierto"));
    check_get(
        "msgid \"Open\"\nmsgstr \"Abierto\"",
        &label("Open"),
        Some("Abierto"),
    );
    check_get(
        "msgid \"Open\"\nmsgstr \"Abierto\"\nmsgctxt \"label\"\nmsgid \"Open\"\nmsgstr \"\"",
        &label("Open"),
        Some("Abierto"),
    );
}

#[test]
fn errors_name_file_line_and_remedy() {
    for (po, line, remedy) in [
        ("msgid \"a\"\nmsgstr \"b", 2, "add \" at the end"),
        (
            "msgid \"a\"\nmsgstr \"b\" c\"",
            2,
            "write a quote inside a text as",
        ),
        ("msgid \"a\"\n\nmsgid \"b\"\nmsgstr \"\"", 1, "add msgstr"),
        ("\n\nmsgstr \"b\"", 3, "add the msgid"),
        ("msgctxt \"x\"\n", 1, "add the msgid"),
        (
            "msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\"",
            4,
            "stands in line 1 already",
        ),
        ("<<<<<<< HEAD\nmsgid \"a\"", 1, "resolve the conflict"),
        (
            "msgid \"a\"\nmsgstr \"b\"\n=======",
            3,
            "resolve the conflict",
        ),
        ("text", 1, "is no line of a PO file"),
        ("msgid \"\\q\"\nmsgstr \"\"", 1, "write a backslash as"),
        ("\"text\"", 1, "put msgid in front"),
        (
            "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"",
            1,
            "charset=UTF-8",
        ),
    ] {
        let error = Catalogue::parse("t/es.po", po.as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with(&format!("t/es.po:{line}: ")) && error.contains(remedy),
            "{error}"
        );
    }
    let error = Catalogue::parse("es.po", b"# a\nmsgid \"\xe9\"")
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("es.po:2: "), "{error}");
    assert!(
        Catalogue::open(Path::new("/no/such/es.po"))
            .unwrap()
            .is_empty(),
        "a file that is not there yet is empty"
    );
}

#[test]
fn a_refusal_names_file_and_line() {
    let po = "# a comment\n#. p\nmsgid \"Hello\"\nmsgstr \"Hola\"\n\n# another\n#. p\nmsgid \"Bye\"\nmsgstr \"<b>Adiós</b>\"\n";
    let refused = Catalogue::parse("po/es.po", po.as_bytes())
        .unwrap()
        .get(&plain("Bye"))
        .unwrap()
        .unwrap_err();
    let expected = "the reviewed translation in po/es.po:8 is refused: it contains markup that is not an inline code: <b>Adiós</b>";
    assert_eq!(refused.to_string(), expected);
}

fn update(po: &str, uses: &[Use<'_>]) -> String {
    updated(&parse(po), &Locale::parse("es").unwrap(), "bakery", uses)
}

fn updated(po: &Catalogue, target: &Locale, project: &str, uses: &[Use<'_>]) -> String {
    po.update(
        target,
        project,
        (uses.len(), &|index, _| uses.get(index).cloned()),
    )
}

/// Texts as they follow each other on one page.
fn page(texts: &[Segment]) -> Vec<Use<'static>> {
    let used = |(at, segment): (usize, &Segment)| Use {
        segment: segment.clone(),
        pages: vec!["/"],
        follows: at.checked_sub(1),
        inherited: None,
        suggested: None,
    };
    texts.iter().enumerate().map(used).collect()
}

/// What an update makes of a file, from behind the header on.
fn check_update(po: &str, uses: &[Use<'_>], expected: &str) {
    let written = update(po, uses);
    let (_, rest) = written.split_once("\n\n").unwrap_or_default();
    assert_eq!(rest, expected);
    let bare: Vec<Use<'_>> = uses
        .iter()
        .map(|text| Use {
            inherited: None,
            ..text.clone()
        })
        .collect();
    assert_eq!(
        update(&written, &bare),
        written,
        "a second update changes nothing"
    );
}

#[test]
fn the_header_keeps_the_owners_lines_and_gets_those_that_tools_ask_for() {
    let written = update(
        "# Ana, 2026\nmsgid \"\"\nmsgstr \"\"\n\"Language: es_MX\\n\"\n\"X-Mine: 1\\n\"\n",
        &[],
    );
    let expected = "# Ana, 2026\nmsgid \"\"\nmsgstr \"\"\n\"Language: es_MX\\n\"\n\"X-Mine: 1\\n\"\n\
        \"Project-Id-Version: bakery\\n\"\n\"PO-Revision-Date: 1970-01-01 00:00+0000\\n\"\n\
        \"Last-Translator: Automatically generated\\n\"\n\"Language-Team: none\\n\"\n\"MIME-Version: 1.0\\n\"\n\
        \"Content-Type: text/plain; charset=UTF-8\\n\"\n\"Content-Transfer-Encoding: 8bit\\n\"\n";
    assert_eq!(written, expected);
    assert_eq!(
        update(&written, &[]),
        written,
        "a second update changes nothing"
    );
    assert!(update("", &[]).contains("\"Language: es\\n\""));
}

#[test]
fn an_update_keeps_order_and_what_people_wrote() {
    let old = "msgid \"\"\nmsgstr \"\"\n\n# checked\n#. h1\n#. MENU: keep it short\n#: /old/\nmsgid \"Menu\"\nmsgstr \"Menú\"\n\n\
        # for later\n\n#. p\n#: /gone/\n#, c-format\nmsgid \"Gone\"\nmsgstr \"Fuera\"\n\nmsgid \"Never done\"\nmsgstr \"\"\n\n\
        msgid \"n\"\nmsgid_plural \"ns\"\nmsgstr[0] \"x\"\n\n#, fuzzy\n#| msgid \"Ol\"\nmsgid \"Old\"\nmsgstr \"Viejo\"\n\n\
        msgid \"Again\"\nmsgstr \"Otra vez\"\n\n# 1\n#~ msgid \"Again\"\n#~ msgstr \"De nuevo\"\n\n#~ msgid \"Back\"\n#~ msgstr \"Vuelta\"\n";
    let menu = Segment {
        origin: "h2".into(),
        ..plain("Menu")
    };
    let coded = segment("Use <x id=\"1\"/> <g id=\"2\">now</g>", &["code", "b"]);
    let texts = [
        plain("Old"),
        label("Open"),
        plain("Again"),
        menu,
        plain("Back"),
        coded,
    ];
    let mut uses = page(&texts);
    uses[1].pages = vec!["/0/", "/1/", "/2/", "/3/", "/4/", "/5/", "/6/"];
    uses[3].pages = vec!["/menu/", "/a b/"];
    let expected = "#. h2\n#. MENU: keep it short\n#: /a%20b/ /menu/\nmsgid \"Menu\"\nmsgstr \"Menú\"\n\n\
        #. p\n#: /\nmsgid \"Back\"\nmsgstr \"Vuelta\"\n\n\
        #. p\n#. <x id=\"1\"/> = code\n#. <g id=\"2\"> = b\n#: /\nmsgid \"Use <x id=\\\"1\\\"/> <g id=\\\"2\\\">now</g>\"\nmsgstr \"\"\n\n\
        # for later\n\n\
        msgid \"n\"\nmsgid_plural \"ns\"\nmsgstr[0] \"x\"\n\n\
        #. p\n#: /\n#, fuzzy\n#| msgid \"Ol\"\nmsgid \"Old\"\nmsgstr \"Viejo\"\n\n\
        #. img alt\n#. on 7 pages\n#: /0/ /1/ /2/ /3/ /4/\nmsgctxt \"label\"\nmsgid \"Open\"\nmsgstr \"\"\n\n\
        #. p\n#: /\nmsgid \"Again\"\nmsgstr \"Otra vez\"\n\n\
        #. p\n#: /gone/\n#, c-format\n#~ msgid \"Gone\"\n#~ msgstr \"Fuera\"\n\n# 1\n#~ msgid \"Again\"\n#~ msgstr \"De nuevo\"\n";
    check_update(
        old,
        &uses,
        &expected.replacen("#. h2", "# checked\n#. h2", 1),
    );
}

#[test]
fn a_text_that_changed_takes_the_place_of_the_one_before_it() {
    let old = "msgid \"\"\nmsgstr \"\"\n\n# to check\n#, c-format\nmsgid \"Skip it\"\nmsgstr \"Saltar\"\n\n\
        # seen\nmsgid \"Do go\"\nmsgstr \"Vaya\"\n\nmsgid \"Menu\"\nmsgstr \"Menú\"\n";
    let texts = [
        plain("Menu"),
        plain("Do not go"),
        plain("Skip it."),
        plain("New"),
    ];
    let mut uses = page(&texts);
    let from = |source: &str, carried: Option<&str>| {
        Some(InheritedTranslation {
            source: source.into(),
            class: TextClass::Prose,
            carried: carried.map(str::to_owned),
        })
    };
    uses[1].inherited = from("Do go", None);
    uses[2].inherited = from("Skip it", Some("Saltar."));
    uses[3].suggested = Some("Nuevo".into());
    let expected = "# to check\n#. p\n#: /\n#, c-format\nmsgid \"Skip it.\"\nmsgstr \"Saltar.\"\n\n\
        #. p\n#: /\n#, fuzzy\nmsgid \"New\"\nmsgstr \"Nuevo\"\n\n\
        # seen\n#. p\n#: /\n#, fuzzy\n#| msgid \"Do go\"\nmsgid \"Do not go\"\nmsgstr \"Vaya\"\n\n\
        #. p\n#: /\nmsgid \"Menu\"\nmsgstr \"Menú\"\n\n\
        # to check\n#, c-format\n#~ msgid \"Skip it\"\n#~ msgstr \"Saltar\"\n\n# seen\n#~ msgid \"Do go\"\n#~ msgstr \"Vaya\"\n";
    check_update(old, &uses, expected);
}

#[test]
fn a_prose_entry_that_only_labels_use_stays_in_use() {
    let open = [label("Open")];
    let written = update("msgid \"Open\"\nmsgstr \"Abierto\"", &page(&open));
    check_get(&written, &open[0], Some("Abierto"));
    assert!(
        written.contains("Language: es") && !written.contains("#~"),
        "{written}"
    );
}

#[test]
fn what_the_site_no_longer_has_is_found() {
    let po = parse(
        "#: /a%20b/ /c/\nmsgid \"One\"\nmsgstr \"Uno\"\n\nmsgid \"Two\"\nmsgstr \"Dos\"\n\nmsgctxt \"label\"\nmsgid \"Two\"\n\
         msgstr \"Par\"\n\nmsgctxt \"other\"\nmsgid \"Three\"\nmsgstr \"Tres\"\n\n#, fuzzy\nmsgid \"Four\"\nmsgstr \"Cuatro\"\n\n\
         #~ msgid \"Five\"\n#~ msgstr \"Cinco\"\n",
    );
    let told = |texts: &[Segment]| -> Vec<String> {
        po.vanished(texts)
            .iter()
            .map(|gone| format!("{} {:?} {}", gone.source, gone.class, gone.line))
            .collect()
    };
    assert_eq!(
        told(&[plain("Two")]),
        ["Five Prose 20", "One Prose 2", "Two Label 9"]
    );
    assert_eq!(
        told(&[label("Two"), label("One")]),
        ["Five Prose 20"],
        "a label uses what is written for prose"
    );
    let pages: Vec<String> = po.vanished(&[plain("Two")])[1]
        .pages
        .iter()
        .cloned()
        .collect();
    assert_eq!(pages, ["/a b/", "/c/"]);
}

proptest::proptest! {
    #[test]
    fn any_text_survives_the_file(source in "[^\r\u{0}]{1,60}", target in "[^\u{0}]{1,60}") {
        let text = plain(&source);
        let mut catalogue = Catalogue::default();
        let entry = PoEntry { translation: CodedText::plain(target.as_str()).to_markup(), ..PoEntry::default() };
        catalogue.entries.insert(PoKey::of(&text), entry);
        let es = Locale::parse("es").unwrap();
        let written = updated(&catalogue, &es, "site", &page(std::slice::from_ref(&text)));
        let read = parse(&written);
        proptest::prop_assert_eq!(read.entries.get(&PoKey::of(&text)).map(|entry| entry.translation.as_str()), catalogue.entries.get(&PoKey::of(&text)).map(|entry| entry.translation.as_str()));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), lines in "(msgid|msgstr|#~|#,|\"|\\\\|\n| |a|\\[0\\]){0,40}") {
        let _ = Catalogue::parse("x", &bytes);
        let _ = Catalogue::parse("x", lines.as_bytes());
    }
}
