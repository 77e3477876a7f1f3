//! Places on the disk that must not lie in one another.

use super::{SITE, check_whole, site};

#[test]
fn a_store_is_not_inside_a_source() {
    let in_source = |objects: &str| {
        format!(
            "the store (/etc/latimer/{objects}) lies in this source folder, so a build would take its own output for pages; \
             move the pages to a folder of their own, or set objects = \".latimer/dist\" in [store]: hidden folders are no \
             part of a site"
        )
    };
    check_whole(&SITE.replace("\"src\"", "\".\""), 3, 10, &in_source("dist"));
    check_whole(
        &format!("{SITE}[store]\nobjects = \"./src/out\"\n"),
        3,
        10,
        &in_source("./src/out"),
    );
    let message = "the state (/etc/latimer/src/state.redb) lies in this source folder; move the pages to a folder of their \
                   own, or leave `state` out of [store]";
    check_whole(
        &format!("{SITE}[store]\nstate = \"src/state.redb\"\n"),
        3,
        10,
        message,
    );
    assert_eq!(site("[store]\nobjects = \"src-out\"\n").id.as_str(), "a");
}
