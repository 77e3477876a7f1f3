//! Media types: by the ending of a name where no header says more, and what is a page or document.

use crate::model::SourceKind;
use crate::page::PageFormat;

/// The web's common endings and their media types, sorted.
const TYPES: [(&str, &str); 66] = [
    ("aac", "audio/aac"),
    ("apng", "image/apng"),
    ("atom", "application/atom+xml"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    (
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ),
    ("eot", "application/vnd.ms-fontobject"),
    ("epub", "application/epub+zip"),
    ("flac", "audio/flac"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ico", "image/vnd.microsoft.icon"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("jsonld", "application/ld+json"),
    ("jxl", "image/jxl"),
    ("m4a", "audio/mp4"),
    ("m4v", "video/mp4"),
    ("map", "application/json"),
    ("md", "text/markdown"),
    ("mid", "audio/midi"),
    ("mjs", "text/javascript"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("mpeg", "video/mpeg"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("oga", "audio/ogg"),
    ("ogg", "audio/ogg"),
    ("ogv", "video/ogg"),
    ("opus", "audio/ogg"),
    ("otf", "font/otf"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    (
        "pptx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ),
    ("rss", "application/rss+xml"),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("svgz", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("ttf", "font/ttf"),
    ("txt", "text/plain"),
    ("vtt", "text/vtt"),
    ("wasm", "application/wasm"),
    ("wav", "audio/wav"),
    ("weba", "audio/webm"),
    ("webm", "video/webm"),
    ("webmanifest", "application/manifest+json"),
    ("webp", "image/webp"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("xhtml", "application/xhtml+xml"),
    ("xml", "application/xml"),
];

/// Endings of things to download that are no media type of their own.
const DOWNLOADS: [&str; 10] = [
    "7z", "apk", "bin", "bz2", "deb", "dmg", "exe", "xls", "xlsx", "zip",
];

/// The type of pages.
pub(super) const HTML: &str = "text/html";

/// The type of bytes about which nothing is known.
pub(super) const UNKNOWN: &str = "application/octet-stream";

/// The media type that the ending of a path suggests.
pub(crate) fn by_ending(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    if DOWNLOADS.contains(&ending.as_str()) {
        return Some(UNKNOWN);
    }
    TYPES
        .binary_search_by_key(&ending.as_str(), |&(known, _)| known)
        .ok()
        .map(|at| TYPES[at].1)
}

/// Whether a media type is that of a page.
pub(crate) fn is_page(content_type: &str) -> bool {
    matches!(content_type, "text/html" | "application/xhtml+xml")
}

/// How a page of that media type is read.
pub(crate) fn format_of_page(content_type: &str) -> PageFormat {
    PageFormat::of(content_type, "", b"")
        .filter(|_| is_page(content_type))
        .unwrap_or(PageFormat::Html)
}

/// How a source is read.
pub(crate) fn format_of(
    kind: SourceKind,
    content_type: &str,
    path: &str,
    body: &[u8],
) -> PageFormat {
    match kind {
        SourceKind::Document => {
            PageFormat::of(content_type, path, body).unwrap_or(PageFormat::Html)
        }
        SourceKind::Page | SourceKind::File => format_of_page(content_type),
    }
}

/// What something that is no page is to us.
pub(super) fn kind_of_file(content_type: &str, path: &str, body: &[u8]) -> SourceKind {
    match PageFormat::of(content_type, path, body) {
        Some(
            PageFormat::Feed | PageFormat::JsonFeed | PageFormat::Manifest | PageFormat::Sidebar,
        ) => SourceKind::Document,
        // HTML that a page embeds as a picture or script is no page.
        Some(PageFormat::Html | PageFormat::Xhtml) | None => SourceKind::File,
    }
}

/// Whether a path's ending says that it is certainly no page.
pub(super) fn is_file_name(path: &str) -> bool {
    by_ending(path).is_some_and(|content_type| !is_page(content_type))
}

/// Whether a body of undeclared type starts like a page.
pub(crate) fn looks_like_page(body: &[u8]) -> bool {
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
    let start = body
        .iter()
        .position(|byte| !byte.is_ascii_whitespace())
        .unwrap_or(body.len());
    let starts = |word: &&[u8]| {
        body[start..]
            .get(..word.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(word))
    };
    [
        &b"<!doctype html"[..],
        b"<html",
        b"<head",
        b"<body",
        b"<title",
        b"<!--",
    ]
    .iter()
    .any(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_name_types() {
        assert!(TYPES.is_sorted());
        for (path, content_type) in [
            ("/index.html", Some("text/html")),
            ("/A.HTM", Some("text/html")),
            ("/x.y/style.css", Some("text/css")),
            ("/fonts/a.woff2", Some("font/woff2")),
            ("/get.zip", Some(UNKNOWN)),
            ("/about", None),
            ("/v1.2/about", None),
            ("/page.php", None),
        ] {
            assert_eq!(by_ending(path), content_type, "{path}");
        }
    }

    #[test]
    fn undeclared_bodies_are_sniffed() {
        for (body, page) in [
            (&b"\xEF\xBB\xBF\n <!DOCTYPE html><p>"[..], true),
            (b"<HTML lang=en>", true),
            (b"<?xml version='1.0'?><rss/>", false),
            (b"%PDF-1.7", false),
            (b"", false),
        ] {
            assert_eq!(looks_like_page(body), page, "{body:?}");
        }
    }
}
