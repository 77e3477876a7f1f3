//! What keeps others out of the admin screen: whose forms are taken, what a page may do, and the cookie.
//!
//! Another port of the same host is another origin, and browsers send cookies there all the same; so a form counts only
//! where the browser says that it comes from this very origin (Fetch Metadata), or, without that, names it (`Origin`).

use hyper::Response;
use hyper::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HeaderMap, HeaderName, HeaderValue, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use pipeline::config::AdminConfig;
use url::Url;

use crate::http::body::Body;
use crate::http::target::HttpTarget;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'";
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "same-origin"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];
const PLAIN: &str = "latimer_admin";
const SECURE: &str = "__Host-latimer_admin";

/// Whether a form was sent by a page of the screen.
pub(super) fn is_own(headers: &HeaderMap, url: &Url, target: &HttpTarget) -> bool {
    let mut said = headers.get_all("sec-fetch-site").iter();
    match (said.next(), said.next()) {
        (Some(site), None) => site == "same-origin",
        (Some(_), Some(_)) => false,
        (None, _) => {
            let mut origins = headers.get_all(ORIGIN).iter();
            let (Some(origin), None) = (origins.next(), origins.next()) else {
                return false;
            };
            let own = url.origin().ascii_serialization();
            let here = format!("{}://{}", url.scheme(), target.host);
            origin
                .to_str()
                .is_ok_and(|origin| origin == own || origin == here)
        }
    }
}

/// What every answer has.
pub(super) fn protect(response: &mut Response<Body>) {
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
}

fn name(config: &AdminConfig) -> &'static str {
    if config.url.scheme() == "https" {
        SECURE
    } else {
        PLAIN
    }
}

/// The cookie that signs in, or out.
pub(super) fn cookie(config: &AdminConfig, secret: Option<&str>) -> String {
    let secure = if config.url.scheme() == "https" {
        "; Secure"
    } else {
        ""
    };
    let age = if secret.is_some() { "" } else { "; Max-Age=0" };
    format!(
        "{}={}; HttpOnly; SameSite=Lax; Path=/{secure}{age}",
        name(config),
        secret.unwrap_or_default()
    )
}

/// What the browser holds.
pub(super) fn held(config: &AdminConfig, headers: &HeaderMap) -> Option<String> {
    let lines = headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok());
    let mut own = lines.flat_map(|line| line.split(';')).filter_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name(config)).then(|| value.to_owned())
    });
    match (own.next(), own.next()) {
        (Some(only), None) if !only.is_empty() => Some(only),
        _ => None,
    }
}
