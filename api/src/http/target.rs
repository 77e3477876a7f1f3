//! The door: host and path of a request, checked, or the reason why it is refused.
//!
//! Stricter than HTTP where a proxy in front could read the same bytes another way: no or two hosts, a host beside
//! another in the address, chunks, a body on a request for a page (RFC 9112 sections 3.2 and 6.3). A path is brought to the form in which
//! pages are named, so a dot segment never goes further than here.

use hyper::header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use hyper::{Method, Request, Uri};
use pipeline::model::PagePath;

use super::error::HttpRefusal;

const LONGEST_PATH: usize = 8 << 10;
/// The longest path with its query.
const LONGEST_TARGET: usize = 32 << 10;
const LONGEST_HOST: usize = 255;
/// Most bytes of names and values of headers.
const MOST_HEADERS: usize = 32 << 10;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpTarget {
    /// Host and port as sent, in lower case.
    pub(crate) host: String,
    /// The path, as [`PagePath`] writes it.
    pub(crate) path: String,
    /// The query, as sent.
    pub(crate) query: Option<String>,
}

impl HttpTarget {
    /// Reads the target of a request.
    pub(crate) fn of<B>(request: &Request<B>) -> Result<Self, HttpRefusal> {
        let uri = request.uri();
        // Found by whoever saw the bytes.
        if let Some(refusal) = request.extensions().get::<HttpRefusal>() {
            return Err(*refusal);
        }
        if request.headers().contains_key(TRANSFER_ENCODING) {
            return Err(HttpRefusal::LengthRequired);
        }
        let has_body = request
            .headers()
            .get(CONTENT_LENGTH)
            .is_some_and(|length| length.as_bytes() != b"0");
        if has_body && matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(HttpRefusal::ContentTooLarge);
        }
        let sizes = request
            .headers()
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len());
        if sizes.sum::<usize>() > MOST_HEADERS {
            return Err(HttpRefusal::HeadersTooLarge);
        }
        let host = host(request)?;
        let query = uri.query().map_or(0, str::len);
        if uri.path().len() > LONGEST_PATH || uri.path().len() + query > LONGEST_TARGET {
            return Err(HttpRefusal::UriTooLong);
        }
        Ok(Self {
            host,
            path: path(uri)?,
            query: uri.query().map(str::to_owned),
        })
    }

    /// The host without its port.
    pub(crate) fn host_name(&self) -> &str {
        match without_port(&self.host) {
            name if name.ends_with(':') => &self.host,
            name => name,
        }
    }

    /// Whether this is the host that is named; its port counts only if one is named.
    pub(crate) fn is_at(&self, named: &str) -> bool {
        named == self.host || named == self.host_name()
    }

    /// `text` with this request's query, if it has one.
    pub(crate) fn with_query(&self, mut text: String) -> String {
        if let Some(query) = &self.query {
            text.push('?');
            text.push_str(query);
        }
        text
    }
}

fn host<B>(request: &Request<B>) -> Result<String, HttpRefusal> {
    let mut sent = request.headers().get_all(HOST).iter();
    let (Some(host), None) = (sent.next(), sent.next()) else {
        return Err(HttpRefusal::BadRequest("a request has exactly one host"));
    };
    // In absolute form the address names it again; a proxy may have looked at either.
    let named = request
        .uri()
        .authority()
        .map(|authority| authority.as_str());
    if named.is_some_and(|named| !named.as_bytes().eq_ignore_ascii_case(host.as_bytes())) {
        return Err(HttpRefusal::BadRequest(
            "the address names another host than the header",
        ));
    }
    let allowed = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':' | b'[' | b']')
    };
    let name = host
        .to_str()
        .ok()
        .filter(|name| !name.is_empty() && name.len() <= LONGEST_HOST);
    match name {
        Some(name) if name.bytes().all(allowed) => Ok(without_last_dot(name)),
        _ => Err(HttpRefusal::BadRequest("the host is no host name")),
    }
}

/// A host in lower case; `example.com.` is `example.com`, written in full.
fn without_last_dot(host: &str) -> String {
    let mut host = host.to_ascii_lowercase();
    let end = without_port(&host).len();
    if host[..end]
        .strip_suffix('.')
        .is_some_and(|name| !name.is_empty() && !name.ends_with('.'))
    {
        host.remove(end - 1);
    }
    host
}

/// What stands before a colon with nothing but digits after it, or everything.
fn without_port(host: &str) -> &str {
    host.trim_end_matches(|sign: char| sign.is_ascii_digit())
        .strip_suffix(':')
        .unwrap_or(host)
}

fn path(uri: &Uri) -> Result<String, HttpRefusal> {
    let path = uri.path();
    let is_dotted = path
        .as_bytes()
        .windows(2)
        .any(|two| matches!(two, [b'/', b'.']));
    if path.starts_with('/') && path.bytes().all(is_plain) && !path.starts_with("//") && !is_dotted
    {
        return Ok(path.to_owned());
    }
    match PagePath::parse(path) {
        Ok(path) => Ok(path.to_string()),
        Err(_) => Err(HttpRefusal::BadRequest("the path is no path on a site")),
    }
}

/// Whether a path has this byte as it is (RFC 3986 section 3.3).
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b'@')
        || matches!(
            byte,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'='
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_checked_at_the_door() {
        let ok = |host: &str, path: &str| Ok((host.to_owned(), path.to_owned()));
        let refused = Err(400);
        let long = format!("/{}", "x".repeat(LONGEST_PATH));
        let asks = format!("/?{}", "x".repeat(LONGEST_TARGET));
        let wide = "x".repeat(20_000);
        for (uri, headers, expected) in [
            (
                "/about?x=1",
                vec![("host", "Example.com:80")],
                ok("example.com:80", "/about"),
            ),
            ("/", vec![("host", "Example.com.")], ok("example.com", "/")),
            (
                "/",
                vec![("host", "example.com.:80")],
                ok("example.com:80", "/"),
            ),
            (
                "/",
                vec![("host", "example.com..")],
                ok("example.com..", "/"),
            ),
            ("/", vec![("host", "a.:b")], ok("a.:b", "/")),
            ("/", vec![("host", ".")], ok(".", "/")),
            ("/", vec![("host", "a.:")], ok("a:", "/")),
            ("/a/../b/%2e%2e/c", vec![("host", "h")], ok("h", "/c")),
            (
                "/../../etc/passwd",
                vec![("host", "h")],
                ok("h", "/etc/passwd"),
            ),
            (
                "/%c3%bc",
                vec![("host", "[::1]:8080")],
                ok("[::1]:8080", "/%C3%BC"),
            ),
            (
                "http://Other.test/x",
                vec![("host", "other.Test")],
                ok("other.test", "/x"),
            ),
            ("http://other.test/x", vec![("host", "h")], refused.clone()),
            (
                "http://user@other.test/x",
                vec![("host", "user@other.test")],
                refused.clone(),
            ),
            ("/", vec![], refused.clone()),
            ("/", vec![("host", "a"), ("host", "b")], refused.clone()),
            ("/", vec![("host", "")], refused.clone()),
            ("/", vec![("host", "a/b")], refused.clone()),
            ("//evil.test/x", vec![("host", "h")], refused.clone()),
            (
                "/",
                vec![("host", "h"), ("transfer-encoding", "chunked")],
                Err(411),
            ),
            ("/", vec![("host", "h"), ("content-length", "5")], Err(413)),
            (
                "/",
                vec![("host", "h"), ("content-length", "0")],
                ok("h", "/"),
            ),
            (&asks, vec![("host", "h")], Err(414)),
            (&long, vec![("host", "h")], Err(414)),
            (
                "/",
                vec![("host", "h"), ("x", &wide), ("y", &wide)],
                Err(431),
            ),
        ] {
            let mut request = Request::get(uri);
            for (name, value) in headers {
                request = request.header(name, value);
            }
            let given = HttpTarget::of(&request.body(()).unwrap());
            let given = given
                .map(|target| (target.host, target.path))
                .map_err(|refusal| refusal.status().as_u16());
            assert_eq!(given, expected, "{uri}");
        }
    }

    #[test]
    fn ports_are_no_part_of_a_name() {
        for (host, name) in [
            ("a.test", "a.test"),
            ("a.test:80", "a.test"),
            ("[::1]:80", "[::1]"),
            ("[::1]", "[::1]"),
        ] {
            let target = HttpTarget {
                host: host.to_owned(),
                path: "/".to_owned(),
                query: None,
            };
            assert_eq!(target.host_name(), name, "{host}");
            assert!(
                target.is_at(name) && target.is_at(host) && !target.is_at("a.test:81"),
                "{host}"
            );
        }
    }
}
