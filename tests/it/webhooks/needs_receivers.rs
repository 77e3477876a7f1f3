//! The receivers that the documentation shows, run on messages that were sent.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;
use crate::support::{repository, tool};

/// The first example of the documentation in a language.
fn example(language: &str) -> String {
    let document = std::fs::read_to_string(repository().join("docs/webhooks.md")).unwrap();
    let after = document
        .split_once(&format!("```{language}\n"))
        .expect("there is an example")
        .1;
    after.split_once("\n```").expect("it ends").0.to_owned()
}

/// Runs a receiver on a message; gives the type that it read, if it believed it.
fn receive(mut command: Command, secret: &str, came: &Came, body: &str) -> Option<String> {
    let header = |name: &str| came.headers[name].to_str().unwrap();
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let headers: BTreeMap<_, _> = names.iter().map(|name| (*name, header(name))).collect();
    let given = json!({ "secret": secret, "headers": headers, "body": body }).to_string();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(given.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() || said.contains("WebhookVerificationError"),
        "{said}"
    );
    output
        .status
        .success()
        .then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

#[test]
#[ignore = "needs standardwebhooks of PyPI and npm"]
fn the_examples_of_the_documentation_check_what_comes() {
    let world = World::new();
    let sink = Sink::new(|_| Act::Answer(200));
    let (hook, old) = world.add(&sink, &[]);
    let new = world.call("POST", &format!("{hook}/secret"), &Value::Null)["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    world.call("POST", &format!("{hook}/test"), &Value::Null);
    let came = sink.wait_for(1).remove(0);
    let receivers = tool("LATIMER_TEST_RECEIVERS");
    let folder = tempfile::TempDir::new().unwrap();
    std::os::unix::fs::symlink(
        receivers.join("node_modules"),
        folder.path().join("node_modules"),
    )
    .unwrap();
    let python = example("python")
        + "\n\nimport json\ngiven = json.load(sys.stdin)\n\
           print(verified(given['secret'], given['headers'], given['body'].encode())['type'])\n";
    let node = example("js")
        + "\nimport { readFileSync } from 'node:fs';\nconst { secret, headers, body } = JSON.parse(readFileSync(0));\n\
           console.log(verified(secret, headers, body).type);\n";
    for (name, text, program) in [
        (
            "receiver.py",
            python,
            receivers.join("python/bin/python").display().to_string(),
        ),
        ("receiver.mjs", node, "node".to_owned()),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let run = |secret: &str, body: &str| {
            let mut command = Command::new(&program);
            command.arg(Path::new(&file));
            receive(command, secret, &came, body)
        };
        for secret in [&old, &new] {
            assert_eq!(
                run(secret, &came.body).as_deref(),
                Some("webhook.test"),
                "{name}"
            );
        }
        assert_eq!(
            run(&new, &came.body.replace("bakery", "shop")),
            None,
            "{name}: another body"
        );
        let other = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
        assert_eq!(run(other, &came.body), None, "{name}: another secret");
    }
}
