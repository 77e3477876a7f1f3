//! `variants` in `[store]`.

use super::*;

#[test]
fn a_store_keeps_the_variants_that_hosts_want() {
    let variants = |written: &str| {
        parse(&format!("{SITE}[store]\nvariants = {written}\n"), &[])
            .unwrap()
            .store
            .variants
    };
    assert_eq!(variants("[]"), [].into());
    assert_eq!(variants("[\"gz\"]"), [Encoding::Gzip].into());
    check(
        "[store]\nvariants = [\"br\", \"zip\"]\n",
        2,
        19,
        "`variants` must be \"br\" or \"gz\"",
    );
    for (variants, encoding, missing) in [("gz", "br", "br"), ("br", "gzip", "gz")] {
        let bucket = format!(
            "[publish.live]\nkind = \"s3\"\nto = \"s3://pages\"\nencoding = \"{encoding}\"\n"
        );
        let said = format!(
            "its `encoding` is \"{encoding}\", which the store does not keep; add \"{missing}\" to `variants` in [store]"
        );
        check(
            &format!("[store]\nvariants = [\"{variants}\"]\n{bucket}"),
            3,
            1,
            &said,
        );
    }
}
