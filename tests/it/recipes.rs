//! The one-line doors of the justfile do what the commands do. `just` itself is not needed.

use std::process::Command;

use tempfile::TempDir;

use crate::support::{self, assert_same, copy, files, repository};

/// What runs the program in a recipe.
const RUN: &str = "cargo run --locked --";

/// The lines of a recipe.
fn recipe(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(repository().join("justfile")).unwrap();
    let mut lines = text.lines().skip_while(|line| *line != format!("{name}:"));
    assert!(lines.next().is_some(), "there is no recipe {name}");
    lines
        .take_while(|line| line.starts_with("    "))
        .map(|line| line.trim().to_owned())
        .collect()
}

/// The fixture sites in a folder of their own, as in a fresh checkout.
fn checkout() -> TempDir {
    let folder = TempDir::new().unwrap();
    for site in std::fs::read_dir(repository().join("fixtures/sites"))
        .unwrap()
        .map(Result::unwrap)
    {
        let to = folder.path().join("fixtures/sites").join(site.file_name());
        copy(&site.path(), &to, &|name| {
            !matches!(name, "dist" | ".latimer")
        });
    }
    folder
}

#[test]
fn the_build_recipe_builds_every_fixture_site_as_the_command_does() {
    let by_recipe = checkout();
    let by_command = checkout();
    let lines = recipe("build");
    assert!(
        !lines.is_empty() && lines.iter().all(|line| line.contains(RUN)),
        "{lines:?}"
    );
    for line in lines {
        let line = line.replace(RUN, &format!("'{}'", env!("CARGO_BIN_EXE_latimer")));
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).current_dir(by_recipe.path());
        support::clean(&mut shell);
        let output = shell.output().unwrap();
        assert!(
            output.status.success(),
            "{line}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let mut sites = 0;
    for site in std::fs::read_dir(by_command.path().join("fixtures/sites"))
        .unwrap()
        .map(|site| site.unwrap().path())
    {
        let ran = support::latimer(
            by_command.path(),
            &["build", "-c", site.to_str().unwrap()],
            b"",
        );
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let built = by_recipe
            .path()
            .join(site.strip_prefix(by_command.path()).unwrap())
            .join("dist");
        assert_same(&files(&built), &files(&site.join("dist")));
        sites += 1;
    }
    assert!(sites > 0);
}
