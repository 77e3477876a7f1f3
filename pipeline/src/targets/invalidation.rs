//! Telling CloudFront which addresses have changed, by AWS's own program. Pure: what the program is told.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::encoded_name;

/// The most addresses that are told.
const MOST: usize = 1_000;
/// In a folder with more, all of it is told; and the most folders that CloudFront works on at a time.
const FEW: usize = 15;

/// The program and its arguments.
pub(super) fn command(distribution: &str, names: &BTreeSet<String>) -> Vec<String> {
    let fixed = [
        "aws",
        "cloudfront",
        "create-invalidation",
        "--distribution-id",
        distribution,
        "--paths",
    ];
    fixed
        .into_iter()
        .map(str::to_owned)
        .chain(paths(names))
        .collect()
}

/// The addresses of files, with whole folders (`/es/*`) in place of many in one.
fn paths(names: &BTreeSet<String>) -> BTreeSet<String> {
    let all: BTreeSet<String> = names
        .iter()
        .map(|name| format!("/{}", encoded_name(name)))
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in &all {
        *counts
            .entry(folders(path).last().unwrap_or("/"))
            .or_default() += 1;
    }
    let is_full = |folder: &&str| counts.get(folder).is_some_and(|count| *count > FEW);
    let fold = |path: &String| {
        folders(path)
            .find(is_full)
            .map_or_else(|| path.clone(), |folder| format!("{folder}*"))
    };
    let mut paths: BTreeSet<String> = all.iter().map(fold).collect();
    let mut depth = paths
        .iter()
        .map(|path| folders(path).count())
        .max()
        .unwrap_or(0);
    while depth > 0
        && (paths.len() > MOST || paths.iter().filter(|path| path.ends_with('*')).count() > FEW)
    {
        // What lies deeper is told by the folder at this depth.
        let cut = |path: &String| {
            folders(path)
                .nth(depth - 1)
                .map_or_else(|| path.clone(), |folder| format!("{folder}*"))
        };
        paths = paths.iter().map(cut).collect();
        depth -= 1;
    }
    paths
}

/// The folders that a path is in, the topmost first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..=at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_addresses_of_a_folder_are_told_as_one() {
        let many = |count: usize, name: &dyn Fn(usize) -> String| -> BTreeSet<String> {
            (0..count).map(name).collect()
        };
        let told = |names: BTreeSet<String>| paths(&names).into_iter().collect::<Vec<_>>();
        assert_eq!(
            told(["es/maíz a.html".to_owned()].into()),
            ["/es/ma%C3%ADz%20a.html"]
        );
        assert_eq!(told(many(15, &|at| format!("es/{at}.html"))).len(), 15);
        assert_eq!(told(many(16, &|at| format!("es/{at}.html"))), ["/es/*"]);
        assert_eq!(
            told(
                many(16, &|at| format!("es/{at}.html"))
                    .into_iter()
                    .chain(["es/a/b.css".to_owned()])
                    .collect()
            ),
            ["/es/*"]
        );
        assert_eq!(
            told(many(1000, &|at| format!("es/{at}/index.html"))).len(),
            1000
        );
        assert_eq!(
            told(many(1001, &|at| format!("es/{at}/index.html"))),
            ["/es/*"]
        );
        assert_eq!(
            told(many(400, &|at| format!("l{}/{at}.html", at % 20))),
            ["/*"],
            "20 folders are too many"
        );
    }
}
