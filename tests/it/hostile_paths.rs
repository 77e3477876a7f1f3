//! Paths that try to leave the site: no answer ever holds what lies outside the published files, and none is an error
//! of ours (OWASP ASVS 5.3.2). The requests go over a socket byte by byte, because clients tidy such paths up.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::support::Site;
use crate::support::web::Server;

/// What must never be read, and stands in files beside the store and in the store where nothing names it.
const CANARY: &str = "canary-7c1f";
const PATIENCE: Duration = Duration::from_secs(60);

/// Request targets. `{host}` is the server's own.
const TARGETS: [&[u8]; 53] = [
    b"/../canary.txt",
    b"/../../canary.txt",
    b"/es/../../canary.txt",
    b"/es/../../../../../../../../../../etc/passwd",
    b"/../../../../../../../../etc/passwd",
    b"/./../canary.txt",
    b"/es/..",
    b"/..",
    b"/...",
    b"/es/.../.../canary.txt",
    b"/%2e%2e/canary.txt",
    b"/%2e%2e/%2e%2e/canary.txt",
    b"/%2E%2E%2Fcanary.txt",
    b"/es/..%2f..%2f..%2fcanary.txt",
    b"/es%2f..%2f..%2fcanary.txt",
    b"/%252e%252e/canary.txt",
    b"/%252e%252e%252fcanary.txt",
    b"/es/%5c..%5c..%5ccanary.txt",
    b"/..\\..\\canary.txt",
    b"/es\\..\\..\\canary.txt",
    b"/..%c0%af..%c0%afcanary.txt",
    b"/%c0%ae%c0%ae/canary.txt",
    b"/%e0%80%ae%e0%80%ae/canary.txt",
    b"/%uff0e%uff0e/canary.txt",
    b"/..;/canary.txt",
    b"/es/..;/..;/canary.txt",
    b"/canary.txt%00.html",
    b"/es/%00",
    b"/es/index.html%00.jpg",
    b"/es/a\x00b",
    b"/es/\xff\xfe",
    b"/es/%",
    b"/es/%2",
    b"/es/%zz",
    b"/es/#/../../canary.txt",
    b"/es/a%23b",
    b"/es/%0d%0aX-Injected:%20yes",
    b"//evil.test/canary.txt",
    b"///canary.txt",
    b"/es//canary.txt",
    b"/es/CON",
    b"/es/aux.html",
    b"/es/C:/canary.txt",
    b"/es/index.html::$DATA",
    b"/es/~root/canary.txt",
    b"/file:///etc/passwd",
    b"/_deployments/1.json",
    b"/es/_deployments/objects/link.txt",
    b"/_deployments/objects/link.txt",
    b"/es/link.txt",
    b"/es/up/canary.txt",
    b"http://evil.test/../canary.txt",
    b"canary.txt",
];

fn site() -> Site {
    let keys = "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n";
    let site = Site::new(
        keys,
        &[(
            "index.html",
            "<!doctype html><title>Home</title><p>Bread and butter",
        )],
    );
    site.build(&[], 0);
    site.write("canary.txt", CANARY);
    for folder in [
        "dist/site/es",
        "dist/site",
        "dist/site/_deployments/objects",
        "dist/site/_deployments/shards",
    ] {
        std::fs::create_dir_all(site.path(folder)).unwrap();
        symlink(site.path("canary.txt"), site.path(folder).join("link.txt")).unwrap();
        symlink(site.folder(), site.path(folder).join("up")).unwrap();
    }
    site
}

/// Sends a request and reads all that comes back.
fn ask(server: &Server, target: &[u8]) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let host = format!(
        " HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream
        .write_all(&[b"GET ", target, host.as_bytes()].concat())
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn no_path_leads_out_of_the_site() {
    let site = site();
    let server = Server::start(site.folder());
    let long: Vec<Vec<u8>> = [
        b"/es/../".repeat(1000),
        [b"/es/".as_slice(), &b"x".repeat(5000)].concat(),
        [b"/es/".as_slice(), &b"x".repeat(60_000)].concat(),
        [b"/".as_slice(), &b"%2e%2e/".repeat(500), b"canary.txt"].concat(),
    ]
    .into();
    for target in TARGETS.into_iter().chain(long.iter().map(Vec::as_slice)) {
        let shown = String::from_utf8_lossy(&target[..target.len().min(60)]).into_owned();
        let answer = ask(&server, target);
        let status = answer
            .strip_prefix("HTTP/1.1 ")
            .and_then(|rest| rest.get(..3))
            .unwrap_or("none");
        assert!(
            matches!(
                status,
                "200" | "307" | "308" | "400" | "404" | "414" | "431"
            ),
            "{shown}: {answer:.200}"
        );
        assert!(
            !answer.contains(CANARY) && !answer.contains("root:x:"),
            "{shown}: {answer:.200}"
        );
        assert!(
            !answer.to_ascii_lowercase().contains("\nx-injected"),
            "{shown}: {answer:.400}"
        );
        assert!(
            status != "200" || answer.contains("Bread and butter"),
            "{shown}: {answer:.400}"
        );
        let location = answer
            .lines()
            .find_map(|line| line.strip_prefix("location: "))
            .unwrap_or("/");
        assert!(
            location.starts_with('/') && !location.starts_with("//"),
            "{shown} leads to {location}"
        );
    }
    assert!(ask(&server, b"/es/").contains("Bread and butter"));
}
