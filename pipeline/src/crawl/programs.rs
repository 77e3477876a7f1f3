//! Programs in a source folder, which a server would run: neither pages nor files to publish (R-S21).

use super::media::looks_like_page;

/// Endings of files that servers run, in lower case.
const ENDINGS: [&str; 16] = [
    "asa", "ascx", "ashx", "asp", "aspx", "inc", "jsp", "jspf", "jspx", "php", "php3", "php4",
    "php5", "php7", "phtml", "pht",
];
/// Beginnings of code in any file.
const PHP: [&[u8]; 2] = [b"<?php", b"<?="];
/// Beginnings of code in the files of other servers.
const OTHERS: [&[u8]; 3] = [b"<%", b"<? ", b"<?\n"];

/// Recognizes a program by its ending and content. A mirror of a site has pages under such names, and these hold no code.
pub(super) fn is_program(path: &str, body: &[u8]) -> bool {
    let ending = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, ending)| ending.to_ascii_lowercase());
    let is_run = ending
        .as_deref()
        .is_some_and(|ending| ENDINGS.contains(&ending));
    let has = |marks: &[&[u8]]| {
        marks.iter().any(|mark| {
            body.windows(mark.len())
                .any(|bytes| bytes.eq_ignore_ascii_case(mark))
        })
    };
    if is_run {
        return has(&PHP) || has(&OTHERS);
    }
    // A page whose ending says nothing may be a program as well.
    let is_unknown = super::media::by_ending(path).is_none();
    is_unknown && (body.starts_with(PHP[0]) || (looks_like_page(body) && has(&PHP)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_their_mirrored_output_r_s21() {
        let page = b"<!doctype html><title>Bread</title><p>We bake";
        let code = b"<!doctype html><title><?= $title ?></title>";
        for (path, body, expected) in [
            ("/index.php", &page[..], false),
            ("/index.php", code, true),
            ("/config.inc", b"<?PHP $password = 1;", true),
            ("/a.asp", b"<%@ Language=VBScript %><p>", true),
            ("/a.jsp", page, false),
            ("/b.aspx", b"<p>50 < 60 %", false),
            ("/page", code, true),
            ("/page", page, false),
            ("/data.blend", b"\x00\x01<?=", false),
            ("/php.html", b"<pre>&lt;?php</pre>", false),
            ("/how-to.html", code, false),
            ("/feed.xml", b"<?xml version=\"1.0\"?>", false),
        ] {
            assert_eq!(
                is_program(path, body),
                expected,
                "{path} {}",
                String::from_utf8_lossy(body)
            );
        }
    }
}
