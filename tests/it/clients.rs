//! Clients that generators make of the API's document: they compile, and four calls of each get what it promises.
//!
//! `tests/run` installs the generators and says where in LATIMER_TEST_CLIENTS; without them nothing is tried.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::api::{self, Api};
use crate::support::{self, Site, tool};

/// A server, the folder of the generators, and what a client is called with.
struct Generators {
    site: Site,
    server: Api,
    token: String,
    tools: PathBuf,
}

impl Generators {
    /// Starts a server with its document beside it.
    fn start() -> Self {
        let site = Site::new(
            "locales = [\"es\"]\nengine = [\"pseudo\"]",
            &[("index.html", "<p>One</p>")],
        );
        api::give_api(&site, api::NO_LIMITS);
        site.build(&[], 0);
        let server = Api::start(site.folder());
        let token = api::token(site.folder(), "ana", "site");
        site.write(
            "api.json",
            &server
                .call("GET", "/api/openapi.json", "", "")
                .json
                .to_string(),
        );
        Self {
            site,
            server,
            token,
            tools: tool("LATIMER_TEST_CLIENTS"),
        }
    }

    /// Puts a program that makes four calls beside the client.
    fn driver(&self, name: &str) {
        let text = std::fs::read_to_string(
            support::repository()
                .join("tests/it/support/clients")
                .join(name),
        )
        .unwrap();
        self.site.write(name, &text);
    }

    fn python(&self, program: &str) -> PathBuf {
        self.tools.join("python/bin").join(program)
    }

    fn node(&self, program: &str) -> PathBuf {
        self.tools.join("node_modules/.bin").join(program)
    }

    /// Runs a program of a generator or a compiler; gives what it says.
    fn run(&self, program: &Path, arguments: &[&str]) -> String {
        let path = std::env::join_paths(
            [self.tools.join("python/bin")]
                .into_iter()
                .chain(std::env::split_paths(&std::env::var("PATH").unwrap())),
        );
        let mut command = Command::new(program);
        command
            .current_dir(self.site.folder())
            .env("PATH", path.unwrap())
            .args(arguments);
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{} {arguments:?}: {said}{errors}",
            program.display()
        );
        said.into_owned()
    }

    /// Lets the client make its calls.
    fn check(&self, program: &Path, driver: &str) {
        let said = self.run(
            program,
            &[
                driver,
                &format!("http://{}", self.server.address),
                &self.token,
            ],
        );
        assert_eq!(said.trim(), "[1,\"en\",36,\"serving\"]", "{driver}");
    }
}

mod needs_generators {
    use super::*;

    #[test]
    #[ignore = "needs the generators of clients"]
    fn openapi_python_client_makes_a_client_that_works() {
        let generators = Generators::start();
        let made = [
            "generate",
            "--path",
            "api.json",
            "--output-path",
            "latimer_client",
            "--meta",
            "none",
        ];
        let said = generators.run(&generators.python("openapi-python-client"), &made);
        assert!(
            !said.contains("WARNING"),
            "operations were left out: {said}"
        );
        generators.run(
            &generators.python("python"),
            &["-m", "compileall", "-q", "latimer_client"],
        );
        generators.driver("drive.py");
        generators.check(&generators.python("python"), "drive.py");
    }

    #[test]
    #[ignore = "needs the generators of clients"]
    fn openapi_typescript_makes_types_that_compile_and_fit() {
        let generators = Generators::start();
        std::os::unix::fs::symlink(
            generators.tools.join("node_modules"),
            generators.site.path("node_modules"),
        )
        .unwrap();
        generators.run(
            &generators.node("openapi-typescript"),
            &["api.json", "--output", "schema.d.ts"],
        );
        generators.driver("fetch.mts");
        let strict = [
            "--strict",
            "--target",
            "es2022",
            "--module",
            "nodenext",
            "--lib",
            "es2022,dom",
            "fetch.mts",
        ];
        generators.run(&generators.node("tsc"), &strict);
        generators.check(Path::new("node"), "fetch.mjs");
    }

    #[test]
    #[ignore = "needs the generators of clients"]
    fn openapi_generator_makes_a_client_that_works() {
        let generators = Generators::start();
        let made = [
            "generate",
            "-i",
            "api.json",
            "-g",
            "typescript-fetch",
            "-o",
            "generated",
        ];
        generators.run(&generators.python("openapi-generator-cli"), &made);
        generators.driver("generated.ts");
        let strict = [
            "--strict",
            "--target",
            "es2022",
            "--module",
            "commonjs",
            "--lib",
            "es2022,dom",
            "--outDir",
            "out",
            "generated.ts",
        ];
        generators.run(&generators.node("tsc"), &strict);
        generators.check(Path::new("node"), "out/generated.js");
    }
}
