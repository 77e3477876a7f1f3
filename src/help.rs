//! The help of the program as a whole: its commands in groups, an example, and the address of the documentation.

use std::fmt::Write as _;

use clap::Command;

/// The commands by purpose, the first steps first.
const GROUPS: [(&str, &[&str]); 7] = [
    (
        "First steps",
        &["init", "plan", "build", "serve", "watch", "publish"],
    ),
    (
        "Translations",
        &[
            "models", "engine", "eval", "export", "explain", "terms", "memory", "reports",
        ],
    ),
    ("Languages", &["locale"]),
    (
        "Single pages, and other sites",
        &["render", "preview", "audit"],
    ),
    (
        "Server and API",
        &["admin", "token", "webhooks", "digest", "mail"],
    ),
    ("When something is wrong", &["doctor", "state"]),
    ("Shells", &["completions", "man"]),
];

const EXAMPLE: [&str; 4] = [
    "latimer init my-site/public --locale es --locale ar   # writes latimer.toml",
    "latimer plan                                          # says what a build sends, and its price",
    "latimer build",
    "latimer serve --open",
];

/// Replaces the list of commands in the help with one in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut commands = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(commands, "{header}{group}:{header:#}");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(commands, "  {literal}{name:<12}{literal:#} {about}");
        }
        commands.push('\n');
    }
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{commands}{header}Options:{header:#}\n{{options}}\n\n\
         {header}Example:{header:#}\n  {}\n\n`latimer help COMMAND` describes a command.\nDocumentation: {}",
        EXAMPLE.join("\n  "),
        documentation()
    ))
}

/// The address of the documentation: in the repository that the program was released from, else its place in the source
/// and in the Debian package.
fn documentation() -> String {
    let repository =
        option_env!("LATIMER_REPOSITORY").filter(|address| address.starts_with("https://"));
    match repository.map(|address| address.trim_end_matches('/').trim_end_matches(".git")) {
        Some(repository) => format!("{repository}/tree/v{}/docs", env!("CARGO_PKG_VERSION")),
        None => "docs/start.md of the source, or /usr/share/doc/latimer/docs".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;
    use crate::CommandLine;

    #[test]
    fn every_command_is_in_one_group_and_every_line_fits() {
        let command = CommandLine::command();
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.iter().copied())
            .collect();
        let known: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(
            (grouped.iter().copied().collect(), grouped.len()),
            (known.clone(), known.len())
        );
        for line in super::grouped(command).render_help().to_string().lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
