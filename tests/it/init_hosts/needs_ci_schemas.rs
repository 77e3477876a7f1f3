//! The published schemas of GitHub Actions and GitLab CI take every file that `init` writes, and the project's own.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use super::{HOSTS, options, suits, written};
use crate::support::{repository, tool};

fn judge(schema: &str, files: &[PathBuf]) -> Output {
    let mut command = Command::new(tool("LATIMER_TEST_CI_SCHEMAS"));
    command
        .args(["--builtin-schema", schema])
        .args(files)
        .output()
        .unwrap()
}

#[test]
#[ignore = "needs check-jsonschema"]
fn the_workflows_of_this_repository_are_what_the_service_reads() {
    let folder = fs::read_dir(repository().join(".github/workflows")).unwrap();
    let files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    let output = judge("vendor.github-workflows", &files);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
#[ignore = "needs check-jsonschema"]
fn ci_files_are_what_the_services_read() {
    let folder = tempfile::TempDir::new().unwrap();
    for (service, schema) in [
        ("github", "vendor.github-workflows"),
        ("gitlab", "vendor.gitlab-ci"),
    ] {
        let mut files = Vec::new();
        for host in HOSTS.into_iter().filter(|host| suits(host, service)) {
            for (name, text) in written(&format!(
                "latimer init {}",
                options(host, service).join(" ")
            )) {
                let path = folder.path().join(format!("{host}-{service}.yml"));
                if name.ends_with(".yml") {
                    fs::write(&path, text).unwrap();
                    files.push(path);
                }
            }
        }
        assert_eq!(files.len(), HOSTS.len() - 1, "{service}");
        let output = judge(schema, &files);
        assert!(
            output.status.success(),
            "{service}: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        let broken = folder.path().join("broken.yml");
        let text = fs::read_to_string(&files[0]).unwrap();
        fs::write(
            &broken,
            text.replace("runs-on: ubuntu-latest", "runs-on: 1")
                .replace("  script:", "  scripts:"),
        )
        .unwrap();
        assert!(
            !judge(schema, &[broken]).status.success(),
            "the judge of {service} judges"
        );
    }
}
