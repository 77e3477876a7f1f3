//! What opens a door is in no output: tokens, secrets and ids of previews, with the access log on.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::support::recorder::Recorder;
use crate::support::s3::Bucket;
use crate::support::web::{Server, exchange};
use crate::support::{self, Ran, Site, api};

const SECRET: &str = "c2VjcmV0LW9mLXRoZS1iYWtlcnktMDEyMzQ1Njc4OQ";
const OTHER: &str = "b3RoZXItc2VjcmV0LW5vdC1jb25maWd1cmVkLTAxMjM";
const PREVIEW: &str = "3f2b8c1e-9a47-4d05-8e61-7c0d52f4ab19";
const KEYS: &str = "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n\
                    [api]\naccess_log = true\ntrusted_proxies = [\"127.0.0.1\"]\n\
                    jwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }\n";

fn mint(site: &Site, secret: &str) -> String {
    site.write("jwt.secret", secret);
    let ran = site.run(&[
        "token",
        "mint",
        "--sub",
        "ana",
        "--scope",
        "sites:read",
        "--site",
        "site",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

#[test]
fn log_has_every_request_and_no_secret() {
    let site = Site::new(
        KEYS,
        &[(
            "index.html",
            "<!doctype html><title>Bread</title><p>Bread and butter.",
        )],
    );
    let wrong = mint(&site, OTHER);
    let good = mint(&site, SECRET);
    let mut server = Server::start_with(site.folder(), &["--build"]);
    let list = "/api/sites/site/translation-summaries";
    let cut = &good[..good.len() - 4];
    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Connection: close\r\n\r\n")
    };
    let requests = [
        (get(list, &format!("Authorization: Bearer {good}\r\n")), 200),
        (
            get(list, &format!("Authorization: Bearer {wrong}\r\n")),
            401,
        ),
        (get(list, &format!("Authorization: Bearer {cut}\r\n")), 401),
        (
            get(
                list,
                &format!("Authorization: {good}\r\nX-Forwarded-For: {good}\r\n"),
            ),
            401,
        ),
        (
            get(
                list,
                &format!(
                    "X-Preview-Token: {SECRET}\r\nX-Preview-Status-Token: {SECRET}\r\nCookie: a={good}\r\n"
                ),
            ),
            401,
        ),
        (
            get(
                &format!("{list}?token={good}"),
                &format!("Authorization: Bearer {good}\r\n"),
            ),
            400,
        ),
        (
            get(
                &format!("/es/?access_token={wrong}"),
                &format!("User-Agent: {good}\r\nReferer: http://x/?{good}\r\n"),
            ),
            200,
        ),
        (get(&format!("/_preview/{PREVIEW}"), ""), 404),
        (
            get(&format!("/_preview/{}", PREVIEW.to_uppercase()), ""),
            404,
        ),
        (get(&format!("/%5Fpreview/{PREVIEW}/x"), ""), 404),
        (
            get(
                &format!("/api/previews/{PREVIEW}/stream"),
                "X-Forwarded-For: 6.6.6.6, 203.0.113.7\r\n",
            ),
            401,
        ),
        (get(&format!("/es/{PREVIEW}"), ""), 404),
        (
            get(
                "/es/",
                &format!("Content-Length: 5\r\nAuthorization: Bearer {good}\r\n"),
            ),
            413,
        ),
    ];
    for (request, status) in &requests {
        let answer = exchange(&server.address, request.as_bytes());
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} ")),
            "{request}\n{answer:.300}"
        );
        for secret in [&good, &wrong, SECRET, OTHER, PREVIEW] {
            assert!(!answer.contains(secret), "{request}\n{answer}");
        }
    }
    server.terminate();
    assert!(server.wait());
    let said = server.said();
    for secret in [&good, &wrong, cut, SECRET, OTHER, PREVIEW, "access_token"] {
        let found = said.to_lowercase().matches(&secret.to_lowercase()).count();
        assert_eq!(found, 0, "{secret} is in:\n{said}");
    }
    let lines: Vec<serde_json::Value> = said
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let statuses: Vec<u64> = lines
        .iter()
        .map(|line| line["status"].as_u64().unwrap())
        .collect();
    let expected: Vec<u64> = requests.iter().map(|(_, status)| *status).collect();
    assert_eq!(statuses, expected, "{said}");
    assert_eq!(
        (&lines[0]["path"], &lines[0]["client"]),
        (&list.into(), &"127.0.0.1".into())
    );
    assert_eq!(lines[7]["path"], lines[8]["path"]);
    assert_eq!(
        (&lines[10]["client"], &lines[3]["client"]),
        (&"203.0.113.7".into(), &"127.0.0.1".into())
    );
    assert!(lines[0]["requestId"].is_string() && lines[6]["bytes"].as_u64().unwrap() > 0);
}

/// Runs a command and checks that it refuses an address with a password without repeating it.
#[track_caller]
fn refuses_the_password(ran: &Ran, asked: &str) {
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), ran.stderr);
    assert_eq!(ran.code, 2, "{asked}: {said}");
    assert!(
        said.contains("holds a user or a password") && !said.contains("hush"),
        "{asked}: {said}"
    );
}

#[test]
fn address_with_a_password_is_refused_everywhere_and_in_no_output() {
    let site = Site::new(
        "locales = [\"es\"]\nengine = \"identity\"",
        &[("index.html", "<p>Bread")],
    );
    let address = "http://ana:hush@127.0.0.1:9/";
    for arguments in [
        &["init", address, "-c", "new.toml"][..],
        &["audit", address],
        &["audit", "source", "--base", address],
        &["build", "--server", address],
        &["build", "--server", "http://ana:hush@127.0.0.1:99999/"],
        &["models", "add", "en", "pt", "--from", address],
        &["explain", address],
        &["webhooks", "add", address],
        &["publish", "--to", "s3://ana:hush@bucket"],
    ] {
        refuses_the_password(&site.run(arguments), &arguments.join(" "));
    }
    let ran = site.run(&["preview", address, "--locale", "es"]);
    assert!(
        ran.code == 1 && !ran.stderr.contains("hush"),
        "{}",
        ran.stderr
    );
    assert!(!site.path("new.toml").exists());
    // The server of a good file reads a bad one, and a caller of its API sends such an address.
    api::give_api(&site, api::NO_LIMITS);
    let token = api::token(site.folder(), "ana", "*");
    let mut server = Server::start_with(site.folder(), &[]);
    let good = site.read("latimer.toml");
    site.write(
        "latimer.toml",
        &good.replace("\"source\"", &format!("{address:?}")),
    );
    for arguments in [
        &["build"][..],
        &["plan"],
        &["doctor"],
        &["doctor", "--json"],
        &["serve"],
        &["publish"],
    ] {
        refuses_the_password(&site.run(arguments), &arguments.join(" "));
    }
    server.hang_up();
    server.wait_for("holds a user or a password", 1);
    let body =
        format!("{{\"sourceUrl\":{address:?},\"sourceLocale\":\"en\",\"targetLangs\":[\"es\"]}}");
    let webhook = format!("{{\"url\":{address:?}}}");
    let preview = format!("{{\"sourceUrl\":{address:?},\"targetLang\":\"es\"}}");
    for (method, path, body, status) in [
        ("PUT", "/api/sites/new", body.as_str(), 400),
        ("POST", "/api/sites/site/webhooks", &webhook, 400),
        ("POST", "/api/previews", &preview, 400),
        ("GET", "/api/sites/site/runs", "", 200),
        ("GET", "/api/sites", "", 200),
    ] {
        let answer = api::call(&server.address, method, path, &token, body).unwrap();
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
        assert!(
            !answer.body.contains("hush"),
            "{method} {path}: {}",
            answer.body
        );
    }
    server.terminate();
    assert!(server.wait());
    assert!(!server.said().contains("hush"), "{}", server.said());
}

#[test]
fn bucket_on_this_machine_is_asked_without_the_proxy_of_the_environment() {
    let folder = tempfile::TempDir::new().unwrap();
    let proxy = Recorder::start();
    let bucket = Bucket::start(folder.path());
    let keys = format!(
        "locales = [\"es\"]\nengine = \"identity\"\nmin_translated = 0\n[store]\npatience = \"1s\"\n{}",
        bucket.store()
    );
    let site = Site::new(&keys, &[("index.html", "<p>Bread")]);
    let mut command = support::command(site.folder());
    proxy.give_to(&mut command);
    let output = command.args(["build", "--quiet"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(bucket.puts() > 0);
    assert_eq!(proxy.heads(), Vec::<String>::new());
}

/// Notes its environment under the name of its first argument, and gives back what it reads.
const SHOWS: &str = "#!/bin/sh\nenv > \"${0%/*}/$1.env\"\nexec cat\n";

#[test]
fn programs_are_given_no_secret_that_is_not_theirs() {
    let site = Site::new(
        "locales = [\"es\"]",
        &[("index.html", "<!doctype html><title>Bread</title><p>Bread.")],
    );
    site.write("shows", SHOWS);
    fs::set_permissions(site.path("shows"), Permissions::from_mode(0o755)).unwrap();
    let program = site.path("shows").display().to_string();
    site.configure(&format!(
        "locales = [\"es\"]\nengine = \"own\"\nmin_translated = 0\n\
         [site.scripts]\ndiscover = \"chromium\"\nbrowser = \"{program}\"\nenv = [\"FOR_BROWSER\"]\n\
         [site.search]\npagefind = [\"{program}\"]\nenv = [\"FOR_SEARCH\"]\n\
         [engine.own]\nkind = \"command\"\nprogram = \"./shows\"\nargs = [\"engine\"]\nenv = [\"FOR_ENGINE\"]\n\
         [publish.live]\nkind = \"command\"\ncommand = [\"{program}\", \"publish\"]\n"
    ));
    let ours = [
        "LATIMER_JWT_SECRET",
        "LATIMER_PREVIEW_TOKENS",
        "LATIMER_TOKEN",
        "LATIMER_ENGINE_OWN_KEY",
    ];
    let theirs = [
        "AWS_SECRET_ACCESS_KEY",
        "NETLIFY_AUTH_TOKEN",
        "FOR_ENGINE",
        "FOR_BROWSER",
        "FOR_SEARCH",
    ];
    for command in ["build", "doctor", "publish"] {
        let mut run = support::command(site.folder());
        run.arg(command)
            .envs(ours.iter().chain(&theirs).map(|name| (name, "hush")));
        run.output().unwrap();
    }
    // Variables that each program was given beside the usual ones.
    for (name, given) in [
        ("engine", vec!["FOR_ENGINE"]),
        ("--headless=new", vec!["FOR_BROWSER"]),
        ("--version", vec!["FOR_SEARCH"]),
        ("publish", theirs.to_vec()),
    ] {
        let environment = site.read(&format!("{name}.env"));
        let found = |name: &&&str| {
            environment
                .lines()
                .any(|line| line == format!("{name}=hush"))
        };
        let secrets: Vec<&str> = ours.iter().chain(&theirs).filter(found).copied().collect();
        assert_eq!(secrets, given, "{name}: {environment}");
        assert!(
            environment.contains("PATH=") && environment.contains("LC_ALL=C.UTF-8"),
            "{name}: {environment}"
        );
    }
}
