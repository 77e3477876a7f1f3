//! PO files in and out, and what is wrong with broken ones.

use super::*;
use crate::translate::example::{plain, segment};

fn label(text: &str) -> Segment {
    Segment { class: TextClass::Label, origin: "img alt".into(), ..plain(text) }
}

fn parse(text: &str) -> Catalogue {
    Catalogue::parse("es.po", text.as_bytes()).unwrap()
}

fn check_get(po: &str, segment: &Segment, expected: Option<&str>) {
    let found =
        parse(po).get(segment).map(|text| text.map_or_else(|error| format!("! {error}"), |text| text.to_markup()));
    assert_eq!(found.as_deref(), expected, "{po}");
}

#[test]
fn entries_are_found_as_people_and_tools_write_them() {
    let hello = plain("Hello & bye");
    let coded = segment("Use <x id=\"1\"/> <g id=\"2\">now</g>", &["code", "b"]);
    for (po, text, expected) in [
        ("msgid \"Hello &amp; bye\"\nmsgstr \"Hola &amp; adiós\"", &hello, Some("Hola &amp; adiós")),
        ("msgid \"Hello & bye\"\nmsgstr \"Hola & adiós\"", &hello, Some("Hola &amp; adiós")),
        (
            "\u{feff}msgid \"\"\r\nmsgstr \"\"\r\n\"Content-Type: text/plain; charset=UTF-8\\n\"\r\n\r\nmsgid \"\"\r\n\"Hello \"\r\n\"&amp; bye\"\r\nmsgstr \"\"\r\n  \"Hola\"\r\n",
            &hello,
            Some("Hola"),
        ),
        ("#, fuzzy\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"", &hello, None),
        ("#, c-format, fuzzy\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"", &hello, None),
        ("msgid \"Hello & bye\"\nmsgstr \"\"", &hello, None),
        ("#~ msgid \"Hello & bye\"\n#~ msgstr \"Hola\"", &hello, None),
        ("msgid \"Hello & bye\"\nmsgid_plural \"Hellos\"\nmsgstr[0] \"Hola\"\nmsgstr[1] \"Holas\"", &hello, None),
        ("msgctxt \"label\"\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"", &hello, None),
        ("msgid \"Other\"\nmsgstr \"x\"\nmsgid \"Hello & bye\"\nmsgstr \"Hola\"\n# end", &hello, Some("Hola")),
        (
            "msgid \"Use <x id='1'/> <g id='2'>now</g>\"\nmsgstr \"<g id=\\\"2\\\">Ahora</g> usa <x id=\\\"1\\\"/>\"",
            &coded,
            Some("<g id=\"2\">Ahora</g> usa <x id=\"1\"/>"),
        ),
        ("msgid \"Use <x id='1'/> <g id='2'>now</g>\"\nmsgstr \"Usa\"", &coded, Some("! inline code 1 is missing")),
        (
            "msgid \"Hello & bye\"\nmsgstr \"<b>Hola</b>\"",
            &hello,
            Some("! it holds markup that is no inline code: <b>Hola</b>"),
        ),
        ("msgid \"Hello & bye\"\nmsgstr \" \"", &hello, Some("! the translation is empty")),
        ("msgid \"a\\\"b\\\\c\\td\"\nmsgstr \"x\\ny\"", &plain("a\"b\\c\td"), Some("x\ny")),
    ] {
        check_get(po, text, expected);
    }
}

#[test]
fn a_label_takes_its_own_entry_or_else_the_one_without_context() {
    let both = "msgid \"Open\"\nmsgstr \"Abierto\"\n\nmsgctxt \"label\"\nmsgid \"Open\"\nmsgstr \"Abrir\"";
    check_get(both, &label("Open"), Some("Abrir"));
    check_get(both, &plain("Open"), Some("Abierto"));
    check_get("msgid \"Open\"\nmsgstr \"Abierto\"", &label("Open"), Some("Abierto"));
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
        ("msgid \"a\"\nmsgstr \"b\" c\"", 2, "write a quote inside a text as"),
        ("msgid \"a\"\n\nmsgid \"b\"\nmsgstr \"\"", 1, "add msgstr"),
        ("\n\nmsgstr \"b\"", 3, "add the msgid"),
        ("msgctxt \"x\"\n", 1, "add the msgid"),
        ("msgid \"a\"\nmsgstr \"b\"\n\nmsgid \"a\"\nmsgstr \"c\"", 4, "stands in line 1 already"),
        ("<<<<<<< HEAD\nmsgid \"a\"", 1, "is no line of a PO file"),
        ("msgid \"\\q\"\nmsgstr \"\"", 1, "write a backslash as"),
        ("\"text\"", 1, "put msgid in front"),
        ("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=ISO-8859-1\\n\"", 1, "charset=UTF-8"),
    ] {
        let error = Catalogue::parse("t/es.po", po.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("t/es.po:{line}: ")) && error.contains(remedy), "{error}");
    }
    let error = Catalogue::parse("es.po", b"# a\nmsgid \"\xe9\"").unwrap_err().to_string();
    assert!(error.starts_with("es.po:2: "), "{error}");
    assert!(Catalogue::open(Path::new("/no/such/es.po")).unwrap().is_empty(), "a file that is not there yet is empty");
}

#[test]
fn an_update_keeps_what_people_wrote_and_says_what_is_new() {
    let old = "# Ana, 2026\nmsgid \"\"\nmsgstr \"\"\n\"Language: es\\n\"\n\n# checked\nmsgid \"Menu\"\nmsgstr \"Menú\"\n\n\
        msgid \"Gone\"\nmsgstr \"Fuera\"\n\nmsgid \"Never done\"\nmsgstr \"\"\n\n#~ msgid \"Back\"\n#~ msgstr \"Vuelta\"\n\n\
        msgid \"n\"\nmsgid_plural \"ns\"\nmsgstr[0] \"x\"\n\n#, fuzzy\n#| msgid \"Ol\"\nmsgid \"Old\"\nmsgstr \"Viejo\"\n";
    let menu = Segment { origin: "h1".into(), ..plain("Menu") };
    let coded = segment("Use <x id=\"1\"/> <g id=\"2\">now</g>", &["code", "b"]);
    let (back, old_one, open) = (plain("Back"), plain("Old"), label("Open"));
    let uses = [
        Use { segment: &menu, pages: vec!["/menu/".into(), "/a b/".into()] },
        Use { segment: &open, pages: (0..7).map(|n| format!("/{n}/")).collect() },
        Use { segment: &back, pages: vec![] },
        Use { segment: &old_one, pages: vec![] },
        Use { segment: &coded, pages: vec!["/".into()] },
    ];
    let expected = "# Ana, 2026\nmsgid \"\"\nmsgstr \"Language: es\\n\"\n\n#. p\nmsgid \"Back\"\nmsgstr \"Vuelta\"\n\n\
        #. h1\n#: /a%20b/ /menu/\n# checked\nmsgid \"Menu\"\nmsgstr \"Menú\"\n\n\
        #. p\n#, fuzzy\n#| msgid \"Ol\"\nmsgid \"Old\"\nmsgstr \"Viejo\"\n\n\
        #. img alt\n#. on 7 pages\n#: /0/ /1/ /2/ /3/ /4/\nmsgctxt \"label\"\nmsgid \"Open\"\nmsgstr \"\"\n\n\
        #. p\n#. <x id=\"1\"/> = code\n#. <g id=\"2\"> = b\n#: /\nmsgid \"Use <x id=\\\"1\\\"/> <g id=\\\"2\\\">now</g>\"\nmsgstr \"\"\n\n\
        msgid \"n\"\nmsgid_plural \"ns\"\nmsgstr[0] \"x\"\n\n#~ msgid \"Gone\"\n#~ msgstr \"Fuera\"\n";
    let es = Locale::parse("es").unwrap();
    let written = parse(old).update(&es, &uses);
    assert_eq!(written, expected);
    assert_eq!(parse(&written).update(&es, &uses), expected, "a second update changes nothing");
    let mut shuffled = uses.to_vec();
    shuffled.reverse();
    assert_eq!(parse(old).update(&es, &shuffled), expected, "the order of the pages changes nothing");
}

#[test]
fn a_prose_entry_that_only_labels_use_stays_in_use() {
    let open = label("Open");
    let po = parse("msgid \"Open\"\nmsgstr \"Abierto\"");
    let written = po.update(&Locale::parse("es").unwrap(), &[Use { segment: &open, pages: vec![] }]);
    check_get(&written, &open, Some("Abierto"));
    assert!(written.contains("Language: es") && !written.contains("#~"), "{written}");
}

proptest::proptest! {
    #[test]
    fn any_text_survives_the_file(source in "[^\r\u{0}]{1,60}", target in "[^\u{0}]{1,60}") {
        let text = plain(&source);
        let mut catalogue = Catalogue::default();
        let entry = Entry { translation: CodedText::plain(target.as_str()).to_markup(), ..Entry::default() };
        catalogue.entries.insert(Key::of(&text), entry);
        let es = Locale::parse("es").unwrap();
        let written = catalogue.update(&es, &[Use { segment: &text, pages: vec![] }]);
        let read = parse(&written);
        proptest::prop_assert_eq!(read.entries.get(&Key::of(&text)).map(|entry| entry.translation.as_str()), catalogue.entries.get(&Key::of(&text)).map(|entry| entry.translation.as_str()));
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200), lines in "(msgid|msgstr|#~|#,|\"|\\\\|\n| |a|\\[0\\]){0,40}") {
        let _ = Catalogue::parse("x", &bytes);
        let _ = Catalogue::parse("x", lines.as_bytes());
    }
}
