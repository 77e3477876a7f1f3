//! Azure's blob storage, as Microsoft's own emulator has it, keeps what is published, with what is said about it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::needs_hosts::Foreign;
use super::small_site;
use crate::support::api::free_address;
use crate::support::{self, Site, repository, tool};

/// The key of the emulator's only account, which its documentation names.
const KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

fn start() -> Foreign {
    let address = free_address();
    let port = address.rsplit(':').next().unwrap();
    let script = repository().join("tests/it/publish/azurite.mjs");
    let mut command = Command::new("node");
    command
        .arg(script)
        .arg(tool("LATIMER_TEST_AZURITE"))
        .args([port, KEY])
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stdout.as_mut().unwrap())
        .lines()
        .map_while(Result::ok);
    assert!(said.any(|line| line == "ready"), "Azurite does not start");
    Foreign { child, address }
}

fn published(site: &Site, arguments: &[&str]) -> Value {
    let mut command = support::command(site.folder());
    command
        .args(["publish", "--quiet", "--json"])
        .args(arguments)
        .env("AZURE_STORAGE_ACCOUNT_KEY", KEY);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["publish"].clone()
}

#[test]
#[ignore = "needs Azurite"]
fn azure_keeps_what_is_published() {
    let azurite = start();
    let site = small_site(&format!(
        "[publish.live]\nkind = \"s3\"\nto = \"az://pages/www\"\nkeep = \"0\"\noptions = {{ azure_storage_account_name = \
         \"devstoreaccount1\", azure_storage_endpoint = \"http://{}/devstoreaccount1\", azure_allow_http = \"true\" }}\n",
        azurite.address
    ));
    for file in 0..100 {
        site.write(&format!("source/files/{file}.txt"), &format!("file {file}"));
    }
    site.build(&[], 0);
    assert!(published(&site, &[])["sent"].as_u64().unwrap() > 100);
    assert_eq!(published(&site, &[])["sent"], 0);
    assert_eq!(
        published(&site, &["--verify"])["sent"],
        0,
        "what the server lists is what was sent"
    );
    let ask = |name: &str| {
        let mut stream = TcpStream::connect(&azurite.address).unwrap();
        let path = format!("/devstoreaccount1/pages/www/{name}");
        write!(
            stream,
            "HEAD {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            azurite.address
        )
        .unwrap();
        let mut head = String::new();
        stream.read_to_string(&mut head).unwrap();
        head.to_lowercase()
    };
    let head = ask("es/index.html");
    for line in [
        "content-type: text/html; charset=utf-8",
        "cache-control: max-age=0, must-revalidate",
        "content-language: es",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    std::fs::remove_file(site.path("source/files/7.txt")).unwrap();
    site.build(&[], 0);
    assert_eq!(published(&site, &[])["removed"], 1);
    assert!(ask("files/7.txt").starts_with("http/1.1 404"));
}
