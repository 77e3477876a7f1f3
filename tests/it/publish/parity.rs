//! What a host is asked, and what its answers are compared by.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;

use crate::support::web::PATIENCE;
use crate::support::{Site, files};

/// What an answer is compared by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) status: u16,
    pub(super) location: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
}

pub(super) fn ask(address: &str, host: &str, method: &str, path: &str, headers: &str) -> Seen {
    ask_with_head(address, host, method, path, headers).0
}

/// An answer, and the lines before its body.
pub(super) fn ask_with_head(
    address: &str,
    host: &str,
    method: &str,
    path: &str,
    headers: &str,
) -> (Seen, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"
    )
    .unwrap();
    let mut bytes = Vec::new();
    let mut part = [0; 1 << 16];
    let (head, body) = loop {
        let read = stream.read(&mut part).unwrap();
        bytes.extend_from_slice(&part[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            assert!(read > 0, "{method} {path}: an answer has a head");
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let body = &bytes[end + 4..];
        if read == 0 || is_whole(method, &head, body) {
            break (head, body.to_vec());
        }
    };
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let location = header(&head, "location").map(|location| {
        // Apache names scheme and host.
        location
            .strip_prefix(&format!("http://{host}"))
            .unwrap_or(location)
            .to_owned()
    });
    let has_body = matches!(status, 200 | 404 | 410);
    let content_type = header(&head, "content-type")
        .filter(|_| has_body)
        .map(str::to_owned);
    let body = if header(&head, "transfer-encoding").is_some() {
        unchunked(&body)
    } else {
        body
    };
    let seen = Seen {
        status,
        location,
        content_type,
        body: if has_body { body } else { Vec::new() },
    };
    (seen, head)
}

pub(super) fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

/// Whether nothing more comes; not every server closes the connection then, as it was asked to.
fn is_whole(method: &str, head: &str, body: &[u8]) -> bool {
    match (
        header(head, "transfer-encoding"),
        header(head, "content-length"),
    ) {
        _ if method == "HEAD" => true,
        (Some(_), _) => body.ends_with(b"0\r\n\r\n"),
        (None, Some(length)) => body.len() >= length.parse::<usize>().unwrap(),
        (None, None) => false,
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 2 + size + 2..];
    }
    whole
}

/// Every page and file of a store's live tree in each spelling below each of the prefixes, and odd addresses.
pub(super) fn paths(site: &Site, base: &str, labels: &[&str]) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = [
        "antes/index.html",
        "about/index.html",
        "nada/index.html",
        "docs/nada.html",
        "news",
        "moved",
    ]
    .map(str::to_owned)
    .into();
    for name in files(&site.path("dist/site/"))
        .into_keys()
        .filter(|name| !name.starts_with("_deployments"))
    {
        let (tree, rest) = name.split_once('/').unwrap_or(("", &name));
        let is_tree = ["en", "es", "fr", "br", "pt-BR", "en-XA"].contains(&tree);
        names.insert(if is_tree { rest.to_owned() } else { name });
    }
    let mut paths = BTreeSet::new();
    for name in names.iter().filter(|name| !name.starts_with("_sources")) {
        let path = format!(
            "/{}",
            name.split('/').map(encoded).collect::<Vec<_>>().join("/")
        );
        let stem = ["/index.html", ".html"]
            .iter()
            .find_map(|ending| path.strip_suffix(ending))
            .unwrap_or(&path);
        for prefix in labels {
            let spelled = ["/", "", ".html", "/index.html"]
                .map(|ending| format!("{base}{prefix}{stem}{ending}"));
            paths.extend(
                spelled
                    .into_iter()
                    .filter(|path| path.starts_with('/') && *path != format!("{base}.html")),
            );
            paths.insert(format!("{base}{prefix}{stem}/?x=1"));
        }
    }
    for odd in [
        "//es/",
        "/%65s/",
        "/es/%61bout/",
        "/es?x=1",
        "/es.html",
        "/nowhere/at/all",
        "/es/x.png/",
        "/es/docs//y.txt",
    ] {
        paths.insert(format!("{base}{odd}").replacen("/shop//", "//shop/", 1));
    }
    paths
}

fn encoded(segment: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    segment
        .bytes()
        .map(|byte| {
            if is_plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

pub(super) fn told(seen: &Seen) -> (u16, Option<&str>, Option<&str>, usize) {
    (
        seen.status,
        seen.location.as_deref(),
        seen.content_type.as_deref(),
        seen.body.len(),
    )
}
