//! The repository that a folder lies in: where CI looks for its file, and what its host would call the site.

use std::path::{Path, PathBuf};

use pipeline::model::Host;
use url::Url;

/// The folder of a repository: the one that holds `.git`, else the folder itself.
pub(super) fn root(folder: &Path) -> PathBuf {
    folder
        .ancestors()
        .find(|folder| folder.join(".git").exists())
        .unwrap_or(folder)
        .to_path_buf()
}

/// The address at which the pages of a repository answer, where its host gives it one: from its remote `origin`.
pub(super) fn pages_address(root: &Path, host: Host) -> Option<String> {
    let config = std::fs::read_to_string(root.join(".git/config")).ok()?;
    let (server, path) = remote(&config)?;
    let (name, suffix) = match host {
        Host::GithubPages if server == "github.com" => ("github.io", 1),
        Host::GitlabPages if server == "gitlab.com" => ("gitlab.io", usize::MAX),
        _ => return None,
    };
    let (owner, project) = path.split_once('/')?;
    let own = format!("{}.{name}", owner.to_lowercase());
    let is_name = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let parts: Vec<&str> = project.split('/').collect();
    if parts.len() > suffix || !is_name(owner) || !parts.iter().all(|part| is_name(part)) {
        return None;
    }
    // The repository of that name is the owner's own site.
    Some(if project.eq_ignore_ascii_case(&own) {
        format!("https://{own}")
    } else {
        format!("https://{own}/{project}")
    })
}

/// Server and path of the remote `origin`: `git@SERVER:PATH`, or an address.
fn remote(config: &str) -> Option<(String, String)> {
    let section = config.split_once("[remote \"origin\"]")?.1;
    let mut lines = section
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with('['));
    let value = lines
        .find_map(|line| line.strip_prefix("url")?.trim_start().strip_prefix('='))
        .map(str::trim)?;
    let (server, path) = match Url::parse(value).ok().filter(|_| value.contains("://")) {
        Some(url) => (url.host_str()?.to_owned(), url.path().to_owned()),
        None => value
            .rsplit_once('@')
            .map_or(value, |(_, rest)| rest)
            .split_once(':')
            .map(|(s, p)| (s.into(), p.into()))?,
    };
    let path = path.trim_matches('/');
    Some((
        server.to_lowercase(),
        path.strip_suffix(".git").unwrap_or(path).to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remote_says_where_pages_answer() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::create_dir_all(folder.path().join("docs/site")).unwrap();
        assert_eq!(root(&folder.path().join("docs/site")), folder.path());
        let github = Host::GithubPages;
        let gitlab = Host::GitlabPages;
        for (remote, host, address) in [
            (
                "git@github.com:Ana/bakery.git",
                github,
                "https://ana.github.io/bakery",
            ),
            (
                "https://github.com/ana/bakery",
                github,
                "https://ana.github.io/bakery",
            ),
            (
                "https://token@github.com/ana/ana.github.io.git",
                github,
                "https://ana.github.io",
            ),
            (
                "ssh://git@gitlab.com/group/below/bakery.git",
                gitlab,
                "https://group.gitlab.io/below/bakery",
            ),
            ("git@gitlab.com:ana/bakery.git", github, ""),
            ("git@git.example.com:ana/bakery.git", gitlab, ""),
            ("/srv/git/bakery", github, ""),
            ("git@github.com:ana/\"x", github, ""),
        ] {
            let config = format!(
                "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {remote}\n\tfetch = x\n[branch]\n"
            );
            std::fs::write(folder.path().join(".git/config"), config).unwrap();
            assert_eq!(
                pages_address(folder.path(), host).unwrap_or_default(),
                address,
                "{remote}"
            );
        }
    }
}
