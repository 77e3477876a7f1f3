//! Live trees: what they show, the room that they take, and their repair.

use super::*;

#[tokio::test]
async fn live_tree_shows_locales_that_are_on() {
    async fn check(settings: ServingSettings, expected: &[&str]) {
        let folder = scratch();
        let objects = Objects::folder(folder.path()).unwrap();
        build(&objects, &first(), self::settings()).await.unwrap();
        build(&objects, &second(), settings).await.unwrap();
        let live: Vec<String> = on_disk(&folder.path().join("bakery"))
            .into_keys()
            .filter(|name| !name.starts_with("_deployments/"))
            .collect();
        assert_eq!(live, expected);
        assert_eq!(
            std::fs::read_to_string(folder.path().join("bakery/es/index.html")).unwrap(),
            page("Pan del dia")
        );
    }
    check(
        settings(),
        &[
            "en/index.html",
            "es/index.html",
            "es/new/index.html",
            "img/loaf.svg",
            "menu/today",
        ],
    )
    .await;
    let in_host = ServingSettings {
        url: Some("https://{lang}.example.com".to_owned()),
        ..settings()
    };
    let expected = [
        "en/img/loaf.svg",
        "en/index.html",
        "en/menu/today",
        "es/img/loaf.svg",
        "es/index.html",
        "es/menu/today",
        "es/new/index.html",
    ];
    check(in_host, &expected).await;
}

#[cfg(unix)]
#[tokio::test]
async fn live_tree_costs_no_space() {
    use std::os::unix::fs::MetadataExt;
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    let inode = |name: &str| {
        std::fs::metadata(folder.path().join("bakery").join(name))
            .unwrap()
            .ino()
    };
    let hash = record::hash(page("Acerca").as_bytes());
    assert_eq!(
        inode("es/about.html"),
        inode(&format!("_deployments/objects/{}/{hash}", &hash[..2]))
    );
}

#[tokio::test]
async fn damaged_live_tree_is_repaired_by_the_next_deployment() {
    let folder = scratch();
    let objects = Objects::folder(folder.path()).unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    let site_folder = folder.path().join("bakery");
    let whole = on_disk(&site_folder);
    std::fs::remove_file(site_folder.join("es/about.html")).unwrap();
    std::fs::write(site_folder.join("es/stray.html"), "stray").unwrap();
    std::fs::write(site_folder.join("es/index.html#3"), "half").unwrap();
    std::fs::remove_file(site_folder.join("_deployments/live.json")).unwrap();
    build(&objects, &first(), settings()).await.unwrap();
    assert_same(&on_disk(&site_folder), &whole);
}
