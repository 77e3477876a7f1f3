//! The published schemas of GitHub Actions and GitLab CI, and a shell, take every file that `init` writes.

use std::fs;
use std::process::Command;

use super::{HOSTS, options, suits, written};
use crate::support::tool;

#[test]
#[ignore = "needs check-jsonschema"]
fn ci_files_are_what_the_services_read() {
    let folder = tempfile::TempDir::new().unwrap();
    for (service, schema) in [("github", "vendor.github-workflows"), ("gitlab", "vendor.gitlab-ci")] {
        let mut files = Vec::new();
        for host in HOSTS.into_iter().filter(|host| suits(host, service)) {
            for (name, text) in written(&format!("latimer init {}", options(host, service).join(" "))) {
                let path = folder.path().join(format!("{host}-{service}.yml"));
                if name.ends_with(".yml") {
                    fs::write(&path, text).unwrap();
                    files.push(path);
                }
            }
        }
        assert_eq!(files.len(), HOSTS.len() - 1, "{service}");
        let check = |files: &[std::path::PathBuf]| {
            let mut command = Command::new(tool("LATIMER_TEST_CI_SCHEMAS"));
            command.args(["--builtin-schema", schema]).args(files).output().unwrap()
        };
        let output = check(&files);
        assert!(output.status.success(), "{service}: {}", String::from_utf8_lossy(&output.stdout));
        let broken = folder.path().join("broken.yml");
        let text = fs::read_to_string(&files[0]).unwrap();
        fs::write(&broken, text.replace("runs-on: ubuntu-latest", "runs-on: 1").replace("  script:", "  scripts:"))
            .unwrap();
        assert!(!check(&[broken]).status.success(), "the judge of {service} judges");
    }
}
