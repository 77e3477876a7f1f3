//! What publishing to each host takes: a table of latimer.toml, and what a CI job needs beside it.
//!
//! Secrets are named here and written nowhere: they reach programs by the environment. What an owner must change (a bucket,
//! a server) stands at the end of a line of its own, with a comment.

use pipeline::hosts::{Redirects, ability};
use pipeline::model::Host;

/// What publishing to a host takes.
#[derive(Debug)]
pub(super) struct Recipe {
    /// The host.
    pub(super) host: Host,
    /// The table `[publish.NAME]`.
    pub(super) table: String,
    /// Its name.
    pub(super) name: String,
    /// What CI installs.
    pub(super) tools: Tools,
    /// Variables of the environment that CI keeps.
    pub(super) secrets: &'static [&'static str],
    /// Lines before `latimer publish`, in its shell.
    pub(super) before: &'static [&'static str],
    /// Lines after it.
    pub(super) after: Vec<String>,
    /// What the server of this machine is to be told, a line each.
    pub(super) server: Vec<String>,
}

/// Programs that publishing starts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tools {
    /// None.
    None,
    /// A package of npm, with its major version.
    Npm(&'static str),
    /// Packages of Debian, which GitHub's machines have.
    Debian(&'static str),
}

/// Names that stand in a recipe.
pub(super) struct RecipeNames<'a> {
    /// The site's id.
    pub(super) site: &'a str,
    /// Whether the table has to say which site it is about, and so has the site's name beside the host's.
    pub(super) is_one_of_many: bool,
    /// The host name of the site's public address.
    pub(super) address: Option<&'a str>,
}

impl RecipeNames<'_> {
    /// The name of the table.
    pub(super) fn table(&self, host: Host) -> String {
        if !self.is_one_of_many {
            return host.to_string();
        }
        // The longest name has as many letters as that of a site.
        let room = MOST_LETTERS.saturating_sub(host.name().len() + 1);
        format!(
            "{}-{host}",
            self.site
                .get(..room)
                .unwrap_or(self.site)
                .trim_end_matches('-')
        )
    }
}

const MOST_LETTERS: usize = 63;

/// How files get to a host.
enum UploadMethod {
    Folder(&'static str),
    Program(&'static [&'static str]),
    Server(Vec<String>),
    Bucket,
    Artifact,
}

/// A key that leads to a server, kept in memory alone.
const SSH: &[&str] = &[
    "eval \"$(ssh-agent -s)\"",
    "printf '%s\\n' \"$SSH_KEY\" | ssh-add -",
    "mkdir -p ~/.ssh",
    "printf '%s\\n' \"$SSH_KNOWN_HOSTS\" >> ~/.ssh/known_hosts",
];
const GOOGLE: &[&str] = &[
    "export GOOGLE_APPLICATION_CREDENTIALS=\"$(mktemp)\"",
    "printf '%s' \"$FIREBASE_SERVICE_ACCOUNT\" > \"$GOOGLE_APPLICATION_CREDENTIALS\"",
];
const AWS: &[&str] = &["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const INVALIDATE: &str = "aws cloudfront create-invalidation --distribution-id \"$CLOUDFRONT_DISTRIBUTION\" --paths '/*'";

impl Recipe {
    /// The recipe for a host. Servers of one's own are a folder of this machine, and for CI a machine that SSH leads to.
    #[expect(clippy::too_many_lines, reason = "a table of hosts")]
    pub(super) fn of(host: Host, is_for_ci: bool, names: &RecipeNames<'_>) -> Self {
        use Tools::{Debian, Npm};
        let (by, tools, secrets, before): (_, _, &[&str], &[&str]) = match host {
            Host::Nginx | Host::Apache | Host::Caddy if !is_for_ci => (
                UploadMethod::Folder("/srv/www/{site}"),
                Tools::None,
                &[],
                &[],
            ),
            Host::Nginx | Host::Apache | Host::Caddy | Host::Plain => {
                let after = after(host, names);
                (
                    UploadMethod::Server(after),
                    Debian("rsync openssh-client"),
                    &["SSH_KEY", "SSH_KNOWN_HOSTS"],
                    SSH,
                )
            }
            Host::GithubPages | Host::GitlabPages => {
                (UploadMethod::Artifact, Tools::None, &[], &[])
            }
            Host::Cloudfront => {
                const SECRETS: &[&str] = &[AWS[0], AWS[1], "CLOUDFRONT_DISTRIBUTION"];
                (UploadMethod::Bucket, Debian("awscli"), SECRETS, &[])
            }
            Host::S3Website => (UploadMethod::Bucket, Tools::None, AWS, &[]),
            Host::Netlify => {
                let program = &[
                    "netlify",
                    "deploy",
                    "--prod",
                    "--no-build",
                    "--dir",
                    "{dir}",
                ];
                (
                    UploadMethod::Program(program),
                    Npm("netlify-cli@27"),
                    &["NETLIFY_AUTH_TOKEN", "NETLIFY_SITE_ID"],
                    &[],
                )
            }
            Host::CloudflarePages => {
                let program = &[
                    "wrangler",
                    "pages",
                    "deploy",
                    "{dir}",
                    "--project-name",
                    "{site}",
                    "--branch",
                    "main",
                ];
                let secrets = &["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_ACCOUNT_ID"];
                (
                    UploadMethod::Program(program),
                    Npm("wrangler@4"),
                    secrets,
                    &[],
                )
            }
            Host::Vercel => {
                let secrets = &["VERCEL_TOKEN", "VERCEL_ORG_ID", "VERCEL_PROJECT_ID"];
                (
                    UploadMethod::Program(&["vercel", "deploy", "{dir}", "--prod", "--yes"]),
                    Npm("vercel@64"),
                    secrets,
                    &[],
                )
            }
            Host::Firebase => {
                const PROGRAM: &[&str] = &[
                    "firebase",
                    "deploy",
                    "--only",
                    "hosting",
                    "--config",
                    "{dir}/firebase.json",
                    "--project",
                    "{site}",
                ];
                (
                    UploadMethod::Program(PROGRAM),
                    Npm("firebase-tools@15"),
                    &["FIREBASE_SERVICE_ACCOUNT"],
                    GOOGLE,
                )
            }
            Host::AzureSwa => {
                let program = &["swa", "deploy", "{dir}", "--env", "production"];
                (
                    UploadMethod::Program(program),
                    Npm("@azure/static-web-apps-cli@2"),
                    &["SWA_CLI_DEPLOYMENT_TOKEN"],
                    &[],
                )
            }
        };
        let name = names.table(host);
        let table = table((host, &name), &by, names);
        let after = match by {
            UploadMethod::Server(after) => after,
            UploadMethod::Bucket if host == Host::Cloudfront => vec![INVALIDATE.to_owned()],
            UploadMethod::Bucket
            | UploadMethod::Folder(_)
            | UploadMethod::Program(_)
            | UploadMethod::Artifact => Vec::new(),
        };
        let server = if is_for_ci {
            Vec::new()
        } else {
            told(host, names.site)
        };
        Self {
            host,
            table,
            name,
            tools,
            secrets,
            before,
            after,
            server,
        }
    }

    /// Where the files lie for a host that takes them from a CI job.
    pub(super) fn artifact(&self) -> Option<String> {
        artifact(self.host, &self.name)
    }
}

fn artifact(host: Host, name: &str) -> Option<String> {
    matches!(host, Host::GithubPages | Host::GitlabPages)
        .then(|| format!(".latimer/publish/{name}"))
}

/// Whether pages that a language lacks are better shown in the source language: the host cannot redirect, or not enough.
pub(super) fn shows_missing_pages(host: Host) -> bool {
    match ability(host).redirects {
        Redirects::None => true,
        // A folder that is missing as a whole takes a rule for each page.
        Redirects::List { patterns, .. } => patterns == 0,
        Redirects::Any => false,
    }
}

/// What a server is told after the files are there: rules that do not lie in the tree, and to read them.
fn after(host: Host, names: &RecipeNames<'_>) -> Vec<String> {
    let (snippet, service) = match host {
        Host::Nginx => ("latimer.nginx.conf", "nginx"),
        Host::Caddy => ("latimer.caddy", "caddy"),
        _ => return Vec::new(),
    };
    let server = server(names);
    let name = names.table(host);
    vec![
        format!(
            "rsync -a .latimer/publish/{name}.{snippet} {server}:/srv/www/{}.{snippet}",
            names.site
        ),
        format!("ssh {server} sudo systemctl reload {service}"),
    ]
}

/// What an owner writes into the configuration of a server on this machine.
fn told(host: Host, site: &str) -> Vec<String> {
    let root = format!("/srv/www/{site}");
    let lines = match host {
        Host::Nginx => vec![
            format!("    root {root}/current;"),
            format!("    include {root}/latimer.nginx.conf;"),
        ],
        Host::Caddy => vec![
            format!("    root * {root}/current"),
            format!("    import {root}/latimer.caddy"),
        ],
        Host::Apache => {
            vec![
                format!("    DocumentRoot {root}"),
                format!("    <Directory {root}> with AllowOverride All"),
            ]
        }
        _ => return Vec::new(),
    };
    let first =
        format!("tell {host} once, after the first latimer publish (docs/hosts/{host}.md):");
    std::iter::once(first).chain(lines).collect()
}

fn server(names: &RecipeNames<'_>) -> String {
    format!("deploy@{}", names.address.unwrap_or("www.example.com"))
}

fn table((host, name): (Host, &str), by: &UploadMethod, names: &RecipeNames<'_>) -> String {
    let filled = |text: &str| text.replace("{site}", names.site);
    let list = |words: &[&str]| {
        words
            .iter()
            .map(|word| format!("{:?}", filled(word)))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut lines = vec![format!("[publish.{name}]")];
    lines.extend(
        names
            .is_one_of_many
            .then(|| format!("site = \"{}\"", names.site)),
    );
    let kind = match by {
        UploadMethod::Folder(_) | UploadMethod::Artifact => "folder",
        UploadMethod::Program(_) | UploadMethod::Server(_) => "command",
        UploadMethod::Bucket => "s3",
    };
    lines.push(format!("kind = \"{kind}\""));
    lines.push(format!("host = \"{host}\""));
    if matches!(by, UploadMethod::Artifact)
        || matches!(by, UploadMethod::Folder(_)) && host == Host::Apache
    {
        lines.push("layout = \"plain\"".to_owned());
    }
    match by {
        UploadMethod::Folder(to) => {
            lines.push(format!("to = \"{}\" # the server's folder", filled(to)))
        }
        UploadMethod::Artifact => {
            lines.extend(artifact(host, name).map(|to| format!("to = \"{to}\"")))
        }
        UploadMethod::Program(program) => {
            let owned = program.contains(&"{site}");
            let comment = if owned {
                format!(" # {} is the project there", names.site)
            } else {
                String::new()
            };
            lines.push(format!("command = [{}]{comment}", list(program)));
        }
        UploadMethod::Server(_) => {
            let to = format!("{}:/srv/www/{}/", server(names), names.site);
            let words = list(&["rsync", "-a", "--checksum", "--delete-after", "{dir}/", &to]);
            lines.push(format!(
                "command = [{words}] # your server; the folder is Latimer's alone"
            ));
        }
        UploadMethod::Bucket => {
            lines.push(format!(
                "to = \"s3://{}\" # your bucket",
                names.address.unwrap_or("www.example.com")
            ));
            lines.push("options = { aws_region = \"eu-central-1\" } # its region".to_owned());
        }
    }
    if ability(host).redirects == Redirects::None {
        lines.push("redirects = \"pages\" # the host cannot redirect".to_owned());
    }
    lines.join("\n") + "\n"
}
