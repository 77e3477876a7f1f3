//! Environment of the programs that Latimer starts. Latimer's own holds the keys of engines, buckets and the API.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Choice of the variables that a program is given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProcessEnvironment<'a> {
    /// Variables that programs need to run, and those that the owner named: for engines, the browser and search.
    Named(&'a [String]),
    /// Every variable but Latimer's own secrets: for publishing, because a host's program has its credentials there.
    AllButOurs,
}

/// Variables that say where programs, files, certificates and displays are, and which language is spoken. Addresses of
/// proxies are not among them, because they may hold a password.
const USUAL: [&str; 32] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "TMP",
    "TEMP",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "LOCPATH",
    "LOCALE_ARCHIVE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PYTHONPATH",
    "PYTHONHOME",
    "VIRTUAL_ENV",
    "NODE_PATH",
    "JAVA_HOME",
    "PERL5LIB",
    "RUBYLIB",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "FONTCONFIG_FILE",
    "FONTCONFIG_PATH",
];

/// Groups of such variables, by how their names begin.
const USUAL_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// Variables of Latimer's own that hold no secret. All others that begin as ours do are secrets, those of later versions too.
const OPEN: [&str; 4] = [
    "LATIMER_LISTEN",
    "LATIMER_MODELS",
    "LATIMER_STORE_OBJECTS",
    "LATIMER_STORE_STATE",
];

/// The file of a program, looked for in `PATH`; a program that is not found keeps its name.
///
/// The standard library forks where it has to look for a program itself, and the child of a big process then holds that process's
/// files and locks for long.
pub(super) fn find(program: &str) -> PathBuf {
    let folders = if program.contains('/') {
        None
    } else {
        std::env::var_os("PATH")
    };
    let found = folders.and_then(|folders| {
        std::env::split_paths(&folders)
            .map(|folder| folder.join(program))
            .find(|path| is_program(path))
    });
    found.unwrap_or_else(|| Path::new(program).to_owned())
}

/// True if a program can be started by this name or path.
pub(crate) fn is_there(program: &str) -> bool {
    is_program(&find(program))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

impl ProcessEnvironment<'_> {
    /// The variables of this process that the program is given.
    pub(super) fn variables(self) -> impl Iterator<Item = (OsString, OsString)> {
        std::env::vars_os().filter(move |(name, _)| self.has(&name.to_string_lossy()))
    }

    fn has(self, name: &str) -> bool {
        match self {
            Self::Named(named) => {
                USUAL.contains(&name)
                    || USUAL_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
                    || named.iter().any(|named| named == name)
            }
            Self::AllButOurs => !name.starts_with("LATIMER_") || OPEN.contains(&name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_program_gets_its_variables() {
        let named = ["DEEPL_KEY".to_owned()];
        // Columns: an engine, an engine whose owner named the variable, a program of publishing.
        for (name, engine, named_engine, publishing) in [
            ("PATH", true, true, true),
            ("HOME", true, true, true),
            ("LC_MESSAGES", true, true, true),
            ("XDG_RUNTIME_DIR", true, true, true),
            ("DEEPL_KEY", false, true, true),
            ("AWS_SECRET_ACCESS_KEY", false, false, true),
            ("NETLIFY_AUTH_TOKEN", false, false, true),
            ("https_proxy", false, false, true),
            ("path", false, false, true),
            ("LATIMER_STORE_STATE", false, false, true),
            ("LATIMER_TOKEN", false, false, false),
            ("LATIMER_JWT_SECRET", false, false, false),
            ("LATIMER_PREVIEW_TOKENS", false, false, false),
            ("LATIMER_PREVIEW_STATUS_TOKEN", false, false, false),
            ("LATIMER_ENGINE_DEEPL_KEY", false, false, false),
            ("LATIMER_SOMETHING_LATER", false, false, false),
        ] {
            let given = [
                ProcessEnvironment::Named(&[]),
                ProcessEnvironment::Named(&named),
                ProcessEnvironment::AllButOurs,
            ];
            assert_eq!(
                given.map(|given| given.has(name)),
                [engine, named_engine, publishing],
                "{name}"
            );
        }
    }
}
