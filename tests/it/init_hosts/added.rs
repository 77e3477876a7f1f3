//! Hosts that are added to a configuration that is there already, of one site or of several.

use super::*;

#[test]
fn a_host_is_added_to_a_file_that_is_there() {
    let folder = checkout(Some("https://www.example.com/"));
    let toml = || fs::read_to_string(folder.path().join("bakery/latimer.toml")).unwrap();
    assert_eq!(init(folder.path(), &["public", "--locale", "es"]).code, 0);
    let before = toml();
    init(folder.path(), &["public", "--host", "netlify"])
        .failed(1, &["latimer.toml exists already", "--host NAME"]);
    assert_eq!(init(folder.path(), &["--host", "netlify"]).code, 0);
    let after = toml();
    assert!(
        after.starts_with(before.trim_end()) && after.contains("[publish.netlify]"),
        "{after}"
    );
    init(folder.path(), &["--host", "netlify"])
        .failed(1, &["[publish.netlify] already", "nothing was written"]);
    assert_eq!(
        init(folder.path(), &["--host", "netlify", "--ci", "gitlab"]).code,
        0,
        "only the CI file is new"
    );
    assert_eq!(toml(), after);
    init(
        folder.path(),
        &[
            "--host",
            "vercel",
            "--ci",
            "github",
            "--ci-file",
            "./latimer.toml",
        ],
    )
    .failed(
        2,
        &["./latimer.toml is the configuration itself", "another name"],
    );
    assert_eq!(toml(), after);
    let own = folder.path().join("bakery/.gitlab-ci.yml");
    fs::write(&own, "mine: {}\n").unwrap();
    init(folder.path(), &["--host", "vercel", "--ci", "gitlab"])
        .failed(1, &[".gitlab-ci.yml exists already", "include:"]);
    assert_eq!(
        (fs::read_to_string(&own).unwrap().as_str(), toml()),
        ("mine: {}\n", after)
    );
    init(folder.path(), &["--host", "netlifi"]).failed(2, &["netlify"]);
    init(folder.path(), &["--ci", "github"]).failed(2, &["--host"]);
}

#[test]
fn of_several_sites_each_gets_a_table_of_its_own() {
    let folder = checkout(None);
    let table = |id: &str| {
        format!(
            "[[site]]\nid = \"{id}\"\nsource = \"public\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n\
             translations = \"translations/{{lang}}.po\"\n"
        )
    };
    let toml = format!("{}\n{}", table("bakery"), table("shop"));
    let file = folder.path().join("bakery/latimer.toml");
    fs::write(&file, &toml).unwrap();
    init(folder.path(), &["--host", "nginx"]).failed(2, &["several sites", "--site: bakery, shop"]);
    init(folder.path(), &["--host", "nginx", "--site", "shp"])
        .failed(2, &["no site \"shp\"", "bakery, shop"]);
    init(
        folder.path(),
        &["public", "--host", "nginx", "--site", "shop"],
    )
    .failed(2, &["--site"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), toml);
    for site in ["bakery", "shop"] {
        assert_eq!(
            init(folder.path(), &["--host", "nginx", "--site", site]).code,
            0
        );
    }
    init(folder.path(), &["--host", "nginx", "--site", "shop"])
        .failed(1, &["[publish.shop-nginx] already"]);
    let ran = init(
        folder.path(),
        &["--host", "github-pages", "--site", "shop", "--ci", "github"],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("[publish.shop-nginx]\nsite = \"shop\"\nkind = \"folder\""),
        "{text}"
    );
    let ci =
        fs::read_to_string(folder.path().join("bakery/.github/workflows/latimer.yml")).unwrap();
    for line in [
        "latimer publish shop-github-pages --verify",
        "path: .latimer/publish/shop-github-pages",
    ] {
        assert!(ci.contains(line), "{ci}");
    }
    stand_ins(folder.path());
    assert_eq!(run(folder.path(), &["build", "--quiet"]).code, 0);
    for site in ["bakery", "shop"] {
        let ran = run(
            folder.path(),
            &["publish", "--quiet", &format!("{site}-nginx")],
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(
            folder
                .path()
                .join(format!("bakery/www/{site}/current/es/index.html"))
                .exists()
        );
    }
}

#[test]
fn a_table_is_one_for_the_reader_of_the_file_alone() {
    let folder = checkout(None);
    assert_eq!(init(folder.path(), &["public", "--locale", "es"]).code, 0);
    let file = folder.path().join("bakery/latimer.toml");
    let text = fs::read_to_string(&file).unwrap() + "\n# later: [publish.netlify] perhaps\n";
    fs::write(&file, &text).unwrap();
    let ran = init(folder.path(), &["--host", "netlify"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let now = fs::read_to_string(&file).unwrap();
    assert!(
        now.starts_with(text.trim_end()) && now.contains("\n[publish.netlify]\n"),
        "{now}"
    );
    assert!(!folder.path().join("bakery/latimer.toml.new").exists());
}
