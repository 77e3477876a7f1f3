//! `latimer render`, the bare core: bytes in, bytes out, without configuration and state.

use std::fs;
use std::path::{Path, PathBuf};

use pipeline::model::Locale;
use tempfile::TempDir;

use crate::support::judge::plain_words;
use crate::support::{Ran, assert_same, files, latimer, repository};

/// The folders of fixtures that hold pages.
fn folders() -> Vec<PathBuf> {
    let sites = fs::read_dir(repository().join("fixtures/sites")).unwrap();
    let sites = sites.map(|site| site.unwrap().path().join("source"));
    sites.chain([repository().join("fixtures/pages")]).collect()
}

fn render(engine: &str, to: &str, more: &[&str], from: &Path, into: &Path) -> Ran {
    let head = [
        "render", "--quiet", "--engine", engine, "--from", "en", "--to", to,
    ];
    let places = [from.to_str().unwrap(), into.to_str().unwrap()];
    latimer(
        into.parent().unwrap(),
        &[&head[..], more, &places].concat(),
        b"",
    )
}

fn stream(arguments: &[&str], html: &[u8]) -> Ran {
    let folder = TempDir::new().unwrap();
    latimer(
        folder.path(),
        &[&["render"][..], arguments, &["-", "-"]].concat(),
        html,
    )
}

const UNCHANGED: [&str; 8] = [
    "--engine",
    "identity",
    "--no-head",
    "--no-links",
    "--from",
    "en",
    "--to",
    "en",
];

#[test]
fn identity_gives_every_folder_back_byte_for_byte() {
    for folder in folders() {
        let out = TempDir::new().unwrap();
        let into = out.path().join("out");
        render(
            "identity",
            "en",
            &["--no-head", "--no-links"],
            &folder,
            &into,
        )
        .failed(0, &[]);
        assert_same(&files(&into), &files(&folder));
    }
}

#[test]
fn identity_gives_every_file_back_byte_for_byte_through_the_standard_streams() {
    for folder in folders() {
        for (name, html) in files(&folder)
            .into_iter()
            .filter(|(name, _)| name.ends_with("/page.html"))
        {
            let ran = stream(&UNCHANGED, &html);
            assert!(
                ran.code == 0 && ran.stdout == html,
                "{name}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn pseudo_leaves_no_word_untouched() {
    for folder in folders()
        .into_iter()
        .filter(|folder| folder.ends_with("source"))
    {
        let out = TempDir::new().unwrap();
        let into = out.path().join("out");
        render("pseudo", "en-XA", &[], &folder, &into).failed(0, &[]);
        let before = files(&folder);
        let after = files(&into);
        for (name, html) in after.iter().filter(|(name, _)| name.ends_with(".html")) {
            let english = Locale::parse("en").unwrap();
            let words = |html: &[u8]| plain_words(std::str::from_utf8(html).unwrap(), &english);
            assert_eq!(words(html), [""; 0], "{name}");
            assert!(words(&before[name]).len() > 20, "{name}");
        }
        for name in ["feed.xml", "site.webmanifest"] {
            let document = std::str::from_utf8(&after[name]).unwrap();
            assert!(
                document.contains("en-XA") && !document.contains("bakery"),
                "{name}: {document}"
            );
        }
        let others = |name: &str| {
            ![".html", "feed.xml", ".webmanifest"]
                .iter()
                .any(|ending| name.ends_with(ending))
        };
        let mut before = before;
        let mut after = after;
        before.retain(|name, _| others(name));
        after.retain(|name, _| others(name));
        assert_same(&after, &before);
    }
}

#[test]
fn a_feed_and_a_manifest_are_known_by_a_look_inside_r_c9() {
    let xa = ["--engine", "pseudo", "--from", "en", "--to", "en-XA"];
    for (document, begins) in [
        (
            "<?xml version=\"1.0\"?>\n<rss><channel><title>Bread</title></channel></rss>",
            "<?xml version=\"1.0\"?>\n<rss><channel><language>en-XA<",
        ),
        (
            "{\"name\":\"Bread\",\"start_url\":\"/\"}",
            "{\"lang\":\"en-XA\",\"name\":\"",
        ),
    ] {
        let ran = stream(&xa, document.as_bytes());
        ran.failed(0, &[]);
        let text = String::from_utf8(ran.stdout).unwrap();
        assert!(
            text.starts_with(begins) && !text.contains("Bread"),
            "{text}"
        );
    }
}

const PAGE: &[u8] = b"<!DOCTYPE html><html lang=en><meta charset=utf-8><p>Fresh <b>bread</b> &amp; coffee<p>Every day";

#[test]
fn a_stream_is_localized_from_standard_input_to_standard_output() {
    let ran = stream(
        &["--engine", "pseudo", "--from", "en", "--to", "ar-XB"],
        PAGE,
    );
    ran.failed(0, &[]);
    let html = String::from_utf8(ran.stdout).unwrap();
    assert!(
        html.starts_with("<!DOCTYPE html><html dir=\"rtl\" lang=ar-XB><meta charset=utf-8><p>"),
        "{html}"
    );
    assert!(
        html.contains("<b>") && html.contains("&amp;") && !html.contains("bread"),
        "{html}"
    );
}

const PO: &str = "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n\n\
                  msgid \"Fresh <g id=\\\"1\\\">bread</g> & coffee\"\n\
                  msgstr \"Café y <g id=\\\"1\\\">pan</g> <fresco>\"\n";

#[test]
fn reviewed_translations_go_before_the_engine() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("page.html"), PAGE).unwrap();
    fs::write(
        folder.path().join("es.po"),
        PO.replace(" <fresco>", " & amor"),
    )
    .unwrap();
    let from = folder.path().join("page.html");
    let into = folder.path().join("out.html");
    render("identity", "es", &["--translations", "es.po"], &from, &into).failed(0, &[]);
    let html = fs::read_to_string(into).unwrap();
    assert_eq!(
        html,
        "<!DOCTYPE html><html lang=es><meta charset=utf-8><p>Café y <b>pan</b> &amp; amor<p>Every day"
    );
}

#[test]
fn a_reviewed_translation_that_would_add_markup_is_refused_and_listed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("page.html"), PAGE).unwrap();
    fs::write(folder.path().join("es.po"), PO).unwrap();
    let from = folder.path().join("page.html");
    let into = folder.path().join("out.html");
    let ran = render(
        "identity",
        "es",
        &["--translations", "es.po", "--json"],
        &from,
        &into,
    );
    ran.failed(6, &["refused", "<fresco>"]);
    assert_eq!(ran.json()["refused"].as_array().unwrap().len(), 1);
    assert!(!fs::read_to_string(into).unwrap().contains("fresco"));
}

#[test]
fn what_cannot_be_rendered_is_said_with_its_code() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("page.html"), PAGE).unwrap();
    fs::write(folder.path().join("broken.po"), "msgid \"Fresh\nmsgstr\n").unwrap();
    for (arguments, code, said) in [
        (
            &[
                "--engine",
                "identity",
                "--to",
                "es",
                "no-such.html",
                "out.html",
            ][..],
            1,
            "no-such.html",
        ),
        (
            &[
                "--engine",
                "identity",
                "--to",
                "es",
                "page.html",
                "no-such/out.html",
            ],
            1,
            "no-such/out.html",
        ),
        (
            &[
                "--engine",
                "identity",
                "--to",
                "es",
                "--translations",
                "no.po",
                "page.html",
                "-",
            ],
            2,
            "no.po",
        ),
        (
            &[
                "--engine",
                "identity",
                "--to",
                "es",
                "--translations",
                "broken.po",
                "page.html",
                "-",
            ],
            2,
            "broken.po:1",
        ),
        (
            &["--engine", "identity", "--to", "e_", "page.html", "-"],
            2,
            "not a language tag",
        ),
        (
            &["--engine", "pseudonym", "--to", "es", "page.html", "-"],
            2,
            "pseudo",
        ),
        (
            &["--engine", "fx", "--to", "tlh", "page.html", "out.html"],
            3,
            "no model for en to tlh",
        ),
        (
            &[
                "--engine",
                "command:no-such-program",
                "--to",
                "es",
                "page.html",
                "out.html",
            ],
            6,
            "no-such-program",
        ),
    ] {
        let arguments = [&["render", "--from", "en"][..], arguments].concat();
        latimer(folder.path(), &arguments, b"").failed(code, &[said]);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[cfg(unix)]
#[test]
fn a_linked_page_is_rendered_and_a_linked_folder_is_reported() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("source");
    let into = folder.path().join("out");
    fs::create_dir(&source).unwrap();
    fs::write(folder.path().join("elsewhere.html"), PAGE).unwrap();
    std::os::unix::fs::symlink("../elsewhere.html", source.join("page.html")).unwrap();
    render(
        "identity",
        "en",
        &["--no-head", "--no-links"],
        &source,
        &into,
    )
    .failed(0, &[]);
    assert_eq!(fs::read(into.join("page.html")).unwrap(), PAGE);
    std::os::unix::fs::symlink(".", source.join("loop")).unwrap();
    render("identity", "en", &[], &source, &into).failed(6, &["loop", "link to a folder"]);
}

/// What engines lose, spelled in markup and in JSON; a letter stands for each.
const FRAGILE: [(&str, &str); 12] = [
    ("\u{feff}", "feff"),
    ("\u{fffe}", "fffe"),
    ("\u{ffff}", "ffff"),
    ("\u{2028}", "2028"),
    ("\u{2029}", "2029"),
    ("\r\n", "d"),
    ("\u{a0}", "a0"),
    ("\u{ad}", "ad"),
    ("\u{200b}", "200b"),
    ("\u{200e}", "200e"),
    ("\u{85}", "85"),
    ("\u{c}", "c"),
];

/// Where texts stand, with `~` for such a character.
const POSITIONS: [&str; 22] = [
    "<p>~A word</p>",
    "<p>A~word</p>",
    "<p>A word~</p>",
    "<p>A ~ word</p>",
    "<p>A <b>word~</b> and~<br>~more</p>",
    "<title>A~word~</title>",
    "<meta name=description content=\"~A ~word\">",
    "<p><img alt='A~word' src=x> Words</p>",
    "<p title=A~word>Words</p>",
    "<input placeholder=\"A word~\">",
    "<input type=submit value=\"~A word\">",
    "<select><option>A~word</option></select>",
    "<pre translate=yes>A~word\n~\n and more</pre>",
    "<svg><text>A~word</text></svg>",
    "<svg><text>A <![CDATA[~word]]></text></svg>",
    "<noscript>A~word</noscript>",
    "<table><tr><td>A~word</table>",
    "<iframe srcdoc='<p title=\"A~b\">A~word</p>'></iframe>",
    "<textarea placeholder='A~word'>A~word</textarea>",
    "<p>A~word.~And another one.~</p>",
    "<script type=\"application/ld+json\">{\"headline\":\"A~word\"}</script>",
    "<script type=\"application/ld+json\">{\"description\":\"<p>A~word</p>\"}</script>",
];

#[test]
fn identity_keeps_characters_that_engines_lose() {
    let folder = TempDir::new().unwrap();
    let from = folder.path().join("in");
    let into = folder.path().join("out");
    fs::create_dir(&from).unwrap();
    for (index, position) in POSITIONS.iter().enumerate() {
        for (character, code) in FRAGILE {
            let decimal = u32::from_str_radix(code, 16).unwrap();
            let spellings = [
                character.to_owned(),
                format!("&#x{code};"),
                format!("&#{decimal};"),
                format!("\\u{code:0>4}"),
            ];
            for (number, spelling) in spellings.iter().enumerate() {
                let page = format!(
                    "<!DOCTYPE html><meta charset=utf-8>{}\n",
                    position.replace('~', spelling)
                );
                fs::write(from.join(format!("{index}-{code}-{number}.html")), page).unwrap();
            }
        }
    }
    for engine in ["identity", "command:cat"] {
        let _ = fs::remove_dir_all(&into);
        render(engine, "en", &["--no-head", "--no-links"], &from, &into).failed(0, &[]);
        assert_same(&files(&into), &files(&from));
    }
}

#[test]
fn a_page_that_asks_not_to_be_translated_is_said_r_a5() {
    let html = b"<meta name=google content=notranslate><p>Words</p>";
    let ran = stream(
        &[
            "--engine",
            "pseudo",
            "--from",
            "en",
            "--to",
            "en-XA",
            "--no-head",
        ],
        html,
    );
    assert!(
        ran.code == 0 && ran.stdout == html && ran.stderr.contains("it asks not to be translated"),
        "{}",
        ran.stderr
    );
}

#[test]
fn xhtml_is_known_by_a_look_inside_on_a_stream_and_stays_well_formed() {
    let page = |rest: &str| {
        let root = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title/></head><body><p>Fresh bread<br/></p></body>";
        format!("<?xml version=\"1.0\"?>\n{root}{rest}")
    };
    let rendered = |page: &str| {
        let ran = stream(
            &["--engine", "pseudo", "--from", "en", "--to", "en-XA"],
            page.as_bytes(),
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        String::from_utf8(ran.stdout).unwrap()
    };
    let made = rendered(&page("</html>"));
    // HTML would take everything behind `<title/>` for the title.
    assert!(
        made.contains("<title/>") && made.contains("<p>⟦Ƒŕéšĥ ƀŕéáð öñé⟧<br/></p>"),
        "{made}"
    );
    // What is no XML can only be HTML.
    let made = rendered(&page("").replace("<title/>", "<title>Shop</title>"));
    assert!(
        made.contains("<title>⟦Šĥöþ⟧") && made.contains("<p>⟦Ƒŕéšĥ"),
        "{made}"
    );
}

#[test]
fn pages_in_another_language_stay_as_they_are_and_are_said() {
    let german = "<html lang=de><p>Jedes Brot wird von Hand geknetet und ruht eine ganze Nacht, bevor es in den Ofen kommt.";
    let folder = TempDir::new().unwrap();
    let from = folder.path().join("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("brot.html"), german).unwrap();
    (0..5).for_each(|n| fs::write(from.join(format!("{n}.html")), "<p>Fresh bread").unwrap());
    let done = |count: usize| {
        let into = folder.path().join(format!("into-{count}"));
        let ran = render("pseudo", "en-XA", &["--json"], &from, &into);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (
            ran.json(),
            ran.stderr.clone(),
            fs::read_to_string(into.join("brot.html")).unwrap(),
        )
    };
    let (report, said, made) = done(5);
    assert_eq!(
        report["elsewhere"],
        serde_json::json!([{ "path": "brot.html", "language": "de", "translated": false }])
    );
    assert!(
        made == german
            && said
                .contains("brot.html: it is in de, by its lang and its words; it stays as it is")
    );
    // Where too many say so, they are not believed.
    fs::remove_file(from.join("0.html")).unwrap();
    fs::remove_file(from.join("1.html")).unwrap();
    let (report, said, made) = done(3);
    assert_eq!(report["elsewhere"][0]["translated"], true);
    assert!(
        made.contains("Ĵéðéš Ɓŕöţ") && said.contains("because --from says so"),
        "{said} {made}"
    );
    let ran = stream(
        &["--engine", "pseudo", "--from", "en", "--to", "en-XA"],
        german.as_bytes(),
    );
    assert!(
        String::from_utf8_lossy(&ran.stdout).contains("Ĵéðéš")
            && ran.stderr.contains("-: it is in de"),
        "{}",
        ran.stderr
    );
}
