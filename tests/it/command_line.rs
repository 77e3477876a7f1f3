//! The program as a script sees it: arguments in, exit code and streams out.

use std::path::Path;
use std::process::{Command, Output};

fn latimer(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_latimer"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

#[track_caller]
fn check(folder: &Path, arguments: &[&str], code: i32, said: &str) {
    let output = latimer(folder, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    assert!(errors.contains(said), "{arguments:?}: {errors}");
}

#[test]
fn init_writes_a_file_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("site")).unwrap();
    std::fs::write(
        folder.path().join("site/index.html"),
        "<html lang=en><p>Bread",
    )
    .unwrap();
    check(
        folder.path(),
        &["init", "site", "--locale", "es"],
        0,
        "wrote latimer.toml",
    );
    let written = std::fs::read_to_string(folder.path().join("latimer.toml")).unwrap();
    check(folder.path(), &["init", "site"], 1, "was not changed");
    assert_eq!(
        std::fs::read_to_string(folder.path().join("latimer.toml")).unwrap(),
        written
    );
}

#[test]
fn what_is_wrong_with_the_arguments_is_said_before_anything_is_done() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, said) in [
        (&["build"][..], "latimer.toml; name one with -c"),
        (
            &["init", "missing-folder", "--locale", "en_US"],
            "not a language tag",
        ),
        (
            &["init", "https://example.com/", "--locale", "en"],
            "the language of the source",
        ),
        (
            &["init", "ftp://example.com/"],
            "not an http:// or https:// address",
        ),
        (&["serve", "--build", "--pages-only"], "cannot be used with"),
        (
            &[
                "render", "--engine", "none", "--from", "en", "--to", "es", "-", "-",
            ],
            "there is no engine `none`",
        ),
        (&["biuld"], "build"),
    ] {
        check(folder.path(), arguments, 2, said);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_configuration_is_blamed_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("latimer.toml"), "[[site]]\nidd = 1\n").unwrap();
    check(
        folder.path(),
        &["build"],
        2,
        "latimer.toml:2:1: unknown key `idd` in [[site]]; the nearest known key is `id`",
    );
    let output = latimer(folder.path(), &["build", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(
        report["error"]
            .as_str()
            .unwrap()
            .starts_with("latimer.toml:2:1: ")
    );
}

#[test]
fn tokens_are_minted_where_the_secret_is() {
    let folder = tempfile::tempdir().unwrap();
    let write = |jwt: &str| {
        let site =
            "[[site]]\nid = \"a\"\nsource = \"src\"\nsource_locale = \"en\"\nlocales = [\"es\"]\n";
        std::fs::write(
            folder.path().join("latimer.toml"),
            format!("{site}[api]\n{jwt}\n"),
        )
        .unwrap();
    };
    let mint = [
        "token",
        "mint",
        "--sub",
        "ana",
        "--scope",
        "sites:read",
        "--site",
        "a",
    ];
    write("");
    check(folder.path(), &mint, 2, "has no `jwt` in [api]");
    write("jwt = { algorithm = \"HS256\", secret_file = \"jwt.secret\" }");
    check(folder.path(), &mint, 2, "cannot read");
    std::fs::write(folder.path().join("jwt.secret"), "short\n").unwrap();
    check(folder.path(), &mint, 2, "openssl rand -hex 32");
    std::fs::write(
        folder.path().join("jwt.secret"),
        format!("{}\n", "0123456789abcdef".repeat(2)),
    )
    .unwrap();
    let output = latimer(folder.path(), &mint);
    let token = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        (
            output.status.code(),
            token.trim().split('.').count(),
            token.lines().count()
        ),
        (Some(0), 3, 1)
    );
    check(
        folder.path(),
        &["token", "mint", "--sub", "ana", "--scope", "sites:raed"],
        2,
        "there is no scope sites:raed",
    );
    let for_two_years = [&mint[..], &["--ttl", "2years"]].concat();
    check(folder.path(), &for_two_years, 2, "--force");
    assert_eq!(
        latimer(folder.path(), &[&for_two_years[..], &["--force"]].concat())
            .status
            .code(),
        Some(0)
    );
    let mint_for = |site| {
        [
            "token",
            "mint",
            "--sub",
            "ana",
            "--scope",
            "sites:write",
            "--site",
            site,
        ]
    };
    for site in ["No_Site", "a/b", ""] {
        check(folder.path(), &mint_for(site), 2, "--site: ");
    }
    // Nobody needs the state for it, which a running server has.
    std::fs::create_dir(folder.path().join(".latimer")).unwrap();
    std::fs::write(folder.path().join(".latimer/state.redb"), "no state").unwrap();
    let output = latimer(folder.path(), &mint_for("added"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), said.lines().count()),
        (Some(0), 1),
        "{said}"
    );
    assert!(said.contains("has no site added"), "{said}");
    write("jwt = { algorithm = \"EdDSA\", public_key_file = \"issuer.pem\" }");
    check(folder.path(), &mint, 2, "let the issuer mint");
}

/// The commands that `latimer --help` names.
fn commands(folder: &Path) -> Vec<String> {
    let help = String::from_utf8(latimer(folder, &["--help"]).stdout).unwrap();
    let commands = help.split("Options:\n").next().unwrap();
    let names = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_a_manual_page_and_is_completed() {
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = commands(folder.path())
        .into_iter()
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() > 15, "{names:?}");
    check(folder.path(), &["man", "pages/man1"], 0, "");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script =
            String::from_utf8(latimer(folder.path(), &["completions", shell]).stdout).unwrap();
        for name in &names {
            assert!(
                script.contains(name.as_str()),
                "{shell} does not know {name}"
            );
        }
    }
    for name in names {
        let page =
            std::fs::read_to_string(folder.path().join(format!("pages/man1/latimer-{name}.1")))
                .unwrap();
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains(&name),
            "{name}"
        );
    }
}

mod needs_systemd {
    use super::*;

    /// The unit that docs/operating.md hands out gives the service little.
    #[test]
    #[ignore = "needs systemd-analyze"]
    fn the_unit_of_systemd_is_shut_tight() {
        let unit = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/latimer.service");
        let mut judge = Command::new("systemd-analyze");
        judge
            .args(["security", "--no-pager", "--offline=true", "--threshold=15"])
            .arg(&unit);
        let judged = judge.output().unwrap();
        assert!(
            judged.status.success(),
            "{}",
            String::from_utf8_lossy(&judged.stdout)
        );
    }
}
