//! Proofs of ownership: files by which search engines and services know the owner of a site. Their bytes count, so they are
//! published as they are.

use crate::page::MarkupForm;

/// Beginnings of the names of such files; a code and `.html` or `.htm` follow.
const CODED: [&str; 16] = [
    "ahrefs_",
    "alexaverify_",
    "baidu_verify_",
    "detectify-verification-",
    "facebook-domain-verification-",
    "google",
    "loaderio-",
    "mailru-domain",
    "mailru-verification",
    "mywot",
    "naver",
    "nortonsw_",
    "pinterest-",
    "wmail_",
    "y_key_",
    "yandex_",
];

/// Names of such files without a code.
const NAMED: [&str; 3] = [
    "bytedanceverify.html",
    "google-site-verification.html",
    "verifyforzoho.html",
];

/// The shortest text that is taken for a code.
const SHORTEST: usize = 8;

/// Recognizes a proof of ownership by its path and form (R-S19): a text without elements, one code alone, or few words in a file
/// whose name is known. Files below `/.well-known/` are for programs. The index of a folder proves nothing.
pub(crate) fn is_proof(path: &str, form: &MarkupForm) -> bool {
    if path.ends_with('/') {
        return false;
    }
    if path.starts_with("/.well-known/") {
        return true;
    }
    match form.bare_words.as_deref() {
        None => false,
        Some([word]) if is_code(word, SHORTEST) => true,
        Some(_) => !form.has_elements || is_known_name(path),
    }
}

fn is_known_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let Some(stem) = name
        .strip_suffix(".html")
        .or_else(|| name.strip_suffix(".htm"))
    else {
        return false;
    };
    let mut codes = CODED.iter().filter_map(|begin| stem.strip_prefix(begin));
    NAMED.contains(&name.as_str()) || codes.any(|code| is_code(code, 4))
}

/// True for letters and digits, with a digit among them.
fn is_code(text: &str, shortest: usize) -> bool {
    text.len() >= shortest
        && text.bytes().all(is_of_codes)
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_of_codes(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_=.:+/".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{PageFormat, find_links};

    fn check(path: &str, html: &str, expected: bool) {
        assert_eq!(
            is_proof(
                path,
                &find_links(PageFormat::Html, html.as_bytes(), None).form
            ),
            expected,
            "{path}: {html}"
        );
    }

    #[test]
    fn proofs_are_known_by_name_or_by_a_code_alone_r_s19() {
        check(
            "/google8d1c1c2f3b4a5e6d.html",
            "google-site-verification: google8d1c1c2f3b4a5e6d.html",
            true,
        );
        let yandex = "<html><head><meta charset=utf-8></head><body>Verification: 0123456789abcdef</body></html>";
        check("/yandex_0123456789abcdef.html", yandex, true);
        check("/other.html", yandex, false);
        let pinterest = "<!DOCTYPE html><head><meta name=p:domain_verify content=a1b2c3><title>pinterest-a1b2c.html</title>a1b2c3";
        check("/pinterest-a1b2c.html", pinterest, true);
        check("/zohoverify/verifyforzoho.html", "<p>12345678</p>", true);
        check(
            "/0a1b2c3d4e5f6a7b8c9d.html",
            "<body>0a1b2c3d4e5f6a7b8c9d</body>",
            true,
        );
        check(
            "/.well-known/pki-validation/a.html",
            "<h1>Anything</h1>",
            true,
        );
        check("/empty.html", "", true);
    }

    #[test]
    fn pages_of_words_are_no_proof_r_s19() {
        check(
            "/",
            "<!doctype html><meta name=google-site-verification content=x1><title>Home</title><p>Bread",
            false,
        );
        check(
            "/pinterest-guide.html",
            "<title>Guide</title><p>Pins",
            false,
        );
        check(
            "/pinterest-2024.html",
            "<title>Pinterest in 2024</title><h1>Our pins</h1>",
            false,
        );
        check("/a.html", "<p>Bread</p>", false);
        check("/2024.html", "<title>2024</title>", false);
        check("/empty/", "", false);
        check("/contact.html", "<p>baker@example.com</p>", false);
    }
}
