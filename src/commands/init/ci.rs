//! The file of a CI service: it makes the site, gets Latimer, restores what is remembered, builds and publishes.
//!
//! What engines translated lies in the repository (`memory/`), so a lost cache costs only time.
//! The cache holds the store and the state: which deployments there were, and what lies at the host.

use clap::ValueEnum;

use super::generators::Generator;
use super::recipe::{Recipe, Tools};

/// A CI service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CiService {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
}

/// A job that builds and publishes.
pub(super) struct CiJob<'a> {
    /// How it publishes.
    pub(super) recipe: &'a Recipe,
    /// What makes the source.
    pub(super) generator: Option<&'static Generator>,
    /// The source as people know it: a folder, or an address.
    pub(super) source: String,
    /// Whether the source is an address, which changes without the repository.
    pub(super) is_crawled: bool,
    /// The folder of latimer.toml in the repository; empty for the repository itself.
    pub(super) folder: String,
    /// How the program is called: with the configuration, where that has another name.
    pub(super) program: String,
    /// Files and folders that are kept between jobs, beside latimer.toml.
    pub(super) kept: Vec<String>,
}

/// The variable that says where the sources of Latimer are.
pub(super) const SOURCES: &str = "LATIMER_REPOSITORY";
const WHY: [&str; 4] = [
    "What is in translations/ and memory/ of the repository costs nothing. An engine, where latimer.toml names one, gets at",
    "most so many characters; its key is a variable of the environment. To fail instead when a text has no translation yet:",
    "latimer build --frozen",
    "Exit code 6 means done, with something to look at in the log.",
];
const VERSION: &str = env!("CARGO_PKG_VERSION");

impl CiService {
    /// Where the service looks for its file, from the root of the repository.
    pub(super) fn usual_file(self) -> &'static str {
        match self {
            Self::Github => ".github/workflows/latimer.yml",
            Self::Gitlab => ".gitlab-ci.yml",
        }
    }

    /// The text of the file.
    pub(super) fn write(self, job: &CiJob<'_>) -> String {
        match self {
            Self::Github => github(job),
            Self::Gitlab => gitlab(job),
        }
    }
}

impl CiJob<'_> {
    /// A path from the root of the repository.
    fn placed(&self, path: &str) -> String {
        if self.folder.is_empty() {
            path.to_owned()
        } else {
            format!("{}/{path}", self.folder)
        }
    }

    /// What makes the source, or where it would stand.
    fn making(&self) -> (String, &'static [&'static str]) {
        match self
            .generator
            .map(|generator| generator.build)
            .unwrap_or_default()
        {
            _ if self.is_crawled => (format!("Reads {}.", self.source), &[]),
            [] => (
                format!(
                    "Where {} is not in the repository, the lines that make it stand here.",
                    self.source
                ),
                &[],
            ),
            lines => (
                format!(
                    "Makes {}: change it to what your project needs.",
                    self.source
                ),
                lines,
            ),
        }
    }

    /// The line that builds.
    fn building(&self) -> String {
        format!("{} build --max-chars 50000 || test $? -eq 6", self.program)
    }

    /// The lines that publish, for one shell. A folder that a service takes as a whole may have been lost with the cache.
    fn publishing(&self) -> Vec<String> {
        let name = &self.recipe.name;
        let verify = if self.recipe.artifact().is_some() {
            " --verify"
        } else {
            ""
        };
        let before = self.recipe.before.iter().map(|line| (*line).to_owned());
        before
            .chain([format!("{} publish {name}{verify}", self.program)])
            .chain(self.recipe.after.iter().cloned())
            .collect()
    }
}

/// Lines, each behind so many spaces.
fn indented(spaces: usize, lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    lines
        .into_iter()
        .map(|line| format!("{:spaces$}{}\n", "", line.as_ref()))
        .collect()
}

fn comments(spaces: usize, lines: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    indented(
        spaces,
        lines.into_iter().map(|line| format!("# {}", line.as_ref())),
    )
}

/// Who wrote the file.
fn first(job: &CiJob<'_>, service: CiService) -> String {
    let service = service
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default();
    comments(
        0,
        [format!(
            "Written by `latimer init --host {} --ci {service}`; yours to change.",
            job.recipe.host
        )],
    )
}

fn github(job: &CiJob<'_>) -> String {
    let artifact = job.recipe.artifact();
    let schedule = if job.is_crawled {
        "  schedule:\n    - cron: '17 4 * * *'\n"
    } else {
        ""
    };
    let scheduled = if job.is_crawled {
        "github.event_name == 'schedule' || "
    } else {
        ""
    };
    let rights = if artifact.is_some() {
        "  pages: write\n  id-token: write\n"
    } else {
        ""
    };
    let place = if artifact.is_some() {
        "    environment: github-pages\n"
    } else {
        ""
    };
    let inside = match job.folder.as_str() {
        "" => String::new(),
        folder => format!("    defaults:\n      run:\n        working-directory: {folder}\n"),
    };
    format!(
        "{first}name: Latimer\non:\n  push:\n  workflow_dispatch:\n{schedule}concurrency: latimer-${{{{ github.ref }}}}\npermissions:\n  contents: read\n{rights}\
         jobs:\n  publish:\n    if: {scheduled}github.ref_name == github.event.repository.default_branch\n    \
         runs-on: ubuntu-latest\n{place}{inside}    steps:\n      - uses: actions/checkout@v4\n{steps}{publish}{end}",
        first = first(job, CiService::Github),
        steps = github_steps(job),
        publish = github_publishing(job),
        end = artifact
            .map(|path| github_pages(&job.placed(&path)))
            .unwrap_or_default(),
    )
}

/// Makes the site, gets the program and what is remembered, and builds.
fn github_steps(job: &CiJob<'_>) -> String {
    let (what, making) = job.making();
    let making = match making {
        [] => String::new(),
        lines => format!("      - run: |\n{}", indented(10, lines)),
    };
    format!(
        "{what}{making}{program}      - uses: actions/cache@v4\n        id: program\n        with:\n          \
         path: ~/.cargo/bin/latimer\n          key: latimer-{VERSION}-${{{{ runner.os }}}}-${{{{ runner.arch }}}}\n      \
         - if: steps.program.outputs.cache-hit != 'true'\n        \
         run: cargo install --locked --git \"${SOURCES}\" latimer\n        env:\n          \
         {SOURCES}: ${{{{ vars.{SOURCES} }}}}\n{kept}      - uses: actions/cache@v4\n        with:\n          path: |\n{paths}          \
         key: latimer-site-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}\n          restore-keys: latimer-site-\n\
         {why}      - run: {build}\n",
        build = job.building(),
        what = comments(6, [what]),
        program = comments(
            6,
            [format!(
                "The program, compiled once. The variable {SOURCES} says where its sources are."
            )]
        ),
        kept = comments(6, ["What is published, and what is remembered of it."]),
        paths = indented(12, job.kept.iter().map(|path| job.placed(path))),
        why = comments(6, WHY),
    )
}

fn github_publishing(job: &CiJob<'_>) -> String {
    let recipe = job.recipe;
    let install = match recipe.tools {
        Tools::Npm(package) => format!("      - run: npm install --global {package}\n"),
        Tools::Debian(_) | Tools::None => String::new(),
    };
    let lines = job.publishing();
    let run = match lines.as_slice() {
        [line] => format!("      - run: {line}\n"),
        lines => format!("      - run: |\n{}", indented(10, lines)),
    };
    let secrets = recipe
        .secrets
        .iter()
        .map(|name| format!("{name}: ${{{{ secrets.{name} }}}}"));
    let secrets = match recipe.secrets {
        [] => String::new(),
        _ => format!("        env:\n{}", indented(10, secrets)),
    };
    format!("{install}{run}{secrets}")
}

fn github_pages(path: &str) -> String {
    format!(
        "      - uses: actions/upload-pages-artifact@v3\n        with:\n          path: {path}\n      \
         - uses: actions/deploy-pages@v4\n"
    )
}

fn gitlab(job: &CiJob<'_>) -> String {
    let recipe = job.recipe;
    let inside = match job.folder.as_str() {
        "" => String::new(),
        folder => format!("    - cd {folder}\n"),
    };
    let secrets = match recipe.secrets {
        [] => Vec::new(),
        names => vec![format!(
            "Masked variables of the project: {}.",
            names.join(", ")
        )],
    };
    let artifact = recipe.artifact().map(|path| job.placed(&path));
    let artifact = artifact.map(|path| {
        format!("  pages:\n    publish: {path}\n  artifacts:\n    paths:\n      - {path}\n")
    });
    let name = if artifact.is_some() {
        "pages"
    } else {
        "publish"
    };
    format!(
        "{first}{secrets}{name}:\n  image: node:24\n  rules:\n    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH\n  \
         resource_group: latimer\n{kept}  cache:\n    key: latimer-{VERSION}\n    paths:\n{paths}{program}  before_script:\n{inside}    \
         - |\n      if ! test -x .latimer/bin/latimer; then\n        \
         curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal\n        \
         ~/.cargo/bin/cargo install --locked --root .latimer --git \"${SOURCES}\" latimer\n      fi\n    \
         - export PATH=\"$PWD/.latimer/bin:$PATH\"\n{tools}  script:\n{script}{artifact}",
        first = first(job, CiService::Gitlab),
        secrets = comments(0, secrets),
        kept = comments(
            2,
            ["The program, what is published, and what is remembered of it."]
        ),
        paths = indented(
            6,
            job.kept
                .iter()
                .map(|path| format!("- {}", job.placed(path)))
        ),
        program = comments(
            2,
            [format!(
                "The program, compiled once. The variable {SOURCES} says where its sources are."
            )]
        ),
        tools = gitlab_tools(job),
        script = gitlab_script(job),
        artifact = artifact.unwrap_or_default(),
    )
}

/// Installs what the image lacks.
fn gitlab_tools(job: &CiJob<'_>) -> String {
    let mut packages: Vec<&str> = job
        .generator
        .map(|generator| generator.debian)
        .into_iter()
        .filter(|name| !name.is_empty())
        .collect();
    let mut lines = Vec::new();
    match job.recipe.tools {
        Tools::Npm(package) => lines.push(format!("- npm install --global {package}")),
        Tools::Debian(names) => packages.push(names),
        Tools::None => {}
    }
    if !packages.is_empty() {
        lines.push(format!(
            "- apt-get update && apt-get install --yes --no-install-recommends {}",
            packages.join(" ")
        ));
    }
    indented(4, lines)
}

fn gitlab_script(job: &CiJob<'_>) -> String {
    let (what, making) = job.making();
    format!(
        "{}{}{}{}{}",
        comments(4, [what]),
        indented(4, making.iter().map(|line| format!("- {line}"))),
        comments(4, WHY),
        indented(4, [format!("- {}", job.building())]),
        indented(4, job.publishing().iter().map(|line| format!("- {line}"))),
    )
}
