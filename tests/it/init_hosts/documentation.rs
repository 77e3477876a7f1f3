//! The configurations, CI files and transcript that the documentation shows.

use super::*;
use crate::support::documents::blocks;
use crate::support::repository;

/// Lines without what all of them are behind.
fn dedented(lines: &[&str]) -> Vec<String> {
    let spaces = |line: &&str| line.len() - line.trim_start().len();
    let shared = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(spaces)
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(shared..).unwrap_or("").to_owned())
        .collect()
}

fn holds(text: &str, block: &str) -> bool {
    let (lines, block): (Vec<&str>, Vec<&str>) = (text.lines().collect(), block.lines().collect());
    let block = dedented(&block);
    lines
        .windows(block.len())
        .any(|window| dedented(window) == block)
}

#[test]
fn the_documentation_shows_what_is_written() {
    let mut commands = 0;
    let folder = repository().join("docs/hosts");
    let pages = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let pages: Vec<_> = pages
        .chain([repository().join("docs/publishing.md")])
        .collect();
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let shown = blocks(&text, "sh").join("\n");
        let shown: Vec<&str> = shown
            .lines()
            .filter(|line| line.contains("latimer init ") && line.contains("--host"))
            .collect();
        let twin = |command: &str| {
            let is_for_both = command.contains("--ci github") && !command.contains("github-pages");
            is_for_both.then(|| command.replace("--ci github", "--ci gitlab"))
        };
        let commands_here = shown
            .iter()
            .flat_map(|command| [Some((*command).to_owned()), twin(command)])
            .flatten();
        let all: Vec<_> = commands_here
            .flat_map(|command| written(&command).into_iter())
            .collect();
        for (language, ending) in [("toml", ".toml"), ("yaml", ".yml")] {
            let blocks = blocks(&text, language);
            assert!(
                !blocks.is_empty() && !shown.is_empty(),
                "{}: {language}",
                page.display()
            );
            for block in blocks {
                let files = all.iter().filter(|(name, _)| name.ends_with(ending));
                assert!(
                    files.clone().any(|(_, file)| holds(file, block)),
                    "{}, nobody writes:\n{block}",
                    page.display()
                );
            }
        }
        commands += shown.len();
    }
    for host in HOSTS {
        let option = format!("--host {host}");
        assert!(
            pages
                .iter()
                .any(|page| fs::read_to_string(page).unwrap().contains(&option)),
            "no page shows {option}"
        );
    }
    assert!(commands > HOSTS.len(), "{commands} commands");
}

/// The line of engines depends on what this machine has.
fn without_engines(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("engines: "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Numbers change with every page of the fixture.
fn without_numbers(text: &str) -> String {
    let mut kept: Vec<char> = text
        .trim_end()
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    kept.dedup_by(|one, other| *one == '0' && one == other);
    kept.into_iter().collect()
}

#[test]
fn the_transcript_of_a_first_publishing_is_what_happens() {
    let folder = TempDir::new().unwrap();
    let (bakery, fixture) = (
        folder.path().join("bakery"),
        repository().join("fixtures/sites/bakery"),
    );
    support::copy(&fixture.join("source"), &bakery.join("public"), &|_| true);
    support::copy(
        &fixture.join("translations"),
        &bakery.join("translations"),
        &|_| true,
    );
    let text = fs::read_to_string(repository().join("docs/hosts/nginx.md")).unwrap();
    let transcript = blocks(&text, "console")[0];
    for step in transcript.split("$ latimer ").skip(1) {
        let (command, shown) = step.split_once('\n').unwrap();
        let ran = run(folder.path(), &command.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.code, 0, "{command}: {}", ran.stderr);
        let said = match command.starts_with("init") {
            true => ran.stderr,
            false => String::from_utf8(ran.stdout)
                .unwrap()
                .replace("www/bakery", "/srv/www/bakery"),
        };
        let same = [&said, shown].map(|text| without_numbers(&without_engines(text)));
        assert_eq!(same[0], same[1], "{command}");
        if command.starts_with("init") {
            stand_ins(folder.path());
        }
    }
    for (language, folder) in [("en", ""), ("es", "es/"), ("ar", "ar/"), ("ja", "ja/")] {
        let page =
            fs::read_to_string(bakery.join(format!("www/bakery/current/{folder}index.html")))
                .unwrap();
        assert!(page.contains(&format!("lang=\"{language}\"")), "{language}");
    }
}
