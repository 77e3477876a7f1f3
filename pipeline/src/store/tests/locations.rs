//! Locations of stores, as settings write them.

use super::*;

#[test]
fn stores_open_by_location() {
    let options = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect()
    };
    let folder = scratch();
    let path = folder.path().join("dist").display().to_string();
    for (location, given, opens, is_folder) in [
        (path.as_str(), options(&[]), true, true),
        (&format!("file://{path}"), options(&[]), true, true),
        ("memory:///", options(&[]), true, false),
        (
            "s3://bucket/prefix",
            options(&[("aws_region", "us-east-1")]),
            true,
            false,
        ),
        (
            "s3://bucket",
            options(&[("aws_regoin", "us-east-1")]),
            false,
            false,
        ),
        ("gs://bucket", options(&[]), false, false),
        ("ftp://host/x", options(&[]), false, false),
    ] {
        let opened = Objects::open(location, &given);
        assert_eq!(opened.is_ok(), opens, "{location}: {opened:?}");
        assert_eq!(
            opened.is_ok_and(|objects| objects.is_folder()),
            is_folder,
            "{location}"
        );
    }
}
