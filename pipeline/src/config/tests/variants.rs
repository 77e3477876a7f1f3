//! `variants` in `[store]`.

use super::*;

#[test]
fn a_store_keeps_the_variants_that_hosts_want() {
    let variants =
        |written: &str| parse(&format!("{SITE}[store]\nvariants = {written}\n"), &[]).unwrap().store.variants;
    assert_eq!(variants("[]"), [].into());
    assert_eq!(variants("[\"gz\"]"), [Encoding::Gzip].into());
    check("[store]\nvariants = [\"br\", \"zip\"]\n", 2, 19, "`variants` must be \"br\" or \"gz\"");
    let bucket = "[publish.live]\nkind = \"s3\"\nto = \"s3://pages\"\nencoding = \"br\"\n";
    check(
        &format!("[store]\nvariants = [\"gz\"]\n{bucket}"),
        3,
        1,
        "its `encoding` is \"br\", which the store does not keep; add it to `variants` in [store]",
    );
}
