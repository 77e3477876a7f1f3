//! Tests of `crawl.rs`.

use serde_json::json;

use super::*;

#[test]
fn xhtml_that_a_host_would_send_as_html_is_named() {
    let page = |path: &str, content_type: &str| {
        let record =
            json!({ "hash": "", "name": "", "kind": "page", "content_type": content_type });
        (
            PagePath::parse(path).unwrap(),
            serde_json::from_value(record).unwrap(),
        )
    };
    let xhtml = "application/xhtml+xml";
    let pages = [
        page("/a", xhtml),
        page("/b.xhtml", xhtml),
        page("/c", "text/html"),
        page("/d/", xhtml),
    ];
    let sources = Sources {
        records: pages.into(),
        ..Sources::default()
    };
    let notice = notice_of_xhtml(&sources).unwrap();
    assert!(
        notice.ends_with("/a (a.html), /d/ (d/index.html)"),
        "{notice}"
    );
    let sources = Sources {
        records: [page("/b.xhtml", xhtml)].into(),
        ..Sources::default()
    };
    assert_eq!(notice_of_xhtml(&sources), None);
}
