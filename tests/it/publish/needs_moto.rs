//! A second server of S3's protocol, moto, keeps what is published, with what is said about it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{published, small_site};
use crate::support::api::{free_address, pause};
use crate::support::tool;
use crate::support::web::PATIENCE;

/// The server; ends with this value.
struct Moto {
    child: Child,
    address: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Moto {
    /// Starts it with a bucket called `pages`.
    fn start() -> Self {
        let address = free_address();
        let port = address.rsplit(':').next().unwrap().to_owned();
        let mut command = Command::new(tool("LATIMER_TEST_MOTO"));
        command
            .args(["-H", "127.0.0.1", "-p", &port])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let server = Self {
            child: command.spawn().unwrap(),
            address,
        };
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(&server.address).is_err() {
            assert!(Instant::now() < deadline, "moto does not start");
            pause(Duration::from_millis(50));
        }
        assert!(server.ask("PUT", "/pages").0.starts_with("HTTP/1.1 200"));
        server
    }

    fn target(&self) -> String {
        format!(
            "[publish.live]\nkind = \"s3\"\nto = \"s3://pages/www\"\nencoding = \"br\"\nkeep = \"0\"\noptions = {{ aws_endpoint = \
             \"http://{}\", aws_allow_http = \"true\", aws_region = \"us-east-1\", aws_skip_signature = \"true\" }}\n",
            self.address
        )
    }

    /// The head and the body of an answer.
    fn ask(&self, method: &str, path: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // Who asks is looked at, and a signature is not.
        let signed = "AWS4-HMAC-SHA256 Credential=id/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {signed}\r\nx-amz-acl: public-read-write\r\n\
             Content-Length: 0\r\nConnection: close\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        (
            String::from_utf8_lossy(&answer[..end]).into_owned(),
            answer[end + 4..].to_vec(),
        )
    }

    /// What is said about an object, and when it was written.
    fn said(&self, name: &str) -> BTreeMap<String, String> {
        let (head, _) = self.ask("HEAD", &format!("/pages/www/{name}"));
        let headers = head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        let told = [
            "content-type",
            "cache-control",
            "content-language",
            "content-encoding",
            "last-modified",
        ];
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        headers
            .filter(|(name, _)| told.contains(&name.as_str()))
            .collect()
    }
}

#[test]
#[ignore = "needs moto"]
fn another_server_of_the_protocol_keeps_what_is_published() {
    let moto = Moto::start();
    let site = small_site(&moto.target());
    for file in 0..1000 {
        site.write(&format!("source/files/{file}.txt"), &format!("file {file}"));
    }
    site.write("source/app.3f2a9b1c.js", &"let bread = 1;\n".repeat(200));
    let page = |times: usize| {
        format!(
            "<!doctype html><html lang=en><title>Home</title>{}",
            "<p>Home</p>".repeat(times)
        )
    };
    site.write("source/index.html", &page(300));
    site.build(&[], 0);
    let first = published(&site, &[]);
    assert!(first["sent"].as_u64().unwrap() > 1000, "{}", first["sent"]);
    let check = |name: &str, expected: [Option<&str>; 4]| {
        let said = moto.said(name);
        let found = [
            "content-type",
            "cache-control",
            "content-language",
            "content-encoding",
        ];
        assert_eq!(
            found.map(|header| said.get(header).map(String::as_str)),
            expected,
            "{name}: {said:?}"
        );
    };
    let page_cache = Some("max-age=0, must-revalidate");
    check(
        "es/index.html",
        [
            Some("text/html; charset=utf-8"),
            page_cache,
            Some("es"),
            Some("br"),
        ],
    );
    check(
        "index.html",
        [
            Some("text/html; charset=utf-8"),
            page_cache,
            Some("en"),
            Some("br"),
        ],
    );
    check("files/7.txt", [Some("text/plain"), page_cache, None, None]);
    let for_ever = Some("public, max-age=31536000, immutable");
    check(
        "app.3f2a9b1c.js",
        [Some("text/javascript"), for_ever, None, Some("br")],
    );
    assert_eq!(moto.ask("GET", "/pages/www/files/7.txt").1, b"file 7");

    assert_eq!(published(&site, &[])["sent"], 0);
    assert_eq!(
        published(&site, &["--verify"])["sent"],
        0,
        "what the server lists is what was sent"
    );
    site.write("source/index.html", &page(301));
    fs::remove_file(site.path("source/files/7.txt")).unwrap();
    site.build(&[], 0);
    let report = published(&site, &[]);
    assert!(report["sent"].as_u64().unwrap() <= 2 + 4, "{report}");
    assert!(
        moto.ask("HEAD", "/pages/www/files/7.txt")
            .0
            .starts_with("HTTP/1.1 404")
    );
}
