//! `latimer init --host`: what it writes for each host and each CI service builds and publishes, overwrites nothing, holds no
//! secret, and is what the documentation shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{self, Ran, latimer};

mod added;
mod documentation;
mod needs_ci_schemas;

const HOSTS: [&str; 13] = [
    "nginx",
    "apache",
    "caddy",
    "netlify",
    "cloudflare-pages",
    "vercel",
    "github-pages",
    "gitlab-pages",
    "firebase",
    "azure-swa",
    "cloudfront",
    "s3-website",
    "plain",
];
const SERVICES: [&str; 3] = ["", "github", "gitlab"];

/// A repository of a small site, made by a generator, in the folder `bakery`; `address` is what its pages name.
fn checkout(address: Option<&str>) -> TempDir {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join("bakery").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let canonical = address
        .map(|address| format!("<link rel=canonical href={address}>"))
        .unwrap_or_default();
    let head = "<!doctype html><html lang=en><meta name=generator content='Hugo 0.150'><title>Home</title>";
    write(
        "public/index.html",
        &format!("{head}{canonical}<p>See <a href=/about/>Home</a>"),
    );
    write(
        "public/about/index.html",
        &format!("{head}<p>An untranslated page of many words"),
    );
    write(
        "translations/es.po",
        "msgid \"\"\nmsgstr \"\"\n\"Language: es\\n\"\n\nmsgid \"Home\"\nmsgstr \"Inicio\"\n\n\
         msgid \"See <g id=\\\"1\\\">Home</g>\"\nmsgstr \"Vea <g id=\\\"1\\\">Inicio</g>\"\n",
    );
    write(
        ".git/config",
        "[remote \"origin\"]\n\turl = git@github.com:ana/bakery.git\n",
    );
    folder
}

fn init(folder: &Path, arguments: &[&str]) -> Ran {
    latimer(
        &folder.join("bakery"),
        &[&["init", "--quiet"], arguments].concat(),
        b"",
    )
}

/// Sees to it that a folder stands for the server's, and that hosts' programs are there: they write down what they get.
fn stand_ins(folder: &Path) {
    let bakery = folder.join("bakery");
    let toml = fs::read_to_string(bakery.join("latimer.toml")).unwrap();
    fs::write(
        bakery.join("latimer.toml"),
        toml.replace("\"/srv/www/", "\"www/"),
    )
    .unwrap();
    fs::create_dir_all(folder.join("bin")).unwrap();
    for program in ["rsync", "netlify", "wrangler", "vercel", "firebase", "swa"] {
        let path = folder.join("bin").join(program);
        fs::write(&path, "#!/bin/sh\necho \"$0 $*\" >> called\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn run(folder: &Path, arguments: &[&str]) -> Ran {
    let path = format!(
        "{}:{}",
        folder.join("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_latimer"));
    support::clean(&mut command);
    let output = command
        .args(arguments)
        .current_dir(folder.join("bakery"))
        .env("PATH", path)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The options for a host and a service, none where that is empty.
fn options<'a>(host: &'a str, service: &'a str) -> Vec<&'a str> {
    let mut options = vec!["public", "--locale", "es", "--host", host];
    if !service.is_empty() {
        options.extend(["--ci", service]);
    }
    options
}

/// Whether a service can bring anything to a host.
fn suits(host: &str, service: &str) -> bool {
    !matches!(
        (host, service),
        ("github-pages", "gitlab") | ("gitlab-pages", "github")
    )
}

#[test]
fn what_is_written_for_each_host_builds_and_can_be_published() {
    let mut known = BTreeSet::new();
    for (host, service) in HOSTS
        .into_iter()
        .flat_map(|host| SERVICES.map(|service| (host, service)))
    {
        let folder = checkout(Some("https://www.example.com/"));
        let ran = init(folder.path(), &options(host, service));
        if !suits(host, service) {
            ran.failed(2, &[host, "from its own CI alone"]);
            assert!(!folder.path().join("bakery/latimer.toml").exists());
            continue;
        }
        assert_eq!(ran.code, 0, "{host} {service}: {}", ran.stderr);
        // Where a service has a file of its own and nothing else differs, it builds and publishes what is known.
        if !known.insert(fs::read_to_string(folder.path().join("bakery/latimer.toml")).unwrap()) {
            continue;
        }
        stand_ins(folder.path());
        for arguments in [
            &["build", "--quiet", "--max-chars", "50000"][..],
            &["publish", "--quiet", "--dry-run"],
        ] {
            let ran = run(folder.path(), arguments);
            assert_eq!(
                ran.code, 0,
                "{host} {service} {arguments:?}: {}",
                ran.stderr
            );
        }
        // What lies in a bucket needs the bucket.
        if !matches!(host, "cloudfront" | "s3-website") {
            for arguments in [&["doctor", "--quiet"][..], &["publish", "--quiet"]] {
                let ran = run(folder.path(), arguments);
                let said = String::from_utf8_lossy(&ran.stdout).into_owned();
                assert_eq!(
                    ran.code, 0,
                    "{host} {service} {arguments:?}: {said}{}",
                    ran.stderr
                );
            }
        }
    }
}

#[test]
fn a_folder_that_was_lost_with_the_cache_is_made_again() {
    for (host, service) in [("github-pages", "github"), ("gitlab-pages", "gitlab")] {
        let folder = checkout(None);
        assert_eq!(init(folder.path(), &options(host, service)).code, 0);
        assert_eq!(run(folder.path(), &["build", "--quiet"]).code, 0);
        let file = if service == "github" {
            ".github/workflows/latimer.yml"
        } else {
            ".gitlab-ci.yml"
        };
        let file = fs::read_to_string(folder.path().join("bakery").join(file)).unwrap();
        let line = file
            .lines()
            .find_map(|line| line.split_once("latimer publish "))
            .unwrap()
            .1;
        let arguments: Vec<&str> = ["publish", "--quiet"]
            .into_iter()
            .chain(line.split(' '))
            .collect();
        for _ in 0..2 {
            let ran = run(folder.path(), &arguments);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            let published = folder.path().join("bakery/.latimer/publish").join(host);
            assert!(
                fs::read_to_string(published.join("es/index.html"))
                    .unwrap()
                    .contains("Inicio")
            );
            fs::remove_dir_all(published).unwrap();
        }
    }
}

#[test]
fn a_repository_has_its_address_at_its_host() {
    let folder = checkout(None);
    assert_eq!(
        init(folder.path(), &options("github-pages", "github")).code,
        0
    );
    let toml = fs::read_to_string(folder.path().join("bakery/latimer.toml")).unwrap();
    for line in [
        "url = \"https://ana.github.io/bakery/{lang}\" # where",
        "missing = \"notice\" # the host",
    ] {
        assert!(toml.contains(line), "{toml}");
    }
    let page = fs::read_to_string(folder.path().join("bakery/public/index.html")).unwrap();
    fs::create_dir_all(folder.path().join("bakery/manual/html")).unwrap();
    fs::write(folder.path().join("bakery/manual/html/index.html"), page).unwrap();
    let ran = init(
        folder.path(),
        &[
            "manual/html",
            "-c",
            "manual/latimer.toml",
            "--host",
            "github-pages",
            "--ci",
            "github",
        ],
    );
    ran.failed(
        1,
        &[".github/workflows/latimer.yml exists already", "--ci-file"],
    );
    assert!(
        !folder.path().join("bakery/manual/latimer.toml").exists(),
        "nothing is written by halves"
    );
    let file = ".github/workflows/manual.yml";
    let host = [
        "--host",
        "github-pages",
        "--ci",
        "github",
        "--ci-file",
        file,
    ];
    assert_eq!(
        init(
            folder.path(),
            &[&["manual/html", "-c", "manual/latimer.toml"], &host[..]].concat()
        )
        .code,
        0
    );
    let file = fs::read_to_string(folder.path().join("bakery").join(file)).unwrap();
    for line in [
        "working-directory: manual",
        "path: manual/.latimer/publish/github-pages",
        "            manual/dist",
    ] {
        assert!(file.contains(line), "{line}: {file}");
    }
}

/// What `init` writes, by the name of the file.
fn written(command: &str) -> BTreeMap<String, String> {
    let address = (!command.contains("github-pages")).then_some("https://www.example.com/");
    let folder = checkout(address);
    let command = command.split("  #").next().unwrap();
    let arguments: Vec<&str> = command.split_whitespace().skip(2).collect();
    if arguments[0].starts_with("--") {
        assert_eq!(init(folder.path(), &["public", "--locale", "es"]).code, 0);
    }
    let ran = init(folder.path(), &arguments);
    assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
    let names = [
        "latimer.toml",
        ".github/workflows/latimer.yml",
        ".gitlab-ci.yml",
    ];
    let read = |name: &str| {
        Some((
            name.to_owned(),
            fs::read_to_string(folder.path().join("bakery").join(name)).ok()?,
        ))
    };
    names.into_iter().filter_map(read).collect()
}

#[test]
fn no_secret_is_written() {
    const SECRET: &str = "correct-horse-battery-staple";
    let names = "NETLIFY_AUTH_TOKEN CLOUDFLARE_API_TOKEN VERCEL_TOKEN SSH_KEY AWS_SECRET_ACCESS_KEY AWS_ACCESS_KEY_ID \
                 FIREBASE_SERVICE_ACCOUNT SWA_CLI_DEPLOYMENT_TOKEN GITHUB_TOKEN LATIMER_TOKEN";
    for (host, service) in HOSTS
        .into_iter()
        .flat_map(|host| ["github", "gitlab"].map(|service| (host, service)))
    {
        let folder = checkout(Some("https://www.example.com/"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_latimer"));
        command
            .arg("init")
            .args(options(host, service))
            .current_dir(folder.path().join("bakery"));
        let output = command
            .envs(names.split_whitespace().map(|name| (name, SECRET)))
            .output()
            .unwrap();
        assert_eq!(output.status.success(), suits(host, service));
        let said = [output.stdout, output.stderr].concat();
        let files = support::files(folder.path()).into_values();
        for text in files.chain([said]) {
            assert!(
                !String::from_utf8_lossy(&text).contains(SECRET),
                "{host} {service}"
            );
        }
    }
}

#[test]
fn a_file_for_ci_names_the_configuration_and_nothing_that_a_shell_reads() {
    let folder = checkout(None);
    let host = ["--host", "netlify", "--ci", "github"];
    let ran = init(
        folder.path(),
        &[&["-c", "other.toml", "public", "--locale", "es"][..], &host].concat(),
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text =
        fs::read_to_string(folder.path().join("bakery/.github/workflows/latimer.yml")).unwrap();
    for line in [
        "latimer -c other.toml build --max-chars",
        "latimer -c other.toml publish netlify",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let ran = init(
        folder.path(),
        &[
            &["-c", "a $(b).toml", "public", "--locale", "es"][..],
            &host[..3],
            &["gitlab"],
        ]
        .concat(),
    );
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("\"a $(b).toml\" cannot stand in a file for CI"),
        "{}",
        ran.stderr
    );
    assert!(
        !folder.path().join("bakery/a $(b).toml").exists(),
        "nothing is written"
    );
    let source = "http://127.0.0.1:9/";
    let ran = init(
        folder.path(),
        &[
            "-c", "web.toml", source, "--host", "netlify", "--ci", "gitlab",
        ],
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = fs::read_to_string(folder.path().join("bakery/.gitlab-ci.yml")).unwrap();
    assert!(text.contains("Reads http://127.0.0.1:9/."), "{text}");
}
