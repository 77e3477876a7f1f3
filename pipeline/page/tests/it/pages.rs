//! The page core against `fixtures/pages/*`: each case has its page, the segments to be found in it and its
//! rendering with every word turned around. `UPDATE=1` rewrites what is expected; read the difference before you
//! commit it. Names that start with `F-` or `R-` cite the reported failure or rule that the case proves. A file `charset`
//! says in which encoding a page came, as its HTTP header would; without it that is UTF-8.

use std::fs;
use std::path::{Path, PathBuf};

use page::{CodedText, Locale, Page, PageChanges, TextClass, TextPiece};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pages");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    assert!(cases.len() > 60, "fixtures are missing");
    cases
}

/// Turns each word around: no letter stays where it was, codes and white space do.
fn turn(text: &CodedText) -> CodedText {
    let turn_words = |text: &str| {
        let words: Vec<String> = text
            .split(' ')
            .map(|word| word.chars().rev().collect())
            .collect();
        words.join(" ")
    };
    text.map(turn_words)
}

/// Puts the last outermost pair or single code first: the order that a translation may need.
fn reorder(text: &CodedText) -> CodedText {
    let mut depth = 0;
    let mut last = None;
    for (index, piece) in text.pieces().enumerate() {
        match piece {
            TextPiece::Open(_) | TextPiece::Single(_) if depth == 0 => last = Some(index),
            TextPiece::Text(_)
            | TextPiece::Open(_)
            | TextPiece::Close(_)
            | TextPiece::Single(_) => {}
        }
        depth += i32::from(matches!(piece, TextPiece::Open(_)))
            - i32::from(matches!(piece, TextPiece::Close(_)));
    }
    let Some(start) = last else {
        return text.clone();
    };
    let mut pieces: Vec<TextPiece<'_>> = text.pieces().collect();
    let end = match pieces[start] {
        TextPiece::Open(id) => pieces
            .iter()
            .position(|piece| *piece == TextPiece::Close(id))
            .unwrap(),
        _ => start,
    };
    let moved: Vec<TextPiece<'_>> = pieces.drain(start..=end).collect();
    moved.into_iter().chain(pieces).collect()
}

fn header(case: &Path) -> String {
    fs::read_to_string(case.join("charset")).unwrap_or_else(|_| "utf-8".to_owned())
}

fn parse(source: &[u8], header: &str) -> Page {
    Page::parse(source, Some(header), &Locale::parse("en").unwrap())
}

fn draw(page: &Page) -> String {
    let lines = page.segments().map(|segment| {
        let mark = match segment.class {
            TextClass::Prose => "",
            TextClass::Label => "label ",
        };
        format!(
            "{mark}{}: {}\n",
            segment.origin,
            segment.text.to_markup().replace('\n', "\\n")
        )
    });
    lines.collect()
}

fn expect(file: &Path, given: &[u8]) {
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, given).unwrap();
    }
    let wanted = fs::read(file).unwrap_or_default();
    assert_eq!(
        String::from_utf8_lossy(given),
        String::from_utf8_lossy(&wanted),
        "{}",
        file.display()
    );
}

#[test]
fn pages_have_their_segments_and_renderings() {
    let arabic = Locale::parse("ar").unwrap();
    for case in cases() {
        let page = parse(&fs::read(case.join("page.html")).unwrap(), &header(&case));
        expect(&case.join("segments.txt"), draw(&page).as_bytes());
        let texts: Vec<CodedText> = page.segments().map(|segment| turn(&segment.text)).collect();
        let rendered = page.render(
            |index| texts.get(index),
            &PageChanges {
                speak: Some(&arabic),
                ..PageChanges::default()
            },
        );
        assert_eq!(rendered.refused, [], "{}", case.display());
        expect(&case.join("turned.html"), &rendered.html);
        for entry in fs::read_dir(&case).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(
                ["charset", "page.html", "segments.txt", "turned.html"].contains(&name.as_str()),
                "{name} is nobody's"
            );
        }
    }
}

#[test]
fn identity_keeps_every_byte() {
    for case in cases() {
        let source = fs::read(case.join("page.html")).unwrap();
        let page = parse(&source, &header(&case));
        let texts: Vec<CodedText> = page
            .segments()
            .map(|segment| segment.text.clone())
            .collect();
        let rendered = page.render(|index| texts.get(index), &PageChanges::default());
        assert!(rendered.html == source, "{}", case.display());
    }
}

/// What a later parse finds of a page rendered with `change`, beside what was put in.
fn round_trip(
    case: &Path,
    change: fn(&CodedText) -> CodedText,
) -> (Vec<CodedText>, Vec<CodedText>) {
    let source = fs::read(case.join("page.html")).unwrap();
    let before = header(case);
    let page = parse(&source, &before);
    let mut texts: Vec<CodedText> = page
        .segments()
        .map(|segment| change(&segment.text))
        .collect();
    let rendered = page.render(|index| texts.get(index), &PageChanges::default());
    let originals: Vec<CodedText> = page
        .segments()
        .map(|segment| segment.text.clone())
        .collect();
    for (index, _) in &rendered.refused {
        texts[*index] = originals[*index].clone();
    }
    let again = parse(
        &rendered.html,
        if rendered.html == source {
            &before
        } else {
            "utf-8"
        },
    );
    (
        again
            .segments()
            .map(|segment| segment.text.clone())
            .collect(),
        texts,
    )
}

#[test]
fn what_is_put_in_is_found_again() {
    for case in cases() {
        let (found, put_in) = round_trip(&case, turn);
        assert_eq!(found, put_in, "{}", case.display());
    }
}

#[test]
fn codes_may_move() {
    let words = |texts: Vec<CodedText>| -> Vec<String> {
        let mut words: Vec<String> = texts
            .iter()
            .map(|text| text.text().split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        words.sort();
        words
    };
    for case in cases() {
        let (found, put_in) = round_trip(&case, reorder);
        assert_eq!(words(found), words(put_in), "{}", case.display());
    }
}
