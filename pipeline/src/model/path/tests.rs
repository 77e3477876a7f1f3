//! Tests of `path.rs`.

use super::*;

fn path(text: &str) -> PagePath {
    PagePath::parse(text).unwrap()
}

#[test]
fn sessions_are_no_part_of_a_path_r_s11() {
    for (written, expected) in [
        ("/a;jsessionid=0A1B", "/a"),
        ("/a;JSESSIONID=0A.node1/b", "/a/b"),
        ("/a/;sid=1;v=2", "/a/;v=2"),
        ("/a;phpsessid=1?x=2", "/a?x=2"),
        ("/a;v=1", "/a;v=1"),
        ("/a;inside=1", "/a;inside=1"),
    ] {
        assert_eq!(without_session(written), expected, "{written}");
    }
    let url = Url::parse("https://h.example/a;jsessionid=0A1B?page=2").unwrap();
    assert_eq!(PagePath::of_url(&url).as_str(), "/a");
}

#[test]
fn addresses_become_names_r_e8() {
    for (address, html, name) in [
        ("/", true, "index.html"),
        ("/about/", true, "about/index.html"),
        ("/about", true, "about.html"),
        ("/about.html", true, "about.html"),
        ("/a.php", true, "a.php.html"),
        ("/A.HTM", true, "A.HTM"),
        ("/img/loaf.svg", false, "img/loaf.svg"),
        ("/no-ending", false, "no-ending"),
        ("/%C3%BCber/", true, "über/index.html"),
        ("/caf%c3%a9", true, "café.html"),
        ("/a%20b.html", true, "a b.html"),
        ("/a%2Fb.html", true, "a%252Fb.html"),
        ("/%FF.png", false, "%25FF.png"),
        ("/100%25.png", false, "100%25.png"),
        ("/x%3Fy.png", false, "x%3Fy.png"),
        ("/notes%231", false, "notes%231"),
        ("/con", true, "%63on.html"),
        ("/end./x", false, "end%2E/x"),
        ("/_deployments/x", false, "%5Fdeployments/x"),
        ("/a/../b/./c", true, "b/c.html"),
        ("/list?page=2", true, ""),
    ] {
        let given = object_name(&path(address), html);
        if address.contains('?') {
            assert!(
                given.starts_with("list.q-") && given.ends_with(".html"),
                "{given}"
            );
        } else {
            assert_eq!(given, name, "{address}");
        }
    }
}

#[test]
fn long_names_are_cut_and_stay_apart_f_53() {
    let same = "x".repeat(200);
    for (one, two, html, ending) in [
        (
            format!("/{same}{}a", "y".repeat(99)),
            format!("/{same}{}b", "y".repeat(99)),
            true,
            ".html",
        ),
        (
            format!("/{same}a.png"),
            format!("/{same}b.png"),
            false,
            ".png",
        ),
        (
            format!("/{same}?a=1"),
            format!("/{same}?a=2"),
            true,
            ".html",
        ),
    ] {
        let [one, two] = [one, two].map(|address| object_name(&path(&address), html));
        assert_ne!(one, two);
        assert!(one.len() <= 120 && one.ends_with(ending), "{one}");
    }
    let folders = ["a", "b"].map(|end| object_name(&path(&format!("/{same}{end}/x/")), true));
    assert_ne!(folders[0], folders[1]);
    assert!(
        folders[0].split('/').all(|segment| segment.len() <= 120),
        "{}",
        folders[0]
    );
}

#[test]
fn queries_are_no_part_of_names_f_52() {
    for address in [
        "/avatar/?s=40&d=https%3A%2F%2Fx.example%2Fa.png",
        "/list?page=2",
        "/a%3Fb",
    ] {
        let name = object_name(&path(address), false);
        assert!(!name.contains(['?', '&', '=']), "{name}");
    }
}

#[test]
fn equal_addresses_are_one_r_e7() {
    for (one, other) in [
        ("/a/%7euser", "/a/~user"),
        ("/%c3%a4", "/ä"),
        ("/x/./y/../z", "/x/z"),
        ("/a\\b", "/a/b"),
    ] {
        assert_eq!(path(one), path(other));
    }
    assert_ne!(path("/a"), path("/a/"));
    assert_ne!(path("/A"), path("/a"));
}

#[test]
fn what_is_read_by_looking_is_what_browsers_read() {
    for text in [
        "/",
        "/a/b.html",
        "/a/../b",
        "/a/./b",
        "/a/%2e%2E/b",
        "/%2e",
        "/a%2fb",
        "/%c3%ad",
        "/í",
        "/a//b/",
        "/a\\b",
        "/a b",
        "/a\tb",
        "/%zz%",
        "/%41%7e",
        "/a;b=c:@!$&'()*+,",
        "/a|b^`{}\"<>",
        "/...",
        "/a/..b",
        "/C:/x",
        "/a?b#c",
    ] {
        let base = Url::parse("http://site.invalid").unwrap();
        let url = base.join(text).unwrap();
        let query = url
            .query()
            .map(|query| format!("?{query}"))
            .unwrap_or_default();
        assert_eq!(
            path(text).as_str(),
            format!("{}{query}", PagePath::of_url(&url)),
            "{text}"
        );
    }
}

#[test]
fn collisions_get_a_hash_r_e8() {
    let addresses = ["/about", "/about.html", "/Menu/", "/menu/", "/a", "/a/b"].map(path);
    let names = assign_names(
        addresses
            .iter()
            .map(|address| (address, address.as_str() != "/a")),
    );
    assert_eq!(names[&addresses[1]], "about.html");
    assert!(names[&addresses[0]].starts_with("about-"));
    assert_eq!(names[&addresses[2]], "Menu/index.html");
    assert!(names[&addresses[3]].starts_with("menu/index-"));
    assert!(names[&addresses[4]].starts_with("a-"));
    assert_eq!(names[&addresses[5]], "a/b.html");
}

#[test]
fn files_become_addresses() {
    for (file, address) in [
        ("index.html", "/"),
        ("about/index.html", "/about/"),
        ("about.html", "/about.html"),
        ("a b/ü.html", "/a%20b/%C3%BC.html"),
        ("a[1]|(2).html", "/a%5B1%5D%7C(2).html"),
    ] {
        assert_eq!(PagePath::of_file(file).as_str(), address, "{file}");
    }
}
